"""What published results lead one to expect of a run, and whether it held.

The expectation is the ranking of the published data set whose records are nearest (`model.distance`), of the
codecs that take part in the run. It is no measurement of these records, and every sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...bench.method import Processes
from ...bench.results import ResultData
from ..model.candidates import BASELINE, Candidate, candidates_on, corpora, preferred, standing_on
from ..model.cost import CostModel
from ..model.distance import NEAR, Position
from ..model.expected import DataSet, data_sets, position_of
from ..model.lists import few
from ..model.numbers import ratio
from ..tables.sentence import equal, of_safe

_PARTS: Final = frozenset({"dump", "load"})
"""Operations without which a run has no ranking."""
_OTHER_WORK: Final = frozenset({"batch", "burst", "gc", "isolate"})
"""Conditions under which calls cost something else than in the published results."""
_FEWEST: Final = 2
"""Codecs that make a ranking."""
_KINDS: Final = {"dicts": "plain values", "objects": "objects of classes", "schema": "a schema"}
_UNTESTED: Final = "the expectation was not tested"


@dataclass(frozen=True)
class Expectation:
    """The expected ranking of codecs on some records.

    Attributes:
        data_set: The published data set with the nearest records.
        order: Its codecs that take part, the cheapest first.
        level: The first of these, and those that tie with it there.
        likeness: How like its records are.
    """

    data_set: DataSet
    order: tuple[str, ...]
    level: tuple[str, ...]
    likeness: str

    @property
    def sentence(self) -> str:
        """The expectation, marked as one."""
        first, second, *_ = self.order
        times = ratio(self.data_set.costs[second] / self.data_set.costs[first])
        behind = f"({times}, not distinguishable)" if second in self.level else times
        return f"expected, from {self.data_set.title}, {self.likeness}: {first}, then {second} {behind}"


def nearest(position: Position, codecs: Iterable[str], among: Sequence[DataSet]) -> DataSet | None:
    """Return the data set whose records are nearest, of those with records of this kind.

    A codec that loses values there and none here may cost least here, so each of them must have a result.

    Args:
        position: The records.
        codecs: The codecs that may be recommended for them; those that no data set knows do not matter.
        among: The published data sets.
    """
    known = set(codecs) & {name for each in among for name in each.costs}
    alike = [each for each in among if each.position.kind == position.kind and known <= each.costs.keys()]
    return min(alike, key=lambda each: (position.distance(each.position), each.name), default=None)


def expectation(position: Position, codecs: Sequence[str], among: Sequence[DataSet]) -> Expectation | str:
    """Return what to expect of codecs on some records, or a sentence that says why nothing.

    Args:
        position: The records.
        codecs: The codecs that may be recommended for them.
        among: The published data sets.
    """
    found = nearest(position, codecs, among)
    none = f"no expectation: none of the {len(among)} published data sets"
    if found is None:
        return f"{none} has {_KINDS[position.kind]} and results of these codecs"
    if position.distance(found.position) > NEAR:
        apart = position.difference(found.position)
        return f"{none} is near these records; the nearest is {found.name}, {apart} than these"
    order = found.order(codecs)
    if len(order) < _FEWEST:
        return f"no expectation: the nearest published records, {found.title}, have results of other codecs"
    likeness = position.likeness(found.position)
    return Expectation(found, tuple(order), tuple(found.level(codecs)), likeness)


def verdict(expected: Expectation, result: ResultData, corpus: str) -> str:
    """Say whether an expectation held on a corpus of a run; it may also tie, or be undecided or untested."""
    cost = CostModel()
    candidates = candidates_on(result, corpus)
    standing = standing_on(result, corpus, candidates, cost)
    safe = _safe(candidates)
    contest = standing.contest(safe, preferred(safe, cost))
    if contest is None:
        return f"{_UNTESTED}: no codec was timed"
    leader = expected.order[0]
    if leader not in standing.costs:
        return f"{_UNTESTED}: {leader} was not timed"
    processes = min(len(samples) for samples in standing.samples.values())
    if processes < Processes.FEWEST:
        counted = "1 process is" if processes == 1 else f"{processes} processes are"
        of = of_safe(leads=contest.cheapest == next(iter(standing.costs)))
        return f"{_UNTESTED}: {counted} too few; {contest.cheapest} has the lowest mean{of}"
    level = [name for name in standing.costs if name in contest.level]
    leading = f"{few(level)} {'leads' if len(level) == 1 else 'lead'}"
    if level == [leader]:
        return f"the expectation held: {leading}"
    if leader in level:
        state = "is undecided" if contest.unresolved else "tied"
        return f"the expectation {state}: {few(level)} {equal(contest)}"
    times = ratio(standing.times(leader, level[0]))
    if set(level) & set(expected.level):
        return (
            f"the expectation tied: {leading}, {times} before {leader}, as the published result leaves open"
        )
    return f"the expectation did not hold: {leading}, {times} before {leader}"


def _safe(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [each for each in candidates if each.name != BASELINE and not each.drawback]


def _comparable(result: ResultData) -> bool:
    """Whether a run measures the same as published results."""
    operations = str(result.options.get("operations", "")).split("\n")
    other = result.conditions.keys() & _OTHER_WORK
    return not other and not result.options.get("sizes") and _PARTS.issubset(operations)


class Expectations:
    """The expectations of one run.

    Args:
        say: Receives each sentence.
        name: Whether to name the corpus in each.
    """

    def __init__(self, say: Callable[[str], object], *, name: bool = False) -> None:
        self._say = say
        self._name = name
        self._found: dict[str, Expectation] = {}

    def before(self, result: ResultData, corpus: str) -> None:
        """Say what to expect on a corpus, whose codecs were checked and not yet timed.

        Nothing is said of records without sizes, of a single codec, or if the run measures something else
        than published results do: other operations, batches, resized records.

        Args:
            result: The result so far.
            corpus: Its name.
        """
        candidates = candidates_on(result, corpus)
        facts = next(each for each in corpora(result) if each.name == corpus)
        position = position_of(facts, candidates)
        codecs = [candidate.name for candidate in _safe(candidates)]
        if position is None or len(codecs) < _FEWEST or not _comparable(result):
            return
        found = expectation(position, codecs, data_sets())
        if isinstance(found, Expectation):
            self._found[corpus] = found
            found = found.sentence
        self._tell(corpus, found)

    def after(self, result: ResultData) -> None:
        """Say of each expectation whether it held.

        Args:
            result: The complete result.
        """
        for corpus, expected in self._found.items():
            self._tell(corpus, verdict(expected, result, corpus))

    def _tell(self, corpus: str, sentence: str) -> None:
        self._say(f"{corpus}: {sentence}" if self._name else sentence)
