"""The time that a library of another language takes to read a payload; `bench.run.readers` measures it.

Its place is a library, such as ``go-encoding-json``. No codec takes part: the library reads the payloads that
the codec wrote in its check.
"""

from __future__ import annotations

import re

from ..foreign.port import WorkerLibrary
from .base import Context, Operation, TimedCall, UnfitError

NAME = "read"


def place_of(language: str, library: WorkerLibrary) -> str:
    """Return the place of a library: its language, and its name without characters that separate.

    Args:
        language: Short name of the language, as in ``--readers``.
    """
    return f"{language}-{re.sub(r'[^A-Za-z0-9._]+', '-', library.name).strip('-')}"


def _read(context: Context) -> TimedCall:
    raise UnfitError("readers are named with --readers")


OPERATIONS = (
    Operation(
        name=NAME,
        phase="time",
        summary="time of a library of another language to read one payload (--readers)",
        carry_out=_read,
        heading="read by {place}",
        place="READER",
    ),
)
