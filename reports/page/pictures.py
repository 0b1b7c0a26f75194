"""The pictures of the page: still ones for the first view, and the data of the interactive ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..model.numbers import amount
from ..model.view import CorpusView
from .arrange import HEIGHT
from .chart_rows import LEAST_SPAN, bars, points, summary, unseen
from .charts import PAGE, bars_spec, families, front_spec, looks, svg
from .placed import Panel


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
            "looks": looks(self.formats, PAGE),
            "height": HEIGHT,
            "span": LEAST_SPAN,
        }

    def in_places(self, panels: Sequence[Panel]) -> dict[str, list[dict[str, Any]]]:
        """Draw the cells measured in places, by place."""
        found: dict[str, list[dict[str, Any]]] = {}
        for panel in panels:
            picture = self.still(bars_spec(panel.rows, self.formats, PAGE, parts=True, width=500))
            drawn = {"heading": panel.heading, "words": panel.words, "picture": picture}
            found.setdefault(panel.place, []).append(drawn)
        return found

    def front_still(self) -> Any:
        """Draw size against cost of the first view."""
        rows = self.points[0]
        return self.still(front_spec(rows, self.formats, PAGE, width=1080)) if rows else ""

    def bars_still(self, operation: str) -> Any:
        """Draw the bars of the first view."""
        rows = self.panels[operation]["0"]
        return self.still(bars_spec(rows, self.formats, PAGE, width=500)) if rows else ""

    def still(self, spec: Mapping[str, Any]) -> Any:
        """Draw a specification."""
        from markupsafe import Markup

        # The library escapes text as XML; nothing else in the drawing comes from the results.
        return Markup(svg(spec))  # noqa: S704

    def front_words(self) -> str:
        """Describe size against cost for readers who cannot see it."""
        rows = sorted((row for row in self.points[0] if row["front"]), key=lambda row: float(row["size"]))
        parts = [
            f"{r['codec']} at {amount(r['size'], 'byte')} and {amount(r['cost'], 'second')}" for r in rows
        ]
        if not parts:
            return "No codec has both a size and a cost."
        return f"Nothing is both smaller and cheaper than: {'; '.join(parts)}."

    def edge_words(self) -> str:
        """Describe the line, or say that one codec needs none."""
        edge = [row["codec"] for row in self.points[0] if row["edge"]]
        if len(edge) == 1:
            return f"No codec is smaller than {edge[0]}, and none is cheaper."
        return "The line joins the codecs that nothing beats in both." if edge else ""

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
