"""The one sentence below a table. It never names a winner inside a tie without saying so."""

from __future__ import annotations

from ..bench.results import Result
from .cost import Cost
from .entrants import FLOOR, Entrant, Standing, alpha, corpora, entrants
from .numbers import ratio

__all__ = ["advice"]


def advice(result: Result, cost: Cost | None = None) -> str:
    """Say which codec to take, in one sentence.

    Only codecs that bring every record back and are safe for untrusted data are advised; a faster
    one that is not is named with what keeps it out.
    """
    model = cost or Cost()
    verdicts: dict[str, list[str]] = {}
    for corpus in corpora(result):
        if field := [e for e in entrants(result, corpus.name) if e.name != FLOOR]:
            verdicts.setdefault(_verdict(field, model, alpha(result)), []).append(corpus.name)
    if not verdicts:
        return "Nothing was measured, so there is nothing to advise."
    if len(verdicts) == 1:
        return f"{next(iter(verdicts))} (by the cost of {model.sentence()})."
    parts = [f"on {_listed(names)} {verdict}" for verdict, names in verdicts.items()]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]} (by the cost of {model.sentence()})."


def _verdict(field: list[Entrant], cost: Cost, alpha: float) -> str:
    standing = Standing.of(field, cost, alpha)
    safe = [
        e
        for e in field
        if e.checked and not e.facts.trusted_only and e.outcome == "ok" and e.name in standing.costs
    ]
    if not standing.costs:
        return "no codec got through"
    if not any(entrant.checked for entrant in field):
        return "nothing is advised, as nobody checked what comes back"
    if not safe:
        first = next(iter(standing.costs))
        return f"no safe codec brings every record back; {first} comes first of those that do not"
    # Ranked once more among themselves: a tie with a codec that is out is not a tie.
    own = standing if len(safe) == len(standing.costs) else Standing.of(safe, cost, alpha)
    winner, *others = own.costs
    tied = own.tied(winner)
    if tied:
        text = f"{_listed([winner, *tied])} cannot be told apart at the top"
    elif others:
        times = own.costs[others[0]].value / own.costs[winner].value
        text = f"{winner} costs least; {others[0]} comes next at {ratio(times)} its cost"
    else:
        text = f"{winner} is the only one that brings every record back safely"
    return text + _better(field, standing, winner)


def _better(field: list[Entrant], standing: Standing, winner: str) -> str:
    """Name what ranks above the winner, and why it is not advised."""
    above = [e for e in field if e.name in standing.ranks and standing.ranks[e.name] < standing.ranks[winner]]
    if not above:
        return ""
    best = min(above, key=lambda e: standing.costs[e.name].value)
    why = "is for trusted data only" if best.facts.trusted_only else "is lossy here"
    return f", though {best.name} is quicker but {why}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
