"""Place points of size against cost, and their names; `arrange.js` does the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from .axis import Axis

HEIGHT: Final = 400
"""Pixels from the top of the drawing to the axis below."""

_MARGIN: Final = 34
"""Pixels between the ends of the axes and the outermost points."""

NAME_SIZE: Final = 11.5
"""Size of the names' letters in pixels."""

_NARROW: Final = frozenset(" !'()*,-./:;I[]fijlrt|")
_WIDE: Final = frozenset("%@MWmw→")
_IDEOGRAPHS: Final = "\u2e80"
_LETTERS: Final = (0.3, 0.57, 0.87)
"""Widths of narrow, other and wide letters, as shares of their size; common fonts have less."""

_HALF: Final = 5.5
"""Half the height of a name, and half the width and height of a mark."""

_CLEAR: Final = 3.0
"""Pixels between a name and the line."""

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
        fronts: Of each corpus, the corners of the line through the codecs that nothing beats in both.
        x: The axis of sizes.
        y: The axis of costs.
    """

    rows: list[dict[str, Any]]
    fronts: list[list[tuple[float, float]]]
    x: Axis
    y: Axis


def arranged(rows: Sequence[Mapping[str, Any]], width: float, height: float = HEIGHT) -> Arranged:
    """Place points and their names.

    Args:
        rows: With ``x``, ``y`` and ``name``, which is empty if there is no space for one.
        width: Pixels of the drawing without the part left of the axis.
        height: Pixels of the drawing without the part below the axis.
    """
    x = Axis.of([row["x"] for row in rows], width, _MARGIN)
    y = Axis.of([row["y"] for row in rows], height, _MARGIN)
    found = [
        {**row, "px": x.share(row["x"]) * width, "py": height - y.share(row["y"]) * height} for row in rows
    ]
    _apart(found)
    fronts = _fronts(found)
    _name(found, fronts, width, height)
    return Arranged(found, fronts, x, y)


def _fronts(rows: Sequence[Mapping[str, Any]]) -> list[list[tuple[float, float]]]:
    """Return the line of each corpus, in steps to the right and down."""
    edges: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["edge"]:
            edges.setdefault(row["corpus"], []).append(row)
    lines = []
    for edge in edges.values():
        places = [(row["px"], row["py"]) for row in sorted(edge, key=lambda row: float(row["px"]))]
        line = places[:1]
        for (_, before), (x, y) in pairwise(places):
            line += [(x, before), (x, y)]
        lines.append(line)
    return lines


def wide(text: str, size: float = NAME_SIZE) -> float:
    """Return about how many pixels wide a text is, rather too many than too few."""
    narrow, other, broad = _LETTERS
    return size * sum(
        narrow if one in _NARROW else broad if one in _WIDE or one >= _IDEOGRAPHS else other for one in text
    )


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


def _name(
    rows: Sequence[dict[str, Any]],
    fronts: Sequence[Sequence[tuple[float, float]]],
    width: float,
    height: float,
) -> None:
    """Put each name where it covers nothing: names of the front first, then from the cheapest up."""
    lines = [_line(a, b) for front in fronts for a, b in pairwise(front)]
    marks = [(row["px"] - _HALF, row["py"] - _HALF, row["px"] + _HALF, row["py"] + _HALF) for row in rows]
    names: list[_Box] = []
    keys = [(not row["front"], -row["py"], row["px"], row["codec"]) for row in rows]
    for number in sorted(range(len(rows)), key=keys.__getitem__):
        row = rows[number]
        row |= {"nx": None, "ny": None, "align": "left", "lx": None}
        if not row["name"]:
            continue
        long = wide(row["name"]) + 4
        taken = [*names, *lines, *marks[:number], *marks[number + 1 :]]
        best = None
        for place in _places(row["px"], row["py"]):
            box = _box(place, long)
            if box[0] < 0 or box[2] > width or box[1] < 0 or box[3] > height:
                continue
            best = best or (place, box)
            nearer = not place[3] and any(_away(place, other) < _away(place, row) for other in rows)
            if not nearer and not any(_touch(box, other) for other in taken):
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


def _away(place: tuple[float, float, str, bool], row: Mapping[str, Any]) -> float:
    """Return the squared distance of a name's end from a mark, which must be the name's own."""
    return (place[0] - float(row["px"])) ** 2 + (place[1] - float(row["py"])) ** 2


def _box(place: tuple[float, float, str, bool], long: float) -> _Box:
    x, y, align, _ = place
    left = x - {"left": 0.0, "center": long / 2, "right": long}[align]
    return left, y - _HALF, left + long, y + _HALF


def _line(a: tuple[float, float], b: tuple[float, float]) -> _Box:
    """Return the room that a part of a line takes."""
    (left, right), (top, bottom) = (sorted((a[axis], b[axis])) for axis in (0, 1))
    return left - _CLEAR, top - _CLEAR, right + _CLEAR, bottom + _CLEAR


def _touch(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
