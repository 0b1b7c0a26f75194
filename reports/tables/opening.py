"""The block above a table: at most eight lines of at most 80 columns, for whoever reads nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from ...bench.method import Verdicts
from ...escape import shortened, visible
from ..model import numbers
from ..model.answer import CorpusAnswer, Rival, Safety
from ..model.breakeven import WinnerChange, span
from ..model.candidates import preferred
from ..model.cost import CostModel, bandwidth_text
from ..model.environment import block_noun
from ..model.lists import few
from ..model.table import Labelled, aligned
from ..model.view import CorpusView
from .longer import longer
from .sentence import broken_by, drawback, too_few, why_not

LINES: Final = 8
"""Most lines of a block."""
WIDTH: Final = 80
"""Most columns of a line."""
_RATE: Final = 1000
"""Records per second for which a saving is stated."""
_NAMES: Final = {"json/default": "json as usually called"}
"""Rows whose names do not say what they are."""

_SAFE: Final[Mapping[Safety, str]] = {
    "anyone": "yes, from anyone",
    "trusted": "no, for trusted data only",
    "unguarded": "no, for trusted data only",
    "unknown": "not known to bakeoff",
}

Line = tuple[str, Sequence[str | Labelled]]
"""A label, and wordings of the rest, the fullest first; one of several parts has its own labels."""


def opening(views: Sequence[CorpusView], corpora: int = 1) -> tuple[Labelled, ...]:
    """Return the lines above the table of a corpus, the first of which describes the records.

    Args:
        views: The corpus on each machine.
        corpora: Number of corpora in the run, all of which its duration includes.
    """
    answers = [view.answer for view in views]
    lines = _block(answers[0]) if len(answers) == 1 else list(_fleet(answers))
    return tuple(_fitted(label, wordings) for label, wordings in [("", _records(views, corpora)), *lines])


def _fitted(label: str, wordings: Sequence[str | Labelled]) -> Labelled:
    """Return the fullest wording that fits; the last one is cut if none does."""
    from rich.cells import cell_len, set_cell_size

    line: Labelled = ()
    for words in wordings:
        parts = ((label, words),) if isinstance(words, str) else words
        line = tuple((name, visible(text)) for name, text in parts)
        if cell_len(aligned(line)) <= WIDTH:
            return line
    *kept, (name, last) = line
    room = max(1, WIDTH - 1 - cell_len(aligned((*kept, (name, "")))))
    return (*kept, (name, f"{set_cell_size(last, room).rstrip()}…"))


# The records


def _records(views: Sequence[CorpusView], corpora: int) -> list[str]:
    """Describe the records, the codecs, and how long the run took."""
    view = views[0]
    corpus = view.corpus
    name = PurePath(corpus.source).name
    # The source of generated records, and of those of a function, is no file.
    of_it = name.startswith(corpus.name) or name.endswith(f":{corpus.name}")
    name = visible(name if of_it else corpus.name)
    head = [_count(view), _size(view)] if corpus.records else []
    shown = {codec.name for one in views for codec in one.codecs if codec.measured or codec.untimed}
    count = len(shown) or len({codec.name for one in views for codec in one.codecs})
    seconds = max(one.result.duration for one in views)
    tail = [f"{count} codec{'s' * (count != 1)}"]
    if len(views) > 1:
        tail[0] += f" on {len(views)} {block_noun(one.result for one in views)}s"
    elif seconds and corpora == 1:
        tail.append(f"{seconds:,.0f} s" if seconds >= 1 else f"{seconds:.1f} s")
    ends = [", ".join(tail), tail[0]]
    starts = [", ".join(filter(None, head)), *head[:1]] if head else [""]
    full = ["; ".join(filter(None, (start, end))) for start in starts for end in ends]
    return [f"{one}: {text}" for text in full for one in (name, shortened(name, 24))]


def _count(view: CorpusView) -> str:
    corpus = view.corpus
    if corpus.sample < corpus.records:
        return f"{corpus.sample:,} of {corpus.records:,} records"
    return "1 record" if corpus.records == 1 else f"all {corpus.records:,} records"


def _size(view: CorpusView) -> str:
    """Write the mean size of a record."""
    each = " each" * (view.corpus.records != 1)
    if isinstance(mean := view.corpus.profile.get("bytes_mean"), int | float):
        return f"{mean:,.0f} bytes{each} as JSON"
    if isinstance(large := view.corpus.profile.get("size_mean"), float):
        return f"{numbers.bytes_said(large)}{each} as pickles"
    return ""


# One machine


def _block(found: CorpusAnswer) -> list[Line]:
    """Return the lines of one ranking."""
    if found.kind == "nothing":
        return []
    lines: list[Line] = [("use", _use(found)), *_following(found), *_worth(found)]
    tail = [*_sure(found), *_unless(found)]
    most = LINES - 1 - len(tail)
    lines += _trust(found, most - len(lines)) if found.decided else ()
    # What is faster and not recommended matters more than what is in between.
    return [*(line for line in lines if line[0] != "between" or len(lines) <= most), *tail]


def _use(found: CorpusAnswer) -> list[str]:
    codec, contest = found.codec, found.contest
    if found.kind in ("chosen", "tied") and codec is not None:
        return [f"{codec.name}: {_figures(found)}", f"{codec.name}: {_cost(found)}"]
    if found.kind == "unresolved" and contest is not None:
        names = few(contest.level)
        text = f"undecided: {names} are not distinguishable"
        counted = f"undecided: {len(contest.level)} codecs are not distinguishable"
        between = f"undecided between {names}"
        return [f"{text}, from {_cost(found)}", text, between, f"{counted}, from {_cost(found)}", counted]
    if found.kind == "few":
        return [f"undecided: {too_few(found)} to distinguish codecs"]
    if found.kind == "rough":
        return ["undecided: no codec was timed in this budget"]
    if found.kind == "parts":
        missing = " and ".join(found.lacking) or "all parts of the cost of one codec"
        were = "were" if len(found.lacking) > 1 else "was"
        return [f"undecided: {missing} {were} not measured"]
    if found.kind == "unsafe":
        return ["none: no safe codec preserves every record"]
    if found.kind == "unchecked":
        return ["undecided: no round trip was checked"]
    if found.kind == "failed":
        return ["none: every codec failed"]
    return ["undecided: no codec was checked in time"]


def _time(found: CorpusAnswer) -> str:
    """Write the cost of a record; if several codecs may win, the lowest."""
    figure = found.cost
    if found.kind == "unresolved" and found.contest is not None:
        figure = found.view.standing.costs[found.contest.cheapest]
    return "" if figure is None else numbers.amount(figure.value, "second", figure.half)


def _cost(found: CorpusAnswer) -> str:
    return f"{_time(found)} {_work(found.view.cost)}"


def _rough(found: CorpusAnswer) -> str:
    """Write what the check took, with the digits of the table."""
    rough = found.codec.rough_cost(found.view.cost) if found.codec else None
    if rough is None:
        return ""
    factor, unit = numbers.scale([rough], "second")
    return f"≈{numbers.approximate(rough * factor)} {unit} {_work(found.view.cost)}"


def _work(cost: CostModel) -> str:
    if cost.readers or math.isfinite(cost.bandwidth):
        return f"for {cost.sentence()}"
    if cost.reads == 0:
        return "to write a record"
    if cost.reads == 1:
        return "to write and read a record"
    return f"to write a record and read it {cost.reads:g} times"


def _figures(found: CorpusAnswer) -> str:
    size = f", {numbers.whole(found.size.value)} bytes" if found.size else ""
    return f"{_cost(found)}{size}"


def _shown(name: str) -> str:
    return _NAMES.get(name, name)


def _following(found: CorpusAnswer) -> Iterator[Line]:
    """Yield what comes next, and what is faster and not recommended."""
    codec = found.codec
    if found.kind == "few" and codec is not None:
        yield "lowest", [f"{codec.name}: {_figures(found)}", f"{codec.name}: {_cost(found)}"]
        return
    if found.kind == "rough" and codec is not None:
        yield "lowest", [f"{codec.name}, roughly: {_rough(found)}", f"{codec.name}, roughly"]
        return
    if found.kind == "unsafe" and codec is not None:
        who = f"{codec.name}, which {drawback(codec)}"
        yield "lowest", [f"{who}: {_cost(found)}", f"{who}: {_time(found)} a record", who]
        return
    if found.contest is None:
        return
    if found.next:
        usual = ""
        if found.usual and found.usual.names[0] not in found.next.names:
            usual = f"; {_shown(found.usual.names[0])} {_times(found.usual)}"
        all_, first = (_behind(found.next, most) for most in (len(found.next.names), 1))
        yield "next", [f"{all_}{usual}", all_, f"{first}{usual}", first]
    elif found.decided and not found.contest.same:
        alone = len(found.view.codecs) == 1
        no_other = "no other codec is safe and preserves every record"
        yield "next", ["nothing else was measured" if alone else no_other]
    for group in found.passed_over:
        names, why = [candidate.name for candidate in group.codecs], f", which {why_not(group.codecs)}"
        label = "faster" if group.faster else "between"
        brief = (
            f" ({', '.join(dict.fromkeys(each.drawback.brief for each in group.codecs if each.drawback))})"
        )
        many = f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]
        fuller = [f"{few(names)}{why}", f"{len(names)} codecs{why}"]
        yield label, [*fuller, f"{few(names)}{brief}", f"{many}{brief}"]


def _behind(rival: Rival, most: int) -> str:
    """Name the codecs that come next, and their costs as multiples."""
    if len(rival.names) == 1:
        return f"{rival.names[0]} {_times(rival)}"
    names = few(rival.names) if most > 1 else f"{rival.names[0]} and {len(rival.names) - 1} more"
    return f"{names} ({'tie' if rival.verdict == 'same' else 'undecided'}) {_times(rival)}"


def _times(rival: Rival) -> str:
    return span(*map(numbers.ratio, rival.times))


def _worth(found: CorpusAnswer) -> Iterator[Line]:
    """Yield what the answer saves."""
    if found.usual_ties:
        yield "worth", [f"no time: {found.usual_ties} costs the same, within {Verdicts.TIE:.0%}"]
    elif found.worth:
        yield "worth", [_saving(found.worth, found.view.cost)]


def _saving(rival: Rival, cost: CostModel) -> str:
    name = _shown(rival.names[0])
    if cost.readers or math.isfinite(cost.bandwidth):
        return f"{numbers.amount(rival.more, 'second')} a record less than {name}"
    cores = rival.more * _RATE
    amount = f"{numbers.percent(cores)} of a core" if cores < 1 else f"{numbers.approximate(cores)} cores"
    return f"{amount} less than {name} at {_RATE:,} records/s"


def _trust(found: CorpusAnswer, room: int) -> list[Line]:
    """Return whose payloads are safe and what is lost, in two lines if there is room, and one needs them."""
    safe, (here, *elsewhere) = _SAFE[found.safety], _losses(found)
    losses = [*elsewhere, here]
    both = [(("safe", safe), ("loses", words)) for words in losses]
    if room < 2 or len(aligned(both[0])) <= WIDTH:
        return [("safe", both)]
    return [("safe", [safe]), ("loses", losses)]


def _losses(found: CorpusAnswer) -> list[str]:
    """Return what the answer loses here, followed by that and what it loses of other records."""
    codec, view = found.codec, found.view
    assert codec is not None, "an answer has a codec"
    here = "nothing here"
    if found.seen < view.corpus.sample:
        here = f"nothing in the {found.seen:,} record{'s' * (found.seen != 1)} that were checked"
    known = list(codec.facts.losses)
    if not known:
        return [here]
    count = len(known)
    more = f" and {count - 1} more" if count > 1 else ""
    return [
        here,
        f"{here}; elsewhere {'; '.join(known)}",
        f"{here}; elsewhere {known[0]}{more}",
        f"{here}; elsewhere {count} loss{'es' * (count > 1)}: `bakeoff codecs {codec.name}`",
        f"{here}; elsewhere {count} loss{'es' * (count > 1)}",
    ]


def _sure(found: CorpusAnswer) -> Iterator[Line]:
    """Yield whether noise could change the answer."""
    contest, way = found.contest, longer(found.view.result)
    if found.kind == "chosen" and len(found.fitting) > 1:
        among = " of the safe, exact codecs" if any(g.faster for g in found.passed_over) else ""
        text = f"first{among} in every reading of the noise"
        yield "sure", [f"{text}, over {found.processes} processes", text]
    elif found.kind == "tied" and contest is not None:
        rule = broken_by(preferred(found.safe, found.view.cost), contest)
        text = f"a tie with {few(contest.same)}, within {Verdicts.TIE:.0%}"
        yield "sure", [f"{text}; first as {rule}", text, f"a tie with {len(contest.same)} other codecs"]
    elif found.kind in ("few", "unresolved"):
        yield "sure", [f"no: {way.processes} adds processes", "no: measure longer"]
    elif found.kind in ("rough", "late"):
        yield "sure", [f"no: {way.time} times them"]
    elif found.kind == "parts" and found.lacking == ["load"]:
        way_ = "`reads=0`" if found.view.result.in_python else "`bakeoff report FILE --reads 0`"
        yield "try", [f"{way_} ranks by dump alone"]


def _unless(found: CorpusAnswer) -> Iterator[Line]:
    """Yield at which weights another codec is the answer."""
    if changes := found.changes:
        brief = [f"{_weight(change)}: {change.winner}" for change in changes]
        fewer = [
            f"{'; '.join(brief[:count])}; and {len(brief) - count} more"
            for count in range(len(brief) - 1, 0, -1)
        ]
        yield "unless", ["; ".join(f"{_when(c)}: {c.winner}" for c in changes), "; ".join(brief), *fewer]
    elif found.decided and found.axes:
        yield "unless", [f"nothing at {', '.join(axis.whole for axis in found.axes)}"]


def _weight(change: WinnerChange) -> str:
    """Write the weights at which another codec costs less, in few words."""
    if change.until is None:
        return f"{'above' if change.above else 'below'} {change.axis.text(change.end, change.end)}"
    return change.axis.text(*sorted((change.end, change.until)))


def _when(change: WinnerChange) -> str:
    axis, end, until = change.axis, change.end, change.until
    if axis.weight == "reads":
        return f"you read {_reads(change)}"
    if axis.weight == "line":
        if until is None:
            return f"the network is {'faster' if change.above else 'slower'} than {bandwidth_text(end / 8)}"
        return f"the network has {axis.text(*sorted((end, until)))}"
    raise AssertionError("a table has no prices")


def _reads(change: WinnerChange) -> str:
    """Write some reads per write; fewer than one as writes per read."""
    end, until = change.end, change.until
    if end >= 1 or change.above:
        if until is None:
            return f"{'more' if change.above else 'less'} than {end:,g} times per write"
        return f"{span(*(f'{one:,g}' for one in sorted((end, until))))} times per write"
    if until is None:
        return f"less than once per {_rounded(1 / end, math.ceil):,g} writes"
    ends = (_rounded(1 / end, math.ceil), _rounded(1 / until, math.floor))
    return f"once per {span(*(f'{one:,g}' for one in sorted(ends)))} writes"


def _rounded(value: float, way: Callable[[float], int]) -> float:
    """Round to two digits so that a sentence about all numbers beyond stays true."""
    exponent = math.floor(math.log10(value)) - 1
    return float(f"{way(float(f'{value:.9g}') / 10.0**exponent)}e{exponent}")


# Several machines


def _fleet(answers: Sequence[CorpusAnswer]) -> Iterator[Line]:
    """Yield the answer of each machine, those of the first ones if there are many."""
    most = LINES - 1 if len(answers) < LINES else LINES - 2
    answers = [found for found in answers if found.kind != "nothing"]
    for found in answers[:most]:
        yield "use", [f"{found.view.machine}: {words}" for words in _use(found)]
    if len(answers) > most:
        yield "", [f"and on {len(answers) - most} more"]
