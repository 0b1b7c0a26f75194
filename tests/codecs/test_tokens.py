"""The one vocabulary of types."""

from __future__ import annotations

from fractions import Fraction

import pytest

import bakeoff
from bakeoff.bench.lab.fidelity import matrix
from bakeoff.codecs.conventions.rules import RULES
from bakeoff.codecs.conventions.tokens import NAMES, TOKENS, Token, token_of
from bakeoff.codecs.formats.structs import TYPED

OF_KEYS = {"int_keys", "any_keys", "key_order"}


@pytest.mark.parametrize("token", TOKENS, ids=NAMES)
def test_an_example_is_of_its_type(token: Token) -> None:
    assert isinstance(token.example, token.kind)
    assert ("dict" if token.name in OF_KEYS else token.name) == token_of(token.example)


def test_a_subclass_has_no_token() -> None:
    assert "Own" == token_of(type("Own", (str,), {})("x"))


def test_all_speak_of_the_same_types() -> None:
    """The matrix of fidelity has rows for all but plain dicts, which no single value stands for."""
    assert set(NAMES) - {"dict"} == {row.token for row in matrix.VALUES} - {""}
    assert TYPED | {rule.token for rule in RULES} <= set(NAMES)


def test_a_type_without_a_row_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    third = Token("fraction", Fraction, Fraction(1, 3))
    monkeypatch.setattr(matrix, "TOKENS", (*TOKENS, third))

    assert matrix.Value("fraction", third.example, Fraction, "fraction") == matrix._values()[-1]


@pytest.mark.parametrize("facts", [{"preserves": ["integer"]}, {"forms": {"integer": "text"}}])
def test_a_type_of_another_name_is_refused(facts: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no types 'integer'; there are none, bool, int"):
        bakeoff.Codec("x", "x", repr, eval, **facts)
