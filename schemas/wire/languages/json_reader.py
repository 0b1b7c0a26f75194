"""The records that a JSON Schema describes.

Formats that only check a value (a range, a length, a pattern) are not read.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from typing import Any

from ....codecs.conventions.rules import SCALAR_OF
from ...tree import types as t
from ...tree.declare import SchemaError, met
from .. import layout as w
from ..derive import derive
from ..names import unique_name
from .json_documents import pointed, tokens, whole
from .json_words import ENCODINGS, KEYS, TIME, leaf_form
from .parts import choose, unknown

_PYDANTIC_DECIMAL = "^(?!^[-+.]*$)"
"""How pydantic's pattern of a decimal begins."""

_FORMATS: dict[str, t.Type] = {
    "date-time": t.DateTimeType(aware=True),
    "date-time-local": t.DateTimeType(aware=False),
    "date": t.DateType(),
    "time-local": t.TextType(dt.time),
    "duration": t.TimeDeltaType(),
    "uuid": t.UUIDType(),
    "decimal": t.DecimalType(),
    **{SCALAR_OF[kind].token: node for kind, node in t.LEAVES.items() if isinstance(node, t.TextType)},
    "byte": t.BytesType(),
    "base64": t.BytesType(),
    "base64url": t.BytesType("base64url"),
}
"""Types of text formats; the last three are OpenAPI's and pydantic's. Others are text: `email`, `uri`, and
`binary`, as which pydantic writes bytes unencoded."""
_ENCODED = {word: t.BytesType(encoding) for encoding, word in ENCODINGS.items()}
_TYPES: dict[str, t.Type] = {
    "null": t.NoneType(),
    "boolean": t.BoolType(),
    "integer": t.IntType(),
    "number": t.FloatType(),
}
_REFUSED = (
    "allOf", "not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependencies",
    "unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef", "additionalItems",
)  # fmt: skip
"""Keywords that change which types a value may have, and that records cannot express."""
_WHOLE = frozenset({"type", "properties", "items", "enum", "const", "$ref", "allOf", "anyOf", "oneOf"})
"""Keywords of a document that is itself a schema, not only a place for definitions."""
_ALTERNATIVES = ("anyOf", "oneOf")
_LARGEST = 10_000
"""Most parts of a schema, counting a definition in each place that uses it; real records have far fewer."""


def read(data: bytes, name: str, part: str = "", *, include: Many[str | os.PathLike[str]] = ()) -> w.Layout:
    """Return the layout of the records that a JSON Schema describes.

    Next to a type, only keywords that imply another Python type are read: `format`, `contentEncoding`,
    `enum`, `const`, `uniqueItems` (a set), `propertyNames`. Drafts 4 to 2019-09 are read if they use the same
    keywords with the same meaning.

    Args:
        data: The file.
        name: Name of the file, for messages.
        part: JSON pointer to the schema of a record in the document (``/$defs/Order``), or its name among the
            definitions. Without it, a document that only has definitions is read as the one that no other
            uses.
        include: Folders to search first for files that it refers to.

    Raises:
        UsageError: The document has no definition of that name.
        SchemaError: The file is not a JSON Schema, or describes values that records cannot have; the message
            has the place as a JSON pointer.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaError(name, f"cannot be read as JSON: {error}") from error
    try:
        document, alone = whole(document, name, include)
    except RecursionError as error:
        raise SchemaError(f"{name}#", "nested too deeply") from error
    pointer, chosen = _pointer(document, part, name)
    read = _Reader(document, name)
    try:
        types = read.referred(f"#{pointer}", "") if pointer else read.whole()
    except RecursionError as error:
        raise SchemaError(f"{name}#", "nested too deeply") from error
    # A part of a document, or one that needs other files, is written again, because the text of the document
    # says something else.
    return w.Layout(derive(types).root, "json-schema", b"" if pointer or not alone else data, chosen)


_DEFINITIONS = ("/$defs", "/definitions", "/components/schemas")
"""Places of definitions: now, in older drafts, in OpenAPI."""


def _pointer(document: Any, part: str, file: str) -> tuple[str, w.Chosen | None]:
    """Return the place of a record's schema, empty for the document, and why if the caller named none."""
    if part.startswith("/"):
        return part, None
    known: dict[str, str] = {}
    for place in _DEFINITIONS:
        with contextlib.suppress(LookupError):
            there = pointed(document, place)
            known |= {name: f"{place}/{_token(name)}" for name in there if isinstance(there, dict)}
    if part:
        if part not in known:
            raise unknown(part, list(known), file, "definition")
        return known[part], None
    if not known or _WHOLE & document.keys():
        return "", None
    used = {
        name
        for name, pointer in known.items()
        for other, at in known.items()
        if other != name and f"#{pointer}" in _pointers(pointed(document, at))
    }
    name, chosen = choose(list(known), used, file, "definition")
    return known[name], chosen


def _pointers(node: Any) -> set[str]:
    if isinstance(node, list):
        return {reference for each in node for reference in _pointers(each)}
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
    return own.union(*map(_pointers, node.values()))


class _Reader:
    def __init__(self, document: Any, file: str) -> None:
        self.document, self.file = document, file
        self.inside: list[str] = []
        self.refs: dict[str, t.RefType] = {}
        self.made: dict[str, t.Type] = {}
        self.parts = 0
        self.sizes: dict[str, int] = {}
        self.references = 0
        self.names: set[str] = set()

    def error(self, pointer: str, reason: str) -> SchemaError:
        return SchemaError(f"{self.file}{pointer}", reason)

    def whole(self) -> t.Type:
        """Return the type of the document."""
        return self._named("#", self.document, "Record")

    def _named(self, reference: str, schema: Any, name: str) -> t.Type:
        """Return the type that a reference refers to, which may contain the reference itself."""
        self.inside.append(reference)
        before = self.references
        made = self.type(schema, reference, name)
        self.inside.pop()
        if isinstance(made, t.RecordType) and self.references > before:
            known = (ref for ref in self.refs.values() if ref.is_bound and ref.record is made)
            ref = self.made[reference] = next(known, None) or self._reference(reference)
            if not ref.is_bound:
                made = replace(made, name=ref.name)
                ref.bind(made)
        elif reference in self.refs:
            raise self.error(reference, "this contains itself but is not an object with `properties`")
        else:
            self.made[reference] = made
        return made

    def type(self, schema: Any, at: str, name: str) -> t.Type:
        """Return the type of a schema; `name` is for records without a name."""
        self._count(1, at)
        if schema is True:
            return t.AnyType()
        if not isinstance(schema, dict):
            raise self.error(at, "no value fits `false`" if schema is False else "not a schema")
        parts = schema.get("allOf")
        if isinstance(parts, list) and len(parts) == 1:
            # Older drafts use this to add keywords to a reference.
            rest = {word: value for word, value in schema.items() if word != "allOf"}
            return self.type({**rest, **parts[0]} if isinstance(parts[0], dict) else parts[0], at, name)
        for word in _REFUSED:
            if word in schema:
                raise self.error(f"{at}/{word}", "not supported in records")
        made = self._any_type(schema, at, name)
        return _union([made, t.NoneType()]) if schema.get("nullable") is True else made

    def _count(self, parts: int, at: str) -> None:
        self.parts += parts
        if self.parts > _LARGEST:
            raise self.error(at, f"the schema has more than {_LARGEST:,} parts")

    def _any_type(self, schema: dict[str, Any], at: str, name: str) -> t.Type:
        if "$ref" in schema:
            return self.referred(schema["$ref"], f"{at}/$ref")
        if (leaf := _known(schema)) is not None:
            return leaf
        if "const" in schema or "enum" in schema:
            word = "const" if "const" in schema else "enum"
            return self._literal(schema, schema[word] if word == "enum" else [schema[word]], f"{at}/{word}")
        for word in _ALTERNATIVES:
            if word in schema:
                return self._alternatives(schema, word, at, name)
        kinds = schema.get("type", _implied(schema))
        if isinstance(kinds, list) and kinds:
            return _union([self._of_kind(schema, each, at, name) for each in kinds])
        return self._of_kind(schema, kinds, at, name)

    def _literal(self, schema: dict[str, Any], values: Any, at: str) -> t.Type:
        if not isinstance(values, list) or not values:
            raise self.error(at, "not a list of values")
        if all(value is None or isinstance(value, str | int) for value in values):
            return t.NoneType() if values == [None] else t.LiteralType(tuple(values))
        if all(isinstance(value, int | float) for value in values):
            return t.FloatType()
        raise self.error(at, "values must be text, numbers, true, false or null")

    def _alternatives(self, schema: dict[str, Any], word: str, at: str, name: str) -> t.Type:
        options = schema[word]
        if not isinstance(options, list) or not options:
            raise self.error(f"{at}/{word}", "not a list of schemas")
        shared = {key: schema[key] for key in ("type", "properties", "required", "items") if key in schema}
        made = []
        for i, option in enumerate(options):
            if not isinstance(option, dict) or not shared:
                whole = option
            elif clash := shared.keys() & option.keys() - {"type"}:
                raise self.error(
                    f"{at}/{word}/{i}/{min(clash)}", "is given in the alternatives and next to them"
                )
            else:
                whole = {**shared, **option}
            made.append(self.type(whole, f"{at}/{word}/{i}", name))
        if t.DecimalType() in made and {"type": "number"} in options:
            made.remove(t.FloatType())  # pydantic also reads decimals from numbers.
        return _union(made)

    def _of_kind(self, schema: dict[str, Any], kind: Any, at: str, name: str) -> t.Type:
        match kind:
            case None:
                return t.AnyType()
            case "object":
                return self._object(schema, at, name)
            case "array":
                return self._array(schema, at, name)
            case "string":
                encoding = schema.get("contentEncoding")
                if str(schema.get("pattern")).startswith(_PYDANTIC_DECIMAL):
                    return t.DecimalType()
                if encoding is None:
                    return _FORMATS.get(str(schema.get("format")), t.StrType())
                return _ENCODED.get(str(encoding).lower(), t.StrType())
        if not isinstance(kind, str) or kind not in _TYPES:
            raise self.error(f"{at}/type", f"no type {kind!r}")
        return _TYPES[kind]

    def _object(self, schema: dict[str, Any], at: str, name: str) -> t.Type:
        others = schema.get("additionalProperties", True)
        fields = schema.get("properties")
        if fields is None and others is not False:
            names = _key_type(schema.get("propertyNames"))
            return t.DictType(names, self.type(others, f"{at}/additionalProperties", f"{name}Value"))
        fields = {} if fields is None else fields
        required = schema.get("required", [])
        if not isinstance(fields, dict):
            raise self.error(f"{at}/properties", "not an object of schemas")
        if not isinstance(required, list) or not all(isinstance(each, str) for each in required):
            raise self.error(f"{at}/required", "not a list of names")
        required = dict.fromkeys(required)
        self._count(sum(each not in fields for each in required), f"{at}/required")
        if fields and isinstance(others, dict) and others:
            raise self.error(
                f"{at}/additionalProperties",
                "a record cannot have additional properties, and a map cannot have fields",
            )
        title = schema.get("title")
        name = title if isinstance(title, str) and title.isidentifier() else name
        made = []
        for key, part in fields.items():
            kind = self.type(part, f"{at}/properties/{_token(key)}", f"{name}{_capital(key)}")
            made.append(t.Field(key, kind, key in required))
        made += [t.Field(key, t.AnyType()) for key in required if key not in fields]
        return t.RecordType(name, tuple(made))

    def _array(self, schema: dict[str, Any], at: str, name: str) -> t.Type:
        items = schema.get("items", True)
        word = "items" if isinstance(items, list) else "prefixItems"
        if word in schema:
            places = schema[word]
            if not isinstance(places, list):
                raise self.error(f"{at}/{word}", "not a list of schemas")
            if word == "prefixItems" and items is not False and schema.get("maxItems") != len(places):
                raise self.error(f"{at}/items", "a tuple has a fixed length: `items` must be false")
            return t.TupleType(
                tuple(self.type(each, f"{at}/{word}/{i}", f"{name}{i}") for i, each in enumerate(places))
            )
        item = self.type(items, f"{at}/items", f"{name}Item")
        return (
            t.SetType(item) if schema.get("uniqueItems") is True and _is_hashable(item) else t.ListType(item)
        )

    def referred(self, reference: Any, at: str) -> t.Type:
        """Return the type of a schema in the document, and count its parts in each place."""
        known, before = isinstance(reference, str) and reference in self.sizes, self.parts
        made = self._referred(reference, at)
        if known:
            # A part with references is not described again.
            self._count(0 if isinstance(made, t.RefType) else self.sizes[reference], at)
        else:
            self.sizes[reference] = self.parts - before
        return made

    def _referred(self, reference: Any, at: str) -> t.Type:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise self.error(at, f"{reference!r} is in another document, which is not read")
        if reference in self.inside:
            self.references += 1
            return self._reference(reference)
        if reference not in self.made:
            try:
                target = pointed(self.document, reference)
            except LookupError:
                raise self.error(at, f"{reference} does not exist") from None
            return self._named(reference, target, (tokens(reference) or ["Record"])[-1])
        self.references += isinstance(self.made[reference], t.RefType)
        return self.made[reference]

    def _reference(self, reference: str) -> t.RefType:
        """Return the reference to a schema that is being read, by a unique name."""
        if reference not in self.refs:
            last = reference.rpartition("/")[2]
            wanted = last if last.isidentifier() else "Record"
            self.refs[reference] = t.RefType(unique_name(wanted, self.names))
        return self.refs[reference]


def _known(schema: Mapping[str, Any]) -> t.Type | None:
    """Return the type of a schema in a form that only we and pydantic write."""
    words = ("type", "format", "pattern", *_ALTERNATIVES)
    said = {word: schema[word] for word in words if word in schema}
    if said == TIME:
        return t.TextType(dt.time)
    if said == leaf_form(w.Leaf("text", t.DateTimeType())):
        return t.DateTimeType()
    if said == leaf_form(w.Leaf("text", t.IntType(big=True))):
        return t.IntType(big=True)
    return None


def _implied(schema: Mapping[str, Any]) -> str | None:
    if schema.keys() & {"properties", "additionalProperties", "required", "propertyNames"}:
        return "object"
    return "array" if schema.keys() & {"items", "prefixItems"} else None


def _key_type(names: Any) -> t.Type:
    if not isinstance(names, dict):
        return t.StrType()
    for kind, words in KEYS.items():
        if words == names:
            return next(leaf for leaf in t.LEAVES.values() if type(leaf) is kind)
    if isinstance(allowed := names.get("enum"), list) and all(isinstance(value, str) for value in allowed):
        return t.LiteralType(tuple(allowed))
    made = _known({"type": "string", **names})
    return _FORMATS.get(str(names.get("format")), t.StrType()) if made is None else made


def _union(options: list[t.Type]) -> t.Type:
    flat: list[t.Type] = []
    for option in options:
        flat += option.options if isinstance(option, t.UnionType) else [option]
    records = [each for each in flat if isinstance(each, t.RecordType)]
    flat = [each for each in flat if not (isinstance(each, t.RefType) and met(each) in records)]
    every = tuple(dict.fromkeys(flat))
    if any(isinstance(option, t.AnyType) for option in every):
        return t.AnyType()
    return every[0] if len(every) == 1 else t.UnionType(every)


_UNHASHABLE = (
    t.ListType, t.DictType, t.RecordType, t.RefType, t.SetType, t.AnyType, t.ByteArrayType,
)  # fmt: skip


def _is_hashable(node: t.Type) -> bool:
    return not any(isinstance(each, _UNHASHABLE) for _, each in t.walk(node))


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _capital(key: str) -> str:
    return key[:1].upper() + key[1:] if key.isidentifier() else ""
