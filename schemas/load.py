"""Load a schema from a Python file, an installed module, or a definition in another language."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..codecs.conventions.classes import record_class
from ..errors import UsageError
from ..files import is_result_file, read_limited
from ..imports import module as module_of
from ..nearby import NoSuchFile
from .naming import NamedDefinition, definition_of
from .schema import Schema
from .tree import types as t
from .tree.declare import SchemaError, describe
from .wire.languages import LARGEST


def is_named(text: str) -> bool:
    """Return whether the form of a text is that of a file or module."""
    return ":" in text or text.endswith(".py") or definition_of(text) is not None


def load(text: str, include: Sequence[str | os.PathLike[str]] = ()) -> Any:
    """Return the schema in ``module:Name``, ``file.py:Name``, ``file.py`` or a definition.

    A definition is a file such as ``file.avsc``; ``file.avsc#Name`` is one of its records. Without a name,
    the result is the file's only `Schema`, or else the only record class that no other class uses.

    Args:
        text: As typed.
        include: Folders to search first for imports of a definition.

    Raises:
        UsageError: The file or module cannot be imported, lacks the name, or declares no record or several;
            or the definition is invalid. The message says which.
    """
    if (named := definition_of(text)) is not None:
        return _defined(named, include)
    where, _, name = text.rpartition(":") if ":" in text else (text, "", "")
    module = _load_file(Path(where)) if where.endswith(".py") else _load_module(where, text)
    if name:
        found: Any = module
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None:
            known = ", ".join([*_schemas(module), *_records(module)])
            raise UsageError(f"{where} has no {name}; it has {known or 'no record class'}")
        return found
    declared = _schemas(module) or _roots(_records(module), where)
    if len(declared) != 1:
        what = ", ".join(declared) or "no record class"
        raise UsageError(f"{where} declares {what}; name a schema as {where}:NAME")
    return next(iter(declared.values()))


def _defined(named: NamedDefinition, include: Sequence[str | os.PathLike[str]]) -> Schema:
    path = Path(named.path)
    if not path.exists():
        raise NoSuchFile(path, what="schema")
    if is_result_file(path):
        raise UsageError(f"{path}: is a result file of bakeoff, and not a schema; name the schema")
    try:
        data = read_limited(named.path, LARGEST)
    except OSError as error:
        raise UsageError(f"{named.path}: cannot be read as a schema: {error.strerror}") from error
    return Schema.of_definition(data, named.language, named.path, part=named.part, include=include)


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise NoSuchFile(path, f"`bakeoff schema infer FILE -o {path}` writes one", "schema")
    return module_of(str(path))


def _load_module(name: str, text: str) -> ModuleType:
    if not name:
        raise UsageError(f"{text!r} is not a schema; expected MODULE:NAME or FILE.py:NAME")
    if (path := Path(text)).is_file():
        raise UsageError(f"{text}: not a schema; `bakeoff schema infer {text}` makes one of its records")
    if len(path.parts) > 1:
        raise NoSuchFile(path, what="schema")
    return module_of(name)


def _schemas(module: ModuleType) -> dict[str, Any]:
    """Return the `Schema` objects of a module, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, Schema) and not name.startswith("_")
    }


def _records(module: ModuleType) -> dict[str, Any]:
    """Return the record classes declared in the module itself, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and isinstance(value, type)
        and value.__module__ == module.__name__
        and not issubclass(value, enum.Enum)
        and (hasattr(value, "__required_keys__") or record_class(value) is not None)
    }


def _roots(records: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the record classes that no other class uses.

    Raises:
        UsageError: None of them is a schema; the message says why the first is not.
    """
    described, faults = {}, {}
    for name, cls in records.items():
        try:
            described[name] = describe(cls)
        except SchemaError as error:
            faults[name] = error
    if faults and not described:
        name, fault = next(iter(faults.items()))
        raise UsageError(f"{where}, class {name}: {fault}") from fault
    used = [node for tree in described.values() for path, node in t.walk(tree) if path != "$"]
    # Trees of mutually recursive records start in different places, but contain the same names.
    within = {
        node.name
        for tree in described.values()
        for _, node in t.walk(tree)
        if isinstance(node, t.RecordType | t.RefType) and node.name != str(tree)
    }
    nesting = {name for name, tree in described.items() if t.nests(tree) and str(tree) in within}
    roots = {
        name: cls for name, cls in records.items() if described.get(name) not in used and name not in nesting
    }
    # If all records contain one another, none of them is the root.
    return roots or dict(records)
