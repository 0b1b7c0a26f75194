"""Media types that say what is in a payload, the text twin, and own types."""

from __future__ import annotations

import datetime as dt
import inspect
import pickle

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import UnknownMediaType, by_media_type, register_type, train

OWN = "application/x.bakeoff"


@pytest.mark.parametrize(
    ("name", "own", "headers"),
    [
        ("orjson", f"{OWN}+json", {"content-type": "application/json"}),
        ("yaml", f"{OWN}+yaml", {"content-type": "application/yaml"}),
        ("cbor2", f"{OWN}+cbor", {"content-type": "application/cbor"}),
        ("msgpack", f"{OWN}.msgpack", {"content-type": "application/vnd.msgpack"}),
        (
            "json|zlib",
            f"{OWN}.json.zlib",
            {"content-type": "application/json", "content-encoding": "deflate"},
        ),
        ("json|gzip", f"{OWN}.json+gzip", {"content-type": "application/json", "content-encoding": "gzip"}),
        ("json|brotli", f"{OWN}.json.brotli", {"content-type": "application/json", "content-encoding": "br"}),
        ("json|snappy", f"{OWN}.json.snappy", {"content-type": f"{OWN}.json.snappy"}),
        ("json|zstd:9", f"{OWN}.json+zstd", {"content-type": "application/json", "content-encoding": "zstd"}),
        ("json|lz4", f"{OWN}.json.lz4", {"content-type": f"{OWN}.json.lz4"}),
        ("pickle", "application/x-python-serialize", {"content-type": "application/x-python-serialize"}),
    ],
)
def test_a_media_type_says_what_is_in_the_payload(name, own, headers):
    codec = bakeoff.codec(name)

    assert own == codec.media_type
    assert headers == codec.http_headers


def test_payloads_that_do_not_read_each_other_have_other_types(codec):
    others = [bakeoff.codec(name, trusted=True) for name in bakeoff.codecs.names()]
    record = {"a": [1, 2.5, "é"]}
    if codec.format == "pickle":
        pytest.skip("protocols of pickle are one format")

    for other in (other for other in others if other.media_type == codec.media_type):
        assert list(record.values()) == [list(each) for each in codec.decode(other.encode(record)).values()]


def test_a_dictionary_is_part_of_the_type():
    """Without it a payload cannot be read; the number is the one in its frames."""
    zstandard = pytest.importorskip("zstandard")
    plain = bakeoff.codec("json")
    trained = plain.with_compression(
        train("zstd", [plain.encode({"id": n, "name": f"n{n * n}", "sum": n / 7}) for n in range(2_000)])
    )
    number = zstandard.get_frame_parameters(trained.encode({"id": 1})).dict_id

    assert (
        f"{OWN}.json+zstd; dictionary={number}" == trained.media_type == trained.http_headers["content-type"]
    )
    assert by_media_type(f"{OWN}.json+zstd;Dictionary={number}", [plain, trained]) is trained
    with pytest.raises(UnknownMediaType):
        by_media_type(trained.media_type)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("application/json", "json"),
        ("Application/JSON; charset=utf-8", "json"),
        ("application/vnd.api+json", "json"),
        ("application/x-msgpack", "msgpack"),
        ("text/yaml", "yaml"),
        (f"{OWN}.bson", "bson"),
        (f"{OWN}.msgpack+zstd", "msgpack|zstd"),
        (f"{OWN}.json.zlib", "json|zlib"),
        (f"{OWN}.json+gzip", "json|gzip"),
        (f"{OWN}.json.brotli", "json|brotli"),
    ],
)
def test_a_codec_is_found_by_media_type(asked, name):
    assert name == by_media_type(asked).name


def test_a_media_type_grants_no_trust_and_is_no_guess():
    """A received header never selects pickle; a type without a reader is an error."""
    with pytest.raises(UnknownMediaType, match="no media type: expected one of application/bson"):
        by_media_type("")
    for asked in ("application/x-python-serialize", "text/html", "+json"):
        with pytest.raises(UnknownMediaType, match="no codec reads it; supported are application/bson"):
            by_media_type(asked)


def test_the_first_of_those_given_wins():
    quick, exact = bakeoff.codec("orjson"), bakeoff.codec("json")

    assert by_media_type("application/json", [quick, exact]) is quick


def test_the_text_twin_gives_and_takes_text():
    codec = bakeoff.codec("simplejson")
    text = codec.text

    assert (
        '{"a":"é"}'
        == text.dumps({"a": "é"})
        == text.encode({"a": "é"}, object())
        == text.serialize({"a": "é"})
    )
    assert (
        {"a": 1} == text.loads('{"a":1}') == text.decode(b'{"a":1}', object()) == text.deserialize('{"a":1}')
    )
    assert (codec.name, codec.media_type, "utf-8") == (text.name, text.media_type, text.encoding)
    assert text == pickle.loads(pickle.dumps(text))
    with pytest.raises(bakeoff.EncodeError):
        text.encode("\udc80")


@pytest.mark.parametrize("name", ["msgpack", "json|zlib"])
def test_bytes_have_no_text_twin(name):
    codec = bakeoff.codec(name)
    with pytest.raises(codecs.MissingText, match="has no text: "):
        _ = codec.text
    assert not hasattr(codec, "text")
    assert "encode" in dict(inspect.getmembers(codec))  # as of a mock with this spec


class Amount:
    def __init__(self, cents: int) -> None:
        self.cents = cents


class Fee(Amount):
    """A subclass of it."""


def test_own_types_are_written_by_every_codec(codec):
    register_type(Amount, lambda amount: {"cents": amount.cents, "on": dt.date(2026, 1, amount.cents)})
    record = {"fees": [Fee(3)], "amount": Amount(1)}
    if codec.format == "pickle":
        pytest.skip("pickle writes any type by itself")

    found = codec.decode(codec.encode(record))

    assert [3, 1] == [found["fees"][0]["cents"], found["amount"]["cents"]]
    assert str(found["amount"]["on"]).startswith("2026-01-01")


@pytest.mark.parametrize("kind", [dict, dt.date, bool, object, "a name"])
def test_types_with_a_convention_keep_it(kind):
    """Schemas rely on one rule for each type in all codecs."""
    with pytest.raises(ValueError, match=r"written by every codec already|expected a type"):
        register_type(kind, str)
