"""Codecs as the serializer of huey, whose messages are named tuples that contain moments."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from huey.registry import Message
from huey.utils import Error

from ..errors import DecodeError

if TYPE_CHECKING:
    from ..core.base import CodecBase


class Messages:
    """Serializes huey's data as payloads of a codec: tasks, results, errors, revocations.

    huey's own types are restored with any codec. Arguments and results have
    the codec's types, arguments in a tuple.

    Args:
        codec: A codec that preserves None.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec

    def serialize(self, data: Any) -> bytes:
        """Return the payload of a message, or of a result.

        Raises:
            EncodeError: As the codec's.
        """
        return self.codec.encode(_written(data))

    def deserialize(self, data: bytes) -> Any:
        """Return the message or result of a payload.

        Raises:
            DecodeError: Not a payload of the codec, or not written by `serialize`.
        """
        written = self.codec.decode(data)
        try:
            ((kind, value),) = written.items()
            return _READ[kind](value)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DecodeError(self.codec.name, "not a message of huey") from error


def _written(data: Any) -> dict[str, Any]:
    match data:
        case Message():
            return {"task": _write_message(data)}
        case Error():
            return {"error": data.metadata}
        case (None | dt.datetime() as until, bool(once)) if type(data) is tuple:
            return {"revoked": [_write_moment(until), once]}
        case _:
            return {"result": data}


def _write_message(message: Message) -> dict[str, Any]:
    return {
        name: _WRITE.get(name, _same)(value) for name, value in message._asdict().items() if value is not None
    }


def _read_message(fields: dict[str, Any]) -> Message:
    return Message(**{name: _READ_FIELD.get(name, _same)(value) for name, value in fields.items()})


def _write_moment(value: Any) -> Any:
    """Return a moment as text, and an interval as seconds, which huey also accepts."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, dt.timedelta) else value


def _read_moment(value: Any) -> Any:
    return dt.datetime.fromisoformat(value) if isinstance(value, str) else value


def _write_chord(chord: Any) -> list[Any]:
    *place, callback = chord
    return [*place, _write_message(callback)]


def _read_chord(chord: list[Any]) -> tuple[Any, ...]:
    *place, callback = chord
    return (*place, _read_message(callback))


def _read_revoked(value: list[Any]) -> tuple[Any, bool]:
    until, once = value
    return _read_moment(until), once


def _same(value: Any) -> Any:
    return value


_MOMENTS = ("eta", "expires", "expires_resolved")
_FOLLOWING = ("on_complete", "on_error")
_WRITE: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_MOMENTS, _write_moment),
    **dict.fromkeys(_FOLLOWING, _write_message),
    "chord_config": _write_chord,
}
_READ_FIELD: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_MOMENTS, _read_moment),
    **dict.fromkeys(_FOLLOWING, _read_message),
    "chord_config": _read_chord,
    "args": tuple,
}
_READ: dict[str, Callable[[Any], Any]] = {
    "task": _read_message,
    "error": Error,
    "revoked": _read_revoked,
    "result": _same,
}

integration = Messages
