"""Limits for the size and the content of a payload.

With the defaults, no payload takes a codec more than a second or 256 MiB on the
machine of docs/explanation/security.md: `bakeoff attack` prints the worst. A value takes 8 to 240 bytes of
memory and 10 to 1,000 ns in most libraries, and a byte of a long text at most 11 bytes: hence
both limits, and lower ones for slower libraries (`bakeoff codecs --limits`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from typing import Self

MIB = 1 << 20
DEFAULT_DEPTH = 120
"""Default levels of nesting for reading, and for writing if nesting is checked.
Every library writes records of this depth; orjson 3.12 and 3.13 leave their buffer from 210 nested lists
on, and older ones are given fewer at a time."""
GREATEST_DEPTH = 10_000
"""Upper bound for the limit of depth, as the check of depth itself recurses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of `Codec.decode`, which raises `LimitError` beyond any of them.

    Attributes:
        size: Bytes of a payload as received.
        decompressed: Bytes that it may decompress to; None: as many as `size`.
        ratio: Decompressed size as a multiple of the payload; most records stay below 5, and nearly equal
            rows reach 150. The first MiB is always allowed.
        items: Values: items of lists, keys and values of dicts, and containers. A value that is referenced
            several times counts each time (aliases of YAML, shared values of CBOR and property lists).
        depth: Levels of nesting. A number applies in both directions; with None, `decode` uses `deepest`, and
            the library limits `encode`.
        string: Characters of a text, or bytes; with None, only `size` limits them.
        digits: Decimal digits of an integer. With None, the library limits them: 4,300 for digits of text
            (`sys.set_int_max_str_digits`), else `size`.
        aliases: Aliases of a YAML document; with None, only `items` limits them.

    Raises:
        ValueError: One is out of range.
    """

    size: int = 16 * MIB
    decompressed: int | None = None
    ratio: int = 100
    items: int = 1_000_000
    depth: int | None = None
    string: int | None = None
    digits: int | None = None
    aliases: int | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            limit = getattr(self, each.name)
            if limit is None and each.default is None:
                continue
            least = 0 if each.name == "aliases" else 1
            most = GREATEST_DEPTH if each.name == "depth" else sys.maxsize
            if isinstance(limit, bool) or not isinstance(limit, int) or not least <= limit <= most:
                raise ValueError(
                    f"the limit of {each.name} is a whole number from {least} to {most:,}, got {limit!r}"
                )

    @property
    def deepest(self) -> int:
        """Levels of nesting that are read; pickle, marshal and unknown formats go deeper by default."""
        return self.depth or DEFAULT_DEPTH

    def changed(self, **limits: int | None) -> Self:
        """Return these limits with some replaced; None keeps one.

        Raises:
            ValueError: No such limit, or one out of range.
        """
        for name in limits:
            if name not in LIMITS:
                raise ValueError(f"no limit {name!r}; there are {', '.join(LIMITS)}")
        return replace(self, **{name: limit for name, limit in limits.items() if limit is not None})


DEFAULT = Limits()
LIMITS = tuple(each.name for each in fields(Limits))

OWN_DATA: dict[str, int] = {
    "size": 1 << 30,
    "decompressed": 1 << 30,
    "ratio": 1 << 30,
    "items": 100_000_000,
}
"""Limits for the user's own files, which only shorten the time until a mistake is noticed."""
