"""Two watches of a program: what is less, what is more, and what cannot be distinguished."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import madeup
from bakeoff.bench.results.watched import WatchData, write_watch
from bakeoff.reports.decide.compare_watches import compare, table
from inprocess import bakeoff


def renamed(watch: WatchData) -> WatchData:
    """Return a watch of the same program with orjson in the place of json."""
    sites = (replace(site, function=site.function.replace("json", "orjson")) for site in watch.sites)
    return replace(watch, sites=tuple(sites))


def verdicts(before: WatchData, after: WatchData) -> dict[tuple[str, str], str]:
    return {(c.group, c.figure): c.verdict for c in compare(before, after).changes}


def test_another_library_is_compared_by_direction() -> None:
    found = verdicts(madeup.watch(), renamed(madeup.watch(0.1)))

    assert found["program", "CPU"] == found["encoding", "CPU per call"] == "less"
    assert found["decoding", "share of CPU"] == "less"
    assert found["encoding", "bytes per call"] == "not distinguishable"
    assert found["encoding", "calls"] == ""
    assert ("json.dumps", "calls") not in found
    assert ("pickle.dumps", "calls") in found


def test_a_row_has_what_its_columns_show() -> None:
    found = compare(madeup.watch(), renamed(madeup.watch(0.1)))
    (section,) = table(found, 0.05).sections
    rows = {(row.entries["calls"].text, row.entries["figure"].text): row.entries for row in section.rows}

    assert [(change.group, change.figure) for change in found.changes] == list(rows)
    assert {column.key for column in section.columns} == set(rows["encoding", "CPU per call"])
    assert "less" == rows["encoding", "CPU per call"]["verdict"].text


def test_what_two_watches_of_a_program_may_differ_by_is_no_difference() -> None:
    """The first run of a program on a virtual machine took a quarter more than the second one."""
    first = replace(madeup.watch(1.25), busy=1.25 * madeup.watch().busy)

    assert set(verdicts(first, madeup.watch()).values()) == {"not distinguishable", ""}


@pytest.mark.parametrize("factor", [0.5, 0.8, 0.86, 0.9, 0.95, 1.1, 1.2])
def test_intervals_agree_with_verdicts(factor: float) -> None:
    """An interval excludes no change exactly if the change is distinguishable."""
    changes = [c for c in compare(madeup.watch(), madeup.watch(factor)).changes if c.ratio]
    excludes = [not c.ratio.low <= 1 <= c.ratio.high for c in changes if c.ratio]

    assert [c.verdict in ("less", "more") for c in changes] == excludes
    assert 1 == len({c.alpha for c in changes})


def test_functions_that_took_little_time_have_wider_intervals() -> None:
    """pickle took 0.32 s, json 3 s."""
    changes = compare(madeup.watch(), madeup.watch()).changes
    widths = {c.group: c.ratio.half_width for c in changes if c.figure == "CPU per call" and c.ratio}

    assert widths["pickle.dumps"] > 1.05 * widths["json.dumps"]


@pytest.mark.parametrize(
    ("factor", "limit", "code", "said"),
    [
        (1.0, [], 0, "no difference that can be distinguished"),
        (1.0, ["--fail-above", "30%"], 0, "no difference"),
        (1.0, ["--fail-above", "1%"], 2, "a longer watch can decide"),
        (2.0, ["--fail-above", "5%"], 1, "beyond 5%: CPU per call of encoding"),
        (2.0, ["--fail-above", "5%", "-f", "json"], 1, '"verdict": "more"'),
        (1.0, ["--counts"], 2, "two files of `bakeoff watch` take no --counts"),
    ],
)
def test_exit_codes(factor: float, limit: list[str], code: int, said: str, tmp_path: Path) -> None:
    write_watch(madeup.watch(), tmp_path / "before.json")
    write_watch(madeup.watch(factor), tmp_path / "after.json")
    done = bakeoff(tmp_path, "compare", "before.json", "after.json", *limit)

    assert done.returncode == code
    assert said in done.stdout + done.stderr
