"""Limits of payloads: every limit in every codec that it concerns, in little time and memory."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
import threading
import tracemalloc
import uuid
from pathlib import Path
from random import Random
from typing import Any, TypedDict

import cbor2
import msgpack
import pytest

import bakeoff
from bakeoff import Limits
from bakeoff.codecs import LimitError
from bakeoff.codecs.errors import TooMuchError
from bakeoff.codecs.limits import OWN_DATA
from bakeoff.codecs.safety.embedded import Budget, count_embedded

CODECS = [name for name in bakeoff.codecs.available() if not bakeoff.codec(name).trusted_only]


@pytest.fixture(params=CODECS)
def codec(request):
    return bakeoff.codec(request.param)


@pytest.mark.parametrize(
    ("record", "values"),
    [([1] * 50, 51), ([[]] * 50, 51), ({str(n): n for n in range(50)}, 101), ([{"a": [1, 2]}] * 10, 51)],
    ids=["numbers", "lists", "dict", "nested"],
)
def test_items_are_limited(codec, record, values):
    payload = codec.encode(record)
    # BSON wraps in a document what is none; an XML tree has a root.
    enough = codec.with_limits(items=values + 2)

    assert codec.decode(payload) == enough.decode(payload)
    with pytest.raises(LimitError, match=r"holds .*values"):
        codec.with_limits(items=values - 1).decode(payload)


def _cbor_value(random: Random, levels: int) -> tuple[bytes, int]:
    """Return a random value in CBOR, and how many values it holds: chunks of a text and tags as well."""
    kind = random.randrange(8 if levels else 2)
    if kind == 0:
        return b"\x01", 1
    count = random.randrange(5)
    if kind == 1:
        return b"\x7f" + b"\x61a" * count + b"\xff", 1 + count
    parts = [_cbor_value(random, levels - 1) for _ in range(count)]
    values = 1 + sum(held for _, held in parts)
    if kind == 2:
        return bytes([0x80 + count]) + b"".join(part for part, _ in parts), values
    if kind in (3, 4):
        return b"\x9f" + b"".join(part for part, _ in parts) + b"\xff", values
    if kind == 7:
        part, held = _cbor_value(random, levels - 1)
        return b"\xd9\x13\x88" + part, 1 + held
    pairs = b"".join(bytes([place]) + part for place, (part, _) in enumerate(parts))
    return (bytes([0xA0 + count]) + pairs if kind == 5 else b"\xbf" + pairs + b"\xff"), values + count


@pytest.mark.slow
def test_values_of_cbor_without_a_length_and_tags_count():
    random, cbor = Random(1), bakeoff.codec("cbor2")
    for _ in range(300):
        parts = [_cbor_value(random, 5) for _ in range(100)]
        payload = b"\x98\x64" + b"".join(part for part, _ in parts)
        values = 1 + sum(held for _, held in parts)

        cbor.with_limits(items=values).decode(payload)
        with pytest.raises(LimitError, match="values"):
            cbor.with_limits(items=values - 1).decode(payload)


def test_items_are_limited_in_streams(codec, tmp_path):
    with (tmp_path / "file").open("w+b") as file:
        codec.dump([[1] * 20, [1] * 200], file)
        file.seek(0)
        records = codec.with_limits(items=100).load(file)

        next(records)
        with pytest.raises(LimitError):
            next(records)


def test_aliases_of_yaml_are_values():
    yaml = bakeoff.codec("yaml")
    payload = b"[&a x" + b",*a" * 500 + b"]"

    assert 501 == len(yaml.with_limits(items=502).decode(payload))
    with pytest.raises(LimitError, match="values"):
        yaml.with_limits(items=400).decode(payload)
    with pytest.raises(LimitError, match="aliases"):
        yaml.with_limits(aliases=499).decode(payload)


def test_items_are_limited_where_nobody_can_count_them():
    codec = bakeoff.Codec("theirs", "theirs", pickle.dumps, pickle.loads, limits=Limits(items=100))

    assert [1] * 99 == codec.decode(codec.encode([1] * 99))
    with pytest.raises(LimitError, match="more than 100 values"):
        codec.decode(codec.with_limits(items=1_000).encode([1] * 100))


def test_texts_are_limited(codec):
    limited = codec.with_limits(string=100)

    assert {"é" * 100: "é" * 100} == limited.decode(codec.encode({"é" * 100: "é" * 100}))
    for record in (["a" * 101], {"a" * 101: 1}):
        with pytest.raises(LimitError, match="101 characters, more than the limit of 100"):
            limited.decode(codec.encode(record))


@pytest.mark.parametrize("name", ["msgpack", "cbor2", "bson", "yaml", "plist", "plist/binary"])
def test_bytes_are_limited(name):
    codec = bakeoff.codec(name, string=100)

    assert [b"a" * 100] == codec.decode(codec.encode([b"a" * 100]))
    with pytest.raises(LimitError, match="length 101"):
        codec.decode(codec.encode([b"a" * 101]))


def test_digits_are_limited(codec):
    limited = codec.with_limits(digits=5)

    assert {"a": 99_999, "b": -99_999} == limited.decode(codec.encode({"a": 99_999, "b": -99_999}))
    with pytest.raises(LimitError, match="more than 5 digits"):
        limited.decode(codec.encode({"a": [-100_000]}))


@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_aliases_are_limited(name):
    payload = b"a: &a [1]\nb: [*a, *a, '*', \"*b\"]\n"

    assert {"a": [1], "b": [[1], [1], "*", "*b"]} == bakeoff.codec(name, aliases=2).decode(payload)
    with pytest.raises(LimitError, match="more than 1 aliases"):
        bakeoff.codec(name, aliases=1).decode(payload)


PRIME = sys.hash_info.modulus


def colliding_uuids(count):
    return [uuid.UUID(int=5 + n * PRIME) for n in range(count)]


def colliding_tuples(count):
    keys = [tuple(PRIME * (n >> 3 * place & 7) for place in range(6)) for n in range(count)]
    return msgpack.packb(dict.fromkeys(keys))


KEYS = {
    "cbor2, UUIDs": ("cbor2", lambda n: cbor2.dumps(dict.fromkeys(colliding_uuids(n)))),
    "cbor2, UUIDs with values": (
        "cbor2",
        lambda n: cbor2.dumps({key: i for i, key in enumerate(colliding_uuids(n))}),
    ),
    "cbor2, bignums": ("cbor2", lambda n: cbor2.dumps({5 + k * PRIME * 16: k for k in range(n)})),
    "cbor2, a set": ("cbor2", lambda n: cbor2.dumps(["x", {"a": set(colliding_uuids(n))}])),
    "cbor2, an unending map": (
        "cbor2",
        lambda n: (
            b"\x82\x01\xbf" + b"".join(cbor2.dumps(key) + b"\x00" for key in colliding_uuids(n)) + b"\xff"
        ),
    ),
    "msgpack/tuple": (
        "msgpack/tuple",
        lambda n: msgpack.packb(
            {tuple(PRIME * (k >> 3 * j & 7) for j in range(6)): k for k in range(n)}, strict_types=False
        ),
    ),
    "ormsgpack": ("ormsgpack", lambda n: colliding_tuples(n)),
    "msgspec-msgpack": ("msgspec-msgpack", lambda n: colliding_tuples(n)),
    "yaml": ("yaml", lambda n: b"".join(b"%d: 1\n" % (k * PRIME) for k in range(n))),
    "yaml/pure": ("yaml/pure", lambda n: b"".join(b"%d: 1\n" % (k * PRIME) for k in range(n))),
}


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_one_hash_are_refused(kind):
    """A dict of them takes the square of time."""
    name, make = KEYS[kind]

    with pytest.raises(LimitError, match="more than 32 keys with the same hash"):
        bakeoff.codec(name).decode(make(3000))


@pytest.mark.parametrize("kind", [kind for kind in KEYS if "yaml" not in kind])
def test_keys_of_one_hash_in_a_field_are_refused(kind):
    """A field is decoded alone, after a walk that looks at no keys within it."""
    name, make = KEYS[kind]
    codec = bakeoff.codec(name)
    payload = {"cbor": b"\xa1\x61a", "msgpack": b"\x81\xa1a"}[codec.format] + make(3000)

    with pytest.raises(LimitError, match="more than 32 keys with the same hash"):
        codec.peek(payload, "a")
    with pytest.raises(LimitError, match="more than 32 keys with the same hash"):
        codec.peeker("a")(payload)


@dataclasses.dataclass
class Mapped:
    m: dict[uuid.UUID, int]


@dataclasses.dataclass
class Distinct:
    m: set[uuid.UUID]


@pytest.mark.parametrize("name", ["msgspec-json/struct", "msgspec-msgpack/struct", "msgspec-msgpack/array"])
@pytest.mark.parametrize("record", [Mapped, Distinct])
def test_keys_that_a_schema_asks_for_are_looked_at(name, record):
    """They arrive as texts, of which a library makes keys."""
    codec = bakeoff.codec(name, schema=bakeoff.Schema(record))
    plain = bakeoff.codec("json" if "json" in name else "msgpack")

    def payload(keys):
        texts = [str(key) for key in keys]
        held = dict.fromkeys(texts, 1) if record is Mapped else texts
        return plain.encode([held] if name.endswith("array") else {"m": held})

    assert 3000 == len(codec.decode(payload(uuid.uuid4() for _ in range(3000))).m)
    with pytest.raises(LimitError, match="more than 32 keys with the same hash"):
        codec.decode(payload(colliding_uuids(3000)))


@pytest.mark.parametrize("count", [40, 1000])
def test_keys_of_one_hash_are_looked_at_in_small_dicts_too(count):
    """A payload may have many of them, and n keys in dicts of k take n k / 2 comparisons."""
    schema = bakeoff.Schema(list[dict[uuid.UUID, int]])
    keys = [str(key) for key in colliding_uuids(count)]
    payload = bakeoff.codec("json").encode([dict.fromkeys(keys, 1)] * (20_000 // count))

    with pytest.raises(LimitError, match="more than 32 keys with the same hash"):
        bakeoff.codec("msgspec-json/struct", schema=schema).decode(payload)
    assert keys == list(bakeoff.codec("json").with_schema(schema).decode(payload)[-1])


def test_many_different_keys_that_are_lists_are_decoded():
    for name, keys in {"cbor2": 100_000, "ormsgpack": 5_000, "msgspec-msgpack": 5_001}.items():
        head = b"\xba" if name == "cbor2" else b"\xdf"
        one, number, null = (b"\x81", b"\x1a", b"\xf6") if name == "cbor2" else (b"\x91", b"\xce", b"\xc0")
        pairs = b"".join(one + number + key.to_bytes(4) + null for key in range(keys))
        record = bakeoff.codec(name).decode(head + keys.to_bytes(4) + pairs)

        assert {(key,): None for key in range(keys)} == record


@pytest.mark.parametrize("name", ["cbor2", "yaml"])
def test_ordinary_keys_of_any_number_are_not(name):
    codec = bakeoff.codec(name)
    kinds = {
        "yaml": [10**30 + n for n in range(3000)],
        "cbor2": [uuid.uuid5(uuid.NAMESPACE_DNS, str(n)) for n in range(3000)],
    }
    record = dict.fromkeys(kinds[name], 1)

    assert record == codec.decode(codec.encode(record))


def test_a_key_too_long_to_be_looked_into_is_refused():
    """It could hold such keys itself."""
    keys = [cbor2.dumps(tuple(range(n, n + 500))) for n in range(120)]
    payload = b"\xb8\x78" + b"".join(key + b"\x01" for key in keys)

    with pytest.raises(LimitError, match="a key of more than 1,024 bytes"):
        bakeoff.codec("cbor2").decode(payload)


@pytest.mark.parametrize("limit", [each.name for each in dataclasses.fields(Limits)])
@pytest.mark.parametrize("value", [-1, 1.5, True, "5", 2**64])
def test_what_is_no_limit_is_refused(limit, value):
    with pytest.raises(ValueError, match=f"the limit of {limit} is a whole number from"):
        bakeoff.codec("json", **{limit: value})


def test_there_are_no_other_limits():
    with pytest.raises(ValueError, match="no limit 'deep'; there are size, decompressed"):
        bakeoff.codec("json").with_limits(deep=5)
    with pytest.raises(ValueError, match=r"limits are bakeoff.Limits"):
        bakeoff.Codec("x", "x", repr, repr, limits=5)


def test_limits_come_together_and_survive(codec):
    limited = codec.with_limits(items=7).with_compression("zlib").with_limits(string=5)

    assert dataclasses.replace(codec.limits, items=7, string=5) == limited.limits
    assert limited == pickle.loads(pickle.dumps(limited))
    assert limited.limits == pickle.loads(pickle.dumps(limited)).limits


def test_ones_own_data_are_not_held_to_it(codec):
    narrow = codec.with_limits(items=2, size=2)
    record = {"a": {"b": "c"}}
    payload = codec.encode(record)

    with pytest.raises(LimitError):
        narrow.decode(payload)
    assert record == narrow.with_limits(**OWN_DATA).decode(payload)


@pytest.mark.slow
def test_the_limits_of_all_codecs_are_a_table():
    command = [Path(sys.executable).with_name("bakeoff"), "codecs"]

    table = subprocess.run([*command, "--limits"], capture_output=True, text=True, check=True).stdout
    one = subprocess.run([*command, "yaml"], capture_output=True, text=True, check=True).stdout

    rows = {line.split("|")[1].strip(): line.split("|")[2:] for line in table.splitlines() if "|" in line}
    assert [*Limits.__dataclass_fields__] == [cell.strip() for cell in rows["codec"][:-1]]
    assert "60,000" == rows["yaml"][3].strip()
    assert set(CODECS) < set(rows)
    assert "limits        size 16,777,216, ratio 100, items 60,000" in one.splitlines()


class Anything(TypedDict):
    parts: list[Any]


EMBEDDING = [
    "protobuf",
    "protobuf/object",
    "protobuf/registry",
    "avro",
    "avro/bare",
    "avro/registry",
    "thrift",
    "thrift/object",
    "arrow",
    "arrow/object",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", EMBEDDING)
def test_embedded_values_of_a_payload_are_counted_together_before_they_are_decoded(name):
    limit = 1_000_000 if name.endswith("/object") else 100_000  # bindings have limits of their own
    codec = bakeoff.codec(name).with_schema(bakeoff.Schema(Anything)).with_limits(items=limit)
    give = codec.bound.give
    record = {"parts": [[[]] * (limit // 5)] * 12}
    writer = codec.with_limits(items=100 * limit)
    payload = writer.encode(record if writer.bound.take is None else writer.bound.take(record))

    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"more than {limit:,} values"):
            codec.decode(payload) if give is None else give(codec.decode(payload))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    # An empty list and its place take 64 bytes, and there are 2.4 times as many as the limit.
    assert peak < 115 * limit


@pytest.mark.parametrize("name", [name for name in EMBEDDING if not name.endswith("/object")])
def test_embedded_values_are_held_to_the_limit_of_the_codec(name):
    codec = bakeoff.codec(name).with_schema(bakeoff.Schema(Anything))
    record = {"parts": [[1] * 40] * 3}
    payload = codec.encode(record)

    assert codec.with_limits(items=200).decode(payload) == record
    assert codec.with_limits(items=200).decode(payload) == record
    with pytest.raises(LimitError, match="more than 100 values"):
        codec.with_limits(items=100).decode(payload)


def test_a_budget_of_embedded_values_holds_in_its_thread_only():
    value = msgpack.packb([0] * 50)

    with Budget(60):
        count_embedded(value)
        other = threading.Thread(target=count_embedded, args=(value,))
        other.start()
        other.join()
        with Budget(60):
            count_embedded(value)
        with pytest.raises(TooMuchError):
            count_embedded(value)
    count_embedded(value)


@pytest.mark.parametrize("name", ["size", "ratio", "items"])
def test_limits_that_every_codec_has_cannot_be_none(name):
    with pytest.raises(ValueError, match=f"the limit of {name} is a whole number"):
        Limits(**{name: None})


def test_cbor2_reads_as_deep_as_its_limit_says():
    """The library's own is 400."""
    nested = []
    for _ in range(700):
        nested = [nested]
    payload = b"\x81" * 700 + b"\x80"

    assert nested == bakeoff.codec("cbor2", depth=1000).decode(payload)


@pytest.mark.parametrize("name", ["avro", "msgspec-json/struct", "mashumaro-json"])
def test_keys_of_one_hash_in_maps_of_a_schema_are_refused(name):
    codec = bakeoff.codec(name, schema=bakeoff.Schema({"m": dict[uuid.UUID, int]}))
    keys = colliding_uuids(2000)
    record = {"m": {key: n for n, key in enumerate(keys)}}
    payload = codec.encode(codec.bound.take(record) if codec.bound.take else record)

    with pytest.raises(LimitError, match="more than 32 keys with the same hash"):
        codec.decode(payload)
