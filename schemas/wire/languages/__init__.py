"""Definitions in the languages of formats that need a schema, written from a layout and read into one.

A language is a module of this folder with two functions::

    def write(layout: Layout) -> bytes  # the file as its users know it
    def read(data: bytes, name: str, part: str = "") -> Layout

`name` is the file's, for messages. `part` is the name of a record's definition in the file. If files of the
language import others, `read` also takes ``include``, the folders to search. Both functions raise
`SchemaError` if the language or a record has no form for something. Text is UTF-8.
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
"""File extensions of each language; the first one is used for writing."""

BINARY = frozenset({"arrow"})
"""Languages whose definitions are written as bytes that are no text."""

LARGEST = 16 << 20
"""Most bytes of a definition; the largest public schemas have about 5 million."""

UNREAD = frozenset({"thrift"})
"""Languages that can only be written."""

_IMPORTING = frozenset({"protobuf", "json-schema"})
"""Languages whose files import others."""

ENDINGS = {ending: name for name, endings in LANGUAGES.items() for ending in endings}


def language_of(path: str | Path) -> str | None:
    """Return the language of a file by its name, or None."""
    name = Path(path).name.lower()
    return next((language for ending, language in ENDINGS.items() if name.endswith(ending)), None)


def write(layout: Layout, language: str) -> bytes:
    """Return the definition of a layout in a language: the original text, if there is one.

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
    """Return the layout of a definition; arguments and errors are those of `Schema.of_definition`."""
    options = {"include": tuple(include)} if language in _IMPORTING else {}
    module = _module(language)
    with _ours(name):
        made: Layout = module.read(data, name, part, **options)
    return made


@contextmanager
def _ours(name: str) -> Iterator[None]:
    """Convert any exception of a library or a reader to a `SchemaError` of this name."""
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
