"""Whether a codec may be chosen for a use, and if not why."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ...bench.results import CorpusFacts
from ...codecs.conventions.tokens import NAMES, SCHEMA_BRINGS, TOKENS
from ...errors import UsageError, hint, near
from ..model.candidates import Candidate, dictionary_of
from ..model.cost import CostModel
from ..model.names import plain_name
from ..model.obstacle import Obstacle
from ..model.prices import Prices
from . import interop

ByCorpus = interop.ByCorpus

UNTIMED: Final = "untimed"
"""The fact of a load in other languages whose libraries read everything, but were not timed."""


def names_in(what: str, names: Collection[str]) -> tuple[str, ...]:
    """Return names as `Requirements` takes them, of an argument that a Python program gives.

    Raises:
        UsageError: It is a text, whose letters would be the names.
    """
    if isinstance(names, str):
        raise UsageError(f"{what} is {names!r}; expected a list of names, such as [{names!r}]")
    return tuple(names)


@dataclass(frozen=True, slots=True)
class Requirements:
    """The requirements of a use.

    Attributes:
        cost: Reads per write and bandwidth.
        rate: Records per second that are written, or None.
        prices: Prices to choose by, instead of time; they need a rate.
        needs: Types that must be preserved exactly (`bakeoff.codecs.conventions.tokens`).
        trusted: Whether the data is trusted; codecs that run code from their input require it.
        formats: Acceptable wire formats; empty for all.
        interop: Whether other languages must read it exactly, as the readers of the run did; if the run tried
            none, whether they can read its format.
        allow_loss: Whether a lossy codec is acceptable.
        corpora: Corpora to choose by; empty for all.
        codec: A codec that was decided on manually; None for the cheapest.
    """

    cost: CostModel = field(default_factory=CostModel)
    rate: float | None = None
    prices: Prices | None = None
    needs: tuple[str, ...] = ()
    trusted: bool = False
    formats: tuple[str, ...] = ()
    interop: bool = False
    allow_loss: bool = False
    corpora: tuple[str, ...] = ()
    codec: str | None = None

    def __post_init__(self) -> None:
        for need in self.needs:
            if need not in NAMES:
                there = f"there are {', '.join(NAMES)}"
                raise UsageError(f"no type {need!r} to need; {hint(near(need, NAMES), there)}")
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise UsageError(f"rate {self.rate}: expected more than 0 records per second")
        if self.prices is not None and self.rate is None:
            raise UsageError(f"core-year {self.prices.core_year:g}: needs a rate, too, such as 3000/s")

    @property
    def weights(self) -> CostModel:
        """The cost model that ranks codecs."""
        return self.cost if self.prices is None else self.prices.weights(self.cost)

    def weighing(self, weights: CostModel) -> Requirements:
        """Return the same requirements of a use with other `weights`."""
        if self.prices is None:
            return replace(self, cost=weights)
        sent = self.prices.exchanged(weights.bandwidth) if math.isfinite(weights.bandwidth) else 0.0
        cost = replace(self.cost, reads=weights.reads)
        return replace(self, cost=cost, prices=replace(self.prices, gigabyte=sent))


def eligible_in(
    by_corpus: ByCorpus, chosen: Sequence[CorpusFacts], requirements: Requirements
) -> tuple[list[str], dict[str, Obstacle]]:
    """Return the codecs that may be chosen, and why the others may not.

    Args:
        by_corpus: Every codec's cells, by corpus and name.
        chosen: The corpora.
        requirements: The requirements.
    """
    excluded: dict[str, Obstacle] = {}
    eligible = []
    for name in dict.fromkeys(name for found in by_corpus.values() for name in found):
        why = _any(name, by_corpus, chosen, requirements)
        if why is None:
            eligible.append(name)
            continue
        if why.kind in ("trusted", "unguarded"):
            left = _any(name, by_corpus, chosen, replace(requirements, trusted=True))
            why = replace(why, only=left is None)
        excluded[name] = why
    usual = [name for name in eligible if name == requirements.codec or not takes(name, by_corpus)]
    if usual:
        # The others take objects instead of dicts, and were not asked for.
        excluded |= {
            name: Obstacle("objects", names=(takes(name, by_corpus),))
            for name in eligible
            if name not in usual
        }
        eligible = usual
    return eligible, excluded


def _any(
    name: str, by_corpus: ByCorpus, chosen: Sequence[CorpusFacts], requirements: Requirements
) -> Obstacle | None:
    why = obstacle(name, by_corpus, requirements)
    return interop.obstacle(name, by_corpus, chosen) if why is None and requirements.interop else why


def obstacle(name: str, by_corpus: ByCorpus, requirements: Requirements) -> Obstacle | None:
    """Return the first reason why a codec may not be chosen, except what readers in other languages do.

    Args:
        name: Name of the codec.
        by_corpus: Every codec's cells, by corpus and name.
        requirements: The requirements.
    """
    for corpus, found in by_corpus.items():
        why = next(_on_corpus(found[name], requirements), None) if name in found else Obstacle("absent")
        if why is not None:
            return replace(why, corpus=corpus) if len(by_corpus) > 1 and not why.of_codec else why
    if len(by_corpus) > 1 and plain_name(name).endswith(",dict"):
        return Obstacle("several dictionaries")
    return next(_of_use(next(iter(by_corpus.values()))[name], requirements), None) or too_wide(
        name, by_corpus, requirements
    )


def takes(name: str, by_corpus: ByCorpus) -> str:
    """Return the objects that a codec takes instead of some records; empty if it takes the records."""
    return next(
        (found[name].takes for found in by_corpus.values() if name in found and found[name].takes), ""
    )


def _on_corpus(candidate: Candidate, requirements: Requirements) -> Iterator[Obstacle]:
    """Yield the reasons on one corpus."""
    allowed = {"trusted", "unguarded"} if requirements.trusted else set()
    allowed |= {"lossy"} if requirements.allow_loss else set()
    drawbacks = [why for why in candidate.drawbacks if why.kind not in allowed]
    # These would remain with more time and other readers.
    yield from (why for why in drawbacks if why.of_codec or why.kind == "failed")
    if candidate.untimed:
        yield Obstacle("untimed")
    load = candidate.cells.get("load")
    if requirements.cost.readers and load is not None and load.reason:
        yield Obstacle("reader untimed" if load.extras.get(UNTIMED) else "reader", detail=load.reason)
    if not requirements.weights.samples(candidate.cells):
        lacking = [op for op in requirements.weights.operations if not candidate.samples(op)]
        yield Obstacle("without figure", names=tuple(lacking))
    yield from drawbacks


def _of_use(candidate: Candidate, requirements: Requirements) -> Iterator[Obstacle]:
    """Yield what a codec lacks for a use."""
    facts = candidate.facts
    if plain_name(candidate.name).endswith(",dict") and dictionary_of(candidate.cells.values()) is None:
        yield Obstacle("no dictionary")
    if requirements.formats and facts.format not in requirements.formats:
        yield Obstacle("format", names=requirements.formats)
    if requirements.interop and not facts.interoperable:
        yield Obstacle("Python only")
    carried = set(facts.preserves) | (SCHEMA_BRINGS if "+schema" in candidate.name else set())
    if facts.takes and not candidate.takes:
        carried |= {"dataclass", "namedtuple"}  # The records were objects of this kind.
    lacking = tuple(need for need in requirements.needs if need not in carried or _seen_lost(need, candidate))
    if lacking:
        kept = _of_the_same_type(lacking, carried, candidate)
        yield Obstacle("types", names=lacking, kept=kept, exact=candidate.outcome == "ok")


def _of_the_same_type(
    lacking: Sequence[str], carried: Collection[str], candidate: Candidate
) -> tuple[str, ...]:
    """Return what a codec preserves of a type that it does not wholly preserve."""
    if any(_seen_lost(need, candidate) for need in lacking):
        return ()
    kinds = {token.kind for token in TOKENS if token.name in lacking and token.name == token.kind.__name__}
    return tuple(token.name for token in TOKENS if token.kind in kinds and token.name in carried)


def _seen_lost(need: str, candidate: Candidate) -> bool:
    """Return whether the run saw values of a type lost, whatever codec and schema promise."""
    kind = need.split("_", 1)[0]
    starts = tuple(f"`{name}{end}" for name in (kind, f"datetime.{kind}") for end in ("`", "("))
    return any(loss.lower().startswith(starts) for loss in candidate.losses)


def too_wide(name: str, by_corpus: ByCorpus, requirements: Requirements) -> Obstacle | None:
    """Return the obstacle of a network that is too narrow for the rate."""
    if requirements.rate is None or not math.isfinite(requirements.cost.bandwidth):
        return None
    needed = sent(name, by_corpus, requirements.rate, requirements.cost)
    if needed <= requirements.cost.bandwidth:
        return None
    return Obstacle("bandwidth", rate=requirements.rate, needed=needed, bandwidth=requirements.cost.bandwidth)


def sent(name: str, by_corpus: ByCorpus, rate: float, cost: CostModel) -> float:
    """Return the bytes per second that a codec sends at a rate, of its largest payloads."""
    return rate * cost.transfers * max(found[name].value("size") for found in by_corpus.values())
