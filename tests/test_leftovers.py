"""Ctrl-C leaves no temporary file, whatever command it ends.

What commands leave that end by themselves, with or without an error, `temporary` in conftest.py finds after
all tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from bakeoff.cli import COMMANDS
from command_lines import MEASURING, WITHOUT_FILES
from launched import wait

ROOT = Path(__file__).parents[1]
BAKEOFF = (sys.executable, "-P", "-m", "bakeoff")

_TRIES = 5
"""Times that Ctrl-C is sent: Python loses one that comes while a callback of its import system runs."""


def test_every_command_is_of_a_kind() -> None:
    assert set(COMMANDS) == {*MEASURING, *WITHOUT_FILES}


def interrupted(command: list[str], folder: Path, stdin: bytes = b"") -> tuple[list[str], list[str], int]:
    """Interrupt a command once it has temporary files; return these, those left, and the exit code."""
    place = folder / "tmp"
    place.mkdir()
    environment = os.environ | {"TMPDIR": str(place), "BAKEOFF_CACHE": str(folder / "cache")}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a terminal sends the signal to all processes of a group
    )
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.flush()
    made: list[str] = []

    def begun() -> bool:
        made.extend(path.name for path in place.iterdir())
        return bool(made)

    wait(process, begun)
    for _ in range(_TRIES):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=120)
            break
    else:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail(f"{_TRIES} times Ctrl-C did not end it")
    return made, [path.name for path in place.iterdir()], process.returncode


@pytest.mark.slow
@pytest.mark.parametrize("line", MEASURING.values(), ids=MEASURING)
def test_ctrl_c_leaves_no_temporary_file(line: str, tmp_path: Path) -> None:
    (tmp_path / "old.avsc").write_text('{"type": "record", "name": "R", "fields": []}')
    field = '{"name": "a", "type": "long", "default": 1}'
    (tmp_path / "new.avsc").write_text(f'{{"type": "record", "name": "R", "fields": [{field}]}}')
    (tmp_path / "program.py").write_text("import json\nwhile True:\n    json.dumps([1])\n")
    made, left, code = interrupted([*BAKEOFF, *line.split()], tmp_path)

    assert made
    assert left == []
    assert code != 0


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_of_a_pipe(tmp_path: Path) -> None:
    made, left, code = interrupted([*BAKEOFF, "run", "-"], tmp_path, b'{"a": 1}\n')

    assert (1, [], 130) == (len(made), left, code)


@pytest.mark.slow
@pytest.mark.checkout
@pytest.mark.parametrize("target", ["files:result", "decode:json"])
def test_fuzzing_leaves_no_temporary_file(target: str) -> None:
    fuzz = [sys.executable, str(ROOT / "tests" / "fuzz"), target, "--findings", "found"]
    # In a short path, as its processes have a socket there.
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir="/tmp") as name:
        made, left, _ = interrupted([*fuzz, "--seconds", "600"], Path(name))
        place = Path(name, "tmp")
        environment = os.environ | {"TMPDIR": str(place)}
        # What it finds is no matter here: a busy machine makes cases slow.
        done = subprocess.run([*fuzz, "--runs", "20"], cwd=name, env=environment, capture_output=True)
        after = [*place.iterdir()]

    assert made
    assert b"runs/s" in done.stdout, done.stderr
    assert [] == left == after
