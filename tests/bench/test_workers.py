"""The port to workers: its reference worker, canonical text, and workers that die or lie."""

from __future__ import annotations

import datetime as dt
import json
import sys
from decimal import Decimal
from typing import Any

import pytest

from bakeoff.bench.foreign.canonical import CanonicalError, canonical, first_change, parse
from bakeoff.bench.foreign.port import ForeignWorker, LibraryRefusal, TimedSlices, WorkerError

MOMENT = dt.datetime(2024, 2, 29, 12, 30, 15, 123456, dt.UTC)
BIG = ["number", "4340000000000000"]
AT = "time 2024-02-29T12:30:15."
ASKED = "os.read(0, 1 << 20)\n"
FRAME = (
    """import os, sys
def send(head, content=b''):
    os.write(1, b'%08x %08x\\n%b%b\\n' % (len(head), len(content), head, content))
"""
    + ASKED
)
HELLO = (
    """send(b'{"kind": "hello", "protocol": 1, "language": "X", "version": "1", \
"libraries": [{"name": "json", "version": "1", "format": "json"}]}')
"""
    + ASKED
)


def lying(code: str, patience: float = 60) -> ForeignWorker:
    return ForeignWorker([sys.executable, "-c", FRAME + code + "\nos.read(0, 1)"], patience=patience)


def test_reference_worker_names_its_libraries(reference: ForeignWorker) -> None:
    first = reference.libraries[0]

    assert (reference.language, first.name, first.format) == ("Python", "json", "json")


def test_reference_worker_reads(reference: ForeignWorker) -> None:
    value = reference.check("json", b'{"x": [1.0, null, "\\ud800"], "id": 9007199254740993}')

    assert isinstance(value, list)
    assert first_change(canonical({"id": 2**53 + 1, "x": [1.0, None, "\ud800"]}), value) is None


@pytest.mark.parametrize(("payload", "error"), [(b"{", "JSONDecodeError"), (b"\xff", "UnicodeDecodeError")])
def test_refusal_is_no_failure(reference: ForeignWorker, payload: bytes, error: str) -> None:
    refused = reference.check("json", payload)

    assert isinstance(refused, LibraryRefusal)
    assert refused.reason.startswith(error)


def test_reference_worker_writes(reference: ForeignWorker) -> None:
    assert reference.dump("json", b'{"x":[1.0,null]}') == b'{"x": [1.0, null]}'
    assert isinstance(reference.dump("json", b"{"), LibraryRefusal)


@pytest.mark.slow
def test_reference_worker_times(reference: ForeignWorker) -> None:
    timed = reference.time("json", [b"1", b"[2]"], slices=3, slice_ns=1000, seed=1)

    assert isinstance(timed, TimedSlices)
    assert len(timed.slices) == 3
    assert isinstance(reference.time("json", [b"1", b"["], slices=3, slice_ns=1000, seed=1), LibraryRefusal)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("sys.exit('out of flour')", "exit code 1: out of flour"),
        ("os.write(1, b'ready\\n' * 9)", "not a message"),
        ("os.write(1, b'%08x %08x\\n' % (9, 1 << 30))", "more than is allowed"),
        ("send(b'{')", "not JSON"),
        ('send(b\'{"kind": "hello", "protocol": 9}\')', "version 9"),
        ('send(b\'{"kind": "hello", "protocol": 1}\')', "language and libraries"),
        ('send(b\'{"kind": "times"}\')', "answered 'hello' with 'times'"),
    ],
)
def test_worker_that_does_not_greet(code: str, reason: str) -> None:
    with pytest.raises(WorkerError, match=reason):
        lying(code)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("os.abort()", "it ended with signal 6"),
        ("while True: os.write(1, b'x' * 9999)", "not a message"),
        ("os.write(1, b'%08x %08x\\n' % (9, 1 << 30))", "more than is allowed"),
        ('send(b\'{"kind": "value"}\', b\'["int", "01"]\')', "not canonical"),
        ('send(b\'{"kind": "hello"}\')', "answered 'check' with 'hello'"),
    ],
)
def test_worker_that_dies_or_lies_stays_failed(code: str, reason: str) -> None:
    with lying(HELLO + code) as worker:
        for _ in range(2):
            with pytest.raises(WorkerError, match=reason):
                worker.check("json", b"1")


@pytest.mark.slow
@pytest.mark.parametrize("slices", ["[1]", "[1, 2, -3]", '[1, 2, "3"]', "null"])
def test_worker_that_counts_wrong(slices: str) -> None:
    head = f'{{"kind": "times", "warmup_ns": 1, "slices": {slices}}}'
    with lying(HELLO + f"send({head.encode()!r})") as worker, pytest.raises(WorkerError, match="3 times"):
        worker.time("json", [b"1"], slices=3, slice_ns=1, seed=0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what processes spend")
def test_the_time_in_which_neither_process_ran_was_taken() -> None:
    waits = 'import time; time.sleep(0.1)\nsend(b\'{"kind": "times", "slices": [1], "warmup_ns": 1}\')'
    with lying(HELLO + waits) as worker:
        timed = worker.time("json", [b"1"], slices=1, slice_ns=1, seed=1)

    assert isinstance(timed, TimedSlices)
    assert 0.5 < timed.taken < 1


@pytest.mark.slow
def test_worker_that_hangs_is_ended() -> None:
    with pytest.raises(WorkerError, match=r"within 0\.2 s"):
        lying("", patience=0.2)


@pytest.mark.slow
def test_missing_program() -> None:
    with pytest.raises(WorkerError, match="does not start"):
        ForeignWorker(["/nowhere/worker"])


@pytest.mark.parametrize(
    ("wrote", "became", "change"),
    [
        ({"a": 1}, {"a": 1.0}, ("$.a", "int 1", "float 1.0")),
        (
            {"a": 2**53 + 1},
            ["map", [[["text", "a"], BIG]]],
            ("$.a", "int 9007199254740993", "number 9007199254740992.0"),
        ),
        ([b"a"], ["a"], ("$[0]", "bytes 61", "text 'a'")),
        ([0.0], [-0.0], ("$[0]", "float 0.0", "float -0.0")),
        ({1: "a"}, {"1": "a"}, ("$[int 1]", "key int 1", "key text '1'")),
        ({"a": 1}, {}, ("$.a", "key text 'a'", "no key")),
        ({}, {"a": 1}, ("$", "no key", "key text 'a'")),
        ([1], [1, 2], ("$", "1 items", "2 items")),
        ({1}, {"1"}, ("$[int 1]", "key int 1", "key text '1'")),
        ({1}, [1], ("$", "set of 1", "list of 1")),
        (MOMENT, MOMENT.replace(microsecond=123000), ("$", AT + "123456Z", AT + "123000Z")),
        (MOMENT, MOMENT.replace(tzinfo=None), ("$", AT + "123456Z", AT + "123456")),
        (Decimal("1.10"), Decimal("1.1"), ("$", "decimal 1.10", "decimal 1.1")),
        (True, 1, ("$", "True", "int 1")),
    ],
)
def test_changes(wrote: Any, became: Any, change: tuple[str, str, str]) -> None:
    form = became if isinstance(became, list) and became[:1] == ["map"] else canonical(became)
    found = first_change(canonical(wrote), form)

    assert found is not None
    assert change == (found.path, found.wrote, found.became)


@pytest.mark.parametrize(
    ("wrote", "became"),
    [
        (canonical({"a": 1, "b": 2}), canonical({"b": 2, "a": 1})),
        (canonical(float("nan")), ["float", "fff8000000000001"]),
        (canonical(3), ["number", "4008000000000000"]),
        (canonical(3.0), ["number", "4008000000000000"]),
        (canonical(MOMENT), ["time", "2024-02-29T12:30:15.123456000Z"]),
        (canonical((1, "x")), canonical([1, "x"])),
        (canonical({1, "x"}), ["set", [["text", "x"], ["number", "3ff0000000000000"]]]),
        (canonical([{1, "x"}]), ["list", [["set", [["text", "x"], ["int", "1"]]]]]),
    ],
)
def test_same_meaning(wrote: list[Any], became: list[Any]) -> None:
    assert first_change(wrote, became) is None


@pytest.mark.parametrize(
    "form",
    [
        [],
        ["int", 1],
        ["int", "1.0"],
        ["float", "1"],
        ["map", [["a"]]],
        ["bool"],
        ["time", "now"],
        ["what"],
        5,
        {},
    ],
)
def test_malformed_canonical_text(form: Any) -> None:
    with pytest.raises(CanonicalError):
        parse(json.dumps(form).encode())


@pytest.mark.parametrize("depth", [201, 10**5])
def test_canonical_text_beyond_the_limit(depth: int) -> None:
    with pytest.raises(CanonicalError):
        parse(b'["list",[' * depth + b'["null"]' + b"]]" * depth)


def test_deepest_canonical_text() -> None:
    def deep(last: bytes) -> list[Any]:
        return parse(b'["list",[' * 200 + last + b"]]" * 200)

    change = first_change(deep(b'["null"]'), deep(b'["bool",true]'))

    assert change is not None
    assert (change.wrote, change.became) == ("null", "True")
