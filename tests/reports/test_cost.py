"""The cost model and its units."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.reports.model.cost import CostModel, meeting, parse_bandwidth

TIMES = st.floats(1e-9, 1e-3)


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("1Gbit", 1.25e8),
        ("1Gbit/s", 1.25e8),
        ("50 Mbit/s", 6.25e6),
        ("50Mbps", 6.25e6),
        ("100MB/s", 1e8),
        ("100MB", 1e8),
        ("100MBps", 1e8),
        ("1 MiB/s", 2**20),
        ("1.5Gb/s", 1.875e8),
        ("9600 bit/s", 1200),
        ("10 bytes/s", 10),
        (".5GBit", 6.25e7),
    ],
)
def test_bandwidth(text, speed):
    assert speed == pytest.approx(parse_bandwidth(text))


@pytest.mark.parametrize(
    "text", ["", "fast", "1", "-1Gbit", "0Mbit", "1Xbit", "1 Gbit per second", "nanGbit"]
)
def test_bad_bandwidth(text):
    with pytest.raises(UsageError, match="such as 1Gbit"):
        parse_bandwidth(text)


@pytest.mark.parametrize("reads", [-1, math.nan, math.inf])
def test_bad_reads(reads):
    with pytest.raises(UsageError, match="reads"):
        CostModel(reads)


@given(dump=TIMES, load=TIMES, fix=TIMES, size=st.floats(1, 1e6), reads=st.floats(0, 100))
def test_cost_is_the_formula(dump, load, fix, size, reads):
    assert CostModel(reads, 1e6, "per-read").total(dump, load, fix, size) == pytest.approx(
        dump + reads * (load + fix + size / 1e6)
    )
    assert CostModel(reads, 1e6).total(dump, load, fix, size) == pytest.approx(
        dump + reads * (load + fix) + size / 1e6
    )
    assert CostModel(reads).total(dump, load, fix, size) == pytest.approx(dump + reads * (load + fix))


@given(a=st.tuples(TIMES, TIMES), b=st.tuples(TIMES, TIMES))
def test_reads_break_even(a, b):
    point = meeting(a, b)
    if point is not None and point < 1e9:
        assert a[0] + point * a[1] == pytest.approx(b[0] + point * b[1], rel=1e-6)
    if a[0] < b[0] and a[1] < b[1]:
        assert point is None


@given(a=st.tuples(TIMES, st.floats(1, 1e6)), b=st.tuples(TIMES, st.floats(1, 1e6)))
def test_bandwidth_break_even(a, b):
    speed = meeting(a[::-1], b[::-1])
    if speed is not None:
        assert a[0] + a[1] / speed == pytest.approx(b[0] + b[1] / speed, rel=1e-6)


class TestSamples:
    def test_sums_by_process(self, planted):
        cells = {c.cell.operation_name: c for c in planted.cells if c.cell.codec == "json"}
        found = CostModel(24, 1e6).samples(cells)

        dump, load = cells["dump"].samples[3], cells["load"].samples[3]
        assert 8 == len(found)
        assert found[3].value == pytest.approx(dump.value + 24 * load.value + 1675 / 1e6)
        assert 3 == found[3].pair
        again = CostModel(24, 1e6, "per-read").samples(cells)
        assert again[3].value - found[3].value == pytest.approx(23 * 1675 / 1e6)

    def test_needs_all_parts(self, planted):
        cells = {"dump": next(c for c in planted.cells if c.cell.operation_name == "dump")}

        assert () == CostModel().samples(cells)
        assert 8 == len(CostModel(reads=0).samples(cells))
        assert 8 == len(CostModel(0, 1e6, "per-read").samples(cells)), "nothing is sent"
