"""Hostile property lists, as XML and binary."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..cases import DEEP, Case, room
from .filled import counts, filled, filled_keys

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["CASES"]

_xml = partial(Case, "decode", wires=frozenset({"plist"}))
_binary = partial(Case, "decode", wires=frozenset({"plist/binary"}))

HEAD, TAIL = b'<plist version="1.0">', b"</plist>"
XML_ITEMS = {
    "empty-lists": b"<array/>",
    "empty-maps": b"<dict/>",
    "one-item-maps": b"<dict><key/><true/></dict>",
    "short-texts": b"<string>ab</string>",
    "integers": b"<integer>1</integer>",
    "floats": b"<real>1</real>",
    "moments": b"<date>2001-01-01T00:00:00Z</date>",
}
BINARY_ITEMS = {
    "empty-lists": b"\xa0",
    "empty-maps": b"\xd0",
    "short-texts": b"\x52ab",
    "integers": b"\x10\x01",
    "floats": b"\x22" + struct.pack(">f", 0.5),
    "moments": b"\x33" + bytes(8),
}


def _plist(content: bytes) -> bytes:
    return HEAD + content + TAIL


def _xml_array(item: bytes, count: int) -> bytes:
    return _plist(b"<array>" + item * count + b"</array>")


def _xml_keys(count: int) -> bytes:
    return _plist(b"<dict>" + b"".join(b"<key>%07d</key><true/>" % n for n in range(count)) + b"</dict>")


def _around(start: bytes, end: bytes, codec: Codec) -> bytes:
    """Return a value after something as long as the limit allows."""
    return start + b"x" * (room(codec) - len(start + end + HEAD + TAIL) - 7) + end + _plist(b"<true/>")


def _entities(levels: int) -> bytes:
    declared = b'<!ENTITY a0 "ha">' + b"".join(
        b'<!ENTITY a%d "%s">' % (level, b"&a%d;" % (level - 1) * 10) for level in range(1, levels)
    )
    return b"<!DOCTYPE plist [" + declared + b"]>" + _plist(b"<string>&a%d;</string>" % (levels - 1))


_LONG = 1_000_000

XML: tuple[Case, ...] = (
    *filled("plist", XML_ITEMS, _xml_array),
    filled_keys("plist", _xml_keys, 25),
    _xml(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [_plist(b"<string>" + b"a" * (room(codec) - 60) + "😀".encode() + b"</string>")],
    ),
    _xml("fill-comment", "one comment to the limit of size", lambda codec: [_around(b"<!--", b"-->", codec)]),
    _xml(
        "fill-instruction",
        "one processing instruction to the limit of size",
        lambda codec: [_around(b"<?p ", b"?>", codec)],
    ),
    _xml(
        "fill-attribute",
        "one attribute to the limit of size",
        lambda codec: [b'<plist a="' + b"x" * (room(codec) - 40) + b'"><true/></plist>'],
    ),
    _xml(
        "fill-cdata",
        "one text of character data to the limit of size",
        lambda codec: [_plist(b"<string><![CDATA[" + b"x" * (room(codec) - 80) + b"]]></string>")],
    ),
    _xml(
        "fill-spaces",
        "spaces between values to the limit of size",
        lambda codec: [_plist(b"<array>" + b" \n" * (room(codec) // 2 - 40) + b"</array>")],
    ),
    _xml(
        "attributes",
        "one element with a hundred thousand attributes",
        lambda codec: [b"<plist " + b" ".join(b'a%d="x"' % n for n in range(100_000)) + b"><true/></plist>"],
    ),
    _xml(
        "deep-lists",
        f"arrays nested {DEEP:,} deep",
        lambda codec: [_plist(b"<array>" * DEEP + b"</array>" * DEEP)],
        must="limit",
    ),
    _xml(
        "deep-maps",
        f"dicts nested {DEEP:,} deep",
        lambda codec: [_plist(b"<dict><key>a</key>" * (DEEP // 2) + b"<true/>" + b"</dict>" * (DEEP // 2))],
        must="limit",
    ),
    _xml(
        "deep-elements",
        f"unknown elements nested {DEEP:,} deep",
        lambda codec: [
            _plist(b"<a>" * DEEP + b"</a>" * DEEP),
            _plist(b"<string>" * DEEP + b"</string>" * DEEP),
        ],
    ),
    _xml(
        "deep-open",
        "arrays to the limit of size, none closed",
        lambda codec: [HEAD + b"<array>" * ((room(codec) - 30) // 7)],
        must="refuse",
    ),
    _xml(
        "laughs",
        "entities of the entity before, ten times, 10 deep",
        lambda codec: [_entities(10)],
        must="refuse",
    ),
    _xml(
        "entities",
        "entities from outside, and unknown ones",
        lambda codec: [
            b'<!DOCTYPE plist [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + _plist(b"<string>&a;</string>"),
            b'<!DOCTYPE plist [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>' + _plist(b"<true/>"),
            _plist(b"<string>&a;</string>"),
        ],
        must="refuse",
    ),
    _xml(
        "long-numbers",
        "numbers of a million digits",
        lambda codec: [
            _plist(b"<integer>" + b"9" * min(_LONG, room(codec) - 60) + b"</integer>"),
            _plist(b"<integer>0x" + b"f" * min(_LONG, room(codec) - 60) + b"</integer>"),
            _plist(b"<real>" + b"9" * min(_LONG, room(codec) - 60) + b"</real>"),
        ],
    ),
    _xml(
        "odd-values",
        "numbers, dates and bytes that are none",
        lambda codec: [
            _plist(body)
            for body in (
                b"<integer>x</integer>",
                b"<integer/>",
                b"<integer>0x</integer>",
                b"<real>x</real>",
                b"<real>1e400</real>",
                b"<real>nan</real>",
                b"<date>2001-99-99T00:00:00Z</date>",
                b"<date>x</date>",
                b"<date>0000-00-00T00:00:00Z</date>",
                b"<data>=</data>",
                b"<data>*</data>",
                b"<data>\xc3\xa9</data>",
                b"<key>a</key>",
                b"<dict><true/></dict>",
                b"<dict><key>a</key></dict>",
                b"<dict><key>a</key><key>b</key></dict>",
                b"<true/><false/>",
                b"",
            )
        ],
    ),
    _xml(
        "malformed",
        "what is no XML, or no property list",
        lambda codec: [
            b"<plist>",
            _plist(b"<array>"),
            _plist(b"<a"),
            _plist(b"<array></dict>"),
            b"<x/>",
            b"x",
            _plist(b"<string>\xff</string>"),
            _plist(b"<string>&#0;</string>"),
            _plist(b"<string>\x00</string>"),
            _plist(b"<string>&#xD800;</string>"),
            b'<?xml version="1.0" encoding="no-such"?>' + _plist(b"<true/>"),
        ],
        must="refuse",
    ),
    _xml(
        "other-encodings",
        "UTF-16, Latin-1, a byte order mark",
        lambda codec: [
            b"\xef\xbb\xbf" + _plist(b"<true/>"),
            '<?xml version="1.0" encoding="UTF-16"?><plist><true/></plist>'.encode("utf-16"),
            b'<?xml version="1.0" encoding="ISO-8859-1"?>' + _plist(b"<string>\xe9</string>"),
            b'<?xml version="1.0" encoding="UTF-7"?>' + _plist(b"<string>+AGE-</string>"),
        ],
    ),
    _xml(
        "trailing",
        "a second list",
        lambda codec: [_plist(b"<true/>") * 2, _plist(b"<true/>") + b"x"],
        must="refuse",
    ),
)


def _written(
    objects: Sequence[bytes], *, top: int = 0, reference: int = 4, count: int | None = None
) -> bytes:
    """Return a binary list of objects that are written already."""
    offsets, place = [], 8
    for item in objects:
        offsets.append(place)
        place += len(item)
    table = struct.pack(f">{len(offsets)}I", *offsets)
    claimed = len(objects) if count is None else count
    return (
        b"bplist00" + b"".join(objects) + table + struct.pack(">6xBBQQQ", 4, reference, claimed, top, place)
    )


def _references(numbers: Sequence[int], kind: int = 0xAF) -> bytes:
    return struct.pack(f">BBI{len(numbers)}I", kind, 0x12, len(numbers), *numbers)


def _binary_array(item: bytes, count: int) -> bytes:
    return _written([_references(range(1, count + 1)), *[item] * count])


def _binary_text(size: int) -> bytes:
    text = ("a" * ((size - 60) // 2 - 2) + "😀").encode("utf-16-be")
    return _written([b"\x6f\x12" + struct.pack(">I", len(text) // 2) + text])


def _binary_keys(count: int) -> bytes:
    head = struct.pack(">BBI", 0xDF, 0x12, count) + struct.pack(f">{count}I", *range(2, count + 2))
    return _written([head + struct.pack(">I", 1) * count, b"\x09", *(b"\x57%07d" % n for n in range(count))])


def _shared(count: int) -> bytes:
    return _written([_references([1] * count), b"\xa0"])


def _deep_lists(levels: int) -> bytes:
    return _written([*(b"\xa1" + struct.pack(">I", n + 1) for n in range(levels)), b"\x08"])


def _deep_maps(levels: int) -> bytes:
    maps = (b"\xd1" + struct.pack(">II", levels + 1, n + 1) for n in range(levels))
    return _written([*maps, b"\x08", b"\x51a"])


def _binary_claims(codec: Codec) -> Iterator[bytes]:
    for kind in (0x4F, 0x5F, 0x6F, 0xAF, 0xDF):
        for claim in (0xFF, 2**31, 2**62):
            yield _written([struct.pack(">BBQ", kind, 0x13, claim)])
    yield _written([b"\x08"], count=2**62)
    yield _written([b"\x08"], top=2**62)


BINARY: tuple[Case, ...] = (
    *filled("plist/binary", BINARY_ITEMS, _binary_array, apart=8),
    filled_keys("plist/binary", _binary_keys, 20),
    _binary(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [_binary_text(room(codec))],
    ),
    _binary(
        "fill-references",
        "references to one empty array to the limits of items and of size",
        lambda codec: (_shared(count) for count in counts(codec, 4, 1)),
    ),
    _binary("deep-lists", f"arrays nested {DEEP:,} deep", lambda codec: [_deep_lists(DEEP)], must="limit"),
    _binary("deep-maps", f"dicts nested {DEEP:,} deep", lambda codec: [_deep_maps(DEEP)], must="limit"),
    _binary(
        "laughs",
        "arrays of the array before, ten times, 20 deep",
        lambda codec: [_written([*(b"\xaa" + struct.pack(">I", n + 1) * 10 for n in range(20)), b"\xa0"])],
    ),
    _binary(
        "cycles",
        "an array and a dict that hold themselves",
        lambda codec: [
            _written([b"\xa1" + bytes(4)]),
            _written([b"\xd1" + struct.pack(">II", 1, 0), b"\x51a"]),
        ],
    ),
    _binary("length-claims", "lengths of up to 2^62, with nothing behind", _binary_claims, must="refuse"),
    _binary(
        "long-numbers",
        "numbers of up to 32 KiB, and of fewer bytes than they claim",
        lambda codec: [
            _written([b"\x1f" + b"\xff" * 32768]),
            _written([b"\x14" + b"\xff" * 16]),
            *(_written([bytes([0x10 | exponent]), b"x"]) for exponent in range(5, 16)),
        ],
    ),
    _binary(
        "odd-values",
        "dates out of range, texts of no encoding, dicts with odd keys, unknown objects",
        lambda codec: [
            _written([body, b"\xa0"])
            for body in (
                b"\x33" + struct.pack(">d", 1e300),
                b"\x33" + struct.pack(">d", float("nan")),
                b"\x33" + struct.pack(">d", -1e11),
                b"\x51\xff",
                b"\x61\xd8\x00",
                b"\xd1" + struct.pack(">II", 1, 1),
                b"\x80\x01",
                b"\x0f",
                b"\x00",
                b"\x70",
                b"\xc1\0\0\0\1",
                b"\x20x",
                b"\x2f",
                b"\x31x",
                b"\xe0",
                b"\xf0",
            )
        ],
    ),
    _binary(
        "malformed",
        "tables and trailers that lead nowhere",
        lambda codec: [
            b"bplist00",
            b"bplist00" + bytes(32),
            b"bplist00" + b"\xff" * 40,
            b"bplist99" + bytes(40),
            _written([b"\xa1" + b"\xff" * 4]),
            _written([]),
            _written([b"\x08"], reference=0)[:-1],
            _written([b"\x08"])[8:],
            _written([b"\x08"])[:-10],
        ],
        must="refuse",
    ),
    _binary(
        "trailing",
        "bytes after the trailer",
        lambda codec: [_written([b"\x08"]) + b"\0", _written([b"\x08"]) * 2],
        must="refuse",
    ),
)

CASES = XML + BINARY
