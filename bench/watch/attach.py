"""Samples the stacks of a process that already runs, with py-spy.

A sample has no record and no count of calls, only who calls what. The share of samples within a library is
its share of processor time, as py-spy leaves out threads that wait.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from ...errors import RunError, UsageError
from ..libraries import LIBRARIES
from ..orphans import held_folder
from ..results.watched import CallSite, WatchData
from .parts import TEMPORARY, Frames, frame, place_of, seen, stacks_of

_NAMES: Final = {
    name: library.name
    for library in LIBRARIES
    if library.files is not None
    for name in library.files or (library.name,)
}
"""Libraries by the names of their folders and files."""
_NATIVE: Final = re.compile(r"\.(so|so\..*|c|cc|cpp|h|hpp|rs|pyx|dylib)$")
_INSTALLED: Final = re.compile(r"/python3\.\d+t?/")
_DENIED: Final = (
    "no permission to read process {pid}: use sudo, or allow it until the next boot with "
    "`sudo sysctl kernel.yama.ptrace_scope=0`; a container needs `--cap-add SYS_PTRACE`"
)


_Called: TypeAlias = Mapping[str, Any]
"""A frame as py-spy writes it: "file", "name", "line"."""


def sample(pid: int, seconds: float) -> WatchData:
    """Sample a process and its children; seconds of processor time are those of the samples.

    Args:
        pid: The process.
        seconds: How long.

    Raises:
        UsageError: There is no such process, it is not Python, reading it is not permitted, or py-spy is
            missing.
        RunError: It was idle.
    """
    import psutil

    try:
        program = psutil.Process(pid).cmdline()
        if sys.platform == "linux":
            # Opening it needs the same permission as py-spy, whose message is another one.
            Path(f"/proc/{pid}/mem").open("rb").close()
    except (psutil.NoSuchProcess, FileNotFoundError):
        raise UsageError(f"there is no process {pid}") from None
    except (psutil.AccessDenied, PermissionError):
        raise UsageError(_DENIED.format(pid=pid)) from None
    with held_folder(TEMPORARY) as folder:
        path = folder / "samples.json"
        _record(pid, seconds, path)
        plain = json.loads(path.read_bytes())
    stacks = list(_stacks(plain))
    if not stacks:
        raise RunError(f"process {pid} was idle: no code ran in {seconds:g} s")
    notes = () if _native() else ("libraries in C cannot be seen on this system, only Python code",)
    busy = sum(weight for _, weight in stacks)
    found = seen(_sites(stacks), busy=busy, wall=seconds, notes=notes)
    # The interpreter is not the one that bakeoff runs on.
    facts = {key: value for key, value in found.environment.items() if not key.startswith("python")}
    return replace(found, program=tuple(program), environment=facts, samples=len(stacks))


def _native() -> bool:
    """Whether py-spy sees functions in C here."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def _record(pid: int, seconds: float, path: Path) -> None:
    found = shutil.which("py-spy", path=sysconfig.get_path("scripts")) or shutil.which("py-spy")
    if found is None:
        raise UsageError("--pid needs py-spy: pip install 'bakeoff[watch]'")
    # py-spy counts whole seconds.
    command = [found, "record", "--pid", str(pid), "--duration", str(max(1, round(seconds)))]
    command += ["--subprocesses", "--full-filenames", "--format", "speedscope", "--output", str(path)]
    done = subprocess.run(
        command + ["--native"] * _native(), capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode or not path.exists():
        raise UsageError(_reason(pid, done.stderr))


def _reason(pid: int, said: str) -> str:
    if "python version" in said or "No python processes" in said:
        return f"process {pid} is not Python, or of a version that py-spy does not know"
    lines = [line.removeprefix("Error: ") for line in said.splitlines() if line.startswith("Error")]
    return f"py-spy cannot sample process {pid}: {' '.join(lines) or said.strip()[:200]}"


def _stacks(plain: dict[str, Any]) -> Iterator[tuple[list[_Called], float]]:
    """Yield the stacks of a file of py-spy, the outermost frame first, with their seconds."""
    frames = plain["shared"]["frames"]
    for profile in plain["profiles"]:
        for numbers, weight in zip(profile["samples"], profile["weights"], strict=True):
            yield [frames[number] for number in numbers if frames[number].get("file")], weight


def _sites(stacks: Sequence[tuple[list[_Called], float]]) -> list[CallSite]:
    sites: dict[tuple[str, str], list[tuple[Frames, float]]] = defaultdict(list)
    for called, weight in stacks:
        at = next((n for n, each in enumerate(called) if _library(each["file"])), None)
        if at is not None:
            callers = _callers(called[:at])
            sites[_function(called[at]), place_of(callers)].append((callers, weight))
    made = [_site(function, place, found) for (function, place), found in sites.items()]
    return sorted(made, key=lambda site: -site.busy)


def _callers(called: Sequence[_Called]) -> Frames:
    return tuple(
        frame(each["file"], each["name"], each.get("line") or 0)
        for each in reversed(called)
        if not _NATIVE.search(each["file"])
    )


def _site(function: str, place: str, found: Sequence[tuple[Frames, float]]) -> CallSite:
    busy = sum(weight for _, weight in found)
    return CallSite(
        function,
        place,
        decodes=False,
        form="",
        options={},
        calls=None,
        busy=busy,
        wall=busy,
        size=None,
        size_error=0.0,
        records=0,
        stacks=stacks_of(found),
    )


def _library(file: str) -> str:
    """Return the library of a frame's file; empty for all other code."""
    if not (_INSTALLED.search(file) or _NATIVE.search(file)):
        return ""
    *folders, name = file.split("/")
    return _NAMES.get(name.partition(".")[0]) or _NAMES.get(folders[-1] if folders else "") or ""


def _function(called: _Called) -> str:
    """Return a library and its function; of compiled code only the library, as its names mean little."""
    library = _library(called["file"])
    return library if _NATIVE.search(called["file"]) else f"{library}.{called['name']}"
