"""The overview of several corpora: the shape of their records, who leads on each, and where that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..model.answer import CorpusAnswer
from ..model.candidates import Standing
from ..model.lists import few
from ..model.names import plain_name
from ..model.numbers import TIED, bytes_said, percent, ratio
from ..model.shape import FACETS, Shape
from ..model.view import CorpusView

FEWEST: Final = 3
"""Corpora from which a page has an overview."""

COMPARED: Final = ("json", "msgpack")
"""The codecs that every leader is compared with: the libraries that most programs call now."""

HEADINGS: Final = {
    "bytes": "mean bytes of a record as compact JSON",
    "text": "share of texts among the values that are not containers",
    "numbers": "share of numbers among the values that are not containers",
    "non-ASCII": "share of texts with other characters than ASCII",
    "depth": "how deep lists and dicts are nested: 1 is flat",
}
"""The columns of the shape, with their explanations."""

UNKNOWN: Final = "–"
NEVER: Final = "never"
"""No other codec is the answer, wherever the chooser is asked."""


@dataclass(frozen=True, slots=True)
class Against:
    """The cost of another codec as a multiple of the leader's.

    Attributes:
        text: In parentheses if both are not distinguishable.
        remark: The name of the codec, or that it is lossy.
    """

    text: str = UNKNOWN
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Lead:
    """Who leads on a corpus; `overview.js` writes the same.

    Attributes:
        names: The codecs that may win.
        remark: Why it is not a single one, or why there is none.
        next: The first codec that cannot win.
        others: The compared codecs, by name.
        turns: The reads per write from which, or up to which, another codec is the answer.
    """

    names: str
    remark: str
    next: Against = Against()
    others: Mapping[str, Against] = field(default_factory=lambda: dict.fromkeys(COMPARED, Against()))
    turns: str = UNKNOWN


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One corpus on one machine.

    Attributes:
        view: Its number among the views.
        shape: The figures of its shape, by the heading of the column.
        kind: What its records are.
        classes: The class of each facet, by key.
    """

    view: int
    name: str
    machine: str
    shape: Mapping[str, str]
    kind: str
    classes: Mapping[str, str]
    lead: Lead


@dataclass(frozen=True, slots=True)
class Filter:
    """A property that distinguishes the corpora, with its classes and their words."""

    key: str
    label: str
    classes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Overview:
    """All rows, and the filters by which they are shown."""

    rows: tuple[CorpusRow, ...]
    filters: tuple[Filter, ...]
    headings: Mapping[str, str] = field(default_factory=lambda: HEADINGS)
    compared: tuple[str, ...] = COMPARED


def overview(views: Sequence[CorpusView]) -> Overview | None:
    """Return the overview of some corpora; None if there are too few to compare.

    A corpus on several machines has a row for each, one below the other.
    """
    corpora = list(dict.fromkeys((view.corpus.name, view.corpus.sha256) for view in views))
    if len(corpora) < FEWEST:
        return None
    order = {corpus: place for place, corpus in enumerate(corpora)}
    numbered = sorted(enumerate(views), key=lambda one: order[one[1].corpus.name, one[1].corpus.sha256])
    rows = tuple(_row(number, view) for number, view in numbered)
    return Overview(rows, tuple(_filters(rows)))


def _filters(rows: Sequence[CorpusRow]) -> list[Filter]:
    """Return the properties in which the corpora differ, with the classes that occur."""
    machines = dict.fromkeys(row.machine for row in rows)
    known = [(facet.key, facet.label, facet.classes) for facet in FACETS]
    found = [
        Filter(key, label, {name: words for name, words in classes.items() if name in used})
        for key, label, classes in [*known, ("machine", "Machine", {name: name for name in machines})]
        if (used := {row.classes.get(key) for row in rows})
    ]
    return [each for each in found if len(each.classes) > 1]


def _row(number: int, view: CorpusView) -> CorpusRow:
    shape = Shape.of(view.corpus.profile)
    classes = {} if shape is None else shape.classes
    kinds = next(facet.classes for facet in FACETS if facet.key == "kind")
    return CorpusRow(
        view=number,
        name=view.corpus.name,
        machine=view.machine,
        shape=_figures(shape),
        kind=kinds.get(classes.get("kind", ""), UNKNOWN),
        classes={**classes, "machine": view.machine},
        lead=lead(view),
    )


def _figures(shape: Shape | None) -> dict[str, str]:
    if shape is None:
        return dict.fromkeys(HEADINGS, UNKNOWN)
    size = UNKNOWN if shape.size is None else bytes_said(shape.size)
    shares = [
        UNKNOWN if found is None else _share(found) for found in (shape.text, shape.numbers, shape.non_ascii)
    ]
    return dict(zip(HEADINGS, (size, *shares, str(shape.depth)), strict=True))


def _share(share: float) -> str:
    return percent(share) if share else "0%"


def lead(view: CorpusView) -> Lead:
    """Return who leads on a corpus, by how much, and where that changes."""
    found, standing, contest = view.answer, view.standing, view.answer.contest
    if contest is None:
        return Lead(UNKNOWN, "no safe codec is exact" if standing.costs else "no cost was measured")
    level, remark = contest.level, ""
    if found.kind == "few":
        level = (contest.winner,)
        remark = f"lowest mean of {'1 process' if found.processes == 1 else f'{found.processes} processes'}"
    elif contest.unresolved:
        remark = "not distinguishable"
    elif contest.same:
        remark = f"tie {TIED}"
    rest = next((name for name in found.fitting if name not in level), "")
    lossy = [candidate.name for candidate in view.codecs if candidate.lossy]
    # Files of several versions label their codecs.
    measured = {plain_name(name): name for name in reversed(list(standing.costs))}
    return Lead(
        names=few(level),
        remark=remark,
        next=_against(standing, contest.winner, rest, rest),
        others={
            name: _against(standing, contest.winner, label, "lossy" if label in lossy else "")
            for name in COMPARED
            for label in [measured.get(name, "")]
        },
        turns=_turns(found),
    )


def _turns(found: CorpusAnswer) -> str:
    """Say from where on, and up to where, another codec is the answer."""
    if not any(axis.weight == "reads" for axis in found.axes):
        return UNKNOWN
    changes = [each for each in found.changes if each.axis.weight == "reads"]
    texts = [f"{each.winner} {'from' if each.above else 'up to'} {each.end:,g} reads" for each in changes]
    return "; ".join(texts) or (NEVER if found.decided else UNKNOWN)


def _against(standing: Standing, winner: str, other: str, remark: str) -> Against:
    if other not in standing.costs:
        return Against()
    text = ratio(standing.times(other, winner))
    sure = other == winner or standing.judged[winner, other][0] in ("faster", "slower")
    return Against(text if sure else f"({text})", remark)
