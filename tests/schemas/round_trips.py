"""Round trips of dicts, also through codecs that take objects of their library."""

from __future__ import annotations

from typing import Any

from bakeoff.bench.lab.fidelity.equality import first_difference
from bakeoff.codecs import Codec


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
