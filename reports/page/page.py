"""The page: one self-contained HTML file that works offline.

Its content is drawn and written here once, so that it can be read, printed and searched without scripts.
Scripts then make it interactive: another corpus, other weights, another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...bench.results import ResultData
from ...errors import UsageError
from ...escape import all_visible
from ..model.columns import COLUMNS
from ..model.cost import FORMULA, CostModel, Crossings
from ..model.profiled import profile_lines
from ..model.view import View
from .content import PageContent
from .embed import packed
from .template import TEMPLATES, environment, policy
from .themes import colors
from .words import explained, type_name

_SCRIPTS: Final = (
    "numbers.js",
    "ranking.js",
    "arrange.js",
    "draw.js",
    "charts.js",
    "table.js",
    "overview.js",
    "page.js",
)


def render(
    results: Sequence[ResultData],
    *,
    reads: float | None = None,
    bandwidth: str | float | None = None,
    crossings: Crossings | None = None,
    relative_to: str | None = None,
    sort: str | None = None,
    **other: Any,
) -> str:
    """Write results as one HTML page.

    Args:
        results: One or more results. Results of one machine share a table; machines are never mixed.
        reads: Initial position of the slider of reads per write.
        bandwidth: Initial position of the slider of the bandwidth.
        crossings: Whether payloads cross the network once, or once for each read, at first.
        relative_to: Codec of the relative figures; the best of each column if not given.
        sort: Initial column to sort by, with "-" in front for the reverse order; "rank" by default.

    Raises:
        UsageError: An option that the page does not have, nothing to show, or the extra is missing.
    """
    if unknown := sorted(name for name, value in other.items() if value is not None):
        shown = ", ".join(key for key, spec in COLUMNS.items() if spec.page)
        raise UsageError(f"the page takes no {', '.join(unknown)}: it shows {shown} and sorts as you click")
    template = environment().get_template("page.html.j2")
    view = View.of([all_visible(result) for result in results], CostModel.of(reads, bandwidth, crossings))
    content = PageContent.of(view, relative_to, sort)
    scripts = "\n".join((TEMPLATES / name).read_text("utf-8") for name in _SCRIPTS)
    script = f'(async () => {{\n"use strict";\n{scripts}\n}})();'
    return template.render(
        vars(content),
        packed=lambda heavy, rows: packed({**heavy, "rows": str(rows)}),
        style=colors() + (TEMPLATES / "page.css").read_text("utf-8"),
        script=script,
        policy=policy(script),
        formula=FORMULA,
        profile_lines=profile_lines,
        type_name=type_name,
        explained=explained,
    )
