"""Machines that lie: an ``ssh`` on PATH that speaks to the conductor as it likes."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from bakeoff.bench.blobs import Blobs
from bakeoff.bench.frames import PROTOCOL
from bakeoff.bench.jobs import CorpusInputs
from bakeoff.bench.messages.timing import Time, TimedCell
from bakeoff.bench.results import read, write
from bakeoff.bench.run.environment import environment, is_fact
from bakeoff.bench.run.machines.addresses import machines
from bakeoff.bench.run.machines.answers import facts_of
from bakeoff.bench.run.machines.remote import RemoteExecutor
from bakeoff.errors import RunError
from bakeoff.reports import render
from launched import launch
from madeup import planted

FACTS = environment()
SSH = """#!{python} -IS
import json, os, sys, time
def frame(kind, content=b"", **fields):
    head = json.dumps({{"kind": kind, **fields}}).encode()
    return b"%08x %08x\\n%b%b\\n" % (len(head), len(content), head, content)
def send(kind, content=b"", **fields):
    write(frame(kind, content, **fields))
def write(content):
    while content:
        content = content[os.write(1, content):]
def forever(*messages):
    while True:
        for message in messages:
            write(message)
        time.sleep(0.01)
def greet():
    write(b"\\nbakeoff agent\\n")
    send("hello", **GREETING)
def ready(cores=[0], **facts):
    greet()
    send("ready", facts=FACTS | facts, cores=cores)
def job():
    seen = b""
    while b'"kind": "job"' not in seen:
        seen += os.read(0, 1 << 20)
def hold():
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
ALIVE = frame("alive", cells={{"0": [0, 1]}})
FACTS, GREETING = json.loads({facts!r}), json.loads({greeting!r})
{lie}
"""
GREETING = {"protocol": PROTOCOL, "version": FACTS["bakeoff_version"]}
HUGE = 4_000_000
"""Bytes of an input; no pipe has room for them."""

STALLS: Mapping[str, tuple[str, str]] = {
    "says nothing": ("greet(); time.sleep(600)", "no answer for"),
    "is alive before it is ready": ("greet(); forever(ALIVE)", "unexpected message: 'alive'"),
    "is ready twice": ("ready(); ready()", "not a message|unexpected message"),
    "waits after it was ready": ("ready(); send('waiting'); forever(ALIVE)", "unexpected message: 'waiting'"),
    "ends a job before it is ready": ("greet(); send('ended', number=0)", "unexpected message: 'ended'"),
    "announces and stops": ("greet(); write(b'%08x %08x\\n' % (99, 0)); time.sleep(600)", "no answer for"),
    "is silent when ready": ("ready(); time.sleep(600)", "took no data for"),
    "reads nothing": ("ready(); forever(ALIVE)", "took no data for|made no progress"),
    "reads a byte at a time": (
        "import threading\nready()\ndef sip():\n while os.read(0, 1): time.sleep(0.05)\n"
        "threading.Thread(target=sip).start()\nforever(ALIVE)",
        "took no data for|made no progress",
    ),
    "makes no progress": ("ready(); job(); forever(ALIVE)", "made no progress for"),
    "goes backwards": (
        "ready(); job(); forever(*(frame('alive', cells={'0': [0, 99 - n]}) for n in range(99)))",
        "made no progress for",
    ),
    "never says its cell": ("ready(); job(); forever(frame('alive', cells={}))", "made no progress for"),
}
"""Machines that have to be given up, and why; the seconds without progress are few."""

LIES: Mapping[str, tuple[str, str]] = {
    "exits": ("sys.exit(3)", "ended with exit code 3"),
    "exits, with a child that holds the pipe": ("hold(); sys.exit('gone')", "exit code 1: gone"),
    "is killed when ready": ("ready(); hold(); os.kill(os.getpid(), 9)", "exit code -9"),
    "writes noise": ("forever(b'x' * 4096)", "does not answer as an agent"),
    "floods standard error": (
        "sys.stderr.write(('\\x1b[2J' * 99 + '\\n') * 9999); sys.exit(1)",
        "exit code 1: .*x1b",
    ),
    "greets as a list": ("write(b'\\nbakeoff agent\\n'); write(b'%08x %08x\\n[]\\n' % (2, 0))", "a kind"),
    "is of another version": ("GREETING['version'] = ['\\x1b']; greet()", "bakeoff is .* there"),
    "announces gigabytes": ("greet(); write(b'ffffffff ffffffff\\n')", "8,589,934,590 bytes"),
    "nests its message": (
        "greet(); write(b'%08x %08x\\n%b\\n' % (90000, 0, b'[' * 90000))",
        "not JSON",
    ),
    "has no cores": ("ready(cores=[])", "cores of the machine"),
    "has a core beyond all": ("ready(cores=[10**400])", "cores of the machine"),
    "has facts that are none": ("greet(); send('ready', facts=[1], cores=[0])", "facts about the machine"),
    "lacks facts": ("FACTS = {}; ready()", "it sent no fact hostname"),
    "has too many facts": ("ready(**{f'x{n}': 1 for n in range(300)})", "facts about the machine"),
    "has a fact of no name": ("ready(evil=1)", "'evil' is 1"),
    "has a fact of pyperf's": ("ready(inner_loops=0)", "'inner_loops' is 0"),
    "booted at a number": ("ready(boot_time=10**4000)", "'boot_time' is 1000"),
    "has a list as a name": ("ready(hostname=['x'])", r"'hostname' is \['x'\]"),
    "has no processor": ("ready(cpu_count=0)", "'cpu_count' is 0"),
    "has the memory of all machines": ("ready(memory_total=10**30)", "'memory_total' is 1000"),
    "is pinned by a word": ("ready(pinned='yes')", "'pinned' is 'yes'"),
    "wrote other cells": ("ready(); send('alive', cells={'0': 1}); forever(ALIVE)", "the cells of jobs"),
    "wrote a cell beyond all": (
        "ready(); send('alive', cells={'0': [10**400, 1]}); forever(ALIVE)",
        "the cells of jobs",
    ),
    "ended a job that is not": ("ready(); send('ended', number=7); forever(ALIVE)", "not sent: 7"),
    "ended a list": ("ready(); send('ended', number=[]); forever(ALIVE)", r"not sent: \[\]"),
    "answers with nothing": ("ready(); job(); send('ended', number=0); forever(ALIVE)", "cannot be trusted"),
    "refuses in colors": (
        "ready(); job(); send('ended', number=0, refused='\\x1b[2Jno'); forever(ALIVE)",
        r"\\x1b\[2Jno",
    ),
}
"""Machines that break a rule, and the reason."""


def lying(folder: Path, monkeypatch: pytest.MonkeyPatch, lie: str) -> None:
    """Put an ``ssh`` that lies first on PATH."""
    script = SSH.format(
        python=sys.executable, facts=json.dumps(FACTS), greeting=json.dumps(GREETING), lie=lie
    )
    path = folder / "ssh"
    path.write_text(script)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def asked(folder: Path, silence: float) -> None:
    """Send the machine a job that has a large input, and wait for its end."""
    (machine,) = machines(["ssh://evil"])
    blobs = Blobs(folder / "blobs")
    job = Time(
        corpus=CorpusInputs(blobs.put(os.urandom(HUGE))),
        cells=(TimedCell("json", "dump"),),
        rounds=3,
        slice=1e-4,
    )
    with RemoteExecutor(machine, blobs, lambda reason: None, silence) as executor:
        executor.submit(job, patience=0.0).result()


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES)
def test_a_machine_that_lies_is_given_up(lie: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lying(tmp_path, monkeypatch, LIES[lie][0])
    if "exit code" not in LIES[lie][1]:
        monkeypatch.setattr("bakeoff.bench.run.machines.link.END", 0.1)
    with pytest.raises(RunError, match=LIES[lie][1]) as error:
        asked(tmp_path, 60.0)

    assert str(error.value).startswith("evil: ")
    assert "\x1b" not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("lie", STALLS)
def test_a_machine_that_stalls_is_given_up(lie: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, its process may also seem silent."""
    lying(tmp_path, monkeypatch, STALLS[lie][0])
    monkeypatch.setattr("bakeoff.bench.run.machines.link.END", 0.1)
    with pytest.raises(RunError, match=f"evil: .*({STALLS[lie][1]}|no answer for)"):
        asked(tmp_path, 1.0)


@pytest.mark.slow
def test_a_job_that_is_over_must_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lying(
        tmp_path,
        monkeypatch,
        "ready(); job()\nfor n in range(10**9): send('alive', cells={'0': [0, n]}); time.sleep(0.01)",
    )
    monkeypatch.setattr("bakeoff.bench.run.machines.link.END", 0.1)
    (machine,) = machines(["ssh://evil"])
    over = threading.Event()
    job = Time(corpus=CorpusInputs(""), cells=(TimedCell("json", "dump"),), rounds=3, slice=1e-4)
    with RemoteExecutor(machine, Blobs(tmp_path / "blobs"), lambda reason: None, 1.0) as executor:
        future = executor.submit(job, over=over.is_set)
        over.set()
        with pytest.raises(RunError, match=r"a job did not end|no answer for"):
            future.result()


@pytest.mark.slow
def test_a_run_ends_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lying(tmp_path, monkeypatch, "ready(boot_time=10**4000)")
    done = launch(tmp_path, "run", "messages", "-n", "20", "--budget", "2s", "--on", "ssh://evil")

    assert done.returncode == 1
    assert "evil: it sent a fact that cannot be: 'boot_time' is 1000" in done.stderr
    assert "Traceback" not in done.stderr


WILD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    10**30,
    10**400,
    -1e300,
    1e-320,
    float("nan"),
    float("inf"),
    "",
    " \n\r\t",
    "\x1b[2J\u202e\ud800\x00",
    "x" * 10**6,
    [],
    [1],
    {},
    {"a": 1},
)


def test_this_machine_sends_facts_that_are_taken() -> None:
    assert FACTS == facts_of(json.loads(json.dumps(FACTS)))
    assert is_fact("removed_variables", "OMP_NUM_THREADS=1")
    assert is_fact("python_gc", "disabled")


@pytest.mark.parametrize("name", [*FACTS, "tags", "unit", "loops", "inner_loops", "duration", "name", "\x1b"])
def test_facts_are_refused_or_a_result_has_them(name: str, tmp_path: Path) -> None:
    """Each fact of a machine, with every kind of value."""
    path = tmp_path / "out.json"
    taken = 0
    for value in WILD:
        try:
            facts = facts_of({**FACTS, name: value})
        except ValueError as error:
            assert repr(name)[:40] in str(error)  # noqa: PT017 - most values are refused
            continue
        taken += 1
        write(replace(planted(), environment=facts), path)
        found = read(path)
        assert found.environment == facts
        for form in ("text", "html"):
            assert "\x1b" not in render([found], form)
    assert taken < len(WILD)


NAMES = (
    "x$(touch RAN).whl",
    "x`touch RAN`.whl",
    "x; touch RAN;.whl",
    "x\ntouch RAN\n.whl",
    "x' ; touch RAN; '.whl",
    'x" ; touch RAN; ".whl',
    "x && touch RAN.whl",
    "x|touch RAN.whl",
    "x>RAN.whl",
    "-rRAN.whl",
    "$HOME ~ * ? [a] {b}.whl",
    "ä \\ \\' \\\" !!.whl",
)
SHELL = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
cd "$HOME"
exec sh -c "$*"
"""
"""As sshd does: the words are joined, and the user's shell reads them."""
PYTHON = """#!/bin/sh
printf '%s\\n' "$@" > "$HOME/asked"
case "$3" in venv) mkdir -p "$4/bin"; cp "$0" "$4/bin/python";; esac
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("part", ["wheel", "python"])
def test_the_name_of_a_wheel_or_interpreter_runs_nothing(
    name: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command goes through real shells."""
    home, programs = tmp_path / "home", tmp_path / "bin"
    wheel = tmp_path / (name if part == "wheel" else "a.whl")
    python = home / (name if part == "python" else "python")
    for folder in (home, programs):
        folder.mkdir()
    wheel.write_bytes(b"a wheel")
    for path, script in ((programs / "ssh", SHELL), (python, PYTHON)):
        path.write_text(script)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(home))
    (machine,) = machines([f"ssh://evil?{urlencode({'python': python})}"], wheel)
    with pytest.raises(RunError, match="the connection ended"):
        RemoteExecutor(machine, Blobs(tmp_path / "blobs"), lambda reason: None)

    (place,) = (home / ".cache" / "bakeoff").iterdir()
    assert (place / wheel.name).read_bytes() == b"a wheel"
    assert (place / "complete").exists()
    assert not list(tmp_path.rglob("*RAN"))


@pytest.mark.slow
def test_an_installation_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "a.whl"
    wheel.write_bytes(b"a wheel")
    lying(tmp_path, monkeypatch, "hold()\nwhile True: os.write(2, b'x' * 4096)")
    monkeypatch.setattr("bakeoff.bench.run.machines.addresses._PATIENCE", 0.2)
    (machine,) = machines(["ssh://evil"], wheel)
    with pytest.raises(RunError, match=r"evil: the wheel could not be installed: it took more than 0\.2 s"):
        RemoteExecutor(machine, Blobs(tmp_path / "blobs"), lambda reason: None)
