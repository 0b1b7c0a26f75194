"""The lines above the reasons for a choice: at most eight, as above a table."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..model import numbers
from ..model.answer import USUAL, safety_of
from ..model.candidates import records_seen
from ..model.cost import bandwidth_text, rate_text
from ..model.lists import few, some
from ..model.table import Labelled
from ..tables.block import SAFE, Line, fitted, losses, records, saving, trust, unless
from .pick import PickedCodec


def opening(choice: PickedCodec) -> tuple[Labelled, ...]:
    """Return the lines, the first of which describes the records."""
    lines = [*_use(choice), *_next(choice), *_worth(choice), *_trust(choice), *_sure(choice)]
    return fitted([_head(choice), *lines, *([unless(choice.changes)] if choice.changes else [])])


def _head(choice: PickedCodec) -> Line:
    codecs, fit = len(choice.parts) + len(choice.excluded), len(choice.parts)
    counted = f"{fit} of {codecs} codecs fit" if codecs > 1 else "1 codec"
    if len(choice.corpora) == 1:
        return records(choice.corpora[0], [counted])
    names = [corpus.name for corpus in choice.corpora]
    return "", [f"{some(names)}; {counted}", f"{some(names, 1)}; {counted}"]


def _use(choice: PickedCodec) -> Iterator[Line]:
    named = " (named by you)" * (choice.requirements.codec is not None)
    who = f"{choice.name}{named}"
    text = f"{who}: {choice.cost}"
    size = choice.winner.figure("size") if len(choice.corpora) == 1 else None
    full = [f"{text}, {numbers.payload(size.value)}"] if size else []
    yield "use", [*full, text, f"{who}: {_briefly(choice)}", who]


def _briefly(choice: PickedCodec) -> str:
    """Write the cost with the conditions in few words."""
    cost = choice.requirements.cost
    if choice.yearly and choice.requirements.rate is not None:
        return f"{choice.yearly[choice.name].text} a year for {rate_text(choice.requirements.rate)} records/s"
    own = choice.standing.costs[choice.name]
    amount = numbers.amount(own.value, "second", own.half)
    line = f", {bandwidth_text(cost.bandwidth)}" if math.isfinite(cost.bandwidth) else ""
    return f"{amount} a record, read {cost.reads:g} times{line}"


def _next(choice: PickedCodec) -> Iterator[Line]:
    """Say what comes next, or before a codec that was named, with costs as multiples."""
    first, *_ = choice.parts
    if choice.requirements.codec is not None and first != choice.winner.name:
        yield "lowest", [f"{first} {numbers.ratio(dict(choice.runners_up).get(first, 1.0))}"]
        return
    behind = [f"{name} {numbers.ratio(times)}" for name, times in choice.runners_up]
    if behind:
        yield "next", [some(behind, most) for most in (3, 2, 1)]
    elif not choice.tied and not choice.unresolved:
        yield "next", ["no other codec fits"]


def _worth(choice: PickedCodec) -> Iterator[Line]:
    """Say what the codec saves: money, or time against the codec that most programs use already."""
    if choice.saving:
        yield "worth", [choice.saving.sentence]
    elif (
        len(choice.corpora) == 1
        and choice.name not in USUAL
        and not any(cell.cell.variant for cell in choice.winner.cells.values())
    ):
        behind, costs = dict(choice.runners_up), choice.standing.costs
        usual = next((name for name in USUAL if behind.get(name, 0.0) > 1), "")
        if usual:
            more = costs[usual].value - costs[choice.winner.name].value
            yield saving(usual, more, choice.requirements.cost)


def _trust(choice: PickedCodec) -> list[Line]:
    """Return whose payloads are safe, and what is lost."""
    winner, sample = choice.winner, choice.corpora[0].sample
    seen = min(records_seen(winner.cells.values(), "records"), sample)
    here = "nothing here" if seen == sample else f"nothing in the {seen:,} records that were checked"
    if winner.losses:
        return trust(SAFE[safety_of(winner)], [f"as allowed: {'; '.join(winner.losses)}", "data, as allowed"])
    return trust(SAFE[safety_of(winner)], losses(winner, here))


def _sure(choice: PickedCodec) -> Iterator[Line]:
    """Say whether noise could change the choice."""
    processes = f"over {choice.processes} process{'es' * (choice.processes != 1)}"
    if choice.requirements.codec is not None:
        yield "sure", ["it was named, so noise changes nothing"]
    elif choice.unresolved:
        names = [name for name, _ in choice.unresolved]
        text = f"no: not distinguishable from {few(names)}"
        yield (
            "sure",
            [f"{text}, {processes}", text, f"no: not distinguishable from {len(names)} other codecs"],
        )
    elif choice.tied:
        text = f"a tie with {few(choice.tied)}, {numbers.TIED}"
        yield "sure", [f"{text}; first as {choice.rule}", text, f"a tie with {len(choice.tied)} other codecs"]
    elif len(choice.parts) > 1:
        yield "sure", [f"first of the eligible in every reading of the noise, {processes}"]
