"""``bakeoff attack``: check codecs with hostile payloads and objects against their promise."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..console import show_table
from ..errors import UsageError, hint, near
from . import _completion
from ._grouped import GroupedCommand
from ._options import Size, Time
from ._written import format_option

if TYPE_CHECKING:
    from ..bench.lab.hostile.campaign import AttackedCodec, AttackFinding
    from ..bench.lab.hostile.promises import Promise

_USUAL = 85
"""Cases of most codecs."""
_MOST_PART = 0.99


@click.command(
    "attack",
    cls=GroupedCommand,
    codes="0 all promises kept, 1 a promise was broken, 2 no such codec or case",
)
@click.argument("selection", nargs=-1, metavar="[CODEC]...", shell_complete=_completion.codecs)
@click.option(
    "--only", multiple=True, metavar="PATTERN", help="Run only these cases: names or globs; repeatable."
)
@click.option(
    "--max-time",
    "seconds",
    type=Time("1ms"),
    default="1s",
    show_default=True,
    help="Maximum time per call: 2s, 500ms.",
)
@click.option(
    "--max-memory",
    "memory",
    type=Size("mib"),
    default="256MiB",
    show_default=True,
    help="Maximum memory per call: 64MiB, 1G; plain numbers are MiB.",
)
@click.option("--cases", is_flag=True, help="Show each case of each codec.")
@click.option("--list", "listing", is_flag=True, help="List the cases and run none.")
@format_option("text", "md", "csv", "json")
@click.pass_context
def command(
    ctx: click.Context,
    selection: tuple[str, ...],
    only: tuple[str, ...],
    seconds: float,
    memory: int,
    cases: bool,
    listing: bool,
    form: str,
) -> None:
    """Attack codecs with hostile payloads and objects, and check that they keep their promise.

    The promise: a payload becomes a record or raises DecodeError (LimitError if it is too large or too deep),
    an object becomes a payload or raises EncodeError, and an interrupt gets through. Nothing else is raised,
    no process dies, and no call exceeds --max-time or --max-memory. Each codec runs in separate processes.

    CODEC may be a glob. Without it, all installed codecs are tried, and msgpack with each compressor.
    """
    from ..bench.lab.hostile.campaign import check
    from ..bench.lab.hostile.collection import CASES
    from ..bench.lab.hostile.promises import Promise
    from ..console import progress, show_on, show_text
    from ..reports import written
    from ..reports.tables import attack
    from ._output import layout

    for pattern in only:
        if not any(case.fits([pattern]) for case in CASES):
            alike = near(pattern, {case.title for case in CASES})
            raise UsageError(f"no case {pattern!r}; {hint(alike, '`bakeoff attack --list` lists them')}")
    if listing:
        _list(_selected(selection) if selection else (), only)
        return
    names = _selected(selection)
    promise = Promise(seconds, memory)
    found: list[AttackedCodec] = []
    try:
        with progress() as display:
            step = show_on(display)

            def show(name: str, tried: int) -> None:
                # How many cases a codec has is known at its end.
                cases = len(found[-1].findings) if found else _USUAL
                part = min(tried / max(cases, 1), _MOST_PART)
                step(f"{name}: {tried} cases", len(found) + part, len(names))

            found.extend(check(names, only, promise, show))
    except KeyboardInterrupt:
        click.echo(f"stopped early: {len(found)} of {len(names)} codecs were attacked", err=True)
        raise
    finally:
        # The faults found so far count after Ctrl-C, too.
        facts = _plain(found, promise)
        if form == "json":
            click.echo(json.dumps(facts, indent=2))
        elif found:
            build, told = attack.by_case if cases else attack.by_codec, _broken(found)
            # A terminal must not wrap the commands to be copied.
            table = build(facts, () if form == "text" else map(str.strip, told))
            show_text(written(table, form, **layout(None)))
            for line in told if form == "text" else ():
                click.echo(line)
    if not all(each.ok for each in found):
        ctx.exit(1)


def _selected(selection: tuple[str, ...]) -> list[str]:
    from .. import codecs
    from ..codecs.streams.compression import COMPRESSORS, compressor

    compressed = []
    for name in COMPRESSORS:
        with contextlib.suppress(codecs.MissingLibrary):
            compressed.append(f"msgpack|{compressor(name).name}")
    guarded = [name for name in codecs.available() if not codecs.describe(name).unguarded]
    names = codecs.select(selection, default=guarded + compressed)
    for name in names:
        if (reason := codecs.missing(name)) is not None:
            raise codecs.MissingLibrary(name, reason)
        declared = codecs.describe(codecs.split_name(name)[0])
        if declared.only:
            kinds = " or ".join(declared.values)
            raise UsageError(f"{name} cannot be attacked: the cases are dicts, and it takes only {kinds}")
    return names


def _list(names: Sequence[str], only: tuple[str, ...]) -> None:
    """Show the cases of some codecs, or all cases."""
    from ..bench.lab.hostile.attack import built
    from ..bench.lab.hostile.collection import CASES, cases_of

    cases = [case for case in CASES if case.fits(only)]
    if names:
        tried = {case.title for name in names for case in cases_of(built(name), only)}
        cases = [case for case in cases if case.title in tried]
    rows = [(case.title, ", ".join(sorted(case.wires or ("all",))), case.what) for case in cases]
    show_table(("case", "for", "what"), rows, whole=2)


def _broken(found: list[AttackedCodec]) -> list[str]:
    """Return each broken promise with the command that reproduces it; for known faults, the reason."""
    lines: list[str] = []
    for each in found:
        if each.failed:
            lines += [f"{each.codec}: could not be tested: {each.failed}"]
        lines += [line for finding in each.findings if finding.verdict != "kept" for line in _told(finding)]
    return lines


def _told(finding: AttackFinding) -> list[str]:
    from ..reports.tables.attack import memory_said, seconds_said

    seen, head = finding.seen, f"{finding.codec} {finding.case.title}"
    if finding.known is not None and finding.verdict == "known":
        return [f"{head}: known, the library's fault: {finding.known.reason}"]
    if finding.known is not None and finding.verdict == "out of date":
        return [f"{head}: no longer {finding.known.outcome}: bench/lab/hostile/faults.py is out of date"]
    took = f" in {seconds_said(seen.seconds)}, with {memory_said(seen.memory)}"
    figures = "" if math.isnan(seen.seconds) else took
    said = f" ({seen.said})" if seen.said else ""
    return [
        f"{head}: {', '.join(finding.broken)}: {finding.case.what}: {seen.outcome}{figures}{said}",
        f"    {finding.reproduction}",
    ]


def _plain(found: list[AttackedCodec], promise: Promise) -> dict[str, Any]:
    return {
        "promise": {"seconds": promise.seconds, "memory": promise.memory},
        "codecs": [
            {
                "codec": each.codec,
                "ok": each.ok,
                "failed": each.failed,
                "cases": [
                    {
                        "direction": finding.case.direction,
                        "case": finding.case.name,
                        "what": finding.case.what,
                        "outcome": finding.seen.outcome,
                        "said": finding.seen.said,
                        "calls": finding.seen.calls,
                        "accepted": finding.seen.passed,
                        "seconds": _number(finding.seen.seconds),
                        "memory": _number(finding.seen.memory),
                        "verdict": finding.verdict,
                        "broken": list(finding.broken),
                        "known": finding.known.reason if finding.known else "",
                    }
                    for finding in each.findings
                ],
            }
            for each in found
        ],
    }


def _number(value: float) -> float | None:
    """Return a number, or None for NaN, which JSON lacks."""
    return None if math.isnan(value) else value
