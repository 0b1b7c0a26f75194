"""Write a description tree as Python source."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from ...codecs.paths import step
from . import types as t
from .declare import SchemaError

_IMPORTS = {
    "Any": "typing",
    "Annotated": "typing",
    "Literal": "typing",
    "NamedTuple": "typing",
    "NotRequired": "typing",
    "TypedDict": "typing",
    "Hint": "bakeoff.schemas",
    "Schema": "bakeoff.schemas",
    **{kind.__name__: kind.__module__ for kind in t.LEAVES if kind.__module__ != "builtins"},
}
_OURS = "bakeoff.schemas"
TAKEN = frozenset({*keyword.kwlist, *_IMPORTS})
"""Names that no class of the module can have: keywords, and imports of the module."""


def to_python(
    types: t.Type, name: str, *, origin: str = "", remarks: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return a Python module that declares a schema; classes that others use come first.

    Named tuples stay named tuples, and all other records become TypedDicts. Another type is assigned as a
    `Schema` to the schema's name, or to a similar name.

    Args:
        types: The description tree.
        name: Name of the schema.
        origin: Origin of the schema, for the module's docstring.
        remarks: Comments for fields, by path.

    Raises:
        SchemaError: A type has no Python form that can be imported.
    """
    printer = _Printer(types, remarks)
    root = printer.type(types, "$")
    body = "\n\n\n".join(printer.classes)
    if not isinstance(types, t.RecordType):
        line = f"{printer.free(name)} = {printer.name('Schema')}({root})"
        body = f"{body}\n\n\n{line}" if body else line
    imports = f"{printer.imports()}\n\n\n" if printer.used or printer.foreign else ""
    told = _one_line(f"Records `{name}`{origin and f', {origin}'}.")
    quoted = told.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{quoted}"""\n\n{imports}{body}\n'


class _Printer:
    def __init__(self, root: t.Type, remarks: Mapping[str, str]) -> None:
        self.remarks = remarks
        self.classes: list[str] = []
        self.used: set[str] = set()
        enums = {node.cls for _, node in t.walk(root) if isinstance(node, t.EnumType)}
        # An Enum inside a class is reached through that class.
        self.foreign = {cls.__qualname__.partition(".")[0]: cls.__module__ for cls in enums}
        self.printed: dict[str, t.RecordType] = {}
        self.named: dict[t.RecordType, str] = {}
        self.done: set[str] = set()
        self.forward = False

    def name(self, name: str) -> str:
        self.used.add(name)
        return name

    def free(self, wanted: str) -> str:
        """Return a name that no class of the module has."""
        name = wanted if _is_class_name(wanted) else "Records"
        while name in TAKEN or name in self.foreign or name in self.printed:
            name += "s"
        return name

    def imports(self) -> str:
        modules: dict[str, list[str]] = {}
        for name in sorted(self.used):
            modules.setdefault(_IMPORTS[name], []).append(name)
        rows = {module: f"from {module} import {', '.join(names)}" for module, names in modules.items()}
        ours = [rows.pop(_OURS)] if _OURS in rows else []
        lines = [rows[module] for module in sorted(rows)]
        ours += sorted(f"from {module} import {name}" for name, module in self.foreign.items())
        blocks = ["\n".join(block) for block in (lines, ours) if block]
        return "\n\n".join(blocks)

    def type(self, node: t.Type, path: str) -> str:
        match node:
            case t.EnumType() if "<locals>" not in node.cls.__qualname__:
                return node.cls.__qualname__
            case t.LiteralType():
                return f"{self.name('Literal')}[{', '.join(map(repr, node.values))}]"
            case t.TupleType():
                return f"tuple[{', '.join(self._parts(node, path)) or '()'}]"
            case t.VarTupleType():
                return f"tuple[{', '.join(self._parts(node, path))}, ...]"
            case t.CollectionType() | t.DictType():
                return f"{node}[{', '.join(self._parts(node, path))}]"
            case t.UnionType():
                return " | ".join(self._parts(node, path))
            case t.RecordType():
                return self._record(node, path)
            case t.RefType(record=record):
                name = self.named.get(record) or self._record(record, path)
                self.forward |= name not in self.done
                return name
            case t.EnumType():
                raise SchemaError(path, f"`{node}` has no Python form")
        name = self.name(str(node)) if str(node) in _IMPORTS else str(node)
        hints = [f"{option.hint}={option.value!r}" for option in t.options(node) if option.words]
        return f"{self.name('Annotated')}[{name}, {self.name('Hint')}({', '.join(hints)})]" if hints else name

    def _parts(self, node: t.Type, path: str) -> list[str]:
        return [self.type(child, path + part) for part, child in t.children(node)]

    def _record(self, node: t.RecordType, path: str) -> str:
        # Names of definitions are those of a file, which anyone may have written.
        wanted = node.name if _is_class_name(node.name) else _class_name(node.name)
        name, number = wanted, 2
        while name in TAKEN or name in self.foreign or self.printed.get(name, node) != node:
            name, number = f"{wanted}{number}", number + 1
        if name in self.printed:
            return name
        self.printed[name], self.named[node] = node, name
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
        self.done.add(name)
        return name

    def _field(self, item: t.Field, path: str, kind: str) -> str:
        outer, self.forward = self.forward, False
        text = self.type(item.type, path + step(item.name))
        if self.forward:
            # The class is not defined yet: it is this class or an enclosing one.
            text = repr(text) if '"' in text else f'"{text}"'
        self.forward = outer
        if item.severity != "error":
            text = f"{self.name('Annotated')}[{text}, {self.name('Hint')}(severity={item.severity!r})]"
        if item.required:
            return text
        return f"{text} = None" if kind == "NamedTuple" else f"{self.name('NotRequired')}[{text}]"

    def _remark(self, item: t.Field, path: str) -> str:
        remark = self.remarks.get(path + step(item.name))
        return f"  # {_one_line(remark)}" if remark else ""


def _is_class_name(name: str) -> bool:
    """Return whether a class of the module can have a name; annotations need the names of builtins."""
    return _is_plain(name) and not hasattr(builtins, name)


def _class_name(name: str) -> str:
    """Return a valid name for a class from the words of another."""
    words = re.findall(r"[A-Za-z0-9]+", name)
    made = "".join(word[:1].upper() + word[1:] for word in words)
    return made if _is_class_name(made) else f"Record{made}"


def _one_line(text: str) -> str:
    """Return a text without control characters, which could end a comment or hide what follows."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _is_named_tuple(node: t.RecordType) -> bool:
    """Return whether a record can be a NamedTuple: no private names, and fields with defaults last."""
    required = [item.required for item in node.fields]
    plain = all(_is_plain(item.name, "_") for item in node.fields)
    return node.positional and plain and required == sorted(required, reverse=True)


def _is_plain(name: str, private: str = "__") -> bool:
    """Return whether a key is valid as a name in a class body, and stays the same key there."""
    # Python normalizes identifiers (PEP 3131), and mangles names that begin with two underscores.
    same = name.isascii() or unicodedata.is_normalized("NFKC", name)
    return name.isidentifier() and same and not keyword.iskeyword(name) and not name.startswith(private)
