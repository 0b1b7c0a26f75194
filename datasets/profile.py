"""The profile of records. Results depend on it, so every result includes it."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from ..codecs import CodecError, codec
from ..codecs.conventions.classes import opened

Fact = str | int | float

# Bounds on the work, because a profile is a by-product.
MOST_VALUES = 300_000
MOST_BYTES = 8 * 1024 * 1024


def profile(records: Sequence[Any], count: int, size: float = 0.0) -> dict[str, Fact]:
    """Describe records.

    Args:
        records: The sample to describe.
        count: Number of all records.
        size: Approximate bytes of a record in memory. Very large records are not written as JSON.

    Returns:
        Flat facts: ``records``, ``sample``; bytes as compact JSON (``bytes_mean``, ``bytes_min``,
            ``bytes_max``, and ``zlib_ratio``, the factor by which zlib compresses all of them together);
            ``record_other``, the share of records that are not dicts; ``values_mean`` per record and
            ``type_NAME``, the share of each type among the values, with ``int_beyond_64`` and
            ``float_nonfinite``, the shares of integers beyond 64 bits, and of NaN and infinities; length of
            texts in characters (``text_median``, ``text_max``) and ``ascii_share`` of the texts;
            ``keys_distinct``, ``keys_mean`` per record, and ``key_share``, the part of the JSON that consists
            of keys; ``key_other``, the share of keys that are not text; ``list_median`` items; ``depth_max``
            (the depth of a scalar is 0). Shares are from 0 to 1. Facts about absent types are omitted.
    """
    walk = _Walk()
    for record in records:
        walk.add(record)
        if walk.seen > MOST_VALUES:
            break
    sizes = _sizes(records) if size <= MOST_BYTES else {}
    return {
        "records": count,
        "sample": len(records),
        **sizes,
        **walk.facts(float(sizes.get("bytes_mean", 0))),
    }


def _sizes(records: Sequence[Any]) -> dict[str, float]:
    encode = codec("json").encode
    sizes: list[int] = []
    packer = zlib.compressobj()
    plain = packed = 0
    for record in records:
        try:
            payload = encode(record)
        except CodecError:
            continue
        sizes.append(len(payload))
        part = payload[: MOST_BYTES - plain]
        plain += len(part)
        packed += len(packer.compress(part))
        if plain >= MOST_BYTES:
            break
    if not sizes:
        return {}
    packed += len(packer.flush())
    return {
        "bytes_mean": round(sum(sizes) / len(sizes), 1),
        "bytes_min": min(sizes),
        "bytes_max": max(sizes),
        "zlib_ratio": round(plain / packed, 2),
    }


class _Walk:
    """Walks through the values of records, without recursion."""

    def __init__(self) -> None:
        self.seen = 0
        self._records = 0
        self._others = 0
        self._types: Counter[str] = Counter()
        self._odd: Counter[str] = Counter()
        self._keys: Counter[Any] = Counter()
        self._texts: list[int] = []
        self._ascii = 0
        self._lists: list[int] = []
        self._depth = 0

    def add(self, record: Any) -> None:
        """Add one record and all its values."""
        self._records += 1
        self._others += not isinstance(record, dict) and not isinstance(opened(record), dict)
        stack = [(record, 0)]
        while stack and self.seen <= MOST_VALUES:
            value, depth = stack.pop()
            self.seen += 1
            kind = type(value)
            self._types[kind.__name__] += 1
            if depth > self._depth:
                self._depth = depth
            if kind is str:
                self._texts.append(len(value))
                self._ascii += value.isascii()
            elif kind is int:
                self._odd["int_beyond_64"] += not -(2**63) <= value < 2**64
            elif kind is float:
                self._odd["float_nonfinite"] += not math.isfinite(value)
            else:
                if (plain := opened(value)) is not None:
                    value = plain
                if isinstance(value, dict):
                    self._keys.update(value.keys())
                    stack += [(part, depth + 1) for part in value.values()]
                elif isinstance(value, (list, tuple, set, frozenset)):
                    self._lists.append(len(value))
                    stack += [(part, depth + 1) for part in value]

    def facts(self, bytes_mean: float) -> dict[str, Fact]:
        """Return the facts; `bytes_mean` is the length of a record as JSON."""
        whole = self._records > 1 or self.seen <= MOST_VALUES
        facts: dict[str, Fact] = {"values_mean": round(self.seen / max(self._records, 1), 1)} if whole else {}
        facts |= {f"type_{name}": round(n / self.seen, 4) for name, n in self._types.most_common()}
        facts |= {name: round(n / self.seen, 4) for name, n in self._odd.items() if n}
        if self._others:
            facts["record_other"] = round(self._others / self._records, 4)
        if self._texts:
            facts["text_median"] = median(self._texts)
            facts["text_max"] = max(self._texts)
            facts["ascii_share"] = round(self._ascii / len(self._texts), 4)
        if self._keys:
            # With two quotes and a colon for each key.
            in_keys = sum((len(str(key)) + 3) * n for key, n in self._keys.items())
            facts["keys_distinct"] = len(self._keys)
            if whole:
                facts["keys_mean"] = round(self._keys.total() / self._records, 1)
            if whole and bytes_mean:
                facts["key_share"] = round(in_keys / self._records / bytes_mean, 4)
            if other := sum(n for key, n in self._keys.items() if not isinstance(key, str)):
                facts["key_other"] = round(other / self._keys.total(), 4)
        if self._lists:
            facts["list_median"] = median(self._lists)
        return facts | {"depth_max": self._depth}
