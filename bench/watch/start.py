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
from ..libraries import hooked

_HOOK = Path(__file__).parent / "hook"
_OURS = frozenset({"SIGKILL", "SIGSTOP", "SIGCHLD", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT"})
"""Signals that cannot be caught, or that stop and continue a program together with its parent."""
_FAULTS = frozenset({"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGSYS", "SIGTRAP"})
_OF_TERMINALS = frozenset({"SIGINT", "SIGQUIT", "SIGWINCH"})
"""Signals that a terminal sends to all processes in the foreground."""
AGAIN = 1.0
"""Seconds in which a signal may come again: `timeout` sends it to its child, then to all of the group."""


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """How a program ended.

    Attributes:
        code: Its exit code, as a shell has it: 128 and the number of the signal that ended it.
        busy: Seconds of processor time of the program and the processes that it waited for.
        wall: Seconds that it ran.
    """

    code: int
    busy: float
    wall: float


def require() -> None:
    """Refuse systems on which nothing can be watched.

    Raises:
        UsageError: It is one.
    """
    if sys.platform == "win32":
        raise UsageError("watch is not available on Windows")


def environment(folder: Path, *, records: bool, path: str = "") -> Mapping[str, str]:
    """Return the variables with which a program is watched.

    Args:
        folder: Existing folder for what its processes write; the hook finds in it what to watch.
        records: Keep records.
        path: ``PYTHONPATH`` of the program.

    Raises:
        UsageError: This system is not supported.
    """
    require()
    # Each process would compile it, 7 ms, if it may not write bytecode; read-only folders remain as they are.
    compileall.compile_file(_HOOK / "sitecustomize.py", quiet=2)
    (folder / "functions").write_text(hooked())
    found = {"BAKEOFF_WATCH": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, (str(_HOOK), path)))}
    return found if records else found | {"BAKEOFF_WATCH_RECORDS": "0"}


def run(command: Sequence[str], folder: Path, *, records: bool) -> ProgramEnd:
    """Run a program to its end. Signals are passed on; Ctrl-C reaches it from the terminal.

    Args:
        command: The program and its arguments.
        folder: Existing folder for what its processes write.
        records: Keep records.

    Raises:
        UsageError: It cannot be started.
    """
    variables = environment(folder, records=records, path=os.environ.get("PYTHONPATH", ""))
    begin = time.monotonic()
    with _arrivals() as arrived, _signals() as passed:
        try:
            child = subprocess.Popen(command, env=os.environ | variables)
        except OSError as error:
            raise UsageError(f"{command[0]}: {_not_started(command[0], error)}") from error
        passed.append(child)
        while (ended := os.wait4(child.pid, os.WNOHANG))[0] == 0:
            os.read(arrived, 4096)
        _, status, usage = ended
        child.returncode = os.waitstatus_to_exitcode(status)
    code = child.returncode
    return ProgramEnd(
        code if code >= 0 else 128 - code, usage.ru_utime + usage.ru_stime, time.monotonic() - begin
    )


def _not_started(program: str, error: OSError) -> str:
    path = Path(program)
    if path.suffix == ".py" and path.is_file():
        return f"a Python file, and not a program; `bakeoff watch -- python {program}` runs it"
    return str(error.strerror)


@contextmanager
def _arrivals() -> Iterator[int]:
    """Return a descriptor that can be read after each signal, also after the end of a child.

    If a process waits in a system call for its child, a signal that arrives just before the call is handled
    only when the child has ended (signal.set_wakeup_fd has the reason).
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    # If it is ignored, no child leaves a status.
    before = signal.signal(signal.SIGCHLD, lambda number, frame: None)
    descriptor = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(descriptor)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL if before is None else before)
        os.close(reading)
        os.close(writing)


@contextmanager
def _signals() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Pass signals on to the programs in the list, except those that they get from a terminal.

    Signals that are ignored stay so, as they are in the programs. A repeated one does not end the answer.
    """
    programs: list[subprocess.Popen[bytes]] = []
    last = -math.inf

    def pass_on(number: int, frame: FrameType | None) -> None:
        nonlocal last
        last = time.monotonic()
        theirs = _name(number) in _OF_TERMINALS and _in_foreground()
        for program in programs:
            # Not by `Popen.send_signal`, which would take the exit status of a program that has just ended.
            if not theirs and program.returncode is None:
                with suppress(ProcessLookupError):
                    os.kill(program.pid, number)

    def come_late(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - last > AGAIN:
            signal.signal(number, before[number])
            os.kill(os.getpid(), number)

    numbers = [int(number) for number in signal.valid_signals() if _name(number) not in _OURS | _FAULTS]
    before = {number: signal.getsignal(number) for number in numbers}
    passed = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    for number in passed:
        signal.signal(number, pass_on)
    try:
        yield programs
    finally:
        for number in passed:
            signal.signal(number, before[number] if number == signal.SIGINT else come_late)


def _name(number: int) -> str:
    """Return the name of a signal; of a real-time one, its number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _in_foreground() -> bool:
    """Whether what a terminal sends reaches this process, and so the programs that it has started."""
    try:
        with Path("/dev/tty").open("rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
