"""``bakeoff codecs``: all codecs, whether they are installed, and the types that they preserve."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

import click

from ..errors import UsageError
from ..grid import draw
from . import _completion
from ._grouped import GroupedCommand
from ._output import typed
from ._written import format_option

COLUMNS = ("codec", "format", "version", "accelerated", "trusted only", "preserves", "guards", "media type")

_TABLES = ("--conventions", "--policies", "--limits")
"""The options that show another table."""

PATIENCE = 20.0
"""Seconds within which a third-party codec must be imported and created."""
MEMORY = 2 << 30
"""Limit for its address space in bytes."""


@click.command("codecs", cls=GroupedCommand)
@click.argument("selection", nargs=-1, metavar="[CODEC]...", shell_complete=_completion.codecs)
@format_option("text", "json")
@click.option("--conventions", is_flag=True, help="Show how each format writes types it lacks, as Markdown.")
@click.option(
    "--policies",
    is_flag=True,
    help="Show what each codec does with duplicate keys, NaN and others, as Markdown.",
)
@click.option("--limits", is_flag=True, help="Show the default limits on payloads.")
def command(selection: tuple[str, ...], form: str, conventions: bool, policies: bool, limits: bool) -> None:
    """List codecs, with the extra to install, media type, and the types that they preserve.

    The guards column shows the overhead over the library's own call on messages, if it is above 3 %.
    `bakeoff run --raw` measures it on your records.

    CODEC may be a glob. If it names one codec, everything known about it is shown.
    """
    from .. import codecs

    tables = [option for option in typed(click.get_current_context()) if option in _TABLES]
    # JSON has the policies and limits of each codec anyway.
    named = [*tables, *["-f json"] * (form == "json" and conventions)]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} show different things; choose one")
    if conventions and selection:
        raise UsageError(f"--conventions is on all formats; remove {' '.join(selection)}")
    if conventions:
        _show_conventions()
        return
    chosen = codecs.select(selection, default=codecs.names(needs_schema=True, only_values=True))
    known = [_facts(name) for name in chosen]
    if form == "json":
        click.echo(json.dumps(known, indent=2))
    elif policies:
        _show_policies(known)
    elif limits:
        _show_limits(known)
    elif len(known) == 1:
        _show_one(known[0])
    else:
        _show_table(known)


def _show_conventions() -> None:
    from ..codecs.conventions.families import documented
    from ..codecs.registry import formats

    families = [each.family for each in formats().values() if each.family is not None]
    header, *rows = documented(families)
    click.echo(draw("markdown", header, rows))


def _matrix(facts: list[dict[str, Any]], key: str, names: Iterable[str], word: Callable[[Any], str]) -> str:
    """Return a table of the codecs, with a column for each name."""
    columns, rows = list(names), []
    for fact in facts:
        found = fact.get(key)
        reason = fact.get("failed", fact["missing"])
        cells = [word(found[name]) for name in columns] if found else [reason, *[""] * (len(columns) - 1)]
        rows.append([fact["name"], *cells])
    return draw("markdown", ["codec", *columns], rows)


def _show_policies(facts: list[dict[str, Any]]) -> None:
    from ..codecs.safety.policies import POLICIES, documented

    click.echo(_matrix(facts, "policies", POLICIES, _policy))
    click.echo()
    header, *meanings = documented()
    click.echo(draw("markdown", header, meanings))


def _show_limits(facts: list[dict[str, Any]]) -> None:
    from ..codecs.limits import LIMITS

    click.echo(_matrix(facts, "limits", LIMITS, _limit))
    click.echo(
        "\nEmpty cells: decompressed is the same as size; for all others, the library's limit applies."
    )


def _limit(limit: int | None) -> str:
    return "" if limit is None else f"{limit:,}"


def _limits(limits: dict[str, int | None]) -> str:
    return ", ".join(f"{name} {limit:,}" for name, limit in limits.items() if limit is not None)


def _policy(stated: dict[str, Any]) -> str:
    """Return the policy's value, and other possible values in brackets."""
    others = f" ({', '.join(stated['can'])})" if stated["can"] else ""
    return (stated["now"] or "not stated") + others


def _facts(name: str) -> dict[str, Any]:
    from .. import codecs
    from ..codecs.core.policy_resolution import described
    from ..codecs.safety.guards import GUARDS

    declaration = codecs.describe(name)
    facts: dict[str, Any] = {
        "name": name,
        "format": declaration.format,
        "library": declaration.library or "Python",
        "extra": declaration.extra,
        "trusted_only": declaration.trusted_only,
        "missing": codecs.missing(name) or "",
        "guards": [guard.cost for guard in GUARDS.get(name, ())],
    }
    if facts["missing"]:
        return facts
    if declaration.entry_point:
        return facts | _isolated(name)
    try:
        made = codecs.codec(name)
        stated = {"limits": asdict(made.limits), "policies": described(made.spec), "peeks": made.peeks}
        return facts | codecs.facts(made) | stated
    except codecs.CodecError as error:
        return facts | {"failed": error.reason}


def _isolated(name: str) -> dict[str, Any]:
    """Inspect a third-party codec in a separate process, which it may crash."""
    from ..bench.messages.describe import Describe

    try:
        from ..bench.run.processes import LocalExecutor
    except UsageError as error:
        return {"failed": str(error)}
    with LocalExecutor() as executor:
        ended = executor.work(Describe(codec=name, memory=MEMORY), patience=PATIENCE)
    if ended.answer is not None:
        return dict(ended.answer.facts)
    return {"failed": ended.sentence}


def _status(fact: dict[str, Any]) -> str | tuple[str, str]:
    if "failed" in fact:
        return "failed"
    if fact["missing"]:
        return f"pip install 'bakeoff[{fact['extra']}]'", "dim"
    return str(fact["version"])


def _accelerated(fact: dict[str, Any]) -> str | tuple[str, str]:
    if fact.get("accelerated") is None:
        return ""
    if fact["accelerated"]:
        return "yes"
    return "pure" if fact["name"].endswith("/pure") else ("MISSING", "bold red")


def _show_table(facts: list[dict[str, Any]]) -> None:
    from ..console import console, show_table

    rows = [
        (
            fact["name"],
            fact["format"],
            _status(fact),
            _accelerated(fact),
            "yes" if fact["trusted_only"] else "",
            f"{len(fact['preserves'])} types" if "preserves" in fact else "",
            ", ".join(fact["guards"]),
            fact.get("media_type", ""),
        )
        for fact in facts
    ]
    show_table(COLUMNS, rows)
    screen = console()
    for fact in facts:
        if "failed" in fact:
            screen.print(f"{fact['name']}: {fact['failed']}", markup=False)
    for text, names in _faults(facts).items():
        screen.print(f"{', '.join(names)}: {text}", markup=False)
    screen.print(
        "`bakeoff codecs NAME` shows what a codec preserves, loses and refuses.", style="dim", markup=False
    )


def _faults(facts: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the notes on faults of installed versions, each with the names of the codecs."""
    from ..codecs.conventions.notes import VERSION

    found: dict[str, list[str]] = {}
    for fact in facts:
        for text, about in zip(fact.get("notes", ()), fact.get("about", ()), strict=True):
            if about == VERSION:
                found.setdefault(text, []).append(fact["name"])
    return found


def _show_one(fact: dict[str, Any]) -> None:
    for key, value in fact.items():
        if key == "about" or value in ("", [], None):
            continue
        shown = ", ".join(value) if key == "preserves" else _limits(value) if key == "limits" else value
        if key == "policies":
            shown = [f"{name} {_policy(stated)}" for name, stated in value.items()]
        for line in shown if isinstance(shown, list) else [shown]:
            click.echo(f"{key.replace('_', ' '):13} {line}")
