"""Protection against keys with the same hash: a dict of n such keys takes n² comparisons to build.

Texts and bytes are safe, as their hashes differ in each process (PEP 456), and at most eight integers of
64 bits have the same hash. Other keys are not safe: hash(n) is n modulo 2**61 - 1, also for a UUID and a
decimal, and the hash of a tuple is computed from those of its items (CPython's library/stdtypes.rst, "Hashing
of numeric types").
"""

from __future__ import annotations

import decimal
import re
import uuid
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from ..errors import TooMuchError
from ._scan import odd_keys

FEW_KEYS = 32
"""This many keys in one dict are compared with each other in negligible time, also if a payload has many such
dicts: n keys in dicts of k take up to n k / 2 comparisons."""
SAME = 32
"""Limit for keys with the same hash. In ordinary data, hardly two keys share a hash, but -1 and -2 do: of
tuples of k such numbers, 2**k."""
_FEW_IN_PAYLOAD = 1_000
"""The same as `FEW_KEYS` for all keys of a payload together."""


def refuse_one_hash(keys: Iterable[Any]) -> None:
    """Refuse many different keys with the same hash.

    Raises:
        TooMuchError: There are more than `SAME`.
    """
    known = list(keys)
    try:
        hashes = list(map(hash, known))
    except TypeError:
        known = [key for key in known if isinstance(key, Hashable)]
        hashes = list(map(hash, known))
    crowded = _crowded(hashes)
    different: dict[int, list[Any]] = {each: [] for each in crowded}
    for key, number in zip(known, hashes, strict=True) if crowded else ():
        if number in different and key not in different[number]:
            different[number].append(key)
            if len(different[number]) > SAME:
                raise TooMuchError(f"more than {SAME} keys with the same hash")


def _crowded(hashes: list[int]) -> set[int]:
    """Return the hashes that occur more than `SAME` times."""
    # Counting takes longer than to see that hardly any is repeated.
    if len(hashes) - len(set(hashes)) < SAME:
        return set()
    return {each for each, times in Counter(hashes).items() if times > SAME}


_TOGETHER = 15
"""Keys in a map that is decoded for them: as many as its head has room for."""
_BATCH = 300
"""Maps that are decoded in one call: few, so that they take little memory."""


class _Form(NamedTuple):
    """Heads of an array (its length in four bytes follows) and of a map (its length is added), and null."""

    array: bytes
    map: int
    null: bytes


_FORMS = {"msgpack": _Form(b"\xdd", 0x80, b"\xc0"), "cbor": _Form(b"\x9a", 0xA0, b"\xf6")}


def key_check(kind: str, decode: Callable[[bytes], Iterable[Mapping[Any, Any]]]) -> Callable[[bytes], None]:
    """Return a check that raises TooMuchError for a payload with many keys of the same hash, before decoding.

    The keys are decoded in small maps, many in each call, as a call for each key takes several times as long.

    Args:
        kind: One of `_FORMS`.
        decode: The codec's decoder, for arrays of maps.
    """
    form = _FORMS[kind]

    def written(keys: list[bytes]) -> bytes:
        return bytes((form.map | len(keys),)) + form.null.join(keys) + form.null

    def decoded(keys: list[bytes]) -> Iterator[Any]:
        maps = [written(keys[at : at + _TOGETHER]) for at in range(0, len(keys), _TOGETHER)]
        for at in range(0, len(maps), _BATCH):
            batch = maps[at : at + _BATCH]
            yield from chain.from_iterable(decode(form.array + len(batch).to_bytes(4) + b"".join(batch)))

    def check(data: bytes) -> None:
        # Keys that are encoded alike are equal.
        keys = list(set(odd_keys(kind, data)))
        # First the hashes only, as so many keys would take much memory.
        if len(keys) > _FEW_IN_PAYLOAD and _crowded(list(map(hash, decoded(keys)))):
            refuse_one_hash(decoded(keys))

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
_NUMBER = re.compile(r"[\d\s+\-._:{}a-finruA-FINRU]{16,}")
"""Texts that a number or a UUID may be made of. Shorter ones are too few to find many with the same hash."""


def _as_key(value: Any) -> Any:
    """Return the key that a library may make of a text or a list."""
    if isinstance(value, dict):
        return _as_key(value["key"] if value.keys() == {"key", "value"} else list(value.values()))
    if isinstance(value, list):
        return tuple(map(_as_key, value))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        for kind in (int, uuid.UUID, decimal.Decimal):
            try:
                return kind(value)
            except (ValueError, ArithmeticError):
                continue
    return value
