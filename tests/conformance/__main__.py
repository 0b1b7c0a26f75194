"""Show what codecs do with the cases of public conformance suites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from bakeoff.codecs import select
from bakeoff.codecs.naming import split_name
from bakeoff.console import console, progress, show_table
from bakeoff.errors import UsageError
from bakeoff.escape import shortened

from .case import ConformanceVerdict
from .processes import LeftOut, Report, pair, report
from .suites import find
from .verdicts import ConformanceJudgement

COLUMNS: dict[ConformanceVerdict, str] = {
    "right accept": "right\naccepts",
    "right reject": "right\nrejects",
    "wrong accept": "wrong\naccepts",
    "wrong reject": "wrong\nrejects",
    "wrong value": "wrong\nvalues",
    "accepted": "either:\naccepted",
    "rejected": "either:\nrejected",
    "fault": "faults",
}
WRONG = ("wrong accept", "wrong reject", "wrong value", "fault")
LEGEND = (
    "either: the format leaves it to the implementation. "
    "exact: correctly decoded values that are encoded with the suite's bytes."
)
MOST = 100
"""Characters of a reason."""


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("selection", nargs=-1, metavar="[CODEC]...")
def main(folder: Path, selection: tuple[str, ...]) -> None:
    """Run the suites in FOLDER on codecs: names or globs, by default all that are installed.

    Exit codes: 0 every case has a verdict, 1 a foreign exception or a dead process, 2 no such codec or suite.
    """
    try:
        copies = find(folder)
        chosen = select(selection)
        for name in chosen:
            base, schema, compression = split_name(name)
            if schema or compression:
                raise UsageError(f"{name}: suites contain bare payloads; test {base}")
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    pairs, left_out = pair(chosen, copies)
    if not pairs:
        why = "; ".join(f"{codec}: {reason}" for codec, reason in left_out)
        raise click.UsageError(f"{folder}: no suite for these codecs ({why})")
    found: list[Report] = []
    try:
        with progress() as display:
            task = display.add_task("", total=len(pairs))
            for name, copy in pairs:
                display.update(task, description=name)
                found.append(report(name, copy))
                display.advance(task)
    finally:
        # The faults found so far count after Ctrl-C, too.
        if found:
            _print(found, left_out)
    if any(each.count("fault") for each in found):
        raise click.exceptions.Exit(1)


def _print(found: Sequence[Report], left_out: Sequence[LeftOut]) -> None:
    rows = []
    for each in found:
        tried = [judgement.exact for _, judgement in each.judgements if judgement.exact is not None]
        counts = [each.count(verdict) for verdict in COLUMNS]
        exact = f"{sum(tried)} of {len(tried)}" if tried else ""
        rows.append((each.codec, each.copy.suite.name, len(each.judgements), *counts, exact))
    numbers = ("cases", *COLUMNS.values(), "exact")
    show_table(("codec", "suite", *numbers), rows, right=numbers)
    screen = console()
    screen.print(LEGEND, style="dim")
    reasons: dict[str, list[str]] = {}
    for codec, reason in left_out:
        reasons.setdefault(reason, []).append(codec)
    lines = [f"left out: {', '.join(codecs)}: {reason}" for reason, codecs in reasons.items()]
    lines += [_line(each.codec, case, judgement) for each in found for case, judgement in _notable(each)]
    for line in lines:
        screen.print(line, soft_wrap=True)


def _notable(each: Report) -> Iterator[tuple[str, ConformanceJudgement]]:
    for case, judgement in each.judgements:
        if judgement.verdict in WRONG or judgement.exact is False:
            yield case, judgement


def _line(codec: str, case: str, judgement: ConformanceJudgement) -> str:
    kind = judgement.verdict if judgement.verdict in WRONG else "inexact"
    return f"{codec}: {kind}: {case}: {shortened(' '.join(judgement.reason.split()), MOST)}"


if __name__ == "__main__":
    main()
