"""pickle with separate buffers (protocol 5, PEP 574), so that decoding does not copy arrays and frames.

A payload consists of a head, the pickle, and the buffers. The arrays of a decoded record are views of the
payload. A transport with several frames can send the parts separately, without a copy on either side:
`encode_frames` and `decode_frames`.

A record without arrays is written as a plain pickle, and plain pickles can be read. Otherwise the head is
``b"bpk5"``, the number of buffers (4 bytes), and the lengths of the pickle and of each buffer (8 bytes each),
little-endian. Each buffer starts at a multiple of 16 bytes, so that views of it are aligned.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from struct import Struct, unpack_from
from typing import Any

_MAGIC = b"bpk5"
_HEAD = Struct("<4sI")
_LENGTH = 8
_ALIGNED = 16
_PADDING = tuple(bytes(size) for size in range(_ALIGNED))

Buffer = bytes | bytearray | memoryview


def encode_frames(record: Any) -> list[Buffer]:
    """Return the pickle of a record, followed by the memory of its arrays, which is not copied."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(record, 5, buffer_callback=buffers.append)
    return [body, *(buffer.raw() for buffer in buffers)]


def decode_frames(frames: Sequence[Buffer]) -> Any:
    """Return the record of frames from `encode_frames`; its arrays are views of them."""
    body, *buffers = frames
    file = io.BytesIO(body)
    record = pickle.load(file, buffers=buffers)
    if file.tell() != len(body):
        raise ValueError(f"data after the end of the value, at byte {file.tell():,}")
    return record


def encode(record: Any) -> bytes:
    """Return the payload of a record; the memory of its arrays is copied once."""
    frames = encode_frames(record)
    if len(frames) == 1:
        return bytes(frames[0])
    lengths = [len(frame) for frame in frames]
    parts: list[Buffer] = [_HEAD.pack(_MAGIC, len(frames) - 1), Struct(f"<{len(lengths)}Q").pack(*lengths)]
    end = _HEAD.size + _LENGTH * len(lengths)
    for number, frame in enumerate(frames):
        if number and end % _ALIGNED:
            parts.append(_PADDING[-end % _ALIGNED])
            end += -end % _ALIGNED
        parts.append(frame)
        end += lengths[number]
    return b"".join(parts)


def decode(data: bytes) -> Any:
    """Return the record of a payload; its arrays are views of the payload.

    Raises:
        ValueError: It is not such a payload, or its lengths are wrong.
    """
    if not data.startswith(_MAGIC):
        return decode_frames([data])
    if len(data) < _HEAD.size + _LENGTH:
        raise ValueError("the payload ends within its header")
    _, count = _HEAD.unpack_from(data)
    if count > len(data) // _LENGTH - 2:
        raise ValueError(f"{count:,} buffers, but the payload ends within their lengths")
    whole = memoryview(data)
    end = _HEAD.size + _LENGTH * (count + 1)
    frames: list[Buffer] = []
    for number, length in enumerate(unpack_from(f"<{count + 1}Q", data, _HEAD.size)):
        if number:
            end += -end % _ALIGNED
        if length > len(data) - end:
            raise ValueError(f"a buffer of {length:,} bytes extends beyond the payload")
        frames.append(whole[end : end + length])
        end += length
    if end != len(data):
        raise ValueError(f"data after the last buffer, at byte {end:,}")
    return decode_frames(frames)
