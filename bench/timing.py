"""The timing process: shuffled rounds of short slices over all healthy cells of a corpus."""

from __future__ import annotations

import gc
import math
import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._slice import copy, nothing, time_calls, touch
from .contestant import contestant
from .estimate import Track, levels
from .heartbeat import IDLE, Heartbeat
from .results import FLOOR
from .sample import Sample, read_payloads, read_sample
from .yardstick import ITEMS, kernel

__all__ = ["BURST", "harness", "run"]

_TRIES = 3
_YARDSTICKS = 2
_LONG = 4
"""A slice this many times longer than wanted appears in fewer rounds."""
_SHARE = 2
"""How much more time than a quick cell a slow one may take in a process."""
_WARMUP = 0.5
"""Calls before a slice, as a share of its own. The codecs before it have left nothing of this one in the
processor's caches and branch predictors; without a warm-up slices of twins differ more."""
BURST = 32
"""Calls that are timed together, after their records or payloads were touched: so many fit into the
processor's caches, as those that were made or received a moment ago would, however large the sample is.
All of the sample is gone through, as few records again and again would teach the processor their branches,
by which some codecs gain more than others: ``bakeoff run --sample 64`` shows it."""
_FRESH = 4
"""The same for records that were just decoded and are fixed up: nobody does that long after."""
_FEWEST = 3
"""Rounds that even the slowest cell takes part in."""

CLOCK = min(time_calls(nothing, ITEMS, 0, 0)[0] for _ in range(50))
"""Nanoseconds that reading the clock adds to a burst."""

Batch = Callable[[int, int], tuple[list[Any], int]]
"""``batch(start, count)`` returns a list and the index in it to start at."""


@dataclass(slots=True)
class _Cell:
    """A cell at work.

    Attributes:
        call: What is timed.
        batch: Gives what it is called with; not timed.
        weights: Of the records that this cell goes through.
        calls: Calls of a slice.
        rounds: Rounds it takes part in.
        collect: Garbage collection switched on during the slice.
        extra: Share of further calls that are made but not counted: a planted difference.
        touched: Items are touched just before, untimed. Records have been made and payloads received
            a moment before they are encoded and decoded; without this the first codec of a round
            would fetch them from memory for all others.
        burst: Calls that are timed together.
        warmup: Calls before a slice that do not count.
    """

    call: Callable[[Any], object]
    batch: Batch
    weights: list[float]
    collect: bool
    extra: float = 0.0
    touched: bool = False
    burst: int = BURST
    warmup: int = 0
    calls: int = 1
    rounds: frozenset[int] = frozenset()
    track: Track = field(default_factory=Track)

    def made(self) -> int:
        """Draw the calls that a slice really makes: `calls`, and on average the extra ones."""
        return math.floor(self.calls * (1 + self.extra) + random.random())

    def slice(self, start: int, calls: int) -> tuple[int, int]:
        """Time one slice; return nanoseconds and involuntary switches."""
        self._run(start - self.warmup, self.warmup)
        return self._run(start, calls)

    def _run(self, start: int, calls: int) -> tuple[int, int]:
        nanoseconds = switches = 0
        for done in range(0, calls, self.burst):
            count = min(self.burst, calls - done)
            items, at = self.batch(start + done, count)
            if self.touched:
                time_calls(touch, items, at, count)
            spent, taken = self._time(items, at, count)
            nanoseconds += spent - CLOCK
            switches += taken
        return nanoseconds, switches

    def _time(self, items: list[Any], at: int, calls: int) -> tuple[int, int]:
        if self.collect:
            return time_calls(self.call, items, at, calls)
        gc.disable()
        try:
            return time_calls(self.call, items, at, calls)
        finally:
            gc.enable()


def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out a timing job.

    Args:
        job: ``folder`` (the corpus' files), ``cells`` (each ``codec``, ``operation``, ``payloads``,
            ``records``, ``seconds``, ``fixed`` (share of the work in a mean record that does not grow with
            size), and ``extra`` for a planted difference), ``rounds``, ``slice``
            (seconds), ``gc`` ("on" or "off"), ``heartbeat``.

    Returns:
        ``cells`` (index to figures or to an error), ``yardstick`` (seconds), ``harness``
        (nanoseconds per call of measuring itself), ``dirty`` (share of disturbed slices).
    """
    heartbeat = Heartbeat(Path(job["heartbeat"]))
    folder = Path(job["folder"])
    sample = read_sample(folder / "sample")
    shared = None if sample.fresh else sample.records()
    failed: dict[int, str] = {}
    cells: dict[int, _Cell] = {}
    order = list(enumerate(job["cells"]))
    random.shuffle(order)
    for index, spec in order:
        heartbeat.beat(index)
        try:
            cell = _prepare(spec, folder, sample, shared, job["gc"] == "on")
            cell.extra = spec.get("extra", 0.0)
            _calibrate(cell, spec["seconds"], job["slice"])
        except Exception as error:  # noqa: BLE001 - a cell fails alone, whatever it raises
            failed[index] = _text(error)
        else:
            cells[index] = cell
    heartbeat.beat(IDLE)
    yardsticks = [_Cell(kernel, _rotate(ITEMS), [1.0] * len(ITEMS), True) for _ in range(_YARDSTICKS)]
    for yardstick in yardsticks:
        _calibrate(yardstick, 0.0, job["slice"])
    _rounds(cells, yardsticks, failed, heartbeat, job)
    return _answer(cells, yardsticks, failed)


def _prepare(
    spec: Mapping[str, Any],
    folder: Path,
    sample: Sample,
    shared: list[Any] | None,
    collect: bool,
) -> _Cell:
    length: int = spec["records"]
    weights = [spec["fixed"] + (1 - spec["fixed"]) * size for size in sample.weights[:length]]
    operation, _, variant = spec["operation"].partition("-")
    collect = collect and variant != "nogc"
    if spec["codec"] == FLOOR:
        return _Cell(copy, _rotate(sample.pickles[:length]), weights, collect, touched=True)
    parts = contestant(spec["codec"], folder)
    if operation == "dump":
        ready = shared[:length] if shared is not None else None
        if ready is None and variant == "repeat":
            ready = sample.records(0, length)
        if ready is not None:
            return _Cell(parts.bare.encode, _rotate(parts.taken(ready)), weights, collect, touched=True)

        def fresh(start: int, count: int) -> tuple[list[Any], int]:
            return parts.taken(sample.records(start, count, length)), 0

        return _Cell(parts.bare.encode, fresh, weights, collect)
    payloads = read_payloads(folder / spec["payloads"])[:length]
    if operation == "load":
        return _Cell(parts.bare.decode, _rotate(payloads), weights, collect, touched=True)
    if operation == "advise" and parts.fix is not None:
        decode = parts.bare.decode

        def decoded(start: int, count: int) -> tuple[list[Any], int]:
            return [decode(payloads[(start + i) % length]) for i in range(count)], 0

        return _Cell(parts.fix, decoded, weights, collect, burst=_FRESH)
    raise ValueError(f"{spec['operation']} of {spec['codec']} cannot be timed")


def _rotate(items: list[Any]) -> Batch:
    return lambda start, count: (items, start)


def _calibrate(cell: _Cell, seconds: float, wanted: float) -> None:
    """Find the calls that fill a slice, by the minimum of tries: one disturbed try must not decide.

    Args:
        cell: Its `calls` and `warmup` are set.
        seconds: What a call took in the check, 0 when not known.
        wanted: Length of a slice in seconds.
    """
    if seconds > _LONG * wanted:
        return
    for aim in (wanted / 16, wanted) if seconds <= wanted else ():
        best = min(cell.slice(0, cell.calls)[0] for _ in range(_TRIES)) * 1e-9 / cell.calls
        cell.calls = max(cell.calls, round(aim / max(best, 1e-9)), 1)
    cell.warmup = math.ceil(_WARMUP * cell.calls)


def _rounds(
    cells: dict[int, _Cell],
    yardsticks: list[_Cell],
    failed: dict[int, str],
    heartbeat: Heartbeat,
    job: Mapping[str, Any],
) -> None:
    number: int = job["rounds"]
    weights = {index: _Prefix(cell.weights) for index, cell in cells.items()}
    for index, cell in cells.items():
        cell.rounds = _turns(job["cells"][index]["seconds"] * cell.calls, job["slice"], number)
    for yardstick in yardsticks:
        yardstick.rounds = frozenset(range(number + 1))
    # The harness' own objects must not be walked through at the codecs' expense.
    gc.collect()
    gc.freeze()
    me = os.getpid()
    origin = random.random()
    for r in range(number + 1):
        where = (origin + r / (number + 1)) % 1.0
        turn = [(i, c) for i, c in cells.items() if r in c.rounds]
        turn += [(IDLE, y) for y in yardsticks]
        random.shuffle(turn)
        for index, cell in turn:
            heartbeat.beat(index)
            start, made = int(where * len(cell.weights)), cell.made()
            try:
                nanoseconds, switches = cell.slice(start, made)
            except Exception as error:  # noqa: BLE001 - a cell fails alone, whatever it raises
                failed[index] = _text(error)
                del cells[index]
                continue
            if os.getpid() != me:
                os._exit(0)  # a codec forked; the copy must not go on measuring
            if r == 0:
                continue
            work = float(cell.calls)
            if index != IDLE:
                work = weights[index].sum(start, made) / (1 + cell.extra)
            cell.track.logs[r] = math.log(max(nanoseconds, 1) * 1e-9 / work)
            cell.track.loops += cell.calls
            cell.track.duration += nanoseconds * 1e-9
            if switches:
                cell.track.dirty.add(r)
        if job["gc"] == "off":
            gc.collect()
    heartbeat.beat(IDLE)


def _turns(length: float, wanted: float, rounds: int) -> frozenset[int]:
    """Choose the rounds of a cell. Round 0 warms up and is dropped; slow cells skip it."""
    if length <= _LONG * wanted:
        return frozenset(range(rounds + 1))
    count = min(rounds, max(_FEWEST, math.ceil(_SHARE * rounds * wanted / length)))
    return frozenset(random.sample(range(1, rounds + 1), count))


class _Prefix:
    """Sums of weights over parts of a ring."""

    def __init__(self, weights: list[float]) -> None:
        self._sums = [0.0]
        for weight in weights:
            self._sums.append(self._sums[-1] + weight)

    def sum(self, start: int, count: int) -> float:
        """Sum `count` weights from `start` on, round again at the end."""
        length = len(self._sums) - 1
        laps, rest = divmod(count, length)
        end = start + rest
        total = laps * self._sums[length] - self._sums[start]
        return total + (self._sums[end] if end <= length else self._sums[length] + self._sums[end - length])


def _answer(cells: dict[int, _Cell], yardsticks: list[_Cell], failed: dict[int, str]) -> dict[str, Any]:
    order = list(cells)
    found = levels([cells[i].track for i in order] + [y.track for y in yardsticks])
    rulers = [level for level in found[len(order) :] if level is not None]
    raw = math.prod(y.raw for y in rulers) ** (1 / len(rulers))
    polished = math.prod(y.polished for y in rulers) ** (1 / len(rulers))
    answers: dict[str, Any] = {str(i): {"error": text} for i, text in failed.items()}
    for index, level in zip(order, found, strict=False):
        track = cells[index].track
        if level is None:
            continue
        answers[str(index)] = {
            "raw": level.raw,
            "paired": level.polished / polished,
            "drift": level.drift,
            "loops": track.loops,
            "calls": cells[index].calls,
            "duration": track.duration,
            "rounds": len(track.logs),
            "dirty": len(track.dirty),
        }
    tracks = [c.track for c in (*cells.values(), *yardsticks)]
    slices = sum(len(t.logs) for t in tracks)
    return {
        "cells": answers,
        "yardstick": raw,
        "harness": harness(2_000),
        "dirty": sum(len(t.dirty) for t in tracks) / max(1, slices),
    }


def harness(calls: int, tries: int = _TRIES) -> float:
    """Measure measuring: nanoseconds per call of a C function that does nothing, timed as codecs are.

    Args:
        calls: Of each try.
        tries: The quickest counts: all of it takes milliseconds, as long as a neighbour's burst.
    """
    cells = [_Cell(nothing, _rotate(ITEMS), [], True, 0.0, True, burst) for burst in (BURST, _FRESH)]
    return max(min(cell._run(0, calls)[0] for _ in range(tries)) / calls for cell in cells)


def _text(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "went over its memory limit (--cell-memory)"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
