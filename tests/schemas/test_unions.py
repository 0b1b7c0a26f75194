"""Unions keep values: the option that holds a value exactly is taken, or the union is refused."""

from __future__ import annotations


import pytest

import bakeoff
from bakeoff.schemas import Schema


@pytest.mark.parametrize("name", ["pydantic-json", "pydantic-json/model"])
def test_text_of_digits_is_not_read_as_a_big_integer(name: str) -> None:
    schema = Schema.infer([{"v": 2**64}, {"v": "828717"}])
    with pytest.raises(bakeoff.BakeoffError, match="cannot be distinguished"):
        bakeoff.codec(name, schema=schema)
