"""What a family of generated records is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ..sizes import size

if TYPE_CHECKING:
    from ._generate import Random

__all__ = ["NAMES", "CorpusFamily", "Make", "Parameter", "family", "is_built_in"]

NAMES = ("movies", "messages", "types", "numbers", "text", "accounts", "universe", "likes", "pairs")
"""The families; ``NAME.py`` beside this file declares each as ``FAMILY``."""

Make = Callable[["Random", int], Any]
"""Called with the generator, standing at the start of the record, and the record's index; returns a record
made of new objects.
"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that says what the records of a family are like, as in ``likes:1000``.

    Attributes:
        default: Where none is said.
        most: The largest.
        make: Returns what makes records for a number.
    """

    default: int
    most: int
    make: Callable[[int], Make]


@dataclass(frozen=True, slots=True)
class CorpusFamily:
    """A kind of generated record.

    Attributes:
        name: At most eight ASCII characters; part of the seed of every record.
        description: One line: what the records look like and what they stress.
        schema: The class that describes a record, as `bakeoff.Schema` takes it.
        make: See `Make`; with a parameter, for its default.
        parameter: What may be said behind the name; None where there is nothing to say.
    """

    name: str
    description: str
    schema: type
    make: Make
    parameter: Parameter | None = None

    @property
    def stream(self) -> str:
        """What keeps its random numbers apart from those of other families; the same for every parameter."""
        return self.name.partition(":")[0]


def is_built_in(name: str) -> bool:
    """Whether a name is that of a family, with a parameter or without; ``movies:made`` is a function."""
    base, colon, given = name.partition(":")
    if base not in NAMES or not colon:
        return base in NAMES
    return not given.isidentifier() or _declared(base).parameter is not None


def family(name: str) -> CorpusFamily:
    """Return the family called `name`, importing nothing of the others.

    Raises:
        UsageError: It takes no parameter, or not this one.
    """
    base, colon, given = name.partition(":")
    found = _declared(base)
    if not colon:
        return found
    if found.parameter is None:
        raise UsageError(f"{name}: {base} takes no parameter; leave out :{given}")
    try:
        number = size(given)
    except UsageError:
        number = 0
    if not 0 < number <= found.parameter.most:
        raise UsageError(f"{name}: say a whole number from 1 to {found.parameter.most:,}, as in {base}:1000")
    if number == found.parameter.default:
        return found
    return replace(found, name=f"{base}:{number}", make=found.parameter.make(number))


def _declared(base: str) -> CorpusFamily:
    found = import_module(f".{base}", __package__).FAMILY
    assert isinstance(found, CorpusFamily)
    return found
