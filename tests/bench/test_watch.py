"""Programs under watch: they run as without, and what was seen of them is right."""

from __future__ import annotations

import json
import marshal
import operator
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
from collections import Counter
from dataclasses import asdict, replace
from importlib.util import cache_from_source
from pathlib import Path

import pytest

import madeup
from bakeoff.bench.libraries import LIBRARIES
from bakeoff.bench.results.watched import read_watch, write_watch
from bakeoff.bench.watch import attach, start
from bakeoff.bench.watch.parts import read
from bakeoff.bench.watch.start import environment
from bakeoff.commands.watch import command
from bakeoff.datasets import corpus
from bakeoff.files import WATCH_KEY
from bakeoff.reports.tables.watched import sentences
from hurried import BAKEOFF
from inprocess import bakeoff
from launched import launch
from needed import leave_out

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="watch needs POSIX")


def test_a_saving_within_the_noise_of_the_best_is_not_less():
    assert [*sentences(madeup.watch())] == [
        "orjson would save 3.44 s of 8.00 s CPU (43.0 ± 0.5 %).",
        "Too close to call: msgspec 42 %.",
        "Others would save less: ujson 25 %.",
        "Others would take more CPU: simplejson 11 %.",
        "Undecided, as the interval includes 0: rapidjson 0.1 ± 0.5 %.",
        "bakeoff knows no other library for pickle.",
        "Calls without a replacement, and why:",
        "- audit.py:31, json.dumps: it is called with default= (5.0 % of CPU)",
    ]


def test_what_the_garbage_collector_takes_is_said_from_one_per_cent_on():
    watch = madeup.watch()
    first, *others = watch.sites
    said = [
        [*sentences(replace(watch, sites=(replace(first, collecting=seconds), *others)))]
        for seconds in (0.07, 0.4)
    ]

    assert said[0] == [*sentences(watch)]
    assert {*said[1]} - {*said[0]} == {
        "The garbage collector took 5.0 % of CPU within the calls, little of which another library can save."
    }


SAME = """
import asyncio, copy, inspect, json, pickle, sys, threading, traceback
import msgspec, orjson, rapidjson
from json import dumps, loads
from http.server import BaseHTTPRequestHandler

class Holder:
    bound, free = dumps, orjson.dumps

def wrong():
    try:
        loads("{")
    except ValueError:
        return traceback.format_exc()

def unwritable():
    try:
        orjson.dumps(object())
    except TypeError:
        return traceback.format_exc()

async def together():
    return await asyncio.gather(*(asyncio.to_thread(dumps, [number]) for number in range(5)))

def generated():
    for number in range(3):
        yield loads(dumps({"n": number}))

print(wrong(), unwritable(), asyncio.run(together()), list(generated()))
print(inspect.signature(dumps), inspect.isfunction(dumps), inspect.isbuiltin(orjson.dumps), dumps.__doc__)
print(inspect.signature(msgspec.json.encode), type(msgspec.json.Encoder), dumps.__module__)
print(Holder().free([1]), Holder.bound([1]), Holder().bound.__self__.__class__.__name__)
print(pickle.loads(pickle.dumps(dumps)) is dumps, copy.deepcopy(dumps) is dumps, dumps == json.dumps)
print(dumps([1], indent=1), dumps(obj=[1]), loads(s="[1]"), json.dumps is dumps, {dumps: 1}[json.dumps])
print(msgspec.json.Encoder().encode([1]), msgspec.json.Decoder(list[int]).decode(b"[1]"))
class Encoder(rapidjson.Encoder):
    def default(self, value):
        return str(value)

class Own(Encoder):
    def __call__(self, value):
        return super().__call__([value])

def uncallable():
    try:
        rapidjson.Encoder()()
    except TypeError as error:
        return error

print(Encoder()([{1}]), Own()({1}), Encoder(indent=1)(1, stream=None), rapidjson.Decoder()("[1]"))
print(uncallable(), rapidjson.Encoder.__call__(Encoder(), {1}), callable(Encoder()), Encoder().__call__(2))
print(pickle.loads(pickle.dumps({1: (2,)})), sys.path[0] != "", sys.flags, sys.argv)
help(json.dumps)
"""

STEPS = """
import collections.abc, copy, gc, inspect, io, json, traceback, types, weakref
import bson, msgpack, simplejson, yaml

documents = "\\n---\\n".join(yaml.safe_dump({"n": n, "text": "x" * n}) for n in range(5))

class Encoder(json.JSONEncoder):
    def default(self, value):
        return json.loads(json.dumps(sorted(value)))

class Unpacker(msgpack.Unpacker):
    pass

class Stream:
    text = documents
    def read(self, count):
        text, self.text = self.text, ""
        return text

def failed(call):
    try:
        return call()
    except Exception:
        return traceback.format_exc()

def delegated():
    yield from yaml.load_all(documents, Loader=yaml.SafeLoader)

one = yaml.safe_load_all(documents)
print(isinstance(one, types.GeneratorType), isinstance(one, collections.abc.Generator))
print(inspect.isgenerator(one), iter(one) is one, one.__name__, one.gi_running)
print(inspect.getgeneratorstate(one), failed(lambda: copy.copy(one)))
print(next(one), one.send(None), list(one), next(one, "end"), inspect.getgeneratorstate(one))
print(list(delegated()), [*yaml.full_load_all(io.StringIO(documents))])
print(inspect.isgeneratorfunction(yaml.load_all), inspect.signature(yaml.load_all), yaml.load_all.__doc__)
print(list(zip(yaml.safe_load_all(documents), range(2))))
one = yaml.load_all("a: [1", yaml.SafeLoader)
print(failed(lambda: next(one)), failed(lambda: next(one)))
one = yaml.safe_load_all(documents)
print(next(one), failed(lambda: one.throw(KeyError("thrown"))), list(one))
one = yaml.safe_load_all(documents)
print(next(one), one.close(), list(one))
gone = weakref.ref(one)
del one
print(gone())
stream = Stream()
stream.cycle = yaml.safe_load_all(stream)
print(next(stream.cycle))
gone = weakref.ref(stream)
del stream
gc.collect()
print(gone())
print(list(json.JSONEncoder(indent=1).iterencode([1, {"a": 2}])), list(Encoder().iterencode([{3, 1}])))
print(list(simplejson.JSONEncoder().iterencode({"a": [1]})))
print(failed(lambda: list(Encoder().iterencode([object()]))))
for unpacker in msgpack.Unpacker(), Unpacker():
    unpacker.feed(msgpack.packb([1]) + b"\\x93\\x01")
    print([each for each in unpacker], next(unpacker, "end"), iter(unpacker) is unpacker)
    unpacker.feed(b"\\x02\\x03\\xc1")
    print(next(unpacker), failed(lambda: next(unpacker)), failed(unpacker.__next__))
stream = b"".join(bson.encode({"n": n}) for n in range(4))
print(list(bson.decode_iter(stream)), list(bson.decode_file_iter(io.BytesIO(stream))))
print(failed(lambda: list(bson.decode_iter(stream[:-1]))))
"""

WORK = """
import json, os, sys, threading, urllib.request
from json import dumps

class Order(dict):
    pass

def work():
    for number in range(200):
        dumps({"order": number, "lines": [1.5, 2.5, "secret"]})
        dumps({"order": number}, default=str)
        dumps({number: "x"})
        json.loads('{"a": [1, 2, 3], "b": "secret"}')

thread = threading.Thread(target=work)
thread.start(), thread.join()
if (child := os.fork()) == 0:
    work()
    os._exit(0)
os.waitpid(child, 0)
sys.exit(7)
"""


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """A folder, and what `bakeoff watch` said of the program `WORK` in it."""
    folder = tmp_path_factory.mktemp("worked")
    (folder / "work.py").write_text(WORK)
    return folder, launch(folder, "watch", "--", sys.executable, "work.py")


def seen(folder: Path, program: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program as a service that writes to ``folder/seen``."""
    (folder / "seen").mkdir(exist_ok=True)
    (folder / "program.py").write_text(program)
    return subprocess.run(
        [sys.executable, "program.py", *arguments],
        cwd=folder,
        env=os.environ | environment(folder / "seen", records=True) | variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def without_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", text)


@pytest.mark.slow
@pytest.mark.parametrize("program", [SAME, STEPS], ids=["functions", "iterators"])
def test_a_program_behaves_as_without(program, tmp_path):
    watched = seen(tmp_path, program)
    plain = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert without_addresses(watched.stdout) == without_addresses(plain.stdout)
    assert (watched.stderr, watched.returncode) == (plain.stderr, plain.returncode) == ("", 0)


@pytest.mark.slow
def test_calls_are_counted_once_in_threads_and_forks(tmp_path):
    seen(tmp_path, WORK)
    watch = read(tmp_path / "seen").facts
    calls = {
        name: sum(s.calls for s in watch.sites if s.function == name) for name in ("json.dumps", "json.loads")
    }

    assert calls == pytest.approx({"json.dumps": 1200, "json.loads": 400})
    assert watch.processes == 2
    assert {site.place for site in watch.sites} == {f"program.py:{line}" for line in (10, 11, 12, 13)}
    assert 0 < sum(site.busy for site in watch.sites) < watch.busy


@pytest.mark.slow
def test_a_call_that_forks_counts_in_both_processes(tmp_path):
    program = """import json, os
def default(value):
    global child
    child = os.fork()
    return child
for number in range(100): json.dumps([number])
json.dumps(object(), default=default)
for number in range(10): json.dumps([number])
if child: os.waitpid(child, 0)"""
    done = seen(tmp_path, program)
    watch = read(tmp_path / "seen").facts

    assert (done.stderr, done.returncode) == ("", 0)
    assert watch.processes == 2
    assert sum(site.calls for site in watch.sites) == pytest.approx(111 + 11)
    assert all(0 <= site.busy <= watch.busy for site in watch.sites)


@pytest.mark.slow
def test_threads_that_begin_at_once_write_to_one_file(tmp_path: Path) -> None:
    """Opening the file of a process lets other threads run."""
    program = """import json, os, simplejson, threading
opened = os.open
other = threading.Thread(target=simplejson.dumps, args=([1],))
def opening(*given):
    os.open = opened
    other.start()
    other.join(0.2)
    return opened(*given)
os.open = opening
json.dumps([1])
other.join()"""
    done = seen(tmp_path, program)
    watch = read(tmp_path / "seen").facts

    assert (done.stderr, done.returncode) == ("", 0)
    assert watch.processes == 1
    assert {site.function: site.calls for site in watch.sites} == {"json.dumps": 1, "simplejson.dumps": 1}


@pytest.mark.slow
def test_a_library_that_is_imported_after_the_first_calls(tmp_path):
    program = """import json, os
json.dumps([1])
import simplejson
simplejson.dumps([1])
if (child := os.fork()) == 0:
    import ujson
    for _ in range(3): ujson.dumps([1]), simplejson.dumps([1])
    os._exit(0)
os.waitpid(child, 0)"""
    done = seen(tmp_path, program)
    calls = Counter()
    for site in read(tmp_path / "seen").facts.sites:
        calls[site.function] += round(site.calls)

    assert done.stderr == ""
    assert calls == {"json.dumps": 1, "simplejson.dumps": 4, "ujson.dumps": 3}


@pytest.mark.slow
def test_large_records_of_one_function_leave_room_for_those_of_another(tmp_path):
    program = """import json, simplejson
text = json.dumps([1.5] * 100_000)
for _ in range(16): json.loads(text)
simplejson.dumps({"a": 1})"""
    seen(tmp_path, program)
    (site,) = [site for site in read(tmp_path / "seen").facts.sites if site.function == "simplejson.dumps"]

    assert site.records == 1


@pytest.mark.slow
@pytest.mark.parametrize("call", ["loads(f'[{n}]')", "dumps([n])"])
def test_kept_records_represent_all_calls_of_a_short_program(tmp_path, call):
    """The first samples, which describe stacks, take all that samples may take of so little time."""
    seen(tmp_path, f"import json\nfor n in range(20_000): json.{call}")
    (site,) = read(tmp_path / "seen").sites
    numbers = [
        (json.loads(kept.value) if site.facts.decodes else marshal.loads(kept.value))[0] for kept in site.kept
    ]
    weights = [kept.weight for kept in site.kept]

    assert 7_000 < sum(map(operator.mul, numbers, weights)) / sum(weights) < 13_000
    assert len(numbers) > 60


@pytest.mark.slow
def test_places_that_call_equally_often_get_equal_shares(tmp_path):
    program = """import json
def first(n): return json.dumps([n])
def second(n): return json.dumps([n])
def third(n): return json.dumps([n])
for n in range(20_000): first(n), second(n), third(n)"""
    seen(tmp_path, program)
    sites = read(tmp_path / "seen").facts.sites

    assert {f"program.py:{line}" for line in (2, 3, 4)} == {site.place for site in sites}
    # A single sample that stood for most of the calls would leave the others some per cent.
    assert all(5_000 < site.calls < 42_000 for site in sites), [site.calls for site in sites]


@pytest.mark.slow
def test_few_large_payloads_among_many_small_ones(tmp_path):
    """Only some calls are timed, and few of these have large payloads, so time counts by bytes.

    The thread's clock times the large ones, as a pause in one of them would count several times.
    """
    program = """import json, time
payloads = [json.dumps([0.5] * 100_000 if n % 100 == 7 else [n]) for n in range(3000)]
begin = time.thread_time()
for payload in payloads: json.loads(payload)
print(time.thread_time() - begin)"""
    done = seen(tmp_path, program)
    (site,) = [site for site in read(tmp_path / "seen").facts.sites if site.function == "json.loads"]

    assert site.busy == pytest.approx(float(done.stdout), rel=0.5)


@pytest.mark.slow
def test_pauses_in_short_calls_of_unknown_size(tmp_path):
    """Their payloads go to a file, so that the first one that takes long may have a large one."""
    program = """import json, time
class File:
    written = 0
    def write(self, text):
        self.written += 1
        if self.written % 370 == 0: time.sleep(0.005)
file, begin = File(), time.thread_time()
for n in range(4000): json.dump([n, [1.5] * 10], file)
print(time.thread_time() - begin)"""
    done = seen(tmp_path, program)
    (site,) = [site for site in read(tmp_path / "seen").facts.sites if site.function == "json.dump"]

    assert site.busy == pytest.approx(float(done.stdout), rel=0.5)


@pytest.mark.slow
def test_calls_that_take_long_for_their_size_are_no_pauses(tmp_path):
    program = """import json, time
text, numbers = json.dumps("x" * 60_000), json.dumps([0.5] * 8_000)
begin = time.thread_time()
for n in range(6000): json.loads(numbers if n % 5 == 3 else text)
print(time.thread_time() - begin)"""
    done = seen(tmp_path, program)
    (site,) = [site for site in read(tmp_path / "seen").facts.sites if site.function == "json.loads"]

    assert site.busy == pytest.approx(float(done.stdout), rel=0.4)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["gc.enable()", "gc.disable()"])
def test_the_time_of_the_garbage_collector_in_calls(first, tmp_path):
    program = f"""import gc, json
{first}
text = json.dumps([{{}}] * 5000)
for _ in range(50): json.loads(text)"""
    seen(tmp_path, program)
    (site,) = [site for site in read(tmp_path / "seen").facts.sites if site.function == "json.loads"]

    if first == "gc.enable()":
        assert 0 < site.collecting < site.busy
    else:
        assert site.collecting == 0


@pytest.mark.slow
def test_the_youngest_objects_can_take_long_to_collect(tmp_path):
    program = """import json
text = json.dumps([[0.5] * 2000] * 2000)
for _ in range(3): json.loads(text)"""
    seen(tmp_path, program)
    (site,) = [site for site in read(tmp_path / "seen").facts.sites if site.function == "json.loads"]

    assert 0 < site.collecting < site.busy


@pytest.mark.slow
def test_calls_in_a_row_and_calls_between_other_work(tmp_path):
    program = """import json, time
for n in range(5000): json.dumps([n])
for n in range(300):
    end = time.perf_counter() + 3e-4
    while time.perf_counter() < end: pass
    json.loads("[1]")"""
    seen(tmp_path, program)
    parts = {site.facts.function: site.after_work for site in read(tmp_path / "seen").sites}

    assert parts["json.dumps"] < 0.3
    assert parts["json.loads"] > 0.9


@pytest.mark.slow
def test_a_full_disk_does_not_disturb_the_program(tmp_path):
    program = """import json, resource
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
for n in range(100): json.dumps([n])
resource.setrlimit(resource.RLIMIT_FSIZE, before)  # others may write at the end, such as coverage
print(json.dumps("done"))"""
    done = seen(tmp_path, program)

    assert ('"done"\n', "", 0) == (done.stdout, done.stderr, done.returncode)


REACHED = [
    ("json", "json.dump({}, io.StringIO())", "json.dump"),
    ("json", "list(json.JSONEncoder().iterencode({}))", "json.JSONEncoder.iterencode"),
    ("simplejson", "list(simplejson.JSONEncoder().iterencode({}))", "simplejson.JSONEncoder.iterencode"),
    ("json", "json.load(io.StringIO('1'))", "json.loads"),
    ("json", "json.JSONEncoder(indent=1).encode({})", "json.JSONEncoder.encode"),
    ("json", "json.JSONDecoder().decode('1')", "json.JSONDecoder.decode"),
    ("simplejson", "simplejson.JSONEncoder().encode({})", "simplejson.JSONEncoder.encode"),
    ("ujson", "ujson.encode(1)", "ujson.encode"),
    ("ujson", "ujson.load(io.StringIO('1'))", "ujson.load"),
    ("rapidjson", "rapidjson.dump(1, io.StringIO())", "rapidjson.dump"),
    ("rapidjson", "rapidjson.Encoder()([1])", "rapidjson.Encoder.__call__"),
    ("rapidjson", "rapidjson.Decoder()('1')", "rapidjson.Decoder.__call__"),
    ("msgpack", "msgpack.Packer().pack([1])", "msgpack.Packer.pack"),
    ("msgpack", "msgpack.Unpacker(io.BytesIO(b'1')).unpack()", "msgpack.Unpacker.unpack"),
    ("msgpack", "list(msgpack.Unpacker(io.BytesIO(b'1')))", "msgpack.Unpacker.__next__"),
    ("msgpack", "msgpack.Unpacker().feed(b'1')", "msgpack.Unpacker.feed"),
    ("msgpack", "msgpack.loads(b'1')", "msgpack.unpackb"),
    ("ormsgpack", "ormsgpack.unpackb(b'1')", "ormsgpack.unpackb"),
    ("msgspec", "msgspec.json.Encoder().encode_lines([1])", "msgspec.json.Encoder.encode_lines"),
    ("msgspec", "msgspec.msgpack.Decoder().decode(b'1')", "msgspec.msgpack.Decoder.decode"),
    ("pickle", "pickle.Pickler(io.BytesIO()).dump(1)", "pickle.Pickler.dump"),
    ("pickle", "pickle.Unpickler(io.BytesIO(b'N.')).load()", "pickle.Unpickler.load"),
    ("pickle", "pickle._Pickler(io.BytesIO()).dump(1)", "pickle._Pickler.dump"),
    ("pickle", "pickle._Unpickler(io.BytesIO(b'N.')).load()", "pickle._Unpickler.load"),
    ("multiprocessing.reduction", "multiprocessing.reduction.ForkingPickler.dumps(1)", "pickle.Pickler.dump"),
    ("marshal", "marshal.dumps(1)", "marshal.dumps"),
    ("cbor2", "cbor2.dump(1, io.BytesIO())", "cbor2.dump"),
    ("cbor2", "cbor2.CBORDecoder(io.BytesIO(b'1')).decode()", "cbor2.CBORDecoder.decode"),
    ("yaml", "yaml.load('1', Loader=yaml.SafeLoader)", "yaml.load"),
    ("yaml", "yaml.safe_dump_all([1])", "yaml.safe_dump_all"),
    ("yaml", "list(yaml.load_all('1', yaml.SafeLoader))", "yaml.load_all"),
    ("yaml", "list(yaml.safe_load_all('1'))", "yaml.safe_load_all"),
    ("bson", "list(bson.decode_iter(bson.encode({})))", "bson.decode_iter"),
    ("bson", "list(bson.decode_file_iter(io.BytesIO(bson.encode({}))))", "bson.decode_file_iter"),
    ("bson", "bson.decode_all(bson.encode({}))", "bson.decode_all"),
    ("bson.json_util", "bson.json_util.dumps({})", "bson.json_util.dumps"),
    ("pydantic", "pydantic.TypeAdapter(int).dump_json(1)", "pydantic.TypeAdapter.dump_json"),
    ("pydantic_core", "pydantic_core.from_json('1')", "pydantic_core.from_json"),
    ("kombu.utils.json", "kombu.utils.json.loads('1')", "kombu.utils.json.loads"),
]
"""A module to import, a call, and the function that is counted."""


@pytest.fixture(scope="module")
def reached(tmp_path_factory):
    """Counts of the functions after each call of `REACHED` was made three times, in one program."""
    folder = tmp_path_factory.mktemp("reached")
    program = "".join(f"import {module}\n" for module, _, _ in REACHED)
    program += "".join(f"for _ in range(3): {call}\n" for _, call, _ in REACHED)
    assert seen(folder, f"import io\n{program}").stderr == ""
    counts = Counter()
    for site in read(folder / "seen").facts.sites:
        if site.place.startswith("program.py"):
            counts[site.function] += round(site.calls)
    return counts


@pytest.mark.slow
@pytest.mark.parametrize(("call", "function"), [row[1:] for row in REACHED])
def test_libraries_that_are_watched(reached, call, function):
    expected = 3 * sum(each == function for _, _, each in REACHED)

    assert expected == reached[function], call


@pytest.mark.slow
def test_the_caller_is_named_and_the_library_that_it_called(tmp_path):
    seen(tmp_path, "import httpx\nrequest = httpx.Request('POST', 'http://here', json={'a': 1})\n")
    (site,) = [site for site in read(tmp_path / "seen").facts.sites if site.function == "json.dumps"]

    assert re.fullmatch(r"program.py:2 through httpx/_content.py:\d+", site.place)


@pytest.mark.slow
def test_a_program_that_fails_before_any_call(tmp_path):
    done = launch(tmp_path, "watch", "--", sys.executable, "missing.py")

    assert 2 == done.returncode
    assert "no answer: the program ended with 2 before any call of a serialization library" in done.stderr
    assert [] == list(tmp_path.iterdir())


def test_the_answer(worked):
    folder, done = worked

    assert done.returncode == 7
    assert done.stdout == ""
    assert "The program ended with 7.\n" in done.stderr
    assert re.search(r"json\.dumps +1,200", done.stderr)
    assert re.search(r"- work\.py:11, json\.dumps: it is called with default= \(", done.stderr)
    assert (folder / "watch.msgpack").stat().st_mode & 0o777 == 0o600
    assert "secret" in str(corpus(str(folder / "watch.msgpack")).sample(50))
    assert "secret" not in (folder / "watch.json").read_text()


@pytest.mark.slow
def test_the_report_of_a_file_is_the_answer_again(worked):
    folder, done = worked
    report = launch(folder, "report", "watch.json")
    watch = read_watch(folder / "watch.json")

    assert report.stdout.strip() in done.stderr
    assert sum(site.calls for site in watch.sites) == pytest.approx(1600)
    assert sum(stack.busy for site in watch.sites for stack in site.stacks) == pytest.approx(watch.spent)
    assert {stack.frames[0].function for site in watch.sites for stack in site.stacks} == {"work"}


def test_a_file_is_read_as_it_was_written(tmp_path):
    watch = madeup.watch()
    write_watch(watch, tmp_path / "watch.json")

    assert read_watch(tmp_path / "watch.json") == watch


def test_the_help_names_all_libraries_that_are_watched():
    said = re.split(r"[\s,.:]+", command.help or "")

    assert {library.name for library in LIBRARIES} <= {*said}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["compare", "watch.json", "run.json"], "watch.json: a file of `bakeoff watch`, and not of a run"),
        (["pick", "watch.json"], "watch.json: a file of `bakeoff watch`, and not of a run"),
        (["run", "watch.json"], "watch.json: is a result file of bakeoff"),
        (["report", "watch.json", "run.json"], "shown alone"),
        (["report", "watch.json", "--reads", "9"], "takes no --reads"),
        (["report", "cut.json"], "cut.json: damaged"),
        (["watch", "-o", "run.json", "--", "true"], "`bakeoff watch` has not written it"),
        (["watch", "-o", "watch.msgpack", "--", "true"], "name a file with .json"),
    ],
)
def test_files_of_other_commands(command, said, tmp_path):
    write_watch(madeup.watch(), tmp_path / "watch.json")
    (tmp_path / "cut.json").write_bytes((tmp_path / "watch.json").read_bytes()[:-9])
    (tmp_path / "run.json").write_text("{}")
    done = bakeoff(tmp_path, *command)

    assert done.returncode != 0
    assert said in done.stderr


def _damaged():
    """Yield damaged files, each with the expected error."""
    whole = asdict(madeup.watch())
    as_text = json.dumps({WATCH_KEY: 1} | whole)
    for cut in (len(WATCH_KEY) + 5, 100, len(as_text) // 2, len(as_text) - 1):
        yield as_text[:cut], r"damaged: cut off after line 1, column \d+"
    yield as_text + "}", r"damaged: no JSON at line 1, column \d+"
    yield json.dumps({WATCH_KEY: "2"} | whole), f"damaged: {WATCH_KEY} is '2'"
    yield json.dumps({WATCH_KEY: 1} | whole | {"more": 1}), "damaged: more is unknown"
    yield json.dumps({WATCH_KEY: 1, "sites": "[" * 9}), "damaged: [a-z]+ is missing"
    yield f'{{"{WATCH_KEY}": 1, "sites": {"[" * 100_000}{"]" * 100_000}}}', "damaged: nested too deeply"
    for name in whole:
        rest = {key: value for key, value in whole.items() if key != name}
        if name not in ("samples", "kept"):
            yield json.dumps({WATCH_KEY: 1} | rest), f"damaged: {name} is missing"
        yield json.dumps({WATCH_KEY: 1} | whole | {name: {"a": []}}), f"damaged: {name} is .*"


@pytest.mark.parametrize(("content", "said"), list(_damaged()))
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(content, said, tmp_path):
    (tmp_path / "watch.json").write_text(content)

    for line in ("report watch.json", "compare watch.json watch.json"):
        done = bakeoff(tmp_path, *line.split())
        assert re.fullmatch(f"bakeoff: watch.json: {said}; watch the program again\n", done.stderr)
        assert 2 == done.returncode


def test_a_file_of_a_newer_version_says_so(tmp_path):
    (tmp_path / "watch.json").write_text(json.dumps({WATCH_KEY: 9}))
    done = bakeoff(tmp_path, "report", "watch.json")

    assert "written by a newer bakeoff, in format 9" in done.stderr
    assert 2 == done.returncode


@pytest.mark.slow
def test_a_watch_without_records_removes_those_of_the_watch_that_it_replaces(tmp_path):
    """They would keep the next one from writing its own."""
    programs = ["import json; json.dumps([1])", "pass", "import json; json.dumps([2])"]
    for program in programs:
        launch(tmp_path, "watch", "--", sys.executable, "-c", program)
        assert (program == "pass") != (tmp_path / "watch.msgpack").exists()
    (tmp_path / "watch.json").unlink()
    launch(tmp_path, "watch", "--no-records", "--", sys.executable, "-c", programs[0])

    assert (tmp_path / "watch.msgpack").exists()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--anonymous", "--no-records"])
def test_values_can_stay_in_the_program(worked, option, tmp_path):
    done = launch(tmp_path, "watch", option, "--", sys.executable, str(worked[0] / "work.py"))
    written = [path.read_bytes() for path in tmp_path.iterdir()]

    assert done.returncode == 7
    assert not any(b"secret" in data for data in written)
    assert len(written) == 1 + (option == "--anonymous")


@pytest.mark.slow
def test_a_record_passed_by_name_is_not_kept_as_an_option(tmp_path):
    program = """import json
json.loads(s='"secret"'), json.dumps(obj="secret"), json.dumps([1], separators=(",", "secret"))"""
    seen(tmp_path, program, BAKEOFF_WATCH_RECORDS="0")
    (written,) = (path for path in (tmp_path / "seen").iterdir() if path.name != "functions")

    assert sum(site.calls for site in read(tmp_path / "seen").facts.sites) == 3
    assert b"secret" not in written.read_bytes()


POOL = """
import json, multiprocessing

def work(number):
    return len(json.dumps([number]))

if __name__ == "__main__":
    with multiprocessing.get_context("{}").Pool(1) as pool:
        pool.map(work, range(50), 10)
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_are_not_forked_by_the_program(method, tmp_path):
    done = seen(tmp_path, POOL.format(method))
    calls = [site.calls for site in read(tmp_path / "seen").facts.sites if site.function == "json.dumps"]

    assert done.returncode == 0, done.stderr
    assert calls == pytest.approx([50])


GUNICORN = """
import json

def application(environ, start_response):
    start_response("200 OK", [])
    return [json.dumps({"path": environ["PATH_INFO"]}).encode()]
"""


@pytest.mark.integration
def test_workers_of_gunicorn_that_sigterm_ends(tmp_path):
    (tmp_path / "service.py").write_text(GUNICORN)
    gunicorn = [sys.executable, "-m", "gunicorn", "-w", "2", "-b", "unix:here", "--no-control-socket"]
    command = [*BAKEOFF, "watch", "--", *gunicorn, "service:application"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as started:
        assert started.stderr is not None
        while "Booting worker" not in started.stderr.readline():
            assert started.poll() is None
        for _ in range(20):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(tmp_path / "here"))
                client.sendall(b"GET / HTTP/1.0\r\n\r\n")
                while client.recv(4096):
                    pass
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate(timeout=600)

    assert started.returncode == 0
    assert re.search(r"json\.dumps +20 ", said)


@pytest.mark.slow
def test_a_codec_that_does_not_matter(tmp_path):
    program = "import json\njson.dumps([1])\nprint(sum(i * i for i in range(3_000_000)))"
    done = launch(tmp_path, "watch", "--", sys.executable, "-c", program)

    assert re.search(r"Changing the codec cannot save more than 0\.\d % of CPU\.", done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [("SIGTERM", 143), ("SIGTERM to all", 143), ("SIGINT", 130), ("SIGKILL", 137)]
)
def test_a_program_that_a_signal_ends(number, code, tmp_path):
    program = "import json, signal, time\njson.dumps([1])\nprint('ready', flush=True)\ntime.sleep(600)"
    command = [*BAKEOFF, "watch", "--", sys.executable, "-c", program]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        if number == "SIGTERM":
            started.send_signal(signal.SIGTERM)
        elif number == "SIGTERM to all":
            # As systemd and `timeout` send it: the program ends while the signal is passed on.
            os.killpg(started.pid, signal.SIGTERM)
        elif number == "SIGINT":
            os.killpg(started.pid, signal.SIGINT)
        else:
            listed = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
            os.kill(int(listed[0]), signal.SIGKILL)
        _, said = started.communicate(timeout=600)

    assert started.returncode == code
    assert re.search(r"json\.dumps +1 ", said)


HEARS = """
import json, os, signal, sys
arrived, wakes = os.pipe()
os.set_blocking(wakes, False)
signal.set_wakeup_fd(wakes)  # a signal just before `signal.pause` would be handled after the next one
def hear(number, frame):
    os.write(1, b"%d\\n" % number)
for number in {numbers}:
    signal.signal(number, hear)
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(7))
json.dumps([1])
print("ready", flush=True)
while True:
    os.read(arrived, 4096)
"""


def test_signals_are_passed_on(tmp_path):
    """All that can be, one after the other."""
    ours = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGCONT, signal.SIGTERM}
    ours |= {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGPIPE, signal.SIGXFSZ}
    ours |= {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSYS, signal.SIGTRAP}
    numbers = sorted(map(int, signal.valid_signals() - ours))
    assert {signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP} <= set(numbers)
    command = [*BAKEOFF, "watch", "--", sys.executable, "-c", HEARS.format(numbers=numbers)]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        for number in numbers:
            started.send_signal(number)
            assert started.stdout.readline() == f"{number}\n"
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate(timeout=600)

    assert started.returncode == 7
    assert re.search(r"json\.dumps +1 ", said)


def test_the_exit_code_is_kept_where_ends_of_children_are_ignored(tmp_path):
    program = [sys.executable, "-c", "import json; json.dumps([1]); raise SystemExit(7)"]
    ignore = (
        "import os, sys\nfrom signal import *\nsignal(SIGCHLD, SIG_IGN)\nos.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [sys.executable, "-c", ignore, *BAKEOFF, "watch", "--", *program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 7, done.stderr
    assert re.search(r"json\.dumps +1 ", done.stderr)


@pytest.mark.slow
def test_the_records_of_a_killed_watch_are_removed_by_the_next(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    program = "import json, sys\njson.dumps(['SECRET'])\nprint('ready', flush=True)\nsys.stdin.read()"
    command = [*BAKEOFF, "watch", "--", sys.executable, "-c", program]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        started.kill()
    (left,) = temporary.glob("bakeoff-watch-*")
    assert any(b"SECRET" in path.read_bytes() for path in left.glob("*.watch"))
    command = [*BAKEOFF, "watch", "--", sys.executable, "-c", "pass"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, stderr=subprocess.DEVNULL)

    assert not list(temporary.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_exit_code_is_the_programs_without_an_answer(code, tmp_path):
    place = tmp_path / "gone"
    place.mkdir()
    program = f"import json, sys, shutil\njson.dumps([1])\nshutil.rmtree({str(place)!r})\nsys.exit({code})"
    done = launch(tmp_path, "watch", "-o", str(place / "out.json"), "--", sys.executable, "-c", program)

    assert done.returncode == code
    assert re.search(r"bakeoff watch: no answer: .*out\.json: ", done.stderr)
    assert "Traceback" not in done.stderr


def test_a_signal_that_comes_again_does_not_end_the_answer(monkeypatch):
    monkeypatch.setattr(start, "AGAIN", 600.0)
    seen = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        with start._signals():
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert [] == seen
        monkeypatch.setattr(start, "AGAIN", -1.0)
        os.kill(os.getpid(), signal.SIGTERM)
        assert [signal.SIGTERM] == seen
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
def test_a_service_is_watched_by_its_environment(tmp_path):
    done = launch(tmp_path, "watch", "--environment", "seen")
    variables = dict(line.split("=", 1) for line in done.stdout.splitlines())
    seen(tmp_path, WORK, **variables)
    answered = launch(tmp_path, "watch", "--read", "seen")

    assert (tmp_path / "seen").stat().st_mode & 0o777 == 0o700
    assert re.search(r"json\.loads +400", answered.stderr)


@pytest.mark.slow
def test_the_next_sitecustomize_runs(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("print('own', __file__)")
    variables = environment(tmp_path, records=True, path=str(tmp_path / "own"))
    done = seen(tmp_path, "import sitecustomize, sys; print(sitecustomize.__file__)", **variables)
    file = tmp_path / "own" / "sitecustomize.py"

    assert done.stdout == f"own {file}\n{file}\n"


@pytest.mark.slow
def test_a_python_without_the_compiled_part_runs_unwatched(tmp_path):
    hook = Path(environment(tmp_path, records=True)["PYTHONPATH"])
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_bytes((hook / "sitecustomize.py").read_bytes())
    done = seen(tmp_path, "print(1)", PYTHONPATH=str(tmp_path / "hook"))

    assert (done.stdout, done.stderr) == ("1\n", "")
    assert "no compiled part for Python" in read(tmp_path / "seen").facts.notes[0]


def test_the_hook_is_compiled_for_programs_that_may_not_write_bytecode(tmp_path, monkeypatch):
    shutil.copy(Path(environment(tmp_path, records=True)["PYTHONPATH"]) / "sitecustomize.py", tmp_path)
    monkeypatch.setattr(start, "_HOOK", tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    environment(tmp_path, records=True)

    assert Path(cache_from_source(str(tmp_path / "sitecustomize.py"))).is_file()


SERVICE = """
import json, orjson
print("ready", flush=True)
record = {"order": 1, "lines": [1.5, 2.5] * 50}
while True:
    json.loads(json.dumps(record))
    for _ in range(20):
        orjson.loads(orjson.dumps(record))
"""


@pytest.fixture
def service(tmp_path):
    """A Python process that only encodes and decodes."""
    (tmp_path / "service.py").write_text(SERVICE)
    command = [sys.executable, "service.py"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        started.stdout.readline()
        yield started
        started.kill()


@pytest.mark.parametrize(
    "file", ["pydantic/main.py", "pydantic_core/_pydantic_core.so", "kombu/messaging.py"]
)
def test_what_a_framework_does_besides_is_no_serialization(file):
    installed = "/usr/lib/python3.11/site-packages"
    frames = [
        {"file": "/srv/app.py", "name": "main", "line": 3},
        {"file": f"{installed}/{file}", "name": "run", "line": 9},
        {"file": "/usr/lib/python3.11/json/__init__.py", "name": "dumps", "line": 231},
    ]

    assert ["json.dumps"] == [site.function for site in attach._sites([(frames[:2], 1.0), (frames, 1.0)])]


@pytest.fixture
def py_spy():
    """What `watch --pid` needs; without it the test is skipped."""
    if sys.platform != "linux" or shutil.which("py-spy", path=sysconfig.get_path("scripts")) is None:
        leave_out("py-spy on Linux: pip install 'bakeoff[watch]'")


@pytest.mark.slow
@pytest.mark.usefixtures("py_spy")
def test_a_process_that_runs_is_sampled(service, tmp_path):
    wanted, found = {"json.dumps", "json.loads"}, set()
    for _ in range(5):  # on a busy machine, a second has few samples
        done = launch(tmp_path, "watch", "--pid", str(service.pid), "--seconds", "1")
        watch = read_watch(tmp_path / "watch.json")
        found = {site.function for site in watch.sites}
        if wanted < found:
            break

    assert wanted < found
    assert {site.place for site in watch.sites if site.function == "json.dumps"} == {"service.py:6"}
    assert all(site.calls is None and site.stacks for site in watch.sites)
    assert re.search(r"Changing the codec cannot save more than \d+ % of CPU\.", done.stderr)
    assert "no other library was timed" in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("py_spy")
def test_a_process_that_is_not_python(tmp_path):
    with subprocess.Popen(["sleep", "600"]) as other:
        done = launch(tmp_path, "watch", "--pid", str(other.pid), "--seconds", "1")
        other.kill()

    assert (done.returncode, done.stderr) == (
        2,
        f"bakeoff: process {other.pid} is not Python, or of a version that py-spy does not know\n",
    )


@pytest.mark.slow
@pytest.mark.usefixtures("py_spy")
def test_a_process_that_may_not_be_read(service, tmp_path):
    """A process without the capability may not read one that has it."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root, and setpriv to give up its capabilities")
    bounded = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
    command = [*bounded, *BAKEOFF, "watch", "--pid", str(service.pid), "--seconds", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert f"no permission to read process {service.pid}: use sudo, or" in done.stderr


@pytest.mark.slow
def test_processes_that_cannot_be_sampled(tmp_path, monkeypatch):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)

    assert f"there is no process {ended.pid}" in bakeoff(tmp_path, "watch", "--pid", str(ended.pid)).stderr
    assert "pip install 'bakeoff[watch]'" in bakeoff(tmp_path, "watch", "--pid", str(os.getpid())).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say one of"),
        (("--", "no-such-program"), "no-such-program: No such file or directory"),
    ],
)
def test_wrong_use(arguments, said, tmp_path):
    done = launch(tmp_path, "watch", *arguments)

    assert done.returncode == 2
    assert said in done.stderr
