"""The file of `bakeoff watch`: what serialization costs a program, and what other libraries would save.

It is JSON, and starts with the version of its format. It has no records.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Final

from ...files import WATCH_KEY, atomic_write, is_watch_file, read_limited
from ..quantities import Amount, Change, Count
from .file import LARGEST, UNREADABLE, check_values
from .plain import FieldError, typed
from .records import Fact, ResultFileError
from .unfit import damage, newer

SMALL: Final = 0.01
"""Share of the processor time below which no other library is timed."""
_VERSION: Final = 1
"""Version of the format; every release reads all versions up to its own."""


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a stack.

    Attributes:
        place: File and line: ``app.py:18``.
        function: Qualified name of the function.
        own: The code is the program's, and not a library's.
    """

    place: str
    function: str
    own: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Stack:
    """One way to a call.

    Attributes:
        frames: The frames, the caller first.
        busy: Seconds of processor time of the calls.
    """

    frames: tuple[Frame, ...]
    busy: Amount


@dataclasses.dataclass(frozen=True, slots=True)
class CallSite:
    """The calls of one function from one place with the same options.

    Attributes:
        function: Name of the function: ``json.dumps``.
        place: The caller: file and line.
        decodes: It decodes; otherwise it encodes.
        form: The format; empty if it is unknown.
        options: Further arguments by name or position, in words.
        calls: Number of calls, estimated; None if only stacks were sampled.
        busy: Seconds of processor time.
        wall: Seconds.
        size: Bytes of the payloads; None if they are unknown.
        size_error: Standard error of `size`, which comes from a sample of the calls.
        records: Number of records in the sample.
        stacks: The ways to the calls, the one that takes most time first.
        alone: Why no other library could replace the function; empty if one could.
        collecting: The part of `busy` that the garbage collector took.
    """

    function: str
    place: str
    decodes: bool
    form: str
    options: dict[str, str]
    calls: Amount | None
    busy: Amount
    wall: Amount
    size: Amount | None
    size_error: Amount
    records: Count
    stacks: tuple[Stack, ...]
    alone: str = ""
    collecting: Amount = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class LeftOut:
    """A call site that a saving does not include.

    Attributes:
        function: Name of the function.
        place: The caller: file and line.
        busy: Seconds of processor time.
        reason: What would not work there.
        by_library: The reason is the library's of the saving, and not that of all libraries.
    """

    function: str
    place: str
    busy: Amount
    reason: str
    by_library: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Saving:
    """What one library would save in place of others, or why it could not be tried.

    Attributes:
        form: The format that the program uses.
        library: The library; empty in older files, if none could be tried.
        seconds: Seconds of processor time saved; below 0 if it is slower, 0 if it was not tried.
        half: Half of the width of the 95 % interval of that.
        left_out: Call sites that it does not include.
        into: The other format that the library writes; empty if it is the same.
        tried: It was timed at a call site, at least.
    """

    form: str
    library: str
    seconds: Change
    half: Amount
    left_out: tuple[LeftOut, ...]
    into: str = ""
    tried: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class WatchData:
    """What was seen of a program.

    Attributes:
        program: Its command; empty for a service that was started by hand.
        ended: When the watch ended, in ISO 8601.
        busy: Seconds of processor time of the program.
        wall: Seconds that it ran.
        own: Seconds of processor time that watching took, at least; they are not part of `busy`.
        processes: Number of processes that called a codec.
        sites: All call sites, the one that takes most time first.
        savings: One for each library that could take the place of another one: the largest first, and last
            those that could not be tried.
        notes: What the figures lack, and what disturbed them; a sentence each.
        environment: Facts about machine and interpreter.
        versions: Versions of the libraries that were timed.
        samples: Number of stacks, if the program was only sampled; otherwise None.
        kept: The sha256 of the file with the kept records; empty without one.
    """

    program: tuple[str, ...]
    ended: str
    busy: Amount
    wall: Amount
    own: Amount
    processes: Count
    sites: tuple[CallSite, ...]
    savings: tuple[Saving, ...]
    notes: tuple[str, ...]
    environment: dict[str, Fact]
    versions: dict[str, str]
    samples: Count | None = None
    kept: str = ""

    @property
    def spent(self) -> float:
        """Seconds of processor time of all call sites."""
        return sum(site.busy for site in self.sites)


def write_watch(watch: WatchData, path: Path) -> None:
    """Write the file of a watch atomically.

    Raises:
        UsageError: The folder is missing or read-only.
        RunError: The disk is full.
    """
    plain = {WATCH_KEY: _VERSION} | dataclasses.asdict(watch)
    with atomic_write(path) as file:
        file.write(json.dumps(plain).encode())


def read_watch(path: Path) -> WatchData:
    """Read the file of a watch.

    Raises:
        UsageError: More than 64 MiB.
        ResultFileError: Missing, not the file of a watch, damaged, or a newer format.
    """
    if not is_watch_file(path):
        raise ResultFileError(f"{path}: not a file of `bakeoff watch`")
    text = read_limited(path, LARGEST)
    try:
        check_values(path, text)
        plain = json.loads(text)
        if not isinstance(version := plain.pop(WATCH_KEY), int):
            raise FieldError(f"{WATCH_KEY} is {version!r:.40}")
        if version > _VERSION:
            raise ResultFileError(newer(path, version, _VERSION))
        watch = typed(WatchData, plain)
        if watch.sites and not watch.busy > 0:
            raise ValueError("calls that took no time")
        return watch
    except UNREADABLE as error:
        raise ResultFileError(f"{path}: damaged: {damage(error)}; watch the program again") from error
