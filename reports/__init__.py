"""Tables, charts, comparisons and choices: pure functions of result files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..bench.results import Result

__all__ = ["FORMATS", "recommendation", "render"]

FORMATS: Final = ("text", "md", "csv", "json", "latex", "rst", "html")
"""What `render` writes. Here "html" is a fragment to paste; the page is `reports.page`."""


def render(results: Sequence[Result], format: str = "text", **options: Any) -> str:  # noqa: A002
    """Render results as a table.

    Args:
        results: One or more; those of one machine share a table, several machines get a block of
            columns each.
        format: One of `FORMATS`.
        **options: See `bakeoff.reports.options.TableOptions.of`; "text" takes `width` and `color` too.

    Raises:
        UsageError: An unknown format, column or codec, or nothing to show.
    """
    from ..errors import UsageError
    from . import csv_json, markup, text
    from .build import build
    from .options import TableOptions

    if format not in FORMATS:
        raise UsageError(f"no output format {format!r}; choose one of {', '.join(FORMATS)}")
    layout = {key: options.pop(key) for key in ("width", "color") if key in options}
    table = build(results, TableOptions.of(**options))
    if format == "text":
        return text.render(table, **layout)
    writers = {
        "md": markup.markdown,
        "csv": csv_json.csv,
        "json": csv_json.json,
        "latex": markup.latex,
        "rst": markup.rst,
        "html": markup.html,
    }
    return writers[format](table)


def recommendation(result: Result, **options: Any) -> str:
    """Say in one sentence which codec to take.

    Args:
        result: A run.
        **options: `reads` and `bandwidth`, as `render` has them.
    """
    from .cost import Cost
    from .sentence import recommendation as sentence

    return sentence(result, Cost.of(**options))
