"""BSON (bsonspec.org), by PyMongo.

The top level must be a document: any other record is wrapped as ``{"bakeoff.value": record}`` and
unwrapped again. A document with only that key is wrapped as well, so that records are not confused.
Decimals are text, since Decimal128 is limited to 34 digits.
"""

from __future__ import annotations

import datetime as dt
import re
import uuid
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from ..conventions.arrays import convention
from ..conventions.families import NATIVE_BYTES, FormatFamily, exactly
from ..conventions.finite import dict_of
from ..conventions.notes import Cost, Note
from ..conventions.tokens import SIGNED
from ..limits import Limits
from ..registry import declare
from ..safety._unique import UniqueKeys, plain_dicts
from ..safety.policies import Policies, held
from ..spec import Format, RawCalls, Spec
from ..streams.framing import Prefixed
from ._hooks import anything, hooked
from ._pure import extension_copy, pure_copy

_family = FormatFamily("BSON", {**NATIVE_BYTES, dt.datetime: None, uuid.UUID: None}, integers=SIGNED)

BSON = Format(
    name="bson",
    media_type="application/bson",
    file_extension=".bson",
    framing=Prefixed("<i", included=True),
    files=(".bson",),
    family=_family,
)
PRESERVES = frozenset({"none", "bool", "int", "float", "nonfinite", "str", "bytes", "list", "dict", "uuid"})
LOSSES = (
    "datetimes are cut to milliseconds",
    "datetimes are decoded in UTC, also naive ones",
    "the field `_id` of a record is moved to the front",
    "a `$db` of None is dropped if there are `$ref` and `$id`",
    "patterns are decoded as `bson.regex.Regex`",
)
WRAP = "bakeoff.value"


def _plain_of(kind: type) -> Callable[[Any], Any] | None:
    """Return what makes plain values of a type that the library writes by itself.

    It takes a Timestamp of pandas for a datetime, and drops its nanoseconds.
    """
    if issubclass(kind, Mapping) and not issubclass(kind, dict):
        return dict_of
    return convention(kind) if issubclass(kind, dt.datetime) else None


_exactly = exactly(_plain_of, "bson")


def _document(collection: Any, id: Any, database: Any = None, others: Any = None) -> Any:
    """Return the document that PyMongo takes for a reference: JSON Schemas have such documents, too."""
    made: Any = {} if others is None else type(others)()
    made["$ref"], made["$id"] = collection, id
    if database is not None:
        made["$db"] = database
    made.update(others or {})
    return made


def _decoder(library: ModuleType) -> Any:
    """Return a decoder ``(data, codec_options)`` that returns plain integers and documents if possible.

    PyMongo decodes integers of 64 bits as a subclass of int, and documents with ``$ref`` and ``$id`` as
    `DBRef`. A `TypeDecoder` would be called for every value, and a walk through the record takes 5 % of the
    load; a second instance of its decoder makes plain ones.
    """
    if not library.has_c():
        vars(library)["DBRef"] = _document  # of a private copy
        return library.decode
    import bson.dbref
    import bson.int64
    from bson.codec_options import DEFAULT_CODEC_OPTIONS

    try:
        stand_ins: dict[Any, dict[str, Any]] = {bson.int64: {"Int64": int}, bson.dbref: {"DBRef": _document}}
        decode = extension_copy(library._cbson, stand_ins)._bson_to_dict
        plain = type(decode(library.encode({"": 1 << 40}), DEFAULT_CODEC_OPTIONS)[""]) is int
    except (ImportError, AttributeError, TypeError):
        return library.decode
    return decode if plain else library.decode


def _raw(library: ModuleType) -> RawCalls:
    from bson.binary import UuidRepresentation
    from bson.codec_options import CodecOptions, TypeRegistry

    def calls(**kept: Any) -> RawCalls:
        chosen: CodecOptions[dict[str, Any]] = CodecOptions(**kept)
        return RawCalls(
            lambda record: library.encode(record, codec_options=chosen),
            lambda data: library.decode(data, codec_options=chosen),
        )

    def written_by(hook: Any) -> dict[str, Any]:
        return {"type_registry": TypeRegistry(fallback_encoder=hook)}

    moments = {"tz_aware": True, "tzinfo": dt.UTC}
    identifiers = {"uuid_representation": UuidRepresentation.STANDARD}
    return RawCalls(
        library.encode,
        library.decode,
        options={
            "tz_aware": calls(**moments),
            "uuid_representation": calls(**identifiers),
            **hooked("fallback_encoder", lambda hook: calls(**written_by(hook))),
            "tz_aware, uuid_representation, fallback_encoder=anything": calls(
                **written_by(anything), **moments, **identifiers
            ),
        },
    )


def _bson(library: ModuleType) -> Spec:
    from bson.binary import Binary, UuidRepresentation
    from bson.code import Code
    from bson.codec_options import CodecOptions, TypeRegistry
    from bson.datetime_ms import DatetimeMS
    from bson.decimal128 import Decimal128
    from bson.int64 import Int64
    from bson.max_key import MaxKey
    from bson.min_key import MinKey
    from bson.objectid import ObjectId
    from bson.regex import Regex
    from bson.timestamp import Timestamp

    options: CodecOptions[dict[str, Any]] = CodecOptions(
        tz_aware=True,
        tzinfo=dt.UTC,
        uuid_representation=UuidRepresentation.STANDARD,
        type_registry=TypeRegistry(fallback_encoder=_family.exact_leaf(_exactly)),
    )

    decode = _decoder(library)

    def decode_unique(data: bytes, codec_options: Any) -> Any:
        return plain_dicts(decode(data, codec_options))

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        if values["duplicate_keys"] == "last":
            return {"decode": decode, "decode_arguments": (options,)}
        once: Any = options.with_options(document_class=UniqueKeys)
        return {"decode": decode_unique, "decode_arguments": (once,)}

    def inside(value: Any) -> Any:
        if isinstance(value, Decimal128):
            return value.to_decimal()
        return value.scope if isinstance(value, Code) else held(value)

    return Spec.of(
        encode=library.encode,
        encode_arguments=(False, options),  # `check_keys` and `codec_options`
        exact=_exactly,
        decode=decode,
        decode_arguments=(options,),
        # The decoder in C searches for the end of a name beyond the end of the payload.
        whole="bson" if library.has_c() else None,
        walk="bson",
        raw=_raw(library),
        limits=Limits(items=200_000),
        subclass=Int64 if decode is library.decode else None,
        too_deep=("maximum recursion depth exceeded",),
        family=_family,
        wrap=WRAP,
        accelerated=library.has_c(),
        preserves=PRESERVES,
        forms=dict.fromkeys(("datetime", "datetime_aware", "datetime_offset"), "utc-ms"),
        losses=LOSSES,
        notes=(
            Note("a record other than a dict is wrapped in a document", "record_other"),
            Cost(
                "checks lengths in large documents, as the library reads beyond their end",
                "containers_mean",
                "load",
                1.2,
            ),
        ),
        policies=Policies(
            duplicate_keys="reject/last",
            nonfinite="allow",
            surrogates="reject",
            big_integers="text/none",
            trailing="reject",
            extensions="keep",
            nesting="library/reject",
            options={"duplicate_keys": ("last", "reject")},
            enforce=enforce,
            classes=(
                Binary,
                Code,
                DatetimeMS,
                Decimal128,
                MaxKey,
                MinKey,
                ObjectId,
                Regex,
                Timestamp,
                re.Pattern,
            ),
            inside=inside,
            integer_bits=63,
        ),
    )


@declare("bson", BSON, library="pymongo", module="bson")
def _bson_c() -> Spec:
    import bson

    return _bson(bson)


@declare("bson/pure", BSON, library="pymongo", module="bson", in_default_set=False)
def _bson_pure() -> Spec:
    # ObjectId must be the shared class, so that it can be pickled and recognised.
    return _bson(pure_copy("bson", "bson._cbson", whole=False))
