"""The definition of a family of generated records, and the list of families."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ..sizes import size

if TYPE_CHECKING:
    from ._generate import Random

NAMES = ("movies", "messages", "types", "numbers", "text", "accounts", "universe", "likes", "pairs")
"""The families; each is declared as ``FAMILY`` in ``NAME.py`` in this folder."""

Make = Callable[["Random", int], Any]
"""Called with the generator, at the start of a record, and the record's index; returns a record made of new
objects.
"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that sets a property of a family's records, as in ``likes:1000``.

    Attributes:
        default: Default number.
        most: Largest number.
        make: Returns the function that makes records for a number.
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
        parameter: The parameter after the name; None if the family takes none.
    """

    name: str
    description: str
    schema: type
    make: Make
    parameter: Parameter | None = None

    @property
    def stream(self) -> str:
        """Keeps the random numbers of families apart; the same for every parameter of a family."""
        return self.name.partition(":")[0]


def is_built_in(name: str) -> bool:
    """Return whether a name is that of a family, with or without a parameter, and not of a function."""
    base, colon, given = name.partition(":")
    if base not in NAMES or not colon:
        return base in NAMES
    return not given.isidentifier() or _declared(base).parameter is not None


def family(name: str) -> CorpusFamily:
    """Return the family called `name`, without importing the others.

    Raises:
        UsageError: The family takes no parameter, or not this one.
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
