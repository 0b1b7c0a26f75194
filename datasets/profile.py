"""The profile of records. Results depend on it, so every result includes it."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..codecs import CodecError, codec
from ..codecs.conventions.classes import opened
from ..codecs.limits import DEFAULT_DEPTH
from .counts import MOST_KEYS, DistinctKeys, Lengths, counter, whole

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
            ``type_NAME``, the share of each type among the values, with ``int_beyond_64``,
            ``float_nonfinite`` and ``objects``, the shares of integers beyond 64 bits, of NaN and infinities,
            and of objects of classes, named tuples included; ``containers_mean``, lists and dicts per record,
            if more than the limit of depth; length of texts in characters (``text_median``, ``text_max``) and
            ``ascii_share`` of the texts; ``keys_distinct``, ``keys_mean`` per record, and ``key_share``, the
            part of the JSON that consists of keys; ``key_other``, the share of keys that are not text;
            ``list_median`` items; ``depth_max`` (the depth of a scalar is 0). Shares are from 0 to 1. Facts
            about absent types are omitted.
    """
    tally = ProfileTally(MOST_VALUES)
    for record in records:
        tally.add(record)
        if tally.seen > MOST_VALUES:
            break
    ratio = _measured(records, tally) if size <= MOST_BYTES else {}
    return {"records": count, "sample": len(records), **tally.sizes(), **ratio, **tally.facts()}


def _measured(records: Sequence[Any], tally: ProfileTally) -> dict[str, Fact]:
    """Add the lengths of records as JSON; return the ratio by which zlib compresses them."""
    encode = codec("json").encode
    packer = zlib.compressobj()
    plain = packed = 0
    for record in records:
        try:
            payload = encode(record)
        except CodecError:
            continue
        tally.json.fresh[len(payload)] += 1
        part = payload[: MOST_BYTES - plain]
        plain += len(part)
        packed += len(packer.compress(part))
        if plain >= MOST_BYTES:
            break
    if not tally.json.number:
        return {}
    return {"zlib_ratio": round(plain / (packed + len(packer.flush())), 2)}


def _key_bytes(encode: Callable[[Any], bytes], key: Any) -> int:
    """Return the bytes of a key in JSON, with its colon; 0 if JSON has no form for its record either."""
    try:
        return len(encode({key: 0})) - len("{0}")
    except CodecError:
        return 0


class ProfileTally:
    """The counts behind the profile of records; those of parts of a corpus can be merged.

    Args:
        most: Values after which the others are not counted.

    Attributes:
        seen: Number of values.
        records: Number of records.
        json: Lengths of records as JSON, in bytes.
    """

    _NUMBERS = ("seen", "records", "others", "ascii", "key_bytes", "key_others", "key_uses")
    """Attributes that are added when two are merged; the same applies to the next two."""
    _COUNTERS = ("types", "odd")
    _LENGTHS = ("json", "texts", "lists")

    def __init__(self, most: float = math.inf) -> None:
        self._most = most
        self.seen = self.records = self.others = self.ascii = self.depth = 0
        self.types: Counter[str] = Counter()
        self.odd: Counter[str] = Counter()
        self.json, self.texts, self.lists = Lengths(), Lengths(), Lengths()
        self.key_bytes = self.key_others = self.key_uses = 0
        self.distinct = DistinctKeys()
        self._keys: Counter[Any] = Counter()

    def add(self, record: Any) -> None:
        """Add one record and all its values."""
        self.records += 1
        self.others += not isinstance(record, dict) and not isinstance(opened(record), dict)
        texts, lists = self.texts.fresh, self.lists.fresh
        stack = [(record, 0)]
        while stack and self.seen <= self._most:
            value, depth = stack.pop()
            self.seen += 1
            kind = type(value)
            self.types[kind.__name__] += 1
            if depth > self.depth:
                self.depth = depth
            if kind is str:
                texts[len(value)] += 1
                self.ascii += value.isascii()
            elif kind is int:
                if not -(2**63) <= value < 2**64:
                    self.odd["int_beyond_64"] += 1
            elif kind is float:
                if not math.isfinite(value):
                    self.odd["float_nonfinite"] += 1
            else:
                if (plain := opened(value)) is not None:
                    value = plain
                    self.odd["objects"] += 1
                elif isinstance(value, tuple) and kind is not tuple:
                    self.odd["objects"] += 1
                if isinstance(value, dict):
                    self._keys.update(value.keys())
                    stack += [(part, depth + 1) for part in value.values()]
                elif isinstance(value, (list, tuple, set, frozenset)):
                    lists[len(value)] += 1
                    stack += [(part, depth + 1) for part in value]
        if len(self._keys) > MOST_KEYS:
            self._fold()
        for lengths in (self.json, self.texts, self.lists):
            lengths.fold()

    def _fold(self) -> None:
        """Bound the space that keys take."""
        encode = codec("json").encode
        self.key_bytes += sum(_key_bytes(encode, key) * n for key, n in self._keys.items())
        self.key_uses += self._keys.total()
        self.key_others += sum(n for key, n in self._keys.items() if not isinstance(key, str))
        self.distinct.add(self._keys)
        self._keys.clear()

    def merge(self, other: ProfileTally) -> None:
        """Add the counts of other records."""
        self._fold()
        other._fold()
        for name in self._NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in self._COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for name in self._LENGTHS:
            getattr(self, name).merge(getattr(other, name))
        self.depth = max(self.depth, other.depth)
        self.distinct.merge(other.distinct)

    def plain(self) -> dict[str, Any]:
        """Return the counts as JSON types, without values of the records."""
        self._fold()
        found: dict[str, Any] = {name: getattr(self, name) for name in (*self._NUMBERS, "depth")}
        found |= {name: dict(getattr(self, name)) for name in self._COUNTERS}
        lengths = {name: getattr(self, name).plain() for name in self._LENGTHS}
        return found | lengths | {"distinct": sorted(self.distinct.hashes)}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> ProfileTally:
        """Return the counts of `plain`, which may come from another machine.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: They are not such counts.
        """
        made = cls()
        for name in (*cls._NUMBERS, "depth"):
            setattr(made, name, whole(plain[name]))
        for name in cls._COUNTERS:
            setattr(made, name, counter(plain[name]))
        for name in cls._LENGTHS:
            setattr(made, name, Lengths.of(plain[name]))
        made.distinct = DistinctKeys(map(whole, plain["distinct"]))
        return made

    def sizes(self) -> dict[str, Fact]:
        """Return the facts about the length as JSON."""
        if not self.json.number:
            return {}
        mean = round(self.json.mean, 1)
        return {"bytes_mean": mean, "bytes_min": self.json.least, "bytes_max": self.json.most}

    def facts(self) -> dict[str, Fact]:
        """Return all other facts, see `profile`."""
        self._fold()
        whole = self.records > 1 or self.seen <= self._most
        common = sorted(self.types.items(), key=lambda pair: (-pair[1], pair[0]))
        facts: dict[str, Fact] = {"values_mean": round(self.seen / max(self.records, 1), 1)} if whole else {}
        facts |= {f"type_{name}": round(n / self.seen, 4) for name, n in common}
        held = (self.types["dict"] + self.types["list"]) / max(self.records, 1)
        if held > DEFAULT_DEPTH:
            facts["containers_mean"] = round(held, 1)
        facts |= {name: round(n / self.seen, 4) for name, n in sorted(self.odd.items())}
        if self.others:
            facts["record_other"] = round(self.others / self.records, 4)
        if texts := self.texts.number:
            facts["text_median"] = self.texts.median
            facts["text_max"] = self.texts.most
            facts["ascii_share"] = round(self.ascii / texts, 4)
        if self.key_uses:
            facts["keys_distinct"] = self.distinct.count
            if whole:
                facts["keys_mean"] = round(self.key_uses / self.records, 1)
            if whole and self.json.number:
                facts["key_share"] = round(self.key_bytes / self.records / round(self.json.mean, 1), 4)
            if self.key_others:
                facts["key_other"] = round(self.key_others / self.key_uses, 4)
        if self.lists.number:
            facts["list_median"] = self.lists.median
        return facts | {"depth_max": self.depth}
