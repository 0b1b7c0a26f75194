"""The builder of payloads from tables; each row is one case of a format.

A row has the required outcome, the name of the case, a description, and its payloads: bytes, `Repeat` and
`Fill` for payloads whose size follows the codec's limits, and functions for the few that need code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from .cases import HostileCase, Must

if TYPE_CHECKING:
    from ....codecs import Codec

DEEP = 100_000
"""Levels of nesting, more than any library supports."""
EMOJI = "😀".encode()
"""Last character of long texts: it makes Python store four bytes per character."""
_AROUND = 80
"""Bytes that suffice for every format around its items."""

Payload = bytes | Callable[["Codec"], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Repeat:
    """One payload: ``head + item * count + tail + closing * count + end``.

    Attributes:
        item: What is repeated.
        count: Number of repetitions; None for as many as the limit of size allows.
        head: The start, or a function that makes it from the count.
        tail: The bytes after the items.
        closing: Closes each item, after the tail, to build nesting.
        end: The end of the payload.
        most: The most bytes that the items take where `count` is None; None for the limit of size.
    """

    item: bytes
    count: int | None = None
    head: bytes | Callable[[int], bytes] = b""
    tail: bytes = b""
    closing: bytes = b""
    end: bytes = b""
    most: int | None = None

    def __call__(self, codec: Codec) -> Iterator[bytes]:
        count, size = self.count, codec.limits.size
        if count is None:
            room = size - len(self._head(size) + self.tail + self.end)
            if self.most is not None:
                room = min(room, self.most)
            count = room // (len(self.item) + len(self.closing))
        yield self._head(count) + self.item * count + self.tail + self.closing * count + self.end

    def _head(self, count: int) -> bytes:
        return self.head(count) if callable(self.head) else self.head


@dataclass(frozen=True, slots=True)
class Fill:
    """Two payloads: as many items as the limit of items allows, and as many as the limit of size allows.

    They take the most memory.

    Attributes:
        array: ``(count) -> payload``.
        size: Bytes of each item.
        values: Number of values that each item counts as (`Limits.items`).
        other: Number of values in the rest of the payload.
    """

    array: Callable[[int], bytes]
    size: int
    values: int = 1
    other: int = 4

    def __call__(self, codec: Codec) -> Iterator[bytes]:
        yield from map(self.array, counts(codec, self.size, self.values, self.other))


def counts(codec: Codec, size: int, values: int, other: int = 4) -> tuple[int, int]:
    """Return how many items the limits of items and of size allow; see `Fill`."""
    fitting = (codec.limits.size - _AROUND) // size
    return min(fitting, (codec.limits.items - other) // values), fitting


class FormatCase(NamedTuple):
    """One case of a format."""

    must: Must
    name: str
    what: str
    payloads: tuple[Payload, ...]


def _row(must: Must, name: str, what: str, *payloads: Payload) -> FormatCase:
    return FormatCase(must, name, what, payloads)


either = partial(_row, "either")
"""``(name, what, *payloads)`` of a case whose payloads may be accepted or refused."""
accept = partial(_row, "accept")
"""The same for payloads that must be accepted."""
refuse = partial(_row, "refuse")
"""The same for payloads that must be refused."""
limit = partial(_row, "limit")
"""The same for payloads that must be refused with a `LimitError`."""


_KINDS: Mapping[str, tuple[str, int]] = {
    "empty-lists": ("empty lists", 1),
    "empty-maps": ("empty maps", 1),
    "one-item-maps": ("maps of one item", 3),
    "short-texts": ("short texts", 1),
    "integers": ("small integers", 1),
    "floats": ("floats", 1),
    "moments": ("moments", 1),
    "tagged-moments": ("moments", 2),
}
"""The kinds of items: a description, and the number of values that each counts as."""


def fills(
    items: Mapping[str, bytes],
    array: Callable[[bytes, int], bytes],
    mapping: Callable[[int], bytes],
    pair: int,
    apart: int = 0,
) -> Iterator[FormatCase]:
    """Yield a row for a list of each kind of item, and one for a map of many keys.

    Args:
        items: Kind, one of `_KINDS`, to one encoded item.
        array: ``(item, count) -> payload``.
        mapping: ``(count) -> payload`` with that many different keys.
        pair: Bytes of a key with its value.
        apart: Bytes that a list adds to each item.
    """
    for kind, item in items.items():
        words, values = _KINDS[kind]

        def lists(count: int, item: bytes = item) -> bytes:
            return array(item, count)

        fill = Fill(lists, len(item) + apart, values)
        yield either(f"fill-{kind}", f"{words} to the limits of items and of size", fill)
    words = "a map of many keys to the limits of items and of size"
    yield either("fill-keys", words, Fill(mapping, pair, 2))


def joined(*parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield every combination of one of each."""
    return map(b"".join, product(*parts))


def table(wires: str | Iterable[str] | None, *rows: FormatCase, pack: bool = True) -> tuple[HostileCase, ...]:
    """Return the cases of a format.

    Args:
        wires: Where the rows apply: a format, the name of one codec, or another of `collection.wires`; None
            for all codecs.
        pack: Compress the payloads for codecs that compress.
    """
    known = wires if wires is None else frozenset([wires] if isinstance(wires, str) else wires)
    return tuple(
        HostileCase("decode", name, what, _maker(payloads, pack), must, known, payloads)
        for must, name, what, payloads in rows
    )


def _maker(payloads: tuple[Payload, ...], pack: bool) -> Callable[[Codec], Iterator[bytes]]:
    def make(codec: Codec) -> Iterator[bytes]:
        for payload in payloads:
            for made in payload(codec) if callable(payload) else (payload,):
                yield codec.compression.compress(made) if pack and codec.compression else made

    return make
