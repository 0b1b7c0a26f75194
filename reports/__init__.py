"""Tables, charts, comparisons and choices: pure functions of result files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from .tables.layouts import LAYOUTS

if TYPE_CHECKING:
    from ..bench.results import ResultData
    from .model.table import Table

__all__ = ["LAYOUTS", "OUTPUT_FORMATS", "recommendation", "render"]

OUTPUT_FORMATS: Final = ("text", "md", "csv", "json", "latex", "rst", "html")
"""Output formats of `render`. Here "html" is a fragment to embed; for the page see `reports.page`."""


def render(results: Sequence[ResultData], format: str = "text", **options: Any) -> str:  # noqa: A002
    """Render results as a table.

    Args:
        results: One or more results. Results of one machine share a table; several machines get a block of
            columns each.
        format: One of `OUTPUT_FORMATS`.
        **options: See `bakeoff.reports.model.options.TableOptions.of`; "text" also takes `width` and `color`.
            `layout` is one of `LAYOUTS`. Without it and other options, results that only have stores, or only
            pipelines, use the layout for these.

    Raises:
        UsageError: An unknown format, column or codec, or nothing to show.
    """
    from ..errors import UsageError
    from .tables.layouts import table_of

    if format not in OUTPUT_FORMATS:
        raise UsageError(f"no output format {format!r}; choose one of {', '.join(OUTPUT_FORMATS)}")
    screen = {key: options.pop(key) for key in ("width", "color") if key in options}
    table = table_of(results, options.pop("layout", None), options)
    return written(table, format, brief=not options.get("columns"), **screen)


def written(table: Table, form: str, *, brief: bool = False, **screen: Any) -> str:
    """Write a table in one of `OUTPUT_FORMATS`.

    Args:
        table: The table.
        form: The format.
        brief: As in `bakeoff.reports.tables.text.render`, for text.
        **screen: `width` and `color`, for text.
    """
    from .tables import csv_json, markup, text

    if form == "text":
        return text.render(table, brief=brief, **screen)
    writers = {
        "md": markup.markdown,
        "csv": csv_json.csv,
        "json": csv_json.json,
        "latex": markup.latex,
        "rst": markup.rst,
        "html": markup.html,
    }
    return writers[form](table)


def recommendation(result: ResultData, **options: Any) -> str:
    """Say in one sentence which codec to take.

    Args:
        result: A run.
        **options: `reads`, `bandwidth` and `crossings`, as in `render`.
    """
    from .model.cost import CostModel
    from .model.view import View
    from .tables.sentence import recommendation as sentence

    return sentence(View.of([result], CostModel.of(**options)).corpora)
