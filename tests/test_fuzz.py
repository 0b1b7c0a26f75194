"""The fuzz driver finds, keeps and repeats crashes, hangs and broken promises, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.bench.lab.selftest.faults import publish
from installed import install
from untraced import untraced

HERE = Path(__file__).parent
ROOT = HERE.parent

pytestmark = pytest.mark.checkout


def fuzz(*arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    more = {} if path is None else {"PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, str(HERE / "fuzz"), *arguments],
        capture_output=True,
        text=True,
        env=untraced() | more,
    )


def count(row: str, target: str, output: str) -> int:
    head = next(line for line in output.splitlines() if line.startswith("target"))
    line = next(line for line in output.splitlines() if line.startswith(target + " "))
    headings, values = re.split(r"\s{2,}", head.strip()), re.split(r"\s{2,}", line.strip())
    return int(dict(zip(headings, values, strict=False))[row].replace(",", ""))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["selftest-crashes", "selftest-exits", "selftest-hangs"])
def test_what_dies_or_hangs_is_found_kept_and_repeated(tmp_path: Path, name: str) -> None:
    publish(tmp_path)
    found = tmp_path / "found"
    options = ["--runs", "25", "--seed", "1", "--findings", str(found)]
    if hangs := name == "selftest-hangs":
        options += ["--patience", "0.5"]  # a crash that takes longer on a busy machine would count as a hang
    done = fuzz(f"decode:{name}", *options, path=tmp_path)

    assert (1, "") == (done.returncode, done.stderr)
    column = "> 1 s" if hangs else "deaths"
    assert count(column, f"decode:{name}", done.stdout) >= 1
    # A slow machine can find more: where crashes are reported, one may take longer than the patience.
    case = min(found.glob(f"*-{'slow' if hangs else 'deaths'}-*.case"))
    assert f"python3 tasks.py fuzz --again {case}" in done.stdout
    if name == "selftest-crashes":
        assert fuzz("--again", str(case), path=tmp_path).returncode < 0


PLANTED = """
import itertools
import bakeoff
turns = itertools.count()
def large(data):
    return {"a": len(b"x" * (280 << 20))}
def lying(data):
    return {"a": next(turns)}
def leaving(data):
    raise SystemExit(5)
def make(name, decode):
    plain = bakeoff.codec("json")
    carries = ("none", "bool", "int", "float", "str", "list", "dict")
    return lambda: bakeoff.Codec(name, "json", plain.encode, decode, preserves=carries)
fuzzed_large, fuzzed_lying, fuzzed_leaving = (
    make(f"fuzzed-{f.__name__}", f) for f in (large, lying, leaving)
)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "column", "said"),
    [
        ("large", "> 256 MiB", "grew by"),
        ("lying", "promises broken", "came back as"),
        ("leaving", "foreign errors", "SystemExit: 5"),
    ],
)
def test_what_is_survived_is_found_as_well(tmp_path: Path, fault: str, column: str, said: str) -> None:
    install(tmp_path, "planted", PLANTED, [f"fuzzed-{fault}"])
    target, found = f"decode:fuzzed-{fault}", tmp_path / "found"
    done = fuzz(target, "--runs", "2", "--seed", "1", "--findings", str(found), path=tmp_path)

    assert (1, "") == (done.returncode, done.stderr)
    assert count(column, target, done.stdout) >= 1
    assert said in done.stdout
    assert fuzz("--again", str(next(found.glob("*.case"))), path=tmp_path).returncode == 1


@pytest.mark.slow
def test_the_same_seed_gives_the_same_counts(tmp_path: Path) -> None:
    arguments = ["msgpack", "part:ends", "--runs", "300", "--seed", "5", "--findings", str(tmp_path)]
    tables = [re.sub(r" +[\d,]+\n", "\n", fuzz(*arguments).stdout) for _ in range(2)]

    assert "decode:msgpack" in tables[0]
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_a_short_run_finds_nothing(tmp_path: Path) -> None:
    options = ["--runs", "400", "--seed", "1", "--patience", "60", "--findings", str(tmp_path)]
    done = fuzz(*options)

    assert (0, "") == (done.returncode, done.stderr), done.stdout


@pytest.mark.slow
def test_an_unknown_name_is_a_usage_error() -> None:
    done = fuzz("nosuch")

    assert done.returncode == 2
    assert "decode:json" in done.stderr
