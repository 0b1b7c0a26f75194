"""The BSON corpus: documents with their canonical bytes and extended JSON, and invalid documents."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .case import UNTOLD, ConformanceCase, Suite


def _cases(folder: Path) -> Iterator[ConformanceCase]:
    for path in sorted(folder.glob("*.json")):
        corpus = json.loads(path.read_bytes())
        for valid in corpus.get("valid", ()):
            yield from _valid(f"{path.name}: {valid['description']}", valid)
        for broken in corpus.get("decodeErrors", ()):
            name = f"{path.name}: {broken['description']}"
            yield ConformanceCase(name, bytes.fromhex(broken["bson"]), "reject")


def _valid(name: str, valid: Mapping[str, Any]) -> Iterator[ConformanceCase]:
    canonical = bytes.fromhex(valid["canonical_bson"])
    # Extended JSON cannot represent some values, such as a NaN with a payload.
    value = UNTOLD if valid.get("lossy") else _value(valid["canonical_extjson"])
    yield ConformanceCase(name, canonical, "accept", value, canonical)
    if "degenerate_bson" in valid:
        yield ConformanceCase(
            f"{name} (degenerate)", bytes.fromhex(valid["degenerate_bson"]), "accept", value, canonical
        )
    # The encodings of deprecated types are ordinary documents.
    if "converted_bson" in valid:
        converted = bytes.fromhex(valid["converted_bson"])
        value = _value(valid["converted_extjson"])
        yield ConformanceCase(f"{name} (converted)", converted, "accept", value, converted)


def _value(text: str) -> Any:
    from bson.codec_options import DatetimeConversion
    from bson.dbref import DBRef
    from bson.json_util import JSONOptions, loads

    options = JSONOptions(
        tz_aware=True,
        tzinfo=dt.UTC,
        document_class=dict,
        datetime_conversion=DatetimeConversion.DATETIME_AUTO,  # years beyond 9999
    )
    value = loads(text, json_options=options)
    # A whole document is not a reference to another one, whatever its keys are.
    return _plain(dict(value.as_doc()) if isinstance(value, DBRef) else value)


def _plain(value: Any) -> Any:
    """Return a value with 64-bit integers and UUIDs as Python types."""
    from bson.binary import UUID_SUBTYPE, Binary, UuidRepresentation
    from bson.int64 import Int64

    if type(value) is dict:
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Binary) and value.subtype == UUID_SUBTYPE:
        return value.as_uuid(UuidRepresentation.STANDARD)
    return int(value) if isinstance(value, Int64) else value


SUITE = Suite(
    "BSON corpus",
    "bson",
    "https://github.com/mongodb/specifications",
    ("source/bson-corpus/tests/top.json", "bson-corpus/tests/top.json", "tests/top.json", "top.json"),
    _cases,
)
