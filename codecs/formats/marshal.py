"""marshal: the interpreter's own format for code files; tied to one Python version, trusted input only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType, EllipsisType
from typing import Any

from ..conventions.families import NATIVE_BYTES, FormatFamily, exactly
from ..conventions.notes import FIGURES, STRANGERS, Cost, Note
from ..registry import declare
from ..safety.policies import Policies
from ..spec import Format, RawCalls, Spec
from ..streams.framing import Values

_family = FormatFamily("marshal", {**NATIVE_BYTES, tuple: None, set: None, frozenset: None}, text_keys=False)

MARSHAL = Format(
    name="marshal",
    media_type="application/x-python-marshal",
    file_extension=".marshal",
    trusted_only=True,
    interoperable=False,
    framing=Values("marshal"),
    family=_family,
)
PRESERVES = frozenset(
    {
        "none", "bool", "int", "bigint", "float", "nonfinite", "str", "bytes", "list", "tuple", "set",
        "frozenset", "dict", "complex", "int_keys", "key_order",
    }
)  # fmt: skip

NATIVE: frozenset[type] = frozenset(
    {str, int, float, bool, type(None), bytes, complex, CodeType, EllipsisType, type}
)
_NESTED = NATIVE | {tuple, set, frozenset}


def _leaf_of(kind: type) -> Callable[[Any], Any] | None:
    return None if kind in _NESTED else _family.leaf


_lower = exactly(_leaf_of)
"""It takes any object with a buffer for bytes, so all other types are rewritten before."""


@declare("marshal", MARSHAL)
def _marshal() -> Spec:
    import marshal

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        return {"whole": "marshal" if values["trailing"] == "reject" else None}

    return Spec.of(
        encode=marshal.dumps,
        encode_arguments=(4,),
        scan=NATIVE,
        lower=_lower,
        decode=marshal.loads,
        raw=RawCalls(marshal.dumps, marshal.loads),
        too_deep=("recursion limit exceeded", "too deeply nested"),
        family=_family,
        accelerated=True,
        preserves=PRESERVES,
        notes=(
            "the format changes between Python versions",
            Cost("checks for objects with a buffer, which the library writes as bytes", FIGURES, "dump", 1.4),
            Note(
                "does not detect data after the value, and takes seconds for lengths beyond the payload; "
                "trailing='reject' refuses both, and code objects",
                STRANGERS,
            ),
            Note("each level of nested sets doubles the time", "type_frozenset"),
        ),
        policies=Policies(
            duplicate_keys="reject/last",
            nonfinite="allow",
            surrogates="allow",
            big_integers="exact",
            trailing="ignore",
            extensions="keep",
            nesting="library",
            options={"trailing": ("reject",)},
            enforce=enforce,
            # marshal also writes StopIteration, as a marker of the interpreter.
            classes=(CodeType, EllipsisType, type),
        ),
    )
