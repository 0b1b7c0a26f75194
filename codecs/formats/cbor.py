"""CBOR (RFC 8949), by cbor2.

Naive datetimes are ISO 8601 text, since tag 0 requires an offset. The encoder of cbor2 6 crashes the process
on some 7,000 nested lists, so nesting is checked first. Values that could take minutes to build are not
built: decimals and fractions of very long numbers, patterns, MIME messages.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation, Overflow
from email.message import Message
from functools import cache, lru_cache, partial
from typing import Any

from ..conventions.classes import CLASSES
from ..conventions.families import NATIVE_BYTES, FormatFamily, exactly
from ..conventions.finite import dict_of, items_of
from ..conventions.notes import MERGED, STRANGERS, Note, about, objects_in_python
from ..limits import Limits
from ..registry import declare
from ..safety.keys import key_check
from ..safety.policies import Policies, held
from ..spec import Format, RawCalls, Spec
from ..streams.framing import Values
from ._hooks import hooked


def _aware_or_text(value: dt.datetime) -> Any:
    """Native with an offset, else ISO 8601 text.

    CBOR's date-time (tag 0, RFC 8949 section 3.4.1) must have one.
    """
    return value if value.tzinfo is not None else value.isoformat()


def _plain_frozenset(value: frozenset[Any]) -> set[Any]:
    """Set."""
    return set(value)


_family = FormatFamily(
    "CBOR",
    {
        **NATIVE_BYTES,
        dt.datetime: _aware_or_text,
        dt.date: None,
        Decimal: None,
        uuid.UUID: None,
        set: None,
        frozenset: _plain_frozenset,
    },
    text_keys=False,
)

CBOR = Format(
    name="cbor",
    media_type="application/cbor",
    file_extension=".cbor",
    framing=Values("cbor"),
    files=(".cbor", ".cborseq"),
    suffix=True,
    family=_family,
)
PRESERVES = frozenset(
    {
        "none", "bool", "int", "bigint", "float", "nonfinite", "str", "bytes", "list", "dict", "set",
        "datetime_aware", "datetime_offset", "date", "decimal", "uuid", "complex", "int_keys", "any_keys",
        "key_order",
    }
)  # fmt: skip

EXACT = Context(MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation, Overflow])
SAFE_DEPTH = 1_000
"""Levels that cbor2 writes safely for all types; some 7,000 crash the process."""
SEQUENCES = "other sequences than lists, such as a deque or a range, become lists"
UNREADABLE = "datetimes whose `utcoffset()` is None, or has a fraction of a second, cannot be read"
PATTERNS = "patterns are decoded as `cbor2.CBORTag`"
LONG = 10**4300
"""Bound for the numbers of a decimal or a fraction: their time grows with the square of their length."""


@cache
def tag_readers() -> Mapping[int, Any]:
    """Return readers for the tags whose time cbor2 does not limit, as its ``semantic_decoders``."""
    from fractions import Fraction

    import cbor2

    def numbers(pair: Any) -> tuple[int, int]:
        first, second = pair
        if not (isinstance(first, int) and isinstance(second, int)):
            raise cbor2.CBORDecodeError("a decimal or fraction needs two integers")
        if not (-LONG < first < LONG and -LONG < second < LONG):
            raise cbor2.CBORDecodeError("a decimal or fraction with more than 4,300 digits")
        return first, second

    def decimal(pair: Any, immutable: bool) -> Decimal:
        exponent, mantissa = numbers(pair)
        return Decimal(mantissa).scaleb(exponent, EXACT)

    def bigfloat(pair: Any, immutable: bool) -> Decimal:
        exponent, mantissa = numbers(pair)
        return Decimal(mantissa) * 2 ** Decimal(exponent)

    def rational(pair: Any, immutable: bool) -> Fraction:
        return Fraction(*numbers(pair))

    def as_tag(number: int) -> Any:
        return lambda value, immutable: cbor2.CBORTag(number, value)

    def itself(value: Any, immutable: bool) -> Any:
        return value

    # cbor2 reads what a file begins with (tag 55799, RFC 8949 section 3.4.6) as immutable values.
    return {4: decimal, 5: bigfloat, 30: rational, 35: as_tag(35), 36: as_tag(36), 55799: itself}


def _plain_of(kind: type) -> Callable[[Any], Any] | None:
    """Return what makes plain values of a type whose objects cbor2 writes as they yield, even without end.

    It takes a memoryview for a list.
    """
    if issubclass(kind, memoryview):
        return bytes
    if issubclass(kind, dict | list | tuple | str | bytes | bytearray):
        return None
    if issubclass(kind, Mapping):
        return dict_of if kind.__hash__ is None else _key_of
    # A tuple may be a key.
    return (lambda value: tuple(items_of(value))) if issubclass(kind, Sequence) else None


def _key_of(value: Mapping[Any, Any]) -> Any:
    """Return a mapping that may be a key."""
    import cbor2

    return cbor2.frozendict(dict_of(value))


def _content(cbor2: Any) -> Callable[[Any], list[Any] | None]:
    """Return a function of an object that cbor2 writes natively, which returns its content."""

    def opener_of(kind: type) -> Callable[[Any], list[Any]] | None:
        """Return what opens the objects of a type; for UUIDs, looking at it took longer than writing them."""
        if issubclass(kind, cbor2.CBORTag):
            return lambda value: [value.value]
        if issubclass(kind, Mapping):
            return lambda value: [part for pair in dict_of(value).items() for part in pair]
        # Sequences are left only in tags. A memoryview contains only numbers, possibly many millions.
        return items_of if issubclass(kind, Sequence) and not issubclass(kind, memoryview) else None

    opener: Callable[[type], Callable[[Any], list[Any]] | None] = lru_cache(CLASSES)(opener_of)

    def inside(value: Any) -> list[Any] | None:
        opened = opener(type(value))
        return None if opened is None else opened(value)

    return inside


def _raw(cbor2: Any) -> RawCalls:
    def with_default(hook: Any) -> RawCalls:
        return RawCalls(
            lambda record: cbor2.dumps(record, default=lambda encoder, value: encoder.encode(hook(value))),
            cbor2.loads,
        )

    return RawCalls(cbor2.dumps, cbor2.loads, options=hooked("default", with_default))


def _cbor2(reading: Mapping[str, Any]) -> Spec:
    from fractions import Fraction

    import cbor2

    def write(encoder: Any, value: Any) -> None:
        # The check of depth does not look into dataclasses.
        encoder.encode(_family.lowered_leaf(value))

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        twice = values["duplicate_keys"] == "last"
        return {"decode_options": {**reading, "allow_duplicate_keys": twice}}

    return Spec.of(
        encode=cbor2.dumps,
        encode_options={"default": write},
        encode_depth=SAFE_DEPTH,
        inside=_content(cbor2),
        exact=exactly(_plain_of, "cbor2"),
        too_deep=("maximum container nesting depth",),
        decode=cbor2.loads,
        decode_options=reading,
        of_tags=("semantic_decoders",),
        # cbor2's own limit is 400.
        bounded=lambda limits: {} if limits.depth is None else {"max_depth": limits.depth},
        check_keys=key_check("cbor", partial(cbor2.loads, semantic_decoders=tag_readers())),
        raw=_raw(cbor2),
        whole="cbor",
        walk="cbor",
        # UUIDs and keys that are maps take up to 3 microseconds each.
        limits=Limits(items=600_000),
        family=_family,
        accelerated=True,
        preserves=PRESERVES,
        losses=(
            "Decimal -0 loses its sign",
            "Decimal NaN and Infinity become floats",
            MERGED,
            SEQUENCES,
            PATTERNS,
            UNREADABLE,
        ),
        notes=(
            objects_in_python(2.2),
            Note("decodes patterns and MIME messages (tags 35 and 36) as `cbor2.CBORTag`", STRANGERS),
        ),
        policies=Policies(
            duplicate_keys="last",
            nonfinite="allow",
            surrogates="reject",
            big_integers="exact",
            trailing="reject",
            extensions="keep",
            nesting="reject",
            options={"duplicate_keys": ("last", "reject")},
            enforce=enforce,
            classes=(
                cbor2.CBORTag,
                cbor2.CBORSimpleValue,
                type(cbor2.undefined),
                Fraction,
                re.Pattern,
                Message,
                ipaddress.IPv4Address,
                ipaddress.IPv4Network,
                ipaddress.IPv6Address,
                ipaddress.IPv6Network,
            ),
            inside=lambda value: value.value if isinstance(value, cbor2.CBORTag) else held(value),
        ),
    )


@declare("cbor2", CBOR, library="cbor2", extra="cbor2")
def _guarded() -> Spec:
    return _cbor2({"semantic_decoders": tag_readers()})


@declare("cbor2/unguarded", CBOR, library="cbor2", extra="cbor2", unguarded=True)
def _unguarded() -> Spec:
    spec = _cbor2({})
    return spec.changed(
        whole=None,
        of_tags=(),
        encode_depth=0,
        losses=tuple(loss for loss in spec.facts.losses if loss != PATTERNS),
        notes=(
            "for trusted data only: does not detect trailing data, or references and decimals that expand; "
            "reads 400 levels, and crashes on writing 7,000",
            *(note for note in spec.facts.notes if about(note) != STRANGERS),
        ),
        policies=replace(spec.facts.policies, trailing="ignore", nesting="library"),
    )
