"""Whether a decoded record is what was encoded, or loses only what its codec says."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import enum
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bakeoff.bench.equality.equal import MISSING, equal
from bakeoff.codecs import Codec
from bakeoff.codecs.conventions.arrays import convention
from bakeoff.codecs.conventions.classes import opened
from bakeoff.codecs.conventions.notes import FIELDS_ONLY, MEMBERS, NO_OFFSET, OBJECT_KEYS, UNSET_FIELDS
from bakeoff.codecs.conventions.tokens import token_of
from bakeoff.codecs.formats.cbor import SEQUENCES, UNREADABLE
from bakeoff.codecs.formats.json import EXCLUDED
from bakeoff.codecs.formats.structs import (
    ATTRIBUTES,
    OWN_ITERATION,
    RUN_AGAIN,
    UNKNOWN_DROPPED,
    UNSORTED_SETS,
)

from .values import Value


def _milliseconds(before: Any, after: Any) -> bool:
    if not isinstance(before, dt.datetime) or not isinstance(after, dt.datetime):
        return False
    moment = before if before.tzinfo else before.replace(tzinfo=dt.UTC)
    cut = moment.astimezone(dt.UTC)
    return equal(cut.replace(microsecond=cut.microsecond // 1000 * 1000), after)


def _utc(before: Any, after: Any) -> bool:
    return (
        isinstance(before, dt.datetime)
        and isinstance(after, dt.datetime)
        and bool(before.tzinfo and equal(before.astimezone(dt.UTC), after))
    )


def _texts(value: Any) -> list[str]:
    """Return the texts that the conventions write for a value of a type that a format lacks, or as a key."""
    match value:
        case None:
            return ["null"]
        case bool():
            return [str(value).lower()]
        case bytes() | bytearray():
            return [base64.b64encode(value).decode()]
        case dt.datetime() | dt.time():
            return [value.isoformat(), value.isoformat().replace("+00:00", "Z")]
        case dt.date():
            return [value.isoformat()]
        case dt.timedelta():
            return [_duration(value)]
        case float():
            return [repr(value), _WORDS.get(repr(value), repr(value))]
    return [str(value)]


_WORDS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def _duration(value: dt.timedelta) -> str:
    rest = abs(value)
    seconds, micros = rest.seconds, rest.microseconds
    text = f"{rest.days}D" if rest.days else ""
    if seconds or micros:
        text += f"T{seconds}" + (f".{micros:06d}".rstrip("0") if micros else "") + "S"
    return ("-" if value < dt.timedelta(0) else "") + "P" + (text or "0D")


FORMS: dict[str, Callable[[Any, Any], bool]] = {
    "value": lambda a, b: equal(a.value, b),
    "iso": lambda a, b: type(b) is str and b in _texts(a),
    "text": lambda a, b: type(b) is str and b == str(a),
    "base64": lambda a, b: type(b) is str and base64.b64decode(b) == bytes(a),
    "bytes": lambda a, b: type(b) is bytes and b == bytes(a),
    "list": lambda a, b: type(b) is list,
    "tuple": lambda a, b: type(b) is tuple,
    "set": lambda a, b: type(b) is set,
    "dict": lambda a, b: type(b) is dict,
    "float": lambda a, b: type(b) is float and repr(b) == repr(float(a)),
    "utc": _utc,
    "utc-ms": _milliseconds,
    "native": lambda a, b: type(b) is str and b == a.isoformat(),
    "$null": lambda a, b: b == "$null",
}  # fmt: skip
"""Each written form: whether a value may be decoded as another. Items of containers are judged in turn."""


def _far(before: Any, after: Any) -> bool:
    return (
        isinstance(before, dt.datetime)
        and isinstance(after, dt.datetime)
        and before.tzinfo is None is after.tzinfo
        and abs(before - after) < dt.timedelta(milliseconds=1)
        and abs(before - dt.datetime(2001, 1, 1)) > dt.timedelta(days=365)
    )


def _float(before: Any, after: Any) -> bool:
    """Whether a float, or the decimal that a schema makes of it, is the nearest to a decimal."""
    return isinstance(before, decimal.Decimal) and repr(float(after)) == repr(float(before))


def _zero(before: Any, after: Any) -> bool:
    return type(before) is type(after) is float and before == after == 0.0


def _number(before: Any, after: Any) -> bool:
    return type(before) is int and type(after) is float and before == after


def _seconds(before: Any, after: Any) -> bool:
    return (
        isinstance(before, dt.datetime)
        and isinstance(after, dt.datetime)
        and equal(before.replace(microsecond=0), after)
    )


def _returns(before: Any, after: Any) -> bool:
    return type(before) is type(after) is str and before.replace("\r\n", "\n").replace("\r", "\n") == after


def _nulled(before: Any, after: Any) -> bool:
    return type(before) is float and not math.isfinite(before) and after is None


def _unfolded(before: Any, after: Any) -> bool:
    return isinstance(before, dt.datetime) and equal(before.replace(fold=0), after)


def _fewer_digits(before: Any, after: Any) -> bool:
    return (
        type(before) is type(after) is float
        and float(np.float32(before)) == before
        and (before == float(np.float32(after)) or before == float(np.float16(after)))
    )


def _microseconds(before: Any, after: Any) -> bool:
    texts = [before] if type(before) is str else _texts(before) if isinstance(before, dt.date) else []
    return type(after) is str and any(text[:26] == after or f"{text}T00:00:00" == after for text in texts)


def _unsigned(before: Any, after: Any) -> bool:
    return (
        isinstance(before, decimal.Decimal)
        and type(after) is decimal.Decimal
        and before.is_zero()
        and before.is_signed()
        and equal(before.copy_abs(), after)
    )


def _no_number(before: Any, after: Any) -> bool:
    return (
        isinstance(before, decimal.Decimal)
        and not before.is_finite()
        and type(after) is float
        and not math.isfinite(after)
    )


def _rounded(before: Any, after: Any) -> bool:
    if not isinstance(before, dt.datetime | dt.time):
        return False
    found = type(before).fromisoformat(after) if type(after) is str else after
    if type(found) is not type(before):
        return False
    offset, other = before.utcoffset(), found.utcoffset()
    if offset is None or other is None or abs(offset - other) >= dt.timedelta(minutes=1):
        return False
    return before.replace(tzinfo=None) == found.replace(tzinfo=None)


def _never(before: Any, after: Any) -> bool:
    return False


def _sequence(before: Any, after: Any) -> bool:
    other = isinstance(before, Sequence) and not isinstance(before, list | tuple | str | bytes)
    return other and type(after) is list and list(before) == after


def _pattern(before: Any, after: Any) -> bool:
    return isinstance(before, re.Pattern) and before.pattern == getattr(
        after, "pattern", getattr(after, "value", None)
    )


LOSSES: dict[str, Callable[[Any, Any], bool]] = {
    "dict keys that read alike as text (1 and '1') become one": _never,
    "NaN and Infinity become null": _nulled,
    "dict keys True and False become the text of 1 and 0": _never,
    "records are decoded as Structs, in the order of the schema, without unknown fields": _never,
    "a key Decimal('-0') is decoded as Decimal('0')": _never,
    "decoded fields are in the order of the schema": _never,
    "integers become floats if the schema says float": _number,
    "models of one's own write NaN and Infinity as null, unless they set `ser_json_inf_nan`": _nulled,
    "Decimal becomes a float": _float,
    "Decimal sNaN becomes -1.0, or makes the payload unreadable": _never,
    "Decimal -0 loses its sign": _unsigned,
    "Decimal NaN and Infinity become floats": _no_number,
    "offsets from UTC are rounded to whole minutes": _rounded,
    "datetimes whose offset has seconds become text": FORMS["iso"],
    "dict keys that are bytes become raw text; all but text, numbers and None their `str`": _never,
    "NumPy's floats of 16 and 32 bits are written with fewer digits": _fewer_digits,
    SEQUENCES: _sequence,
    "patterns are decoded as `cbor2.CBORTag`": _pattern,
    "patterns are decoded as `bson.regex.Regex`": _pattern,
    "datetime64 is cut to microseconds, and dates become datetimes": _microseconds,
    "dict keys that are written alike (a date and its ISO 8601 text) become one": _never,
    UNSORTED_SETS: _never,
    OWN_ITERATION: _never,
    ATTRIBUTES: _never,
    MEMBERS: _never,
    FIELDS_ONLY: _never,
    OBJECT_KEYS: _never,
    UNSET_FIELDS: _never,
    NO_OFFSET: _never,
    UNREADABLE: _never,
    "list becomes tuple": lambda a, b: type(a) is list and type(b) is tuple,
    "datetimes with an offset are decoded in UTC": _utc,
    "datetimes are cut to milliseconds": _milliseconds,
    "datetimes are decoded in UTC, also naive ones": _milliseconds,
    "the field `_id` of a record is moved to the front": _never,
    "a `$db` of None is dropped if there are `$ref` and `$id`": _never,
    "datetimes in a repeated hour lose their fold": _unfolded,
    "datetimes are cut to seconds": _seconds,
    "carriage returns in text and keys become line feeds": _returns,
    "datetimes far from 2001 lose microseconds": _far,
    "0.0 and -0.0 in one record become one of them": _zero,
    "decoded fields are in the order of the schema, keys of maps in no order": _never,
    UNKNOWN_DROPPED: _never,
    EXCLUDED: _never,
    RUN_AGAIN: _never,
    "invalid UTF-8 is decoded with U+FFFD in its place": _never,
}  # fmt: skip
"""Each loss that a codec states: whether it explains that a value is decoded as another.

`_never`: it is about keys or their order, which `wrong` treats itself, or about values that `is_tried` leaves
out.
"""


def _holds(explains: Callable[[Any, Any], bool], before: Any, after: Any) -> bool:
    try:
        return explains(before, after)
    except (
        TypeError,
        ValueError,
        OverflowError,
    ):  # a text that is no base64 or no moment, a value of another type
        return False


def loss_of(codec: Codec, before: Any, after: Any) -> str | None:
    """Return the loss of the codec that explains that one value is decoded as another."""
    return next((loss for loss in codec.losses if _holds(LOSSES[loss], before, after)), None)


def _explains(codec: Codec, before: Any, after: Any) -> bool:
    """Whether the conventions or a loss of the codec explain that one value is decoded as another."""
    token = token_of(before)
    losses = loss_of(codec, before, after) is not None
    if token in codec.preserves or losses:
        return losses
    form = codec.encodes_as.get(token)
    if form == "list" and "list becomes tuple" in codec.losses:
        form = "tuple"
    if form is not None and _holds(FORMS[form], before, after):
        return True
    return isinstance(before, decimal.Decimal) and not before.is_finite() and after == str(before)


def _with_offset(value: Any) -> Any:
    """Return a moment with the offset of its zone, and without its `fold`, as the conventions write it."""
    if token_of(value) not in ("datetime_zone", "datetime_fold"):
        return value
    offset = value.utcoffset()
    return value.replace(fold=0, tzinfo=None if offset is None else dt.timezone(offset))


_TEXT_OF_BOOL = "dict keys True and False become the text of 1 and 0"
_RAW_KEYS = "dict keys that are bytes become raw text; all but text, numbers and None their `str`"
_ALIKE = "dict keys that are written alike (a date and its ISO 8601 text) become one"
_MERGED = "dict keys that read alike as text (1 and '1') become one"


_LONG_KEY = 10**18
"""Schemas read no longer keys from text, as they could be chosen to have one hash."""


def _forms_of_key(codec: Codec, key: Any, schema: bool = False) -> list[Any]:
    """Return what a key may be decoded as."""
    forms = [key]
    if schema:
        if type(key) is int and abs(key) >= _LONG_KEY and {"int_keys", "bigint"} & codec.encodes_as.keys():
            forms.append(str(key))
    elif "int_keys" in codec.encodes_as and type(key) is not str:
        forms += _texts(key)
    if isinstance(key, decimal.Decimal) and "a key Decimal('-0') is decoded as Decimal('0')" in codec.losses:
        forms.append(key.copy_abs())
    if type(key) is bool and _TEXT_OF_BOOL in codec.losses:
        forms.append(str(int(key)))
    if isinstance(key, frozenset) and codec.encodes_as.get("frozenset") == "list":
        forms.append(tuple(key))  # the list that it is written as
    if _RAW_KEYS in codec.losses:
        forms.append(key.decode(errors="replace") if type(key) is bytes else str(key))
    return forms


class _Comparison:
    """Compares the plain value of a record with what was decoded."""

    def __init__(self, codec: Codec, *, schema: bool) -> None:
        self._codec = codec
        self._schema = schema
        self._ordered = "key_order" in codec.preserves

    def wrong(self, a: Any, b: Any, path: str = "$") -> str | None:
        """Return the first unexplained difference, or None."""
        kind = type(a)
        if kind in (list, tuple, set, frozenset):
            if type(b) is not kind and not (type(b) in (list, tuple, set) and self._explains(a, b)):
                return f"{a!r:.80} came back as {b!r:.80} at {path}"
            if len(a) != len(b):
                return f"{len(a)} items of {a!r:.80} came back as {len(b)} at {path}"
            return self._items(list(a), list(b), path, kind in (set, frozenset))
        if kind is dict and type(b) is dict:
            return self._dict(a, b, path)
        if equal(a, b) or self._explains(a, b):
            return None
        if (offset := _with_offset(a)) is not a and token_of(a) not in self._codec.preserves:
            return self.wrong(offset, b, path)
        return f"{a!r:.80} came back as {b!r:.80} at {path}"

    def _explains(self, a: Any, b: Any) -> bool:
        return loss_of(self._codec, a, b) is not None if self._schema else _explains(self._codec, a, b)

    def _items(self, a: list[Any], b: list[Any], path: str, is_set: bool) -> str | None:
        if not is_set:
            found = (self.wrong(x, y, f"{path}[{i}]") for i, (x, y) in enumerate(zip(a, b, strict=True)))
            return next((words for words in found if words), None)
        for same in (equal, lambda x, y: self.wrong(x, y) is None):
            for item in list(a):
                match = next((i for i, other in enumerate(b) if same(item, other)), None)
                if match is not None:
                    a = [x for x in a if x is not item]
                    del b[match]
        return f"the items {a!r:.80} came back as {b!r:.80} at {path}" if b else None

    def _dict(self, a: dict[Any, Any], b: dict[Any, Any], path: str) -> str | None:
        rest = dict(b)
        order = []
        for key, item in a.items():
            match = next(
                (k for form in _forms_of_key(self._codec, key, self._schema) for k in rest if equal(form, k)),
                MISSING,
            )
            if match is MISSING:
                match = next((k for k in rest if self._is_lossy_key(key, k)), MISSING)
            if match is MISSING:
                return f"the key {key!r:.80} is missing at {path}: {list(b)!r:.80}"
            order.append(match)
            if words := self.wrong(item, rest.pop(match), f"{path}[{key!r:.40}]"):
                return words
        if rest:
            return f"the keys {list(rest)!r:.80} were added at {path}"
        if self._ordered and order != list(b):
            return f"keys are in another order at {path}: {list(b)!r:.80}"
        return None

    def _is_lossy_key(self, key: Any, found: Any) -> bool:
        # A number, or bytes, may have been of a subclass or of NumPy.
        if _RAW_KEYS in self._codec.losses and type(key) not in (str, int, bool, type(None)):
            return type(found) is str or self._schema
        return self.wrong(key, found) is None


def _merges(codec: Codec, value: Any) -> bool:
    """Whether the record has a dict with two keys that the codec writes alike, as it says."""
    if isinstance(value, list | tuple | set | frozenset):
        return any(_merges(codec, item) for item in value)
    if not isinstance(value, dict):
        return False
    texts = [key if type(key) is str else _forms_of_key(codec, key)[-1] for key in value]
    if "carriage returns in text and keys become line feeds" in codec.losses:
        texts = [
            text.replace("\r\n", "\n").replace("\r", "\n") if type(text) is str else text for text in texts
        ]
    elif _ALIKE in codec.losses:
        texts = [
            tuple(key) if isinstance(key, frozenset) else key if isinstance(key, tuple) else _texts(key)[0]
            for key in value
        ]
    elif _MERGED not in codec.losses:
        texts = []
    return len(set(texts)) < len(texts) or any(_merges(codec, item) for item in value.values())


def _plain(found: Any) -> Any:
    """Return a decoded record with objects that the codec preserves as plain values."""
    if isinstance(found, enum.Enum):
        return _plain(found.value)
    if (fields := opened(found)) is not None:
        return _plain(fields)
    if (write := convention(type(found))) is not None:
        return _plain(write(found))
    if isinstance(found, Mapping):
        return {_plain(key): _plain(item) for key, item in found.items()}
    for kind in (list, tuple, set, frozenset):
        if isinstance(found, kind):
            return kind(map(_plain, kind.__iter__(found)))
    return found


def wrong(codec: Codec, value: Value, found: Any, *, schema: bool = False) -> str | None:
    """Return the first difference of a decoded record that neither the conventions nor a loss explain.

    Args:
        codec: The codec.
        value: The record that was encoded.
        found: The decoded record.
        schema: Whether a schema declares the types of all values, which must come back then.
    """
    if schema or codec.format == "pickle" or codec.name == "msgpack/numpy":
        found = _plain(found)
    words = _Comparison(codec, schema=schema).wrong(value.meant, found)
    return None if words and _merges(codec, value.meant) else words
