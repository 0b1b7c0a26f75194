"""``bakeoff history``: figures of many runs over time, and where they changed."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import RunError, UsageError, hint, near
from . import _completion
from ._earlier import results_in
from ._grouped import GroupedCommand
from ._named import LISTED
from ._options import Share
from ._output import exit_code_1_is_an_answer, guard, put, put_table
from ._placed import listed
from ._written import writing

if TYPE_CHECKING:
    from ..bench.results import ResultData


@click.command(
    cls=GroupedCommand,
    codes="0 ok, 1 the newest run is worse by more than --fail-above, 2 no history, or it could "
    "not be written",
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@writing("text", "md", "csv", "json", "html")
@click.option(
    "-c",
    "--codec",
    "codecs",
    type=LISTED,
    multiple=True,
    metavar="NAME",
    help="Codecs to show, with * and !exclusion; repeatable.  [default: all]",
    shell_complete=_completion.codecs,
)
@click.option(
    "--ops",
    "operations",
    default="",
    type=LISTED,
    metavar="LIST",
    help="Comma-separated operations to show: dump,load,size.  [default: all]",
    shell_complete=_completion.operations,
)
@click.option(
    "--fail-above",
    "limit",
    type=Share("%", "0%"),
    help="Exit with 1 if the newest run is worse than the runs before it by more than this, such as 5%.",
)
def command(
    folders: Sequence[Path],
    form: str,
    output: Path | None,
    codecs: tuple[str, ...],
    operations: str,
    limit: float | None,
) -> None:
    """Show the figures of many runs over time, and the runs from which they changed.

    DIR is a folder of result files with any names; other files in it are named and skipped. Each codec
    and operation is a line. Runs on different machines, of other records or with other options are never
    in one line. A change point names what differs between the runs on each side of it: the library, Python,
    bakeoff, the platform.

    --fail-above 5% fails if a figure of the newest run is significantly worse than its level before, by
    more than 5%, or if a codec of the newest run fails that did not before.
    """
    from ..bench.past import Past
    from ..reports.decide import history_output as written
    from ..reports.decide.history import history, regressions

    guard(output)
    if not (results := results_in(folders)):
        where = ", ".join(map(str, folders))
        raise UsageError(f"{where}: no result file; `bakeoff run -o FILE` writes one")
    wanted = listed([operations])
    _check_named(results, listed(codecs), wanted)
    found = history(
        results,
        codecs=codecs,
        operations=wanted,
        sessions=lambda runs: Past(runs).sessions(),
    )
    with exit_code_1_is_an_answer():
        if form == "json":
            put(written.json(found), output)
        elif form == "html":
            from ..reports.page.history import render

            put(render(found), output)
        else:
            put_table(written.figures(found) if form == "csv" else written.table(found), form, output)
    if limit is not None and (worse := regressions(found, limit)):
        raise RunError(written.summary(worse, limit))


def _check_named(results: Sequence[ResultData], codecs: Sequence[str], operations: Sequence[str]) -> None:
    """Refuse codecs and operations that are in no result.

    Raises:
        UsageError: It names the first one.
    """
    cells = [each.cell for result in results for each in result.cells]
    measured = {cell.codec for cell in cells}
    for pattern in (text.removeprefix("!") for text in codecs):
        if not any(fnmatchcase(name, pattern) for name in measured):
            there = f"there are {', '.join(sorted(measured))}"
            raise UsageError(f"no codec {pattern!r} in these results; {hint(near(pattern, measured), there)}")
    known = {cell.operation_name for cell in cells}
    for name in operations:
        if name not in known:
            there = f"there are {', '.join(sorted(known))}"
            raise UsageError(f"no operation {name!r} in these results; {hint(near(name, known), there)}")
