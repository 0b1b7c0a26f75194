"""How each format family writes the Python types that its format lacks.

One rule for each type, the same for every codec of a family, so that every codec can carry every
corpus and a schema can bring the types back. A format's own type is used where it has one.

Sources: ISO 8601 as written by `datetime.isoformat`; RFC 4648 (base64); RFC 4122 text (UUID);
"$null" as in Apple's keyed archives.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["FAMILIES", "RULES", "TYPED", "Family", "Rule", "documented", "duration_text", "unbound", "wire"]

NULL_TEXT = "$null"
INT64 = range(-(2**63), 2**63)


TYPED = frozenset(
    {"tuple", "set", "frozenset", "datetime", "date", "time", "timedelta", "decimal", "uuid", "enum"}
)
"""What a typed decoder brings back beside the format's own types."""


def unbound(data: bytes) -> Any:
    """Stand in for the decoder of a codec that has not got its schema yet.

    Raises:
        ValueError: Always.
    """
    raise ValueError("decodes into the types of a schema; give it one: codec.with_schema(schema)")


def duration_text(value: dt.timedelta) -> str:
    """Return a duration as ISO 8601 text: ``P1DT2.000003S``, negative ones with a leading minus."""
    sign = "-" if value < dt.timedelta(0) else ""
    value = abs(value)
    seconds = f"{value.seconds}.{value.microseconds:06d}".rstrip("0").rstrip(".")
    days = f"{value.days}D" if value.days else ""
    if seconds == "0":
        return f"{sign}P{days or '0D'}"
    return f"{sign}P{days}T{seconds}S"


def _plain_set(value: set[Any] | frozenset[Any]) -> list[Any]:
    """Sort where the items can be sorted: equal sets then give equal bytes."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _text_of_bytes(value: bytes | bytearray | memoryview) -> str:
    return base64.b64encode(value).decode("ascii")


@dataclass(frozen=True, slots=True)
class Rule:
    """How one Python type is written.

    Attributes:
        token: The type's name in `Codec.carries`.
        type: The Python type; subclasses follow it.
        form: Machine name of the written form, what a schema reads.
        words: The same for the documentation.
        write: The conversion; nested values are converted in their turn.
    """

    token: str
    type: type
    form: str
    words: str
    write: Callable[[Any], Any]


RULES = (
    Rule("enum", enum.Enum, "value", "its value", lambda v: v.value),
    Rule("datetime", dt.datetime, "iso", "ISO 8601 text", dt.datetime.isoformat),
    Rule("date", dt.date, "iso", "ISO 8601 text", dt.date.isoformat),
    Rule("time", dt.time, "iso", "ISO 8601 text", dt.time.isoformat),
    Rule("timedelta", dt.timedelta, "iso", "ISO 8601 duration text", duration_text),
    Rule("decimal", decimal.Decimal, "text", "decimal text", str),
    Rule("uuid", uuid.UUID, "text", "UUID text", str),
    Rule("bytes", bytes, "base64", "base64 text", _text_of_bytes),
    Rule("bytearray", bytearray, "base64", "base64 text", _text_of_bytes),
    Rule("bytearray", memoryview, "base64", "base64 text", _text_of_bytes),
    Rule("set", set, "list", "list, sorted where possible", _plain_set),
    Rule("frozenset", frozenset, "list", "list, sorted where possible", _plain_set),
    Rule("tuple", tuple, "list", "list", list),
)
"""In order of precedence; dataclasses become the dict of their fields."""


def _native_bytes(value: bytearray | memoryview) -> bytes:
    """Bytes."""
    return bytes(value)


def _plain_frozenset(value: frozenset[Any]) -> set[Any]:
    """Set."""
    return set(value)


class Family:
    """The conventions of one format family.

    Args:
        name: For the documentation.
        native: Types that the format has, left to the library; or written another way, by
            giving the conversion.
        text_keys: Dict keys must be text.
        int64: Integers beyond 64 bits are written as decimal text.
        null: Text that stands for None, where the format has no null.
    """

    def __init__(
        self,
        name: str,
        native: Mapping[type, Callable[[Any], Any] | None],
        *,
        text_keys: bool = True,
        int64: bool = False,
        null: str | None = None,
    ) -> None:
        self.name = name
        self.text_keys = text_keys
        self.int64 = int64
        self.null = null
        self.native = dict(native)
        self._untouched = tuple(kind for kind, write in self.native.items() if write is None)
        self._write: dict[type, Callable[[Any], Any]] = {}
        for rule in RULES:
            if rule.type in self.native:
                if (other := self.native[rule.type]) is not None:
                    self._write[rule.type] = other
            else:
                self._write[rule.type] = rule.write

    def leaf(self, value: Any) -> Any:
        """Return what stands for a value the library does not know; the hook most libraries call.

        Raises:
            TypeError: No convention for this type.
        """
        if write := self._write.get(type(value)):
            return write(value)
        if isinstance(value, int) and not isinstance(value, enum.Enum):
            return str(int(value))
        for kind, write in self._write.items():
            if isinstance(value, kind):
                return write(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return _fields(value)
        if isinstance(value, Mapping) and not isinstance(value, dict):
            return dict(value)
        raise TypeError(f"no convention for {type(value).__module__}.{type(value).__qualname__}")

    def lower(self, value: Any) -> Any:
        """Return a copy of a whole object in which every type is one that the format has.

        Raises:
            TypeError: No convention for a type in it.
            ValueError: Two keys of a dict become the same text.
        """
        kind = type(value)
        if kind is str or kind is bool or kind is float:
            return value
        if value is None:
            return self.null
        if kind is int:
            return str(value) if self.int64 and value not in INT64 else value
        if kind is dict:
            return self._lower_dict(value)
        if kind is list:
            return [self.lower(item) for item in value]
        if isinstance(value, enum.Enum):
            return self.lower(value.value)
        if kind not in self._write:
            for plain in (str, bool, int, float, dict, list, *self._untouched):
                if isinstance(value, plain):
                    return self._lower_plain(plain, value)
        written = self.leaf(value)
        return self.lower(written) if type(written) in (dict, list, tuple, set, frozenset) else written

    def _lower_plain(self, kind: type, value: Any) -> Any:
        """Lower a value of a type that the format has, or of a subclass of it."""
        if kind in (tuple, set, frozenset):
            return kind(self.lower(item) for item in value)
        if type(value) is kind:
            return value
        return self.lower(kind(value)) if kind in (str, bool, int, float, dict, list) else value

    def _lower_dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        lowered = {}
        for key, item in value.items():
            name = key if type(key) is str else self._key(key)
            if name in lowered:
                raise ValueError(f"two keys of a dict are both written as {name!r}")
            lowered[name] = self.lower(item)
        return lowered

    def _key(self, key: Any) -> Any:
        written = _text_key(key) if self.text_keys else self.lower(key)
        try:
            hash(written)
        except TypeError:
            raise TypeError(f"a dict key of type {type(key).__name__} has no written form") from None
        return written


def _utc_or_text(value: dt.datetime) -> Any:
    """Native in UTC, else ISO 8601 text.

    MessagePack's timestamp is a moment in UTC; anything else would lose its offset.
    """
    if value.tzinfo is not None and not value.utcoffset():
        import msgpack

        return msgpack.Timestamp.from_datetime(value)
    return value.isoformat()


def _aware_or_text(value: dt.datetime) -> Any:
    """Native with an offset, else ISO 8601 text.

    CBOR's date-time (tag 0, RFC 8949 section 3.4.1) must have one.
    """
    return value if value.tzinfo is not None else value.isoformat()


def _naive_or_text(value: dt.datetime) -> Any:
    """Native without an offset, else ISO 8601 text.

    A property list's date has none; plistlib would drop one without a word.
    """
    return value.isoformat() if value.tzinfo is not None else value


def _text_key(key: Any) -> Any:
    """Return the text of a key: as in JSON, whatever else the format has as a value."""
    if isinstance(key, enum.Enum):
        return _text_key(key.value)
    if key is None:
        return "null"
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str):
        return str(key)
    if isinstance(key, (int, float)):
        return repr(key)
    return FAMILIES["json"].leaf(key)


FAMILIES: Mapping[str, Family] = {
    "json": Family("JSON", {}),
    "json64": Family("JSON (64-bit integers)", {}, int64=True),
    "msgpack": Family(
        "MessagePack",
        {bytes: None, bytearray: _native_bytes, memoryview: _native_bytes, dt.datetime: _utc_or_text},
        text_keys=False,
        int64=True,
    ),
    "cbor": Family(
        "CBOR",
        {
            bytes: None,
            bytearray: _native_bytes,
            memoryview: _native_bytes,
            dt.datetime: _aware_or_text,
            dt.date: None,
            decimal.Decimal: None,
            uuid.UUID: None,
            set: None,
            frozenset: _plain_frozenset,
        },
        text_keys=False,
    ),
    "bson": Family(
        "BSON",
        {
            bytes: None,
            bytearray: _native_bytes,
            memoryview: _native_bytes,
            dt.datetime: None,
            uuid.UUID: None,
        },
        int64=True,
    ),
    "yaml": Family(
        "YAML",
        {
            bytes: None,
            bytearray: _native_bytes,
            memoryview: _native_bytes,
            dt.datetime: None,
            dt.date: None,
            set: None,
        },
        text_keys=False,
    ),
    "plist": Family(
        "property list",
        {bytes: None, bytearray: _native_bytes, memoryview: _native_bytes, dt.datetime: _naive_or_text},
        int64=True,
        null=NULL_TEXT,
    ),
    "marshal": Family(
        "marshal",
        {
            bytes: None,
            bytearray: _native_bytes,
            memoryview: _native_bytes,
            tuple: None,
            set: None,
            frozenset: None,
        },
        text_keys=False,
    ),
    "pickle": Family("pickle", {rule.type: None for rule in RULES}, text_keys=False),
}


def wire(family: str, carries: frozenset[str]) -> dict[str, str]:
    """Return the written form of each type that a codec does not carry: token to form."""
    forms = {rule.token: rule.form for rule in RULES if rule.token not in carries}
    bytes_are_native = bytes in FAMILIES[family].native
    if "bytearray" in forms and bytes_are_native:
        forms["bytearray"] = "bytes"
    if FAMILIES[family].native.get(frozenset) is not None:
        forms["frozenset"] = "set"
    forms |= {"datetime_aware": "iso", "datetime_offset": "iso", "dataclass": "dict", "namedtuple": "list"}
    if FAMILIES[family].text_keys:
        forms["int_keys"] = "text"
    if FAMILIES[family].int64:
        forms["bigint"] = "text"
    if FAMILIES[family].null is not None:
        forms["none"] = NULL_TEXT
    return {token: form for token, form in forms.items() if token not in carries}


def documented() -> list[list[str]]:
    """Return the conventions as a table: a header row, then one row a type, one column a format family."""
    shown = {name: family for name, family in FAMILIES.items() if name not in ("json64", "pickle")}
    rows = [["type", *(family.name for family in shown.values())]]
    rows += [[rule.type.__name__, *(_documented(rule, f) for f in shown.values())] for rule in RULES]
    rows.append(["dataclass", *["dict of its fields"] * len(shown)])
    rows.append(["None", *("text `$null`" if f.null else "native" for f in shown.values())])
    big = ("decimal text" if f.int64 else "native" for f in shown.values())
    rows.append(["int beyond 64 bits", *big])
    rows.append(["dict keys other than text", *("text" if f.text_keys else "native" for f in shown.values())])
    return rows


def _documented(rule: Rule, family: Family) -> str:
    if rule.type not in family.native:
        return rule.words
    write = family.native[rule.type]
    if write is None:
        return "native"
    words = (write.__doc__ or "").split("\n")[0].rstrip(".")
    return words[:1].lower() + words[1:]
