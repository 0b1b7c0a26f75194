"""Hostile Avro (specification 1.12), as records of the schema that the ordinary record gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .....codecs.streams.framing import varint
from ..build import EMOJI, accept, counts, either, refuse, table
from ..cases import RECORD

if TYPE_CHECKING:
    from .....codecs import Codec

_AROUND = 80
"""Most bytes of the rest of a record."""
_MOST = 2**63 - 1
_LEAST = -(2**63)


def _number(value: int) -> bytes:
    """Return a number as in Avro: zigzag, seven bits per byte."""
    return varint((value << 1) ^ (value >> 63))


def _head(codec: Codec) -> bytes:
    """Return the bytes before the first field."""
    return codec.encode(RECORD).partition(b"\x0e\x18Gr")[0]


def _record(
    codec: Codec, name: bytes = b"\0", tags: bytes = b"\0", flags: bytes = b"\0", many: bytes = b"\0"
) -> bytes:
    return _head(codec) + b"\x0e" + name + bytes(8) + tags + b"\0\0" + flags + many


def _records(**fields: list[bytes]) -> Callable[[Codec], Iterator[bytes]]:
    """Return a function that makes a record of each encoded form of a field."""
    return lambda codec: (_record(codec, **{name: form}) for name, forms in fields.items() for form in forms)


def _filled(item: bytes) -> Callable[[Codec], Iterator[bytes]]:
    def make(codec: Codec) -> Iterator[bytes]:
        for count in counts(codec, len(item), 2, 30):
            yield _record(codec, tags=_number(count) + item * count + b"\0")

    return make


def _text(codec: Codec) -> Iterator[bytes]:
    size = codec.limits.size - _AROUND
    yield _record(codec, name=_number(size) + b"a" * (size - 4) + EMOJI)


def _blocks_of(block: bytes) -> Callable[[Codec], Iterator[bytes]]:
    def make(codec: Codec) -> Iterator[bytes]:
        for count in counts(codec, len(block), 2, 30):
            yield _record(codec, tags=block * count + b"\0")

    return make


def _numbers(codec: Codec) -> Iterator[bytes]:
    size = codec.limits.size
    for number in (b"\xff" * 9 + b"\x02", b"\x80" * 10 + b"\0", b"\x80" * 1000, b"\xff" * size):
        yield _head(codec) + number[: size - _AROUND]
        yield _record(codec, tags=number[: size - _AROUND])


_CLAIMS = [_number(claim) for claim in (2**20, 2**31, _MOST, -(2**20), _LEAST)]
_SIZES = [claim + size for claim in _CLAIMS for size in (b"", *map(_number, (0, -1, 2, _MOST)))]


CASES = table(
    "avro",
    either("fill-short-texts", "texts of one letter to the limits of items and of size", _filled(b"\x00\x02a")),
    either("fill-empty-lists", "lists of nothing to the limits of items and of size", _filled(b"\x02\x00")),
    accept("fill-text", "one long text with one emoji to the limit of size", _text),
    either("fill-blocks", "a list in blocks of one item each to the limit of size", _blocks_of(b"\x02\0\0")),
    either("fill-sized-blocks", "a list in blocks with a length, of one item or of none, to the limit of size",
           _blocks_of(b"\x01\x04\0\0"), _blocks_of(b"\x01\x06\x02\x02\0")),
    refuse("length-claims", "lengths and counts of up to 2^63, without data",
           _records(name=_CLAIMS, flags=_CLAIMS, tags=_SIZES, many=_SIZES)),
    refuse("long-numbers", "numbers of more than 64 bits, and without an end", _numbers),
    refuse("branches", "branches that a union does not have, counted from its end as well",
           _records(tags=[b"\x02" + _number(branch) + b"\x02a\0" for branch in (-1, -2, 2, 3, 127, _MOST, _LEAST)])),
    refuse("block-lengths", "blocks with wrong lengths",
           _records(tags=[_number(-1) + _number(size) + b"\0\x02a\0" for size in (1, 2, 4, 100, -1, _MOST, _LEAST)])),
    refuse("other-booleans", "booleans that are neither 0 nor 1",
           _records(flags=[b"\x02\x02\0", b"\x02\x80\0", b"\x02\xff\0"])),
    refuse("bad-text", "text with invalid UTF-8",
           _records(name=[b"\x06\xff\xfe\xfd", b"\x06\xed\xa0\x80", b"\x06a\xc3\x28"])),
)  # fmt: skip
