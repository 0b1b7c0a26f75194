"""The answer below a table: the recommended codec, and what would change that.

It never names a winner inside a tie without saying so, nor passes over a codec without a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...bench.method import Processes, Verdicts
from ...bench.verdict import Contest, Drawback, Preferred
from ..model.breakeven import Answer, Axis, axes_of, breakeven, parts_of
from ..model.candidates import BASELINE, Candidate, Standing, preferred, standing_on
from ..model.cost import CostModel
from ..model.lists import few, listed
from ..model.numbers import ratio
from ..model.table import labelled
from ..model.view import CorpusView, View
from .longer import longer
from .machines import agreement

FAILED: Final[Mapping[str, str]] = {
    "missing": "is not installed",
    "crashed": "crashed",
    "timed out": "timed out",
    "out of memory": "ran out of memory",
    "error": "failed",
    "wrong": "does not return the same records",
    "unsupported": "cannot encode these records",
    "unfinished": "was not checked in time",
}
"""The effect of an outcome, as the end of a sentence; loss does not count as failure."""

_DRAWBACKS: Final[Mapping[Drawback, tuple[str, str]]] = {
    "trusted": ("is for trusted data only", "are for trusted data only"),
    "unguarded": ("lacks a guard against untrusted payloads", "lack a guard against untrusted payloads"),
    "raw": ("is not a codec", "are not codecs"),
    "unchecked": ("was not checked", "were not checked"),
    "lossy": ("is lossy here", "are lossy here"),
}
"""The reason for not recommending a codec, and several, as the end of a sentence."""

TIE_BREAKERS: Final = {
    "read by other languages before Python only": "other languages read it",
    "fewer dependencies: standard library, then core, then an extra": "it needs fewer dependencies",
    "smaller payload": "its payload is smaller",
    "less processor time, to two digits": "it takes less processor time",
    "name": "its name sorts first",
}
"""The order of codecs that tie, first rule first, as in `bakeoff.bench.verdict.preference`, and the words for
a codec that a rule prefers."""

_NONE: Final = "Every codec failed"
_PARTS: Final = "Nothing is recommended, as parts of the cost were not measured"
_LATE: Final = "There was not enough time for any codec"
_UNCHECKED: Final = "Nothing is recommended, as no round trip was checked"


def recommendation(views: Sequence[CorpusView]) -> str:
    """Recommend a codec for some corpora of one machine, or for one corpus on several, in one sentence.

    Only codecs that preserve all records and are safe for untrusted data are recommended. A faster one that
    does not qualify is named with the reason.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    fleet = len({view.machine for view in views}) > 1
    for view in views:
        if view.codecs:
            verdict, aside = _verdict(view)
            found.setdefault(verdict, []).append((view.machine if fleet else view.corpus.name, aside))
    if not found:
        return "Nothing was measured, so there is nothing to recommend."
    several = sum(map(len, found.values())) > 1
    text = "; ".join(_clause(verdict, places, several) for verdict, places in found.items())
    if found.keys() <= {_NONE, _PARTS, _LATE, _UNCHECKED}:
        return f"{text}."
    return f"{text} (by the cost of {views[0].cost.sentence()})."


def answer(views: Sequence[CorpusView]) -> tuple[str, ...]:
    """Return the recommendation on a corpus, whether machines agree, and what would change it, a line each.

    There is none if no times were measured.

    Args:
        views: The corpus on each machine.
    """
    timed = [view for view in views if any(e.cells.keys() & {"dump", "load"} for e in view.codecs)]
    if not timed:
        return ()
    agreed = [agreement(timed)] if len(timed) > 1 else []
    return recommendation(timed), *agreed, *labelled([(view.machine, _changes(view)) for view in timed])


def _changes(view: CorpusView) -> list[str]:
    """Describe what would change the recommendation, in a line; none if there is nothing to change."""
    changes = _changing(view)
    return [f"what would change it: {'; '.join(changes)}"] if changes else []


def _changing(view: CorpusView) -> list[str]:
    """Describe the reads and bandwidths at which another codec is the answer, or say that none is."""
    safe = {candidate.name: candidate for candidate in view.codecs if not candidate.drawback}
    contest = view.standing.contest(safe.values(), preferred(safe.values(), view.cost))
    order = [name for name in view.standing.costs if name in safe]
    more = f"a longer run ({longer(view.result).processes})"
    if not view.standing.costs and any(candidate.untimed for candidate in view.codecs):
        return [more]
    if contest is None or len(order) < 2:
        return []
    if _processes(view.standing) < Processes.FEWEST:
        return [more]

    def ask(cost: CostModel) -> Answer:
        standing = standing_on(view.result, view.corpus.name, view.candidates, cost)
        won = standing.contest(safe.values(), preferred(safe.values(), cost))
        return Answer([name for name in standing.costs if name in safe], won, standing.judged)

    axes = axes_of(parts_of(safe[contest.winner]), view.cost)
    found = breakeven(contest.winner, lambda name: parts_of(safe[name]), axes, ask)
    changes = [change.sentence for change in found]
    if contest.unresolved:
        return [more, *changes]
    return changes or ([_nothing(contest.winner, axes)] if axes else [])


def _nothing(winner: str, axes: Sequence[Axis]) -> str:
    """Say that nothing that was asked changes the answer; of codecs that tie, the order may change."""
    return (
        f"nothing, as no codec overtakes {winner} by more than {Verdicts.TIE:.0%} "
        f"at {' or '.join(axis.whole for axis in axes)}"
    )


def _processes(standing: Standing) -> int:
    """Return the fewest timing processes of any codec."""
    return min(map(len, standing.samples.values()))


def contests(views: Iterable[CorpusView]) -> dict[str, Contest]:
    """Return, by corpus, the recommendable codecs that may win."""
    found = {}
    for view in views:
        safe = [candidate for candidate in view.codecs if not candidate.drawback]
        if contest := view.standing.contest(safe, preferred(safe, view.cost)):
            found[view.corpus.name] = contest
    return found


def got_through(view: View) -> bool:
    """Return whether a codec passed on any corpus; if none did, that is the recommendation."""
    codecs = [codec for one in view.corpora for codec in one.codecs]
    if any(_passed(codec) or view.cost.samples(codec.cells) for codec in codecs):
        return True
    # A single failing store or transport does not count as a failure of the codec.
    return any(
        cell.samples and machine.result.operation(cell.cell.operation_name).phase in ("time", "alone")
        for machine in view.machines
        for cell in machine.result.cells
        if cell.cell.codec != BASELINE and cell.cell.place
    )


def _passed(candidate: Candidate) -> bool:
    return candidate.outcome not in FAILED


def _clause(verdict: str, places: list[tuple[str, str]], several: bool) -> str:
    """Join a verdict with its corpora, and the remarks on each."""
    if not several:
        return "; ".join(part for part in (verdict, places[0][1]) if part)
    named = [f"{name} ({aside})" if aside else name for name, aside in places]
    return f"{verdict} on {listed(named)}"


def _verdict(view: CorpusView) -> tuple[str, str]:
    """Return the recommendation, and asides: the codecs that come next, and those passed over."""
    candidates, standing, cost = view.codecs, view.standing, view.cost
    if not standing.costs:
        found = _without_costs(candidates, cost)
        return found, f"use {longer(view.result).time}" if found == _LATE else ""
    if not any(candidate.checked for candidate in candidates):
        return _UNCHECKED, ""
    safe = [candidate for candidate in candidates if not candidate.drawback]
    contest = standing.contest(safe, preferred(safe, cost))
    if contest is None:
        codecs = {candidate.name for candidate in candidates if candidate.drawback != "raw"}
        first = next((name for name in standing.costs if name in codecs), "")
        return "No safe codec preserves every record", f"{first} comes first of the others" if first else ""
    fit = {candidate.name for candidate in safe}
    others = [name for name in standing.costs if name in fit and name != contest.winner]
    processes = _processes(standing)
    asides = []
    if processes < Processes.FEWEST and others:
        counted = "1 process is" if processes == 1 else f"{processes} processes are"
        return f"{counted} too few to distinguish codecs", f"{contest.cheapest} has the lowest mean"
    if contest.unresolved:
        verdict = f"{few(contest.level)} are not distinguishable at the top"
    elif contest.same:
        verdict = f"{few(contest.level)} cost the same, within {Verdicts.TIE:.0%}"
        key = preferred(safe, cost)
        asides.append(f"{contest.winner} comes first as {broken_by(key, contest)}")
    elif others:
        verdict = f"{contest.winner} costs least"
        asides.append(_next(others, standing, contest.winner))
    elif len(candidates) == 1:
        verdict = f"{contest.winner} preserves every record, and nothing else was measured"
    else:
        verdict = f"{contest.winner} is the only safe codec that preserves every record"
    last = next((name for name in others if name not in contest.level), "") if not contest.unresolved else ""
    asides += _passed_over(candidates, standing, contest, before=last)
    return verdict, "; ".join(asides)


def broken_by(key: Preferred, contest: Contest) -> str:
    """Name the tie-breakers that put the winner before codecs that tie with it, the first rule first."""
    own = key(contest.winner)
    rules = {[a != b for a, b in zip(own, key(name), strict=True)].index(True) for name in contest.same}
    words = list(TIE_BREAKERS.values())
    return " and, where that is equal, ".join(words[rule] for rule in sorted(rules))


def _without_costs(candidates: Sequence[Candidate], cost: CostModel) -> str:
    """Explain why nothing can be recommended if nothing has a cost."""
    rough = {e.name: seconds for e in candidates if (seconds := e.rough_cost(cost)) is not None}
    if rough:
        least = min(rough, key=rough.__getitem__)
        return f"No codec was timed in this budget; in the checks {least} took least, roughly"
    if any(map(_passed, candidates)):
        return _PARTS
    return _LATE if any(e.outcome == "unfinished" for e in candidates) else _NONE


def _next(others: Sequence[str], standing: Standing, winner: str) -> str:
    """Name the codec that comes next, with the codecs that tie with it."""
    first, *rest = others
    level = [first, *(name for name in rest if standing.judged[name, first][0] in ("same", "unresolved"))]
    times = ratio(standing.costs[first].value / standing.costs[winner].value)
    if len(level) == 1:
        return f"{first} comes next at {times} its cost"
    return f"{few(level)} come next, the first at {times} its cost"


def _passed_over(
    candidates: Sequence[Candidate], standing: Standing, contest: Contest, before: str
) -> Iterable[str]:
    """Name the codecs that are faster than the winner, or right after it, and why they are not chosen."""
    found: dict[bool, list[Candidate]] = {}
    known = {candidate.name: candidate for candidate in candidates}
    for name, cost in standing.costs.items():
        if not known[name].drawback:
            continue
        faster = standing.judged[name, contest.winner][0] == "faster"
        if faster or (before and cost.value < standing.costs[before].value):
            found.setdefault(faster, []).append(known[name])
    for faster, group in found.items():
        several = len(group) > 1
        place = "faster" if faster else "in between"
        why = dict.fromkeys(_drawback(candidate, several) for candidate in group)
        names = few([candidate.name for candidate in group])
        yield f"{names} {'are' if several else 'is'} {place} but {' or '.join(why)}"


def _drawback(candidate: Candidate, several: bool) -> str:
    """Give the reason for not recommending a codec, or one of several."""
    both = _DRAWBACKS.get(candidate.drawback) if candidate.drawback else None
    return drawback(candidate) if both is None else both[several]


def drawback(candidate: Candidate) -> str:
    """Give the reason for not recommending a codec with a cost, as the end of a sentence; empty if none."""
    if candidate.drawback == "failed":
        failed = next(cell for cell in candidate.cells.values() if cell.outcome == candidate.outcome)
        return f"{FAILED[candidate.outcome]} in {failed.cell.operation_name}"
    return _DRAWBACKS[candidate.drawback][0] if candidate.drawback else ""
