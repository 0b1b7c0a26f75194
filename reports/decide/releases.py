"""What changes from one release of a library to another, and which release suits some records.

All releases are measured in the rounds of one run, so a comparison pairs their processes. Verdicts are those
of `compare`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from packaging.version import InvalidVersion, Version

from ...bench.method import Verdicts
from ...bench.results import ResultData
from ...codecs.naming import split_release
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import WELL, Candidate, preferred
from ..model.lists import few
from ..model.numbers import amount
from ..model.options import TableOptions
from ..model.table import Section, Table
from ..model.view import CorpusView, View
from ..tables.build import build
from ..tables.sentence import equal
from .cell_changes import ONCE, CellChange
from .compare import Comparison, compare, confirmed

_COLUMNS: Final = (
    "codec", "dump", "load", "bytes", "retained-payloads", "retained-records", "peak", "growth", "fidelity",
    "rank",
)  # fmt: skip
_MUCH: Final = 2
"""Ratio of retained memory from which the recommendation mentions it."""
_HIDDEN: Final = 2 * Verdicts.PRECISION
"""Share by which a time may have become worse without being noticed."""
_LARGEST: Final = 10
"""Factor from which the end of an interval says only that there are too few processes."""
_PAYLOAD: Final = "retained-payloads"


def between(
    result: ResultData, before: Mapping[str, str], after: Mapping[str, str], tests: int = 1
) -> Comparison:
    """Compare codecs of one run with others of it.

    Args:
        result: The run.
        before: Common name by codec.
        after: The same for the codecs to judge.
        tests: Number of such comparisons that share the chance of a false verdict.

    Raises:
        UsageError: No cell was measured on both sides.
    """
    found = compare(_side(result, before), _side(result, after))
    timed = {
        change.cell: (change.before.samples, change.after.samples)
        for change in found.changes
        if change.timed and change.ratio is not None and change.before and change.after
    }
    alpha = Verdicts.ALPHA / max(1, len(timed)) / tests
    return confirmed(found, timed, alpha, ["both sides were measured in the rounds of one run"])


def _side(result: ResultData, names: Mapping[str, str]) -> ResultData:
    """Return only some codecs of a result, under other names."""
    return replace(
        result,
        cells=tuple(
            replace(cell, cell=replace(cell.cell, codec=names[cell.cell.codec]))
            for cell in result.cells
            if cell.cell.codec in names
        ),
        codecs=tuple(
            replace(codec, name=names[codec.name]) for codec in result.codecs if codec.name in names
        ),
        rankings=(),
    )


def worse(comparison: Comparison) -> list[str]:
    """Describe what clearly became worse, a line each, including codecs that cannot be measured any more."""
    gone = [f"{codec}: cannot be measured any more: {reason}" for codec, reason in _gone(comparison).items()]
    return _described(filter(_clear, comparison.regressions(0.0))) + gone


def undecided(comparison: Comparison, result: ResultData) -> list[str]:
    """Describe the cells that may have become much worse, or that there was no time for.

    Args:
        comparison: A comparison of releases.
        result: Their run.
    """
    gone = _gone(comparison)
    missing = [change.cell for change in comparison.missing() if change.cell.codec not in gone]
    missing += [
        replace(cell.cell, codec=split_release(cell.cell.codec)[0])
        for cell in result.cells
        if cell.outcome in (*WELL, "unfinished") and not (cell.samples or cell.verdict)
        if split_release(cell.cell.codec)[1]
    ]
    hiding = [
        f"{change.cell.codec} {change.cell.operation_name} ({_may_be(change.worst)})"
        for change in comparison.changes
        if change.timed and change.worst > 1 + _HIDDEN and not (change.verdict == "worse" and _clear(change))
    ]
    late = (f"{cell.codec} {cell.operation_name} (not enough time)" for cell in missing)
    return [*dict.fromkeys(late), *hiding]


def _may_be(worst: float) -> str:
    """Say by which factor something may have become worse."""
    return f"may be {numbers.ratio(worst)} worse" if worst < _LARGEST else "too few processes"


def _clear(change: CellChange) -> bool:
    """Whether a change is more than a tie at either end of its interval."""
    if change.broken or change.ratio is None or not change.timed:
        return True
    return change.ratio.outside(Verdicts.TIE)


def _gone(comparison: Comparison) -> dict[str, str]:
    """Return the reason by codec that fails after the change."""
    return {
        change.cell.codec: change.after.reason
        for change in comparison.missing()
        if change.after is not None and change.after.outcome not in (*WELL, "unfinished")
    }


def _described(changes: Iterable[CellChange], *, named: bool = True) -> list[str]:
    """Describe changes, each once: a loss affects all operations of a codec.

    Args:
        changes: The changes.
        named: Whether to name the codec.
    """
    lines: dict[str, None] = {}
    for change in changes:
        loss = "; ".join(change.after.loss) if change.of_outcome and change.after is not None else ""
        codec = change.cell.codec if named else ""
        name = " ".join(filter(None, (codec, "" if change.of_outcome else change.cell.operation_name)))
        said = change.words + (f" ({loss})" if loss else "")
        lines[f"{name}: {said}" if name else said] = None
    return list(lines)


def table(result: ResultData) -> Table:
    """Return the table of a run over releases, by version, with the recommendation below.

    Raises:
        UsageError: Nothing was measured.
    """
    view = View.of([result])
    made = build(view, TableOptions.of(columns=_COLUMNS))
    corpora = {corpus.corpus.name: corpus for corpus in view.corpora}
    return replace(made, sections=tuple(_section(each, corpora[each.title]) for each in made.sections))


def _section(section: Section, view: CorpusView) -> Section:
    rows = sorted(section.rows, key=lambda row: _order(row.codec) if row.ranked else ("~", Version("0")))
    # A remark names the others.
    columns = [column for column in section.columns if any(row.entry(column).shown for row in rows)]
    return replace(section, columns=tuple(columns), rows=tuple(rows), opening=(), answer=tuple(_answer(view)))


def _order(codec: str) -> tuple[str, Version]:
    """Return the key that orders codecs by name, and then by version."""
    name, release = split_release(codec)
    try:
        return name, Version(release)
    except InvalidVersion:
        return name, Version("0")


def _answer(view: CorpusView) -> Iterable[str]:
    """Yield the recommendation for each codec, and the changes from each release to the next."""
    libraries: dict[str, list[Candidate]] = {}
    for candidate in sorted(view.codecs, key=lambda each: _order(each.name)):
        libraries.setdefault(split_release(candidate.name)[0], []).append(candidate)
    for name, releases in libraries.items():
        yield _suits(view, name, releases)
        yield from _steps(view.result, name, [each.name for each in releases])


def _steps(result: ResultData, name: str, releases: Sequence[str]) -> Iterable[str]:
    steps = list(pairwise(releases))
    for old, new in steps:
        try:
            found = between(result, {old: name}, {new: name}, len(steps))
        except UsageError:
            continue
        decided = (each for each in found.changes if each.verdict in ("better", "worse") and _clear(each))
        numbers = " → ".join(split_release(each)[1] for each in (old, new))
        words = ", ".join(_described(decided, named=False))
        yield f"{name} {numbers}: {words or 'no significant change'}"


def _suits(view: CorpusView, name: str, releases: Sequence[Candidate]) -> str:
    """Say which release suits the records, and why; ties are ordered by retained memory, then by age."""
    safe = [each for each in releases if not each.drawback]
    contest = view.standing.contest(safe, preferred(safe, view.cost)) if safe else None
    if contest is None:
        return f"No release of {name} was measured that preserves every record."
    cost = f"the cost of {view.cost.sentence()}"
    level = sorted(contest.level, key=_order)
    held = {each.name: figure for each in safe if (figure := _held(each)) is not None}
    if len(level) == 1:
        chosen, why = level[0], f"{level[0]} suits these records: it costs least, by {cost}"
    else:
        least = min((held[each] for each in level if each in held), default=0.0)
        light = [each for each in level if held.get(each, 0.0) <= least * (1 + ONCE)]
        chosen = light[-1]
        reason = "is the newest of them"
        if len(light) < len(level):
            reason = f"retains the least memory for a payload ({amount(least, 'byte', None)})"
            reason += ", and is the newest of those that do" if len(light) > 1 else ""
        why = f"{few(level)} {equal(contest)}, by {cost}; {chosen} {reason}"
    lightest = min(held, key=held.__getitem__, default=chosen)
    if held and held.get(chosen, 0.0) >= _MUCH * held[lightest]:
        own, other = (amount(held[each], "byte", None) for each in (chosen, lightest))
        why += f"; but each payload retains {own} of memory, and {other} with {lightest}"
    return f"{why}."


def _held(candidate: Candidate) -> float | None:
    """Return the memory that a payload retains; None if it was not measured."""
    cell = candidate.cells.get(_PAYLOAD)
    return cell.samples[0].value if cell is not None and cell.samples else None
