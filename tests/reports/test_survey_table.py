"""The table of a survey, from the content of its file."""

from __future__ import annotations

import csv
import io
from typing import Any

from bakeoff.reports import written
from bakeoff.reports.tables.survey import table

LOSS = {"what": "`datetime` came back as `str` at `$.when`", "where": "b.yaml, record 1"}


def codec(**facts: Any) -> dict[str, Any]:
    sizes = {"bytes": 3000, "bytes_mean": 1000.25, "bytes_min": 8, "bytes_median": 900, "bytes_max": 2000}
    return {**sizes, "bytes_p99": 1990, "lossy": 0, "wrong": 0, "refused": 0, **facts}


FACTS: dict[str, Any] = {
    "sources": ["a.jsonl", "b.yaml"],
    "shards": 2,
    "records": 3,
    "bytes": 4096,
    "profile": {"records": 3, "bytes_mean": 1000.0, "bytes_min": 8, "bytes_max": 2000},
    "codecs": {
        "json": codec(lossy=1, loses_first=[LOSS]),
        "orjson": codec(wrong=1, lossy=1, bytes_p99=None),
        "pickle": codec(),
    },
    "sample": {"records": 2, "errors": {"json": {"difference": -0.003, "standard_error": 0.002}}},
}


def test_codecs_have_their_bytes_and_losses() -> None:
    text = written(table(FACTS, "sample.jsonl"), "text")

    assert text.startswith("3 records in 2 shards, 4 KiB\n  bytes as JSON 1,000")
    assert "\njson    3,000  1,000.2      8     900  1,990  2,000      1      0        0\n" in text
    assert "\norjson  3,000  1,000.2      8     900      –  2,000      1      1        0\n" in text
    assert f"json loses: {LOSS['what']} (first in {LOSS['where']})" in text
    assert (
        "sample.jsonl: 2 records, each equally likely\nmean payload, compared with that of all records: json"
        in text
    )
    assert "json −0.3% (standard error 0.2%)" in text


def test_other_programs_read_the_worst_outcome() -> None:
    rows = list(csv.DictReader(io.StringIO(written(table(FACTS), "csv"))))

    assert {"a.jsonl, b.yaml"} == {row["corpus"] for row in rows}
    assert ["lossy", "wrong", "ok"] == [row["outcome"] for row in rows]
    assert "3000" == rows[0]["bytes"]
    assert "1000.25" == rows[0]["bytes_mean"]
    assert LOSS["what"] in rows[0]["reason"]
