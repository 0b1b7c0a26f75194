"""Reads what the processes of a watched program have written: one file each, counters and then samples."""

from __future__ import annotations

import contextlib
import io
import marshal
import math
import struct
import sysconfig
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from ..libraries import FUNCTIONS, OWNERS, named
from ..results.watched import CallSite, Frame, Stack, WatchData
from ..run.environment import MACHINE, environment

TEMPORARY: Final = "bakeoff-watch-"
"""Prefix of the folder for what the processes of a watched program write."""
_ROW: Final = struct.Struct("8q")
_CALL: Final = 4e-8
"""Seconds that a watched call takes more, about: Python functions that C calls lose some of their speed."""
_LIBRARIES: Final = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_PACKAGES: Final = "/site-packages/", "/dist-packages/", "/lib/python3.", "<frozen ", "<attrs generated "
_STACKS: Final = 50
"""Stacks that are kept of a call site."""

Frames = tuple[Frame, ...]
"""A stack, the caller first."""


class Kept(NamedTuple):
    """One record or payload.

    Attributes:
        value: The payload, or the record as ``marshal`` writes it; None if it was not kept, and False if it
            holds objects of classes.
        weight: The number of calls that it represents.
        result: It is a record that a call has decoded, as its payload was a stream or could not be kept.
        size: Length of the payload.
    """

    value: bytes | str | bool | None
    weight: float
    result: bool = False
    size: int = 0


class Site(NamedTuple):
    """A call site, with what the file of the watch does not hold.

    Attributes:
        facts: What the file holds.
        after_work: The part of the calls that come after other work. After little work, a call counts in
            part.
        kept: Records.
    """

    facts: CallSite
    after_work: float
    kept: Sequence[Kept]

    @property
    def calls(self) -> float:
        """Number of calls, estimated."""
        return self.facts.calls or 0.0


class Watch(NamedTuple):
    """What was seen of a program.

    Attributes:
        facts: What the file of the watch holds, as yet without savings.
        sites: The call sites, the one that takes most time first.
    """

    facts: WatchData
    sites: Sequence[Site]


def frame(file: str, function: str, line: int) -> Frame:
    """Return a frame as it is shown: with the folder of a package's file."""
    path = Path(file)
    own = not (file.startswith(_LIBRARIES) or any(part in file for part in _PACKAGES))
    is_package = not own and path.parent.name not in ("site-packages", "dist-packages")
    return Frame(f"{f'{path.parent.name}/{path.name}' if is_package else path.name}:{line}", function, own)


def place_of(frames: Frames) -> str:
    """Return the caller in the program's own code, and the library that it called, if any."""
    if not frames:
        return "?"
    own = next((each for each in frames if each.own), frames[0])
    return own.place if own == frames[0] else f"{own.place} through {frames[0].place}"


def stacks_of(found: Iterable[tuple[Frames, float]]) -> tuple[Stack, ...]:
    """Return stacks with their seconds of processor time, the one that takes most time first."""
    busy: dict[Frames, float] = defaultdict(float)
    for frames, seconds in found:
        busy[frames] += seconds
    ordered = sorted(busy.items(), key=lambda each: -each[1])[:_STACKS]
    return tuple(Stack(frames, seconds) for frames, seconds in ordered)


def seen(
    sites: Sequence[CallSite],
    *,
    busy: float,
    wall: float,
    own: float = 0.0,
    processes: int = 1,
    notes: Sequence[str] = (),
) -> WatchData:
    """Return what was seen until now, without savings.

    Args:
        sites: The call sites.
        busy: Seconds of processor time of the program.
        wall: Seconds that it ran.
        own: Seconds of processor time that watching took, at least.
        processes: Number of processes that called a codec.
        notes: What was not watched, and why.
    """
    here = environment()
    return WatchData(
        program=(),
        ended=datetime.now(UTC).isoformat(timespec="seconds"),
        busy=busy,
        wall=wall,
        own=own,
        processes=processes,
        sites=tuple(sites),
        savings=(),
        notes=tuple(notes),
        environment={key: here[key] for key in MACHINE if key in here},
        versions={},
    )


@dataclass(slots=True)
class _Process:
    """The content of one file; sequences are by function."""

    counters: Mapping[int, tuple[int, ...]]
    collecting: Sequence[float]
    after_work: Sequence[float]
    busy: float
    wall: float
    own: float
    tick: float
    names: dict[int, tuple[str, bool]] = field(default_factory=dict)
    stacks: dict[int, Frames] = field(default_factory=dict)
    options: dict[int, dict[str, str]] = field(default_factory=dict)
    calls: list[tuple[Any, ...]] = field(default_factory=list)


class _Calls(NamedTuple):
    """Where calls are counted together."""

    function: str
    decodes: bool
    place: str
    options: tuple[tuple[str, str], ...]


class _Sample(NamedTuple):
    """A sampled call, with its share of all calls.

    Attributes:
        frames: Its stack.
        calls: Number of calls that it represents.
        after_work: Those after other work.
        wall: Seconds.
        busy: Seconds of processor time.
        collecting: Those of the garbage collector.
        size: Bytes of a call's payload.
    """

    frames: Frames
    calls: float
    after_work: float
    wall: float
    busy: float
    collecting: float
    size: float


def read(folder: Path) -> Watch:
    """Read all files of a folder.

    Args:
        folder: The folder that ``BAKEOFF_WATCH`` named.
    """
    processes = [_process(path) for path in sorted(folder.glob("*.watch"))]
    samples: dict[_Calls, list[_Sample]] = defaultdict(list)
    kept: dict[_Calls, list[Kept]] = defaultdict(list)
    for each in processes:
        _share(each, samples, kept)
    sites = sorted(
        (_site(calls, found, kept[calls]) for calls, found in samples.items()),
        key=lambda site: -site.facts.busy,
    )
    own = sum(each.own for each in processes)
    notes = sorted({path.read_text(errors="replace") for path in folder.glob("*.note")})
    facts = seen(
        [site.facts for site in sites],
        busy=sum(each.busy for each in processes) - own,
        wall=max((each.wall for each in processes), default=0.0),
        own=own,
        processes=len(processes),
        notes=[f"a process or subinterpreter was not watched: {note}" for note in notes],
    )
    return Watch(facts, sites)


def _site(calls: _Calls, samples: Sequence[_Sample], kept: Sequence[Kept]) -> Site:
    number = sum(each.calls for each in samples)
    size = sum(each.calls * each.size for each in samples)
    mean = size / number if number else 0.0
    known = FUNCTIONS.get(calls.function)
    facts = CallSite(
        calls.function,
        calls.place,
        calls.decodes,
        form=OWNERS[calls.function].format if known else "",
        options=dict(calls.options),
        calls=number or None,
        busy=sum(each.busy for each in samples),
        wall=sum(each.wall for each in samples),
        size=size or None,
        size_error=math.sqrt(sum((each.calls * (each.size - mean)) ** 2 for each in samples)),
        records=len(kept),
        stacks=stacks_of((each.frames, each.busy) for each in samples),
        alone=known.alone if known else "",
        collecting=sum(each.collecting for each in samples),
    )
    return Site(facts, sum(each.after_work for each in samples) / number if number else 0.0, kept)


def _process(path: Path) -> _Process:
    from ._shim import LAYOUT  # not on Windows

    header_size, latest_size, functions, work = LAYOUT
    with path.open("rb") as file:
        header = file.read(header_size).ljust(header_size, b"\0")
        end = (1 + functions) * _ROW.size
        rows = list(_ROW.iter_unpack(header[:end]))
        numbers = struct.unpack_from(f"{3 * functions}q", header, end)
        collecting, between = [each * 1e-9 for each in numbers[:functions]], numbers[functions:]
        begin_ticks, begin_clock, ticks, clock, busy, own, _, pending = rows[0]
        latest = file.read(latest_size)[:pending]
        tick = (clock - begin_clock) / (ticks - begin_ticks) * 1e-9 if ticks > begin_ticks else 1e-9
        after_work = [
            min(passed * tick / (count * work * 1e-9), 1.0) if count else 1.0
            for passed, count in zip(between[::2], between[1::2], strict=True)
        ]
        counters = {index: row for index, row in enumerate(rows[1:]) if row[0]}
        own_time = own * 1e-9 + _CALL * sum(row[0] for row in counters.values())
        wall = (clock - begin_clock) * 1e-9
        made = _Process(counters, collecting, after_work, busy * 1e-9, wall, own_time, tick)
        for source in (file, io.BytesIO(latest)):
            for kind, number, *rest in _entries(source):
                _take(made, kind, number, rest)
    return made


def _entries(file: IO[bytes]) -> Iterator[Any]:
    """Yield the entries of a file; a process that was killed may have written half of the last one."""
    with contextlib.suppress(EOFError, ValueError, TypeError):
        while True:
            yield marshal.load(file)  # noqa: S302 - a file of our own, that others cannot write


def _take(made: _Process, kind: str, number: int, rest: Sequence[Any]) -> None:
    """Add one entry."""
    if kind == "function":
        made.names[number] = rest[0], rest[1]
    elif kind == "stack":
        made.stacks[number] = tuple(frame(file, name, line or 0) for file, name, line in rest[0])
    elif kind == "options":
        made.options[number] = dict(rest[0])
    elif kind == "call":
        made.calls.append((number, *rest))


def _share(
    process: _Process, samples: Mapping[_Calls, list[_Sample]], kept: Mapping[_Calls, list[Kept]]
) -> None:
    """Share the exact counters of each function among the places that its samples were called from."""
    weights: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for index, weight, took, *_ in process.calls:
        weights[index][0] += weight
        weights[index][1] += weight * took
    slots: dict[tuple[int, int], tuple[_Calls, Kept]] = {}
    for index, weight, took, size, stack, options, slot, value in process.calls:
        frames = process.stacks.get(stack, ())
        function, decodes = process.names[index]
        said = named(function, process.options.get(options, {}))
        place = _Calls(function, decodes, place_of(frames), tuple(said.items()))
        calls, ticks, busy, work, timed = process.counters[index][:5]
        sampled, time = weights[index]
        number = calls * weight / sampled
        part = weight * took / time if time else 0.0
        # Calls that were not timed are assumed to have taken as long for each byte.
        tick = process.tick * work / timed if timed else 0.0
        collecting = process.collecting[index]
        samples[place].append(
            _Sample(
                frames,
                number,
                number * process.after_work[index],
                ticks * tick * part,
                (busy * tick + collecting) * part,
                collecting * part,
                size,
            )
        )
        if slot >= 0 and value is not None:
            is_result = isinstance(value, tuple)
            slots[index, slot] = place, Kept(value[0] if is_result else value, weight, is_result, size)
    for place, one in slots.values():
        kept[place].append(one)
