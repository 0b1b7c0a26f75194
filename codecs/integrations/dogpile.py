"""Codecs as serializers of dogpile.cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypedDict

from dogpile.cache.api import CantDeserializeException

from ..core.base import CodecBase
from ..errors import DecodeError


class Arguments(TypedDict):
    """Arguments of ``make_region`` by their names."""

    serializer: Callable[[Any], bytes]
    deserializer: Callable[[bytes], Any]


def integration(codec: CodecBase) -> Arguments:
    """Return arguments of ``make_region``; a value that cannot be decoded is a miss and is created again."""
    return {"serializer": codec.encode, "deserializer": partial(_deserialize, codec)}


def _deserialize(codec: CodecBase, data: bytes) -> Any:
    try:
        return codec.decode(data)
    except DecodeError as error:
        raise CantDeserializeException(str(error)) from error
