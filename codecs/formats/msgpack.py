"""MessagePack (msgpack/spec.md).

Moments in UTC use the timestamp extension; other datetimes are ISO 8601 text, since the extension
has no offset. Each tuple passes through a hook, which costs a Python call: without it, msgpack would write
keys that it cannot read. Packers are reused, because ``packb`` allocates 256 KiB for each call and becomes
five times slower if ``MALLOC_TRIM_THRESHOLD_`` is set, as in Dask's workers.
"""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

from ..conventions._forms import KeyedEncoder, utc_or_text
from ..conventions.arrays import ARRAYS, COLUMNS, convention, kind_of
from ..conventions.families import NATIVE_BYTES, WORDS, FormatFamily, content, distinct_keys
from ..conventions.notes import (
    FIELDS_ONLY,
    MEMBERS,
    MERGED,
    NO_OFFSET,
    OBJECT_KEYS,
    UNSET_FIELDS,
    Cost,
    Note,
    costly_keys,
    counted_levels,
    objects_in_python,
)
from ..core._codec import doubt
from ..limits import Limits
from ..registry import declare
from ..safety._unique import unique
from ..safety.keys import key_check
from ..safety.policies import Policies
from ..spec import Format, RawCalls, Spec
from ..streams.framing import Values
from ._hooks import anything, hooked, texts
from .class_libraries import ATTRS, DATACLASSES, opening
from .structs import (
    ATTRIBUTES,
    OBJECTS,
    OFFSETS_IN_UTC,
    ROUNDED_OFFSETS,
    UNSORTED_SETS,
    typed,
)

_family = FormatFamily(
    "MessagePack", {**NATIVE_BYTES, dt.datetime: utc_or_text}, text_keys=False, integers=WORDS
)

MSGPACK = Format(
    name="msgpack",
    media_type="application/vnd.msgpack",
    media_type_aliases=("application/msgpack", "application/x-msgpack"),
    file_extension=".msgpack",
    framing=Values("msgpack"),
    files=(".msgpack", ".mpk", ".mp"),
    family=_family,
)
PRESERVES = frozenset(
    {
        "none",
        "bool",
        "int",
        "float",
        "nonfinite",
        "str",
        "bytes",
        "list",
        "dict",
        "datetime_aware",
        "int_keys",
        "key_order",
    }
)
POLICIES = Policies(
    duplicate_keys="last",
    nonfinite="allow",
    surrogates="reject",
    big_integers="text/none",
    trailing="reject",
    extensions="keep",
    nesting="library/reject",
)

# msgspec has its own timestamp type, and does not know that of the msgpack package.
_msgspec_family = FormatFamily(
    "MessagePack (msgspec)",
    {**_family.native, dt.datetime: None, dt.time: None},
    text_keys=False,
    integers=WORDS,
)
# ormsgpack knows neither type, and its own timestamps drop the microseconds.
_ormsgpack_family = FormatFamily(
    "MessagePack (ormsgpack)",
    {kind: write for kind, write in _family.native.items() if kind is not dt.datetime},
    text_keys=False,
    integers=WORDS,
)

_ORMSGPACK_KEYS = distinct_keys(
    (bool, type(None), float, bytes, uuid.UUID, dt.date, dt.time, dt.datetime, enum.Enum)
)

_doubting_leaf = _family.doubting_leaf(doubt)
"""The family's `leaf`; calls `doubt` for lists and dicts, which could be unreadable keys."""

_COSTS = (
    Cost("writes datetimes by a hook, as the library drops the offset of those not in UTC", "type_datetime",
         "dump", 2.3),
    Cost("writes tuples by a hook, as the library could write dict keys that it cannot read", "type_tuple",
         "dump", 1.9),
    objects_in_python(2.0),
    counted_levels(1.05),
)  # fmt: skip


def _msgpack(library: ModuleType, unpackb: Callable[..., Any], **options: Any) -> Spec:
    from msgpack import ExtType

    reads_arrays_as_keys = options == {"use_list": False}
    leaf = _family.leaf if reads_arrays_as_keys else _doubting_leaf
    reading = {"strict_map_key": False, "timestamp": 3, **options}

    def packer() -> Callable[[Any], bytes]:
        # Strict, so that tuples reach the hook; this also makes lists and dicts faster.
        return library.Packer(default=leaf, strict_types=True).pack  # type: ignore[no-any-return]

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        twice = values["duplicate_keys"] == "last"
        return {"decode_options": reading if twice else {**reading, "object_pairs_hook": unique}}

    return Spec.of(
        encode=packer,
        pooled=True,
        plain_keys=not reads_arrays_as_keys,
        decode=unpackb,
        decode_options=reading,
        check_keys=key_check("msgpack", partial(unpackb, **reading)) if reads_arrays_as_keys else None,
        raw=_raw(library, unpackb, options),
        walk="msgpack",
        too_deep=("StackError", "recursion limit exceeded"),
        family=_family,
        accelerated=not library.Packer.__module__.endswith("fallback"),
        preserves=PRESERVES,
        losses=(MERGED,),
        notes=_COSTS,
        policies=replace(
            POLICIES,
            options={"duplicate_keys": ("last", "reject")},
            enforce=enforce,
            classes=(ExtType,),
        ),
    )


def _raw(library: ModuleType, unpackb: Callable[..., Any], reading: Mapping[str, Any]) -> RawCalls:
    def decode(**options: Any) -> Any:
        return lambda data: unpackb(data, **reading, **options)

    plain = decode() if reading else unpackb
    timed = decode(timestamp=3)
    return RawCalls(
        library.Packer().pack,
        plain,
        options={
            "strict_map_key=False": RawCalls(library.Packer().pack, decode(strict_map_key=False)),
            "datetime=True, timestamp=3": RawCalls(library.Packer(datetime=True).pack, timed),
            **hooked("default", lambda hook: RawCalls(library.Packer(default=hook).pack, plain)),
            "datetime=True, timestamp=3, strict_map_key=False, default=anything": RawCalls(
                library.Packer(datetime=True, default=anything).pack,
                decode(timestamp=3, strict_map_key=False),
            ),
            "timestamp=3, strict_map_key=False, default=anything": RawCalls(
                library.Packer(default=anything).pack, decode(timestamp=3, strict_map_key=False)
            ),
        },
    )


@declare("msgpack", MSGPACK, library="msgpack")
def _lists() -> Spec:
    import msgpack

    return _msgpack(msgpack, msgpack.unpackb)


@declare("msgpack/tuple", MSGPACK, library="msgpack", in_default_set=False)
def _tuples() -> Spec:
    import msgpack

    return _msgpack(msgpack, msgpack.unpackb, use_list=False).changed(
        preserves=(PRESERVES - {"list"}) | {"tuple"},
        forms={"list": "tuple"},
        losses=("list becomes tuple", MERGED, OBJECT_KEYS),
    )


@declare("msgpack/list-hook", MSGPACK, library="msgpack", in_default_set=False)
def _list_hook() -> Spec:
    """Use the callback of 2011: every array passes through a Python function that returns a list."""
    import msgpack

    # A Python function instead of `list` itself, as users had to write in 2011.
    def to_list(items: tuple[Any, ...]) -> list[Any]:
        return list(items)

    return _msgpack(msgpack, msgpack.unpackb, use_list=False, list_hook=to_list)


@declare("msgpack/pure", MSGPACK, library="msgpack", in_default_set=False)
def _pure() -> Spec:
    from msgpack import fallback

    def unpackb(data: bytes, **options: Any) -> Any:
        unpacker = fallback.Unpacker(None, max_buffer_size=len(data), **options)
        unpacker.feed(data)
        record = unpacker._unpack()
        if unpacker._got_extradata():
            raise ValueError("data after the end of the value")
        return record

    return _msgpack(fallback, unpackb).changed(limits=Limits(items=300_000))


@declare(
    "msgpack/numpy",
    MSGPACK,
    library="msgpack-numpy",
    module="msgpack_numpy",
    extra="msgpack-numpy",
    also=("numpy",),
    values=(*ARRAYS, *COLUMNS),
)
def _numpy() -> Spec:
    """Write numpy's arrays and scalars as maps of dtype, shape and bytes; object arrays by conventions."""
    import msgpack
    import msgpack_numpy
    import numpy

    def leaf(value: Any) -> Any:
        if kind_of(type(value)) in COLUMNS and (write := convention(type(value))) is not None:
            value = write(value)
            if type(value) is not numpy.ndarray:
                doubt()
                return value
        # The library pickles objects, cannot write moments as bytes, and loses masks.
        dtype = value.dtype if type(value) is numpy.ndarray or isinstance(value, numpy.number) else None
        kept = dtype is not None and not dtype.hasobject and (dtype.kind not in "mMV" or dtype.names)
        if not (kept or isinstance(value, (complex, numpy.bool_))):
            return _doubting_leaf(value)
        doubt()
        return msgpack_numpy.encode(value, chain=_doubting_leaf)

    def hook(found: dict[Any, Any]) -> Any:
        if b"nd" in found:
            _check_array(msgpack_numpy, found)
        elif b"complex" not in found:
            return found  # as the library itself would after one more call
        return msgpack_numpy.decode(found)

    def pairs(found: list[tuple[Any, Any]]) -> Any:
        return hook(unique(found))

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        hooks = {"object_hook": hook} if values["duplicate_keys"] == "last" else {"object_pairs_hook": pairs}
        return {"decode_options": reading | hooks}

    quick_leaf = _family.leaf_or(leaf, doubt)
    spec = _msgpack(msgpack, msgpack.unpackb)
    reading = dict(spec.calls.decode_options)
    return spec.changed(
        encode=lambda: msgpack.Packer(default=quick_leaf, strict_types=True).pack,
        decode_options={**reading, "object_hook": hook},
        raw=RawCalls(
            msgpack.Packer(default=msgpack_numpy.encode).pack,
            lambda data: msgpack.unpackb(data, object_hook=msgpack_numpy.decode, strict_map_key=False),
        ),
        preserves=PRESERVES | {"complex"},
        notes=(
            *spec.facts.notes,
            objects_in_python(5.0),
            Cost("checks arrays first, as the library writes some differently", "type_ndarray", "dump", 1.4),
            Cost("checks the types of arrays", "type_ndarray", "load", 1.5),
            "arrays are decoded as read-only views of separate bytes",
            "reads a dict with the key b'nd' or b'complex' as an array or a number",
        ),
        policies=replace(spec.facts.policies, enforce=enforce),
    )


_LONGEST_TYPE = 10_000
"""Limit for the characters of a dtype: a thousand fields."""


def _check_array(library: ModuleType, found: dict[Any, Any]) -> None:
    """Refuse values that the library would unpickle, and arrays with too few bytes for their shape.

    Raises:
        ValueError: It is not a valid array.
    """
    kind, descr, data = found.get(b"kind"), found.get(b"type"), found.get(b"data")
    if kind == b"O":
        raise ValueError("arrays of objects are not read, because their bytes are a pickle")
    if not isinstance(data, bytes) or len(str(descr)) > _LONGEST_TYPE:
        raise ValueError("an array without its bytes, or of a type that is too long")
    if kind == b"V" and isinstance(descr, list):
        descr = [tuple(part) for part in descr]
    dtype = library._unpack_dtype(descr)
    if dtype.hasobject:
        raise ValueError("arrays of objects are not read")
    shape = found.get(b"shape", [])
    count = 1
    for length in shape:
        if not isinstance(length, int) or length < 0:
            raise ValueError("an array with an invalid shape")
        count *= length
    if count * dtype.itemsize != len(data):
        raise ValueError(f"an array of {count:,} items of {dtype.itemsize} bytes in {len(data):,} bytes")


def _raw_ormsgpack(ormsgpack: ModuleType) -> RawCalls:
    keys, big = ormsgpack.OPT_NON_STR_KEYS, ormsgpack.OPT_PASSTHROUGH_BIG_INT

    def calls(option: int | None = None, hook: Any = None, reading: int | None = None) -> RawCalls:
        return RawCalls(
            lambda record: ormsgpack.packb(record, default=hook, option=option),
            (lambda data: ormsgpack.unpackb(data, option=reading)) if reading else ormsgpack.unpackb,
        )

    return RawCalls(
        ormsgpack.packb,
        ormsgpack.unpackb,
        options={
            "OPT_NON_STR_KEYS": calls(keys, reading=keys),
            **hooked("default", lambda hook: calls(hook=hook)),
            "OPT_PASSTHROUGH_BIG_INT, default=texts": calls(big, texts),
            "OPT_NON_STR_KEYS, default=anything": calls(keys, anything, reading=keys),
        },
    )


@declare("ormsgpack", MSGPACK, library="ormsgpack", extra="ormsgpack")
def _ormsgpack() -> Spec:
    import ormsgpack
    from msgpack import ExtType

    # Each option slows down every call, so a record is first tried without them.
    # Of a dataclass it omits names that begin with "_".
    always = ormsgpack.OPT_PASSTHROUGH_DATACLASS
    writing = always | ormsgpack.OPT_NON_STR_KEYS | ormsgpack.OPT_PASSTHROUGH_BIG_INT
    reading = ormsgpack.OPT_NON_STR_KEYS | ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT

    def inside(value: Any) -> Any:
        return [] if type(value) in (ExtType, ormsgpack.Ext) else content(value)

    def with_keys(leaf: Any) -> Any:
        return KeyedEncoder(ormsgpack.packb, (leaf, writing), _ORMSGPACK_KEYS, inside).encode

    def lower(record: Any, leaf: Any = _ormsgpack_family.leaf) -> Any:
        """Return the bytes of a rewritten record, written with the options."""
        return ormsgpack.Fragment(ormsgpack.packb(_ormsgpack_family.lower(record), leaf, writing))

    def again(data: bytes, ext_hook: Any = None) -> Any:
        return ormsgpack.unpackb(data, ext_hook=ext_hook, option=reading)

    def leaf_or_extension(value: Any) -> Any:
        if type(value) is ExtType:
            return ormsgpack.Ext(value.code, value.data)
        return _ormsgpack_family.leaf(value)

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        # The library's class of extension values gives access to neither number nor content.
        keep = values["extensions"] == "keep"
        leaf = leaf_or_extension if keep else _ormsgpack_family.leaf
        hook = ExtType if keep else None
        return {
            "encode_arguments": (leaf, always),
            "encode_again": with_keys(leaf),
            "lower": partial(lower, leaf=leaf),
            "decode_options": {"ext_hook": hook} if keep else {},
            "decode_again": partial(again, ext_hook=hook),
        }

    return Spec.of(
        encode=ormsgpack.packb,
        encode_arguments=(_ormsgpack_family.leaf, always),
        encode_again=with_keys(_ormsgpack_family.leaf),
        decode=ormsgpack.unpackb,
        raw=_raw_ormsgpack(ormsgpack),
        decode_again=again,
        check_keys=key_check("msgpack", partial(again, ext_hook=ExtType)),
        whole="msgpack",
        walk="msgpack",
        too_deep=("Recursion limit reached",),
        family=_ormsgpack_family,
        lower=lower,
        accelerated=True,
        preserves=PRESERVES - {"datetime_aware"},
        notes=(
            Note("writes datetimes as text, as the library's timestamps drop microseconds", "type_datetime"),
            costly_keys(1.3),
            Cost(
                "reads payloads with dict keys other than text twice, the second time with an option",
                "key_other",
                "load",
                2.2,
            ),
            objects_in_python(2.0),
            counted_levels(1.07),
        ),
        losses=(ROUNDED_OFFSETS,),
        policies=replace(
            POLICIES,
            extensions="keep/reject",
            options={"extensions": ("keep",)},
            enforce=enforce,
            classes=(ormsgpack.Ext, ExtType),
        ),
    )


@declare("ormsgpack/unguarded", MSGPACK, library="ormsgpack", extra="ormsgpack", unguarded=True)
def _ormsgpack_any() -> Spec:
    spec = _ormsgpack()
    return spec.changed(
        whole=None,
        notes=(
            "for trusted data only: does not detect trailing data, and reads 1,024 levels",
            *spec.facts.notes,
        ),
        policies=replace(spec.facts.policies, trailing="ignore", nesting="library"),
    )


@declare(
    "msgspec-msgpack/struct", MSGPACK, library="msgspec", extra="msgspec", needs_schema=True, values=OBJECTS
)
def _msgspec_struct() -> Spec:
    import msgspec

    return typed(_msgspec(), msgspec.msgpack, losses=(OFFSETS_IN_UTC, NO_OFFSET))


@declare("msgspec-msgpack/array", MSGPACK, library="msgspec", extra="msgspec", needs_schema=True)
def _msgspec_array() -> Spec:
    import msgspec

    return typed(_msgspec(), msgspec.msgpack, losses=(OFFSETS_IN_UTC, NO_OFFSET), array_like=True)


@declare("msgspec-msgpack", MSGPACK, library="msgspec", extra="msgspec")
def _msgspec() -> Spec:
    import msgspec

    return Spec.of(
        encode=msgspec.msgpack.Encoder(enc_hook=_msgspec_family.leaf).encode,
        decode=msgspec.msgpack.Decoder().decode,
        check_keys=key_check("msgpack", msgspec.msgpack.Decoder().decode),
        raw=RawCalls(
            msgspec.msgpack.Encoder().encode,
            msgspec.msgpack.Decoder().decode,
            options=hooked(
                "enc_hook",
                lambda hook: RawCalls(
                    msgspec.msgpack.Encoder(enc_hook=hook).encode, msgspec.msgpack.Decoder().decode
                ),
            ),
        ),
        walk="msgpack",
        family=_msgspec_family,
        accelerated=True,
        preserves=PRESERVES,
        forms={"datetime_offset": "utc"},
        losses=(
            OFFSETS_IN_UTC,
            NO_OFFSET,
            ROUNDED_OFFSETS,
            MERGED,
            UNSORTED_SETS,
            ATTRIBUTES,
            MEMBERS,
            FIELDS_ONLY,
            UNSET_FIELDS,
            OBJECT_KEYS,
        ),
        notes=(counted_levels(1.06),),
        policies=replace(POLICIES, classes=(msgspec.msgpack.Ext,)),
    )


@declare(
    "mashumaro-msgpack", MSGPACK, library="mashumaro", extra="mashumaro", needs_schema=True,
    in_default_set=False, values=DATACLASSES,
)  # fmt: skip
def _mashumaro() -> Spec:
    return opening(_lists(), "mashumaro", "msgpack")


@declare(
    "cattrs-msgpack", MSGPACK, library="cattrs", extra="cattrs", needs_schema=True, in_default_set=False,
    values=ATTRS,
)  # fmt: skip
def _cattrs() -> Spec:
    return opening(_lists(), "cattrs", "msgpack")
