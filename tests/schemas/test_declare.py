"""Declarations of schemas, and the errors for invalid ones."""

from __future__ import annotations

import datetime as dt
import enum
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, Required, TypedDict
from uuid import UUID

import msgspec
import pydantic
import pytest

from bakeoff.errors import UsageError
from bakeoff.schemas import Hint, Schema, SchemaError
from bakeoff.schemas.tree import types as t

Price = NewType("Price", Decimal)


class Base(TypedDict):
    id: int


class Movie(Base, total=False):
    title: Required[str]
    year: int


class Later(TypedDict):
    id: int
    note: NotRequired[str]


@dataclass
class Point:
    x: int
    y: float = 0.0
    tags: list[str] = field(default_factory=list)


class Pair(NamedTuple):
    left: str
    right: int | None = None


class Other(NamedTuple):
    left: int


class Event(msgspec.Struct, rename="camel"):
    event_id: UUID
    made_at: dt.datetime = msgspec.field(default_factory=dt.datetime.now)


class Model(pydantic.BaseModel):
    name: str
    price: Decimal = pydantic.Field(default=Decimal(0), alias="thePrice")


def fields(spec: Any) -> list[tuple[str, str, bool]]:
    described = Schema(spec).types
    assert isinstance(described, t.RecordType)
    return [(item.name, str(item.type), item.required) for item in described.fields]


def test_typed_dict() -> None:
    assert fields(Movie) == [("id", "int", True), ("title", "str", True), ("year", "int", False)]
    assert fields(Later) == [("id", "int", True), ("note", "str", False)]


def test_classes() -> None:
    assert fields(Point) == [("x", "int", True), ("y", "float", False), ("tags", "list", False)]
    assert fields(Pair) == [("left", "str", True), ("right", "int | None", False)]
    assert fields(Event) == [("eventId", "UUID", True), ("madeAt", "datetime", False)]
    assert fields(Model) == [("name", "str", True), ("thePrice", "Decimal", False)]


def test_a_root_model_is_what_it_holds() -> None:
    root = pydantic.RootModel[Annotated[bytes, Hint(encoding="hex")]]

    assert Schema({"raw": root}).apply({"raw": "00ff"}) == {"raw": b"\x00\xff"}


def test_plain_dict() -> None:
    schema = Schema({"a": {"b": [int]}, "c": list[dict[str, Decimal]]})

    assert [path for path, _ in t.walk(schema.types)][:4] == ["$", "$.a", "$.a.b", "$.a.b[]"]
    assert str(schema.types) == "Record"


def test_abstract_types() -> None:
    assert fields({"a": Sequence[int], "b": Mapping[str, int], "c": Price, "d": Literal[1, "x"]}) == [
        ("a", "list", True),
        ("b", "dict", True),
        ("c", "Decimal", True),
        ("d", "1 | 'x'", True),
    ]


def test_unions() -> None:
    assert fields({"a": list[int] | Sequence[int] | None}) == [("a", "list | None", True)]
    assert fields({"a": list[int] | tuple[int, ...] | set[int] | dict[str, int] | Movie}) == [
        ("a", "list | tuple | set | dict | Movie", True)
    ]
    assert fields({"a": tuple[int] | tuple[int, int]}) == [("a", "tuple | tuple", True)]


def test_hints() -> None:
    schema = Schema(
        {
            "a": Annotated[dt.datetime | None, Hint(epoch="ms")],
            "b": Annotated[bytes, Hint(encoding="hex")],
            "c": Annotated[int, Hint(severity="note")],
        }
    )
    record, advice = schema.advise({"a": 1_700_000_000_123, "b": "00ff", "c": "x"})

    assert record["a"] == dt.datetime(2023, 11, 14, 22, 13, 20, 123000, tzinfo=dt.UTC)
    assert record["b"] == b"\x00\xff"
    assert [(a.path, a.severity) for a in advice][-1] == ("$.c", "note")


@pytest.mark.parametrize(
    ("kind", "severities"),
    [
        (Annotated[int, Hint(severity="note")] | None, ["note"]),
        (Annotated[int | None, Hint(severity="note")], ["note"]),
        (Annotated[Annotated[int, Hint(severity="note")] | None, Hint(big=True)], ["note"]),
        (Annotated[Annotated[int, Hint(severity="note")], Hint(severity="ignore")], []),
        (Annotated[Annotated[int, Hint(severity="note")] | None, Hint(severity="ignore")], []),
        (Annotated[NotRequired[Annotated[int, Hint(severity="error")]], Hint(severity="ignore")], []),
    ],
)
def test_severity_is_the_fields(kind: Any, severities: list[str]) -> None:
    assert [a.severity for a in Schema({"a": kind}).advise({"a": "x"})[1]] == severities


@pytest.mark.slow
def test_qualifiers_of_the_other_module() -> None:
    """ReadOnly of typing_extensions is known, even if that is imported late."""
    code = """
import sys
sys.modules.pop("typing_extensions", None)
import bakeoff.schemas
assert "typing_extensions" not in sys.modules
from typing_extensions import ReadOnly, Required, TypedDict
class Row(TypedDict, total=False):
    id: Required[ReadOnly[int]]
print(bakeoff.schemas.Schema(Row).types.fields[0].type, bakeoff.schemas.Schema(Row).types.fields[0].required)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout == "int True\n", done.stderr


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


class Socket:
    pass


class Broken(TypedDict):
    value: Missing  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("spec", "path", "words"),
    [
        ({"a": ENDLESS}, "$.a[]", "contains itself but is not a record"),
        ({"a": [{"b": Socket}]}, "$.a[].b", "unsupported type `Socket`"),
        (Broken, "$", "Missing"),
        ({"a": set[list[int]]}, "$.a[]", "not hashable"),
        ({"a": dict[Point, int]}, "$.a{key}", "cannot be the key of a map"),
        ({1: int}, "$", "a field is named by text"),
        ({"a": [int, str]}, "$.a", "holds the one"),
        ({"a": "int"}, "$.a", "not resolved"),
        ({"a": Annotated[str, Hint(epoch="s")]}, "$.a", "has no epoch"),
        ({"a": list[Annotated[int, Hint(severity="note")]]}, "$.a[]", "on a whole field"),
        ({"a": Annotated[int, Hint(severity="note")] | str}, "$.a", "on a whole field"),
        ({"a": list[Annotated[int, Hint(severity="note")] | str]}, "$.a[]", "on a whole field"),
        (Annotated[Movie, Hint(severity="note")], "$", "on a whole field"),
        ({"a": Literal[b"x"]}, "$.a", "Literal"),
        ({"a": list[int] | list[str]}, "$.a", "`list` and `list` cannot be distinguished"),
        (
            {"a": [dict[str, int] | None | dict[int, int]]},
            "$.a[]",
            "`dict` and `dict` cannot be distinguished",
        ),
        ({"a": tuple[int, ...] | tuple[str, str]}, "$.a", "`tuple` and `tuple` cannot be distinguished"),
        ({"a": Pair | Other}, "$.a", "`Pair` and `Other` cannot be distinguished"),
        (42, "$", "unsupported type `42`"),
    ],
)
def test_schemas_that_do_not_compile(spec: Any, path: str, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema(spec)

    assert caught.value.path == path
    assert words in str(caught.value)
    assert isinstance(caught.value, UsageError)
    assert isinstance(caught.value, ValueError)


def test_depth_is_limited() -> None:
    """A schema deeper than 64 levels is refused, so that no plan can exhaust the stack."""
    kind: Any = int
    for _ in range(100):
        kind = list[kind]
    with pytest.raises(SchemaError, match="nested more than 64"):
        Schema(kind)


def test_bad_hints() -> None:
    with pytest.raises(ValueError, match="epoch is one of 's', 'ms', 'us', 'ns', got 'minutes'"):
        Hint(epoch="minutes")  # type: ignore[arg-type]


def test_the_tree_is_stable() -> None:
    schema = Schema(Movie)

    assert Schema(schema.types) == schema
    assert Schema(schema) == schema
    assert hash(Schema(Movie)) == hash(schema)


class Shade(enum.Enum):
    DARK = 1


def test_every_kind_has_a_name() -> None:
    kinds = {"a": complex, "b": Shade, "c": frozenset[int], "d": tuple[int, ...], "e": bytearray, "f": None}

    found = [name for _, name, _ in fields(kinds)]

    assert found == ["complex", "Shade", "frozenset", "tuple", "bytearray", "None"]
