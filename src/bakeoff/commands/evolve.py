"""``bakeoff evolve``: the cost of a schema change for each codec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from . import _completion
from ._grouped import GroupedCommand
from ._options import RECORDS, Time, reading, selecting
from ._records import report_remark, report_skipped, slow_progress
from ._schemas import include_option, named
from ._written import writing

if TYPE_CHECKING:
    from ..schemas.difference import SchemaDifference

_RECORDS = 200


@click.command(
    "evolve",
    cls=GroupedCommand,
    codes="0 everything is read without loss, 1 something is lost, refused or does not match, 2 usage error",
)
@click.argument("old", shell_complete=_completion.files)
@click.argument("new", shell_complete=_completion.files)
@click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="OLD=NEW",
    help="Renamed field; repeatable. Renames are not guessed.",
)
@click.option(
    "--data",
    metavar="FILE",
    shell_complete=_completion.files,
    help="Records of either version, converted to the other.  [default: generated from the schemas]",
)
@click.option(
    "-n",
    "--records",
    type=RECORDS,
    default=_RECORDS,
    show_default=True,
    help="Number of records of each version.",
)
@include_option
@reading
@selecting("the default set, and codecs that need a schema")
@click.option(
    "--budget",
    type=Time(),
    default="10s",
    show_default=True,
    help="Most time for all codecs.",
)
@writing("text", "md", "csv", "json")
@click.pass_context
def command(
    context: click.Context,
    old: str,
    new: str,
    renames: Sequence[str],
    include: Sequence[str],
    data: str | None,
    records: int,
    how: Mapping[str, Any],
    codecs: Sequence[str],
    budget: float,
    form: str,
    output: Path | None,
) -> None:
    """Show what a schema change from OLD to NEW breaks in each codec, and what it costs.

    Each codec writes records of one version and reads them as the other, in both directions. The result is
    compared with the expected record: a field may be lost silently or read as another one, or the payload
    may be refused. Each change is also tried alone. Then decoding is timed, compared with the same records
    written by the reading version.

    Versions are given as in `bakeoff schema`: MODULE:NAME, FILE.py:NAME, a definition (FILE.avsc,
    FILE.proto#Message), or a built-in corpus. Python files are run, so read them first if you did not write
    them. NEW gets the field numbers of OLD, unless both define numbers (.proto).

    Each codec is tried in a separate process: if it crashes, hangs or runs out of memory, only its row
    fails. All codecs are timed in shared processes, as in a run; a codec that dies there has no cost.
    """
    from .._progress import shown
    from ..bench.lab.evolution.attempt import Attempted, attempts
    from ..bench.lab.evolution.trial import sample
    from ..reports.tables.evolution import Evolution, json, table
    from ._output import guard, put, put_table

    guard(output, [Path(name.partition("#")[0]) for name in (old, new)] + ([Path(data)] if data else []))
    difference = _difference(old, new, renames, include)
    names = _names(codecs)
    given, newer = _given(data, records, how, difference) if data else ([], False)
    before, after = sample(difference, records, given, newer=newer)
    tried = Attempted((), {}, ())
    if difference.changes:
        with shown() as step:
            tried = attempts(names, difference, before, after, budget, step)
    found = Evolution(old, new, difference, *tried, len(before), data or "", newer)
    if form == "json":
        put(json(found), output)
    else:
        put_table(table(found), form, output)
    if not all(trial.clean for trial in tried.trials):
        context.exit(1)


def _difference(old: str, new: str, renames: Sequence[str], include: Sequence[str]) -> SchemaDifference:
    from ..schemas.difference import compare

    told = {}
    for rename in renames:
        before, sign, after = rename.partition("=")
        if not (before and sign and after):
            raise UsageError(f"--rename {rename}: say OLD=NEW, the names of one field")
        told[before] = after
    # One at a time, as two files with the same name would be the same module.
    older = named(old, include)
    found = compare(older, named(new, include), told)
    known = {(change.before, change.after) for change in found.changes if change.kind == "renamed"}
    for before, after in told.items():
        if (before, after) not in known:
            raise UsageError(f"--rename {before}={after}: no record has lost {before} and gained {after}")
    return found


def _names(codecs: Sequence[str]) -> list[str]:
    """Return the codecs to try, without schemas, as each is tried with both versions.

    Raises:
        UsageError: A codec is not installed, or is compressed.
    """
    from ..codecs import describe, missing, select, split_name
    from ..codecs import names as known

    in_default_set = [
        name for name in known(needs_schema=True) if describe(name).in_default_set and missing(name) is None
    ]
    found: dict[str, None] = {}
    for name in select(codecs, default=in_default_set):
        base, _, compression = split_name(name)
        if compression is not None:
            raise UsageError(f"{name}: compressors do not use a schema; remove it")
        if (reason := missing(base)) is not None:
            raise UsageError(f"{base}: {reason}")
        found[base] = None
    return list(found)


def _given(
    source: str, records: int, how: Mapping[str, Any], difference: SchemaDifference
) -> tuple[list[Any], bool]:
    """Return the records of a file, and whether they have the newer version.

    Raises:
        UsageError: They match neither version.
    """
    from ..bench.versions.convert import as_version
    from ..datasets import corpus
    from ..datasets.readers.formats import codec_of

    rows = corpus(source, **how)
    with slow_progress(f"reading {source}") as show:
        found = rows.sample(records, show)
    report_remark(rows)
    report_skipped(rows.source, rows.skipped, rows.bad)
    codec = codec_of(source, how["format"])
    older, newer = (as_version(found, version, codec) for version in (difference.old, difference.new))
    if older.faults and newer.faults:
        raise UsageError(
            f"{source}: of neither version: {older.faults[0]} in the old one, {newer.faults[0]} in the new "
            "one; `bakeoff schema validate` says more"
        )
    is_newer = bool(older.faults) or (not newer.faults and newer.unknown < older.unknown)
    return (newer.records, True) if is_newer else (older.records, False)
