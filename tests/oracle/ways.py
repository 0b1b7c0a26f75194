"""Ways through a codec: its calls, a stream, and a schema of dicts or of objects."""

from __future__ import annotations

import datetime as dt
import decimal
import functools
import io
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import Codec, DecodeError, EncodeError
from bakeoff.codecs.conventions.classes import fields_of, record_class
from bakeoff.codecs.conventions.tokens import token_of
from bakeoff.errors import UsageError
from bakeoff.schemas import Hint, Schema

from .classes import Generic
from .compose import catalog, key_catalog
from .judge import wrong
from .values import Value


class Way(NamedTuple):
    """How records are written and read.

    Attributes:
        write: Returns a payload, or raises `EncodeError`.
        read: Returns the record of a payload.
    """

    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]


def called(codec: Codec) -> Way:
    """Return the codec's calls."""
    return Way(codec.encode, codec.decode)


def streamed(codec: Codec) -> Way:
    """Return what writes a record twice to a stream, and reads both."""

    def write(record: Any) -> bytes:
        file = io.BytesIO()
        codec.dump([record, record], file)
        return file.getvalue()

    def read(payload: bytes) -> Any:
        _, second = codec.load(io.BytesIO(payload))
        return second

    return Way(write, read)


def taken(codec: Codec) -> Way:
    """Return the calls with the conversions to and from the objects of the codec's library."""
    take, give = (codec.bound.take, codec.bound.give) if codec.bound else (None, None)

    def write(record: Any) -> bytes:
        try:
            made = take(record) if take else record
        except ValueError as error:
            raise EncodeError(codec.name, str(error)) from error
        return codec.encode(made)

    def read(payload: bytes) -> Any:
        found = codec.decode(payload)
        return give(found) if give else found

    return Way(write, read)


def given(codec: Codec) -> Way:
    """Return the same without the first of these conversions."""
    return Way(codec.encode, taken(codec).read)


def ways_of(codec: Codec | None) -> list[Way]:
    """Return the ways of records through a codec with a schema; none if it refused the schema."""
    if codec is None:
        return []
    return [taken(codec), given(codec)] if codec.needs_schema else [called(codec)]


def unexplained(codec: Codec, way: Way, value: Value, *, schema: bool = False) -> str | None:
    """Return what is wrong with the codec's answer for a value.

    Args:
        codec: The codec.
        way: A way through it.
        value: The record.
        schema: Whether a schema declares the types of all values.
    """
    try:
        payload = way.write(value.given)
    except EncodeError:
        return None
    try:
        found = way.read(payload)
    except (DecodeError, ValueError, TypeError) as error:
        return f"cannot be read: {error}"
    if not schema:
        return wrong(codec, value, found)
    faults = [wrong(codec, each, found, schema=True) for each in (value, *_otherwise(value))]
    return faults[0] if all(faults) else None


def _otherwise(value: Value) -> Iterator[Value]:
    """Yield other plain values of an object with a schema.

    They are all fields of a Struct, whether it is an array or leaves out defaults, and the list of a named
    tuple, which a schema builds only if it builds objects.
    """
    if type(value.given) is dict and "v" in value.given:
        for inner in _otherwise(Value(value.kind, value.given["v"], value.meant["v"])):
            yield Value(value.kind, value.given, value.meant | {"v": inner.meant})
    known = record_class(type(value.given))
    if known is not None and known.family == "namedtuple":
        yield Value(value.kind, value.given, list(value.meant))
    if known is not None and known.family == "struct":
        yield Value(
            value.kind, value.given, dict(zip(known.keys, fields_of(value.given).values(), strict=True))
        )


# schemas ------------------------------------------------------------------------------------------------


def _either(values: Sequence[Any], empty: Any) -> Any:
    kinds = list(dict.fromkeys(map(type_of, values)))
    return functools.reduce(operator.or_, kinds) if kinds else empty


def type_of(value: Any) -> Any:
    """Return a type to declare for a plain value."""
    match value:
        case list():
            return list[_either(value, int)]  # type: ignore[misc]
        case tuple():
            return tuple[tuple(map(type_of, value))]  # type: ignore[misc]
        case set():
            return set[_either([*value], int)]  # type: ignore[misc]
        case frozenset():
            return frozenset[_either([*value], int)]  # type: ignore[misc]
        case dict():
            return dict[_either([*value], str), _either([*value.values()], int)]  # type: ignore[misc]
    return Annotated[int, Hint(big=True)] if token_of(value) == "bigint" else type(value)


def declared(value: Value) -> Any:
    """Return the type that a user declares for a value: its class, if it has fields or is an enumeration."""
    kind = type(value.given)
    if record_class(kind) is not None or token_of(value.given) == "enum":
        return kind
    return type_of(value.meant)


def look_alikes() -> Iterator[tuple[Any, Value]]:
    """Yield types with two values that are equal, or the same text as keys, and records of them."""
    kinds: list[tuple[Any, tuple[Any, ...]]] = [
        (Literal[1, True], (1, True)),
        (dict[int | str, int], ({1: 2}, {"1": 2})),
        (dict[bool | str, int], ({True: 2}, {"true": 2})),
        (dict[Literal["1", 1], int], ({1: 2}, {"1": 2})),
    ]
    for kind, kept in kinds:
        for each in kept:
            yield ("v", kind), Value(f"{kind}", {"v": each, "z": 1}, {"v": each, "z": 1})


def _generics() -> Iterator[tuple[Any, Any]]:
    """Yield generic classes with arguments, and a value of their field."""
    for value in (decimal.Decimal("1.10"), dt.date(2020, 1, 2), [decimal.Decimal(1)], {dt.time(1): 2}):
        yield Generic[type_of(value)], value
        yield Generic[type_of(value) | None], value


@functools.cache
def typed() -> list[tuple[Any, Value]]:
    """Return the types and the values of records that hold each value, key, and item of a set."""
    made: list[tuple[Any, Value]] = []
    for value in catalog():
        if value.kind == "dict with a library's keys":
            continue  # of unions whose options no payload tells apart
        record = Value(value.kind, {"v": value.given, "z": 1}, {"v": value.meant, "z": 1})
        made.append((("v", declared(value)), record))
    for key in key_catalog():
        if isinstance(key.given, tuple) and type(key.given) is not tuple:
            continue  # an array, which is no key
        kind = declared(key)
        keyed = Value(f"key: {key.kind}", {"v": {key.given: 1}, "z": 1}, {"v": {key.meant: 1}, "z": 1})
        made.append((("v", dict[kind, int]), keyed))  # type: ignore[valid-type]
        item = Value(f"item of a set: {key.kind}", {"v": {key.given}, "z": 1}, {"v": {key.meant}, "z": 1})
        made.append((("v", set[kind]), item))  # type: ignore[valid-type]
    made += [(kind, Value(f"{kind}", Generic(each), {"held": each})) for kind, each in _generics()]
    objects = (value for value in catalog() if record_class(type(value.given)) is not None)
    made += [(type(each.given), Value(f"record: {each.kind}", each.given, each.meant)) for each in objects]
    return made


@functools.cache
def _schema(kind: Any, as_objects: bool) -> Schema:
    return Schema({kind[0]: kind[1], "z": int} if not is_class(kind) else kind, as_objects=as_objects)


def is_class(kind: Any) -> bool:
    """Whether a kind of `typed` is the class of the record."""
    return type(kind) is not tuple


def bound(codec: Codec, kind: Any, *, as_objects: bool = False) -> Codec | None:
    """Return a codec of records of a type, or of a field of one; None if it refuses to be bound."""
    try:
        return codec.with_schema(_schema(kind, as_objects))
    except UsageError:  # the format has no such type
        return None


def rebuilt(way: Way, value: Value, codec: Codec) -> str | None:
    """Return what is wrong with an object that a schema builds: not equal, and no dict of its fields."""
    try:
        payload = way.write(value.given)
    except EncodeError:
        return None
    try:
        found = way.read(payload)
    except (DecodeError, ValueError, TypeError) as error:
        return f"cannot be read: {error}"
    if type(found) is type(value.given) and equal(found, value.given):
        return None
    faults = [wrong(codec, each, found, schema=True) for each in (value, *_otherwise(value))]
    return f"{value.given!r} came back as {found!r}" if all(faults) else None
