"""Apache Fory, in its own format for Python and in the one that other languages read; for trusted payloads.

Strict: no classes but those that a program registers, and bakeoff registers none.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

from ..conventions.families import NATIVE_BYTES, FormatFamily
from ..conventions.notes import FIGURES, Note
from ..limits import DEFAULT_DEPTH
from ..registry import declare
from ..safety._walk import Rules, check_record
from ..safety.policies import Policies
from ..spec import Format, RawCalls, Spec

_SIGNED = range(-(2**63), 2**63)
_NATIVE = {**NATIVE_BYTES, dt.date: None}
_family = FormatFamily("Fory", {**_NATIVE, tuple: None, set: None}, text_keys=False, integers=_SIGNED)
# It reads tuples as lists, which sets cannot contain.
_xlang_family = FormatFamily("Fory (xlang)", _NATIVE, text_keys=False, integers=_SIGNED)

FORY = Format(
    name="fory",
    media_type="application/x-fory",
    file_extension=".fory",
    interoperable=False,
    family=_family,
)
XLANG = replace(FORY, syntax="fory-xlang", interoperable=True, family=_xlang_family)


PRESERVES = frozenset(
    {
        *("none", "bool", "int", "float", "nonfinite", "str", "bytes", "list", "dict", "date"),
        *("int_keys", "key_order"),
    }
)


def _refuse_containers(record: dict[Any, Any]) -> None:
    if any(isinstance(key, tuple | frozenset) for key in record):
        raise TypeError("a container as a dict key cannot be decoded")


def _fory(family: FormatFamily, *, xlang: bool) -> Spec:
    from pyfory import Buffer, Fory

    def made() -> Any:
        # Containers are two of its levels.
        return Fory(xlang=xlang, ref=False, strict=True, max_depth=2 * DEFAULT_DEPTH + 2)

    first = made()
    # An instance keeps the state of a call, within which another may begin: in another thread, or in a
    # finalizer that the garbage collector calls. `ThreadSafeFory` does the same in 1.3 us.
    idle = [first]

    def taken() -> Any:
        try:
            return idle.pop()
        except IndexError:
            return made()

    # What it writes, and cannot read.
    readable = Rules(surrogates=False, keys=_refuse_containers if xlang else None)

    def encode(record: Any) -> Any:
        check_record(record, readable)
        library = taken()
        try:
            return library.serialize(record)
        finally:
            idle.append(library)

    def decode(data: bytes) -> Any:
        library = taken()
        try:
            record = library.deserialize(buffer := Buffer(data))
        finally:
            idle.append(library)
        if buffer.get_reader_index() != len(data):
            raise ValueError("data after the end of the value")
        return record

    return Spec.of(
        encode=encode,
        encode_depth=DEFAULT_DEPTH,
        # It reads datetimes as moments in UTC, whatever they were, and the conventions write others.
        scan=frozenset({str, int, float, bool, type(None), bytes, dt.date}),
        decode=decode,
        raw=RawCalls(first.serialize, first.deserialize),
        too_deep=("Read depth exceed max depth",),
        walked=True,
        family=family,
        accelerated=True,
        preserves=PRESERVES,
        notes=(
            "for trusted data only: keys with the same hash take quadratic time",
            Note("writes datetimes as text, as the library's own lose their offset", "type_datetime"),
            Note("dump checks for lone surrogates, which the library writes but cannot read", FIGURES),
        ),
        policies=Policies(
            duplicate_keys="reject/last",
            nonfinite="allow",
            surrogates="reject",
            big_integers="text/none",
            trailing="reject",
            extensions="none",
            nesting="reject",
        ),
    )


@declare("fory", FORY, library="pyfory", extra="pyfory", unguarded=True, in_default_set=False)
def _native() -> Spec:
    return _fory(_family, xlang=False).changed(preserves=PRESERVES | {"tuple", "set", "any_keys"})


@declare("fory/xlang", XLANG, library="pyfory", extra="pyfory", unguarded=True, in_default_set=False)
def _xlang() -> Spec:
    return _fory(_xlang_family, xlang=True)
