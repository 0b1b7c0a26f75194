"""What should be known of a codec besides its losses, and which records that is about."""

from __future__ import annotations

from typing import Final

__all__ = ["STRANGERS", "Note", "about"]

STRANGERS: Final = "strangers"
"""A note on payloads that other software wrote."""


class Note(str):
    """A remark that is about some records only; a plain string is about all.

    Attributes:
        about: The key that `Corpus.profile` has where such values occur, or `STRANGERS`.
    """

    about: str

    def __new__(cls, text: str, about: str = "") -> Note:
        note = super().__new__(cls, text)
        note.about = about
        return note


def about(note: str) -> str:
    """Return what a note is about; empty for all records."""
    return note.about if isinstance(note, Note) else ""
