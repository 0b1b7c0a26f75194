"""Compressors that can follow a codec: ``|zlib[:LEVEL]``, ``|zstd[:LEVEL]``, ``|lz4[:LEVEL]``.

Decompression stops at the codec's size limit, whatever the payload claims.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import CodecError, LimitError, MissingLibrary

__all__ = ["COMPRESSORS", "Compression", "compressor"]


@dataclass(frozen=True, slots=True)
class Compression:
    """A compressor with its level.

    Attributes:
        name: As it stands in codec names, ``zstd:3``.
        compress: ``(bytes) -> bytes``.
        decompress: ``(bytes, limit) -> bytes``; raises above `limit` bytes.
    """

    name: str
    compress: Callable[[bytes], bytes] = field(repr=False, compare=False)
    decompress: Callable[[bytes, int], bytes] = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Callable[[str], Compression], tuple[str]]:
        return compressor, (self.name,)


def _checked(name: str, unpacker: Any, data: bytes, limit: int) -> bytes:
    """Return what a decompressor object yields, if it is one whole frame within the limit."""
    plain: bytes = unpacker.decompress(data, limit + 1)
    if len(plain) > limit:
        raise LimitError(name, f"decompresses to more than the limit of {limit:,} bytes (see with_limits)")
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"{name}: not one whole compressed frame")
    return plain


def _zlib(name: str, level: int) -> Compression:
    return Compression(
        name,
        lambda data: zlib.compress(data, level),
        lambda data, limit: _checked(name, zlib.decompressobj(), data, limit),
    )


def _zstd(name: str, level: int) -> Compression:
    try:
        import zstandard
    except ImportError as error:
        raise MissingLibrary(name, "zstandard is not installed; pip install 'bakeoff[zstd]'") from error

    # A compression context must not be shared between threads; making one costs microseconds.
    pool: list[Any] = []

    def compress(data: bytes) -> bytes:
        context = pool.pop() if pool else zstandard.ZstdCompressor(level=level)
        packed: bytes = context.compress(data)
        pool.append(context)
        return packed

    def decompress(data: bytes, limit: int) -> bytes:
        size = zstandard.frame_content_size(data)
        if size > limit:
            raise LimitError(
                name, f"claims {size:,} bytes, more than the limit of {limit:,} (see with_limits)"
            )
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        plain: bytes = unpacker.decompress(data)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("not one whole zstd frame")
        return plain

    return Compression(name, compress, decompress)


def _lz4(name: str, level: int) -> Compression:
    try:
        from lz4 import frame
    except ImportError as error:
        raise MissingLibrary(name, "lz4 is not installed; pip install 'bakeoff[lz4]'") from error

    return Compression(
        name,
        lambda data: frame.compress(data, compression_level=level),
        lambda data, limit: _checked(name, frame.LZ4FrameDecompressor(), data, limit),
    )


COMPRESSORS: dict[str, tuple[Callable[[str, int], Compression], int]] = {
    "zlib": (_zlib, 6),
    "zstd": (_zstd, 3),
    "lz4": (_lz4, 0),
}
"""Name to maker and default level."""


def compressor(name: str) -> Compression:
    """Return the compressor that a name such as ``"zstd:3"`` means.

    Raises:
        CodecError: No such compressor, or the level is not a number.
        MissingLibrary: Its library is not installed.
    """
    kind, _, level = name.partition(":")
    if kind not in COMPRESSORS:
        raise CodecError(name, f"no such compressor; there are {', '.join(COMPRESSORS)}")
    make, default = COMPRESSORS[kind]
    try:
        number = int(level) if level else default
    except ValueError as error:
        raise CodecError(name, f"the level must be a whole number, got {level!r}") from error
    return make(name, number)
