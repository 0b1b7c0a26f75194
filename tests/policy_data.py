"""Data for the policies of each format: payloads that show a thing, and objects of extension types."""

from __future__ import annotations

import dataclasses
import enum
import json
import marshal
import math
import pickle
import plistlib
import re
import struct
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import bson
import cbor2
import msgpack
import msgspec
import ormsgpack
import pyfory
import yaml

from bakeoff.codecs import Codec

NAN, INF = math.nan, math.inf


class Colour(enum.Enum):
    RED = "red"
    HOT = math.inf


@dataclasses.dataclass
class Box:
    content: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyData:
    """What a format has of the things that policies are about.

    Attributes:
        payloads: Payloads that show each thing, by policy; a policy is left out if the format has none of it.
        extensions: Objects of the extension types that its libraries have.
    """

    payloads: Mapping[str, list[bytes]]
    extensions: list[Any] = dataclasses.field(default_factory=list)


def document(kind: int, value: bytes) -> bytes:
    return struct.pack("<i", len(value) + 8) + bytes([kind]) + b"a\0" + value + b"\0"


def binary_plist(*objects: bytes) -> bytes:
    """Return a binary property list of objects, of which the first is the root."""
    starts, body = [], b"bplist00"
    for each in objects:
        starts.append(len(body))
        body += each
    return body + bytes(starts) + struct.pack(">6xBBQQQ", 1, 1, len(objects), 0, len(body))


def xml(inner: str) -> bytes:
    return f'<plist version="1.0">{inner}</plist>'.encode()


def nested(levels: int) -> Any:
    """Return lists and dicts within one another."""
    inner: Any = 1
    for level in range(levels):
        inner = {"a": inner} if level % 3 == 0 else [inner]
    return inner


LONG = 2**70
DEEP = nested(121)
BSON_TWICE = struct.pack("<i", 19) + b"\x10a\0\1\0\0\0\x10a\0\2\0\0\0\0"


def of_fory(*, xlang: bool) -> PolicyData:
    """Return the data of one of Fory's two protocols."""

    def written(*values: Any) -> list[bytes]:
        return [pyfory.Fory(xlang=xlang).serialize(value) for value in values]

    twice = written({"a": 1, "b": 2}, [{"b": 1, "a": 2}])
    return PolicyData(
        payloads={
            "duplicate_keys": [payload.replace(b"b", b"a") for payload in twice],
            "nonfinite": written(NAN, [INF], {"a": -INF}),
            "surrogates": written("\ud800", ["a\udfff"], {"\udc00": 1}),
            "trailing": [payload + b"x" for payload in written(1, [])],
            "nesting": written(DEEP),
        }
    )


FORMATS: Mapping[str, PolicyData] = {
    "json": PolicyData(
        payloads={
            "duplicate_keys": [b'{"a":1,"a":2}', b'[{"b":0,"a":1,"a":2}]', b'{"a":1,"\\u0061":2}'],
            "nonfinite": [b"[NaN]", b'{"a":-Infinity}', b"Infinity"],
            "surrogates": [rb'["\ud800"]', rb'{"a\udfff":1}', rb'"\udc00\ud800"'],
            "big_integers": [b"[18446744073709551616]", b'{"a":-9223372036854775809}', b"%d" % LONG],
            "trailing": [b"[1] 2", b"[1]x", b"{}{}", b"1\0"],
            "nesting": [
                b"[" * 121 + b"]" * 121,
                b'{"]":' * 121 + b"1" + b"}" * 121,
                json.dumps(DEEP).encode(),
            ],
        },
    ),
    "msgpack": PolicyData(
        payloads={
            "duplicate_keys": [
                b"\x82\xa1a\x01\xa1a\x02",
                b"\x91\x82\xa1a\x01\xa1a\x02",
                b"\x82\x01\x01\x01\x02",
            ],
            "nonfinite": [*(msgpack.packb(x) for x in ([NAN], {"a": -INF}, INF)), b"\xca\x7f\x80\0\0"],
            "surrogates": [b"\xa3\xed\xa0\x80", b"\x81\xa3\xed\xa0\x80\1"],
            "trailing": [b"\x01\x02", b"\x90\xc1"],
            "extensions": [b"\xd4\5x", b"\x91\xc7\3\x7fabc", b"\x81\xa1a\xd8\1" + b"x" * 16],
            "nesting": [b"\x91" * 121 + b"\1", b"\x81\1" * 121 + b"\1", msgpack.packb(DEEP)],
        },
        extensions=[msgpack.ExtType(5, b"x"), [msgpack.ExtType(5, b"x")], {"a": msgpack.ExtType(127, b"")}],
    ),
    "cbor": PolicyData(
        payloads={
            "duplicate_keys": [b"\xa2aa\x01aa\x02", b"\x81\xa2aa\x01aa\x02", b"\xbf\x01\x01\x01\x02\xff"],
            "nonfinite": [cbor2.dumps([NAN]), cbor2.dumps({"a": -INF}), b"\xf9\x7c\0", b"\xd8\x63\xf9\x7e\0"],
            "surrogates": [b"\x63\xed\xa0\x80", b"\xa1\x63\xed\xa0\x80\1"],
            "big_integers": [cbor2.dumps([2**64]), cbor2.dumps({"a": -(2**63) - 1}), cbor2.dumps({LONG: 1})],
            "trailing": [b"\x01\x02", b"\x80\xff"],
            "extensions": [
                bytes.fromhex(code)
                for code in (
                    "d9ffff01",
                    "81f0",
                    "a16161f7",
                    "f8ff",
                    "d81e820102",
                    "d8246161",
                    "d9010444c0a80001",
                )
            ],
            "nesting": [b"\x81" * 121 + b"\1", b"\xbf\1" * 121 + b"\1" + b"\xff" * 121, cbor2.dumps(DEEP)],
        },
        extensions=[
            cbor2.CBORTag(5555, 1),
            [cbor2.undefined],
            {"a": cbor2.CBORSimpleValue(16)},
            re.compile("a"),
        ],
    ),
    "bson": PolicyData(
        payloads={
            "duplicate_keys": [BSON_TWICE, document(3, BSON_TWICE), document(4, document(3, BSON_TWICE))],
            "nonfinite": [bson.encode({"a": [x]}) for x in (NAN, -INF, bson.Decimal128("NaN"))],
            "surrogates": [document(2, b"\4\0\0\0\xed\xa0\x80\0")],
            "trailing": [bson.encode({}) + b"x", bson.encode({}) * 2],
            "extensions": [
                bson.encode({"a": [x]})
                for x in (
                    bson.ObjectId(),
                    bson.Decimal128("1"),
                    bson.Regex("a"),
                    bson.Code("x"),
                    bson.Code("x", {}),
                    bson.Timestamp(1, 1),
                    bson.MinKey(),
                    bson.MaxKey(),
                    bson.Binary(b"x", 5),
                )
            ],
            "nesting": [bson.encode({"a": nested(120)})],
        },
        extensions=[
            {"a": bson.ObjectId()},
            [bson.Decimal128("1")],
            {"a": [bson.Code("x")]},
            {"a": bson.Binary(b"", 5)},
        ],
    ),
    "yaml": PolicyData(
        payloads={
            "duplicate_keys": [
                b"a: 1\na: 2\n",
                b"[{a: 1, a: 2}]",
                b"{1: 1, 0x1: 2}",
                b"x: &x {a: 1, a: 2}\ny: {<<: *x}\n",
            ],
            "nonfinite": [b"[.nan]", b"a: -.inf\n", b"{.inf: 1}"],
            "surrogates": [rb'"\ud800"', rb'{"a\udfff": 1}'],
            "big_integers": [b"[18446744073709551616]", b"{0x1%s: 1}" % (b"0" * 17)],
            "trailing": [b"--- 1\n--- 2\n"],
            "extensions": [b"!foo 1", b"[!!python/tuple [1]]", b"!<tag:x> {}"],
            "nesting": [
                b"[" * 121 + b"]" * 121,
                b"- " * 121 + b"1",
                b"? " * 121 + b"1",
                yaml.dump(DEEP).encode(),
            ],
        },
    ),
    "plist": PolicyData(
        payloads={
            "duplicate_keys": [
                xml("<dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict>"),
                xml("<array><dict><key>a</key><true/><key>a</key><false/></dict></array>"),
            ],
            "nonfinite": [xml("<real>nan</real>"), xml("<array><real>-inf</real></array>")],
            "surrogates": [xml("<string>&#xD800;</string>")],
            "big_integers": [
                xml(f"<integer>{LONG}</integer>"),
                xml(f"<array><integer>-{LONG}</integer></array>"),
            ],
            "trailing": [xml("<true/>") + b"x", xml("<true/>") * 2],
            "nesting": [plistlib.dumps(DEEP)],
        },
        extensions=[plistlib.UID(1), [plistlib.UID(1)]],
    ),
    "plist/binary": PolicyData(
        payloads={
            "duplicate_keys": [
                binary_plist(b"\xd2\1\1\2\3", b"Qa", b"\x10\1", b"\x10\2"),
                binary_plist(b"\xa2\1\1", b"\xd2\2\2\3\3", b"Qa", b"\x10\1"),
            ],
            "nonfinite": [plistlib.dumps(x, fmt=plistlib.FMT_BINARY) for x in ([NAN], {"a": INF})],
            "surrogates": [binary_plist(b"\x61\xd8\0"), binary_plist(b"\xd1\1\1", b"\x61\xd8\0")],
            "big_integers": [binary_plist(b"\x14" + LONG.to_bytes(16, "big"))],
            "trailing": [plistlib.dumps([1], fmt=plistlib.FMT_BINARY) + b"x"],
            "extensions": [plistlib.dumps([plistlib.UID(3)], fmt=plistlib.FMT_BINARY)],
            "nesting": [plistlib.dumps(DEEP, fmt=plistlib.FMT_BINARY)],
        },
        extensions=[plistlib.UID(1), [plistlib.UID(1)]],
    ),
    "marshal": PolicyData(
        payloads={
            "duplicate_keys": [b"{\xda\1a\xe9\1\0\0\0\xda\1a\xe9\2\0\0\x000"],
            "nonfinite": [b"\xe7\0\0\0\0\0\0\xf8\x7f"],
            "surrogates": [b"\xf5\3\0\0\0\xed\xa0\x80"],
            "big_integers": [b"\xec\5\0\0\0\0\0\0\0\0\0\0\0\x10\0"],
            "trailing": [b"NN"],
            "extensions": [b".", b"[\1\0\0\0S", b"{.N0"],
            "nesting": [marshal.dumps(DEEP)],
        },
        extensions=[..., [...], {"a": StopIteration}],
    ),
    "pickle": PolicyData(
        payloads={
            "duplicate_keys": [b"(X\1\0\0\0aK\1X\1\0\0\0aK\2d."],
            "nonfinite": [pickle.dumps(x) for x in (NAN, {"a": [INF]}, Decimal("NaN"), Colour.HOT, Box(NAN))],
            "surrogates": [pickle.dumps("\ud800"), pickle.dumps({"a\udfff": 1})],
            "big_integers": [pickle.dumps(x) for x in (2**64, {"a": [-(2**63) - 1]}, Box((LONG,)))],
            "trailing": [pickle.dumps(1) + b"x"],
            "extensions": [pickle.dumps(Box(1))],
            "nesting": [pickle.dumps(DEEP), pickle.dumps(DEEP, 2)],
        },
        extensions=[Box(1), [Box], {"a": deque()}],
    ),
    "fory": of_fory(xlang=False),
    "fory/xlang": of_fory(xlang=True),
}
"""The data of each format, by its name or that of a codec with a form of its own."""

_OWN_CLASSES: Mapping[str, list[Any]] = {
    "ormsgpack": [ormsgpack.Ext(5, b"x"), {"a": [ormsgpack.Ext(5, b"x")]}],
    "msgspec-msgpack": [msgspec.msgpack.Ext(5, b"x"), {"a": [msgspec.msgpack.Ext(5, b"x")]}],
}
"""Objects of codecs whose library has classes of its own."""


def payloads(policy: str, codec: Codec) -> list[bytes]:
    """Return the payloads that show what a policy is about; none if the format has none of it."""
    return _of(codec).payloads.get(policy, [])


def extensions(codec: Codec) -> list[Any]:
    """Return objects of the extension types that a codec writes."""
    return _OWN_CLASSES.get(codec.name) or _of(codec).extensions


def _of(codec: Codec) -> PolicyData:
    data = FORMATS.get(codec.name) or FORMATS.get(codec.format)
    assert data is not None, f"{__file__}: FORMATS has no data for the format {codec.format!r}"
    return data
