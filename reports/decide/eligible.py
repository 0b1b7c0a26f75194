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

Fields = interop.Fields

UNTIMED: Final = "untimed"
"""The fact of a load in other languages whose libraries read everything, but were not timed."""


@dataclass(frozen=True, slots=True)
class Wish:
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

    def weighing(self, weights: CostModel) -> Wish:
        """Return the same requirements of a use with other `weights`."""
        if self.prices is None:
            return replace(self, cost=weights)
        sent = self.prices.exchanged(weights.bandwidth) if math.isfinite(weights.bandwidth) else 0.0
        cost = replace(self.cost, reads=weights.reads)
        return replace(self, cost=cost, prices=replace(self.prices, gigabyte=sent))


def eligible_in(
    fields: Fields, chosen: Sequence[CorpusFacts], wish: Wish
) -> tuple[list[str], dict[str, Obstacle]]:
    """Return the codecs that may be chosen, and why the others may not.

    Args:
        fields: Every codec's cells, by corpus and name.
        chosen: The corpora.
        wish: The requirements.
    """
    excluded: dict[str, Obstacle] = {}
    eligible = []
    for name in dict.fromkeys(name for found in fields.values() for name in found):
        why = _any(name, fields, chosen, wish)
        if why is None:
            eligible.append(name)
            continue
        if why.kind in ("trusted", "unguarded"):
            left = _any(name, fields, chosen, replace(wish, trusted=True))
            why = replace(why, only=left is None)
        excluded[name] = why
    usual = [name for name in eligible if name == wish.codec or not takes(name, fields)]
    if usual:
        # The others take objects instead of dicts, and were not asked for.
        excluded |= {
            name: Obstacle("objects", names=(takes(name, fields),)) for name in eligible if name not in usual
        }
        eligible = usual
    return eligible, excluded


def _any(name: str, fields: Fields, chosen: Sequence[CorpusFacts], wish: Wish) -> Obstacle | None:
    why = obstacle(name, fields, wish)
    return interop.obstacle(name, fields, chosen) if why is None and wish.interop else why


def obstacle(name: str, fields: Fields, wish: Wish) -> Obstacle | None:
    """Return the first reason why a codec may not be chosen, except what readers in other languages do.

    Args:
        name: Name of the codec.
        fields: Every codec's cells, by corpus and name.
        wish: The requirements.
    """
    for corpus, found in fields.items():
        why = next(_on_corpus(found[name], wish), None) if name in found else Obstacle("absent")
        if why is not None:
            return replace(why, corpus=corpus) if len(fields) > 1 and not why.of_codec else why
    if len(fields) > 1 and plain_name(name).endswith(",dict"):
        return Obstacle("several dictionaries")
    return next(_of_use(next(iter(fields.values()))[name], wish), None) or too_wide(name, fields, wish)


def takes(name: str, fields: Fields) -> str:
    """Return the objects that a codec takes instead of some records; empty if it takes the records."""
    return next((found[name].takes for found in fields.values() if name in found and found[name].takes), "")


def _on_corpus(candidate: Candidate, wish: Wish) -> Iterator[Obstacle]:
    """Yield the reasons on one corpus."""
    allowed = {"trusted", "unguarded"} if wish.trusted else set()
    allowed |= {"lossy"} if wish.allow_loss else set()
    drawbacks = [why for why in candidate.drawbacks if why.kind not in allowed]
    # These would remain with more time and other readers.
    yield from (why for why in drawbacks if why.of_codec or why.kind == "failed")
    if candidate.untimed:
        yield Obstacle("untimed")
    load = candidate.cells.get("load")
    if wish.cost.readers and load is not None and load.reason:
        yield Obstacle("reader untimed" if load.extras.get(UNTIMED) else "reader", detail=load.reason)
    if not wish.weights.samples(candidate.cells):
        lacking = [op for op in wish.weights.operations if not candidate.samples(op)]
        yield Obstacle("without figure", names=tuple(lacking))
    yield from drawbacks


def _of_use(candidate: Candidate, wish: Wish) -> Iterator[Obstacle]:
    """Yield what a codec lacks for a use."""
    facts = candidate.facts
    if plain_name(candidate.name).endswith(",dict") and dictionary_of(candidate.cells.values()) is None:
        yield Obstacle("no dictionary")
    if wish.formats and facts.format not in wish.formats:
        yield Obstacle("format", names=wish.formats)
    if wish.interop and not facts.interoperable:
        yield Obstacle("Python only")
    carried = set(facts.preserves) | (SCHEMA_BRINGS if "+schema" in candidate.name else set())
    if facts.takes and not candidate.takes:
        carried |= {"dataclass", "namedtuple"}  # The records were objects of this kind.
    lacking = tuple(need for need in wish.needs if need not in carried or _seen_lost(need, candidate))
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


def too_wide(name: str, fields: Fields, wish: Wish) -> Obstacle | None:
    """Return the obstacle of a network that is too narrow for the rate."""
    if wish.rate is None or not math.isfinite(wish.cost.bandwidth):
        return None
    needed = sent(name, fields, wish.rate, wish.cost)
    if needed <= wish.cost.bandwidth:
        return None
    return Obstacle("bandwidth", rate=wish.rate, needed=needed, bandwidth=wish.cost.bandwidth)


def sent(name: str, fields: Fields, rate: float, cost: CostModel) -> float:
    """Return the bytes per second that a codec sends at a rate, of its largest payloads."""
    return rate * cost.transfers * max(found[name].value("size") for found in fields.values())
