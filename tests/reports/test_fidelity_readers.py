"""The tables of what libraries of other languages read from codecs."""

from __future__ import annotations

import pytest

from bakeoff.bench.preserved import FidelityCell, ForeignLibrary, ForeignReads
from bakeoff.reports import written
from bakeoff.reports.tables.fidelity_readers import table
from bakeoff.reports.tables.text import render

LAID_OUT = ("text", "md", "html", "latex", "rst")
GO = ForeignLibrary("Go", "msgp", "1", "msgpack", "msgp")
NODE = ForeignLibrary("Node", "msgpackr", "2", "msgpack", "msgpackr")
EXACT = FidelityCell("exact")
MADE = {
    ("msgpack", "int", GO): FidelityCell("changed", "float 1.0"),
    ("msgpack", "int", NODE): EXACT,
    ("msgpack/tuple", "int", GO): EXACT,
    ("msgpack/tuple", "int", NODE): EXACT,
    ("msgpack", "set", GO): FidelityCell("refused", "no sets here"),
    ("msgpack", "set", NODE): FidelityCell("refused", "no sets there"),
    ("msgpack", "date", GO): FidelityCell("refused", "no dates"),
    ("msgpack", "date", NODE): EXACT,
}
PYTHON = {(codec, value): EXACT for codec, value, _ in MADE} | {("msgpack", "date"): FidelityCell("changed")}
FORMATS = {"msgpack": "msgpack", "msgpack/tuple": "msgpack"}
READS = ForeignReads("read", [GO, NODE], FORMATS, PYTHON, MADE)
ALL_EXACT = ForeignReads("read", [GO, NODE], FORMATS, PYTHON, dict.fromkeys(MADE, EXACT))


def lines(reads: ForeignReads, form: str = "text", width: int | None = None) -> list[str]:
    return written(table([reads], ["a note"], width), form).splitlines()


def test_the_summary_counts_the_values_that_python_preserves():
    rows = [line.split() for line in lines(READS)]

    assert ["language", "library", "format", "values", "exact", "changed", "refused"] in rows
    assert ["Go", "msgp", "msgpack", "2", "0", "1", "1"] in rows
    assert ["Node", "msgpackr", "msgpack", "2", "1", "0", "1"] in rows


def test_a_value_names_the_codecs_with_which_it_differs():
    found = lines(READS)

    assert "int [a]  ~1.0     =" in found
    assert "[a] with msgpack" in found


def test_a_narrow_terminal_folds_libraries_and_has_the_reasons_once():
    found = lines(READS, width=17)
    heads = [line.split() for line in found if line.startswith("value ")]

    assert [["value", "msgp"], ["value", "msgpackr"]] == heads
    assert 1 == found.count("msgp, set: refused: no sets here")
    assert 1 == found.count("[a] with msgpack")


def test_a_narrow_table_without_times_leaves_none_out():
    found = render(table([READS], width=40), width=40)

    assert "left out" not in found
    assert "per record" not in found


@pytest.mark.parametrize("form", LAID_OUT)
def test_a_format_without_differences_has_no_rows(form):
    found = "\n".join(lines(ALL_EXACT, form))

    assert "2 of 2 values are exact in every library" in found
    assert "<th>value</th>" not in found


@pytest.mark.parametrize("form", LAID_OUT)
def test_notes_are_below_all_tables(form):
    found = [line for line in lines(READS, form) if line]

    assert "a note" in found[-2 if form == "html" else -1]
