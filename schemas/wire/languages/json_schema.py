"""JSON Schema (draft 2020-12) of the JSON that our codecs write.

Formats are those of the draft and of the OpenAPI Initiative's registry (`date-time-local`, `time-local`,
`decimal`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...tree import types as t
from .. import layout as w
from .json_reader import read
from .json_words import key_form, leaf_form

__all__ = ["DIALECT", "read", "write"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def write(layout: w.Layout) -> bytes:
    """Return the JSON Schema of the JSON that our codecs write for a layout's records."""
    records = tuple(layout.records())
    within = {name for record in records for name in _references(record)}
    defined = {
        record.name: _places(record.slots) if record.places else _fields(record)
        for record in records
        if record.name in within or not record.places
    }
    whole = _written(layout.root)
    if (name := whole.get("$ref", "").rpartition("/")[2]) in defined.keys() - within:
        whole = defined.pop(name)
    whole = {"$schema": DIALECT, **whole, **({"$defs": defined} if defined else {})}
    return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()


def _references(kind: w.WireType) -> Iterator[str]:
    """Yield the names of the references below a kind, down to the next records."""
    for part in w.parts(kind):
        if isinstance(part, w.Ref):
            yield part.name
        elif not isinstance(part, w.WireRecord):
            yield from _references(part)


def _written(kind: w.WireType) -> dict[str, Any]:
    match kind:
        case w.Leaf():
            return leaf_form(kind)
        case w.Nullable(inner):
            made = _written(inner)
            others = made["anyOf"] if list(made) == ["anyOf"] else [made]
            return {"anyOf": [*others, {"type": "null"}]}
        case w.WireSequence(item, type=node):
            unique = isinstance(node, t.SetType | t.FrozenSetType)
            return {"type": "array", "items": _written(item), **({"uniqueItems": True} if unique else {})}
        case w.WireMap(key, value):
            names = key_form(key)
            return {
                "type": "object",
                **({"propertyNames": names} if names else {}),
                "additionalProperties": _written(value),
            }
        case w.WireUnion(options=options):
            return {"anyOf": [_written(option.kind) for option in options]}
        case w.WireRecord(slots=slots) if kind.places:
            return _places(slots)
        case w.WireRecord(name) | w.Ref(name):
            return {"$ref": f"#/$defs/{name}"}
    raise AssertionError(kind)


def _places(slots: tuple[w.WireField, ...]) -> dict[str, Any]:
    every = [_written(slot.kind) for slot in slots]
    return {"type": "array", "prefixItems": every, "items": False, "minItems": len(every)}


def _fields(record: w.WireRecord) -> dict[str, Any]:
    return {
        "title": record.name,
        "type": "object",
        "properties": {str(slot.key): _written(slot.kind) for slot in record.slots},
        "required": [str(slot.key) for slot in record.slots if slot.required],
    }
