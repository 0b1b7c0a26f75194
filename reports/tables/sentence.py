"""The one sentence below a table. It never names a winner inside a tie without saying so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...bench.results import Result
from ...bench.stats import FEW, TIE
from ...bench.verdict import Contest, Drawback, Preferred
from ..model.candidates import FLOOR, Candidate, Standing, candidates_on, corpora, preferred, standing_on
from ..model.cost import Cost
from ..model.numbers import ratio

__all__ = [
    "FAILED",
    "FEW_NAMES",
    "TIE_BREAKERS",
    "broken_by",
    "contests",
    "drawback",
    "few",
    "got_through",
    "listed",
    "recommendation",
    "some",
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

FEW_NAMES: Final = 3
"""Names that stand in a sentence before the others are counted."""

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


def recommendation(result: Result, cost: Cost | None = None) -> str:
    """Say which codec to take, in one sentence.

    Only codecs that bring every record back and are safe for untrusted data are recommended; a faster
    one that is not is named with what keeps it out.
    """
    model = cost or Cost()
    found: dict[str, list[tuple[str, str]]] = {}
    for corpus in corpora(result):
        if candidates := _candidates(result, corpus.name):
            verdict, aside = _verdict(candidates, standing_on(result, corpus.name, candidates, model), model)
            found.setdefault(verdict, []).append((corpus.name, aside))
    if not found:
        return "Nothing was measured, so there is nothing to recommend."
    several = sum(map(len, found.values())) > 1
    text = "; ".join(_clause(verdict, places, several) for verdict, places in found.items())
    if found.keys() <= {_NONE, _PARTS, _LATE, _UNCHECKED}:
        return f"{text}."
    return f"{text} (by the cost of {model.sentence()})."


def contests(result: Result, cost: Cost) -> dict[str, Contest]:
    """Return, by corpus, which codecs may win of those that can be recommended."""
    found = {}
    for corpus in corpora(result):
        candidates = _candidates(result, corpus.name)
        safe = [candidate for candidate in candidates if not candidate.drawback]
        standing = standing_on(result, corpus.name, candidates, cost)
        if contest := standing.contest(safe, preferred(safe, cost)):
            found[corpus.name] = contest
    return found


def got_through(result: Result) -> bool:
    """Whether a codec came through on any corpus; where none did, that is the recommendation."""
    fields = [_candidates(result, corpus.name) for corpus in corpora(result)]
    if any(_passed(e) or Cost().samples(e.cells) for field in fields for e in field):
        return True
    # One store or transport that fails is no failure of all.
    placed = (cell for cell in result.cells if cell.cell.codec != FLOOR and cell.cell.place)
    phases = ("time", "alone")
    return any(cell.samples and result.operation(cell.cell.operation_name).phase in phases for cell in placed)


def _candidates(result: Result, corpus: str) -> list[Candidate]:
    return [candidate for candidate in candidates_on(result, corpus) if candidate.name != FLOOR]


def _passed(candidate: Candidate) -> bool:
    return candidate.outcome not in FAILED


def _clause(verdict: str, places: list[tuple[str, str]], several: bool) -> str:
    """Join a verdict with the corpora it holds for, and what is to be said of each."""
    if not several:
        return ", ".join(part for part in (verdict, places[0][1]) if part)
    named = [f"{name} ({aside})" if aside else name for name, aside in places]
    return f"{verdict} on {listed(named)}"


def _verdict(candidates: list[Candidate], standing: Standing, cost: Cost) -> tuple[str, str]:
    """Return what to take, and an aside: who comes next, who would be quicker but is out."""
    if not standing.costs:
        return _without_costs(candidates, cost), ""
    if not any(candidate.checked for candidate in candidates):
        return _UNCHECKED, ""
    safe = [candidate for candidate in candidates if not candidate.drawback]
    contest = standing.contest(safe, preferred(safe, cost))
    if contest is None:
        first = next(iter(standing.costs))
        return "No safe codec brings every record back", f"{first} comes first of the others"
    others = [e.name for e in safe if e.name in standing.costs and e.name != contest.winner]
    processes = min(map(len, standing.samples.values()))
    asides = []
    if processes < FEW and others:
        verdict = f"{_processes(processes)} too few to distinguish codecs"
    elif contest.unresolved:
        verdict = f"{few(contest.level)} are not distinguishable at the top"
    elif contest.same:
        verdict = f"{few(contest.level)} cost the same, within {TIE:.0%}"
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


def _without_costs(candidates: list[Candidate], cost: Cost) -> str:
    """Say why nothing can be recommended where nothing has a cost."""
    rough = {e.name: seconds for e in candidates if (seconds := e.rough_cost(cost)) is not None}
    if rough:
        least = min(rough, key=rough.__getitem__)
        return f"There was no time to time codecs; in their checks {least} took least, roughly"
    if any(map(_passed, candidates)):
        return _PARTS
    return _LATE if any(e.outcome == "unfinished" for e in candidates) else _NONE


def _processes(number: int) -> str:
    return "1 process is" if number == 1 else f"{number} processes are"


def _better(candidates: list[Candidate], standing: Standing, winner: str) -> list[str]:
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


def some(names: Sequence[str], most: int = FEW_NAMES) -> str:
    """Join the first few names and count the others: "a, b, c and 54 more"."""
    # One name is no longer than the words that would stand for it.
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def few(names: Sequence[str]) -> str:
    """Join names as in a sentence, where they are many the first ones: "a, b, c and 9 others"."""
    if len(names) <= FEW_NAMES + 1:
        return listed(names)
    return f"{', '.join(names[:FEW_NAMES])} and {len(names) - FEW_NAMES} others"


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
