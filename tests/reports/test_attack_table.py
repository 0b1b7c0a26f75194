"""The tables of what hostile cases did to codecs."""

from __future__ import annotations

import csv
import io
from typing import Any

from bakeoff.reports import written
from bakeoff.reports.tables.attack import by_case, by_codec


def case(name: str, verdict: str, seconds: float | None = 0.02, **others: Any) -> dict[str, Any]:
    return {
        "direction": "decode", "case": name, "verdict": verdict, "seconds": seconds, "memory": 2 << 20,
        "outcome": "refused", "said": "", "calls": 1, "accepted": 0, "broken": [], "known": "",
    } | others  # fmt: skip


FACTS = {
    "promise": {"seconds": 1.0, "memory": 256 << 20},
    "codecs": [
        {
            "codec": "good",
            "failed": "",
            "cases": [case("a", "kept"), case("b", "kept", None, memory=1 << 30)],
        },
        {
            "codec": "bad",
            "failed": "",
            "cases": [
                case("a", "broken", 3.64, broken=["too slow"]),
                case("b", "known", broken=["swallowed"], known="drops exceptions"),
            ],
        },
        {"codec": "gone", "failed": "no module", "cases": []},
    ],
}


def test_a_row_has_the_worst_of_a_codec():
    rows = [line.split() for line in written(by_codec(FACTS), "text").splitlines()]

    assert ["good", "2", "2", "0", "20", "ms", "2", "MiB", "kept"] in rows
    assert ["bad", "2", "0", "1", "3.6", "s", "2", "MiB", "1", "broken"] in rows
    assert ["gone", "0", "0", "0", "–", "–", "failed"] in rows


def test_csv_has_what_was_broken():
    rows = {row["codec"]: row for row in csv.DictReader(io.StringIO(written(by_codec(FACTS), "csv")))}

    assert ("1 broken", "decode/a: too slow", "3.64") == tuple(
        rows["bad"][key] for key in ("outcome", "reason", "slowest")
    )
    assert ("failed", "no module") == (rows["gone"]["outcome"], rows["gone"]["reason"])
    assert ("kept", "") == (rows["good"]["outcome"], rows["good"]["reason"])


def test_csv_of_cases_has_each_name_once():
    header, *rows = csv.reader(io.StringIO(written(by_case(FACTS), "csv")))

    assert sorted(set(header)) == sorted(header)
    assert ["refused"] * 4 == [row[header.index("seen")] for row in rows]
    assert ["kept", "kept", "broken", "known"] == [row[header.index("outcome")] for row in rows]


def test_a_known_fault_is_named_without_color():
    text = written(by_case(FACTS), "text")

    assert "swallowed (known)" in text
    assert "too slow\n" in text


def test_markdown_has_the_remarks():
    assert "- bad: too slow" in written(by_codec(FACTS, ["bad: too slow"]), "md").splitlines()
