"""The one sentence below a table. It never names a winner inside a tie without saying so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..bench.results import Result
from ..bench.stats import FEW
from ..codecs import is_raw
from .candidates import FLOOR, Candidate, Standing, alpha, candidates_on, corpora
from .cost import Cost
from .numbers import ratio

__all__ = ["FAILED", "FEW_NAMES", "few", "got_through", "listed", "recommendation", "some"]

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
            verdict, aside = _verdict(candidates, model, alpha(result))
            found.setdefault(verdict, []).append((corpus.name, aside))
    if not found:
        return "Nothing was measured, so there is nothing to recommend."
    several = sum(map(len, found.values())) > 1
    text = "; ".join(_clause(verdict, places, several) for verdict, places in found.items())
    if found.keys() <= {_NONE, _PARTS, _LATE, _UNCHECKED}:
        return f"{text}."
    return f"{text} (by the cost of {model.sentence()})."


def got_through(result: Result) -> bool:
    """Whether a codec came through on any corpus; where none did, that is the recommendation."""
    fields = [_candidates(result, corpus.name) for corpus in corpora(result)]
    if any(_passed(e) or Cost().samples(e.cells) for field in fields for e in field):
        return True
    # One store or transport that fails is no failure of all.
    placed = (cell for cell in result.cells if cell.cell.codec != FLOOR and "@" in cell.cell.operation)
    phases = ("time", "alone")
    return any(cell.samples and result.operation(cell.cell.operation).phase in phases for cell in placed)


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


def _verdict(candidates: list[Candidate], cost: Cost, alpha: float) -> tuple[str, str]:
    """Return what to take, and an aside: who comes next, who would be quicker but is out."""
    standing = Standing.of(candidates, cost, alpha)
    if not standing.costs:
        return _without_costs(candidates, cost), ""
    if not any(candidate.checked for candidate in candidates):
        return _UNCHECKED, ""
    safe = [e for e in candidates if _recommendable(e) and e.name in standing.costs]
    if not safe:
        first = next(iter(standing.costs))
        return "No safe codec brings every record back", f"{first} comes first of the others"
    # Ranked once more among themselves: a tie with a codec that is out is not a tie.
    own = standing if len(safe) == len(standing.costs) else Standing.of(safe, cost, alpha)
    winner, *others = own.costs
    # What the table shows as a tie is one here, too, though fewer codecs would separate it.
    level = {*own.tied(winner), *standing.tied(winner)}
    tied = [name for name in others if name in level]
    asides = []
    processes = min(map(len, own.samples.values()))
    if processes < FEW and others:
        verdict = f"{_processes(processes)} too few to tell codecs apart"
    elif tied:
        verdict = f"{few([winner, *tied])} cannot be told apart at the top"
    elif others:
        verdict = f"{winner} costs least"
        times = own.costs[others[0]].value / own.costs[winner].value
        asides.append(f"{others[0]} comes next at {ratio(times)} its cost")
    elif len(candidates) == 1:
        verdict = f"{winner} brings every record back safely, and nothing else was measured"
    else:
        verdict = f"{winner} is the only one that brings every record back safely"
    asides += _better(candidates, standing, winner)
    return verdict, ", ".join(asides)


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


def _recommendable(candidate: Candidate) -> bool:
    facts = candidate.facts
    safe = not (facts.trusted_only or facts.unguarded or is_raw(candidate.name))
    return safe and candidate.checked and candidate.outcome == "ok"


def _better(candidates: list[Candidate], standing: Standing, winner: str) -> list[str]:
    """Name what ranks above the winner, and why it is not recommended."""
    above = [
        e for e in candidates if e.name in standing.ranks and standing.ranks[e.name] < standing.ranks[winner]
    ]
    if not above:
        return []
    best = min(above, key=lambda e: standing.costs[e.name].value)
    return [f"{best.name} is quicker but {_drawback(best)}"]


def _drawback(candidate: Candidate) -> str:
    """Say why a codec with a cost is not recommended."""
    if candidate.facts.trusted_only:
        return "is for trusted data only"
    if candidate.facts.unguarded:
        return "lacks a guard against payloads of strangers"
    if is_raw(candidate.name):
        return "is no codec to import"
    if not candidate.checked:
        return "was not checked"
    if candidate.outcome in FAILED:
        failed = next(cell for cell in candidate.cells.values() if cell.outcome == candidate.outcome)
        return f"{FAILED[candidate.outcome]} in {failed.cell.operation}"
    return "is lossy here"


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
