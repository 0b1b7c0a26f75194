"""The sample of a corpus on disk: one pickle per record, so that every process can make fresh ones."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import math
import pickle
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .estimate import median

__all__ = [
    "Sample",
    "caches_text",
    "fixed_share",
    "read_payloads",
    "read_sample",
    "write_payloads",
    "write_sample",
]

_OVERHEAD = 16
"""Bytes that a record costs before its content, in the weight of a record."""

_MOST_PARTS = 1_000_000
"""Values and keys of a record that are looked at."""

_LEAVES = (
    int,
    float,
    complex,
    bytes,
    bytearray,
    type(None),
    dt.date,
    dt.time,
    dt.timedelta,
    decimal.Decimal,
    uuid.UUID,
    enum.Enum,
)


@dataclass(frozen=True, slots=True)
class Sample:
    """Records as pickles, and what the timing needs to know of them.

    Attributes:
        pickles: One per record, in shuffled order, so that neighbours are a random part.
        weights: Size of each record relative to the mean record: the time of a slice is divided by the
            work in it, and so a slice of large records does not read as slow.
        fresh: Encoding may leave something behind in a record (cached UTF-8 of text that is not
            ASCII), so that a record must be made anew before each timed encode.
    """

    pickles: list[bytes]
    weights: list[float]
    fresh: bool

    def record(self, index: int) -> Any:
        """Make one record."""
        return pickle.loads(self.pickles[index])

    def records(self, start: int = 0, count: int | None = None, length: int | None = None) -> list[Any]:
        """Make `count` records from `start` on, round again after `length`."""
        length = length or len(self.pickles)
        count = length if count is None else count
        pickles = self.pickles
        return [pickle.loads(pickles[(start + i) % length]) for i in range(count)]


def fixed_share(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the share of a mean record's time that does not grow with size, as a least-squares line has it.

    With it the work in record i is ``share + (1 - share) * sizes[i]``, and 1 on average. Records of about
    one size count by their median, since one disturbed call must not decide, and each by how many per cent
    it is off, since the largest must not decide alone.

    Args:
        sizes: Of records, relative to the mean record.
        seconds: That each of them took; above 0.
    """
    alike: dict[int, list[tuple[float, float]]] = {}
    for size, spent in zip(sizes, seconds, strict=True):
        alike.setdefault(round(2 * math.log2(size)), []).append((size, spent))
    aa = ab = bb = a = b = 0.0
    for points in alike.values():
        count = len(points)
        size, spent = sum(p[0] for p in points) / count, median(p[1] for p in points)
        x, y = 1 / spent, size / spent
        aa, ab, bb = aa + count * x * x, ab + count * x * y, bb + count * y * y
        a, b = a + count * x, b + count * y
    fixed, growing = a * bb - b * ab, b * aa - a * ab
    if len(alike) == 1 or fixed <= 0:
        return 0.0
    return fixed / (fixed + growing) if growing > 0 else 1.0


def write_sample(records: Sequence[Any], path: Path) -> Sample:
    """Store the records; they must be of types that a pickle can name.

    Raises:
        pickle.PicklingError: A record holds an object that no other process could make.
    """
    pickles = [pickle.dumps(record, protocol=5) for record in records]
    sizes = [len(p) + _OVERHEAD for p in pickles]
    mean = sum(sizes) / len(sizes)
    sample = Sample(pickles, [size / mean for size in sizes], any(caches_text(r) for r in records))
    path.write_bytes(pickle.dumps((sample.pickles, sample.weights, sample.fresh), protocol=5))
    return sample


def read_sample(path: Path) -> Sample:
    """Read what `write_sample` wrote (by our own parent process: nothing foreign is unpickled)."""
    return Sample(*pickle.loads(path.read_bytes()))


def write_payloads(payloads: Sequence[bytes], path: Path) -> None:
    """Store one codec's payloads."""
    path.write_bytes(pickle.dumps(list(payloads), protocol=5))


def read_payloads(path: Path) -> list[bytes]:
    """Read what `write_payloads` wrote."""
    payloads: list[bytes] = pickle.loads(path.read_bytes())
    return payloads


def caches_text(record: Any) -> bool:
    """Whether an encoder can leave something behind in a record.

    CPython keeps the UTF-8 form of a text that is not ASCII with the text once somebody asked for
    it; ASCII text is its own UTF-8. Objects of unknown types are taken to keep something, too, and so are
    records that do not come to an end, as those that contain themselves.
    """
    stack, left = [record], _MOST_PARTS
    while stack:
        if (left := left - 1) < 0:
            return True
        value = stack.pop()
        if isinstance(value, str):
            if not value.isascii():
                return True
        elif isinstance(value, dict):
            stack += value.keys()
            stack += value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            stack += value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            stack += [getattr(value, field.name) for field in dataclasses.fields(value)]
        elif not isinstance(value, _LEAVES):
            return True
    return False
