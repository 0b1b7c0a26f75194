"""Hostile payloads of Protocol Buffers (protobuf.dev/programming-guides/encoding).

The schema is that of `RECORD`: 1 id, 2 name, 3 ratio, 4 tags (unions of text and lists), 5 by (name,
age, flags), 6 many (n, square).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ..cases import DEEP, Case, ordinary, room
from .filled import AROUND

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["CASES"]

_case = partial(Case, "decode", wires=frozenset({"protobuf"}))

LENGTHS = (b"\x7f", b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\xff" * 30)
"""The last two are longer than lengths are."""


def _whole(codec: Codec) -> bytes:
    return codec.encode(ordinary(codec))


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


def _filled(item: bytes, values: int) -> Callable[[Codec], Iterable[bytes]]:
    """Return what repeats a field, each of which is read as so many values."""

    def payloads(codec: Codec) -> Iterator[bytes]:
        whole = _whole(codec)
        fitting = (room(codec) - len(whole)) // len(item)
        for count in (min(fitting, codec.limits.items // values - 100), fitting):
            yield whole + item * count

    return payloads


def _packed(codec: Codec) -> Iterator[bytes]:
    whole, most = _whole(codec), room(codec) - AROUND
    for count in (min(most, codec.limits.items - 200), most):
        flags = b"\x1a" + _varint(count) + b"\x01" * count
        yield (whole + b"\x2a" + _varint(len(flags)) + flags)[: room(codec)]


CASES: tuple[Case, ...] = (
    _case(
        "fill-empty-messages",
        "messages of no bytes, to the limits",
        _filled(b"\x32\x00", 4),
    ),
    _case("fill-messages", "small messages to the limits", _filled(b"\x32\x02\x08\x01", 5)),
    _case("fill-unions", "unions of short texts, as many", _filled(b"\x22\x03\x0a\x01a", 3)),
    _case("fill-again", "one field again and again, of which the last counts", _filled(b"\x08\x01", 1)),
    _case("fill-unknown", "fields that the schema does not know", _filled(b"\x7a\x01a", 1)),
    _case("fill-bools", "packed bools to the limits of items and of size", _packed),
    _case(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [
            _whole(codec) + b"\x12" + _varint(room(codec) - 500) + b"a" * (room(codec) - 504) + "😀".encode()
        ],
    ),
    _case(
        "deep-groups",
        f"groups that the schema does not know, nested {DEEP:,} deep",
        lambda codec: [_whole(codec) + b"\x7b" * DEEP + b"\x7c" * DEEP, b"\x7b" * DEEP],
        must="refuse",
    ),
    _case(
        "length-claims",
        "lengths of up to 2**63, with little behind, where they are known and where not",
        lambda codec: [
            head + length + rest
            for head in (b"\x12", b"\x22", b"\x2a", b"\x2a\x08\x1a", b"\x32", b"\x7a")
            for length in LENGTHS
            for rest in (b"", b"\x08", b"\x01" * 100)
        ],
        must="refuse",
    ),
    _case(
        "no-tags",
        "fields numbered 0 and beyond 2**29, wire types that there are not, groups that end unopened",
        lambda codec: [
            b"\x00\x01",
            b"\x02\x00",
            b"\xf8\xff\xff\xff\xff\x01\x00",
            b"\x0e",
            b"\x0f\x00",
            b"\x0c",
            b"\x0b",
            b"\x0b\x14",
            b"\x80" * 20,
            b"\x80" * 1000 + b"\x01",
        ],
        must="refuse",
    ),
    _case(
        "other-types",
        "fields of other wire types than the schema's: unknown ones, as upb has it",
        lambda codec: [
            _whole(codec) + tail
            for tail in (b"\x0d" + bytes(4), b"\x10\x01", b"\x19" + bytes(8), b"\x20\x01")
        ],
    ),
    _case(
        "texts",
        "texts that are no UTF-8",
        lambda codec: [
            b"\x12" + bytes([len(text)]) + text
            for text in (
                b"\xff",
                b"\xed\xa0\x80",
                b"\xc0\x80",
                b"\xf4\x90\x80\x80",
                b"Gr\xc3",
            )
        ],
        must="refuse",
    ),
)
