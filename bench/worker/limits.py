"""The limits of a codec that the records of a sample exceed, so that users can raise them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...codecs import codec, is_raw, split_name
from ...codecs.errors import TooMuchError
from ...codecs.limits import DEFAULT_DEPTH, GREATEST_DEPTH
from ...codecs.safety._walk import Rules, check_record
from ..operations.base import CodecParts
from .records import PickledSample

_ROOM = 2
"""Factor by which other records may exceed the largest one of the sample."""


def beyond(name: str, parts: CodecParts, sample: PickledSample, payloads: Sequence[bytes]) -> dict[str, int]:
    """Return the limits to raise, as powers of two, with room for larger records.

    Args:
        name: The codec's name in result files.
        payloads: Payloads of the first records, in order.

    Returns:
        ``size``, ``items``, ``decompressed``, ``ratio`` and ``depth``, if the codec's own do not suffice.
    """
    if is_raw(name):
        return {}
    usual = codec(split_name(name)[0], trusted=True).limits
    # A value takes at least a byte, in payloads and in pickles.
    large = [n for n, data in enumerate(payloads) if max(len(data), len(sample.pickles[n])) > usual.items]
    found = {"size": max(map(len, payloads), default=0), "items": 0, "decompressed": 0, "ratio": 0}
    plain = parts.bare.with_compression(None)
    for index in large:
        record = sample.record(index)
        found["items"] = max(found["items"], _values(record, usual.items))
        if parts.bare.compression is not None:
            size = len(plain.encode(*parts.taken([record])))
            found["decompressed"] = max(found["decompressed"], size)
            found["ratio"] = max(found["ratio"], size // len(payloads[index]))
    limits = {key: getattr(usual, key) or usual.size for key in found}
    needed = {key: _roomy(most) for key, most in found.items() if most > limits[key]}
    if usual.depth is None and (depth := parts.bare.limits.depth) is not None:
        needed["depth"] = depth
    return needed


def depth_needed(deepest: int) -> int:
    """Return the limit of depth for records with that many levels; 0 if the default suffices."""
    return min(_roomy(deepest), GREATEST_DEPTH) if deepest > DEFAULT_DEPTH else 0


def _roomy(most: int) -> int:
    return 1 << (_ROOM * most - 1).bit_length()


def _values(record: Any, least: int) -> int:
    """Return a power of two above a record's number of values, as `Limits.items` counts; 0 for `least`."""
    bound = 0
    while True:
        try:
            check_record(record, Rules(max_items=bound or least))
        except TooMuchError:
            bound = 2 * bound or 1 << least.bit_length()
        else:
            return bound
