"""Charts as SVG, from their rows: one drawing for files, notebooks and the page.

`draw.js` draws the same when the page's sliders move. Texts are measured by `arrange.wide`, because neither
the fonts of a reader nor those of this machine are known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from ..model import numbers
from .arrange import HEIGHT, NAME_SIZE, arranged, wide
from .axis import Axis
from .chart_rows import apart
from .themes import FONT, Theme, looks

FRONTIER: Final = "frontier: nothing is both smaller and faster"

_LEFT: Final = 62
"""Pixels for the steps of the left axis and its title."""

_NARROW: Final = 500
"""A narrower drawing has a line for each name."""

_BAR: Final = 19
"""Pixels from one bar to the next."""

_LONGEST: Final = 160
_SHARE: Final = 0.36
"""Most pixels of a name next to a bar, and the share of a wide drawing that it may take instead."""

_DOWN: Final = 4
"""Pixels from the middle of a line of letters to its base line."""

_SIZES_HEIGHT: Final = 300
"""Least pixels from the shortest time per byte to the longest."""

_SIZES_LEFT: Final = 78
_SIZES_MARGIN: Final = 24
_SIZES_NAME: Final = 14
"""Pixels between names next to lines."""

_SIZES_LONGEST: Final = 190
"""Most pixels of a name next to a line."""

_PACES: Final = ((1e6, "µs/B"), (1e9, "ns/B"), (1e12, "ps/B"))


@dataclass(frozen=True, slots=True)
class Drawing:
    """Elements of SVG on an area of pixels."""

    width: float
    height: float
    body: str

    def svg(self, title: str = "", theme: Theme | None = None, margin: float = 0.0) -> str:
        """Return a whole SVG.

        Args:
            title: Text alternative; a drawing without one is hidden from screen readers.
            theme: Colors its ground, for a file of its own.
            margin: Pixels around the drawing.
        """
        width, height = self.width + 2 * margin, self.height + 2 * margin
        told: dict[str, Any] = {"role": "img", "aria_label": title} if title else {"aria_hidden": "true"}
        box = f"{_px(-margin)} {_px(-margin)} {_px(width)} {_px(height)}"
        named: dict[str, Any] = {
            "width": width,
            "height": height,
            "viewBox": box,
            "font_family": FONT,
            **told,
        }
        if theme is None:
            return tag("svg", self.body, **named)
        ground = tag("rect", x=-margin, y=-margin, width=width, height=height, fill=theme.surface)
        body = f"{tag('title', _text(title))}{ground}{self.body}"
        return tag("svg", body, xmlns="http://www.w3.org/2000/svg", **named)


def tag(kind: str, body: str = "", **attributes: float | str) -> str:
    """Write an element; underscores of attributes are dashes, and numbers are pixels."""
    written = "".join(
        f' {name.replace("_", "-")}="{_text(value) if isinstance(value, str) else _px(value)}"'
        for name, value in attributes.items()
    )
    return f"<{kind}{written}>{body}</{kind}>" if body else f"<{kind}{written}/>"


def _text(text: str) -> str:
    for character, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        text = text.replace(character, f"&{name};")
    return text


def _px(value: float) -> str:
    return f"{math.floor(value * 10 + 0.5) / 10 + 0.0:g}"


def words(text: str, x: float, y: float, fill: str, **attributes: float | str) -> str:
    """Write a text whose letters have their middle at ``y``."""
    return tag("text", _text(text), x=x, y=y + _DOWN, fill=fill, **{"font_size": NAME_SIZE, **attributes})


def _stroke(path: str, color: str, wide: str = "1", **attributes: str) -> str:
    return tag("path", d=path, fill="none", stroke=color, stroke_width=wide, **attributes)


def shortened(text: str, most: float, size: float = 12) -> str:
    """Return a text of at most so many pixels."""
    if wide(text, size) <= most:
        return text
    kept = len(text)
    while kept > 1 and wide(f"{text[:kept]}…", size) > most:
        kept -= 1
    return f"{text[:kept]}…"


@dataclass(frozen=True, slots=True)
class Pen:
    """What a drawing is drawn with: the theme's colors, and the color and mark of each format."""

    theme: Theme
    looks: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, formats: Sequence[str], theme: Theme) -> Pen:
        """Return a pen for wire formats."""
        return cls(theme, looks(formats, theme))

    def color(self, format: str) -> str:  # noqa: A002 - as the rows call it
        """Return the color of a format; the baseline has none."""
        return self.looks[format]["color"] if format in self.looks else self.theme.muted

    def mark(self, row: Mapping[str, Any], x: float, y: float, size: float, *, hollow: bool = False) -> str:
        """Draw the mark of a row's format, hollow if something is lost."""
        color = self.color(row["format"])
        fill, stroke = (self.theme.surface, color) if hollow else (color, self.theme.surface)
        return tag(
            "path",
            d=self.looks[row["format"]]["shape"],
            transform=f"translate({_px(x)},{_px(y)}) scale({_px(size)})",
            fill=fill,
            stroke=stroke,
            stroke_width=f"{(1.5 if hollow else 1) / size:.2f}",
            **({"data_tip": row["tip"]} if "tip" in row else {}),
        )


def front(rows: Sequence[Mapping[str, Any]], pen: Pen, width: float) -> Drawing:
    """Draw size against cost, with the line of codecs that no other beats in both.

    Args:
        rows: As `chart_rows.points` returns them.
        width: Pixels of the whole drawing.
    """
    theme = pen.theme
    named = [row for row in rows if row["name"]]
    height = max(HEIGHT, 20 * len(named)) if width < _NARROW else HEIGHT
    across = width - _LEFT - 2
    found = arranged(rows, across, height)
    grid = list(_across(found.x, across, height, width, theme))
    steps = list(_upward(found.y, height, theme))
    titles = [
        words(found.x.title("bytes per record"), _LEFT + across / 2, height + 33, **_title(theme)),
        words(
            found.y.title("cost per record"),
            0,
            0,
            **_title(theme),
            transform=f"translate(7,{_px(height / 2)}) rotate(-90)",
        ),
    ]
    lines = [_stroke(_path(front, _LEFT), theme.ink, "1.25", stroke_opacity=".55") for front in found.fronts]
    leaders = [
        _stroke(
            f"M{_px(_LEFT + row['px'])},{_px(row['py'])}L{_px(_LEFT + row['lx'])},{_px(row['ny'])}",
            pen.color(row["format"]),
            stroke_opacity=".8",
        )
        for row in found.rows
        if row["lx"] is not None
    ]
    marks = [
        pen.mark(row, _LEFT + row["px"], row["py"], 6.2 if row["front"] else 5.4, hollow=row["lossy"])
        for row in found.rows
    ]
    anchor = {"left": "start", "center": "middle", "right": "end"}
    names = [
        words(row["name"], _LEFT + row["nx"], row["ny"], theme.ink, text_anchor=anchor[row["align"]])
        for row in found.rows
        if row["nx"] is not None
    ]
    halo = {"stroke": theme.surface, "stroke_width": "3", "stroke_linejoin": "round", "paint_order": "stroke"}
    joined = any(len(front) > 1 for front in found.fronts)
    key, deep = _key(rows, pen, width, height + 58, FRONTIER if joined else "")
    # A name stays legible on a leader that crosses it.
    body = [*grid, *steps, *titles, *lines, *leaders, *marks, tag("g", "".join(names), **halo), *key]
    return Drawing(width, deep, "".join(body))


def _title(theme: Theme) -> dict[str, Any]:
    return {"fill": theme.muted, "text_anchor": "middle", "font_size": 12}


def _path(corners: Sequence[tuple[float, float]], left: float) -> str:
    return "M" + "L".join(f"{_px(left + x)},{_px(y)}" for x, y in corners)


def _across(axis: Axis, length: float, height: float, end: float, theme: Theme) -> Iterator[str]:
    """Yield the steps of the lower axis; a label that would touch the one before it is left out."""
    last = -math.inf
    for value in axis.ticks():
        x, text = _LEFT + axis.share(value) * length, rounded(value)
        yield _stroke(f"M{_px(x)},0V{_px(height)}", theme.rule)
        half = wide(text) / 2
        if x - half >= last + 8 and x + half <= end:
            last = x + half
            yield words(text, x, height + 13, theme.muted, text_anchor="middle")


def _upward(axis: Axis, height: float, theme: Theme) -> Iterator[str]:
    """Yield the labels of the left axis."""
    last = math.inf
    for value in axis.ticks():
        y = height - axis.share(value) * height
        if y <= last - 15:
            last = y
            factor, unit = numbers.scale([value * 1.001], "second")
            yield words(f"{rounded(value * factor)} {unit}", _LEFT - 8, y, theme.muted, text_anchor="end")


def rounded(value: float) -> str:
    """Write a number to three digits, without zeros at its end."""
    short = float(f"{value:.3g}")
    return f"{short:,.0f}" if short >= 1000 else f"{short:g}"


def _key(
    rows: Sequence[Mapping[str, Any]], pen: Pen, width: float, top: float, line: str = ""
) -> tuple[list[str], float]:
    """Return what line and marks mean, and the height of the drawing with it."""
    x, y = 8.0, top
    entries: list[tuple[str, Mapping[str, Any] | None]] = [(line, None)] if line else []
    shown = {row["format"] for row in rows}
    entries += [(name, {"format": name}) for name in pen.looks if name in shown]
    parts = []
    for text, row in entries:
        aside = 10 if row else 16
        room = wide(text, 12) + aside + 18
        if x + room - 18 > width and x > 8:
            x, y = 8.0, y + 20
        parts.append(
            pen.mark(row, x, y, 5)
            if row
            else _stroke(f"M{_px(x - 6)},{_px(y)}H{_px(x + 10)}", pen.theme.ink, "1.25", stroke_opacity=".55")
        )
        parts.append(words(text, x + aside, y, pen.theme.ink, font_size=12))
        x += room
    return parts, y + 12


def bars(rows: Sequence[Mapping[str, Any]], pen: Pen, width: float) -> Drawing:
    """Draw bars of one operation, each with its interval and its figure in words.

    Args:
        rows: As `chart_rows.drawn` returns them; `part` is the share of a bar that is the codec's.
        width: Pixels of the whole drawing.
    """
    theme = pen.theme
    longest = max(_LONGEST, _SHARE * width)
    left = min(longest, max(wide(row["codec"], 12) for row in rows)) + 7
    # The space that leaves every figure on the drawing, however narrow that is.
    room = min((width - left - wide(row["label"]) - 9) / max(row["end"], 0.05) for row in rows)
    across = min(max(24, room), width - left - 60)
    parts = []
    for number, row in enumerate(rows):
        y, color = _BAR * number + 10, pen.color(row["format"])
        name = shortened(row["codec"], longest)
        parts.append(words(name, left - 7, y, theme.ink, text_anchor="end", font_size=12))
        place: dict[str, Any] = {"x": left, "y": y - 6, "height": 12}
        if "part" in row:
            parts.append(
                tag("rect", **place, width=row["length"] * across, fill=theme.rule, stroke=theme.muted)
            )
            parts.append(tag("rect", **place, width=row["part"] * across, fill=color))
        else:
            fill = theme.surface if row["lossy"] else color
            long = row["length"] * across
            parts.append(tag("rect", **place, width=long, fill=fill, stroke=color, stroke_width="1.25"))
        if row["cut"] is not None:
            x = left + row["cut"] * across
            corners = ((x - 5, y + 8), (x + 1, y - 8), (x + 5, y - 8), (x - 1, y + 8))
            parts.append(tag("path", d=_path(corners, 0), fill=theme.surface))
        if row["low"] is not None:
            low, high = left + row["low"] * across, left + row["high"] * across
            parts.append(_stroke(f"M{_px(low)},{_px(y)}H{_px(high)}", theme.ink, "1.5"))
        parts.append(words(row["label"], left + row["end"] * across + 7, y, theme.muted))
    return Drawing(width, _BAR * len(rows) + 2, "".join(parts))


def sizes(rows: Sequence[Mapping[str, Any]], pen: Pen, width: float) -> Drawing:
    """Draw time per byte over the size of records, a line for each codec, with marks at crossovers.

    Args:
        rows: As `size_rows.lines` returns them.
        width: Pixels of the whole drawing.
    """
    theme = pen.theme
    known = [row for row in rows if "codec" in row]
    lines: dict[str, list[Mapping[str, Any]]] = {}
    for row in known:
        lines.setdefault(row["codec"], []).append(row)
    height = max(_SIZES_HEIGHT, _SIZES_NAME * (len(lines) - 1)) + 2 * _SIZES_MARGIN
    longest = min(_SIZES_LONGEST, max(wide(name) for name in lines)) + 16
    across = width - _SIZES_LEFT - longest
    x = Axis.of([row["size"] for row in known], across, 0, linear=False)
    y = Axis.of([row["pace"] for row in known], height, _SIZES_MARGIN, linear=False)

    def at(size: float, pace: float) -> tuple[float, float]:
        return _SIZES_LEFT + x.share(size) * across, height - y.share(pace) * height

    parts = [*_sizes_steps(known, x, y, across, height, theme)]
    for line in lines.values():
        color = pen.color(line[0]["format"])
        places = [at(row["size"], row["pace"]) for row in line]
        parts.append(_stroke(_path(places, 0), color, "1.5"))
        parts += [tag("circle", cx=px, cy=py, r="2.5", fill=color) for px, py in places]
    ends = sorted((line[-1] for line in lines.values()), key=lambda row: -float(row["pace"]))
    wanted = [at(row["size"], row["pace"])[1] / height for row in ends]
    for row, place in zip(ends, apart(wanted, _SIZES_NAME / height), strict=True):
        px, py = at(row["size"], row["pace"])
        right, down = _SIZES_LEFT + across, place * height
        leader = f"M{_px(px)},{_px(py)}L{_px(right + 12)},{_px(down)}"
        parts.append(_stroke(leader, pen.color(row["format"]), stroke_opacity=".8"))
        name = shortened(row["codec"], _SIZES_LONGEST, NAME_SIZE)
        parts.append(words(name, right + 16, down, theme.ink))
    for row in rows:
        if "codec" not in row:
            px, py = at(row["size"], row["pace"])
            low, high = at(row["low"], row["pace"])[0], at(row["high"], row["pace"])[0]
            parts.append(_stroke(f"M{_px(low)},{_px(py)}H{_px(high)}", theme.ink, "3", stroke_opacity=".55"))
            ring: dict[str, Any] = {"cx": px, "cy": py, "r": "5.5", "fill": "none", "stroke": theme.ink}
            parts.append(tag("circle", tag("title", _text(row["tip"])), **ring, stroke_width="1.5"))
    key, deep = _key(known, pen, width, height + 58)
    return Drawing(width, deep, "".join([*parts, *key]))


def _sizes_steps(
    rows: Sequence[Mapping[str, Any]], x: Axis, y: Axis, across: float, height: float, theme: Theme
) -> Iterator[str]:
    """Yield both axes: the sizes that were measured, and steps of the time."""
    last = -math.inf
    for size in sorted({row["size"] for row in rows}):
        at, text = _SIZES_LEFT + x.share(size) * across, numbers.bytes_said(size)
        yield _stroke(f"M{_px(at)},0V{_px(height)}", theme.rule)
        if at - wide(text) / 2 >= last + 8:
            last = at + wide(text) / 2
            yield words(text, at, height + 13, theme.muted, text_anchor="middle")
    last = math.inf
    for pace in y.ticks():
        if (at := height - y.share(pace) * height) <= last - 15:
            last = at
            factor, unit = next(step for step in _PACES if pace * step[0] >= 0.999 or step is _PACES[-1])
            yield words(
                f"{rounded(pace * factor)} {unit}", _SIZES_LEFT - 8, at, theme.muted, text_anchor="end"
            )
    yield words(x.title("bytes of a record as JSON"), _SIZES_LEFT + across / 2, height + 33, **_title(theme))
    turned = f"translate(7,{_px(height / 2)}) rotate(-90)"
    yield words(y.title("time per byte"), 0, 0, **_title(theme), transform=turned)


def stacked(rows: Sequence[Sequence[Drawing]], across: float = 28, down: float = 36) -> Drawing:
    """Put drawings into rows, with pixels between them."""
    parts, width, y = [], 0.0, 0.0
    for row in rows:
        x = 0.0
        for drawing in row:
            parts.append(tag("g", drawing.body, transform=f"translate({_px(x)},{_px(y)})"))
            x += drawing.width + across
        width = max(width, x - across)
        y += max(drawing.height for drawing in row) + down
    return Drawing(width, y - down, "".join(parts))


def headed(drawing: Drawing, title: str, below: Sequence[str], theme: Theme, size: float = 14) -> Drawing:
    """Put a title, and smaller lines, above a drawing; lines that are too long are wrapped."""
    y, parts = size / 2 + 2, []
    for text, fill, letters in ((title, theme.ink, size), *((each, theme.muted, 12.0) for each in below)):
        weight = {"font_weight": "600"} if letters == size else {}
        for line in wrap(text, int(drawing.width / (0.5 * letters))):
            parts.append(words(line, 0, y, fill, font_size=letters, **weight))
            y += letters + 4
    moved = tag("g", drawing.body, transform=f"translate(0,{_px(y + 4)})")
    return Drawing(drawing.width, drawing.height + y + 4, "".join([*parts, moved]))
