"""`pick` for codecs that were measured in place: in stores, or between a producer and its readers.

There, the cost is that of the whole call, not only of the codec. Each place is treated as a corpus, with the
cost of a write instead of a dump, and of a read instead of a load. The same rules decide: cost, verdicts,
tie-breakers. The answer also has the codec's share of the cost, and the places where the choice makes no
difference.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...bench.results import BASELINE, Cell, CellResult, CorpusFacts, Measurement, ResultData
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import Candidate, Standing, candidates_on, standing_on
from ..model.cost import CostModel
from ..model.lists import few
from ..model.merge import machines
from ..model.placed import PIPELINE, STORES, Group, groups, kind_of_all
from .pick import PickedCodec, Wish

_CODEC: Final = "codec"
"""The variant that measures the codec's part of an operation."""
_Part = tuple[str, str]
"""An operation and a variant."""
_COSTS: Final[Mapping[_Part, _Part]] = {
    ("put", ""): ("dump", ""),
    ("get", ""): ("load", ""),
    ("put", _CODEC): ("dump", _CODEC),
    ("get", _CODEC): ("load", _CODEC),
    ("cpu", ""): ("dump", ""),
    ("cpu-codec", ""): ("dump", _CODEC),
}
"""The operations in stores and pipelines that replace a part of the cost."""


def in_place(
    results: Sequence[ResultData], wish: Wish, reads: float | None = None
) -> tuple[Sequence[ResultData], Wish]:
    """Return results with places as corpora, and the wish adapted to them; other results are unchanged.

    Args:
        results: The results to choose by.
        wish: The requirements.
        reads: Reads as given by the user. In a pipeline, each reader reads a record once; without a number,
            the largest measured number of readers is used.

    Raises:
        UsageError: A line to stores, prices for places, or a number of readers that no pipeline had.
    """
    kind = kind_of_all(results)
    if kind and wish.prices is not None:
        raise UsageError(
            "a price needs the times of dump and load, which results of stores and pipelines do not have"
        )
    if kind == STORES:
        if math.isfinite(wish.cost.bandwidth):
            raise UsageError("--bandwidth does not apply to stores: a put and a get include the transfer")
        return [placed(result, groups(result)) for result in results], wish
    if kind == PIPELINE:
        readers = _readers(results, reads)
        there = [placed(result, groups(result), readers) for result in results]
        return there, replace(wish, cost=replace(wish.cost, reads=float(readers)))
    return results, wish


def said(results: Sequence[ResultData], choice: PickedCodec) -> Iterator[str]:
    """Describe, for each place, the codec's share of the cost, and the codecs that tie there.

    Args:
        results: As returned by `in_place`; for others there is nothing to add.
        choice: The choice that `pick` made from them.
    """
    result = machines(results)[0][1]
    if any(_reads_are_free(cell) for cell in result.cells):
        yield "processor time of a record, of the producer and all its readers, with the codec's part of it:"
    elif any(cell.cell.variant == _CODEC for cell in result.cells):
        yield "a write is a put and a read a get, the store included, with the codec's part of it:"
    for corpus in choice.corpora:
        found = {candidate.name: candidate for candidate in candidates_on(result, corpus.name)}
        if any(cell.cell.variant == _CODEC for each in found.values() for cell in each.cells.values()):
            standing = standing_on(result, corpus.name, found.values(), choice.wish.cost)
            yield f"  {_of_place(corpus.name, found, choice, standing)}"


def level(standing: Standing, among: Collection[str] | None = None) -> list[str]:
    """Return the codecs that no other codec is significantly faster than, the lowest mean first.

    Args:
        standing: The costs in a place.
        among: The codecs to consider; all by default.
    """
    return [name for name, place in standing.judgment.places(among).items() if place.first == 1]


def _of_place(place: str, found: Mapping[str, Candidate], choice: PickedCodec, standing: Standing) -> str:
    winner = choice.winner.name
    total = standing.costs[winner].value
    share = numbers.percent(codec_part(found[winner], choice.wish.cost) / total)
    text = f"{place}: {numbers.amount(total, 'second')}, of which {winner} is {share}"
    best = level(standing, choice.parts)
    if len(choice.parts) == 1:
        return text
    if len(best) == len(choice.parts):
        return f"{text}; codecs are not distinguishable there"
    return f"{text}; {'best' if len(best) == 1 else 'not distinguishable from the best'} there: {few(best)}"


def codec_part(candidate: Candidate, cost: CostModel) -> float:
    """Return the codec's part of the cost in seconds; a store that keeps records has none in a get."""
    parts = {f"dump-{_CODEC}": 1.0, f"load-{_CODEC}": cost.reads}
    seen = ((candidate.figure(name), times) for name, times in parts.items())
    return math.fsum(times * one.value for one, times in seen if one is not None)


_Place = tuple[CorpusFacts, list[CellResult]]


def placed(result: ResultData, found: Iterable[Group], readers: int | None = None) -> ResultData:
    """Return the measured places as the corpora of a result.

    Each place counts the duration of the whole run, because a longer run repeats all of it.

    Args:
        result: The result.
        found: Its groups.
        readers: Only pipelines with this number of readers.
    """
    ours = (group for group in found if group.setup is not None)
    places = [place for group in ours for place in _places(group, readers)]
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


def _places(group: Group, readers: int | None) -> Iterator[_Place]:
    piped = group.kind == PIPELINE
    for spot, codecs in group.cells.items():
        if piped and readers not in (None, spot[1]):
            continue
        there = [
            _as(cell, *part)
            for codec, cells in codecs.items()
            for asked, cell in cells.items()
            if codec != BASELINE and (part := _COSTS.get(asked)) is not None
        ]
        name = f"{group.corpus.name} in {spot[0]} ({group.state})"
        if piped:
            # The producer and all its readers were measured together.
            there += [_free(cell) for cell in there if cell.cell.operation_name == "dump"]
            rate = f" at {group.rate:,}/s" if group.rate else ""
            name = f"{group.corpus.name} through {spot[0]} to {spot[1]}{rate}"
        if there := [one for one in there if _tells(one)]:
            yield replace(group.corpus, name=name), there


def _readers(results: Sequence[ResultData], wanted: float | None) -> int:
    """Return the number of readers: the requested number, or the largest one measured."""
    found = (spot[1] for result in results for group in groups(result) for spot in group.cells)
    measured = {readers for readers in found if isinstance(readers, int)}
    if wanted is None:
        return max(measured)
    if wanted not in measured:
        there = ", ".join(map(str, sorted(measured)))
        raise UsageError(
            f"--reads {wanted:g}: no pipeline was measured with this number of readers, only with {there}"
        )
    return int(wanted)


def _as(cell: CellResult, operation: str, variant: str = "") -> CellResult:
    return replace(cell, cell=Cell(cell.cell.corpus, operation, cell.cell.codec, variant=variant))


def _free(cell: CellResult) -> CellResult:
    """Return the reads of a cell whose cost is included in its writes."""
    samples = tuple(Measurement(0.0, 0.0, 0.0, sample.pair, sums=sample.sums) for sample in cell.samples)
    return replace(_as(cell, "load"), samples=samples)


def _reads_are_free(cell: CellResult) -> bool:
    return cell.cell.operation_name == "load" and bool(cell.samples) and cell.samples[0].value == 0


def _tells(cell: CellResult) -> bool:
    """Return whether a cell measures its codec; a codec's part may have nothing to time."""
    return bool(cell.samples) or cell.cell.variant != _CODEC
