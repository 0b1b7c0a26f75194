"""What codecs that need a schema become with one: both directions, and the way to their objects and back.

A library that wants to know its records beforehand has objects, classes or definitions of its own for them.
Only the file that declares its codecs knows those; to all others they are what `Bound.take` makes of records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from .safety.limits import DEFAULT_DEPTH, Limits

__all__ = ["DEEPEST", "Binding", "Bound", "CodecProtocol", "SchemaProtocol", "unbound"]

DEEPEST = DEFAULT_DEPTH
"""Levels of nesting that are written and read where records may hold others of their own kind, whatever limit
of depth is asked for: fastavro takes 2 to 4 KB of stack for each, and has no limit of its own."""


def unbound(*_arguments: Any, **_options: Any) -> Any:
    """Stand in for a direction of a codec that has not got its schema yet.

    Raises:
        ValueError: Always.
    """
    raise ValueError("needs a schema; give it one: codec.with_schema(schema)")


class CodecProtocol(Protocol):
    """What schemas and framings need to know of a codec; `bakeoff.Codec` is one."""

    name: str
    limits: Limits
    schema: SchemaProtocol | None
    preserves: frozenset[str]
    encodes_as: dict[str, str]

    def encode(self, obj: Any, /) -> bytes: ...
    def decode(self, data: bytes, /) -> Any: ...


class SchemaProtocol(Protocol):
    """What a codec needs to know of a schema; `bakeoff.Schema` is one."""

    types: Any
    """The description tree, see `bakeoff.schemas.tree.types`."""

    @property
    def hashes_text_only(self) -> bool: ...
    @property
    def embeds(self) -> bool: ...
    @property
    def nests(self) -> bool: ...
    def __hash__(self) -> int: ...
    def fixer(self, codec: CodecProtocol, /) -> Callable[[Any], Any] | None: ...
    def refusal(self, codec: CodecProtocol, /) -> str | None: ...
    def binding(self, kind: str, /, **options: Any) -> Binding: ...


@dataclass(frozen=True, slots=True)
class Binding:
    """What a library has for the records of one schema, and the way there and back.

    Attributes:
        type: What the library wants to know: a class, a parsed schema, or the like.
        take: Turns a record into the library's objects, for encoding.
        give: Turns what the library decoded into a record again.
        definition: The schema in the format's own language, as text; empty where that has none.
        as_is: Records are the library's objects, those of the schema's own class: `give` has nothing to do.
    """

    type: Any
    take: Callable[[Any], Any]
    give: Callable[[Any], Any]
    definition: str = ""
    as_is: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A codec's two directions for the records of one schema.

    Attributes:
        encode: Callable ``(object) -> bytes | str``, of records as `take` makes them.
        decode: Callable ``(bytes) -> object``.
        take: Makes of a record of dicts what `encode` takes; None where that is the record itself.
        give: Makes of what `decode` gives a record of dicts; None where it is one.
        dicts: Whether `encode` takes records of dicts as well, and `decode` reads what it writes of them;
            else a dict is refused.
        definition: The schema in the format's own language; empty where that has none.
        as_is: Records that are objects of the schema's class are written, and come back, as they are: nothing
            happens to these outside `encode` and `decode`.
        reading: ``(writer: Schema) -> decode`` of payloads that were written with another version of the
            schema, where the format wants to know that (Avro); None where `decode` reads them as they are.
        deepest: `DEEPEST` where records may hold others of their own kind; 0 where the schema ends nesting.
    """

    encode: Callable[..., Any]
    decode: Callable[..., Any]
    take: Callable[[Any], Any] | None = None
    give: Callable[[Any], Any] | None = None
    dicts: bool = True
    definition: str = ""
    as_is: bool = False
    reading: Callable[[SchemaProtocol], Callable[..., Any]] | None = None
    deepest: int = 0
