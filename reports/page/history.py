"""The page of a history: a chart for each operation on each corpus, with the change points marked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median_low
from typing import Any, Final

from ...escape import all_visible, shortened
from ..decide.history import Line, RunPoint, Series
from ..decide.history_output import METHOD, amount, cause, changes, dates, headline, table, words
from ..model import numbers
from ..tables.markup import html_grid
from .chart_rows import apart
from .template import TEMPLATES, environment, policy
from .themes import PAGE, colors

_WIDTH: Final = 400
"""Pixels of a chart; two fit next to each other, and one on a phone."""
_LEFT: Final = 44
"""Pixels for the steps of the axis."""
_NAME: Final = 24
"""Most letters of a codec's name to the right of the newest run."""
_HEIGHT: Final = 190
"""Pixels from the upper end of the axis to the lower one."""
_ROW: Final = 15
"""Pixels of a line of text."""
_LETTER: Final = 6.4
"""Average width of a letter in pixels."""
_NAMES: Final = 10
"""Most names in a chart."""
_LONGEST: Final = 34
"""Most letters of a cause; the list above the charts has all."""
_LEAST: Final = math.log(1.3)
"""Least log ratio from one end of the axis to the other, so that noise looks small."""
_STEPS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Distances of the labels of the axis."""
_DASHES: Final = ("1 0", "7 3", "2 3", "10 3 2 3", "4 4")
"""Of lines without a change point; not as many as there are colors, so that each pair occurs once."""
_MOST: Final = 6
"""Most of these labels."""


def render(found: Sequence[Series]) -> str:
    """Write a history as one self-contained HTML page.

    Raises:
        UsageError: The extra is missing.
    """
    from markupsafe import Markup

    template = environment().get_template("history.html.j2")
    found = [all_visible(series) for series in found]
    shown = table(found)
    blocks = []
    for series, section in zip(found, shown.sections, strict=True):
        charts = list(_charts(series))
        block = {
            "title": series.title,
            "lines": section.lines,
            "changes": [(dates(series)[run], why, texts) for run, why, texts in changes(series)],
            "answer": section.answer,
            "charts": charts,
            "left_out": list(_left_out(series, [chart.name for chart in charts])),
            # The renderer escapes text from the results.
            "grid": Markup(html_grid(section)) if section.rows else "",  # noqa: S704
        }
        blocks.append(block)
    script = (TEMPLATES / "history.js").read_text("utf-8")
    styles = ((TEMPLATES / name).read_text("utf-8") for name in ("page.css", "history.css"))
    return template.render(
        style=colors() + "".join(styles),
        script=script,
        policy=policy(script),
        headline=headline(found),
        blocks=blocks,
        notes=METHOD,
    )


def _charts(series: Series) -> Iterator[_Chart]:
    """Yield the charts of the timed operations and others with a change; a codec looks the same in all."""
    codecs = dict.fromkeys(
        line.cell.codec for line in sorted(series.lines, key=lambda line: not line.changes)
    )
    styles = {codec: _style(number) for number, codec in enumerate(codecs)}
    for name in dict.fromkeys(line.cell.operation_name for line in series.lines):
        lines = [line for line in series.lines if line.cell.operation_name == name]
        if lines[0].operation.phase == "time" or any(line.changes for line in lines):
            yield _Chart(series, name, lines, styles)


def _style(number: int) -> str:
    """Return the color and the dashes of a codec, the same only for codecs far apart in the legend."""
    color = PAGE.families[number % len(PAGE.families)]
    return f"--shade: {color}; --dashes: {_DASHES[number % len(_DASHES)]}"


def _left_out(series: Series, drawn: Sequence[str]) -> Iterator[str]:
    """Say of each operation without a chart why it has none."""
    for name in dict.fromkeys(line.cell.operation_name for line in series.lines):
        if name not in drawn:
            lines = (line for line in series.lines if line.cell.operation_name == name)
            same = all(len({point.value for point in line.points}) == 1 for line in lines)
            yield f"{name} {'never changed' if same else 'has no change point'} (no chart)"


class _Chart:
    """Lines of one operation: a step to the right for each run, upwards the ratio to the oldest level.

    Lines with a change point are thick, and have their intervals and a name; all others are thin and dashed.
    """

    def __init__(self, series: Series, name: str, lines: Sequence[Line], styles: dict[str, str]) -> None:
        self._days = dates(series)
        self.name, self.styles = name, styles
        self.operation = lines[0].operation
        self.changed = [line for line in lines if line.changes]
        self.steady = [line for line in lines if not line.changes]
        longest = max((len(self._name(line)) for line in self.changed), default=0)
        self.width, self.left, self.right = _WIDTH, _LEFT, _WIDTH - 20 - longest * _LETTER
        self.rules = list(self._rules())
        self.top = _ROW * (1 + max((rule["row"] for rule in self.rules), default=-1)) + 10
        self.bottom = self.top + _HEIGHT
        self.height = self.bottom + 2 * _ROW
        logs = [math.log(point.value / _base(line)) for line in lines for point in line.points]
        self._low, self._high = min(logs), max(logs)
        margin = max(_LEAST - (self._high - self._low), 0.1 * (self._high - self._low)) / 2
        self._low, self._high = self._low - margin, self._high + margin

    @property
    def words(self) -> str:
        """Describe the chart for readers who cannot see it."""
        told = [
            f"{line.cell.codec} {words(change.ratio, line)}"
            for line in self.changed
            for change in line.changes
        ]
        return f"{self.operation.heading}: {'; '.join(told) or 'no change point'}"

    def days(self) -> list[tuple[float, str, str]]:
        """Return labels of the lower axis: place, text and the end of the text that is there."""
        last = len(self._days) - 1
        middle = [(self._x(last // 2), self._days[last // 2], "middle")] if last > 3 else []
        return [(self.left, self._days[0], "start"), *middle, (self.right, self._days[-1], "end")]

    def steps(self) -> list[tuple[float, str]]:
        """Return labels of the left axis: place and text."""
        low, high = math.exp(self._low), math.exp(self._high)
        size = next((step for step in _STEPS if (high - low) / step <= _MOST), high)
        values = [number * size for number in range(math.ceil(low / size), math.floor(high / size) + 1)]
        return [(self._y(math.log(value)), f"{value:g}×") for value in values]

    def drawn(self, line: Line) -> dict[str, Any]:
        """Return a line in pixels, with its points and their texts."""
        base, changed = _base(line), {change.run for change in line.changes}
        marks = [
            {
                "x": self._x(point.run),
                "y": self._y(math.log(point.value / base)),
                "changed": point.run in changed,
                "text": self._text(line, point),
            }
            for point in line.points
        ]
        ends = [(self._x(p.run), p.high / base) for p in line.points]
        ends += [(self._x(p.run), p.low / base) for p in reversed(line.points)]
        return {
            "style": self.styles[line.cell.codec],
            "marks": marks,
            "path": " ".join(f"{mark['x']},{mark['y']}" for mark in marks),
            "band": " ".join(f"{x},{self._y(math.log(max(end, 1e-300)))}" for x, end in ends),
        }

    def names(self) -> list[dict[str, Any]]:
        """Return the names of changed lines: their text and height, and the end of the line.

        Of many lines, those that end furthest from the middle one are named.
        """
        middle = median_low([self._end(line) for line in self.changed] or [0.0])
        lines = sorted(self.changed, key=lambda line: -abs(self._end(line) - middle))[:_NAMES]
        lines.sort(key=lambda line: -self._end(line))
        ends = [self._y(self._end(line)) for line in lines]
        places = apart([(end - self.top) / _HEIGHT for end in ends], _ROW / _HEIGHT)
        return [
            {
                "text": self._name(line),
                "style": self.styles[line.cell.codec],
                "end": end,
                "y": round(self.top + place * _HEIGHT, 1),
            }
            for line, end, place in zip(lines, ends, places, strict=True)
        ]

    def _rules(self) -> Iterator[dict[str, Any]]:
        """Yield each run with change points: its place, and its causes in rows that do not overlap."""
        found = dict.fromkeys((change.run, cause(change)) for line in self.changed for change in line.changes)
        rows: list[float] = []
        for run, text in sorted(found):
            text = shortened(text, _LONGEST)
            x, long = self._x(run - 0.5), len(text) * _LETTER
            start = min(x, _WIDTH - long)
            row = next((n for n, end in enumerate(rows) if end + _LETTER <= start), len(rows))
            rows[row : row + 1] = [start + long]
            yield {"x": x, "start": start, "row": row, "y": _ROW * (row + 1) - 3, "text": text}

    def _text(self, line: Line, point: RunPoint) -> str:
        text = f"{self._days[point.run]}: {line.cell.codec} {line.cell.operation_name} {amount(line, point)}"
        told = [f"{words(each.ratio, line)}: {cause(each)}" for each in line.changes if each.run == point.run]
        return "\n".join([text, *told])

    def _name(self, line: Line) -> str:
        return f"{shortened(line.cell.codec, _NAME)} {numbers.ratio(math.exp(self._end(line)))}"

    def _end(self, line: Line) -> float:
        return math.log(line.points[-1].value / _base(line))

    def _x(self, run: float) -> float:
        share = run / max(1, len(self._days) - 1)
        return round(_LEFT + share * (self.right - _LEFT), 1)

    def _y(self, log: float) -> float:
        share = (log - self._low) / (self._high - self._low)
        return round(self.bottom - min(1.0, max(0.0, share)) * _HEIGHT, 1)


def _base(line: Line) -> float:
    """Return the geometric mean of a line's oldest level."""
    end = line.changes[0].run if line.changes else math.inf
    logs = [math.log(point.value) for point in line.points if point.run < end]
    return math.exp(math.fsum(logs) / len(logs))
