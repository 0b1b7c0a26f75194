"""Readers of parts of a JSON document: each checks one kind of value, and refuses others with their place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ...errors import RunError

MOST_ITEMS = 10_000
"""Most items of a list."""


class DataProfileError(RunError):
    """A profile file cannot be used; with the place and the reason."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")


PartReader = Callable[[Any, str], Any]
"""``(value, place) -> value``, which raises `DataProfileError` for a value of another kind."""


def whole_number(low: int, high: int) -> PartReader:
    """Return the reader of whole numbers of a range."""

    def read_one(value: Any, place: str) -> int:
        if type(value) is not int or not low <= value <= high:
            raise DataProfileError(place, f"expected a whole number from {low:,} to {high:,}")
        return value

    return read_one


def text(longest: int) -> PartReader:
    """Return the reader of texts."""

    def read_one(value: Any, place: str) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise DataProfileError(place, f"expected a text of at most {longest} characters")
        return value

    return read_one


def one_of(*choices: Any) -> PartReader:
    """Return the reader of some constants."""

    def read_one(value: Any, place: str) -> Any:
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            raise DataProfileError(place, f"expected one of {', '.join(map(json.dumps, choices))}")
        return value

    return read_one


def listed(item: PartReader, least: int = 0) -> PartReader:
    """Return the reader of lists of items of one kind."""

    def read_one(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not least <= len(value) <= MOST_ITEMS:
            raise DataProfileError(place, f"expected a list of {least} to {MOST_ITEMS:,} items")
        return tuple(item(one, f"{place}[{number}]") for number, one in enumerate(value))

    return read_one


def row(*parts: PartReader) -> PartReader:
    """Return the reader of lists with a kind for each item."""

    def read_one(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(parts):
            raise DataProfileError(place, f"expected a list of {len(parts)} items")
        return tuple(
            part(one, f"{place}[{number}]")
            for number, (part, one) in enumerate(zip(parts, value, strict=True))
        )

    return read_one


def built(cls: type[Any], value: Any, place: str, more: set[str]) -> Any:
    """Return an object of a dataclass whose fields name their readers.

    Args:
        cls: The class; each field has the metadata ``read``.
        value: A dict with exactly these fields.
        place: Its place in the document.
        more: Other keys that the dict has.
    """
    if not isinstance(value, dict):
        raise DataProfileError(place, "expected an object")
    names = {one.name for one in fields(cls)}
    if odd := sorted(map(str, (names | more) ^ set(value))):
        raise DataProfileError(
            place, f"{odd[0]!r} is " + ("missing" if odd[0] in names else "not known here")
        )
    return cls(
        **{one.name: one.metadata["read"](value[one.name], f"{place}.{one.name}") for one in fields(cls)}
    )
