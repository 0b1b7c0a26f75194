"""Runs one target in children of its own, and goes on when they die."""

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
from pathlib import Path
from typing import Any

from child import run
from findings import Finding, is_known, save
from tally import Tally

__all__ = ["Order", "Result", "hunt"]

CHILDREN = multiprocessing.get_context("forkserver")
"""Each is forked by a process that has imported what they need: that takes longer than a short run."""
CHILDREN.set_forkserver_preload(["child", "decoding", "encoding", "parts"])
MOST_DEATHS = 20
"""After so many a target is given up: each costs a start."""
FIRST_PATIENCE = 60.0
"""Seconds until a child must have its first case."""
_TICK = 0.1


@dataclass(frozen=True, slots=True)
class Order:
    """What to do with each target.

    Attributes:
        runs: Cases, or None for as many as the time allows.
        seconds: Time for each, or None for as long as it takes.
        seed: All cases follow from it.
        patience: Seconds after which a case that does not end is ended.
        folder: Where findings are written.
    """

    runs: int | None
    seconds: float | None
    seed: int
    patience: float
    folder: Path


@dataclass(slots=True)
class Result:
    """What became of one target.

    Attributes:
        counts: By the names of `tally.COUNTS`.
        seconds: How long it took, starts included.
        fault: Why there is no more; empty when all went well.
    """

    target: str
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    fault: str = ""


def hunt(result: Result, order: Order, stop: threading.Event, beat: Callable[[], object]) -> None:
    """Fill in the result of a target, and keep it current all the while.

    Args:
        stop: When it is set the child is ended.
        beat: Called now and then.
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
    """Run a child; return the kind of its end and a sentence, or nothing when it ended well."""
    process = CHILDREN.Process(target=run, args=job)
    process.start()
    late = False
    try:
        runs, since, allowed = tally.counts()["runs"], time.monotonic(), FIRST_PATIENCE
        while not late and process.is_alive() and not stop.is_set():
            process.join(_TICK)
            current()
            now = tally.counts()["runs"]
            if now != runs:
                runs, since, allowed = now, time.monotonic(), patience
            late = time.monotonic() - since > allowed
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
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
    # What faulthandler says, up to the driver's own frames.
    frames = [line.strip() for line in said.splitlines() if line.startswith("  File ")]
    where = "; ".join(takewhile(lambda frame: "child.py" not in frame, frames))
    return "deaths", f"{signal.Signals(-code).name} in {where or said[-200:] or 'silence'}"
