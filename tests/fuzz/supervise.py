"""Runs one target in children of its own, and goes on when they die."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from findings import Finding, is_known, save
from tally import Tally

__all__ = ["Order", "Result", "hunt"]

MOST_DEATHS = 20
"""After so many a target is given up: each costs a start."""
FIRST_PATIENCE = 60.0
"""Seconds until a child must have its first case."""
_TICK = 0.1
_CHILD = Path(__file__).parent / "child.py"


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
    deaths = 0
    with tempfile.TemporaryDirectory(prefix="bakeoff-fuzz-") as folder:
        tally = Tally.create(Path(folder) / "tally")

        def current() -> None:
            result.counts = tally.counts()
            result.seconds = time.monotonic() - begin
            beat()

        while not stop.is_set():
            job = {
                "target": result.target,
                "tally": str(Path(folder) / "tally"),
                "seed": f"{order.seed} {result.target} {deaths}",
                "runs": order.runs,
                "until": until,
                "folder": str(order.folder),
            }
            kind, what = _watch(job, Path(folder) / "stderr", tally, order.patience, stop, current)
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
    job: dict[str, object],
    errors: Path,
    tally: Tally,
    patience: float,
    stop: threading.Event,
    current: Callable[[], object],
) -> tuple[str, str]:
    """Run a child; return the kind of its end and a sentence, or nothing when it ended well."""
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-P", "-X", "faulthandler", str(_CHILD), json.dumps(job)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            # The order of sets, and with it the seeds, follow the hash seed. Our folder is for its imports.
            env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": _path()},
            start_new_session=True,
        )
    handle = os.pidfd_open(process.pid)
    late = False
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        runs, since, first = tally.counts()["runs"], time.monotonic(), True
        while not poll.poll(_TICK * 1000) and not stop.is_set():
            current()
            now = tally.counts()["runs"]
            if now != runs:
                runs, since, first = now, time.monotonic(), False
            elif time.monotonic() - since > (FIRST_PATIENCE if first else patience):
                late = True
                break
    finally:
        os.close(handle)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if late:
        return "slow", f"did not come back within {patience:g} s"
    if stop.is_set() or (process.returncode == 0 and not tally.busy):
        return "", ""
    said = errors.read_bytes()[-3000:].decode(errors="replace").strip()
    if process.returncode >= 0:
        return "deaths", f"exit code {process.returncode}: {said.splitlines()[-1] if said else 'no words'}"
    # What faulthandler says, up to the driver's own frames.
    frames = [line.strip() for line in said.splitlines() if line.startswith("  File ")]
    where = "; ".join(frame for frame in frames if "child.py" not in frame)
    return "deaths", f"{signal.Signals(-process.returncode).name} in {where or said[-200:] or 'silence'}"


def _path() -> str:
    before = os.environ.get("PYTHONPATH")
    here = str(_CHILD.parent)
    return here if not before else os.pathsep.join((here, before))
