"""Codecs as formats of the CloudEvents SDK, version 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudevents.core.base import BaseCloudEvent, EventFactory
from cloudevents.core.formats.json import JSONFormat

from ..media import MediaReaders

if TYPE_CHECKING:
    from ..core.base import CodecBase


class Encoded(JSONFormat):
    """The ``event_format`` of ``to_binary``, ``from_structured`` and similar functions.

    The codec encodes and decodes data with its own ``datacontenttype``, in structured mode as
    ``data_base64``; the SDK handles everything else.

    Args:
        codec: Encodes and decodes. Its `DecodeError` is not wrapped.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec
        self._readers = MediaReaders(codec)

    def write_data(self, data: Any, datacontenttype: str | None) -> bytes:
        """Return the body of an event in binary mode."""
        if data is None or (codec := self._codec(datacontenttype)) is None:
            return super().write_data(data, datacontenttype)
        return codec.encode(data)

    def read_data(self, body: bytes, datacontenttype: str | None) -> Any:
        """Return the data of an event in binary mode."""
        if body and (codec := self._codec(datacontenttype)) is not None:
            return codec.decode(body)
        return super().read_data(body, datacontenttype)

    def write(self, event: BaseCloudEvent) -> bytes:
        """Return an event in structured mode, as JSON."""
        data: Any = event.get_data()
        if data is not None and (codec := self._codec(event.get_datacontenttype())) is not None:
            event = _with(event, codec.encode(data))
        return super().write(event)

    def read(self, event_factory: EventFactory | None, data: str | bytes) -> BaseCloudEvent:
        """Return an event of structured mode; JSON data in it is already decoded."""
        event = super().read(event_factory, data)
        payload = event.get_data()
        if isinstance(payload, bytes) and (codec := self._codec(event.get_datacontenttype())) is not None:
            event = _with(event, codec.decode(payload))
        return event

    def _codec(self, datacontenttype: str | None) -> CodecBase | None:
        return None if datacontenttype is None else self._readers.get(datacontenttype)


def _with(event: BaseCloudEvent, data: Any) -> BaseCloudEvent:
    """Return the event with other data, of the same version of the specification."""
    return type(event)(event.get_attributes(), data)


integration = Encoded
