"""Numbers of records, in figures or by the names in the benchmarks of 2013."""

from __future__ import annotations

from ..errors import UsageError

SIZES = {"SM": 100, "MD": 1_000, "LG": 50_000}
"""Small, medium, large."""


def size(given: int | str) -> int:
    """Return a number of records: ``50000``, ``"50_000"``, ``"50,000"`` or ``"LG"``.

    Raises:
        UsageError: Not a number of at least 1, nor a name.
    """
    if isinstance(given, str):
        text = given.strip().upper()
        plain = text.replace("_", "").replace(",", "")
        given = SIZES.get(text, int(plain) if plain.isascii() and plain.isdigit() and len(plain) < 19 else 0)
    if given < 1:
        raise UsageError(f"expected a number of records, at least 1, or one of {', '.join(SIZES)}")
    return given
