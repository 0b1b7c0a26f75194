"""Changing from one codec to another while messages of both are in transit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..core.codec import Codec
from ..errors import CodecError, DecodeError, LimitError
from ..factory import codec

TYPICAL: tuple[Any, ...] = (
    {}, {"a": 1}, {"a": "b", "c": None}, {"id": 7, "in": {"x": [1, 2.5, "y", True]}}, {"k" * 40: "v" * 300},
    {f"k{n}": n for n in range(20)}, {"a": 1e300, "b": -1e-300}, {"é": "\x7f\x85\u2028"},
    [], [1], ["a"], [1, 2], ["a", "b"], [None, True, 1.5], [{"a": 1}], [[1], ["a"]], list(range(9)), [1e300],
    "", "a", "1", "ab", "[1]", "{}", "true", "t" * 40, "é", 0, 1, 7, 48, 100, 127, -1, 1000, 2**40, 1.5,
    1e300, True, False, None,
)  # fmt: skip
"""Records of every kind, mostly short ones: short payloads are easily mistaken for another format's."""

CONTAINERS = frozenset({dict, list, tuple})
"""The types that a few records can show to be safe; a scalar of one format may be a scalar of another."""


def migrate(old: Codec | str, new: Codec | str) -> Codec:
    """Return a codec that reads payloads of two codecs and writes those of the new one.

    For queues and caches that contain both while services move to another lock. Deploy it first to services
    that only read, then to those that write; when no old payload is left, use `new` alone.

    A payload is first decoded by the codec that cannot mistake the other's payloads for its own. That depends
    on the kind of record, and is tested when this is called. If neither is safe, as with single numbers and
    texts, both decode each payload; two different results are an error. A list
    and a tuple of the same items count as the same. If messages name their media type, use that instead:
    ``by_media_type(type, [new, old])``.

    Args:
        old: The codec of old payloads, or its name; trusted and with a schema, if it needs that.
        new: The codec of new payloads, or its name.

    Raises:
        CodecError: One of them cannot be used without a schema, and has none.
        UnknownCodec: No codec has that name.
        MissingLibrary: The library of a codec is not installed.
    """
    old = codec(old) if isinstance(old, str) else old
    new = codec(new) if isinstance(new, str) else new
    for each in (old, new):
        if each.needs_schema and each.schema is None:
            raise CodecError(each.name, "needs a schema before it can read: use with_schema(...)")
    # A codec that needs trust decodes the other's payloads only if there is no other way.
    orders = [(new, old), (old, new)]
    choices = [
        (_safe(first, second), first, second)
        for first, second in orders
        if second.trusted_only or not first.trusted_only
    ]
    safe, first, second = max(choices, key=lambda choice: len(choice[0]))
    read = _Reader(first, second, safe & CONTAINERS)
    return Codec(
        f"{old.name} to {new.name}",
        f"{old.format} to {new.format}",
        new.encode,
        read,
        readers=(new, old),
        content_encoding=new.content_encoding,
        file_extension=new.file_extension,
        framing=new.framing,
        interoperable=new.interoperable,
        preserves=old.preserves & new.preserves,
        losses=new.losses,
        limits=new.limits.changed(size=max(new.limits.size, old.limits.size)),
        library=new.library,
        version=new.version,
        accelerated=new.accelerated,
        trusted=True,
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads payloads of two codecs.

    Attributes:
        first: The codec that is tried first.
        second: The codec for payloads that the first refuses or might mistake.
        safe: The types in `CONTAINERS` that the first codec decodes from its own payloads only.
    """

    first: Codec
    second: Codec
    safe: frozenset[type]

    def __call__(self, data: bytes) -> Any:
        try:
            record = self.first.decode(data)
        except DecodeError as error:
            return self._by_second(data, error)
        if type(record) in self.safe:
            return record
        try:
            other_record = self.second.decode(data)
        except LimitError:
            raise
        except DecodeError:
            return record
        if _alike(record, other_record):
            return record
        raise DecodeError(
            self.first.name,
            f"as {self.second.name} it is another record, {other_record!r:.60} instead of {record!r:.60}; "
            "distinguish payloads by media type (bakeoff.codecs.by_media_type)",
        )

    def _by_second(self, data: bytes, refusal: DecodeError) -> Any:
        try:
            record = self.second.decode(data)
        except DecodeError as error:
            kind = LimitError if LimitError in map(type, (refusal, error)) else DecodeError
            raise kind(self.first.name, f"{refusal.reason}; as {self.second.name}: {error.reason}") from error
        # To YAML, any XML is a text.
        if isinstance(refusal, LimitError) and type(record) not in CONTAINERS:
            raise refusal
        return record


def _alike(one: Any, other: Any) -> bool:
    """Whether two records are the same: 1, True and 1.0 differ; a list equals a tuple, and NaN equals NaN."""
    if type(one) in (list, tuple) and type(other) in (list, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(map(_alike, one.items(), other.items()))
    return bool(one == other or (one != one and other != other))


def _safe(first: Codec, second: Codec) -> frozenset[type]:
    """Return the types of records that the first codec never decodes from payloads of the second."""
    mistaken = {type(record) for record in _mistaken(first, second)}
    return CONTAINERS.union(map(type, TYPICAL)) - mistaken


def _mistaken(first: Codec, second: Codec) -> Iterator[Any]:
    """Yield the records that the first codec decodes wrongly from payloads of the second."""
    for record in TYPICAL:
        try:
            payload = second.encode(record)
            found = first.decode(payload)
        except CodecError:
            continue
        if not _alike(found, second.decode(payload)):
            yield found
