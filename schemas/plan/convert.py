"""Conversions of single values that are not worth compiling.

Each accepts any value. It raises `ConversionError` for a malformed value, and `TypeError` for a type that it
cannot convert. None of them drops a digit or a field.
"""

from __future__ import annotations

import binascii
import datetime as dt
import math
import re
from collections.abc import Callable
from typing import Any

from ...codecs.conventions.rules import SCALAR_OF

_DURATION = re.compile(
    r"(?P<sign>-)?P(?:(?P<weeks>\d{1,9})W)?(?:(?P<days>\d{1,10})D)?"
    r"(?:T(?:(?P<hours>\d{1,12})H)?(?:(?P<minutes>\d{1,12})M)?"
    r"(?:(?P<seconds>\d{1,15})(?:[.,](?P<fraction>\d{1,6})0*)?S)?)?",
    re.ASCII,
)
# No group is repeated, because the engine keeps 30 bytes of state for each byte that a group matches.
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}", re.ASCII)
_MICROSECOND = dt.timedelta(microseconds=1)
_NANOSECONDS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


class ConversionError(ValueError):
    """A malformed value of a type that can be converted."""


def from_text(kind: type) -> Callable[[Any], Any]:
    """Return the conversion of text to a type, as defined by its row in `SCALARS`."""
    read = SCALAR_OF[kind].read
    assert read is not None, f"{kind.__name__} has a step of its own"

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            raise TypeError
        return read(value)

    return convert


def to_timedelta(scale: str | None) -> Callable[[Any], dt.timedelta]:
    """Return the conversion of ISO 8601 durations (``P1DT2H``), and of numbers if their unit is given."""

    def convert(value: Any) -> dt.timedelta:
        if isinstance(value, str):
            return _duration(value)
        if scale is not None and type(value) in (int, float):
            return unit(scale)(value)
        raise TypeError

    return convert


def _duration(text: str) -> dt.timedelta:
    match = _DURATION.fullmatch(text)
    if match is None or text.endswith(("P", "T")):
        raise ConversionError("not an ISO 8601 duration")
    parts = {name: int(match[name] or 0) for name in ("weeks", "days", "hours", "minutes", "seconds")}
    delta = dt.timedelta(**parts, microseconds=int((match["fraction"] or "").ljust(6, "0")))
    return -delta if match["sign"] else delta


def unit(name: str) -> Callable[[Any], dt.timedelta]:
    """Return the conversion of a number of ``s``, ``ms``, ``us`` or ``ns`` to a timedelta.

    Raises (when called):
        ConversionError: The number is finer than a microsecond, and would lose digits. A float may be off by
            one in its last place, because 0.1 is not exactly a tenth.
    """
    scale = _NANOSECONDS[name]

    def convert(number: Any) -> dt.timedelta:
        if isinstance(number, float):
            delta = dt.timedelta(microseconds=number * (scale / 1_000))
            if abs(delta // _MICROSECOND * 1_000 / scale - number) > math.ulp(number):
                raise ConversionError("finer than a microsecond")
            return delta
        microseconds, rest = divmod(number * scale, 1_000)
        if rest:
            raise ConversionError("finer than a microsecond")
        return dt.timedelta(microseconds=microseconds)

    return convert


def _base64(text: str) -> bytes:
    if len(text) % 4 or _BASE64.fullmatch(text) is None:
        raise ConversionError("not canonical base64")
    raw = binascii.a2b_base64(text)
    # Only the last group has spare bits. They must be zero, or two texts would represent the same bytes.
    if (
        text.endswith("=")
        and binascii.b2a_base64(raw[-(len(raw) % 3) :], newline=False).decode() != text[-4:]
    ):
        raise ConversionError("not canonical base64")
    return raw


def _base64url(text: str) -> bytes:
    if "+" in text or "/" in text:
        raise ConversionError("not base64url")
    return _base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))


def _hex(text: str) -> bytes:
    if not text.isascii():
        raise ConversionError("not hexadecimal")
    return binascii.unhexlify(text)


DECODERS: dict[str, Callable[[str], bytes]] = {"base64": _base64, "base64url": _base64url, "hex": _hex}
"""The strict decoders of text, by the encoding."""
