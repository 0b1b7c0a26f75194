"""Tables as TOML text, as far as a lock needs it; `tomllib` reads it back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["dumps"]


def dumps(table: Mapping[str, Any]) -> str:
    """Return a table as TOML 1.0.

    Args:
        table: Texts, numbers, true and false, lists of these, tables, and lists of tables.
    """
    return "\n".join(_lines(table, ())).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield plain values first: in TOML they would belong to the table that stands above them."""
    for key, value in table.items():
        if not _tables(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        name = ".".join(map(_key, (*path, key)))
        for each in _tables(value):
            yield ""
            yield f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
            yield from _lines(each, (*path, key))


def _tables(value: Any) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        return [value]
    return value if isinstance(value, list) and value and isinstance(value[0], Mapping) else []


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "a").replace("-", "a").isalnum() else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value)
    # JSON escapes what TOML does, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
