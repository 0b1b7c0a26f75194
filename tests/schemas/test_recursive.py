"""Records that contain others of their own kind: bound, preserved, and stopped at the limit of depth."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import pickle
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_trips import read, read_back, written

import bakeoff
from bakeoff import EncodeError, LimitError, Schema, UsageError
from bakeoff.bench.lab.evolution.trial import sample, try_codec
from bakeoff.bench.versions.convert import as_version
from bakeoff.bench.versions.records import Maker
from bakeoff.codecs.limits import DEFAULT_DEPTH
from bakeoff.codecs.streams.framing import varint
from bakeoff.schemas import SchemaError
from bakeoff.schemas.difference import compare
from bakeoff.schemas.load import load
from bakeoff.schemas.tree import types as t
from bakeoff.schemas.wire.layout import Ref, WireRecord, parts
from small_stacks import in_thread

DEEP = 10_000

NEEDING = (
    "avro", "avro/bare", "avro/registry", "protobuf", "protobuf/registry", "thrift", "pydantic-json", "arrow",
)  # fmt: skip
"""Codecs with a schema that take records of dicts."""
OBJECTS = (
    "protobuf/object", "thrift/object", "msgspec-json/struct", "msgspec-msgpack/struct",
    "pydantic-json/model",
)  # fmt: skip
TWINS = ("json", "msgpack", "orjson", "bson", "yaml", "cbor2")
"""Codecs without one, after which the schema fixes what they lack."""


class Node(TypedDict):
    name: str
    seen: dt.date
    children: list[Node]
    parent: NotRequired[Node | None]
    by_name: NotRequired[dict[str, Node]]
    by_number: NotRequired[dict[int, Node]]
    either: NotRequired[Node | str | list[Node]]


class Inner(TypedDict):
    outer: Outer | None
    price: Decimal


class Outer(TypedDict):
    inner: list[Inner]
    named: dict[str, Inner]


def leaf(name: str = "x") -> dict[str, Any]:
    return {"name": name, "seen": dt.date(2026, 1, 2), "children": []}


def chain(levels: int, hold: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return records within one another."""
    made = leaf()
    for _ in range(levels):
        made = leaf() | hold(made)
    return made


WAYS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "parent": lambda inner: {"parent": inner},
    "children": lambda inner: {"children": [inner]},
    "by_name": lambda inner: {"by_name": {"a": inner}},
    "by_number": lambda inner: {"by_number": {7: inner}},
    "either": lambda inner: {"either": inner},
    "list": lambda inner: {"either": [inner]},
}
PER_RECORD = {"parent": 1, "either": 1}
"""Levels of nesting that a record takes; 2 where a list or dict is around it."""


def nodes(levels: int, *, unions: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of records that nest no deeper, with `either` or without."""
    leaves = st.builds(
        lambda name, seen: {"name": name, "seen": seen, "children": []},
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3),
        st.dates(),
    )
    if not levels:
        return leaves
    below = st.deferred(lambda: nodes(levels - 1, unions=unions))
    optional = {
        "parent": st.none() | below,
        "by_name": st.dictionaries(st.sampled_from("ab"), below, max_size=1),
        "by_number": st.dictionaries(st.integers(-2, 2), below, max_size=1),
    }
    if unions:
        text = st.text(st.characters(codec="ascii"), max_size=2)
        optional["either"] = text | below | st.lists(below, max_size=1)
    return st.builds(
        lambda whole, more, children: whole | more | {"children": children},
        leaves,
        st.fixed_dictionaries({}, optional=optional),
        st.lists(below, max_size=2),
    )


def there_and_back(name: str, schema: Schema, record: Any) -> Any:
    codec = bakeoff.codec(name, schema=schema)
    return read(codec, written(codec, record))


# Declared --------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Tree:
    size: int
    below: list[Tree]
    next: Tree | None = None


class Folder(msgspec.Struct):
    size: int
    below: list[Folder]
    next: Folder | None = None


class Model(pydantic.BaseModel):
    size: int
    below: list[Model]
    next: Model | None = None


class Place(NamedTuple):
    size: int
    below: list[Place]
    next: Place | None = None


def plain() -> dict[str, Any]:
    made: dict[str, Any] = {"n": int}
    made["below"] = [made]
    return made


@pytest.mark.parametrize("spec", [Tree, Folder, Model, Place, plain()], ids=lambda spec: type(spec).__name__)
def test_whatever_declares_a_record_may_hold_it(spec: Any) -> None:
    types = Schema(spec).types
    assert isinstance(types, t.RecordType)
    below = types.fields[1].type
    assert isinstance(below, t.ListType)
    assert isinstance(below.item, t.RefType)

    assert below.item.record is types
    assert [node for _, node in t.walk(types) if isinstance(node, t.RefType)]
    again = pickle.loads(pickle.dumps(Schema(spec))).types
    assert (again, hash(again)) == (types, hash(types))
    assert again.fields[1].type.item.record is again


def test_two_classes_of_one_name_stay_two() -> None:
    def made(kind: type) -> Any:
        spec: dict[str, Any] = {"value": kind}
        spec["next"] = [spec]
        return spec

    schema = Schema({"one": made(int), "other": made(dt.date)})
    record = {
        "one": {"value": 1, "next": [{"value": 2, "next": []}]},
        "other": {"value": dt.date(2026, 1, 1), "next": [{"value": dt.date(2026, 1, 2), "next": []}]},
    }

    for name in ("avro", "protobuf", "thrift", "json"):
        assert there_and_back(name, schema, record) == record


def test_a_union_around_a_record_ends_with_it() -> None:
    """`typing` gives the same object for equal unions, which is no cycle of its own."""
    schema = Schema(Node | None)

    assert there_and_back("avro", schema, chain(3, WAYS["parent"])) == chain(3, WAYS["parent"])
    assert there_and_back("avro", schema, None) is None


def test_a_record_that_must_hold_itself_has_no_layout() -> None:
    """No such record is ever complete."""
    spec: dict[str, Any] = {"n": int}
    spec["next"] = {"again": spec}

    with pytest.raises(SchemaError, match="must contain itself, so no record can be complete"):
        Schema(spec).definition("avro")


@pytest.mark.parametrize("spec", [Node, Outer], ids=lambda spec: spec.__name__)
def test_a_printed_module_declares_the_same(spec: Any) -> None:
    schema = Schema(spec)

    assert read_back(schema, f":{spec.__name__}").types == schema.types


# Carried ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDING + OBJECTS + TWINS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_records_come_back_from_any_depth(name: str, data: st.DataObject) -> None:
    unions = name not in (*OBJECTS, "pydantic-json")
    schema = Schema({"node": Node if unions else Plain})
    hold = WAYS[data.draw(st.sampled_from([way for way in WAYS if unions or way in Plain.__annotations__]))]
    record = data.draw(nodes(3, unions=unions))
    for _ in range(data.draw(st.integers(0, 20))):
        record = leaf() | hold(record)

    assert there_and_back(name, schema, {"node": record}) == {"node": record}


class Plain(TypedDict):
    """As `Node`, but for the union of what typed libraries do not tell apart."""

    name: str
    seen: dt.date
    children: list[Plain]
    parent: NotRequired[Plain | None]
    by_name: NotRequired[dict[str, Plain]]
    by_number: NotRequired[dict[int, Plain]]


@pytest.mark.parametrize("name", NEEDING + OBJECTS + TWINS)
def test_records_that_hold_one_another(name: str) -> None:
    inner = {"outer": None, "price": Decimal("1.50")}
    record = {
        "inner": [inner, {"outer": {"inner": [inner], "named": {}}, "price": Decimal(2)}],
        "named": {"a": inner},
    }

    assert there_and_back(name, Schema(Outer), record) == record
    assert there_and_back(name, Schema(Inner), {"outer": record, "price": Decimal(3)}) == {
        "outer": record,
        "price": Decimal(3),
    }


def test_objects_of_classes_are_built_at_each_level() -> None:
    schema = Schema(Tree, as_objects=True)
    record = Tree(1, [Tree(2, [Tree(3, [])], Tree(4, []))])

    for name in ("avro", "protobuf", "thrift", "json"):
        codec = bakeoff.codec(name).with_schema(schema)
        raw = dataclasses.asdict(record)
        assert codec.decode(codec.encode(raw)) == record


def test_advice_has_the_place_at_any_depth() -> None:
    record = chain(30, WAYS["children"])
    record["children"][0]["children"][0]["seen"] = "2026-05-06"
    after, advice = Schema(Node).advise(record)

    assert [str(each.path) for each in advice] == ["$.children[0].children[0].seen"]
    assert after["children"][0]["children"][0]["seen"] == dt.date(2026, 5, 6)
    assert Schema(Node).advise(after)[1] == []


def test_a_plan_in_words_ends() -> None:
    words = Schema(Node).plan("json")

    assert "$.seen" in words
    assert "$.children[]" in words
    assert "at any depth" in words
    assert Schema(Tree).fixer("json") is None


# Ended -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [*WAYS])
@pytest.mark.parametrize("name", ["avro", "avro/bare", "protobuf", "thrift"])
def test_what_is_written_is_read(name: str, way: str) -> None:
    codec = bakeoff.codec(name).with_schema(Schema(Node))
    refused: list[int] = []
    for levels in range(DEFAULT_DEPTH + 2):
        record = chain(levels, WAYS[way])
        if refused:
            with pytest.raises(EncodeError, match="nested more"):
                codec.encode(record)
            continue
        try:
            payload = codec.encode(record)
        except EncodeError:
            refused.append(levels)
        else:
            assert codec.decode(payload) == record

    # A record within the limit holds a list, too.
    first = {"protobuf": 33, "thrift": 21}.get(name, (DEFAULT_DEPTH - 1) // PER_RECORD.get(way, 2))
    assert refused
    assert first <= refused[0] <= (DEFAULT_DEPTH - 1) // PER_RECORD.get(way, 2) + 1


def deep_payloads() -> Iterator[tuple[str, bytes]]:
    """Yield payloads of ten thousand records within one another, of a record of `n` and `below`."""
    inner = b""
    for _ in range(DEEP):
        inner = b"\x12" + varint(len(inner)) + inner
    yield "protobuf", inner
    yield "protobuf/object", inner
    yield "avro/bare", b"\0\x02" * DEEP + b"\0\0" + b"\0" * DEEP
    yield "thrift", b"\x16\0\x19\x1c" * DEEP + b"\0" * 2 * DEEP
    yield "thrift/object", b"\x16\0\x19\x1c" * DEEP + b"\0" * 2 * DEEP
    text = b'{"n":1,"below":[' * DEEP + b'{"n":1,"below":[]}' + b"]}" * DEEP
    for name in ("json", "orjson", "msgspec-json/struct", "pydantic-json", "pydantic-json/model"):
        yield name, text
    packed = b"\x82\xa1n\x01\xa5below\x91" * DEEP + b"\x82\xa1n\x01\xa5below\x90"
    yield "msgpack", packed
    yield "msgspec-msgpack/struct", packed


def itself() -> dict[str, Any]:
    made: dict[str, Any] = {"n": 1, "below": []}
    made["below"].append(made)
    return made


@pytest.mark.parametrize(("name", "payload"), [pytest.param(*each, id=each[0]) for each in deep_payloads()])
@pytest.mark.parametrize("stack", [0, 256 * 1024])
def test_a_deep_payload_is_refused(name: str, payload: bytes, stack: int) -> None:
    codec = bakeoff.codec(name).with_schema(Schema(plain()))

    found = in_thread(codec.decode, payload, stack=stack)

    assert type(found) is LimitError
    assert "nested more" in str(found)


@pytest.mark.parametrize("name", [*NEEDING, "json", "msgpack", "orjson", "bson", "cbor2"])
def test_a_record_that_holds_itself_is_refused(name: str) -> None:
    codec = bakeoff.codec(name).with_schema(Schema(plain()))

    with pytest.raises(EncodeError):
        codec.encode(itself())


def test_a_limit_of_depth_counts_records() -> None:
    """A lower one holds in both directions, a higher one no further than libraries have the stack for."""
    schema = Schema(Node)
    for name in ("avro", "protobuf", "thrift"):
        codec = bakeoff.codec(name).with_schema(schema)
        short = codec.with_limits(depth=5)
        assert short.decode(codec.encode(chain(3, WAYS["parent"])))
        with pytest.raises(LimitError, match="nested more than 5 deep"):
            short.decode(codec.encode(chain(5, WAYS["parent"])))
        with pytest.raises(EncodeError, match="nested more than 5 deep"):
            short.encode(chain(5, WAYS["parent"]))
        with pytest.raises(EncodeError, match="nested more"):
            codec.with_limits(depth=1_000).encode(chain(500, WAYS["parent"]))


def levels_left(level: int = 0) -> int:
    try:
        return levels_left(level + 1)
    except RecursionError:
        return level


@pytest.mark.parametrize("kind", ["avro", "protobuf", "thrift"])
def test_what_goes_too_deep_leaves_the_limit_as_it_was(kind: str) -> None:
    """Or whatever recurses after it would end the process, and no longer in a `RecursionError`."""
    before = levels_left()
    with pytest.raises(RecursionError):
        Schema(plain()).binding(kind).take(itself())

    assert before == levels_left()


def test_advice_on_a_record_that_holds_itself_ends() -> None:
    cycle: Any = {"name": "x", "seen": "2026-01-01", "children": []}
    cycle["children"].append(cycle)
    after, _ = Schema(Node).advise(cycle)

    assert after["seen"] == dt.date(2026, 1, 1)


class Left(TypedDict):
    next: Left | Right | None


class Right(TypedDict):
    next: Left | Right | None


@pytest.mark.parametrize("name", ["avro", "protobuf", "thrift"])
def test_a_union_is_not_tried_for_ever(name: str) -> None:
    """A wrong value at the end is one for each option of each level: 2**50 ways to be wrong."""
    record: Any = {"next": 1}
    for _ in range(30):
        record = {"next": record}

    codec = bakeoff.codec(name).with_schema(Schema({"all": list[Left], "other": Right}))
    with pytest.raises(EncodeError):
        codec.encode({"all": [record], "other": {"next": None}})
    whole = {"all": [{"next": {"next": None}}] * 20_000, "other": {"next": None}}
    assert codec.decode(codec.encode(whole)) == whole


# Public schemas --------------------------------------------------------------------------------------


def value_of(plain: Any) -> dict[str, Any]:
    """Return a `google.protobuf.Value` as a record."""
    match plain:
        case None:
            return {"null_value": "NULL_VALUE"}
        case bool():
            return {"bool_value": plain}
        case float():
            return {"number_value": plain}
        case str():
            return {"string_value": plain}
        case list():
            return {"list_value": {"values": [value_of(item) for item in plain]}}
    return {"struct_value": {"fields": {key: value_of(item) for key, item in plain.items()}}}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def struct() -> Schema:
    from google.protobuf import descriptor_pb2, struct_pb2

    files = descriptor_pb2.FileDescriptorSet()
    struct_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    return Schema.of_definition(files.SerializeToString(), "protobuf", "struct.desc")


@pytest.mark.slow
@given(plain=st.dictionaries(st.text("abc", max_size=2), JSON, max_size=4))
@settings(max_examples=100, deadline=None)
def test_protobuf_struct(struct: Schema, plain: dict[str, Any]) -> None:
    """Payloads are those of the official class, null in its oneof among them."""
    from google.protobuf import struct_pb2

    record = value_of(plain)["struct_value"]
    message = struct_pb2.Struct()
    message.update(plain)
    codec = bakeoff.codec("protobuf", schema=struct)

    assert codec.encode(record) == message.SerializeToString(deterministic=True)
    assert codec.decode(message.SerializeToString()) == record
    for name in ("avro", "thrift", "json"):
        assert there_and_back(name, struct, record) == record


def test_values_to_the_limit_of_protobuf(struct: Schema) -> None:
    """Lists of values within one another are two messages each, and protobuf reads a hundred."""
    from google.protobuf import struct_pb2

    codec = bakeoff.codec("protobuf", schema=struct)
    message = struct_pb2.Struct()
    value = message.fields["k"]
    for _ in range(38):
        value = value.list_value.values.add()
    value.string_value = "end"
    record = codec.decode(message.SerializeToString())
    assert codec.encode(record) == message.SerializeToString(deterministic=True)

    for _ in range(100):
        value = value.list_value.values.add()
    with pytest.raises(LimitError):
        codec.decode(message.SerializeToString())


# Languages -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("language", ["avro", "protobuf", "json-schema"])
@pytest.mark.parametrize("spec", [Node, Outer], ids=lambda spec: spec.__name__)
def test_a_definition_is_read_as_it_was_written(language: str, spec: Any) -> None:
    schema = Schema(spec)
    file = {"avro": "x.avsc", "protobuf": "x.proto", "json-schema": "x.schema.json"}[language]
    again = Schema.of_definition(schema.definition(language), language, file)
    record = chain(4, WAYS["children"]) if spec is Node else {"inner": [], "named": {}}

    assert again.nests
    assert isinstance(again.layout.root, WireRecord)
    if language in ("avro", "protobuf"):
        name = "avro/bare" if language == "avro" else language
        codecs = [bakeoff.codec(name).with_schema(each) for each in (schema, again)]
        payload = codecs[0].encode(record)
        assert codecs[1].decode(payload) == codecs[0].decode(payload)


def test_thrift_refers_to_structs_that_are_not_there_yet() -> None:
    """Its compilers resolve names at the end of the file."""
    text = Schema(Outer).definition("thrift").decode()

    assert text.index("struct Inner") < text.index("struct Outer")
    assert "optional Outer outer" in text


def test_arrow_has_a_record_within_itself_as_any_value() -> None:
    """Columns of the first level, and bytes of MessagePack below."""
    import pyarrow as pa

    schema = pa.ipc.open_stream(Schema(Node).definition("arrow")).schema

    assert schema.field("name").type == pa.string()
    assert schema.field("children").type.value_type == pa.binary()


def test_what_arrow_has_within_a_record_counts() -> None:
    record = leaf() | {"children": [leaf() | {"children": [leaf()] * 50}] * 3}
    codec = bakeoff.codec("arrow").with_schema(Schema(Node))
    payload = codec.encode(record)

    assert codec.decode(payload) == record
    with pytest.raises(LimitError, match="more than 500 values"):
        codec.with_limits(items=500).decode(payload)


@pytest.mark.parametrize(
    "document",
    [
        {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "below": {"type": "array", "items": {"$ref": "#"}}},
        },
        {
            "$ref": "#/$defs/Node",
            "$defs": {
                "Node": {
                    "properties": {
                        "n": {"type": "integer"},
                        "below": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                    }
                }
            },
        },
    ],
)
def test_json_schema_refers_to_what_is_around(document: dict[str, Any]) -> None:
    schema = Schema.of_definition(json.dumps(document), "json-schema")
    record = {"n": 1, "below": [{"n": 2, "below": [{"below": []}]}]}

    assert schema.nests
    assert there_and_back("msgspec-json/struct", schema, record) == record
    assert there_and_back("avro", schema, record) == record


@pytest.fixture(params=["avro", "protobuf", "json-schema", "python"])
def crowd(request: pytest.FixtureRequest) -> Schema:
    names = [f"R{i}" for i in range(20)]
    if request.param == "protobuf":
        fields = " ".join(f"repeated {name} a{i} = {i + 1};" for i, name in enumerate(names))
        messages = " ".join(f"message {name} {{ {fields} }}" for name in names)
        return Schema.of_definition(f'syntax = "proto3"; {messages}', "protobuf", "crowd.proto")
    if request.param == "json-schema":
        properties = {name: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for name in names}
        defined = {name: {"properties": properties} for name in names}
        return Schema.of_definition(json.dumps({"$ref": "#/$defs/R0", "$defs": defined}), "json-schema")
    if request.param == "python":
        specs: list[dict[str, Any]] = [{} for _ in names]
        for spec in specs:
            spec.update({name: [other] for name, other in zip(names, specs, strict=True)})
        return Schema(specs[0])
    known: set[str] = set()

    def record(name: str) -> Any:
        if name in known:
            return name
        known.add(name)
        fields = [{"name": each, "type": {"type": "array", "items": record(each)}} for each in names]
        return {"type": "record", "name": name, "fields": fields}

    return Schema.of_definition(json.dumps(record("R0")), "avro")


@pytest.mark.slow
def test_many_records_that_all_hold_one_another(crowd: Schema) -> None:
    """Each is described once; a tree of all ways through them would never end."""
    assert sum(isinstance(node, t.RecordType) for _, node in t.walk(crowd.types)) == 20
    assert hash(crowd) == hash(pickle.loads(pickle.dumps(crowd)))
    assert crowd.plan("json")
    assert crowd.to_python().count("(TypedDict)") == 20

    empty: dict[str, Any] = Maker().make(crowd.layout.root)
    empty = {key: [] for key in empty}
    key = next(iter(empty))
    record = empty | {key: [empty | {key: [empty]}]}
    for name in ("avro", "protobuf", "thrift", "msgspec-json/struct", "pydantic-json", "json"):
        assert there_and_back(name, crowd, record) == record
    with pytest.raises(SchemaError, match="more than 10,000 columns"):
        crowd.definition("arrow")


@pytest.mark.slow
def test_messages_that_nest_too_deeply_are_refused() -> None:
    for end in ("int32 x = 1;", "M0 x = 1;"):
        messages = " ".join(f"message M{i} {{ M{i + 1} x = 1; }}" for i in range(200))
        text = f'syntax = "proto3"; {messages} message M200 {{ {end} }}'
        with pytest.raises(SchemaError, match="messages are nested more than 100 deep"):
            Schema.of_definition(text, "protobuf", "chain.proto")


# Versions --------------------------------------------------------------------------------------------


def record_of(**fields: Any) -> Schema:
    made: Any = TypedDict("Part", {"below": list["Part"], **fields})  # type: ignore[misc,valid-type,name-defined]  # noqa: F821
    made.__annotations__["below"] = list[made]
    return Schema(made)


def test_a_change_within_is_found_once() -> None:
    difference = compare(record_of(n=int, gone=str), record_of(n=str, came=bool))

    assert [str(change) for change in difference.changes] == [
        "retyped $.n (int -> str)",
        "removed $.gone (str)",
        "added $.came (bool)",
    ]
    alone = difference.alone(difference.changes[0])
    assert alone is not None
    record = {"below": [{"below": [], "n": "a", "gone": "b"}], "n": "a", "gone": "b"}
    assert there_and_back("avro", alone, record) == record
    assert there_and_back("json", alone, record) == record


@pytest.mark.slow
def test_numbers_are_kept_at_each_level() -> None:
    text = 'syntax = "proto3"; message Part { repeated Part below = 7; int32 n = 9; }'
    older = Schema.of_definition(text, "protobuf", "part.proto")
    kept = record_of(n=int, more=str).keeping(older)
    root = kept.layout.root
    assert isinstance(root, WireRecord)

    assert [(slot.key, slot.number) for slot in root.slots] == [("below", 7), ("n", 9), ("more", 10)]
    (reference,) = parts(root.slots[0].kind)
    assert isinstance(reference, Ref)
    assert reference.record is root


@pytest.mark.slow
def test_evolve_tries_versions_of_such_records() -> None:
    difference = compare(record_of(n=int, gone=str), record_of(n=int, came=NotRequired[str]))
    records = sample(difference, 40)

    for name in ("avro", "protobuf", "thrift", "json"):
        reading = try_codec(name, difference, *records).reading("old→new")
        assert not reading.refused, name
        assert {found.path for found in reading.faults} <= {"$.gone", "$.came"}
    gone = compare(record_of(n=int, gone=str), record_of(n=int, gone=bool))
    found = try_codec("json", gone, *sample(gone, 40)).reading("old→new").faults
    assert {each.path for each in found} == {"$.gone"}


def test_made_records_end() -> None:
    for schema in (Schema(Node), Schema(Outer), Schema(Left)):
        root = schema.layout.root
        made = [Maker(seed).make(root) for seed in range(30)]
        assert as_version(made, schema, "pickle").faults == []


def test_the_record_of_a_file_is_the_one_that_no_other_holds(tmp_path: Path) -> None:
    file = tmp_path / "spans.py"
    classes = (
        'class Values(TypedDict):\n    values: "list[Value]"\n'
        "class Value(TypedDict):\n    text: str\n    inner: Values | None\n"
        "class Span(TypedDict):\n    values: list[Value]\n    other: Values\n"
    )
    file.write_text(f"from typing import TypedDict\n{classes}")
    assert Schema(load(str(file))).name == "Span"

    values = tmp_path / "values.py"
    values.write_text("from typing import TypedDict\n" + classes[: classes.index("class Span")])
    with pytest.raises(UsageError, match="declares Values, Value; name a schema"):
        load(str(values))
