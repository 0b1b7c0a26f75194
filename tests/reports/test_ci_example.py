"""The workflow in docs/how-to/ci.md, its shell parts run as scripts."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from bakeoff.bench.results import write
from bakeoff.bench.run.options import Options
from madeup import PLANTED

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "ci.md"
FIELD = {name: PLANTED[name] for name in ("json", "msgpack")}
STAND_IN = """\
#!{python}
import runpy, shutil, sys
from bakeoff.bench.run import interleaved

def in_turn(sides, cells, options, enough, **more):
    print("in turn:", *(side.python for side in sides), file=sys.stderr)
    found = {{}}
    for cell in cells:
        names = cell.corpus, cell.operation_name, cell.codec
        found[cell] = [side.run.cell(*names).samples for side in sides]
    return interleaved.Again(found)

interleaved.interleave = in_turn
if sys.argv[1] == "run":
    shutil.copy({recorded!r}, sys.argv[sys.argv.index("-o") + 1])
else:
    runpy.run_module("bakeoff", run_name="__main__")
"""
"""A `bakeoff` whose runs are recorded ones, those of both sides in turn as well; everything else is real."""


@pytest.fixture
def step(tmp_path):
    """Run a step of the workflow by its name, the way the runner does."""
    text = re.search(r"```yaml\n(.*?)```", DOCS.read_text(), re.S)[1]
    steps = yaml.safe_load(text)["jobs"]["compare"]["steps"]

    def run(name):
        script = next(step["run"] for step in steps if step.get("name", "").startswith(name))
        env = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def side(tmp_path, result_of):
    """Put one side's environment into place, with its recorded run."""

    def make(name, factor, seed):
        field = {
            codec: {op: v * (factor if op == "load" else 1) for op, v in ops.items()}
            for codec, ops in FIELD.items()
        }
        recorded = tmp_path / f"recorded-{name}.json"
        now = dt.datetime.now(dt.UTC).isoformat()
        facts = {name: {"library": "Python", "version": "3.11.0"} for name in FIELD}
        options = Options(("records.jsonl",), ("json", "msgpack")).flat()
        write(replace(result_of(field, seed=seed, facts=facts, options=options), started=now), recorded)
        script = tmp_path / name / "bin" / "bakeoff"
        script.parent.mkdir(parents=True)
        script.write_text(STAND_IN.format(python=sys.executable, recorded=str(recorded)))
        script.chmod(0o755)

    return make


def test_unchanged_code_passes(step, side, tmp_path):
    """Equal code passes, and the comparison is on the summary page."""
    side("base", 1, seed=1)
    side("head", 1, seed=2)
    done = step("Measure and compare")

    assert (0, "") == (done.returncode, done.stderr)
    assert "no significant regression beyond 5%" in (tmp_path / "summary.md").read_text()


def test_slower_code_fails(step, side, tmp_path):
    """Code that loads 20 % slower fails, and the summary names the cells."""
    side("base", 1, seed=1)
    side("head", 1.2, seed=2)
    done = step("Measure and compare")

    assert 1 == done.returncode
    assert f"in turn: {tmp_path}/base/bin/python {tmp_path}/head/bin/python" in done.stderr
    assert "messages/load/json (1.20× slower)" in done.stderr
    assert "1.20× slower" in (tmp_path / "summary.md").read_text()


def test_lock_is_checked(step, side, tmp_path):
    """The lock step passes with a fresh lock and fails without one."""
    side("head", 1, seed=2)
    assert 2 == step("Check that the codec").returncode
    command = [tmp_path / "head" / "bin" / "bakeoff", "pick", "recorded-head.json", "--write"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    assert 0 == step("Check that the codec").returncode
