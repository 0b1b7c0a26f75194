"""``bakeoff compare``: two result files, cell by cell, with an exit code for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import RunError, UsageError
from ..files import is_watch_file
from ._confirm import TypedOptions, confirm
from ._grouped import GroupedCommand
from ._options import Share, Time, trusted_option
from ._output import exit_code_1_is_an_answer, guard, put, put_table, typed
from ._written import writing

if TYPE_CHECKING:
    from ..reports.decide.compare import Gate

_COUNTS = 0.005
"""Limit of a regression in instructions."""
_OF_CONFIRM = (
    "--python-before", "--python-after", "--corpus", "--schema", "--trust-files", "--budget",
)  # fmt: skip
"""The options that say how to measure again."""


@click.command(
    cls=GroupedCommand,
    codes="0 no regression, 1 a regression above --fail-above or a figure that was not measured,"
    " 2 undecided, nothing was compared, or the result could not be written",
)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@writing("text", "md", "json")
@click.option(
    "--fail-above",
    "limit",
    type=Share("%", "0%"),
    help="Exit with 1 on a regression above this, such as 5%.",
)
@click.option(
    "--counts",
    is_flag=True,
    help="Compare only the instructions that `bakeoff run --count` has counted; --fail-above is then "
    f"{100 * _COUNTS:g}%.",
)
@click.option(
    "--confirm",
    "again",
    is_flag=True,
    help="Measure figures that would fail --fail-above again, both sides in turn.",
)
@click.option(
    "--python-before",
    metavar="PYTHON",
    help="Interpreter of the environment of BEFORE, for --confirm.  [default: this one]",
)
@click.option(
    "--python-after",
    metavar="PYTHON",
    help="Interpreter of the environment of AFTER, for --confirm.  [default: this one]",
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="SOURCE",
    help="The corpus to measure with --confirm; repeatable.  [default: that of BEFORE]",
)
@click.option("--schema", metavar="SCHEMA", help="Schema in Python for --confirm, as the run had it.")
@trusted_option
@click.option("--budget", type=Time("1s"), default="2min", show_default=True, help="Most time for --confirm.")
@click.option("--force", is_flag=True, help="Even if corpora or options differ, compare the runs.")
def command(
    before: Path,
    after: Path,
    form: str,
    output: Path | None,
    limit: float | None,
    counts: bool,
    again: bool,
    python_before: str | None,
    python_after: str | None,
    corpora: tuple[str, ...],
    schema: str | None,
    trust_files: bool,
    budget: float,
    force: bool,
) -> None:
    """Compare two runs of the same work: AFTER against BEFORE.

    A change counts if it is above 1 % and statistically significant; everything else is "same" or "not
    significant". Intervals have the level of the verdicts. --fail-above 5% fails on
    a significant regression with an estimate above 5%, on a figure that BEFORE has and AFTER lacks, on a
    codec that preserves less or fails, and on a new leak. It cannot decide if a figure could have become
    worse by 10% (`at worst`), or if another tenant used the core in only one of the runs. The first line
    gives the exit code and its reason.

    --counts compares instructions, which have no noise: on any machine with the same Python, Valgrind and
    builds of the libraries. A count that one side lacks fails.

    Measure both sides on the same machine, one after the other. --confirm measures figures that would not
    pass again, in short processes that alternate between the two sides.

    Two files of `bakeoff watch` are compared by function and direction: share of CPU, CPU and bytes per
    call, calls. --fail-above then applies to what a call costs.
    """
    from .._result import compared
    from ..datasets.corpora import Sources
    from ..reports.decide import compare_output as written
    from ..reports.decide.compare import Comparison
    from ..reports.model.files import load

    if counts and limit is None:
        limit = _COUNTS
    if unused := _unused(counts=counts, confirm=again, limit=limit):
        click.echo(unused, err=True)
    again = again and not counts
    guard(output, (before, after))
    Sources(corpora, {"trust_files": trust_files}).validate()
    if is_watch_file(before) and is_watch_file(after):
        _compare_watches(before, after, form, output, limit)
        return
    with exit_code_1_is_an_answer():
        old, new = load(before), load(after)
        found: Comparison = compared(old, new, force=force, counts=counts)
        if again and limit is not None:
            how = TypedOptions((python_before, python_after), corpora, schema, trust_files, budget)
            found = confirm(found, (old, new), limit, how)
        conclusion = written.conclusion(found, limit)
        if form == "json":
            put(written.json(found, limit), output)
        else:
            put_table(written.table(found, limit, conclusion), form, output)
    if limit is None:
        return
    way = "a longer --budget" if again else "--confirm, which measures both sides in turn,"
    end = f" {way} can decide" if any(change.timed for change in found.undecided(limit)) else ""
    _end(found.gate(limit), conclusion, end)


def _unused(*, counts: bool, confirm: bool, limit: float | None) -> str:
    """Return what has nothing to do, in a sentence."""
    if confirm and counts:
        return "--confirm is not used: --counts compares instructions, which have no noise"
    if confirm and limit is None:
        return "--confirm is not used: it measures what would not pass --fail-above"
    idle = [name for name in typed(click.get_current_context()) if name in _OF_CONFIRM]
    return f"{', '.join(idle)}: not used without --confirm" if idle and not confirm else ""


def _end(verdict: Gate, said: str, way: str) -> None:
    """Exit as a gate says.

    Raises:
        RunError: The limit is exceeded.
        UsageError: It is undecided; `way` says what can decide.
    """
    if verdict == "failed":
        raise RunError(said)
    if verdict == "undecided":
        raise UsageError(said + way)


def _compare_watches(before: Path, after: Path, form: str, output: Path | None, limit: float | None) -> None:
    """Compare two files of `bakeoff watch`.

    Raises:
        UsageError: Another option, a damaged file, nothing to compare, or the limit is undecided.
        RunError: Beyond the limit.
    """
    from ..bench.results.watched import read_watch
    from ..reports.decide.compare_watches import compare, conclusion, json, table

    known = {"before", "after", "--format", "--output", "--fail-above"}
    if others := set(typed(click.get_current_context())) - known:
        raise UsageError(f"two files of `bakeoff watch` take no {', '.join(sorted(others))}")
    with exit_code_1_is_an_answer():
        found = compare(read_watch(before), read_watch(after))
        if form == "json":
            put(json(found, limit), output)
        else:
            put_table(table(found, limit, conclusion(found, limit)), form, output)
    if limit is None:
        return
    _end(found.gate(limit), conclusion(found, limit), " a longer watch can decide")
