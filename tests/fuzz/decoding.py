"""Mutated payloads for all decoding functions of a codec."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from random import Random
from typing import Any

import seeds
from findings import Broken
from mutate import Mutator

from bakeoff.bench.equality.losses import find_losses
from bakeoff.codecs import Codec, DecodeError, EncodeError, LimitError
from bakeoff.codecs.limits import Limits
from bakeoff.codecs.streams.compression import COMPRESSORS

LOW = {"depth": 50, "size": 100_000, "items": 200, "string": 300, "digits": 30, "aliases": 5}
_VARIABLE = re.compile(r"[\d'\"`].*|\(.*", re.DOTALL)

Way = tuple[str, Callable[[bytes], list[Any]], Codec, Mutator, Callable[[bytes], bytes] | None]


class Decoding:
    """A codec: bare, with schemas, compressed, as a stream, with low limits, and untrusted.

    Args:
        name: Name of the codec.
    """

    def __init__(self, name: str) -> None:
        codec = self._codec = seeds.bare(name)
        words = seeds.words(codec.format)
        ways: list[tuple[int, Way]] = []
        if codec.needs_schema:
            for schema_name, typed, own, streams in seeds.bound(codec):
                plain, files = Mutator(own, *words), Mutator(streams, *words)
                low = typed.with_limits(**(LOW | {"depth": None}))
                ways.append((12, (schema_name, _one(typed), typed, plain, None)))
                ways.append((2, (f"{schema_name} limits", _one(low), low, plain, None)))
                ways.append((2, (f"{schema_name} stream", _loaded(typed), typed, files, None)))
                ways.append((1, (f"{schema_name} chunks", _fed(typed), typed, files, None)))
        else:
            parts = seeds.payloads(codec)
            plain = Mutator(parts, *words)
            for schema_name, schema in seeds.schemas().items():
                typed = codec.with_schema(schema)
                ways.append((1, (schema_name, _one(typed), typed, plain, None)))
            low = codec.with_limits(**LOW)
            files = Mutator(seeds.stream(codec, parts), *words)
            ways.append((8, ("bare", _one(codec), codec, plain, None)))
            ways.append((2, ("limits", _one(low), low, plain, None)))
            ways.append((2, ("stream", _loaded(codec), codec, files, None)))
            ways.append((1, ("chunks", _fed(codec), codec, files, None)))
            for kind in COMPRESSORS:
                packed = codec.with_compression(kind)
                pack = packed.compression.compress
                ways.append((1, (f"packed {kind}", _one(packed), packed, plain, pack)))
                frames = Mutator([pack(part) for part in parts], (), ())
                ways.append((1, (kind, _one(packed), packed, frames, None)))
            if codec.trusted_only:
                plain_codec = codec._vary(trusted=False)
                ways.append((1, ("untrusted", _one(plain_codec), plain_codec, plain, None)))
            else:
                # For a trusted payload in a file, only the size is limited.
                ways.append((1, ("stream limits", _loaded(low), low, files, None)))
        self._ways = [way for _, way in ways]
        self._by_weight = [at for at, (weight, _) in enumerate(ways) for _ in range(weight)]
        self._seen: set[tuple[int, str]] = set()

    def case(self, random: Random) -> bytes:
        """Return the decoding function as a byte, followed by a mutant."""
        at = self._by_weight[int(random.random() * len(self._by_weight))]
        _, _, _, mutator, pack = self._ways[at]
        mutant = mutator.mutant(random)
        return bytes((at,)) + (mutant if pack is None else pack(mutant))

    def show(self, case: bytes) -> str:
        """Return a case in readable form."""
        return f"{self._ways[case[0]][0]}: {case[1:]!r}"

    def run(self, case: bytes) -> str:
        """Decode, and check the result against the promise."""
        at = case[0]
        _, decode, codec, mutator, pack = self._ways[at]
        payload = case[1:]
        try:
            records = decode(payload)
        except LimitError:
            return "limited"
        except DecodeError as error:
            if pack is None:
                # A new reason for a refusal means that the mutant reached new code.
                key = at, _VARIABLE.sub("", error.reason)[:80]
                if key not in self._seen:
                    self._seen.add(key)
                    mutator.learn(payload)
            return "refused"
        if codec.trusted_only and not codec.trusted:
            raise Broken("decoded without trust")
        for record in records[:3]:
            self._check(codec, record)
        return "accepted"

    def _check(self, codec: Codec, record: Any) -> None:
        if codec.limits.depth is not None and (beyond := excess(record, codec.limits)):
            raise Broken(f"beyond the limits: {beyond}")
        if codec.schema is not None and not codec.needs_schema:
            codec.schema.advise(record, self._codec)
            return  # for records that a schema has changed, nothing else is promised
        if codec.trusted_only:
            return  # objects that these build need not be consistent
        again = codec if codec.needs_schema else self._codec
        try:
            payload = again.encode(record)
        except EncodeError:
            return
        try:
            back = again.decode(payload)
        except DecodeError as error:
            raise Broken(f"what was decoded is written, and not read again: {error.reason}") from error
        try:
            wrong = find_losses(record, back, again.preserves, again.losses).wrong
        except RecursionError:
            return
        # Two NaN in objects that are not compared by parts differ.
        if wrong is not None and repr(record) != repr(back):
            raise Broken(f"what was decoded comes back otherwise: {wrong}")


def _fed(codec: Codec) -> Callable[[bytes], list[Any]]:
    """Return the records of a stream that arrives in chunks, ignoring damage."""

    def records(data: bytes) -> list[Any]:
        decoder = codec.decoder(lambda error: None)
        step = 1 + len(data) % 29
        found = [record for at in range(0, len(data), step) for record in decoder.feed(data[at : at + step])]
        return found + decoder.end()

    return records


def _loaded(codec: Codec) -> Callable[[bytes], list[Any]]:
    return lambda data: list(codec.load(io.BytesIO(data)))


def _one(codec: Codec) -> Callable[[bytes], list[Any]]:
    decode = codec.decode
    return lambda data: [decode(data)]


def excess(record: Any, limits: Limits) -> str:
    """Return the limit that a record exceeds, counted independently of the codecs' own code."""
    count = 0
    left: list[tuple[Any, int]] = [(record, 0)]
    while left:
        value, depth = left.pop()
        count += 1
        if count > limits.items:
            return f"more than {limits.items} values"
        if isinstance(value, dict | list | tuple | set | frozenset):
            if limits.depth is not None and depth == limits.depth:
                return f"nested more than {limits.depth} deep"
            left.extend((item, depth + 1) for item in value)
            if isinstance(value, dict):
                left.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, str | bytes):
            if limits.string is not None and len(value) > limits.string:
                return f"a text of {len(value)}"
        elif isinstance(value, int) and limits.digits is not None and abs(value) >= 10**limits.digits:
            return f"an integer of {len(str(value))} digits"
    return ""
