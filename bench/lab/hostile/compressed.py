"""Hostile compressed payloads, which attack by their decompressed content."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....codecs.streams.compression import GZIP
from .build import either, limit, refuse, table

if TYPE_CHECKING:
    from ....codecs import Codec


def _pack(codec: Codec, data: bytes) -> bytes:
    assert codec.compression is not None
    return codec.compression.compress(data)


def _broken(codec: Codec) -> Iterator[bytes]:
    whole = codec.encode(["a"] * 100)
    yield from (whole[:-1], whole[: len(whole) // 2], whole[:4], whole[1:], b"x", bytes(100), b"\xff" * 100)


def _after(codec: Codec) -> Iterator[bytes]:
    whole = codec.encode({"a": 1})
    yield from (whole + b"\0", whole + b"x", whole * 2, whole + whole[:4], b"\0" + whole)


def _zstd_frame(blocks: int, claimed: int | None) -> bytes:
    """Return a frame of blocks that each repeat one byte 128 KiB times (RFC 8878, section 3.1.1)."""
    head = b"\x28\xb5\x2f\xfd"
    head += b"\x00\x58" if claimed is None else b"\xc0\x58" + struct.pack("<Q", claimed)
    block = struct.pack("<I", 131072 << 3 | 1 << 1)[:3] + b" "
    last = struct.pack("<I", 131072 << 3 | 1 << 1 | 1)[:3] + b" "
    return head + block * (blocks - 1) + last


def _deflated_bomb(codec: Codec) -> Iterator[bytes]:
    assert codec.compression is not None
    packer = zlib.compressobj(1, wbits=GZIP if codec.compression.kind == "gzip" else zlib.MAX_WBITS)
    piece = bytes(1 << 20)
    yield b"".join(packer.compress(piece) for _ in range(256)) + packer.flush()


CASES = (
    *table(
        "compressed",
        limit("bomb", "data that decompresses to one byte more than the limit of size",
              lambda codec: [_pack(codec, bytes(codec.limits.size + 1))]),
        either("growth", "data that grows a thousand times",
               lambda codec: [_pack(codec, bytes(min(codec.limits.size, 8 << 20)))]),
        refuse("broken", "parts of a frame, and none", _broken),
        refuse("after-frame", "bytes and frames after the frame, and before", _after),
        pack=False,
    ),
    *table(
        "compressed, never empty",
        refuse("nothing", "a frame of nothing", lambda codec: [_pack(codec, b"")]),
        pack=False,
    ),
    *table(("zlib", "gzip", "isal"), limit("endless", "256 MiB of NUL bytes", _deflated_bomb), pack=False),
    *table(
        "zstd",
        refuse("endless", "2 GiB and more in frames that do not say so, or lie",
               *(_zstd_frame(16_384, claimed) for claimed in (None, 100, 2**62))),
        refuse("windows", "frames that want windows of up to 4 TB",
               *(b"\x28\xb5\x2f\xfd\0" + bytes([window << 3]) + b"\1\0\0" for window in (17, 21, 31))),
        pack=False,
    ),
    *table(
        "lz4",
        refuse("claims", "frames that claim to be large",
               *(b"\x04\x22\x4d\x18\x6c\x70" + struct.pack("<Q", 2**63) + bytes([check]) + bytes(4)
                 for check in (0, 0x51, 0xC9))),
        pack=False,
    ),
    *table(
        "snappy",
        refuse("claims", "blocks that claim up to 4 GiB, and hold a byte",
               *(size + b"\0a" for size in (b"\xac\x02", b"\xff\xff\xff\x1f", b"\xff\xff\xff\xff\x0f"))),
        pack=False,
    ),
    *table(
        "brotli",
        limit("endless", "256 MiB of NUL bytes",
              lambda codec: [_pack(codec, bytes(256 << 20))]),
        refuse("windows", "streams that want windows of up to 1 GiB",
               *(b"\x11" + bytes([window]) + bytes(8) for window in (22, 26, 30))),
        pack=False,
    ),
)  # fmt: skip
