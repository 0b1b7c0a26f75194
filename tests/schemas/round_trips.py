"""Round trips: of dicts, also through codecs that take objects of their library; of schemas as Python."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs import Codec
from bakeoff.schemas import Schema
from bakeoff.schemas.load import load


def written(codec: Codec, record: Any) -> bytes:
    """Return the payload of a record of dicts."""
    take = codec.bound and codec.bound.take
    return codec.encode(take(record) if take else record)


def read(codec: Codec, payload: bytes) -> Any:
    """Return the record of a payload, as dicts."""
    record = codec.decode(payload)
    give = codec.bound and codec.bound.give
    return give(record) if give else record


def assert_comes_back(codec: Codec, record: Any) -> None:
    """Assert that a record of dicts survives a round trip, including types."""
    assert first_difference(record, read(codec, written(codec, record))) is None


def read_back(schema: Schema, part: str = "") -> Schema:
    """Return the schema of the module that a schema is printed as; `part` is ``:NAME`` if it has several."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "printed.py")
        file.write_text(schema.to_python(), encoding="utf-8")
        return Schema(load(f"{file}{part}"))
