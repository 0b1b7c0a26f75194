"""The layouts of tables, and the table of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import UsageError

if TYPE_CHECKING:
    from ...bench.results import ResultData
    from ..model.table import Table

_FOLDER: Final = Path(__file__).parent / "published"
PUBLISHED: Final = tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))
"""The layouts that compare with published figures, one for each file of the folder."""
LAYOUTS: Final = ("codecs", "stores", "pipeline", "stats", *PUBLISHED)
"""Layouts for codecs, for codecs in stores and in pipelines, for the samples of means, and for published
figures with those of a run."""


def table_of(
    results: Sequence[ResultData], layout: str | None = None, options: Mapping[str, Any] | None = None
) -> Table:
    """Return the table of a layout.

    Raises:
        UsageError: There is no layout of that name, or it does not take an option.
    """
    from ..model.options import TableOptions
    from ..model.placed import PIPELINE, STORES, kind_of_all
    from ..model.view import View
    from . import historical, places, statistics_table
    from .build import build

    options = options or {}
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
    if layout in PUBLISHED:
        return historical.build(_FOLDER / f"{layout}.toml", view)
    return places.build(view, layout) if layout in (STORES, PIPELINE) else statistics_table.stats(view)
