"""Classes whose objects are not just their fields: aliases, code of their own, fields without an argument."""

from __future__ import annotations

import dataclasses
import decimal
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs
import msgspec
import pydantic
import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs import Codec, EncodeError
from bakeoff.codecs.conventions.classes import opened
from bakeoff.codecs.conventions.notes import UNSET_FIELDS
from bakeoff.codecs.formats.json import EXCLUDED
from bakeoff.codecs.formats.structs import ATTRIBUTES, RUN_AGAIN
from bakeoff.schemas import Schema, SchemaError


class SwappedModel(pydantic.BaseModel):
    a: int = pydantic.Field(alias="b")
    b: int = pydantic.Field(alias="a")


class BorrowedModel(pydantic.BaseModel):
    """One field is read by the name of the other."""

    a: int = pydantic.Field(validation_alias="b")
    b: int = pydantic.Field(default=0, validation_alias="c")


class OneKeyModel(pydantic.BaseModel):
    """Both fields have one alias, so that pydantic itself writes one of them."""

    a: int = pydantic.Field(alias="b")
    b: int = 0


class ChoiceModel(pydantic.BaseModel):
    a: int = pydantic.Field(validation_alias=pydantic.AliasChoices("x", "b"))
    b: int = 2


class PostModel(pydantic.BaseModel):
    a: int

    def model_post_init(self, _: Any) -> None:
        self.a += 1


class ExcludingModel(pydantic.BaseModel):
    a: int = pydantic.Field(default=1, exclude=True)


@pydantic.dataclasses.dataclass
class AliasData:
    a: int
    b: int = pydantic.Field(default=3, alias="c")


@pydantic.dataclasses.dataclass
class SwappedData:
    a: int = pydantic.Field(alias="b")
    b: int = pydantic.Field(alias="a")


@dataclasses.dataclass
class PostData:
    a: int

    def __post_init__(self) -> None:
        self.a += 1


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenPostData:
    a: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", self.a + 1)


@dataclasses.dataclass(init=False)
class OwnInitData:
    a: int

    def __init__(self, a: int) -> None:
        self.a = a + 1


@dataclasses.dataclass
class LateData:
    a: int
    b: int = dataclasses.field(init=False, default=3)


@attrs.define
class SwappedAttrs:
    a: int = attrs.field(alias="b")
    b: int = attrs.field(alias="a")


@attrs.define
class PrivateAttrs:
    _a: int


@attrs.define
class LatePrivateAttrs:
    _a: int = attrs.field(init=False, default=3)


def add_one(value: int) -> int:
    return value + 1


@attrs.define
class ConvertingAttrs:
    a: int = attrs.field(converter=add_one)


@attrs.frozen
class PostAttrs:
    a: int

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "a", self.a + 1)


RUNS: list[str] = []
"""What code of the classes below was called with."""


def more(tags: list[str]) -> list[str]:
    RUNS.append(repr(tags))
    tags.append("more")
    return tags


@dataclasses.dataclass
class MoreData:
    tags: list[str]
    by_name: dict[str, list[str]]

    def __post_init__(self) -> None:
        self.by_name["a"] = more(self.tags)[1:]
        self.by_name["b"].append("more")


@dataclasses.dataclass(init=False)
class MoreInitData:
    tags: list[str]

    def __init__(self, tags: list[str]) -> None:
        self.tags = more(tags)


@dataclasses.dataclass
class SettingData:
    a: int

    def __setattr__(self, name: str, value: Any) -> None:
        RUNS.append(name)
        super().__setattr__(name, value + 1)


@attrs.define
class MoreAttrs:
    tags: list[str]

    def __attrs_post_init__(self) -> None:
        more(self.tags)


@attrs.define
class ConvertingMoreAttrs:
    tags: list[str] = attrs.field(converter=more)


def validate(_: Any, __: Any, tags: list[str]) -> None:
    more(tags)


@attrs.define
class ValidatingAttrs:
    tags: list[str] = attrs.field(validator=validate)


class MoreStruct(msgspec.Struct):
    tags: list[str]

    def __post_init__(self) -> None:
        more(self.tags)


class MoreModel(pydantic.BaseModel):
    tags: list[str]

    def model_post_init(self, _: Any) -> None:
        more(self.tags)


class ValidatingModel(pydantic.BaseModel):
    tags: list[str]

    @pydantic.model_validator(mode="after")
    def validate_tags(self) -> ValidatingModel:
        more(self.tags)
        return self


class SwappedStruct(msgspec.Struct, rename={"a": "b", "b": "a"}):
    a: int
    b: int


class PostStruct(msgspec.Struct, frozen=True):
    a: int

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "a", self.a + 1)


class RowStruct(msgspec.Struct, array_like=True):
    a: int
    b: decimal.Decimal = decimal.Decimal("0.00")


class TaggedRowStruct(msgspec.Struct, array_like=True, tag=True):
    a: int
    b: int = 2


class Row(NamedTuple):
    a: int
    b: str = "x"
    c: decimal.Decimal | None = None


def changed(value: Any, **fields: int) -> Any:
    """Return an object whose fields were set after it was made."""
    for name, field in fields.items():
        setattr(value, name, field)
    return value


OBJECTS: dict[str, Callable[[], Any]] = {
    "swapped model": lambda: SwappedModel(b=1, a=2),
    "borrowed model": lambda: BorrowedModel(b=1, c=2),  # type: ignore[call-arg]
    "one key": lambda: changed(OneKeyModel(b=1), b=7),
    "choice model": lambda: ChoiceModel(x=1, b=7),  # type: ignore[call-arg]
    "post model": lambda: PostModel(a=1),
    "excluding model": lambda: ExcludingModel(a=7),
    "alias data": lambda: AliasData(a=1, c=7),
    "swapped data": lambda: SwappedData(b=1, a=2),
    "post data": lambda: PostData(1),
    "frozen post data": lambda: FrozenPostData(1),
    "own init": lambda: OwnInitData(1),
    "late data": lambda: changed(LateData(1), b=7),
    "swapped attrs": lambda: SwappedAttrs(b=1, a=2),
    "private attrs": lambda: PrivateAttrs(7),
    "late private attrs": lambda: changed(LatePrivateAttrs(), _a=7),
    "converting attrs": lambda: ConvertingAttrs(1),
    "post attrs": lambda: PostAttrs(1),
    "swapped struct": lambda: SwappedStruct(1, 2),
    "post struct": lambda: PostStruct(1),
    "more data": lambda: MoreData(["a"], {"b": []}),
    "more init": lambda: MoreInitData(["a"]),
    "setting data": lambda: SettingData(1),
    "more attrs": lambda: MoreAttrs(["a"]),
    "converting more": lambda: ConvertingMoreAttrs(["a"]),
    "validating attrs": lambda: ValidatingAttrs(["a"]),
    "more struct": lambda: MoreStruct(["a"]),
    "more model": lambda: MoreModel(tags=["a"]),
    "validating model": lambda: ValidatingModel(tags=["a"]),
    "row struct": lambda: RowStruct(1, decimal.Decimal("1.5")),
    "tagged row struct": lambda: TaggedRowStruct(1),
    "row": lambda: Row(1),
    "row with all": lambda: Row(1, "y", decimal.Decimal("2.5")),
}
DECLARED = {
    "excluding model": EXCLUDED,
    "late data": UNSET_FIELDS,
    "private attrs": ATTRIBUTES,
    "late private attrs": ATTRIBUTES,
    **dict.fromkeys(("post model", "post data", "frozen post data", "own init"), RUN_AGAIN),
    **dict.fromkeys(("converting attrs", "post attrs", "post struct"), RUN_AGAIN),
    **dict.fromkeys(("more data", "more init", "setting data", "more attrs", "converting more"), RUN_AGAIN),
    **dict.fromkeys(("validating attrs", "more struct", "more model", "validating model"), RUN_AGAIN),
}
"""Objects that a codec may read otherwise, if it declares this loss."""
PICKLED_BY_CALLS = {"post struct", "more struct"}
"""msgspec has pickle call the class."""
READING = codecs.available(needs_schema=True)


def bound(name: str, schema: Schema) -> Codec:
    if codecs.describe(name).needs_schema:
        return bakeoff.codec(name, schema=schema)
    return bakeoff.codec(name, trusted=True).with_schema(schema)


@pytest.mark.slow
@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_comes_back_or_is_refused(name: str, kind: str) -> None:
    value = OBJECTS[kind]()
    try:
        codec = bound(name, Schema(type(value), as_objects=True))
        payload = codec.encode(value)
    except (SchemaError, EncodeError):
        return

    if codec.bound is not None and codec.bound.give is not None:
        # Records are objects of the library, and the user's own are written as such.
        plain = tuple(value) if isinstance(value, tuple) else opened(value)
        assert first_difference(plain, codec.bound.give(codec.decode(payload))) is None
    elif kind not in PICKLED_BY_CALLS or codec.format != "pickle":
        assert first_difference(value, codec.decode(payload)) is None or DECLARED.get(kind) in codec.losses


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("made", OBJECTS.values(), ids=OBJECTS.keys())
def test_a_schema_builds_what_was_written(made: Callable[[], Any], nested: bool) -> None:
    value = {"each": [made()]} if nested else made()
    schema = Schema({"each": list[type(made())]} if nested else type(value), as_objects=True)  # type: ignore[misc]

    for name in ("json", "msgpack"):
        codec = bakeoff.codec(name).with_schema(schema)
        assert first_difference(value, codec.decode(codec.encode(value))) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", READING)
def test_code_of_a_class_runs_once_for_each_object(name: str) -> None:
    for made in OBJECTS.values():
        RUNS.clear()
        value = made()
        calls = [*RUNS]
        for kind, record in ((type(value), value), (list[type(value)], [value])):  # type: ignore[misc]
            RUNS.clear()
            try:
                codec = bound(name, Schema(kind, as_objects=True))
                payload = codec.encode(record)
            except (SchemaError, EncodeError):
                continue
            assert [] == RUNS

            codec.decode(payload)

            assert len(RUNS) in (0, len(calls))


def test_another_type_that_a_class_makes_is_kept() -> None:
    """A list of a sequence that the class keeps as a tuple stays one."""

    @attrs.frozen
    class Tags:
        tags: list[str] = attrs.field(converter=tuple)

    codec = bakeoff.codec("json").with_schema(Schema(Tags, as_objects=True))

    assert ("a", "b") == codec.decode(codec.encode(Tags(["a", "b"]))).tags  # type: ignore[list-item]


@dataclasses.dataclass
class Tree:
    value: frozenset[int]
    below: list[Tree] = dataclasses.field(default_factory=list)


@pytest.mark.parametrize("name", READING)
def test_objects_within_objects_of_their_class_come_back(name: str) -> None:
    value = Tree(frozenset(), [Tree(frozenset({1}), [Tree(frozenset({2}))])])
    try:
        codec = bound(name, Schema(Tree, as_objects=True))
        payload = codec.encode(value)
    except (SchemaError, EncodeError):
        return

    assert value == codec.decode(payload)
