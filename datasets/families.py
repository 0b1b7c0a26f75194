"""What a family of generated records is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._generate import Random

__all__ = ["NAMES", "Family", "family"]

NAMES = ("movies", "messages", "types", "numbers", "text")
"""The families; ``NAME.py`` beside this file declares each as ``FAMILY``."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of generated record.

    Attributes:
        name: At most eight ASCII characters; part of the seed of every record.
        description: One line: what the records look like and what they stress.
        schema: The class that describes a record, as `bakeoff.Schema` takes it.
        make: Called with the generator, standing at the start of the record, and the record's
            index; returns a record made of new objects.
    """

    name: str
    description: str
    schema: type
    make: Callable[[Random, int], Any]


def family(name: str) -> Family:
    """Return the family called `name`, importing nothing of the others."""
    found = import_module(f".{name}", __package__).FAMILY
    assert isinstance(found, Family)
    return found
