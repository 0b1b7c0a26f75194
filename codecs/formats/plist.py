"""Apple property lists, by plistlib: XML (the table's row for XML) and binary.

XML has no null: None is written as the text ``$null``. A property list's date has no offset, so only naive
datetimes are dates; aware ones are text. There is no framing: each record in a file follows its length.
"""

from __future__ import annotations

import datetime as dt
import plistlib
import struct
from dataclasses import replace
from typing import Any
from xml.parsers.expat import ParserCreate

from ..conventions.families import NATIVE_BYTES, NULL_TEXT, WORDS, FormatFamily
from ..errors import TooMuchError
from ..limits import Limits
from ..registry import declare
from ..safety._unique import UniqueKeys, plain_dicts
from ..safety.policies import Policies
from ..spec import Format, RawCalls, Spec

_LAST = dt.datetime.max - dt.timedelta(milliseconds=1)


def _naive_or_text(value: dt.datetime) -> Any:
    """Native without an offset, else ISO 8601 text.

    A property list's date has no offset; plistlib would silently drop it. It would also round the last
    millisecond of the year 9999 to the next year, which it cannot read.
    """
    return value.isoformat() if value.tzinfo is not None or value > _LAST else value


_family = FormatFamily(
    "property list", {**NATIVE_BYTES, dt.datetime: _naive_or_text}, integers=WORDS, null=NULL_TEXT
)
PLIST = Format(name="plist", media_type="application/x-plist", file_extension=".plist", family=_family)
# As in AirPlay and other protocols of Apple.
BINARY = replace(PLIST, media_type="application/x-apple-binary-plist", syntax="plist-binary")
NATIVE = frozenset({str, int, float, bool, bytes})
PRESERVES = frozenset({"bool", "int", "float", "nonfinite", "str", "bytes", "list", "dict", "key_order"})

_HEAD = b'<?xml version="1.0" encoding="UTF-8"?>'
"""Start of each payload of plistlib."""

# Only XML lacks a null.
_binary_family = FormatFamily("binary property list", _family.native, integers=_family.integers)


def _encode_xml(record: Any) -> bytes:
    payload = plistlib.dumps(record, sort_keys=False)
    # plistlib refuses the other characters that XML does not allow. Most payloads are searched only once.
    if b"\xef\xbf" in payload and (b"\xef\xbf\xbe" in payload or b"\xef\xbf\xbf" in payload):
        raise ValueError("U+FFFE or U+FFFF in a text, which XML cannot hold")
    return payload


class _Parser(plistlib._PlistParser):  # type: ignore[name-defined,misc]
    """The standard library's parser, without time that grows with the square of a long text's length.

    That parser feeds expat in chunks, and expat before 2.6 reads an unfinished token again with each chunk
    (CVE-2023-52425).
    """

    def parse_whole(self, data: bytes) -> Any:
        self.parser = parser = ParserCreate()
        parser.StartElementHandler = self.handle_begin_element
        parser.EndElementHandler = self.handle_end_element
        parser.CharacterDataHandler = self.handle_data
        parser.EntityDeclHandler = self.handle_entity_decl
        parser.Parse(data, True)
        if self.root is None:
            raise ValueError("not a value of a property list")
        return self.root


class _CountingParser(_Parser):
    """A parser that limits the number of values and their nesting."""

    def __init__(self, kind: type[dict[Any, Any]], limits: Limits) -> None:
        super().__init__(kind)
        # The outermost element is that of the file.
        self._left, self._deepest = limits.items + 1, limits.deepest

    def handle_begin_element(self, element: str, attributes: Any) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMuchError("more values than the limit")
        super().handle_begin_element(element, attributes)

    def begin_dict(self, attributes: Any) -> None:
        self._check_depth()
        super().begin_dict(attributes)

    def begin_array(self, attributes: Any) -> None:
        self._check_depth()
        super().begin_array(attributes)

    def _check_depth(self) -> None:
        if len(self.stack) >= self._deepest:
            raise RecursionError(f"nested more than {self._deepest} deep")


def _parse(data: bytes, kind: type[dict[Any, Any]], limits: Limits) -> Any:
    # Counting takes a tenth of a load, and is unnecessary for most payloads: each value takes at least four
    # bytes, and with this start the encoding cannot hide the names of elements.
    containers = data.count(b"<dict") + data.count(b"<array") if data.startswith(_HEAD) else len(data)
    if containers <= limits.deepest and len(data) <= limits.items:
        return _Parser(kind).parse_whole(data)
    return _CountingParser(kind, limits).parse_whole(data)


def _decode_xml(data: bytes, *, limits: Limits) -> Any:
    return _parse(data, dict, limits)


def _decode_xml_unique(data: bytes, *, limits: Limits) -> Any:
    return plain_dicts(_parse(data, UniqueKeys, limits))


def _decode_unique(data: bytes, **options: Any) -> Any:
    return plain_dicts(plistlib.loads(data, dict_type=UniqueKeys, **options))


def _check_whole(data: bytes) -> None:
    """Raise unless the payload ends with the offset table and its trailer; plistlib reads from the end."""
    if len(data) >= 40:
        offset_size, count, table = struct.unpack(">6xBxQ8xQ", data[-32:])
        if table + offset_size * count + 32 != len(data):
            raise ValueError("data before the offset table or after the value")


def _policies(decode: Any, decode_unique: Any, extensions: str) -> Policies:
    return Policies(
        duplicate_keys="reject/last",
        nonfinite="allow",
        surrogates="reject",
        big_integers="text/exact",
        trailing="reject",
        extensions=extensions,
        nesting="library/reject",
        options={"duplicate_keys": ("last", "reject")},
        enforce=lambda values: {"decode": decode if values["duplicate_keys"] == "last" else decode_unique},
        classes=(plistlib.UID,),
    )


def _plist(kind: Any, family: FormatFamily, losses: tuple[str, ...]) -> Spec:
    return Spec.of(
        encode=plistlib.dumps,
        encode_options={"fmt": kind, "sort_keys": False},
        decode=plistlib.loads,
        raw=RawCalls(lambda record: plistlib.dumps(record, fmt=kind, sort_keys=False), plistlib.loads),
        decode_options={"fmt": kind},
        limits=Limits(items=400_000),
        scan=NATIVE,
        family=family,
        accelerated=None,
        preserves=PRESERVES,
        forms={"datetime": "native"},
        losses=losses,
    )


@declare("plist", PLIST, in_default_set=False)
def _xml() -> Spec:
    return _plist(
        plistlib.FMT_XML,
        _family,
        ("datetimes are cut to seconds", "carriage returns in text and keys become line feeds"),
    ).changed(
        encode=_encode_xml,
        encode_options={},
        decode=_decode_xml,
        policies=_policies(_decode_xml, _decode_xml_unique, extensions="reject/none"),
        decode_options={},
        limits=Limits(items=200_000, size=8 << 20),
        bounded=lambda limits: {"limits": limits},
    )


@declare("plist/binary", BINARY, in_default_set=False)
def _binary() -> Spec:
    return _plist(
        plistlib.FMT_BINARY,
        _binary_family,
        ("datetimes far from 2001 lose microseconds", "0.0 and -0.0 in one record become one of them"),
    ).changed(
        scan=NATIVE | {type(None)},
        preserves=PRESERVES | {"none"},
        walked=True,
        notes=("writes None as the format's null, which Apple's own writers do not use",),
        whole="plist",
        check_payload=_check_whole,
        policies=_policies(plistlib.loads, _decode_unique, extensions="reject/keep"),
    )
