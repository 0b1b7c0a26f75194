"""Runs of one machine that was slower as a whole the second time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.bench.results import Measurement, ResultData
from bakeoff.reports.decide.compare import compare
from bakeoff.reports.model.merge import machines
from bakeoff.reports.model.reference import measured_by
from madeup import changed


def at_speed(run: ResultData, seconds: float) -> ResultData:
    """The run on a machine whose reference kernel takes so long; made-up times are in 10 µs."""

    def slower(s: Measurement) -> Measurement:
        return replace(s, value=s.value * seconds / 1e-5, paired=s.value / 1e-5, reference_kernel=seconds)

    for operation in ("dump", "load"):
        run = changed(run, operation=operation, sample=slower)
    return run


@pytest.fixture
def slow_hour(result_of) -> tuple[ResultData, ResultData]:
    """The same work twice; all of it takes 1.4 times as long the second time."""
    return at_speed(result_of(seed=1), 1e-5), at_speed(result_of(seed=2), 1.4e-5)


def test_a_slower_machine_has_no_slower_codecs(slow_hour):
    found = compare(*slow_hour)

    assert {"same", "not significant"} >= {change.words for change in found.changes}
    assert "the machine as a whole was 1.40 times slower after" in found.notes[0]


def test_a_slower_codec_stands_out_of_a_slower_machine(result_of, slow_hour):
    slower = {"json": {"dump": 2.4e-6 * 1.25, "load": 2.2e-6, "size": 1675}}
    before = at_speed(result_of({"json": {"dump": 2.4e-6, "load": 2.2e-6, "size": 1675}}), 1e-5)
    found = compare(before, at_speed(result_of(slower, seed=2), 1.4e-5))

    assert "1.25× slower" == found.changes[0].words
    assert {"same", "not significant"} >= {change.words for change in found.changes[1:]}


def test_files_of_one_table_have_one_reference_kernel(slow_hour):
    ((_, merged),) = machines(slow_hour)
    json = {
        (cell.cell.operation_name, cell.cell.codec): cell.samples[0].value
        for cell in merged.cells
        if cell.cell.codec.startswith("json")
    }

    assert json["dump", "json #2"] == pytest.approx(json["dump", "json #1"], rel=0.02)
    assert json["size", "json #1"] == json["size", "json #2"]


def test_another_interpreter_has_another_reference_kernel(slow_hour):
    first, second = slow_hour
    other = replace(second, environment={**second.environment, "python_version": "3.13.0"})

    assert measured_by(first, other) is other
    assert measured_by(first, second) is not second
