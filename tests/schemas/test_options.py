"""Every option of a type: printed, compared, and refused by types that lack it."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Annotated, Any

import pytest
from kinds import LEAVES
from round_trips import read_back

from bakeoff.bench.versions.records import Maker
from bakeoff.codecs import available
from bakeoff.schemas import Hint, Schema, SchemaError
from bakeoff.schemas.difference import compare
from bakeoff.schemas.tree import types as t
from bakeoff.schemas.tree.declare import CHOICES, describe

Key = tuple[type[t.Type], str, Any]

OPTIONS: dict[Key, tuple[Any, Hint]] = {
    (type(leaf), option.attribute, value): (kind, Hint(**{option.hint: value}))
    for kind, leaf in t.LEAVES.items()
    for option in t.options(leaf)
    for value in CHOICES.get(option.hint, ())
    if value != option.value
}
"""A type, an option and a value that is not its default, with the Python type and the hint for them."""


def schemas(option: Key) -> tuple[Schema, Schema]:
    """Return a schema without an option, and one with it."""
    plain, hint = OPTIONS[option]
    return Schema({"one": plain}), Schema({"one": Annotated[plain, hint]})


def test_every_hint_is_an_option_and_every_option_a_hint() -> None:
    leaves = {type(leaf) for leaf in t.LEAVES.values()} - {t.TextType}
    fields = {(leaf, field.name) for leaf in leaves for field in dataclasses.fields(leaf)}
    hints = {option.hint for leaf in t.LEAVES.values() for option in t.options(leaf)}

    assert fields == {(leaf, name) for leaf, name, _ in OPTIONS}
    assert set(CHOICES) - {"severity"} == hints


def test_round_trips_use_every_option_that_changes_what_a_type_accepts() -> None:
    drawn = [describe(kind) for kind, _ in LEAVES]

    assert [] == [
        (leaf, spec.name, value)
        for leaf, name, value in OPTIONS
        for spec in dataclasses.fields(leaf)
        if spec.name == name and spec.metadata["widest"]
        if not any(type(each) is leaf and getattr(each, name) == value for each in drawn)
    ]


@pytest.mark.parametrize("option", OPTIONS)
def test_generated_values_fit_it(option: Key) -> None:
    _, given = schemas(option)
    maker = Maker()

    for _ in range(100):
        record = maker.make(given.layout.root)
        assert (record, []) == given.advise(record)


@pytest.mark.parametrize("option", OPTIONS)
def test_a_plan_knows_it(option: Key) -> None:
    """After some codec another step is needed, or other values are refused."""
    plain, given = schemas(option)
    maker = Maker()
    values = [maker.make(plain.layout.root) for _ in range(100)]

    another_step = any(plain.plan(name) != given.plan(name) for name in available())
    assert another_step or any(given.advise(value)[1] for value in values), "see schemas/plan/build.py"


@pytest.mark.parametrize("option", OPTIONS)
def test_it_is_printed_as_python(option: Key) -> None:
    plain, given = schemas(option)

    assert given.types.fields == read_back(given).types.fields
    assert given.types.fields != plain.types.fields


@pytest.mark.parametrize("option", OPTIONS)
def test_a_change_of_it_is_seen_and_named(option: Key) -> None:
    for old, new in (schemas(option), schemas(option)[::-1]):
        (change,) = compare(old, new).changes
        before, _, after = str(change).partition("(")[2].rstrip(")").partition(" -> ")

        assert "" != before != after


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (Hint(aware=True), Hint(), "widened"),
        (Hint(aware=False), Hint(aware=True), "retyped"),
        (Hint(epoch="s"), Hint(epoch="s", aware=True), "narrowed"),
        (Hint(epoch="s", aware=True), Hint(), "retyped"),
    ],
)
def test_a_type_that_accepts_more_in_the_same_form_is_wider(old: Hint, new: Hint, kind: str) -> None:
    before, after = (Schema({"one": Annotated[dt.datetime, hint]}) for hint in (old, new))

    assert [kind] == [change.kind for change in compare(before, after).changes]


@pytest.mark.parametrize("option", OPTIONS)
def test_types_that_lack_it_refuse_it(option: Key) -> None:
    with pytest.raises(SchemaError, match="`bool` has no "):
        Schema({"one": Annotated[bool, OPTIONS[option][1]]})


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (Annotated[bytes, Hint(encoding="hex")], bytes, "`bytes as hex` and `bytes` cannot be"),
        (
            Annotated[dt.datetime, Hint(epoch="ms")],
            Annotated[dt.datetime, Hint(epoch="s")],
            "`datetime in ms since 1970` and `datetime in s since 1970` cannot be",
        ),
        (
            Annotated[dt.timedelta, Hint(epoch="s")],
            Annotated[dt.timedelta, Hint(epoch="us")],
            "`timedelta in s` and `timedelta in us` cannot be",
        ),
    ],
)
def test_a_union_of_values_that_look_alike_is_refused(one: Any, other: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schema({"one": one | other})


def test_a_number_and_a_text_are_two_forms_of_one_type() -> None:
    schema = Schema({"one": Annotated[dt.datetime, Hint(epoch="s")] | dt.datetime})
    moment = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
    fixed = [schema.apply({"one": given})["one"] for given in (moment.timestamp(), moment.isoformat())]

    assert [moment, moment] == fixed
