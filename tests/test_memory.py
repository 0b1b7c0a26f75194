"""Commands under a limit of address space (``ulimit -v``): one sentence, and no library that dies of it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import madeup
from bakeoff.bench.results import write


def limited(kib: int, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = f"ulimit -v {kib}; exec {shlex.join([sys.executable, '-P', '-m', 'bakeoff', *arguments])}"
    return subprocess.run(
        ["sh", "-c", script], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("limited")
    write(madeup.result(), made / "bakeoff.json")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("kib", [40_000, 70_000])
def test_what_cannot_be_foreseen_is_said_as_well(folder: Path, kib: int) -> None:
    done = limited(kib, folder, "report")

    assert done.returncode == 1
    assert done.stderr.startswith("bakeoff: ")
    assert "memory" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    ["report", "report -f svg", "report -f html", "pick", "compare bakeoff.json bakeoff.json"],
)
def test_enough_is_enough(folder: Path, arguments: str) -> None:
    done = limited(200_000, folder, *arguments.split())

    assert (done.returncode, done.stderr) == (0, "")
