"""The fidelity matrix, and every codec's declarations checked against it."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from bakeoff import codecs
from bakeoff.bench.lab.fidelity.matrix import VALUES, cells
from bakeoff.bench.preserved import FidelityCell
from bakeoff.commands.fidelity import command
from installed import install

AVAILABLE = [name for name in codecs.available() if not codecs.codec(name).needs_schema]
UNTESTED = {"dict"}
"""Tokens that no single value stands for."""

LOSSES = {
    "list becomes tuple": ("list",),
    "NaN and Infinity become null": ("nan", "inf"),
    "dict keys that read alike as text (1 and '1') become one": ("dict 1 and '1'",),
    "Decimal becomes a float": ("Decimal 1.10", "Decimal 50 digits"),
    "datetimes far from 2001 lose microseconds": ("datetime year 9000",),
    "datetimes with an offset are decoded in UTC": ("datetime +05:30",),
    "datetimes are cut to milliseconds": ("datetime µs", "datetime UTC µs", "datetime year 9000"),
    "datetimes are decoded in UTC, also naive ones": ("datetime +05:30",),
    "datetimes are cut to seconds": ("datetime µs", "datetime year 9000"),
    "dict keys True and False become the text of 1 and 0": ("dict bool key",),
    "dict keys that are bytes become raw text; all but text, numbers and None their `str`": (
        "dict bytes key",
        "dict tuple key",
    ),
    "carriage returns in text and keys become line feeds": ("str CR",),
    "the field `_id` of a record is moved to the front": ("key order, _id",),
    "datetimes in a repeated hour lose their fold": ("datetime fold=1",),
}
"""Values that show a declared loss, if a single value can."""
UNWRITTEN = {"datetime_zone", "datetime_fold"}
"""Types without a convention: codecs that do not preserve them lose them, without a further declaration."""


@cache
def column(name: str) -> dict[str, tuple[FidelityCell, FidelityCell]]:
    return {value: (tried.without, tried.with_schema) for value, tried in cells(name)}


def test_each_value_has_a_name_of_its_own() -> None:
    names = [row.name for row in VALUES]

    assert all(names)
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("name", AVAILABLE)
def test_carries_is_the_truth(name: str) -> None:
    shown: dict[str, bool] = {}
    for row in VALUES:
        if row.token:
            shown[row.token] = shown.get(row.token, True) and column(name)[row.name][0].outcome == "exact"
    declared = codecs.codec(name).preserves - UNTESTED

    assert {token for token, exact in shown.items() if exact} == declared


@pytest.mark.parametrize("name", AVAILABLE)
def test_losses_are_declared(name: str) -> None:
    lost = {
        row.name
        for row in VALUES
        if row.token not in {"", *UNWRITTEN} and row.kind is not None
        if column(name)[row.name][1].outcome == "changed"
    }
    losses = codecs.codec(name).losses
    explained = {value for loss in losses for value in LOSSES.get(loss, ())}

    assert not lost or losses, f"{name} changes {sorted(lost)} and declares no loss"
    for loss in losses:
        if loss in LOSSES:
            changed = [value for value in LOSSES[loss] if column(name)[value][0].outcome == "changed"]
            assert changed, f"{name} declares {loss!r}, which does not happen"
    unexplained = lost - explained
    assert not unexplained or any(loss not in LOSSES for loss in losses), sorted(unexplained)


def fidelity(folder: Path, codecs: str, kind: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "bakeoff", "fidelity", "-c", codecs, "-f", kind],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_crash_costs_only_its_codec(tmp_path: Path) -> None:
    install(
        tmp_path,
        "planted",
        "import json, os\nfrom bakeoff import Codec\n"
        "def encode(value):\n"
        "    if value == {'v': 2**53 + 1}:\n        os.abort()\n"
        "    return json.dumps(value).encode()\n"
        "def dying():\n    return Codec('dying', 'json', encode, json.loads)\n",
        ["dying"],
    )
    rows = fidelity(tmp_path, "dying,json", "csv").stdout

    assert "dying,True,exact," in rows
    assert "dying,int 2^53+1,crash,died of SIGABRT" in rows
    assert "json,int 2^53+1,exact," in rows
    for kind in ("text", "md", "html"):
        assert fidelity(tmp_path, "dying", kind).stdout.count("dying: crash: died of SIGABRT") == 1


@pytest.mark.slow
def test_what_a_codec_prints_is_no_row(tmp_path: Path) -> None:
    install(
        tmp_path,
        "planted",
        "import json, os\nfrom bakeoff import Codec\nprint('loading')\n"
        "def encode(value):\n"
        "    print('[1]')\n"
        "    os.write(1, b'by the number\\n')\n"
        "    for number in range(3, 20):\n"
        "        try:\n"
        "            os.write(number, b'null\\n[1, 2, 3]\\nby any number\\n')\n"
        "        except OSError:\n"
        "            pass\n"
        "    return json.dumps(value).encode()\n"
        "def chatty():\n    return Codec('chatty', 'json', encode, json.loads)\n",
        ["chatty"],
    )
    done = fidelity(tmp_path, "chatty", "csv")

    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "chatty,True,exact," in done.stdout
    assert "crash" not in done.stdout


@pytest.mark.slow
def test_schema_in_a_name_asks_for_nothing_more() -> None:
    """Every column shows both, so that a codec with `+schema` is the column of that codec."""
    result = CliRunner().invoke(command, ["-c", "json+schema,json", "-f", "csv"])

    assert result.output.count("json,tuple,changed,list,exact,") == 1
    assert "+schema" not in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("text", "tuple               ~list > ="),
        ("md", r"| tuple               | \~list &gt; ="),
        ("csv", "json,tuple,changed,list,exact,"),
        ("html", "<table>"),
    ],
)
def test_layouts(kind: str, words: str) -> None:
    result = CliRunner().invoke(command, ["-c", "json", "-f", kind])

    assert result.exit_code == 0
    assert words in result.output
