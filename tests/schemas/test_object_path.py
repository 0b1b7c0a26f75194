"""Objects are treated like dicts of their fields, by every codec that needs a schema."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import attrs
import msgspec
import pydantic
import pytest
import typing_extensions
from round_trips import written as payload_of

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import Codec, EncodeError
from bakeoff.codecs.formats.structs import UNKNOWN_DROPPED
from bakeoff.errors import BakeoffError
from bakeoff.schemas import Schema, SchemaError


@dataclasses.dataclass
class Data:
    a: int


@dataclasses.dataclass
class MoreData(Data):
    b: int = 2


@dataclasses.dataclass(slots=True)
class Slots:
    a: int


@dataclasses.dataclass
class MoreSlots(Slots):
    _b: int = 2


@attrs.define
class Attrs:
    a: int


@attrs.define
class MoreAttrs(Attrs):
    b: int = 2


class Struct(msgspec.Struct):
    a: int


class MoreStruct(Struct):
    b: int = 2


class Model(pydantic.BaseModel):
    a: int


class MoreModel(Model):
    b: int = 2


class ExtraModel(pydantic.BaseModel, extra="allow"):
    a: int


class Named(NamedTuple):
    a: int
    b: int = 2


CLASSES: dict[str, tuple[type[Any], Any]] = {
    "dataclass": (Data, MoreData(1)),
    "slots": (Slots, MoreSlots(1)),
    "attrs": (Attrs, MoreAttrs(1)),
    "struct": (Struct, MoreStruct(1)),
    "model": (Model, MoreModel(a=1)),
    "extra": (ExtraModel, ExtraModel(a=1, b=2)),  # type: ignore[call-arg]
    "another class": (Data, MoreModel(a=1)),
    "named tuple": (Data, Named(1)),
}
NEEDING = [
    name
    for name in codecs.names(needs_schema=True)
    if codecs.missing(name) is None and codecs.describe(name).needs_schema
]
TAKES_DICTS = [
    name
    for name in NEEDING
    if not (spec := bakeoff.codec(name).spec).facts.takes and UNKNOWN_DROPPED not in spec.facts.losses
]


def written(codec: Codec, record: Any) -> str:
    """Return "" for a record that is written, else why it is not."""
    take = codec.bound.take if codec.bound is not None else None
    try:
        codec.encode(record if take is None else take(record))
    except (EncodeError, BakeoffError, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", TAKES_DICTS)
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_fields_that_the_schema_does_not_have_are_refused_in_objects(
    name: str, kind: str, depth: int
) -> None:
    cls, record = CLASSES[kind]
    base: Any = cls(a=1)
    as_dict: Any = {"a": 1, "b": 2}
    spec: Any = cls
    for _ in range(depth):
        spec, record, base, as_dict = {"v": list[spec]}, {"v": [record]}, {"v": [base]}, {"v": [as_dict]}  # type: ignore[misc]
    codec = bakeoff.codec(name).with_schema(Schema(spec))

    assert written(codec, as_dict)
    assert written(codec, record)
    assert "" == written(codec, base)


@dataclasses.dataclass
class Positive:
    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError("negative")


@attrs.define
class PositiveAttrs:
    a: int = attrs.field(validator=attrs.validators.ge(0))


class PositiveStruct(msgspec.Struct):
    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError("negative")


class PositiveModel(pydantic.BaseModel):
    a: pydantic.NonNegativeInt


@pytest.mark.parametrize("name", [*NEEDING, "json", "msgpack", "cbor2"])
@pytest.mark.parametrize("cls", [Positive, PositiveAttrs, PositiveStruct])
def test_a_record_that_its_class_refuses_stays_a_dict(name: str, cls: Any) -> None:
    writer = bakeoff.codec(name).with_schema(Schema(cls))
    take = writer.bound.take if writer.bound is not None else None
    payload = writer.encode({"a": -5} if take is None else take({"a": -5}))
    try:
        reader = bakeoff.codec(name).with_schema(Schema(cls, as_objects=True))
    except SchemaError:
        pytest.skip("has no such objects")
    give = reader.bound.give if reader.bound is not None else None
    found = reader.decode(payload)

    assert {"a": -5} == (found if give is None or isinstance(found, dict) else give(found))
    assert reader.schema.advise({"a": -5})[1]  # type: ignore[union-attr]


def test_a_record_that_a_model_refuses_stays_a_dict() -> None:
    codec = bakeoff.codec("pydantic-json/model").with_schema(Schema(PositiveModel, as_objects=True))

    assert {"a": -5} == codec.decode(b'{"a":-5}')
    assert PositiveModel(a=5) == codec.decode(b'{"a":5}')


class Tags(pydantic.RootModel[list[str]]):
    pass


class Whole(pydantic.RootModel[Model]):
    pass


class Pair(typing_extensions.TypedDict):
    first: Tags


class RootModels(pydantic.BaseModel):
    tags: Tags
    maybe: Tags | None
    items: list[Whole]
    named: dict[str, Whole]
    pair: Pair
    either: Tags | int


@dataclasses.dataclass
class RootData:
    tags: Tags
    whole: Whole


@attrs.define
class RootAttrs:
    tags: Tags


class Plain(pydantic.RootModel[list[pydantic.PositiveInt]]):
    pass


class Checked(pydantic.BaseModel):
    plain: Plain


ROOTED: list[Any] = [
    RootModels(
        tags=Tags(["a"]),
        maybe=None,
        items=[Whole(Model(a=1))],
        named={"k": Whole(Model(a=2))},
        pair={"first": Tags(["b"])},
        either=Tags([]),
    ),
    RootData(Tags(["a"]), Whole(Model(a=1))),
    RootAttrs(Tags(["a"])),
]


@pytest.mark.parametrize("name", ["json", "msgpack", "cbor2", "yaml", "bson"])
@pytest.mark.parametrize("made", ROOTED, ids=lambda made: type(made).__name__)
def test_fields_that_are_root_models_come_back(name: str, made: Any) -> None:
    codec = bakeoff.codec(name).with_schema(Schema(type(made), as_objects=True))

    assert made == codec.decode(codec.encode(made))
    assert type(made.tags) is type(codec.decode(codec.encode(made)).tags)


@pytest.mark.parametrize("name", ["avro", "protobuf", "arrow", "thrift", "pydantic-json"])
def test_layouts_build_root_models(name: str) -> None:
    codec = bakeoff.codec(name).with_schema(Schema(RootAttrs, as_objects=True))

    assert RootAttrs(Tags(["a"])) == codec.decode(payload_of(codec, {"tags": ["a"]}))


def test_a_value_that_a_root_model_refuses_leaves_a_dict_with_advice() -> None:
    schema = Schema(Checked, as_objects=True)
    record, advice = schema.advise({"plain": [-1]})

    assert {"plain": [-1]} == record
    assert ["could not"] == [one.outcome for one in advice]


@pytest.mark.parametrize("spec", [Tags, Whole, list[Tags], {"tags": Tags}, Pair])
def test_root_models_outside_of_classes_are_refused_as_objects(spec: Any) -> None:
    with pytest.raises(SchemaError, match="is a RootModel, and built only as the field of a class"):
        Schema(spec, as_objects=True)
    Schema(spec)
