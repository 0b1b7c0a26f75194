"""Protection against keys with the same hash: a dict of n such keys takes n² comparisons to build.

Texts and bytes are safe, as their hashes differ in each process (PEP 456), and at most eight integers of
64 bits have the same hash. Other keys are not safe: hash(n) is n modulo 2**61 - 1, also for a UUID and a
decimal, and the hash of a tuple is computed from those of its items (CPython's library/stdtypes.rst, "Hashing
of numeric types").
"""

from __future__ import annotations

import decimal
import uuid
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from ..errors import TooMuchError
from ._scan import odd_keys

FEW_KEYS = 1_000
"""This many keys take negligible time for any hashes."""
SAME = 100
"""Limit for keys with the same hash; in ordinary data, hardly two keys share a hash."""


def refuse_one_hash(keys: Iterable[Any]) -> None:
    """Refuse many different keys with the same hash.

    Raises:
        TooMuchError: There are more than `SAME`.
    """
    known = [key for key in keys if isinstance(key, Hashable)]
    hashes = Counter(map(hash, known))
    same, count = hashes.most_common(1)[0] if hashes else (0, 0)
    if count <= SAME:
        return
    different: list[Any] = []
    for key in known:
        if hash(key) == same and key not in different:
            different.append(key)
            if len(different) > SAME:
                raise TooMuchError(f"more than {SAME} keys with the same hash")


_MAPS = {"msgpack": (b"\x81", b"\xc0"), "cbor": (b"\xa1", b"\xf6")}
"""What is before and after the key in a map of one key and null, by kind of payload."""


def key_check(kind: str, decode: Callable[[bytes], Mapping[Any, Any]]) -> Callable[[bytes], None]:
    """Return a check that raises TooMuchError for a payload with many keys of the same hash, before decoding.

    Args:
        kind: One of `_MAPS`.
        decode: The codec's decoder, for maps of one key.
    """
    head, value = _MAPS[kind]

    def check(data: bytes) -> None:
        keys = odd_keys(kind, data)
        if len(keys) > FEW_KEYS:
            refuse_one_hash(key for payload in keys for key in decode(head + payload + value))

    return check


def with_checked_keys(
    decode: Callable[[bytes], Any], decode_plain: Callable[[bytes], Any]
) -> Callable[[bytes], Any]:
    """Return a typed decoder that raises TooMuchError for many keys of the same hash.

    Schemas whose keys and items of sets are all text do not need it.

    Args:
        decode: The library's typed decoder, which converts texts to keys.
        decode_plain: The same decoder without types: keys remain texts, and sets remain lists.
    """

    def checked(data: bytes) -> Any:
        if len(data) > _SHORT:
            refuse_one_hash_within(decode_plain(data), len(data))
        return decode(data)

    return checked


def refuse_one_hash_within(value: Any, size: int) -> None:
    """Refuse a value that was decoded without types if a schema would make many keys of one hash from it.

    Args:
        value: Dicts, lists, and texts for keys; pairs of a key and its value are dicts.
        size: Bytes of the payload.

    Raises:
        TooMuchError: There are more than `SAME`.
    """
    stack = [value] if size > _SHORT else []
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list):
            stack += value
        if isinstance(value, (dict, list)) and len(value) > FEW_KEYS:
            refuse_one_hash(map(_as_key, value))


_SHORT = 16 * 1024
"""Bytes of a payload with too few keys to take long."""


def _as_key(value: Any) -> Any:
    """Return the key that a library may make of a text or a list."""
    if isinstance(value, dict):
        return _as_key(value["key"] if value.keys() == {"key", "value"} else list(value.values()))
    if isinstance(value, list):
        return tuple(map(_as_key, value))
    if isinstance(value, str):
        for kind in (int, uuid.UUID, decimal.Decimal):
            try:
                return kind(value)
            except (ValueError, ArithmeticError):
                continue
    return value
