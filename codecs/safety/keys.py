"""Keys that were made to have one hash: a dict of n of them takes n² comparisons to build.

Texts and bytes are safe, as their hashes begin anew with each process (PEP 456), and 64 bits hold no more
than eight integers of one hash. Others are not: hash(n) is n modulo 2**61 - 1, of a UUID and a decimal as
well, and that of a tuple comes from its items' (CPython's library/stdtypes.rst, "Hashing of numeric types").
"""

from __future__ import annotations

import decimal
import uuid
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Literal

from ..errors import TooMuchError
from ._scan import odd_keys

__all__ = ["FEW_KEYS", "key_check", "refuse_one_hash", "refuse_one_hash_within", "with_checked_keys"]

FEW_KEYS = 1_000
"""So many take no time worth mentioning, whatever their hashes."""
SAME = 100
"""The most keys of one hash: of keys that were not made for it, hardly two have the same."""


def refuse_one_hash(keys: Iterable[Any]) -> None:
    """Raise when many different keys have one hash.

    Raises:
        TooMuchError: They have.
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


def key_check(
    kind: Literal["msgpack", "cbor"], decode: Callable[[bytes], Mapping[Any, Any]]
) -> Callable[[bytes], None]:
    """Return what raises TooMuchError for a payload with many keys of one hash, before it is decoded.

    Args:
        kind: As for `_scan.odd_keys`.
        decode: The codec's own, for maps of one key.
    """
    head, value = {"msgpack": (b"\x81", b"\xc0"), "cbor": (b"\xa1", b"\xf6")}[kind]

    def check(data: bytes) -> None:
        keys = odd_keys(kind, data)
        if len(keys) > FEW_KEYS:
            refuse_one_hash(key for payload in keys for key in decode(head + payload + value))

    return check


def with_checked_keys(
    decode: Callable[[bytes], Any], decode_plain: Callable[[bytes], Any]
) -> Callable[[bytes], Any]:
    """Return a decoder into the types of a schema that raises TooMuchError for many keys of one hash.

    Not for schemas whose keys and items of sets are all text, where there is nothing to check.

    Args:
        decode: The library's, which makes keys of texts.
        decode_plain: The same without types: it leaves keys as texts, and sets as lists.
    """

    def checked(data: bytes) -> Any:
        if len(data) > _SHORT:
            refuse_one_hash_within(decode_plain(data), len(data))
        return decode(data)

    return checked


def refuse_one_hash_within(value: Any, size: int) -> None:
    """Raise when many keys have one hash that a schema would make of what was decoded without types.

    Args:
        value: Of dicts, lists, and texts where there are keys; pairs of a key and its value are dicts.
        size: Bytes of the payload.

    Raises:
        TooMuchError: They have.
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
"""Bytes of a payload that holds too few keys to take long."""


def _as_key(value: Any) -> Any:
    """Return what a library may make of a key that arrives as text or as a list."""
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
