"""Tables in terminals: fidelity and cost stay, intervals go first, and free columns are used."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import kept
import madeup
from bakeoff.bench.results import ResultData
from bakeoff.reports.model.table import Table
from bakeoff.reports.tables import text
from bakeoff.reports.tables.layouts import table_of

SCHEMA = {
    "msgpack+schema": {"dump": 1e-6, "load": 1e-6, "fix": 1e-6, "size": 90},
    "json+schema": {"dump": 3e-6, "load": 3e-6, "fix": 1e-6, "size": 100},
}


def on(machine: str) -> ResultData:
    return madeup.planted(environment={"hostname": machine, "cpu_model_name": f"CPU of {machine}"})


TABLES: dict[str, list[ResultData | Path]] = {
    "plain": [madeup.planted()],
    "everything": [madeup.result(corpora=1)],
    "a schema": [madeup.planted(SCHEMA)],
    "two machines": [on("first"), on("second")],
    "three machines": [on("first"), on("second"), on("third")],
    **{name: [kept.on(name)] for name in ("weather", "spans", "penguins", "flights")},
    "README's": [kept.IMAGES / "orders.json.gz"],
}


@cache
def built(kind: str) -> Table:
    return table_of(kept.results(TABLES[kind]))


def laid_out(kind: str, width: int | None) -> tuple[list[str], list[str], int]:
    """Return the heads of columns, what was left out, and the width of the widest line of the tables."""
    lines = str(text.render(built(kind), width=width, brief=True)).splitlines()
    heads = [line for line in lines if line.startswith("codec ") and line.endswith(" rank")]
    words = " ".join(lines)
    found = re.search(r"left out to fit the width: (.*?);\s+see\s+--columns", words)
    rules = [len(line) for line in lines if line.startswith("──")]
    return heads, found[1].split(", ") if found else [], max(rules)


@pytest.mark.parametrize("kind", TABLES)
def test_fidelity_and_cost_stay_and_intervals_go_first(kind: str) -> None:
    heads, left_out, width = laid_out(kind, 80)

    assert width <= 80
    assert heads
    assert all("fidelity" in head and "cost ×" in head and "rank" in head for head in heads)
    assert not left_out or left_out[0] == "± of times"


@pytest.mark.parametrize("width", [100, 120, 140, 170, 200])
@pytest.mark.parametrize("kind", TABLES)
def test_a_column_that_fits_is_not_left_out(kind: str, width: int) -> None:
    """A column is at most as wide as its name, its unit and the space before them."""
    heads, left_out, used = laid_out(kind, width)
    narrowest = min((len(name) + 5 for name in left_out if not name.startswith("±")), default=width)

    assert used <= width
    assert used + narrowest > width or len(heads) > 1


@pytest.mark.parametrize("kind", TABLES)
def test_nothing_is_left_out_from_the_width_of_all_on(kind: str) -> None:
    _, left_out, whole = laid_out(kind, 1000)

    assert not left_out
    assert not laid_out(kind, whole)[1]
    assert laid_out(kind, whole - 1)[1] or "machines" in kind
