"""Reduce JSON Schemas to one document of types: parts of other files included, mere checks removed.

A file that is referred to becomes a definition of the document. The parts of an ``allOf`` are merged into one
schema, because a value satisfies all of them. Parts that only check a value are removed: ``not``, ``if``
about fields that are present, and alternatives of required fields. Conditional fields become optional fields,
of each type that a condition gives them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ....files import read_limited
from ...tree.declare import SchemaError
from . import LARGEST
from .folders import above

_MOST = 50_000
"""Most parts that are read; a few references to references can expand to millions."""
_ONE = ("items", "additionalProperties", "propertyNames", "contains", "additionalItems")
_LISTS = ("anyOf", "oneOf", "prefixItems", "items")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "schemas")
_CHECKS = ("required", "not", "title", "description", "$comment", "minProperties", "maxProperties")
_CONDITIONS = ("if", "then", "else", "not", "dependentSchemas", "dependencies", "dependentRequired")
_FURTHER = "$conditional"
"""Where a merged schema has the conditional parts of all that were merged."""


def whole(document: Any, name: str, include: Sequence[str | os.PathLike[str]] = ()) -> tuple[Any, bool]:
    """Return a self-contained document, and whether the original was self-contained.

    Args:
        document: The parsed file.
        name: Name of the file. Files that it refers to are searched for in the folders of `folders.searched`.
        include: Folders to search first.

    Raises:
        SchemaError: A file that is referred to is not found or not JSON, or there are too many parts.
    """
    files = _Files(name, include)
    inside = files.joined(document, "", Path(name).parent)
    if files.found and isinstance(inside, dict):
        own = inside.get("$defs")
        inside["$defs"] = {**(own if isinstance(own, dict) else {}), **files.found}
    return _Merger(inside, name).schema(inside), not files.found


def tokens(pointer: str) -> list[str]:
    """Return the keys of a JSON pointer."""
    return [unquote(token).replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def pointed(document: Any, pointer: str) -> Any:
    """Return the part of a document that a JSON pointer refers to.

    Raises:
        LookupError: There is no such part.
    """
    for token in tokens(pointer):
        try:
            document = document[int(token)] if isinstance(document, list) else document[token]
        except (TypeError, ValueError) as error:
            raise LookupError(pointer) from error
    return document


class _Files:
    """The other files of a document.

    Attributes:
        found: Their contents, by their names among the definitions.
    """

    def __init__(self, name: str, include: Sequence[str | os.PathLike[str]]) -> None:
        self.name, self.include = name, include
        self.found: dict[str, Any] = {}
        self.keys: dict[Path, str] = {}

    def joined(self, node: Any, own: str, folder: Path) -> Any:
        """Return a part of a file with its references changed to the one document.

        Args:
            node: The part.
            own: Pointer to the place of the file in the document; empty for the document itself.
            folder: Folder of the file.
        """
        if isinstance(node, list):
            return [self.joined(each, own, folder) for each in node]
        if not isinstance(node, dict):
            return node
        made = {key: self.joined(value, own, folder) for key, value in node.items()}
        if isinstance(reference := node.get("$ref"), str):
            file, sign, pointer = reference.partition("#")
            if not file:
                made["$ref"] = f"#{own}{pointer}"
            elif "://" not in file:
                made["$ref"] = f"#/$defs/{self.key(file, folder)}{pointer if sign else ''}"
        return made

    def key(self, file: str, folder: Path) -> str:
        """Return the name of a file among the definitions, and read the file the first time."""
        searched = list(above([file], folder, self.include))
        inside = not Path(file).is_absolute()
        path = next((root / file for root in searched if inside and (root / file).is_file()), None)
        if path is None:
            raise SchemaError(
                self.name,
                f"refers to {file}, found in none of {', '.join(map(str, searched))}; "
                "add the folder that contains this path with -I DIR, or include=[DIR] in Python",
            )
        path = path.resolve()
        if path not in self.keys:
            stem = re.sub(r"\W", "_", path.name.partition(".")[0], flags=re.ASCII)
            key = stem if stem not in self.found else f"{stem}{len(self.found)}"
            self.keys[path] = key
            self.found[key] = {}
            try:
                read = json.loads(read_limited(path, LARGEST))
            except (OSError, ValueError, RecursionError) as error:
                raise SchemaError(str(path), f"cannot be read as JSON: {error}") from error
            self.found[key] = self.joined(read, f"/$defs/{key}", path.parent)
        return self.keys[path]


class _Merger:
    def __init__(self, document: Any, name: str) -> None:
        self.document, self.name = document, name
        self.parts = 0

    def count(self) -> None:
        self.parts += 1
        if self.parts > _MOST:
            raise SchemaError(self.name, f"has more than {_MOST:,} parts")

    def schema(self, node: Any) -> Any:
        """Return a schema without mere checks, with the parts of each ``allOf`` merged."""
        self.count()
        if not isinstance(node, dict):
            return node
        if "$ref" in node and node.keys() & {"properties", "allOf", "required"}:
            rest = {key: value for key, value in node.items() if key != "$ref"}
            node = {"allOf": [{"$ref": node["$ref"]}, rest]}
        made = self.each(_without_conditions(self.merged(node)))
        for key, value in list(made.items()):
            if key in _MAPS and isinstance(value, dict):
                made[key] = {name: self.schema(each) for name, each in value.items()}
            elif key in _LISTS and isinstance(value, list):
                made[key] = [self.schema(each) for each in value]
            elif key in _ONE or key == "components":
                made[key] = self.schema(value)
        return made

    def each(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return a schema of alternatives, each with the fields that are common to all."""
        word = next((word for word in ("anyOf", "oneOf") if word in node), "")
        fields: dict[str, Any] = {key: node[key] for key in ("type", "properties", "required") if key in node}
        options = node.get(word)
        told = isinstance(kind := fields.get("type"), str) and kind != "string"
        if not isinstance(options, list) or not ("properties" in fields or told):
            return node
        possible = [option for option in options if not self.never(fields, option)]
        made = [self.merged({"allOf": [fields, option]}) for option in possible or options]
        if any("allOf" in option for option in made):
            return node
        return {key: value for key, value in node.items() if key not in fields} | {word: made}

    def never(self, fields: dict[str, Any], option: Any) -> bool:
        """Return whether no value fits an alternative, because its type differs from the common type."""
        if isinstance(option, dict) and isinstance(option.get("$ref"), str):
            option = self.target(option["$ref"])
        if not isinstance(option, dict) or "type" not in option or "type" not in fields:
            return False
        try:
            _type(fields["type"], option["type"])
        except _ContradictionError:
            return True
        return False

    def merged(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return a schema with the parts of its ``allOf`` merged, or unchanged if these are contradictory."""
        parts = node.get("allOf")
        if not isinstance(parts, list) or not parts:
            return dict(node)
        made = {key: value for key, value in node.items() if key != "allOf"}
        further = _conditional(made)
        if (
            len(parts) == 1
            and isinstance(parts[0], dict)
            and made.keys() <= {"title", "description", "default"}
        ):
            return {**made, **parts[0]}
        try:
            for part in self.flat(parts, ()):
                further += _conditional(part)
                made = _both(made, part)
        except _ContradictionError:
            return dict(node)
        return {**made, _FURTHER: further} if further else made

    def flat(self, parts: list[Any], above: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield the schemas of an ``allOf``, with references and nested ``allOf`` resolved."""
        for part in parts:
            self.count()
            if part is True:
                continue
            if not isinstance(part, dict):
                raise _ContradictionError
            reference = part.get("$ref")
            if isinstance(reference, str):
                if reference in above or (target := self.target(reference)) is None:
                    raise _ContradictionError
                yield from self.flat([target], (*above, reference))
            rest = {key: value for key, value in part.items() if key not in ("$ref", "allOf", "$defs", "$id")}
            if rest:
                yield rest
            if isinstance(inner := part.get("allOf"), list):
                yield from self.flat(inner, above)

    def target(self, reference: str) -> Any:
        """Return the target of a reference, or None if there is none."""
        try:
            return pointed(self.document, reference)
        except LookupError:
            return None


class _ContradictionError(Exception):
    """Two schemas that no value fits, or that cannot be merged."""


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of values that fit two schemas.

    Raises:
        _ContradictionError: There is none, or none that can be expressed.
    """
    made = dict(one)
    for key, value in other.items():
        if key not in made or made[key] == value:
            made[key] = value
        elif not _alike(key, made[key], value):
            raise _ContradictionError
        elif key in ("properties", "patternProperties"):
            had = made[key]
            made[key] = had | {
                name: {"allOf": [had[name], each]} if name in had else each for name, each in value.items()
            }
        elif key == "required":
            made[key] = list(dict.fromkeys([*made[key], *value]))
        elif key == "type":
            made[key] = _type(made[key], value)
        elif key == "enum":
            made[key] = [each for each in made[key] if each in value] or value
        elif key == "items" and isinstance(value, dict) and isinstance(made[key], dict):
            made[key] = {"allOf": [made[key], value]}
        elif key == "additionalProperties":
            schemas = [each for each in (made[key], value) if isinstance(each, dict)]
            made[key] = {"allOf": schemas} if schemas else made[key] and value
        elif key in ("anyOf", "oneOf"):
            raise _ContradictionError
        elif key != "title":
            made[key] = value
    return made


def _alike(key: str, one: Any, other: Any) -> bool:
    """Return whether both values of a key have a valid type."""
    if key in ("properties", "patternProperties"):
        return isinstance(one, dict) and isinstance(other, dict)
    if key in ("required", "enum"):
        both = (one, other)
        listed = all(isinstance(each, list) for each in both)
        return listed and (key == "enum" or all(isinstance(name, str) for each in both for name in each))
    return True


def _type(one: Any, other: Any) -> Any:
    first, second = ([each] if isinstance(each, str) else each for each in (one, other))
    for each in (first, second):
        if not isinstance(each, list) or not all(isinstance(name, str) for name in each):
            raise _ContradictionError
    both = [
        each
        for each in dict.fromkeys([*first, *second])
        if all(each in kinds or (each == "integer" and "number" in kinds) for kinds in (first, second))
    ]
    if not both:
        raise _ContradictionError
    return both[0] if len(both) == 1 else both


def _conditional(node: dict[str, Any]) -> list[Any]:
    """Return the parts of a schema that hold under a condition."""
    further = [node[word] for word in ("then", "else") if word in node]
    for word in ("dependentSchemas", "dependencies"):
        if isinstance(given := node.get(word), dict):
            further += given.values()
    return further


def _without_conditions(node: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without mere checks of values, with the fields of conditional parts."""
    made = {key: value for key, value in node.items() if key not in _CONDITIONS}
    for word in ("anyOf", "oneOf"):
        options = made.get(word)
        if (
            isinstance(options, list)
            and options
            and all(isinstance(e, dict) and e.keys() <= {*_CHECKS} for e in options)
        ):
            del made[word]
            always = [name for name in options[0].get("required", ()) if _in_all(name, options)]
            if always:
                made["required"] = list(dict.fromkeys([*made.get("required", ()), *always]))
    for word in ("unevaluatedProperties", "unevaluatedItems"):
        if isinstance(made.get(word), bool):
            del made[word]
    merged = made.pop(_FURTHER, None)
    further = merged if isinstance(merged, list) else _conditional(node)
    added: dict[str, list[Any]] = {}
    for each in further:
        fields = each.get("properties") if isinstance(each, dict) else None
        if isinstance(fields, dict):
            for name, field in fields.items():
                if isinstance(field, dict) and field.keys() - {*_CHECKS, *_CONDITIONS, "const", "enum"}:
                    options = added.setdefault(name, [])
                    options += [] if field in options else [field]
    known = made.get("properties")
    if added and ("properties" not in made or isinstance(known, dict)):
        either = {name: one[0] if len(one) == 1 else {"anyOf": one} for name, one in added.items()}
        made["properties"] = {**(known or {}), **{k: v for k, v in either.items() if k not in (known or {})}}
    patterns = made.get("patternProperties")
    others = made.get("additionalProperties", True)
    if isinstance(patterns, dict) and patterns and not made.get("properties") and isinstance(others, bool):
        del made["patternProperties"]
        made.pop("properties", None)
        values = list(patterns.values())
        made["additionalProperties"] = values[0] if len(values) == 1 else {"anyOf": values}
    return made


def _in_all(name: Any, options: list[dict[str, Any]]) -> bool:
    return all(name in each.get("required", ()) for each in options)
