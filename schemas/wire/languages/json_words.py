"""The forms of types in JSON Schema: what a definition says of a value, and of a key."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from ....codecs.conventions.families import JSON_FAMILY
from ....codecs.conventions.rules import SCALAR_OF
from ...tree import types as t
from .. import layout as w

_INTEGER = "^(0|-?[1-9][0-9]*)$"
_DECIMAL = r"^[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)([Ee][+-]?[0-9]+)?|Infinity|s?NaN[0-9]*)$"
_MOMENT = {"type": "string", "format": "date-time"}
_LOCAL_MOMENT = {"type": "string", "format": "date-time-local"}
TIME = {"type": "string", "anyOf": [{"format": "time"}, {"format": "time-local"}]}
"""RFC 3339, and so the format `time`, requires an offset, which times rarely have."""
_LEAVES: dict[type[t.Type], dict[str, Any]] = {
    t.AnyType: {},
    t.NoneType: {"type": "null"},
    t.BoolType: {"type": "boolean"},
    t.IntType: {"type": "integer"},
    t.FloatType: {"type": "number"},
    t.StrType: {"type": "string"},
    t.DateType: {"type": "string", "format": "date"},
    t.TimeDeltaType: {"type": "string", "format": "duration"},
    t.DecimalType: {"type": "string", "format": "decimal", "pattern": _DECIMAL},
    t.UUIDType: {"type": "string", "format": "uuid"},
}
KEYS: dict[type[t.Type], dict[str, Any]] = {
    t.BoolType: {"enum": ["true", "false"]},
    t.IntType: {"pattern": _INTEGER},
    t.FloatType: {"format": "double"},
    t.NoneType: {"const": "null"},
}
"""Keys are always text, whatever type they represent."""
ENCODINGS: dict[Literal["base64", "base64url", "hex"], str] = {
    "base64": "base64",
    "base64url": "base64url",
    "hex": "base16",
}


def leaf_form(leaf: w.Leaf) -> dict[str, Any]:
    """Return the form of a value without parts."""
    match leaf.type:
        case _ if leaf.wire == "enum" and leaf.symbols:
            return {"enum": [name for name, _ in leaf.symbols]}
        case t.EnumType(cls):
            return {"title": cls.__name__, "enum": [JSON_FAMILY.lower(member.value) for member in cls]}
        case t.TextType(dt.time):
            return dict(TIME)
        case t.TextType(kind):
            return {"type": "string", "format": SCALAR_OF[kind].token}
        case t.LiteralType(values):
            return {"enum": [value for value in values if value is not None]}
        case t.BytesType(encoding) | t.ByteArrayType(encoding):
            return {"type": "string", "contentEncoding": ENCODINGS[encoding]}
        case t.DateTimeType(aware=aware):
            if aware is None:
                both = [{"format": each["format"]} for each in (_MOMENT, _LOCAL_MOMENT)]
                return {"type": "string", "anyOf": both}
            return _MOMENT if aware else _LOCAL_MOMENT
        case t.IntType(big=True):
            return {"type": ["integer", "string"], "pattern": _INTEGER}
        case t.IntType() if leaf.bits == 32:
            return {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
        case t.UnionType():
            return {}  # an option has no form here
    return dict(_LEAVES[type(leaf.type)])


def key_form(kind: w.WireType) -> dict[str, Any]:
    """Return the form of the keys of a map."""
    if not isinstance(kind, w.Leaf) or isinstance(kind.type, t.StrType | t.AnyType):
        return {}
    if type(kind.type) in KEYS:
        return KEYS[type(kind.type)]
    return {word: value for word, value in leaf_form(kind).items() if word != "type"}
