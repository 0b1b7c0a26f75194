"""`pick` for codecs that were measured in place: in stores, or between a producer and its consumers.

There, the cost is that of the whole call, not only of the codec. Each place is treated as a corpus, with the
cost of a write instead of a dump, and of a read instead of a load. The same rules decide: cost, verdicts,
tie-breakers. The answer also has the codec's share of the cost, and the places where the choice makes no
difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...bench.results import CellResult, ResultData
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import Candidate, Standing, candidates_on, standing_on
from ..model.lists import few
from ..model.merge import machines
from ..model.placed import PIPELINE, STORES, groups, kind_of_all
from ..model.placed_cost import CODEC, codec_part, contest_in, placed
from ..tables.sentence import equal
from .eligible import Requirements
from .pick import PickedCodec


def in_place(
    results: Sequence[ResultData], requirements: Requirements, reads: float | None = None
) -> tuple[Sequence[ResultData], Requirements]:
    """Return results with places as corpora, and the requirements adapted to them; others are unchanged.

    Args:
        results: The results to choose by.
        requirements: The requirements.
        reads: Reads as given by the user. In a pipeline, each consumer reads a record once; without a number,
            the largest measured number of consumers is used.

    Raises:
        UsageError: A line to stores, prices for places, or a number of consumers that no pipeline had.
    """
    kind = kind_of_all(results)
    if kind and requirements.prices is not None:
        raise UsageError(
            "a price needs the times of dump and load, which results of stores and pipelines do not have"
        )
    if kind == STORES:
        if math.isfinite(requirements.cost.bandwidth):
            raise UsageError("--bandwidth does not apply to stores: a put and a get include the transfer")
        return [placed(result, groups(result)) for result in results], requirements
    if kind == PIPELINE:
        consumers = _consumers(results, reads)
        there = [placed(result, groups(result), consumers) for result in results]
        return there, replace(requirements, cost=replace(requirements.cost, reads=float(consumers)))
    return results, requirements


def said(results: Sequence[ResultData], choice: PickedCodec) -> Iterator[str]:
    """Describe, for each place, the codec's share of the cost, and the codecs that tie there.

    Args:
        results: As returned by `in_place`; for others there is nothing to add.
        choice: The choice that `pick` made from them.
    """
    result = machines(results)[0][1]
    if any(_reads_are_free(cell) for cell in result.cells):
        yield "processor time of a record, of the producer and all its consumers, and the codec's part of it:"
    elif any(cell.cell.variant == CODEC for cell in result.cells):
        yield "a write is a put and a read a get, the store included, with the codec's part of it:"
    for corpus in choice.corpora:
        found = {candidate.name: candidate for candidate in candidates_on(result, corpus.name)}
        if any(cell.cell.variant == CODEC for each in found.values() for cell in each.cells.values()):
            standing = standing_on(result, corpus.name, found.values(), choice.requirements.cost)
            yield f"  {_of_place(corpus.name, found, choice, standing)}"


def _of_place(place: str, found: Mapping[str, Candidate], choice: PickedCodec, standing: Standing) -> str:
    winner = choice.winner.name
    total = standing.costs[winner].value
    share = numbers.share(codec_part(found[winner], choice.requirements.cost) / total)
    text = f"{place}: {numbers.amount(total, 'second')}, of which {winner} is {share}"
    best = contest_in(standing, choice.parts)
    if len(choice.parts) == 1:
        return text
    if len(best.level) == len(choice.parts):
        return f"{text}; codecs {equal(best)} there"
    return f"{text}; best there: {few(best.level)}" + f", which {equal(best)}" * (len(best.level) > 1)


def _consumers(results: Sequence[ResultData], wanted: float | None) -> int:
    """Return the number of consumers: the requested number, or the largest one measured."""
    found = (spot[1] for result in results for group in groups(result) for spot in group.cells)
    measured = {consumers for consumers in found if isinstance(consumers, int)}
    if wanted is None:
        return max(measured)
    if wanted not in measured:
        there = ", ".join(map(str, sorted(measured)))
        raise UsageError(
            f"--reads {wanted:g}: no pipeline was measured with this number of consumers, only with {there}"
        )
    return int(wanted)


def _reads_are_free(cell: CellResult) -> bool:
    return cell.cell.operation_name == "load" and bool(cell.samples) and cell.samples[0].value == 0
