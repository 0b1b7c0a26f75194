"""Reading files of columns: Parquet, Arrow and numpy's, whole, compressed, broken and hostile."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bakeoff import datasets
from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import codec
from bakeoff.datasets import BadRecord, UnreadableCorpus, UntrustedCorpus
from bakeoff.datasets.passes import ReadOptions
from bakeoff.datasets.readers.files import pipe
from bakeoff.datasets.readers.formats import file_formats
from bakeoff.datasets.writing import write
from bakeoff.errors import RunError, UsageError
from record_files import read

np = pytest.importorskip("numpy", reason="missing here: numpy; pip install numpy")
pa = pytest.importorskip("pyarrow", reason="missing here: pyarrow; pip install 'bakeoff[pyarrow]'")
pd = pytest.importorskip("pandas", reason="missing here: pandas; pip install pandas")
pl = pytest.importorskip("polars", reason="missing here: polars; pip install polars")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

MOMENT = dt.datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=dt.UTC)
ROWS = [
    {
        "id": number,
        "name": None if number % 7 == 0 else f"näme {number}",
        "price": Decimal(number).scaleb(-2),
        "at": MOMENT + dt.timedelta(seconds=number),
        "day": dt.date(2024, 1, 1),
        "tags": ["a", None] * (number % 3),
        "place": {"x": 0.5, "y": [number]},
        "raw": b"\0\xff",
    }
    for number in range(2_500)
]
KINDS: dict[str, Callable[[Any, Path], object]] = {
    "parquet": lambda table, path: parquet.write_table(table, path, row_group_size=1_000),
    "feather": lambda table, path: feather.write_feather(table, str(path), chunksize=700),
    "arrows": lambda table, path: _stream(table, path),
}


def _stream(table: Any, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, 700)


every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.slow
@every_kind
def test_rows_are_records(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{kind}"
    KINDS[kind](pa.Table.from_pylist(ROWS), path)

    corpus = datasets.corpus(str(path))

    assert equal(ROWS, list(corpus.records()), order=True)
    assert len(ROWS) == corpus.count()
    packed = tmp_path / f"packed.{kind}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert equal(ROWS, read(packed))
    if kind != "arrows":
        with path.open("rb") as file:
            piped = pipe(file, "piped", "-", ReadOptions(limit=10))
        assert equal(ROWS[:10], list(piped.records()))


@every_kind
def test_the_hash_is_that_of_the_file(kind: str, tmp_path: Path) -> None:
    import hashlib

    path = tmp_path / f"rows.{kind}"
    KINDS[kind](pa.Table.from_pylist(ROWS), path)
    seen: list[tuple[int, int | None]] = []
    corpus = datasets.corpus(str(path))

    assert len(ROWS) == sum(1 for _ in corpus.records(lambda done, total: seen.append((done, total))))
    assert hashlib.sha256(path.read_bytes()).hexdigest() == corpus.sha256
    assert seen == sorted(seen)
    assert (path.stat().st_size,) * 2 == seen[-1]


@every_kind
def test_files_of_columns_bring_their_schema(kind: str, tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([1, 2, 3], pa.uint16()),
            "at": pa.array([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)] * 3, pa.timestamp("us", "UTC")),
            "tags": pa.array([["a"], None, []], pa.list_(pa.string())),
            "price": pa.array([Decimal("1.50"), None, Decimal("0.01")], pa.decimal128(9, 2)),
        }
    )
    path = tmp_path / f"rows.{kind}"
    KINDS[kind](table, path)
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
        either = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1]), pa.array(["a"])])
        KINDS[kind](pa.table({"a": either}), other)
        assert datasets.corpus(other).schema is None
    other.write_bytes(b"PAR1 and nothing else")
    assert datasets.corpus(other).schema is None


@pytest.mark.parametrize(
    "write_frame",
    [
        lambda path: pd.DataFrame({"a": [1, 2], "b": ["x", None]}).to_parquet(path),
        lambda path: pl.DataFrame({"a": [1, 2], "b": ["x", None]}).write_parquet(path),
        lambda path: pl.DataFrame({"a": [1, 2], "b": ["x", None]}).write_parquet(path, compression="zstd"),
    ],
)
def test_files_of_pandas_and_polars_are_read(write_frame: Callable[[Path], None], tmp_path: Path) -> None:
    write_frame(tmp_path / "frame.parquet")

    assert [{"a": 1, "b": "x"}, {"a": 2, "b": None}] == read(tmp_path / "frame.parquet")


def test_what_is_finer_than_a_microsecond_is_text(tmp_path: Path) -> None:
    table = pa.table(
        {
            "exact": pa.array([1_000, None], pa.timestamp("ns")),
            "fine": pa.array([1, None], pa.timestamp("ns", "UTC")),
            "clock": pa.array([1, None], pa.time64("ns")),
            "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
        }
    )
    parquet.write_table(table, tmp_path / "fine.parquet", version="2.6")

    first, second = read(tmp_path / "fine.parquet")

    assert dt.datetime(1970, 1, 1, 0, 0, 0, 1) == first["exact"]
    assert "1970-01-01T00:00:00.000000001Z" == first["fine"]
    assert "00:00:00.000000001" == first["clock"]
    assert {"k": 1} == first["map"]
    assert dict.fromkeys(table.column_names) == second


def test_a_row_group_that_cannot_be_read_is_a_bad_record(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"a": range(3_000)}), path, row_group_size=1_000, compression="zstd")
    facts = parquet.ParquetFile(path).metadata.row_group(1).column(0)
    data = bytearray(path.read_bytes())
    start = facts.dictionary_page_offset or facts.data_page_offset
    data[start : start + facts.total_compressed_size] = bytes(facts.total_compressed_size)
    path.write_bytes(data)

    with pytest.raises(BadRecord, match="row group 2, from row 1,001"):
        read(path)
    corpus = datasets.corpus(str(path), skip_invalid=True)
    assert [*range(1_000), *range(2_000, 3_000)] == [row["a"] for row in corpus.records()]
    assert 1 == corpus.skipped


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "npy", "npz"])
@pytest.mark.parametrize(
    "data", [b"PAR1", b"ARROW1", b"x" * 100, b"\x93NUMPY", b"\x93NUMPY\1\0\xff\xff{}", b"PK\3\4"]
)
def test_other_files_are_called_by_name(suffix: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"other.{suffix}"
    path.write_bytes(data)

    with pytest.raises(UnreadableCorpus, match=r"other\.") as caught:
        read(path)
    assert "\n" not in str(caught.value)


@every_kind
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damage_is_noticed_or_does_no_harm(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / f"rows.{kind}"
    KINDS[kind](pa.Table.from_pylist(ROWS[:20]), path)
    whole = bytearray(path.read_bytes())
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(whole)

    try:
        read(path)
    except UnreadableCorpus:
        pass


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """A dict would keep one of them."""
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    feather.write_feather(table, str(tmp_path / "twice.feather"))

    with pytest.raises(UnreadableCorpus, match="two columns are named 'a'"):
        read(tmp_path / "twice.feather")


def test_columns_are_not_written(tmp_path: Path) -> None:
    for kind in ("parquet", "npy"):
        with pytest.raises(RunError, match="read-only"):
            write(ROWS, io.BytesIO(), file_formats()[kind])


def test_a_missing_library_is_one_error_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setattr("bakeoff.codecs.registry._is_there", lambda module: module != "pyarrow")

    with pytest.raises(UsageError, match=r"pip install 'bakeoff\[pyarrow\]'"):
        read(path)


@pytest.mark.slow
def test_a_large_file_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.parquet"
    column = pa.array(np.random.default_rng(1).normal(size=100_000))
    with parquet.ParquetWriter(path, pa.schema([(f"c{n}", pa.float64()) for n in range(10)])) as writer:
        for _ in range(10):
            writer.write_table(pa.table({f"c{n}": column for n in range(10)}))
    program = (
        "import resource, sys\n"
        "from bakeoff import datasets\n"
        "import pyarrow.parquet\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "count = sum(1 for _ in datasets.corpus(sys.argv[1]).records())\n"
        "print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )

    count, grown = map(int, done.stdout.split())
    assert 1_000_000 == count
    assert grown < 80, "MiB; the file is 80 MB"


ARRAYS: dict[str, tuple[Any, list[Any]]] = {
    "rows": (np.arange(6.0).reshape(3, 2), [np.array([0.0, 1]), np.array([2.0, 3]), np.array([4.0, 5])]),
    "Fortran": (np.asfortranarray(np.arange(4.0).reshape(2, 2)), [np.array([0.0, 1]), np.array([2.0, 3])]),
    "scalars": (np.array([1, 2], ">i4"), [np.array([1, 2], ">i4")[0], np.array([1, 2], ">i4")[1]]),
    "0-d": (np.array(2.5), [np.float64(2.5)]),
    "structured": (
        np.array([(1, 2.5, [3, 4])], [("a", "i4"), ("b", "f8"), ("c", "i4", (2,))]),
        [{"a": 1, "b": 2.5, "c": np.array([3, 4], "i4")}],
    ),
    "texts": (np.array(["é", "ab"]), [np.str_("é"), np.str_("ab")]),
    "moments": (np.array(["2024"], "M8[ns]"), [np.datetime64("2024", "ns")]),
    "rows of nothing": (np.zeros((2, 0)), [np.zeros(0), np.zeros(0)]),
    "many": (np.arange(20_000).reshape(-1, 2), list(np.arange(20_000).reshape(-1, 2))),
}


@pytest.mark.parametrize(("array", "expected"), ARRAYS.values(), ids=ARRAYS.keys())
def test_rows_of_an_array_are_records(array: Any, expected: list[Any], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)

    assert equal(expected, read(tmp_path / "a.npy"))
    packed = tmp_path / "a.npy.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.npy").read_bytes()))
    assert equal(expected, read(packed))


def test_a_file_that_is_cut_short_says_after_which_row(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(10))
    path = tmp_path / "cut.npy"
    path.write_bytes((tmp_path / "a.npy").read_bytes()[:-20])

    with pytest.raises(BadRecord, match="row 8: the file ends before row 10"):
        read(path)
    assert list(range(7)) == read(path, skip_invalid=True)


def test_arrays_of_objects_are_read_on_trust_only(tmp_path: Path) -> None:
    """They are pickles."""
    np.save(tmp_path / "objects.npy", np.array([{"a": 1}, None], object), allow_pickle=True)
    np.savez(tmp_path / "objects.npz", a=np.array([{"a": 1}], object))

    with pytest.raises(UntrustedCorpus, match="--trust-files"):
        read(tmp_path / "objects.npy")
    with pytest.raises(UntrustedCorpus, match="--trust-files"):
        read(tmp_path / "objects.npz")
    assert [{"a": 1}, None] == read(tmp_path / "objects.npy", trust_files=True)
    assert [{"a": {"a": 1}}] == read(tmp_path / "objects.npz", trust_files=True)
    mixed = [1, 2.5, "x", None, b"y", True]
    np.savez(tmp_path / "mixed.npz", a=np.array(mixed, object))
    assert equal([{"a": value} for value in mixed], read(tmp_path / "mixed.npz", trust_files=True))


@pytest.mark.parametrize("value", [1, 255])
@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_a_damaged_byte_of_an_array_is_noticed_or_does_no_harm(
    tmp_path: Path, suffix: str, value: int
) -> None:
    path = tmp_path / f"rows.{suffix}"
    array = np.array([(1, "ab")], [("a", "i2"), ("b", "U2")])
    np.save(path, array) if suffix == "npy" else np.savez(path, array)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
        with suppress(UnreadableCorpus, UntrustedCorpus, BadRecord):
            assert len(read(path)) <= 1


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
@pytest.mark.parametrize("dtype", ["i4", "f8", "U2", "?", "M8[s]", [("a", "i4"), ("b", "f4", (2,))]])
def test_rows_of_arrays_are_those_of_numpy(tmp_path: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    array = np.zeros(shape, dtype)
    np.save(tmp_path / "rows.npy", array)
    np.savez(tmp_path / "rows.npz", x=array)
    rows = [*np.atleast_1d(array)]
    if array.dtype.names and array.ndim < 2:
        rows = [{"a": row["a"].item(), "b": row["b"]} for row in rows]

    assert equal(rows, read(tmp_path / "rows.npy"))
    assert equal([{"x": row} for row in rows], read(tmp_path / "rows.npz"))


@pytest.mark.parametrize("suffix", ["npy", "npz"])
@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [
        ("M8[s]", 1, dt.datetime(1970, 1, 1, 0, 0, 1)),
        ("M8[D]", 1, dt.date(1970, 1, 2)),
        ("M8[ns]", 1, np.datetime64(1, "ns")),
        ("M8[Y]", 10_000, np.datetime64(10_000, "Y")),
        ("M8[ns]", "NaT", None),
        ("m8[us]", 1, dt.timedelta(microseconds=1)),
        ("m8[ns]", 1, np.timedelta64(1, "ns")),
        ("m8[M]", 1, np.timedelta64(1, "M")),
        ("i8", 1, 1),
        ("f4", 0.5, 0.5),
        ([("x", "i4"), ("y", [("z", "M8[ns]")])], (1, (2,)), {"x": 1, "y": {"z": np.datetime64(2, "ns")}}),
    ],
    ids=str,
)
def test_fields_of_arrays_have_the_value_of_numpy(
    tmp_path: Path, suffix: str, dtype: Any, number: Any, expected: Any
) -> None:
    """numpy's own conversion returns a bare number for some dates, and a tuple without names for fields."""
    array = np.array([(number, 1)], [("a", dtype), ("b", "i4")])
    np.save(tmp_path / "rows.npy", array)
    np.savez(tmp_path / "rows.npz", x=array)
    row = {"a": expected, "b": 1}

    assert equal([row if suffix == "npy" else {"x": row}], read(tmp_path / f"rows.{suffix}"))


def test_rows_that_a_group_lacks_are_a_bad_record(tmp_path: Path) -> None:
    """pyarrow reads such a group without an error, and returns the rows that there are."""
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"n": [1, 2, 3]}), path)
    before, count, after = path.read_bytes().rpartition(b"\x16\x06")
    path.write_bytes(before + b"\x16\x0a" + after)  # five rows: zigzag, in Thrift's compact protocol
    assert (5, b"\x16\x06") == (parquet.ParquetFile(path).metadata.row_group(0).num_rows, count)

    with pytest.raises(BadRecord, match=r"row group 1, from row 4: .* its columns end before row 5"):
        read(path)


@pytest.mark.slow
def test_rows_beyond_the_limit_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"text": ["x" * (65 << 20)]}), path, compression="zstd")

    with pytest.raises(BadRecord, match=r"row group 1, from row 1: .* rows of 68,\d+,\d+ bytes"):
        read(path)


def test_arrays_of_an_archive_are_columns(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(2), y=np.ones((2, 2)))
    np.savez(tmp_path / "b.npz", x=np.arange(2), y=np.arange(3))

    assert equal([{"x": np.int64(n), "y": np.ones(2)} for n in range(2)], read(tmp_path / "a.npz"))
    with pytest.raises(UnreadableCorpus, match="have different lengths: x 2, y 3"):
        read(tmp_path / "b.npz")
