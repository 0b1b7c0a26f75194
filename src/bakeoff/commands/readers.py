"""``bakeoff readers``: list and build the workers that read payloads in other languages."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from ..console import progress, show_on, show_table
from ..errors import BakeoffError, UsageError
from ._grouped import GroupedCommand

if TYPE_CHECKING:
    from ..bench.foreign.builds import Build


@click.command(
    "readers",
    cls=GroupedCommand,
    codes="0 ok, 1 a reader could not be built, 2 usage error",
)
@click.argument("languages", nargs=-1, metavar="[LANGUAGE...]")
@click.option("--offline", is_flag=True, help="Download nothing: the toolchain has done so before.")
def command(languages: tuple[str, ...], offline: bool) -> None:
    """Build the readers of other languages, or list them.

    A reader loads payloads with the libraries of another language. Its sources come with bakeoff. They are
    compiled by the language's own toolchain, once, into a cache; nothing else builds them. If one of several
    cannot be built, the others are.

    \b
      bakeoff readers
      bakeoff readers go node
    """
    if languages:
        _build(languages, offline=offline)
    elif offline:
        raise UsageError("--offline goes with the languages to build, as in `bakeoff readers go --offline`")
    else:
        _list()


def _build(languages: tuple[str, ...], *, offline: bool) -> None:
    from ..bench.foreign.builds import LANGUAGES, build, find

    for name in languages:
        if name not in LANGUAGES:
            find(name)  # says which there are, before minutes of building
    failed = False
    for name in dict.fromkeys(languages):
        begin = time.monotonic()
        try:
            was_built = find(name).is_built
            with progress() as display:
                built = build(name, offline=offline, show=show_on(display))
        except BakeoffError as error:
            failed = True
            click.echo(f"{name}: {error}", err=True)
            continue
        told = "already built" if was_built else f"built in {time.monotonic() - begin:.0f} s"
        toolchain = f"{LANGUAGES[name].title} {built.toolchain}"
        click.echo(f"{name}: {told} with {toolchain}: {_libraries(built)}", err=True)
    if failed:
        click.get_current_context().exit(1)


def _list() -> None:
    from ..bench.foreign.builds import LANGUAGES, find

    rows = []
    for name in LANGUAGES:
        try:
            found = find(name)
        except UsageError as error:
            rows.append((name, "–", "no toolchain", str(error)))
            continue
        if found.is_built:
            rows.append((name, found.toolchain, "built", _libraries(found)))
        else:
            state = "out of date" if found.is_out_of_date else "not built"
            rows.append((name, found.toolchain, state, f"run `bakeoff readers {name}`"))
    show_table(["language", "toolchain", "state", "libraries"], rows, whole=3)


def _libraries(built: Build) -> str:
    from ..bench.foreign.builds import start
    from ..bench.foreign.port import WorkerError

    try:
        with start(built.language) as worker:
            return ", ".join(f"{each.name} {each.version} ({each.format})" for each in worker.libraries)
    except WorkerError as error:
        return f"does not start: {error}"
