"""CBOR (RFC 8949), by cbor2.

Naive datetimes are ISO 8601 text, since tag 0 wants an offset. The encoder of cbor2 6 ends the process on
some 7,000 nested lists, so nesting is checked first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._codec import DEFAULT_DEPTH
from .conventions import FAMILIES, wire
from .registry import Format, RawCalls, declare
from .streams import CborSequence

CBOR = Format(
    "cbor", "application/cbor", ".cbor", CborSequence(), media_type_aliases=("application/cbor-seq",)
)
CARRIES = frozenset(
    {
        "none", "bool", "int", "bigint", "float", "nonfinite", "str", "bytes", "list", "dict", "set",
        "datetime_aware", "datetime_offset", "date", "decimal", "uuid", "complex", "int_keys", "any_keys",
        "key_order",
    }
)  # fmt: skip

_family = FAMILIES["cbor"]


@declare("cbor2", CBOR, library="cbor2", extra="cbor2")
def _cbor2() -> Mapping[str, Any]:
    import cbor2

    def write(encoder: Any, value: Any) -> None:
        # What a dataclass holds was not seen by the check of depth.
        encoder.encode(_family.lowered_leaf(value))

    def inside(value: Any) -> list[Any]:
        """Return what cbor2 writes of an object by itself."""
        if isinstance(value, cbor2.CBORTag):
            return [value.value]
        if isinstance(value, Mapping):
            return [*value, *value.values()]
        # A memoryview holds numbers, perhaps many millions.
        return list(value) if isinstance(value, Sequence) and not isinstance(value, memoryview) else []

    return {
        "encode": cbor2.dumps,
        "encode_options": {"default": write},
        "encode_depth": DEFAULT_DEPTH,
        "inside": inside,
        "too_deep": ("maximum container nesting depth",),
        "decode": cbor2.loads,
        "raw": RawCalls(cbor2.dumps, cbor2.loads),
        "whole": "cbor",
        "lower": _family.lower,
        "accelerated": True,
        "carries": CARRIES,
        "wire": wire("cbor", CARRIES),
        # Its option `encoders` would mend that, and doubles the time of every dump.
        "notes": ("writes a memoryview as a list of numbers, unlike the other codecs",),
    }
