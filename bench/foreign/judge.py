"""The judge of payloads: what a library of another language read from each, compared with its record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

from ..facts import ReadFacts
from .canonical import CanonicalError, canonical, changes
from .port import ForeignWorker, LibraryRefusal
from .schemas import ReaderSchema

KEPT = 5
"""Most changes, and most reasons of a refusal, that are kept."""
_INDEX = re.compile(r"\[(int )?-?\d+\]")
"""One change is kept for all items of a list."""
_LONGEST = 200
_LOOKED = 1000
"""Changes of a record that are looked at; a list can have one for each item."""


def judge(
    worker: ForeignWorker,
    library: str,
    records: Iterable[Any],
    payloads: Iterable[bytes],
    schema: ReaderSchema | None = None,
) -> ReadFacts:
    """Return what a library reads from payloads.

    Args:
        worker: The running worker.
        library: Name of one of its libraries.
        records: What it should read, one for each payload.
        schema: Their schema, if the format needs one.

    Raises:
        WorkerError: The worker failed.
    """
    known = worker.library(library)
    counts: Counter[str] = Counter()
    places: dict[str, tuple[str, int]] = {}
    reasons: dict[str, int] = {}
    for number, (record, payload) in enumerate(zip(records, payloads, strict=True), 1):
        try:
            wrote = canonical(record)
        except CanonicalError:
            counts["uncompared"] += 1
            continue
        read = worker.check(library, payload, schema)
        if isinstance(read, LibraryRefusal):
            counts["refused"] += 1
            _keep(reasons, read.reason[:_LONGEST], number)
            continue
        found = list(islice(changes(wrote, read), _LOOKED))
        counts["changed" if found else "exact"] += 1
        for change in found:
            _keep(places, _INDEX.sub("[]", change.path), (str(change)[:_LONGEST], number))
    return ReadFacts(
        worker.language,
        known.name,
        known.version,
        counts["exact"],
        counts["changed"],
        counts["refused"],
        counts["uncompared"],
        dict(places.values()),
        reasons,
    )


def _keep(found: dict[str, Any], key: str, value: Any) -> None:
    if key in found or len(found) < KEPT:
        found.setdefault(key, value)
