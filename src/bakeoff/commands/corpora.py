"""``bakeoff corpora``: list the corpora, or describe one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from ..escape import shortened
from . import _completion
from ._grouped import GroupedCommand
from ._options import RECORDS, reading, seed_option
from ._records import report_remark, report_skipped, slow_progress
from ._written import format_option


@click.command(
    "corpora",
    cls=GroupedCommand,
    codes="0 ok, 1 the records could not be read or written, 2 usage error",
)
@click.argument("source", required=False, metavar="[NAME|FILE]", shell_complete=_completion.corpora)
@click.option("-n", "--records", type=RECORDS, help="Number of records; of your own files at most.")
@seed_option
@reading
@format_option("text", "json")
def command(
    source: str | None,
    records: int | None,
    seed: int | None,
    how: Mapping[str, Any],
    form: str,
) -> None:
    """List the built-in corpora, or describe one: number of records, hash, sizes, types, nesting."""
    from .. import datasets

    if source is None:
        _list(form)
        return
    made = datasets.corpus(source, records, datasets.DEFAULT_SEED if seed is None else seed, **how)
    with slow_progress(f"reading {source}") as show:
        first = made.sample(1_000, show)[0]
    facts = {
        "name": made.name,
        "source": made.source,
        "description": made.description,
        "records": made.count(),
        "skipped": made.skipped,
        "sha256": made.sha256,
        "profile": made.profile(),
    }
    if form == "json":
        click.echo(json.dumps(facts, indent=2))
    else:
        _show(facts, first)
    report_remark(made)
    report_skipped(made.source, made.skipped, made.bad)


def _list(form: str) -> None:
    from .. import datasets

    facts = [{"name": name, "description": datasets.corpus(name).description} for name in datasets.names()]
    if form == "json":
        click.echo(json.dumps(facts, indent=2))
        return
    for fact in facts:
        click.echo(f"{fact['name']:10}{fact['description']}")
    click.echo("\nor FILE, FOLDER, - (standard input), module:name or FILE.py:name")


def _show(facts: dict[str, Any], first: Any) -> None:
    from ..reports.model.profiled import profile_lines

    profile = facts["profile"]
    click.echo(f"{facts['name']}: {facts['description']}")
    lines = [("records", f"{facts['records']:,}"), ("sha256", facts["sha256"]), *profile_lines(profile)]
    for label, text in lines:
        click.echo(f"  {label:14}{text}")
    click.echo(f"  {'for instance':14}{shortened(repr(first), 300)}")
    if profile["sample"] < facts["records"]:
        click.echo(f"  (all but the number and sha256: of {profile['sample']:,} records)")
