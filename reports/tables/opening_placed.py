"""The answer for codecs in stores and pipelines: the codec to use in each place, and its part of a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model import numbers
from ..model.answer import CorpusAnswer
from ..model.breakeven import span
from ..model.cost import CostModel
from ..model.lists import few, some
from ..model.placed import PIPELINE, Group
from ..model.placed_cost import codec_part, placed
from ..model.table import Labelled
from ..model.view import CorpusView, MachineView, View
from .block import SAFE, Line, fitted, losses, records, trust, unless
from .longer import longer
from .opening import nothing_next, use, why_none
from .sentence import of_safe, why_not

_GROUPS = 3
"""Answers that have a line each."""


def openings(machine: MachineView, kind: str) -> Iterator[tuple[str, tuple[Labelled, ...]]]:
    """Yield the name of each corpus, and the lines above its tables on a machine.

    Args:
        machine: The results of the machine.
        kind: Stores or pipelines.
    """
    found = [group for group in machine.placed if group.kind == kind]
    for name in dict.fromkeys(group.corpus.name for group in found):
        groups = [group for group in found if group.corpus.name == name]
        views = View.of([placed(machine.result, groups)]).corpora
        if views:
            head = records(groups[0].corpus, _measured(machine, groups))
            yield name, fitted([head, *_block(kind, name, views)])


def _measured(machine: MachineView, groups: Sequence[Group]) -> list[str]:
    """Write the number of codecs and places, and how long the run took."""
    facts = {codec.name for codec in machine.result.codecs}
    codecs = {name for group in groups for name in group.codecs if name in facts}
    places = list(dict.fromkeys(place for group in groups for place in group.places))
    noun = "transport" if groups[0].kind == PIPELINE else "store"
    text = f"{len(codecs)} codec{'s' * (len(codecs) != 1)} in {len(places)} {noun}{'s' * (len(places) != 1)}"
    alone = len(machine.result.corpora) == 1 and machine.result.duration
    return [f"{text}, {machine.result.duration:,.0f} s"] * bool(alone) + [text]


def _block(kind: str, name: str, views: Sequence[CorpusView]) -> Iterator[Line]:
    answers = [view.answer for view in views]
    alike: dict[tuple[str, ...], list[CorpusAnswer]] = {}
    for found in answers:
        alike.setdefault(("" if found.decided else found.kind, *_named(found)), []).append(found)
    groups = sorted(alike.values(), key=len, reverse=True)
    for group in groups[:_GROUPS]:
        yield "use", _use(kind, name, group, len(answers))
    if len(groups) > _GROUPS:
        rest = sum(map(len, groups[_GROUPS:]))
        yield "", [f"  and in {rest} more; see below the tables"]
    if len(groups) == 1:
        yield from why_none(answers[0])
    decided = [found for found in answers if found.decided]
    faster = list(_faster(decided))
    if len(groups) == 1:
        yield from _next(answers)
        yield from faster
    if decided:
        yield from _share(kind, decided)
        yield from _trust(decided, 2 if len(groups) == 1 and not faster else 1)
    yield from _sure(answers)
    if len(answers) == 1 and answers[0].changes:
        yield unless(answers[0].changes)


def _named(found: CorpusAnswer) -> tuple[str, ...]:
    """Return the codecs that an answer names."""
    if found.decided and found.codec is not None:
        return (found.codec.name,)
    return tuple(sorted(found.contest.level)) if found.contest else ()


def _use(kind: str, name: str, group: Sequence[CorpusAnswer], all_: int) -> list[str]:
    """Say which codec to use in places that have the same answer."""
    wheres = _wheres(name, group, all_)
    if not group[0].decided:
        # What codecs cost that are not distinguishable differs between the places.
        return [words for where in wheres for words in use(group[0], where, timed=False)]
    figures = [found.cost for found in group if found.cost is not None]
    ends = [found(figures, key=lambda one: one.value) for found in (min, max)]
    times = span(*(numbers.amount(one.value, "second", one.half) for one in ends))
    codec, done = _named(group[0])[0], _work(kind, group[0].view.cost)
    tails = (f": {times} {done}", f": {times}", "")
    return [f"{codec}{where}{tail}" for where in wheres for tail in tails]


def _wheres(name: str, group: Sequence[CorpusAnswer], all_: int) -> list[str]:
    """Return wordings of the places that have the same answer, the fullest first."""
    if len(group) == all_:
        return [f"{where} setups" if (where := _of(all_, all_)) else ""]
    places = [found.view.corpus.name.removeprefix(f"{name} ") for found in group]
    return [f" {some(places, 1)}", f" in {len(group)} of {all_} setups"]


def _of(count: int, all_: int) -> str:
    """Say in how many places something is so: " in both", " in 2 of 3"; nothing of a single place."""
    if count < all_:
        return f" in {count} of {all_}"
    return "" if all_ == 1 else " in both" if all_ == 2 else f" in all {all_}"


def _work(kind: str, cost: CostModel) -> str:
    if kind == PIPELINE:
        return "of CPU time a record"
    if cost.reads == 1:
        return "to put and get a record"
    return f"to put a record and get it {cost.reads:g} times"


def _next(answers: Sequence[CorpusAnswer]) -> Iterator[Line]:
    """Say what comes next, in places that have the same answer."""
    rivals = [found.next for found in answers if found.next is not None]
    if len(rivals) < len(answers):
        if all(found.decided and len(found.fitting) == 1 for found in answers):
            yield "next", nothing_next(answers)
        return
    names = dict.fromkeys(rival.names[0] for rival in rivals)
    times = [time for rival in rivals for time in rival.times[:1]]
    yield "next", [f"{few(list(names))} {span(*map(numbers.ratio, (min(times), max(times))))}"]


def _faster(decided: Sequence[CorpusAnswer]) -> Iterator[Line]:
    """Name the codecs that are known to cost less somewhere, and are not recommended."""
    groups = (group for found in decided for group in found.passed_over if group.place == "faster")
    codecs = {codec.name: codec for group in groups for codec in group.codecs}
    if codecs:
        why = f", which {why_not(list(codecs.values()))}"
        yield "faster", [f"{few(list(codecs))}{why}", f"{len(codecs)} codecs{why}", few(list(codecs))]


def _share(kind: str, decided: Sequence[CorpusAnswer]) -> Iterator[Line]:
    """Say which part of the time is the codec's."""
    shares = [
        codec_part(found.codec, found.view.cost) / found.cost.value
        for found in decided
        if found.codec is not None and found.cost is not None
    ]
    part = span(*map(numbers.share, (min(shares), max(shares))))
    rest = "the transport's" if kind == PIPELINE else "the store's"
    yield "share", [f"the codec's part of that is {part}, the rest is {rest}"]


def _trust(decided: Sequence[CorpusAnswer], room: int) -> list[Line]:
    codecs = {found.codec.name: found for found in decided if found.codec is not None}
    if len(codecs) > 1:
        return [("safe", ["each is, and preserves every record"])]
    (found,) = codecs.values()
    assert found.codec is not None, "it has a name"
    return trust(SAFE[found.safety], losses(found.codec, "nothing here"), room)


def _sure(answers: Sequence[CorpusAnswer]) -> Iterator[Line]:
    """Say whether noise could change an answer."""
    undecided = [found for found in answers if not found.decided]
    ties = [found for found in answers if found.kind == "tied"]
    result = answers[0].view.result
    way, until = longer(result), "" if result.complete else ", until the run was interrupted"
    if undecided:
        where = _of(len(undecided), len(answers))
        if all(found.kind in ("few", "unresolved") for found in undecided):
            yield "sure", [f"no{where}: {way.processes}"]
        elif all(found.kind in ("rough", "late") for found in undecided):
            yield "sure", [f"no{where}: {way.time} times them"]
    elif ties:
        level = dict.fromkeys(name for found in ties if found.contest for name in found.contest.level)
        winners = {found.codec.name for found in ties if found.codec}
        others = [name for name in level if name not in winners or len(winners) > 1]
        tie, counted = ("ties of", "codecs") if len(winners) > 1 else ("a tie with", "other codecs")
        end = f", {numbers.TIED}{_of(len(ties), len(answers))}"
        texts = [f"{tie} {who}{end}" for who in (few(others), f"{len(others)} {counted}")]
        yield "sure", [*(f"{text}{until}" for text in texts), texts[-1]]
    elif any(len(found.fitting) > 1 for found in answers):
        processes = min(found.processes for found in answers)
        text = f"first{of_safe(leads=all(found.leads for found in answers))} in every reading of the noise"
        yield "sure", [f"{text}, over {processes} processes{until}", f"{text}{until}", text]
