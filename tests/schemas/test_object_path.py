"""Objects are treated like dicts of their fields, by every codec that needs a schema."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import attrs
import msgspec
import pydantic
import pytest

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
