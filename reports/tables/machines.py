"""Several machines or interpreters in one table: a block of columns each, and where their rankings differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from ..model.candidates import BASELINE
from ..model.environment import block_noun
from ..model.lists import few, listed
from ..model.table import EMPTY, Absent, Column, Entry, Row, Section
from ..model.view import CorpusView

_DASH: Final = Entry("–", tone="dim")
_DECIDED: Final = ("faster", "slower")
_MOST_CLAUSES: Final = 3

_Split = tuple[tuple[str, ...], tuple[str, ...]]
"""The machines on which the first codec of a pair costs less, and those on which it costs more."""


def machines_of(columns: Iterable[Column]) -> list[str]:
    """Return the machines with a block of columns, in their order."""
    return list(dict.fromkeys(column.block for column in columns if column.block))


def side_by_side(section: Section) -> Section:
    """Return a section of several machines with common columns once, and a dash for codecs a machine lacks.

    A column is common if every codec has the same size or words on all machines that have it. CSV and JSON
    keep all columns, so that their names do not depend on the figures.
    """
    blocks = machines_of(section.columns)
    if not blocks:
        return section
    known: dict[str, list[Column]] = {}
    for column in section.columns:
        known.setdefault(column.key, []).append(column)
    common = {
        key: entries
        for key, columns in known.items()
        if len(columns) > 1 and columns[0].raw_unit in ("byte", "")
        if (entries := _common(columns, section.rows)) is not None
    }
    first = [column for column in section.columns if not column.block]
    rows = tuple(_filled(row, section.columns, blocks, common) for row in section.rows)
    reported = {(absent.codec, absent.block) for absent in section.absent}
    lacking = (
        Absent(row.codec, "not measured", "", block=block)
        for row in section.rows
        for block in blocks
        if row.codec != BASELINE and not _took_part(row, section.columns, block)
        if (row.codec, block) not in reported
    )
    return replace(
        section,
        columns=(
            *first,
            *(replace(known[key][0], block="") for key in common),
            *(column for column in section.columns if column.block and column.key not in common),
        ),
        rows=rows,
        absent=(*section.absent, *lacking),
    )


def _common(columns: Sequence[Column], rows: Iterable[Row]) -> dict[str, Entry] | None:
    """Return the entry of each codec if machines do not differ in any."""
    found = {}
    for row in rows:
        texts = {entry.shown: entry for column in columns if (entry := row.entry(column)) != EMPTY}
        if len(texts) > 1:
            return None
        found[row.codec] = next(iter(texts.values()), EMPTY)
    return found


def _took_part(row: Row, columns: Iterable[Column], block: str) -> bool:
    return any(column.block == block and column.id in row.entries for column in columns)


def _filled(
    row: Row, columns: Sequence[Column], blocks: Iterable[str], common: Mapping[str, Mapping[str, Entry]]
) -> Row:
    absent = [block for block in blocks if not _took_part(row, columns, block)]
    dashes = {column.id: _DASH for column in columns if column.block in absent}
    shared = {key: entries[row.codec] for key, entries in common.items()}
    return replace(row, entries={**row.entries, **dashes, **shared})


def agreement(views: Sequence[CorpusView]) -> str:
    """Say in one sentence on which pairs of codecs machines, or interpreters, disagree.

    Only pairs that are distinguishable on at least two machines can agree or disagree.

    Args:
        views: One corpus on several machines.
    """
    splits = _splits(views)
    both = "both" if len(views) == 2 else "at least two"
    if not splits:
        nouns = f"{block_noun(view.result for view in views)}s"
        return f"No two codecs are distinguishable on {both} {nouns}, so their ranks cannot be compared."
    opposite = {pair: split for pair, split in splits.items() if all(split)}
    agreed = len(splits) - len(opposite)
    pairs = f"{agreed} pair{'s' * (agreed != 1)} of codecs distinguishable on {both}"
    if not opposite:
        names = listed([view.machine for view in views])
        return f"{names} agree on the order of {'all ' * (agreed > 1)}{pairs}."
    others: dict[tuple[str, _Split], list[str]] = {}
    for (codec, other), split in opposite.items():
        others.setdefault((codec, split), []).append(other)
    clauses = [
        f"{codec} costs less than {few(names)} on {listed(less)} and more on {listed(more)}"
        for (codec, (less, more)), names in others.items()
    ]
    if further := sum(map(len, [*others.values()][_MOST_CLAUSES:])):
        verb = "pairs differ" if further > 1 else "pair differs"
        clauses[_MOST_CLAUSES:] = [f"{further} further {verb} in order"]
    rest = f"they agree on the other {pairs}" if agreed else f"no other pair is distinguishable on {both}"
    return f"{'; '.join([*clauses, rest])}."


def _splits(views: Sequence[CorpusView]) -> dict[tuple[str, str], _Split]:
    """Return, for each pair that is distinguishable on two machines, where the first codec costs less."""
    names = dict.fromkeys(name for view in views for name in view.standing.costs)
    found = {}
    for pair in combinations(names, 2):
        said = {view.machine: view.standing.judged[pair][0] for view in views if pair in view.standing.judged}
        decided = {machine: verdict for machine, verdict in said.items() if verdict in _DECIDED}
        if len(decided) > 1:
            less, more = ([m for m, v in decided.items() if v == verdict] for verdict in _DECIDED)
            found[pair] = tuple(less), tuple(more)
    return found
