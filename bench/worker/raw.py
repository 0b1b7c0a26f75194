"""A library's own calls that carry some records, with the options that its users set for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..equality.equal import differences

if TYPE_CHECKING:
    from ...codecs import Codec
    from ...codecs.spec import RawCalls


def fitting(calls: RawCalls, codec: Codec, records: Sequence[Any]) -> tuple[str, RawCalls]:
    """Return the first of a library's ways that does with records what its codec does, and its options.

    If there is none, the first that takes them and reads what the codec writes; else the plain calls, whose
    error then says why.
    """
    for equal in (True, False):
        for options, way in calls.all_ways().items():
            if all(writes_alike(way, codec, record, equal=equal) for record in records) and all(
                reads_alike(way, codec, record, equal=equal) for record in records
            ):
                return options, way
    return "", calls


def writes_alike(way: RawCalls, codec: Codec, record: Any, *, equal: bool = True) -> bool:
    """Return whether a library writes a record, and, if `equal`, so that it is read as the codec's own is."""

    def alike() -> bool:
        written = way.encode(record)
        return not equal or _same(codec.decode(codec.encode(record)), codec.decode(written))

    return _succeeds(alike)


def reads_alike(way: RawCalls, codec: Codec, record: Any, *, equal: bool = True) -> bool:
    """Return whether a library reads what the codec writes, and, if `equal`, as the codec does."""

    def alike() -> bool:
        payload = codec.encode(record)
        found = way.decode(payload)
        return not equal or _same(codec.decode(payload), found)

    return _succeeds(alike)


def _succeeds(tried: Callable[[], bool]) -> bool:
    try:
        return tried()
    except Exception:  # noqa: BLE001 - of any library
        return False


def _same(one: Any, other: Any) -> bool:
    """Compare two decoded records; an integer of a library's own subclass, such as Int64, is an integer."""
    found = differences(one, other, sys.maxsize, order=True)
    return all(_is_int(each.before) and _is_int(each.after) and each.before == each.after for each in found)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
