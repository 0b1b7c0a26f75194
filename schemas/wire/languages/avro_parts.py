"""Extract one named type of an Avro schema as a complete schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from ..layout import Chosen
from .parts import choose, unknown

_PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_RECORDS = ("record", "error")


def part_of(node: Any, wanted: str, file: str, data: bytes) -> tuple[Any, bytes, Chosen | None]:
    """Return the schema to read, its text, and the reason for the choice if the caller did not name it.

    A list of types at the top is a union, unless one of its records uses the others. In that case, the others
    are the definitions that it needs.

    Args:
        node: The schema, not validated.
        wanted: Name of a record in it, with or without its namespace; empty for the whole schema.
        file: Name of the file, for messages.
        data: Text of the file.

    Raises:
        UsageError: The schema has no record of that name.
        SchemaError: It has several records of that name.
    """
    types = _Types()
    whole = types.named(node, "")
    chosen: Chosen | None = None
    if not wanted:
        records = [each["name"] for each in whole if _is_record(each)] if isinstance(whole, list) else []
        used = {name for each in records for name in types.used(each)}
        if len(records) < 2 or len(records) < len(whole) or not used or len(set(records) - used) != 1:
            return node, data, None
        wanted, chosen = choose(records, used, file, "record")
    elif wanted not in types.known:
        names = [name for name, each in types.known.items() if _is_record(each)]
        short = [name for name in names if name.rpartition(".")[2] == wanted]
        if not short:
            raise unknown(wanted, names, file, "record")
        wanted = choose(short, (), file, "record")[0]
    made = types.whole(wanted, set())
    return made, json.dumps(made, ensure_ascii=False).encode(), chosen


def _is_record(node: Any) -> bool:
    return isinstance(node, dict) and node.get("type") in _RECORDS and isinstance(node.get("name"), str)


def _parts(node: dict[str, Any], of: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a schema with a function applied to each schema directly within it."""
    made: dict[str, Any] = {key: of(node[key]) for key in ("items", "values") if key in node}
    if isinstance(fields := node.get("fields"), list):
        made["fields"] = [
            {**field, "type": of(field.get("type"))} if isinstance(field, dict) else field for field in fields
        ]
    if not isinstance(kind := node.get("type"), str) or kind not in (*_RECORDS, "enum", "fixed"):
        made["type"] = of(kind)
    return made


class _Types:
    """The named types of a schema, each by its full name."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, Any]] = {}

    def named(self, node: Any, space: str) -> Any:
        """Return a schema with full names. Invalid parts stay unchanged, and the reader refuses them."""
        if isinstance(node, list):
            return [self.named(each, space) for each in node]
        if isinstance(node, str):
            full = f"{space}.{node}" if space and "." not in node else node
            return full if node not in _PRIMITIVES and full in self.known else node
        if not isinstance(node, dict):
            return node
        made = dict(node)
        if isinstance(name := node.get("name"), str) and isinstance(node.get("type"), str):
            own = str(made.pop("namespace", space) or "")
            full = made["name"] = f"{own}.{name}" if own and "." not in name else name
            self.known[full] = made
            space = full.rpartition(".")[0]
        made.update(_parts(node, lambda part: self.named(part, space)))
        return made

    def used(self, name: str) -> Iterator[str]:
        """Yield the names of all types within a type, without its own name."""
        seen: set[str] = set()
        self.whole(name, seen)
        yield from seen - {name}

    def whole(self, node: Any, seen: set[str]) -> Any:
        """Return a self-contained schema: each type is defined at its first use."""
        if isinstance(node, str):
            if node in seen or node not in self.known:
                return node
            node = self.known[node]
        if isinstance(node, list):
            return [self.whole(each, seen) for each in node]
        if not isinstance(node, dict):
            return node
        if isinstance(kind := node.get("type"), str) and kind in self.known:
            return self.whole(kind, seen)
        if isinstance(name := node.get("name"), str) and name in self.known:
            if name in seen:
                return name
            seen.add(name)
        return node | _parts(node, lambda part: self.whole(part, seen))
