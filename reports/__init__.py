"""Tables, charts, comparisons and choices: pure functions of result files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..bench.results import Result
    from .model.table import Table

__all__ = ["LAYOUTS", "OUTPUT_FORMATS", "recommendation", "render"]

OUTPUT_FORMATS: Final = ("text", "md", "csv", "json", "latex", "rst", "html")
"""What `render` writes. Here "html" is a fragment to paste; the page is `reports.page`."""


LAYOUTS: Final = ("codecs", "stores", "pipeline", "kyoto", "acidstate", "stats", "graph", "datomic")
"""What tables can be about. Codecs, codecs in stores and in pipelines, published figures beside a run's
(`reports.tables.historical`), and what means are made of."""


def render(results: Sequence[Result], format: str = "text", **options: Any) -> str:  # noqa: A002
    """Render results as a table.

    Args:
        results: One or more; those of one machine share a table, several machines get a block of
            columns each.
        format: One of `OUTPUT_FORMATS`.
        **options: See `bakeoff.reports.model.options.TableOptions.of`; "text" takes `width` and `color` too.
            `layout` is one of `LAYOUTS`: without it, and without other options, that of stores or
            pipelines for what was measured in these only.

    Raises:
        UsageError: An unknown format, column or codec, or nothing to show.
    """
    from ..errors import UsageError
    from .tables import csv_json, markup, text

    if format not in OUTPUT_FORMATS:
        raise UsageError(f"no output format {format!r}; choose one of {', '.join(OUTPUT_FORMATS)}")
    screen = {key: options.pop(key) for key in ("width", "color") if key in options}
    table = _table(results, options.pop("layout", None), options)
    if format == "text":
        return text.render(table, **screen)
    writers = {
        "md": markup.markdown,
        "csv": csv_json.csv,
        "json": csv_json.json,
        "latex": markup.latex,
        "rst": markup.rst,
        "html": markup.html,
    }
    return writers[format](table)


def _table(results: Sequence[Result], layout: str | None, options: Mapping[str, Any]) -> Table:
    """Return the table of a layout.

    Raises:
        UsageError: There is none of that name, or it takes no such option.
    """
    from ..errors import UsageError
    from .model.build import build
    from .model.options import TableOptions
    from .model.placed import PIPELINE, STORES, kind_of_all
    from .model.view import View
    from .tables import historical, places, statistics_table

    asked = [key for key, value in options.items() if value is not None]
    if layout is None:
        layout = "codecs" if asked else kind_of_all(results) or "codecs"
    if layout == "codecs":
        known = TableOptions.of(**options)
        return build(View.of(results, known.cost), known)
    if layout not in LAYOUTS:
        raise UsageError(f"no layout {layout!r}; choose one of {', '.join(LAYOUTS)}")
    if asked:
        raise UsageError(f"the layout {layout} takes no option {', '.join(sorted(asked))}")
    view = View.of(results)
    if layout in historical.LAYOUTS:
        return historical.build(layout, view)
    return places.build(view, layout) if layout in (STORES, PIPELINE) else statistics_table.stats(view)


def recommendation(result: Result, **options: Any) -> str:
    """Say in one sentence which codec to take.

    Args:
        result: A run.
        **options: `reads` and `bandwidth`, as `render` has them.
    """
    from .model.cost import CostModel
    from .model.view import View
    from .tables.sentence import recommendation as sentence

    return sentence(View.of([result], CostModel.of(**options)).corpora)
