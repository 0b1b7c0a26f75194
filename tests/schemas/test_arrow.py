"""Arrow: batches, files of other software, payloads of other versions, and refused payloads."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import uuid
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import pyarrow as pa
import pytest

import bakeoff
from bakeoff.codecs import Codec, DecodeError, EncodeError, LimitError
from bakeoff.schemas import Hint, Schema, SchemaError

DATA = Path(__file__).parents[1] / "data/arrow"
UTC = dt.UTC


class Event(TypedDict):
    id: int
    name: str
    size: NotRequired[float | None]


EVENTS: list[Any] = [
    {"id": 1, "name": "a"},
    {"id": 2, "name": "é", "size": None},
    {"id": 3, "name": "", "size": 0.5},
]


def codec(kind: Any, name: str = "arrow") -> Codec:
    return bakeoff.codec(name, schema=Schema(kind))


def stream(*batches: pa.RecordBatch, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


# Batches --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_batch_has_a_row_for_each_record_of_a_list(kind: type) -> None:
    many = codec(list[Event] if kind is list else tuple[Event, ...])
    payload = many.encode(kind(EVENTS))

    assert [3] == [batch.num_rows for batch in pa.ipc.open_stream(payload)]
    assert kind(EVENTS) == many.decode(payload)
    assert kind() == many.decode(many.encode(kind()))
    one = codec(Event)
    assert EVENTS[1] == one.decode(one.encode(EVENTS[1]))
    with pytest.raises(DecodeError, match="holds 3 records"):
        one.decode(payload)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (list[int], [1, 2]),
        (set[str], {"a", "b"}),
        (int, 5),
        (list[list[int | None]], [[1], [None], []]),
        (dict[str, int], {"a": 1}),
        (list[Event | None], [None, EVENTS[0]]),
    ],
)
def test_what_is_no_record_stands_in_one_column(kind: Any, value: Any) -> None:
    made = codec(kind)
    payload = made.encode(value)

    assert value == made.decode(payload)
    assert ["value"] == pa.ipc.open_stream(payload).schema.names


def test_objects_are_tables() -> None:
    made = codec(list[Event], "arrow/object")
    assert made.bound is not None
    assert made.bound.take is not None
    assert made.bound.give is not None
    batch = made.bound.take(EVENTS)
    table = pa.Table.from_batches([batch, batch.slice(1)])

    assert isinstance(batch, pa.RecordBatch)
    assert EVENTS == made.bound.give(made.decode(made.encode(batch)))
    assert table == made.decode(made.encode(table))
    assert EVENTS + EVENTS[1:] == made.bound.give(table)
    for other in (EVENTS, EVENTS[0], batch.select(["id"])):
        with pytest.raises(EncodeError):
            made.encode(other)


def test_a_misfit_is_named_by_its_row() -> None:
    made = codec(list[TypedDict("row", {"lines": list[Event], "at": dict[str, int | str]})])  # type: ignore[operator,misc]
    row = {"lines": EVENTS, "at": {}}
    for wrong, place in (
        ({"lines": [EVENTS[0], {**EVENTS[0], "id": "x"}], "at": {}}, "$[1].lines[1].id"),
        ({"lines": [EVENTS[0], {"name": ""}], "at": {}}, "$[1].lines[1].id"),
        ({"lines": [], "at": {"k": 1.5}}, "$[1].at{k}"),
        ({"lines": [{**EVENTS[0], "more": 1}], "at": {}}, "$[1].lines[0]"),
    ):
        with pytest.raises(EncodeError) as error:
            made.encode([row, wrong])
        assert f"`{place}`" in str(error.value)


# Files ----------------------------------------------------------------------------------------------


def test_a_file_is_one_stream_that_others_read() -> None:
    made = codec(list[Event])
    file = io.BytesIO()

    assert 2 == made.dump([EVENTS, EVENTS[:1]], file)
    table = pa.ipc.open_stream(file.getvalue()).read_all()
    assert {
        "id": [1, 2, 3, 1],
        "name": ["a", "é", "", "a"],
        "size": [None, None, 0.5, None],
        "null_4": [False, True, False, False],
    } == table.to_pydict()
    made.dump([EVENTS[2:]], file)
    file.seek(0)
    assert [EVENTS, EVENTS[:1], EVENTS[2:]] == list(made.load(file))


def test_a_file_is_read_as_it_comes() -> None:
    made = codec(list[Event])
    file = io.BytesIO()
    made.dump([EVENTS, EVENTS], file)
    decoder = made.decoder()
    found = [record for byte in file.getvalue() for record in decoder.feed(bytes([byte]))]

    assert [EVENTS, EVENTS] == found + decoder.end()
    with pytest.raises(DecodeError, match="ends within"):
        list(made.load(io.BytesIO(file.getvalue()[:-100])))
    with pytest.raises(DecodeError, match="no message"):
        list(made.load(io.BytesIO(b"x" * 100)))


def test_what_javascript_wrote_comes_back() -> None:
    """By apache-arrow 21.2.0: `javascript.mjs`; text in a dictionary of its own for each batch."""
    data = (DATA / "javascript.arrows").read_bytes()
    made = bakeoff.codec("arrow", schema=Schema.of_definition(data, "arrow").listed())
    rows = [
        {
            "id": 1,
            "name": "Größe 😀",
            "price": 1.5,
            "paid": True,
            "at": dt.datetime(1970, 1, 1, tzinfo=UTC),
            "state": "new",
            "tags": ["a", "b"],
            "place": {"city": "Bern", "zip": 3000},
            "raw": b"\xff\0",
            "count": 0,
        },
        {
            "id": -2,
            "name": "",
            "price": None,
            "paid": False,
            "at": dt.datetime(2023, 11, 14, 22, 13, 20, 271000, UTC),
            "state": None,
            "tags": [],
            "place": None,
            "raw": b"",
            "count": 2**64 - 1,
        },
        {
            "id": 3,
            "name": "x" * 40,
            "price": -0.0,
            "paid": True,
            "at": dt.datetime(1969, 12, 31, 23, 59, 59, 999000, UTC),
            "state": "sent",
            "tags": ["é"],
            "place": {"city": "", "zip": None},
            "raw": b"\x01",
            "count": 7,
        },
    ]

    assert rows == made.decode(data)
    assert [rows[:2], rows[2:]] == list(made.load(io.BytesIO(data)))
    assert rows == made.decode(made.encode(rows))


# Schemas --------------------------------------------------------------------------------------------


def test_a_definition_says_the_layout() -> None:
    """Types that Arrow lacks are in its metadata."""
    kind = TypedDict(  # type: ignore[operator]
        "kind",
        {
            "id": int,
            "two words": NotRequired[str | None],
            "pair": tuple[int, str],
            "set": frozenset[str],
            "price": decimal.Decimal,
            "any": Any,
            "one": int | list[uuid.UUID] | None,
            "by day": dict[dt.date | None, dt.timedelta],
            "at": Annotated[dt.datetime, Hint(aware=True)],
            "nothing": None,
            "big": Annotated[int, Hint(big=True)],
        },
    )
    for schema in (Schema(kind), Schema(list[kind]), Schema(list[int]), Schema(kind).listed()):  # type: ignore[valid-type]
        again = Schema.of_definition(schema.definition("arrow"), "arrow")
        assert schema.layout.root == again.layout.root
        assert schema.definition("arrow") == again.definition("arrow")


NATIVE: list[tuple[pa.DataType, Any]] = [
    (pa.int8(), -128),
    (pa.uint64(), 2**64 - 1),
    (pa.float32(), 0.5),
    (pa.float16(), 0.25),
    (pa.large_string(), "é"),
    (pa.large_binary(), b"\0"),
    (pa.binary(3), b"abc"),
    (pa.large_list(pa.int8()), [1, None]),
    (pa.list_(pa.string(), 2), ["a", None]),
    (pa.map_(pa.int32(), pa.float64()), {1: 0.5}),
    (pa.timestamp("s"), dt.datetime(2024, 2, 29, 1, 2, 3)),
    (pa.timestamp("ns", "UTC"), dt.datetime(2024, 2, 29, 1, 2, 3, 4, UTC)),
    (pa.date64(), dt.date(1969, 12, 31)),
    (pa.time32("ms"), dt.time(1, 2, 3, 4000)),
    (pa.time64("ns"), dt.time(23, 59, 59, 999999)),
    (pa.duration("ms"), dt.timedelta(days=-1, milliseconds=5)),
    (pa.decimal128(38, 10), decimal.Decimal("-1234567890123456789012345678.0123456789")),
    (pa.decimal256(60, 2), decimal.Decimal("1.10")),
    (pa.dictionary(pa.int16(), pa.string()), "word"),
    (pa.uuid(), uuid.UUID(int=5)),
    (pa.null(), None),
]


@pytest.mark.parametrize(("kind", "value"), NATIVE, ids=[str(kind) for kind, _ in NATIVE])
def test_all_types_of_a_given_schema_come_back(kind: pa.DataType, value: Any) -> None:
    given = pa.schema([pa.field("x", kind), pa.field("n", pa.int64(), nullable=False)])
    made = bakeoff.codec(
        "arrow", schema=Schema.of_definition(given.serialize().to_pybytes(), "arrow").listed()
    )
    rows = [{"x": value, "n": 1}, {"x": None, "n": 2}]
    inside = uuid.UUID.bytes.fget(value) if isinstance(value, uuid.UUID) else value  # type: ignore[attr-defined]
    array = pa.array([inside, None], kind.storage_type if kind == pa.uuid() else kind)
    column = pa.ExtensionArray.from_storage(kind, array) if kind == pa.uuid() else array
    theirs = stream(pa.record_batch([column, pa.array([1, 2])], schema=given))

    assert rows == made.decode(theirs)
    assert rows == made.decode(made.encode(rows))
    stored = pa.ipc.open_stream(made.encode(rows)).read_all()
    assert column.to_pylist() == stored["x"].to_pylist()


@pytest.mark.parametrize(
    "kind",
    [
        pa.month_day_nano_interval(),
        pa.dense_union([pa.field("a", pa.int8())]),
        pa.run_end_encoded(pa.int16(), pa.int8()),
        pa.list_view(pa.int8()),
    ],
    ids=str,
)
def test_types_that_records_cannot_have_are_named(kind: pa.DataType) -> None:
    with pytest.raises(SchemaError, match=r"\$\.a\.b.*cannot represent"):
        Schema.of_definition(pa.schema([("a", pa.struct([("b", kind)]))]).serialize().to_pybytes(), "arrow")


def test_names_stand_once() -> None:
    """Arrow has columns of one name; records have not."""
    with pytest.raises(SchemaError, match="two columns"):
        Schema.of_definition(
            pa.schema([("a", pa.int8()), ("a", pa.int8())]).serialize().to_pybytes(), "arrow"
        )
    with pytest.raises(SchemaError, match="not an Arrow IPC"):
        Schema.of_definition(b"{}", "arrow")


# Versions -------------------------------------------------------------------------------------------


def test_payloads_of_another_version_are_read_by_name() -> None:
    made = codec(list[Event])
    batch = pa.record_batch(
        {
            "more": pa.array([["x"], None]),
            "name": pa.array(["a", "b"], pa.large_string()),
            "size": pa.array([1, None], pa.int32()),
            "id": pa.array([1, 2], pa.int16()),
        }
    )

    assert [
        {"id": 1, "name": "a", "size": 1.0, "more": ["x"]},
        {"id": 2, "name": "b", "more": None},
    ] == made.decode(stream(batch))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"id": pa.array([1])}, "no column 'name'"),
        (
            {"id": pa.array(["1"]), "name": pa.array(["a"])},
            "the column is string, where the schema has int64",
        ),
        ({"id": pa.array([1], pa.uint64()), "name": pa.array(["a"])}, "uint64, where the schema has int64"),
        ({"id": pa.array([1]), "name": pa.array([None], pa.string())}, "a required field is null"),
        ({"id": pa.array([1]), "name": pa.array(["a"]), "size": pa.array([1])}, "int64, where"),
    ],
)
def test_what_the_schema_does_not_hold_is_refused(columns: dict[str, pa.Array], said: str) -> None:
    made = codec(list[Event])
    with pytest.raises(DecodeError, match=said):
        made.decode(stream(pa.record_batch(columns)))


def test_an_extension_runs_no_code_of_a_payload() -> None:
    schema = pa.schema(
        [pa.field("id", pa.int64(), metadata={"ARROW:extension:name": "arrow.py_extension_type"})]
    )
    with pytest.raises(DecodeError, match="extension types"):
        codec(list[Event]).decode(stream(pa.record_batch([pa.array([1])], schema=schema)))


# Limits ---------------------------------------------------------------------------------------------


def test_compressed_batches_are_read_within_the_limits() -> None:
    """The claims of their buffers count before memory is allocated."""
    made = codec(list[str])
    batch = pa.record_batch({"value": pa.array(["x" * 1000] * 5000)})
    for compression in ("lz4", "zstd"):
        payload = stream(batch, compression=compression)
        with pytest.raises(LimitError, match="times its size"):
            made.decode(payload)
        patient = made.with_limits(ratio=10_000)
        assert ["x" * 1000] * 5000 == patient.decode(payload)
        with pytest.raises(LimitError):
            patient.with_limits(decompressed=1_000_000).decode(payload)
        with pytest.raises(LimitError, match="999"):
            patient.with_limits(string=999).decode(payload)


def test_rows_of_nothing_count() -> None:
    """Nulls take no bytes, and bits hardly any."""
    many = 2_000_000
    for kind, array in ((list[None], pa.nulls(many)), (list[bool], pa.array([True] * many))):
        with pytest.raises(LimitError, match=r"2,000,000|4,000,000"):
            codec(kind).decode(stream(pa.record_batch({"value": array})))
    assert [None] * 1000 == codec(list[None]).decode(stream(pa.record_batch({"value": pa.nulls(1000)})))
