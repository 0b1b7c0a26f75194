"""Payloads as large as the limit allows, of one small thing again and again: they take most memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..cases import Case, room

if TYPE_CHECKING:
    from ....codecs import Codec

__all__ = ["filled", "listed"]

WORDS = {
    "empty-lists": "empty lists",
    "empty-maps": "empty maps",
    "one-item-maps": "maps of one item",
    "short-texts": "short texts",
    "integers": "small integers",
    "floats": "floats",
    "moments": "moments",
}


def filled(wire: str, items: Mapping[str, bytes], array: Callable[[bytes, int], bytes]) -> list[Case]:
    """Return a case for each kind of item.

    Args:
        wire: The format.
        items: Kind, one of `WORDS`, to one item as it is written.
        array: ``(item, size) -> payload`` of at most so many bytes.
    """

    def maker(item: bytes) -> Callable[[Codec], list[bytes]]:
        return lambda codec: [array(item, room(codec))]

    return [
        Case(
            "decode",
            f"fill-{kind}",
            f"{WORDS[kind]} to the limit of size",
            maker(item),
            wires=frozenset({wire}),
        )
        for kind, item in items.items()
    ]


def listed(item: bytes, size: int) -> bytes:
    """Return a list in square brackets, as JSON and YAML write it."""
    return b"[" + (item + b",") * ((size - 2 - len(item)) // (len(item) + 1)) + item + b"]"
