"""``bakeoff watch``: what serialization costs a program, and what another codec would save."""

from __future__ import annotations

import hashlib
import io
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..console import live_display, show_on, show_text
from ..errors import BakeoffError, RunError, UsageError, reason_of
from ..files import atomic_write, check_own, end_of_links, is_device, is_watch_file
from ._grouped import GroupedCommand
from ._named import Number, Whole
from ._output import layout, typed
from ._records import destination
from ._written import output_option

if TYPE_CHECKING:
    from ..bench.results.watched import WatchData
    from ..bench.watch.parts import Site


_RECORDS = ".msgpack"
"""Ending of the file with the kept records."""


@click.command(
    "watch",
    cls=GroupedCommand,
    codes="those of the program, or 2 for a usage error",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM [ARGUMENT]...")
@output_option(
    ": the answer, as JSON. The records are kept next to it, as .msgpack, for you only.",
    "json",
    name="path",
    default="watch.json",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="Leave out what is private: synthetic records are kept, with none of the values.",
)
@click.option("--no-records", is_flag=True, help="Keep no records: no other codec is timed.")
@click.option(
    "--environment",
    "prepared",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Print the variables that make a service write to FOLDER, and run nothing.",
)
@click.option(
    "--read",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Answer from what a service has written to FOLDER.",
)
@click.option(
    "--pid",
    type=Whole(),
    metavar="N",
    help="Sample a process that already runs, and its children, with py-spy.",
)
@click.option(
    "--seconds",
    type=Number(least=1),
    metavar="N",
    default=30.0,
    show_default=True,
    help="How long to sample it.",
)
def command(
    program: Sequence[str],
    path: Path,
    anonymous: bool,
    no_records: bool,
    prepared: Path | None,
    folder: Path | None,
    pid: int | None,
    seconds: float,
) -> None:
    """Run a program, and show what serialization costs it and what another codec would save.

    Watches Python programs and their child processes: json, simplejson, orjson, ujson, rapidjson, msgpack,
    ormsgpack, msgspec, pickle, marshal, cbor2, yaml, bson, pydantic, pydantic_core and kombu. The answer is
    printed to standard error after the program's end, also if Ctrl-C or SIGTERM ends it.

    \b
      bakeoff watch -- python app.py
      bakeoff watch -- gunicorn app:app
      bakeoff watch --environment /var/tmp/watch      # for a service; then:
      bakeoff watch --read /var/tmp/watch
      bakeoff watch --pid 4711 --seconds 30           # shares only; needs bakeoff[watch]
    """
    from ..bench.orphans import held_folder
    from ..bench.watch import parts, start

    if (bool(program), prepared is not None, folder is not None, pid is not None).count(True) != 1:
        raise UsageError("say one of: -- PROGRAM, --environment FOLDER, --read FOLDER, or --pid N")
    if prepared is not None:
        _prepare(prepared, records=not no_records)
        return
    if "--output" not in typed(click.get_current_context()):
        check_own(path)
    _check(path)
    if pid is None and not no_records:
        _check_records(path)
    if pid is not None:
        _sample(pid, seconds, path)
        return
    if folder is not None:
        _answer(*parts.read(folder), path, anonymous=anonymous)
        return
    start.require()
    with held_folder(parts.TEMPORARY) as made:
        ended = start.run(program, made, records=not no_records)
        try:
            found, sites = parts.read(made)
            if ended.code and not sites:
                raise RunError(
                    f"the program ended with {ended.code} before any call of a serialization library"
                )
            busy = max(ended.busy - found.own, found.busy)
            found = replace(found, program=tuple(program), busy=busy, wall=ended.wall)
            _answer(found, sites, path, anonymous=anonymous)
        except (BakeoffError, OSError) as error:
            # The exit code is the program's, whatever becomes of the answer.
            click.echo(f"bakeoff watch: no answer: {reason_of(error)}", err=True)
        else:
            if ended.code:
                click.echo(f"The program ended with {ended.code}.", err=True)
    click.get_current_context().exit(ended.code)


def _prepare(folder: Path, *, records: bool) -> None:
    from ..bench.watch.start import environment

    folder = folder.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, value in environment(folder, records=records).items():
        click.echo(f"{name}={shlex.quote(value)}")


def _sample(pid: int, seconds: float, path: Path) -> None:
    from ..bench.watch import attach

    found = attach.sample(pid, seconds)
    _print(found)
    _write(found, b"", path)


def _check(path: Path) -> None:
    """Refuse a file that cannot hold the answer, before the program runs.

    Raises:
        UsageError: Another ending than .json, an existing file that `bakeoff watch` has not written, or links
            in a circle.
    """
    if path.suffix != ".json":
        raise UsageError(f"{path}: the answer is JSON; name a .json file with -o")
    end_of_links(path)
    if path.exists() and not is_device(path) and path.stat().st_size and not is_watch_file(path):
        raise UsageError(f"{path}: exists, and `bakeoff watch` has not written it; choose another with -o")


def _records_of(path: Path) -> Path:
    """Return the file for the records of an answer."""
    return path.with_suffix(_RECORDS)


def _check_records(path: Path) -> None:
    """Refuse to replace a file of records that the watch in `path` has not written.

    Raises:
        UsageError: There is such a file, a link or a folder.
    """
    records = _records_of(path)
    check_own(records)
    if records.exists() and not _has_written(path, records):
        raise UsageError(
            f"{records}: exists, and the watch in {path} has not written it; move it away, choose "
            "another file with -o, or keep no records with --no-records"
        )


def _has_written(path: Path, records: Path) -> bool:
    """Whether the watch in a file has written a file of records."""
    from ..bench.results import ResultFileError
    from ..bench.results.watched import read_watch

    try:
        kept = read_watch(path).kept
        with records.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == kept
    except (ResultFileError, OSError):
        return False


def _write(found: WatchData, content: bytes, path: Path) -> None:
    """Write the answer and its records; without some, remove those that the answer before it has written."""
    from ..bench.results.watched import write_watch

    records = _records_of(path)
    if not content and _has_written(path, records):
        records.unlink()
    write_watch(replace(found, kept=hashlib.sha256(content).hexdigest() if content else ""), path)
    if content:
        with atomic_write(records, private=True, own=True) as file:
            file.write(content)


def _answer(found: WatchData, sites: Sequence[Site], path: Path, *, anonymous: bool) -> None:
    """Time other libraries, print the answer, and write it and the records."""
    from ..bench.watch import answer, tasks

    with live_display() as screen:
        show = show_on(screen.progress)
        savings, notes = answer.predict(
            sites, found.busy, tasks.USUAL, lambda done: show("timing other libraries", done, 1.0)
        )
    found = replace(
        found,
        savings=tuple(savings),
        notes=(*found.notes, *notes),
        versions=answer.versions(savings),
    )
    _print(found)
    count, content = _encoded(list(answer.records(sites)), anonymous=anonymous)
    _write(found, content if count else b"", path)
    if count:
        kind = "synthetic records like those kept" if anonymous else "of its records"
        records = shlex.quote(str(_records_of(path)))
        click.echo(f"To compare codecs on {count:,} {kind}: bakeoff run {records}", err=True)


def _print(found: WatchData) -> None:
    from ..reports import written
    from ..reports.tables.watched import table

    show_text(written(table(found), "text", **layout(None, stderr=True)), stderr=True)


def _encoded(records: Sequence[Any], *, anonymous: bool) -> tuple[int, bytes]:
    """Return the number of records that MessagePack can hold, and the content of their file."""
    from ..datasets.readers.problems import Problems
    from ..datasets.synthetic import made
    from ..datasets.synthetic.fit import fit_records
    from ..datasets.writing import write

    if anonymous and records:
        records = list(made(fit_records(records, len(records)), len(records), 1))
    file = io.BytesIO()
    count = write(records, file, destination("", "msgpack"), Problems(skip=True))
    return count, file.getvalue()
