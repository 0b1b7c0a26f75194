"""The table that a run shows while it measures, on a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

from hurried import BAKEOFF

COMMAND = [*BAKEOFF, "run", "movies", "--quick", "--all", "--budget", "1"]
COMMAND += ["-n", "100", "-c", "json,msgpack"]


def test_a_terminal_shows_the_table_so_far(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(
        COMMAND, cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            said += part
    os.close(ours)
    before, _, after = said.partition(b"results are in bakeoff.json")

    assert process.returncode == 0
    assert b"movies, so far" in before
    assert before.rindex(b"rank by cost") > before.rindex(b"so far")
    assert after.strip() == b""


def test_a_pipe_gets_the_final_table_only(tmp_path: Path) -> None:
    done = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True, timeout=600)

    assert done.returncode == 0
    assert "so far" not in done.stdout + done.stderr
    assert "rank by cost" in done.stdout
