"""Runs one target in separate child processes, and continues when they crash."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from child import run
from findings import Finding, is_known, save
from tally import Tally

CHILDREN = multiprocessing.get_context("forkserver")
"""Children are forked by a process with all imports, which take longer than a short run."""
CHILDREN.set_forkserver_preload(["child", "decoding", "encoding", "parts", "reading", "valuing"])
MOST_DEATHS = 20
"""Deaths after which a target is given up, as each costs a start."""
FIRST_PATIENCE = 60.0
"""Seconds until a child must have its first case."""
_STATUS = threading.Lock()
"""Held to start a child and to read how one ended.

Each start polls all other children. If two threads poll a child at once, the second finds no exit code and
takes 255.
"""
_TICK = 0.1


@dataclass(frozen=True, slots=True)
class Order:
    """Settings for each target.

    Attributes:
        runs: Number of cases, or None for no limit but the time.
        seconds: Time for each target, or None for no limit.
        seed: Seed that determines all cases.
        patience: Seconds after which a case is killed.
        folder: Folder for findings.
    """

    runs: int | None
    seconds: float | None
    seed: int
    patience: float
    folder: Path


@dataclass(slots=True)
class Result:
    """The result of one target.

    Attributes:
        counts: Counts by the names of `tally.COUNTS`.
        seconds: Total time, including starts.
        fault: Why the target was given up; empty without a fault.
    """

    target: str
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    fault: str = ""


def hunt(result: Result, order: Order, stop: threading.Event, beat: Callable[[], object]) -> None:
    """Fill in the result of a target, and keep it up to date meanwhile.

    Args:
        stop: When it is set, the child is stopped.
        beat: Called regularly.
    """
    begin = time.monotonic()
    until = None if order.seconds is None else begin + order.seconds
    deaths, tally = 0, Tally()

    def current() -> None:
        result.counts = tally.counts()
        result.seconds = time.monotonic() - begin
        beat()

    with tempfile.TemporaryDirectory(prefix="bakeoff-fuzz-") as folder:
        errors = Path(folder) / "stderr"
        while not stop.is_set():
            errors.touch()
            seed = f"{order.seed} {result.target} {deaths}"
            job = (result.target, tally, seed, order.runs, until, order.folder, errors)
            kind, what = _watch(job, errors, tally, order.patience, stop, current)
            current()
            if not kind:
                break
            if not tally.busy:
                result.fault = f"the driver itself failed: {what}"
                break
            deaths += 1
            tally.stop()
            if is_known(result.target, kind, what):
                tally.add("known")
            else:
                tally.add(kind)
                save(Finding(result.target, kind, what, repr(tally.case)[:2000], tally.case), order.folder)
            current()
            if deaths == MOST_DEATHS:
                result.fault = f"given up after {deaths} deaths"
                break


def _watch(
    job: tuple[Any, ...],
    errors: Path,
    tally: Tally,
    patience: float,
    stop: threading.Event,
    current: Callable[[], object],
) -> tuple[str, str]:
    """Run a child; return the kind of its end and a sentence, or nothing if it succeeded."""
    process = CHILDREN.Process(target=run, args=job)
    with _STATUS:
        process.start()
    late = False
    try:
        runs, since, allowed = tally.counts()["runs"], time.monotonic(), FIRST_PATIENCE
        while not late and not wait([process.sentinel], _TICK) and not stop.is_set():
            current()
            now = tally.counts()["runs"]
            if now != runs:
                runs, since, allowed = now, time.monotonic(), patience
            late = time.monotonic() - since > allowed
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with _STATUS:
            process.kill()
            process.join()
    if late:
        return "slow", f"did not come back within {patience:g} s"
    code = process.exitcode or 0
    if stop.is_set() or (code == 0 and not tally.busy):
        return "", ""
    said = errors.read_bytes()[-3000:].decode(errors="replace").strip()
    if code >= 0:
        return "deaths", f"exit code {code}: {said.splitlines()[-1] if said else 'no words'}"
    # The output of faulthandler, up to the driver's own frames.
    frames = [line.strip() for line in said.splitlines() if line.startswith("  File ")]
    where = "; ".join(takewhile(lambda frame: "child.py" not in frame, frames))
    return "deaths", f"{signal.Signals(-code).name} in {where or said[-200:] or 'silence'}"
