"""The hostile cases of the lab over every registered codec, at low limits; `check` tries all of them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from bakeoff import codecs
from bakeoff.bench.capabilities import Capabilities
from bakeoff.bench.lab.hostile import attack
from bakeoff.bench.lab.hostile.attack import attempt, built
from bakeoff.bench.lab.hostile.collection import cases_of
from bakeoff.bench.lab.hostile.faults import fault_of
from bakeoff.bench.lab.hostile.promises import Promise, breaches
from bakeoff.codecs.streams.compression import COMPRESSORS

NAMES = [
    name
    for name in codecs.names(needs_schema=True)
    if not codecs.describe(name).unguarded and not codecs.describe(name).only
]
CASES = (
    "decode/*", "encode/ordinary", "encode/views", "encode/odd-*", "encode/numbers", "encode/texts",
    "encode/half-made", "encode/of-libraries", "encode/cycles", "encode/liars", "encode/lying-items",
    "encode/lying-zones", "encode/lying-keys", "encode/lying-fields",
)  # fmt: skip
"""Hostile cases that take milliseconds, and no separate process."""
ANY = Promise(seconds=math.inf, memory=1 << 60)
"""Neither time nor memory is measured."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *(f"msgpack|{kind}" for kind in COMPRESSORS)])
def test_hostile_cases_end_as_promised(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The figures of 50,000 calls, read from /proc, take longer than the calls.
    monkeypatch.setattr(attack, "here", lambda: Capabilities(high_water_mark=False))
    monkeypatch.setattr(attack, "_waited", lambda: 0.0)
    codec = built(name).with_limits(size=210_000, items=2_000)
    held: list[Any] = []
    broken = {}
    for case in cases_of(codec, CASES):
        if fault_of(name, case.direction, case.name) is None:
            seen = attempt(codec, case, lambda number: None, 0, held)
            if found := breaches(case, seen, ANY):
                broken[case.title] = found, seen.said

    assert broken == {}
