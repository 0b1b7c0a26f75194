"""What a codec writes comes back as the conventions and its losses say, or is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import DecodeError, EncodeError
from bakeoff.codecs.formats.structs import UNSORTED_SETS
from bakeoff.codecs.safety.policies import can_be_asked
from oracle.compose import catalog, key_catalog, record
from oracle.judge import FORMS, LOSSES, wrong
from oracle.values import SPECIAL, Value, is_tried

RANDOM = 80
"""Random records for each codec; `tasks.py fuzz 'values:*'` tries any number."""
HERE = Path(__file__).parents[1]


def records() -> Iterator[Value]:
    for value in catalog():
        yield Value(value.kind, {"v": value.given, "z": 1}, {"v": value.meant, "z": 1})
    for key in key_catalog():
        yield Value(f"key: {key.kind}", {key.given: 1}, {key.meant: 1})
        yield Value(f"item of a set: {key.kind}", [{key.given}], [{key.meant}])
    for seed in range(RANDOM):
        yield record(Random(seed))


def unexplained(codec: bakeoff.Codec, value: Value) -> str | None:
    """Return what is wrong with the codec's answer for a value."""
    try:
        payload = codec.encode(value.given)
    except EncodeError:
        return None
    try:
        found = codec.decode(payload)
    except DecodeError as error:
        return f"cannot be read: {error}"
    return wrong(codec, value, found)


def test_every_value_comes_back_as_stated_or_is_refused(codec: bakeoff.Codec) -> None:
    faults = {}
    for value in records():
        if is_tried(codec, value) and (words := unexplained(codec, value)):
            faults[value.kind] = words

    assert {} == faults


@pytest.mark.parametrize("name", ["cbor2/unguarded", "ormsgpack/unguarded", "ryaml"])
def test_codecs_without_guards_write_the_same_values(name: str) -> None:
    """All but the slowest one."""
    codec = bakeoff.codec(name)
    faults = {v.kind: words for v in records() if (words := unexplained(codec, v))}

    assert {} == faults


def test_a_field_is_what_the_record_has(codec: bakeoff.Codec) -> None:
    for value in [*catalog()[::5], *(Value("special", each, each) for each in SPECIAL)]:
        try:
            payload = codec.encode({"a": {"v": value.given}, "b": 1})
        except EncodeError:
            continue
        if is_tried(codec, value):
            whole, field = codec.decode(payload)["a"], codec.peek(payload, "a")
            assert repr(whole) == repr(field), value.kind


def test_what_a_policy_refuses_to_read_is_not_written(codec: bakeoff.Codec) -> None:
    """Dicts with a library's own keys are dicts."""
    if "reject" not in can_be_asked(codec.spec.facts.policies, "extensions"):
        pytest.skip("has no such policy")
    strict = codec.with_policies(extensions="reject")
    for given in SPECIAL:
        try:
            payload = strict.encode({"v": given})
        except EncodeError:
            continue
        assert wrong(codec, Value("", {"v": given}, {"v": given}), strict.decode(payload)) is None


def test_the_oracle_knows_every_form_and_every_loss() -> None:
    made = [bakeoff.codec(name) for name in codecs.names(needs_schema=True) if codecs.missing(name) is None]

    assert {loss for codec in made for loss in codec.losses} == set(LOSSES)
    assert {form for codec in made for form in codec.encodes_as.values()} <= set(FORMS)


SETS = """
import datetime, decimal, sys, warnings
import bakeoff
for name in sys.argv[1:]:
    codec = bakeoff.codec(name, trusted=True)
    for items in ({"a", "b", "c", "d"}, {1, "a", None, 2.5}, {frozenset("xy"), frozenset("z"), frozenset()},
                  {("b", 1), ("a", 2)}, {datetime.date(2020, 1, n) for n in range(1, 9)},
                  {decimal.Decimal(n) / 7 for n in range(9)}, {float("nan"), 1.5, 2}, {b"a", b"b", "c"}):
        for record in (items, {"v": [frozenset(items)]}, {"z": (items, 1)}):
            try:
                print(name, codec.encode(record).hex())
            except bakeoff.EncodeError:
                print(name, "refused")
"""
SORTED = [
    name
    for name in codecs.names()
    if codecs.missing(name) is None
    and bakeoff.codec(name).encodes_as.get("set") == "list"
    and UNSORTED_SETS not in bakeoff.codec(name).losses
]


def test_equal_records_have_equal_payloads_in_every_process() -> None:
    """Where a set is written as a list, which is sorted unless the codec says otherwise."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SETS, *SORTED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert 1 == len(outputs)


class Answers(dict[str, Any]):
    """Celery's `group` is such a dict: it counts its tasks."""

    def __len__(self) -> int:
        return 2


def test_a_dict_that_counts_otherwise_is_written_whole(codec: bakeoff.Codec) -> None:
    record = {"k": Answers(a=1, b=2, c=3), "z": 1}

    assert {"k": {"a": 1, "b": 2, "c": 3}, "z": 1} == codec.decode(codec.encode(record))
