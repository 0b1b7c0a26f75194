"""Bindings of codecs to a schema: encoding, decoding, and conversion from and to the library's objects.

A library that needs to know its records in advance has its own objects, classes or definitions for them.
Only the file that declares its codecs knows these; all other code uses `Bound.take` and `Bound.give`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .limits import DEFAULT_DEPTH, Limits

DEEPEST = DEFAULT_DEPTH
"""Levels of nesting that are written and read if records may contain others of their kind.

A larger limit of depth does not raise it: fastavro takes 2 to 4 KB of stack for each level, and has no limit.
"""


def unbound(*_arguments: Any, **_options: Any) -> Any:
    """Placeholder for `encode` and `decode` of a codec without its schema.

    Raises:
        ValueError: Always.
    """
    raise ValueError("needs a schema; give it one: codec.with_schema(schema)")


class CodecProtocol(Protocol):
    """The part of a codec that schemas and framings use; `bakeoff.Codec` implements it."""

    name: str
    limits: Limits
    schema: SchemaProtocol | None
    preserves: frozenset[str]
    encodes_as: dict[str, str]

    def encode(self, obj: Any, /) -> bytes: ...
    def decode(self, data: bytes, /) -> Any: ...


class SchemaProtocol(Protocol):
    """The part of a schema that codecs use; `bakeoff.Schema` implements it."""

    types: Any
    """The tree of types, see `bakeoff.schemas.tree.types`."""

    @property
    def hashes_text_only(self) -> bool: ...
    @property
    def as_objects(self) -> bool: ...
    @property
    def has_floats(self) -> bool: ...
    @property
    def embeds(self) -> bool: ...
    @property
    def nests(self) -> bool: ...
    def __hash__(self) -> int: ...
    def as_dicts(self) -> SchemaProtocol: ...
    def fixer(self, codec: CodecProtocol, /) -> Callable[[Any], Any] | None: ...
    def refusal(self, codec: CodecProtocol, /) -> str | None: ...
    def binding(self, kind: str, /, **options: Any) -> Binding: ...


@dataclass(frozen=True, slots=True)
class Binding:
    """A library's type for the records of one schema, with conversion in both directions.

    Attributes:
        type: The library's type: a class or a parsed schema, for instance.
        take: Converts a record to the library's objects, for encoding.
        give: Converts an object that the library decoded to a record.
        definition: The schema in the format's own language, as text; empty if it has none.
        as_is: Whether records are objects of the schema's class, so that `give` has nothing to do.
        suspect: As in `Bound`.
        index: Protocol Buffers: the index of the record's message in the file that the schema was read from;
            for a nested message after those of the messages around it.
    """

    type: Any
    take: Callable[[Any], Any]
    give: Callable[[Any], Any]
    definition: str = ""
    as_is: bool = False
    suspect: tuple[bytes, ...] = ()
    index: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaIds:
    """The ids by which a schema registry knows the schemas of payloads.

    Attributes:
        own: Id of the schema to which the codec is bound; 0 until it is set, as registries count from 1.
        older: Other schemas whose payloads are read, by their ids.

    Raises:
        ValueError: An id is not an integer of 32 bits, or both own and older.
    """

    own: int = 0
    older: Mapping[int, SchemaProtocol] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number in (self.own, *self.older):
            if type(number) is not int or not 0 <= number < 1 << 32:
                raise ValueError(f"a schema id is an integer from 0 to {(1 << 32) - 1:,}, got {number!r}")
        if self.own in self.older:
            raise ValueError(f"the schema id {self.own} is the codec's own; leave it out of `older`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """`encode` and `decode` of a codec for the records of one schema.

    Attributes:
        encode: Callable ``(object) -> bytes | str``, of records as `take` makes them.
        decode: Callable ``(bytes) -> object``.
        take: Converts a dict to the object that `encode` takes; None if that is the dict itself.
        give: Converts an object from `decode` to a dict; None if it is one.
        dicts: Whether `encode` also takes dicts, in a form that `decode` reads;
            otherwise a dict is refused.
        only: Class of the objects that `encode` takes, if `decode` does not read what it writes of others;
            None for any.
        definition: The schema in the format's own language; empty if it has none.
        as_is: Whether `encode` and `decode` alone handle records that are objects of the schema's class.
        reading: ``(writer: Schema) -> decode`` for payloads written with another version of the
            schema, if the format needs to know it (Avro); None if `decode` reads them directly.
        again: Callable ``(bytes) -> object`` for payloads that `decode` refuses: it returns dicts for records
            that the schema's own classes refuse. None if `decode` builds no such objects.
        suspect: Bytes of payloads that `decode` may refuse although `encode` wrote them, such as the null
            written for NaN. A payload with such bytes is decoded before it is returned.
        head: Bytes before the body, which is what other libraries read by the definition.
        index: As in `Binding`; empty in formats whose definitions have only one record.
        deepest: `DEEPEST` if records may contain others of their kind; 0 if the schema limits nesting.
    """

    encode: Callable[..., Any]
    decode: Callable[..., Any]
    take: Callable[[Any], Any] | None = None
    give: Callable[[Any], Any] | None = None
    dicts: bool = True
    only: type[Any] | None = None
    definition: str = ""
    as_is: bool = False
    reading: Callable[[SchemaProtocol], Callable[..., Any]] | None = None
    again: Callable[[bytes], Any] | None = None
    suspect: tuple[bytes, ...] = ()
    head: int = 0
    index: tuple[int, ...] = ()
    deepest: int = 0
