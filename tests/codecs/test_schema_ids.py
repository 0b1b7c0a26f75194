"""Payloads of schema registries: those of Confluent's own serializers, in both directions."""

from __future__ import annotations

import pickle
from typing import Any, NotRequired, TypedDict

import pytest

import bakeoff
from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs import Codec, CodecError, DecodeError
from bakeoff.schemas import Schema

pytest.importorskip("confluent_kafka.schema_registry")
from registries import DATA, TRACE, Peer, avro_peer, new_registry, peer_of

ROWS = ("avro/registry", "protobuf/registry")
FEW = (
    "definitions/avro/Json.avsc",
    "definitions/avro/full_record_v2.avsc",
    "definitions/avro/union_and_fixed_fields.avsc",
    "definitions/confluent/orderenriched.avsc",
    "protobuf/order.proto#Order",
    f"{TRACE}#Span.Event",
)
"""Of the schemas in `registries`; the benchmark `registry` takes all."""


class Order(TypedDict):
    id: int


OLD = Schema(Order)


class Order(TypedDict):  # type: ignore[no-redef]
    id: int
    note: NotRequired[str]


NEW = Schema(Order)


@pytest.fixture(params=FEW)
def peer(request: pytest.FixtureRequest) -> Peer:
    if "#" in request.param:
        pytest.importorskip("grpc_tools")
    return peer_of(request.param)


def codec_of(name: str, schema: Schema = OLD, number: int = 5, **older: Any) -> Codec:
    return bakeoff.codec(name, schema=schema).with_schema_id(number, **older)


@pytest.mark.slow
def test_confluents_clients_and_ours_exchange_payloads(peer):
    for record in peer.records(20):
        ours, theirs = peer.codec.encode(record), peer.serialize(record)

        assert len(theirs) == len(ours)
        assert sorted(theirs) == sorted(ours)  # keys of maps are in no order
        assert first_difference(record, peer.codec.decode(theirs)) is None
        assert first_difference(record, peer.deserialize(ours)) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("protobuf/order.proto#Order.Line", b"\x04\0\x02"),  # after the message that a map makes
        (f"{TRACE}#Span.Link", b"\x04\x06\x02"),
        (f"{TRACE}#KeyValue", b"\x02\x06"),  # in an imported file
    ],
)
def test_the_index_is_that_of_the_message_in_its_file(text, index):
    pytest.importorskip("grpc_tools")
    name, _, part = text.partition("#")
    schema = Schema.of_definition(DATA / name, "protobuf", part=part)
    kept = Schema.of_definition(schema.definition("protobuf"), "protobuf")

    for given in (schema, kept):
        codec = codec_of("protobuf/registry", given)
        head = b"\0\0\0\0\x05" + index
        assert codec.encode(codec.decode(head)).startswith(head)


@pytest.mark.parametrize("name", ROWS)
def test_an_unset_id_is_one_that_no_registry_gives(name):
    codec = bakeoff.codec(name, schema=OLD)

    assert codec.encode({"id": 7}).startswith(bytes(5))
    assert len(codec_of(name, number=2**32 - 1).encode({"id": 7})) == len(codec.encode({"id": 7}))
    assert any("with_schema_id" in note for note in codec.notes)


@pytest.mark.parametrize("name", ROWS)
def test_an_unknown_id_is_named_with_the_known_ones(name):
    payload = codec_of(name, number=9).encode({"id": 7})

    with pytest.raises(
        DecodeError, match=r"with the schema of id 9, not 5; .*with_schema_id\(5, older={9: schema"
    ):
        codec_of(name).decode(payload)
    with pytest.raises(DecodeError, match="with the schema of id 9, not 5 or 3; "):
        codec_of(name, older={3: OLD}).decode(payload)


@pytest.mark.parametrize("name", ROWS)
def test_payloads_of_older_schemas_are_read_as_records_of_the_codecs(name):
    old, new = codec_of(name, OLD, 5), codec_of(name, NEW, 6, older={5: OLD})

    assert {"id": 7} == new.decode(old.encode({"id": 7}))
    assert {"id": 7, "note": "gift"} == new.decode(new.encode({"id": 7, "note": "gift"}))
    assert {"id": 7} == codec_of(name, NEW, 6).bound.reading(OLD)(old.encode({"id": 7}))


def test_confluents_deserializer_reads_two_versions_as_ours_does():
    registry = new_registry()
    old, new = (avro_peer(each.definition("avro").decode(), registry) for each in (OLD, NEW))
    codec = new.codec.with_schema_id(2, older={1: old.codec.schema})
    payload = old.serialize({"id": 7})

    assert {"id": 7, "note": None} == new.deserialize(payload)
    assert {"id": 7} == codec.decode(payload)


@pytest.mark.parametrize("name", ROWS)
def test_a_tombstone_gets_its_sentence(name):
    with pytest.raises(DecodeError, match=r"got None, as of a message that deletes its key \(a tombstone\)"):
        codec_of(name).decode(None)
    with pytest.raises(DecodeError, match="empty payload"):
        codec_of(name).decode(b"")


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    "damaged", [b"\0", b"\0\0\0\0", b"\x01\0\0\0\x05\0\x02", b"\xc3\x01\0\0\x05\x02", b"{}"]
)
def test_other_payloads_are_refused(name, damaged):
    codec = codec_of(name)

    for decode in (codec.decode, codec.bound.reading(OLD)):
        with pytest.raises(
            DecodeError, match=f"^{name}: not a payload of a schema registry, which begins with 00"
        ):
            decode(damaged)


@pytest.mark.parametrize("index", [b"\0", b"\x02\0", b"\x82\0\x80\0"])
def test_every_form_of_the_first_index_is_read(index):
    assert {"id": 7} == codec_of("protobuf/registry").decode(b"\0\0\0\0\x05" + index + b"\x08\x07")


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        (b"\x02\x02", "holds message 1 of its schema, not 0"),
        (b"\x04\0\x02", "holds message 0.1 of its schema, not 0"),
        (b"\x02\x01", "holds message -1 of its schema, not 0"),
        (b"\x01", "an index of -1 numbers"),
        (b"\xfe\xff\xff\xff\x0f", "an index of 2,147,483,647 numbers"),
        (b"", "ends within the index of its message"),
        (b"\x02", "ends within the index of its message"),
        (b"\x80", "ends within the index of its message"),
        (b"\xff" * 100, "a number of more than 32 bits"),
    ],
)
def test_another_message_or_a_damaged_index_is_refused(index, reason):
    with pytest.raises(DecodeError, match=reason):
        codec_of("protobuf/registry").decode(b"\0\0\0\0\x05" + index)


def test_ids_must_be_numbers_of_32_bits_and_different():
    codec = bakeoff.codec("avro/registry")

    for wrong in (-1, 2**32, "5", True, None):
        with pytest.raises(ValueError, match=r"an integer from 0 to 4,294,967,295, got"):
            codec.with_schema_id(wrong)
        with pytest.raises(ValueError, match=r"an integer from 0 to 4,294,967,295, got"):
            codec.with_schema_id(5, older={wrong: OLD})
    with pytest.raises(ValueError, match="the schema id 5 is the codec's own"):
        codec.with_schema_id(5, older={5: OLD})
    with pytest.raises(CodecError, match="orjson: its payloads have no schema id"):
        bakeoff.codec("orjson").with_schema_id(5)


@pytest.mark.parametrize("name", ROWS)
def test_pickles_and_other_settings_keep_the_ids(name):
    codec = codec_of(name, NEW, 6, older={5: OLD})
    payload = codec_of(name, OLD, 5).encode({"id": 7})

    for other in (pickle.loads(pickle.dumps(codec)), codec.with_limits(size=100), codec.with_schema(NEW)):
        assert {"id": 7} == other.decode(payload)
        assert codec.encode({"id": 7}) == other.encode({"id": 7})
    assert codec == pickle.loads(pickle.dumps(codec))
