"""Runs without each of the capabilities of this system, and the probes."""

from __future__ import annotations

import ast
import os
import select
import socket
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff import memory
from bakeoff.bench import capabilities
from bakeoff.bench.capabilities import Capabilities, lost, probe
from bakeoff.bench.messages.prepare import Prepare
from bakeoff.bench.method import Pace
from bakeoff.bench.results import read
from bakeoff.bench.run import processes
from bakeoff.bench.run.environment import environment, is_fact
from bakeoff.bench.run.processes import LocalExecutor
from inprocess import bakeoff, run

ROOT = Path(__file__).parents[2]
NAMES = [field.name for field in fields(Capabilities)]
NOTHING = Capabilities(**dict.fromkeys(NAMES, False))
RUN = ("movies", "-n", "100", "--budget", "2", "-c", "json,msgpack", "--all")
ASKING = ("sys.platform", "os.name", "platform.system", "os.uname")
BY_NAME = {"src/bakeoff/files.py", "bench/watch/start.py", "bench/watch/attach.py"}
"""Modules that may ask for a platform's name: for its folders, and where programs are watched."""


@pytest.fixture
def hide(monkeypatch: pytest.MonkeyPatch) -> Callable[[Capabilities], None]:
    """Return a function that makes this process, and its workers, have other capabilities."""
    return lambda rest: monkeypatch.setattr(capabilities, "_known", [rest])


def without(*names: str) -> Capabilities:
    return replace(probe(), **dict.fromkeys(names, False))


@pytest.mark.slow
@pytest.mark.parametrize(
    "hidden", [[name] for name in NAMES] + [["high_water_mark", "usage"], NAMES], ids="+".join
)
def test_a_run_ranks_and_says_what_is_missing(
    hidden: list[str],
    hide: Callable[[Capabilities], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    rest = without(*hidden)
    hide(rest)
    if not rest.fork_server:  # it would not start there
        monkeypatch.delattr(processes, "Warm")
    done = run(tmp_path, *RUN)

    assert 0 == done.returncode, done.stderr
    (said,) = (line for line in done.stdout.splitlines() if "this system has " in line)
    assert lost(rest.missing) in said
    result = read(tmp_path / "bakeoff.json")
    (ranking,) = result.rankings
    figures = {cell.cell.operation for cell in result.cells if cell.samples or cell.facts}
    assert {"json", "msgpack"} == set(ranking.order)
    assert rest.peaks == ("peak-dump" in figures)
    assert "growth-dump" in figures


@pytest.mark.slow
def test_a_pipeline_without_forks_says_what_is_missing(
    hide: Callable[[Capabilities], None], tmp_path: Path
) -> None:
    hide(without("fork"))
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n')
    done = bakeoff(tmp_path, "pipeline", "rows.jsonl", "-c", "json,msgpack", "--transport", "pipe")

    assert 1 == done.returncode
    assert "in all 3 setups: something that every codec needs is missing\n" in done.stdout
    assert "  why     pipelines fork their consumers, and this system has no fork\n" in done.stdout


def test_each_loss_has_words() -> None:
    assert len(NAMES) == len({lost([name]) for name in NAMES} - {""})
    assert lost([]) == lost(["of a newer version"]) == ""
    assert "\n" not in lost(NAMES)


def test_a_whole_system_is_silent(hide: Callable[[Capabilities], None]) -> None:
    hide(Capabilities())

    assert "missing_capabilities" not in environment()
    assert Capabilities().missing == []


def test_what_is_missing_is_kept_as_a_fact(hide: Callable[[Capabilities], None]) -> None:
    hide(NOTHING)
    facts = environment()

    assert ",".join(NAMES) == facts["missing_capabilities"]
    assert is_fact("missing_capabilities", facts["missing_capabilities"])
    assert not facts["pinned"]


def test_a_heap_without_counters_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "heap_counters" not in str(environment().get("missing_capabilities", ""))
    monkeypatch.setattr("bakeoff.bench.run.environment.EXACT", False)

    assert "heap_counters" == environment()["missing_capabilities"]


ABSENT: dict[str, tuple[object, str]] = {
    "fork": (os, "fork"),
    "affinity": (os, "sched_setaffinity"),
    "process_groups": (os, "killpg"),
    "children": (os, "WNOHANG"),
    "polling": (select, "poll"),
    "thread_clocks": (time, "pthread_getcpuclockid"),
}


@pytest.mark.parametrize("name", ABSENT)
def test_a_missing_function_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert getattr(probe(), name)
    monkeypatch.delattr(*ABSENT[name])

    assert not getattr(probe(), name)


@pytest.mark.parametrize("function", ["fork", "pidfd_open", "O_PATH"])
def test_a_fork_server_needs_all_its_parts(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert probe().fork_server
    monkeypatch.delattr(os, function)

    assert not probe().fork_server


def test_sockets_that_keep_messages_apart_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS has the name of the type, but no such local sockets."""

    def refuse(*arguments: Any) -> None:
        raise OSError(43, "Protocol not supported")

    monkeypatch.setattr(socket, "socketpair", refuse)

    assert not probe().fork_server


def test_a_limit_in_name_only_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    assert memory.can_limit_addresses()
    monkeypatch.setattr(resource, "RLIMIT_AS", resource.RLIMIT_RSS)

    assert not memory.can_limit_addresses()
    assert memory.limit_of_addresses() is None


@pytest.mark.slow
@pytest.mark.parametrize("groups", [True, False])
@pytest.mark.parametrize("server", [True, False])
def test_a_worker_without_progress_is_ended(
    server: bool,
    groups: bool,
    hide: Callable[[Capabilities], None],
    tmp_path: Path,
) -> None:
    hide(replace(probe(), fork_server=server, process_groups=groups))
    (tmp_path / "endless.py").write_text(
        "import time\ndef records():\n    while True: time.sleep(9)\n    yield"
    )
    job = Prepare(
        path=(str(tmp_path),),
        source="endless:records",
        records=None,
        seed=1,
        sample=1,
        bytes=1,
        infer=False,
        batch=0,
    )
    with LocalExecutor(pace=Pace(forks=True)) as executor:
        ended = executor.work(job, over=lambda: bool(executor._running))
        left = executor._running

    assert ("unfinished", "not enough time") == (ended.outcome, ended.reason)
    assert set() == left


def test_no_module_asks_for_the_platform() -> None:
    """The name of a platform says little about what it has, and tests cannot hide it."""
    found = set()
    for folder in ("bench", "codecs", "schemas", "datasets", "reports", "src/bakeoff"):
        for path in (ROOT / folder).rglob("*.py"):
            if not path.is_relative_to(ROOT / "src/bakeoff") or folder == "src/bakeoff":
                text = path.read_text()
                # Parsing all modules takes a second.
                asking = any(name in text for name in ASKING)
                nodes = ast.walk(ast.parse(text)) if asking else ()
                if any(isinstance(node, ast.Attribute) and ast.unparse(node) in ASKING for node in nodes):
                    found.add(path.relative_to(ROOT).as_posix())

    assert BY_NAME == found
