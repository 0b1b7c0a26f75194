"""One codec on one corpus, for tables, the recommendation and `pick`."""

from __future__ import annotations

import base64
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from ...bench.method import Verdicts
from ...bench.results import (
    BASELINE,
    CellResult,
    CodecFacts,
    CorpusFacts,
    Measurement,
    PyperfFacts,
    ResultData,
)
from ...bench.stats import Ratio, Verdict, interval
from ...bench.verdict import (
    PARTS,
    Contest,
    Drawback,
    Judgment,
    Preferred,
    RankRange,
    drawbacks,
    error_share,
    nothing_to_fix,
    outcome_of,
    preference,
    ranked,
    takes,
)
from ...codecs.limits import GREATEST_DEPTH, OWN_DATA
from ...errors import RunError
from .cost import CostModel
from .names import plain_name
from .obstacle import Obstacle
from .read import LibraryResult, reads_of

__all__ = [
    "BASELINE",
    "GROWING",
    "RARE",
    "WELL",
    "Candidate",
    "MeanInterval",
    "Seen",
    "Standing",
    "candidates_on",
    "corpora",
    "dictionary_of",
    "failures",
    "figure",
    "limits_needed",
    "measured",
    "preferred",
    "records_seen",
    "standing_on",
    "summed",
    "weighed",
]

GROWING: Final = "growing"
"""The verdict of a `growth-*` cell that retains memory."""

RARE: Final = 0.02
"""Share of the time spent in rare slow calls, from which it is reported."""

WELL: Final = ("ok", "lossy")
"""Outcomes of cells that may have a figure."""

_MOST: Final = OWN_DATA | {"depth": GREATEST_DEPTH}


Seen = Literal["records", "encoded"]
"""The facts in `CheckFacts` that count the records of a codec."""


class MeanInterval(NamedTuple):
    """A mean with its interval, or without one if there is only one process.

    Attributes:
        limit: The smallest measurable figure, if the value is below it.
    """

    value: float
    low: float | None
    high: float | None
    limit: float | None = None

    @property
    def seen(self) -> float:
        """The value, or the limit that it is below; values below a limit cannot be compared."""
        return self.value if self.limit is None else self.limit

    @property
    def half(self) -> float | None:
        """Half the interval's width."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def scaled(self, times: float) -> MeanInterval:
        """Return the figure of so many calls or records together."""
        low, high, limit = (None if one is None else one * times for one in self[1:])
        return MeanInterval(self.value * times, low, high, limit)


@dataclass(frozen=True)
class Candidate:
    """A codec's cells on one corpus.

    Attributes:
        cells: By operation.
        reads: Those of readers in other languages, by the name of the library.
    """

    facts: CodecFacts
    cells: Mapping[str, CellResult]
    reads: Mapping[str, LibraryResult] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The codec's name."""
        return self.facts.name

    def reads_in(self, language: str) -> list[LibraryResult]:
        """Return what the libraries of a language read."""
        return [read for read in self.reads.values() if read.language == language]

    @property
    def slow_build(self) -> bool:
        """Whether the library runs without its C accelerator."""
        return self.facts.accelerated is False and "/pure" not in self.name

    @cached_property
    def takes(self) -> str:
        """The objects that a codec takes instead of records, built before timing; empty if there are none.

        A codec of these objects does not write records directly, so it is not ranked or recommended among
        others.
        """
        return takes(self.facts, self.cells.values())

    @cached_property
    def outcome(self) -> str:
        """The worst outcome of all cells; an operation that the codec lacks does not affect the others."""
        return outcome_of(self.cells.values())

    @cached_property
    def reason(self) -> str:
        """The reason for the worst outcome."""
        return next((cell.reason for cell in self.cells.values() if cell.outcome == self.outcome), "")

    @cached_property
    def stderr(self) -> str:
        """The last output of the failing process."""
        return next((cell.stderr for cell in self.cells.values() if cell.stderr), "")

    @cached_property
    def losses(self) -> tuple[str, ...]:
        """Values that did not survive the round trip, each loss once."""
        return tuple(dict.fromkeys(loss for cell in self.cells.values() for loss in cell.loss))

    @property
    def lossy(self) -> bool:
        """Whether values did not survive the round trip."""
        return any(cell.outcome == "lossy" or cell.loss for cell in self.cells.values())

    @property
    def checked(self) -> bool:
        """Whether records were compared after the round trip; plain pyperf files do not."""
        return not any(isinstance(cell.facts, PyperfFacts) for cell in self.cells.values())

    @cached_property
    def drawbacks(self) -> tuple[Obstacle, ...]:
        """The reasons not to recommend it by default."""
        own = replace(self.facts, name=plain_name(self.name))
        return tuple(self._drawback(kind) for kind in drawbacks(own, self.cells.values()))

    @property
    def drawback(self) -> Obstacle | None:
        """The first reason not to recommend it by default; None if there is none."""
        return next(iter(self.drawbacks), None)

    def _drawback(self, kind: Drawback) -> Obstacle:
        if kind == "failed":
            failed = (c.cell.operation_name for c in self.cells.values() if c.outcome == self.outcome)
            return Obstacle(kind, outcome=self.outcome, operation=next(failed, ""), detail=self.reason)
        return Obstacle(kind, detail=self.losses[0] if kind == "lossy" and self.losses else "")

    @property
    def measured(self) -> bool:
        """Whether there is any figure."""
        return any(cell.samples for cell in self.cells.values())

    @property
    def untimed(self) -> bool:
        """Whether there was no time for timing, so that only the check gives rough times."""
        return any(cell.rough is not None for cell in self.cells.values())

    def rough(self, *operations: str) -> float | None:
        """Return the times of operations in the check, in seconds; None if one of them is unknown."""
        found = [self.cells[name].rough for name in operations if name in self.cells]
        known = [seconds for seconds in found if seconds is not None]
        return math.fsum(known) if known and len(known) == len(operations) else None

    def rough_cost(self, cost: CostModel) -> float | None:
        """Return the cost of a record in the check, in seconds, if there was no time for timing."""
        dump, load = self.rough("dump"), self.rough("load")
        if not self.untimed or dump is None or load is None:
            return None
        return cost.total(dump, load, self.rough("fix") or 0.0)

    @property
    def unfixed(self) -> bool:
        """Whether there is no schema, or the schema has nothing to fix for this codec."""
        return nothing_to_fix(self.cells)

    def samples(self, *operations: str) -> tuple[Measurement, ...]:
        """Return the samples of an operation, or of several added process by process."""
        found = [self.cells[name].samples for name in operations if name in self.cells]
        return summed(found) if found and all(found) else ()

    def figure(self, *operations: str) -> MeanInterval | None:
        """Return the mean and interval of an operation (or of a sum of some)."""
        if len(operations) == 1 and operations[0] in self.cells:
            return measured(self.cells[operations[0]])
        return figure(self.samples(*operations))

    def value(self, operation: str) -> float:
        """Return the mean of an operation; 0 if it has none."""
        found = self.figure(operation)
        return 0.0 if found is None else found.value


def weighed(cell: CellResult | None) -> bool:
    """Return whether a cell with a separate process was measured.

    If the run was stopped before, it is only known that the codec works.
    """
    if cell is None:
        return False
    return bool(cell.samples) or bool(cell.verdict) or cell.outcome not in WELL


def figure(samples: Sequence[Measurement]) -> MeanInterval | None:
    """Return mean and interval of some samples, or None if there are none."""
    if not samples:
        return None
    first = samples[0].value
    if len(samples) == 1:
        return MeanInterval(first, None, None)
    if all(sample.value == first for sample in samples):
        return MeanInterval(first, first, first)
    return MeanInterval(*interval(samples))


def measured(cell: CellResult) -> MeanInterval | None:
    """Return mean and interval of a cell; for a value below the resolution of its method, with that limit."""
    found = figure(cell.samples)
    if found is None or cell.resolution is None or found.value >= cell.resolution:
        return found
    return found._replace(limit=cell.resolution)


def failures(cells: Iterable[CellResult]) -> list[str]:
    """Return the reason for each failed cell, for other programs."""
    return [cell.failure for cell in cells if cell.outcome not in WELL]


def records_seen(cells: Iterable[CellResult], fact: Seen) -> float:
    """Return the number of sample records that a codec was measured on; infinite if it was not checked.

    Args:
        cells: Cells of one codec on one corpus.
        fact: The fact that lists the records.
    """
    return min((getattr(c.check, fact) for c in cells if c.check is not None), default=math.inf)


def limits_needed(cells: Iterable[CellResult]) -> dict[str, int]:
    """Return the limits that must be raised for a codec, because records exceeded its defaults.

    Args:
        cells: Cells of one codec.
    """
    needed: dict[str, int] = {}
    for cell in cells:
        for key, limit in () if cell.check is None else cell.check.limits.items():
            if key in _MOST:
                # The file may be untrusted, so allow no more than a run does.
                needed[key] = max(needed.get(key, 0), min(limit, _MOST[key]))
    return needed


def dictionary_of(cells: Iterable[CellResult]) -> bytes | None:
    """Return the dictionary that a codec's payloads were compressed with, or None if it was not kept.

    Raises:
        RunError: The kept data are not a dictionary.
    """
    text = next((cell.check.dictionary for cell in cells if cell.check and cell.check.dictionary), "")
    try:
        return base64.b64decode(text, validate=True) if text else None
    except ValueError as error:
        raise RunError(f"the dictionary in the result file is damaged: {error}") from error


def summed(parts: Sequence[Sequence[Measurement]]) -> tuple[Measurement, ...]:
    """Add several operations of one codec, process by process."""
    first, *others = parts
    if not others:
        return tuple(first)
    tables = [{sample.pair: sample for sample in part} for part in others]
    common = [s for s in first if all(s.pair in table for table in tables)]
    return tuple(
        replace(
            s,
            value=s.value + sum(table[s.pair].value for table in tables),
            raw=s.raw + sum(table[s.pair].raw for table in tables),
            paired=s.paired + sum(table[s.pair].paired for table in tables),
            dear=s.dear + sum(table[s.pair].dear for table in tables),
        )
        for s in common
    )


def corpora(result: ResultData) -> list[CorpusFacts]:
    """Return the corpora of a result in their order; corpora that only cells mention come last, bare."""
    known = {corpus.name: corpus for corpus in result.corpora}
    for cell in result.cells:
        name = cell.cell.corpus
        known.setdefault(name, CorpusFacts(name, source="", sha256="", records=0, sample=0))
    return list(known.values())


def candidates_on(result: ResultData, corpus: str) -> list[Candidate]:
    """Return the codecs that were measured on a corpus, in the run's order."""
    cells: dict[str, dict[str, CellResult]] = {codec.name: {} for codec in result.codecs}
    reads: dict[str, dict[str, LibraryResult]] = {}
    here = [cell for cell in result.cells if cell.cell.corpus == corpus]
    for read in reads_of(here):
        reads.setdefault(read.codec, {})[read.reader] = read
    for cell in here:
        if not cell.by_reader:
            cells.setdefault(cell.cell.codec, {})[cell.cell.operation_name] = cell
    facts = {codec.name: codec for codec in result.codecs}
    bare = CodecFacts(name="", format="", library="", version="", accelerated=None)
    return [
        Candidate(facts.get(name, replace(bare, name=name)), operations, reads.get(name, {}))
        for name, operations in cells.items()
        if operations
    ]


@dataclass(frozen=True)
class Standing:
    """The ranking of codecs on one corpus by cost.

    Attributes:
        costs: Mean cost of each codec that has one, seconds per record, cheapest first.
        samples: Costs of each process.
        alpha: Error probability of the verdicts.
        judgment: The verdict on every pair.
    """

    costs: Mapping[str, MeanInterval]
    samples: Mapping[str, tuple[Measurement, ...]]
    alpha: float
    judgment: Judgment

    @classmethod
    def of(
        cls,
        samples: Mapping[str, tuple[Measurement, ...]],
        alpha: float = Verdicts.ALPHA,
        known: Judgment | None = None,
    ) -> Standing:
        """Rank codecs by samples of their costs.

        Args:
            samples: By codec; codecs without samples are left out.
            alpha: Probability of any false verdict.
            known: An earlier judgment, which is used if it is about the same codecs.
        """
        measured = {name: found for name, found in samples.items() if found}
        if known is None or set(known.order) != measured.keys():
            known = Judgment.of(measured, alpha)
        figures = {name: mean for name in known.order if (mean := figure(measured[name]))}
        return cls(figures, measured, alpha, known)

    @property
    def judged(self) -> Mapping[tuple[str, str], tuple[Verdict, Ratio]]:
        """The verdict on every pair, in both orders."""
        return self.judgment.judged

    def times(self, codec: str, other: str) -> float:
        """Return the cost of a codec as a multiple of another one's, as the table has it."""
        return 1.0 if codec == other else self.judged[codec, other][1].value

    @cached_property
    def rank_ranges(self) -> Mapping[str, RankRange]:
        """The possible ranks of each codec."""
        return self.judgment.rank_ranges()

    @property
    def ranks(self) -> Mapping[str, int]:
        """The best possible rank of each codec."""
        return {name: ranks.first for name, ranks in self.rank_ranges.items()}

    def rank_text(self, codec: str) -> str:
        """Write the rank: "3", or "3 to 5" if it is not known exactly."""
        return self.rank_ranges[codec].text

    def verdict(self, codec: str) -> Verdict | None:
        """Return why a codec has several ranks: it ties with others, or too little is known."""
        said = {self.judged[codec, other][0] for other in self.costs if other != codec}
        return "unresolved" if "unresolved" in said else "same" if "same" in said else None

    def contest(self, candidates: Iterable[Candidate], preferred: Preferred) -> Contest | None:
        """Return the candidates that may win; None if none of them has a cost."""
        return self.judgment.contest({candidate.name for candidate in candidates}, preferred)


def preferred(candidates: Iterable[Candidate], cost: CostModel) -> Preferred:
    """Return the order of codecs that tie."""
    known = {candidate.name: candidate for candidate in candidates}

    def key(name: str) -> tuple[Any, ...]:
        dump, load, fix, size = map(known[name].value, PARTS)
        return preference(known[name].facts, size, dump + cost.reads * (load + fix))

    return key


def standing_on(
    result: ResultData,
    corpus: str,
    candidates: Iterable[Candidate],
    cost: CostModel,
    also: Collection[str] = (),
) -> Standing:
    """Rank the codecs of a corpus without the baseline, by the run's own verdict if that uses this cost.

    Args:
        candidates: All measured codecs, because verdicts on pairs depend on the number of pairs.
        also: Codecs that are ranked although they take other objects than dicts, see `bench.verdict.ranked`.
    """
    codecs = {e.name: e for e in candidates if e.name != BASELINE}
    taking_part = ranked({name: e.takes for name, e in codecs.items()}).union(also)
    samples = {name: cost.samples(e.cells) for name, e in codecs.items() if name in taking_part}
    stored = (each for each in result.rankings if each.corpus == corpus and cost.fits(each))
    return Standing.of(samples, error_share(result), next(map(Judgment.stored, stored), None))
