"""Definitions: what formats that need a schema call one, written from a layout and read into one.

A language is a module of this folder with two functions::

    def write(layout: Layout) -> bytes  # the file as its users know it
    def read(data: bytes, name: str, part: str = "") -> Layout

`name` is the file's, for messages, and `part` what describes a record in it, where it has a name. A language
whose files import others takes ``include``, the folders to look in. Both functions raise `SchemaError` for
what the language, or a record, has no form for. Text is UTF-8.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ....errors import BakeoffError, SchemaError, UsageError, hint, near
from ..layout import Layout, WireRecord

__all__ = ["ENDINGS", "LANGUAGES", "LARGEST", "UNREAD", "language_of", "read", "write"]

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "avro": (".avsc",),
    "protobuf": (".proto", ".desc", ".binpb"),
    "arrow": (".arrow", ".arrows"),
    "thrift": (".thrift",),
    "json-schema": (".schema.json",),
}
"""Endings of the files of each language; the first is what is written."""

LARGEST = 16 << 20
"""Bytes of a definition; those of the largest public schemas have some 5 million."""

UNREAD = frozenset({"thrift"})
"""Languages that are written only."""

_IMPORTING = frozenset({"protobuf", "json-schema"})
"""Languages whose files name others."""

ENDINGS = {ending: name for name, endings in LANGUAGES.items() for ending in endings}


def language_of(path: str | Path) -> str | None:
    """Return the language that a file's name tells, or None."""
    name = Path(path).name.lower()
    return next((language for ending, language in ENDINGS.items() if name.endswith(ending)), None)


def write(layout: Layout, language: str) -> bytes:
    """Return the definition of a layout in a language; the given one, where it was read from its text.

    Raises:
        UsageError: No such language, or its library is not installed.
        SchemaError: The language has no form for something.
    """
    module = _module(language)
    if layout.language == language and layout.definition:
        return layout.definition
    with _ours(layout.root.name if isinstance(layout.root, WireRecord) else "$"):
        made: bytes = module.write(layout)
    return made


def read(
    data: bytes,
    language: str,
    name: str = "the definition",
    *,
    part: str = "",
    include: Iterable[str | os.PathLike[str]] = (),
) -> Layout:
    """Return the layout of a definition.

    Args:
        data: The file.
        language: By its name.
        name: Of the file, for messages and to look for imports beside it.
        part: Name of what describes a record in it; empty for all of it, or what no other part uses.
        include: Folders that imports are looked for in first.

    Raises:
        UsageError: No such language, its library is not installed, or the file has no such part.
        SchemaError: Not a definition, with something in it that records cannot have, or with several parts
            that could be the record.
    """
    options = {"include": tuple(include)} if language in _IMPORTING else {}
    module = _module(language)
    with _ours(name):
        made: Layout = module.read(data, name, part, **options)
    return made


@contextmanager
def _ours(name: str) -> Iterator[None]:
    """Turn whatever a library or a reader raises into a `SchemaError` of this name."""
    try:
        yield
    except (BakeoffError, ImportError, MemoryError):
        raise
    except RecursionError as error:
        raise SchemaError(name, "nested too deeply") from error
    except Exception as error:
        raise SchemaError(name, f"{type(error).__name__}: {error}"[:300]) from error


def _module(language: str) -> Any:
    if language not in LANGUAGES:
        alike = hint(near(language, LANGUAGES), f"there are {', '.join(LANGUAGES)}")
        raise UsageError(f"no schema language {language!r}; {alike}")
    return import_module(f".{language.replace('-', '_')}", __name__)
