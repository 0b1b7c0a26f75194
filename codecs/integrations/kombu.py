"""Codecs as serializers of kombu, and so of Celery: ``task_serializer = "bakeoff-orjson"``.

kombu loads the entry points of the group ``kombu.serializers`` as soon as it is imported, whether they are
used or not. So neither a codec nor its library is loaded before the first message.

Each has its own content type: the codec's media type, with its name as the parameter ``codec``. kombu
keeps one decoder for a content type, the last one registered, but codecs of one format do not
all read each other's payloads (orjson decodes integers beyond 64 bits from json as floats).
kombu's own ``application/json`` is unchanged.

There is one for every codec that is safe for untrusted messages, needs no schema and preserves
None, which Celery's own messages contain: not pickle, marshal, plist. Variants (``msgpack/tuple``) are not
included, as they change the lists of Celery's messages as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ..core.codec import Codec

Serializer: TypeAlias = tuple[Callable[[Any], bytes], Callable[[Any], Any], str, str]
"""Encoder, decoder, content type and content encoding: the arguments of ``kombu.serialization.register``."""


@functools.cache
def _made(name: str) -> Codec:
    """Return a codec of the registry.

    Raises:
        SerializerNotInstalled: Its library is missing. On this error, the worker ends and its messages remain
            in the queue; on any other error, Celery acknowledges the message, which is then lost.
    """
    from ..errors import MissingLibrary
    from ..factory import codec

    try:
        return codec(name)
    except MissingLibrary as error:
        from kombu.exceptions import SerializerNotInstalled

        raise SerializerNotInstalled(str(error)) from error


def _serializer(name: str, media_type: str, content_encoding: str) -> Serializer:
    def encode(record: Any) -> bytes:
        return _made(name).encode(record)

    def decode(payload: bytes | memoryview | str) -> Any:
        return _made(name).decode(payload)

    return encode, decode, f"{media_type}; codec={name}", content_encoding


_JSON = "application/x.bakeoff+json", "utf-8"
_MSGPACK = "application/x.bakeoff.msgpack", "binary"

json = _serializer("json", *_JSON)
simplejson = _serializer("simplejson", *_JSON)
orjson = _serializer("orjson", *_JSON)
msgspec_json = _serializer("msgspec-json", *_JSON)
ujson = _serializer("ujson", *_JSON)
rapidjson = _serializer("rapidjson", *_JSON)
ssrjson = _serializer("ssrjson", *_JSON)
pydantic_core = _serializer("pydantic-core", *_JSON)
msgpack = _serializer("msgpack", *_MSGPACK)
ormsgpack = _serializer("ormsgpack", *_MSGPACK)
msgspec_msgpack = _serializer("msgspec-msgpack", *_MSGPACK)
bson = _serializer("bson", "application/x.bakeoff.bson", "binary")
yaml = _serializer("yaml", "application/x.bakeoff+yaml", "utf-8")
cbor2 = _serializer("cbor2", "application/x.bakeoff+cbor", "binary")
