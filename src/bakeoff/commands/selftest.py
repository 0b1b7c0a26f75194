"""``bakeoff selftest``: check that this machine measures correctly."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ._grouped import GroupedCommand
from ._named import Choice, Whole
from ._written import format_option

PARTS = ("harness", "core", "pairs", "planted", "leaks", "clean", "failures", "peak")
"""Parts of `bench.selftest`, listed here so that ``--help`` does not import the harness."""


@click.command(
    "selftest",
    cls=GroupedCommand,
    codes="0 all targets met, 1 a target was missed, 2 usage error",
)
@click.option(
    "--repetitions",
    "times",
    type=Whole(),
    help="Repetitions of pairs, planted, leaks and clean. [default: under a minute in all]",
)
@click.option("--only", type=Choice(PARTS), multiple=True, help="Run only these parts; repeatable.")
@format_option("text", "json")
@click.pass_context
def command(ctx: click.Context, times: int | None, only: tuple[str, ...], form: str) -> None:
    """Check that this machine measures correctly.

    Runs cases with a known answer: the same codec under two names must tie, 2 % more work and deliberate
    leaks must be found, clean codecs must not be flagged, and codecs that crash, hang or give wrong results
    must lose only their own row. It also shows how often another tenant, such as another virtual machine,
    uses the same physical core.
    """
    from ..bench.lab.selftest import checks as selftest
    from ..console import progress, show_on, show_table

    wanted = {name: times or usual for name, (_, usual) in selftest.PARTS.items() if not only or name in only}
    with progress() as display:
        findings = list(selftest.run(wanted, show_on(display)))
    if form == "json":
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        marks = {True: ("ok", "green"), False: ("MISSED", "bold red")}
        rows = [(marks[found.ok], found.what, found.found, found.target) for found in findings]
        show_table(("", "tried", "found", "target"), rows)
    if not all(finding.ok for finding in findings):
        ctx.exit(1)
