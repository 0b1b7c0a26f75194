"""Starts a program under watch, and waits for its end."""

from __future__ import annotations

import compileall
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ...errors import UsageError

_HOOK = Path(__file__).parent / "hook"
AGAIN = 1.0
"""Seconds in which a signal may come again: `timeout` sends it to its child, then to all of the group."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    Attributes:
        code: Its exit code, as a shell has it: 128 and the number of the signal that ended it.
        busy: Seconds of processor time of the program and the processes that it waited for.
        wall: Seconds that it ran.
    """

    code: int
    busy: float
    wall: float


def environment(folder: Path, *, records: bool, path: str = "") -> Mapping[str, str]:
    """Return the variables with which a program is watched.

    Args:
        folder: Existing folder for what its processes write.
        records: Keep records.
        path: ``PYTHONPATH`` of the program.

    Raises:
        UsageError: This system is not supported.
    """
    if sys.platform == "win32":
        raise UsageError("watch is not available on Windows")
    # Each process would compile it, 7 ms, if it may not write bytecode; read-only folders remain as they are.
    compileall.compile_file(_HOOK / "sitecustomize.py", quiet=2)
    found = {"BAKEOFF_WATCH": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, (str(_HOOK), path)))}
    return found if records else found | {"BAKEOFF_WATCH_RECORDS": "0"}


def run(command: Sequence[str], folder: Path, *, records: bool) -> Ended:
    """Run a program to its end. Ctrl-C is left to it, and SIGTERM passed on.

    Args:
        command: The program and its arguments.
        folder: Existing folder for what its processes write.
        records: Keep records.

    Raises:
        UsageError: It cannot be started.
    """
    variables = environment(folder, records=records, path=os.environ.get("PYTHONPATH", ""))
    begin = time.monotonic()
    with _signals() as passed:
        try:
            child = subprocess.Popen(command, env=os.environ | variables)
        except OSError as error:
            raise UsageError(f"{command[0]}: {error.strerror}") from error
        passed.append(child)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    code = child.returncode
    return Ended(code if code >= 0 else 128 - code, usage.ru_utime + usage.ru_stime, time.monotonic() - begin)


@contextmanager
def _signals() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Pass SIGTERM and SIGHUP on to the programs in the list; Ctrl-C reaches them anyway.

    Signals that are ignored stay so, as they are in the programs. A repeated one does not end the answer.
    """
    programs: list[subprocess.Popen[bytes]] = []
    last = -math.inf

    def pass_on(number: int, frame: FrameType | None) -> None:
        nonlocal last
        last = time.monotonic()
        for program in programs:
            # Not by `Popen.send_signal`, which would take the exit status of a program that has just ended.
            if number != signal.SIGINT and program.returncode is None:
                with suppress(ProcessLookupError):
                    os.kill(program.pid, number)

    def come_late(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - last > AGAIN:
            signal.signal(number, before[signal.Signals(number)])
            os.kill(os.getpid(), number)

    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    try:
        yield programs
    finally:
        for number, handler in before.items():
            late = handler is not signal.SIG_IGN and number != signal.SIGINT
            signal.signal(number, come_late if late else handler)
