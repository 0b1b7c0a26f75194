"""Records scaled to a size: their precision, and the parts that are kept."""

from __future__ import annotations

import json
from datetime import date

import pytest

from bakeoff.datasets import corpus
from bakeoff.datasets.scale import length, scaled, sized


@pytest.mark.parametrize("name", ["movies", "messages", "types", "numbers", "text"])
@pytest.mark.parametrize("size", [64, 256, 1024, 16384])
def test_records_come_near_to_their_size(name: str, size: int) -> None:
    found = [length(record) for record in scaled(corpus(name, records=300).sample(300), size, 200, 1 << 20)]

    assert max(found) <= size
    assert sum(found) / len(found) > (0.9 if size >= 256 else 0.7) * size


def test_what_is_too_large_keeps_its_first_fields() -> None:
    record = {"id": 123456789, "text": "abcdefghij", "list": [1, 2, 3], "ok": True}

    assert [{"id": 123456789, "text": "abc"}] == scaled([record], len('{"id":123456789,"text":"abc"}'), 1, 1)
    large = record | {"id": 10**30}
    assert [{"text": "abcdefgh"}] == scaled([large], len('{"text":"abcdefgh"}'), 1, 1)
    assert [{"list": [1]}] == scaled([large | {"text": 10**30}], len('{"list":[1]}'), 1, 1)
    assert [{"text": ""}] == scaled([record], 1, 1, 1)
    assert ["äö"] == scaled(["äöü"], 6, 1, 1)


def test_what_is_too_small_becomes_a_list() -> None:
    records = [{"n": 1, "a": "x"}, {"n": 2, "a": "y"}]
    (found,) = scaled(records, 50, 1, 1)

    assert [*records, {"n": 1, "a": "x"}] == found[:3]
    assert len(json.dumps(found, separators=(",", ":"))) <= 50
    assert found[0] is not found[2]
    assert records == [{"n": 1, "a": "x"}, {"n": 2, "a": "y"}]


def test_there_are_as_many_as_there_is_room_for() -> None:
    records = [{"text": "x" * 100}]

    assert 7 == len(scaled(records, 100, 7, 1 << 20))
    assert 10 == len(scaled(records, 100, 99, 1000))
    assert 4 == len(scaled(records, 100, 99, 1))


def test_types_that_json_lacks_count_by_their_text() -> None:
    assert [{"day": date(2024, 1, 2)}] == scaled([{"day": date(2024, 1, 2), "more": "x"}], 20, 1, 1)
    assert ["64KiB", "1MiB", "16B", "1000B"] == [sized(n) for n in (65536, 1 << 20, 16, 1000)]
