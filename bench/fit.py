"""Check whether records fit the chosen part of a definition, or another part better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ..datasets.schema import schema as named
from ..errors import BakeoffError
from ..schemas import Schema
from .versions.convert import as_version

LOOKED_AT = 10
"""Number of records to try, from the start."""
_PARTS = 20


def better_part(
    records: Sequence[Any], schema: Schema, text: str, include: Sequence[str], codec: str
) -> Iterator[str]:
    """Yield a line for the user if records do not fit the chosen part, and fit another one better.

    Args:
        records: The records of a file.
        schema: The schema of the chosen part.
        text: The definition, as typed.
        include: Folders for its imports.
        codec: The codec whose conventions the file follows.
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
    """Return how many fields of the first records do not fit: wrong, missing, or unknown."""
    found = as_version(records[:LOOKED_AT], schema, codec)
    return len(found.faults) + found.unknown


def _several(count: int) -> str:
    return f"{count} place{'s' * (count != 1)} of the first records"
