"""The table that a run shows while it measures, on a real pseudo-terminal."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hurried import BAKEOFF
from launched import on_terminal

COMMAND = [*BAKEOFF, "run", "movies", "--quick", "--all", "--budget", "1"]
COMMAND += ["-n", "100", "-c", "json,msgpack"]


@pytest.mark.slow
def test_a_terminal_shows_the_table_so_far(tmp_path: Path) -> None:
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    code, said = on_terminal(COMMAND, tmp_path, environment, whole=True)
    before, _, after = said.partition(b"results are in bakeoff.json")

    assert code == 0
    assert b"movies, so far" in before
    assert before.rindex(b"rank by cost") > before.rindex(b"so far")
    assert after.strip() == b""


@pytest.mark.slow
def test_a_pipe_gets_the_final_table_only(tmp_path: Path) -> None:
    done = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True, timeout=600)

    assert done.returncode == 0
    assert "so far" not in done.stdout + done.stderr
    assert "rank by cost" in done.stdout
