"""A figure of a timing process keeps all its fields on its way into a result file, and back."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench import jobs, ledger
from bakeoff.bench.figure import Figure
from bakeoff.bench.ledger import CellEntry, HeadEntry, ProcessEntry
from bakeoff.bench.messages.reads import TimedReads
from bakeoff.bench.messages.timing import Timed
from bakeoff.bench.results import FORMAT_VERSION, Cell, CellFinding, fields_of, read, write
from bakeoff.bench.run.journal import Journal, stored
from bakeoff.bench.run.state import State, entries

CELL = Cell("movies", "load", "json")
FIELDS = dataclasses.fields(Figure)


def filled() -> Figure:
    """Return a figure with another value than the default in every field."""
    values: dict[str, Any] = {}
    for number, each in enumerate(FIELDS, 2):
        values[each.name] = number if isinstance(each.default, int) else number / 8
    return Figure(**values)


def test_every_field_has_another_value_than_its_default() -> None:
    assert all(each.default != getattr(filled(), each.name) for each in FIELDS)
    assert len(FIELDS) == len(set(fields_of(filled()).values()))


@pytest.mark.parametrize(
    "answer",
    [
        Timed({"0": filled()}, {}, reference_kernel=0.5, harness=1.0, dirty=0.0),
        TimedReads({"0": filled()}, {"0": 1.5}, {}, 0.0, 0.0),
    ],
    ids=lambda answer: answer.kind,
)
def test_a_figure_comes_back_from_its_result_file(answer: Timed | TimedReads, tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    figure = jobs.decode(jobs.encode(answer)).cells["0"]
    journal = Journal(output)
    journal.write(
        HeadEntry(FORMAT_VERSION),
        CellEntry(CellFinding(CELL, "ok")),
        ProcessEntry("movies", 3, 0.5, {CELL.name: figure}),
    )
    state = State()
    for entry in stored(output)[0]:
        state.apply(entry)
    write(state.result(duration=1.0, complete=True), output)
    journal.remove()

    (sample,) = read(output).cells[0].samples
    assert filled() == Figure(**fields_of(sample, Figure))
    assert (3, 0.5, 0.5 * filled().paired) == (sample.pair, sample.reference_kernel, sample.value)
    again = State()
    for entry in entries(read(output)):
        again.apply(ledger.decode(ledger.encode(entry)))
    assert (sample,) == again.samples(CELL)


@pytest.mark.parametrize("name", [each.name for each in FIELDS])
def test_a_field_that_came_later_may_be_missing_in_a_file(name: str) -> None:
    plain = fields_of(filled())
    del plain[name]
    answer = {"kind": "timed", "cells": {"0": plain}, "errors": {}, "reference_kernel": 1.0}
    text = ledger.json.dumps(answer | {"harness": 1.0, "dirty": 0.0})

    if name in ("raw", "paired"):
        with pytest.raises(TypeError, match=name):
            jobs.decode(text)
    else:
        assert (
            dataclasses.replace(filled(), **{name: getattr(Figure(1.0, 1.0), name)})
            == (jobs.decode(text).cells["0"])
        )
