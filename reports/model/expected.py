"""What published results say of records: their profiles and rankings, packaged with bakeoff.

`expected.json` is made from the result files that are published, and is never edited by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from ...bench.results import CorpusFacts, ResultData
from ...codecs.registry import formats
from ...files import atomic_write
from .candidates import WELL, Candidate, candidates_on, corpora, standing_on
from .cost import CostModel
from .distance import Kind, Position
from .files import load

FILE: Final = Path(__file__).with_name("expected.json")
"""The packaged file."""
_DIGITS: Final = 3


@dataclass(frozen=True)
class DataSet:
    """A published result on one corpus, for one write and one read without a network.

    Attributes:
        name: Its name among the published ones.
        position: Where its records are, for distances.
        costs: Cost of each codec that could be recommended, as a ratio to the lowest, the lowest first.
        ties: Pairs of these that cost the same, or are not distinguishable.
    """

    name: str
    position: Position
    costs: Mapping[str, float]
    ties: frozenset[frozenset[str]]

    @cached_property
    def title(self) -> str:
        """What it is: "657-byte records of mostly text (emoji)"."""
        return f"{self.position.words} ({self.name})"

    def order(self, among: Iterable[str]) -> list[str]:
        """Return the codecs that it ranks, of those given, the cheapest first."""
        wanted = set(among)
        return [name for name in self.costs if name in wanted]

    def level(self, among: Iterable[str]) -> list[str]:
        """Return the codecs that come first, of those given: the cheapest, and those that tie with it."""
        first, *others = self.order(among) or [""]
        return [name for name in (first, *others) if name == first or {first, name} in self.ties]

    def plain(self) -> dict[str, Any]:
        """Return it as JSON types; ties are the places of the codecs with which each one ties."""
        names = list(self.costs)
        return {
            "name": self.name,
            "kind": self.position.kind,
            "facts": dict(self.position.facts),
            "costs": {name: round(cost, _DIGITS) for name, cost in self.costs.items()},
            "ties": [
                [place for place, other in enumerate(names) if {name, other} in self.ties] for name in names
            ],
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> DataSet:
        """Return what `plain` returned."""
        names = list(plain["costs"])
        ties = (
            frozenset((name, names[place]))
            for name, places in zip(names, plain["ties"], strict=True)
            for place in places
        )
        return cls(plain["name"], Position(plain["facts"], plain["kind"]), plain["costs"], frozenset(ties))


@cache
def data_sets() -> tuple[DataSet, ...]:
    """Return the packaged data sets."""
    return tuple(map(DataSet.of, json.loads(FILE.read_text("utf-8"))))


def write(results: Sequence[Path], into: Path = FILE) -> list[str]:
    """Make the packaged file from result files.

    Args:
        results: Result files, each named after its data set. Corpora of a file with several have their own
            names.
        into: The file.

    Returns:
        Names of data sets that are left out, because nothing can be expected from them: no codec that could
        be recommended was timed, or the profile lacks sizes.

    Raises:
        UsageError: There is no such result file.
        ResultFileError: It is damaged.
    """
    found = {name: made for path in results for name, made in _of_file(path)}
    # A line for each, so that a difference of two versions names what has changed.
    lines = ",\n".join(json.dumps(made.plain(), separators=(",", ":")) for made in found.values() if made)
    with atomic_write(into) as file:
        file.write(f"[\n{lines}\n]\n".encode())
    return [name for name, made in found.items() if made is None]


def _of_file(path: Path) -> Iterator[tuple[str, DataSet | None]]:
    result = load(path)
    facts = corpora(result)
    for corpus in facts:
        name = path.name.partition(".")[0] if len(facts) == 1 else corpus.name
        yield name, of_corpus(result, corpus, name)


def of_corpus(result: ResultData, corpus: CorpusFacts, name: str) -> DataSet | None:
    """Return a result on one corpus as a data set; None if nothing can be expected from it."""
    cost = CostModel()
    candidates = candidates_on(result, corpus.name)
    position = position_of(corpus, candidates)
    standing = standing_on(result, corpus.name, candidates, cost)
    safe = {candidate.name for candidate in candidates if not candidate.drawback}
    order = [codec for codec in standing.costs if codec in safe]
    if position is None or not order:
        return None
    level = ("same", "unresolved")
    return DataSet(
        name,
        position,
        {codec: standing.times(codec, order[0]) for codec in order},
        frozenset(frozenset(pair) for pair in combinations(order, 2) if standing.judged[pair][0] in level),
    )


def position_of(corpus: CorpusFacts, candidates: Iterable[Candidate]) -> Position | None:
    """Return the position of records; None if their profile lacks a fact that is needed.

    Args:
        corpus: The facts of the corpus.
        candidates: The codecs that are measured on it.
    """
    kind: Kind = "dicts"
    if "class" in corpus.profile:
        kind = "objects"
    elif any(map(_has_schema, candidates)):
        kind = "schema"
    return Position.of(corpus.profile, kind)


def _has_schema(candidate: Candidate) -> bool:
    known = formats().get(candidate.facts.format)
    # A schema, or pickle's memory of classes, determines how all types are written.
    declared = known is not None and known.family is None and not known.trusted_only
    return candidate.outcome in WELL and (declared or "+schema" in candidate.name)
