"""Numbers of records, in figures or by the names in the benchmarks of 2013."""

from __future__ import annotations

import re
from typing import Final

from ..errors import UsageError

SIZES = {"SM": 100, "MD": 1_000, "LG": 50_000}
"""Small, medium, large."""

_WHOLE: Final = re.compile(r"[0-9]{1,20}|[0-9]{1,3}(?:[_,][0-9]{3}){1,6}")


def whole(text: str) -> int | None:
    """Return a whole number, also with ``_`` or ``,`` between thousands; None for another text."""
    return int(text.replace("_", "").replace(",", "")) if _WHOLE.fullmatch(text) else None


def size(given: int | str) -> int:
    """Return a number of records: ``50000``, ``"50_000"``, ``"50,000"`` or ``"LG"``.

    Raises:
        UsageError: Not a number of at least 1, nor a name.
    """
    if isinstance(given, str):
        text = given.strip().upper()
        given = SIZES.get(text, whole(text) or 0)
    if not 1 <= given < 10**18:
        raise UsageError(f"expected a number of records, at least 1, or one of {', '.join(SIZES)}")
    return given
