"""``bakeoff fidelity``: the Python types that each codec preserves."""

from __future__ import annotations

import csv
import io
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..grid import draw
from ._options import format_option, selecting

if TYPE_CHECKING:
    from ..bench.lab.fidelity.matrix import FidelityCell

    Column = dict[str, tuple[FidelityCell, FidelityCell]]

LEGEND = (
    "= exact, type and all; ~X came back as X; E refused when encoding; D when decoding. "
    "A > B: A without a schema, B with one."
)
TABLES = {"text": "plain", "md": "markdown", "html": "html"}


@click.command("fidelity")
@selecting("all that are installed")
@format_option("text", "md", "csv", "html")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write instead of standard output.",
)
def command(codecs: tuple[str, ...], form: str, output: Path | None) -> None:
    """Show which Python types each codec preserves, without and with a schema.

    Each codec is tried in a separate process. The text format splits the table to fit the terminal.
    """
    from ..bench.lab.fidelity.matrix import matrix
    from ..codecs import select
    from ..codecs.registry import join_name, split_name
    from ..console import console, progress
    from ._output import guard, put

    guard(output)
    # Every column shows both, with and without a schema.
    parts = [split_name(name) for name in select(codecs)]
    chosen = list(dict.fromkeys(join_name(base, compression=compression) for base, _, compression in parts))
    columns: dict[str, Column] = {}
    with progress() as bar:
        task = bar.add_task("codecs", total=len(chosen))
        for name, column in matrix(chosen):
            columns[name] = column
            bar.update(task, completed=len(columns), description=name)
    if form == "csv":
        text = _csv(columns)
    elif form == "text":
        text = _groups(columns, console().width)
    else:
        notes = [LEGEND, *_crashes(columns)]
        below = notes if form == "md" else [f"<p>{escape(note)}</p>" for note in notes]
        text = "\n\n".join([_table(columns, TABLES[form]), *below]) + "\n"
    put(text.encode(), output)


def _short(cells: tuple[FidelityCell, FidelityCell]) -> str:
    without, with_schema = (str(cell) for cell in cells)
    return without if without == with_schema else f"{without} > {with_schema}"


def _rows(columns: dict[str, Column]) -> list[list[str]]:
    names = list(next(iter(columns.values()), {}))
    rows = [[name, *(_short(column[name]) for column in columns.values())] for name in names]
    exact = [
        " > ".join(str(sum(cells[side].outcome == "exact" for cells in column.values())) for side in (0, 1))
        for column in columns.values()
    ]
    return [*rows, [f"exact of {len(names)}", *exact]]


def _table(columns: dict[str, Column], style: str) -> str:
    rows = [["value", *columns], *_rows(columns)]
    if style == "html":
        rows = [[escape(cell) for cell in row] for row in rows]
    return draw(style, rows[0], rows[1:])


def _groups(columns: dict[str, Column], width: int) -> str:
    """Lay out the codecs in groups that fit the width."""
    parts, group = [], dict[str, "Column"]()
    for name, column in columns.items():
        wider = group | {name: column}
        if group and len(_table(wider, "plain").splitlines()[0]) > width:
            parts.append(_table(group, "plain"))
            wider = {name: column}
        group = wider
    parts.append(_table(group, "plain"))
    return "\n\n".join([*parts, LEGEND, *_crashes(columns)]) + "\n"


def _crashes(columns: dict[str, Column]) -> list[str]:
    """Return why codecs lost their remaining cells."""
    reasons = [
        (codec, without.became)
        for codec, column in columns.items()
        for without, _ in column.values()
        if without.outcome == "crash"
    ]
    return [f"{codec}: crash: {reason}" for codec, reason in dict.fromkeys(reasons)]


def _csv(columns: dict[str, Column]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["codec", "value", "without", "became", "with_schema", "became_with_schema"])
    for codec, column in columns.items():
        for value, (without, with_schema) in column.items():
            writer.writerow(
                [codec, value, without.outcome, without.became, with_schema.outcome, with_schema.became]
            )
    return out.getvalue()
