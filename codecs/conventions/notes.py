"""What should be known of a codec besides its losses, and which records that is about."""

from __future__ import annotations

from typing import Final

__all__ = ["FIGURES", "GUARD", "STRANGERS", "Note", "about"]

STRANGERS: Final = "strangers"
"""A note on payloads that other software wrote."""

GUARD: Final = "guard"
"""A note on what a guard does and costs."""

FIGURES: Final = "figures"
"""A note that explains the codec's figures, whatever the records."""


class Note(str):
    """A remark that tables show beside the figures; a plain string is in `bakeoff codecs NAME` only.

    Attributes:
        about: The key that `Corpus.profile` has where such values occur, `STRANGERS`, `GUARD` or
            `FIGURES`. Tables show no note about `STRANGERS`.
    """

    about: str

    def __new__(cls, text: str, about: str = "") -> Note:
        note = super().__new__(cls, text)
        note.about = about
        return note


def about(note: str) -> str:
    """Return what a note is about; empty for a plain string."""
    return note.about if isinstance(note, Note) else ""
