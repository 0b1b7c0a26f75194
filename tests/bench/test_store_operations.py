"""Calls of a store, and the codec's share of them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.operations import operation
from bakeoff.bench.operations._inside import Inside, cost
from bakeoff.bench.operations.base import CodecParts, UnfitError
from bakeoff.bench.results import read
from bakeoff.bench.worker.records import PickledSample, make_sample
from bakeoff.bench.worker.work import TimedWork, context_of, work
from bakeoff.codecs import codec
from bakeoff.errors import UsageError
from hurried import BAKEOFF

RECORDS = [{"id": n, "name": "x" * n, "at": [n, {"deep": None}]} for n in range(40)]
STORES = ("log", "sqlite", "lmdb")
TIMED = ("put", "get", "update", "scan", "put-batch", "open")


@pytest.fixture(scope="module")
def sample() -> PickledSample:
    return make_sample(RECORDS)


def made(name: str, sample: PickledSample, codec_name: str = "msgpack") -> TimedWork:
    bare = codec(codec_name)
    payloads = [bare.encode(record) for record in RECORDS]
    return work(CodecParts(bare, bare), name, sample, payloads, urls={})


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", TIMED)
def test_a_call_gives_what_it_is_expected_to(name: str, store: str, sample: PickledSample) -> None:
    with closing(made(f"{name}@{store}:SM", sample)) as cell:
        assert cell.expected is not None
        batch = cell.batches(range(len(RECORDS)))
        for index in (0, 7, 39, 7, 0):
            items, at = batch(index, 1)
            came = cell.call(items[at])
            assert cell.expected(index) == came


@pytest.mark.parametrize("name", TIMED)
def test_the_codec_is_clocked_where_the_store_calls_it(name: str, sample: PickledSample) -> None:
    with closing(made(f"{name}-codec@sqlite:SM", sample)) as cell:
        assert cell.inside is not None
        batch = cell.batches(range(len(RECORDS)))
        items, at = batch(3, 1)
        cell.call(items[at])

        assert 0 < cell.inside()
        assert 0 == cell.inside()


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("store", STORES)
def test_the_baseline_calls_no_codec(
    name: str, store: str, sample: PickledSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(made(f"{name}-baseline@{store}:SM", sample, "json")) as cell:
        monkeypatch.setattr("json.JSONEncoder.encode", None)
        items, at = cell.batches(range(len(RECORDS)))(3, 1)
        came = cell.call(items[at])
    payloads = {codec("json").encode(record) for record in RECORDS}
    if name in ("get", "open"):
        assert came in payloads
    if name == "scan":
        assert {payload for _, payload in came} <= payloads  # type: ignore[attr-defined]


def test_a_store_in_memory_has_no_codec_to_clock(sample: PickledSample) -> None:
    """Where it gets records; to put one, and to replay all, it calls the codec."""
    for name in ("get", "scan"):
        with pytest.raises(UnfitError, match="log keeps records in memory: no codec is called"):
            made(f"{name}-codec@log", sample)


def test_what_is_stored_is_seen_to_be_what_was_put(sample: PickledSample) -> None:
    bare = codec("msgpack")
    payloads = [bare.encode(record) for record in RECORDS]
    declared = operation("stored@log:SM")
    found = declared.carry_out(context_of(declared, CodecParts(bare, bare), sample, payloads, {}))
    mean = sum(len(payloads[n % 40]) for n in range(100)) / 100

    assert pytest.approx(mean + 20 + 18 / 100) == found.value
    assert "never" == found.facts.settings["fsync"]
    assert 0 < found.facts.clock_counted_ns <= found.facts.clock_added_ns + 20


def test_a_sample_larger_than_the_store_is_measured_on_its_first_records() -> None:
    records = [{"id": n} for n in range(150)]
    bare = codec("json")
    payloads = [bare.encode(record) for record in records]
    cell = work(CodecParts(bare, bare), "get@sqlite:SM", make_sample(records), payloads, urls={})
    items, at = cell.batches(range(150))(120, 1)

    assert {"id": 20} == cell.call(items[at])
    cell.close()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("get@sqlit", "no store 'sqlit'; did you mean sqlite"),
        ("get@sqlite:XL", "expected a state of SM, MD, LG, for batches as"),
        ("put-batch@sqlite:MDx0", "'MDx0'"),
        ("put-batch@sqlite:MDxy", "'MDxy'"),
        ("stored@sqlite/wal", "no STORE may contain `/`"),
    ],
)
def test_what_there_is_not_is_said(name: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        operation(name)
    assert said in str(raised.value)


def test_the_clock_counts_calls_and_is_cheap_to_ask() -> None:
    clock = Inside(int)
    assert [1, 2] == [clock.call("1"), clock.call("2")]
    with pytest.raises(ValueError, match="invalid literal"):
        clock.call("x")
    spent, calls = clock.take()
    assert (2, True) == (calls, spent > 0)
    assert (0, 0) == clock.take()
    added, counted = cost()
    assert 0 < added
    assert 0 <= counted


@pytest.mark.slow
@pytest.mark.usefixtures("mountable")
def test_where_a_disk_is_full_the_store_says_so_and_the_others_go_on(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    arguments = "stores movies --store log,sqlite -c msgpack --preload SM,LG --all --budget 0 -o out.json"
    command = f"{shlex.join(BAKEOFF)} {arguments}; code=$?; ls -A {small} >left; exit $code"
    mounted = f"mount -t tmpfs -o size=5m tmpfs {small} && {{ {command}; }}"
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(small)},
        capture_output=True,
        text=True,
    )

    assert (0, "") == (done.returncode, (tmp_path / "left").read_text()), done.stderr
    cells: dict[str, Any] = {cell.cell.operation_name: cell for cell in read(tmp_path / "out.json").cells}
    assert all(cells[f"stored@{store}:SM"].samples for store in ("log", "sqlite"))
    small_ones = [cell for name, cell in cells.items() if name.endswith(":SM")]
    assert any(cell.samples for cell in small_ones if not cell.cell.operation_name.startswith("stored"))
    # Timed puts may fill it as well.
    reasons = [cell.reason for cell in small_ones if cell.outcome == "error"]
    assert all(re.search("No space left|disk is full|disk I/O error", reason) for reason in reasons), reasons
    said = {"log": "the journal cannot be written: No space left on device", "sqlite": "disk is full"}
    for store, reason in said.items():
        full = [cell for name, cell in cells.items() if name.endswith(f"@{store}:LG")]
        assert {"error"} == {cell.outcome for cell in full}
        assert all(reason in cell.reason for cell in full)
