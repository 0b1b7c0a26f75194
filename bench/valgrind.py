"""Instruction counts by Valgrind: a worker under it, and the processes that the worker forks.

A process under cachegrind writes how many instructions it and its forebears have executed. So a worker gets
ready once, and forks a process for each count. Only differences of two such processes are used: everything
before the fork cancels out.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from .capabilities import here

HASH_SEED = "0"
"""The order of sets, and so the instructions of some codecs, depend on it by up to 2 %."""

_KEPT = (
    "HOME",
    "LANG",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "GLIBC_TUNABLES",
    "PATH",
    "PYTHONHOME",
    "PYTHONMALLOC",
    "PYTHONPATH",
    "TZ",
)
"""Environment variables of a worker. A hundred more of them would move a count by up to half a percent."""

_OUTPUT = "instructions."
_TAIL = 100
"""Bytes at the end of an output file that hold its summary."""

_WARM_UP = 4
"""Forks until the parent takes the same path from each to the next."""


class UncountableError(Exception):
    """A process has ended without a count; says why."""


def missing() -> str:
    """Return why instructions cannot be counted; empty where they can."""
    if not here().fork:
        return "this system has no fork, which each count needs"
    if shutil.which("valgrind"):
        return ""
    return "no Valgrind: apt install valgrind (the package has this name in dnf, apk and pacman, too)"


def version() -> str:
    """Return the version of Valgrind, such as "valgrind-3.19.0"."""
    found = shutil.which("valgrind") or "valgrind"
    return subprocess.check_output([found, "--version"], text=True).strip()


def command(folder: Path) -> list[str]:
    """Return what a command line begins with, so that its processes write their counts to a folder."""
    output = f"--cachegrind-out-file={folder}/{_OUTPUT}%p"
    # Otherwise it takes options from .valgrindrc in the working folder, which can name files to write.
    mine = "--command-line-only=yes"
    return ["valgrind", mine, "--quiet", "--tool=cachegrind", "--cache-sim=no", output]


def environment() -> dict[str, str]:
    """Return the environment of a worker, in which nothing varies that a count depends on."""
    kept = {key: value for key, value in os.environ.items() if key in _KEPT or key.startswith("MALLOC_")}
    return {**kept, "PYTHONHASHSEED": HASH_SEED}


def difference(longer: Callable[[], object], shorter: Callable[[], object]) -> int:
    """Return how many more instructions one function takes than another, each called in a new process.

    Raises:
        UncountableError: A process did not end well.
    """
    return differences([longer], shorter)[0]


def differences(longer: Sequence[Callable[[], object]], shorter: Callable[[], object]) -> list[int]:
    """Return how many more instructions each of some functions takes than another one; see `difference`.

    Raises:
        UncountableError: A process did not end well.
    """
    gc.collect()
    # The collector visits only what the calls allocate, whatever else this process holds.
    gc.freeze()
    calls = (*[_nothing] * _WARM_UP, shorter, *longer)
    processes = [0] * len(calls)  # a list that grows takes more for some forks than for others
    for index, call in enumerate(calls):
        processes[index] = _forked(call)
    gc.unfreeze()
    counts = [_count(process) for process in processes]
    # A process has also executed what its forebear took for each fork before.
    fork = counts[_WARM_UP - 1] - counts[_WARM_UP - 2]
    base = counts[_WARM_UP]
    return [count - base - forks * fork for forks, count in enumerate(counts[_WARM_UP + 1 :], 1)]


def _nothing() -> None:
    """Do nothing."""


def _forked(call: Callable[[], object]) -> int:
    """Call a function in a new process, wait for its end, and return its number.

    Raises:
        UncountableError: It did not end well.
    """
    process = os.fork()
    if not process:
        _call(call)
    status = os.waitpid(process, 0)[1]
    if status:
        code = os.waitstatus_to_exitcode(status)
        how = f"exit code {code}" if code > 0 else signal.Signals(-code).name
        raise UncountableError(
            f"ended with {how} under Valgrind, which does not know the instructions of all processors"
        )
    return process


def _call(call: Callable[[], object]) -> None:
    """Call a function and end the process."""
    try:
        call()
    except BaseException:  # noqa: BLE001 - the process ends here
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _count(process: int) -> int:
    """Return the instructions of a process that has ended, and of its forebears up to the fork.

    Raises:
        UncountableError: It wrote none.
    """
    path = Path(os.environ["TMPDIR"], f"{_OUTPUT}{process}")
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TAIL))
        summary = file.read().rpartition(b"summary:")[2]
    path.unlink()
    try:
        return int(summary)
    except ValueError as error:
        raise UncountableError(f"Valgrind wrote no count: {summary[-_TAIL:]!r}") from error
