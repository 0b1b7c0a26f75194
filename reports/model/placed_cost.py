"""Cells measured in places as the corpora of a result, with the cost of a write instead of a dump.

In stores, and between a producer and consumers, the cost is that of the whole call, not only of the codec.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from ...bench.results import BASELINE, Cell, CellResult, CorpusFacts, Measurement, ResultData
from ...bench.verdict import Contest
from .candidates import Candidate, Standing
from .cost import CostModel
from .placed import PIPELINE, Group

CODEC: Final = "codec"
"""The variant that measures the codec's part of an operation."""
_Part = tuple[str, str]
"""An operation and a variant."""
_COSTS: Final[Mapping[_Part, _Part]] = {
    ("put", ""): ("dump", ""),
    ("get", ""): ("load", ""),
    ("put", CODEC): ("dump", CODEC),
    ("get", CODEC): ("load", CODEC),
    ("cpu", ""): ("dump", ""),
    ("cpu-codec", ""): ("dump", CODEC),
}
"""The operations in stores and pipelines that replace a part of the cost."""


_Place = tuple[CorpusFacts, list[CellResult]]


def placed(result: ResultData, found: Iterable[Group], consumers: int | None = None) -> ResultData:
    """Return the measured places as the corpora of a result.

    Each place counts the duration of the whole run, because a longer run repeats all of it.

    Args:
        result: The result.
        found: Its groups.
        consumers: Only pipelines with this number of consumers.
    """
    ours = (group for group in found if group.setup is not None)
    places = [place for group in ours for place in _places(group, consumers)]
    taken: dict[tuple[str, int], float] = {}
    for cell in result.cells:
        for sample in cell.samples:
            key = cell.cell.corpus, sample.pair
            taken[key] = taken.get(key, 0.0) + sample.duration
    cells = []
    for corpus, there in places:
        codecs = sum(cell.cell.operation_name == "dump" for cell in there)
        for cell in there:
            # A longer run measures all cells again, not only the cells of this place.
            own = cell.cell.operation_name == "dump"
            samples = tuple(
                replace(s, duration=taken[cell.cell.corpus, s.pair] / codecs if own else 0.0)
                for s in cell.samples
            )
            named = replace(cell.cell, corpus=corpus.name)
            cells.append(replace(cell, cell=named, samples=samples))
    facts = tuple(corpus for corpus, _ in places)
    duration = result.duration * len(facts) / max(1, len(result.corpora))
    return replace(result, cells=tuple(cells), corpora=facts, operations=(), rankings=(), duration=duration)


def _places(group: Group, consumers: int | None) -> Iterator[_Place]:
    piped = group.kind == PIPELINE
    for spot, codecs in group.cells.items():
        if piped and consumers not in (None, spot[1]):
            continue
        there = [
            _as(cell, *part)
            for codec, cells in codecs.items()
            for asked, cell in cells.items()
            if codec != BASELINE and (part := _COSTS.get(asked)) is not None
        ]
        name = f"{group.corpus.name} in {spot[0]} ({group.state})"
        if piped:
            # The producer and all its consumers were measured together.
            there += [_free(cell) for cell in there if cell.cell.operation_name == "dump"]
            rate = f" at {group.rate:,}/s" if group.rate else ""
            name = f"{group.corpus.name} through {spot[0]} to {spot[1]}{rate}"
        if there := [one for one in there if _tells(one)]:
            yield replace(group.corpus, name=name), there


def _as(cell: CellResult, operation: str, variant: str = "") -> CellResult:
    return replace(cell, cell=Cell(cell.cell.corpus, operation, cell.cell.codec, variant=variant))


def _free(cell: CellResult) -> CellResult:
    """Return the reads of a cell whose cost is included in its writes."""
    samples = tuple(Measurement(0.0, 0.0, 0.0, sample.pair, sums=sample.sums) for sample in cell.samples)
    return replace(_as(cell, "load"), samples=samples)


def _tells(cell: CellResult) -> bool:
    """Return whether a cell measures its codec; a codec's part may have nothing to time."""
    return bool(cell.samples) or cell.cell.variant != CODEC


def contest_in(standing: Standing, among: Collection[str] | None = None) -> Contest:
    """Return the codecs that no other codec is significantly faster than; the winner is the cheapest.

    Args:
        standing: The costs in a place.
        among: The codecs to consider; all by default.
    """
    order = list(standing.costs)
    found = standing.judgment.contest(order if among is None else among, lambda name: (order.index(name),))
    assert found is not None, "a place has costs"
    return found


def codec_part(candidate: Candidate, cost: CostModel) -> float:
    """Return the codec's part of the cost in seconds; a store that keeps records has none in a get."""
    parts = {f"dump-{CODEC}": 1.0, f"load-{CODEC}": cost.reads}
    seen = ((candidate.figure(name), times) for name, times in parts.items())
    return math.fsum(times * one.value for one, times in seen if one is not None)
