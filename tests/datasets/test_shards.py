"""Corpora in shards: all records of every piece, once, from files here or anywhere."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bakeoff import Schema, datasets
from bakeoff.codecs import codec
from bakeoff.datasets import shards
from bakeoff.datasets.passes import ReadOptions
from bakeoff.datasets.readers.problems import Problems
from bakeoff.datasets.shards import Piece, pieces
from bakeoff.errors import BakeoffError

RECORDS = list(datasets.corpus("movies", 300).records())
LINES = b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS)


def _avro(path: Path) -> None:
    with path.open("wb") as file:
        codec("avro").with_schema(Schema.infer(RECORDS)).dump(RECORDS, file)


def _parquet(path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), path, row_group_size=40)


WRITERS: dict[str, Callable[[Path], object]] = {
    "lines.jsonl": lambda path: path.write_bytes(LINES),
    "no-end.jsonl": lambda path: path.write_bytes(LINES.rstrip()),
    "packed.jsonl.gz": lambda path: path.write_bytes(gzip.compress(LINES)),
    "packed.jsonl": lambda path: path.write_bytes(gzip.compress(LINES)),
    "wide.jsonl": lambda path: path.write_bytes(LINES.decode().encode("utf-16")),
    "array.json": lambda path: path.write_text(json.dumps(RECORDS)),
    "blocks.avro": _avro,
    "groups.parquet": _parquet,
    "whole.msgpack": lambda path: path.write_bytes(b"".join(map(codec("msgpack").encode, RECORDS))),
}


def _read(found: list[Piece], reading: ReadOptions) -> Iterator[Any]:
    for piece in found:
        yield from shards.records(piece, reading, Problems(skip=False))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 999, 7_777, 1 << 26])
@pytest.mark.parametrize("name", WRITERS)
def test_pieces_have_all_records_once(name, size, tmp_path, monkeypatch):
    if size == 1 and name != "lines.jsonl":
        size = 500
    monkeypatch.setattr(shards, "PIECE", size)
    WRITERS[name](tmp_path / name)

    found = pieces(str(tmp_path), ReadOptions())

    each = [list(_read([piece], ReadOptions())) for piece in found]
    assert RECORDS == [record for records in each for record in records]
    if len(found) > 10 and name in ("lines.jsonl", "no-end.jsonl", "groups.parquet"):
        assert max(map(len, each)) < len(RECORDS) / 3


@pytest.mark.parametrize("source", ["memory://shards/*", "memory://shards", "memory://shards/a.jsonl"])
def test_other_file_systems(source, tmp_path, monkeypatch):
    """Any that fsspec knows, with patterns and folders; Parquet is read by its end."""
    memory = pytest.importorskip("fsspec").filesystem("memory")
    monkeypatch.setattr(shards, "PIECE", 5_000)
    _parquet(tmp_path / "b.parquet")
    try:
        memory.pipe({"/shards/a.jsonl": LINES, "/shards/b.parquet": (tmp_path / "b.parquet").read_bytes()})
        found = pieces(source, ReadOptions())
        records = list(_read(found, ReadOptions()))
    finally:
        memory.rm("/shards", recursive=True)

    assert RECORDS * (1 + ("a.jsonl" not in source)) == records
    assert len(found) > 2


def test_patterns_and_paths_inside(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text('{"of": [1, 2]}\n{"of": [3]}\n')
    (tmp_path / "c.txt").write_text("no records")
    reading = ReadOptions(at=datasets.readers.at.RecordPath.parse("$.of[*]"))

    found = pieces(str(tmp_path / "[ab].jsonl"), reading)

    assert ["a.jsonl", "b.jsonl"] == [Path(piece.shard).name for piece in found]
    assert [1, 2, 3] * 2 == list(_read(found, reading))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nothing-*.jsonl", "nothing-"),
        ("odd://x/y", "odd"),
        ("memory://nothing/*.jsonl", "nothing"),
    ],
)
def test_what_is_not_there(source, said):
    with pytest.raises(BakeoffError, match=said):
        pieces(source, ReadOptions())
