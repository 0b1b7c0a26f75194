"""What can follow a codec: ``|zlib[:LEVEL]``, ``|zstd[:LEVEL][,dict]``, ``|lz4[:LEVEL]``, ``|crc32``.

The last is a checksum: four bytes behind each payload, which tell when a byte of it has changed. Formats take
many changed payloads without a word, as what has changed is a value. In streams such payloads are framed so
that behind a damaged one the next is found (`bakeoff.codecs.streams.Marked`).

Decompression stops at the codec's limits of size and ratio, whatever the payload claims. ``,dict`` stands for
a dictionary trained on sample payloads (`train`), which both sides must have.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import hint, near
from .errors import CodecError, LimitError, MissingLibrary, UnknownCompressor

if TYPE_CHECKING:
    from .streams import Framing

__all__ = ["COMPRESSORS", "DICTIONARY_BYTES", "FREE", "Compression", "compressor", "library", "train"]

ZSTD_PIECE = 256
"""Bytes fed at a time; each block of four may stand for 128 KiB (RFC 8878, section 3.1.1.2)."""
FREE = 1024 * 1024
"""Bytes that any payload may decompress to: short ones often hold much of the same, and no record made of so
little takes more than some 75 MiB."""
CHECKSUM = 4
"""Bytes of a CRC-32, big-endian."""
DICTIONARY_BYTES = 16 * 1024
"""Size of a trained dictionary; zstd's own advice is a hundredth of the samples, and messages are small."""


class _BeyondError(Exception):
    """More comes out than was asked for."""


@dataclass(frozen=True, slots=True)
class Compression:
    """A compressor with its level, or a checksum.

    Attributes:
        name: As it stands in codec names, ``zstd:3``.
        compress: ``(bytes) -> bytes``.
        decompress: ``(bytes, limit) -> bytes``; raises above `limit` bytes. Call `decompress_within`.
        dictionary: Trained dictionary, or None.
        framing: How its payloads follow one another in a stream; None: each after its length.
    """

    name: str
    compress: Callable[[bytes], bytes] = field(repr=False, compare=False)
    decompress: Callable[[bytes, int], bytes] = field(repr=False, compare=False)
    dictionary: bytes | None = field(default=None, repr=False)
    framing: Framing | None = field(default=None, repr=False, compare=False)

    @property
    def kind(self) -> str:
        """Which compressor it is, whatever its level."""
        return re.split("[:,]", self.name)[0]

    @property
    def dictionary_id(self) -> int | None:
        """The number by which a zstd frame names its dictionary (RFC 8878, section 5); None without one."""
        return None if self.dictionary is None else int.from_bytes(self.dictionary[4:8], "little")

    def __reduce__(self) -> tuple[Callable[..., Compression], tuple[str, bytes | None]]:
        return compressor, (self.name, self.dictionary)

    def decompress_within(self, data: bytes, size: int, ratio: int) -> bytes:
        """Return what a payload decompresses to.

        Args:
            size: The most it may be, in bytes.
            ratio: The most it may be, beyond `FREE` bytes, as a multiple of the payload.

        Raises:
            LimitError: It is more.
        """
        limit = min(size, max(FREE, ratio * len(data)))
        try:
            return self.decompress(data, limit)
        except _BeyondError as error:
            if limit == size:
                reason = f"the limit of {size:,} bytes (see with_limits, decompressed)"
            else:
                times = f"a limit of {ratio:,} times its {len(data):,}"
                reason = f"{limit:,} bytes, with {times} (see with_limits, ratio)"
            raise LimitError(self.name, f"decompresses to more than {reason}") from error


def _checked(name: str, unpacker: Any, data: bytes, limit: int) -> bytes:
    """Return what a decompressor object yields, if it is one whole frame within the limit."""
    plain: bytes = unpacker.decompress(data, limit + 1)
    if len(plain) > limit:
        raise _BeyondError
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"{name}: not one whole compressed frame")
    return plain


def _zlib(name: str, level: int, dictionary: bytes | None) -> Compression:
    return Compression(
        name,
        lambda data: zlib.compress(data, level),
        lambda data, limit: _checked(name, zlib.decompressobj(), data, limit),
    )


def _zstandard(name: str) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingLibrary(name, "zstandard is not installed; pip install 'bakeoff[zstd]'") from error
    return zstandard


def _zstd(name: str, level: int, dictionary: bytes | None) -> Compression:
    zstandard = _zstandard(name)
    options = {}
    if dictionary is not None:
        options["dict_data"] = trained = zstandard.ZstdCompressionDict(dictionary)
        trained.precompute_compress(level=level)
    # Contexts must not be shared between threads; making one costs microseconds.
    pool: list[Any] = []
    unpackers: list[Any] = []

    def compress(data: bytes) -> bytes:
        context = pool.pop() if pool else zstandard.ZstdCompressor(level=level, **options)
        packed: bytes = context.compress(data)
        pool.append(context)
        return packed

    def decompress(data: bytes, limit: int) -> bytes:
        size = zstandard.frame_content_size(data)
        if size > limit:
            raise _BeyondError
        context = unpackers.pop() if unpackers else zstandard.ZstdDecompressor(**options)
        unpacker = context.decompressobj()
        # A frame need not say how large it is; then it is fed in pieces, none of which can grow by much.
        step = len(data) if size >= 0 else ZSTD_PIECE
        plain = bytearray()
        for start in range(0, len(data), step):
            if unpacker.eof:
                break
            plain += unpacker.decompress(data[start : start + step])
            if len(plain) > limit:
                raise _BeyondError
        else:
            start = len(data)
        if not unpacker.eof or unpacker.unused_data or start < len(data):
            raise ValueError("not one whole zstd frame")
        unpackers.append(context)
        return bytes(plain)

    return Compression(name, compress, decompress, dictionary)


def _lz4(name: str, level: int, dictionary: bytes | None) -> Compression:
    try:
        from lz4 import frame
    except ImportError as error:
        raise MissingLibrary(name, "lz4 is not installed; pip install 'bakeoff[lz4]'") from error

    return Compression(
        name,
        lambda data: frame.compress(data, compression_level=level),
        lambda data, limit: _checked(name, frame.LZ4FrameDecompressor(), data, limit),
    )


def _crc32(name: str, level: int, dictionary: bytes | None) -> Compression:
    from .streams import MARKED

    def check(data: bytes, limit: int) -> bytes:
        plain, found = data[:-CHECKSUM], data[-CHECKSUM:]
        if len(plain) > limit:
            raise _BeyondError
        if found != (expected := zlib.crc32(plain).to_bytes(CHECKSUM, "big")):
            raise ValueError(
                f"damaged: its checksum is {found.hex()}, that of what it holds {expected.hex()}"
            )
        return plain

    def sign(data: bytes) -> bytes:
        return data + zlib.crc32(data).to_bytes(CHECKSUM, "big")

    return Compression(name, sign, check, framing=MARKED)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of compressor.

    Attributes:
        make: ``(name, level, dictionary)``.
        level: The one that is taken where none is named.
        levels: All that there are.
        library: The distribution that brings it; "Python" is the standard library.
    """

    make: Callable[[str, int, bytes | None], Compression]
    level: int
    levels: range
    library: str


COMPRESSORS = {
    # zlib.h, zstd.h (ZSTD_minCLevel) and lz4.c (LZ4_ACCELERATION_MAX): levels below 0 are faster still.
    "zlib": _Kind(_zlib, 6, range(10), "Python"),
    "zstd": _Kind(_zstd, 3, range(-131_072, 23), "zstandard"),
    "lz4": _Kind(_lz4, 0, range(-65_537, 17), "lz4"),
    "crc32": _Kind(_crc32, 0, range(1), "Python"),
}
"""What stands in codec names, by name."""


def library(name: str) -> str:
    """Return the distribution behind a compressor such as ``"zstd:3"``; "Python" for the standard library.

    Raises:
        UnknownCompressor: No such compressor.
    """
    return COMPRESSORS[_parse(name)[0]].library


def compressor(name: str, dictionary: bytes | None = None) -> Compression:
    """Return the compressor that a name such as ``"zstd:3"`` means.

    Args:
        name: ``KIND[:LEVEL][,dict]``.
        dictionary: For names with ``,dict``: what `train` made of sample payloads.

    Raises:
        UnknownCompressor: No such compressor, level or option.
        CodecError: The dictionary is missing.
        MissingLibrary: Its library is not installed.
    """
    kind, number, with_dictionary = _parse(name)
    if with_dictionary and dictionary is None:
        raise CodecError(name, "needs a dictionary: bakeoff.codecs.train(name, payloads)")
    return COMPRESSORS[kind].make(name, number, dictionary if with_dictionary else None)


def train(name: str, payloads: Sequence[bytes]) -> Compression:
    """Return the compressor ``zstd[:LEVEL],dict`` with a dictionary trained on sample payloads.

    The name may leave out its ``,dict``.

    Train on other records than those you measure: a dictionary knows what it was trained on.

    Raises:
        CodecError: Too few or too uniform payloads, or a compressor without dictionaries.
        MissingLibrary: zstandard is not installed.
    """
    kind, number, with_dictionary = _parse(name)
    if kind != "zstd":
        raise CodecError(name, "has no dictionaries; zstd has")
    zstandard = _zstandard(kind)
    try:
        trained = zstandard.train_dictionary(DICTIONARY_BYTES, list(payloads), level=number)
    except zstandard.ZstdError as error:
        raise CodecError(name, f"no dictionary from {len(payloads)} payloads: {error}") from error
    return compressor(name if with_dictionary else f"{name},dict", trained.as_bytes())


def _parse(name: str) -> tuple[str, int, bool]:
    spec, comma, option = name.partition(",")
    kind, _, level = spec.partition(":")
    if (known := COMPRESSORS.get(kind)) is None:
        alike = hint(near(kind, COMPRESSORS), f"there are {', '.join(COMPRESSORS)}")
        raise UnknownCompressor(name, f"no such compressor; {alike}")
    if comma and (option != "dict" or kind != "zstd"):
        raise UnknownCompressor(name, f"no such option {option!r}; zstd has `dict`")
    try:
        number = int(level) if level else known.level
    except ValueError as error:
        raise UnknownCompressor(name, f"the level must be a whole number, got {level!r}") from error
    if number not in known.levels:
        raise UnknownCompressor(
            name, f"no such level; those of {kind} are {known.levels[0]} to {known.levels[-1]}"
        )
    return kind, number, bool(comma)
