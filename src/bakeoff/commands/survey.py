"""``bakeoff survey``: exact facts about all records of a corpus in shards, and a sample of them."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import RunError, UsageError
from ..escape import visible
from . import _completion
from ._grouped import GroupedCommand
from ._machines import machine_options, machines_of
from ._options import RECORDS, reading, seed_option, selecting
from ._output import guard, put, put_table
from ._records import destination, report_skipped
from ._records import output as opened_output
from ._schemas import include_option, named
from ._written import PYTHON, format_option, output_option, placed, written_as

if TYPE_CHECKING:
    from ..bench.messages.survey import SurveyJob
    from ..bench.run.machines.addresses import Machine
    from ..bench.run.survey import SurveyFindings
    from ..datasets.readers.formats import FileFormat
    from ..datasets.shards import Piece
    from ..schemas import Schema

VERSION = 1


@click.command(
    "survey",
    cls=GroupedCommand,
    codes="0 ok, 1 a shard could not be read or a codec is wrong, 2 usage error, 130 stopped by Ctrl-C",
)
@click.argument("sources", nargs=-1, required=True, metavar="SHARDS...", shell_complete=_completion.files)
@selecting("json")
@click.option("--schema", metavar="SCHEMA", help="Schema for codecs that need one and for NAME+schema.")
@include_option
@output_option(": the findings, as JSON.", "json")
@click.option(
    "--sample-to",
    "sample",
    type=click.Path(path_type=Path),
    callback=placed,
    metavar="FILE",
    help="Write a uniform sample of the records to this file, for `bakeoff run`.",
)
@click.option(
    "-n", "--records", type=RECORDS, default=1_000, show_default=True, help="Number of records of the sample."
)
@click.option(
    "--schema-to",
    "inferred",
    type=click.Path(path_type=Path),
    callback=written_as("python", PYTHON),
    metavar="FILE.py",
    help="Write the schema inferred from all records to this file.",
)
@seed_option
@machine_options
@format_option("text", "md", "csv")
@reading
@click.pass_context
def command(
    ctx: click.Context,
    sources: tuple[str, ...],
    codecs: tuple[str, ...],
    schema: str | None,
    include: tuple[str, ...],
    output: Path | None,
    sample: Path | None,
    records: int,
    inferred: Path | None,
    seed: int | None,
    on: tuple[str, ...],
    wheel: Path | None,
    form: str,
    how: Mapping[str, Any],
) -> None:
    """Read all records of a corpus in shards, and show exact facts about them.

    SHARDS are files, folders, patterns such as `events/*.parquet`, or URLs of fsspec such as
    `s3://bucket/events/`. The facts are the number of records, their profile, and for each codec the bytes
    of all payloads and what round trips lose. Nothing is timed: `bakeoff run` does that on the sample, in
    which each record of all shards is equally likely.

    A shard that cannot be read is named, and the others are read. After Ctrl-C, the findings so far are
    shown and written.

    \b
      bakeoff survey events/ -c orjson,msgpack -o survey.json
      bakeoff survey logs/ --sample-to sample.msgpack --schema-to events.py
      bakeoff run sample.msgpack --schema events.py
    """
    from ..bench.messages.survey import SurveyJob
    from ..datasets.base import DEFAULT_SEED
    from ..datasets.errors import NoRecords
    from ..datasets.passes import ReadOptions
    from ..datasets.shards import pieces
    from ..datasets.writing import framed
    from ..reports.tables.survey import table
    from ..schemas.schema import of_inferred

    names, machines = _selected(codecs), machines_of(on, wheel)
    for path in (output, sample, inferred):
        guard(path, map(Path, sources))
    kind = None if sample is None else destination(str(sample), None, option="")
    reading = ReadOptions.of(**how)
    found = [piece for source in sources for piece in pieces(source, reading)]
    given = b"" if schema is None else pickle.dumps(named(schema, include))
    job = SurveyJob(
        pieces=(),
        seed=DEFAULT_SEED if seed is None else seed,
        codecs=tuple(names),
        schema=hashlib.sha256(given).hexdigest() if given else "",
        sample=0 if kind is None else records,
        sample_format="" if kind is None else kind.name,
        cut=1 << 64,
        how=how,
    )
    if kind is not None:
        framed(kind)
    result = _surveyed(machines, found, job, given)
    if not result.tally.records:
        raise NoRecords(f"{', '.join(sources)}: contains no records; name another source")
    observed = result.tally.observed
    made = of_inferred(observed.inferred()) if observed.whole and observed.records else None
    facts = _facts(result, sources, made)
    if output is not None:
        put(json.dumps(facts, indent=1) + "\n", output)
    if sample is not None and kind is not None:
        _write_sample(result, sample, kind)
    if inferred is not None:
        _write_schema(made, inferred)
    put_table(table(facts, str(sample or "")), form)
    report_skipped("records", result.tally.skipped, [(where, what) for _, where, what in result.tally.bad])
    _report_lost(result)
    if result.interrupted:
        ctx.exit(130)
    if result.lost or any(each.wrong for each in result.tally.codecs.values()):
        ctx.exit(1)


def _surveyed(
    machines: Sequence[Machine], pieces: Sequence[Piece], job: SurveyJob, schema: bytes
) -> SurveyFindings:
    """Read the pieces of all shards, on this machine and others, and show the progress.

    Raises:
        RunError: No piece could be read.
    """
    from ..bench.run.machines.remote import RemoteExecutor
    from ..bench.run.processes import LocalExecutor
    from ..bench.run.survey import survey
    from ..console import progress, show_on

    with ExitStack() as stack:
        show = show_on(stack.enter_context(progress()))
        here = stack.enter_context(LocalExecutor())
        executors = [
            here
            if machine.connect is None
            else stack.enter_context(RemoteExecutor(machine, here.blobs, lambda reason: show(reason, -1, 0)))
            for machine in machines
        ]
        told = f"{len({piece.shard for piece in pieces}):,} shards"
        result = survey(executors, pieces, job, schema, watch=lambda done, total: show(told, done, total))
    if result.interrupted and not result.done:
        raise KeyboardInterrupt
    if result.lost and not result.done:
        raise RunError(next(iter(result.lost.values())))
    return result


def _selected(patterns: tuple[str, ...]) -> list[str]:
    from ..codecs import MissingLibrary, missing, select

    names = select(patterns, default=["json"])
    for name in names:
        if (reason := missing(name)) is not None:
            raise MissingLibrary(name, reason)
        if name.endswith(",dict"):
            raise UsageError(f"{name}: a survey trains no dictionaries")
    return names


def _write_sample(found: SurveyFindings, path: Path, kind: FileFormat) -> None:
    """Write the sample, for the user's eyes only, as it holds records."""
    from ..datasets.writing import framed

    with opened_output(str(path), private=True) as file:
        file.write(framed(kind)[0])
        file.writelines(payload for _, payload, _ in found.tally.sample.kept())


def _write_schema(schema: Schema | None, path: Path) -> None:
    if schema is None:
        raise RunError(f"{path}: not written: the records have too many different keys for a schema")
    put(schema.to_python(), path)


def _facts(found: SurveyFindings, sources: tuple[str, ...], schema: Schema | None) -> dict[str, Any]:
    """Return the content of the file of a survey: no records, except in the examples of losses."""
    tally = found.tally
    kept = tally.sample.kept()
    return {
        "bakeoff_survey": VERSION,
        "sources": sources,
        "shards": len(found.shards),
        "bytes": sum(piece.end - piece.start for piece in found.pieces),
        "complete": not found.lost and not found.interrupted,
        "lost": [{"where": str(piece), "why": why} for piece, why in sorted(found.lost.items())],
        "records": tally.records,
        "skipped": tally.skipped,
        "bad": [{"where": where, "what": what} for _, where, what in tally.bad],
        "profile": {"records": tally.records} | tally.profile.sizes() | tally.profile.facts(),
        "codecs": {name: each.facts() for name, each in tally.codecs.items()},
        "schema": None if schema is None else schema.to_python(),
        "sample": {
            "records": len(kept),
            "errors": {
                name: {"difference": off, "standard_error": error}
                for name, (off, error) in tally.errors().items()
            },
        },
    }


def _report_lost(found: SurveyFindings) -> None:
    """Say on stderr what is missing in the totals."""
    lost, shards = found.lost_shards, len(found.shards)
    for piece, why in sorted(found.lost.items()):
        click.echo(visible(f"lost: {why if why.startswith(str(piece)) else f'{piece}: {why}'}"), err=True)
    if lost:
        of = f"of {shards:,} shard{'s' * (shards != 1)}"
        click.echo(f"{of}, {len(lost):,} lost in whole or in part", err=True)
    if found.interrupted:
        click.echo(f"interrupted: {len(found.done):,} of {len(found.pieces):,} pieces were read", err=True)
