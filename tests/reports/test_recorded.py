"""Recorded result files, one for each version of the format, stay readable."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.reports import FORMATS, advice, render
from bakeoff.reports.compare import compare
from bakeoff.reports.files import load
from bakeoff.reports.pick import Wish, pick

FILES = sorted((Path(__file__).parents[1] / "data" / "results").glob("format-*.json"))

pytestmark = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@pytest.mark.parametrize("form", FORMATS)
def test_reports(path, form):
    """Every output shows every codec that was measured."""
    text = render([load(path)], form)

    assert all(name in text for name in ("orjson", "msgpack/tuple", "bson"))


def test_table(path):
    """The table says what the run found: units, a loss, a tie, memory, the floor."""
    text = render([load(path)])

    assert "measured on 50 records drawn from 500, 1,680 bytes each as JSON, seed 1" in text
    assert "`list` came back as `tuple` at `$.actor.roles`" in text
    assert 2 == text.count("2=")
    assert "not resolved: msgpack (±3.3%) against msgpack/tuple; more processes" in text
    assert 2 == text.count("<64 ")
    assert "no growth" in text
    assert "floor [" in text
    assert "! messages: ±2 % was not reached in 8 processes" in text


def test_advice_and_pick_agree(path):
    """Advice names the same codec as pick does with the same cost model."""
    result = load(path)

    assert advice(result).startswith("orjson costs least")
    assert "orjson" == pick([result], Wish()).winner.name


def test_compares_with_itself(path):
    """A run has no better or worse cell than itself."""
    result = load(path)

    assert {"same", "not significant"} >= {c.verdict for c in compare(result, result).changes}


@pytest.mark.parametrize("command", ["show", "stats", "check", "metadata", "dump", "slowest", "hist"])
def test_pyperf_reads_it(path, command):
    """pyperf's own commands work on the file."""
    subprocess.run([sys.executable, "-m", "pyperf", command, path], check=True, capture_output=True)
