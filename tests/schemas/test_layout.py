"""The layout of records in formats that need a schema: derived once, with permanent numbers."""

from __future__ import annotations

import copy
import enum
import pickle
from dataclasses import replace
from typing import Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.datasets import corpus, names
from bakeoff.schemas import Schema, SchemaError
from bakeoff.schemas.tree import types as t
from bakeoff.schemas.wire.derive import derive
from bakeoff.schemas.wire.keep import keep
from bakeoff.schemas.wire.languages import LANGUAGES, UNREAD
from bakeoff.schemas.wire.layout import (
    Layout,
    Leaf,
    Nullable,
    WireField,
    WireRecord,
    WireUnion,
    types_of,
)


class Line(TypedDict):
    sku: str
    discount: NotRequired[float | None]


class Order(TypedDict):
    number: int
    first: Line
    lines: list[Line]
    state: Literal["new", "paid"] | None
    value: int | str | list[int]
    by_day: dict[int, float]
    anything: Any
    nothing: None


def slots(layout: Layout) -> dict[str | int, WireField]:
    assert isinstance(layout.root, WireRecord)
    return {slot.key: slot for slot in layout.root.slots}


def test_fields_are_numbered_in_order_and_types_named_once() -> None:
    layout = Schema(Order).layout

    assert [slot.number for slot in slots(layout).values()] == list(range(1, 9))
    line, order = layout.records()
    assert (line.name, order.name) == ("Line", "Order")
    assert [(s.key, s.number, s.required, s.null) for s in line.slots] == [
        ("sku", 1, True, 0),
        ("discount", 2, False, 3),
    ]
    found = slots(layout)
    assert found["state"].kind == Nullable(Leaf("text", t.LiteralType(("new", "paid"))))
    assert isinstance(found["value"].kind, WireUnion)
    assert [option.number for option in found["value"].kind.options] == [1, 2, 3]
    assert found["anything"].kind == Leaf("any", t.AnyType())


@pytest.mark.parametrize("name", [name for name in names() if corpus(name).schema is not None])
def test_a_layout_says_the_types_it_was_derived_from(name: str) -> None:
    schema = Schema(corpus(name).schema)

    assert types_of(schema.layout.root) == schema.types
    assert pickle.loads(pickle.dumps(schema.layout)) == copy.deepcopy(schema.layout) == schema.layout


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["with space", "", "9", "_x", "ok"], ["field_1", "field_2", "field_3", "field_4", "ok"]),
        (["aB", "ab", "a_b"], ["aB", "field_2", "field_3"]),
        (["field_2", "null_1", "option_1"], ["field_1", "fieldx_2", "field_3"]),
    ],
)
def test_keys_that_are_no_names_are_named_by_number(keys: list[str], expected: list[str]) -> None:
    """So are those that a reader of capitals or underscores could take for another, or for a made one."""
    fields = tuple(t.Field(key, t.StrType()) for key in keys)

    assert [slot.name for slot in slots(derive(t.RecordType("R", fields))).values()] == expected


def test_what_has_no_form_is_named() -> None:
    with pytest.raises(SchemaError, match=r"`\$\.a\[\]`: formats with a schema do not support `complex`"):
        derive(Schema({"a": list[complex]}).types)


def kind_of(slot: WireField) -> object:
    return slot.kind.kind if isinstance(slot.kind, Nullable) else slot.kind


KEYS = ("a", "b", "c", "d", "e")
TYPES = (
    t.StrType(),
    t.FloatType(),
    t.UnionType((t.FloatType(), t.NoneType())),
    t.ListType(t.BoolType()),
    t.ListType(t.UnionType((t.BoolType(), t.NoneType()))),
)
records = st.lists(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(TYPES), st.booleans()),
    unique_by=lambda field: field[0],
    min_size=1,
).map(lambda fields: t.RecordType("R", tuple(t.Field(*field) for field in fields)))


@pytest.mark.slow
@given(st.lists(records, min_size=2, max_size=5))
def test_no_number_is_ever_given_twice(versions: list[t.RecordType]) -> None:
    layout = derive(versions[0])
    meant: dict[int, object] = {}
    for number, types in enumerate(versions):
        layout = keep(derive(types), layout) if number else layout
        assert isinstance(layout.root, WireRecord)
        inside: dict[int, object] = {s.number: (s.key, kind_of(s)) for s in layout.root.slots}
        inside |= {s.null: (s.key, "null") for s in layout.root.slots if s.null}
        assert not set(inside) & set(layout.root.reserved)
        assert len(inside) == len(layout.root.slots) + sum(1 for s in layout.root.slots if s.null)
        assert all(meant.get(number, key) == key for number, key in inside.items())
        # A field that comes back is a new one: nobody knows what payloads of before hold there.
        meant = dict.fromkeys(layout.root.reserved, ("gone",)) | inside


def test_the_same_again_is_the_same() -> None:
    schema = Schema(Order)
    fields = schema.types.fields[::-1]  # type: ignore[attr-defined]
    turned = Schema(replace(schema.types, fields=fields)).keeping(schema)  # type: ignore[type-var]

    assert schema.keeping(schema).layout == schema.layout
    assert {key: s.number for key, s in slots(turned.layout).items()} == {
        key: s.number for key, s in slots(schema.layout).items()
    }
    assert schema.keeping(schema) != schema  # what was given is more than what can be derived


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (dict[int, int], dict[str, int], False),
        (dict[int, int], dict[int, str], False),
        (list[int], list[str], False),
        (list[int], list[int | None], False),
        (dict[int, int], dict[int, int], True),
        (int, int | None, True),
    ],
)
def test_a_field_keeps_its_number_if_old_payloads_still_decode(before: Any, after: Any, same: bool) -> None:
    old, new = (Schema({"a": kind}) for kind in (before, after))
    numbers = [slots(layout)["a"].number for layout in (old.layout, new.keeping(old).layout)]

    assert same == (numbers[0] == numbers[1])


class Mixed(enum.Enum):
    NUMBER = 1
    TEXT = "x"


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - set(UNREAD)))
@pytest.mark.parametrize("kind", [Mixed | bool | bytes, Mixed | float | None, list[Mixed | bool | None]])
def test_a_choice_with_an_enum_of_several_types_is_read_back(kind: Any, language: str) -> None:
    definition = Schema({"a": kind}).definition(language)
    record = {"a": ["x"]}

    assert record == Schema.of_definition(definition, language).apply(record)
