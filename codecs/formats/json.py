"""JSON (RFC 8259), written in compact form and as UTF-8.

``losses`` and ``notes`` list a library's deviations from the conventions of the family.
"""

from __future__ import annotations

import datetime as dt
import enum
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from types import ModuleType
from typing import Any

from ..binding import Bound, SchemaProtocol
from ..conventions import classes as objects
from ..conventions._forms import KeyedEncoder
from ..conventions.arrays import ARRAYS, COLUMNS, convention, kind_of
from ..conventions.families import (
    JSON64_FAMILY,
    JSON_FAMILY,
    FormatFamily,
    content,
    distinct_keys,
    exactly,
)
from ..conventions.notes import (
    FIELDS_ONLY,
    FIGURES,
    MEMBERS,
    NO_OFFSET,
    STRANGERS,
    UNSET_FIELDS,
    Cost,
    Note,
    costly_keys,
    counted_levels,
    objects_in_python,
)
from ..limits import DEFAULT_DEPTH, Limits
from ..registry import declare
from ..safety._scan import refuse_wide
from ..safety._unique import unique
from ..safety.keys import with_checked_keys
from ..safety.policies import Policies, held
from ..spec import Format, RawCalls, Spec
from ..streams.framing import Lines
from ..version_faults import ORJSON_LISTS, ORJSON_TIMES, ORJSON_TUPLES, noted
from ._hooks import anything, hooked
from ._pure import pure_copy
from .class_libraries import ATTRS, DATACLASSES, opening
from .structs import (
    ATTRIBUTES,
    OBJECTS,
    ORDER_OF_SCHEMA,
    OWN_ITERATION,
    RUN_AGAIN,
    TYPED,
    UNSORTED_SETS,
    dicts_of,
    typed,
)
from .structs import NONFINITE_AS_NULL as NULLED
from .structs import ROUNDED_OFFSETS as ROUNDED

EXCLUDED = "models of one's own do not write fields with `exclude=True`"

JSON = Format(
    name="json",
    media_type="application/json",
    media_type_aliases=("text/json",),
    content_encoding="utf-8",
    file_extension=".json",
    framing=Lines(),
    files=(".jsonl", ".ndjson", ".jsonlines", ".ldjson", ".geojsonl", ".geojsonseq"),
    suffix=True,
    family=JSON_FAMILY,
)
PRESERVES = frozenset({"none", "bool", "int", "float", "str", "list", "dict", "key_order"})
ANY_NUMBER = PRESERVES | {"bigint", "nonfinite"}
LITERALS = Note("writes NaN and Infinity as bare words, which RFC 8259 does not allow", "float_nonfinite")
FAULTS = Note(
    "the library cuts datetime64 to microseconds, and writes NaT in an array as an arbitrary datetime",
    "type_ndarray",
)
DEFAULTS = (
    "written as `json.dumps` does by default: spaces between values, and characters beyond ASCII escaped"
)
MERGED = "dict keys that read alike as text (1 and '1') become one"

POLICIES = Policies(
    duplicate_keys="last",
    nonfinite="allow",
    surrogates="reject/allow",
    big_integers="exact",
    trailing="reject",
    extensions="none",
    nesting="library/reject",
)
"""Policies of the standard library, from which those of other libraries are derived."""
NO_LITERALS = replace(POLICIES, nonfinite="null/reject", surrogates="reject")

_ORJSON_KEYS = (bool, type(None), uuid.UUID, dt.date, enum.Enum)
_RAPIDJSON_KEYS = distinct_keys((uuid.UUID, dt.date, dt.time))

_RAPIDJSON_COSTS = tuple(
    Cost("writes dates and times by a hook, as the library rounds offsets from UTC", about, "dump", 2.0)
    for about in ("type_datetime", "type_date", "type_time")
)


_MODELS: tuple[objects.ClassFamily, ...] = ("model",)
# Both write moments in UTC with a final Z, so rewritten records must leave moments to them.
_msgspec_family = FormatFamily("JSON (msgspec)", {dt.datetime: None, dt.time: None})
# As ujson writes Decimals itself.
_ujson_family = FormatFamily("JSON (ujson)", {Decimal: float})
_pydantic_family = FormatFamily("JSON (pydantic)", {dt.datetime: None})
_exact_leaf = JSON_FAMILY.exact_leaf(exactly())


def _pairs_hook(values: Mapping[str, str]) -> Any:
    return unique if values["duplicate_keys"] == "reject" else None


def _raw_text(library: ModuleType, **options: Any) -> RawCalls:
    """Return the calls of the standard library or simplejson, with encoder and decoder made once."""
    decode = library.JSONDecoder().decode

    def calls(**further: Any) -> RawCalls:
        encode = library.JSONEncoder(ensure_ascii=False, separators=(",", ":"), **further).encode
        return RawCalls(lambda record: encode(record).encode(), lambda data: decode(data.decode()))

    hooks = hooked("default", lambda hook: calls(default=hook, **options))
    return calls()._replace(options=hooks)


@declare("json", JSON)
def _json() -> Spec:
    import json
    from json import encoder as c_encoder
    from json import scanner as c_scanner

    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_exact_leaf)

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        return {"decode": json.JSONDecoder(object_pairs_hook=_pairs_hook(values)).decode}

    return Spec.of(
        encode=encoder.encode,
        exact=exactly(),
        decode=json.JSONDecoder().decode,
        raw=_raw_text(json),
        text=True,
        stops="interpreter",
        walk="json",
        family=JSON_FAMILY,
        accelerated=bool(
            getattr(c_encoder, "c_make_encoder", None) and getattr(c_scanner, "c_make_scanner", None)
        ),
        preserves=ANY_NUMBER,
        losses=(MERGED,),
        notes=(LITERALS,),
        policies=replace(POLICIES, options={"duplicate_keys": ("last", "reject")}, enforce=enforce),
    )


@declare("json/default", JSON)
def _json_default() -> Spec:
    import json

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        hook = _pairs_hook(values)
        return {"decode": json.loads if hook is None else partial(json.loads, object_pairs_hook=hook)}

    spec = _json()
    return spec.changed(
        encode=json.dumps,
        decode=json.loads,
        raw=RawCalls(lambda record: json.dumps(record).encode(), json.loads),
        text=False,
        check_payload=refuse_wide,
        notes=(*spec.facts.notes, DEFAULTS),
        policies=replace(
            POLICIES, surrogates="allow", options={"duplicate_keys": ("last", "reject")}, enforce=enforce
        ),
    )


def _simplejson(library: ModuleType) -> Spec:
    def encode(**options: Any) -> Any:
        return library.JSONEncoder(
            ensure_ascii=False,
            separators=(",", ":"),
            default=_exact_leaf,
            encoding=None,
            use_decimal=False,
            namedtuple_as_object=False,
            allow_nan=True,
            **options,
        ).encode

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        return {
            "encode": encode(ignore_nan=values["nonfinite"] == "null"),
            "decode": library.JSONDecoder(allow_nan=True, object_pairs_hook=_pairs_hook(values)).decode,
        }

    return Spec.of(
        encode=encode(),
        exact=exactly(),
        decode=library.JSONDecoder(allow_nan=True).decode,
        # Decimals as text, which no reader rounds.
        raw=_raw_text(library, use_decimal=False),
        text=True,
        stops="interpreter",
        walk="json",
        family=JSON_FAMILY,
        accelerated=library.encoder.c_make_encoder is not None,
        preserves=ANY_NUMBER,
        losses=(MERGED,),
        notes=(LITERALS,),
        policies=replace(
            POLICIES,
            options={"duplicate_keys": ("last", "reject"), "nonfinite": ("allow", "null")},
            enforce=enforce,
        ),
    )


@declare("simplejson", JSON, library="simplejson")
def _simplejson_c() -> Spec:
    import simplejson

    return _simplejson(simplejson)


@declare("simplejson/pure", JSON, library="simplejson", in_default_set=False)
def _simplejson_pure() -> Spec:
    slow = Limits(items=300_000, size=4 << 20)
    return _simplejson(pure_copy("simplejson", "simplejson._speedups")).changed(limits=slow)


@declare("orjson", JSON, library="orjson", extra="orjson")
def _orjson() -> Spec:
    import orjson

    spec = Spec.of(
        encode=orjson.dumps,
        decode=orjson.loads,
        raw=_raw_orjson(orjson),
        stops="itself",
        walk="json",
        too_deep=("depth limit exceeded", "recursion depth exceeded", "Recursion limit reached"),
        family=JSON64_FAMILY,
        accelerated=True,
        preserves=PRESERVES,
        losses=(NULLED,),
        policies=replace(NO_LITERALS, duplicate_keys="reject/last", big_integers="text/float"),
    )
    return _within_its_buffer(orjson, spec)


def _raw_orjson(orjson: ModuleType, always: int = 0) -> RawCalls:
    def calls(option: int | None, hook: Any = None) -> RawCalls:
        return RawCalls(lambda record: orjson.dumps(record, default=hook, option=option), orjson.loads)

    plain, keys = always or None, always | orjson.OPT_NON_STR_KEYS
    return RawCalls(
        calls(always).encode if always else orjson.dumps,
        orjson.loads,
        options={
            "OPT_NON_STR_KEYS": calls(keys),
            **hooked("default", lambda hook: calls(plain, hook)),
            "OPT_NON_STR_KEYS, default=anything": calls(keys, anything),
        },
    )


def _within_its_buffer(orjson: ModuleType, spec: Spec) -> Spec:
    """Add the encoding options and notes; a fault of some releases needs slower options."""
    faults = [fault for fault in (ORJSON_TIMES, ORJSON_LISTS, ORJSON_TUPLES) if fault.found(orjson)]
    notes = [
        Note("reads integers beyond 64 bits as floats", "int_beyond_64"),
        costly_keys(1.25),
        objects_in_python(3.0),
        counted_levels(1.06),
    ]
    # One option leaves times, dates and datetimes to Python, where only times are wrong.
    moments = orjson.OPT_PASSTHROUGH_DATETIME if {ORJSON_TIMES, ORJSON_LISTS} <= {*faults} else 0
    if ORJSON_LISTS in faults:
        spec = spec.changed(shallow=_TOGETHER, policies=replace(spec.facts.policies, nesting="reject"))
    elif ORJSON_TIMES in faults:
        spec = spec.changed(short_times=True)
    return _orjson_writing(orjson, spec, JSON64_FAMILY.leaf, moments).changed(
        # 3.12 and 3.13 leave the buffer if many lists that are nested 210 deep follow one another.
        encode_depth=DEFAULT_DEPTH,
        inside=_inside,
        losses=(*spec.facts.losses, MEMBERS, *([] if moments else [ROUNDED, NO_OFFSET])),
        notes=[*notes, *noted(faults)],
    )


def _orjson_writing(orjson: ModuleType, spec: Spec, leaf: Callable[[Any], Any], options: int) -> Spec:
    """Return a spec of orjson with other arguments of its dump, those for other keys than text included."""
    # Of a dataclass it omits inherited slots and names that begin with "_", writes cached properties, and
    # ends the process at an empty slot.
    options |= orjson.OPT_PASSTHROUGH_DATACLASS
    # A version that writes wrong times does so in keys, too.
    wrong = options & orjson.OPT_PASSTHROUGH_DATETIME or spec.guards.short_times
    times = () if wrong else (dt.time, dt.datetime)
    keys = distinct_keys((*_ORJSON_KEYS, *times))
    return spec.changed(
        encode_arguments=(leaf, options),
        encode_again=KeyedEncoder(
            orjson.dumps, (leaf, options | orjson.OPT_NON_STR_KEYS), keys, content
        ).encode,
        split=_split(orjson, leaf, options) if spec.guards.shallow else None,
    )


_TOGETHER = 30
"""Levels of lists that orjson before 3.12 ends within its buffer."""


def _split(orjson: ModuleType, leaf: Callable[[Any], Any], options: int) -> Callable[[Any], Any]:
    """Return a function that encodes inner lists first, so that fewer than `_TOGETHER` end together."""

    def split(value: Any, lists: int = 0) -> Any:
        if type(value) is dict:
            return {key: split(item) for key, item in value.items()}
        if type(value) not in (list, tuple):
            return value
        items = [split(item, lists + 1) for item in value]
        if lists % _TOGETHER < _TOGETHER - 1:
            return items
        # The room after a fragment is reserved.
        return orjson.Fragment(orjson.dumps(items, leaf, options))

    return split


def _inside(value: Any) -> list[Any]:
    """Return what orjson, or its hook, writes of an object: the check of nesting counts it."""
    content = held(value)
    if isinstance(content, dict):
        return list(content.values())
    return content if isinstance(content, list) else []


@declare("orjson/numpy", JSON, library="orjson", extra="orjson", values=(*ARRAYS, *COLUMNS))
def _orjson_numpy() -> Spec:
    import orjson

    spec = _orjson()
    deep, options = spec.calls.encode_arguments

    def leaf(value: Any) -> Any:
        # A column is passed on as its array, which the library supports.
        write = convention(type(value)) if kind_of(type(value)) in COLUMNS else None
        return deep(value) if write is None else write(value)

    quick_leaf = JSON64_FAMILY.leaf_or(leaf) if deep is JSON64_FAMILY.leaf else leaf
    return _orjson_writing(orjson, spec, quick_leaf, options | orjson.OPT_SERIALIZE_NUMPY).changed(
        raw=_raw_orjson(orjson, orjson.OPT_SERIALIZE_NUMPY),
        losses=(
            *spec.facts.losses,
            "NumPy's floats of 16 and 32 bits are written with fewer digits",
            "datetime64 is cut to microseconds, and dates become datetimes",
        ),
        notes=(
            *spec.facts.notes,
            FAULTS,
            Cost("checks arrays first, as the library writes some differently", "type_ndarray", "dump", 1.2),
        ),
    )


@declare("msgspec-json", JSON, library="msgspec", extra="msgspec")
def _msgspec() -> Spec:
    import msgspec

    return Spec.of(
        encode=msgspec.json.Encoder(enc_hook=_msgspec_family.leaf).encode,
        decode=msgspec.json.Decoder().decode,
        raw=RawCalls(
            msgspec.json.Encoder().encode,
            msgspec.json.Decoder().decode,
            options=hooked(
                "enc_hook",
                lambda hook: RawCalls(
                    msgspec.json.Encoder(enc_hook=hook).encode, msgspec.json.Decoder().decode
                ),
            ),
        ),
        stops="interpreter",
        walk="json",
        family=_msgspec_family,
        accelerated=True,
        preserves=PRESERVES | {"bigint"},
        losses=(
            NULLED,
            MERGED,
            "dict keys True and False become the text of 1 and 0",
            ROUNDED,
            UNSORTED_SETS,
            ATTRIBUTES,
            MEMBERS,
            FIELDS_ONLY,
            UNSET_FIELDS,
        ),
        notes=(counted_levels(1.05),),
        policies=NO_LITERALS,
    )


@declare("msgspec-json/struct", JSON, library="msgspec", extra="msgspec", needs_schema=True, values=OBJECTS)
def _msgspec_struct() -> Spec:
    import msgspec

    losses = (NULLED, "a key Decimal('-0') is decoded as Decimal('0')")
    return typed(_msgspec(), msgspec.json, also={"bytes", "int_keys"}, losses=losses)


_SUSPECT = (b"null", b"NaN", b"Infinity")
"""What a model of the user's own writes for a float or a Decimal that is no number, and may not read."""


def _pydantic(*, models: bool = False) -> Spec:
    def bind(schema: SchemaProtocol) -> Bound:
        binding = schema.binding("pydantic", models=models)
        write, read, take = binding.type.encode, binding.type.decode, binding.take
        decode = read if schema.hashes_text_only else with_checked_keys(read, _plain_json)
        if models:
            return Bound(
                encode=write,
                decode=decode,
                take=take,
                give=None if binding.as_is else binding.give,
                dicts=not hasattr(schema.types, "fields"),
                only=binding.type.only,
                definition=binding.definition,
                as_is=binding.as_is,
                again=dicts_of(schema, bind) if binding.as_is else None,
                suspect=_SUSPECT[0 if schema.has_floats else 1 :] if binding.as_is else (),
            )
        return Bound(encode=lambda record: write(take(record)), decode=decode, definition=binding.definition)

    def raw(schema: SchemaProtocol) -> RawCalls:
        binding = schema.binding("pydantic", models=models)
        adapter = binding.type.adapter
        give = binding.give if models and not binding.as_is else None
        return RawCalls(adapter.dump_json, adapter.validate_json, binding.take, give)

    return Spec.of(
        bind=bind,
        raw=raw,
        too_deep=("recursion limit exceeded", "RecursionError"),
        # Each validation error holds a copy of the invalid value.
        limits=Limits(items=300_000),
        accelerated=True,
        preserves=ANY_NUMBER - {"key_order"} | TYPED | {"bytes", "bytearray", "int_keys", "namedtuple"},
        losses=(
            ORDER_OF_SCHEMA,
            "integers become floats if the schema says float",
            ROUNDED,
            OWN_ITERATION,
        ),
        notes=(
            LITERALS,
            Note(
                "reads texts and numbers that no codec writes: seconds since 1970 as a datetime, numbers as "
                "a Decimal, UUIDs in braces; cuts times to microseconds",
                STRANGERS,
            ),
        ),
        policies=replace(POLICIES, surrogates="reject"),
    )


def _plain_json(data: bytes) -> Any:
    from pydantic_core import from_json

    return from_json(data)


@declare(
    "pydantic-json", JSON, library="pydantic", extra="pydantic", also=("pydantic_core",), needs_schema=True
)
def _pydantic_dicts() -> Spec:
    return _pydantic()


@declare(
    "pydantic-json/model",
    JSON,
    library="pydantic",
    extra="pydantic",
    also=("pydantic_core",),
    needs_schema=True,
    values=_MODELS,
)
def _pydantic_models() -> Spec:
    from pydantic import BaseModel

    def inside(value: Any) -> Any:
        if isinstance(value, BaseModel):
            return [*vars(value).values(), *(value.model_extra or {}).values()]
        return held(value)

    spec = _pydantic(models=True)
    return spec.changed(
        preserves=frozenset(spec.facts.preserves) - {"namedtuple"},
        losses=(
            *spec.facts.losses,
            "models of one's own write NaN and Infinity as null, unless they set `ser_json_inf_nan`",
            EXCLUDED,
            RUN_AGAIN,
        ),
        takes="pydantic models",
        policies=replace(POLICIES, surrogates="reject", inside=inside),
    )


@declare("ujson", JSON, library="ujson", extra="ujson")
def _ujson() -> Spec:
    import ujson

    def hooked_calls(hook: Any) -> RawCalls:
        def encode(record: Any) -> bytes:
            text: Any = ujson.dumps(record, ensure_ascii=False, escape_forward_slashes=False, default=hook)
            return text.encode()  # type: ignore[no-any-return]

        return RawCalls(encode, ujson.loads)

    return Spec.of(
        encode=ujson.dumps,
        # By position, since a keyword takes a third of a short call: ensure_ascii, encode_html_chars,
        # escape_forward_slashes, sort_keys, indent, allow_nan, reject_bytes, default.
        encode_arguments=(False, False, False, False, 0, True, True, _ujson_family.exact_leaf(exactly())),
        exact=exactly(),
        decode=ujson.loads,
        raw=RawCalls(
            lambda record: ujson.dumps(record, ensure_ascii=False, escape_forward_slashes=False).encode(),
            ujson.loads,
            options=hooked("default", hooked_calls),
        ),
        stops="itself",
        walk="json",
        too_deep=("Reached object decoding depth limit", "Maximum recursion level reached"),
        family=_ujson_family,
        accelerated=True,
        preserves=ANY_NUMBER,
        forms={"decimal": "float"},
        losses=(
            MERGED,
            "Decimal becomes a float",
            "Decimal sNaN becomes -1.0, or makes the payload unreadable",
            "dict keys that are bytes become raw text; all but text, numbers and None their `str`",
        ),
        notes=(
            LITERALS,
            Note(
                "accepts malformed numbers (01, 2., 2.e3, -.5, and a lone minus as 0) and raw control "
                "characters other than NUL in strings",
                STRANGERS,
            ),
            objects_in_python(2.5),
        ),
        policies=POLICIES,
    )


@declare("rapidjson", JSON, library="python-rapidjson", module="rapidjson", extra="rapidjson")
def _rapidjson() -> Spec:
    import rapidjson

    class ConventionEncoder(rapidjson.Encoder):
        """Made once, as ``dumps`` reads its options again at every call."""

        default = staticmethod(_exact_leaf)

    class UniqueDecoder(rapidjson.Decoder):
        def start_object(self) -> list[Any]:
            return []

        def end_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            return unique(pairs)

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        return {"decode": UniqueDecoder() if values["duplicate_keys"] == "reject" else rapidjson.loads}

    def calls(hook: Any = None, **options: Any) -> RawCalls:
        class HookedEncoder(rapidjson.Encoder):
            def default(self, value: Any) -> Any:
                return hook(value)

        encode: Any = (rapidjson.Encoder if hook is None else HookedEncoder)(ensure_ascii=False, **options)
        return RawCalls(lambda record: encode(record).encode(), rapidjson.loads)

    keys: dict[str, Any] = {"mapping_mode": rapidjson.MM_COERCE_KEYS_TO_STRINGS}
    no_bytes: dict[str, Any] = {"bytes_mode": rapidjson.BM_NONE}
    # Not its own datetimes, whose offsets it rounds to minutes.
    writing: dict[str, Any] = {
        "ensure_ascii": False,
        "iterable_mode": rapidjson.IM_ONLY_LISTS,
        "uuid_mode": rapidjson.UM_CANONICAL,
        **no_bytes,
    }
    return Spec.of(
        encode=ConventionEncoder(**writing),
        exact=exactly(),
        encode_again=KeyedEncoder(ConventionEncoder(**keys, **writing), (), _RAPIDJSON_KEYS, content).encode,
        decode=rapidjson.loads,
        # It stops at a NUL byte, which JSON text never contains.
        whole="nul",
        stops="interpreter",
        walk="json",
        raw=calls()._replace(
            options={
                "MM_COERCE_KEYS_TO_STRINGS": calls(**keys),
                "DM_ISO8601": calls(datetime_mode=rapidjson.DM_ISO8601),
                "UM_CANONICAL": calls(uuid_mode=rapidjson.UM_CANONICAL),
                **hooked("BM_NONE, default", lambda hook: calls(hook, **no_bytes)),
                "MM_COERCE_KEYS_TO_STRINGS, BM_NONE, default=anything": calls(anything, **keys, **no_bytes),
            }
        ),
        family=JSON_FAMILY,
        accelerated=True,
        preserves=ANY_NUMBER,
        notes=(LITERALS, costly_keys(1.25), objects_in_python(1.3), *_RAPIDJSON_COSTS),
        policies=replace(
            POLICIES,
            duplicate_keys="reject/last",
            surrogates="reject",
            options={"duplicate_keys": ("last", "reject")},
            enforce=enforce,
        ),
    )


_WITHIN = Note(
    "the library's own loads can end a process of CPython before 3.12 that has threads or finalizers; this "
    "codec's cannot",
    FIGURES,
)


def _as_it_is(value: Any) -> Any:
    return value


@declare("ssrjson", JSON, library="ssrjson", extra="ssrjson")
def _ssrjson() -> Spec:
    import ssrjson

    # Without a hook it reads into static buffers, while any allocation of CPython before 3.12 may start the
    # garbage collector, which runs a program's code: `docs/reference/faults.md`.
    collected_within = sys.version_info < (3, 12)
    return Spec.of(
        # It takes no hook for other types, so records with any are rewritten after it has refused them.
        encode=ssrjson.dumps_to_bytes,
        unhashed=True,
        decode=ssrjson.loads,
        decode_within=partial(ssrjson.loads, object_hook=_as_it_is) if collected_within else None,
        raw=RawCalls(ssrjson.dumps_to_bytes, ssrjson.loads),
        stops="itself",
        walk="json",
        too_deep=("Too many nested structures", "max recursion exceeded"),
        family=JSON64_FAMILY,
        accelerated=True,
        preserves=PRESERVES | {"nonfinite"},
        notes=(
            Note(
                "a young library: 0.0.x since 2025; its release 0.0.15 was withdrawn for a stack overflow",
                FIGURES,
            ),
            *((_WITHIN,) if collected_within else ()),
            Note("reads integers beyond 64 bits as floats", "int_beyond_64"),
            LITERALS,
            Note("reads the bare words nan and infinity in any case", STRANGERS),
            counted_levels(1.06),
        ),
        losses=(MEMBERS,),
        policies=replace(
            POLICIES, duplicate_keys="reject/last", surrogates="reject", big_integers="text/float"
        ),
    )


@declare("pydantic-core", JSON, library="pydantic-core", module="pydantic_core", extra="pydantic-core")
def _pydantic_core() -> Spec:
    from pydantic_core import from_json, to_json

    return Spec.of(
        encode=to_json,
        # Other types it writes in forms of its own: bytes as text, None as a key as "None", a Decimal whose
        # method raises as "<unprintable>".
        scan=frozenset({str, int, float, bool, type(None), tuple, dt.datetime, dt.date, Decimal, uuid.UUID}),
        decode=from_json,
        raw=RawCalls(to_json, from_json),
        stops="itself",
        # Dicts take 2,900 bytes a level in 2.50, and 1,050 in 2.46.
        level=3072,
        walk="json",
        too_deep=("Circular reference detected", "recursion limit exceeded"),
        family=_pydantic_family,
        accelerated=True,
        preserves=ANY_NUMBER,
        notes=(
            Cost("checks each type, as the library writes some differently", FIGURES, "dump", 1.3),
            Cost("converts dict keys other than text in Python", "key_other", "dump", 6.0),
            Cost("converts times in Python", "type_time", "dump", 8.0),
            objects_in_python(5.0),
            counted_levels(1.05),
            LITERALS,
        ),
        losses=(ROUNDED,),
        policies=replace(POLICIES, duplicate_keys="reject/last", surrogates="reject"),
    )


@declare(
    "mashumaro-json", JSON, library="mashumaro", extra="mashumaro", also=("orjson",), needs_schema=True,
    in_default_set=False, values=DATACLASSES,
)  # fmt: skip
def _mashumaro() -> Spec:
    return opening(_orjson(), "mashumaro", "json")


@declare(
    "cattrs-json", JSON, library="cattrs", extra="cattrs", also=("orjson",), needs_schema=True,
    in_default_set=False, values=ATTRS,
)  # fmt: skip
def _cattrs() -> Spec:
    return opening(_orjson(), "cattrs", "json")
