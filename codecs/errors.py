"""All errors of codecs.

.. code-block:: text

    ValueError
    └── CodecError
        ├── EncodeError
        ├── DecodeError
        │   └── LimitError
        ├── MissingField
        ├── MissingText
        ├── MissingLibrary
        ├── UnknownCodec
        ├── UnknownCompressor
        └── UnknownMediaType

All are `ValueError`: some message clients swallow `TypeError` and call again with other
arguments (dpkp/kafka-python#3048), and would hide the cause.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UnknownName, UsageError, hint


class CodecError(ValueError):
    """Base of all codec errors.

    Attributes:
        codec: Name of the codec.
        reason: The cause, without the codec's name.
    """

    def __init__(self, codec: str, reason: str) -> None:
        super().__init__(codec, reason)
        self.codec = codec
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.codec}: {self.reason}"


class EncodeError(CodecError):
    """The object cannot be written in this format; the library's error is its cause."""


class DecodeError(CodecError):
    """The payload is not one whole, well-formed value; the library's error is its cause.

    Attributes:
        offset: In a stream, the byte at which the damaged record starts; None for a single payload.
    """

    offset: int | None = None


class LimitError(DecodeError):
    """The payload is larger or deeper than the codec's limits allow."""


class MissingText(CodecError, AttributeError):
    """The codec's payloads are not text, so it has no attribute `text`."""


class MissingField(CodecError, LookupError):
    """A path does not lead to a field of the record; the reason says where it ends, and lists the fields."""


class TooMuchError(ValueError):
    """A payload contains more than a limit allows; `Codec.decode` raises it as a `LimitError`."""


def refused(codec: str, error: Exception) -> DecodeError:
    """Return the error of a codec for one that was raised while it read a payload."""
    too_much = isinstance(error, TooMuchError | LimitError | RecursionError)
    kind = LimitError if too_much else DecodeError
    return kind(codec, error.reason if isinstance(error, CodecError) else str(error))


class PolicyError(ValueError):
    """A record violates a policy; `Codec` raises it as one of its own errors."""


class MissingLibrary(CodecError, UsageError):
    """The library of a codec is not installed."""


class UnknownCodec(CodecError, UnknownName):
    """No codec of that name."""

    def __init__(self, codec: str, near: Sequence[str] = ()) -> None:
        super().__init__(codec, f"no such codec; {hint(near, '`bakeoff codecs` lists them')}")
        self.typed, self.near = codec, tuple(near)

    def __reduce__(self) -> tuple[type[UnknownCodec], tuple[str, tuple[str, ...]]]:
        return type(self), (self.codec, self.near)


class UnknownCompressor(CodecError, UsageError):
    """No compressor of that name, or not with that level or option."""


class UnknownMediaType(CodecError, UsageError):
    """No codec reads payloads of that media type."""
