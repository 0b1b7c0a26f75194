"""Notes on codecs, each with the kind of records that it applies to."""

from __future__ import annotations

from typing import Final, Self

STRANGERS: Final = "strangers"
"""A note on payloads that other software wrote."""

GUARD: Final = "guard"
"""A note on what a guard does and costs."""

FIGURES: Final = "figures"
"""A note for any records: it explains the codec's figures, or warns about its library."""

VERSION: Final = "version"
"""A note on a fault of the installed version of the library, for any records."""

MERGED: Final = "dict keys that are written alike (a date and its ISO 8601 text) become one"
"""A loss of codecs whose libraries write keys one by one."""

MEMBERS: Final = (
    "members of enums that extend text or integers are written as these, also if they have another value"
)
"""A loss of libraries in which a look for such enums would be felt in each dump."""

FIELDS_ONLY: Final = "dataclasses that extend text, bytes, numbers or times are written as their fields only"
"""A loss of libraries that write dataclasses themselves, in which a look for these would take too long."""

UNSET_FIELDS: Final = "fields of dataclasses with `init=False` are not written while they have their default"
"""A loss of libraries that write the attributes of an instance, without those of its class."""

OBJECT_KEYS: Final = "dict keys that are objects with fields, or hold some, make the payload unreadable"
"""A loss of libraries that write MessagePack's maps as keys, but do not read them."""

NO_OFFSET: Final = "datetimes whose `utcoffset()` is None are written as in UTC"
"""A loss of libraries that ask only whether a datetime has a zone."""


class Note(str):
    """A remark that tables show below the figures; a plain string appears in `bakeoff codecs NAME` only.

    Attributes:
        about: The key of these values in `Corpus.profile`, or a constant of this module. Tables omit notes
            about `STRANGERS`.
    """

    about: str

    def __new__(cls, text: str, about: str = "") -> Self:
        note = super().__new__(cls, text)
        note.about = about
        return note


class Cost(Note):
    """A note that what is ours costs more than usual on some records; `benchmarks shapes` checks the bound.

    Args:
        what: What takes the time, as a clause.
        about: As in `Note`.
        operation: "dump" or "load".
        most: Upper bound of the cost, as a multiple of the library's own call.
        said: Whether `what` has the bound already.
    """

    operation: str
    most: float

    def __new__(
        cls, what: str, about: str = "", operation: str = "", most: float = 0.0, *, said: bool = False
    ) -> Self:
        bound = "" if said or not operation else f": {operation} takes up to {most:g}× the library's own call"
        note = super().__new__(cls, f"{what}{bound}", about)
        note.operation, note.most = operation, most
        return note


def costly_keys(most: float) -> Cost:
    """Return the note of a codec whose library writes other keys than text by an option, which is checked."""
    what = "checks dict keys other than text, as the library writes some differently, or two alike"
    return Cost(what, "key_other", "dump", most)


def counted_levels(most: float) -> Cost:
    """Return the note of a codec that counts the levels of payloads that may be nested too deep."""
    return Cost("checks the depth of payloads with more than 120 containers", "containers_mean", "load", most)


def objects_in_python(most: float) -> Cost:
    """Return the note of a codec whose library writes some objects of classes unlike the conventions."""
    what = "converts objects of classes in Python, as the library writes some differently"
    return Cost(what, "objects", "dump", most)


def about(note: str) -> str:
    """Return the `about` of a note; empty for a plain string."""
    return note.about if isinstance(note, Note) else ""
