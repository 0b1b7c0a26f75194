"""Notes on codecs, each with the kind of records that it applies to."""

from __future__ import annotations

from typing import Final

STRANGERS: Final = "strangers"
"""A note on payloads that other software wrote."""

GUARD: Final = "guard"
"""A note on what a guard does and costs."""

FIGURES: Final = "figures"
"""A note for any records: it explains the codec's figures, or warns about its library."""

VERSION: Final = "version"
"""A note on a fault of the installed version of the library, for any records."""


class Note(str):
    """A remark that tables show below the figures; a plain string appears in `bakeoff codecs NAME` only.

    Attributes:
        about: The key of these values in `Corpus.profile`, or a constant of this module. Tables omit notes
            about `STRANGERS`.
    """

    about: str

    def __new__(cls, text: str, about: str = "") -> Note:
        note = super().__new__(cls, text)
        note.about = about
        return note


def about(note: str) -> str:
    """Return the `about` of a note; empty for a plain string."""
    return note.about if isinstance(note, Note) else ""
