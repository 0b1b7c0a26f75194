"""The one sentence below a table. It never names a winner inside a tie without saying so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...bench.method import Processes, Verdicts
from ...bench.verdict import Contest, Drawback, Preferred
from ..model.candidates import BASELINE, Candidate, Standing, preferred
from ..model.cost import CostModel
from ..model.lists import few, listed
from ..model.numbers import ratio
from ..model.view import CorpusView, View

__all__ = [
    "FAILED",
    "TIE_BREAKERS",
    "broken_by",
    "contests",
    "drawback",
    "got_through",
    "recommendation",
]

FAILED: Final[Mapping[str, str]] = {
    "missing": "is not installed",
    "crashed": "crashed",
    "timed out": "timed out",
    "out of memory": "ran out of memory",
    "error": "failed",
    "wrong": "brings back something else",
    "unsupported": "cannot carry these records",
    "unfinished": "was not checked, as the time did not suffice",
}
"""What a codec with such an outcome did, as the end of a sentence; loss is no failure."""

_DRAWBACKS: Final[Mapping[Drawback, str]] = {
    "trusted": "is for trusted data only",
    "unguarded": "lacks a guard against untrusted payloads",
    "raw": "is no codec to import",
    "unchecked": "was not checked",
    "lossy": "is lossy here",
}
"""What keeps a codec from being recommended, as the end of a sentence."""

TIE_BREAKERS: Final = {
    "read by other languages before Python only": "other languages read it",
    "fewer dependencies: standard library, then core, then an extra": "it needs fewer dependencies",
    "smaller payload": "its payload is smaller",
    "less processor time, to two digits": "it takes less processor time",
    "name": "its name sorts first",
}
"""How codecs that cost the same are put in order, first rule first, as `bakeoff.bench.verdict.preference`
does; and what is said of the codec that a rule prefers."""

_NONE: Final = "No codec got through"
_PARTS: Final = "Nothing is recommended, as parts of the cost were not measured"
_LATE: Final = "The time did not suffice for any codec; a longer --budget, or --all, gives it"
_UNCHECKED: Final = "Nothing is recommended, as nobody checked what comes back"


def recommendation(views: Sequence[CorpusView]) -> str:
    """Say which codec to take on some corpora of one machine, in one sentence.

    Only codecs that bring every record back and are safe for untrusted data are recommended; a faster
    one that is not is named with what keeps it out.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for view in views:
        if view.codecs:
            verdict, aside = _verdict(view)
            found.setdefault(verdict, []).append((view.corpus.name, aside))
    if not found:
        return "Nothing was measured, so there is nothing to recommend."
    several = sum(map(len, found.values())) > 1
    text = "; ".join(_clause(verdict, places, several) for verdict, places in found.items())
    if found.keys() <= {_NONE, _PARTS, _LATE, _UNCHECKED}:
        return f"{text}."
    return f"{text} (by the cost of {views[0].cost.sentence()})."


def contests(views: Iterable[CorpusView]) -> dict[str, Contest]:
    """Return, by corpus, which codecs may win of those that can be recommended."""
    found = {}
    for view in views:
        safe = [candidate for candidate in view.codecs if not candidate.drawback]
        if contest := view.standing.contest(safe, preferred(safe, view.cost)):
            found[view.corpus.name] = contest
    return found


def got_through(view: View) -> bool:
    """Whether a codec came through on any corpus; where none did, that is the recommendation."""
    codecs = [codec for one in view.corpora for codec in one.codecs]
    if any(_passed(codec) or view.cost.samples(codec.cells) for codec in codecs):
        return True
    # One store or transport that fails is no failure of all.
    return any(
        cell.samples and machine.result.operation(cell.cell.operation_name).phase in ("time", "alone")
        for machine in view.machines
        for cell in machine.result.cells
        if cell.cell.codec != BASELINE and cell.cell.place
    )


def _passed(candidate: Candidate) -> bool:
    return candidate.outcome not in FAILED


def _clause(verdict: str, places: list[tuple[str, str]], several: bool) -> str:
    """Join a verdict with the corpora it holds for, and what is to be said of each."""
    if not several:
        return ", ".join(part for part in (verdict, places[0][1]) if part)
    named = [f"{name} ({aside})" if aside else name for name, aside in places]
    return f"{verdict} on {listed(named)}"


def _verdict(view: CorpusView) -> tuple[str, str]:
    """Return what to take, and an aside: who comes next, who would be quicker but is out."""
    candidates, standing, cost = view.codecs, view.standing, view.cost
    if not standing.costs:
        return _without_costs(candidates, cost), ""
    if not any(candidate.checked for candidate in candidates):
        return _UNCHECKED, ""
    safe = [candidate for candidate in candidates if not candidate.drawback]
    contest = standing.contest(safe, preferred(safe, cost))
    if contest is None:
        codecs = {candidate.name for candidate in candidates if candidate.drawback != "raw"}
        first = next((name for name in standing.costs if name in codecs), "")
        return "No safe codec brings every record back", f"{first} comes first of the others" if first else ""
    others = [e.name for e in safe if e.name in standing.costs and e.name != contest.winner]
    processes = min(map(len, standing.samples.values()))
    asides = []
    if processes < Processes.FEWEST and others:
        counted = "1 process is" if processes == 1 else f"{processes} processes are"
        verdict = f"{counted} too few to distinguish codecs"
    elif contest.unresolved:
        verdict = f"{few(contest.level)} are not distinguishable at the top"
    elif contest.same:
        verdict = f"{few(contest.level)} cost the same, within {Verdicts.TIE:.0%}"
        key = preferred(safe, cost)
        asides.append(f"{contest.winner} comes first as {broken_by(key, contest)}")
    elif others:
        verdict = f"{contest.winner} costs least"
        following = next(name for name in standing.costs if name in others)
        times = standing.costs[following].value / standing.costs[contest.winner].value
        asides.append(f"{following} comes next at {ratio(times)} its cost")
    elif len(candidates) == 1:
        verdict = f"{contest.winner} brings every record back safely, and nothing else was measured"
    else:
        verdict = f"{contest.winner} is the only one that brings every record back safely"
    asides += _better(candidates, standing, contest.winner)
    return verdict, ", ".join(asides)


def broken_by(key: Preferred, contest: Contest) -> str:
    """Name the tie-breakers that put the winner before those that cost the same, the first rule first."""
    own = key(contest.winner)
    rules = {[a != b for a, b in zip(own, key(name), strict=True)].index(True) for name in contest.same}
    words = list(TIE_BREAKERS.values())
    return " and, where that is equal, ".join(words[rule] for rule in sorted(rules))


def _without_costs(candidates: Sequence[Candidate], cost: CostModel) -> str:
    """Say why nothing can be recommended where nothing has a cost."""
    rough = {e.name: seconds for e in candidates if (seconds := e.rough_cost(cost)) is not None}
    if rough:
        least = min(rough, key=rough.__getitem__)
        return f"There was no time to time codecs; in their checks {least} took least, roughly"
    if any(map(_passed, candidates)):
        return _PARTS
    return _LATE if any(e.outcome == "unfinished" for e in candidates) else _NONE


def _better(candidates: Sequence[Candidate], standing: Standing, winner: str) -> list[str]:
    """Name the cheapest codec that is surely faster than the winner, and why it is not recommended."""
    known = {candidate.name: candidate for candidate in candidates}
    above = [n for n in standing.costs if n != winner and standing.judged[n, winner][0] == "faster"]
    return [f"{above[0]} is faster but {drawback(known[above[0]])}"] if above else []


def drawback(candidate: Candidate) -> str:
    """Say why a codec with a cost is not recommended, as the end of a sentence; empty for nothing."""
    if candidate.drawback == "failed":
        failed = next(cell for cell in candidate.cells.values() if cell.outcome == candidate.outcome)
        return f"{FAILED[candidate.outcome]} in {failed.cell.operation_name}"
    return _DRAWBACKS[candidate.drawback] if candidate.drawback else ""
