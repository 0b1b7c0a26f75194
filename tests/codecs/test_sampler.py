"""Samples of a codec's records, kept as a corpus without any effect on callers."""

from __future__ import annotations

import datetime as dt
import logging
import multiprocessing
import os
import pickle
import resource
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bakeoff
from bakeoff import UsageError
from bakeoff.codecs.core.sampler import _bytes, endings
from bakeoff.datasets.readers.formats import format_of

RECORDS = [{"id": number, "text": "é" * number} for number in range(40)]


def kept(path: Path) -> list[Any]:
    return list(bakeoff.corpus(str(path)).records())


def test_a_sampled_codec_is_the_codec(codec, tmp_path):
    sampled = codec.tap(tmp_path / "traffic.msgpack", every=2)
    record = {"when": dt.datetime(2024, 1, 2), "list": [1, "x", None]}

    assert (codec.name, codec.media_type, codec.preserves) == (
        sampled.name,
        sampled.media_type,
        sampled.preserves,
    )
    assert codec.encode(record) == sampled.encode(record)
    assert codec.decode(codec.encode(record)) == sampled.decode(codec.encode(record))
    with pytest.raises(bakeoff.DecodeError):
        sampled.decode(b"")
    assert codec.sampler is None


@pytest.mark.parametrize("name", ["json", "msgpack", "bson", "cbor2", "yaml", "json|zlib"])
def test_single_fields_are_not_kept(name, tmp_path):
    path, record = tmp_path / "traffic.jsonl", {"user": "ann", "pins": [1, 2]}
    codec = bakeoff.codec(name)
    sampled = codec.tap(path, every=1)
    payload = sampled.encode(record)

    assert sampled.replace(payload, "user", "bob") == codec.replace(payload, "user", "bob")
    assert sampled.append(payload, "pins", 3) == codec.append(payload, "pins", 3)
    assert sampled.peek(payload, "user") == sampled.peeker("user")(payload) == "ann"
    sampled.decode(payload)
    sampled.sampler.flush()
    assert kept(path) == [record, record]


@pytest.mark.parametrize("packed", ["", ".zst", ".gz"])
@pytest.mark.parametrize("suffix", endings())
def test_what_passes_is_a_corpus(suffix, packed, tmp_path):
    path = tmp_path / f"traffic{suffix}{packed}"
    codec = bakeoff.codec("msgspec-json").tap(path, every=1)
    for record in RECORDS[:20]:
        codec.encode(record)
    for record in RECORDS[20:]:
        codec.decode(bakeoff.codec("json").encode(record))
    codec.sampler.flush()

    assert RECORDS == kept(path)
    assert (40, 0, "") == (codec.sampler.kept, codec.sampler.lost, codec.sampler.stopped)
    assert endings()[suffix] == format_of(path).codec
    assert 0o600 == path.stat().st_mode & 0o777


def test_a_rhythm_does_not_say_what_is_kept(tmp_path):
    """One in ten of requests and of answers, though these come in turns."""
    path = tmp_path / "traffic.msgpack"
    codec = bakeoff.codec("msgpack").tap(path, every=10)
    answer = codec.encode("answer")
    for _ in range(5_000):
        codec.encode("request")
        codec.decode(answer)
    codec.sampler.flush()
    found = kept(path)

    assert 800 < len(found) < 1200
    assert 300 < found.count("request") < 700


def test_what_is_kept_is_not_the_callers(tmp_path):
    path = tmp_path / "traffic.jsonl"
    codec = bakeoff.codec("json").tap(path, every=1)
    records = [codec.decode(b'{"a": [1]}') for _ in range(3)]
    for record in records:
        record["a"].append(2)
    codec.sampler.flush()

    assert [{"a": [1]}] * 3 == kept(path)


def test_a_schema_and_objects_of_a_library(tmp_path):
    schema = bakeoff.Schema({"day": dt.datetime})
    path = tmp_path / "traffic.yaml"
    codec = bakeoff.codec("json").with_schema(schema).tap(path, every=1)
    codec.decode(b'{"day": "2024-01-02T03:04:05"}')
    codec.sampler.flush()
    typed = bakeoff.codec("msgspec-json/struct").with_schema(schema).tap(path, every=1)
    typed.encode(typed.bound.take({"day": dt.datetime(2024, 5, 6)}))
    typed.sampler.flush()

    assert [{"day": dt.datetime(2024, 1, 2, 3, 4, 5)}, {"day": dt.datetime(2024, 5, 6)}] == kept(path)


def test_it_stops_at_its_limit(tmp_path, caplog):
    path = tmp_path / "traffic.msgpack"
    codec = bakeoff.codec("msgpack").tap(path, every=1, limit="100K")
    with caplog.at_level(logging.WARNING, "bakeoff.codecs.core.sampler"):
        for number in range(400):
            assert codec.encode("x" * 1000)
            if number % 10 == 0:
                codec.sampler.flush()

    assert 80_000 < path.stat().st_size <= 102_400
    assert len(kept(path)) == codec.sampler.kept
    assert "of the 102,400 that it may" in codec.sampler.stopped
    assert 1 == len(caplog.messages)


def test_a_file_that_cannot_be_written_is_not_the_callers_trouble(tmp_path, caplog):
    codec = bakeoff.codec("json").tap(tmp_path / "nowhere" / "traffic.msgpack", every=1)
    for _ in range(3):
        assert b"{}" == codec.encode({})
        codec.sampler.flush()

    assert codec.sampler.stopped.startswith("cannot be written: ")
    assert 0 == codec.sampler.kept
    assert 1 == len(caplog.messages)


@pytest.mark.parametrize("room", [1, 100, 1_999])
def test_a_full_disk_leaves_whole_records(tmp_path, room):
    path = tmp_path / "traffic.msgpack"
    codec = bakeoff.codec("msgpack").tap(path, every=1)
    codec.encode("first")
    codec.sampler.flush()
    size = path.stat().st_size
    codec.encode("x" * 2_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, hard))
    try:
        codec.sampler.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert (size, ["first"]) == (path.stat().st_size, kept(path))
    assert (1, "cannot be written: no space left") == (codec.sampler.kept, codec.sampler.stopped)


def test_a_record_that_the_file_cannot_hold_is_counted(tmp_path):
    class Odd:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    codec = bakeoff.Codec("own", "own", lambda record: b"x", lambda data: Odd())
    sampled = codec.tap(tmp_path / "traffic.msgpack", every=1)
    sampled.encode(Odd())
    sampled.decode(b"x")
    sampled.encode(1)

    assert (1, 2, "") == (sampled.sampler.kept, sampled.sampler.lost, sampled.sampler.stopped)
    assert [1] == kept(tmp_path / "traffic.msgpack")


def test_threads_share_a_sampler(tmp_path):
    path = tmp_path / "traffic.msgpack.zst"
    codec = bakeoff.codec("orjson").tap(path, every=1)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(codec.encode, range(8_000), chunksize=100))
    codec.sampler.flush()

    assert list(range(8_000)) == sorted(kept(path))


FORKS = """
import os, pickle, sys
import bakeoff
codec = bakeoff.codec("json").tap(sys.argv[1], every=1)
for number in range(10):
    codec.encode(number)
children = []
for child in range(1, 4):
    if not (pid := os.fork()):
        for number in range(10):
            codec.encode(child * 10 + number)
        sys.exit()
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
other = pickle.loads(pickle.dumps(codec))
for number in range(40, 50):
    other.encode(number)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks there")
def test_processes_that_fork_share_the_file(tmp_path):
    path = tmp_path / "traffic.jsonl.gz"

    subprocess.run([sys.executable, "-c", FORKS, str(path)], check=True)
    assert list(range(50)) == sorted(kept(path))


KILLED = """
import sys
import bakeoff
codec = bakeoff.codec("json").tap(sys.argv[1], every=1)
for number in range(10**9):
    codec.encode({"number": number, "pad": "x" * 1000})
    if number == 1000:
        print(flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize("packed", [".zst", ".gz"])
def test_what_was_written_is_read_after_a_kill(packed, tmp_path):
    path = tmp_path / f"traffic.msgpack{packed}"
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    numbers = [record["number"] for record in kept(path)]

    assert list(range(len(numbers))) == numbers
    assert len(numbers) > 900


QUIET = """
import sys, time
import bakeoff
codec = bakeoff.codec("json").tap(sys.argv[1], every=1)
for number in range(50):
    codec.encode(number)
for _ in range(3000):
    if codec.sampler.kept == 50:
        break
    time.sleep(0.1)
print(flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_quiet_process_writes_its_last_records(tmp_path):
    """No record comes after them, and nothing runs at its end."""
    path = tmp_path / "traffic.jsonl"
    command = [sys.executable, "-c", QUIET, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)

    assert list(range(50)) == kept(path)


CHILDREN = """
import multiprocessing, sys
import bakeoff

def work(codec, number):
    for each in range(10):
        codec.encode(number * 10 + each)

if __name__ == "__main__":
    codec = bakeoff.codec("json").tap(sys.argv[1], every=1)
    work(codec, 0)
    context = multiprocessing.get_context(sys.argv[2])
    children = [context.Process(target=work, args=(codec, number)) for number in (1, 2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", multiprocessing.get_all_start_methods())
def test_processes_of_multiprocessing_write_at_their_end(how, tmp_path):
    """They skip the functions of atexit."""
    path, program = tmp_path / "traffic.jsonl", tmp_path / "children.py"
    program.write_text(CHILDREN)

    subprocess.run([sys.executable, str(program), str(path), how], check=True)

    assert list(range(30)) == sorted(kept(path))


def test_a_pickle_has_the_sampler(tmp_path):
    codec = (
        bakeoff.codec("msgpack").tap(tmp_path / "traffic.jsonl", every=7, limit=10_000).with_limits(size=999)
    )
    again = pickle.loads(pickle.dumps(codec))

    assert codec == again
    assert (tmp_path / "traffic.jsonl", 7, 10_000) == (
        again.sampler.path,
        again.sampler.every,
        again.sampler.limit,
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"file": "traffic.txt"}, r"traffic\.txt: a sampler's file ends with one of \.jsonl, "),
        ({"file": "traffic.zst"}, "ends with one of"),
        ({"file": "traffic.pickle"}, "ends with one of"),
        ({"every": 0}, "every: 0 is not a whole number from 1"),
        ({"every": 0.5}, "every: 0.5"),
        ({"limit": "much"}, "limit: 'much' is not a size such as"),
        ({"limit": 0}, "limit: 0"),
    ],
)
def test_a_sampler_that_makes_no_sense_is_refused_at_once(arguments, reason):
    with pytest.raises(UsageError, match=reason):
        bakeoff.codec("json").tap(**{"file": "traffic.jsonl"} | arguments)


def test_sizes_have_units():
    assert [5, 2048, 1536, 64 << 20, 3 << 30] == [_bytes(size) for size in (5, "2K", "1.5KiB", "64MB", "3 g")]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither pipes nor owners there")
@pytest.mark.parametrize("what", ["pipe", "link", "folder", "device"])
def test_a_sampler_writes_into_regular_files_only(tmp_path, what):
    """It never blocks: a pipe without a reader stops the sampler, not the caller."""
    file, target = tmp_path / "traffic.jsonl", tmp_path / "target"
    target.write_bytes(b"kept\n")
    if what == "pipe":
        os.mkfifo(file)
    elif what == "link":
        file.symlink_to(target)
    elif what == "folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/full")
    script = (
        "import bakeoff, sys; sampled = bakeoff.codec('json').tap(sys.argv[1], every=1);"
        "sampled.encode({'a': 1}); print(sampled.sampler.stopped)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, timeout=600, check=True
    )

    assert done.stdout.startswith("cannot be written: ")
    assert target.read_bytes() == b"kept\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_file_that_others_could_read_is_closed_to_them(tmp_path, monkeypatch):
    (tmp_path / "traffic.jsonl").touch(0o644)
    (tmp_path / "theirs.jsonl").touch(0o600)
    bakeoff.codec("json").tap(tmp_path / "traffic.jsonl", every=1).encode({"a": 1})

    user = os.geteuid()
    monkeypatch.setattr("os.geteuid", lambda: user + 1)
    sampled = bakeoff.codec("json").tap(tmp_path / "theirs.jsonl", every=1)
    sampled.encode({"a": 1})

    assert stat.S_IMODE((tmp_path / "traffic.jsonl").stat().st_mode) == 0o600
    assert (tmp_path / "traffic.jsonl").read_bytes() == b'{"a":1}\n'
    assert sampled.sampler.stopped == "cannot be written: it belongs to another user"
    assert (tmp_path / "theirs.jsonl").read_bytes() == b""


def test_a_disk_that_is_full_within_a_frame_damages_none(tmp_path, monkeypatch):
    path = tmp_path / "traffic.msgpack"
    codec = bakeoff.codec("msgpack").tap(path, every=1)
    codec.encode({"a": 1})
    codec.sampler.flush()
    size = path.stat().st_size
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[: len(data) // 2]))
    codec.encode({"a": "x" * 100})
    codec.sampler.flush()

    assert size == path.stat().st_size
    assert "cannot be written: no space left" == codec.sampler.stopped
    assert [{"a": 1}] == kept(path)
