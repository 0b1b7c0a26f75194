"""Conversion of a user's records to one version of a schema."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...schemas.schema import Schema
from .field_faults import findings
from .records import FieldMapping, expected


@dataclass(slots=True)
class VersionRecords:
    """Records of one version.

    Attributes:
        records: With the types of the version, without fields that it does not know.
        faults: Parts that do not fit it, in words.
        unknown: Number of fields that it does not know.
    """

    records: list[Any] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    unknown: int = 0


def as_version(records: Iterable[Any], schema: Schema, codec: str) -> VersionRecords:
    """Convert records to those of a version.

    Args:
        records: The records of a file; they are not changed.
        schema: The version.
        codec: The codec whose conventions the file follows.
    """
    advise, root, made = schema.adviser(codec), schema.layout.root, VersionRecords()
    for record in records:
        corrected = advise(copy.deepcopy(record))[0]
        wanted = expected(corrected, root, root, FieldMapping({}))
        for one in findings(wanted, corrected, root):
            if one.fault == "kept":
                made.unknown += 1
            else:
                made.faults.append(f"{one.path}: {one.example}")
        made.records.append(wanted)
    return made
