"""Files of columns bring their schema."""

from __future__ import annotations

import datetime as dt
import gzip
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from bakeoff import datasets
from bakeoff.codecs import codec

pa = pytest.importorskip("pyarrow", reason="missing here: pyarrow; pip install 'bakeoff[pyarrow]'")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")


def _stream(table: Any, path: str) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrows"])
def test_files_of_columns_bring_their_schema(kind: str, tmp_path: Path) -> None:
    """And codecs of other formats carry their rows by it; what records cannot have is no schema."""
    table = pa.table(
        {
            "id": pa.array([1, 2, 3], pa.uint16()),
            "at": pa.array([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)] * 3, pa.timestamp("us", "UTC")),
            "tags": pa.array([["a"], None, []], pa.list_(pa.string())),
            "price": pa.array([Decimal("1.50"), None, Decimal("0.01")], pa.decimal128(9, 2)),
        }
    )
    path = tmp_path / f"rows.{kind}"
    write = {"parquet": parquet.write_table, "feather": feather.write_feather, "arrows": _stream}[kind]
    write(table, str(path))
    rows = datasets.corpus(path)
    records = list(rows.records())
    for name in ("avro", "protobuf", "arrow"):
        one = codec(name, schema=rows.schema)
        assert [one.decode(one.encode(record)) for record in records] == records
    packed = tmp_path / f"rows.{kind}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert datasets.corpus(packed).schema.layout == rows.schema.layout

    other = tmp_path / f"other.{kind}"
    if kind != "parquet":
        write(pa.table({"a": pa.nulls(1, pa.month_day_nano_interval())}), str(other))
        assert datasets.corpus(other).schema is None
    other.write_bytes(b"PAR1 and nothing else")
    assert datasets.corpus(other).schema is None
