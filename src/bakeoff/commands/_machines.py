"""Options for other machines (``--on``) and interpreters (``--python``) that do the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..console import live_display, show_on
from ..errors import RunError, UsageError

if TYPE_CHECKING:
    from ..bench.run.context import Show
    from ..bench.run.machines.addresses import Machine
    from ..bench.run.options import Options
    from ..bench.run.several import Several

_F = TypeVar("_F", bound=Callable[..., Any])


def machine_options(function: _F) -> _F:
    """Add ``--on`` and ``--wheel``."""
    wheel = click.option(
        "--wheel",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        metavar="FILE",
        help="Wheel of bakeoff to install on ssh:// machines first, in a folder of its own.",
    )
    on = click.option(
        "--on",
        multiple=True,
        metavar="MACHINE",
        help="Work on other machines: ssh://HOST?python=PATH, slurm, dask://SCHEDULER, local; repeatable.  "
        "[default: local]",
    )
    return on(wheel(function))


def machines_of(on: Sequence[str], wheel: Path | None, pythons: Sequence[str] = ()) -> list[Machine]:
    """Return the machines that ``--on`` names, or this machine with each interpreter of ``--python``.

    Raises:
        UsageError: One of them is invalid.
    """
    from ..bench.run.interpreters import interpreters
    from ..bench.run.machines.addresses import machines

    if on and pythons:
        raise UsageError(
            "--on and --python both say where to measure; name the Python of another machine in its address: "
            "ssh://HOST?python=PATH"
        )
    found = interpreters(pythons) if pythons else machines(on or ["local"], wheel)
    if wheel is not None and all(machine.connect is None for machine in found):
        click.echo("--wheel is not used: it is for the machines of --on", err=True)
    return found


def plan(machines: Sequence[Machine], output: Path) -> str:
    """Return how agents would be started and where results would be; nothing for this machine."""
    from ..bench.run.machines.addresses import LOCAL
    from ..bench.run.several import files_of

    if list(machines) == [LOCAL]:
        return ""
    files = files_of(output, machines)
    here = "in worker processes here"
    wide = max(len(machine.name) for machine in machines) + 2
    lines = (f"  {m.name:{wide}}{files[m.name]}: {m.command or m.python or here}\n" for m in machines)
    title = "Interpreters, which take turns" if machines[0].python else "Machines, and how each is reached"
    return f"\n{title}\n\n{''.join(lines)}"


def measure(options: Options, output: Path, machines: Sequence[Machine], **more: Any) -> Several:
    """Measure on several machines, and show the progress of each.

    Raises:
        RunError: All of them were lost.
        KeyboardInterrupt: It was interrupted before anything was measured.
    """
    from ..bench.run.several import Several

    with live_display() as screen:

        def shown(name: str) -> Show:
            show = show_on(screen.progress)
            return lambda text, done, total: show(f"{name}: {text}", done, total)

        several = Several(options, output, machines, show=shown, **more)
        several.run()
    for error in several.lost.values():
        click.echo(f"bakeoff: {error}", err=True)
    if several.results:
        return several
    if several.interrupted:
        raise KeyboardInterrupt
    what = "interpreter" if machines[0].python else "machine"
    raise RunError(f"no {what} has measured anything")
