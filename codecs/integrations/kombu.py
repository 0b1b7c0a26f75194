"""Codecs as serializers of kombu, and so of Celery: ``task_serializer = "bakeoff-orjson"``.

kombu loads what the entry-point group ``kombu.serializers`` names as soon as it is imported, whether it is
used or not: so neither a codec nor its library is loaded before the first message.

Each has a content type of its own: the codec's media type, with its name as the parameter ``codec``. kombu
keeps one decoder for a content type, that of whoever was registered last, but codecs of one format do not
all read what another has written (orjson makes floats of the integers beyond 64 bits that json writes).
kombu's own ``application/json`` stays what it is.

There is one for every codec that strangers' messages may be given to, that needs no schema and that carries
None, which Celery's own messages hold: no pickle, marshal, plist. Variants (``msgpack/tuple``) are left out,
as they change the lists of Celery's messages as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ..core.codec import Codec

__all__ = [
    "Serializer",
    "bson",
    "cbor2",
    "json",
    "msgpack",
    "msgspec_json",
    "msgspec_msgpack",
    "orjson",
    "ormsgpack",
    "rapidjson",
    "simplejson",
    "ujson",
    "yaml",
]

Serializer: TypeAlias = tuple[Callable[[Any], bytes], Callable[[Any], Any], str, str]
"""Encoder, decoder, content type and content encoding: the arguments of ``kombu.serialization.register``."""


@functools.cache
def _made(name: str) -> Codec:
    """Return a codec of the registry.

    Raises:
        SerializerNotInstalled: Its library is missing. Celery acknowledges, and so loses, what raises any
            other error; on this one the worker ends and its messages stay.
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
msgpack = _serializer("msgpack", *_MSGPACK)
ormsgpack = _serializer("ormsgpack", *_MSGPACK)
msgspec_msgpack = _serializer("msgspec-msgpack", *_MSGPACK)
bson = _serializer("bson", "application/x.bakeoff.bson", "binary")
yaml = _serializer("yaml", "application/x.bakeoff+yaml", "utf-8")
cbor2 = _serializer("cbor2", "application/x.bakeoff+cbor", "binary")
