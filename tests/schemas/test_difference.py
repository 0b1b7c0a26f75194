"""Changes between two versions of a schema: each one is found with its kind, and can be applied alone."""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

import kinds
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import Schema
from bakeoff.schemas.difference import RULES, Kinds, SchemaDifference, compare
from bakeoff.schemas.tree import types as t


def version(**fields: Any) -> Schema:
    return Schema(TypedDict("Order", fields))  # type: ignore[operator]


def changes(old: Schema, new: Schema, **renamed: str) -> list[tuple[str, str]]:
    return [(change.kind, change.words) for change in compare(old, new, renamed).changes]


class Word(enum.Enum):
    RED = "red"


class Words(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Place(NamedTuple):
    x: int
    y: int


class Finer(NamedTuple):
    x: int
    y: float


class Address(TypedDict):
    street: str


class Longer(Address):
    zip: str


@pytest.mark.slow
@given(kinds.declared())
def test_a_schema_does_not_differ_from_itself(declared: tuple[dict[str, Any], dict[str, Any]]) -> None:
    assert compare(Schema(declared[0]), Schema(declared[0])).changes == ()


SINGLE = [
    ({"a": int}, {"a": int, "b": str}, [("added", "$.b (str)")]),
    ({"a": int}, {"a": int, "b": NotRequired[str]}, [("added", "$.b (str (optional))")]),
    ({"a": int, "b": str}, {"a": int}, [("removed", "$.b (str)")]),
    ({"a": int, "b": str}, {"b": str, "a": int}, [("reordered", "$ (a, b -> b, a)")]),
    ({"a": int}, {"a": NotRequired[int]}, [("optional", "$.a")]),
    ({"a": NotRequired[int]}, {"a": int}, [("required", "$.a")]),
    ({"a": int}, {"a": float}, [("widened", "$.a (int -> float)")]),
    ({"a": float}, {"a": int}, [("narrowed", "$.a (float -> int)")]),
    ({"a": int}, {"a": int | None}, [("widened", "$.a (int -> int | None)")]),
    ({"a": str | None}, {"a": str}, [("narrowed", "$.a (str | None -> str)")]),
    ({"a": int}, {"a": int | str}, [("widened", "$.a (int -> int | str)")]),
    ({"a": int | str}, {"a": str | int | bytes}, [("widened", "$.a (int | str -> str | int | bytes)")]),
    ({"a": Literal["x"]}, {"a": Literal["x", "y"]}, [("widened", "$.a ('x' -> 'x' | 'y')")]),
    ({"a": Literal["x"]}, {"a": str}, [("widened", "$.a ('x' -> str)")]),
    ({"a": Word}, {"a": Words}, [("widened", "$.a (Word(red) -> Words(red, blue))")]),
    ({"a": Words}, {"a": Word}, [("narrowed", "$.a (Words(red, blue) -> Word(red))")]),
    ({"a": int}, {"a": str}, [("retyped", "$.a (int -> str)")]),
    ({"a": list[int]}, {"a": set[int]}, [("retyped", "$.a (list[int] -> set[int])")]),
    ({"a": list[int]}, {"a": list[float]}, [("widened", "$.a[] (int -> float)")]),
    ({"a": dict[str, int]}, {"a": dict[str, float]}, [("widened", "$.a{} (int -> float)")]),
    ({"a": tuple[int, int]}, {"a": tuple[int, float]}, [("widened", "$.a[1] (int -> float)")]),
    ({"a": tuple[int]}, {"a": tuple[int, str]}, [("added", "$.a[1] (str)")]),
]


def test_every_kind_of_change_has_a_case_and_its_rules() -> None:
    """Except for what a comparison of declarations cannot see: new names, and numbers of definitions."""
    every = set(typing.get_args(Kinds))

    assert every == set(RULES)
    assert every - {"renamed", "renumbered"} == {kind for *_, ((kind, _),) in SINGLE}


@pytest.mark.parametrize(("old", "new", "expected"), SINGLE)
def test_every_single_change_is_found_by_its_kind(
    old: dict[str, Any], new: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = compare(version(**old), version(**new))

    assert [(change.kind, change.words) for change in found.changes] == expected
    alone = found.alone(found.changes[0])
    assert alone is not None
    assert compare(alone, found.new).changes == ()


def test_renames_are_told_never_guessed() -> None:
    old, new = version(name=str, age=int), version(title=str, age=int)

    assert changes(old, new) == [("removed", "$.name (str)"), ("added", "$.title (str)")]
    assert [(a.path, b.path) for a, b in compare(old, new).suspects()] == [("$.name", "$.title")]
    assert changes(old, new, name="title") == [("renamed", "$.name to title")]
    assert changes(old, version(name=str, age=int, title=str), name="title") == [("added", "$.title (str)")]


def numbered(difference: SchemaDifference) -> dict[str | int, tuple[str, int]]:
    root: Any = difference.new.layout.root
    return {slot.key: (slot.name, slot.number) for slot in root.slots}


def test_what_has_stayed_keeps_its_number() -> None:
    found = compare(
        version(id=int, name=str, note=str, price=int),
        version(price=float, title=str, id=int),
        {"name": "title"},
    )

    assert numbered(found) == {"price": ("price", 5), "title": ("title", 2), "id": ("id", 1)}


def test_a_record_is_changed_wherever_it_stands() -> None:
    found = compare(version(home=Address, work=list[Address]), version(home=Longer, work=list[Longer]))

    assert [str(change) for change in found.changes] == ["added $.home.zip (str)"]
    alone = found.alone(found.changes[0])
    assert alone is not None
    assert [path for path, _ in t.walk(alone.types)] == [
        "$", "$.home", "$.home.street", "$.home.zip", "$.work", "$.work[]", "$.work[].street", "$.work[].zip",
    ]  # fmt: skip


def test_a_named_tuple_cannot_change_by_parts() -> None:
    """Its class says all of it, so no change of it is had alone."""
    found = compare(version(at=Place), version(at=Finer))

    assert [change.words for change in found.changes] == ["$.at[1] (int -> float)"]
    assert found.alone(found.changes[0]) is None


EDITS: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    lambda fields: {"new": str, **fields},
    lambda fields: dict(list(fields.items())[1:]),
    lambda fields: {name: NotRequired[kind] for name, kind in fields.items()},
    lambda fields: {name: list[kind] for name, kind in fields.items()},  # type: ignore[valid-type]
    lambda fields: dict(reversed(fields.items())),
]


@pytest.mark.slow
@given(kinds.declared(), st.sampled_from(EDITS))
def test_each_change_alone_is_one_step(
    declared: tuple[dict[str, Any], dict[str, Any]], edit: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    found = compare(version(**declared[0]), version(**edit(declared[0])))

    for change in found.changes:
        if (alone := found.alone(change)) is not None:
            assert [str(step) for step in compare(found.old, alone).changes] == [str(change)]


@pytest.mark.slow
def test_numbers_of_both_versions_count() -> None:
    """Two fields that trade numbers are others than they were, and neither does so alone."""
    proto = 'syntax = "proto3"; message Order { string a = %d; string b = %d; }'
    old, new = (Schema.of_definition((proto % numbers).encode(), "protobuf") for numbers in ((1, 2), (2, 1)))
    found = compare(old, new)

    assert [str(change) for change in found.changes] == ["renumbered $.a (1 -> 2)", "renumbered $.b (2 -> 1)"]
    assert [found.alone(change) for change in found.changes] == [None, None]
    renamed = Schema.of_definition((proto % (1, 2)).replace(" b ", " c ").encode(), "protobuf")
    assert [str(change) for change in compare(old, renamed).changes] == ["renamed $.b to c"]
