"""Compressors of a codec: ``|zstd[:LEVEL][,dict]``, ``|gzip[:LEVEL]`` and others, and ``|crc32``.

The last is a checksum: four bytes after each payload, which detect a changed byte. Formats themselves often
accept a changed payload, as only a value is different. In streams, payloads with a checksum are framed so
that the next one can be found after a damaged one (`bakeoff.codecs.streams.framing.Marked`).

Decompression stops at the codec's limits of size and ratio, even if the payload claims a smaller size.
``,dict`` means a dictionary trained on sample payloads (`train`), which both sides must have. Each payload
contains the number of its dictionary, so that a codec can keep older ones for reading.

``isal`` writes and reads zlib's format, faster. ``snappy`` is the raw block format, as in pages of Parquet,
blocks of Avro and bodies of Prometheus' remote write; Kafka's clients put such blocks into frames.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import hint, near
from ..errors import CodecError, LimitError, MissingLibrary, UnknownCompressor

if TYPE_CHECKING:
    from .framing import Framing

ZSTD_PIECE = 256
"""Bytes per step; each block of four may expand to 128 KiB (RFC 8878, section 3.1.1.2)."""
FREE = 1024 * 1024
"""Bytes that any payload may decompress to.

Short payloads are often repetitive, and a record of this many bytes takes at most some 75 MiB.
"""
LZ4_RATIO = 255
"""Maximum bytes for one compressed byte (lz4_Block_format.md: each length byte adds 255)."""
SNAPPY_RATIO = 22
"""Maximum bytes for one compressed byte: 3 bytes copy up to 64 (format_description.txt, section 2.2.2)."""
GZIP = 16 + zlib.MAX_WBITS
"""zlib's `wbits` for the header and the checksum of gzip (RFC 1952)."""
CHECKSUM = 4
"""Bytes of a CRC-32, big-endian."""
DICTIONARY_BYTES = 16 * 1024
"""Size of a trained dictionary; zstd advises a hundredth of the samples, and messages are small."""
_DICTIONARY = (0xEC30A437).to_bytes(4, "little")
"""Start of a trained dictionary (RFC 8878, section 5); its number follows."""


class _BeyondError(Exception):
    """A payload decompresses to more than the limit."""


@dataclass(frozen=True, slots=True)
class Compression:
    """A compressor with its level, or a checksum.

    Attributes:
        name: As in codec names, ``zstd:3``.
        compress: ``(bytes) -> bytes``.
        decompress: ``(bytes, limit) -> bytes``; raises above `limit` bytes. Call `decompress_within`.
        format: The name of what it writes, which several compressors can share; by default `kind`.
        suffix: That name is a registered suffix of media types, which follows a plus; others follow a dot.
        coding: Its name among HTTP's content codings; empty if none is registered. RFC 9110 (section 8.4.1),
            RFC 8878 (section 7.2) and RFC 7932 (section 13) register them. For snappy, peers use ``snappy``
            for raw blocks and ``x-snappy-framed`` for its frames.
        dictionaries: Trained dictionaries: the first is for writing, all are for reading.
        framing: How its payloads follow one another in a stream; None: each after its length.
    """

    name: str
    compress: Callable[[bytes], bytes] = field(repr=False, compare=False)
    decompress: Callable[[bytes, int], bytes] = field(repr=False, compare=False)
    format: str = field(default="", repr=False)
    suffix: bool = field(default=False, repr=False)
    coding: str = field(default="", repr=False)
    dictionaries: tuple[bytes, ...] = field(default=(), repr=False)
    framing: Framing | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.format:
            object.__setattr__(self, "format", self.kind)

    @property
    def kind(self) -> str:
        """The name of the compressor without its level."""
        return re.split("[:,]", self.name)[0]

    @property
    def dictionary(self) -> bytes | None:
        """The dictionary for writing, or None."""
        return self.dictionaries[0] if self.dictionaries else None

    @property
    def dictionary_id(self) -> int | None:
        """The number of the dictionary for writing, which payloads contain; None without a dictionary."""
        return None if self.dictionary is None else dictionary_id(self.dictionary)

    def __reduce__(self) -> tuple[Callable[..., Compression], tuple[str, tuple[bytes, ...]]]:
        return compressor, (self.name, self.dictionaries)

    def bounded(self, data: bytes, limit: int) -> bytes | None:
        """Return a decompressed payload; None if it has more bytes than the limit."""
        try:
            return self.decompress(data, limit)
        except _BeyondError:
            return None

    def decompress_within(self, data: bytes, size: int, ratio: int) -> bytes:
        """Return a decompressed payload.

        Args:
            size: The maximum size in bytes.
            ratio: The maximum size, beyond `FREE` bytes, as a multiple of the payload.

        Raises:
            LimitError: It is larger.
        """
        # `min` and `max` would take half as long as a short payload.
        limit = ratio * len(data)
        if limit < FREE:
            limit = FREE
        if limit > size:
            limit = size
        try:
            return self.decompress(data, limit)
        except _BeyondError as error:
            if limit == size:
                reason = f"the limit of {size:,} bytes (see with_limits, decompressed)"
            else:
                times = f"a limit of {ratio:,} times its {len(data):,}"
                reason = f"{limit:,} bytes, with {times} (see with_limits, ratio)"
            raise LimitError(self.name, f"decompresses to more than {reason}") from error


def dictionary_id(dictionary: bytes) -> int:
    """Return the number by which zstd frames name a dictionary (RFC 8878, section 5)."""
    return int.from_bytes(dictionary[4:8], "little")


def _checked(name: str, unpacker: Any, data: bytes, limit: int) -> bytes:
    """Return the output of a decompressor object, if it is one complete frame within the limit."""
    plain: bytes = unpacker.decompress(data, limit + 1)
    if len(plain) > limit:
        raise _BeyondError
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"{name}: not one whole compressed frame")
    return plain


def _library(name: str, module: str) -> Any:
    """Return the module that a compressor needs, from the distribution in its row.

    Raises:
        MissingLibrary: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        row = COMPRESSORS[_parse(name)[0]]
        how = f"{row.library} is not installed; pip install 'bakeoff[{row.extra}]'"
        raise MissingLibrary(name, how) from error


def _deflated(name: str, library: Any, level: int, wbits: int = zlib.MAX_WBITS, **names: Any) -> Compression:
    return Compression(
        name,
        lambda data: library.compress(data, level, wbits),
        lambda data, limit: _checked(name, library.decompressobj(wbits), data, limit),
        **names,
    )


def _zlib(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    return _deflated(name, zlib, level, coding="deflate")


def _gzip(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    return _deflated(name, zlib, level, GZIP, suffix=True, coding="gzip")


def _isal(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    library = _library(name, "isal.isal_zlib")
    return _deflated(name, library, level, format="zlib", coding="deflate")


def _zstd(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    zstandard = _library(name, "zstandard")
    trained = {dictionary_id(each): zstandard.ZstdCompressionDict(each) for each in dictionaries}
    first = next(iter(trained), 0)
    if trained:
        trained[first].precompute_compress(level=level)
    # Contexts must not be shared between threads; creating one takes microseconds.
    pool: list[Any] = []
    unpackers: dict[int, list[Any]] = {number: [] for number in trained or (0,)}
    several = len(trained) > 1

    def compress(data: bytes) -> bytes:
        context = pool.pop() if pool else zstandard.ZstdCompressor(level=level, dict_data=trained.get(first))
        packed: bytes = context.compress(data)
        pool.append(context)
        return packed

    def decompress(data: bytes, limit: int) -> bytes:
        size = zstandard.frame_content_size(data)
        if size > limit:
            raise _BeyondError
        number = zstandard.get_frame_parameters(data).dict_id if several else first
        if number not in unpackers:
            number = first  # it was written without one, or with one that is not available
        ready = unpackers[number]
        context = ready.pop() if ready else zstandard.ZstdDecompressor(dict_data=trained.get(number))
        try:
            # A frame may state its size, and then needs no more memory. Arguments by position, as a keyword
            # takes as long as the rest: no bound, one frame, and no data after it.
            plain: bytes = (
                context.decompress(data, 0, False, False) if size > 0 else _in_pieces(context, data, limit)
            )
        except zstandard.ZstdError as error:
            raise _otherwise(zstandard, data, trained) or error from None
        ready.append(context)
        return plain

    return Compression(name, compress, decompress, suffix=True, coding="zstd", dictionaries=dictionaries)


def _in_pieces(context: Any, data: bytes, limit: int) -> bytes:
    """Return the content of a zstd frame of unknown size, decompressed in small steps."""
    unpacker = context.decompressobj()
    plain = bytearray()
    for start in range(0, len(data), ZSTD_PIECE):
        if unpacker.eof:
            break
        plain += unpacker.decompress(data[start : start + ZSTD_PIECE])
        if len(plain) > limit:
            raise _BeyondError
    else:
        start = len(data)
    if not unpacker.eof or unpacker.unused_data or start < len(data):
        raise ValueError("not one whole zstd frame")
    return bytes(plain)


def _otherwise(zstandard: Any, data: bytes, trained: Mapping[int, Any]) -> ValueError | None:
    """Return the error for a payload whose dictionary is not available; None if it is."""
    wanted = zstandard.get_frame_parameters(data).dict_id
    if wanted in trained or not wanted:
        return None
    have = f"this codec has {', '.join(map(str, trained))}" if trained else "this codec has none"
    return ValueError(
        f"compressed with the dictionary {wanted}, but {have}; pass several with bakeoff.codec(name, "
        "dictionary=[...]): the first is for writing, all are for reading"
    )


def _lz4(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    frame = _library(name, "lz4.frame")
    # Not shared between threads; creating one takes several times as long as a short payload.
    pool: list[Any] = []

    def decompress(data: bytes, limit: int) -> bytes:
        if len(data) * LZ4_RATIO <= limit:
            # By position, as a keyword takes as long as the rest: no bytearray, and return the bytes read.
            plain, read = frame.decompress(data, False, True)
            if read != len(data):
                raise ValueError(f"{name}: not one whole compressed frame")
            return plain  # type: ignore[no-any-return]
        unpacker = pool.pop() if pool else frame.LZ4FrameDecompressor()
        whole = _checked(name, unpacker, data, limit)
        # After an error, it may be in the middle of a frame.
        unpacker.reset()
        pool.append(unpacker)
        return whole

    return Compression(name, lambda data: frame.compress(data, compression_level=level), decompress)


def _snappy(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    raw = _library(name, "cramjam").snappy

    def decompress(data: bytes, limit: int) -> bytes:
        # The library allocates what the payload claims.
        size = raw.decompress_raw_len(data)
        if size > len(data) * SNAPPY_RATIO:
            raise ValueError(f"{name}: claims {size:,} bytes, more than {len(data):,} can hold")
        if size > limit:
            raise _BeyondError
        return bytes(raw.decompress_raw(data))

    return Compression(name, lambda data: bytes(raw.compress_raw(data)), decompress)


def _brotli(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    brotli = _library(name, "brotli")
    compress = brotli.compress
    generic = brotli.MODE_GENERIC

    def decompress(data: bytes, limit: int) -> bytes:
        unpacker = brotli.Decompressor()
        # It stops once it has as much, or at most twice that.
        plain: bytes = unpacker.process(data, output_buffer_limit=limit + 1)
        if len(plain) > limit:
            raise _BeyondError
        if not unpacker.is_finished():
            raise ValueError(f"{name}: not one whole compressed stream")
        return plain

    return Compression(name, lambda data: compress(data, generic, level), decompress, coding="br")


def _crc32(name: str, level: int, dictionaries: tuple[bytes, ...]) -> Compression:
    from .framing import MARKED

    def check(data: bytes, limit: int) -> bytes:
        plain, found = data[:-CHECKSUM], data[-CHECKSUM:]
        if len(plain) > limit:
            raise _BeyondError
        if found != (expected := zlib.crc32(plain).to_bytes(CHECKSUM, "big")):
            raise ValueError(f"damaged: the checksum is {found.hex()}, expected {expected.hex()}")
        return plain

    def sign(data: bytes) -> bytes:
        return data + zlib.crc32(data).to_bytes(CHECKSUM, "big")

    return Compression(name, sign, check, framing=MARKED)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of compressor.

    Attributes:
        make: Function ``(name, level, dictionaries)``.
        level: The default level.
        levels: All levels.
        library: The distribution that contains it; "Python" is the standard library.
        extra: The extra of bakeoff that installs it; empty for the standard library.
        payloads: What its payloads are, for people.
    """

    make: Callable[[str, int, tuple[bytes, ...]], Compression]
    level: int
    levels: range
    library: str
    extra: str = ""
    payloads: str = ""


COMPRESSORS = {
    # zlib.h, igzip_lib.h, zstd.h (ZSTD_minCLevel) and lz4.c (LZ4_ACCELERATION_MAX): levels below 0 are faster
    # still. Brotli's own default of 11 is for files written once: a message takes it milliseconds.
    "zlib": _Kind(_zlib, 6, range(10), "Python", payloads="zlib (RFC 1950), which HTTP calls deflate"),
    "gzip": _Kind(_gzip, 6, range(10), "Python", payloads="gzip (RFC 1952)"),
    "isal": _Kind(
        _isal, 2, range(4), "isal", "isal", "as zlib, by Intel's ISA-L; each reads the other's payloads"
    ),
    "zstd": _Kind(
        _zstd,
        3,
        range(-131_072, 23),
        "zstandard",
        "zstd",
        "Zstandard frames (RFC 8878), also with a dictionary",
    ),
    "lz4": _Kind(_lz4, 0, range(-65_537, 17), "lz4", "lz4", "LZ4 frames"),
    "snappy": _Kind(
        _snappy,
        0,
        range(1),
        "cramjam",
        "snappy",
        "raw blocks, as in Parquet, Avro and Prometheus' remote write; not the framed format, nor that of "
        "Kafka's Java clients, which puts blocks into frames",
    ),
    "brotli": _Kind(
        _brotli,
        5,
        range(12),
        "brotli",
        "brotli",
        "Brotli streams (RFC 7932), which HTTP calls br; level 11 takes milliseconds a message",
    ),
    "crc32": _Kind(_crc32, 0, range(1), "Python", payloads="the payload and a checksum at its end"),
}
"""Compressors by their names in codec names."""


def library(name: str) -> str:
    """Return the distribution of a compressor such as ``"zstd:3"``; "Python" for the standard library.

    Raises:
        UnknownCompressor: No such compressor.
    """
    return COMPRESSORS[_parse(name)[0]].library


def compressor(name: str, dictionary: bytes | Sequence[bytes] | None = None) -> Compression:
    """Return the compressor with a name such as ``"zstd:3"``.

    Args:
        name: ``KIND[:LEVEL][,dict]``.
        dictionary: For names with ``,dict``: the dictionary from `train`, or several: the first is for
            writing, all are for reading.

    Raises:
        UnknownCompressor: No such compressor, level or option.
        CodecError: The dictionary is missing or invalid.
        MissingLibrary: Its library is not installed.
    """
    kind, number, with_dictionary = _parse(name)
    if not with_dictionary:
        return COMPRESSORS[kind].make(name, number, ())
    if not dictionary:
        raise CodecError(
            name,
            "needs a dictionary: make one with bakeoff.codecs.train(name, payloads), or use a lock that "
            "has one",
        )
    every = (dictionary,) if isinstance(dictionary, bytes) else tuple(dictionary)
    for each in every:
        if not isinstance(each, bytes) or not each.startswith(_DICTIONARY):
            raise CodecError(name, "not a zstd dictionary, or one without an id")
    return COMPRESSORS[kind].make(name, number, every)


def train(name: str, payloads: Sequence[bytes]) -> Compression:
    """Return the compressor ``zstd[:LEVEL],dict`` with a dictionary trained on sample payloads.

    The name may omit ``,dict``.

    Do not train on the records that you measure: a dictionary contains parts of its training data.

    Raises:
        CodecError: Too few or too uniform payloads, or a compressor without dictionaries.
        MissingLibrary: zstandard is not installed.
    """
    kind, number, with_dictionary = _parse(name)
    if kind != "zstd":
        raise CodecError(name, "does not support dictionaries; zstd does")
    zstandard = _library(kind, "zstandard")
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
        raise UnknownCompressor(name, f"no such level; {kind} has {known.levels[0]} to {known.levels[-1]}")
    return kind, number, bool(comma)
