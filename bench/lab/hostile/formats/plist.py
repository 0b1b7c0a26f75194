"""Hostile property lists, as XML and binary."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import partial

from ..build import DEEP, EMOJI, Fill, Repeat, either, fills, limit, refuse, table

_HEAD, _TAIL = b'<plist version="1.0">', b"</plist>"
_TRUE = _HEAD + b"<true/>" + _TAIL
_XML_ITEMS = {
    "empty-lists": b"<array/>",
    "empty-maps": b"<dict/>",
    "one-item-maps": b"<dict><key/><true/></dict>",
    "short-texts": b"<string>ab</string>",
    "integers": b"<integer>1</integer>",
    "floats": b"<real>1</real>",
    "moments": b"<date>2001-01-01T00:00:00Z</date>",
}
_ITEMS = {
    "empty-lists": b"\xa0",
    "empty-maps": b"\xd0",
    "short-texts": b"\x52ab",
    "integers": b"\x10\x01",
    "floats": b"\x22" + struct.pack(">f", 0.5),
    "moments": b"\x33" + bytes(8),
}
_XML_PARTS = (
    (b"<string>&lt;&#233;</string>", 1),
    (b"<string><![CDATA[a]]></string>", 1),
    (b"<string>a<!---->b</string>", 1),
    (b"<data>aGk=</data>", 1),
    (b"<data/>", 1),
    (b"<integer>0x1f</integer>", 1),
    (b"<integer>" + b"7" * 4_000 + b"</integer>", 1),
    (b"<real>" + b"7" * 800 + b"</real>", 1),
    (b"<dict><key/><true/><key/><true/></dict>", 5),
    (b"<dict><key>CF$UID</key><integer>1</integer></dict>", 3),
)
"""Small elements that take a step of their own, each with the number of its values."""
_PARTS = (
    b"\x80\x05",
    b"\x40",
    b"\x60",
    b"\x61\xd8\x00",
    b"\x14" + b"\xff" * 16,
    b"\xa1\0\0\0\1",
    b"\xd1\0\0\0\1\0\0\0\2",
)
"""Small objects that take a step of their own."""
_LONG = 1_000_000
"""Digits of long numbers."""


def _plist(content: bytes) -> bytes:
    return _HEAD + content + _TAIL


def _within(item: bytes, start: bytes, end: bytes, most: int | None = None) -> Repeat:
    """Return a property list with repeated content between two tags."""
    return Repeat(item, head=_HEAD + start, tail=end + _TAIL, most=most)


def _xml_array(item: bytes, count: int) -> bytes:
    return _plist(b"<array>" + item * count + b"</array>")


def _xml_mapping(count: int) -> bytes:
    return _plist(b"<dict>" + b"".join(b"<key>%07d</key><true/>" % n for n in range(count)) + b"</dict>")


def _entities(levels: int) -> bytes:
    declared = b'<!ENTITY a0 "ha">' + b"".join(
        b'<!ENTITY a%d "%s">' % (level, b"&a%d;" % (level - 1) * 10) for level in range(1, levels)
    )
    return b"<!DOCTYPE plist [" + declared + b"]>" + _plist(b"<string>&a%d;</string>" % (levels - 1))


_XML = table(
    "plist",
    *fills(_XML_ITEMS, _xml_array, _xml_mapping, pair=25),
    either("fill-text", "one long text with one emoji to the limit of size",
           _within(b"a", b"<string>", EMOJI + b"</string>")),
    either("many-parts", "many entities, comments, bytes, numbers of archives, to the limits of items and of size",
           *(Fill(partial(_xml_array, item), len(item), values) for item, values in _XML_PARTS)),
    either("fill-comment", "one comment to the limit of size", Repeat(b"x", head=b"<!--", tail=b"-->" + _TRUE)),
    either("fill-instruction", "one processing instruction to the limit of size",
           Repeat(b"x", head=b"<?p ", tail=b"?>" + _TRUE)),
    either("fill-attribute", "one attribute to the limit of size",
           Repeat(b"x", head=b'<plist a="', tail=b'"><true/></plist>')),
    either("fill-cdata", "one text of character data to the limit of size",
           _within(b"x", b"<string><![CDATA[", b"]]></string>")),
    either("fill-spaces", "spaces between values to the limit of size", _within(b" \n", b"<array>", b"</array>")),
    either("attributes", "one element with a hundred thousand attributes",
           b"<plist " + b" ".join(b'a%d="x"' % number for number in range(100_000)) + b"><true/></plist>"),
    limit("deep-lists", f"arrays nested {DEEP:,} deep",
          Repeat(b"<array>", DEEP, head=_HEAD, closing=b"</array>", end=_TAIL)),
    limit("deep-maps", f"dicts nested {DEEP:,} deep",
          Repeat(b"<dict><key>a</key>", DEEP // 2, head=_HEAD, tail=b"<true/>", closing=b"</dict>", end=_TAIL)),
    either("deep-elements", f"unknown elements nested {DEEP:,} deep",
           Repeat(b"<a>", DEEP, head=_HEAD, closing=b"</a>", end=_TAIL),
           Repeat(b"<string>", DEEP, head=_HEAD, closing=b"</string>", end=_TAIL)),
    refuse("deep-open", "arrays to the limit of size, none closed", Repeat(b"<array>", head=_HEAD)),
    refuse("laughs", "entities of the entity before, ten times, 10 deep", _entities(10)),
    refuse("entities", "external and unknown entities",
           b'<!DOCTYPE plist [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + _plist(b"<string>&a;</string>"),
           b'<!DOCTYPE plist [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>' + _TRUE,
           _plist(b"<string>&a;</string>")),
    either("long-numbers", "numbers of a million digits",
           _within(b"9", b"<integer>", b"</integer>", most=_LONG),
           _within(b"f", b"<integer>0x", b"</integer>", most=_LONG),
           _within(b"9", b"<real>", b"</real>", most=_LONG)),
    either("odd-values", "malformed numbers, dates and bytes",
           *map(_plist, (
               b"<integer>x</integer>", b"<integer/>", b"<integer>0x</integer>", b"<real>x</real>",
               b"<real>1e400</real>", b"<real>nan</real>", b"<date>2001-99-99T00:00:00Z</date>", b"<date>x</date>",
               b"<date>0000-00-00T00:00:00Z</date>", b"<data>=</data>", b"<data>*</data>", b"<data>\xc3\xa9</data>",
               b"<key>a</key>", b"<dict><true/></dict>", b"<dict><key>a</key></dict>",
               b"<dict><key>a</key><key>b</key></dict>", b"<true/><false/>", b"",
           ))),
    refuse("malformed", "invalid XML, and XML that is not a property list",
           b"<plist>", b"<x/>", b"x", b"<plist/>", _plist(b"<x>1</x>"), b'<?xml version="1.0" encoding="no-such"?>' + _TRUE,
           *map(_plist, (
               b"<array>", b"<a", b"<array></dict>", b"<string>\xff</string>", b"<string>&#0;</string>",
               b"<string>\x00</string>", b"<string>&#xD800;</string>",
           ))),
    either("other-encodings", "UTF-16, Latin-1, a byte order mark",
           b"\xef\xbb\xbf" + _TRUE,
           '<?xml version="1.0" encoding="UTF-16"?><plist><true/></plist>'.encode("utf-16"),
           b'<?xml version="1.0" encoding="ISO-8859-1"?>' + _plist(b"<string>\xe9</string>"),
           b'<?xml version="1.0" encoding="UTF-7"?>' + _plist(b"<string>+AGE-</string>")),
    refuse("trailing", "a second list", _TRUE * 2, _TRUE + b"x"),
    either("rare-forms", "unusual but well-formed lists",
           b'<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">'
           + _plist(
               b"<dict><key>a</key><array><true/><integer>0x1f</integer><real>1e3</real>"
               b"<date>2020-01-02T03:04:05Z</date><data>aGk=</data><string>&lt;&#233;</string></array></dict>"
           ),
           b'<!DOCTYPE p [<!ENTITY a "b"><!ENTITY c SYSTEM "file:///etc/passwd">]>' + _plist(b"<string>&a;</string>"),
           _plist(b"<dict><key>CF$UID</key><integer>1</integer></dict>"),
           b"<!-- x -->" + _plist(b"<![CDATA[x]]><?pi y?><false/>")),
)  # fmt: skip


def _written(
    objects: Sequence[bytes], *, top: int = 0, reference: int = 4, count: int | None = None
) -> bytes:
    """Return a binary list of encoded objects."""
    offsets, place = [], 8
    for item in objects:
        offsets.append(place)
        place += len(item)
    table = struct.pack(f">{len(offsets)}I", *offsets)
    claimed = len(objects) if count is None else count
    trailer = struct.pack(">6xBBQQQ", 4, reference, claimed, top, place)
    return b"bplist00" + b"".join(objects) + table + trailer


def _references(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">BBI{len(numbers)}I", 0xAF, 0x12, len(numbers), *numbers)


def _number(value: int) -> bytes:
    return struct.pack(">I", value)


def _array(item: bytes, count: int) -> bytes:
    return _written([_references(range(1, count + 1)), *[item] * count])


def _mapping(count: int) -> bytes:
    head = struct.pack(f">BBI{count}I", 0xDF, 0x12, count, *range(2, count + 2))
    return _written([head + _number(1) * count, b"\x09", *(b"\x57%07d" % n for n in range(count))])


def _text(size: int) -> bytes:
    text = ("a" * ((size - 60) // 2 - 2) + "😀").encode("utf-16-be")
    return _written([b"\x6f\x12" + _number(len(text) // 2) + text])


def _deep_lists() -> bytes:
    return _written([*(b"\xa1" + _number(level + 1) for level in range(DEEP)), b"\x08"])


def _deep_maps() -> bytes:
    maps = (b"\xd1" + struct.pack(">II", DEEP + 1, level + 1) for level in range(DEEP))
    return _written([*maps, b"\x08", b"\x51a"])


_NULL = _written([b"\x08"])
_BINARY = table(
    "plist/binary",
    *fills(_ITEMS, _array, _mapping, pair=20, apart=8),
    either("fill-text", "one long text with one emoji to the limit of size", lambda codec: [_text(codec.limits.size)]),
    either("many-parts", "many numbers of archives, empty texts, long numbers, to the limits of items and of size",
           *(Fill(partial(_array, item), len(item) + 8) for item in _PARTS)),
    either("fill-references", "references to one empty array to the limits of items and of size",
           Fill(lambda count: _written([_references([1] * count), b"\xa0"]), 4)),
    limit("deep-lists", f"arrays nested {DEEP:,} deep", lambda codec: [_deep_lists()]),
    limit("deep-maps", f"dicts nested {DEEP:,} deep", lambda codec: [_deep_maps()]),
    limit("laughs", "arrays of the array before, ten times, 20 deep",
           _written([*(b"\xaa" + _number(level + 1) * 10 for level in range(20)), b"\xa0"])),
    either("cycles", "an array and a dict that contain themselves",
           _written([b"\xa1" + bytes(4)]), _written([b"\xd1" + struct.pack(">II", 1, 0), b"\x51a"])),
    refuse("length-claims", "lengths of up to 2^62, without data",
           *(_written([struct.pack(">BBQ", kind, 0x13, claim)])
             for kind in (0x4F, 0x5F, 0x6F, 0xAF, 0xDF)
             for claim in (0xFF, 2**31, 2**62)),
           _written([b"\x08"], count=2**62), _written([b"\x08"], top=2**62)),
    either("long-numbers", "numbers of up to 32 KiB, and of fewer bytes than they claim",
           _written([b"\x1f" + b"\xff" * 32768]), _written([b"\x14" + b"\xff" * 16]),
           *(_written([bytes([0x10 | exponent]), b"x"]) for exponent in range(5, 16))),
    either("odd-values", "dates out of range, texts in no encoding, dicts with odd keys, unknown objects",
           *(_written([body, b"\xa0"]) for body in (
               b"\x33" + struct.pack(">d", 1e300), b"\x33" + struct.pack(">d", float("nan")),
               b"\x33" + struct.pack(">d", -1e11), b"\x51\xff", b"\x61\xd8\x00", b"\xd1" + struct.pack(">II", 1, 1),
               b"\x80\x01", b"\x0f", b"\x00", b"\x70", b"\xc1\0\0\0\1", b"\x20x", b"\x2f", b"\x31x", b"\xe0", b"\xf0",
           ))),
    refuse("malformed", "tables and trailers that lead nowhere",
           b"bplist00", b"bplist00" + bytes(32), b"bplist00" + b"\xff" * 40, b"bplist99" + bytes(40),
           _written([b"\xa1" + b"\xff" * 4]), _written([]), _written([b"\x08"], reference=0)[:-1], _NULL[8:],
           _NULL[:-10]),
    refuse("trailing", "bytes after the trailer", _NULL + b"\0", _NULL * 2),
    either("rare-forms", "numbers of objects, as archives have them",
           _written([_references([1, 2]), b"\x80\x05", b"\xd1" + struct.pack(">II", 3, 4), b"\x51a", b"\x81\x11\x70"])),
)  # fmt: skip

CASES = _XML + _BINARY
