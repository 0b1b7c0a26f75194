"""What kind of records these are: results depend on it, so it stands beside every result."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from ..codecs import CodecError, codec
from ..codecs.conventions.classes import opened

__all__ = ["profile"]

Fact = str | int | float

# Bounds on what is looked at: a profile is a by-product.
MOST_VALUES = 300_000
MOST_BYTES = 8 * 1024 * 1024


def profile(records: Sequence[Any], count: int, size: float = 0.0) -> dict[str, Fact]:
    """Describe records.

    Args:
        records: The sample that is looked at.
        count: How many there are in all.
        size: Bytes of one of them in memory, roughly; very large ones are not written as JSON for this.

    Returns:
        Flat facts: ``records``, ``sample``; bytes as compact JSON (``bytes_mean``, ``bytes_min``,
        ``bytes_max``, and ``zlib_ratio``, how many times smaller zlib makes them together);
        ``record_other``, the part of the records that are no dicts;
        ``values_mean`` a record and ``type_NAME``, the share of each type among the values, and of
        them ``int_beyond_64`` and ``float_nonfinite``, integers beyond 64 bits, NaN and infinities;
        length of texts in characters (``text_median``, ``text_max``) and ``ascii_share`` of the
        texts; ``keys_distinct``, ``keys_mean`` a record, and ``key_share``, the part of the JSON
        that keys make up; ``key_other``, the share of keys that are not text; ``list_median`` items;
        ``depth_max`` (a scalar is 0 deep).
        Shares are from 0 to 1; what does not occur is left out.
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
    """Goes through the values of records, without recursion."""

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
        """Look at one record and all in it."""
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
        """Return what was found; `bytes_mean` is the length of a record as JSON."""
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
            # With two quotes and a colon each.
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
