"""How a definition, and what in it describes a record, is named: ``FILE.proto#Message``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from .wire.languages import language_of

__all__ = ["Named", "definition_of", "is_definition"]


@dataclass(frozen=True, slots=True)
class Named:
    """A definition as somebody typed it.

    Attributes:
        path: The file.
        part: What describes a record in it; empty where that is left to the file.
        language: By its name in `bakeoff.schemas.wire.languages`.
    """

    path: str
    part: str
    language: str


def definition_of(text: str) -> Named | None:
    """Return which definition a text names, by its form; None for what is Python or a corpus.

    A file of that whole name goes before one with a part.

    Raises:
        UsageError: It names a part as those of Python are named.
    """
    if (language := _language(text)) is not None and ("#" not in text or Path(text).exists()):
        return Named(text, "", language)
    for at in (i for i, letter in enumerate(text) if letter == "#"):
        if (language := _language(text[:at])) is not None:
            return Named(text[:at], text[at + 1 :], language)
    path, colon, part = text.rpartition(":")
    if colon and _language(path) is not None:
        raise UsageError(f"{text}: name a part of a definition after a #: {path}#{part}")
    return None


def is_definition(text: str) -> bool:
    """Whether a text names a definition, which is read; Python is run."""
    try:
        return definition_of(text) is not None
    except UsageError:
        return False


def _language(path: str) -> str | None:
    """Return the language of a file where a schema is wanted: JSON can be nothing else there."""
    return language_of(path) or ("json-schema" if path.lower().endswith(".json") else None)
