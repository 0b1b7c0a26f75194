"""Every option of a type: printed, compared, and refused by types that lack it."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Annotated, Any

import pytest
from round_trips import read_back

from bakeoff.schemas import Hint, Schema, SchemaError
from bakeoff.schemas.difference import compare
from bakeoff.schemas.tree import types as t

OPTIONS: dict[tuple[type[t.Type], str], tuple[Any, Hint]] = {
    (t.IntType, "big"): (int, Hint(big=True)),
    (t.BytesType, "encoding"): (bytes, Hint(encoding="hex")),
    (t.ByteArrayType, "encoding"): (bytearray, Hint(encoding="hex")),
    (t.DateTimeType, "epoch"): (dt.datetime, Hint(epoch="ms")),
    (t.DateTimeType, "aware"): (dt.datetime, Hint(aware=True)),
    (t.TimeDeltaType, "unit"): (dt.timedelta, Hint(epoch="s")),
}
"""An option, a type that has it, and how it is declared."""


def schemas(option: tuple[type[t.Type], str]) -> tuple[Schema, Schema]:
    """Return a schema without an option, and one with it."""
    plain, hint = OPTIONS[option]
    return Schema({"one": plain}), Schema({"one": Annotated[plain, hint]})


def test_every_option_is_tested() -> None:
    leaves = {type(leaf) for leaf in t.LEAVES.values()} - {t.TextType}

    assert {(leaf, field.name) for leaf in leaves for field in dataclasses.fields(leaf)} == OPTIONS.keys()


@pytest.mark.parametrize("option", OPTIONS)
def test_it_is_printed_as_python(option: tuple[type[t.Type], str]) -> None:
    plain, given = schemas(option)

    assert given.types.fields == read_back(given).types.fields
    assert given.types.fields != plain.types.fields


@pytest.mark.parametrize("option", OPTIONS)
def test_a_change_of_it_is_seen_and_named(option: tuple[type[t.Type], str]) -> None:
    for old, new in (schemas(option), schemas(option)[::-1]):
        (change,) = compare(old, new).changes
        before, _, after = str(change).partition("(")[2].rstrip(")").partition(" -> ")

        assert "" != before != after


@pytest.mark.parametrize("option", OPTIONS)
def test_types_that_lack_it_refuse_it(option: tuple[type[t.Type], str]) -> None:
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
