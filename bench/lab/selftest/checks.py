"""Checks of the measurement on this machine: known truths, measured by a real run.

Pairs of the same codec must tie, and a planted difference of 2 % must be found. Deliberate leaks must be
found, and clean codecs that look suspicious must not be flagged. Codecs that crash or hang must cost only
their own row.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from ....codecs.registry import rescan
from ...capabilities import cores, here
from ...contention import free_level, highest_free
from ...method import Verdicts
from ...orphans import PREFIX, held_folder
from ...results import BASELINE, CellResult, ResultData
from ...run.options import Options
from ...run.session import Session
from ...stats import verdicts
from ...verdict import error_share
from ...worker.gauge import read
from ...worker.time import harness
from . import faults

Show = Callable[[str, int, int], None]

TIMED = ("dump", "load")
FOUND_WITHIN = 5.0
"""Seconds within which a planted difference must be found."""
_PRECISE = 20.0
"""Seconds within which pairs of the same codec must be as close as the largest of 200 differences."""
_HARDLY = 0.05
_LARGEST = 0.005
"""Largest difference between two measurements of one codec, as a share."""
_ALMOST_ALL = 0.99
"""Share of planted faults that must be found."""
_NEAR = 0.02
"""Share by which a peak may differ from the expected one."""
_WATCHED = 3.0
"""Seconds for which the core of each processor is watched."""
_FREE = 0.25
"""Share of the time that a core must be free so that a run can use it."""
PEAK = {"peak-dump": 40_000_000, "peak-load": 20_000_000}
"""The expected peak of msgpack for 20 MB of bytes: its buffer and the payload; the bytes."""


@dataclass(frozen=True, slots=True)
class SelftestFinding:
    """One line of the self-test.

    Attributes:
        what: What was tested.
        found: The finding, in words.
        target: The expected finding, in words.
        ok: Whether they agree.
    """

    what: str
    found: str
    target: str
    ok: bool


@contextmanager
def _published() -> Iterator[Path]:
    """Publish the faulty codecs to worker processes for the duration of a block."""
    with held_folder(f"{PREFIX}selftest-") as folder:
        name = str(folder)
        faults.publish(folder)
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [name, before]))
        sys.path.append(name)
        rescan()
        try:
            yield folder
        finally:
            sys.path.remove(name)
            rescan()
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before


class _Trial:
    """Runs in a folder, under one progress display."""

    def __init__(self, folder: Path, times: int, show: Show) -> None:
        self.folder = folder
        self.times = times
        self.show = show

    def runs(self, what: str, **options: Any) -> Iterator[ResultData]:
        """Yield the results of the repeated runs, as often as requested."""
        for number in range(self.times):
            self.show(what, number, self.times)
            yield self.run(**options)

    def run(self, **options: Any) -> ResultData:
        """Do one run and return its result."""
        output = self.folder / "run.json"
        output.unlink(missing_ok=True)
        return Session(Options(no_time_limit=True, **options), output).run()


def _pairs(trial: _Trial) -> Iterator[SelftestFinding]:
    """Test the same codec under four names: pairs must tie, judged as in a report."""
    flagged, largest, pairs = 0, 0.0, 0
    results = trial.runs(
        "pairs of the same codec",
        corpora=(f"{faults.__name__}:records",),
        codecs=faults.TWINS,
        operations=TIMED,
        budget=_PRECISE,
        precision=0.0028,
    )
    for result in results:
        for operation in TIMED:
            cells = {c.cell.codec: c.samples for c in _cells(result, operation) if c.samples}
            for a, b in zip(faults.TWINS[::2], faults.TWINS[1::2], strict=True):
                pairs += 1
                judged = verdicts({a: cells[a], b: cells[b]}, error_share(result))
                verdict, seen = judged[a, b]
                flagged += verdict in ("faster", "slower")
                largest = max(largest, abs(seen.value - 1))
    yield SelftestFinding(
        "the same codec twice",
        f"{flagged} of {pairs} pairs distinguished",
        f"at most {100 * Verdicts.ALPHA:g} %",
        # With few pairs the share is only approximate: a failure is a count that is improbable at it.
        flagged <= Verdicts.ALPHA * pairs or _at_least(flagged, pairs) >= _HARDLY,
    )
    yield SelftestFinding(
        "the same codec twice",
        f"largest difference {largest:.2%}",
        f"at most {100 * _LARGEST:g} %",
        largest <= _LARGEST,
    )


def _at_least(found: int, tries: int) -> float:
    """Return the probability of at least this count if each has the error share of verdicts."""
    rate = Verdicts.ALPHA
    chances = (math.comb(tries, k) * rate**k * (1 - rate) ** (tries - k) for k in range(found))
    return 1 - math.fsum(chances)


def _planted(trial: _Trial) -> Iterator[SelftestFinding]:
    """Test a difference of two per cent more work, which must be found."""
    found = 0
    results = trial.runs(
        "a planted 2 %",
        corpora=(f"{faults.__name__}:records",),
        codecs=(faults.TWINS[0], faults.SLOWER),
        operations=("dump",),
        budget=FOUND_WITHIN,
        precision=0.004,
    )
    for result in results:
        cells = {c.cell.codec: c.samples for c in _cells(result, "dump") if c.samples}
        judged = verdicts(cells, error_share(result))
        found += judged[faults.SLOWER, faults.TWINS[0]][0] == "slower"
    yield SelftestFinding(
        "2 % more work",
        f"found in {found} of {trial.times} runs of {FOUND_WITHIN:g} s",
        f"{100 * _ALMOST_ALL:g} %",
        found >= _ALMOST_ALL * trial.times,
    )


def _leaks(trial: _Trial) -> Iterator[SelftestFinding]:
    """Test deliberate leaks, each of which must be found."""
    found = dict.fromkeys(faults.LEAKERS, 0)
    results = trial.runs(
        "deliberate leaks",
        corpora=("movies",),
        records="500",
        codecs=tuple(faults.LEAKERS),
        operations=("growth-load",),
    )
    for result in results:
        for cell in _cells(result, "growth-load"):
            found[cell.cell.codec] += cell.verdict == "growing"
    for name, count in found.items():
        what = name.removeprefix("selftest-").replace("-", " ")
        yield SelftestFinding(
            f"leak: {what}",
            f"found in {count} of {trial.times}",
            f"{100 * _ALMOST_ALL:g} %",
            count >= _ALMOST_ALL * trial.times,
        )


def _clean(trial: _Trial) -> Iterator[SelftestFinding]:
    """Test clean codecs, including two that look like leaks: none may be flagged."""
    from .... import codecs

    ours = [name for name in codecs.available() if not name.startswith("selftest-")]
    names = (*(name for name in ours if "/pure" not in name), *faults.CLEAN)
    alarms, tried = [], 0
    for number in range(trial.times):
        trial.show("clean codecs", number, trial.times)
        result = trial.run(
            corpora=("movies",),
            records="500",
            codecs=names,
            operations=("growth-load", "growth-failing-load") if number % 2 == 0 else ("growth-dump",),
        )
        for cell in result.cells:
            if cell.verdict:
                tried += 1
                if cell.verdict == "growing":
                    alarms.append(cell.cell.name)
    named = f": {', '.join(alarms[:3])}" if alarms else ""
    yield SelftestFinding(
        "clean codecs", f"{len(alarms)} false alarms in {tried}{named}", "none", not alarms and tried > 0
    )


def _failures(trial: _Trial) -> Iterator[SelftestFinding]:
    """Test codecs that fail in every way, along with a healthy one."""
    trial.show("codecs that fail", 0, 1)
    result = trial.run(
        corpora=("movies",),
        records="100",
        codecs=(*faults.FAILURES, "json"),
        operations=("dump", "load"),
        budget=1.0,
        cell_timeout=3.0,
        cell_memory=1 << 30,
    )
    outcomes = {cell.cell.codec: cell for cell in _cells(result, "load")}
    for name, (expected, _) in faults.FAILURES.items():
        found = outcomes[name].outcome
        what = f"a codec that {name.removeprefix('selftest-')}"
        yield SelftestFinding(what, found, expected, found == expected)
    healthy = outcomes["json"]
    yield SelftestFinding(
        "a good codec next to them", healthy.outcome, "ok", healthy.outcome == "ok" and bool(healthy.samples)
    )


def _peak(trial: _Trial) -> Iterator[SelftestFinding]:
    """Test the peak of one call whose true value is known."""
    trial.show("peak memory", 0, 1)
    result = trial.run(
        corpora=(f"{faults.__name__}:big",),
        codecs=("msgpack",),
        operations=tuple(PEAK),
        sample_bytes=64 << 20,
    )
    for operation, truth in PEAK.items():
        (cell,) = _cells(result, operation)
        value = cell.samples[0].value if cell.samples else 0.0
        off = value / truth - 1
        yield SelftestFinding(
            f"{operation} of 20 MB",
            f"{value / 1e6:.1f} MB ({off:+.1%})",
            f"within {100 * _NEAR:g} %",
            abs(off) <= _NEAR,
        )


def _harness(trial: _Trial) -> Iterator[SelftestFinding]:
    """Measure the overhead of the harness."""
    trial.show("cost of measuring", 0, 1)
    cost = harness(10_000, tries=300)
    yield SelftestFinding("cost of measuring a call", f"{cost:.1f} ns", "at most 10 ns", cost <= 10)


def _contention(trial: _Trial) -> Iterator[SelftestFinding]:
    """Measure how often a neighbor uses the same physical core, which no load average shows."""
    if not (here().affinity and here().core_state):
        return
    allowed = cores()
    readings: list[list[float]] = []
    try:
        for number, core in enumerate(allowed):
            trial.show("physical cores", number, len(allowed))
            os.sched_setaffinity(0, {core})
            readings.append(_readings(_WATCHED))
    finally:
        os.sched_setaffinity(0, set(allowed))
    every = [reading for seen in readings for reading in seen]
    most = highest_free(free_level(every))
    for core, seen in zip(allowed, readings, strict=True):
        shared = [reading for reading in seen if reading > most]
        free = 1 - len(shared) / len(seen)
        found = f"free for {free:.0%} of {_WATCHED:g} s"
        if shared and len(shared) < len(seen):
            times = median(shared) / median(reading for reading in seen if reading <= most)
            found += f", else the reference kernel takes {times:.2f} times as long"
        yield SelftestFinding(f"physical core of processor {core}", found, f"{_FREE:.0%}", free >= _FREE)


def _readings(seconds: float) -> list[float]:
    found = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found.append(read())
        time.sleep(0.001)
    return found


def _cells(result: ResultData, operation: str) -> list[CellResult]:
    return [c for c in result.cells if c.cell.operation_name == operation and c.cell.codec != BASELINE]


PARTS: Mapping[str, tuple[Callable[[_Trial], Iterator[SelftestFinding]], int]] = {
    "harness": (_harness, 1),
    "core": (_contention, 1),
    "pairs": (_pairs, 1),
    "planted": (_planted, 3),
    "leaks": (_leaks, 1),
    "clean": (_clean, 1),
    "failures": (_failures, 1),
    "peak": (_peak, 1),
}
"""Name of each part to its function and its default number of repetitions."""


def run(parts: Mapping[str, int], show: Show) -> Iterator[SelftestFinding]:
    """Run parts of the self-test.

    Args:
        parts: Name of a part in `PARTS` to its number of repetitions.
        show: Receives progress: text, done, total.

    Yields:
        Findings, as they are made.
    """
    with _published() as folder:
        for name, times in parts.items():
            yield from PARTS[name][0](_Trial(folder, times, show))
