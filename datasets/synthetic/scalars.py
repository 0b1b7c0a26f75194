"""Fit nodes to values without parts: their sizes or lengths, never the values themselves."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from . import profile as s

_MOST = 256

_GRID: Final = sorted(
    {0, 1, 10, 24, 32, 100, 128, 256, 257}
    | {10**power for power in range(1, 401)}
    | {1 << power for power in (15, 16, 31, 32, 53, 63, 64, *range(30, 1_320, 30))}
)
"""Between two neighbors, all integers are written alike: with as many digits, and as many bytes in any
format."""


def _ranges(values: Iterable[int]) -> s.Ranges:
    found: Counter[tuple[int, int]] = Counter()
    for value in values:
        size = min(abs(value), _GRID[-1] - 1)
        low = bisect_right(_GRID, size) - 1
        # The fixed one-byte forms of negative numbers also end at a power of two.
        first, last = _GRID[low], _GRID[low + 1] - 1
        found[(first, last) if value >= 0 else (-last, -first)] += 1
    return tuple((low, high, count) for (low, high), count in sorted(found.items()))


def real(values: Sequence[float]) -> s.Float:
    """Return the node for floats: the number of their digits, and their magnitudes."""
    digits: Counter[tuple[int, int, bool]] = Counter()
    special: Counter[str] = Counter()
    for value in values:
        text = repr(value)
        if value == 0.0 or value != value or text.endswith("inf"):
            special[text] += 1
            continue
        mantissa, _, power = text.lstrip("-").partition("e")
        before, _, after = mantissa.partition(".")
        significant = (before + after).lstrip("0")
        first = len(before) - 1 if before != "0" else len(significant) - len(after) - 1
        digits[len(significant.rstrip("0")), first + int(power or 0), value < 0] += 1
    places: Counter[tuple[int, int]] = Counter()
    for (significance, first, _), count in digits.items():
        places[significance, first] += count
    return s.Float(
        tuple(
            (length, power, digits[length, power, False], digits[length, power, True])
            for (length, power), _ in places.most_common(_MOST)
        ),
        tuple(special.most_common()),
    )


def decimals(values: Sequence[Decimal]) -> s.Node:
    """Return the node for decimals."""
    found: Counter[tuple[int, int, bool]] = Counter()
    for value in values:
        sign, digits, exponent = value.as_tuple()
        found[min(len(digits), 4_300), exponent if isinstance(exponent, int) else 0, bool(sign)] += 1
    places = dict.fromkeys((length, power) for length, power, _ in found)
    return s.Decimals(
        tuple((*place, found[(*place, False)], found[(*place, True)]) for place in list(places)[:_MOST])
    )


def lengths(values: Iterable[int]) -> s.Ranges:
    """Return lengths unchanged if few are distinct, or else in ranges of equal frequency."""
    found = sorted(Counter(min(value, 1 << 24) for value in values).items())
    if len(found) <= _MOST:
        return tuple((value, value, count) for value, count in found)
    ranges: list[tuple[int, int, int]] = []
    wanted = sum(count for _, count in found) / _MOST
    for value, count in found:
        if ranges and ranges[-1][2] + count / 2 < wanted:
            low, _, before = ranges.pop()
            ranges.append((low, value, before + count))
        else:
            ranges.append((value, value, count))
    return tuple(ranges)


def _fraction(microsecond: int) -> int:
    if microsecond == 0:
        return 0
    return 3 if microsecond % 1_000 == 0 else 6


def moments(values: Sequence[Any]) -> s.Moment:
    """Return the node for dates, times or both; all values have one type."""
    years = [value.year for value in values if not isinstance(value, time)] or [2000]
    zones: Counter[str] = Counter()
    fractions: Counter[int] = Counter()
    for value in values:
        offset = None if type(value) is date else value.utcoffset()
        zones["" if offset is None else "+:" if offset else "Z"] += 1
        fractions[-1 if type(value) is date else _fraction(value.microsecond)] += 1
    span = (min(years), max(years))
    name = type(values[0]).__name__
    return s.Moment(name, False, "", span, tuple(fractions.most_common()), tuple(zones.most_common()))


SCALARS: Final[dict[type, Callable[[Sequence[Any]], s.Node]]] = {
    type(None): lambda _: s.Null(),
    bool: lambda values: s.Bool(sum(values), len(values) - sum(values)),
    int: lambda values: s.Int(_ranges(values)),
    float: real,
    bytes: lambda values: s.Bytes(base64=False, lengths=lengths(map(len, values))),
    Decimal: decimals,
    UUID: lambda _: s.Uuid(""),
    datetime: moments,
    date: moments,
    time: moments,
    timedelta: lambda values: s.Span(_ranges(value // timedelta(microseconds=1) for value in values)),
}
"""The function that fits a node to values, by type; text is in `texts`."""

_UUID: Final = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}"
)
_MOMENT: Final = re.compile(
    r"(?P<date>(?P<year>\d{4})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?(?P<separator>[T ])?"
    r"(?P<time>(?:[01]\d|2[0-3]):[0-5]\d(?::(?P<second>[0-5]\d)(?:\.(?P<fraction>\d{1,9}))?)?)?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_BASE64: Final = re.compile(
    r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/])"
    r"(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)"
)


def recognised(text: str) -> tuple[Any, ...]:
    """Return the kind of a text, and for moments the way they are written; () for plain text."""
    if len(text) == 36 and _UUID.fullmatch(text):
        return ("uuid", "a" if text == text.lower() else "A")
    if 5 <= len(text) <= 40 and text[:2].isdigit() and (match := _MOMENT.fullmatch(text)):
        kind = "datetime" if match["date"] and match["time"] else "date" if match["date"] else "time"
        if (match["separator"] is not None) == (kind == "datetime") and (kind != "date" or not match["zone"]):
            return ("moment", kind, match["separator"] or "")
    if len(text) >= 20 and len(text) % 4 == 0 and _BASE64.fullmatch(text):
        return ("base64",)
    return ()


def reduced(kind: tuple[Any, ...], texts: Sequence[str]) -> s.Node:
    """Return the node for texts that were `recognised` as one kind."""
    if kind[0] == "uuid":
        return s.Uuid(kind[1])
    if kind[0] == "base64":
        return s.Bytes(True, lengths(len(text) // 4 * 3 - text.count("=", -2) for text in texts))
    years = []
    zones: Counter[str] = Counter()
    fractions: Counter[int] = Counter()
    for text in texts:
        match = _MOMENT.fullmatch(text)
        assert match is not None
        years += [max(1, int(match["year"]))] if match["year"] else []
        zone = match["zone"] or ""
        zones[zone if zone in ("", "Z") else "+:" if ":" in zone else "+"] += 1
        fractions[-1 if match["second"] is None else len(match["fraction"] or "")] += 1
    return s.Moment(
        kind[1],
        True,
        kind[2],
        (min(years, default=2000), max(years, default=2000)),
        tuple(fractions.most_common()),
        tuple(zones.most_common()),
    )
