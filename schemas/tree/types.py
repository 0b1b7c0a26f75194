"""The structure of records as a tree of small immutable objects, with one class for each kind of type.

The tree is public. Declarations and inference build it. All code that uses a schema walks it: the compiler,
the description of a plan, the generator of Python source, the bindings.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ...codecs.conventions.rules import SCALARS
from ...codecs.paths import step

Encoding = Literal["base64", "base64url", "hex"]
TimeUnit = Literal["s", "ms", "us", "ns"]
Severity = Literal["error", "note", "ignore"]


@dataclass(frozen=True, slots=True)
class Type:
    """Base class of all descriptions; `str` returns the name that advice shows."""

    def __str__(self) -> str:
        return _NAMES[type(self)]


def _option(
    hint: str, words: str | Mapping[Any, str], widest: tuple[bool | None, ...] = ()
) -> dict[str, Any]:
    """Return the metadata of an option. Declarations, Python source and comparisons read them.

    Args:
        hint: Its name in `bakeoff.schemas.Hint`.
        words: What a comparison says of a value that is not the default: a format, or a text for each value.
        widest: The value with which a type accepts what it accepts with any other; none for an option of the
            written form.
    """
    return {"hint": hint, "words": words, "widest": widest}


@dataclass(frozen=True, slots=True)
class AnyType(Type):
    """Anything; never visited."""


@dataclass(frozen=True, slots=True)
class NoneType(Type):
    """``None``."""


@dataclass(frozen=True, slots=True)
class BoolType(Type):
    """``bool``."""


@dataclass(frozen=True, slots=True)
class IntType(Type):
    """``int``.

    Attributes:
        big: Whether it may exceed 64 bits. Formats without larger integers write these as text, so each value
            is checked after them. Other ints are not checked: after such a format, larger ones are text,
            which is corrected with advice.
    """

    big: bool = field(default=False, metadata=_option("big", "beyond 64 bits", widest=(True,)))


@dataclass(frozen=True, slots=True)
class FloatType(Type):
    """``float``."""


@dataclass(frozen=True, slots=True)
class ComplexType(Type):
    """``complex``; checked, never converted, because no format has a convention for it."""


@dataclass(frozen=True, slots=True)
class StrType(Type):
    """``str``."""


@dataclass(frozen=True, slots=True)
class BytesType(Type):
    """``bytes``.

    Attributes:
        encoding: Encoding in formats without bytes.
    """

    encoding: Encoding = field(default="base64", metadata=_option("encoding", "as {}"))


@dataclass(frozen=True, slots=True)
class ByteArrayType(Type):
    """``bytearray``.

    Attributes:
        encoding: Encoding in formats without bytes.
    """

    encoding: Encoding = field(default="base64", metadata=_option("encoding", "as {}"))


@dataclass(frozen=True, slots=True)
class DateTimeType(Type):
    """``datetime.datetime``.

    Attributes:
        epoch: Unit of the number since 1970-01-01T00:00Z on the wire; None if it is not a number.
        aware: True with an offset, False without, None for either.
    """

    epoch: TimeUnit | None = field(default=None, metadata=_option("epoch", "in {} since 1970"))
    aware: bool | None = field(
        default=None,
        metadata=_option("aware", {True: "with an offset", False: "without offset"}, widest=(None,)),
    )


@dataclass(frozen=True, slots=True)
class DateType(Type):
    """``datetime.date``."""


@dataclass(frozen=True, slots=True)
class TimeDeltaType(Type):
    """``datetime.timedelta``.

    Attributes:
        unit: Unit of the number on the wire; None if it is not a number.
    """

    unit: TimeUnit | None = field(default=None, metadata=_option("epoch", "in {}"))


@dataclass(frozen=True, slots=True)
class DecimalType(Type):
    """``decimal.Decimal``."""


@dataclass(frozen=True, slots=True)
class UUIDType(Type):
    """``uuid.UUID``."""


@dataclass(frozen=True, slots=True)
class TextType(Type):
    """A type without options that formats write as text; see `bakeoff.codecs.conventions.rules`.

    Attributes:
        kind: The Python type.
    """

    kind: type

    def __str__(self) -> str:
        return self.kind.__name__


@dataclass(frozen=True, slots=True)
class EnumType(Type):
    """A closed table of values. Members are never looked up by a name from the wire."""

    cls: type[enum.Enum]

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True, slots=True)
class LiteralType(Type):
    """One of some values; `str`, `int`, `bool` and None are compared with their types."""

    values: tuple[str | int | bool | None, ...]

    def __str__(self) -> str:
        return " | ".join(repr(value) for value in self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LiteralType) and _typed(self.values) == _typed(other.values)

    def __hash__(self) -> int:
        return hash(self.values)


@dataclass(frozen=True, slots=True)
class CollectionType(Type):
    """Base class of collections of any length, of one kind of item; see `COLLECTIONS`."""

    item: Type


class ListType(CollectionType):
    """``list``."""

    __slots__ = ()


class VarTupleType(CollectionType):
    """``tuple`` of any length."""

    __slots__ = ()


class SetType(CollectionType):
    """``set``."""

    __slots__ = ()


class FrozenSetType(CollectionType):
    """``frozenset``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TupleType(Type):
    """``tuple`` of a fixed length."""

    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class DictType(Type):
    """``dict`` as a map: any keys of one kind."""

    key: Type
    value: Type


@dataclass(frozen=True, slots=True)
class UnionType(Type):
    """One of several types. If a text fits two of them, the more specific one is used."""

    options: tuple[Type, ...]

    def __str__(self) -> str:
        return " | ".join(str(option) for option in self.options)

    def __eq__(self, other: object) -> bool:
        # `typing` caches unions by equality, which ignores the order of their options.
        return isinstance(other, UnionType) and set(self.options) == set(other.options)

    def __hash__(self) -> int:
        return hash(frozenset(self.options))


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record.

    Attributes:
        name: The key on the wire.
        type: Expected type of its value.
        required: Whether a missing field is advised.
        severity: ``"error"``; ``"note"`` (never raises in strict mode); ``"ignore"`` (corrected silently).
        attribute: Name in the class, if it differs from `name`.
        rooted: Its annotation in the class, if that has pydantic RootModels; None for others. In the tree of
            types, a RootModel is what it holds.
    """

    name: str
    type: Type
    required: bool = True
    severity: Severity = "error"
    attribute: str = ""
    rooted: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RecordType(Type):
    """A dict with known fields.

    Attributes:
        name: Name of its class, or an invented name.
        fields: In order.
        cls: The class that `Schema(..., as_objects=True)` builds; None for plain dicts.
        positional: Whether the wire has a list of its values (named tuples).
        arguments: The types in place of the parameters of a generic class.
    """

    name: str
    fields: tuple[Field, ...]
    cls: type[Any] | None = field(default=None)
    positional: bool = False
    arguments: tuple[Any, ...] = ()

    @property
    def declared(self) -> Any:
        """The class with its arguments, as an annotation; None for plain dicts."""
        return self.cls[self.arguments] if self.arguments else self.cls  # type: ignore[index]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class RefType(Type):
    """A record that is described elsewhere in the tree: an enclosing record, or one before this place.

    References keep the tree finite, because walks do not enter them: `children` yields nothing below a
    reference. They also keep it small: a type that contains references is described in one place. References
    are equal if their names are equal; a tree has no two referenced records of one name.

    Attributes:
        name: Name of the record.
    """

    name: str
    _bound: list[RecordType] = field(default_factory=list, compare=False, repr=False)

    def bind(self, record: RecordType) -> None:
        """Bind the reference to its record, once the record is complete."""
        self._bound[:] = [record]

    @property
    def is_bound(self) -> bool:
        """Whether the record is complete."""
        return bool(self._bound)

    @property
    def record(self) -> RecordType:
        """The record itself.

        Raises:
            LookupError: The record is not complete yet.
        """
        if not self._bound:
            raise LookupError(f"the record {self.name} is not complete yet")
        return self._bound[0]

    def __str__(self) -> str:
        return self.name


LEAVES: dict[type, Type] = {
    type(None): NoneType(),
    bool: BoolType(),
    int: IntType(),
    float: FloatType(),
    complex: ComplexType(),
    str: StrType(),
    bytes: BytesType(),
    bytearray: ByteArrayType(),
    dt.datetime: DateTimeType(),
    dt.date: DateType(),
    dt.timedelta: TimeDeltaType(),
    decimal.Decimal: DecimalType(),
    uuid.UUID: UUIDType(),
    **{scalar.type: TextType(scalar.type) for scalar in SCALARS if scalar.read is not None},
}
"""The descriptions of Python's types without parts, for declaration, inference and printing."""

PYTHON: dict[type[Type], type] = {
    type(leaf): kind for kind, leaf in LEAVES.items() if not isinstance(leaf, TextType)
}
"""The Python types of descriptions without parts that have a separate class."""

COLLECTIONS: dict[type[CollectionType], type] = {
    ListType: list,
    VarTupleType: tuple,
    SetType: set,
    FrozenSetType: frozenset,
}
"""The Python types of collections."""

_NAMES: dict[type[Type], str] = {
    node: kind.__name__ for node, kind in (PYTHON | COLLECTIONS | {TupleType: tuple, DictType: dict}).items()
} | {AnyType: "Any", NoneType: "None"}


def python_type(node: Type) -> type:
    """Return the Python type of a description without parts."""
    return node.kind if isinstance(node, TextType) else PYTHON[type(node)]


def collection(node: Type) -> type:
    """Return the Python type of a description of a collection: list, tuple, set or frozenset."""
    return COLLECTIONS[type(node)]  # type: ignore[index]


class Option(NamedTuple):
    """An option of a type, with its value.

    Attributes:
        hint: Its name in `bakeoff.schemas.Hint`.
        attribute: Its name in the description.
        value: Its value.
        words: What a comparison says of the value; empty for the default, which needs no hint.
    """

    hint: str
    attribute: str
    value: Any
    words: str


def options(node: Type) -> Iterator[Option]:
    """Yield the options of a type."""
    for spec in dataclasses.fields(node):
        if spec.metadata:
            value, words = getattr(node, spec.name), spec.metadata["words"]
            said = words.format(value) if isinstance(words, str) else words.get(value, "")
            yield Option(spec.metadata["hint"], spec.name, value, said if value != spec.default else "")


def includes(wide: Type, narrow: Type) -> bool:
    """Return whether a type without parts accepts every value of another, in the same written form."""
    return wide == narrow or (
        type(wide) is type(narrow)
        and all(
            (value := getattr(wide, spec.name)) == getattr(narrow, spec.name)
            or value in spec.metadata.get("widest", ())
            for spec in dataclasses.fields(wide)
        )
    )


def children(node: Type) -> Iterator[tuple[str, Type]]:
    """Yield the path part and description of everything directly below `node`.

    Parts are ``.name`` for fields, ``[]`` for items, ``[0]`` for places of a tuple, ``{}`` for the
    values and ``{key}`` for the keys of a map, and nothing for the options of a union. A reference to an
    enclosing record has nothing below it.
    """
    match node:
        case CollectionType(item):
            yield "[]", item
        case TupleType(items):
            yield from ((f"[{i}]", item) for i, item in enumerate(items))
        case DictType(key, value):
            yield "{key}", key
            yield "{}", value
        case UnionType(options):
            yield from (("", option) for option in options)
        case RecordType(fields=fields):
            yield from ((step(field.name), field.type) for field in fields)


def walk(node: Type, path: str = "$") -> Iterator[tuple[str, Type]]:
    """Yield path and description of `node` and of everything below it, parents first."""
    yield path, node
    for part, child in children(node):
        yield from walk(child, path + part)


def nests(node: Type) -> bool:
    """Return whether a record at `node` or below it may contain others of its own kind."""
    return any(isinstance(each, RefType) for _, each in walk(node))


def _typed(values: tuple[object, ...]) -> list[tuple[type, object]]:
    return [(type(value), value) for value in values]
