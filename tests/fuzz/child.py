"""Tries cases of one target until it is stopped, in a process that may crash."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

from findings import Broken, Finding, is_known, save
from tally import Tally

from bakeoff.bench.operations.peak import CLEAR_REFS, STATUS, kernel_bytes

SLOW = 1.0
"""Seconds of processor time that a case may take."""
LARGE = 256 << 20
"""Bytes by which the process may grow in a case."""
SPACE = 4 << 30
"""Bytes of address space of a child, so that an error cannot exhaust the machine's memory."""
TRUSTED_SPACE = 1 << 30
"""The same for payloads that may request any amount, as filling the memory would take all the time."""
MOST = 50
"""Limit for the files of a child."""


class Target(Protocol):
    """A target of the fuzzer."""

    def case(self, random: Random) -> bytes:
        """Return a case as bytes that fully describe it."""
        ...

    def run(self, case: bytes) -> str:
        """Try a case; return ``accepted``, ``refused`` or ``limited``, or raise the fault."""
        ...

    def show(self, case: bytes) -> str:
        """Return a case in readable form."""
        ...


def make(name: str) -> Target:
    """Return a target by its name, ``KIND:NAME``."""
    kind, _, what = name.partition(":")
    if kind == "decode":
        from decoding import Decoding

        return Decoding(what)
    if kind == "encode":
        from encoding import Encoding

        return Encoding(what)
    if kind == "files":
        from reading import Reading

        return Reading(what)
    if kind == "values":
        from valuing import Values

        return Values(what)
    from parts import PARTS

    return PARTS[what]()


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a case that did not crash the process."""

    kind: str
    what: str


def attempt(target: Target, case: bytes) -> str | Fault:
    """Try a case; return its outcome, or its fault."""
    try:
        return target.run(case)
    except Broken as error:
        return Fault("broken", str(error))
    except BaseException as error:  # noqa: BLE001 - anything that comes out is a finding
        return Fault("foreign", f"{type(error).__name__}: {_text(error)}")


def _text(error: BaseException) -> str:
    try:
        return str(error)[:300]
    except Exception:  # noqa: BLE001 - an object of the case has made the message
        return "(without words)"


class _Mark:
    """The kernel's high-water mark of memory, which takes longer to reset than most cases.

    It starts with the process; ``ru_maxrss`` would include the memory of the parent.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        with contextlib.suppress(OSError):
            CLEAR_REFS.write_text("5")
        self.settled = kernel_bytes(STATUS, "VmRSS:")
        self.mark = kernel_bytes(STATUS, "VmHWM:")

    def grown(self) -> int:
        """Return by how much the last call exceeded the previous maximum, 0 if it did not."""
        now = kernel_bytes(STATUS, "VmHWM:")
        return 0 if now <= self.mark else now - self.settled


def _slow_again(target: Target, case: bytes) -> bool:
    """Whether a case is also slow when no other process uses the processor."""
    before = time.process_time()
    attempt(target, case)
    return time.process_time() - before > SLOW


class Judge:
    """Tries cases and returns faults in their outcome, time and memory."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._mark = _Mark()

    def __call__(self, case: bytes) -> tuple[str, list[Fault]]:
        """Return the outcome, empty for a fault, and all faults."""
        before = time.perf_counter()
        outcome = attempt(self._target, case)
        took = time.perf_counter() - before
        grown = self._mark.grown()
        faults = []
        if isinstance(outcome, Fault):
            faults.append(outcome)
            outcome = ""
        if took > SLOW and _slow_again(self._target, case):
            faults.append(Fault("slow", f"took {took:.1f} s"))
        if grown:
            if grown > LARGE:
                faults.append(Fault("large", f"grew by {grown >> 20:,} MiB"))
            self._mark.reset()
        return outcome, faults


def run(
    name: str, tally: Tally, seed: str, runs: int | None, until: float | None, folder: Path, errors: Path
) -> None:
    """Run the child: try cases up to a number, or until a time of the monotonic clock.

    Args:
        name: Name of the target.
        tally: Receives counts and cases.
        seed: Seed that determines all cases.
        runs: Number of cases, including those of earlier children; None for any number.
        until: The time; None for no limit.
        folder: Folder for findings.
        errors: File for standard error. Its folder is removed after the child's end, however it ends, so
            temporary files are made there.
    """
    os.environ["TMPDIR"] = tempfile.tempdir = str(errors.parent)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    faulthandler.enable()
    warnings.simplefilter("ignore")
    with contextlib.suppress(ValueError):  # none at all are allowed
        # 0 would not stop a dump that core(5) pipes to a program, which can take longer than the patience.
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    target, random = make(name), Random(seed)
    if "ASAN_OPTIONS" not in os.environ:
        space = TRUSTED_SPACE if is_known(name, "large", "") else SPACE
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    judge = Judge(target)
    seen: set[str] = set()
    done = tally.counts()["runs"]
    while (runs is None or done < runs) and (until is None or time.monotonic() < until):
        case = target.case(random)
        tally.start(case)
        outcome, faults = judge(case)
        tally.stop()
        done += 1
        if outcome:
            tally.add(outcome)
        for fault in faults:
            if is_known(name, fault.kind, fault.what):
                tally.add("known")
                continue
            tally.add(fault.kind)
            finding = Finding(name, fault.kind, fault.what, target.show(case)[:2000], case)
            if finding.key not in seen and len(seen) < MOST:
                seen.add(finding.key)
                save(finding, folder)
