"""Reads what the processes of a watched program have written: one file each, counters and then samples."""

from __future__ import annotations

import contextlib
import io
import marshal
import struct
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

TEMPORARY = "bakeoff-watch-"
"""Prefix of the folder for what the processes of a watched program write."""
_ROW = struct.Struct("8q")
_CALL = 4e-8
"""Seconds that a watched call takes more, about: Python functions that C calls lose some of their speed."""
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_PACKAGES = ("/site-packages/", "/dist-packages/", "/lib/python3.", "<frozen ", "<attrs generated ")


class Frame(NamedTuple):
    """One frame of a stack."""

    file: str
    function: str
    line: int

    @property
    def is_own(self) -> bool:
        """Whether the code is the program's, and not a library's."""
        return not (self.file.startswith(_LIBRARIES) or any(part in self.file for part in _PACKAGES))

    @property
    def shown(self) -> str:
        """File and line, with the folder of a package's file."""
        path = Path(self.file)
        is_package = not self.is_own and path.parent.name not in ("site-packages", "dist-packages")
        return f"{f'{path.parent.name}/{path.name}' if is_package else path.name}:{self.line}"


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


@dataclass(slots=True)
class Site:
    """The calls of one function from one place with the same options.

    Attributes:
        function: Name of the function: ``json.dumps``.
        stack: The frames from the caller on.
        options: Further arguments by name or position, in words.
        decodes: It decodes.
        calls: Number of calls, estimated.
        wall: Seconds in them.
        busy: Seconds of processor time in them.
        collecting: The part of `busy` that the garbage collector took.
        after_work: Number of calls after other work, estimated. After little work, a call counts in part.
        size: Bytes of their payloads.
        sizes: The calls that each sampled payload represents, and its bytes.
        kept: Records.
        stacks: Seconds of processor time by stack.
    """

    function: str
    stack: Sequence[Frame]
    options: Mapping[str, str]
    decodes: bool
    calls: float = 0.0
    wall: float = 0.0
    busy: float = 0.0
    collecting: float = 0.0
    after_work: float = 0.0
    size: float = 0.0
    sizes: list[tuple[float, float]] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    stacks: dict[Sequence[Frame], float] = field(default_factory=lambda: defaultdict(float))

    @property
    def place(self) -> str:
        """The caller in the program's own code, and the library that it called, if any."""
        if not self.stack:
            return "?"
        own = next((frame for frame in self.stack if frame.is_own), self.stack[0])
        through = "" if own == self.stack[0] else f" through {self.stack[0].shown}"
        return own.shown + through


@dataclass(frozen=True, slots=True)
class Watch:
    """What was seen of a program.

    Attributes:
        sites: All call sites.
        busy: Seconds of processor time of the processes that called a codec.
        wall: Seconds of the longest of them.
        own: Seconds of processor time that watching took, at least.
        processes: Their number.
        errors: Calls that raised, by function.
        notes: Why processes were not watched.
    """

    sites: Sequence[Site]
    busy: float
    wall: float
    own: float
    processes: int
    errors: Mapping[str, int]
    notes: Sequence[str]


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
    stacks: dict[int, tuple[Frame, ...]] = field(default_factory=dict)
    options: dict[int, dict[str, str]] = field(default_factory=dict)
    calls: list[tuple[Any, ...]] = field(default_factory=list)


def read(folder: Path) -> Watch:
    """Read all files of a folder.

    Args:
        folder: The folder that ``BAKEOFF_WATCH`` named.
    """
    processes = [_process(path) for path in sorted(folder.glob("*.watch"))]
    sites: dict[Any, Site] = {}
    errors: dict[str, int] = defaultdict(int)
    for each in processes:
        _add_sites(each, sites)
        for index, row in each.counters.items():
            errors[each.names.get(index, ("?", False))[0]] += row[5]
    notes = sorted({path.read_text(errors="replace") for path in folder.glob("*.note")})
    return Watch(
        sorted(sites.values(), key=lambda site: -site.busy),
        sum(each.busy for each in processes),
        max((each.wall for each in processes), default=0.0),
        sum(each.own for each in processes),
        len(processes),
        {name: count for name, count in errors.items() if count},
        notes,
    )


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
        made.stacks[number] = tuple(Frame(file, name, line or 0) for file, name, line in rest[0])
    elif kind == "options":
        made.options[number] = dict(rest[0])
    elif kind == "call":
        made.calls.append((number, *rest))


def _add_sites(process: _Process, sites: dict[Any, Site]) -> None:
    """Share the exact counters of each function among the places that its samples were called from."""
    weights: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for index, weight, took, *_ in process.calls:
        weights[index][0] += weight
        weights[index][1] += weight * took
    slots: dict[tuple[int, int], tuple[Site, Kept]] = {}
    for index, weight, took, size, stack, options, slot, kept in process.calls:
        site = _site(process, sites, index, stack, options)
        calls, ticks, busy, work, timed = process.counters[index][:5]
        sampled, time = weights[index]
        site.calls += calls * weight / sampled
        site.after_work += calls * weight / sampled * process.after_work[index]
        part = weight * took / time if time else 0.0
        # Calls that were not timed are assumed to have taken as long for each byte.
        tick = process.tick * work / timed if timed else 0.0
        site.wall += ticks * tick * part
        collecting = process.collecting[index]
        whole = busy * tick + collecting
        site.busy += whole * part
        site.collecting += collecting * part
        site.stacks[process.stacks.get(stack, ())] += whole * part
        site.size += weight * size * (calls / sampled)
        site.sizes.append((weight * calls / sampled, size))
        if slot >= 0 and kept is not None:
            is_result = isinstance(kept, tuple)
            slots[index, slot] = site, Kept(kept[0] if is_result else kept, weight, is_result, size)
    for site, one in slots.values():
        site.kept.append(one)


def _site(process: _Process, sites: dict[Any, Site], index: int, stack: int, options: int) -> Site:
    frames = process.stacks.get(stack, ())
    said = process.options.get(options, {})
    name, decodes = process.names[index]
    made = Site(name, frames, said, decodes)
    return sites.setdefault((made.function, made.place, tuple(said.items())), made)
