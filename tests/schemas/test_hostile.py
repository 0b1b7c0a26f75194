"""Records made to hurt: linear time, bounded memory, advice instead of an exception."""

from __future__ import annotations

import contextlib
import enum
import functools
import itertools
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import pytest

from bakeoff import codecs
from bakeoff.bench.lab.hostile.cases import HostileCase
from bakeoff.bench.lab.hostile.objects import adversarial
from bakeoff.schemas import AdviceError, Hint, Schema, SchemaLimits

P = 2**61 - 1
"""Hashes of ints are taken modulo this: its multiples all collide."""


def test_colliding_text_keys_are_kept() -> None:
    record = {"m": {str(i * P): i for i in range(1, 40_001)}}
    after, advice = Schema({"m": dict[int, int]}).advise(record)

    # Up to 18 digits hashes are distinct; everything longer is left as text.
    assert sum(type(key) is str for key in after["m"]) > 39_900
    assert len(after["m"]) == 40_000
    assert len(advice) == 101
    assert advice[-1].code == "more"


@pytest.mark.parametrize("kind", [dict[UUID, int], dict[Decimal, int]])
def test_colliding_keys_of_other_types_are_kept(kind: Any) -> None:
    """UUIDs and Decimals can be chosen to collide, too; a map with these is not changed."""
    texts = [str(UUID(int=i * P)) if "UUID" in str(kind) else str(i * P) for i in range(1, 20_001)]
    record = {"m": dict.fromkeys(texts, 1)}
    after, advice = Schema({"m": kind}).advise(record)

    assert list(after["m"]) == texts
    assert [a.code for a in advice] == ["limit"]


@pytest.mark.parametrize("count", [0, 2_000])
def test_keys_that_do_not_hash_are_kept(count: int) -> None:
    """A signalling NaN is a Decimal that no dict takes as a key; few keys or many, it stays text."""
    record = {"m": {**{str(i): i for i in range(count)}, "sNaN": 1}}
    after, advice = Schema({"m": dict[Decimal, int]}).advise(record, "json")

    assert list(after["m"]) == [*map(Decimal, range(count)), "sNaN"]
    assert [(a.path, a.code, a.outcome) for a in advice] == [("$.m.sNaN", "key", "kept")]


def test_colliding_items_make_no_set() -> None:
    record = {"s": [i * P for i in range(1, 20_001)]}
    after, advice = Schema({"s": set[int]}).advise(record)

    assert type(after["s"]) is list
    assert advice[0].outcome == "could not"


def test_many_honest_keys_are_turned() -> None:
    record = {"m": {str(i): i for i in range(50_000)}}

    assert Schema({"m": dict[int, int]}).apply(record) == {"m": {i: i for i in range(50_000)}}


def test_keys_are_capped() -> None:
    schema = Schema({"m": dict[int, int]}, limits=SchemaLimits(keys=10))
    after, advice = schema.advise({"m": {str(i): i for i in range(11)}})

    assert next(iter(after["m"])) == "0"
    assert advice[0].code == "limit"


@pytest.mark.parametrize(
    "text", ["1E+1000000", "1e-999999999999999999999", "9" * 100_000, "0." + "1" * 5_000]
)
def test_decimal_bombs_stay_text(text: str) -> None:
    after, advice = Schema({"d": Decimal}).advise({"d": text})

    assert after["d"] is text
    assert [(a.code, a.outcome) for a in advice] == [("limit", "could not")]


def test_ints_beyond_the_interpreters_limit_stay_text() -> None:
    text = "9" * 4_500
    after, advice = Schema({"a": int}, limits=SchemaLimits(digits=5_000)).advise({"a": text})

    assert after["a"] is text
    assert [(a.code, a.outcome) for a in advice] == [("limit", "could not")]


def test_a_decimal_bomb_from_the_codec_is_advised() -> None:
    """CBOR delivers such Decimals by itself; they are right in type, kept, and pointed out."""
    after, advice = Schema({"d": Decimal}).advise({"d": Decimal("1E+1000000000")})

    assert after["d"] == Decimal("1E+1000000000")
    assert [(a.code, a.outcome) for a in advice] == [("limit", "kept")]


def _nested(kind: Any, depth: int) -> Any:
    for _ in range(depth):
        kind = list[kind]
    return kind


@pytest.mark.parametrize("container", [list, tuple])
def test_laughs_are_walked_once(container: type) -> None:
    value: Any = container(["2024-01-02T03:04:05"])
    for _ in range(28):
        value = container([value, value])
    schema = Schema({"v": _nested(datetime, 29)}, limits=SchemaLimits(shared=10_000))
    for _ in range(2):
        after, advice = schema.advise({"v": value})
        value = after["v"]

    inner = value
    for _ in range(28):
        assert inner[0] is inner[1]
        inner = inner[0]
    assert inner == [datetime(2024, 1, 2, 3, 4, 5)]
    assert advice == []


def test_the_node_budget_ends_in_advice() -> None:
    schema = Schema(list[Decimal], limits=SchemaLimits(nodes=10))
    after, advice = schema.advise(["1"] * 1_000)

    assert after == ["1"] * 1_000
    assert [a.code for a in advice] == ["limit"]
    assert schema.apply(["1"] * 1_000) == ["1"] * 1_000


def test_depth_beyond_the_schema_is_not_visited() -> None:
    deep: Any = []
    for _ in range(1_000):
        deep = [deep]
    schema = Schema({"a": Any, "b": list[list[int]], "c": int})
    after, advice = schema.advise({"a": deep, "b": deep, "c": deep})

    assert after["a"] is deep
    assert {a.path for a in advice} == {"$.b[0][0]", "$.c"}


def test_cyclic_records_end() -> None:
    cycle: dict[str, Any] = {"n": "1.5"}
    cycle["self"] = cycle
    after, advice = Schema({"n": Decimal, "self": {"n": Decimal}}).advise(cycle)

    assert after["n"] == Decimal("1.5")
    assert len(advice) == 1


class Hostile:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        return hash("a")

    def __repr__(self) -> str:
        raise RuntimeError


class Colour(enum.Enum):
    RED = "a"


class Named(TypedDict):
    a: Literal["a"]


class Pair(NamedTuple):
    a: int
    b: int


KINDS = [
    int, str, datetime, Decimal, UUID, bytes, Colour, Literal["a", 1], list[int], list[Colour],
    tuple[int, int], tuple[Colour, ...], set[int], set[Colour], set[Any], frozenset[Any], dict[int, int],
    dict[Colour, int], dict[Any, Colour], Named, Pair, Colour | Named | None, set[Any] | dict[Any, int],
    date, time, timedelta, complex, float, bool, None, bytearray, dict[str, Named], dict[date, Any],
    Annotated[datetime, Hint(epoch="s", aware=False)], Annotated[timedelta, Hint(epoch="s")],
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_resisting_objects(kind: Any) -> None:
    value = Hostile()
    schema = Schema({"a": kind})
    writable = memoryview(bytearray(b"a"))

    assert schema.advise({"a": value})[0]["a"] is value
    assert schema.advise({value: 1})[1] != []
    for made in (list, tuple):
        for items in ([value], [value, value], [writable], ["1", "2"], []):
            for apply in (schema.apply, lambda record: schema.advise(record)[0]):
                after = apply({"a": made(items)})["a"]
                assert len(after) == len(items)
    for record in ({value: 1}, {value: 1, "1": 1}, {"b": 1, value: 2}, {"b": value}):
        assert len(schema.apply({"a": dict(record)})["a"]) == len(record)
        assert len(schema.advise({"a": dict(record)})[0]["a"]) == len(record)


def test_an_object_is_not_built_of_resisting_keys() -> None:
    record = {Hostile(): 1, "b": 2}
    after, advice = Schema(Pair, as_objects=True).advise(record)

    assert after is record
    assert [a.code for a in advice] == ["missing", "unknown"]


@pytest.mark.parametrize("name", ["json", "yaml", "msgpack"])
def test_hostile_payloads_through_a_codec(name: str) -> None:
    codec = codecs.codec(name).with_schema(Schema({"m": dict[int, int], "d": Decimal}))
    back = codec.decode(codec.encode({"m": {str(i * P): 1 for i in range(10, 2_000)}, "d": "1E+1000000"}))

    assert type(back["d"]) is str
    assert sum(type(key) is str for key in back["m"]) > 1_800


def test_advice_is_capped() -> None:
    advice = Schema(list[int]).advise(["x"] * 1_000)[1]

    assert len(advice) == 101
    assert advice[-1].found == "900 more"


@pytest.mark.parametrize(("fault", "severity"), [(0, "error"), (999, "error"), (None, "note")])
def test_the_number_of_the_rest_is_as_severe_as_the_rest(fault: int | None, severity: str) -> None:
    """Notes beyond the cap are notes, and strict mode does not raise for them."""
    spec: dict[str, Any] = {f"f{i}": Annotated[int, Hint(severity="note")] for i in range(1_000)}
    if fault is not None:
        spec[f"f{fault}"] = int
    schema = Schema(spec, limits=SchemaLimits(advice=1))
    record = dict.fromkeys(spec, "x")
    advice = schema.advise(record)[1]

    assert "error" in {a.severity for a in advice} or fault is None
    assert advice[-1].severity == ("error" if fault == 999 else "note")
    strict = Schema(spec, limits=SchemaLimits(advice=1), strict=True)
    with pytest.raises(AdviceError) if severity == "error" else contextlib.nullcontext():
        strict.advise(record)


class Wordy(NamedTuple("Wordy", [("a", Any)])):
    def __new__(cls, a: Any) -> Wordy:
        raise ValueError(a * 1_000)


def test_why_an_object_was_not_built_is_cut() -> None:
    advice = Schema(Wordy, as_objects=True).advise({"a": "x" * 1_000})[1]

    assert [a.code for a in advice] == ["build"]
    assert len(advice[0].found) < 150


def test_bytes_are_capped() -> None:
    schema = Schema({"b": bytes}, limits=SchemaLimits(bytes=100))

    assert schema.advise({"b": "A" * 104})[1][0].code == "limit"


@pytest.mark.parametrize("encoding", ["base64", "base64url", "hex"])
def test_bytes_take_memory_in_proportion(encoding: Any) -> None:
    schema = Schema({"b": Annotated[bytes, Hint(encoding=encoding)]})
    text = "abcd" * 250_000
    tracemalloc.start()
    try:
        schema.apply({"b": text})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 4 * len(text)


DROPPING = """
import gc
from bakeoff.schemas import Schema

names = [f"f{i}" for i in range(3_000)]
fix = Schema({name: list for name in names}).fixer("msgpack/tuple")
record = {name: tuple(object() for _ in range(50)) for name in names}
kept = [record[name] for name in names[:2_900]]  # what is freed does not count for the collector

def drop(phase, info):
    for name in names:
        if type(record[name]) is tuple:
            record[name] = None
    kept.clear()

gc.collect()
gc.callbacks.append(drop)
gc.set_threshold(500)
fix(record)
gc.callbacks.clear()
print(all(value is None or all(type(item) is object for item in value) for value in record.values()))
"""


@pytest.mark.slow
def test_a_collection_may_drop_what_is_being_turned() -> None:
    """Making a list may start the collector, whose callbacks may take the tuple out of the record."""
    done = subprocess.run(
        [sys.executable, "-c", DROPPING],
        env={**os.environ, "PYTHONMALLOC": "debug"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "True\n")


HOLDERS: list[Callable[[Any], Any]] = [
    lambda subject: subject,
    lambda subject: [subject],
    lambda subject: {"1": subject, "2": 2},
    lambda subject: {subject: 1, "2": 2},
]
LYING = [case for case in adversarial.CASES if not case.name.startswith("interrupt")]


@pytest.mark.slow
@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("case", LYING, ids=lambda case: case.name)
def test_adversarial_objects(case: HostileCase, objects: bool) -> None:
    schema = Schema({str(at): kind for at, kind in enumerate(KINDS)}, as_objects=objects)
    advises = [functools.partial(schema.advise, codec=name) for name in ("bson", "msgpack/tuple")]
    calls = itertools.product(case.make(codecs.codec("json")), HOLDERS, (schema.apply, *advises))
    for subject, holding, call in calls:
        if type(subject) is dict and type(next(iter(subject))) is str:
            continue  # it holds the object before it
        try:
            record = {str(at): holding(subject) for at in range(len(KINDS))}
        except Exception:  # noqa: BLE001 - not every object is a key
            continue
        sizes = [parts(value) for value in record.values()]
        call(record)
        assert objects or sizes == [parts(value) for value in record.values()]


def parts(value: Any) -> int:
    kinds = (list, tuple, dict, set, frozenset)
    return next((kind.__len__(value) for kind in kinds if issubclass(type(value), kind)), 0)


def test_a_released_memoryview_is_kept() -> None:
    view = memoryview(b"abc")
    view.release()
    after, advice = Schema({"a": bytes}).advise({"a": view})

    assert after["a"] is view
    assert [(a.code, a.outcome) for a in advice] == [("value", "could not")]


class Stop(BaseException):
    """As Ctrl-C and `sys.exit` raise it."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, Stop])
def test_an_interruption_is_never_swallowed(error: type[BaseException]) -> None:
    """It may come while a key is compared or a value converted, and must get through."""

    class Key:
        def __hash__(self) -> int:
            return hash("a")

        def __eq__(self, other: object) -> bool:
            raise error

    class Built(NamedTuple("Built", [("a", Any)])):
        def __new__(cls, a: Any) -> Any:
            raise error

    class Bits(enum.Flag):
        ONE = 1
        TWO = 2

        @classmethod
        def _missing_(cls, value: object) -> Any:
            raise error

    for spec, record in [
        ({"a": int}, {Key(): 1}),
        ({"m": {"a": int}}, {"m": {Key(): 1}}),
        ({"b": Built}, {"b": {"a": 1}}),
        ({"b": Bits}, {"b": 3}),
    ]:
        for call in (Schema(spec, as_objects=True).apply, Schema(spec, as_objects=True).advise):
            with pytest.raises(error):
                call(record)
