"""Explains why a codec refuses a record, by the smallest part that it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..errors import CodecError
from ..paths import abridged, step

if TYPE_CHECKING:
    from .codec import Codec


@runtime_checkable
class _Misfit(Protocol):
    """The error of a record that does not fit the schema, see `bakeoff.schemas.wire.bindings`."""

    reason: str
    path: str


def explain(codec: Codec, record: Any) -> str:
    """Return one sentence: the type and path that the codec cannot encode, and the codec's error.

    A codec that needs a schema only takes whole records; its own error names the path.

    Args:
        codec: The codec that raised.
        record: The record it raised for.
    """
    path = "$"
    part = record
    refusal = _refusal(codec, part)
    reason = "refused only as part of the whole record" if refusal is None else refusal.reason
    if codec.bound is not None:
        cause = None if refusal is None else refusal.__cause__
        return f"the record does not fit the schema: {cause if isinstance(cause, _Misfit) else reason}"
    seen: set[int] = set()
    while id(part) not in seen and (inner := _refused_child(codec, part)) is not None:
        seen.add(id(part))
        place, part, reason = inner
        path += place
    return f"cannot encode `{type(part).__name__}` at `{abridged(path)}`: {reason}"


def _refusal(codec: Codec, part: Any) -> CodecError | None:
    try:
        codec.encode(part)
    except CodecError as error:
        return error
    return None


def _refused_child(codec: Codec, part: Any) -> tuple[str, Any, str] | None:
    if isinstance(part, dict):
        children = [(step(key), item) for key, item in part.items()]
    elif isinstance(part, (list, tuple)):
        children = [(step(index), item) for index, item in enumerate(part)]
    else:
        return None
    for place, item in children:
        if (refusal := _refusal(codec, item)) is not None:
            return place, item, refusal.reason
    return None
