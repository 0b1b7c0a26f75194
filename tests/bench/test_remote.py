"""Runs on other machines: the executor, its agent, and what happens if one of them fails or lies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.blobs import Blobs
from bakeoff.bench.frames import MAGIC, PROTOCOL
from bakeoff.bench.jobs import CorpusInputs, Job
from bakeoff.bench.messages.alone import Alone
from bakeoff.bench.messages.check import Check
from bakeoff.bench.messages.survey import SurveyJob, SurveyPiece
from bakeoff.bench.messages.timing import Time, TimedCell
from bakeoff.bench.results import read
from bakeoff.bench.run.environment import environment
from bakeoff.bench.run.journal import journal_path
from bakeoff.bench.run.machines.addresses import Machine, machines
from bakeoff.bench.run.machines.link import CommandLink, Link
from bakeoff.bench.run.machines.lock import measuring
from bakeoff.bench.run.machines.remote import RemoteExecutor
from bakeoff.bench.survey import SurveyTally
from bakeoff.bench.worker.records import make_sample
from bakeoff.codecs import registry
from bakeoff.codecs.registry import give
from bakeoff.datasets.sampling import MergedSample
from bakeoff.errors import RunError, UsageError
from hurried import BAKEOFF
from launched import launch

AGENT = (sys.executable, "-P", "-m", "bakeoff.bench.run.machines.agent")
VERSION = environment()["bakeoff_version"]


def frame(kind: str, **fields: Any) -> bytes:
    head = json.dumps({"kind": kind, **fields}).encode()
    return b"%08x %08x\n%b\n" % (len(head), 0, head)


GREETING = MAGIC + frame("hello", protocol=PROTOCOL, version=VERSION)
READY = frame("ready", facts=environment(), cores=[0])


class Scripted:
    """An agent that writes some bytes first, and others when it has got a job."""

    patience = 60.0

    def __init__(self, first: bytes, then: bytes = b"") -> None:
        self._rest, self._then = first, then
        self._asked, self._closed = threading.Event(), threading.Event()

    def read(self, size: int) -> bytes:
        if len(self._rest) < size:
            self._asked.wait()
            self._rest, self._then = self._rest + self._then, b""
        if len(self._rest) < size:
            self._closed.wait()
            raise RunError("far: the connection ended")
        found, self._rest = self._rest[:size], self._rest[size:]
        return found

    def write(self, content: bytes, within: float) -> None:
        if b'"kind": "job"' in content:
            self._asked.set()

    def close(self) -> None:
        self._closed.set()
        self._asked.set()


def far(link: Callable[[], Link], tmp_path: Path, **limits: float) -> RemoteExecutor:
    """Return the executor of a machine."""
    machine = Machine("far", install="ssh far pip install bakeoff", connect=link)
    return RemoteExecutor(machine, Blobs(tmp_path / "blobs"), lambda reason: None, **limits)


CHECK = Check(corpus=CorpusInputs(""), codec="json", seconds=1.0, operations=("dump", "size"))
TIME = Time(corpus=CorpusInputs(""), cells=(TimedCell("json", "dump"),), rounds=3, slice=1e-4)
ALONE = Alone(corpus=CorpusInputs(""), codec="json", operation="peak-dump", payloads="")

FIGURE = {"raw": 1.0, "paired": 1.0, "drift": 0.0, "dear": 0, "rare": 0.0, "loops": 1}
FIGURE |= {"duration": 1.0, "rounds": 1, "dirty": 0, "contention": 1.0}
TIMED = {"kind": "timed", "cells": {"0": FIGURE}, "errors": {}, "reference_kernel": 1.0, "harness": 1.0}
TIMED |= {"dirty": 0.0}
FOUND = {"kind": "alone answer", "value": 1.0, "details": {}}
FACTS = {"records": 1, "encoded": 1}
CHECKED = {"kind": "checked", "outcome": "ok", "payloads": "0" * 64}

PIECE = SurveyPiece("a.jsonl", 0, 9, 0)
SURVEY = SurveyJob(
    pieces=(PIECE,),
    seed=1,
    codecs=("json",),
    schema="",
    sample=1,
    sample_format="jsonl",
    cut=1,
)
SURVEYED = {"kind": "surveyed", "tally": SurveyTally(["json"], MergedSample(1, 1)).plain()}
LIES: Mapping[str, Any] = {
    "not the findings": {},
    "1.5 is not a count": {**SURVEYED["tally"], "skipped": 1.5},
    "-1 is not a count": {**SURVEYED["tally"], "skipped": -1},
    "a count below 1": {
        **SURVEYED["tally"],
        "observed": {"root": {"kinds": {"builtins.int": 0}, "first": []}},
    },
    "a map without its parts": {**SURVEYED["tally"], "observed": {"root": {"maps": True, "first": []}}},
}


def ended(answer: Any, number: int = 0, **fields: Any) -> bytes:
    """Return the message of a job's end."""
    plain = {"answer": answer, "outcome": "ok" if answer else "error", "reason": "", "stderr": ""}
    rest = {"option": "", "cell": -1, "notes": [], "host": "far", "dictionary": ""}
    return frame("ended", number=number, **plain | rest | fields)


def timed(**fields: Any) -> bytes:
    return ended({**TIMED, "cells": {"0": {**FIGURE, **fields}}})


@pytest.mark.parametrize(
    ("job", "answer"), [(TIME, TIMED), (ALONE, FOUND), (CHECK, CHECKED), (SURVEY, SURVEYED)]
)
def test_an_honest_answer_is_taken(job: Job, answer: Mapping[str, Any], tmp_path: Path) -> None:
    with far(lambda: Scripted(GREETING + READY, ended(answer)), tmp_path) as executor:
        assert executor.submit(job).result().answer.kind == answer["kind"]


@pytest.mark.parametrize(
    ("job", "message", "reason"),
    [
        (TIME, timed(raw=float("nan")), "NaN is not a figure"),
        (TIME, timed(raw=1e300).replace(b"1e+300", b"1e+999"), r"1e\+999 is not a figure"),
        (TIME, timed(raw=0.0), "raw is 0.0"),
        (TIME, timed(paired=-1.0), "paired is -1.0"),
        (TIME, timed(rare=-1.0), "-1.0 is not a figure"),
        (TIME, timed(raw="1"), "raw is '1'"),
        (TIME, timed(more=1), "more is unknown"),
        (TIME, ended({**TIMED, "cells": {"1": FIGURE}}), "a cell is not of the job"),
        (TIME, ended({**TIMED, "reference_kernel": 0.0}), "a time is not above 0"),
        (TIME, ended(FOUND), "an answer of another kind than timed"),
        (TIME, ended(None, outcome="ok"), "an outcome without its answer"),
        (TIME, ended(None, outcome="great"), "outcome is 'great'"),
        (TIME, ended(None, option=1), "1 is not a text"),
        (TIME, ended({**TIMED, "errors": {"0": {"reason": 1}}}), "reason is 1"),
        (TIME, ended(None, cell=1), "a cell is not of the job"),
        (TIME, ended({**TIMED, "kind": "check"}), "unexpected keyword argument"),
        (TIME, ended(TIMED, number=7), "7"),
        (TIME, frame("job"), "unexpected message: 'job'"),
        (TIME, b"%08x %08x\n" % (1 << 30, 0), "1,073,741,824 bytes"),
        (TIME, b"%08x %08x\n" % (0, 1 << 30), "1,073,741,824 bytes"),
        (TIME, b"\x1b[2J" * 10, "not a message"),
        (TIME, b"%08x %08x\n%b\n" % (100_000, 0, b"[" * 100_000), "not JSON"),
        (TIME, frame("ended", number=0, refused="\x1b[2Jgone"), r"far: \\x1b\[2Jgone"),
        (ALONE, ended({**FOUND, "value": -1}), "-1 is not a figure"),
        (ALONE, ended({**FOUND, "details": {"extras": {"a": []}}}), "extras"),
        (ALONE, ended({**FOUND, "together": {"get": 1.0}}), "an operation that is not of the job"),
        (CHECK, ended({**CHECKED, "figures": {"import": 1.0}}), "an operation that is not of the job"),
        (CHECK, ended({**CHECKED, "payloads": "../x"}), "a digest"),
        (CHECK, ended({**CHECKED, "facts": {**FACTS, "records": -1}}), "-1"),
        (
            CHECK,
            ended({**CHECKED, "facts": {**FACTS, "definition": "x" * (1 << 20) + "x"}}),
            "long",
        ),
        (CHECK, ended({**CHECKED, "codec": {"notes": 1}}), "notes is 1"),
        (CHECK, ended({**CHECKED, "dictionary": "0" * 64}), "a dictionary is not the one"),
        (CHECK, ended(None, notes=[1]), "notes of a check"),
        *((SURVEY, ended({"kind": "surveyed", "tally": lie}), said) for said, lie in LIES.items()),
    ],
)
def test_an_answer_that_breaks_a_rule_ends_the_machine(
    job: Job, message: bytes, reason: str, tmp_path: Path
) -> None:
    with far(lambda: Scripted(GREETING + READY, message), tmp_path) as executor:
        with pytest.raises(RunError, match=reason) as error:
            executor.submit(job).result()
        if b"refused" not in message:
            with pytest.raises(RunError, match=reason):
                executor.submit(job).result()

    assert str(error.value).startswith("far: ")
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize(
    ("greeting", "reason"),
    [
        (b"welcome\n" * 10_000, "does not answer as an agent"),
        (MAGIC + frame("hello", protocol=PROTOCOL, version="0.0.0"), "is 0.0.0 there .* ssh far pip"),
        (GREETING + frame("ready", facts={}, cores=[0]), "it sent no fact hostname or"),
        (GREETING + frame("ready", facts=environment(), cores=[]), "cores of the machine"),
    ],
)
def test_an_agent_that_does_not_fit_is_refused(greeting: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=reason):
        far(lambda: Scripted(greeting), tmp_path)


def test_what_a_shell_prints_first_is_skipped(tmp_path: Path) -> None:
    """As a login shell may greet its user."""
    with far(lambda: Scripted(b"welcome\n" + GREETING + READY), tmp_path) as executor:
        assert executor.cores == [0]


def test_a_silent_machine_is_given_up(tmp_path: Path) -> None:
    """Its connection may never end."""
    with (
        far(lambda: Scripted(GREETING + READY), tmp_path, silence=0.0) as executor,
        pytest.raises(RunError, match="far: no answer for 0 s"),
    ):
        executor.submit(TIME).result()


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give agents another folder for temporary files, and so another lock, than other tests."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("apart")
def test_two_agents_of_a_machine_do_not_measure_at_once(tmp_path: Path) -> None:
    first = far(lambda: CommandLink(AGENT, "far"), tmp_path)
    said: list[str] = []

    def waiting(reason: str) -> None:
        said.append(reason)
        if reason.startswith("waiting"):
            first.close()

    second = Machine("near", connect=lambda: CommandLink(AGENT, "near"))
    with RemoteExecutor(second, first.blobs, waiting) as executor:
        assert executor.cores == sorted(os.sched_getaffinity(0))

    assert "waiting: another run measures on near" in said


@pytest.mark.usefixtures("apart")
def test_local_runs_share_a_machine_that_an_agent_has_alone() -> None:
    """Each waits only for the other kind."""

    def waiting() -> None:
        raise LookupError

    for one, other in ((True, False), (False, True), (True, True)):
        with measuring(waiting, alone=one), pytest.raises(LookupError), measuring(waiting, alone=other):
            pass
    with measuring(waiting, alone=False), measuring(waiting, alone=False):
        pass


SPY = """
import os
def dumps(record):
    raise ValueError(" ".join(f"{key}={value}" for key, value in sorted(os.environ.items()) if key in WANTED))
WANTED = {"MALLOC_TRIM_THRESHOLD_", "OMP_NUM_THREADS", "PYTHONHASHSEED", "MALLOC_ARENA_MAX"}
spy = (dumps, dumps)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("threshold", "left"), [("65536", ""), ("1000", " MALLOC_TRIM_THRESHOLD_=1000")])
def test_workers_do_not_see_what_an_engine_sets(
    apart: Path, monkeypatch: pytest.MonkeyPatch, threshold: str, left: str
) -> None:
    """The user's own choices are kept."""
    (apart / "spying.py").write_text(SPY)
    removed = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "6640"}
    kept = {"MALLOC_ARENA_MAX": "1", "PYTHONPATH": str(apart)}
    for key, value in {**removed, **kept, "MALLOC_TRIM_THRESHOLD_": threshold}.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr(registry, "_registered", {})
    give({"spy": "spying:spy"})
    with far(lambda: CommandLink(AGENT, "far"), apart) as executor:
        sample = executor.blobs.put(make_sample([{"a": 1}]).stored())
        found = executor.submit(Check(corpus=CorpusInputs(sample), codec="spy", seconds=1.0)).result()

        told = {"MALLOC_TRIM_THRESHOLD_": threshold} if not left else {}
        wanted = " ".join(f"{key}={value}" for key, value in sorted({**removed, **told}.items()))
        assert executor.facts["removed_variables"] == wanted
    assert f"MALLOC_ARENA_MAX=1{left}" in found.answer.reason
    assert "HASHSEED" not in found.answer.reason


@pytest.mark.parametrize(
    ("address", "name", "command"),
    [
        (
            "ssh://box",
            "box",
            "ssh -T -o BatchMode=yes -- box 'exec python3 -P -m bakeoff.bench.run.machines.agent'",
        ),
        (
            "ssh://me@Box.lan:2200?python=/opt/a b/python",
            "Box.lan",
            "ssh -T -o BatchMode=yes -p 2200 -- me@Box.lan "
            "'exec '\"'\"'/opt/a b/python'\"'\"' -P -m bakeoff.bench.run.machines.agent'",
        ),
        (
            "ssh://[::1]",
            "_1",
            "ssh -T -o BatchMode=yes -- ::1 'exec python3 -P -m bakeoff.bench.run.machines.agent'",
        ),
        ("local", "local", ""),
        (
            "slurm://fast?python=/opt/python&node=n17",
            "n17",
            "srun --exclusive --nodes=1 --ntasks=1 --mem=0 --cpu-bind=none --unbuffered --partition=fast "
            "--nodelist=n17 /opt/python -P -m bakeoff.bench.run.machines.agent",
        ),
    ],
)
def test_an_address_names_a_machine(address: str, name: str, command: str) -> None:
    (machine,) = machines([address])

    assert (machine.name, machine.command) == (name, command)


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        (["ssh://-oProxyCommand=x"], "expected ssh://"),
        (["ssh://-ox@host"], "expected ssh://"),
        (["ssh://host;x"], "expected ssh://"),
        (["ssh://me:secret@host"], r"ssh://me:\*\*\*@host: expected ssh://"),
        (["ssh://host?pyton=x"], r"unknown 'pyton'; settings are \?python="),
        (["slurm://-x"], "expected slurm"),
        (["slurm?node=-x"], "expected slurm"),
        (["local://host"], "use ssh://host"),
        (["shs://host"], "did you mean ssh"),
        (["host"], "use local, ssh://HOST, slurm or dask://SCHEDULER"),
        (["ssh://host", "ssh://host"], "names a machine twice"),
    ],
)
def test_an_address_that_names_no_machine_is_refused(addresses: list[str], reason: str) -> None:
    """Nothing in it becomes an option of another program."""
    with pytest.raises(UsageError, match=reason):
        machines(addresses)


def test_machines_have_names_of_their_own() -> None:
    named = machines(["ssh://a@host", "ssh://b@host", "ssh://[fe80::1]"])

    assert [machine.name for machine in named] == ["host", "host-2", "fe80_1"]


@pytest.mark.slow
@pytest.mark.usefixtures("apart")
def test_slurm_starts_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub = tmp_path / "srun"
    stub.write_text('#!/bin/sh\necho "$@" > asked\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n')
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    (machine,) = machines([f"slurm://fast?python={sys.executable}"])
    with RemoteExecutor(machine, Blobs(tmp_path / "blobs"), lambda reason: None) as executor:
        assert executor.facts["hostname"] == environment()["hostname"]

    assert "--exclusive" in (tmp_path / "asked").read_text()


FEW = ("messages", "--quick", "-n", "50", "--sample", "20", "-o", "out.json")


@pytest.fixture
def two(machine: Callable[..., Any], tmp_path: Path) -> tuple[Any, Any]:
    """Return two machines, each with its own folder for temporary files."""
    found = []
    for name in ("one", "two"):
        (tmp_path / f"at-{name}").mkdir()
        found.append(machine(name, TMPDIR=str(tmp_path / f"at-{name}"), HOME=str(tmp_path)))
    return found[0], found[1]


def on(*there: Any) -> list[str]:
    """Return the options that name these machines, with the interpreter of the tests."""
    return [text for each in there for text in ("--on", f"{each.url}?python={sys.executable}")]


def begun(folder: Path, budget: str, *there: str) -> subprocess.Popen[str]:
    """Start a run that takes all of its time."""
    options = ("-c", "json,msgpack", "--all", "--budget", budget, "--ratios", "--precision", "0.01%")
    return subprocess.Popen(
        [*BAKEOFF, "run", *FEW, *options, *there],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until_measured(process: subprocess.Popen[str], journal: Path) -> None:
    """Wait for the first timing process."""
    while process.poll() is None and '"process"' not in (journal.read_text() if journal.exists() else ""):
        threading.Event().wait(0.02)


def test_ctrl_c_finishes_the_processes_of_all_machines(two: tuple[Any, Any], tmp_path: Path) -> None:
    files = [tmp_path / "out-one.json", tmp_path / "out-two.json"]
    with begun(tmp_path, "600", *on(*two)) as process:
        for file in files:
            until_measured(process, journal_path(file))
        process.send_signal(signal.SIGINT)
        table, said = process.communicate()

    assert process.returncode == 130
    assert "msgpack" in table
    assert "stopped early; `bakeoff run --resume out.json --on" in said
    for file in files:
        assert not read(file).complete
        assert not journal_path(file).exists()


def test_a_lost_machine_costs_only_its_own_result(two: tuple[Any, Any], tmp_path: Path) -> None:
    one, other = two
    with begun(tmp_path, "4", *on(*two)) as process:
        until_measured(process, journal_path(tmp_path / "out-one.json"))
        one.cut()
        table, said = process.communicate()

    assert process.returncode == 1
    assert "one: the connection ended with exit code 255" in said
    assert f"bakeoff run --resume out.json {on(one)[0]} '{on(one)[1]}'" in said
    assert "msgpack" in table
    assert read(tmp_path / "out-two.json").complete
    assert not (tmp_path / "out-one.json").exists()

    done = launch(tmp_path, "run", "--resume", "out.json", *on(*two))
    assert done.returncode == 0, done.stderr
    assert "two: is complete in out-two.json" in done.stderr
    result = read(tmp_path / "out-one.json")
    assert result.complete
    assert f"--on '{on(other)[1]}'" in result.command


def test_one_machine_measures_into_the_named_file(two: tuple[Any, Any], tmp_path: Path) -> None:
    codecs, operations = "msgpack,msgpack|zstd,dict", "dump,size,first-call-dump"
    limits = ("--all", "--budget", "0")
    done = launch(tmp_path, "run", *FEW, *limits, "-c", codecs, "--ops", operations, *on(two[0]))

    assert done.returncode == 0, done.stderr
    result = read(tmp_path / "out.json")
    figures = {(cell.cell.operation, cell.cell.codec) for cell in result.cells if cell.samples}
    assert figures > {(name, "msgpack|zstd,dict") for name in operations.split(",")}
    assert any(cell.check and cell.check.dictionary for cell in result.cells)


@pytest.mark.slow
def test_files_of_modules_are_not_sent(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import json\ncodec = (lambda x: json.dumps(x).encode(), json.loads)\n")
    done = launch(tmp_path, "run", *FEW, "-c", "mine=mine.py:codec", "--on", "ssh://nowhere")

    assert done.returncode == 2
    assert "not sent to other machines; install it there as a package" in done.stderr


PYTHON = """#!/bin/sh
echo "$@" >> "$HOME/asked"
case "$3" in venv) mkdir -p "$4/bin"; cp "$0" "$4/bin/python";; pip) ;; *) exec {python} "$@";; esac
"""


def test_a_wheel_is_installed_once(two: tuple[Any, Any], tmp_path: Path) -> None:
    wheel, python = tmp_path / "bakeoff-0-py3-none-any.whl", tmp_path / "python"
    wheel.write_bytes(b"a wheel")
    python.write_text(PYTHON.format(python=sys.executable))
    python.chmod(0o755)
    (machine,) = machines([f"{two[0].url}?python={python}"], wheel)
    for _ in range(2):
        with RemoteExecutor(machine, Blobs(tmp_path / "blobs"), lambda reason: None) as executor:
            assert executor.cores

    (place,) = (tmp_path / ".cache" / "bakeoff").iterdir()
    assert (place / wheel.name).read_bytes() == b"a wheel"
    asked = [" ".join(line.split()[2:4]) for line in (tmp_path / "asked").read_text().splitlines()]
    assert [text for text in asked if "bench" not in text] == [
        f"venv .cache/bakeoff/{place.name}",
        "pip install",
    ]
