"""Records that exceed a codec's default limits are measured, with the limits that they need."""

from __future__ import annotations

import functools
import pickle

import pytest

import bakeoff
from bakeoff.bench.jobs import CorpusInputs
from bakeoff.bench.results import Cell, CellResult, CheckFacts
from bakeoff.bench.worker.limits import beyond, depth_needed
from bakeoff.bench.worker.parts import codec_parts
from bakeoff.bench.worker.records import PickledSample
from bakeoff.codecs.limits import GREATEST_DEPTH, OWN_DATA
from bakeoff.reports.model.candidates import limits_needed

LISTS = {"a": [1, [2], {"b": None}] * 70_000}
"""420,004 values: more than bson takes, fewer than json does."""


def needed(name: str, *records: object) -> dict[str, int]:
    sample = PickledSample([pickle.dumps(record) for record in records], [1.0] * len(records), fresh=False)
    parts = codec_parts(name, CorpusInputs(""), {})
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
    found = needed(name, {"a": 1}, record)

    assert limits == found
    if not name.endswith("/raw"):
        codec = bakeoff.codec(name, **found)
        assert record == codec.decode(codec.encode(record))


def test_the_largest_of_all_cells_counts():
    def cell(**limits: int) -> CellResult:
        return CellResult(Cell("a", "dump", "bson"), "ok", check=CheckFacts(1, 1, limits=limits))

    cells = [
        cell(items=5, depth=1 << 20),
        cell(items=7, size=1 << 60),
        cell(foo=1),
    ]

    assert {"items": 7, "depth": GREATEST_DEPTH, "size": OWN_DATA["size"]} == limits_needed(cells)


@pytest.mark.parametrize(
    ("name", "limits"),
    [("json", {"depth": 512}), ("msgpack", {"depth": 512}), ("pickle", {}), ("json/raw", {})],
)
def test_deep_records_are_measured_with_the_limit_that_they_need(name, limits):
    record = functools.reduce(lambda inner, _: {"a": [inner]}, range(80), {"v": 1})
    parts = codec_parts(name, CorpusInputs("", depth=depth_needed(161)), {})
    payload = parts.bare.encode(record)

    assert record == parts.bare.decode(payload)
    sample = PickledSample([pickle.dumps(record)], [1.0], fresh=False)
    assert limits == beyond(name, parts, sample, [payload])
    if limits:
        assert record == bakeoff.codec(name, **limits).decode(payload)
        with pytest.raises(bakeoff.LimitError):
            bakeoff.codec(name).decode(payload)


def test_the_default_depth_is_kept_where_it_suffices():
    assert [0, 0, 256, GREATEST_DEPTH] == [depth_needed(levels) for levels in (5, 120, 121, 1 << 20)]
