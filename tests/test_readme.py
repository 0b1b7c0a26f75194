"""What README shows is tried as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.checkout

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
PACKAGE = next(code for language, code in BLOCKS if language == "toml")
MODULE = next(code for language, code in BLOCKS if code.startswith("# bakeoff_repr.py"))


@pytest.mark.parametrize(
    "code", [code for language, code in BLOCKS if language == "python" and code != MODULE]
)
def test_examples_run(code):
    """Every Python example runs by itself."""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.fixture
def installed(tmp_path):
    """Return the environment in which the example package is installed."""
    (tmp_path / "pyproject.toml").write_text(PACKAGE)
    (tmp_path / "bakeoff_repr.py").write_text(MODULE)
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--target", str(target), str(tmp_path)], check=True, capture_output=True)
    return os.environ | {"PYTHONPATH": str(target)}


def test_the_example_codec_stands_in_the_table(installed, tmp_path):
    """A package of two files brings a codec into a run, measured like all others."""
    bakeoff = Path(sys.executable).with_name("bakeoff")

    done = subprocess.run(
        [
            bakeoff,
            "run",
            "movies",
            "--records",
            "50",
            "-c",
            "repr,json",
            "--quick",
            "-o",
            tmp_path / "r.json",
        ],
        env=installed,
        capture_output=True,
        text=True,
        check=True,
    )

    (row,) = [line for line in done.stdout.splitlines() if line.startswith("repr ")]
    assert re.search(r"\d+(\.\d+)? ±", row)
    assert "exact" in row
