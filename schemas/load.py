"""A schema from a Python file, an installed module, or a definition in another language."""

from __future__ import annotations

import enum
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import UsageError
from ..files import import_from_here
from . import types as t
from .declare import SchemaError, describe
from .languages import language_of
from .schema import Schema

__all__ = ["FROM_FILE", "is_named", "load"]

FROM_FILE = "bakeoff_schema_"
"""How modules begin that stand for a file: nothing else can import them."""

_MARKS = ("__required_keys__", "__dataclass_fields__", "__struct_fields__", "model_fields", "_fields")
"""What classes of records have: TypedDict, dataclass, Struct, pydantic model, NamedTuple."""


def is_named(text: str) -> bool:
    """Whether a text names a file or a module, by its form."""
    return ":" in text or text.endswith(".py") or language_of(text) is not None


def load(text: str) -> Any:
    """Return what ``module:Name``, ``file.py:Name``, ``file.py`` or a definition (``file.avsc``) declares.

    Without a name it is the one `Schema` that stands there, or else the one record class that no
    other uses.

    Raises:
        UsageError: The file or module does not import, has no such name, or declares no record or
            several; the message says which. Or it is no definition.
    """
    if (language := language_of(text)) is not None:
        return _defined(Path(text), language)
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
        what = f"{', '.join(declared)}: say which" if declared else "no record class"
        raise UsageError(f"{where} declares {what}; a schema is given as {where}:NAME")
    return next(iter(declared.values()))


def _defined(path: Path, language: str) -> Schema:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: no schema can be read from it: {error.strerror}") from error
    return Schema.of_definition(data, language, str(path))


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"{path}: no such schema file; `bakeoff schema infer FILE > {path.name}` writes one")
    name = f"{FROM_FILE}{path.stem}"
    # Two versions of a schema may be files of one name, and their classes are found by the module's.
    while (other := sys.modules.get(name)) is not None and Path(other.__file__ or "") != path.absolute():
        name += "_"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UsageError(f"{path} does not import: {_reason(error)}") from error
    return module


def _load_module(name: str, text: str) -> ModuleType:
    if not name:
        raise UsageError(f"{text!r} names no schema; give MODULE:NAME or FILE.py:NAME")
    try:
        return import_from_here(name)
    except (Exception, SystemExit) as error:
        raise UsageError(f"schema module {name} does not import: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it ends the program, with {error.code!r}"
    return f"{type(error).__name__}: {error}"


def _schemas(module: ModuleType) -> dict[str, Any]:
    """Return the `Schema` objects of a module, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, Schema) and not name.startswith("_")
    }


def _records(module: ModuleType) -> dict[str, Any]:
    """Return the record classes that a module itself declares, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and isinstance(value, type)
        and value.__module__ == module.__name__
        and not issubclass(value, enum.Enum)
        and any(hasattr(value, mark) for mark in _MARKS)
    }


def _roots(records: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the record classes that no other uses.

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
    # Of records that hold others of their own kind each tree begins elsewhere, but has the same names.
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
    # Where all hold one another, none of them is more of a record than the others.
    return roots or dict(records)
