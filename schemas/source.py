"""A schema as Python source, and back from a file or module."""

from __future__ import annotations

import builtins
import enum
import importlib
import importlib.util
import keyword
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..codecs.paths import step
from ..errors import UsageError
from . import types as t
from .declare import SchemaError, describe

if TYPE_CHECKING:
    from .schema import Schema

__all__ = ["is_taken", "load", "to_python"]

_SIMPLE = {
    t.AnyType: "Any",
    t.NoneType: "None",
    t.BoolType: "bool",
    t.FloatType: "float",
    t.ComplexType: "complex",
    t.StrType: "str",
    t.DateType: "date",
    t.TimeType: "time",
    t.DecimalType: "Decimal",
    t.UUIDType: "UUID",
}
_IMPORTS = {
    "Any": "typing",
    "Annotated": "typing",
    "Literal": "typing",
    "NamedTuple": "typing",
    "NotRequired": "typing",
    "TypedDict": "typing",
    "Hint": "bakeoff.schemas",
    "Schema": "bakeoff.schemas",
    "date": "datetime",
    "datetime": "datetime",
    "time": "datetime",
    "timedelta": "datetime",
    "Decimal": "decimal",
    "UUID": "uuid",
}
_ORDER = ("datetime", "decimal", "typing", "uuid", "bakeoff.schemas")


def is_taken(name: str) -> bool:
    """Whether a class of a printed module cannot have this name: a keyword, or what the module imports."""
    return keyword.iskeyword(name) or name in _IMPORTS


def to_python(schema: Schema) -> str:
    """Return a module of classes, those used by others first, that declares `schema`.

    Named tuples stay named tuples; all other records become TypedDicts. What is no record stands as a
    `Schema` under the schema's name, or one like it.
    """
    printer = _Printer(schema.types, getattr(schema, "evidence", {}))
    root = printer.type(schema.types, "$")
    records: int | None = getattr(schema, "records", None)
    origin = f", inferred from {records:,} record{'s' * (records != 1)}" if records else ""
    body = "\n\n\n".join(printer.classes)
    if not isinstance(schema.types, t.RecordType):
        line = f"{printer.free(schema.name)} = {printer.name('Schema')}({root})"
        body = f"{body}\n\n\n{line}" if body else line
    imports = f"{printer.imports()}\n\n\n" if printer.used or printer.foreign else ""
    return f'"""Records `{schema.name}`{origin}."""\n\n{imports}{body}\n'


class _Printer:
    def __init__(self, root: t.Type, evidence: Mapping[str, Any]) -> None:
        self.evidence = evidence
        self.classes: list[str] = []
        self.used: set[str] = set()
        enums = {node.cls for _, node in t.walk(root) if isinstance(node, t.EnumType)}
        # An Enum inside a class is reached through that class.
        self.foreign = {cls.__qualname__.partition(".")[0]: cls.__module__ for cls in enums}
        self.printed: dict[str, t.RecordType] = {}

    def name(self, name: str) -> str:
        self.used.add(name)
        return name

    def free(self, wanted: str) -> str:
        """Return a name that no class of the module has."""
        name = wanted if wanted.isidentifier() and not hasattr(builtins, wanted) else "Records"
        while is_taken(name) or name in self.foreign or name in self.printed:
            name += "s"
        return name

    def imports(self) -> str:
        modules: dict[str, list[str]] = {}
        for name in sorted(self.used):
            modules.setdefault(_IMPORTS[name], []).append(name)
        lines = [f"from {m} import {', '.join(modules[m])}" for m in _ORDER[:-1] if m in modules]
        ours = [f"from {m} import {', '.join(modules[m])}" for m in _ORDER[-1:] if m in modules]
        ours += sorted(f"from {module} import {name}" for name, module in self.foreign.items())
        blocks = ["\n".join(block) for block in (lines, ours) if block]
        return "\n\n".join(blocks)

    def type(self, node: t.Type, path: str) -> str:
        if (simple := _SIMPLE.get(type(node))) is not None:
            return self.name(simple) if simple in _IMPORTS else simple
        match node:
            case t.IntType():
                return self._hinted("int", big=True if node.big else None)
            case t.BytesType() | t.ByteArrayType():
                return self._hinted(str(node), encoding=None if node.encoding == "base64" else node.encoding)
            case t.DateTimeType():
                return self._hinted(self.name("datetime"), epoch=node.epoch, aware=node.aware)
            case t.TimeDeltaType():
                return self._hinted(self.name("timedelta"), epoch=node.unit)
            case t.EnumType() if "<locals>" not in node.cls.__qualname__:
                return node.cls.__qualname__
            case t.LiteralType():
                return f"{self.name('Literal')}[{', '.join(map(repr, node.values))}]"
            case t.TupleType(items):
                inner = ", ".join(self.type(item, f"{path}[{i}]") for i, item in enumerate(items))
                return f"tuple[{inner or '()'}]"
            case t.VarTupleType(item):
                return f"tuple[{self.type(item, path + '[]')}, ...]"
            case t.ListType(item) | t.SetType(item) | t.FrozenSetType(item):
                return f"{node}[{self.type(item, path + '[]')}]"
            case t.DictType(key, value):
                return f"dict[{self.type(key, path)}, {self.type(value, path + '{}')}]"
            case t.UnionType(options):
                return " | ".join(self.type(option, path) for option in options)
            case t.RecordType():
                return self._record(node, path)
        raise SchemaError(path, f"`{node}` has no Python form")

    def _hinted(self, name: str, **options: object) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in options.items() if value is not None)
        return f"{self.name('Annotated')}[{name}, {self.name('Hint')}({given})]" if given else name

    def _record(self, node: t.RecordType, path: str) -> str:
        name, number = node.name, 2
        while is_taken(name) or name in self.foreign or self.printed.get(name, node) != node:
            name, number = f"{node.name}{number}", number + 1
        if name in self.printed:
            return name
        self.printed[name] = node
        kind = "NamedTuple" if _is_named_tuple(node) else "TypedDict"
        self.name(kind)
        fields = [(item, self._field(item, path, kind)) for item in node.fields]
        if all(_is_plain(item.name) for item in node.fields):
            lines = [f"    {item.name}: {text}{self._remark(item, path)}" for item, text in fields]
            self.classes.append("\n".join([f"class {name}({kind}):", *(lines or ["    pass"])]))
        else:
            lines = [f"        {item.name!r}: {text},{self._remark(item, path)}" for item, text in fields]
            self.classes.append(
                "\n".join([f"{name} = TypedDict(", f"    {name!r},", "    {", *lines, "    },", ")"])
            )
        return name

    def _field(self, item: t.Field, path: str, kind: str) -> str:
        text = self.type(item.type, path + step(item.name))
        if item.severity != "error":
            text = f"{self.name('Annotated')}[{text}, {self.name('Hint')}(severity={item.severity!r})]"
        if item.required:
            return text
        return f"{text} = None" if kind == "NamedTuple" else f"{self.name('NotRequired')}[{text}]"

    def _remark(self, item: t.Field, path: str) -> str:
        found = self.evidence.get(path + step(item.name))
        return f"  # {found.share:.1%} of {found.seen:,}" if found and found.share < 1 else ""


def _is_named_tuple(node: t.RecordType) -> bool:
    """Whether a record can be declared as a NamedTuple: no private names, fields with defaults last."""
    required = [item.required for item in node.fields]
    plain = all(_is_plain(item.name, "_") for item in node.fields)
    return node.positional and plain and required == sorted(required, reverse=True)


def _is_plain(name: str, private: str = "__") -> bool:
    """Whether a key can stand as a name in a class body and is still the same key there."""
    # Python normalizes identifiers (PEP 3131) and mangles those with two underscores in front.
    same = name.isascii() or unicodedata.is_normalized("NFKC", name)
    return name.isidentifier() and same and not keyword.iskeyword(name) and not name.startswith(private)


# Loading ------------------------------------------------------------------------------------------


_MARKS = ("__required_keys__", "__dataclass_fields__", "__struct_fields__", "model_fields", "_fields")
"""What classes of records have: TypedDict, dataclass, Struct, pydantic model, NamedTuple."""


def load(text: str) -> Any:
    """Return what ``module:Name``, ``file.py:Name`` or ``file.py`` declares.

    Without a name it is the one `Schema` that stands there, or else the one record class that no
    other uses.

    Raises:
        UsageError: The file or module does not import, has no such name, or declares no record or
            several; the message says which.
    """
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


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"{path}: no such schema file; `bakeoff schema infer FILE > {path.name}` writes one")
    name = f"bakeoff_schema_{path.stem}"
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
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise UsageError(f"schema module {name} does not import: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it ends the program, with {error.code!r}"
    return f"{type(error).__name__}: {error}"


def _schemas(module: ModuleType) -> dict[str, Any]:
    """Return the `Schema` objects of a module, by name."""
    from .schema import Schema

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
    return {name: cls for name, cls in records.items() if described.get(name) not in used}
