"""Earlier results in folders: reading them, and comparing a new run with the newest that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..escape import visible
from ._output import put_table
from ._records import slow_progress

if TYPE_CHECKING:
    from ..bench.results import ResultData


def results_in(paths: Sequence[Path]) -> list[ResultData]:
    """Read all result files in folders, and name other files on stderr.

    Raises:
        UsageError: There is no such folder or file, or the only path is a file that is not a result.
    """
    from ..reports.model.files import load_folders

    skipped: list[str] = []
    with slow_progress("reading results") as show:
        found = load_folders(paths, skipped.append, show)
    for why in skipped:
        click.echo(f"skipped: {visible(why)}", err=True)
    return found


def print_comparison(earlier: Sequence[ResultData], result: ResultData, ending: str) -> None:
    """Print the comparison with the newest earlier run that did the same work on the same machine.

    Args:
        ending: The exit code of the run, and its reason; it does not depend on the comparison.
    """
    from .._result import compared
    from ..reports.decide.compare_output import summary, table
    from ..reports.decide.history import obstacles

    ordered = sorted((run for run in earlier if run.started < result.started), key=lambda run: run.started)
    for run in reversed(ordered):
        if obstacles(run, result):
            continue
        try:
            found = compared(run, result)
        except UsageError:  # no cell in common
            continue
        click.echo(f"\ncompared with the run of {run.started}:\n")
        said = summary(found).removesuffix(".")
        closing = f"{ending}; --baseline does not change it: {said}."
        put_table(replace(table(found), opening="", recommendation=closing), "text")
        return
    why = "it has no earlier run"
    if ordered:
        differing = obstacles(ordered[-1], result) or ["no corpus, operation and codec in common"]
        why = f"its newest run, of {ordered[-1].started}, differs: {'; '.join(differing)}"
    click.echo(f"{ending}; not compared with --baseline: {why}", err=True)
