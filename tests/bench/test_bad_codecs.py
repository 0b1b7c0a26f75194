"""A run in which deliberately bad third-party codecs sit among good ones, with real processes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bakeoff.bench.results import CellResult, ResultData, read
from installed import install
from launched import launch

HOSTILE = """
import ctypes, json, os, sys
from bakeoff.codecs import Codec

calls = 0

def dumps(record):
    return json.dumps(record).encode()

def once(action):
    def encode(record):
        action()
        return dumps(record)
    return encode

def segfault():
    ctypes.string_at(0)

def late():
    global calls
    calls += 1
    if calls > 100 and "bakeoff.bench.worker.time" in sys.modules:
        segfault()

def tire():
    global calls
    calls += 1
    if calls > 1_500:
        raise RuntimeError("tired")

def hang():
    while True:
        pass

def hog():
    held = []
    while True:
        held.append(bytes(1 << 24))

def fork():
    if os.fork() == 0:
        return

def chatter():
    print("hello from the codec")

def leave():
    os._exit(0)

def fail():
    raise RuntimeError("no luck")

def lie(data):
    record = json.loads(data)
    if record["id"] % 1000 == 7:
        record["year"] += 1
    return record

def spoil(record):
    payload = dumps(record)
    record["year"] = None
    return payload

remembered = {}

def remember(data):
    return remembered.setdefault(data, json.loads(data))

def make(name, encode, decode=json.loads):
    return lambda: Codec(name=name, format="json", encode=encode, decode=decode, preserves={"str", "int"})

good = make("good", dumps)
segfaults = make("segfaults", once(segfault))
segfaults_late = make("segfaults-late", once(late))
tires = make("tires", once(tire))
hangs = make("hangs", once(hang))
hogs = make("hogs", once(hog))
forks = make("forks", once(fork))
prints = make("prints", once(chatter))
leaves = make("leaves", once(leave))
fails = make("fails", once(fail))
lies = make("lies", dumps, lie)
spoils = make("spoils", spoil)
remembers = make("remembers", dumps, remember)

def broken():
    raise ImportError("its library is not there")
"""

CODECS = (
    "good", "segfaults", "segfaults-late", "tires", "hangs", "hogs", "forks", "prints", "leaves", "fails",
    "lies", "spoils", "remembers", "broken",
)  # fmt: skip


Outcome = tuple[ResultData, subprocess.CompletedProcess[str]]


def measured(folder: Path, *codecs: str) -> Outcome:
    install(folder, "hostile", HOSTILE, CODECS)
    arguments = "--quick --all --budget 3 --sample 1000 --records 1000 --cell-timeout 2 --cell-memory 600M"
    entered = ",".join(["msgpack", *codecs])
    done = launch(
        folder, "run", "movies", *arguments.split(), "-o", "out.json", "-c", entered, PYTHONPATH=str(folder)
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return read(folder / "out.json"), done


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Return a run with a codec that ends its process while it is timed, and one that prints."""
    return measured(tmp_path_factory.mktemp("few"), "segfaults-late", "prints")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Return a run with all of them."""
    return measured(tmp_path_factory.mktemp("hostile"), "json", *CODECS)


def cell(result: ResultData, codec: str, operation: str = "dump") -> CellResult:
    found = result.cell("movies", operation, codec)
    assert found is not None
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codec", "outcome_expected", "reason"),
    [
        ("segfaults", "crashed", "died of SIGSEGV"),
        ("hangs", "timed out", "within 2 s"),
        ("hogs", "out of memory", ""),
        ("forks", "error", "starts processes"),
        ("leaves", "crashed", "exit code 0"),
        ("fails", "error", "RuntimeError: no luck"),
        ("lies", "wrong", "at `$.year`"),
        ("spoils", "wrong", "encode changed the record itself"),
        ("remembers", "wrong", "the same object for two calls"),
        ("tires", "error", "then rejected it"),
        ("broken", "error", "its library is not there"),
    ],
)
def test_a_bad_codec_is_out_with_its_reason(
    outcome: Outcome,
    codec: str,
    outcome_expected: str,
    reason: str,
) -> None:
    found = cell(outcome[0], codec)

    assert (found.outcome, found.samples) == (outcome_expected, ())
    assert reason in found.reason
    assert codec in outcome[1].stdout


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["msgpack", "json", "good", "prints"])
def test_the_others_go_on(outcome: Outcome, codec: str) -> None:
    result = outcome[0]
    samples = {name: cell(result, codec, name).samples for name in ("dump", "load")}

    assert cell(result, codec).outcome == "ok"
    assert len(samples["dump"]) == len(samples["load"]) == len(cell(result, "msgpack").samples) > 1


def test_a_crash_in_the_middle_of_timing_is_blamed_on_its_cell(few: Outcome) -> None:
    result = few[0]

    assert cell(result, "segfaults-late").outcome == "crashed"
    assert "while being timed" in cell(result, "segfaults-late").reason
    assert "Segmentation fault" in cell(result, "segfaults-late").stderr
    assert cell(result, "segfaults-late", "load").outcome == "ok"


def test_what_codecs_print_is_not_in_the_table(few: Outcome) -> None:
    assert "prints" in few[1].stdout
    assert "hello from the codec" not in few[1].stdout


@pytest.mark.slow
def test_no_codec_through_is_a_failure(tmp_path: Path) -> None:
    install(tmp_path, "hostile", HOSTILE, CODECS)
    arguments = "run movies --quick --all --budget 0 --records 1000 -c segfaults-late"
    done = launch(tmp_path, *arguments.split(), PYTHONPATH=str(tmp_path))
    result = read(tmp_path / "bakeoff.json")

    assert cell(result, "segfaults-late", "size").samples
    assert "  use     none: every codec failed\n" in done.stdout
    assert done.returncode == 1
