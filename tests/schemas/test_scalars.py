"""A row of `SCALARS` is enough: whatever knows the types of schemas has a form of it, or refuses it by name.

The name of a test that fails is the place that a new row is missing from.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from round_trips import assert_comes_back, read_back

from bakeoff import codecs
from bakeoff.bench.versions.records import Maker
from bakeoff.codecs.conventions.rules import SCALARS, Scalar
from bakeoff.codecs.conventions.tokens import token_of
from bakeoff.datasets.synthetic.fit import fit_records
from bakeoff.schemas import Schema, SchemaError
from bakeoff.schemas.tree import types as t
from bakeoff.schemas.wire.languages import LANGUAGES, UNREAD, read
from bakeoff.schemas.wire.layout import types_of

every_scalar = pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: scalar.token)
CODECS = [name for name in codecs.names(needs_schema=True) if codecs.missing(name) is None]
TELLS_TYPES = ["json-schema", "arrow"]
"""Languages whose definitions say which text is of which type."""


def schema_of(scalar: Scalar) -> Schema:
    return Schema({"one": scalar.type, "many": list[scalar.type], "maybe": scalar.type | None})  # type: ignore[name-defined]


def record_of(scalar: Scalar) -> dict[str, Any]:
    return {"one": scalar.example, "many": [scalar.draw(random.Random(1))], "maybe": None}


@every_scalar
def test_its_values_have_its_token(scalar: Scalar) -> None:
    for value in (scalar.example, scalar.draw(random.Random(2)), scalar.exact(scalar.example)):
        assert scalar.token == token_of(value)
    assert scalar.example == scalar.exact(scalar.example)


@every_scalar
def test_the_tree_has_a_type_that_plans_read(scalar: Scalar) -> None:
    """`read` in the row, or a class in `schemas/tree/types.py` and its step in `schemas/plan/build.py`."""
    node = t.LEAVES.get(scalar.type)

    assert node is not None, f"schemas/tree/types.py: LEAVES has no {scalar.type.__name__}; or give it `read`"
    assert (scalar.read is not None) == isinstance(node, t.TextType)
    assert scalar.type.__name__ == str(node)
    assert scalar.type is t.python_type(node)


@every_scalar
@pytest.mark.parametrize("name", CODECS)
def test_every_codec_gives_it_back_with_a_schema(scalar: Scalar, name: str) -> None:
    record = record_of(scalar)
    try:
        codec = codecs.codec(name, schema=schema_of(scalar), trusted=True)
    except SchemaError as error:
        codec, refused = None, str(error)
    if codec is None:
        assert f"`{scalar.type.__name__}`" in refused
        return
    if codec.encodes_as.get(scalar.token) == "float":
        return  # as its losses say
    assert_comes_back(codec, record)


@pytest.mark.slow
@every_scalar
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_form_of_it(scalar: Scalar, language: str) -> None:
    schema = schema_of(scalar)
    definition = schema.definition(language)

    if language not in UNREAD:
        back = types_of(read(definition, language).root)
        assert language not in TELLS_TYPES or types_of(schema.layout.root) == back


@every_scalar
def test_it_is_printed_as_python(scalar: Scalar) -> None:
    schema = schema_of(scalar)

    assert schema.types.fields == read_back(schema).types.fields


@every_scalar
def test_records_are_made_up_with_it(scalar: Scalar) -> None:
    """Those that `evolve` sends between versions hold the type; synthetic ones, what codecs write of it."""
    assert isinstance(Maker().make(schema_of(scalar).layout.root)["one"], scalar.type)
    assert fit_records([record_of(scalar)], 1)
