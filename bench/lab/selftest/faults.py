"""Codecs with known faults, and clean ones that look suspicious, which the self-test must distinguish.

They are published like any third party's, through the entry-point group, so that the self-test uses the same
path as a real run.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ....codecs import Codec, codec

PRESERVES = ("none", "bool", "int", "float", "str", "list", "dict", "key_order")
TWINS = ("selftest-twin-1", "selftest-twin-2", "selftest-twin-3", "selftest-twin-4")
SLOWER = "selftest-slower"


def records() -> Iterator[dict[str, Any]]:
    """Yield records whose part ``some`` is two per cent of the whole, for a planted difference."""
    digits = random.Random(1)
    for _ in range(40):
        parts = [{"id": digits.randrange(10**6), "name": f"name {digits.random()}"} for _ in range(100)]
        yield {"most": parts[:98], "some": parts[98:], "none": []}


def big() -> Iterator[dict[str, bytes]]:
    """Yield one record of 20 MB, for the peak."""
    yield {"bytes": bytes(20_000_000)}


def _made(name: str, change: Callable[[Any], Any]) -> Codec:
    """Return a codec whose decoded records go through a function."""
    plain = codec("json")
    return Codec(name, "json", plain.encode, lambda data: change(plain.decode(data)), preserves=PRESERVES)


def _twin(name: str, part: str) -> Codec:
    """Encode a record, and then again an empty part of it or two per cent of it."""
    pack = codec("msgpack").encode

    def encode(record: dict[str, Any]) -> bytes:
        pack(record[part])
        return pack(record)

    return Codec(name, "msgpack", encode, codec("msgpack").decode, preserves=PRESERVES)


def _leaker(name: str, fault: str) -> Codec:
    from . import _leakers

    return _made(name, getattr(_leakers, fault))


def _append_none(name: str) -> Codec:
    kept: list[None] = []

    def keep(value: Any) -> Any:
        kept.append(None)
        return value

    return _made(name, keep)


def _filling_cache(name: str) -> Codec:
    """Fill a bounded cache during the first 9,000 calls, as interning and memo tables do."""
    cache: dict[int, bytes] = {}

    def remember(value: Any) -> Any:
        if len(cache) < 9_000:
            cache[len(cache)] = b"cached %d" % len(cache)
        return value

    return _made(name, remember)


def _random_sizes(name: str) -> Codec:
    """Hold one buffer of a random size between calls."""
    held: list[bytes] = [b""]
    sizes = random.Random(1)

    def change(value: Any) -> Any:
        held[0] = bytes(sizes.randrange(1, 20_000))
        return value

    return _made(name, change)


def _never(value: Any) -> Any:
    while True:
        time.sleep(1)


def _devour(value: Any) -> Any:
    held = []
    while True:
        held.append(bytes(64 << 20))


def _crash(value: Any) -> Any:
    from ._leakers import crash

    return crash(value)


def _lie(name: str) -> Codec:
    seen = 0

    def change(value: Any) -> Any:
        nonlocal seen
        seen += 1
        return {**value, "id": -1} if seen == 37 else value

    return _made(name, change)


LEAKERS: dict[str, Callable[[str], Codec]] = {
    "selftest-16-bytes": partial(_leaker, fault="lose_16_bytes"),
    "selftest-16-bytes-in-1000": partial(_leaker, fault="lose_16_bytes_in_1000"),
    "selftest-one-object": partial(_leaker, fault="keep_an_object"),
    "selftest-one-reference": partial(_leaker, fault="lose_a_reference"),
    "selftest-list-append": _append_none,
}
CLEAN: dict[str, Callable[[str], Codec]] = {
    "selftest-filling-cache": _filling_cache,
    "selftest-random-sizes": _random_sizes,
}
FAILURES: dict[str, tuple[str, Callable[[str], Codec]]] = {
    "selftest-crashes": ("crashed", lambda name: _made(name, _crash)),
    "selftest-hangs": ("timed out", lambda name: _made(name, _never)),
    "selftest-devours": ("out of memory", lambda name: _made(name, _devour)),
    "selftest-exits": ("crashed", lambda name: _made(name, lambda value: os._exit(0))),
    "selftest-lies": ("wrong", _lie),
}
"""Name to the expected outcome and the factory."""


def _makers() -> dict[str, Callable[[str], Codec]]:
    failures = {name: make for name, (_, make) in FAILURES.items()}
    twins: dict[str, Callable[[str], Codec]] = {name: partial(_twin, part="none") for name in TWINS}
    return {**LEAKERS, **CLEAN, **failures, **twins, SLOWER: partial(_twin, part="some")}


def __getattr__(name: str) -> Callable[[], Codec]:
    """Return the factory of a codec, for the entry points."""
    for known, make in _makers().items():
        if known.replace("-", "_") == name:
            return partial(make, known)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def publish(folder: Path) -> None:
    """Write the metadata of a distribution that publishes all these codecs; add `folder` to the path."""
    info = folder / "bakeoff_selftest-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bakeoff-selftest\nVersion: 1\n")
    points = [f"{name} = {__name__}:{name.replace('-', '_')}" for name in _makers()]
    (info / "entry_points.txt").write_text("\n".join(["[bakeoff.codecs]", *points, ""]))
