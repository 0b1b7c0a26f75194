"""Cells that were measured in a place: in stores, through transports, or in places of other packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ...bench.results import (
    BASELINE,
    CellResult,
    CorpusFacts,
    Measurement,
    OperationFacts,
    PipelineSetup,
    ResultData,
    StoreSetup,
)
from ...bench.stats import Ratio, Verdict, verdicts
from ...bench.verdict import error_share
from ...errors import UsageError
from .candidates import MeanInterval, Standing, corpora, figure

STORES: Final = "stores"
PIPELINE: Final = "pipeline"

_BESIDE: Final = "size"
"""Operations in a pipeline run that are measured without a pipeline."""

Spot = tuple[str, int | str]
"""A place, and the number of consumers of a pipeline, or another parameter of a third-party operation."""
Key = tuple[str, str]
"""An operation and its variant."""


@dataclass(slots=True)
class Group:
    """The cells of one corpus for one table.

    Attributes:
        kind: `STORES`, `PIPELINE`, or the name of another package's operation.
        corpus: The corpus.
        setup: Conditions of the operations: the state of stores, the rate of pipelines.
        alpha: Error probability of the verdicts on all pairs together.
        batch: Records per put; None without batches.
        bound: Milliseconds that the latency had to stay below in the search for the highest rate; None
            without a search.
        facts: Facts of another package's operation; None for ours.
        sizes: Bytes of a payload by codec, if they were measured.
        cells: By spot, codec, operation and variant.
    """

    kind: str
    corpus: CorpusFacts
    setup: StoreSetup | PipelineSetup | None
    alpha: float
    batch: int | None = None
    bound: int | None = None
    facts: OperationFacts | None = None
    sizes: dict[str, float] = field(default_factory=dict)
    cells: dict[Spot, dict[str, dict[Key, CellResult]]] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """Name of the size of the stores; empty for other kinds."""
        return self.setup.state if isinstance(self.setup, StoreSetup) else ""

    @property
    def records(self) -> int:
        """Records in each store before timing; 0 for other kinds."""
        return self.setup.records if isinstance(self.setup, StoreSetup) else 0

    @property
    def rate(self) -> int | None:
        """Records per second in a pipeline; None if only the highest rate was searched for."""
        return self.setup.rate if isinstance(self.setup, PipelineSetup) else None

    @property
    def places(self) -> list[str]:
        """The places, in the requested order."""
        return list(dict.fromkeys(place for place, _ in self.cells))

    @property
    def codecs(self) -> list[str]:
        """The codecs, including the baseline of pipelines."""
        return list(dict.fromkeys(codec for codecs in self.cells.values() for codec in codecs))

    def spots(self, place: str) -> list[Spot]:
        """Return the spots of a place, fewer consumers first."""
        return sorted((spot for spot in self.cells if spot[0] == place), key=lambda spot: spot[1])

    def cell(self, spot: Spot, codec: str, operation: str, variant: str = "") -> CellResult | None:
        """Return one cell."""
        return self.cells.get(spot, {}).get(codec, {}).get((operation, variant))

    def samples(self, spot: Spot, codec: str, operation: str, variant: str = "") -> tuple[Measurement, ...]:
        """Return the findings of processes; none if there is no such cell."""
        cell = self.cell(spot, codec, operation, variant)
        return () if cell is None else cell.samples

    def figure(self, spot: Spot, codec: str, operation: str, variant: str = "") -> MeanInterval | None:
        """Return the mean of a cell."""
        return figure(self.samples(spot, codec, operation, variant))

    def judged(self, spot: Spot, operation: str) -> Mapping[tuple[str, str], tuple[Verdict, Ratio]]:
        """Return the verdict on every pair of codecs."""
        return verdicts(self._ranked(spot, operation), self.alpha)

    def standing(self, spot: Spot, operation: str) -> Standing:
        """Rank the codecs by an operation, without the baseline."""
        return Standing.of(self._ranked(spot, operation), self.alpha)

    def _ranked(self, spot: Spot, operation: str) -> dict[str, tuple[Measurement, ...]]:
        found = {
            codec: self.samples(spot, codec, operation) for codec in self.cells[spot] if codec != BASELINE
        }
        return {codec: samples for codec, samples in found.items() if samples}


def groups(result: ResultData) -> list[Group]:
    """Return the cells measured in places, stores by state and pipelines by rate."""
    known = {facts.name: facts for facts in result.operations}
    bare = {corpus.name: corpus for corpus in corpora(result)}
    found: dict[tuple[object, ...], Group] = {}
    searched: list[tuple[PipelineSetup, CellResult]] = []
    alpha = error_share(result)

    def group_of(kind: str, corpus: str, setup: StoreSetup | PipelineSetup | None, apart: object) -> Group:
        return found.setdefault((corpus, kind, apart), Group(kind, bare[corpus], setup, alpha))

    for cell in (cell for cell in result.cells if not cell.by_reader):
        at, facts = cell.cell, known.get(cell.cell.operation_name)
        setup = facts.setup if facts is not None else None
        if isinstance(setup, PipelineSetup) and setup.rate is None:
            searched.append((setup, cell))
        elif isinstance(setup, PipelineSetup):
            group = group_of(PIPELINE, at.corpus, setup, setup.rate)
            _add(group, (at.place, setup.readers), cell, BASELINE if at.variant else at.codec, variant="")
        elif isinstance(setup, StoreSetup):
            group = group_of(STORES, at.corpus, setup, setup.state)
            if None not in (setup.batch, group.batch) and setup.batch != group.batch:
                raise UsageError("results with batches of different sizes; show them one by one")
            group.batch = group.batch or setup.batch
            _add(group, (at.place, ""), cell, at.codec, at.variant)
        elif at.place:
            group = group_of(at.operation, at.corpus, None, "")
            if group.facts is None or not at.variant:
                group.facts = result.operation(at.operation_name)
            _add(group, (at.place, at.parameter), cell, at.codec, at.variant)
    for setup, cell in searched:
        corpus = cell.cell.corpus
        beside = (g for g in found.values() if g.kind == PIPELINE and g.corpus.name == corpus)
        group = next(beside, None) or group_of(PIPELINE, corpus, setup, None)
        group.bound = setup.bound
        codec = BASELINE if cell.cell.variant else cell.cell.codec
        _add(group, (cell.cell.place, setup.readers), cell, codec, variant="")
    sized = [cell for cell in result.cells if cell.cell.operation_name == _BESIDE and cell.samples]
    for group in found.values():
        of = (cell for cell in sized if cell.cell.corpus == group.corpus.name)
        group.sizes |= {cell.cell.codec: cell.samples[0].value for cell in of}
    return list(found.values())


def _add(group: Group, spot: Spot, cell: CellResult, codec: str, variant: str) -> None:
    group.cells.setdefault(spot, {}).setdefault(codec, {})[cell.cell.operation, variant] = cell


def kind_of_all(results: Sequence[ResultData]) -> str:
    """Return `STORES` or `PIPELINE` if all cells were measured there; empty otherwise."""
    kinds = set()
    for result in results:
        known = {facts.name: _kind(facts) for facts in result.operations}
        kinds |= {known.get(cell.cell.operation_name, "") for cell in result.cells}
    if PIPELINE in kinds:
        kinds.discard(_BESIDE)
    (only,) = kinds if len(kinds) == 1 else ("",)
    return only if only in (STORES, PIPELINE) else ""


def _kind(facts: OperationFacts) -> str:
    if isinstance(facts.setup, StoreSetup):
        return STORES
    if isinstance(facts.setup, PipelineSetup):
        return PIPELINE
    return _BESIDE if facts.name == _BESIDE else ""
