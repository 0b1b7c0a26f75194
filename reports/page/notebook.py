"""Results in a notebook: the table, the chart of size against cost, and colors that follow the theme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...bench.results import ResultData
from ..model.placed import kind_of_all
from ..model.table import Section, Table
from ..model.view import CorpusView, View
from ..tables.layouts import table_of
from ..tables.markup import html_grid, html_opening, html_text
from .arrange import wide
from .chart_rows import points
from .draw import Pen, front
from .themes import PAGE, colors

_CLASS: Final = "bakeoff-result"
_WIDTH: Final = 860
"""Width of a chart in pixels."""
_TABLE: Final = 840
"""Pixels of the widest table, which fits into a window of 900."""
_LETTERS: Final = 14.5
"""Size of the letters, with room for fonts wider than most."""
_PADDING: Final = 16
"""Pixels between columns."""

# Dark or light as set by JupyterLab, Visual Studio Code, Colab and Sphinx, else by the browser.
_STYLE: Final = """
.CLASS { color-scheme: light dark; color: var(--ink); background: var(--surface); padding: 0.6em 1em;
  font-size: 13px; line-height: 1.45; max-width: max-content; overflow-x: auto; }
[data-jp-theme-light="true"] .CLASS, .vscode-light .CLASS, [data-theme="light"] .CLASS
  { color-scheme: light; }
[data-jp-theme-light="false"] .CLASS, .vscode-dark .CLASS, [theme="dark"] .CLASS, [data-theme="dark"] .CLASS
  { color-scheme: dark; }
.CLASS table { border-collapse: collapse; margin: 0.5em 0; color: inherit; font-size: inherit;
  font-variant-numeric: tabular-nums; }
.CLASS th, .CLASS td { padding: 0.15em 0.6em; white-space: nowrap; border: 0; background: none; }
.CLASS th:first-child { text-align: left; }
.CLASS thead th { color: var(--muted); font-weight: 600; border-bottom: 1px solid var(--rule); }
.CLASS td:first-child { font-weight: 600; }
.CLASS h4 { margin: 0.8em 0 0; font-size: 14px; }
.CLASS p { margin: 0.2em 0; max-width: 60em; }
.CLASS .lead { font-weight: 600; font-size: 14px; }
.CLASS pre { margin: 0.4em 0; color: inherit; background: none; overflow-x: auto; }
.CLASS .quiet, .CLASS details { color: var(--muted); }
.CLASS ul { margin: 0.2em 0; padding-left: 1.4em; max-width: 60em; }
.CLASS svg { display: block; max-width: 100%; height: auto; margin: 0.6em 0; }
""".replace("CLASS", _CLASS)


def render(result: ResultData) -> str:
    """Return table and charts of a result as HTML for a notebook's cell."""
    charts = [] if kind_of_all([result]) else _charts(View.of([result]).corpora)
    return styled(table_of([result]), charts)


def styled(table: Table, charts: Sequence[str] = ()) -> str:
    """Return a table as HTML with its own colors, and charts below it."""
    parts = [
        f'<div class="{_CLASS}"><style>{colors(f".{_CLASS}")}{_STYLE}</style>',
        *_paragraphs([table.opening] if table.opening else table.closing, "lead"),
        *(line for section in table.sections for line in _section(section)),
        *charts,
        *_paragraphs([f"Warning: {text}" for text in table.warnings], "quiet"),
        *_folded("Environment", table.notes),
        "</div>",
    ]
    return "\n".join(parts)


def _section(section: Section) -> Iterator[str]:
    yield f"<h4>{html_text(section.title)}</h4>"
    yield from html_opening(section)
    if not section.opening:
        yield from _paragraphs(section.answer[:1], "lead")
    yield from _paragraphs(section.lines, "quiet")
    shown = _fitting(section)
    if section.rows:
        yield html_grid(shown)
    yield from _paragraphs(section.answer[0 if section.opening else 1 :], "")
    left_out = dict.fromkeys(column.key for column in section.columns if column not in shown.columns)
    more = [f"not shown: {', '.join(left_out)}; `table()` shows all columns"] if left_out else []
    yield from _folded("Notes", [*section.below, *more])


def _fitting(section: Section) -> Section:
    """Drop the least important columns of a table that is too wide, as in a terminal."""
    shown = section
    dispensable = sorted((c.dispensable, c.key) for c in section.columns if c.dispensable)
    for _, key in dispensable:
        if _wide(shown) <= _TABLE:
            break
        kept = tuple(c for c in shown.columns if c.key != key or not c.dispensable)
        shown = replace(shown, columns=kept)
    return shown


def _wide(section: Section) -> float:
    """Return about how many pixels wide a table is."""
    columns = zip(section.headers, *section.grid(), strict=True)
    return sum(_PADDING + max(wide(text, _LETTERS) for text in column) for column in columns)


def _paragraphs(lines: Sequence[str], kind: str) -> Iterator[str]:
    yield from (f'<p class="{kind}">{html_text(line)}</p>' for line in lines)


def _folded(title: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield lines that are folded."""
    if lines:
        items = "".join(f"<li>{html_text(line)}</li>" for line in lines)
        yield f"<details><summary>{title}</summary><ul>{items}</ul></details>"


def _charts(views: Sequence[CorpusView]) -> list[str]:
    """Return size against cost on each corpus."""
    drawn = []
    for view in views:
        rows = points(view)
        if len(rows) < 2:
            continue
        title = f"{view.label}: size against cost; lower and further left is better"
        picture = front(rows, Pen.of([row["format"] for row in rows], PAGE), _WIDTH).svg(title)
        drawn += [f"<h4>{html_text(title)}</h4>", picture]
    return drawn
