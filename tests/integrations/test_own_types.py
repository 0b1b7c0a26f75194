"""Whether a message is in a codec's format: every integration that sees media types has one answer."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest

import bakeoff
from bakeoff.codecs import UnknownMediaType, by_media_type, migrate

CODECS = {name: bakeoff.codec(name) for name in ("msgpack", "orjson", "cbor2", "json|gzip")}
CODECS |= {"moved": migrate("json", "msgpack"), "moved|gzip": migrate("json|gzip", "msgpack|zlib")}
RECORD = 53
"""A number that JSON's payload of 5 is in MessagePack: no error shows that another codec has read it."""
EVENT = {"id": "7", "type": "sold", "source": "shop", "specversion": "1.0"}
PARTS: dict[str, list[bakeoff.Codec]] = {
    name: [*codec.spec.calls.readers] or [codec] for name, codec in CODECS.items()
}


def spellings(codec: bakeoff.Codec) -> dict[str, str]:
    """Return types of a codec's payloads, and how each is spelled."""
    suffix = f"+{codec.format}" if codec.format in ("json", "cbor") and codec.compression is None else ""
    known = {"own": codec.media_type, "parameter": f"{codec.media_type}; charset=utf-8"}
    known |= {"case": codec.media_type.upper(), "case and blanks": f" {codec.media_type.title()} ;q=1"}
    known |= {f"alias {name}": name for name in codec.media_type_aliases}
    return known | ({"suffix": f"application/vnd.shop.v1{suffix}"} if suffix else {})


MINE = [
    pytest.param(codec, part, media_type, id=f"{name}: {part.name}, {how}")
    for name, codec in CODECS.items()
    for part in PARTS[name]
    for how, media_type in spellings(part).items()
]
OTHERS = [
    pytest.param(codec, media_type, id=f"{name}: {media_type}")
    for name, codec in CODECS.items()
    for media_type in (
        "application/bson",
        "application/vnd.shop+yaml",
        "application/octet-stream",
        "odd",
        "+json",
    )
]


class RefusedError(Exception):
    """A message of another type."""


Read = Callable[[bakeoff.Codec, bytes, str], Any]


def function(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    try:
        return by_media_type(media_type, [*codec.spec.calls.readers] or [codec]).decode(payload)
    except UnknownMediaType as error:
        raise RefusedError from error


def cloudevents(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    from cloudevents.core.bindings.kafka import from_binary, to_binary
    from cloudevents.core.formats.json import JSONFormat
    from cloudevents.core.v1.event import CloudEvent

    raw: Any = JSONFormat()
    raw.write_data = lambda data, datacontenttype: data
    event = CloudEvent({**EVENT, "datacontenttype": media_type}, payload)
    found = from_binary(to_binary(event, raw), bakeoff.integrations.cloudevents(codec)).get_data()
    if found in (payload, str(payload, "latin-1")):
        raise RefusedError  # left to the SDK
    return found


def faststream(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    from faststream.message import StreamMessage

    found = asyncio.run(
        bakeoff.integrations.faststream(codec).decode(StreamMessage(None, payload, content_type=media_type))
    )
    if found == payload:
        raise RefusedError  # left to FastStream
    return found


def faststream_batch(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    from faststream.message import StreamMessage

    message: Any = StreamMessage(None, [payload], batch_headers=[{"content-type": media_type}])
    (found,) = asyncio.run(bakeoff.integrations.faststream(codec).decode_batch(message))
    if found == payload:
        raise RefusedError
    return found


def quixstreams(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    from quixstreams.models import MessageField, SerializationContext

    context = SerializationContext("orders", MessageField.VALUE, [("content-type", media_type.encode())])
    try:
        return bakeoff.integrations.quixstreams(codec)["value_deserializer"](payload, context)
    except UnknownMediaType as error:
        raise RefusedError from error


def received(framework: str, codec: bakeoff.Codec, payload: bytes, headers: dict[str, str]) -> Any:
    """Return what a server of HTTP reads; Django REST framework has our class of negotiation."""
    from django.conf import settings
    from litestar.exceptions import ClientException
    from starlette.exceptions import HTTPException

    if not settings.configured:
        settings.configure()
    from rest_framework.exceptions import UnsupportedMediaType

    from bakeoff.codecs.integrations.drf import Negotiation

    async def body() -> bytes:
        return payload

    request: Any = SimpleNamespace(headers=headers, body=body, content_type=headers["content-type"])
    try:
        if framework != "drf":
            return asyncio.run(getattr(bakeoff.integrations, framework)(codec).read(request))
        _, kind = bakeoff.integrations.drf(codec)
        if (parser := Negotiation().select_parser(request, [kind()])) is None:
            raise RefusedError
        return parser.parse(BytesIO(payload), request.content_type, {"request": request})
    except (ClientException, HTTPException, UnsupportedMediaType) as error:
        raise (RefusedError if error.status_code == 415 else error) from error


def starlette(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    return received("starlette", codec, payload, {"content-type": media_type})


def litestar(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    return received("litestar", codec, payload, {"content-type": media_type})


def drf(codec: bakeoff.Codec, payload: bytes, media_type: str) -> Any:
    return received("drf", codec, payload, {"content-type": media_type})


READERS: list[Read] = [
    function, cloudevents, faststream, faststream_batch, quixstreams, starlette, litestar, drf,
]  # fmt: skip


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("codec", "part", "media_type"), MINE)
def test_payloads_of_a_codecs_types_are_its_own(
    read: Read, codec: bakeoff.Codec, part: bakeoff.Codec, media_type: str
) -> None:
    assert RECORD == read(codec, part.encode(RECORD), media_type)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("codec", "media_type"), OTHERS)
def test_payloads_of_other_types_are_not(read: Read, codec: bakeoff.Codec, media_type: str) -> None:
    with pytest.raises(RefusedError):
        read(codec, b"5", media_type)


@pytest.mark.parametrize(
    ("codec", "part", "media_type"), [each for each in MINE if not re.search("case|suffix", str(each.id))]
)
def test_falcon_finds_the_handler_of_a_type(
    codec: bakeoff.Codec, part: bakeoff.Codec, media_type: str
) -> None:
    """By its own rules: it compares letters exactly, and knows neither suffixes nor content codings."""
    import falcon
    from falcon.testing import TestClient

    seen = []

    class Orders:
        def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
            seen.append(request.get_media())

    app = falcon.App()
    app.req_options.media_handlers.clear()
    app.req_options.media_handlers.update(bakeoff.integrations.falcon(codec))
    app.add_route("/", Orders())

    TestClient(app).simulate_post("/", body=part.encode(RECORD), headers={"content-type": media_type})

    assert [RECORD] == seen


@pytest.mark.parametrize(("codec", "part"), [(c, p) for n, c in CODECS.items() for p in PARTS[n]])
def test_temporal_reads_all_encodings_of_a_codec(codec: bakeoff.Codec, part: bakeoff.Codec) -> None:
    from temporalio.api.common.v1 import Payload

    converter = bakeoff.integrations.temporal(codec).payload_converter
    for name in (part.media_type, *part.media_type_aliases):
        payload = Payload(metadata={"encoding": name.encode()}, data=part.encode(RECORD))
        assert [RECORD] == converter.from_payloads([payload])
    (written,) = converter.to_payloads([RECORD])
    assert (codec.media_type.encode(), codec.encode(RECORD)) == (written.metadata["encoding"], written.data)


HTTP: list[tuple[Any, Any]] = [
    *itertools.permutations(("json", "json|gzip", "msgpack|zlib", "cbor2", "orjson|zstd"), 2)
]


@pytest.mark.parametrize("framework", ["starlette", "litestar", "drf"])
@pytest.mark.parametrize(("old", "new"), HTTP)
def test_clients_of_both_codecs_are_served_while_one_moves(framework: str, old: str, new: str) -> None:
    """With the headers of either, plain or coded."""
    both = migrate(old, new)
    codecs = bakeoff.codec(old), bakeoff.codec(new)

    assert codecs[1].http_headers == both.http_headers
    assert codecs[1].media_type == both.media_type
    for codec in codecs:
        plain = codec.with_compression(None)
        sent = [(codec, codec.http_headers), (codec, {"content-type": codec.media_type})]
        sent += [(plain, plain.http_headers), (plain, {**plain.http_headers, "content-encoding": "identity"})]
        for writer, headers in sent:
            assert RECORD == received(framework, both, writer.encode(RECORD), headers), (codec, headers)
        with pytest.raises(RefusedError):
            received(framework, both, b"5", {**codec.http_headers, "content-encoding": "br"})


@pytest.mark.parametrize("name", ["msgpack", "json|gzip"])
def test_a_parser_of_a_user_has_a_type_of_its_own(name: str) -> None:
    """As the page about Django says: a subclass with another type."""
    from django.conf import settings

    if not settings.configured:
        settings.configure()
    from rest_framework.negotiation import DefaultContentNegotiation

    codec = bakeoff.codec(name)
    kind = type("Shop", (bakeoff.integrations.drf(codec)[1],), {"media_type": "application/vnd.shop"})
    headers = {**codec.http_headers, "content-type": "application/vnd.shop"}
    request: Any = SimpleNamespace(content_type="application/vnd.shop", headers=headers)

    parser = DefaultContentNegotiation().select_parser(request, [kind()])

    body = BytesIO(codec.encode(RECORD))
    assert RECORD == parser.parse(body, "application/vnd.shop", {"request": request})


def test_settings_of_a_migration_apply_to_both() -> None:
    """Also to messages whose header names the codec."""
    both = migrate("json", "msgpack").with_limits(size=3)
    for part in ("json", "msgpack"):
        codec = bakeoff.codec(part)
        with pytest.raises(bakeoff.DecodeError, match="limit of 3"):
            faststream(both, codec.encode("long text"), codec.media_type)


def test_an_event_is_written_in_the_type_that_it_names() -> None:
    """Of a migration, in the old codec, too."""
    from cloudevents.core.bindings.kafka import from_binary, to_binary
    from cloudevents.core.v1.event import CloudEvent

    both = migrate("json", "msgpack")
    form = bakeoff.integrations.cloudevents(both)
    for part in map(bakeoff.codec, ("json", "msgpack")):
        event = CloudEvent({**EVENT, "datacontenttype": part.media_type}, {"n": [1]})
        message = to_binary(event, form)
        assert part.encode({"n": [1]}) == message.value
        assert {"n": [1]} == from_binary(message, form).get_data()
