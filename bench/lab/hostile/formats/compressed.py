"""Hostile compressed payloads: what comes out is what counts."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from ..cases import Case, room

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["CASES"]

_case = partial(Case, "decode", wires=frozenset({"compressed"}))
_zstd = partial(Case, "decode", wires=frozenset({"zstd"}))
_lz4 = partial(Case, "decode", wires=frozenset({"lz4"}))
_zlib = partial(Case, "decode", wires=frozenset({"zlib"}))


def _packed(codec: Codec, data: bytes) -> bytes:
    assert codec.compression is not None
    return codec.compression.compress(data)


def _broken(codec: Codec) -> Iterator[bytes]:
    whole = codec.encode(["a"] * 100)
    yield from (whole[:-1], whole[: len(whole) // 2], whole[:4], whole[1:], b"x", bytes(100), b"\xff" * 100)


def _after(codec: Codec) -> Iterator[bytes]:
    whole = codec.encode({"a": 1})
    yield from (whole + b"\0", whole + b"x", whole * 2, whole + whole[:4], b"\0" + whole)


def _zstd_blocks(count: int, claimed: int | None) -> bytes:
    """Return a frame of blocks that each repeat one byte 128 KiB times (RFC 8878, section 3.1.1)."""
    head = b"\x28\xb5\x2f\xfd"
    head += b"\x00\x58" if claimed is None else b"\xc0\x58" + struct.pack("<Q", claimed)
    block = struct.pack("<I", 131072 << 3 | 1 << 1)[:3] + b" "
    last = struct.pack("<I", 131072 << 3 | 1 << 1 | 1)[:3] + b" "
    return head + block * (count - 1) + last


def _zlib_bomb(codec: Codec) -> Iterator[bytes]:
    packer = zlib.compressobj(1)
    piece = bytes(1 << 20)
    yield b"".join(packer.compress(piece) for _ in range(256)) + packer.flush()


CASES: tuple[Case, ...] = (
    _case(
        "bomb",
        "what decompresses to one byte more than the limit of size",
        lambda codec: [_packed(codec, bytes(room(codec) + 1))],
        must="limit",
    ),
    _case(
        "growth",
        "what grows a thousand times",
        lambda codec: [_packed(codec, bytes(min(room(codec), 8 << 20)))],
    ),
    _case("broken", "parts of a frame, and none", _broken, must="refuse"),
    _case("after-frame", "bytes and frames after the frame, and before", _after, must="refuse"),
    Case(
        "decode",
        "nothing",
        "a frame of nothing",
        lambda codec: [_packed(codec, b"")],
        must="refuse",
        wires=frozenset({"compressed, never empty"}),
    ),
    _zlib("endless", "256 MiB of NUL bytes", _zlib_bomb, must="limit"),
    _zstd(
        "endless",
        "2 GiB and more in frames that do not say so, or lie",
        lambda codec: [_zstd_blocks(16_384, None), _zstd_blocks(16_384, 100), _zstd_blocks(16_384, 2**62)],
        must="refuse",
    ),
    _zstd(
        "windows",
        "frames that want windows of up to 4 TB",
        lambda codec: [
            b"\x28\xb5\x2f\xfd\x00" + bytes([window << 3]) + b"\x01\x00\x00" for window in (17, 21, 31)
        ],
        must="refuse",
    ),
    _lz4(
        "claims",
        "frames that claim to be large",
        lambda codec: [
            b"\x04\x22\x4d\x18\x6c\x70" + struct.pack("<Q", 2**63) + bytes([check]) + bytes(4)
            for check in (0, 0x51, 0xC9)
        ],
        must="refuse",
    ),
)
