"""Place points of size against cost, and their names; `arrange.js` does the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .chart_rows import LEAST_SPAN

HEIGHT: Final = 400
"""Pixels from the top of the drawing to the axis below."""

_MARGIN: Final = 34
"""Pixels between the ends of the axes and the outermost points."""

_LETTER: Final = 6.3
"""Average width of a letter in pixels."""

_HALF: Final = 5.5
"""Half the height of a name, and half the width and height of a mark."""

_SAME: Final = 5.0
"""Marks closer than this in both directions would hide each other, and are drawn side by side."""

_STEP: Final = 9.0
"""Pixels from one of these marks to the next."""

_NEAR: Final = (
    (10.0, 0.0, "left"), (-10.0, 0.0, "right"), (8.0, -11.0, "left"), (8.0, 11.0, "left"),
    (-8.0, -11.0, "right"), (-8.0, 11.0, "right"), (0.0, -15.0, "center"), (0.0, 15.0, "center"),
)  # fmt: skip
"""Positions of a name without a line to its point: offsets in pixels, and the part of the name there."""

_FAR: Final = (18.0, 44.0, 80.0)
_ROWS: Final = 30
"""Sideways and vertical offsets for names without space at their points."""

_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Arranged:
    """Placed points.

    Attributes:
        rows: The given rows, with pixels: ``px`` and ``py`` of the mark, ``nx`` and ``ny`` of the name with
            its ``align``, and ``lx``, which is not None if a line leads to the name.
        x: Both ends of the axis of sizes.
        y: Both ends of the axis of costs.
        width: Pixels between the ends of ``x``.
        height: Pixels between the ends of ``y``.
    """

    rows: list[dict[str, Any]]
    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float

    def valued(self) -> list[dict[str, Any]]:
        """Return the rows with axis values instead of pixels, for a library that draws values."""
        return [
            row
            | {key: _value(row[key], self.x, self.width) for key in ("px", "nx", "lx")}
            | {key: _value(row[key], self.y[::-1], self.height) for key in ("py", "ny")}
            for row in self.rows
        ]


def arranged(rows: Sequence[Mapping[str, Any]], width: float, height: float = HEIGHT) -> Arranged:
    """Place points and their names.

    Args:
        rows: With ``x``, ``y`` and ``name``, which is empty if there is no space for one.
        width: Pixels of the drawing without the part left of the axis.
        height: Pixels of the drawing without the part below the axis.
    """
    x, y = (_ends([row[axis] for row in rows], pixels) for axis, pixels in (("x", width), ("y", height)))
    found = [
        {**row, "px": _share(row["x"], x) * width, "py": height - _share(row["y"], y) * height}
        for row in rows
    ]
    _apart(found)
    _name(found, width, height)
    return Arranged(found, x, y, width, height)


def _ends(values: Sequence[float], pixels: float) -> tuple[float, float]:
    logs = [math.log(value) for value in values] or [0.0]
    low, high = min(logs), max(logs)
    if high - low < LEAST_SPAN:
        low, high = (low + high - LEAST_SPAN) / 2, (low + high + LEAST_SPAN) / 2
    margin = (high - low) * _MARGIN / (pixels - 2 * _MARGIN)
    return math.exp(low - margin), math.exp(high + margin)


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = map(math.log, ends)
    return (math.log(value) - low) / (high - low)


def _value(pixel: float | None, ends: tuple[float, float], pixels: float) -> float | None:
    low, high = map(math.log, ends)
    return None if pixel is None else math.exp(low + pixel / pixels * (high - low))


def _apart(rows: Sequence[dict[str, Any]]) -> None:
    """Draw marks side by side if they would hide each other."""
    left = sorted(rows, key=lambda row: (-row["py"], row["px"], row["codec"], row["corpus"]))
    while left:
        first = left[0]
        same = [
            row
            for row in left
            if abs(row["px"] - first["px"]) < _SAME and abs(row["py"] - first["py"]) < _SAME
        ]
        left = [row for row in left if row not in same]
        for number, row in enumerate(same):
            row["px"] += (number - (len(same) - 1) / 2) * _STEP


def _name(rows: Sequence[dict[str, Any]], width: float, height: float) -> None:
    """Put each name where it covers nothing: names of the front first, then from the cheapest up."""
    marks = [(row["px"] - _HALF, row["py"] - _HALF, row["px"] + _HALF, row["py"] + _HALF) for row in rows]
    names: list[_Box] = []
    keys = [(not row["front"], -row["py"], row["px"], row["codec"]) for row in rows]
    for number in sorted(range(len(rows)), key=keys.__getitem__):
        row = rows[number]
        row |= {"nx": None, "ny": None, "align": "left", "lx": None}
        if not row["name"]:
            continue
        long = _LETTER * len(row["name"]) + 4
        taken = [*names, *marks[:number], *marks[number + 1 :]]
        best = None
        for place in _places(row["px"], row["py"]):
            box = _box(place, long)
            if box[0] < 0 or box[2] > width or box[1] < 0 or box[3] > height:
                continue
            best = best or (place, box)
            if not any(_touch(box, other) for other in taken):
                best = (place, box)
                break
        place, box = best or ((row["px"], row["py"], "center", False), marks[number])
        names.append(box)
        row |= {"nx": place[0], "ny": place[1], "align": place[2], "lx": place[0] if place[3] else None}


def _places(x: float, y: float) -> Iterator[tuple[float, float, str, bool]]:
    """Yield positions of a name, the best first, and whether a line leads there."""
    for aside, down, align in _NEAR:
        yield x + aside, y + down, align, False
    for number in range(1, _ROWS):
        for aside in _FAR:
            for down in (-14.0 * number, 14.0 * number):
                yield x + aside, y + down, "left", True
                yield x - aside, y + down, "right", True


def _box(place: tuple[float, float, str, bool], long: float) -> _Box:
    x, y, align, _ = place
    left = x - {"left": 0.0, "center": long / 2, "right": long}[align]
    return left, y - _HALF, left + long, y + _HALF


def _touch(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
