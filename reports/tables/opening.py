"""The block above a table: at most eight lines of at most 80 columns, for whoever reads nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...bench.method import Processes
from ..model import numbers
from ..model.answer import CorpusAnswer, Rival
from ..model.breakeven import span
from ..model.candidates import Candidate, measured, preferred
from ..model.environment import block_noun
from ..model.lists import few, listed
from ..model.read import LibraryResult, languages
from ..model.table import Labelled
from ..model.view import CorpusView
from .block import LINES, SAFE, Line, fitted, losses, records, saving, shown, trust, unless, work
from .longer import longer
from .sentence import broken_by, drawback, of_safe, too_few, unranked, why_not

_ALLOWED: Final = {"lossy": "allow_loss", "trusted": "trusted", "unguarded": "trusted"}
"""The options of a choice that allow what a codec is not recommended for."""
_LEAST: Final = ("between", "close", "worth")
"""The labels of lines that are left out if there are too many, the least important first."""


def opening(views: Sequence[CorpusView], corpora: int = 1) -> tuple[Labelled, ...]:
    """Return the lines above the table of a corpus, the first of which describes the records.

    Args:
        views: The corpus on each machine.
        corpora: Number of corpora in the run, all of which its duration includes.
    """
    answers = [view.answer for view in views]
    lines = _block(answers[0]) if len(answers) == 1 else list(_fleet(answers))
    return fitted([records(views[0].corpus, _codecs(views, corpora)), *lines])


def _codecs(views: Sequence[CorpusView], corpora: int) -> list[str]:
    """Write the number of codecs, and how long the run took."""
    known = {codec.name for one in views for codec in one.codecs if codec.measured or codec.untimed}
    count = len(known) or len({codec.name for one in views for codec in one.codecs})
    seconds = max(one.result.duration for one in views)
    text = f"{count} codec{'s' * (count != 1)}"
    if len(views) > 1:
        text += f" on {len(views)} {block_noun(one.result for one in views)}s"
    elif seconds and corpora == 1:
        return [f"{text}, {seconds:,.0f} s" if seconds >= 1 else f"{text}, {seconds:.1f} s", text]
    return [text]


# One machine


def _block(found: CorpusAnswer) -> list[Line]:
    """Return the lines of one ranking."""
    lines: list[Line] = [("use", use(found)), *_following(found), *_worth(found)]
    tail = [*_read_by(found), *_sure(found), *_unless(found)]
    most = LINES - 1 - len(tail)
    lines += _trust(found, most - len(lines))
    for label in _LEAST:
        if len(lines) > most:
            lines = [line for line in lines if line[0] != label]
    return [*lines, *tail]


def use(found: CorpusAnswer, on: str = "", *, timed: bool = True) -> list[str]:
    """Say which codec to use.

    Args:
        found: The answer.
        on: Where, after the name of the codec.
        timed: Whether to say what codecs cost that are not distinguishable.
    """
    codec, contest = found.codec, found.contest
    if found.decided and codec is not None:
        return [f"{codec.name}{on}: {_figures(found)}", f"{codec.name}{on}: {_cost(found)}"]
    if found.kind == "unresolved" and contest is not None:
        names, count = few(contest.level), len(contest.level)
        text = f"undecided{on}: {names} are not distinguishable"
        counted = f"undecided{on}: {count} codecs are not distinguishable"
        least = f"(from {_time(found)})"
        brief = f"undecided{on}: {' or '.join(contest.level) if count < 4 else names}"
        if not timed:
            return [text, brief, counted]
        return [f"{text}, from {_cost(found)}", f"{text} {least}", text, brief, f"{counted} {least}", counted]
    if found.kind == "few":
        few_ = f"undecided{on}: {too_few(found.processes)}"
        return [f"{few_} to distinguish codecs", few_]
    if found.kind == "rough":
        return [f"undecided{on}: no codec was timed {_in_time(found)}"]
    if found.kind == "parts":
        missing = " and ".join(found.lacking) or "all parts of the cost of one codec"
        were = "were" if len(found.lacking) > 1 else "was"
        return [f"undecided{on}: {missing} {were} not measured"]
    if found.kind == "unsafe":
        return [f"none{on}: no safe codec preserves every record"]
    if found.kind == "unchecked":
        return [f"undecided{on}: no round trip was checked"]
    if found.kind == "nothing":
        return [f"none{on}: these benchmarks are of another program, and check no round trip"]
    if found.kind == "failed":
        return [f"none{on}: every codec failed"]
    if found.kind == "missing":
        return [f"none{on}: something that every codec needs is missing"]
    return [f"undecided{on}: no codec was checked {_in_time(found)}"]


def _in_time(found: CorpusAnswer) -> str:
    return "in this budget" if found.view.result.complete else "until the run was interrupted"


def _time(found: CorpusAnswer) -> str:
    """Write the cost of a record; if several codecs may win, the lowest."""
    figure = found.cost
    if found.kind == "unresolved" and found.contest is not None:
        figure = found.view.standing.costs[found.contest.cheapest]
    return "" if figure is None else numbers.amount(figure.value, "second", figure.half)


def _cost(found: CorpusAnswer) -> str:
    return f"{_time(found)} {_work(found)}"


def _work(found: CorpusAnswer) -> str:
    codec = found.codec
    fixes = codec is not None and bool(codec.samples("fix")) and not codec.unfixed
    return work(found.view.cost, fixes=fixes)


def _rough(found: CorpusAnswer) -> str:
    """Write what the check took, with the digits of the table."""
    rough = found.codec.rough_cost(found.view.cost) if found.codec else None
    if rough is None:
        return ""
    factor, unit = numbers.scale([rough], "second")
    return f"≈{numbers.approximate(rough * factor)} {unit}"


def _figures(found: CorpusAnswer) -> str:
    size = f", {numbers.payload(found.size.value)}" if found.size else ""
    return f"{_cost(found)}{size}"


def _lowest(found: CorpusAnswer, codec: Candidate) -> str:
    """Name the codec with the lowest mean of those that may be recommended, or of all if it leads them."""
    return codec.name if found.lowest else f"{codec.name},{of_safe(leads=False)}"


def _following(found: CorpusAnswer) -> Iterator[Line]:
    """Yield what comes next, and what is faster and not recommended."""
    codec = found.codec
    if found.kind == "few" and codec is not None:
        who = _lowest(found, codec)
        yield "lowest", [f"{who}: {_figures(found)}", f"{who}: {_cost(found)}", f"{who}: {_time(found)}", who]
    if found.kind == "rough" and codec is not None:
        who = f"{codec.name}, which {drawback(codec)}" if codec.drawback else _lowest(found, codec)
        took = f"{who}, roughly: {_rough(found)}"
        yield "lowest", [f"{took} {_work(found)}", took, f"{who}, roughly"]
    if found.kind == "unsafe" and codec is not None:
        who = f"{codec.name}, which {drawback(codec)}"
        yield "lowest", [f"{who}: {_cost(found)}", f"{who}: {_time(found)} a record", who]
    yield from why_none(found)
    if found.contest is None or found.kind == "few":
        return
    if found.next:
        usual = ""
        if found.usual and found.usual.names[0] not in found.next.names:
            usual = f"; {shown(found.usual.names[0])} {_times(found.usual)}"
        all_, first_ = (_behind(found.next, most) for most in (len(found.next.names), 1))
        yield "next", [f"{all_}{usual}", all_, f"{first_}{usual}", first_]
    else:
        yield "next", nothing_next([found])
    for group in found.passed_over:
        names, why = [candidate.name for candidate in group.codecs], f", which {why_not(group.codecs)}"
        brief = (
            f" ({', '.join(dict.fromkeys(each.drawback.brief for each in group.codecs if each.drawback))})"
        )
        many = f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]
        fuller = [f"{few(names)}{why}", f"{len(names)} codecs{why}"]
        yield group.place, [*fuller, f"{few(names)}{brief}", f"{many}{brief}"]


def why_none(found: CorpusAnswer) -> Iterator[Line]:
    """Yield why no codec was measured: the reason of all of them, or of the first one."""
    if found.kind not in ("missing", "failed"):
        return
    first, *others = found.view.codecs
    if found.kind == "missing" and {codec.reason for codec in others} <= {first.reason}:
        yield "why", [first.reason]
        return
    more = f"; and {len(others)} more, below" * bool(others)
    failed = f"{first.name} {first.outcome}"
    yield "why", [f"{failed}: {first.reason}{more}", f"{failed}{more}"]


def nothing_next(answers: Sequence[CorpusAnswer]) -> list[str]:
    """Say that no codec comes after those that may win, and why, on corpora with the same answer."""
    codecs = {codec.name: codec for found in answers for codec in found.unranked}
    if codecs:
        return [unranked(list(codecs.values())), f"{len(codecs)} more have no cost"]
    if all(len(found.view.codecs) == 1 for found in answers):
        return ["nothing else was measured"]
    several = any(found.contest is not None and len(found.contest.level) > 1 for found in answers)
    checked = " that was checked" * any(found.unchecked for found in answers)
    return [f"no {'further' if several else 'other'} codec{checked} is safe and preserves every record"]


def _behind(rival: Rival, most: int) -> str:
    """Name the codecs that come next, and their costs as multiples."""
    if rival.above:
        # Its ratio is in parentheses in the table, too.
        first = f"{rival.names[0]} ({numbers.ratio(rival.times[0])})"
        more = f" and {len(rival.names) - 1} more" * (len(rival.names) > 1)
        return f"{first}{more}, known to cost more than {rival.above}"
    if len(rival.names) == 1:
        return f"{rival.names[0]} {_times(rival)}"
    names = few(rival.names) if most > 1 else f"{rival.names[0]} and {len(rival.names) - 1} more"
    return f"{names} ({'tie' if rival.verdict == 'same' else 'undecided'}) {_times(rival)}"


def _times(rival: Rival) -> str:
    return span(*map(numbers.ratio, rival.times))


def _worth(found: CorpusAnswer) -> Iterator[Line]:
    """Yield what the answer saves."""
    if found.usual_ties:
        yield "worth", [f"no time: {found.usual_ties} costs the same, {numbers.TIED}"]
    elif found.worth:
        yield saving(found.worth.names[0], found.worth.more, found.view.cost)


def _trust(found: CorpusAnswer, room: int) -> list[Line]:
    """Return whose payloads are safe and what is lost, by the answer or by each codec that may be it."""
    if found.kind == "unresolved" and room > 0:
        return [("safe", ["each is, and preserves every record"])]
    if not found.decided or found.codec is None:
        return []
    return trust(SAFE[found.safety], losses(found.codec, _here(found)), room)


def _here(found: CorpusAnswer) -> str:
    """Say what the answer loses of these records."""
    if found.seen < found.view.corpus.sample:
        return f"nothing in the {found.seen:,} record{'s' * (found.seen != 1)} that were checked"
    return "nothing here"


def _read_by(found: CorpusAnswer) -> Iterator[Line]:
    """Yield how long readers in other languages take, if there were any."""
    codec = found.codec
    known = languages(read for each in found.view.candidates for read in each.reads.values())
    if known and found.decided and codec is not None:
        texts = [_reader(name, codec.reads_in(short)) for short, name in known.items()]
        brief = [_reader(name, codec.reads_in(short), timed=False) for short, name in known.items()]
        yield "readers", ["; ".join(texts), "; ".join(brief)]


def _reader(language: str, reads: Sequence[LibraryResult], *, timed: bool = True) -> str:
    """Say whether a language reads the payloads exactly, and how long the fastest library takes."""
    exact = [read.cell for read in reads if read.outcome == "ok"]
    if not exact:
        changes = any(read.outcome == "lossy" for read in reads)
        return f"{language} {'changes values' if changes else 'cannot read it' if reads else 'was not tried'}"
    best = min((figure for cell in exact if (figure := measured(cell))), default=None)
    if best is None or not timed:
        return f"{language} exactly"
    return f"{language} exactly, in {numbers.amount(best.value, 'second', best.half)}"


def _sure(found: CorpusAnswer) -> Iterator[Line]:
    """Yield whether noise could change the answer, or what would give one."""
    contest, way = found.contest, longer(found.view.result)
    until = "" if found.view.result.complete else ", until the run was interrupted"
    if found.kind == "chosen" and len(found.fitting) > 1:
        text = f"first{of_safe(leads=found.leads)} in every reading of the noise"
        yield "sure", [f"{text}, over {found.processes} processes{until}", f"{text}{until}", text]
    elif found.kind == "chosen" and not all(codec.takes for codec in found.unranked):
        yield "sure", [f"no: {way.time} times the others"]
    elif found.kind == "tied" and contest is not None:
        rule = broken_by(preferred(found.safe, found.view.cost), contest)
        text = f"a tie with {few(contest.same)}, {numbers.TIED}"
        yield "sure", [f"{text}; first as {rule}", text, f"a tie with {len(contest.same)} other codecs"]
    elif found.kind in ("few", "unresolved"):
        yield "sure", [f"no: {way.processes}", "no: measure longer"]
    elif found.kind in ("rough", "late"):
        yield "sure", [f"no: {way.time} times them"]
    elif found.kind == "unsafe" and (options := _allowing(found)):
        few_ = found.processes < Processes.FEWEST and len(found.view.standing.costs) > 1
        if few_:
            yield "sure", [f"no: {way.processes}", "no: measure longer"]
        yield "try", [f"{options}{' then' * few_} names the best of the others"]
    elif found.kind == "parts" and found.lacking == ["load"]:
        way_ = "`reads=0`" if found.view.result.in_python else "`bakeoff report FILE --reads 0`"
        yield "try", [f"{way_} ranks by dump alone"]
    elif found.kind in ("parts", "unchecked"):
        way_ = "`bakeoff.run(records)`" if found.view.result.in_python else "`bakeoff run FILE`"
        yield "try", [f"{way_} measures what a recommendation needs"]


def _allowing(found: CorpusAnswer) -> str:
    """Return the command that chooses among codecs that lose data or are for trusted data only."""
    kinds = {why.kind for why in found.codec.drawbacks} if found.codec else set()
    wanted = {option for kind, option in _ALLOWED.items() if kind in kinds}
    if not kinds or not kinds <= _ALLOWED.keys():
        return ""
    if found.view.result.in_python:
        return f"`best({', '.join(f'{option}=True' for option in sorted(wanted))})`"
    return f"`bakeoff pick FILE {' '.join('--' + option.replace('_', '-') for option in sorted(wanted))}`"


def _unless(found: CorpusAnswer) -> Iterator[Line]:
    """Yield at which weights another codec is the answer."""
    if changes := found.changes:
        yield unless(changes)
    elif found.decided and found.axes:
        yield "unless", [f"nothing at {', '.join(axis.whole for axis in found.axes)}"]


# Several machines


def _fleet(answers: Sequence[CorpusAnswer]) -> Iterator[Line]:
    """Yield the answer of each machine, those of the first ones if there are many, and whether they agree."""
    most = LINES - 2 if len(answers) < LINES - 1 else LINES - 3
    for found in answers[:most]:
        yield "use", use(found, f" on {found.view.machine}")
    if len(answers) > most:
        yield "", [f"and on {len(answers) - most} more"]
    noun = block_noun(found.view.result for found in answers)
    chosen = {found.codec.name for found in answers if found.decided and found.codec}
    undecided = [found.view.machine for found in answers if not found.decided]
    if len(chosen) > 1:
        yield "sure", [f"no: the answer differs between {noun}s (more below the table)"]
    elif chosen and not undecided:
        yield "sure", [f"the same answer on {'both' if len(answers) == 2 else f'all {len(answers)}'} {noun}s"]
    elif chosen:
        yield "sure", [f"no: undecided on {listed(undecided)}", f"no: undecided on {len(undecided)} {noun}s"]
    else:
        yield "sure", [f"no: nothing is decided on any {noun}"]
