"""Plain text and terminals, with the layout by rich."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from ...console import screen
from ...escape import Styled, visible
from ..model.table import Column, Entry, Row, Section, Table, letter
from .machines import machines_of, side_by_side

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_INNERMOST_FIRST: Final = "(most recent call first):"
_TOLD: Final = 3
"""Lines of a failed process's output."""
_WIDTH: Final = 100
"""Columns of a table whose columns were not chosen by the user."""
_MOST_FOOTNOTES: Final = 4
_BAR: Final = 10
_LEAST_BAR: Final = 5
_GAP: Final = 2
"""Columns of space between two columns of a table."""
_BARRED: Final = "cost:x"
"""The column that is followed by bars."""
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"

_PER: Final = "/record"
"""The end of most units."""

_STYLES: Final = {"": "", "good": "green", "bad": "bold red", "dim": "dim"}


def render(table: Table, *, width: int | None = None, color: bool = False, brief: bool = False) -> str:
    """Lay a table out as text.

    Args:
        table: The table.
        width: Columns of the terminal; None for no limit. A table that does not fit drops its least important
            columns and names them.
        color: Whether to write colors and bars; commands follow the terminal.
        brief: Lay it out for a decision: without the ratios of parts of the cost, and in at most 100 columns
            if there is no width.
    """
    from rich.text import Text

    out = io.StringIO()
    console = screen(
        file=out,
        width=width or 10_000,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        legacy_windows=False,
    )

    def say(line: str, style: str = "", indent: str = "") -> None:
        console.print(Text(indent + visible(line), style=style), soft_wrap=width is None)

    if table.opening:
        say(table.opening, "bold")
        say("")
    for each in table.sections:
        section = _folded(side_by_side(each))
        for number, line in enumerate(section.opening_lines):
            # The records and the codec to use.
            bold = each.opening[number][0][0] in ("", "use")
            console.print(Text(line, style="bold" if bold else ""), soft_wrap=True)
        if not section.opening:
            say(section.title, "bold")
        for line in section.lines:
            say(line, "dim")
        if section.opening and section.rows:
            say("")
        if section.rows:
            section = _print(console, section, width, brief=brief)
        if section.rows and section.answer:
            say("")
        for line in section.answer:
            say(line, "bold")
        for line in section.notes:
            say(line, "dim" if section.answer or section.opening else "")
        for absent in section.gone:
            say(absent.sentence)
            for line in _telling(absent.stderr.splitlines()):
                say(line, "dim", indent="    ")
        for line in section.origin:
            say(line, "dim")
        say("")
    for warning in table.warnings:
        say(f"! {warning}", "bold red")
    for line in table.notes:
        say(line, "dim")
    if table.closing:
        say("")
    for line in table.closing:
        say(line, "bold")
    text = "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
    return Styled(text) if color else text


def _folded(section: Section) -> Section:
    """Return a section with a few footnotes; the last one says where to find the others.

    Those on figures and losses come before those on codecs.
    """
    of_figures = {
        mark
        for row in section.rows
        for key, entry in row.entries.items()
        if key != "codec"
        for mark in entry.marks
    }
    first = sorted(section.footnotes, key=lambda footnote: footnote[0] not in of_figures)
    kept = [each for each in section.footnotes if each in first[: _MOST_FOOTNOTES - 1]]
    rest = len(section.footnotes) - len(kept)
    if rest < 2 or not section.folds:
        return section
    marks = {mark: letter(place) for place, (mark, _) in enumerate(kept)}
    last = letter(len(kept))

    def moved(entry: Entry) -> Entry:
        return replace(entry, marks=tuple(dict.fromkeys(marks.get(mark, last) for mark in entry.marks)))

    rows = (replace(row, entries={key: moved(e) for key, e in row.entries.items()}) for row in section.rows)
    footnotes = [(marks[mark], text) for mark, text in kept]
    footnotes.append((last, f"{rest} further notes: `bakeoff report -f md` has them"))
    return replace(section, rows=tuple(rows), footnotes=tuple(footnotes))


def _telling(lines: Sequence[str]) -> Sequence[str]:
    """Return the most informative lines of a failed process: the innermost frames of a crash, else the last.

    Python writes the frames of a crash in the reverse order of an exception.
    """
    heads = [index for index, line in enumerate(lines) if _INNERMOST_FIRST in line]
    heads.sort(key=lambda index: not lines[index].startswith("Current thread"))
    for index in heads[:1]:
        if frames := list(takewhile(str.strip, lines[index + 1 :])):
            return frames[:_TOLD]
    return lines[-_TOLD:]


def _print(console: Console, section: Section, width: int | None, *, brief: bool) -> Section:
    """Print the rows, and return the section with the columns that were shown."""
    # Tables without a cost have no ratios to omit.
    brief = brief and any(column.key == _BARRED for column in section.columns)
    grid = _Grid(section, _implied(section) if brief else set())
    limit = width or _WIDTH if brief else width

    def fits() -> bool:
        return limit is None or grid.width() <= limit

    missing = []
    if brief:
        grid.section = _plainer(section)
    elif not fits() and (plainer := _plainer(section)) != section:
        missing.append("± of ratios")
        grid.section = plainer
    if grid.machines > 1:
        _beside(grid, fits)
    exact, plain = grid.section, not fits()
    if plain:
        grid.section = _plainer(exact, "second")
        per_record = any(column.unit.endswith(_PER) for column in section.columns)
        grid.narrow = per_record and not grid.machines and not fits()
    dispensable = [c for c in section.columns if c.dispensable and c.key not in grid.hidden]
    dispensable.sort(key=lambda column: column.dispensable)
    for column in dispensable:
        if not fits():
            grid.hidden.add(column.key)
    for key in reversed(list(dict.fromkeys(column.key for column in dispensable))):
        # A column that was dropped for a wider one may fit after all.
        if key in grid.hidden:
            grid.hidden.remove(key)
            if not fits():
                grid.hidden.add(key)
    if plain:
        # So may the intervals.
        without, narrow = grid.section, grid.narrow
        grid.section, grid.narrow = exact, False
        if not fits():
            grid.section, grid.narrow = without, narrow
            missing += ["± of times"] * (without != exact)
    if console.color_system is not None and not grid.machines:
        grid.bar = min(_BAR, (width or limit or 10_000) - grid.width() - _GAP)
    for number, table in enumerate(grid.tables()):
        if number:
            console.print()
        console.print(table)
    missing += dict.fromkeys(column.key for column in dispensable if column.key in grid.hidden)
    if grid.narrow:
        console.print("times and bytes are per record", style="dim")
    if missing:
        names = visible(", ".join(missing))
        console.print(f"left out to fit the width: {names}; see --columns", style="dim")
    return replace(section, columns=tuple(c for c in section.columns if c.key not in grid.hidden))


def _implied(section: Section) -> set[str]:
    """Return the ratios for other programs only; the ratio of the cost is enough."""
    return {column.key for column in section.columns if column.raw_unit == "ratio"} - {_BARRED}


def _beside(grid: _Grid, fits: Callable[[], bool]) -> None:
    """Put as many machines into a table as fit with the columns that are always shown."""
    hidden, section = grid.hidden, grid.section
    grid.hidden = hidden | {column.key for column in section.columns if column.dispensable}
    grid.section = _plainer(section, "second")
    while grid.machines > 1 and not fits():
        grid.machines -= 1
    grid.hidden, grid.section = hidden, section


def _plainer(section: Section, unit: str = "ratio") -> Section:
    """Remove the intervals of a column's figures: of ratios, or of times."""
    ratios = [column.id for column in section.columns if column.raw_unit == unit]

    def plain(row: Row) -> Row:
        short = {key: replace(e, text=e.plain, spread="") for key in ratios if (e := row.entries.get(key))}
        return replace(row, entries={**row.entries, **short})

    return replace(section, rows=tuple(map(plain, section.rows)))


@dataclass
class _Grid:
    """Rows to be laid out; marks of hidden columns are added to the codec's name.

    Attributes:
        hidden: Keys of hidden columns, on all machines.
        bar: Columns of a bar after the cost that shows how fast a codec is, as a share of the fastest; none
            if there is no space.
        machines: Most machines in a table; others follow in further tables.
        narrow: Headings leave out that figures are per record.
    """

    section: Section
    hidden: set[str] = field(default_factory=set)
    bar: int = 0
    machines: int = 0
    narrow: bool = False

    def __post_init__(self) -> None:
        self.machines = len(machines_of(self.section.columns))

    def width(self) -> int:
        """Return the columns of the terminal that the widest table takes without bars."""
        # rich needs a hundred times as long to measure a table.
        return max(sum(self._widths(*self._cells(part))) - _GAP for part in self._parts())

    def tables(self) -> list[RichTable]:
        """Return the rows for rich, with some of the machines in each table."""
        return [self._table(part) for part in self._parts()]

    def _parts(self) -> list[list[Column]]:
        """Return the columns of each table."""
        blocks = machines_of(self.section.columns)
        step = max(self.machines, 1)
        parts = [blocks[start : start + step] for start in range(0, max(len(blocks), 1), step)]
        return [[c for c in self.section.columns if c.block in ("", *part)] for part in parts]

    def _table(self, columns: Sequence[Column]) -> RichTable:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        grid = RichTable(
            box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold"
        )
        columns, rows = self._cells(columns)
        barred = [column for column in columns if self.bar >= _LEAST_BAR and column.key == _BARRED]
        best = {column: self._best(column) for column in barred}
        for column in columns:
            grid.add_column(
                Text("\n".join(self._heading(column))),
                justify="right" if column.numeric else "left",
                overflow="fold",
                vertical="bottom",
            )
            if column in best:
                grid.add_column(Text("speed\n→"), vertical="bottom", min_width=self.bar)
        group = ""
        for row, entries in zip(self.section.rows, rows, strict=True):
            if row.group != group:
                group = row.group
                grid.add_section()
                grid.add_row(Text(visible(group), style="italic"))
            style = "" if row.ranked else "dim"
            cells = []
            for column, entry in zip(columns, entries, strict=True):
                cells.append(Text(visible(entry.shown), style=_STYLES[entry.tone] or style))
                if column in best:
                    cells.append(Text(_bar(best[column], entry.value, self.bar), style="cyan"))
            grid.add_row(*cells)
        if self.section.heads:
            grid.title, grid.title_justify = Text(self._heads(columns, rows), style="bold"), "left"
        return grid

    def _cells(self, columns: Sequence[Column]) -> tuple[list[Column], list[list[Entry]]]:
        """Return the columns that are not hidden, and the entries of each row in them."""
        hidden = [column for column in columns if column.key in self.hidden]
        shown = [column for column in columns if column.key not in self.hidden]
        return shown, [self._entries(row, shown, hidden) for row in self.section.rows]

    def _entries(self, row: Row, columns: Sequence[Column], hidden: Sequence[Column]) -> list[Entry]:
        """Return the entries of a row; the first one also has the marks of hidden columns."""
        first, *others = (row.entry(column) for column in columns)
        left = [mark for column in hidden for mark in row.entry(column).marks]
        return [replace(first, marks=tuple(dict.fromkeys((*first.marks, *left)))), *others]

    def _heads(self, columns: Sequence[Column], rows: Sequence[Sequence[Entry]]) -> str:
        """Return the lines above the header, with each machine above its columns."""
        widths = self._widths(columns, rows)
        lines: list[str] = []
        start = 0
        for block, group in groupby(zip(columns, widths, strict=True), key=lambda each: each[0].block):
            width = sum(taken for _, taken in group)
            head = [block, self.section.heads.get(block, "")] if block else []
            wrapped = [line for text in head for line in wrap(visible(text), width - _GAP)]
            lines += [""] * (len(wrapped) - len(lines))
            for number, line in enumerate(wrapped):
                lines[number] = lines[number].ljust(start) + line
            start += width
        return "\n".join(lines)

    def _widths(self, columns: Sequence[Column], rows: Sequence[Sequence[Entry]]) -> list[int]:
        """Return the width of each column with the space after it."""
        from rich.cells import cell_len

        texts = [
            [*self._heading(column), *(visible(entries[number].shown) for entries in rows)]
            for number, column in enumerate(columns)
        ]
        texts[0] += [visible(row.group) for row in self.section.rows]
        return [max(map(cell_len, column)) + _GAP for column in texts]

    def _heading(self, column: Column) -> list[str]:
        """Return the lines above a column; columns of several machines are narrow."""
        if not any(each.unit or each.arrow for each in self.section.columns):
            return [visible(column.header)]
        unit = column.unit.removesuffix(_PER) if self.narrow else column.unit
        unit = " ".join(filter(None, (unit, column.arrow)))
        lines = ["", *unit.replace("/", " per\n").split("\n")][-2:] if self.machines else [unit]
        return [visible(line) for line in (column.header, *lines)]

    def _best(self, column: Column) -> float:
        values = [row.entry(column).value for row in self.section.rows]
        return min((value for value in values if isinstance(value, float)), default=0.0)


def _bar(best: float, value: float | str | None, width: int) -> str:
    """Return a bar as long as a codec is fast; the bar of the fastest one is full."""
    if not isinstance(value, float) or value <= 0:
        return ""
    whole, part = divmod(round(width * 8 * best / value), 8)
    return ("█" * whole + _EIGHTHS[part]).rstrip() or _EIGHTHS[1]
