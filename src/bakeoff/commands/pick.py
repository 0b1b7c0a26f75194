"""``bakeoff pick``: one codec for one use, with its reasons; the lock file that keeps it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import RunError, UsageError, hint, near
from ..escape import visible
from ..files import is_device
from ._options import AGE, costing
from ._output import encoded, guard, layout, put, typed

if TYPE_CHECKING:
    from ..bench.results import Result
    from ..reports.lock import Lock
    from ..reports.pick import Choice

__all__ = ["command"]


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[RESULTS]...")
@costing
@click.option("--rate", type=float, metavar="N", help="Records per second that are written.")
@click.option("--needs", default="", metavar="TYPES", help="Types that must come back: datetime,bytes,...")
@click.option(
    "--untrusted/--trusted",
    default=True,
    help="Whether payloads may come from strangers.  [default: untrusted]",
)
@click.option("--formats", default="", metavar="NAMES", help="Wire formats that will do: msgpack,cbor,...")
@click.option("--interop", is_flag=True, help="Other languages must be able to read it.")
@click.option("--allow-loss", is_flag=True, help="Accept codecs that lose something, as told in the table.")
@click.option("--corpus", "corpora", multiple=True, help="Decide by this corpus alone (repeatable).")
@click.option("--codec", metavar="NAME", help="Decide on this codec, and say what it costs; see --write.")
@click.option("--explain", is_flag=True, help="Show how the cost comes about, and the tie-breakers.")
@click.option("--write", is_flag=True, help="Keep the choice in the lock file.")
@click.option("--replace", is_flag=True, help="With --write: also over a lock that holds another codec.")
@click.option("--check", is_flag=True, help="Check the lock file instead: exit 1 when it does not hold.")
@click.option("--max-age", type=AGE, help="With --check: how old the evidence may be, such as 90d.")
@click.option(
    "--lock",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The lock file.  [default: $BAKEOFF_LOCK, else the nearest bakeoff.lock upwards]",
)
def command(
    files: Sequence[Path],
    reads: float | None,
    bandwidth: str | None,
    rate: float | None,
    needs: str,
    untrusted: bool,
    formats: str,
    interop: bool,
    allow_loss: bool,
    corpora: tuple[str, ...],
    codec: str | None,
    explain: bool,
    write: bool,
    replace: bool,
    check: bool,
    max_age: float | None,
    lock: Path | None,
) -> None:
    """Name the codec that costs least for your use, and say why.

    Reads bakeoff.json when no result file is named. Codecs that lose data, or run code from their
    input, are left out unless allowed. Codecs that surely cost the same are put in order by stated
    tie-breakers (--explain); where the race is not resolved the cheapest comes first, with the command
    that goes on.
    """
    from ..reports.cost import Cost
    from ..reports.files import load_all
    from ..reports.lock import located
    from ..reports.pick import Wish, pick
    from ..reports.pick_output import render

    if check:
        others = set(typed(click.get_current_context())) - {"--check", "--max-age", "--lock"}
        if others:
            raise UsageError(f"--check looks at the lock file alone; leave out {', '.join(sorted(others))}")
        return _check(located(lock), max_age)
    if max_age is not None:
        raise UsageError("--max-age belongs to --check")
    if replace and not write:
        raise UsageError("--replace belongs to --write")
    wish = Wish(
        cost=Cost.of(reads, bandwidth),
        rate=rate,
        needs=_names(needs),
        trusted=not untrusted,
        formats=_names(formats),
        interop=interop,
        allow_loss=allow_loss,
        corpora=corpora,
        codec=codec,
    )
    paths = list(files) or [Path("bakeoff.json")]
    results = load_all(paths)
    _check_formats(wish.formats, results)
    choice = pick(results, wish, str(paths[0]))
    put(encoded(render(choice, explain=explain, **layout(None))), None)
    if write:
        _write(choice, paths, results, located(lock), replace=replace)
    return None


def _check_formats(wanted: Sequence[str], results: Sequence[Result]) -> None:
    """Refuse formats that neither bakeoff nor the results know: nothing would fit, for no good reason."""
    from ..codecs import describe, names

    known = {describe(name).format for name in names()}
    known |= {codec.format for result in results for codec in result.codecs}
    known.discard("")
    for name in wanted:
        if name not in known:
            there = f"there are {', '.join(sorted(known))}"
            raise UsageError(f"no wire format {name!r}; {hint(near(name, known), there)}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _write(
    choice: Choice, paths: Sequence[Path], results: Sequence[Result], path: Path, *, replace: bool
) -> None:
    from ..reports.lock import Lock

    new = Lock.of(choice, paths, results)
    guard(path, paths)
    change = ""
    if os.path.lexists(path) and not is_device(path):
        # What is there but no lock is somebody's file: reading it says so, and it stays.
        before = Lock.read(path)
        # Limits that were set by hand stay.
        new = dataclasses.replace(new, options={**new.options, **before.options})
        if before.named != new.named:
            change = f" (was {before.named})"
            if not replace:
                _agree(before, new, path)
    # A result file's name need not be text, which TOML has no escape for.
    put(new.dumps().encode(errors="replace"), path)
    click.echo(visible(f"wrote {path}: {new.named}{change}"), err=True)


def _agree(before: Lock, new: Lock, path: Path) -> None:
    """Ask before a lock gets another codec; where nobody can be asked, a flag has to say so.

    Raises:
        UsageError: There is no terminal.
        RunError: The answer was no.
    """
    other = "another wire format" if before.format != new.format else "another codec of that format"
    change = f"{path} holds {before.named}; {new.named} is {other}, for every service that reads it"
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{change}; say --replace if that is meant")
    if not click.confirm(visible(f"{change}. Replace it?"), err=True):
        raise RunError(f"{path} stays as it is")


def _check(path: Path, max_age: float | None) -> None:
    from ..reports.lock import Lock, check

    lock = Lock.read(path)
    problems = check(lock, path.parent, None if max_age is None else dt.timedelta(max_age))
    if problems:
        raise RunError(f"{path} no longer holds: {'; '.join(problems)}")
    libraries = (f"{name} {allowed or 'of any version'}" for name, allowed in lock.requires.items())
    click.echo(visible(f"{path} holds: {lock.codec} ({', '.join(libraries)})"))
