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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import RunError, UsageError
from ..libraries import LIBRARIES
from ..orphans import held_folder
from .parts import TEMPORARY, Frame, Site, Watch

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


class Sampled(NamedTuple):
    """What was sampled.

    Attributes:
        watch: The call sites; seconds are those of the samples.
        program: The command of the process.
        samples: Number of samples.
    """

    watch: Watch
    program: Sequence[str]
    samples: int


def sample(pid: int, seconds: float) -> Sampled:
    """Sample a process and its children.

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
    return Sampled(Watch(_sites(stacks), busy, seconds, 0.0, 1, {}, notes), program, len(stacks))


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


def _stacks(plain: dict[str, Any]) -> Iterator[tuple[list[Frame], float]]:
    """Yield the stacks of a file of py-spy, the outermost frame first, with their seconds."""
    frames = [
        Frame(each.get("file") or "", each["name"], each.get("line") or 0)
        for each in plain["shared"]["frames"]
    ]
    for profile in plain["profiles"]:
        for numbers, weight in zip(profile["samples"], profile["weights"], strict=True):
            yield [frames[number] for number in numbers if frames[number].file], weight


def _sites(stacks: Sequence[tuple[list[Frame], float]]) -> list[Site]:
    sites: dict[tuple[str, str], Site] = {}
    for frames, weight in stacks:
        place = next((n for n, frame in enumerate(frames) if _library(frame)), None)
        if place is None:
            continue
        callers = tuple(frame for frame in reversed(frames[:place]) if not _NATIVE.search(frame.file))
        made = Site(_function(frames[place]), callers, {}, decodes=False)
        site = sites.setdefault((made.function, made.place), made)
        site.busy += weight
        site.wall += weight
        site.stacks[callers] += weight
    return sorted(sites.values(), key=lambda site: -site.busy)


def _library(frame: Frame) -> str:
    """Return the library of a frame; empty for all other code."""
    if not (_INSTALLED.search(frame.file) or _NATIVE.search(frame.file)):
        return ""
    *folders, name = frame.file.split("/")
    return _NAMES.get(name.partition(".")[0]) or _NAMES.get(folders[-1] if folders else "") or ""


def _function(frame: Frame) -> str:
    """Return a library and its function; of compiled code only the library, as its names mean little."""
    library = _library(frame)
    return library if _NATIVE.search(frame.file) else f"{library}.{frame.function}"
