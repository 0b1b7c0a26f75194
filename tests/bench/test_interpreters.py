"""Runs with other interpreters on this machine: what they need, their turns, and their results."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.results import read
from bakeoff.bench.run.interpreters import interpreters
from bakeoff.bench.run.machines.addresses import Machine
from bakeoff.bench.run.turns import turns
from bakeoff.commands._machines import plan
from bakeoff.errors import UsageError
from inprocess import bakeoff

FEW = ("messages", "--quick", "-n", "50", "--sample", "20", "-o", "out.json", "--all", "--budget", "0")

LACKING = """
import sys
class Finder:
    def find_spec(self, name, *others):
        if name == "msgspec":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def interpreter(tmp_path: Path) -> Callable[..., str]:
    """Return a function that makes a command with the interpreter of the tests and these variables."""

    def made(name: str, **environment: object) -> str:
        settings = " ".join(f"{key}={value}" for key, value in environment.items())
        return program(tmp_path / name, f'{settings} exec {sys.executable} "$@"')

    return made


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.slow
def test_each_interpreter_has_a_result_and_a_block_of_columns(
    interpreter: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "lacking").mkdir()
    (tmp_path / "lacking/sitecustomize.py").write_text(LACKING)
    one, two = interpreter("one"), interpreter("two", PYTHONPATH=tmp_path / "lacking")
    codecs = ("-c", "json,msgspec-json", "--ops", "dump,size")

    done = bakeoff(tmp_path, "run", *FEW, *codecs, "--python", one, "--python", two)

    assert 0 == done.returncode, done.stderr
    names = [f"python{sys.version_info.major}.{sys.version_info.minor}{end}" for end in ("", "-2")]
    results = [read(tmp_path / f"out-{name}.json") for name in names]
    assert names == [result.environment["interpreter"] for result in results]
    assert all(result.complete for result in results)
    measured = [{cell.cell.codec for cell in result.cells if cell.samples} for result in results]
    assert [{"json", "msgspec-json"}, {"json"}] == [found - {"baseline"} for found in measured]
    assert names in [line.split() for line in done.stdout.splitlines()]
    assert f"msgspec-json ({names[1]}): missing: msgspec is not installed" in done.stdout

    again = bakeoff(tmp_path, "run", "--resume", "out.json", "--python", one, "--python", two)
    assert f"{names[1]}: is complete in out-{names[1]}.json" in again.stderr
    one_file = bakeoff(tmp_path, "run", "--resume", f"out-{names[1]}.json", "--python", one, "--python", two)
    assert "is the file of one machine or interpreter; name only that one" in one_file.stderr


@pytest.mark.slow
def test_one_interpreter_measures_into_the_named_file_which_is_resumed_under_that_one(
    interpreter: Callable[..., str], tmp_path: Path
) -> None:
    """Under another interpreter, the figures would not be comparable."""
    done = bakeoff(tmp_path, "run", *FEW, "-c", "json", "--ops", "size", "--python", interpreter("one"))
    assert 0 == done.returncode, done.stderr
    result = read(tmp_path / "out.json")
    assert result.complete
    name = result.environment["interpreter"]
    text = (tmp_path / "out.json").read_text().replace(sys.version.split()[0], "3.99.1")
    (tmp_path / f"out-{name}.json").write_text(text)

    again = bakeoff(tmp_path, "run", "--resume", f"out-{name}.json")
    assert (
        f"add --python {name}, or resume all interpreters of that run with --resume out.json" in again.stderr
    )


def answer(**fields: Any) -> str:
    return "echo " + shlex.quote(json.dumps({"implementation": "CPython", "version": "3.12.1", **fields}))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo 1", "cannot be started as Python: it printed '1'"),
        ("echo pyenv: command not found >&2; exit 127", "cannot be started as Python: pyenv: command not"),
        (
            answer(implementation="PyPy", version="3.9.16"),
            "not built for PyPy; .*: --readers pypy",
        ),
        (answer(version="3.10.13"), "is Python 3.10.13; bakeoff needs 3.11 or later"),
        (answer(lacking="No module named 'bakeoff'"), r"named 'bakeoff'\); run .*other -m pip install 'bake"),
        (answer(facts={"bakeoff_version": "0.0.1"}), r"has bakeoff 0.0.1, this is .*; run .* -m pip install"),
    ],
)
def test_an_interpreter_that_cannot_measure_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        interpreters([program(tmp_path / "other", text)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--python", "no-python"), "no-python: cannot be started as Python"),
        (("--python", sys.executable, "--python", sys.executable), "is named twice"),
        (("--python", sys.executable, "--on", "ssh://host"), "ssh://HOST?python=PATH"),
    ],
)
def test_a_mistake_is_said_before_the_run(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = bakeoff(tmp_path, "run", "messages", *arguments)

    assert 2 == done.returncode
    assert said in done.stderr


@pytest.mark.slow
def test_the_plan_names_interpreters_and_files(tmp_path: Path) -> None:
    done = bakeoff(tmp_path, "run", "messages", "--dry-run", "--python", sys.executable)

    assert f"bakeoff.json: {sys.executable}" in done.stdout


def test_a_long_name_is_apart_from_its_file_in_the_plan() -> None:
    machines = [Machine(name, python="python") for name in ("python", "python3.11-2")]
    lines = plan(machines, Path("bakeoff.json")).splitlines()[-2:]

    assert ["python", "python3.11-2"] == [line.split()[0] for line in lines]


def test_sessions_take_turns() -> None:
    done: list[str] = []

    def work(turn: Any, name: str, times: int) -> None:
        with turn.taken(lambda: None):
            for _ in range(times):
                done.append(name)
                turn.pass_on()

    threads = [
        threading.Thread(target=work, args=(turn, *each))
        for turn, each in zip(turns(3), [("a", 3), ("b", 1), ("c", 2)], strict=True)
    ]
    for thread in reversed(threads):
        thread.start()
    for thread in threads:
        thread.join()

    assert "abcaca" == "".join(done)
