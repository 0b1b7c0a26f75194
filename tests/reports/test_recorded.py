"""Recorded result files, one for each version of the format, stay readable.

`format-2.json` is the run of `format-1.json`, written when format 2 was new.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.bench.results import current, read, write
from bakeoff.reports import FORMATS, recommendation, render
from bakeoff.reports.decide.compare import compare
from bakeoff.reports.decide.pick import Wish, pick
from bakeoff.reports.model.files import load
from untraced import untraced

RESULTS = Path(__file__).parents[1] / "data" / "results"
FILES = sorted(RESULTS.glob("format-*.json"))

each_version = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@pytest.mark.parametrize("name", ["format-1", "schema-1"])
def test_format_1_gives_the_tables_that_it_gave(name):
    """The figures that the bakeoff of format 1 wrote, under the names of today: `advise` is `fix`."""
    recorded = (RESULTS / f"{name}.csv").read_text()

    assert recorded.replace("advise", "fix") == render([load(RESULTS / f"{name}.json")], "csv")


def test_format_1_is_written_as_today(tmp_path):
    """Operations of format 1 stand under their new names everywhere in a file made of one."""
    result = read(RESULTS / "schema-1.json")
    operations = {"dump", "load", "fix", "fix-nogc", "size", "growth-fix"}
    write(result, tmp_path / "again.json")

    assert operations == {cell.cell.operation for cell in result.cells}
    assert operations == set(str(result.options["operations"]).split("\n"))
    assert result == read(tmp_path / "again.json")


def test_a_plain_file_of_former_names():
    """What was written for pyperf then is read like what is written now."""
    assert "types/fix-nogc/json+schema" == current("types/advise-nogc/json+schema")
    assert "advise/load/advise" == current("advise/load/advise")


@each_version
@pytest.mark.parametrize("form", FORMATS)
def test_reports(path, form):
    """Every output shows every codec that was measured."""
    text = render([load(path)], form)

    assert all(name in text for name in ("orjson", "msgpack/tuple", "bson"))


@each_version
def test_table(path):
    """The table says what the run found: units, a loss, a tie, memory, the floor."""
    text = render([load(path)])

    assert "measured on 50 records drawn from 500, 1,680 bytes each as JSON, seed 1" in text
    assert "`list` came back as `tuple` at `$.actor.roles`" in text
    assert 2 == text.count("2 to 3")
    assert "not distinguishable (run longer): msgpack from msgpack/tuple; `bakeoff run" in text
    assert 2 == text.count("<64 ")
    assert "no growth" in text
    assert "floor [" in text
    assert "! messages: ±2 % was not reached in 8 processes" in text


@each_version
def test_recommendation_and_pick_agree(path):
    """The recommendation names the same codec as pick does with the same cost model."""
    result = load(path)

    assert recommendation(result).startswith("orjson costs least")
    assert "orjson" == pick([result], Wish()).winner.name


@each_version
def test_compares_with_itself(path):
    """A run has no better or worse cell than itself."""
    result = load(path)

    assert {"same", "not significant"} >= {c.verdict for c in compare(result, result).changes}


@each_version
@pytest.mark.parametrize("command", ["show", "stats", "check", "metadata", "dump", "slowest", "hist"])
def test_pyperf_reads_it(path, command):
    """pyperf's own commands work on the file."""
    subprocess.run(
        [sys.executable, "-m", "pyperf", command, path], check=True, capture_output=True, env=untraced()
    )
