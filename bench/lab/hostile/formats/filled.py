"""Payloads as large as the limit allows, of one small thing again and again: they take most memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..cases import Case, room

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["AROUND", "counts", "filled", "filled_keys", "listed"]

WORDS = {
    "empty-lists": ("empty lists", 1),
    "empty-maps": ("empty maps", 1),
    "one-item-maps": ("maps of one item", 3),
    "short-texts": ("short texts", 1),
    "integers": ("small integers", 1),
    "floats": ("floats", 1),
    "moments": ("moments", 1),
    "tagged-moments": ("moments", 2),
}
"""Kind of item: words for it, and how many values it counts as (`Limits.items`)."""
AROUND = 80
"""Bytes that no format needs more of around its items."""


def counts(codec: Codec, each: int, values: int) -> tuple[int, int]:
    """Return how many items the limit of items allows, and that of size.

    Args:
        each: Bytes of one.
        values: How many it counts as.
    """
    fitting = (room(codec) - AROUND) // each
    return min(fitting, (codec.limits.items - 4) // values), fitting


def filled(
    wire: str, items: Mapping[str, bytes], array: Callable[[bytes, int], bytes], apart: int = 0
) -> list[Case]:
    """Return a case for each kind of item: as many as the limit of items allows, and as that of size does.

    Args:
        wire: The format.
        items: Kind, one of `WORDS`, to one item as it is written.
        array: ``(item, count) -> payload``.
        apart: Bytes that an array takes for each item beside its own.
    """

    def maker(item: bytes, values: int) -> Callable[[Codec], Iterator[bytes]]:
        return lambda codec: (array(item, count) for count in counts(codec, len(item) + apart, values))

    return [
        Case(
            "decode",
            f"fill-{kind}",
            f"{WORDS[kind][0]} to the limits of items and of size",
            maker(item, WORDS[kind][1]),
            wires=frozenset({wire}),
        )
        for kind, item in items.items()
    ]


def filled_keys(wire: str, mapping: Callable[[int], bytes], each: int) -> Case:
    """Return the case of one map.

    Args:
        wire: The format.
        mapping: ``(count) -> payload`` of so many keys.
        each: Bytes that a key takes with its value.
    """
    return Case(
        "decode",
        "fill-keys",
        "a map of many keys to the limits of items and of size",
        lambda codec: (mapping(count) for count in counts(codec, each, 2)),
        wires=frozenset({wire}),
    )


def listed(item: bytes, count: int) -> bytes:
    """Return a list in square brackets, as JSON and YAML write it."""
    return b"[" + (item + b",") * (count - 1) + item + b"]"
