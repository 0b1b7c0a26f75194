"""The recommendation as a sentence.

It never names a winner inside a tie without saying so, nor passes over a codec without a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...bench.verdict import Contest, Preferred
from ..model.answer import Kind, PassedOver, Rival
from ..model.candidates import BASELINE, WELL, Candidate, preferred
from ..model.lists import few, listed
from ..model.numbers import TIED, ratio
from ..model.view import CorpusView, View
from .longer import longer

TIE_BREAKERS: Final = {
    "read by other languages before Python only": "other languages read it",
    "fewer dependencies: standard library, then core, then an extra": "it needs fewer dependencies",
    "smaller payload": "its payload is smaller",
    "less processor time, to two digits": "it takes less processor time",
    "name": "its name sorts first",
}
"""The order of codecs that tie, first rule first, as in `bakeoff.bench.verdict.preference`, and the words for
a codec that a rule prefers."""

_UNDECIDED: Final[Mapping[Kind, str]] = {
    "failed": "Every codec failed",
    "missing": "Something that every codec needs is missing",
    "parts": "Nothing is recommended, as parts of the cost were not measured",
    "late": "There was not enough time for any codec",
    "unchecked": "Nothing is recommended, as no round trip was checked",
    "nothing": "Nothing is recommended, as parts of the cost were not measured",
}
"""The sentence on a ranking that names no codec."""


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
    if found.keys() <= set(_UNDECIDED.values()):
        return f"{text}."
    return f"{text} (by the cost of {views[0].cost.sentence()})."


def contests(views: Iterable[CorpusView]) -> dict[str, Contest]:
    """Return, by corpus, the recommendable codecs that may win."""
    return {view.corpus.name: view.answer.contest for view in views if view.answer.contest}


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
    return candidate.outcome in WELL


def _clause(verdict: str, places: list[tuple[str, str]], several: bool) -> str:
    """Join a verdict with its corpora, and the remarks on each."""
    if not several:
        return "; ".join(part for part in (verdict, places[0][1]) if part)
    named = [f"{name} ({aside})" if aside else name for name, aside in places]
    return f"{verdict} on {listed(named)}"


def _verdict(view: CorpusView) -> tuple[str, str]:
    """Return the recommendation, and asides: the codecs that come next, and those passed over."""
    found = view.answer
    if (words := _UNDECIDED.get(found.kind)) is not None:
        return words, f"use {longer(view.result).time}" if found.kind == "late" else ""
    codec, contest = found.codec, found.contest
    if found.kind == "rough":
        least = ""
        if codec is not None:
            of = of_safe(leads=found.lowest or codec.drawback is not None)
            least = f"in the checks {codec.name} took least{of}, roughly"
            least += f", but {drawback(codec)}" if codec.drawback else ""
        return "No codec was timed in this budget", least
    if contest is None or codec is None:
        first = f"{codec.name} comes first of the others" if codec else ""
        return "No safe codec preserves every record", first
    if found.kind == "few":
        mean = f"{codec.name} has the lowest mean{of_safe(leads=found.lowest)}"
        return f"{too_few(found.processes)} to distinguish codecs", mean
    asides = []
    if contest.unresolved:
        verdict = f"{few(contest.level)} {equal(contest)} at the top"
    elif contest.same:
        verdict = f"{few(contest.level)} {equal(contest)}"
        asides.append(f"{codec.name} comes first as {broken_by(preferred(found.safe, view.cost), contest)}")
    elif found.next:
        verdict = f"{codec.name} costs least"
        asides.append(_next(found.next))
    elif len(view.codecs) == 1:
        verdict = f"{codec.name} preserves every record, and nothing else was measured"
    elif found.unranked:
        verdict = f"{codec.name} is safe and preserves every record"
        asides.append(unranked(found.unranked))
    else:
        checked = " of those checked" * bool(found.unchecked)
        verdict = f"{codec.name} is the only safe codec{checked} that preserves every record"
    asides += map(_passed_over, found.passed_over)
    return verdict, "; ".join(asides)


def equal(contest: Contest) -> str:
    """Say what is known of several codecs that may win: nothing, or that they tie."""
    return "are not distinguishable" if contest.unresolved else f"cost the same, {TIED}"


def of_safe(*, leads: bool) -> str:
    """Say that a codec comes first only of those that may be recommended, unless it leads all."""
    return "" if leads else " of the safe, exact codecs"


def too_few(processes: int) -> str:
    """Write the number of processes that are too few to decide anything."""
    return "1 process is too few" if processes == 1 else f"{processes} processes are too few"


def broken_by(key: Preferred, contest: Contest) -> str:
    """Name the tie-breakers that put the winner before codecs that tie with it, the first rule first."""
    own = key(contest.winner)
    rules = {[a != b for a, b in zip(own, key(name), strict=True)].index(True) for name in contest.same}
    words = list(TIE_BREAKERS.values())
    return " and, where that is equal, ".join(words[rule] for rule in sorted(rules))


def _next(rival: Rival) -> str:
    """Name the codec that comes next, with the codecs that tie with it."""
    times = ratio(rival.times[0])
    if len(rival.names) == 1:
        return f"{rival.names[0]} comes next at {times} its cost"
    return f"{few(rival.names)} come next, the first at {times} its cost"


def _passed_over(group: PassedOver) -> str:
    """Name the codecs that are faster than the winner, or right after it, and why they are not chosen."""
    place = "in between" if group.place == "between" else group.place
    verb = "are" if len(group.codecs) > 1 else "is"
    return f"{few([each.name for each in group.codecs])} {verb} {place} but {why_not(group.codecs)}"


def unranked(codecs: Sequence[Candidate]) -> str:
    """Say why codecs that may be chosen have no cost."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for codec in codecs:
        takes = codec.takes
        words = (f"takes {takes}", f"take {takes}") if takes else ("was not timed", "were not timed")
        reasons.setdefault(words, []).append(codec.name)
    return "; ".join(f"{few(names)} {words[len(names) > 1]}" for words, names in reasons.items())


def why_not(codecs: Sequence[Candidate]) -> str:
    """Give the reasons for not recommending some codecs, as the end of a sentence."""
    several = len(codecs) > 1
    return " or ".join(dict.fromkeys(e.drawback.of_row(several=several) for e in codecs if e.drawback))


def drawback(candidate: Candidate) -> str:
    """Give the reason for not recommending a codec with a cost, as the end of a sentence; empty if none."""
    return candidate.drawback.of_row() if candidate.drawback else ""
