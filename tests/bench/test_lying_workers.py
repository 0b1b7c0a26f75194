"""Workers that lie: programs that answer the port as they like."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from bakeoff.bench.foreign.canonical import CanonicalError, canonical, changes, first_change, parse
from bakeoff.bench.foreign.judge import judge
from bakeoff.bench.foreign.port import ForeignWorker, WorkerError

LIBRARY = {"name": "json", "version": "1", "format": "json"}
WORKER = """
import json, os, sys, time
def write(content):
    while content:
        content = content[os.write(1, content):]
def send(kind, content=b"", **fields):
    head = json.dumps({"kind": kind, **fields}).encode()
    write(b"%08x %08x\\n%b%b\\n" % (len(head), len(content), head, content))
def hello(**fields):
    os.read(0, 1 << 20)
    send("hello", **{"protocol": 1, "language": "X", "version": "1", "libraries": [LIBRARY]} | fields)
def ask(content=b'["int","1"]', **fields):
    os.read(0, 1 << 20)
    send("value", content, **fields)
def hold(sleep=600):
    if os.fork() == 0:
        open("child", "w").write(str(os.getpid()))
        time.sleep(sleep)
        os._exit(0)
    while not os.path.exists("child") or not open("child").read():
        time.sleep(0.01)
LIBRARY = {"name": "json", "version": "1", "format": "json"}
"""

GREETINGS: Mapping[str, tuple[str, str]] = {
    "has no libraries": ("hello(libraries=[])", "language and libraries"),
    "has libraries of no name": ("hello(libraries=[{}])", "language and libraries"),
    "has an object of libraries": ("hello(libraries={'json': 1})", "language and libraries"),
    "has a number of libraries": ("hello(libraries=10**400)", "language and libraries"),
    "has too many libraries": ("hello(libraries=[LIBRARY] * 9999)", "language and libraries"),
    "has a list as a name": ("hello(libraries=[LIBRARY | {'name': [1]}])", "language and libraries"),
    "has a name without end": ("hello(language='x' * 99999)", "language and libraries"),
    "speaks a list": ("hello(protocol=[1])", "version \\[1\\] of the protocol"),
    "greets with a number": ("write(b'%08x %08x\\n1\\n' % (1, 0))", "without a kind"),
    "announces gigabytes": ("write(b'ffffffff ffffffff\\n')", "8,589,934,590 bytes"),
    "nests its message": ("write(b'%08x %08x\\n%b\\n' % (90000, 0, b'[' * 90000))", "not JSON"),
    "ends, with a child that holds the pipes": ("hold(); sys.exit('gone')", "exit code 1: gone"),
    "is killed, with a child": ("hold(); os.kill(os.getpid(), 9)", "signal 9"),
    "closes its output": ("os.close(1); time.sleep(600)", "closed its output"),
}
"""Workers that cannot be used, and why."""

ANSWERS: Mapping[str, tuple[str, str]] = {
    "an object as a form": ('ask(b\'["map",[[["text","a"],{"int":1,"5":2}]]]\')', "not canonical"),
    "an object as a pair": ('ask(b\'["map",[{"a":1,"b":2}]]\')', "not canonical"),
    "an object as items": ('ask(b\'["list",{"a":1}]\')', "not canonical"),
    "a text as items": ('ask(b\'["set","ab"]\')', "not canonical"),
    "a list as a tag": ("ask(b'[[1],2]')", "not canonical"),
    "a number as an extension": ('ask(b\'["tag",5,["null"]]\')', "not canonical"),
    "half a byte": ('ask(b\'["bytes","a"]\')', "not canonical"),
    "nothing": ("ask(b'')", "not canonical"),
    "brackets only": ("ask(b'[' * (60 << 20))", "more than 250,000 values"),
    "60 MB of canonical text": (
        'ask(b\'["list",[\' + b\'["int","1"],\' * 5_000_000 + b\'["null"]]]\')',
        "250,000",
    ),
    "60 MB of floats": ("ask(b'[\"list\",[' + b'1.5,' * 15_000_000 + b'1]]')", "more than 250,000 values"),
    "60 MB of empty strings": ("ask(b'[\"list\",[' + b'\"\",' * 15_000_000 + b'1]]')", "250,000 values"),
    "60 MB of quotes": ("ask(b'\"\"' * 30_000_000)", "more than 250,000 values|not canonical"),
    "a message of another kind": ("os.read(0, 9999); send('times')", "answered 'check' with 'times'"),
    "an end, with a child that holds the pipes": ("hold(); sys.exit('gone')", "exit code 1: gone"),
    "endless standard error": (
        "os.read(0, 9999)\nfor _ in range(999): os.write(2, b'x' * (1 << 16))\nsys.exit('\\nerror: gone')",
        "exit code 1: error: gone",
    ),
}
"""Answers that end a worker, and the reason."""

STALLS: Mapping[str, str] = {
    "says nothing": "time.sleep(600)",
    "says nothing, with a child": "hold(); time.sleep(600)",
    "has a child of its own group": "os.fork() or os.setsid(); time.sleep(600)",
    "announces and stops": "write(b'%08x %08x\\n{' % (99, 0)); time.sleep(600)",
    "answers by the byte": "write(b'%08x %08x\\n' % (99999, 0))\nwhile True: write(b' '); time.sleep(0.01)",
    "writes to standard error without end": "while True: os.write(2, b'x' * (1 << 16))",
}
"""Workers that do not answer in time."""

SLICES: tuple[str, ...] = (
    "[10**400, 1, 1]",
    "[True, 1, 1]",
    "[1e300, 1, 1]",
    "['1', 1, 1]",
    "{'a': 1}",
    "'abc'",
)


def lying(folder: Path, code: str, patience: float = 60.0) -> ForeignWorker:
    return ForeignWorker([sys.executable, "-ISc", f"{WORKER}{code}\ntime.sleep(600)"], folder, patience)


def ended(folder: Path) -> bool:
    """Return whether the child of a worker has ended; as an orphan, it may still wait to be collected."""
    try:
        child = psutil.Process(int((folder / "child").read_text()))
        return child.status() == psutil.STATUS_ZOMBIE or child.wait(60) is None
    except psutil.NoSuchProcess:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("lie", GREETINGS)
def test_a_worker_that_does_not_greet_is_ended(lie: str, tmp_path: Path) -> None:
    code, reason = GREETINGS[lie]
    with pytest.raises(WorkerError, match=reason):
        lying(tmp_path, code)

    assert not (tmp_path / "child").exists() or ended(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("lie", ANSWERS)
def test_an_answer_that_is_none_ends_the_worker(lie: str, tmp_path: Path) -> None:
    code, reason = ANSWERS[lie]
    with lying(tmp_path, f"hello()\n{code}") as worker, pytest.raises(WorkerError, match=reason):
        worker.check("json", b"1")

    assert not (tmp_path / "child").exists() or ended(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("lie", STALLS)
@pytest.mark.parametrize("greeting", ["", "hello()\nos.read(0, 9999)\n"])
def test_a_worker_that_stalls_is_ended(greeting: str, lie: str, tmp_path: Path) -> None:
    with (
        pytest.raises(WorkerError, match=r"did not answer within 0\.5 s"),
        lying(tmp_path, greeting + STALLS[lie], 0.5) as worker,
    ):
        worker.check("json", b"1")

    assert not (tmp_path / "child").exists() or ended(tmp_path)


@pytest.mark.slow
def test_a_worker_that_reads_nothing_is_ended(tmp_path: Path) -> None:
    with (
        lying(tmp_path, "hello()", 0.5) as worker,
        pytest.raises(WorkerError, match=r"did not answer within 0\.5 s"),
    ):
        worker.check("json", bytes(4_000_000))


@pytest.mark.slow
@pytest.mark.parametrize("slices", SLICES)
def test_times_that_are_none_end_the_worker(slices: str, tmp_path: Path) -> None:
    code = f"hello(); os.read(0, 9999); send('times', warmup_ns=1, slices={slices})"
    with lying(tmp_path, code) as worker, pytest.raises(WorkerError, match="did not send 3 times"):
        worker.time("json", [b"1"], slices=3, slice_ns=1, seed=0)


@pytest.mark.slow
def test_a_library_that_the_worker_does_not_have_is_a_failure(tmp_path: Path) -> None:
    with lying(tmp_path, "hello()") as worker, pytest.raises(WorkerError, match="no library 'ujson'"):
        judge(worker, "ujson", [1], [b"1"])


@pytest.mark.slow
def test_a_worker_ends_with_its_children_when_it_is_closed(tmp_path: Path) -> None:
    with lying(tmp_path, "hold(); hello()\nos.read(0, 9999)\nsys.exit()"):
        assert psutil.pid_exists(int((tmp_path / "child").read_text()))

    assert ended(tmp_path)


PARENT = """
import os, sys
from pathlib import Path
sys.path.append({tests!r})
from test_lying_workers import lying
worker = lying(Path({folder!r}), "open('child', 'w').write(str(os.getpid())); hello()")
os.kill(os.getpid(), 9)
"""


@pytest.mark.slow
def test_a_worker_does_not_outlive_a_killed_bakeoff(tmp_path: Path) -> None:
    """Not even one that does not look at its input."""
    code = PARENT.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == -9
    assert ended(tmp_path)


def nested(tag: str, depth: int, inner: list[Any]) -> list[Any]:
    for _ in range(depth):
        inner = ["map", [[inner, ["null"]]]] if tag == "map" else [tag, [inner]]
    return inner


@pytest.mark.parametrize("tag", ["list", "set", "map"])
def test_levels_do_not_multiply_the_work(tag: str) -> None:
    """Each form is looked at a few times, however deep: at the limit of levels, also of the stack."""
    items = [["int", str(number)] for number in range(2000)]
    wrote = nested(tag, 199, ["set", items])
    same = nested(tag, 199, ["set", [["number", canonical(float(item[1]))[1]] for item in reversed(items)]])
    other = nested(tag, 199, ["set", items[1:]])
    if tag == "list":
        assert first_change(wrote, same) is None
    assert first_change(["tag", "1", wrote], ["tag", "1", nested(tag, 199, ["set", items[::-1]])]) is None
    assert first_change(wrote, other) is not None


def test_values_that_arrive_are_paired_with_equal_ones() -> None:
    """Also of a key that a map has several times."""
    wrote = ["map", [[["int", "1"], ["text", text]] for text in "abc"]]
    became = ["map", [[["int", "1"], ["text", text]] for text in "cxa"]]

    assert [str(each) for each in changes(wrote, became)] == ["$[int 1]: text 'b' became text 'x'"]


def test_a_text_may_have_any_marks() -> None:
    """They are not the structure of the value."""
    for text in ("[,{" * 900_000, '\\"' * 900_000, '"' * 900_000, "\\" * 900_001):
        form = canonical(text)
        assert parse(json.dumps(form).encode()) == form


@pytest.mark.slow
def test_a_record_of_too_many_values_is_not_compared() -> None:
    with pytest.raises(CanonicalError, match="more than 250,000 values"):
        canonical([[1] * 1000] * 300)
    largest = canonical(list(range(249_999)))
    assert parse(json.dumps(largest).encode()) == largest
