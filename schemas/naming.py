"""Names of definitions and of the records in them: ``FILE.proto#Message``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from .wire.languages import language_of


@dataclass(frozen=True, slots=True)
class NamedDefinition:
    """A definition as the user typed it.

    Attributes:
        path: The file.
        part: Name of the record's definition in the file; empty to let the file decide.
        language: A name from `bakeoff.schemas.wire.languages`.
    """

    path: str
    part: str
    language: str


def definition_of(text: str) -> NamedDefinition | None:
    """Return the definition that a text names, or None for Python and corpora; only its form counts.

    A file whose whole name matches has precedence over a file with a part.

    Raises:
        UsageError: The part is written after a colon, as in Python.
    """
    if (language := _language(text)) is not None and ("#" not in text or Path(text).exists()):
        return NamedDefinition(text, "", language)
    for at in (i for i, letter in enumerate(text) if letter == "#"):
        if (language := _language(text[:at])) is not None:
            return NamedDefinition(text[:at], text[at + 1 :], language)
    path, colon, part = text.rpartition(":")
    if colon and _language(path) is not None:
        raise UsageError(f"{text}: name a part of a definition after a #: {path}#{part}")
    return None


def is_definition(text: str) -> bool:
    """Return whether a text names a definition, which is only read. Python would be run."""
    try:
        return definition_of(text) is not None
    except UsageError:
        return False


def _language(path: str) -> str | None:
    """Return the language of a file that must be a schema, so JSON can only be JSON Schema."""
    return language_of(path) or ("json-schema" if path.lower().endswith(".json") else None)
