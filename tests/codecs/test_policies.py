"""Policies that codecs state, for instance for duplicate keys and NaN, and requested ones."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import io
import json
import math
import pickle
import plistlib
import re
import struct
import typing
from collections import deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import bson
import cbor2
import msgpack
import pytest
from click.testing import CliRunner

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import CodecError, DecodeError, EncodeError, LimitError
from bakeoff.codecs.safety.policies import FACTS, POLICIES, Policies, can_be_asked
from bakeoff.commands.codecs import command
from policy_data import DEEP, INF, LONG, NAN, Box, Colour, document, extensions, payloads
from small_stacks import in_thread

NAMES = codecs.names()


def known(codec: codecs.Codec) -> Policies:
    return codec.spec.facts.policies


OBJECTS: Mapping[str, list[Any]] = {
    "nonfinite": [
        NAN, [INF], {"a": {"b": -INF}}, (NAN,), deque([INF]), MappingProxyType({"a": NAN}), Box([NAN]),
        Colour.HOT,
    ],
    "surrogates": ["\ud800", ["a\udfff"], {"a": ("é\udc00",)}, {"\ud800": 1}, Box("😀\ud800")],
    "big_integers": [2**64, [-(2**63) - 1], {"a": {"b": LONG}}, (-LONG,), Box(LONG)],
    "nesting": [DEEP, [DEEP], {"b": [1, DEEP], "c": 2}],
}  # fmt: skip
DUPLICATES: Mapping[str, list[Any]] = {
    "text": [{1: 1, "1": 2}, [{None: 1, "null": 2}], {"a": {True: 1, "true": 2}}],
    "any": [{Colour.RED: 1, "red": 2}, [{Colour.RED: 1, "a": 0, "red": 2}]],
}


def objects(policy: str, codec: codecs.Codec) -> list[Any]:
    if policy == "extensions":
        return extensions(codec)
    if policy == "duplicate_keys":
        if codec.format == "pickle":
            return []
        return DUPLICATES["any"] + (DUPLICATES["text"] if codec.encodes_as.get("int_keys") == "text" else [])
    return OBJECTS.get(policy, [])


def refused(call: Callable[[Any], Any], subject: Any, error: type[CodecError]) -> bool:
    try:
        call(subject)
    except error:
        return True
    return False


def values_in(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        inner: Any = [part for pair in value.items() for part in pair]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = vars(value).values()
    elif isinstance(value, (cbor2.CBORTag, enum.Enum)):
        inner = [value.value]
    else:
        inner = value if isinstance(value, (list, tuple, set, frozenset, deque)) else []
    return [value, *(part for item in inner for part in values_in(item))]


def shows(policy: str, what: str, record: Any) -> bool:
    parts = values_in(record)
    if what in ("allow", "keep", "exact"):
        return any(HOLDS[policy](part) for part in parts)
    if what == "float":
        return any(isinstance(part, float) for part in parts)
    return what in ("last", "ignore", "library")


HOLDS: Mapping[str, Callable[[Any], bool]] = {
    "nonfinite": lambda part: (
        (isinstance(part, float) and not math.isfinite(part))
        or (isinstance(part, Decimal) and not part.is_finite())
        or (isinstance(part, bson.Decimal128) and not part.to_decimal().is_finite())
    ),
    "surrogates": lambda part: isinstance(part, str) and any("\ud800" <= sign <= "\udfff" for sign in part),
    "big_integers": lambda part: isinstance(part, int) and not -(2**63) <= part < 2**64,
    "extensions": lambda part: (
        type(part) in (bson.Code, bson.Binary)
        or not isinstance(part, (int, str, float, bytes, list, dict, type(None)))
    ),
}


@pytest.fixture(params=NAMES)
def codec(request: pytest.FixtureRequest) -> codecs.Codec:
    return bakeoff.codec(request.param, trusted=True)


def test_policies_are_shown_as_data_as_well():
    shown = json.loads(
        CliRunner().invoke(command, ["orjson", "rapidjson", "--policies", "-f", "json"]).output
    )

    assert {"now": "reject/last", "can": []} == shown[0]["policies"]["duplicate_keys"]
    assert {"now": "reject/last", "can": ["reject"]} == shown[1]["policies"]["duplicate_keys"]


def test_every_codec_states_every_policy(codec):
    for policy in POLICIES:
        for direction in ("dump", "load"):
            stated = known(codec).stated(policy, direction)

            assert stated in POLICIES[policy].values or stated in FACTS, policy


def test_payloads_are_read_as_stated(codec):
    """By default, each payload that shows the thing; a format without one has none to show."""
    for policy in POLICIES:
        stated = known(codec).stated(policy, "load")

        assert (stated == "none") == (not payloads(policy, codec)), policy
        for payload in payloads(policy, codec):
            if stated == "reject":
                assert refused(codec.decode, payload, DecodeError), (policy, payload)
            else:
                assert shows(policy, stated, codec.decode(payload)), (policy, payload)


def test_the_last_of_two_keys_is_read(codec):
    if (stated := known(codec).stated("duplicate_keys", "load")) == "last":
        values = values_in(codec.decode(payloads("duplicate_keys", codec)[0]))

        assert 2 in values
        assert 1 not in values
    assert stated in ("last", "reject")


@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy != "trailing"])
def test_objects_are_written_as_stated(codec, policy):
    stated = known(codec).stated(policy, "dump")
    assert (stated == "none") == (not objects(policy, codec))
    for record in objects(policy, codec):
        if policy == "duplicate_keys":
            assert stated == "last" or refused(codec.encode, record, EncodeError)
            continue
        if refused(codec.encode, record, EncodeError):
            # Those kinds not every codec writes.
            assert stated == "reject" or isinstance(record, (deque, MappingProxyType)), record
            continue
        reads = stated == "text" or known(codec).stated(policy, "load") != "reject"
        read = codec.decode(codec.encode(record)) if reads else None
        parts = values_in(read)
        if stated == "text":
            assert any(isinstance(part, str) and part.lstrip("-").isdecimal() for part in parts)
        elif stated == "null":
            assert None in parts
        elif read is not None:
            assert shows(policy, stated, read), record


@pytest.mark.parametrize("policy", POLICIES)
def test_what_can_be_asked_for_is_kept(codec, policy):
    default = codec.policies
    for value in POLICIES[policy].values:
        can = value in can_be_asked(known(codec), policy)
        try:
            asked = codec.with_policies(**{policy: value})
        except CodecError as error:
            said = str(error)
            assert not can, said
            assert re.search(r"of the \w+ codecs .* can|no other codec of its format", said)
            continue
        assert (asked.policies[policy] != default[policy]) == can
        assert ({**default, policy: ""}, codec.name) == ({**asked.policies, policy: ""}, asked.name)
        if value in ("reject", "null"):
            assert all(refused(asked.decode, payload, DecodeError) for payload in payloads(policy, asked))
        if value == "keep":
            assert all(shows(policy, value, asked.decode(each)) for each in payloads(policy, asked))
        for record in objects(policy, asked):
            if value == "reject":
                assert refused(asked.encode, record, EncodeError), record
            elif value == "null" and not refused(codec.encode, record, EncodeError):
                assert None in values_in(asked.decode(asked.encode(record)))


def everything(codec: codecs.Codec) -> codecs.Codec:
    asked = {policy: "reject" for policy in POLICIES if "reject" in can_be_asked(known(codec), policy)}
    return codec.with_policies(**asked)


RECORD: dict[str, Any] = {
    "a": [1, -(2**63), 2.5, None, True, "é😀", {"b": {}}],
    "c": b"\xff",
    "d": Box((1, "x")),
    "e": Colour.RED,
    "f": 2**63 - 1,
}


def test_everything_else_is_written_and_read_as_before(codec):
    strict = everything(codec)

    payload = codec.encode(RECORD)
    assert payload == strict.encode(RECORD)
    assert codec.decode(payload) == strict.decode(payload)
    assert type(codec.decode(payload)) is type(strict.decode(payload))


def test_streams_keep_policies(codec):
    strict = everything(codec)
    record = {"a": [NAN]}
    file = io.BytesIO()
    codec.dump([{"a": 1}, record], file)
    file.seek(0)
    stated = known(codec).stated("nonfinite", "dump")

    loaded = strict.load(file)
    assert {"a": 1} == next(loaded)
    if stated == "null":
        assert [{"a": [None]}] == list(loaded)
    else:
        with pytest.raises(DecodeError, match="holds NaN"):
            next(loaded)
    with pytest.raises(EncodeError, match="holds NaN"):
        strict.dump([record], io.BytesIO())


def test_cbor_sequences_refuse_a_key_that_stands_twice():
    """The library reads those from the file itself."""
    payload = payloads("duplicate_keys", codec := bakeoff.codec("cbor2"))[0]

    assert [{"a": 2}] == list(codec.load(io.BytesIO(payload)))
    with pytest.raises(DecodeError, match=r"Duplicate map key"):
        list(codec.with_policies(duplicate_keys="reject").load(io.BytesIO(payload)))


def test_a_codec_with_policies_is_the_same_after_pickling(codec):
    strict = everything(codec)
    again = pickle.loads(pickle.dumps(strict))

    assert strict == again
    assert strict.policies == again.policies
    assert codec != strict
    assert "reject" == strict.policies["nonfinite"]
    with pytest.raises(EncodeError, match="holds NaN"):
        again.encode([NAN])


def test_policies_add_up_and_go_back(codec):
    first = codec.with_policies(nonfinite="reject")
    both = first.with_policies(surrogates="reject")

    assert ("reject", "reject") == (both.policies["nonfinite"], both.policies["surrogates"])
    for refused_one in (NAN, "\ud800"):
        with pytest.raises(EncodeError):
            both.encode(refused_one)
    if "allow" == codec.policies["nonfinite"]:
        back = both.with_policies(nonfinite="allow")
        assert math.isinf(back.decode(back.encode(INF)))


@pytest.mark.parametrize(
    "name", [n for n in NAMES if "reject" in can_be_asked(known(bakeoff.codec(n)), "duplicate_keys")]
)
def test_the_library_s_own_way_comes_back(name):
    codec = bakeoff.codec(name)
    strict = codec.with_policies(duplicate_keys="reject")
    back = strict.with_policies(duplicate_keys="last")

    payload = payloads("duplicate_keys", codec)[0]
    assert codec.decode(payload) == back.decode(payload)


def test_policies_go_with_limits_schemas_and_compression(codec):
    strict = codec.with_limits(size=1000).with_policies(nonfinite="reject").with_compression("zlib")
    other = codec.with_compression("zlib").with_policies(nonfinite="reject").with_limits(size=1000)

    assert strict == other
    for made in (strict, other):
        assert {"a": 1.5} == made.decode(made.encode({"a": 1.5}))
        with pytest.raises(EncodeError, match=r"holds NaN or an infinity$"):
            made.encode({"a": INF})


def test_a_schema_s_advice_comes_after():
    class Message(typing.TypedDict):
        a: str

    made = bakeoff.codec("msgpack", schema=bakeoff.Schema(Message)).with_policies(nonfinite="reject")

    assert {"a": "1"} == made.decode(made.encode({"a": "1"}))
    with pytest.raises(DecodeError, match="holds NaN"):
        made.decode(msgpack.packb({"a": NAN}))


@pytest.mark.parametrize("name", [n for n in codecs.names(needs_schema=True) if n not in NAMES])
def test_codecs_with_a_schema_look_into_what_they_take(name):
    class Message(typing.TypedDict):
        a: float

    schema = bakeoff.Schema(Message)
    made = bakeoff.codec(name, schema=schema)
    strict = made.with_policies(nonfinite="reject")
    take, give = (way or (lambda record: record) for way in (made.bound.take, made.bound.give))

    assert {"a": 1.5} == give(strict.decode(strict.encode(take({"a": 1.5}))))
    with pytest.raises(EncodeError, match="holds NaN"):
        strict.encode(take({"a": NAN}))
    if made.format in ("msgpack", "avro", "arrow", "protobuf", "thrift"):
        with pytest.raises(DecodeError, match="holds NaN"):
            strict.decode(made.encode(take({"a": INF})))


def test_policies_are_asked_for_by_name():
    codec = bakeoff.codec("json", policies={"nonfinite": "reject", "duplicate_keys": "reject"})

    assert codec == bakeoff.codec("json").with_policies(duplicate_keys="reject", nonfinite="reject")
    with pytest.raises(DecodeError, match=r"the key 'a' occurs twice$"):
        codec.decode(b'{"a": 1, "a": 2}')


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"nan": "reject"}, "no policy 'nan'; there are duplicate_keys, nonfinite"),
        ({"nonfinite": "drop"}, "nonfinite is allow, null or reject, got 'drop'"),
        ({"trailing": "allow"}, "trailing is reject, got 'allow'"),
        (
            {"duplicate_keys": "reject"},
            "it uses 'reject/last' and its library has no option for it; of the json codecs json",
        ),
        ({"big_integers": "reject"}, "of the json codecs json"),
    ],
)
def test_what_cannot_be_asked_for_is_said(asked, said):
    with pytest.raises(CodecError, match=re.escape(said)):
        bakeoff.codec("orjson").with_policies(**asked)


def test_keys_written_alike_are_named():
    codec = bakeoff.codec("json").with_policies(duplicate_keys="reject")

    assert b'{"1":1,"2":2}' == codec.encode({1: 1, "2": 2})
    with pytest.raises(EncodeError, match=r"alike, 1 and '1'$"):
        codec.encode([{1: 1, "1": 2}])


def test_shared_property_lists_come_back_shared():
    """Also if duplicate keys are refused: values shared at each level take forever as a tree."""
    dag: Any = {"a": 1}
    for _ in range(20):
        dag = {"a": dag, "b": dag}
    payload = plistlib.dumps(dag, fmt=plistlib.FMT_BINARY)
    codec = bakeoff.codec("plist/binary").with_limits(items=10**9)

    read = codec.with_policies(duplicate_keys="reject").decode(payload)
    assert dag == read
    assert read["a"] is read["b"]
    assert dict is type(read["a"])


def test_deep_documents_are_an_error_in_threads_with_small_stacks():
    codec = bakeoff.codec("bson").with_policies(duplicate_keys="reject")
    payload = struct.pack("<i", 5) + b"\0"
    for _ in range(5000):
        payload = document(3, payload)

    assert isinstance(in_thread(codec.decode, payload, stack=128 * 1024), LimitError)


def test_a_merged_key_may_be_given_anew():
    codec = bakeoff.codec("yaml").with_policies(duplicate_keys="reject")

    assert {"a": 2, "b": 1} == codec.decode(b"x: &x {a: 1, b: 1}\ny: {<<: *x, a: 2}\n")["y"]
    with pytest.raises(DecodeError, match="the key 'a' occurs twice"):
        codec.decode(b"x: &x {a: 1}\ny: {<<: *x, a: 2, a: 3}\n")


def test_ormsgpack_reads_extension_values_when_asked():
    codec = bakeoff.codec("ormsgpack").with_policies(extensions="keep")
    value = {"a": [msgpack.ExtType(5, b"x")], "b": {1: msgpack.ExtType(0, b"")}}

    assert value == codec.decode(msgpack.packb(value))
    assert value == codec.decode(codec.encode(value))
    with pytest.raises(DecodeError):
        bakeoff.codec("ormsgpack").decode(msgpack.packb(value))


@pytest.mark.parametrize("content", ["01", "6161", "44c0a80001", "820102", "a0", "82c4822019010101"])
def test_no_tag_of_cbor_gives_an_unknown_class(content):
    codec = bakeoff.codec("cbor2").with_policies(extensions="reject")
    plain = {"int", "str", "bytes", "float", "complex", "Decimal", "UUID", "datetime", "date"}
    read = 0
    for number in (*range(300), 1004, 1040, 43000, 55799, 65535):
        with contextlib.suppress(DecodeError):
            record = codec.decode(b"\xd9" + number.to_bytes(2, "big") + bytes.fromhex(content))
            read += 1
            kinds = {type(part).__name__ for part in values_in(record)}
            assert kinds <= plain | {"list", "tuple", "dict", "frozendict", "set"}, number
    assert read


def test_a_third_party_states_what_it_likes():
    """Policies visible in a record work with any codec, others only with an option of the library."""
    made = bakeoff.Codec("theirs", "json", repr, eval, text=True)

    assert set(made.policies.values()) == {""}
    strict = made.with_policies(nonfinite="reject", surrogates="reject", big_integers="reject")
    assert {"a": 1} == strict.decode(strict.encode({"a": 1}))
    for record in (1e999, ["\ud800"], {2**64: 1}):
        with pytest.raises(EncodeError, match="holds"):
            strict.encode(record)
        with pytest.raises(DecodeError, match="holds"):
            strict.decode(repr(record).replace("inf", "1e999").encode())
    for policy in ("duplicate_keys", "extensions", "trailing"):
        with pytest.raises(CodecError, match="its default is unknown, and its library has no option"):
            made.with_policies(**{policy: "reject"})
    stated = bakeoff.Codec(
        "theirs", "json", repr, eval, text=True, policies=Policies(extensions="keep", classes=(complex,))
    )
    with pytest.raises(EncodeError, match="extension type, `complex`"):
        stated.with_policies(extensions="reject").encode([1j])
