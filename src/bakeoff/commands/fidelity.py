"""``bakeoff fidelity``: the Python types that each codec preserves, and what other languages read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._grouped import GroupedCommand
from ._named import LISTED
from ._options import selecting
from ._placed import listed
from ._written import writing

if TYPE_CHECKING:
    from ..bench.lab.fidelity.matrix import Tried

    Column = dict[str, Tried]


@click.command("fidelity", cls=GroupedCommand)
@selecting("all that are installed")
@click.option(
    "--readers",
    type=LISTED,
    metavar="LANGUAGES",
    help="Languages whose libraries are shown instead, once built: go,node.",
)
@writing("text", "md", "csv", "html")
def command(codecs: tuple[str, ...], readers: str | None, form: str, output: Path | None) -> None:
    """Show which Python types each codec preserves, without and with a schema.

    Each codec is tried in a separate process. The text format splits the table to fit the terminal.

    With --readers, libraries of other languages read what the codecs write, without a schema unless the
    format needs one. For each format, a table shows the values that Python preserves and a library changes
    or refuses. Then the libraries write what they have read exactly, and tables show what Python reads
    otherwise.
    """
    from ..codecs import select
    from ..codecs.naming import join_name, split_name
    from ._fidelity_readers import tried
    from ._output import guard, put

    guard(output)
    # Every column shows both, with and without a schema.
    parts = [split_name(name) for name in select(codecs, None if readers is None else tried())]
    if readers is not None:
        text = _read(list(dict.fromkeys(base for base, _, _ in parts)), listed([readers]), form, output)
    else:
        names = (join_name(base, compression=compression) for base, _, compression in parts)
        text = _preserved(list(dict.fromkeys(names)), form, output)
    put(text, output)


def _preserved(codecs: Sequence[str], form: str, output: Path | None) -> str:
    from ..reports import written
    from ..reports.tables.csv_json import csv_of
    from ..reports.tables.fidelity import figures, table
    from ._output import layout

    columns = _columns(codecs)
    if form == "csv":
        return csv_of(figures(columns))
    return written(table(columns, _width(form)), form, **layout(output))


def _read(codecs: Sequence[str], languages: Sequence[str], form: str, output: Path | None) -> str:
    from ..bench.lab.fidelity.readers import read
    from ..bench.lab.fidelity.writers import reread
    from ..reports import written
    from ..reports.tables.csv_json import csv_of
    from ..reports.tables.fidelity import crashes
    from ..reports.tables.fidelity_readers import figures, table
    from ._fidelity_readers import left_out, readable, started
    from ._output import layout

    with started(languages) as readers:
        formats = readable(readers, codecs)
        columns = _columns(list(formats), schemas=False)
        reads = read(readers, columns, formats)
        writes = reread(readers, columns, reads)
    if form == "csv":
        return csv_of(figures(reads, writes))
    notes = [*left_out(codecs, formats), *crashes(columns)]
    notes += [f"{each.library} ({each.language}) does not write" for each in reads.silent]
    return written(table((reads, writes), notes, _width(form)), form, **layout(output))


def _width(form: str) -> int | None:
    """Return the columns to which tables are folded: none for files to be laid out elsewhere."""
    from ..console import console

    return console().width if form == "text" else None


def _columns(codecs: Sequence[str], *, schemas: bool = True) -> dict[str, Column]:
    from ..bench.lab.fidelity.matrix import matrix
    from ..console import progress

    columns: dict[str, Column] = {}
    with progress() as bar:
        task = bar.add_task("trying values", total=len(codecs))
        for name, column in matrix(codecs, schemas=schemas):
            columns[name] = column
            bar.update(task, completed=len(columns), description=f"tried {name}")
    return columns
