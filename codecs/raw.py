"""The library's calls that carry some records: with the options that a user of the library sets for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.codec import Codec
    from .spec import RawCalls


def fitting(calls: RawCalls, codec: Codec, records: Sequence[Any]) -> RawCalls:
    """Return the first of a library's ways that does with records what its codec does.

    If there is none, the first that takes them and reads what the codec writes; else the plain calls, whose
    error then says why.
    """
    ways = calls.all_ways().values()
    for equal in (True, False):
        for way in ways:
            if all(writes_alike(way, codec, record, equal=equal) for record in records) and all(
                reads_alike(way, codec, record, equal=equal) for record in records
            ):
                return way
    return calls


def writes_alike(way: RawCalls, codec: Codec, record: Any, *, equal: bool = True) -> bool:
    """Return whether a library writes a record, and, if `equal`, so that it is read as the codec's own is."""

    def alike() -> bool:
        written = way.encode(record)
        return not equal or same(codec.decode(codec.encode(record)), codec.decode(written))

    return _succeeds(alike)


def reads_alike(way: RawCalls, codec: Codec, record: Any, *, equal: bool = True) -> bool:
    """Return whether a library reads what the codec writes, and, if `equal`, as the codec does."""

    def alike() -> bool:
        payload = codec.encode(record)
        found = way.decode(payload)
        return not equal or same(codec.decode(payload), found)

    return _succeeds(alike)


def _succeeds(tried: Callable[[], bool]) -> bool:
    try:
        return tried()
    except Exception:  # noqa: BLE001 - of any library
        return False


def same(one: Any, other: Any) -> bool:
    """Return whether two decoded values are equal, their types and the order of keys included.

    An integer of a library's own subclass, such as PyMongo's Int64, is an integer.
    """
    if isinstance(one, int) and isinstance(other, int):
        return one == other and isinstance(one, bool) == isinstance(other, bool)
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one).__module__ == "numpy":
        return bool((one == other).all())
    return bool(one == other or (one != one and other != other))
