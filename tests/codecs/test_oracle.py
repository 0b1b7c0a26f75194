"""What a codec writes comes back as the conventions and its losses say, or is refused."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import attrs
import msgspec
import pydantic
import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import DecodeError, EncodeError
from bakeoff.codecs.conventions.notes import NO_OFFSET, OBJECT_KEYS
from bakeoff.codecs.formats.cbor import UNREADABLE
from bakeoff.codecs.formats.structs import UNSORTED_SETS
from bakeoff.codecs.safety.policies import can_be_asked
from oracle.compose import catalog, key_catalog, record
from oracle.judge import FORMS, LOSSES, wrong
from oracle.table import markdown
from oracle.values import SPECIAL, Value, is_tried
from oracle.ways import bound, called, is_class, look_alikes, rebuilt, streamed, typed, unexplained, ways_of

RANDOM = 80
"""Random records for each codec; `tasks.py fuzz 'values:*'` tries any number."""
HERE = Path(__file__).parents[1]
ALL = [
    name
    for name in codecs.names(needs_schema=True)
    if codecs.missing(name) is None and not codecs.describe(name).unguarded
]


def records() -> Iterator[Value]:
    for value in catalog():
        yield Value(value.kind, {"v": value.given, "z": 1}, {"v": value.meant, "z": 1})
    for key in key_catalog():
        yield Value(f"key: {key.kind}", {key.given: 1}, {key.meant: 1})
        yield Value(f"item of a set: {key.kind}", [{key.given}], [{key.meant}])
    for seed in range(RANDOM):
        yield record(Random(seed))


@pytest.mark.slow
def test_every_value_comes_back_as_stated_or_is_refused(codec: bakeoff.Codec) -> None:
    """Also from a stream."""
    faults = {}
    for value in records():
        for way in (called(codec), streamed(codec)) if is_tried(codec, value) else ():
            if words := unexplained(codec, way, value):
                faults[value.kind] = words

    assert {} == faults


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_a_schema_brings_every_value_back(name: str) -> None:
    """Or it is refused: before encoding, also by a codec whose library takes objects of its own."""
    codec, faults = bakeoff.codec(name, trusted=True), {}
    # Some libraries make code for each schema.
    for kind, value in typed()[:: 3 if name.startswith(("cattrs", "mashumaro")) else 1]:
        made = bound(codec, kind) if is_tried(codec, value) else None
        for way in ways_of(made):
            if words := unexplained(codec, way, value, schema=True):
                faults[value.kind] = words

    assert {} == faults


@pytest.mark.parametrize("name", [name for name in ALL if codecs.describe(name).needs_schema])
def test_a_schema_refuses_types_whose_values_it_cannot_tell_apart(name: str) -> None:
    """Or brings all of them back."""
    codec, faults = bakeoff.codec(name, trusted=True), {}
    for kind, value in look_alikes():
        for way in ways_of(bound(codec, kind)):
            if words := unexplained(codec, way, value, schema=True):
                faults[value.kind] = words

    assert {} == faults


@pytest.mark.parametrize("name", ALL)
def test_a_schema_builds_every_object_or_leaves_its_dict(name: str) -> None:
    codec, faults = bakeoff.codec(name, trusted=True), {}
    for kind, value in typed():
        if is_class(kind) and is_tried(codec, value):
            for way in ways_of(bound(codec, kind, as_objects=True)):
                if words := rebuilt(way, value, codec):
                    faults[value.kind] = words

    assert {} == faults


@pytest.mark.parametrize("name", ["cbor2/unguarded", "ormsgpack/unguarded", "ryaml"])
def test_codecs_without_guards_write_the_same_values(name: str) -> None:
    """All but the slowest one."""
    codec = bakeoff.codec(name)
    faults = {v.kind: words for v in records() if (words := unexplained(codec, called(codec), v))}

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


class FrozenStruct(msgspec.Struct, frozen=True):
    a: int = 1


class FrozenModel(pydantic.BaseModel, frozen=True):
    a: int = 1


FROZEN = [
    dataclasses.make_dataclass("Frozen", [("a", int, 1)], frozen=True)(),
    attrs.make_class("Frozen", {"a": attrs.field(default=1)}, frozen=True)(),
    FrozenStruct(),
    FrozenModel(),
]


def test_an_object_as_a_key_is_refused_or_read_unless_stated(codec: bakeoff.Codec) -> None:
    if codec.format == "pickle":
        pytest.skip("reads any object")
    unread = set()
    for given in FROZEN:
        for keyed in ({given: 1}, {"v": [{(given, 2): 1}]}):
            try:
                payload = codec.encode(keyed)
            except EncodeError:
                continue
            try:
                codec.decode(payload)
            except DecodeError:
                unread.add(type(given))

    assert (OBJECT_KEYS in codec.losses) == bool(unread)


class NoOffset(dt.tzinfo):
    def utcoffset(self, moment: dt.datetime | None) -> None:
        return None


def test_a_moment_in_a_zone_without_offset_has_none_unless_stated(codec: bakeoff.Codec) -> None:
    if codec.format == "pickle":
        pytest.skip("keeps the zone")
    naive = dt.datetime(2020, 1, 2, 3, 4, 5, 6000)
    value = Value("", {"v": naive.replace(tzinfo=NoOffset())}, {"v": naive})
    stated = bool({NO_OFFSET, UNREADABLE} & {*codec.losses})

    assert stated == (unexplained(codec, called(codec), value) is not None)


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


IN_ANY_PROCESS = """
import decimal, sys, uuid, warnings
import bakeoff
from oracle.classes import objects
warnings.simplefilter("ignore")
many = [["a", "b", "c", "d"], [1, "a", None, 2.5], [frozenset("xy"), frozenset("z"), frozenset()],
        [("b", 1), ("a", 2)],
        [float("nan"), 1.5, 2], [b"a", b"b", "c"], [0, 8, 16, 24], [uuid.UUID(int=n) for n in range(5)],
        [decimal.Decimal(n) / 7 for n in range(9)]]
sets = [held for items in many for held in (set(items), {"v": [frozenset(items)]}, {"z": (set(items), 1)})]
again = [held for items in many for held in (set(items[::-1]), {"v": [frozenset(items[::-1])]},
                                             {"z": (set(items[::-1]), 1)})]
plain = [{"v": given} for _, given, _ in objects()] + [dict.fromkeys(["b", "a", "c"], {"z": 1, "a": [2]})]
for name in sys.argv[1:]:
    codec = bakeoff.codec(name.removeprefix("-"), trusted=True)
    def payload(record):
        try:
            return codec.encode(record).hex()
        except bakeoff.EncodeError:
            return "refused"
    # A pickle of a model has the set of the fields that were given.
    hashed = codec.format == "pickle"
    tried = [each for each in plain if not hashed or "Model" not in type(each.get("v")).__name__]
    print(name, *map(payload, tried))
    if not name.startswith("-"):
        found = list(map(payload, sets))
        assert found == list(map(payload, again)), name
        print(name, *found)
"""


def in_any_process(codec: bakeoff.Codec) -> str:
    """Return its name, with a hyphen if sets are in the order of their hashes."""
    hashed = codec.format in ("pickle", "cbor", "fory") or UNSORTED_SETS in codec.losses
    return "-" * hashed + codec.name


@pytest.mark.slow
def test_equal_records_have_equal_payloads_in_every_process() -> None:
    """Whatever the seed of hashes, and in whatever order the items of a set were added."""
    names = [in_any_process(bakeoff.codec(name)) for name in codecs.names() if codecs.missing(name) is None]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", IN_ANY_PROCESS, *names],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(HERE)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    first, second = (child.communicate()[0].splitlines() for child in children)

    assert [0, 0] == [child.returncode for child in children]
    assert [] == [line.split()[0] for line, other in zip(first, second, strict=True) if line != other]


@pytest.mark.slow
def test_the_table_says_what_each_codec_does() -> None:
    tables = markdown(["orjson", "cbor2", "avro"])
    of_json, of_json_with_schema, of_cbor, _, of_avro = tables.split("\n## ")
    cells = [
        re.search(rf"^\|(?:.*, | ){kind}[, ].*\| (.+?) +\|$", table, re.MULTILINE)
        for table in (of_json, of_json_with_schema, of_cbor, of_avro)
        for kind in ("uuid", "nonfinite", "complex", "subclass of Decimal", "pydantic model")
    ]

    expected = ["text", "[1]", "refused", "text", "dict"]
    expected += ["exact", "[1]", "refused", "base type", "dict"]
    expected += ["exact", "exact", "exact", "base type, [1]", "dict"]
    expected += ["exact", "exact", "refused", "base type", "dict, refused"]
    assert expected == [cell and cell[1] for cell in cells]
    assert "- [1]: NaN and Infinity become null\n" in of_json


class Answers(dict[str, Any]):
    """Celery's `group` is such a dict: it counts its tasks."""

    def __len__(self) -> int:
        return 2


def test_a_dict_that_counts_otherwise_is_written_whole(codec: bakeoff.Codec) -> None:
    record = {"k": Answers(a=1, b=2, c=3), "z": 1}

    assert {"k": {"a": 1, "b": 2, "c": 3}, "z": 1} == codec.decode(codec.encode(record))
