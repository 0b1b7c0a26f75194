"""Whether records fit the part of a definition that was chosen for them, or another part better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ..datasets.schema import schema as named
from ..errors import BakeoffError
from ..schemas import Schema
from .lab.evolution.versions import as_version

__all__ = ["LOOKED_AT", "better_part"]

LOOKED_AT = 10
"""Records that are tried, the first ones."""
_PARTS = 20


def better_part(
    records: Sequence[Any], schema: Schema, text: str, include: Sequence[str], codec: str
) -> Iterator[str]:
    """Yield a line where records do not fit the part that was chosen, and fit another one better.

    Args:
        records: As a file has them.
        schema: Of the part that was chosen.
        text: The definition, as typed.
        include: Folders for its imports.
        codec: Whose conventions the file follows.
    """
    if schema.given is None or schema.given.chosen is None:
        return
    here = _faults(records, schema, codec)
    best = here
    name = ""
    for part in islice(schema.given.chosen.others, _PARTS) if here else ():
        try:
            found = _faults(records, named(f"{text}#{part}", include), codec)
        except BakeoffError:
            continue
        if found < best:
            best, name = found, part
    if name:
        yield (
            f"the records do not fit the chosen record ({_several(here)}); {text}#{name} fits "
            + (f"better ({_several(best)})" if best else "all of them")
        )


def _faults(records: Sequence[Any], schema: Schema, codec: str) -> int:
    """Return how many fields of the first records do not fit: wrong, missing, or not known."""
    found = as_version(records[:LOOKED_AT], schema, codec)
    return len(found.faults) + found.unknown


def _several(count: int) -> str:
    return f"{count} place{'s' * (count != 1)} of the first records"
