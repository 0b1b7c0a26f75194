"""Types of Arrow at every depth, read from a file: their values, and the file's own schema over its rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from bakeoff import datasets
from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import codec
from bakeoff.datasets import BadRecord, UnreadableCorpus
from bakeoff.datasets.readers.arrow_values import values_of
from record_files import read

pa = pytest.importorskip("pyarrow", reason="missing here: pyarrow; pip install 'bakeoff[pyarrow]'")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 6000)
CLOCK = dt.time(1, 2, 3, 4000)
SPAN = dt.timedelta(seconds=5, milliseconds=6)


def _times() -> dict[str, tuple[Any, Any]]:
    made: dict[str, tuple[Any, Any]] = {}
    for unit in ("ms", "us", "ns"):
        made[f"local {unit}"] = pa.array([MOMENT], pa.timestamp(unit)), MOMENT
        aware = MOMENT.replace(tzinfo=dt.UTC)
        made[f"UTC {unit}"] = pa.array([aware], pa.timestamp(unit, "UTC")), aware
        made[f"span {unit}"] = pa.array([SPAN], pa.duration(unit)), SPAN
        clock = pa.time32(unit) if unit == "ms" else pa.time64(unit)
        made[f"clock {unit}"] = pa.array([CLOCK], clock), CLOCK
    nanosecond = pa.array([1], pa.int64())
    made["fine local"] = nanosecond.cast(pa.timestamp("ns")), "1970-01-01T00:00:00.000000001"
    made["fine UTC"] = nanosecond.cast(pa.timestamp("ns", "UTC")), "1970-01-01T00:00:00.000000001Z"
    made["fine span"] = nanosecond.cast(pa.duration("ns")), "PT0.000000001S"
    made["fine clock"] = nanosecond.cast(pa.time64("ns")), "00:00:00.000000001"
    return made


LEAVES: dict[str, tuple[Any, Any]] = {
    **{
        str(kind): (pa.array([value], kind), value)
        for kind, value in (
            (pa.bool_(), True),
            (pa.int8(), -5),
            (pa.uint64(), 2**62),
            (pa.float16(), 0.5),
            (pa.float32(), 0.5),
            (pa.float64(), 0.1),
            (pa.string(), "é"),
            (pa.large_string(), "é"),
            (pa.string_view(), "a text of more than twelve bytes"),
            (pa.binary(), b"\0"),
            (pa.binary(3), b"abc"),
            (pa.binary_view(), b"x"),
            (pa.date32(), dt.date(2020, 1, 2)),
            (pa.date64(), dt.date(2020, 1, 2)),
            (pa.decimal128(9, 2), Decimal("1.50")),
            (pa.decimal256(50, 2), Decimal("1.50")),
        )
    },
    **_times(),
    "nothing": (pa.nulls(1), None),
    "dictionary": (pa.array(["a"]).dictionary_encode(), "a"),
    "dictionary of views": (pa.array(["a"], pa.string_view()).dictionary_encode(), "a"),
    "UUID": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\1" * 16], pa.binary(16))),
        UUID(bytes=b"\1" * 16),
    ),
    "JSON": (pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}"])), "{}"),
    "byte for a boolean": (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8())), True),
    "interval": (pa.array([(1, -2, 3)], pa.month_day_nano_interval()), "P1M-2DT0.000000003S"),
}
ONE = pa.array([0, 1], pa.int32())


def _list(array: Any) -> Any:
    return pa.ListArray.from_arrays(ONE, array)


def _map(array: Any, keys: Any = None) -> Any:
    return pa.MapArray.from_arrays(ONE, pa.array(["k"]) if keys is None else keys, array)


def _struct(array: Any) -> Any:
    return pa.StructArray.from_arrays([array], ["f"])


def _view(array: Any) -> Any:
    return pa.ListViewArray.from_arrays(pa.array([0], pa.int32()), pa.array([1], pa.int32()), array)


HOLDERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "itself": (lambda array: array, lambda value: value),
    "list": (_list, lambda value: [value]),
    "large list": (lambda a: pa.LargeListArray.from_arrays(ONE.cast(pa.int64()), a), lambda value: [value]),
    "list of one": (lambda a: pa.FixedSizeListArray.from_arrays(a, 1), lambda value: [value]),
    "view": (_view, lambda value: [value]),
    "struct": (_struct, lambda value: {"f": value}),
    "map": (_map, lambda value: {"k": value}),
    "map by numbers": (lambda a: _map(a, pa.array([7])), lambda value: {7: value}),
    "list of maps": (lambda a: _list(_map(a)), lambda value: [{"k": value}]),
    "map of lists": (lambda a: _map(_list(a)), lambda value: {"k": [value]}),
    "map of maps": (lambda a: _map(_map(a)), lambda value: {"k": {"k": value}}),
    "struct of a list of maps of structs": (
        lambda a: _struct(_list(_map(_struct(a)))),
        lambda value: {"f": [{"k": {"f": value}}]},
    ),
}
WRITERS: dict[str, Callable[[Any, Path], object]] = {
    "parquet": parquet.write_table,
    "arrow": lambda table, path: feather.write_feather(table, str(path)),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("leaf", LEAVES)
def test_values_follow_from_types(leaf: str, holder: str, tmp_path: Path) -> None:
    array, value = LEAVES[leaf]
    hold, held = HOLDERS[holder]
    column = hold(array)
    # A null, and a slice that does not begin at the first row: offsets and validity have to fit.
    table = (
        pa.table({"x": pa.chunked_array([pa.nulls(1, column.type), column, column])})
        .combine_chunks()
        .slice(1)
    )
    expected = [{"x": held(value)}, {"x": held(value)}]
    for kind, write in WRITERS.items():
        path = tmp_path / f"rows.{kind}"
        try:
            write(table, path)
        except pa.ArrowNotImplementedError:
            continue  # Parquet has no such type.
        corpus = datasets.corpus(path)
        rows = list(corpus.records())

        assert equal(expected, rows), kind
        for name in ("arrow", "avro", "protobuf", "thrift"):
            one = codec(name, schema=corpus.schema)
            assert equal(expected, [one.decode(one.encode(row)) for row in rows]), (kind, name)


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        (None, None),
        ("UTC", dt.UTC),
        ("Europe/Berlin", ZoneInfo("Europe/Berlin")),
        ("America/New_York", ZoneInfo("America/New_York")),
        ("+05:30", dt.timezone(dt.timedelta(hours=5, minutes=30))),
    ],
)
def test_moments_keep_their_zone(zone: str | None, expected: dt.tzinfo | None, tmp_path: Path) -> None:
    moment = MOMENT.replace(tzinfo=dt.UTC).astimezone(expected) if expected else MOMENT
    for unit in ("ms", "us", "ns"):
        table = pa.table({"x": pa.array([moment], pa.timestamp(unit, zone))})
        for kind, write in WRITERS.items():
            write(table, tmp_path / f"rows.{kind}")
            (row,) = read(tmp_path / f"rows.{kind}")

            assert (moment, expected) == (row["x"], row["x"].tzinfo), (unit, kind)


def test_nulls_at_every_level(tmp_path: Path) -> None:
    kind = pa.list_(pa.map_(pa.string(), pa.struct([("at", pa.timestamp("us", "UTC"))])))
    at = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    rows: list[Any] = [
        None,
        [],
        [None, {}, {"a": None, "b": {"at": None}, "c": {"at": at}}],
        None,
        [{"z": {"at": at}}],
    ]
    table = pa.table({"x": pa.array(rows, kind)})
    for name, write in WRITERS.items():
        write(table.slice(1), tmp_path / f"rows.{name}")

        assert equal([{"x": row} for row in rows[1:]], read(tmp_path / f"rows.{name}")), name


def test_one_fine_moment_makes_the_whole_column_text(tmp_path: Path) -> None:
    """The type of a column does not depend on the batches in which it is read."""
    column = pa.array([0] * 3_000 + [1], pa.int64()).cast(pa.timestamp("ns"))
    for name, write in WRITERS.items():
        write(pa.table({"x": column, "y": column[::-1]}), tmp_path / f"rows.{name}")

        assert {str} == {type(value) for row in read(tmp_path / f"rows.{name}") for value in row.values()}


@pytest.mark.parametrize(
    ("keys", "reason"),
    [(pa.array([{"a": 1}]), "keys of the type struct"), (pa.array(["k", "k"]), "a key twice")],
)
def test_maps_that_no_dict_can_have_are_refused(keys: Any, reason: str, tmp_path: Path) -> None:
    count = len(keys)
    column = pa.MapArray.from_arrays(pa.array([0, count], pa.int32()), keys, pa.array(range(count)))
    for name, write in WRITERS.items():
        write(pa.table({"x": column}), tmp_path / f"rows.{name}")
        with pytest.raises(BadRecord, match=reason):
            read(tmp_path / f"rows.{name}")


@pytest.mark.parametrize(("unit", "name"), [(0, "month_interval"), (1, "day_time_interval")])
@pytest.mark.parametrize("nested", [False, True])
def test_types_without_values_in_pyarrow_are_refused(
    unit: int, name: str, nested: bool, tmp_path: Path
) -> None:
    """pyarrow reads files with such a column, and raises KeyError for its values."""
    kind = pa.month_day_nano_interval()
    column = pa.array([[(1, 2, 3)]], pa.list_(kind)) if nested else pa.array([(1, 2, 3)], kind)
    table = pa.table({"n": [1], "x": column})
    with pa.OSFile(str(tmp_path / "rows.arrows"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    data = (tmp_path / "rows.arrows").read_bytes()
    places = (at for at, byte in enumerate(data) if byte == 2)  # the unit of this interval
    changed = (data[:at] + bytes([unit]) + data[at + 1 :] for at in places)
    (tmp_path / "rows.arrows").write_bytes(next(one for one in changed if name in _types(one)))

    with pytest.raises(UnreadableCorpus, match=f"column 'x' has the type {name}"):
        read(tmp_path / "rows.arrows")


def _types(data: bytes) -> str:
    try:
        return str(pa.ipc.open_stream(data).schema)
    except (pa.ArrowException, OSError):
        return ""


def test_unions_and_runs_are_plain_values(tmp_path: Path) -> None:
    moments = pa.array([MOMENT.replace(tzinfo=dt.UTC)] * 2, pa.timestamp("us", "UTC"))
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [moments, pa.array(["a", "b"])])
    runs = pa.RunEndEncodedArray.from_arrays([2], moments[:1])
    feather.write_feather(pa.table({"u": union, "r": runs}), str(tmp_path / "rows.arrow"))

    at = MOMENT.replace(tzinfo=dt.UTC)
    assert equal([{"u": at, "r": at}, {"u": "b", "r": at}], read(tmp_path / "rows.arrow"))


@pytest.mark.parametrize(
    "values",
    [
        pa.array([MOMENT, None, MOMENT], pa.timestamp("us", "UTC")).dictionary_encode(),
        pa.array([[SPAN], None, []], pa.list_(pa.duration("ns"))),
        pa.array([{"a": MOMENT}, None, {"a": None}], pa.struct({"a": pa.timestamp("us", "UTC")})),
        pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int8())),
        pa.array([(1, -2, 3), None, (0, 0, 0)], pa.month_day_nano_interval()),
    ],
    ids=["dictionary", "list", "struct", "map", "interval"],
)
def test_runs_of_any_type_are_values_in_any_part_of_an_array(values: Any) -> None:
    """pyarrow's own function for runs has no kernel for some of these types."""
    array = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3, 6], pa.int32()), values)
    whole = [values_of(values)[number] for number in (0, 1, 1, 2, 2, 2)]

    for start in range(6):
        for end in range(start, 7):
            assert equal(whole[start:end], values_of(array[start:end]))
