"""The sample of a corpus, one pickle per record, so that every process can make fresh records."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...codecs.conventions.arrays import kind_of
from ...codecs.conventions.classes import fields_of
from ...codecs.conventions.tokens import TOKENS

_OVERHEAD = 16
"""Fixed bytes per record, in the weight of a record."""

_MOST_PARTS = 1_000_000
"""Most values and keys of a record to inspect."""

_NUMBERS = frozenset({int, float, bool, type(None)})

_KNOWN = tuple({token.kind for token in TOKENS})
"""Types whose values cache nothing when they are encoded."""


@dataclass(frozen=True, slots=True)
class PickledSample:
    """Records as pickles, with facts for the timing.

    Attributes:
        pickles: One per record, in shuffled order, so that neighbors are a random part.
        weights: Size of each record relative to the mean record.
        fresh: Encoding may cache something in a record (the UTF-8 form of text that is not ASCII), so a new
            record is needed for each timed encode.
    """

    pickles: list[bytes]
    weights: list[float]
    fresh: bool

    def stored(self) -> bytes:
        """Return the sample as bytes, for other processes."""
        return pickle.dumps((self.pickles, self.weights, self.fresh), protocol=5)

    @classmethod
    def of(cls, stored: bytes) -> Self:
        """Return the sample that `stored` made. Only data of our own processes are unpickled."""
        return cls(*pickle.loads(stored))

    def record(self, index: int) -> Any:
        """Make one record."""
        return pickle.loads(self.pickles[index])

    def records(self, indices: Iterable[int] | None = None) -> list[Any]:
        """Make records, all unless some are named."""
        pickles = self.pickles
        return [pickle.loads(pickles[i]) for i in (range(len(pickles)) if indices is None else indices)]


@dataclass(frozen=True, slots=True)
class CheckedPayloads:
    """The output of one codec's check for later measurements.

    Attributes:
        payloads: One per record of the sample, in its order; fewer for a very slow codec.
        seconds: Rough seconds of each record in a single call, by operation.
    """

    payloads: list[bytes]
    seconds: Mapping[str, list[float]]

    def stored(self) -> bytes:
        """Return the object as bytes, for other processes."""
        return pickle.dumps((self.payloads, dict(self.seconds)), protocol=5)

    @classmethod
    def of(cls, stored: bytes) -> Self:
        """Return the object that `stored` wrote."""
        return cls(*pickle.loads(stored))


def make_sample(records: Sequence[Any]) -> PickledSample:
    """Make a sample of records; pickle must support their types.

    Raises:
        pickle.PicklingError: A record holds an object that no other process could load.
    """
    pickles = [pickle.dumps(record, protocol=5) for record in records]
    sizes = [len(p) + _OVERHEAD for p in pickles]
    mean = sum(sizes) / len(sizes)
    return PickledSample(pickles, [size / mean for size in sizes], any(caches_text(r) for r in records))


def caches_text(record: Any) -> bool:
    """Return whether encoding may cache something in a record.

    CPython keeps the UTF-8 form of text that is not ASCII with the text after the first use; ASCII text is
    its own UTF-8. Objects of unknown types are assumed to cache something, too, and so are cyclic records.
    """
    stack, left = [record], _MOST_PARTS
    while stack:
        if (left := left - 1) < 0:
            return True
        value = stack.pop()
        if type(value) in _NUMBERS:
            continue  # most values of large documents; this runs a million times
        if isinstance(value, str):
            if not value.isascii():
                return True
        elif isinstance(value, dict):
            stack += value.keys()
            stack += value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            stack += value
        elif kind_of(type(value)):
            if _holds_objects(value):
                return True
        elif (fields := fields_of(value)) is not None:
            stack += fields.values()
        elif not isinstance(value, _KNOWN):
            return True
    return False


def _holds_objects(value: Any) -> bool:
    """Return whether an array or a frame holds texts or objects, which may cache something."""
    if kind_of(type(value)).startswith("polars."):
        return False  # it owns its memory
    dtypes = value.dtypes if kind_of(type(value)) == "pandas.DataFrame" else [getattr(value, "dtype", None)]
    return any(getattr(dtype, "kind", "") == "O" for dtype in dtypes)


def array_kinds(records: Iterable[Any]) -> tuple[str, ...]:
    """Return the types of arrays, frames and their scalars in records, as `kind_of` names them."""
    found: set[str] = set()
    stack, left = list(records), _MOST_PARTS
    while stack and left:
        left -= 1
        value = stack.pop()
        if type(value) in _NUMBERS or type(value) is str:
            continue
        if isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            stack += value
        elif kind := kind_of(type(value)):
            found.add(kind)
        elif (fields := fields_of(value)) is not None:
            stack += fields.values()
    return tuple(sorted(found))
