"""Charts as files: SVG, and PNG by a rasterizer that is the extra ``png``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from ...bench.results import ResultData
from ...errors import RunError, UsageError
from ...escape import all_visible
from ..model.cost import CostModel, Crossings
from ..model.swept import scaled
from ..model.view import CorpusView, View
from . import draw
from .chart_rows import bars, points, unseen
from .draw import Drawing, Pen
from .size_rows import lines
from .themes import DARK, LIGHT, Theme

ChartKind = Literal["pareto", "bars", "memory", "sizes"]
ImageFormat = Literal["svg", "png"]

KINDS: Final = ("pareto", "bars", "memory", "sizes")
IMAGE_FORMATS: Final = ("svg", "png")

_WIDTH: Final = 780
"""Pixels of size against cost."""

_PANEL: Final = 380
"""Pixels of bars with their figures."""

_MARGIN: Final = 20
"""Pixels around a drawing."""

_ZOOM: Final = 2
"""Pixels of a PNG for each of the drawing."""

_SANS: Final = (
    "Arial", "Liberation Sans", "DejaVu Sans", "Noto Sans", "Roboto", "Open Sans", "Ubuntu", "Cantarell",
    "Adwaita Sans", "FreeSans", "Nimbus Sans",
)  # fmt: skip
"""Fonts that systems have as ``sans-serif``: the rasterizer does not ask a system which one that is."""


def render(
    results: Sequence[ResultData],
    kind: ChartKind = "pareto",
    format: ImageFormat = "svg",  # noqa: A002 - as the command line calls it
    *,
    reads: float | None = None,
    bandwidth: str | float | None = None,
    crossings: Crossings | None = None,
    dark: bool = False,
) -> bytes:
    """Draw one chart of one or several results, with a panel for each corpus and machine.

    Args:
        kind: Size against cost, bars of dump, load and fix, memory, or time over the size of records.
        reads: Loads for each dump, for the cost.
        bandwidth: Network bandwidth, for the cost.
        crossings: Whether payloads cross the network once, or once for each read.
        dark: Whether the background is dark.

    Raises:
        UsageError: An unknown kind or format, or the extra for PNG is not installed.
        RunError: The results have no figure for the chart, or there is no font for a PNG.
    """
    if kind not in KINDS:
        raise UsageError(f"no chart {kind!r}; there are {', '.join(KINDS)}")
    if format not in IMAGE_FORMATS:
        raise UsageError(f"no chart format {format!r}; there are {' and '.join(IMAGE_FORMATS)}")
    theme = DARK if dark else LIGHT
    view = View.of([all_visible(result) for result in results], CostModel.of(reads, bandwidth, crossings))
    if kind == "sizes":
        panels = _sizes_panels(view, theme)
    else:
        panels = [panel for corpus in view.corpora if (panel := _panel(corpus, kind, theme))]
    if not panels:
        raise RunError(f"no chart of {kind}: no codec has a figure for it in these results")
    whole = draw.stacked([[panel] for panel in panels])
    title = f"{_TITLES[kind]}: {', '.join(corpus.label for corpus in view.corpora)}"
    svg = whole.svg(title, theme, _MARGIN)
    return svg.encode() if format == "svg" else _rasterized(svg)


_TITLES: Final = {
    "pareto": "Size against cost",
    "bars": "Times",
    "memory": "Memory",
    "sizes": "Time per byte over the size of records",
}


def _panel(view: CorpusView, kind: ChartKind, theme: Theme) -> Drawing | None:
    if kind == "pareto":
        rows = points(view)
        if not rows:
            return None
        pen = Pen.of([row["format"] for row in rows], theme)
        text = f"{view.cost.sentence()}; lower and further left is better; hollow marks lose something"
        return draw.headed(draw.front(rows, pen, _WIDTH), view.label, [text], theme)
    headings = {name: chart.heading for name, chart in view.charts.items() if chart.kind == kind}
    drawn = {name: rows for name in headings if (rows := bars(view, name))}
    if not drawn:
        return None
    pen = Pen.of([row["format"] for rows in drawn.values() for row in rows if row["format"]], theme)
    panels = []
    for name, rows in drawn.items():
        below = [f"{view.operations[name].direction} is better", unseen([view], name)]
        panels.append(
            draw.headed(draw.bars(rows, pen, _PANEL), headings[name], list(filter(None, below)), theme)
        )
    pairs = [panels[start : start + 2] for start in range(0, len(panels), 2)]
    return draw.headed(draw.stacked(pairs, down=28), view.label, [], theme, 16)


def _sizes_panels(view: View, theme: Theme) -> list[Drawing]:
    """Return a drawing for each operation on each corpus that was scaled to several sizes."""
    text = "lower is better; circles: one codec significantly overtakes another, with the range of that size"
    found = []
    for machine in view.machines:
        for name, sizes in scaled(machine.result).items():
            for operation in ("dump", "load"):
                if rows := lines(machine.result, sizes, operation):
                    where = f" on {machine.label}" if machine.label else ""
                    title = f"{name}{where}: {operation}, per byte of a record as JSON"
                    pen = Pen.of([row["format"] for row in rows if "codec" in row], theme)
                    found.append(draw.headed(draw.sizes(rows, pen, _WIDTH), title, [text], theme))
    return found


def _rasterized(svg: str) -> bytes:
    """Return a drawing as PNG.

    Raises:
        UsageError: The extra is not installed.
        RunError: The machine has no font of `_SANS`, so that the chart would have no words.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise UsageError(
            "a PNG needs an extra package: pip install 'bakeoff[png]'; a chart as .svg needs none"
        ) from error
    text = Drawing(40, 20, draw.words("bakeoff", 0, 10, "#000")).svg("", LIGHT)
    blank = resvg_py.svg_to_bytes(svg_string=Drawing(40, 20, "").svg("", LIGHT))
    for family in _SANS:
        if resvg_py.svg_to_bytes(svg_string=text, sans_serif_family=family) != blank:
            return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_ZOOM, sans_serif_family=family))
    listed = f"{', '.join(_SANS[:-1])} or {_SANS[-1]}"
    raise RunError(f"a PNG needs a font, and none of these is here: {listed}; install one, or write .svg")
