"""Attacks on codecs: the judge, the cases, and `bakeoff attack` against codecs that are bad on purpose."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from fnmatch import filter as filter_names
from pathlib import Path
from typing import Any

import pytest

import bakeoff
import inprocess
from bakeoff.bench.lab.hostile.attack import built
from bakeoff.bench.lab.hostile.campaign import AttackFinding
from bakeoff.bench.lab.hostile.cases import HostileCase
from bakeoff.bench.lab.hostile.collection import CASES, cases_of
from bakeoff.bench.lab.hostile.faults import FAULTS, Fault
from bakeoff.bench.lab.hostile.promises import Promise, Seen, breaches
from bakeoff.codecs import LimitError, names
from bakeoff.codecs.registry import describe, first_codecs
from bakeoff.codecs.streams.compression import COMPRESSORS
from installed import install

COMPRESSED = [f"msgpack|{kind}" for kind in COMPRESSORS]
PLANTED = """
import ctypes, json, os, time
from bakeoff.codecs import Codec

FACTS = {"preserves": {"str", "int"}}

def make(name, decode, encode=lambda record: json.dumps(record).encode(), kind=Codec):
    return lambda: kind(name=name, format="planted", encode=encode, decode=decode, **FACTS)

def on_nothing_known(action):
    def decode(data):
        return json.loads(data) if data.startswith(b"{") else action(data)
    return decode

def hang(data):
    while True:
        time.sleep(1)

def devour(data):
    held = b"x" * (400 << 20)
    raise ValueError("full")

class Foreign(Codec):
    def decode(self, data, ctx=None, /):
        raise KeyError("not one of ours")

class Lost(Codec):
    def encode(self, obj, ctx=None, /):
        try:
            return super().encode(list(obj))
        except BaseException:
            return b"{}"

def one_by_one(data):
    import cbor2
    from bakeoff.codecs.safety._scan import odd_keys

    for key in odd_keys("cbor", data):
        cbor2.loads(b"\\xa1" + key + b"\\xf6")
    return cbor2.loads(data)

def keys():
    made = Codec(name="keys", format="cbor", encode=lambda record: b"\\xf6", decode=one_by_one, **FACTS)
    return made.with_limits(size=2_000_000, items=5_000_000)

good = make("good", json.loads)
dies = make("dies", on_nothing_known(lambda data: ctypes.string_at(0)))
hangs = make("hangs", on_nothing_known(hang))
devours = make("devours", on_nothing_known(devour))
foreign = make("foreign", json.loads, kind=Foreign)
lost = make("lost", json.loads, kind=Lost)
accepts = make("accepts", lambda data: {"a": 1})

def leaves():
    os._exit(3)
"""

SHORTLY = """
from bakeoff.bench.lab.hostile import campaign
from bakeoff.cli import main

campaign.PATIENCE = 4.0
main()
"""
"""The command with less patience for codecs that hang."""

WIRES = {wire for case in CASES for wire in case.wires or ()}
FORMATS = [
    name
    for name in names()
    if name in WIRES or (name in first_codecs().values() and describe(name).format in WIRES)
]
"""A codec of each form of payloads that has cases of its own, if its records are dicts."""
CODECS = ("good", "dies", "hangs", "devours", "foreign", "lost", "accepts", "keys", "leaves")
QUICK = ("good", "dies", "leaves")
"""Codecs of which none is slow or waits."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("planted")
    install(folder, "planted", PLANTED, CODECS)
    return os.environ | {"PYTHONPATH": str(folder)}


def check(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    if env is None:
        return inprocess.bakeoff(Path.cwd(), "attack", *arguments)
    command = [sys.executable, "-P", "-c", SHORTLY, "attack", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env)


def case(must: Any = "either") -> HostileCase:
    return HostileCase("decode", "some", "something", lambda codec: [], must)


@pytest.mark.parametrize(
    ("must", "seen", "expected"),
    [
        ("either", Seen("refused"), []),
        ("either", Seen("accepted", passed=1), []),
        ("either", Seen("passed"), []),
        ("refuse", Seen("refused"), []),
        ("refuse", Seen("accepted", passed=1), ["accepted"]),
        ("limit", Seen("refused", limit=True), []),
        ("limit", Seen("refused"), ["no LimitError"]),
        ("accept", Seen("accepted", passed=1), []),
        ("accept", Seen("refused"), ["refused"]),
        ("refuse", Seen("died"), ["died"]),
        ("either", Seen("hung"), ["too slow"]),
        ("either", Seen("out of memory"), ["too much memory"]),
        ("either", Seen("foreign exception"), ["foreign exception"]),
        ("either", Seen("swallowed"), ["swallowed"]),
        ("either", Seen("unreadable"), ["unreadable"]),
        ("either", Seen("refused", seconds=1.5, memory=2**20), ["too slow"]),
        ("either", Seen("refused", seconds=0.5, memory=2**29), ["too much memory"]),
        (
            "refuse",
            Seen("accepted", passed=1, seconds=2, memory=2**29),
            ["accepted", "too slow", "too much memory"],
        ),
    ],
)
def test_the_judge_holds_a_case_to_its_promise(must: Any, seen: Seen, expected: list[str]) -> None:
    assert expected == breaches(case(must), seen, Promise())


@pytest.mark.parametrize(
    ("seen", "broken", "always", "expected"),
    [
        (Seen("died"), ("died",), True, "known"),
        (Seen("refused"), (), True, "out of date"),
        (Seen("refused"), (), False, "kept"),
        (Seen("foreign exception"), ("foreign exception",), True, "broken"),
    ],
)
def test_a_known_fault_that_is_gone_is_told(seen: Seen, broken: Any, always: bool, expected: str) -> None:
    known = Fault(("x",), "died", "something", "its library's", ("some",), "decode", always)

    assert expected == AttackFinding("x", case(), seen, broken, known).verdict


def test_known_faults_name_what_there_is() -> None:
    titles = {case.title for case in CASES}

    for fault in FAULTS:
        assert all(filter_names(names(needs_schema=True), pattern) for pattern in fault.codecs), fault.codecs
        assert {f"{fault.direction}/{case}" for case in fault.cases} <= titles


@pytest.mark.parametrize("name", [*names(), *COMPRESSED, "msgpack+schema"])
def test_the_cases_of_a_codec_have_names_of_their_own(name: str) -> None:
    """Each name for ``--only`` means one case."""
    titles = [case.title for case in cases_of(built(name))]

    assert len(titles) == len(set(titles))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FORMATS, "avro", "json|zstd"])
def test_payloads_stay_within_the_limit_of_size(name: str) -> None:
    """They attack the code after the limit; one case is larger on purpose."""
    codec = built(name).with_limits(size=5_000_000)
    larger = [
        case.name
        for case in cases_of(codec, ["decode/*"])
        for payload in case.make(codec)
        if isinstance(payload, bytes) and len(payload) > 5_000_000
    ]

    assert ["over-size"] == larger


@pytest.mark.parametrize("name", [*FORMATS, "avro"])
def test_payloads_fill_the_limit_of_size(name: str) -> None:
    codec = built(name).with_limits(size=1_000_000)

    for case in cases_of(codec, ["fill-*"]):
        assert 999_000 < max(map(len, case.make(codec))) <= 1_000_000, case.title


@pytest.mark.parametrize("name", FORMATS)
def test_payloads_fill_the_limit_of_items(name: str) -> None:
    codec = bakeoff.codec(name).with_limits(size=1_000_000, items=2_000)
    filled = [case for case in cases_of(codec, ["fill-*"]) if "items and of size" in case.what]

    assert len(filled) >= 7
    for case in filled:
        allowed, beyond = case.make(codec)
        record = codec.decode(allowed)
        assert 600 < len(record if len(record) > 1 else next(iter(record.values()))), case.title
        with pytest.raises(LimitError, match="values"):
            codec.decode(beyond)


def test_trusted_codecs_are_held_to_their_refusal() -> None:
    """Of decoding they promise nothing else."""
    assert ["decode/untrusted"] == [case.title for case in cases_of(bakeoff.codec("pickle"), ["decode/*"])]


@pytest.mark.slow
def test_good_codecs_keep_their_promise(planted: dict[str, str]) -> None:
    done = check(
        "msgpack", "good", "--only", "mutated", "--only", "deep-lists", "--only", "raising-sets", env=planted
    )

    assert (0, "") == (done.returncode, done.stderr), done.stdout
    assert 2 == sum(line.endswith(" kept") for line in done.stdout.splitlines())


def attacked(planted: dict[str, str], *codecs: str) -> dict[str, Any]:
    cases = ("empty", "noise", "twice", "spread-view", "encode/ordinary", "interrupted-sets", "many-odd-keys")
    only = [part for case in cases for part in ("--only", case)]
    done = check(*codecs, *only, "--max-time", "500ms", "-f", "json", env=planted)
    assert 1 == done.returncode, done.stderr
    return {each["codec"]: each for each in json.loads(done.stdout)["codecs"]}


@pytest.fixture(scope="module")
def found(planted: dict[str, str]) -> dict[str, Any]:
    return attacked(planted, *QUICK)


@pytest.fixture(scope="module")
def all_found(planted: dict[str, str], found: dict[str, Any]) -> dict[str, Any]:
    return found | attacked(planted, *(codec for codec in CODECS if codec not in QUICK))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codec", "case", "broken"),
    [
        ("dies", "noise", ["died"]),
        ("hangs", "noise", ["too slow"]),
        ("devours", "noise", ["too much memory"]),
        ("foreign", "noise", ["foreign exception"]),
        ("lost", "interrupted-sets", ["swallowed"]),
        ("accepts", "twice", ["accepted"]),
        ("keys", "many-odd-keys", ["too slow"]),
    ],
)
def test_a_bad_codec_is_found(all_found: dict[str, Any], codec: str, case: str, broken: list[str]) -> None:
    cases = {each["case"]: each for each in all_found[codec]["cases"]}

    assert set(broken) <= set(cases[case]["broken"]), cases[case]
    assert "kept" == cases["interrupted-sets" if codec == "foreign" else "empty"]["verdict"]
    assert not all_found[codec]["ok"]


def test_a_death_costs_its_case_alone(found: dict[str, Any]) -> None:
    cases = {each["case"]: each for each in found["dies"]["cases"]}

    assert cases.keys() == {each["case"] for each in found["good"]["cases"]}
    assert None is cases["noise"]["seconds"]
    assert ("accepted", "kept") == (cases["ordinary"]["outcome"], cases["ordinary"]["verdict"])
    assert cases["spread-view"]["seconds"] > 0


def test_a_codec_that_cannot_be_made_is_told(found: dict[str, Any]) -> None:
    assert ([], "ended the process with exit code 3") == (found["leaves"]["cases"], found["leaves"]["failed"])


@pytest.mark.slow
def test_a_broken_promise_comes_with_its_command(planted: dict[str, str]) -> None:
    done = check("accepts", "--only", "twice", env=planted)

    assert 1 == done.returncode
    assert "accepts decode/twice: accepted: a payload twice" in done.stdout
    assert "bakeoff attack 'accepts' --only decode/twice" in done.stdout


@pytest.mark.slow
def test_no_payload_takes_more_memory_than_promised() -> None:
    """Long texts, and as many values as may be, in each format; of time a busy machine says nothing."""
    codecs = [
        "rapidjson",
        "msgpack",
        "bson",
        "yaml",
        "cbor2",
        "plist",
        "plist/binary",
        "avro",
        "msgpack|zstd",
    ]

    done = check(*codecs, "--only=decode/fill-text", "--only=decode/fill-empty-maps", "--max-time", "60")

    assert 0 == done.returncode, done.stdout
    assert codecs == [line.split()[0] for line in done.stdout.splitlines()[3 : 3 + len(codecs)]]


@pytest.mark.slow
def test_every_case_can_be_shown() -> None:
    done = check("json", "--cases", "--only", "decode/truncated", "--only", "decode/empty")

    assert 0 == done.returncode, done.stderr
    assert "decode/truncated" in done.stdout
    assert "refused" in done.stdout
    assert "MiB" in done.stdout


def test_a_codec_of_frames_is_no_target():
    done = check("arrow/pandas")

    assert (2, "") == (done.returncode, done.stdout)
    assert "takes only pandas.DataFrame" in done.stderr


def test_the_cases_of_a_codec_can_be_listed() -> None:
    listed = [
        {line.split()[0] for line in check("--list", *names).stdout.splitlines()} for names in ((), ("json",))
    ]

    assert {case.title for case in cases_of(built("json"))} <= listed[1] < listed[0]


def test_the_cases_can_be_listed() -> None:
    done = check("--list", "--only", "deep-*")

    assert 0 == done.returncode
    assert "encode/deep-deques" in done.stdout
    assert "decode/empty" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["msgpak"], "did you mean msgpack"),
        (["json", "--only", "no-such"], "--list"),
        (["--max-time", "0"], "less than 1ms"),
    ],
)
def test_what_does_not_exist_is_a_usage_error(arguments: list[str], said: str) -> None:
    done = check(*arguments)

    assert 2 == done.returncode
    assert said in done.stderr


def test_what_was_not_measured_is_no_number() -> None:
    """JSON has no NaN."""
    from bakeoff.commands.attack import _number

    assert (None, 1.5) == (_number(math.nan), _number(1.5))
