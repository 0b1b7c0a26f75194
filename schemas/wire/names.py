"""Names and numbers that a layout gives its records and fields."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Set

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""A name that is valid in every language."""
_MADE = re.compile(r"(fieldx*|null|option)\d+")
"""Names made from numbers, without the underscore."""


def folded(key: str | int) -> str:
    """Return a key as a reader sees it that ignores capitals and underscores."""
    return str(key).replace("_", "").lower()


def wire_name(key: str | int, number: int, taken: set[str], others: Set[str] = frozenset()) -> str:
    """Return the key if it is a valid name that stays unique when capitals and underscores are ignored.

    Args:
        key: The key.
        number: The number of the field.
        taken: Names so far, without capitals and underscores; gets the returned one.
        others: The other keys, without capitals and underscores, which a made-up name must not be.
    """
    plain = folded(key)
    if isinstance(key, int) or not NAME.fullmatch(key) or plain in taken or _MADE.fullmatch(plain):
        stem = "field"
        while f"{stem}{number}" in others:
            stem += "x"
        return f"{stem}_{number}"
    taken.add(plain)
    return key


def unique_name(wanted: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number appended if needed, and mark it as taken."""
    name = next(n for i in itertools.count(1) if (n := f"{wanted}{i}" if i > 1 else wanted) not in taken)
    taken.add(name)
    return name


def capitals(key: str | int) -> str:
    """Return the letters and digits of a key, with each word capitalized."""
    return "".join(part[:1].upper() + part[1:] for part in re.findall(r"[A-Za-z0-9]+", str(key)))


def free_numbers(taken: set[int]) -> Iterator[int]:
    """Yield free numbers from 1; Protocol Buffers reserves 19000 to 19999."""
    return (n for n in itertools.count(max(taken, default=0) + 1) if not 19000 <= n < 20000)
