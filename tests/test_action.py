"""Our parts that other repositories run: the steps of action.yml and docs/how-to/ci.md, and the hook."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from bakeoff.bench.results import write
from bakeoff.bench.run.options import Options
from madeup import PLANTED, planted

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
PAGE = (ROOT / "docs/how-to/ci.md").read_text()
EXAMPLES = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)]
STEPS = {
    step["name"]: step
    for steps in (ACTION["runs"]["steps"], EXAMPLES[0]["jobs"]["compare"]["steps"])
    for step in steps
    if "run" in step
}
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
FIELD = {name: PLANTED[name] for name in ("json", "msgpack")}
BAKEOFF = """\
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
    print("typed:", *sys.argv[1:-2])
    shutil.copy({recorded!r}, sys.argv[sys.argv.index("-o") + 1])
else:
    runpy.run_module("bakeoff", run_name="__main__")
"""
"""A `bakeoff` with recorded runs, including alternating ones; everything else is real."""
PIP = """\
#!/bin/sh
echo pip "$@"
cat "$5"
"""
PYTHON = """\
#!/bin/sh
echo "python $*"
folder=$RUNNER_TEMP/bakeoff
case "$*" in
  "-m pip wheel"*) mkdir -p "$folder/wheels" && touch "$folder/wheels/bakeoff-0.whl" ;;
  "-m venv"*) mkdir -p "$3/bin" && cp "$(dirname "$0")/pip" "$3/bin/pip" ;;
esac
"""
"""A `python` that makes environments in which nothing is installed."""
GH = """\
#!/bin/sh
echo "gh $*" >&2
case "$*" in *--jq*) printf "$EARLIER" ;; esac
for last; do :; done
case "$last" in body=@*) cat "${last#body=@}" >&2 ;; esac
exit "${CODE:-0}"
"""
"""A `gh` that says what it was asked to send, and finds the comments that `EARLIER` names."""


def put(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)


@pytest.fixture
def step(tmp_path):
    """Run a step by its name, the way the runner does, with inputs in its environment."""
    folder = tmp_path / "runner"
    folder.mkdir()

    def run(name, within=tmp_path, **environment):
        env = {
            **os.environ,
            "PATH": os.pathsep.join((str(tmp_path / "stubs"), os.environ["PATH"])),
            "RUNNER_TEMP": str(folder),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_REPOSITORY": "somebody/service",
            "GITHUB_BASE_REF": "main",
            **environment,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        return subprocess.run(command, cwd=within, env=env, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def side(tmp_path):
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
        write(replace(planted(field, seed=seed, facts=facts, options=options), started=now), recorded)
        script = BAKEOFF.format(python=sys.executable, recorded=str(recorded))
        put(tmp_path / "runner/bakeoff" / name / "bin/bakeoff", script)

    return make


MEASURED = {"RECORDS": "r.jsonl", "CODECS": "json msgpack", "OPTIONS": "--quick -n 9", "FAIL_ABOVE": "5%"}


@pytest.mark.slow
def test_unchanged_code_passes(step, side, tmp_path):
    side("base", 1, seed=1)
    side("head", 1, seed=2)
    done = step("Measure and compare", **MEASURED)

    assert (0, "") == (done.returncode, done.stderr)
    assert ["typed: run r.jsonl --codec=json --codec=msgpack --quick -n 9"] * 2 == done.stdout.splitlines()
    assert "no significant regression beyond 5%" in (tmp_path / "runner/summary.md").read_text()
    assert f"comparison={tmp_path}/runner/bakeoff/comparison.md\n" == (tmp_path / "runner/output").read_text()


@pytest.mark.slow
def test_slower_code_fails(step, side, tmp_path):
    side("base", 1, seed=1)
    side("head", 1.2, seed=2)
    done = step("Measure and compare", **MEASURED)

    folder = tmp_path / "runner/bakeoff"
    assert 1 == done.returncode
    assert f"in turn: {folder}/base/bin/python {folder}/head/bin/python" in done.stderr
    assert "messages/load/json (1.20× slower)" in done.stderr
    assert "1.20× slower" in (tmp_path / "runner/summary.md").read_text()


@pytest.mark.slow
def test_lock_is_checked(step, side, tmp_path):
    side("head", 1, seed=2)
    bakeoff = tmp_path / "runner/bakeoff/head/bin"
    path = os.pathsep.join((str(bakeoff), os.environ["PATH"]))
    hook = {"cwd": tmp_path, "env": {**os.environ, "PATH": path}, "capture_output": True}
    assert 2 == step("Check that the lock matches the libraries").returncode
    assert 2 == subprocess.run(HOOK["entry"].split(), check=False, **hook).returncode
    subprocess.run(
        [bakeoff / "bakeoff", "pick", "recorded-head.json", "--write"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )

    assert 0 == step("Check that the lock matches the libraries").returncode
    assert 0 == subprocess.run(HOOK["entry"].split(), check=False, **hook).returncode


@pytest.mark.slow
def test_both_sides_are_installed(step, tmp_path):
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    (tmp_path / "base").mkdir()
    (tmp_path / "base/needed.txt").write_text("msgpack==1\n")
    for command in ("init -qb main", "add -A", "commit -qm base"):
        subprocess.run([*git, *command.split()], cwd=tmp_path / "base", check=True)
    subprocess.run(["git", "clone", "-q", "base", "head"], cwd=tmp_path, check=True)
    (tmp_path / "head/needed.txt").write_text("msgpack==2\n")
    put(tmp_path / "stubs/pip", PIP)
    put(tmp_path / "stubs/python", PYTHON)
    done = step("Install both sides", tmp_path / "head", REQUIREMENTS="needed.txt", SOURCE="/action")

    folder = tmp_path / "runner/bakeoff"
    assert (0, "") == (done.returncode, done.stderr)
    wheel, *rest = done.stdout.splitlines()
    assert wheel.endswith(f"--no-deps --wheel-dir {folder}/wheels /action")
    installed = [line for line in rest if not line.startswith("python -m venv")]
    assert [
        line
        for number, name in enumerate(("base", "head"), 1)
        for line in (
            f"pip install --quiet {folder}/wheels/bakeoff-0.whl -r {folder}/{name}-requirements.txt",
            f"msgpack=={number}",
        )
    ] == installed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("earlier", "asked"),
    [
        ("", "gh api repos/somebody/service/issues/7/comments -F body="),
        ("41\n42\n", "gh api --method PATCH repos/somebody/service/issues/comments/41 -F body="),
    ],
)
def test_one_comment_is_kept_up_to_date(step, tmp_path, earlier, asked):
    put(tmp_path / "stubs/gh", GH)
    assert "" == step("Comment on the pull request", NUMBER="7").stderr
    put(tmp_path / "runner/bakeoff/comparison.md", "| the table |\n")
    done = step("Comment on the pull request", NUMBER="7", EARLIER=earlier)

    assert (0, "") == (done.returncode, done.stdout)
    assert asked in done.stderr
    assert "<!-- comment of bakeoff -->\n| the table |" in done.stderr
    refused = step("Comment on the pull request", NUMBER="7", EARLIER=earlier, CODE="1")
    assert (0, True) == (refused.returncode, refused.stdout.startswith("::warning::no comment"))


def test_inputs_are_those_of_the_action():
    scripts = [step["run"] for step in ACTION["runs"]["steps"]]
    used = set(re.findall(r"inputs\.([\w-]+)", str(ACTION["runs"]["steps"])))

    assert [] == [script for script in scripts if "${{" in script]
    assert used == ACTION["inputs"].keys()
    assert used == set(re.findall(r"^\| `([\w-]+)` \|", PAGE, re.M)) - {"0", "1", "2"}
    assert set(EXAMPLES[0]["jobs"]["compare"]["steps"][2]["with"]) <= used
    assert [HOOK["id"]] == [hook["id"] for hook in EXAMPLES[1]["repos"][0]["hooks"]]


@pytest.mark.parametrize(
    ("file", "runs"),
    [("bakeoff.lock", True), ("service/requirements-dev.txt", True), ("uv.lock", True), ("notes.txt", False)],
)
def test_the_hook_runs_when_the_lock_or_the_libraries_change(file, runs):
    assert runs == bool(re.search(HOOK["files"], file))


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert [project["version"], project["license"]] == [citation["version"], citation["license"]]
