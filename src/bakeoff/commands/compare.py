"""``bakeoff compare``: two result files, cell by cell, with an exit code for CI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ..errors import RunError, UsageError
from ._options import Share, format_option
from ._output import encoded, guard, layout, put

__all__ = ["command"]


@click.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@format_option("text", "md", "json")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write; - for standard output.")
@click.option(
    "--fail-over", "limit", type=Share("%", "0%"), help="Exit with 1 on a regression beyond this, such as 5%."
)
@click.option(
    "--confirm",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="BEFORE AFTER",
    help="An earlier pair of runs of the same two sides: fail only on what both pairs show.",
)
@click.option("--force", is_flag=True, help="Compare runs of different corpora or options all the same.")
def command(
    before: Path,
    after: Path,
    form: str,
    output: Path | None,
    limit: float | None,
    confirm: tuple[Path, Path] | None,
    force: bool,
) -> None:
    """Compare two runs of the same work: AFTER against BEFORE.

    A change counts when it is significant (intervals of the ratio, Holm over all cells) and above
    1 %; everything else is "same" or "not significant". --fail-over 5% fails on a significant
    regression whose estimate is beyond 5 %, on a codec that got worse in what it brings back, and
    on a new leak. Measure both sides on the same machine, one after the other; where it is not quiet,
    measure twice and --confirm the first pair by the second.

    Exit codes: 0 no regression, 1 a regression beyond --fail-over, 2 nothing was compared, or it could
    not be written.
    """
    from ..reports import compare_output as written
    from ..reports import markup, text
    from ..reports.compare import compare
    from ..reports.files import load

    guard(output, (before, after, *(confirm or ())))
    try:
        found = compare(load(before), load(after), force=force)
        if confirm:
            first, second = confirm
            found = replace(found, earlier=compare(load(first), load(second), force=force))
        if form == "json":
            content = written.json(found, limit)
        elif form == "md":
            content = markup.markdown(written.table(found, limit))
        else:
            content = text.render(written.table(found, limit), **layout(output))
        put(encoded(content), output)
    except RunError as error:
        # Exit code 1 is the regression's: CI must not take a damaged file or a full disk for one.
        raise UsageError(str(error)) from error
    if limit is not None and found.regressions(limit):
        raise RunError(written.summary(found, limit))
