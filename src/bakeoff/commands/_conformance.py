"""``bakeoff attack --conformance``: results of codecs on public test suites."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..escape import shortened

if TYPE_CHECKING:
    from ..bench.lab.conformance.case import ConformanceVerdict
    from ..bench.lab.conformance.run import LeftOut, Report
    from ..bench.lab.conformance.verdicts import ConformanceJudgement

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
"""Characters of a reason in the text format; JSON has all."""


def show(folder: Path, selection: Sequence[str], form: str) -> None:
    """Run suites on the codecs of their formats and print the results, after Ctrl-C those so far.

    Args:
        folder: A copy of a suite, or a folder with several.
        selection: Names or globs; the installed codecs if empty.
        form: "text" or "json".

    Raises:
        UsageError: The folder has no suite, or none for these codecs.
        click.exceptions.Exit: With 1 if a codec has a fault or could not be created.
    """
    from ..bench.lab.conformance.run import pair, reports
    from ..bench.lab.conformance.suites import find
    from ..bench.run.processes import LocalExecutor
    from ..codecs import select
    from ..codecs.registry import split_name
    from ..console import progress
    from ..errors import UsageError

    copies = find(folder)
    chosen = select(selection)
    for name in chosen:
        base, schema, compression = split_name(name)
        if schema or compression:
            raise UsageError(f"{name}: suites contain bare payloads; test {base}")
    found: list[Report] = []
    with LocalExecutor() as executor:
        pairs, left_out = pair(chosen, copies, executor)
        if not pairs:
            why = "; ".join(f"{codec}: {reason}" for codec, reason, _ in left_out)
            raise UsageError(f"{folder}: no suite for these codecs ({why})")
        try:
            with progress() as display:
                task = display.add_task("", total=len(pairs))
                for number, report in enumerate(reports(pairs, executor), 1):
                    found.append(report)
                    display.update(task, description=report.codec, completed=number)
        finally:
            # The faults found so far count after Ctrl-C, too.
            if form == "json" and found:
                click.echo(json.dumps(_plain(found, left_out), indent=2))
            elif found:
                _print(found, left_out)
    if any(codec.failed for codec in left_out) or any(report.count("fault") for report in found):
        raise click.exceptions.Exit(1)


def _plain(found: Sequence[Report], left_out: Sequence[LeftOut]) -> dict[str, Any]:
    return {
        "reports": [
            {
                "codec": report.codec,
                "suite": report.copy.suite.name,
                "folder": str(report.copy.folder),
                "cases": len(report.judgements),
                **{verdict.replace(" ", "_"): report.count(verdict) for verdict in COLUMNS},
                "exact": _exact(report)[0],
                "inexact": _exact(report)[1],
                "findings": [{"case": case, **judgement._asdict()} for case, judgement in _notable(report)],
            }
            for report in found
        ],
        "left_out": [codec._asdict() for codec in left_out],
    }


def _exact(report: Report) -> tuple[int, int]:
    """Return the number of values written as in the suite, and the number written differently."""
    tried = [judgement.exact for _, judgement in report.judgements if judgement.exact is not None]
    return sum(tried), len(tried) - sum(tried)


def _notable(report: Report) -> Iterator[tuple[str, ConformanceJudgement]]:
    for case, judgement in report.judgements:
        if judgement.verdict in WRONG or judgement.exact is False:
            yield case, judgement


def _print(found: Sequence[Report], left_out: Sequence[LeftOut]) -> None:
    from ..console import console, show_table

    rows = []
    for report in found:
        exact, inexact = _exact(report)
        counts = [report.count(verdict) for verdict in COLUMNS]
        tried = f"{exact} of {exact + inexact}" if exact + inexact else ""
        rows.append((report.codec, report.copy.suite.name, len(report.judgements), *counts, tried))
    numbers = ("cases", *COLUMNS.values(), "exact")
    show_table(("codec", "suite", *numbers), rows, right=numbers)
    screen = console()
    screen.print(LEGEND, style="dim")
    for line in [*_left_out(left_out), *(line for report in found for line in _findings(report))]:
        # A library's error may quote the payload.
        shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
        screen.print(shown, markup=False, soft_wrap=True)


def _left_out(left_out: Sequence[LeftOut]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for codec, reason, _ in left_out:
        reasons.setdefault(reason, []).append(codec)
    for reason, codecs in reasons.items():
        yield f"left out: {', '.join(codecs)}: {reason}"


def _findings(report: Report) -> Iterator[str]:
    for number, (case, judgement) in enumerate(_notable(report)):
        if not number:
            yield ""
        kind = judgement.verdict if judgement.verdict in WRONG else "inexact"
        reason = shortened(" ".join(judgement.reason.split()), MOST)
        yield f"{report.codec}: {kind}: {case}: {reason}"
