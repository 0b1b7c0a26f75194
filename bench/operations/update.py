"""Changing a stored value: one element is added to a list, as a graph in a key-value store adds a relation.

The cost of decoding, changing and encoding grows with the length of the list; the cost of splicing hardly
does. The operation generates the list so that its length can be varied; its items are 32-bit numbers, like
user ids.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from ...codecs import Codec
from ...codecs.naming import is_raw
from ...errors import UsageError
from .base import Context, Operation, TimedCall, UnfitError, rotating

_MOST = 10_000_000
_ITEMS = 40_000
"""Items of all lists together, if there is more than one list."""
_TURNS = 16
_CACHES = 1 << 20
"""Bytes of payloads that are timed together."""


def _update(context: Context) -> TimedCall:
    return _work(context, _of_lists(context), _changed)


def _update_spliced(context: Context) -> TimedCall:
    codec = _of_lists(context)
    if not codec.splices:
        raise UnfitError(f"{codec.name} cannot splice: it decodes, changes and encodes")
    return _work(context, codec, _spliced)


def _work(context: Context, codec: Codec, way: Callable[[Codec, int], Callable[[bytes], bytes]]) -> TimedCall:
    count = int(context.parameter)
    lists = [_numbers(count, turn) for turn in range(max(1, min(_TURNS, _ITEMS // max(1, count))))]
    payloads = [codec.encode(numbers) for numbers in lists]
    item = 1 << 31
    # Generated directly, without the code under test.
    expected = [codec.encode([*numbers, item]) for numbers in lists]
    return TimedCall(
        way(codec, item),
        rotating(payloads),
        expected=expected.__getitem__,
        burst=max(1, min(len(lists), _CACHES // max(1, len(payloads[0])))),
        calls=len(lists),
    )


def _spliced(codec: Codec, item: int) -> Callable[[bytes], bytes]:
    append = codec.append
    return lambda payload: append(payload, "", item)


def _changed(codec: Codec, item: int) -> Callable[[bytes], bytes]:
    decode, encode = codec.decode, codec.encode

    def change(payload: bytes) -> bytes:
        numbers: Any = decode(payload)
        if type(numbers) is tuple:
            numbers = [*numbers, item]
        else:
            numbers.append(item)
        return encode(numbers)

    return change


def _of_lists(context: Context) -> Codec:
    """Return the codec, with the schema of this list if it has one."""
    parts = context.parts
    if is_raw(parts.codec.name):
        raise UnfitError("a library's own calls have no conventions to write lists of any codec by")
    if parts.codec.schema is None:
        return parts.codec
    from ...schemas import Schema

    return parts.codec.with_schema(Schema(list[int]))


def _numbers(count: int, turn: int) -> list[int]:
    drawn = random.Random(turn)
    return [drawn.randrange(1 << 16, 1 << 32) for _ in range(count)]


def _accepts(place: str, parameter: str) -> None:
    if not (parameter.isascii() and parameter.isdecimal() and int(parameter) <= _MOST):
        raise UsageError(
            f"update: expected a number of items up to {_MOST:,}, as in update:1000, or a store, as in "
            f"update@sqlite; got {parameter!r}"
        )


def _updates(name: str, summary: str, carry_out: Callable[..., Any], heading: str) -> Operation:
    return Operation(
        name=name,
        phase="time",
        summary=summary,
        carry_out=carry_out,
        unit="integer",
        direction="higher",
        heading=heading,
        parameter="ITEMS",
        accepts=_accepts,
        fixes=True,
    )


OPERATIONS = (
    _updates(
        "update",
        "appends per second to a list of {parameter} integers that is stored as a payload",
        _update,
        "updates of {parameter}",
    ),
    _updates(
        "update-spliced",
        "the same by `codec.append`, which copies the payload and encodes only the new item",
        _update_spliced,
        "updates of {parameter} spliced",
    ),
)
