"""Charts in Vega-Lite: as files (SVG, PNG), and as the still pictures of the page.

`charts.js` draws the charts that the page's scripts update, so that the page does not need the library. The
library is part of the extra ``report`` and is imported only for drawing. It needs neither a browser nor a
network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, Literal

from ...bench.results import ResultData
from ...codecs.registry import FORMAT_MODULES as WIRE_FORMATS
from ...errors import RunError, UsageError
from ...escape import all_visible
from ...memory import ask_for
from ..model.cost import CostModel, Crossings
from ..model.swept import scaled
from ..model.table import ColumnDirection
from ..model.view import CorpusView, View
from .arrange import arranged
from .chart_rows import bars, points, unseen
from .size_rows import height, lines

ChartKind = Literal["pareto", "bars", "memory", "sizes"]
ImageFormat = Literal["svg", "png"]

KINDS: Final = ("pareto", "bars", "memory", "sizes")
IMAGE_FORMATS: Final = ("svg", "png")

_SHAPES: Final = (
    "circle",
    "square",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-left",
    "triangle-up",
    "triangle-right",
    "M0,-1L0.95,-0.31L0.59,0.81L-0.59,0.81L-0.95,-0.31Z",
    "M-0.8,-0.8L0.8,-0.8L-0.8,0.8L0.8,0.8Z",
    "M0,-1L0.3,-0.3L1,0L0.3,0.3L0,1L-0.3,0.3L-1,0L-0.3,-0.3Z",
    "M-0.5,-0.87L0.5,-0.87L1,0L0.5,0.87L-0.5,0.87L-1,0Z",
    "M0,-1L1,0L0.4,0L0.4,1L-0.4,1L-0.4,0L-1,0Z",
    "M-1,-0.4L1,-0.4L1,0.4L-1,0.4Z",
    "M-0.4,-1L0.4,-1L0.4,1L-0.4,1Z",
    "M0,1L-1,0L-0.4,0L-0.4,-1L0.4,-1L0.4,0L1,0Z",
)
"""In the order of the registry's formats, followed by some for third-party formats."""

_PATHS: Final = {
    "circle": "M1.13,0A1.13,1.13,0,1,1,-1.13,0A1.13,1.13,0,1,1,1.13,0",
    "square": "M-1,-1H1V1H-1Z",
    "diamond": "M-1,0L0,-1L1,0L0,1Z",
    "cross": "M-1,-0.4H-0.4V-1H0.4V-0.4H1V0.4H0.4V1H-0.4V0.4H-1Z",
    "triangle-down": "M0,0.87L-1,-0.87H1Z",
    "triangle-left": "M-0.87,0L0.87,-1V1Z",
    "triangle-up": "M0,-0.87L-1,0.87H1Z",
    "triangle-right": "M0.87,0L-0.87,-1V1Z",
}
"""The shapes of the library, by our names."""

_BREAK: Final = "M-0.55,1L0.1,-1L0.55,-1L-0.1,1Z"
"""The sign of a bar that is not drawn to scale."""

_WIDTH: Final = 720
"""Width of size against cost in pixels."""

_PANEL: Final = 380
"""Width of bars with their figures in pixels."""

_MARGIN: Final = 24
"""Pixels above the most expensive point and below the cheapest."""

_NAME_SIZE: Final = 11.5
_LONGEST: Final = 190
"""Most pixels of a name; longer names are cut."""

_FIGURE: Final = 112
"""Pixels for the figure of a bar."""

_SHARE: Final = 66
"""Pixels for the codec's share of it."""

_ENGINE: Final = 66 << 30
"""Bytes of address space that the library's JavaScript engine reserves, few of which it uses."""

_FONT: Final = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colors by role. The page's colors are CSS variables, so that one drawing is light, dark and print.

    Attributes:
        families: A color for each wire format, in the order of the registry's, followed by some for
            third-party formats; shapes distinguish them, too.
    """

    ink: str
    muted: str
    rule: str
    surface: str
    families: tuple[str, ...]


# Okabe and Ito 2008, darkened if their contrast on white is below 3:1.
LIGHT: Final = Theme(
    ink="#1d1f23",
    muted="#5c626b",
    rule="#e2ded5",
    surface="#ffffff",
    families=(
        "#0072b2",
        "#c75300",
        "#b3578a",
        "#4f8a10",
        "#9a6d00",
        "#7a4fbf",
        "#00805d",
        "#5b5f66",
        "#a61e4d",
        "#7f8c8d",
        "#006d77",
        "#6b3f1d",
        "#8c1c8c",
        "#3d4fa0",
        "#7d6608",
        "#d6336c",
    ),
)
DARK: Final = Theme(
    ink="#e8e5df",
    muted="#a3a9b2",
    rule="#30343b",
    surface="#191c20",
    families=(
        "#4aa8e0",
        "#f07a2c",
        "#dc93bc",
        "#a5d65c",
        "#e6a817",
        "#b698ee",
        "#23b889",
        "#a9adb5",
        "#ff7b9c",
        "#d3dada",
        "#4fc9d4",
        "#c79a72",
        "#e38be3",
        "#93a4f5",
        "#d8c24a",
        "#ffb3cf",
    ),
)
PAGE: Final = Theme(
    ink="var(--ink)",
    muted="var(--muted)",
    rule="var(--rule)",
    surface="var(--surface)",
    families=tuple(f"var(--family-{number})" for number in range(1, len(LIGHT.families) + 1)),
)


def colors(scope: str = ":root") -> str:
    """Return the colors of the themes as the variables of `PAGE`; the default is light.

    Args:
        scope: Selector of the elements that have these variables.
    """
    light, dark = ((each.ink, each.muted, each.rule, each.surface, *each.families) for each in (LIGHT, DARK))
    page = (PAGE.ink, PAGE.muted, PAGE.rule, PAGE.surface, *PAGE.families)
    names = [each.removeprefix("var(").removesuffix(")") for each in page]
    plain = " ".join(f"{name}: {one};" for name, one in zip(names, light, strict=True))
    both = " ".join(
        f"{name}: light-dark({one}, {other});" for name, one, other in zip(names, light, dark, strict=True)
    )
    return f"{scope} {{ {plain} }}\n@supports (color: light-dark(#000, #fff)) {{ {scope} {{ {both} }} }}\n"


_STEP: Final = (
    "indexof([1, 2, 5], round(datum.value / pow(10, floor(log(datum.value * 1.0001) / LN10)))) >= 0"
)
_WIDE: Final = 12.0
"""On a logarithmic axis over more than a decade, only 1, 2 and 5 have labels."""

_HUMAN_BYTES: Final = (
    "datum.value >= 1.0e6 ? format(datum.value / 1048576, datum.value < 1.0e7 ? '.2~r' : '.3~r') + ' MiB' : "
    "datum.value >= 980 ? format(datum.value / 1024, datum.value < 1.0e4 ? '.2~r' : '.3~r') + ' KiB' : "
    "format(datum.value, '.0f') + ' B'"
)
_HUMAN_PACE: Final = (
    "datum.value >= 0.000000999 ? format(datum.value * 1e6, '~r') + ' µs/B' : "
    "datum.value >= 0.000000000999 ? format(datum.value * 1e9, '~r') + ' ns/B' : "
    "format(datum.value * 1e12, '~r') + ' ps/B'"
)
_HUMAN_SIZE: Final = "format(datum.value, ',.3~r')"
_HUMAN_TIME: Final = (
    "datum.value >= 1 ? format(datum.value, '~g') + ' s' : "
    "datum.value >= 0.000999 ? format(datum.value * 1e3, '~r') + ' ms' : "
    "datum.value >= 0.000000999 ? format(datum.value * 1e6, '~r') + ' µs' : "
    "format(datum.value * 1e9, '~r') + ' ns'"
)


def families(formats: Sequence[str]) -> list[str]:
    """Return the wire formats in the order that determines their colors and shapes."""
    present = dict.fromkeys(formats)
    known = [name for name in WIRE_FORMATS if name in present]
    return known + [name for name in present if name and name not in WIRE_FORMATS]


def _scale(formats: Sequence[str], choices: Sequence[str]) -> dict[str, Any]:
    """Give known formats their own entry; others take free entries, and then start again."""
    names = families(formats)
    fixed = {
        name: choices[number % len(choices)] for number, name in enumerate(WIRE_FORMATS) if name in names
    }
    free = [choice for choice in choices if choice not in fixed.values()] or list(choices)
    others = [name for name in names if name not in fixed]
    taken = fixed | {name: free[number % len(free)] for number, name in enumerate(others)}
    return {"domain": names, "range": [taken[name] for name in names]}


def looks(formats: Sequence[str], theme: Theme) -> dict[str, dict[str, str]]:
    """Return the color of each format, and its mark as a path from -1 to 1, for the page."""
    colors, shapes = (_scale(formats, choices) for choices in (theme.families, _SHAPES))
    both = zip(colors["domain"], colors["range"], shapes["range"], strict=True)
    return {name: {"color": color, "shape": _PATHS.get(shape, shape)} for name, color, shape in both}


def _config(theme: Theme) -> dict[str, Any]:
    return {
        "font": _FONT,
        "background": None,
        "view": {"stroke": None},
        "axis": {
            "labelColor": theme.muted,
            "titleColor": theme.muted,
            "titleFontWeight": "normal",
            "titleFontSize": 12,
            "labelFontSize": 11.5,
            "gridColor": theme.rule,
            "domainColor": theme.rule,
            "tickColor": theme.rule,
        },
        "legend": {"labelColor": theme.ink, "titleColor": theme.muted, "labelFontSize": 12},
        "title": {
            "color": theme.ink,
            "subtitleColor": theme.muted,
            "anchor": "start",
            "fontSize": 14,
            "subtitleFontSize": 12,
            "fontWeight": 600,
        },
        # Each figure has one text alternative, because a screen reader would read out every mark.
        "aria": False,
    }


def _logarithmic(
    field: str, title: str, words: str, scale: Mapping[str, Any] | None = None, **axis: Any
) -> dict[str, Any]:
    """Return a position on a logarithmic axis; `words` is the expression that labels it."""
    decade = {"test": "abs(log(datum.value) / LN10 - round(log(datum.value) / LN10)) < 0.001", "value": 1}
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, **(scale or {})},
        "axis": {
            "title": f"{title}, logarithmic",
            "labelExpr": words,
            "labelOverlap": "greedy",
            "labelSeparation": 4,
            "ticks": False,
            "domain": False,
            "gridOpacity": {"condition": decade, "value": 0.35},
            "labelPadding": 6,
            "titlePadding": 10,
            **axis,
        },
    }


def _time_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write the steps of the cost axis."""
    costs = [row["y"] for row in rows]
    return _HUMAN_TIME if max(costs) < _WIDE * min(costs) else f"{_STEP} ? ({_HUMAN_TIME}) : ''"


def front_spec(
    rows: Sequence[Mapping[str, Any]],
    formats: Sequence[str],
    theme: Theme = LIGHT,
    *,
    width: int = _WIDTH,
) -> dict[str, Any]:
    """Return size against cost, with the line of codecs that no other beats in both.

    Args:
        width: Pixels from the left end of the axis to the right one.
    """
    placed = arranged(rows, width)
    x = _logarithmic("px", "bytes per record", _HUMAN_SIZE, {"domain": placed.x})
    y = _logarithmic("py", "cost per record", _time_words(rows), {"domain": placed.y}, grid=False)
    colour = {"field": "format", "type": "nominal", "scale": _scale(formats, theme.families)}
    place = {"x": x, "y": y}
    beside: dict[str, Any] = {"x": x | {"field": "nx"}, "y": y | {"field": "ny"}}
    halo: dict[str, Any] = {
        "stroke": theme.surface,
        "strokeWidth": 3,
        "strokeJoin": "round",
        "color": theme.surface,
    }
    name: dict[str, Any] = {
        "type": "text",
        "align": {"expr": "datum.align"},
        "baseline": "middle",
        "fontSize": _NAME_SIZE,
    }
    return {
        "data": {"values": placed.valued()},
        "params": [_legend_columns(width)],
        "width": width,
        "height": placed.height,
        "padding": 4,
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.lx)"}],
                "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.6},
                "encoding": {
                    **place,
                    "x2": {"field": "nx"},
                    "y2": {"field": "ny"},
                    "stroke": {**colour, "title": None, "legend": _legend(theme)},
                },
            },
            {
                "transform": [{"filter": "datum.edge"}],
                "mark": {
                    "type": "line",
                    "interpolate": "step-after",
                    "stroke": theme.ink,
                    "strokeWidth": 1.25,
                    "strokeOpacity": 0.55,
                },
                "encoding": {**place, "detail": {"field": "corpus"}, "order": {"field": "size"}},
            },
            {
                "mark": {"type": "point", "filled": True, "strokeWidth": 1.5},
                "encoding": {
                    **place,
                    "fill": {
                        "condition": {"test": "datum.lossy", "value": theme.surface},
                        **colour,
                        "legend": None,
                    },
                    # The edges of touching marks distinguish them.
                    "stroke": {
                        "condition": {"test": "!datum.lossy", "value": theme.surface},
                        **colour,
                        "legend": None,
                    },
                    "shape": {
                        "field": "format",
                        "type": "nominal",
                        "scale": _scale(formats, _SHAPES),
                        "title": None,
                        "legend": _legend(theme),
                    },
                    "size": {"condition": {"test": "datum.front", "value": 140}, "value": 110},
                    "opacity": {"value": 1},
                },
            },
            # A name stays legible on a line that crosses it.
            *(
                {
                    "transform": [{"filter": "isValid(datum.nx)"}],
                    "mark": name | outline,
                    "encoding": {**beside, "text": {"field": "name"}},
                }
                for outline in (halo, {"color": theme.ink})
            ),
        ],
        "config": _config(theme),
    }


def _legend_columns(width: int) -> dict[str, Any]:
    # Not the width itself: it shrinks while a drawing is fitted, after the height of the legend is set.
    return {"name": "legendColumns", "value": max(2, width // 100)}


def _legend(theme: Theme) -> dict[str, Any]:
    return {
        "orient": "bottom",
        "direction": "horizontal",
        "columns": {"expr": "legendColumns"},
        "symbolFillColor": theme.surface,
        "symbolOpacity": 1,
        "offset": 6,
    }


def bars_spec(
    rows: Sequence[Mapping[str, Any]],
    formats: Sequence[str],
    theme: Theme = LIGHT,
    *,
    title: str = "",
    direction: ColumnDirection = "lower",
    unseen: str = "",
    parts: bool = False,
    width: int = 0,
) -> dict[str, Any]:
    """Return bars of one operation, each with its interval and its figure in words.

    Args:
        unseen: Codecs without a figure, named below the title.
        parts: Whether only the first part of each bar is the codec's.
        width: Pixels; 0 for a drawing that is fitted to its place.
    """
    y = {
        "field": "codec",
        "type": "nominal",
        "sort": {"field": "order", "op": "min"},
        "axis": {
            "title": None,
            "labelLimit": 140,
            "labelColor": theme.ink,
            "labelFontSize": 12,
            "domain": False,
            "ticks": False,
            "labelPadding": 6,
        },
    }
    # There is space for the figure right of the longest bar, however narrow the drawing is.
    beside = _FIGURE + _SHARE if parts else _FIGURE
    across = {
        "type": "quantitative",
        "scale": {
            "domain": [0, 1],
            "range": [0, width - _FIGURE if width and not parts else {"expr": f"max(24, width - {beside})"}],
            "nice": False,
            "zero": True,
        },
        "axis": None,
    }
    scale = _scale(formats, theme.families)
    # The baseline has no format.
    scale = {"domain": [*scale["domain"], ""], "range": [*scale["range"], theme.muted]}
    colour = {"field": "format", "type": "nominal", "scale": scale, "legend": None}
    interval = {"y": y, "x": {**across, "field": "low"}, "x2": {"field": "high"}}
    whole = {"mark": {"type": "bar", "height": {"band": 0.6}, "fill": theme.rule}}
    whole["encoding"] = {"y": y, "x": {**across, "field": "length"}}
    spec: dict[str, Any] = {
        "data": {"values": list(rows)},
        "width": width or _PANEL,
        "height": {"step": 19},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 0, "top": 2, "right": 0, "bottom": 2},
        "layer": [
            *([whole] if parts else []),
            {
                "transform": [{"filter": "datum.part > 0"}] if parts else [],
                "mark": {"type": "bar", "height": {"band": 0.6}, "strokeWidth": 1.25},
                "encoding": {
                    "y": y,
                    "x": {**across, "field": "part" if parts else "length"},
                    "fill": {"condition": {"test": "datum.lossy", "value": theme.surface}, **colour},
                    "stroke": colour,
                },
            },
            {
                "transform": [{"filter": "datum.cut !== null"}],
                "mark": {"type": "point", "filled": True, "shape": _BREAK, "size": 320, "opacity": 1},
                "encoding": {"y": y, "x": {**across, "field": "cut"}, "color": {"value": theme.surface}},
            },
            {
                "transform": [{"filter": "datum.low !== null"}],
                "mark": {"type": "rule", "stroke": theme.ink, "strokeWidth": 1.5},
                "encoding": interval,
            },
            {
                "mark": {
                    "type": "text",
                    "align": "left",
                    "dx": 7,
                    "fontSize": 11.5,
                    "color": theme.muted,
                },
                "encoding": {"y": y, "x": {**across, "field": "end"}, "text": {"field": "label"}},
            },
        ],
        "config": _config(theme),
    }
    if title:
        lines = [f"{direction} is better", *([unseen] if unseen else [])]
        spec["title"] = {"text": title, "subtitle": lines, "frame": "group"}
    return spec


def _engine() -> ModuleType:
    """Return the charting library.

    Raises:
        UsageError: It is not installed.
        RunError: There is too little address space, in which case the library would end the process.
    """
    ask_for(_ENGINE, "drawing charts")
    try:
        import vl_convert
    except ImportError as error:
        raise UsageError("charts need the extra packages: pip install 'bakeoff[report]'") from error
    return vl_convert


def _told(spec: Mapping[str, Any]) -> str:
    """Return a specification for the library, without characters that XML lacks: they end the process."""
    return json.dumps(all_visible(spec))


def svg(spec: Mapping[str, Any]) -> str:
    """Draw a specification."""
    return str(_engine().vegalite_to_svg(_told(spec)))


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
        UsageError: An unknown kind or format, or the extra is not installed.
        RunError: The results have no figure for the chart.
    """
    if kind not in KINDS:
        raise UsageError(f"no chart {kind!r}; there are {', '.join(KINDS)}")
    if format not in IMAGE_FORMATS:
        raise UsageError(f"no chart format {format!r}; there are {' and '.join(IMAGE_FORMATS)}")
    theme = DARK if dark else LIGHT
    view = View.of(results, CostModel.of(reads, bandwidth, crossings))
    if kind == "sizes":
        panels = _sizes_panels(view, theme)
    else:
        panels = [panel for corpus in view.corpora if (panel := _panel(corpus, kind, theme))]
    if not panels:
        raise RunError(f"no chart of {kind}: no codec has a figure for it in these results")
    spec = {
        "vconcat": panels,
        "spacing": 36,
        "config": _config(theme) | {"background": theme.surface},
        "padding": 20,
        "params": [_legend_columns(_WIDTH)],
    }
    if format == "png":
        return bytes(_engine().vegalite_to_png(_told(spec), scale=2))
    return svg(spec).encode()


def _panel(view: CorpusView, kind: ChartKind, theme: Theme) -> dict[str, Any] | None:
    if kind == "pareto":
        rows = points(view)
        if not rows:
            return None
        formats = [row["format"] for row in rows]
        text = [f"{view.cost.sentence()}; lower and further left is better; hollow marks lose something"]
        title = {"text": view.label, "subtitle": text}
        panel = front_spec(rows, formats, theme, width=_WIDTH)
        return _bare(panel) | {"title": title}
    headings = {name: chart.heading for name, chart in view.charts.items() if chart.kind == kind}
    drawn = {name: rows for name in headings if (rows := bars(view, name))}
    formats = [row["format"] for rows in drawn.values() for row in rows]
    panels = [
        _bare(
            bars_spec(
                rows,
                formats,
                theme,
                title=headings[name],
                direction=view.operations[name].direction,
                unseen=unseen([view], name),
                width=_PANEL,
            )
        )
        for name, rows in drawn.items()
    ]
    heading: dict[str, Any] = {"text": view.label, "fontSize": 16}
    return {"title": heading, "concat": panels, "columns": 2, "spacing": 28} if panels else None


def _sizes_panels(view: View, theme: Theme) -> list[dict[str, Any]]:
    """Return a drawing for each operation on each corpus that was scaled to several sizes."""
    found = []
    for machine in view.machines:
        for name, sizes in scaled(machine.result).items():
            for operation in ("dump", "load"):
                if rows := lines(machine.result, sizes, operation):
                    where = f" on {machine.label}" if machine.label else ""
                    text = f"{name}{where}: {operation}, per byte of a record as JSON"
                    found.append(_bare(sizes_spec(rows, theme, title=text)))
    return found


def sizes_spec(rows: Sequence[Mapping[str, Any]], theme: Theme = LIGHT, *, title: str) -> dict[str, Any]:
    """Return time per byte over the size of records, a line for each codec, with marks at crossovers."""
    known = [row for row in rows if "codec" in row]
    crossed = [row for row in rows if "codec" not in row]
    formats = [row["format"] for row in known]
    sizes = sorted({row["size"] for row in known})
    x = _logarithmic("size", "bytes of a record as JSON", _HUMAN_BYTES, values=sizes)
    pace = f"{_STEP} ? ({_HUMAN_PACE}) : ''"
    y = _logarithmic("pace", "time per byte", pace, {"padding": _MARGIN}, grid=False)
    colour = {"field": "format", "type": "nominal", "scale": _scale(formats, theme.families)}
    ends = [row for row in known if "at" in row]
    beside = {"x": {"value": {"expr": "width + 8"}}, "y": y | {"field": "at"}}
    place = {"x": x, "y": y}
    text = "lower is better; circles: one codec significantly overtakes another, with the range of that size"
    return {
        "data": {"values": known},
        "title": {"text": title, "subtitle": [text]},
        "width": _WIDTH,
        "height": height(known) + 2 * _MARGIN,
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 1.5, "point": {"size": 22}},
                "encoding": {
                    **place,
                    "detail": {"field": "codec"},
                    "color": {**colour, "title": None, "legend": _legend(theme)},
                },
            },
            {
                "data": {"values": ends},
                "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.45},
                "encoding": {
                    **place,
                    "x2": {"value": {"expr": "width + 12"}},
                    "y2": {"field": "at"},
                    "stroke": {**colour, "legend": None},
                },
            },
            {
                "data": {"values": ends},
                "mark": {
                    "type": "text",
                    "align": "left",
                    "baseline": "middle",
                    "dx": 8,
                    "fontSize": _NAME_SIZE,
                    "limit": _LONGEST,
                    "color": theme.ink,
                },
                "encoding": {**beside, "text": {"field": "codec"}},
            },
            {
                "data": {"values": crossed},
                "mark": {"type": "rule", "strokeWidth": 3, "stroke": theme.ink, "opacity": 0.55},
                "encoding": {**place, "x": x | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "data": {"values": crossed},
                "mark": {"type": "point", "size": 90, "stroke": theme.ink, "strokeWidth": 1.5},
                "encoding": {**place, "tooltip": {"field": "tip"}},
            },
        ],
    }


def _bare(spec: dict[str, Any]) -> dict[str, Any]:
    """Remove parts that only a whole drawing may have; data sets of several panels may not share a name."""
    whole = ("config", "padding", "autosize", "params")
    kept = {key: value for key, value in spec.items() if key not in whole}
    return kept | {"data": {"values": spec["data"]["values"]}}
