"""Anonymous reports: they contain nothing about a person, a place or a record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.facts import ReadFacts, StoreFacts
from bakeoff.bench.results import CheckFacts, GrowthFacts, OperationFacts, ResultData, write
from bakeoff.reports.model.anonymous import anonymous
from madeup import cell_of

SECRET = "ida.lovelace"
OPERATIONS = {"load": (f"peek:{SECRET}", f"extract@lmdb:order.{SECRET}")}
"""Operations with parameters that are fields of records, and with the figures of others."""
FORMATS = ("text", "md", "csv", "json", "latex", "rst", "html", "svg", "pyperf")


@pytest.fixture
def secretive(result_of: Callable[..., ResultData]) -> ResultData:
    run = result_of(
        environment={
            "hostname": f"{SECRET}-laptop",
            "platform": f"Linux-6.1-{SECRET}-x86_64-with-glibc2.36",
            "cpu_model_name": "Made-up CPU",
            "python_version": "3.11.7",
            "python_executable": f"/home/{SECRET}/venv/bin/python",
            "allocator": f"LD_PRELOAD=/home/{SECRET}/lib.so",
            "new_fact": SECRET,
        },
        outcomes={"marshal": ("wrong", f"`{SECRET}` came back as `None` at `$.{SECRET}`")},
        losses={"bson": (f"`datetime` came back as `str` at `$.{SECRET}`", f"`{SECRET}` came back as `str`")},
        command=f"bakeoff run /home/{SECRET}/data.jsonl",
        options={"corpora": f"/home/{SECRET}/data.jsonl", f"reached {SECRET}": False, "seed": 1},
        warnings=(
            f"{SECRET}: ±2 % was not reached in 5 processes",
            f"{SECRET}: wanted ±2 %, got ±7.8 % from 5 processes (own to json, dump)",
            f"{SECRET}: wanted ±2 %, got more than ±99 % from 5 processes (own to json, dump)",
            f"{SECRET}: 1 process was disturbed by neighbors and measured again",
            f"the memory allocator is not the default one: {SECRET}",
        ),
    )
    cells = tuple(
        replace(
            cell,
            cell=cell_of(SECRET, operation, cell.cell.codec),
            stderr=SECRET,
            check=CheckFacts(1000, 1000, definition=SECRET, dictionary=SECRET),
            facts=GrowthFacts("growing", where=f"/home/{SECRET}/x.py:3"),
            extras={"text": SECRET},
        )
        for cell in run.cells
        for operation in (cell.cell.operation_name, *OPERATIONS.get(cell.cell.operation_name, ()))
    )
    corpora = tuple(
        replace(
            corpus,
            name=SECRET,
            source=f"/home/{SECRET}/data.jsonl",
            description=SECRET,
            profile={"type_str": 0.5, f"type_{SECRET}": 0.5},
        )
        for corpus in run.corpora
    )
    named = tuple(
        OperationFacts(name, "second", "lower", f"see {SECRET}", "time", f"reads {SECRET}")
        for name in OPERATIONS["load"]
    )
    options = {**run.options, "operations": "\n".join(OPERATIONS["load"])}
    return replace(run, cells=cells, corpora=corpora, operations=(*run.operations, *named), options=options)


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_tells(
    secretive: ResultData, bakeoff: Callable[..., tuple[int, str, str]], form: str
) -> None:
    write(secretive, Path("bakeoff.json"))

    def written(*flags: str) -> bytes:
        assert bakeoff("report", "-f", form, "-o", "out", *flags)[0] == 0
        files = Path("out").iterdir() if form == "pyperf" else [Path("out")]
        return b"".join(file.read_bytes() for file in files)

    assert SECRET.encode() in written()
    assert SECRET.encode() not in written("--anonymous")


def test_figures_stay(secretive: ResultData) -> None:
    (found,) = anonymous([secretive], ["movies"])

    assert [cell.samples for cell in found.cells] == [cell.samples for cell in secretive.cells]
    assert found.environment == {
        "cpu_model_name": "Made-up CPU",
        "python_implementation": "cpython",
        "python_version": "3.11.7",
        "platform": "Linux x86_64",
    }
    operations = found.options["operations"]
    assert found.options == {"seed": 1, "reached records 1": False, "operations": operations}
    assert found.warnings == (
        "records 1: ±2 % was not reached in 5 processes",
        "records 1: wanted ±2 %, got ±7.8 % from 5 processes",
        "records 1: wanted ±2 %, got more than ±99 % from 5 processes",
        "records 1: 1 process was disturbed by neighbors and measured again",
    )
    assert {corpus.name for corpus in found.corpora} == {"records 1"}
    lossy = next(cell for cell in found.cells if cell.cell.codec == "bson")
    assert lossy.loss == ("`datetime` came back as `str`", "some values were not preserved")


@pytest.mark.parametrize(
    "facts",
    [
        GrowthFacts("growing", allocator=SECRET, where=f"{SECRET}.py:3", reason=SECRET),
        ReadFacts("Go", "encoding/json", "1.22", 1, changes={f"$.{SECRET}: int 1 became float 1.0": 1}),
        ReadFacts("Go", "encoding/json", "1.22", 1, reasons={f"no {SECRET}": 1}),
        StoreFacts({"path": f"/home/{SECRET}/store"}),
    ],
)
def test_facts_of_figures_have_no_texts_from_outside(
    secretive: ResultData, facts: GrowthFacts | ReadFacts | StoreFacts
) -> None:
    cell = replace(secretive.cells[0], facts=facts)
    (found,) = anonymous([replace(secretive, cells=(cell,))], ["movies"])

    assert type(facts) is type(found.cells[0].facts)
    assert SECRET not in repr(found.cells[0].facts)


def test_corpora_of_bakeoff_keep_their_names(planted: ResultData) -> None:
    """A generated corpus contains no personal data; a file with its name is a file."""
    elsewhere = replace(planted.corpora[0], source="/home/x/messages")

    assert anonymous([planted], ["messages"])[0].corpora == planted.corpora
    assert anonymous([replace(planted, corpora=(elsewhere,))], ["messages"])[0].corpora[0].name == "records 1"


def test_machines_stay_apart(planted: ResultData, bakeoff: Callable[..., tuple[int, str, str]]) -> None:
    write(planted, Path("a.json"))
    write(replace(planted, environment={**planted.environment, "hostname": SECRET}), Path("b.json"))
    _, out, _ = bakeoff("report", "a.json", "b.json", "--anonymous", "-f", "json")
    columns: list[dict[str, Any]] = json.loads(out)["sections"][0]["columns"]

    assert {"machine 1", "machine 2"} <= {column["block"] for column in columns}


def test_fields_that_operations_name_are_numbered(secretive: ResultData, planted: ResultData) -> None:
    ours = ["load", "batch:100", "get@lmdb:LG", "put-batch@lmdb:LGx100", "pipeline@zmq:4x100.5", "peek:100"]
    plain = replace(
        planted,
        operations=(),
        cells=tuple(replace(planted.cells[0], cell=cell_of("messages", name, "json")) for name in ours),
    )
    first, second, other = anonymous([secretive, secretive, plain], ["messages"])

    assert {"peek:field 1", "extract@lmdb:field 2"} <= {cell.cell.operation_name for cell in first.cells}
    assert [cell.cell for cell in first.cells] == [cell.cell for cell in second.cells]
    assert [*ours[:-1], "peek:field 3"] == [cell.cell.operation_name for cell in other.cells]
