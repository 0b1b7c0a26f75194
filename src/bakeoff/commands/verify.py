"""``bakeoff verify``: measure three cells of a result file again, and compare them with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Final

import click

from ..console import live_display, show_on
from ..errors import UsageError
from ._grouped import GroupedCommand
from ._named import Whole
from ._options import Share, Time, trusted_option
from ._output import exit_code_1_is_an_answer, put_table

if TYPE_CHECKING:
    from ..bench.results import Cell, ResultData
    from ..bench.run.options import Options
    from ..reports.decide.verify import PairVerdict


@click.command(
    cls=GroupedCommand,
    codes="0 all ratios agree, 1 one disagrees, 2 it cannot decide, or the figures cannot be measured here",
)
@click.argument("file", type=click.Path(path_type=Path), default="bakeoff.json")
@click.option("--seed", type=Whole(least=0), help="Seed of the choice of figures.  [default: random]")
@click.option(
    "--within",
    "limit",
    type=Share("%", "1%", "100%"),
    default="10%",
    show_default=True,
    help="How far a ratio may differ from the file.",
)
@click.option(
    "--corpus",
    "source",
    metavar="SOURCE",
    help="The corpus to measure.  [default: where the file says its records were]",
)
@click.option("--schema", metavar="SCHEMA", help="Schema in Python, as the run had it.")
@trusted_option
@click.option("--budget", type=Time("1s"), default="30s", show_default=True, help="Most time to measure.")
def command(
    file: Path,
    seed: int | None,
    limit: float,
    source: str | None,
    schema: str | None,
    trust_files: bool,
    budget: float,
) -> None:
    """Re-measure three figures of a result file at random, and check that they hold.

    Times differ between machines, so each time is compared with the other two: their ratios here with
    those in the file. A ratio disagrees when the difference is significant and
    larger than --within. The records must be the same, by their sha256.
    """
    from ..bench.past import Past
    from ..codecs import available
    from ..reports.decide.verify import agreement, candidates, draw
    from ..reports.model.files import load

    seed = SystemRandom().randrange(10_000) if seed is None else seed
    with exit_code_1_is_an_answer():
        before = load(file)
        there = candidates(before, available())
        cells = draw(there, seed)
        title = f"{cells[0].corpus}: {len(cells)} of {len(there)} cells, drawn with --seed {seed}"
        options = _options(before, cells, source, schema, trust_files, budget)
        options.validate(options.codecs)
        click.echo(f"measuring {', '.join(cell.name for cell in cells)} again", err=True)
        after = _again(before, cells[0].corpus, options)
        found = agreement(before, after, cells, limit, Past([before, after]).sessions())
        put_table(found.table(title), "text")
    click.get_current_context().exit(_CODES[found.verdict])


_CODES: Final[Mapping[PairVerdict, int]] = {"agrees": 0, "disagrees": 1, "cannot decide": 2}


def _options(
    before: ResultData,
    cells: Sequence[Cell],
    source: str | None,
    schema: str | None,
    trust_files: bool,
    budget: float,
) -> Options:
    """Return the options for a run of these cells only."""
    from ..bench.run.interleaved import options_of

    facts = next(each for each in before.corpora if each.name == cells[0].corpus)
    typed = [] if source is None else [source]
    stored = options_of(before, typed, named=[facts.source], schema=schema, trust_files=trust_files)
    if stored.sizes:
        raise UsageError(
            "results of `bakeoff run --record-sizes` cannot be verified; name one of a run without it"
        )
    return dataclasses.replace(
        stored,
        codecs=tuple(dict.fromkeys(cell.codec for cell in cells)),
        joining=(),
        operations=tuple(dict.fromkeys(cell.operation_name for cell in cells)),
        budget=budget,
    )


def _again(before: ResultData, corpus: str, options: Options) -> ResultData:
    """Measure, and return the result with the file's corpus name and options.

    Raises:
        RunError: The records cannot be read.
        UsageError: The records differ from those of the file.
    """
    from ..bench.orphans import PREFIX, held_folder
    from ..bench.run.session import Session

    with held_folder(PREFIX) as folder, live_display() as screen:
        session = Session(options, folder / "again.json", show=show_on(screen.progress))
        after = session.run()
    if session.interrupted:
        raise KeyboardInterrupt
    then = next(each for each in before.corpora if each.name == corpus)
    now = dataclasses.replace(after.corpora[0], name=corpus)
    if (then.sha256, then.sample) != (now.sha256, now.sample):
        raise UsageError(
            f"{now.source}: not the records of the file: {then.sample:,}, sha256 {then.sha256[:12]}, then; "
            f"{now.sample:,}, sha256 {now.sha256[:12]}, now; name the records of the file with --corpus"
        )
    cells = (
        dataclasses.replace(each, cell=dataclasses.replace(each.cell, corpus=corpus)) for each in after.cells
    )
    return dataclasses.replace(
        after, cells=tuple(cells), corpora=(now,), options=before.options, conditions=before.conditions
    )
