"""Several records in a frame: arguments of calls, counts, and results of a run."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import inprocess
from bakeoff.bench.operations import operation
from bakeoff.bench.operations.base import CodecParts, Context, TimedCall, UnfitError
from bakeoff.bench.results import read
from bakeoff.bench.worker.records import make_sample
from bakeoff.codecs import codec
from bakeoff.errors import UsageError

RECORDS = [{"id": number, "text": "x" * number} for number in range(10)]


def given(name: str, made: Any) -> Context:
    declared, sample = operation(name), make_sample(RECORDS)
    payloads = [made.encode(record) for record in RECORDS]
    return Context(
        CodecParts(made, made), sample, payloads, sample.records(), parameter=declared.at_parameter
    )


def called(name: str, made: Any) -> tuple[TimedCall, list[Any]]:
    work = operation(name).carry_out(given(name, made))
    frames = -(-len(RECORDS) // work.records)
    batch = work.batches(range(frames))
    found = []
    for index in range(frames):
        items, at = batch(index, 1)
        found.append(items[at])
    return work, found


def test_records_are_dealt_out_to_frames_in_their_order() -> None:
    assert [[RECORDS[:4], RECORDS[4:8], [*RECORDS[8:], *RECORDS[:2]]]] == [
        called("batch-dump:4", codec("json"))[1]
    ]
    _, (only,) = called("batch-dump:25", codec("json"))
    assert [*RECORDS, *RECORDS, *RECORDS[:5]] == only
    assert 25 == len({id(record) for record in only})


@pytest.mark.parametrize("name", ["json", "msgpack/tuple", "bson", "pickle", "yaml"])
def test_a_frame_comes_back_as_its_records_do(name: str) -> None:
    made = codec(name, trusted=True) if name == "pickle" else codec(name)
    work, payloads = called("batch-load:4", made)

    assert work.expected is not None
    assert 4 == work.records
    found = work.call(payloads[1])
    assert work.expected(1) == found
    assert [made.decode(made.encode(record)) for record in RECORDS[4:8]] == list(found)


def test_the_size_is_that_of_a_record() -> None:
    made = codec("json")
    whole = len(json.dumps(RECORDS, separators=(",", ":")))

    assert whole / 10 == operation("batch-size:10").carry_out(given("batch-size:10", made))


def test_a_schema_is_one_records() -> None:
    needing: Any = SimpleNamespace(needs_schema=True)
    with pytest.raises(UnfitError, match="describes one record"):
        operation("batch-load:4").carry_out(
            Context(CodecParts(needing, needing), make_sample(RECORDS), parameter="4")
        )


@pytest.mark.parametrize("text", ["0", "-1", "1e2", "many", "100001"])
def test_frames_have_a_number_of_records(text: str) -> None:
    with pytest.raises(UsageError, match="not a number of records per frame from 1 to 100,000"):
        operation(f"batch-dump:{text}")


QUICK = ("--quick", "--all", "--budget", "0", "--sample", "50")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    how = ("--batch-sizes", "1,25", "--compress", "zlib:1,zlib:9")
    done = inprocess.bakeoff(folder, "run", "movies", "-c", "json,msgpack", *QUICK, *how)
    assert done.returncode == 0, done.stderr
    return folder


def test_figures_are_those_of_one_record(swept: Path) -> None:
    result = read(swept / "bakeoff.json")
    for name in ("json", "msgpack"):
        one, many = (result.cell("movies", f"batch-dump:{n}", name) for n in (1, 25))
        assert one is not None
        assert many is not None
        assert 0.02 < many.samples[0].value / one.samples[0].value < 12
    sizes = [result.cell("movies", name, "json") for name in ("size", "batch-size:1", "batch-size:25")]
    bare, single, frame = (cell.samples[0].value for cell in sizes if cell is not None)
    assert (pytest.approx(bare + 2), pytest.approx(bare + 1 + 1 / 25)) == (single, frame)


def sections(folder: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    done = inprocess.bakeoff(folder, "report", "-f", "json", *arguments)
    return {section["corpus"]: section for section in json.loads(done.stdout)["sections"]}


def test_numbers_and_compressors_have_tables_of_their_own(swept: Path) -> None:
    found = sections(swept)
    heads = {title: [c["header"] for c in section["columns"]] for title, section in found.items()}

    assert [
        "movies",
        *(f"movies: batch-{name}" for name in ("dump", "load", "size")),
        *(f"movies: {name}, compressed" for name in ("dump", "load", "bytes")),
    ] == list(found)
    assert not [head for head in heads["movies"] if "frame" in head]
    assert ["codec", "1", "25", "×"] == heads["movies: batch-load"]
    assert ["codec", "bare", "zlib:1", "×", "zlib:9", "×"] == heads["movies: bytes, compressed"]
    rows = {row["codec"]: row["entries"] for row in found["movies: bytes, compressed"]["rows"]}
    assert {"json", "msgpack"} == set(rows)
    entry = rows["json"]
    assert entry["zlib:9"]["value"] / entry["bare"]["value"] == pytest.approx(entry["zlib:9:x"]["value"])
    assert rows["msgpack"]["bare"]["value"] < entry["bare"]["value"]


def test_columns_that_are_asked_for_are_all_there_is(swept: Path) -> None:
    (only,) = sections(swept, "--columns", "batch-load:25").values()
    assert ["codec", "load, 25 a frame"] == [column["header"] for column in only["columns"]]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "md", "csv", "latex", "rst", "html"])
def test_every_output_has_them(swept: Path, form: str) -> None:
    done = inprocess.bakeoff(swept, "report", "-f", form)

    assert 0 == done.returncode, done.stderr
    assert ("batch-load" in done.stdout) or ("load, 25 a frame" in done.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--batch-sizes", "1,two"], "'two' is not a number of records per frame"),
        (["--batch-sizes", ","], "--batch-sizes ',': nothing on one side of a comma"),
        (["--compress", "rar"], "rar: no such compressor"),
        (["--compress", ","], "--compress ',': nothing on one side of a comma"),
        (["--compress", "dict:x"], "the level must be a whole number"),
    ],
)
def test_what_cannot_be_is_said_at_once(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = inprocess.bakeoff(tmp_path, "run", "movies", *arguments)

    assert (2, "") == (done.returncode, done.stdout)
    assert said in done.stderr
