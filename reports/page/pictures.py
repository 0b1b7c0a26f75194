"""The pictures of the page: still ones for the first view, and the data of the interactive ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..model.numbers import amount
from ..model.view import CorpusView
from . import draw
from .chart_rows import bars, points, summary, unseen
from .draw import Drawing, Pen
from .placed import Panel
from .themes import PAGE, families

_WIDTH: Final = 1108
"""Pixels of size against cost on a wide page."""

_PANEL: Final = 546
"""Pixels of bars there."""


class Pictures:
    """Everything that is drawn: still pictures for the first view, and data for the interactive ones."""

    def __init__(self, found: Sequence[CorpusView]) -> None:
        self.views = found
        self.points = [points(view) for view in found]
        operations = {name for view in found for candidate in view.candidates for name in candidate.cells}
        drawn = {name: chart for name, chart in found[0].charts.items() if name in operations}
        self.times = [name for name, chart in drawn.items() if chart.kind == "bars"]
        self.memory = [name for name, chart in drawn.items() if chart.kind == "memory"]
        self.headings = {name: chart.heading for name, chart in drawn.items()}
        self.directions = {name: found[0].operations[name].direction for name in drawn}
        self.formats = families(
            [candidate.facts.format or "unknown" for view in found for candidate in view.candidates]
        )
        self.pen = Pen.of(self.formats, PAGE)
        # Bars and codecs without bars, of each view by its number and of each machine by its name.
        machines: dict[str, list[CorpusView]] = {}
        for view in found:
            machines.setdefault(f"all {view.machine}", []).append(view)
        names = (*self.times, *self.memory)
        self.panels = {
            name: {str(n): bars(view, name) for n, view in enumerate(found)}
            | {key: summary(views, name) for key, views in machines.items() if len(views) > 1}
            for name in names
        }
        self.unseen = {
            name: {str(n): unseen([view], name) for n, view in enumerate(found)}
            | {key: unseen(views, name) for key, views in machines.items()}
            for name in names
        }

    def live(self, panels: Sequence[Panel]) -> dict[str, Any]:
        """Return the bars of every view, and the colors and shapes of formats."""
        return {
            "rows": self.panels,
            "unseen": self.unseen,
            "placed": [panel.rows for panel in panels],
            "looks": self.pen.looks,
        }

    def in_places(self, panels: Sequence[Panel]) -> dict[str, list[dict[str, Any]]]:
        """Draw the cells measured in places, by place."""
        found: dict[str, list[dict[str, Any]]] = {}
        for panel in panels:
            picture = _still(draw.bars(panel.rows, self.pen, _PANEL))
            drawn = {"heading": panel.heading, "words": panel.words, "picture": picture}
            found.setdefault(panel.place, []).append(drawn)
        return found

    def front_still(self) -> Any:
        """Draw size against cost of the first view."""
        rows = self.points[0]
        return _still(draw.front(rows, self.pen, _WIDTH)) if rows else ""

    def bars_still(self, operation: str) -> Any:
        """Draw the bars of the first view."""
        rows = self.panels[operation]["0"]
        return _still(draw.bars(rows, self.pen, _PANEL)) if rows else ""

    def front_words(self) -> str:
        """Describe size against cost for readers who cannot see it."""
        rows = sorted((row for row in self.points[0] if row["front"]), key=lambda row: float(row["size"]))
        parts = [
            f"{r['codec']} at {amount(r['size'], 'byte')} and {amount(r['cost'], 'second')}" for r in rows
        ]
        if not parts:
            return "No codec has both a size and a cost."
        return f"Nothing is both smaller and cheaper than: {'; '.join(parts)}."

    def bars_words(self, operation: str) -> str:
        """Describe the bars: both ends and their number."""
        rows = self.panels[operation]["0"]
        if not rows:
            return f"{self.headings[operation]}: no figure."
        first, last = rows[0], rows[-1]
        return (
            f"{self.headings[operation]}: {len(rows)} bars from {first['codec']} ({first['label']}) "
            f"to {last['codec']} ({last['label']})."
        )


def _still(drawing: Drawing) -> Any:
    """Return a drawing for the template."""
    from markupsafe import Markup

    # A drawing escapes text from the results.
    return Markup(drawing.svg())  # noqa: S704
