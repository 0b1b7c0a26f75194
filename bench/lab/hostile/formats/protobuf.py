"""Hostile payloads of Protocol Buffers (protobuf.dev/programming-guides/encoding).

The schema is that of `RECORD`: 1 id, 2 name, 3 ratio, 4 tags (unions of text and lists), 5 by (name,
age, flags), 6 many (n, square).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .....codecs.streams.framing import varint
from ..build import DEEP, EMOJI, either, joined, refuse, table
from ..cases import ordinary

if TYPE_CHECKING:
    from .....codecs import Codec

LENGTHS = (b"\x7f", b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\xff" * 30)
"""Lengths of the following data; the last two are longer than lengths may be."""


def _after(*tails: bytes) -> Callable[[Codec], Iterable[bytes]]:
    """Return a function that makes payloads of a whole record with additional bytes."""
    return lambda codec: joined([codec.encode(ordinary(codec))], tails)


def _filled(item: bytes, values: int) -> Callable[[Codec], Iterator[bytes]]:
    """Return a function that makes payloads of a repeated field whose items count as `values` values each."""

    def make(codec: Codec) -> Iterator[bytes]:
        whole = codec.encode(ordinary(codec))
        fitting = (codec.limits.size - len(whole)) // len(item)
        for count in (min(fitting, codec.limits.items // values - 100), fitting):
            yield whole + item * count

    return make


def _packed(codec: Codec) -> Iterator[bytes]:
    whole, most = codec.encode(ordinary(codec)), codec.limits.size - 80
    for count in (min(most, codec.limits.items - 200), most):
        flags = b"\x1a" + varint(count) + b"\x01" * count
        yield (whole + b"\x2a" + varint(len(flags)) + flags)[: codec.limits.size]


def _text(codec: Codec) -> Iterator[bytes]:
    size = codec.limits.size - 500
    yield codec.encode(ordinary(codec)) + b"\x12" + varint(size) + b"a" * (size - 4) + EMOJI


_PARTS = (
    b"\x2a\x00",
    b"\x2a\x02\x1a\x00",
    b"\x22\x00",
    b"\x22\x02\x12\x00",
    b"\x7b\x7c",
    b"\x7a\x00",
    b"\x78\x00",
    b"\x12\x00",
)
"""Small fields that take a step of their own."""

CASES = table(
    "protobuf",
    either("fill-empty-messages", "messages of no bytes, to the limits", _filled(b"\x32\x00", 4)),
    either("fill-messages", "small messages to the limits", _filled(b"\x32\x02\x08\x01", 5)),
    either("fill-unions", "unions of short texts, as many", _filled(b"\x22\x03\x0a\x01a", 3)),
    either("fill-again", "one field repeated, of which the last counts", _filled(b"\x08\x01", 1)),
    either("fill-unknown", "fields that the schema does not know", _filled(b"\x7a\x01a", 1)),
    either("many-parts", "empty messages that are merged, empty groups, lists and unions, to the limits",
           *(_filled(item, 1) for item in _PARTS)),
    either("fill-bools", "packed bools to the limits of items and of size", _packed),
    either("fill-text", "one long text with one emoji to the limit of size", _text),
    refuse("deep-groups", f"groups that the schema does not know, nested {DEEP:,} deep",
           _after(b"\x7b" * DEEP + b"\x7c" * DEEP), b"\x7b" * DEEP),
    refuse("length-claims", "lengths of up to 2**63, with little data, in known and unknown fields",
           *joined((b"\x12", b"\x22", b"\x2a", b"\x2a\x08\x1a", b"\x32", b"\x7a"), LENGTHS,
                   (b"", b"\x08", b"\x01" * 100))),
    refuse("no-tags", "fields numbered 0 and beyond 2**29, unknown wire types, groups that end unopened",
           b"\x00\x01", b"\x02\x00", b"\xf8\xff\xff\xff\xff\x01\x00", b"\x0e", b"\x0f\x00", b"\x0c", b"\x0b", b"\x0b\x14",
           b"\x80" * 20, b"\x80" * 1000 + b"\x01"),
    either("other-types", "fields of other wire types than the schema's, which upb treats as unknown",
           _after(b"\x0d" + bytes(4), b"\x10\x01", b"\x19" + bytes(8), b"\x20\x01")),
    refuse("texts", "texts with invalid UTF-8",
           b"\x12\x01\xff", b"\x12\x03\xed\xa0\x80", b"\x12\x02\xc0\x80", b"\x12\x04\xf4\x90\x80\x80", b"\x12\x03Gr\xc3"),
)  # fmt: skip
