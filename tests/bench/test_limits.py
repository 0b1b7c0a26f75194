"""Records that go beyond a codec's own limits are measured, and it is asked for with what they need."""

from __future__ import annotations

import pickle

import pytest

import bakeoff
from bakeoff.bench.jobs import Corpus
from bakeoff.bench.results import Cell, CellResult
from bakeoff.bench.worker.limits import beyond
from bakeoff.bench.worker.parts import codec_parts
from bakeoff.bench.worker.records import Sample
from bakeoff.codecs.limits import OWN_DATA
from bakeoff.reports.candidates import limits_needed

LISTS = {"a": [1, [2], {"b": None}] * 70_000}
"""420,004 values: more than bson takes, fewer than json does."""


def needed(name: str, *records: object) -> dict[str, int]:
    sample = Sample([pickle.dumps(record) for record in records], [1.0] * len(records), fresh=False)
    parts = codec_parts(name, Corpus(""), {})
    return beyond(name, parts, sample, [parts.bare.encode(record) for record in records])


@pytest.mark.parametrize(
    ("name", "record", "limits"),
    [
        ("json", LISTS, {}),
        ("bson", LISTS, {"items": 1 << 20}),
        ("json", "x" * 20_000_000, {"size": 1 << 26}),
        ("json|zlib", "0123456789" * 2_000_000, {"decompressed": 1 << 26, "ratio": 1 << 11}),
        ("json/raw", LISTS, {}),
    ],
    ids=["none", "items", "size", "compressed", "raw"],
)
def test_the_limits_are_what_is_needed(name, record, limits):
    """Twice as much as the largest record, to the next power of two; nothing where its own suffice."""
    found = needed(name, {"a": 1}, record)

    assert limits == found
    if not name.endswith("/raw"):
        codec = bakeoff.codec(name, **found)
        assert record == codec.decode(codec.encode(record))


def test_the_largest_of_all_cells_counts():
    """Of several corpora; a stranger's file gets no more than a run allows, and no limit of another kind."""

    def cell(**facts: int) -> CellResult:
        return CellResult(Cell("a", "dump", "bson"), "ok", facts=facts)

    cells = [
        cell(limit_items=5),
        cell(limit_items=7, limit_size=1 << 60),
        cell(limit_depth=9, limit_foo=1, size=5),
    ]

    assert {"items": 7, "size": OWN_DATA["size"]} == limits_needed(cells)
