"""The types that msgspec decodes to, built from a schema."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import OrderedDict, defaultdict
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import msgspec
import pytest
from round_trips import assert_comes_back

from bakeoff import codecs
from bakeoff.schemas import Hint, Schema, SchemaError
from bakeoff.schemas.tree.types import RecordType


class Item(TypedDict):
    price: Decimal


class Order(TypedDict):
    id: UUID
    items: list[Item]
    note: NotRequired[str | None]


def test_arrays() -> None:
    schema = Schema({"a": int, "b": list[dict[str, int]]})
    rows = schema.binding("msgspec", array_like=True)
    payload = msgspec.msgpack.encode(rows.take({"a": 1, "b": [{"x": 1}]}))

    assert msgspec.msgpack.decode(payload) == [1, [{"x": 1}]]
    assert rows.give(msgspec.msgpack.Decoder(rows.type).decode(payload)) == {"a": 1, "b": [{"x": 1}]}


@pytest.mark.parametrize("made", [dict, OrderedDict, lambda record: defaultdict(int, record)])
def test_no_kind_of_dict_is_written_where_records_are_arrays(made: Any) -> None:
    """Of whatever class a dict is: it would not come back. A map that the schema declares does."""
    codec = codecs.codec("msgspec-msgpack/array", schema=Schema({"a": int}))
    maps = codec.with_schema(Schema(dict[str, int]))

    with pytest.raises(codecs.EncodeError, match=r"bound\.take"):
        codec.encode(made({"a": 1}))
    assert {"a": 1} == maps.decode(maps.encode(made({"a": 1})))


class Inner(msgspec.Struct):
    a: int


class Row(msgspec.Struct, array_like=True):
    inner: Inner


ROW = {"inner": {"a": 1}}


@pytest.mark.parametrize(
    ("spec", "records"),
    [
        (Row, [Row(Inner(1)), ROW]),
        (list[Row], [[Row(Inner(1))], [ROW]]),
        (list[Inner], [[Inner(1)], [{"a": 1}]]),
        (dict[str, Inner], [{"": Inner(1)}, {"": {"a": 1}}]),
        (Row | None, [Row(Inner(1)), ROW]),
    ],
)
def test_no_object_is_written_where_records_are_arrays(spec: Any, records: list[Any]) -> None:
    codec = codecs.codec("msgspec-msgpack/array", schema=Schema(spec))

    for record in records:
        with pytest.raises(codecs.EncodeError):
            codec.encode(record)
    made = codec.bound.take(records[1])
    assert made == codec.decode(codec.encode(made))


class Get(msgspec.Struct, tag=True):
    key: str


class Put(msgspec.Struct, tag="put", tag_field="op"):
    key: str
    at: dt.date | None


@pytest.mark.parametrize("array_like", [False, True])
def test_tags(array_like: bool) -> None:
    bindings = Schema(Put).binding("msgspec", array_like=array_like)
    decode = msgspec.json.Decoder(bindings.type).decode
    as_dict = {"op": "put", "key": "x", "at": dt.date(2024, 1, 2)}
    for record in (as_dict, Put("x", dt.date(2024, 1, 2))):
        payload = msgspec.json.encode(bindings.take(record))

        assert payload == msgspec.json.encode(list(as_dict.values()) if array_like else as_dict)
        assert bindings.give(decode(payload)) == as_dict


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2)])
def test_a_tag_is_known_by_its_name(order: tuple[int, ...]) -> None:
    """A tree of one's own may have the tag elsewhere, or not at all: no other field is lost for it."""
    described = Schema(Put).types
    assert isinstance(described, RecordType)
    tree = dataclasses.replace(described, fields=tuple(described.fields[i] for i in order))
    record = {"op": "put", "key": "x", "at": None}
    bindings = Schema(tree).binding("msgspec")

    assert bindings.give(msgspec.json.decode(msgspec.json.encode(record), type=bindings.type)) == record


@dataclasses.dataclass
class Price:
    amount: int
    taxes: tuple[int, ...] = ()


class Line(NamedTuple):
    sku: str
    prices: list[Price]


@pytest.mark.parametrize("name", ["msgspec-json/struct", "msgspec-msgpack/struct", "msgspec-msgpack/array"])
def test_dataclasses_within_named_tuples_are_dicts(name: str) -> None:
    """As everywhere in a record: msgspec makes them itself of a named tuple's fields."""
    codec = codecs.codec(name, schema=Schema({"lines": list[Line]}))
    record = {"lines": [Line("a", [{"amount": 1, "taxes": (2,)}])]}  # type: ignore[list-item]

    assert_comes_back(codec, record)


def test_names_that_msgspec_refuses_are_a_schema_error() -> None:
    with pytest.raises(SchemaError, match=r'msgspec cannot decode this schema: .*a"b'):
        codecs.codec("msgspec-json/struct", schema=Schema({'a"b': int}))


def test_a_union_of_tagged_structs() -> None:
    class Set(msgspec.Struct, tag=True):
        key: str

    bindings = Schema(list[Get | Set]).binding("msgspec")
    decode = msgspec.json.Decoder(bindings.type).decode

    assert bindings.give(decode(msgspec.json.encode([Set("a"), Get("b")]))) == [
        {"type": "Set", "key": "a"},
        {"type": "Get", "key": "b"},
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"a b": 1, "class": 2},
        {"__typename": "Movie", "__v": 0, "_id": 1, "__init__": 2},
        {"field_1": 1, "__v": 2},
        {"a b": 1, "field_0": 2},
    ],
)
@pytest.mark.parametrize("array_like", [False, True])
def test_odd_names(record: dict[str, Any], array_like: bool) -> None:
    schema = Schema({name: type(value) for name, value in record.items()})
    bindings = schema.binding("msgspec", array_like=array_like)
    payload = msgspec.json.encode(bindings.take(record))

    assert payload == msgspec.json.encode(list(record.values()) if array_like else record)
    assert bindings.give(msgspec.json.decode(payload, type=bindings.type)) == record


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"a": complex}, "$.a"),
        ({"a": Annotated[bytes, Hint(encoding="hex")]}, "$.a"),
        ({"a": Annotated[dt.datetime, Hint(epoch="ms")]}, "$.a"),
        (Order, "$.note"),
    ],
)
def test_what_has_no_typed_form(spec: Any, path: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema(spec).binding("msgspec", array_like=True)

    assert caught.value.path == path
