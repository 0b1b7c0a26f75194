"""Canonical text of any value, and what a worker reads from a codec's payloads."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.facts import ReadFacts
from bakeoff.bench.foreign.canonical import CanonicalError, canonical, changes, first_change, parse
from bakeoff.bench.foreign.judge import KEPT, judge
from bakeoff.bench.foreign.port import ForeignWorker

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.datetimes()
    | st.decimals(allow_nan=False)
    | st.uuids()
)
KEYS = st.text() | st.integers() | st.floats() | st.binary() | st.booleans() | st.tuples(st.integers())
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)


def shuffled(form: list[Any], order: random.Random) -> list[Any]:
    """Return a form with its maps in another order."""
    tag, *rest = form
    if tag == "list":
        return [tag, [shuffled(each, order) for each in rest[0]]]
    if tag == "map":
        pairs = [[shuffled(part, order) for part in pair] for pair in rest[0]]
        return [tag, order.sample(pairs, len(pairs))]
    return form


def in_javascript(form: list[Any]) -> list[Any]:
    """Return a form as JavaScript reads it: all numbers are doubles."""
    tag, *rest = form
    if tag == "list":
        return [tag, [in_javascript(each) for each in rest[0]]]
    if tag == "map":
        return [tag, [[in_javascript(part) for part in pair] for pair in rest[0]]]
    if tag == "int" and abs(int(rest[0])) < 2**1000:
        return ["number", struct.pack(">d", float(int(rest[0]))).hex()]
    return ["number", rest[0]] if tag == "float" else form


def maps(form: list[Any]) -> Iterator[list[Any]]:
    """Yield the pairs of every map that holds something."""
    if form[0] == "map" and form[1]:
        yield form[1]
    if form[0] in ("map", "list"):
        for each in form[1]:
            yield from maps(each[1] if form[0] == "map" else each)


def rounded(form: list[Any]) -> bool:
    """Return whether a double cannot hold one of the ints."""
    if form[0] == "int":
        return abs(int(form[1])) < 2**1000 and int(form[1]) != float(int(form[1]))
    if form[0] == "map":
        return any(rounded(part) for pair in form[1] for part in pair)
    return form[0] == "list" and any(map(rounded, form[1]))


@pytest.mark.slow
@given(VALUES, st.randoms(use_true_random=False))
def test_order_of_maps_changes_nothing(value: Any, order: random.Random) -> None:
    form = canonical(value)

    assert first_change(form, shuffled(parse(json.dumps(form).encode()), order)) is None


@pytest.mark.slow
@given(VALUES)
def test_javascript_changes_only_numbers_that_it_rounds(value: Any) -> None:
    form = canonical(value)

    assert (first_change(form, in_javascript(form)) is not None) == rounded(form)


@given(VALUES, st.data())
def test_repeated_key_is_a_change(value: Any, data: st.DataObject) -> None:
    form = canonical({"x": value})
    read = copy.deepcopy(form)
    pairs = data.draw(st.sampled_from(list(maps(read))))
    again = data.draw(st.sampled_from(pairs))
    pairs.append([again[0], data.draw(st.sampled_from([again[1], ["null"]]))])

    assert first_change(form, read) is not None


@given(st.lists(LEAVES, min_size=1), st.data())
def test_every_change_has_its_path(leaves: list[Any], data: st.DataObject) -> None:
    wrote = canonical({"v": leaves})
    changed = data.draw(st.sets(st.integers(0, len(leaves) - 1), min_size=1))
    became = canonical({"v": [leaves[i] if i not in changed else [] for i in range(len(leaves))]})

    assert [each.path for each in changes(wrote, became)] == [f"$.v[{i}]" for i in sorted(changed)]


@pytest.mark.parametrize(
    ("wrote", "became", "text"),
    [
        ({"a": 1}, [["text", "a"], ["text", "a"]], "$.a: 1 of this key became 2 of this key"),
        ({1: 2}, [["number", "3ff0000000000000"]], ""),
        ({1: 2}, [["float", "3ff0000000000000"]], "$[int 1]: key int 1 became key float 1.0"),
        ({2**53 + 1: 2}, [["number", "4340000000000000"]], "key number 9007199254740992.0"),
        ({(1, 2.5): 2}, [["list", [["number", "3ff0000000000000"], ["number", "4004000000000000"]]]], ""),
        ({"b": 2, 1: 2}, [["text", "1"], ["text", "b"]], "$[int 1]: key int 1 became key text '1'"),
        ({1: 2, 2: 2}, [["text", "2"], ["text", "1"]], "$[int 1]: key int 1 became key text '1'"),
    ],
)  # fmt: skip
def test_keys(wrote: Any, became: list[Any], text: str) -> None:
    change = first_change(canonical(wrote), ["map", [[key, ["int", "2"]] for key in became]])

    assert text in str(change) if text else change is None


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [nested(201), nested(10**5), {"a": 10**5000}])
def test_values_without_canonical_text(value: Any) -> None:
    with pytest.raises(CanonicalError):
        canonical(value)


@pytest.mark.slow
def test_judge_counts(reference: ForeignWorker) -> None:
    records = [{"id": 1}, {"id": 2}, {"id": 3, "x": 0.5}, {"id": 4, "x": 1.5}, {"id": 5}, nested(201)]
    payloads = [b'{"id": 1}', b'{"id": 2.0}', b'{"id": 3, "x": 1}', b'{"id": 4, "x": 2}', b"{", b"[]"]

    facts = judge(reference, "json", records, payloads)

    assert (facts.exact, facts.changed, facts.refused, facts.uncompared) == (1, 3, 1, 1)
    assert facts.changes == {"$.id: int 2 became float 2.0": 2, "$.x: float 0.5 became int 1": 3}
    assert [number for reason, number in facts.reasons.items() if reason.startswith("JSONDecodeError")] == [5]
    assert (facts.language, facts.library) == ("Python", "json")


def test_judge_keeps_one_change_for_each_path(reference: ForeignWorker) -> None:
    record = {"many": list(range(100)), **{str(i): i for i in range(KEPT)}}
    read = {"many": [float(i) for i in range(100)], **{str(i): float(i) for i in range(KEPT)}}

    facts = judge(reference, "json", [record] * 2, [json.dumps(read).encode()] * 2)

    assert len(facts.changes) == KEPT
    assert next(iter(facts.changes.items())) == ("$.many[0]: int 0 became float 0.0", 1)


def test_facts_of_a_read_are_kept_in_a_file() -> None:
    from bakeoff.bench.cells import Cell
    from bakeoff.bench.results import CellResult, plain_cell, typed

    facts = ReadFacts(
        "Go", "encoding/json", "1.24", 3, changed=1, changes={"$.id: int 1 became float 1.0": 2}
    )
    cell = CellResult(Cell("movies", "read", "json", place="go"), "ok", facts=facts)

    assert typed(CellResult, json.loads(json.dumps(plain_cell(cell)))) == cell
