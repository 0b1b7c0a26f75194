"""Objects of classes with fields, with every feature of their libraries, and what their fields hold."""

from __future__ import annotations

import dataclasses
import enum
import functools
import typing
from collections import namedtuple
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import attrs
import msgspec
import pydantic

_Held = TypeVar("_Held")

# dataclasses --------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Plain:
    a: int
    b: Any = "x"


@dataclasses.dataclass(slots=True)
class Slots:
    a: int
    _note: str = "x"


@dataclasses.dataclass
class BelowSlots(Slots):
    c: int = 3
    _more: str = "y"


@dataclasses.dataclass(slots=True)
class SlotsBelowSlots(Slots):
    c: int = 3


@dataclasses.dataclass
class Underscored:
    a: int
    _hidden: int = 5
    __mangled: int = 6


@dataclasses.dataclass
class NotInInit:
    a: int
    total: int = dataclasses.field(init=False, default=0)
    unshown: int = dataclasses.field(repr=False, compare=False, default=4)


@dataclasses.dataclass
class WithInitVar:
    a: int
    factor: dataclasses.InitVar[int] = 2
    scaled: int = dataclasses.field(init=False, default=0)

    def __post_init__(self, factor: int) -> None:
        self.scaled = self.a * factor


@dataclasses.dataclass(kw_only=True, frozen=True)
class KeywordsFrozen:
    a: int
    b: tuple[int, ...] = ()


@dataclasses.dataclass
class WithProperties:
    a: int

    @property
    def double(self) -> int:
        return 2 * self.a

    @functools.cached_property
    def triple(self) -> int:
        return 3 * self.a


@dataclasses.dataclass
class WithClassVariable:
    a: int
    shared = 5


@dataclasses.dataclass
class Iterable:
    a: int

    def __iter__(self) -> Iterator[int]:
        return iter([9])

    def __len__(self) -> int:
        return 7

    def __getitem__(self, key: Any) -> int:
        return 9

    def keys(self) -> list[str]:
        return ["other"]


@dataclasses.dataclass
class Generic(typing.Generic[_Held]):
    held: _Held


@dataclasses.dataclass
class Empty:
    pass


# attrs --------------------------------------------------------------------------------------------------


@attrs.define
class AttrsSlots:
    a: int
    _private: int = 5
    made: int = attrs.field(init=False, default=7)
    aliased: int = attrs.field(default=1, alias="other")


@attrs.define(slots=False)
class AttrsDict:
    a: int
    _private: int = 5

    @functools.cached_property
    def triple(self) -> int:
        return 3 * self.a


@attrs.define
class AttrsBelow(AttrsSlots):
    c: int = 3


@attrs.define(kw_only=True, frozen=True)
class AttrsFrozen:
    a: int
    b: Any = None


# Structs ------------------------------------------------------------------------------------------------


class Struct(msgspec.Struct):
    a: int
    _private: int = 5


class StructBelow(Struct):
    c: int = 3


class StructRenamed(msgspec.Struct, rename="camel"):
    first_name: str
    is_new: bool = True


class StructTagged(msgspec.Struct, tag="kind"):
    a: int


class StructOmits(msgspec.Struct, omit_defaults=True):
    a: int
    b: int = 2
    c: list[int] = []


class StructArray(msgspec.Struct, array_like=True):
    a: int
    b: int = 2


class StructUnset(msgspec.Struct):
    a: int
    b: int | msgspec.UnsetType = msgspec.UNSET


# models -------------------------------------------------------------------------------------------------


class Model(pydantic.BaseModel):
    a: int
    b: Any = None
    _secret: int = pydantic.PrivateAttr(default=5)


class ModelBelow(Model):
    c: int = 3


class ModelAliased(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(populate_by_name=True)
    first: int = pydantic.Field(alias="First", serialization_alias="FIRST")


class ModelDefaultAlias(pydantic.BaseModel):
    first: int = pydantic.Field(default=1, alias="First")


class ModelComputed(pydantic.BaseModel):
    a: int

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return 2 * self.a

    @functools.cached_property
    def triple(self) -> int:
        return 3 * self.a


class ModelExtra(pydantic.BaseModel, extra="allow"):
    a: int


class ModelExcluded(pydantic.BaseModel):
    a: int
    hidden: int = pydantic.Field(default=5, exclude=True)


class ModelRoot(pydantic.RootModel[list[int]]):
    pass


@pydantic.dataclasses.dataclass
class ModelDataclass:
    a: int
    _hidden: int = 5


# named tuples, enumerations -----------------------------------------------------------------------------


class Named(NamedTuple):
    a: int
    b: str = "x"


Pair = namedtuple("Pair", "left right")


class OwnIteration(Pair):
    def __iter__(self) -> Iterator[int]:
        return iter([9])

    def __len__(self) -> int:
        return 5


class Word(enum.Enum):
    A = "a"


class Number(enum.Enum):
    ONE = 1


class Strings(enum.StrEnum):
    A = "a"


class Ints(enum.IntEnum):
    FIVE = 5


class Mixed(str, enum.Enum):  # noqa: UP042 - the form before StrEnum
    A = "text"

    def __str__(self) -> str:
        return "other"


class Flags(enum.Flag):
    X = 1
    Y = 2


class IntFlags(enum.IntFlag):
    X = 1
    Y = 4


class Tuples(enum.Enum):
    PAIR = (1, "a")


class Floats(float, enum.Enum):
    HALF = 0.5


class Coded(int, enum.Enum):
    """Its value is not the number that it is."""

    def __new__(cls, number: int, value: int) -> Coded:
        made = int.__new__(cls, number)
        made._value_ = value
        return made

    ONE = 1, 101


class Worded(str, enum.Enum):  # noqa: UP042 - the form before StrEnum
    def __new__(cls, text: str, value: str) -> Worded:
        made = str.__new__(cls, text)
        made._value_ = value
        return made

    ONE = "one", "eins"


class Lying(enum.IntEnum):
    FIVE = 5

    def __int__(self) -> int:
        return 9

    __index__ = __int__


class Bytes(bytes, enum.Enum):
    B = b"\xff"


def _touched(value: Any) -> Any:
    value.triple  # noqa: B018 - a cached property is stored with the fields
    return value


def objects() -> Iterator[tuple[str, Any, Any]]:
    """Yield kinds, objects, and their plain values."""
    total = NotInInit(1)
    total.total = 9
    late = Plain(1)
    late.extra = 5  # type: ignore[attr-defined]
    yield "dataclass", Plain(1, [2]), {"a": 1, "b": [2]}
    yield "dataclass with another attribute", late, {"a": 1, "b": "x"}
    yield "dataclass with slots", Slots(1, "kept"), {"a": 1, "_note": "kept"}
    yield (
        "dataclass below slots",
        BelowSlots(1, "kept", 4, "z"),
        {"a": 1, "_note": "kept", "c": 4, "_more": "z"},
    )
    yield "slots below slots", SlotsBelowSlots(1, "kept", 4), {"a": 1, "_note": "kept", "c": 4}
    yield "dataclass with _", Underscored(1, 7, 8), {"a": 1, "_hidden": 7, "_Underscored__mangled": 8}
    yield "dataclass with init=False", total, {"a": 1, "total": 9, "unshown": 4}
    yield "dataclass with a default of its class", NotInInit(1), {"a": 1, "total": 0, "unshown": 4}
    yield "dataclass with InitVar", WithInitVar(2, 5), {"a": 2, "scaled": 10}
    yield "frozen dataclass", KeywordsFrozen(a=1, b=(2,)), {"a": 1, "b": (2,)}
    yield "dataclass with properties", _touched(WithProperties(2)), {"a": 2}
    yield "dataclass with a class variable", WithClassVariable(1), {"a": 1}
    yield "dataclass with methods of containers", Iterable(1), {"a": 1}
    yield "empty dataclass", Empty(), {}
    yield "attrs with slots", AttrsSlots(1, 6), {"a": 1, "_private": 6, "made": 7, "aliased": 1}
    yield "attrs without slots", _touched(AttrsDict(1, 6)), {"a": 1, "_private": 6}
    yield (
        "attrs below attrs",
        AttrsBelow(1, 6, 2, 4),
        {"a": 1, "_private": 6, "made": 7, "aliased": 2, "c": 4},
    )
    yield "frozen attrs", AttrsFrozen(a=1, b=[1]), {"a": 1, "b": [1]}
    yield "Struct", Struct(1, 6), {"a": 1, "_private": 6}
    yield "Struct below Struct", StructBelow(1, 6, 4), {"a": 1, "_private": 6, "c": 4}
    yield "Struct with other keys", StructRenamed("x"), {"firstName": "x", "isNew": True}
    yield "tagged Struct", StructTagged(1), {"type": "kind", "a": 1}
    yield "Struct without defaults", StructOmits(1), {"a": 1}
    yield "Struct with others than defaults", StructOmits(1, 3, [1]), {"a": 1, "b": 3, "c": [1]}
    yield "Struct as an array", StructArray(1), [1, 2]
    yield "Struct with UNSET", StructUnset(1), {"a": 1}
    yield "model", Model(a=1, b=[2]), {"a": 1, "b": [2]}
    yield "model below model", ModelBelow(a=1, b="é", c=4), {"a": 1, "b": "é", "c": 4}
    yield "model with an alias", ModelAliased(First=1), {"FIRST": 1}
    yield "model with an alias and a default", ModelDefaultAlias(First=2), {"First": 2}
    yield "model with computed fields", _touched(ModelComputed(a=2)), {"a": 2}
    yield "model with extra fields", ModelExtra(a=1, z=[2]), {"a": 1, "z": [2]}  # type: ignore[call-arg]
    yield "model with an excluded field", ModelExcluded(a=1), {"a": 1, "hidden": 5}
    yield "root model", ModelRoot([1, 2]), [1, 2]
    yield "dataclass of pydantic", ModelDataclass(1, 6), {"a": 1, "_hidden": 6}
    yield "NamedTuple", Named(1), (1, "x")
    yield "namedtuple", Pair(1, [2]), (1, [2])
    yield "namedtuple with methods", OwnIteration(1, 2), (1, 2)
    for member in (Word.A, Number.ONE, Strings.A, Ints.FIVE, Mixed.A, Flags.X, Flags.X | Flags.Y, IntFlags.Y,
                   IntFlags.X | IntFlags.Y, Tuples.PAIR, Floats.HALF, Bytes.B):  # fmt: skip
        yield f"enum {type(member).__name__}", member, member.value
    yield "enum with methods", Lying.FIVE, 5
    yield "enum that is a number with another value", Coded.ONE, 101
    yield "enum that is a text with another value", Worded.ONE, "eins"
