"""An earlier run's result if another run writes to the same file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.results import CellResult, ResultData, read, write
from bakeoff.bench.run.output_file import OutputFile
from madeup import planted


def made(hour: int = 8, **changes: Any) -> ResultData:
    return dataclasses.replace(planted(), started=f"2026-11-22T{hour:02}:00:00+00:00", **changes)


def failed(hour: int = 9) -> ResultData:
    cells = tuple(CellResult(cell.cell, "error", "no such thing") for cell in planted().cells)
    return made(hour, cells=cells)


def other_data() -> ResultData:
    corpora = tuple(dataclasses.replace(corpus, sha256="0" * 64) for corpus in planted().corpora)
    return made(9, corpora=corpora)


def other_version() -> ResultData:
    return made(9, codecs=tuple(dataclasses.replace(codec, version="9.9") for codec in planted().codecs))


@pytest.fixture
def output(tmp_path: Path) -> Path:
    write(made(), tmp_path / "out.json")
    return tmp_path / "out.json"


def names(output: Path) -> list[str]:
    return sorted(path.name for path in output.parent.iterdir())


@pytest.mark.parametrize(
    "result",
    [
        made(9, options={"seed": 2}),
        made(9, environment={"python_version": "3.12.0"}),
        made(9, complete=False),
        other_data(),
        other_version(),
    ],
)
def test_an_earlier_result_is_kept_beside_the_new_one(output: Path, result: ResultData) -> None:
    before = output.read_bytes()
    place = OutputFile(output)
    place.write(result, last=True)

    assert names(output) == ["out.20261122T080000Z.json", "out.json"]
    assert (output.parent / "out.20261122T080000Z.json").read_bytes() == before
    assert read(output).started == "2026-11-22T09:00:00+00:00"
    assert (
        place.note == f"the earlier result in {output} is kept as {output.parent}/out.20261122T080000Z.json"
    )


def test_the_same_again_replaces_it(output: Path) -> None:
    place = OutputFile(output)
    place.write(made(9), last=True)

    assert (names(output), read(output).started) == (["out.json"], "2026-11-22T09:00:00+00:00")
    assert place.note == (
        "it replaces the result of 2026-11-22 08:00:00 UTC, which had the same options, data and versions"
    )


def test_a_run_in_which_nothing_got_through_replaces_nothing(output: Path) -> None:
    before = output.read_bytes()
    place = OutputFile(output)
    place.write(failed(), last=True)
    OutputFile(place.path).write(failed(10), last=True)

    assert (names(output), output.read_bytes()) == (["out.failed.json", "out.json"], before)
    assert (place.path.name, place.note) == (
        "out.failed.json",
        f"{output} still has the result of an earlier run",
    )
    OutputFile(place.path).write(made(11), last=True)
    assert names(output) == ["out.failed.json", "out.json"]


def test_a_run_replaces_what_it_wrote_before(output: Path) -> None:
    place = OutputFile(output)
    place.write(made(complete=False), last=False)
    place.write(made(options={"budget": 90.0}), last=True)

    assert (names(output), place.note) == (["out.json"], "")
    assert read(output).options == {"budget": 90.0}


def test_while_a_run_goes_on_an_earlier_result_stays(output: Path) -> None:
    before = output.read_bytes()
    OutputFile(output).write(made(9, complete=False), last=False)

    assert (names(output), output.read_bytes()) == (["out.json"], before)


def test_each_is_kept(output: Path) -> None:
    for seed in (2, 3):
        OutputFile(output).write(made(options={"seed": seed}, command=str(seed)), last=True)
    output.write_bytes(output.read_bytes()[:-10])
    OutputFile(output).write(made(), last=True)

    kept = [name for name in names(output) if name != "out.json"]
    assert kept[:2] == ["out.20261122T080000Z-2.json", "out.20261122T080000Z.json"]
    assert len(kept) == 3
