"""Plain text and terminals, laid out by rich."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from ...escape import visible
from ..model.table import Column, Row, Section, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

__all__ = ["render"]

_INNERMOST_FIRST: Final = "(most recent call first):"
_TOLD: Final = 3
"""Lines of what a failed process wrote."""

_STYLES: Final = {"": "", "good": "green", "bad": "bold red", "dim": "dim"}


def render(table: Table, *, width: int | None = None, color: bool = False) -> str:
    """Lay a table out as text.

    Args:
        table: What to show.
        width: Columns of the terminal; None for as wide as it needs. A table that does not fit
            gives up its least important columns and says which.
        color: Whether to write colours; follows the terminal in the commands.
    """
    from rich.console import Console
    from rich.text import Text

    out = io.StringIO()
    console = Console(
        file=out,
        width=width or 10_000,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        force_jupyter=False,
    )

    def say(line: str, style: str = "", indent: str = "") -> None:
        console.print(Text(indent + visible(line), style=style), soft_wrap=width is None)

    for section in table.sections:
        say(section.title, "bold")
        for line in section.lines:
            say(line, "dim")
        if section.rows:
            _print(console, section, width)
        for line in section.notes:
            say(line)
        for absent in section.gone:
            say(absent.sentence)
            for line in _telling(absent.stderr.splitlines()):
                say(line, "dim", indent="    ")
        say("")
    for warning in table.warnings:
        say(f"! {warning}", "bold red")
    for line in table.notes:
        say(line, "dim")
    if table.recommendation:
        say("")
    for line in table.recommendation.splitlines():
        say(line, "bold")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _telling(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines of a failed process that say most: the innermost frames of a crash, else the last.

    Python writes the frames of a crash the other way round than those of an exception.
    """
    heads = [index for index, line in enumerate(lines) if _INNERMOST_FIRST in line]
    heads.sort(key=lambda index: not lines[index].startswith("Current thread"))
    for index in heads[:1]:
        if frames := list(takewhile(str.strip, lines[index + 1 :])):
            return frames[:_TOLD]
    return lines[-_TOLD:]


def _print(console: Console, section: Section, width: int | None) -> None:
    def fits() -> bool:
        wide = console.options.update(width=10_000)
        return width is None or grid.__rich_measure__(console, wide).maximum <= width

    columns = list(section.columns)
    dropped: list[Column] = []
    missing = []
    grid = _grid(section, columns, dropped)
    if not fits() and (plainer := _plainer(section)) != section:
        missing.append("± of ratios")
        section = plainer
        grid = _grid(section, columns, dropped)
    dispensable = sorted((c for c in columns if c.dispensable), key=lambda column: column.dispensable)
    for key in dict.fromkeys(column.key for column in dispensable):
        if fits():
            break
        dropped += [column for column in columns if column.key == key]
        columns = [column for column in columns if column.key != key]
        grid = _grid(section, columns, dropped)
    console.print(grid)
    missing += dict.fromkeys(column.key for column in dropped)
    if missing:
        console.print(f"not shown for want of room: {', '.join(missing)}; see --columns", style="dim")


def _plainer(section: Section) -> Section:
    """Leave out the intervals of ratios."""
    ratios = [column.id for column in section.columns if column.raw_unit == "ratio"]

    def plain(row: Row) -> Row:
        short = {
            key: replace(e, text=e.text.partition(" ±")[0]) for key in ratios if (e := row.entries.get(key))
        }
        return replace(row, entries={**row.entries, **short})

    return replace(section, rows=tuple(map(plain, section.rows)))


def _grid(section: Section, columns: list[Column], dropped: list[Column]) -> RichTable:
    """Lay out rows; marks of columns that are not shown stand at the codec's name instead."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(
        box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for column in columns:
        lines = [column.block, column.header, " ".join(filter(None, (column.unit, column.arrow)))]
        header = "\n".join(map(visible, lines if column.block else lines[1:]))
        grid.add_column(
            Text(header),
            justify="right" if column.numeric else "left",
            overflow="fold",
            vertical="bottom",
        )
    group = ""
    for row in section.rows:
        if row.group != group:
            group = row.group
            grid.add_section()
            grid.add_row(Text(visible(group), style="italic"))
        entries = [row.entry(column) for column in columns]
        left = [mark for column in dropped for mark in row.entry(column).marks]
        entries[0] = replace(entries[0], marks=tuple(dict.fromkeys((*entries[0].marks, *left))))
        style = "" if row.ranked else "dim"
        grid.add_row(*(Text(visible(entry.shown), style=_STYLES[entry.tone] or style) for entry in entries))
    return grid
