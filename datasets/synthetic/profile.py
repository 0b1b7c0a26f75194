"""The profile of records.

A profile is a tree of nodes, one for each place in the records. Counts are the number of times that each
alternative was seen, and are used as frequencies. A profile contains no value of the original: only lengths,
ranges of a fixed grid, classes of characters, and names of fields. Each field of a node names the reader that
checks its value in a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final

from .checks import MOST_ITEMS, DataProfileError, built, listed, one_of, row, text, whole_number

DEEPEST: Final = 100
"""Most levels of nesting."""
_LONGEST = 1 << 24
"""Most characters of texts, and items of lists."""

CLASSES: Final = ("a", "A", "d", "0", "h", "H", "b", "p", "n", "w", "s", "t", "f")
"""Small letters, capitals, digits (that do not begin with 0, that do), hexadecimal digits (small, capital),
letters and digits mixed, other signs, and characters beyond ASCII: to U+00FF, of two bytes in UTF-8,
surrogates, of three bytes, of four.
"""

Form = tuple[tuple[str, int], ...]
"""Runs of characters: the class, or an ASCII sign itself, and the length."""
Ranges = tuple[tuple[int, int, int], ...]
"""Lowest, highest, count."""


def _ordered(value: Any, place: str) -> tuple[int, int, int]:
    low, high, count = row(_WIDE, _WIDE, _COUNT)(value, place)
    if low > high:
        raise DataProfileError(place, "the lowest is above the highest")
    return low, high, count


def _spans(value: Any, place: str) -> Ranges:
    read: Ranges = listed(_ordered, 1)(value, place)
    if any(low < 0 or high > _LONGEST for low, high, _ in read):
        raise DataProfileError(place, f"lengths are from 0 to {_LONGEST:,}")
    return read


def _form(value: Any, place: str) -> Form:
    runs = value if isinstance(value, list) and len(value) % 2 == 0 and len(value) <= 2_000 else None
    if runs is None:
        raise DataProfileError(place, "expected a list of classes of characters and lengths")
    pairs = zip(runs[::2], runs[1::2], strict=True)
    form = tuple((_letter(letter, place), _LENGTH(length, place)) for letter, length in pairs)
    if sum(length for _, length in form) > _LONGEST:
        raise DataProfileError(place, f"a text has at most {_LONGEST:,} characters")
    return form


def _letter(value: Any, place: str) -> str:
    if not isinstance(value, str) or not (value in CLASSES or (len(value) == 1 and value.isascii())):
        raise DataProfileError(
            place, f"expected a character of ASCII or one of the classes {' '.join(CLASSES)}"
        )
    return value


def _node(value: Any, place: str) -> Node:
    if not isinstance(value, dict):
        raise DataProfileError(place, "expected an object with a kind")
    kind = value.get("kind")
    found = _KINDS.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise DataProfileError(place, f"its kind is none of {', '.join(_KINDS)}")
    node: Node = built(found, value, place, {"kind"})
    if isinstance(node, ProfileRecord):
        for _, gone in node.without:
            if gone and max(gone) >= len(node.fields):
                raise DataProfileError(f"{place}.without", f"field {max(gone)} does not exist")
    if isinstance(node, ProfileMap) and not _is_hashable(node.key):
        raise DataProfileError(f"{place}.key", "keys cannot be dicts, lists or sets")
    if isinstance(node, List) and node.type in ("set", "frozenset") and not _is_hashable(node.item):
        raise DataProfileError(f"{place}.item", "items of sets cannot be dicts, lists or sets")
    return node


def _is_hashable(node: Node) -> bool:
    if isinstance(node, ProfileValues | Alternatives):
        return all(_is_hashable(part) for _, part in node.of)
    if isinstance(node, ProfileRow):
        return node.type == "tuple" and all(map(_is_hashable, node.items))
    if isinstance(node, List):
        return node.type == "frozenset" or (node.type == "tuple" and _is_hashable(node.item))
    return not isinstance(node, ProfileRecord | ProfileMap)


def _field(value: Any, place: str) -> ProfileField:
    found: ProfileField = built(ProfileField, value, place, set())
    return found


_COUNT: Final = whole_number(0, 1 << 40)
_WIDE: Final = whole_number(-(10**400), 10**400)
_LENGTH: Final = whole_number(1, _LONGEST)
_EXPONENT: Final = whole_number(-400, 400)
_WORDS: Final = listed(row(_COUNT, _COUNT, _form), 1)
_COUNTED_NODES: Final = listed(row(_COUNT, _node), 1)


@dataclass(frozen=True, slots=True)
class Node:
    """The values at one place."""

    kind: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Null(Node):
    """None."""

    kind = "null"


@dataclass(frozen=True, slots=True)
class Bool(Node):
    """Truth values."""

    kind = "bool"
    true: int = field(metadata={"read": _COUNT})
    false: int = field(metadata={"read": _COUNT})


@dataclass(frozen=True, slots=True)
class Int(Node):
    """Whole numbers, in ranges within which all formats write them alike."""

    kind = "int"
    ranges: Ranges = field(metadata={"read": listed(_ordered, 1)})


@dataclass(frozen=True, slots=True)
class Span(Node):
    """Durations, in microseconds, as multiples of `unit`."""

    kind = "timedelta"
    ranges: Ranges = field(metadata={"read": listed(_ordered, 1)})


@dataclass(frozen=True, slots=True)
class Float(Node):
    """Floats: significant digits, decimal exponent of the first, number above 0, number below 0."""

    kind = "float"
    digits: tuple[tuple[int, int, int, int], ...] = field(
        metadata={"read": listed(row(whole_number(1, 17), _EXPONENT, _COUNT, _COUNT))}
    )
    special: tuple[tuple[str, int], ...] = field(
        metadata={"read": listed(row(one_of("0.0", "-0.0", "nan", "inf", "-inf"), _COUNT))}
    )


@dataclass(frozen=True, slots=True)
class Decimals(Node):
    """Decimals: digits, exponent of the last, number above 0, number below 0."""

    kind = "decimal"
    digits: tuple[tuple[int, int, int, int], ...] = field(
        metadata={"read": listed(row(whole_number(1, 4_300), whole_number(-4_300, 4_300), _COUNT, _COUNT), 1)}
    )


@dataclass(frozen=True, slots=True)
class Bytes(Node):
    """Bytes, or base64 text of bytes."""

    kind = "bytes"
    base64: bool = field(metadata={"read": one_of(True, False)})
    lengths: Ranges = field(metadata={"read": _spans})


@dataclass(frozen=True, slots=True)
class Uuid(Node):
    """UUIDs, or text of UUIDs."""

    kind = "uuid"
    text: str = field(metadata={"read": one_of("", "a", "A")})


@dataclass(frozen=True, slots=True)
class Moment(Node):
    """Dates and times, or their ISO 8601 text.

    Attributes:
        type: Date, time or datetime.
        separator: Between date and time of text; empty for objects.
        text: Whether it is text.
        years: First and last.
        fractions: Digits of the seconds' fraction, with counts; -1 if even seconds are omitted.
        zones: ``""``, ``"Z"``, ``"+"`` (``+0100``), ``"+:"`` (``+01:00``), with counts.
    """

    kind = "moment"
    type: str = field(metadata={"read": one_of("datetime", "date", "time")})
    text: bool = field(metadata={"read": one_of(True, False)})
    separator: str = field(metadata={"read": one_of("", "T", " ")})
    years: tuple[int, int] = field(metadata={"read": row(whole_number(1, 9999), whole_number(1, 9999))})
    fractions: tuple[tuple[int, int], ...] = field(
        metadata={"read": listed(row(whole_number(-1, 9), _COUNT), 1)}
    )
    zones: tuple[tuple[str, int], ...] = field(
        metadata={"read": listed(row(one_of("", "Z", "+", "+:"), _COUNT), 1)}
    )


@dataclass(frozen=True, slots=True)
class ProfileParts(Node):
    """Text of a fixed number of parts; for each part its forms: count, number of distinct texts, form."""

    kind = "parts"
    parts: tuple[tuple[tuple[int, int, Form], ...], ...] = field(metadata={"read": listed(_WORDS)})


@dataclass(frozen=True, slots=True)
class Prose(Node):
    """Text of words and the pieces between them.

    Attributes:
        lengths: In characters.
        widest: A class of characters that occurs in each text; empty for ASCII.
        escaped: Whether JSON has to escape a character of each text.
        words: Count, number of distinct words, form.
        between: Count, 1, form.
        starts: The piece before the first word: count, 1, form; the form may be empty.
        ends: The same after the last word.
    """

    kind = "text"
    lengths: Ranges = field(metadata={"read": _spans})
    widest: str = field(metadata={"read": text(1)})
    escaped: bool = field(metadata={"read": one_of(True, False)})
    words: tuple[tuple[int, int, Form], ...] = field(metadata={"read": listed(row(_COUNT, _COUNT, _form))})
    between: tuple[tuple[int, int, Form], ...] = field(metadata={"read": listed(row(_COUNT, _COUNT, _form))})
    starts: tuple[tuple[int, int, Form], ...] = field(metadata={"read": _WORDS})
    ends: tuple[tuple[int, int, Form], ...] = field(metadata={"read": _WORDS})


@dataclass(frozen=True, slots=True)
class ProfileValues(Node):
    """A few values, each made once: count, and node."""

    kind = "values"
    of: tuple[tuple[int, Node], ...] = field(metadata={"read": _COUNTED_NODES})


@dataclass(frozen=True, slots=True)
class Alternatives(Node):
    """Values of several kinds: count, and node."""

    kind = "any"
    of: tuple[tuple[int, Node], ...] = field(metadata={"read": _COUNTED_NODES})


@dataclass(frozen=True, slots=True)
class ProfileField:
    """A field of a record, the number of records that have it, and the node of its values."""

    key: str = field(metadata={"read": text(10_000)})
    count: int = field(metadata={"read": _COUNT})
    value: Node = field(metadata={"read": _node})


@dataclass(frozen=True, slots=True)
class ProfileRecord(Node):
    """A dict whose keys are names.

    Attributes:
        count: Number of dicts.
        fields: In the order of the keys.
        without: Counts of the sets of fields (by number from 0) that were missing together; empty if fields
            are missing independently of one another.
    """

    kind = "record"
    count: int = field(metadata={"read": _COUNT})
    fields: tuple[ProfileField, ...] = field(metadata={"read": listed(_field)})
    without: tuple[tuple[int, tuple[int, ...]], ...] = field(
        metadata={"read": listed(row(_COUNT, listed(whole_number(0, MOST_ITEMS))))}
    )


@dataclass(frozen=True, slots=True)
class ProfileMap(Node):
    """A dict whose keys are data."""

    kind = "map"
    lengths: Ranges = field(metadata={"read": _spans})
    key: Node = field(metadata={"read": _node})
    value: Node = field(metadata={"read": _node})


@dataclass(frozen=True, slots=True)
class List(Node):
    """Items of one kind."""

    kind = "list"
    type: str = field(metadata={"read": one_of("list", "tuple", "set", "frozenset")})
    lengths: Ranges = field(metadata={"read": _spans})
    item: Node = field(metadata={"read": _node})


@dataclass(frozen=True, slots=True)
class ProfileRow(Node):
    """Lists of constant length, with a separate kind for each item."""

    kind = "row"
    type: str = field(metadata={"read": one_of("list", "tuple")})
    items: tuple[Node, ...] = field(metadata={"read": listed(_node)})


_KINDS: Final[dict[str, type[Node]]] = {
    cls.kind: cls
    for cls in (
        *(Null, Bool, Int, Float, Decimals, Span, Bytes, Uuid, Moment, ProfileParts, Prose),
        *(ProfileValues, Alternatives, ProfileRecord, ProfileMap, List, ProfileRow),
    )
}


@dataclass(frozen=True, slots=True)
class DataProfile:
    """The profile of all records of a corpus.

    Attributes:
        records: Number of records.
        seen: Number of records that were read for the profile.
        record: Node of the records.
    """

    records: int = field(metadata={"read": whole_number(1, 2**53)})
    seen: int = field(metadata={"read": whole_number(1, 2**53)})
    record: Node = field(metadata={"read": _node})

    def nodes(self) -> Iterator[Any]:
        """Iterate over all nodes and fields."""
        stack: list[Any] = [self.record]
        while stack:
            one = stack.pop()
            if isinstance(one, tuple):
                stack += [part for part in reversed(one) if isinstance(part, tuple | Node | ProfileField)]
                continue
            yield one
            parts = [getattr(one, part.name) for part in reversed(fields(one))]
            stack += [part for part in parts if isinstance(part, tuple | Node | ProfileField)]
