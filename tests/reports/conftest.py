"""Made-up runs with planted effects: what a report must say is known beforehand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.bench.results import (
    UNITS,
    Cell,
    CellResult,
    CodecFacts,
    CorpusFacts,
    Fact,
    Result,
    Sample,
)

MACHINE = {
    "hostname": "bench-1",
    "cpu_model_name": "Made-up CPU",
    "platform": "Linux",
    "python_implementation": "cpython",
    "python_version": "3.11.7",
}

PLANTED: Mapping[str, Mapping[str, float]] = {
    "json": {"dump": 2.4e-6, "load": 2.2e-6, "size": 1675},
    "msgpack": {"dump": 1.4e-6, "load": 1.6e-6, "size": 1498},
    "bson": {"dump": 2.85e-6, "load": 1.05e-6, "size": 1735},
    "yaml": {"dump": 95e-6, "load": 78e-6, "size": 1631},
}
"""The bake-off of 2011, roughly."""


def samples(value: float, unit: str, processes: int, noise: float, rng: random.Random) -> tuple[Sample, ...]:
    """Make one sample a process: times scatter, bytes do not."""
    spread = noise if unit == "second" else 0.0
    values = [value * math.exp(rng.gauss(0, spread)) for _ in range(processes)]
    return tuple(Sample(v, v, v, pair=pair, loops=1000, duration=0.01) for pair, v in enumerate(values))


def make_result(
    planted: Mapping[str, Mapping[str, float]] = PLANTED,
    *,
    corpora: Sequence[str] = ("messages",),
    processes: int = 8,
    noise: float = 0.003,
    seed: int = 1,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
    outcomes: Mapping[str, tuple[str, str]] | None = None,
    losses: Mapping[str, tuple[str, ...]] | None = None,
    floor: bool = True,
    environment: Mapping[str, Fact] | None = None,
    **fields: Any,
) -> Result:
    """Build a run.

    Args:
        planted: Value by codec and operation.
        facts: Fields of `CodecFacts` by codec, where they differ from an ordinary codec's.
        outcomes: Outcome and reason by codec, for codecs without a figure.
        losses: Losses by codec, for lossy ones.
        fields: Fields of `Result`.
    """
    rng = random.Random(seed)
    cells = []
    known = facts or {}
    names = [*planted, *(outcomes or {})]
    codecs = [
        replace(
            CodecFacts(name, name.split("/")[0], f"lib{name.split('/')[0]}", "1.2.3", True),
            **known.get(name, {}),
        )
        for name in names
    ]
    entries = {**planted, "floor": {"dump": 2e-8, "load": 2e-8}} if floor else planted
    for corpus in corpora:
        for name, operations in entries.items():
            loss = (losses or {}).get(name, ())
            for operation, value in operations.items():
                found = samples(value, UNITS[operation], processes, noise, rng)
                outcome = "lossy" if loss else "ok"
                cells.append(CellResult(Cell(corpus, operation, name), outcome, loss=loss, samples=found))
        for name, (outcome, reason) in (outcomes or {}).items():
            failed = (Cell(corpus, operation, name) for operation in ("dump", "load"))
            cells += [CellResult(cell, outcome, reason) for cell in failed]  # type: ignore[arg-type]
    return Result(
        cells=tuple(cells),
        codecs=tuple(codecs),
        corpora=tuple(
            CorpusFacts(name, name, f"{number:064x}", records=100_000, sample=1000, seed=1)
            for number, name in enumerate(corpora, start=1)
        ),
        environment={**MACHINE, **(environment or {})},
        **{"command": "bakeoff run messages", **fields},
    )


@pytest.fixture
def result_of() -> Callable[..., Result]:
    """The factory of made-up runs; see `make_result`."""
    return make_result


@pytest.fixture
def planted() -> Result:
    """The bake-off of 2011 as a run: four codecs and the floor, on messages."""
    return make_result()
