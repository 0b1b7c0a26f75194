"""The workflows: the files that they run exist, and wheels are built for every supported Python."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text())["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_wheels_are_built_for_every_python():
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["project"]["classifiers"]))

    assert [f"cp3{minor}-*" for minor in named] == PROJECT["tool"]["cibuildwheel"]["build"]
    assert f">=3.{named[0]}" == PROJECT["project"]["requires-python"]


FIRST, *_, LAST = PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("README.md", f"Python {FIRST} or newer"),
        ("CONTRIBUTING.md", f"from {FIRST} to {LAST}"),
        ("docs/index.md", f"Python {FIRST} or newer"),
        ("docs/how-to/install.md", f"Python {FIRST} or newer"),
        ("docs/how-to/install.md", f"| CPython | {FIRST} to {LAST} |"),
        ("tasks.py", f"needs Python {FIRST} or later"),
        ("tasks.py", f"sys.version_info < ({FIRST.replace('.', ', ')})"),
        (".ci/verbs.py", f"from {FIRST} to {LAST}"),
        (".ci/verbs.py", f"PYTHONS = {json.dumps(PYTHONS)}"),
        (".github/workflows/tests.yml", f"python: {json.dumps([FIRST, LAST])}"),
    ],
)
def test_every_file_names_the_pythons_of_the_project(file, text):
    assert text in (ROOT / file).read_text()


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.name for path in WORKFLOWS])
def test_what_is_run_is_there(path):
    scripts = "\n".join(step.get("run", "") for step in steps(path))
    scripts += PROJECT["tool"]["cibuildwheel"]["test-command"]
    extras = {name for found in re.findall(r"\.\[([\w,]+)\]", scripts) for name in found.split(",")}

    assert [] == [
        file for file in re.findall(r"\b(?:tests|\.ci)/[\w./]+", scripts) if not (ROOT / file).exists()
    ]
    assert extras <= PROJECT["project"]["optional-dependencies"].keys()
    assert set(re.findall(r"--group (\w+)", scripts)) <= PROJECT["dependency-groups"].keys()


def test_only_publishing_may_prove_who_it_is():
    """No other job gets a token that PyPI trusts, and that one runs for tags alone."""
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    trusted = [name for name, job in release["jobs"].items() if "id-token" in job.get("permissions", {})]

    assert ["publish"] == trusted
    assert {"contents": "read"} == release["permissions"]
    assert "startsWith(github.ref, 'refs/tags/')" == release["jobs"]["publish"]["if"]
