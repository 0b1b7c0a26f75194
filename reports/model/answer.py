"""The answer on one corpus: the codec to use, what comes next, what it is worth, and what would change that.

It quotes the ranking that the table shows. Sentences and the block above a table only write it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, Protocol

from ...bench.method import Processes
from ...bench.results import CorpusFacts, ResultData
from ...bench.stats import Verdict
from ...bench.verdict import Contest
from .breakeven import Choice, WeightAxis, WinnerChange, axes_of, breakeven, parts_of
from .candidates import WELL, Candidate, MeanInterval, Standing, preferred, records_seen, standing_on
from .cost import CostModel

Kind = Literal[
    "chosen",
    "tied",
    "unresolved",
    "few",
    "unsafe",
    "unchecked",
    "parts",
    "rough",
    "late",
    "missing",
    "failed",
    "nothing",
]
"""What a ranking says: one codec costs least, or ties with others; nothing is decided, as codecs are not
distinguishable, or processes too few; no codec is safe and preserves the records; round trips were not
checked; parts of the cost, or all times but those of some checks, are missing; there was no time for a check;
every codec lacks something; every codec failed; nothing was asked."""

Safety = Literal["anyone", "trusted", "unguarded", "unknown"]
"""Whose payloads a codec may read."""

USUAL: Final = ("json/default", "json")
"""The codecs that most programs use already, the most usual first."""

Place = Literal["faster", "close", "between"]
"""What another codec costs: less than the answer; neither known to be less nor more; more than the answer and
less than the codec that comes next."""


class Ranked(Protocol):
    """A corpus on one machine, with the ranking of its codecs; see `bakeoff.reports.model.view`."""

    @property
    def machine(self) -> str: ...
    @property
    def result(self) -> ResultData: ...
    @property
    def corpus(self) -> CorpusFacts: ...
    @property
    def candidates(self) -> tuple[Candidate, ...]: ...
    @property
    def codecs(self) -> tuple[Candidate, ...]: ...
    @property
    def cost(self) -> CostModel: ...
    @property
    def standing(self) -> Standing: ...


def safety_of(codec: Candidate) -> Safety:
    """Return whose payloads a codec may read; unknown for codecs that bakeoff does not know."""
    if codec.facts.source or not codec.facts.format:
        return "unknown"
    if codec.facts.trusted_only:
        return "trusted"
    return "unguarded" if codec.facts.unguarded else "anyone"


@dataclass(frozen=True, slots=True)
class Rival:
    """Codecs that cost more than the answer.

    Attributes:
        names: The first of them, and those that are not distinguishable from it.
        times: The costs of the first and the last one, as multiples of the answer's.
        more: Seconds per record that the first one costs more.
        verdict: Why the others are with the first: they tie, or too little is known; empty for a single one.
        above: The codec that the first one is known to cost more than, if it is not distinguishable from the
            answer: another one that may win, or one that cannot itself.
    """

    names: tuple[str, ...]
    times: tuple[float, float]
    more: float
    verdict: Verdict | Literal[""] = ""
    above: str = ""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Codecs that cost less than the answer or come right after it, and are not recommended.

    Attributes:
        codecs: The codecs, in the order of their costs.
        place: What they cost.
    """

    codecs: tuple[Candidate, ...]
    place: Place


@dataclass(frozen=True)
class CorpusAnswer:
    """What the ranking of a corpus says.

    Attributes:
        view: The corpus, with its codecs and their ranking.
    """

    view: Ranked

    @cached_property
    def kind(self) -> Kind:
        """What the ranking says."""
        view, contest = self.view, self.contest
        if not view.standing.costs:
            return self._without_costs
        if not any(candidate.checked for candidate in view.codecs):
            return "unchecked"
        if contest is None:
            return "unsafe"
        if self.processes < Processes.FEWEST and len(self.fitting) > 1:
            return "few"
        return "unresolved" if contest.unresolved else "tied" if contest.same else "chosen"

    @property
    def _without_costs(self) -> Kind:
        candidates = self.view.codecs
        if not any(candidate.checked for candidate in candidates):
            return "nothing"
        if self._rough or any(map(self._passed_untimed, candidates)):
            return "rough"
        if any(candidate.outcome in WELL for candidate in candidates):
            return "parts"
        if any(each.outcome == "unfinished" for each in candidates):
            return "late"
        return "missing" if all(each.outcome == "missing" for each in candidates) else "failed"

    def _passed_untimed(self, codec: Candidate) -> bool:
        """Whether a codec was to be timed, passed its check, and was not timed at all."""
        cells = [codec.cells.get(name) for name in self.view.cost.operations if name != "size"]
        return all(cell is not None and cell.outcome in WELL and not cell.samples for cell in cells)

    @cached_property
    def safe(self) -> list[Candidate]:
        """The codecs that preserve all records and are safe for untrusted data."""
        return [candidate for candidate in self.view.codecs if not candidate.drawback]

    @cached_property
    def contest(self) -> Contest | None:
        """Those of them that may win; None if none of them has a cost."""
        return self.view.standing.contest(self.safe, preferred(self.safe, self.view.cost))

    @cached_property
    def fitting(self) -> list[str]:
        """Their names if they have a cost, the lowest first."""
        fit = {candidate.name for candidate in self.safe}
        return [name for name in self.view.standing.costs if name in fit]

    @property
    def processes(self) -> int:
        """The fewest timing processes of any codec."""
        return min(map(len, self.view.standing.samples.values()), default=0)

    @cached_property
    def codec(self) -> Candidate | None:
        """The codec that is recommended; if none is, the first one in the order of what is known."""
        known = {candidate.name: candidate for candidate in self.view.codecs}
        if self.kind == "rough":
            return known[min(self._rough, key=self._rough.__getitem__)] if self._rough else None
        if self.kind == "unsafe":
            ranked = (known[name] for name in self.view.standing.costs)
            return next(
                (each for each in ranked if each.drawback is None or each.drawback.kind != "raw"), None
            )
        if self.contest is None:
            return None
        return known[self.contest.cheapest if self.kind == "few" else self.contest.winner]

    @property
    def decided(self) -> bool:
        """Whether a codec is recommended."""
        return self.kind in ("chosen", "tied")

    @cached_property
    def _all_rough(self) -> dict[str, float]:
        """Rough costs of all codecs that there was no time to time."""
        costs = {e.name: e.rough_cost(self.view.cost) for e in self.view.codecs}
        return {name: seconds for name, seconds in costs.items() if seconds is not None}

    @cached_property
    def _rough(self) -> dict[str, float]:
        """Rough costs of codecs that there was no time to time: of the safe, exact ones, if there are any."""
        rough = self._all_rough
        fit = {candidate.name for candidate in self.safe}
        return {name: seconds for name, seconds in rough.items() if name in fit} or rough

    @property
    def cost(self) -> MeanInterval | None:
        """The cost of the codec: seconds per record."""
        return None if self.codec is None else self.view.standing.costs.get(self.codec.name)

    @property
    def size(self) -> MeanInterval | None:
        """The bytes of its payload of a record."""
        return None if self.codec is None else self.codec.figure("size")

    @property
    def lacking(self) -> list[str]:
        """The parts of the cost that no codec has a figure for."""
        codecs = self.view.codecs
        return [name for name in self.view.cost.operations if not any(e.samples(name) for e in codecs)]

    @cached_property
    def next(self) -> Rival | None:
        """The codec that comes after all that may win, with those not distinguishable from it."""
        level = self.contest.level if self.contest else ()
        first, *rest = [name for name in self.fitting if name not in level] or [""]
        if not first or self.kind == "few":
            return None
        judged = self.view.standing.judged
        said = {name: judged[name, first][0] for name in rest}
        equal = tuple(name for name in rest if said[name] in ("same", "unresolved"))
        verdict: Verdict | Literal[""] = ""
        if equal:
            verdict = "same" if all(said[name] == "same" for name in equal) else "unresolved"
        return self._rival((first, *equal), verdict)

    @cached_property
    def usual(self) -> Rival | None:
        """The codec that most programs use already, if it is known to cost more than all that may win."""
        name, contest = self._usual, self.contest
        if not name or contest is None or name in contest.level:
            return None
        judged = self.view.standing.judged
        known = all(judged[one, name][0] == "faster" for one in contest.level)
        return self._rival((name,)) if known else None

    @property
    def usual_ties(self) -> str:
        """The codec that most programs use already, if the answer ties with it."""
        return self._usual if self.contest and self._usual in self.contest.same else ""

    @property
    def _usual(self) -> str:
        """The codec that most programs use already; empty if it has no cost, is lossy, or is the answer."""
        if self.contest is None or self.contest.winner in USUAL:
            return ""
        return next((name for name in USUAL if name in self.fitting), "")

    @property
    def worth(self) -> Rival | None:
        """The codec that the answer is compared with: the usual one, else the next one."""
        return (self.usual or self.next) if self.decided else None

    def _rival(self, names: tuple[str, ...], verdict: Verdict | Literal[""] = "") -> Rival:
        assert self.contest is not None, "there are rivals"
        standing, winner = self.view.standing, self.contest.winner
        more = standing.costs[names[0]].value - standing.costs[winner].value
        first, last = (standing.times(name, winner) for name in (names[0], names[-1]))
        return Rival(names, (first, last), more, verdict, self._above(names[0], winner))

    def _above(self, name: str, winner: str) -> str:
        """Return the first codec that another one is known to cost more than; empty if that is the answer."""
        judged = self.view.standing.judged
        if judged[name, winner][0] == "slower":
            return ""
        others = (other for other in self.fitting if other not in (name, winner))
        return next((other for other in others if judged[name, other][0] == "slower"), "")

    @cached_property
    def passed_over(self) -> list[PassedOver]:
        """The codecs that are faster than the answer, and those right after it, that are not recommended."""
        if self.contest is None:
            return []
        known = {candidate.name: candidate for candidate in self.view.codecs}
        found: dict[Place, list[Candidate]] = {}
        for name in self.view.standing.costs:
            if known[name].drawback and (place := self._place(name, self.contest)):
                found.setdefault(place, []).append(known[name])
        return [PassedOver(tuple(codecs), place) for place, codecs in found.items()]

    def _place(self, name: str, contest: Contest) -> Place | None:
        """Return what a codec costs; None if it is not known to come before the next one."""
        judged = self.view.standing.judged
        verdict = judged[name, contest.winner][0]
        if verdict == "faster":
            return "faster"
        following = next((each for each in self.fitting if each not in contest.level), "")
        if contest.unresolved or not following or judged[name, following][0] != "faster":
            return None
        return "between" if verdict == "slower" else "close"

    @property
    def unchecked(self) -> bool:
        """Whether there was no time for the check of a codec, so that nothing is known of it."""
        return any(candidate.outcome == "unfinished" for candidate in self.view.codecs)

    @property
    def unranked(self) -> list[Candidate]:
        """The codecs that are safe and preserve all records, and have no cost."""
        return [candidate for candidate in self.safe if candidate.name not in self.view.standing.costs]

    @property
    def leads(self) -> bool:
        """Whether the codec is known to cost less than all others, recommended or not."""
        return self.codec is not None and self.view.standing.rank_ranges[self.codec.name].last == 1

    @property
    def lowest(self) -> bool:
        """Whether no codec has a lower mean, recommended or not."""
        first = next(iter(self.view.standing.costs), "")
        if not first and (rough := self._all_rough):
            first = min(rough, key=rough.__getitem__)
        return self.codec is not None and first == self.codec.name

    @property
    def safety(self) -> Safety:
        """Whose payloads the codec may read."""
        return "unknown" if self.codec is None else safety_of(self.codec)

    @property
    def seen(self) -> int:
        """The number of records whose round trip was compared."""
        sample = self.view.corpus.sample
        return int(min(records_seen(self.codec.cells.values(), "records"), sample)) if self.codec else 0

    @cached_property
    def axes(self) -> list[WeightAxis]:
        """The weights of the cost that another use may change."""
        if self.contest is None or len(self.fitting) < 2:
            return []
        known = {candidate.name: candidate for candidate in self.safe}
        return axes_of(parts_of(known[self.contest.winner]), self.view.cost)

    @cached_property
    def changes(self) -> list[WinnerChange]:
        """The weights from which on another codec is the answer."""
        return list(self._changes()) if self.kind in ("chosen", "tied", "unresolved") else []

    def _changes(self) -> Iterator[WinnerChange]:
        view, known = self.view, {candidate.name: candidate for candidate in self.safe}

        def ask(cost: CostModel) -> Choice:
            standing = standing_on(view.result, view.corpus.name, view.candidates, cost)
            won = standing.contest(self.safe, preferred(self.safe, cost))
            return Choice([name for name in standing.costs if name in known], won, standing.judged)

        if self.contest is not None:
            yield from breakeven(self.contest.winner, lambda name: parts_of(known[name]), self.axes, ask)
