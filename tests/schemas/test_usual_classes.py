"""Declarations that real classes have: generic ones, members of enums, msgspec's UNSET, validated texts."""

from __future__ import annotations

import datetime as dt
import enum
import ipaddress
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import pytest

from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import codec
from bakeoff.schemas import Schema

msgspec = pytest.importorskip("msgspec", reason="missing here: msgspec; pip install 'bakeoff[msgspec]'")
pydantic = pytest.importorskip("pydantic", reason="missing here: pydantic; pip install 'bakeoff[pydantic]'")

T = TypeVar("T")
WHEN = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
CODECS = ("json", "msgpack", "msgspec-json/struct", "pydantic-json", "avro", "protobuf", "thrift", "bson")


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


@dataclass
class Page(Generic[T]):
    first: T
    items: list[T]


class Pair(NamedTuple, Generic[T]):
    a: T
    b: T


class Box(msgspec.Struct, Generic[T]):  # type: ignore[misc]
    held: T


class Link(TypedDict, Generic[T]):
    value: T
    next: Link[T] | None


@dataclass
class Days(Page[dt.datetime]):
    name: str = ""


@dataclass
class Report:
    days: Page[dt.datetime]
    names: Page[str]
    nested: Page[Box[dt.datetime]]


class Unset(msgspec.Struct):  # type: ignore[misc]
    a: int | msgspec.UnsetType = msgspec.UNSET
    b: int = 0


OBJECTS: list[tuple[Any, Any]] = [
    (Page[dt.datetime], Page(WHEN, [WHEN])),
    (Page[int], Page(1, [2])),
    (Page[Page[dt.datetime]], Page(Page(WHEN, []), [])),
    (Pair[dt.datetime], Pair(WHEN, WHEN)),
    (Box[dt.datetime], Box(WHEN)),
    (Days, Days(WHEN, [WHEN], "x")),
    (Report, Report(Page(WHEN, []), Page("2020-01-01T00:00:00Z", []), Page(Box(WHEN), [Box(WHEN)]))),
    (Unset, Unset(a=1)),
]


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize(("declared", "value"), OBJECTS, ids=lambda each: str(each)[:40])
def test_objects_come_back(declared: Any, value: Any, name: str) -> None:
    one = codec(name, schema=Schema(declared, as_objects=True))

    assert equal(value, one.decode(one.encode(value)))


@pytest.mark.parametrize("name", [name for name in CODECS if "/" not in name])
def test_a_generic_record_in_itself(name: str) -> None:
    record = {"value": WHEN, "next": {"value": WHEN, "next": None}}
    one = codec(name, schema=Schema(Link[dt.datetime]))

    assert equal(record, one.decode(one.encode(record)))


def test_names_of_generic_records_have_their_arguments() -> None:
    assert "PageInt" == str(Schema(Page[int]).types)
    assert "class PageDatetime(TypedDict):" in Schema(Report).to_python()


@pytest.mark.parametrize(
    "declared", [Literal[Color.RED], Literal[Color.RED, "x"], Literal[Color.RED, Color.BLUE, None]]
)
def test_members_of_enums_are_literals(declared: Any) -> None:
    one = codec("json", schema=Schema({"a": declared}))

    assert {"a": Color.RED} == one.decode(one.encode({"a": Color.RED}))


def test_a_field_that_may_be_unset_is_optional() -> None:
    one = codec("json", schema=Schema(Unset))

    assert b'{"b":0}' == one.encode(Unset())
    assert {"b": 0} == one.decode(one.encode(Unset()))


@pytest.mark.parametrize(
    "kind",
    [
        ipaddress.IPv4Address,
        ipaddress.IPv6Network,
        pathlib.Path,
        pathlib.PurePosixPath,
        pydantic.HttpUrl,
        pydantic.AnyUrl,
        pydantic.SecretStr,
    ],
)
def test_a_type_that_codecs_lack_does_not_refuse_its_record(kind: Callable[..., Any]) -> None:
    """The field is any value; its text is left alone."""
    one = codec("json", schema=Schema({"at": dt.datetime, "place": kind}))
    record = {"at": WHEN, "place": "127.0.0.1"}

    assert record == one.decode(one.encode(record))
