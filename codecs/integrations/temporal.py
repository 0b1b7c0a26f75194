"""Codecs as Temporal's data converter."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    CompositePayloadConverter,
    DataConverter,
    DefaultPayloadConverter,
    EncodingPayloadConverter,
    JSONTypeConverter,
    value_to_type,
)

from ..core.base import CodecBase
from ..core.classes import class_of
from ..media import MediaReaders
from ..ready import of_class

_FROM_TEXT: dict[Any, Callable[[str], Any]] = {
    Decimal: Decimal,
    dt.date: dt.date.fromisoformat,
    dt.time: dt.time.fromisoformat,
}
"""Types that Temporal's JSON does not support, and that our conventions write as text."""


class _Types(JSONTypeConverter):
    """Adds a case to Temporal's conversion to a type hint: values that the codec has already restored."""

    def to_typed_value(self, hint: type, value: Any) -> Any:
        if isinstance(value, str) and hint in _FROM_TEXT:
            return _FROM_TEXT[hint](value)
        return value if type(value) is hint else JSONTypeConverter.Unhandled


class Payloads(EncodingPayloadConverter):
    """Values as payloads of a codec; the codec's media type is Temporal's *encoding*."""

    def __init__(self, codec: CodecBase, encoding: str) -> None:
        self.codec, self._encoding = codec, encoding

    @property
    def encoding(self) -> str:
        """The metadata of payloads."""
        return self._encoding

    def to_payload(self, value: Any) -> Payload:
        """Return the payload of a value.

        Raises:
            EncodeError: As the codec's.
        """
        return Payload(metadata={"encoding": self.encoding.encode()}, data=self.codec.encode(value))

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> Any:
        """Return the value of a payload, converted to the type hint, dataclasses included.

        Raises:
            DecodeError: As the codec's.
            TypeError: It cannot be converted to that type.
        """
        value = self.codec.decode(payload.data)
        return value if type_hint is None else value_to_type(type_hint, value, [_Types()])


class Converter(CompositePayloadConverter):
    """Temporal's converter, with a codec instead of JSON; all types that the codec reads are read."""

    codec: CodecBase

    def __init__(self) -> None:
        *special, json = DefaultPayloadConverter.default_encoding_payload_converters
        readers = MediaReaders(self.codec)
        names = (self.codec.media_type, *self.codec.media_type_aliases)
        ours = [Payloads(readers.of(name), name) for name in names]
        super().__init__(*special, *ours, json)


def integration(codec: CodecBase) -> DataConverter:
    """Return the ``data_converter`` for clients and workers.

    Temporal itself still writes None, bytes and protobuf messages; the codec writes everything else. JSON
    that Temporal wrote before is still read, so histories of running workflows stay readable.
    """
    return replace(DataConverter.default, payload_converter_class=class_of(Converter, codec))


def __getattr__(name: str) -> type[Converter]:
    return class_of(Converter, of_class(__name__, name))
