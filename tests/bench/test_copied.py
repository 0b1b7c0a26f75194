"""Copies by a load and a dump: none of the data within the payload."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import bakeoff
from bakeoff.bench.operations import operation
from bakeoff.bench.operations.base import CodecParts, Context
from bakeoff.bench.operations.copied import copied
from bakeoff.bench.worker.records import make_sample

np = pytest.importorskip("numpy", reason="missing here: numpy; pip install numpy")
pd = pytest.importorskip("pandas", reason="missing here: pandas; pip install pandas")
pl = pytest.importorskip("polars", reason="missing here: polars; pip install polars")

FRAME = pd.DataFrame(np.random.default_rng(1).normal(size=(1_000, 20)), columns=[f"c{n}" for n in range(20)])
BYTES = 1_000 * 20 * 8


@dataclass
class Point:
    x: float
    y: float


@pytest.mark.parametrize(
    ("record", "size"),
    [
        ({"a": 1, "b": [0.5, True, None]}, 8 + 8 + 1),
        ("äb", 3),
        ([b"abc", bytearray(2), dt.date(2024, 1, 1)], 3 + 2 + 8),
        (Point(1.0, 2.0), 16),
        (np.zeros(10), 80),
        (np.float32(1), 4),
        (np.array(["ab", None], object), 2),
        (FRAME, BYTES),
        (pl.from_pandas(FRAME), BYTES),
        (pd.DataFrame({"a": [1, 2]}, index=[5, 6]), 32),
        (pl.Series([1.0, 2.0]), 16),
    ],
)
def test_data_in_memory_of_its_own_counts(record: Any, size: int) -> None:
    assert size == copied(record, b"payload")


def test_data_within_the_payload_does_not_count() -> None:
    payload = bytes(range(64))
    view = np.frombuffer(payload, "u1")

    assert 0 == copied(
        [view, view[8:16].view("f8"), pd.Series(view, copy=False), memoryview(payload)], payload
    )
    assert 64 == copied([view.copy(), view], payload)


def figures(name: str, record: Any) -> tuple[float, dict[str, Any]]:
    codec = bakeoff.codec(name, trusted=True)
    sample = make_sample([record])
    given = Context(CodecParts(codec, codec), sample, [codec.encode(record)])
    found = operation("copied").carry_out(given)
    return found.value, dict(found.extras)


@pytest.mark.parametrize("name", ["json", "orjson", "orjson/numpy", "msgpack", "msgpack/numpy", "pickle"])
def test_most_codecs_copy_a_frame_once_each_way(name: str) -> None:
    value, facts = figures(name, FRAME)

    assert BYTES == pytest.approx(value, rel=0.05)
    assert len(bakeoff.codec(name).encode(FRAME)) == facts["dump_copied"]
    assert "frames_copied" not in facts


def test_buffers_apart_are_not_copied() -> None:
    value, facts = figures("pickle/buffers", FRAME)

    assert 0 == value
    assert BYTES == pytest.approx(facts["dump_copied"], rel=0.05)
    assert facts["frames_copied"] < 2_000


def test_compressed_payloads_are_copied_out() -> None:
    """Views of decompressed data are not views of the payload."""
    assert BYTES == figures("pickle/buffers|zlib:1", FRAME)[0]


def test_a_run_has_a_column_for_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from bakeoff.commands.run import command

    (tmp_path / "app_data.py").write_text(
        "import numpy, pandas\n"
        "def frames():\n"
        "    for n in range(3):\n"
        "        yield pandas.DataFrame(numpy.full((1000, 20), n / 7))\n"
    )
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        command, ["app_data:frames", "--ops", "copied", "-c", "pickle,pickle/buffers", "-o", "r.json"]
    )

    assert 0 == done.exit_code, done.output
    assert "copied by load" in done.output
    assert "copied by frames" in done.output
