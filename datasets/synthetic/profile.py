"""The profile of records, and how it is written to a file and read back.

A profile is a tree of nodes, one for each place in the records. Counts are the number of times that each
alternative was seen, and are used as frequencies. A profile contains no value of the original: only lengths,
ranges of a fixed grid, classes of characters, and names of fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final

from ...errors import RunError

LARGEST: Final = 64 << 20
"""Most bytes of a profile file."""
VERSION: Final = 1
DEEPEST: Final = 100
"""Most levels of nesting."""
_MOST_NODES = 100_000
_MOST_ROWS = 10_000
_LONGEST = 1 << 24
"""Most characters of texts, and items of lists."""
_LINE = 110

CLASSES: Final = ("a", "A", "d", "0", "h", "H", "b", "p", "n", "w", "s", "t", "f")
"""Small letters, capitals, digits (that do not begin with 0, that do), hexadecimal digits (small, capital),
letters and digits mixed, other signs, and characters beyond ASCII: to U+00FF, of two bytes in UTF-8,
surrogates, of three bytes, of four.
"""

Form = tuple[tuple[str, int], ...]
"""Runs of characters: the class, or an ASCII sign itself, and the length."""
Ranges = tuple[tuple[int, int, int], ...]
"""Lowest, highest, count."""


class DataProfileError(RunError):
    """A profile file cannot be used; with the place and the reason."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")


Read = Callable[[Any, str], Any]


def _whole(low: int, high: int) -> Read:
    def read_one(value: Any, place: str) -> int:
        if type(value) is not int or not low <= value <= high:
            raise DataProfileError(place, f"expected a whole number from {low:,} to {high:,}")
        return value

    return read_one


def _text(longest: int) -> Read:
    def read_one(value: Any, place: str) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise DataProfileError(place, f"expected a text of at most {longest} characters")
        return value

    return read_one


def _one_of(*choices: Any) -> Read:
    def read_one(value: Any, place: str) -> Any:
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            raise DataProfileError(place, f"expected one of {', '.join(map(json.dumps, choices))}")
        return value

    return read_one


def _listed(item: Read, least: int = 0) -> Read:
    def read_one(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not least <= len(value) <= _MOST_ROWS:
            raise DataProfileError(place, f"expected a list of {least} to {_MOST_ROWS:,} items")
        return tuple(item(one, f"{place}[{number}]") for number, one in enumerate(value))

    return read_one


def _row(*parts: Read) -> Read:
    def read_one(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(parts):
            raise DataProfileError(place, f"expected a list of {len(parts)} items")
        return tuple(
            part(one, f"{place}[{number}]")
            for number, (part, one) in enumerate(zip(parts, value, strict=True))
        )

    return read_one


def _ordered(value: Any, place: str) -> tuple[int, int, int]:
    low, high, count = _row(_WIDE, _WIDE, _COUNT)(value, place)
    if low > high:
        raise DataProfileError(place, "the lowest is above the highest")
    return low, high, count


def _spans(value: Any, place: str) -> Ranges:
    read: Ranges = _listed(_ordered, 1)(value, place)
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
    node: Node = _made(found, value, place, {"kind"})
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


def _made(cls: type[Any], value: Any, place: str, more: set[str]) -> Any:
    if not isinstance(value, dict):
        raise DataProfileError(place, "expected an object")
    names = {one.name for one in fields(cls)}
    if odd := sorted(map(str, (names | more) ^ set(value))):
        raise DataProfileError(
            place, f"{odd[0]!r} is " + ("missing" if odd[0] in names else "not known here")
        )
    return cls(
        **{one.name: one.metadata["read"](value[one.name], f"{place}.{one.name}") for one in fields(cls)}
    )


def _field(value: Any, place: str) -> ProfileField:
    found: ProfileField = _made(ProfileField, value, place, set())
    return found


_COUNT: Final = _whole(0, 1 << 40)
_WIDE: Final = _whole(-(10**400), 10**400)
_LENGTH: Final = _whole(1, _LONGEST)
_EXPONENT: Final = _whole(-400, 400)
_WORDS: Final = _listed(_row(_COUNT, _COUNT, _form), 1)
_COUNTED_NODES: Final = _listed(_row(_COUNT, _node), 1)


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
    ranges: Ranges = field(metadata={"read": _listed(_ordered, 1)})


@dataclass(frozen=True, slots=True)
class Span(Node):
    """Durations, in microseconds, as multiples of `unit`."""

    kind = "timedelta"
    ranges: Ranges = field(metadata={"read": _listed(_ordered, 1)})


@dataclass(frozen=True, slots=True)
class Float(Node):
    """Floats: significant digits, decimal exponent of the first, number above 0, number below 0."""

    kind = "float"
    digits: tuple[tuple[int, int, int, int], ...] = field(
        metadata={"read": _listed(_row(_whole(1, 17), _EXPONENT, _COUNT, _COUNT))}
    )
    special: tuple[tuple[str, int], ...] = field(
        metadata={"read": _listed(_row(_one_of("0.0", "-0.0", "nan", "inf", "-inf"), _COUNT))}
    )


@dataclass(frozen=True, slots=True)
class Decimals(Node):
    """Decimals: digits, exponent of the last, number above 0, number below 0."""

    kind = "decimal"
    digits: tuple[tuple[int, int, int, int], ...] = field(
        metadata={"read": _listed(_row(_whole(1, 4_300), _whole(-4_300, 4_300), _COUNT, _COUNT), 1)}
    )


@dataclass(frozen=True, slots=True)
class Bytes(Node):
    """Bytes, or base64 text of bytes."""

    kind = "bytes"
    base64: bool = field(metadata={"read": _one_of(True, False)})
    lengths: Ranges = field(metadata={"read": _spans})


@dataclass(frozen=True, slots=True)
class Uuid(Node):
    """UUIDs, or text of UUIDs."""

    kind = "uuid"
    text: str = field(metadata={"read": _one_of("", "a", "A")})


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
    type: str = field(metadata={"read": _one_of("datetime", "date", "time")})
    text: bool = field(metadata={"read": _one_of(True, False)})
    separator: str = field(metadata={"read": _one_of("", "T", " ")})
    years: tuple[int, int] = field(metadata={"read": _row(_whole(1, 9999), _whole(1, 9999))})
    fractions: tuple[tuple[int, int], ...] = field(metadata={"read": _listed(_row(_whole(-1, 9), _COUNT), 1)})
    zones: tuple[tuple[str, int], ...] = field(
        metadata={"read": _listed(_row(_one_of("", "Z", "+", "+:"), _COUNT), 1)}
    )


@dataclass(frozen=True, slots=True)
class ProfileParts(Node):
    """Text of a fixed number of parts; for each part its forms: count, number of distinct texts, form."""

    kind = "parts"
    parts: tuple[tuple[tuple[int, int, Form], ...], ...] = field(metadata={"read": _listed(_WORDS)})


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
    widest: str = field(metadata={"read": _text(1)})
    escaped: bool = field(metadata={"read": _one_of(True, False)})
    words: tuple[tuple[int, int, Form], ...] = field(metadata={"read": _listed(_row(_COUNT, _COUNT, _form))})
    between: tuple[tuple[int, int, Form], ...] = field(
        metadata={"read": _listed(_row(_COUNT, _COUNT, _form))}
    )
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

    key: str = field(metadata={"read": _text(10_000)})
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
    fields: tuple[ProfileField, ...] = field(metadata={"read": _listed(_field)})
    without: tuple[tuple[int, tuple[int, ...]], ...] = field(
        metadata={"read": _listed(_row(_COUNT, _listed(_whole(0, _MOST_ROWS))))}
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
    type: str = field(metadata={"read": _one_of("list", "tuple", "set", "frozenset")})
    lengths: Ranges = field(metadata={"read": _spans})
    item: Node = field(metadata={"read": _node})


@dataclass(frozen=True, slots=True)
class ProfileRow(Node):
    """Lists of constant length, with a separate kind for each item."""

    kind = "row"
    type: str = field(metadata={"read": _one_of("list", "tuple")})
    items: tuple[Node, ...] = field(metadata={"read": _listed(_node)})


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

    records: int = field(metadata={"read": _whole(1, 2**53)})
    seen: int = field(metadata={"read": _whole(1, 2**53)})
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


def _plain(value: Any) -> Any:
    if isinstance(value, Node | ProfileField):
        kind = {"kind": value.kind} if isinstance(value, Node) else {}
        return kind | {one.name: _plain_part(one.name, getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


def _plain_part(name: str, value: Any) -> Any:
    if name in ("words", "between", "starts", "ends"):
        return [_plain_word(word) for word in value]
    if name == "parts":
        return [[_plain_word(word) for word in part] for part in value]
    return _plain(value)


def _plain_word(word: tuple[int, int, Form]) -> list[Any]:
    count, different, form = word
    return [count, different, [part for run in form for part in run]]


def write(profile: DataProfile) -> bytes:
    """Return a profile as readable JSON: parts that fit are on one line.

    Raises:
        DataProfileError: The profile is larger than the limit for reading.
    """
    if sum(1 for _ in profile.nodes()) > _MOST_NODES:
        raise DataProfileError("profile", f"the records have more than {_MOST_NODES:,} different parts")
    plain = {
        "bakeoff_profile": VERSION,
        "records": profile.records,
        "seen": profile.seen,
        "record": _plain(profile.record),
    }
    return ("".join(_lines(plain, "")) + "\n").encode()


def _lines(value: Any, indent: str) -> Iterator[str]:
    text = json.dumps(value)
    if len(text) + len(indent) <= _LINE or not isinstance(value, dict | list):
        yield text
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner, before = indent + " ", opening
    for part in value:
        yield f"{before}\n{inner}"
        before = ","
        if isinstance(value, dict):
            yield f"{json.dumps(part)}: "
            yield from _lines(value[part], inner)
        else:
            yield from _lines(part, inner)
    yield f"\n{indent}{closing}"


def read(content: bytes, source: str) -> DataProfile:
    """Return the profile in a file.

    Raises:
        DataProfileError: The file is not a profile, has another version, or asks for impossible records.
    """
    from ...codecs import CodecError, codec

    try:
        plain = codec("json").with_limits(size=LARGEST, items=10_000_000, depth=1_000).decode(content)
    except CodecError as error:
        raise DataProfileError(source, f"is not a profile: {error.reason}") from error
    version = plain.pop("bakeoff_profile", None) if isinstance(plain, dict) else None
    if version != VERSION:
        told = "is not a profile" if version is None else f"is of version {version!r}"
        raise DataProfileError(source, f"{told}; version {VERSION} is read, as --save-profile writes it")
    _check_depth(plain, source)
    profile: DataProfile = _made(DataProfile, plain, source, set())
    return profile


def _check_depth(plain: Any, source: str) -> None:
    nodes, level = 0, [plain]
    for _ in range(4 * DEEPEST):
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, dict | list)
        ]
        nodes += sum(isinstance(one, dict) for one in level)
        if not level:
            break
    if level or nodes > _MOST_NODES:
        raise DataProfileError(source, f"has more than {DEEPEST} levels or {_MOST_NODES:,} parts")
