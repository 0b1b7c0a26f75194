"""What a worker says of the records that it reads, converts and combines for a run."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.bench.messages.prepare import Prepare, Prepared
from bakeoff.bench.worker.context import WorkerContext
from bakeoff.bench.worker.prepare import run

ORDERS = [
    {"id": f"{n:08x}-0000-4000-8000-000000000000", "placed": f"2026-03-{n % 28 + 1:02}T08:00:00+00:00"}
    for n in range(60)
]


@pytest.mark.parametrize(
    ("options", "known"),
    [({}, True), ({"infer": True}, False), ({"batch": 5}, False), ({"size": 500}, False)],
)
def test_only_records_that_stay_as_they_were_read_have_the_mean_size_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], known: bool
) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_text("\n".join(map(json.dumps, ORDERS)))
    job = Prepare(
        **{
            "source": str(path),
            "records": None,
            "seed": 1,
            "sample": 10,
            "bytes": 1 << 20,
            "infer": False,
            "batch": 1,
            **options,
        }
    )
    context = SimpleNamespace(blobs=SimpleNamespace(put=lambda data: "5a"), beat=lambda *told: None)
    monkeypatch.setattr(gc, "disable", lambda: None)
    profile = cast(Prepared, run(job, cast(WorkerContext, context))).facts["profile"]

    assert "sample_size" in profile
    assert known == ("size_mean" in profile)
