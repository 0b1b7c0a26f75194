"""``bakeoff pick`` and the lock file: checking it, and writing it without silent changes."""

from __future__ import annotations

import dataclasses
import datetime as dt
import getpass
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ..codecs.production.lock import VARIABLE, Faults, Lock, LockLocation, faults, raised
from ..errors import RunError, UsageError
from ..escape import visible
from ..files import is_device, is_result_file
from ..nearby import NoSuchFile
from ..opening import foreign
from ._output import guard, put
from ._written import ENDINGS, agreed, check_place

if TYPE_CHECKING:
    from ..codecs import Codec

TRIED = {"id": 7, "name": "a"}
"""Record for trying how readers handle payloads of the other codec."""


def who() -> str:
    """Return the user's name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "somebody"


def check(place: LockLocation, max_age: float | None) -> None:
    """Check a lock, and print that it is valid.

    Raises:
        UsageError: There is no lock.
        RunError: It is not valid here.
    """
    from ..reports.decide.lock import check as problems_of

    if not place.is_there:
        way = "write one with `bakeoff pick RESULTS --write`"
        if place.named:
            raise NoSuchFile(Path(place.path), way, "lock")
        raise UsageError(f"{place.missing}; {way}")
    path = Path(place.path)
    if path.is_dir():
        raise UsageError(f"{path}: a folder, and not a lock; name a lock in it")
    if is_result_file(path):
        raise UsageError(f"{path}: a result file, and not a lock; `bakeoff pick {path} --write` makes one")
    lock = place.read()
    problems = problems_of(lock, path.parent, None if max_age is None else dt.timedelta(max_age))
    if problems:
        raise RunError(f"{path} does not match this environment: {'; '.join(problems)}")
    libraries = (f"{name} {allowed or 'of any version'}" for name, allowed in lock.requires.items())
    numbers = "".join(f", dictionary {each.id}" for each in lock.dictionaries)
    click.echo(visible(f"{path} matches: {lock.named} ({', '.join(libraries)}{numbers})"))


def check_target(path: Path) -> None:
    """Refuse a lock to write under a name for another format, or in no folder, before a codec is chosen.

    Raises:
        UsageError: It is such a name.
    """
    if str(path) == "-":
        raise UsageError("a lock is a file that programs read, so it is not written to standard output")
    agreed(None, path, ("lock",), endings={**ENDINGS, "lock": (".lock", ".toml")})
    check_place(path)


def write(new: Lock, place: LockLocation, inputs: Sequence[Path], *, force: bool) -> None:
    """Write a lock file.

    Raises:
        UsageError: The existing lock has another wire format, and `force` is false; or it was not named, and
            is a link or another user's.
        RunError: The existing file is not a lock.
    """
    path, own = Path(place.path), not place.named
    guard(path, inputs)
    if own and (reason := foreign(path)):
        raise UsageError(f"{path}: not written, as {reason}; remove it, or name it with --lock")
    lines = []
    if path.is_symlink() or (path.exists() and not is_device(path)):
        # An existing file that is not a lock is kept: reading it raises the error.
        before = Lock.read(path)
        # Keep limits that were set by hand.
        new = dataclasses.replace(new, options={**new.options, **before.options})
        if new.dictionaries and before.codec == new.codec:
            every = (*new.dictionaries, *before.dictionaries)
            ready = {each.sha256: each for each in every if not each.fault}
            new = dataclasses.replace(new, dictionaries=tuple(ready.values()))
        if before.named != new.named or _format(before) != _format(new):
            change = _change(before, new)
            if change.of_format and not force:
                lines = [f"{path} is unchanged: {change.lines[0]}", *change.lines[1:]]
                raise UsageError("\n".join([*lines, "use --force to replace it"]))
            lines = change.lines
    for each in new.dictionaries:
        if each.content is not None:
            put(each.content, path.parent / each.file, inputs, own=True)
    # The name of a result file may be invalid text, for which TOML has no escape.
    put(new.dumps().encode(errors="replace").decode(), path, own=own)
    beside = f" and {', '.join(files)}" if (files := [d.file for d in new.dictionaries]) else ""
    click.echo(visible(f"wrote {path}: {new.named}{beside}"), err=True)
    if higher := raised(new.options):
        click.echo(
            visible(
                f"it raises the limits of {', '.join(higher)}; to allow that, set {VARIABLE} to its path, "
                "or call fastest(lock=...)"
            ),
            err=True,
        )
    if lines:
        click.echo("\n".join(lines), err=True)


class _Change(NamedTuple):
    """Effect of another codec on readers.

    Attributes:
        of_format: Whether the wire format changes.
        lines: Descriptions of the changes, and of the errors for readers.
    """

    of_format: bool
    lines: list[str]


def _change(before: Lock, new: Lock) -> _Change:
    old_format, new_format = _format(before), _format(new)
    head = f"from {before.named} ({old_format}) to {new.named} ({new_format})"
    old, now = _made(before), _made(new)
    refusal = None if old.codec is None or now.codec is None else _meets(old.codec, now.codec)
    if old_format == new_format and refusal is None:
        return _Change(False, [f"{head}: same wire format", *_differences(old.codec, now.codec)])
    if before.dictionaries and before.dictionaries[0] in new.dictionaries:
        number = before.dictionaries[0].id
        return _Change(
            True,
            [
                f"{head}: services with the old lock cannot read new payloads",
                f"the dictionary {number} stays in the lock for reading: deploy the lock and its files to "
                "every service that reads, before any service writes with it",
            ],
        )
    if old.codec is None or now.codec is None:
        reasons = (*old.missing, *old.unfit, *now.missing, *now.unfit)
        met = f"whether services could read old payloads could not be tested here: {'; '.join(reasons)}"
    elif refusal is None:
        met = f"{new.codec} read a payload of {before.codec} in a test, which is not guaranteed"
    else:
        met = f"decoding a payload of {before.codec} with {new.codec} gives {refusal}"
    return _Change(
        True,
        [
            f"{head}: the wire format changes for every service that reads this lock",
            met,
            "first let queues and caches run empty; or first deploy "
            f"bakeoff.migrate(bakeoff.codec({before.codec!r}), bakeoff.fastest()), which reads both, to "
            "every service that reads",
        ],
    )


def _format(lock: Lock) -> str:
    """Return the wire format; a compressed payload has another format."""
    from ..codecs import CodecError, describe, split_name

    compression = split_name(lock.codec)[2]
    try:
        name = lock.format or describe(lock.codec).format
    except CodecError:
        name = "unknown"
    if not compression:
        return name
    kind = f"{name}, compressed by {compression.partition(':')[0].partition(',')[0]}"
    return f"{kind} with the dictionary {lock.dictionaries[0].id}" if lock.dictionaries else kind


def _made(lock: Lock) -> Faults:
    """Return a lock's codec, for trying it on our own payload, or the reasons why it is not available."""
    from ..schemas import Schema

    found = faults(dataclasses.replace(lock, requires={}))
    if (made := found.codec) is None:
        return found
    if made.needs_schema:
        made = made.with_schema(Schema({"id": int, "name": str}))
    return found._replace(codec=made.with_trust())


def _meets(old: Codec, new: Codec) -> str | None:
    """Return the error of readers for payloads in transit; None without an error."""
    from ..codecs import CodecError

    try:
        payload = old.encode(TRIED)
        record = new.decode(payload)
    except CodecError as error:
        return f"{type(error).__name__}: {error}"
    if new.bound is not None and new.bound.give is not None:
        record = new.bound.give(record)
    return None if record == TRIED or old.bound is not None else f"another record, {record!r}"


def _differences(old: Codec | None, new: Codec | None) -> list[str]:
    """Describe how another library of the same format writes and reads differently."""
    if old is None or new is None:
        return []
    before, after = dict(old.spec.encodes_as), dict(new.spec.encodes_as)
    forms = [
        f"{token}: was {before.get(token, 'native')}, is now {after.get(token, 'native')}"
        for token in sorted(before.keys() | after.keys())
        if before.get(token) != after.get(token)
    ]
    lines = [f"written differently: {'; '.join(forms)}"] if forms else []
    if lost := [loss for loss in new.losses if loss not in old.losses]:
        lines.append(f"also lost: {'; '.join(lost)}")
    return lines or ["no other known changes"]
