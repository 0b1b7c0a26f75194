"""The verdict on the codecs of one corpus: order, ranks, winner, and codecs not distinguishable from it.

It is computed only here. A run stores it for its default cost. Table, sentence, page and `pick` quote it, and
compute it again for another cost. For a subset of the codecs they use the verdicts on the same pairs, so that
leaving codecs out changes no verdict on the others. `reports/page/templates/ranking.js` implements the same
rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

from ..codecs import is_raw
from .method import Verdicts
from .results import (
    BASELINE,
    CellResult,
    CodecFacts,
    Measurement,
    Outcome,
    PairFacts,
    PyperfFacts,
    Ranking,
    ResultData,
    Verdict,
)
from .stats import OPPOSITE, Ratio, interval, verdicts

PARTS: Final = ("dump", "load", "fix", "size")
"""The operations that make up a cost."""

_WORST: Final[tuple[Outcome, ...]] = (
    "missing",
    "unfinished",
    "crashed",
    "timed out",
    "out of memory",
    "error",
    "wrong",
    "unsupported",
    "lossy",
    "ok",
)
_NOTHING: Final = Measurement(0.0, 0.0, 0.0)

Preferred = Callable[[str], tuple[Any, ...]]
"""Returns the sort key of a codec, by its name, among codecs that tie; see `preference`."""

Drawback = Literal["", "trusted", "unguarded", "raw", "unchecked", "failed", "lossy"]
"""The reason why a codec with a cost cannot win unless the user allows it; "" for none."""


class RankRange(NamedTuple):
    """The possible ranks of a codec.

    Attributes:
        first: One more than the number of codecs that are significantly faster.
        last: The number of all codecs minus those significantly slower.
    """

    first: int
    last: int

    @property
    def text(self) -> str:
        """The rank as written: "3", or "3 to 5" if it is not known exactly."""
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


class Contest(NamedTuple):
    """The codecs that may win: no other eligible codec is significantly faster.

    Attributes:
        winner: The recommended codec: the preferred one of the cheapest and its ties.
        cheapest: The codec with the lowest mean.
        same: The other codecs that tie with the cheapest, in the order of their means.
        unresolved: The codecs that are not distinguishable from the cheapest, in the order of their means.
    """

    winner: str
    cheapest: str
    same: tuple[str, ...]
    unresolved: tuple[str, ...]

    @property
    def level(self) -> tuple[str, ...]:
        """All of them, the winner first."""
        return self.winner, *self.same, *self.unresolved


@dataclass(frozen=True, slots=True)
class Judgment:
    """The verdicts on all pairs of codecs.

    Attributes:
        order: Codecs with a cost, the lowest mean first.
        judged: The verdict on every pair, in both orders.
    """

    order: tuple[str, ...]
    judged: Mapping[tuple[str, str], tuple[Verdict, Ratio]]

    @classmethod
    def of(cls, samples: Mapping[str, Sequence[Measurement]], alpha: float = Verdicts.ALPHA) -> Judgment:
        """Judge codecs by the samples of their costs.

        Args:
            samples: Samples by codec; codecs without samples are left out.
            alpha: Probability of any false verdict.
        """
        means = {name: interval(found)[0] for name, found in samples.items() if found}
        return cls(tuple(sorted(means, key=lambda name: (means[name], name))), verdicts(samples, alpha))

    @classmethod
    def stored(cls, ranking: Ranking) -> Judgment:
        """Return the verdicts stored by a run."""
        judged = {}
        for pair in ranking.pairs:
            high = math.inf if pair.high is None else pair.high
            found = Ratio(pair.value, pair.low, high, pair.spread, pair.processes, pair.p)
            judged[pair.a, pair.b] = pair.verdict, found
            judged[pair.b, pair.a] = OPPOSITE[pair.verdict], found.inverse()
        return cls(ranking.order, judged)

    def rank_ranges(self, among: Collection[str] | None = None) -> dict[str, RankRange]:
        """Return the possible ranks of each codec, in their order.

        All of them hold together unless a verdict is false, which `alpha` bounds (Mogstad et al. 2024).

        Args:
            among: The codecs that are ranked; all by default.
        """
        names = [name for name in self.order if among is None or name in among]
        said = {name: [self.judged[name, other][0] for other in names if other != name] for name in names}
        return {
            name: RankRange(1 + found.count("slower"), len(names) - found.count("faster"))
            for name, found in said.items()
        }

    def contest(self, eligible: Collection[str], preferred: Preferred) -> Contest | None:
        """Return the codecs that may win; None if none is eligible.

        Args:
            eligible: The codecs to choose from.
            preferred: Sort key that breaks ties between codecs of the same cost.
        """
        ranges = self.rank_ranges(eligible)
        if not ranges:
            return None
        # Pairs with few common processes may contradict each other; then no codec has rank 1.
        cheapest, *others = [name for name, ranks in ranges.items() if ranks.first == 1] or list(ranges)[:1]
        same = [name for name in others if self.judged[name, cheapest][0] == "same"]
        winner = min([cheapest, *same], key=preferred)
        return Contest(
            winner,
            cheapest,
            tuple(name for name in [cheapest, *same] if name != winner),
            tuple(name for name in others if name not in same),
        )


def costs(
    cells: Mapping[str, CellResult], reads: float = 1.0, bandwidth: float = math.inf
) -> tuple[Measurement, ...]:
    """Add up a codec's cells, process by process, so that costs stay paired like times.

    Args:
        cells: One codec's cells on one corpus, by operation.
        reads: Loads for each dump.
        bandwidth: Bytes per second of the network that each payload crosses; infinite for none.

    Returns:
        One sample for each process that has all parts, in seconds per record; empty if a part failed or has
        no figure, or if nothing took time, as only a forged file says.
    """
    lined = math.isfinite(bandwidth)
    needed = ["dump", *(["load"] if reads else []), *(["size"] if lined else [])]
    failed = any(name in cells and cells[name].outcome not in ("ok", "lossy") for name in PARTS)
    if failed or any(not (name in cells and cells[name].samples) for name in needed):
        return ()
    fixed = not nothing_to_fix(cells)
    dump = {sample.pair: sample for sample in cells["dump"].samples}
    load = {sample.pair: sample for sample in cells["load"].samples} if reads else {}
    fix = {sample.pair: sample for sample in cells["fix"].samples} if fixed else {}
    wire = _size(cells) / bandwidth if lined else 0.0

    def added(pair: int) -> Measurement:
        written = dump[pair]
        parts = load.get(pair, _NOTHING), fix.get(pair, _NOTHING)
        # Paired values are relative to the process's reference kernel, so the transfer's seconds must be,
        # too.
        share = written.paired / written.value if written.value else 1.0
        return Measurement(
            value=written.value + reads * sum(part.value for part in parts) + wire,
            raw=written.raw + reads * sum(part.raw for part in parts) + wire,
            paired=written.paired + reads * sum(part.paired for part in parts) + wire * share,
            pair=pair,
            sums=written.sums,
            dear=written.dear + sum(part.dear for part in parts),
        )

    found = tuple(added(p) for p in dump if (not reads or p in load) and (not fixed or p in fix))
    return found if all(each.value > 0 and each.paired > 0 for each in found) else ()


def nothing_to_fix(cells: Mapping[str, CellResult]) -> bool:
    """Return whether a codec's loads need no fix: no schema, or one with nothing to fix for it."""
    cell = cells.get("fix")
    return cell is None or (not cell.samples and cell.outcome in ("ok", "lossy"))


def outcome_of(cells: Collection[CellResult]) -> Outcome:
    """Return the worst outcome of a codec; an operation that it lacks does not affect the others."""
    found = {cell.outcome for cell in cells}
    if found & {"ok", "lossy"}:
        found.discard("unsupported")
    return next((outcome for outcome in _WORST if outcome in found), "missing")


def drawback(facts: CodecFacts, cells: Collection[CellResult]) -> Drawback:
    """Return the first reason why a codec cannot win unless the user allows it; see `drawbacks`."""
    return next(drawbacks(facts, cells), "")


def drawbacks(facts: CodecFacts, cells: Collection[CellResult]) -> Iterator[Drawback]:
    """Yield the reasons why a codec cannot win unless the user allows it, which are decided only here.

    Args:
        facts: Facts about the codec.
        cells: Its own cells on the corpus.
    """
    if facts.trusted_only:
        yield "trusted"
    if facts.unguarded:
        yield "unguarded"
    if is_raw(facts.name):
        yield "raw"
    if any(isinstance(cell.facts, PyperfFacts) for cell in cells):
        yield "unchecked"
    outcome = outcome_of(cells)
    if outcome != "ok":
        yield "lossy" if outcome == "lossy" else "failed"


def takes(facts: CodecFacts, cells: Iterable[CellResult]) -> str:
    """Return the objects that a codec takes and returns instead of the records; empty for these.

    Args:
        facts: Facts about the codec.
        cells: Its own cells on the corpus, whose records may be the objects that it takes.
    """
    return "" if any(cell.check is not None and cell.check.as_is for cell in cells) else facts.takes


def ranked(codecs: Mapping[str, str]) -> set[str]:
    """Return the codecs to rank, without codecs whose objects are filled before their clock starts.

    They cannot encode a record directly. If there are no others, all are ranked.

    Args:
        codecs: The objects that each codec of the corpus takes instead of records, by name.
    """
    return {name for name, objects in codecs.items() if not objects} or set(codecs)


def preference(facts: CodecFacts, size: float, seconds: float) -> tuple[bool, int, float, float, str]:
    """Return the sort key of a codec among those that tie.

    Args:
        facts: Facts about the codec.
        size: Bytes of a payload.
        seconds: Processor time of a record: dump and all its reads. It is rounded to two digits, so that
            noise does not decide.
    """
    weight = 0 if facts.library == "Python" else 2 if facts.extra else 1
    return not facts.interoperable, weight, size, float(f"{seconds:.1e}"), facts.name


def error_share(result: ResultData) -> float:
    """Return the error share of verdicts: a run that stops early records the share that a look may spend."""
    spent = result.options.get("alpha")
    return float(spent) if isinstance(spent, int | float) and 0 < spent < 1 else Verdicts.ALPHA


def rankings(result: ResultData) -> tuple[Ranking, ...]:
    """Return the verdict on each corpus of a run, for one write and one read without a network."""
    facts = {codec.name: codec for codec in result.codecs}
    alpha = error_share(result)
    found: dict[str, dict[str, dict[str, CellResult]]] = {}
    for cell in result.cells:
        if cell.cell.codec != BASELINE and cell.cell.codec in facts and not cell.by_reader:
            codecs = found.setdefault(cell.cell.corpus, {})
            codecs.setdefault(cell.cell.codec, {})[cell.cell.operation_name] = cell
    return tuple(
        ranking
        for corpus, codecs in found.items()
        if (ranking := _ranking(corpus, codecs, facts, alpha)) is not None
    )


def _ranking(
    corpus: str, codecs: Mapping[str, Mapping[str, CellResult]], facts: Mapping[str, CodecFacts], alpha: float
) -> Ranking | None:
    taking_part = ranked({name: takes(facts[name], cells.values()) for name, cells in codecs.items()})
    judgment = Judgment.of({name: costs(codecs[name]) for name in codecs if name in taking_part}, alpha)
    if not judgment.order:
        return None

    def preferred(name: str) -> tuple[Any, ...]:
        cells = codecs[name]
        seconds = math.fsum(
            interval(cells[part].samples)[0] for part in PARTS[:3] if part in cells and cells[part].samples
        )
        return preference(facts[name], _size(cells), seconds)

    eligible = [name for name in judgment.order if not drawback(facts[name], codecs[name].values())]
    contest = judgment.contest(eligible, preferred) or Contest("", "", (), ())
    ranges = judgment.rank_ranges()
    return Ranking(
        corpus=corpus,
        reads=1.0,
        bandwidth=None,
        alpha=alpha,
        order=judgment.order,
        first={name: ranks.first for name, ranks in ranges.items()},
        last={name: ranks.last for name, ranks in ranges.items()},
        winner=contest.winner,
        same=contest.same,
        unresolved=contest.unresolved,
        pairs=tuple(_pairs(judgment)),
    )


def _pairs(judgment: Judgment) -> Iterable[PairFacts]:
    for a, b in combinations(judgment.order, 2):
        verdict, found = judgment.judged[a, b]
        low, high = found.ends
        yield PairFacts(a, b, verdict, found.value, low or 0.0, high, found.spread, found.processes, found.p)


def _size(cells: Mapping[str, CellResult]) -> float:
    """Return the mean bytes of a payload; 0 if they were not measured."""
    samples = cells["size"].samples if "size" in cells else ()
    return math.fsum(sample.value for sample in samples) / len(samples) if samples else 0.0
