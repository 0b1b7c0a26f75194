"""Whether what watch predicts comes true, and what it costs: ``python3 tasks.py benchmarks watch``.

Each program of `benchmarks._watched` runs as it is and with another codec, both also under watch. Printed are
the saving that watch predicts for that codec, the real one, and how much of the real one is in the calls, all
in shares of the program's CPU time, what watching costs, and how many single predictions are close enough.
The real saving is from both pairs of programs, watched or not. A prediction may be off by 10 % of it, or by
1 % of the program's time. Behind ± is half the width of the 99 % interval of a mean, as there is a look after
each turn. A target closer to the mean than that is undecided. A program takes turns until both are decided,
or its time is over.
In a turn, all four share one core: each runs for a `SLICE` while the others are stopped, so that a change of
the machine's speed affects all of them alike. If they ran one after the other, their times would differ by
several per cent. If the kernel shared the core, those that wait for a server would take over from each other
with each request, and push each other's memory out of the caches. Instructions are not counted instead: most
of the cost of a call is memory that the program has pushed out of the caches.
The saving in the calls exceeds the real one if the program needs a wrapper around the other codec.
Before that, what a call that does next to nothing takes more when it is watched, of a C function and of a
Python function, what the start of a process takes more, and how much longer the garbage collector takes for
equal records that another library has decoded, beside what watch predicts.
"""

from __future__ import annotations

import contextlib
import gc
import http.client
import itertools
import json
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from bakeoff.bench.capabilities import cores
from bakeoff.bench.stats.student import quantile
from bakeoff.bench.watch import answer, parts
from bakeoff.bench.watch.alternatives import OWN, Other
from bakeoff.bench.watch.collector import collections
from bakeoff.bench.watch.start import environment
from bakeoff.bench.watch.tasks import USUAL
from servers import UnavailableError, started

from . import _watched
from ._frame import Targets, benchmark, in_processes
from ._sdists import sdist

CALL = 60
"""Nanoseconds of a watched call, at most."""
START = 30
"""Milliseconds of processor time that the start of a process takes more, at most."""
TRIES = 15
"""Pairs of processes, of which the fastest on each side count: a neighbor leaves some alone."""
STARTS = 15
"""Pairs of processes, of whose differences the median counts."""
EMPTY = [sys.executable, "-c", "import json; json.dumps([1])"]
SLICE = 0.04
"""Seconds for which one of the programs runs and the others are stopped.

Shorter slices fill the caches more often. During longer ones, the speed of the machine changes.
"""
COST = 0.02
"""Share of a program's CPU time, at most."""
OFF = 0.10
"""Difference between predicted and real saving, as a share of the real one, at most."""
OR_OFF = 0.01
"""The same as a share of the program's time; one of the two suffices."""
TURNS = 10
"""Turns of a program at least, as an interval from fewer is wide; from then on, only those have a prediction
that need one."""
ALPHA = 0.01
"""One less than the confidence of an interval: lower than usual, as each further turn is another look."""
COLLECTIONS = 9
"""Processes for each library, of which the median counts."""
COLLECTED = 5
"""Points by which a collector's time may be outside of the predicted interval."""
PYTHON = (sys.executable, "-W", "ignore")
PROGRAM = Path(__file__).with_name("_watched.py")
LIBRARIES = {"pool": "ormsgpack"}
"""What programs use with ``other``; orjson if they are not listed."""
TASKS = 1500

_CALLS = """
import json, os, sys, time, orjson
def best(call, times=10_000):
    found = []
    for _ in range(10):
        begin = time.thread_time()
        for _ in range(times):
            call(1)
        found.append((time.thread_time() - begin) / times)
    return min(found)
print(best(eval(sys.argv[1])) * 1e9)
"""


_COLLECTOR = """
import gc, importlib, json, random, sys, time
layout = [[number] for number in range(random.randrange(20_000))]
payload = sys.stdin.read()
module, _, name = sys.argv[1].rpartition(".")
loads = getattr(importlib.import_module(module), name)
spent = begun = 0
def collecting(phase, facts):
    global spent, begun
    if phase == "start":
        begun = time.thread_time()
    else:
        spent += time.thread_time() - begun
gc.callbacks.append(collecting)
kept = [loads(payload) for _ in range(15)]
print(spent)
"""
_LOADS = ("json.loads", "orjson.loads", "msgspec.json.decode", "ujson.loads")


class Surroundings(NamedTuple):
    """What a program needs around it.

    Attributes:
        url: Its third argument.
        drive: Called while it runs; ends it, unless it ends by itself.
    """

    url: str = ""
    drive: Callable[[subprocess.Popen[bytes]], None] = lambda program: None


ALONE = Surroundings()
Begin = Callable[[], Surroundings]
"""Returns the surroundings of one more program, which others do not share."""


@benchmark
@click.option("--seconds", default=300.0, show_default=True, help="Time for each program, at most.")
@click.option("--only", default="", help="One program.")
def main(targets: Targets, seconds: float, only: str) -> None:
    """Print predictions, what came true, and the cost; exit with 1 if a target is not met."""
    os.sched_setaffinity(0, cores()[:1])
    if not only:
        for name in ("orjson.dumps", "json.dumps"):
            pairs = [(_call(name, watched=False), _call(name, watched=True)) for _ in range(TRIES)]
            plain, watched = (min(side) for side in zip(*pairs, strict=True))
            targets.at_most(f"a watched call of {name} takes more", watched - plain, CALL, "ns")
        with tempfile.TemporaryDirectory() as place:
            variables = environment(Path(place), records=True)
            pairs = [(_ran(EMPTY), _ran(EMPTY, more=variables)) for _ in range(STARTS)]
        more = statistics.median(watched - plain for plain, watched in pairs)
        targets.at_most("the start of a process takes more", more * 1e3, START, "ms")
        _show_collector(targets)
    click.echo(
        f"{'':10}{'CPU s':>7}{'predicted %':>15}{'real %':>15}{'in calls %':>15}{'cost %':>15}"
        f"{'within':>10}{'turns':>7}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _inputs(folder)
        for program in [only] if only else _watched.PROGRAMS:
            try:
                with SURROUNDINGS.get(program, _nothing)(folder) as begin:
                    _one(targets, program, seconds, folder, begin)
            except UnavailableError as error:
                click.echo(f"{program:10}skipped: {error}")


def _show_collector(targets: Targets) -> None:
    records = [{"id": n, "name": f"n{n}", "tags": ["new", n]} for n in range(20_000)]
    payload = json.dumps(records)
    spent: dict[str, list[float]] = {name: [] for name in _LOADS}
    for _ in range(COLLECTIONS):
        for name in _LOADS:
            command = [*PYTHON, "-c", _COLLECTOR, name]
            done = subprocess.run(command, input=payload, capture_output=True, text=True, check=True)
            spent[name].append(float(done.stdout))
    usual, *others = (statistics.median(seconds) for seconds in spent.values())
    predictions = in_processes(COLLECTIONS, _collected, [payload])
    for name, seconds in zip(_LOADS[1:], others, strict=True):
        more = 100 * (seconds / usual - 1)
        half = 50 * (statistics.median(each[name] for each in predictions) - 1)
        what = f"the collector, {name}: {more:.0f} % more, predicted {half:.0f} ± {abs(half):.0f}"
        targets.at_most(what, abs(half - more), abs(half) + COLLECTED, "points off")


def _collected(payloads: Sequence[str]) -> dict[str, float]:
    """Return what a collection takes with each library, relative to json, as watch times it."""
    gc.disable()
    libraries = {name: Other("json", name) if number else OWN for number, name in enumerate(_LOADS)}
    found = collections({other: (_loads(name), payloads) for name, other in libraries.items()}, 10.0)
    return {name: found[other] for name, other in libraries.items()}


def _loads(name: str) -> Callable[[str], object]:
    module, _, function = name.rpartition(".")
    found: Callable[[str], object] = getattr(import_module(module), function)
    return found


def _inputs(folder: Path) -> None:
    records = _watched.orders(500)
    (folder / "orders.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records * 30))
    (folder / "orders.json").write_text(json.dumps(records * 2))
    line = {"type": "object", "properties": {"sku": {"type": "string"}, "count": {"type": "integer"}}}
    schema = {"items": {"properties": {"id": {"type": "integer"}, "lines": {"items": line}}}}
    (folder / "schema.json").write_text(json.dumps(schema))


@contextlib.contextmanager
def _nothing(folder: Path) -> Iterator[Begin]:
    yield Surroundings


@contextlib.contextmanager
def _service(folder: Path) -> Iterator[Begin]:
    if not (folder / "fastapi").exists():
        sdist("fastapi", folder)
    small = b'{"name": "foo", "value": 123}'
    items = [{"id": n, "name": f"item-{n}", "values": [*range(25)], "meta": {"tag": "t"}} for n in range(300)]
    large = json.dumps({"items": items, "metadata": {"source": "benchmark"}}).encode()
    calls = [
        ("POST", "/async/validated", small),
        ("POST", "/async/large-receive", large),
        ("GET", "/async/large-dict-no-response-model", None),
        ("GET", "/async/dict-no-response-model", None),
    ]
    yield partial(_requested, calls * 60)


@contextlib.contextmanager
def _view(folder: Path) -> Iterator[Begin]:
    body = json.dumps(_watched.orders(12)).encode()
    yield partial(_requested, [("POST", f"/{number % 7}", body) for number in range(1200)])


def _requested(calls: list[tuple[str, str, bytes | None]]) -> Surroundings:
    """Return a server's surroundings: it is sent requests, and then SIGTERM."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as free:
        port = free.server_port

    def drive(program: subprocess.Popen[bytes]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for method, path, body in calls:
            while True:
                try:
                    connection.request(method, path, body, {"content-type": "application/json"})
                    answered = connection.getresponse()
                    break
                except ConnectionRefusedError:
                    if program.poll() is not None:
                        raise
                    connection.close()
                    time.sleep(0.05)
            assert answered.status == 200, answered.read()
            answered.read()
        program.send_signal(signal.SIGTERM)

    return Surroundings(f"http://127.0.0.1:{port}", drive)


@contextlib.contextmanager
def _worker(folder: Path) -> Iterator[Begin]:
    import redis
    from celery import Celery

    if not (folder / "celery").exists():
        sdist("celery", folder)
    with started("redis") as server, redis.Redis.from_url(server.url) as store:
        app = Celery(broker=server.url, backend=server.url)
        for number in range(TASKS):
            last = app.send_task(
                "proj.tasks.xsum", ([number + n / 8 for n in range(100)],), ignore_result=False
            )
        databases = itertools.cycle(range(1, 16))

        def begin() -> Surroundings:
            database = next(databases)
            url = f"{server.url.rpartition('/')[0]}/{database}"
            store.copy("celery", "celery", destination_db=database, replace=True)

            def drive(program: subprocess.Popen[bytes]) -> None:
                with redis.Redis.from_url(url) as results:
                    while not results.exists(f"celery-task-meta-{last.id}"):
                        assert program.poll() is None
                        time.sleep(0.1)
                    results.flushdb()
                program.send_signal(signal.SIGTERM)

            return Surroundings(url, drive)

        yield begin


@contextlib.contextmanager
def _consumer(folder: Path) -> Iterator[Begin]:
    from confluent_kafka import Producer

    with started("kafka") as server:
        producer = Producer({"bootstrap.servers": server.url})
        for number, order in enumerate(_watched.orders(50) * (_watched.MESSAGES // 50)):
            payload = json.dumps({**order, "history": order["lines"] * 3}).encode()
            producer.produce("orders", payload, partition=number % 4)
        assert producer.flush(60) == 0
        yield partial(Surroundings, server.url)


@contextlib.contextmanager
def _client(folder: Path) -> Iterator[Begin]:
    body = json.dumps(_watched.orders(60)).encode()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield partial(Surroundings, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


SURROUNDINGS = {
    "service": _service,
    "worker": _worker,
    "consumer": _consumer,
    "view": _view,
    "client": _client,
}
"""Programs that need something around them."""


def _one(targets: Targets, name: str, seconds: float, folder: Path, begin: Begin) -> None:
    turns: list[Turn] = []
    command = [*PYTHON, str(PROGRAM), name, str(folder)]
    predictions: list[float] = []
    right: bool | None = None
    cheap: bool | None = None
    said_half, real_half = math.inf, 0.0
    end = time.monotonic() + seconds
    while len(turns) < TURNS or (time.monotonic() < end and None in (right, cheap)):
        turn = _turn(command, begin)
        turns.append(turn)
        if said_half > real_half:
            predictions.append(_predicted(name, turn.watched.watch, turn.watched.without_watch))
        if len(turns) >= TURNS:
            said, said_half = _mean(predictions)
            real, real_half = _mean(each.saved for each in turns)
            cost, cost_half = _mean(each.cost for each in turns)
            most = max(OFF * abs(real), OR_OFF)
            right = _decided(abs(said - real) - most, math.hypot(said_half, real_half))
            cheap = _decided(cost - COST, cost_half)
    in_calls = _mean(each.saved_in_calls for each in turns)
    figures = ((said, said_half), (real, real_half), in_calls, (cost, cost_half))
    shown = "".join(f"{100 * value:10.1f} ± {100 * half:<4.1f}" for value, half in figures)
    within = f"{sum(abs(each - real) <= most for each in predictions)} of {len(predictions)}"
    verdicts = (
        targets.verdict(right, "10 % of the saving or 1 % of the time"),
        targets.verdict(cheap, "cost 2 %"),
    )
    usual = statistics.median(each.plain.busy for each in turns)
    click.echo(f"{name:10}{usual:7.2f}{shown}{within:>10}{len(turns):7}  {', '.join(verdicts)}")


class Ran(NamedTuple):
    """The CPU time of a program, and what watch saw of it, if it was watched."""

    busy: float
    watch: parts.Watch

    @property
    def without_watch(self) -> float:
        """The CPU time without what watching took."""
        return self.busy - self.watch.facts.own


class Turn(NamedTuple):
    """Four programs, two with their own codec and two with the other one."""

    plain: Ran
    other: Ran
    watched: Ran
    other_watched: Ran

    @property
    def saved(self) -> float:
        """The part of the CPU time that the other codec saves."""
        saved = self.plain.busy + self.watched.busy - self.other.busy - self.other_watched.busy
        return saved / (self.plain.busy + self.watched.without_watch)

    @property
    def saved_in_calls(self) -> float:
        """The part of the CPU time that it saves in the calls."""
        usual, other = (ran.watch.facts.spent for ran in (self.watched, self.other_watched))
        return (usual - other) / self.watched.without_watch

    @property
    def cost(self) -> float:
        """The part of the CPU time that watching adds."""
        return self.watched.busy / self.plain.busy - 1


def _turn(command: list[str], begin: Begin) -> Turn:
    """Run a program in four ways, each for a slice at a time, with equal hashes and memory of `_watched`."""
    shared = Shared()
    seed = {"PYTHONHASHSEED": str(random.randrange(2**32))}

    def ran(other: bool, watched: bool) -> Ran:
        around = begin()
        with tempfile.TemporaryDirectory() as seen:
            variables = {**seed, **(environment(Path(seen), records=True) if watched else {})}
            spent = _ran([*command, around.url, *["other"] * other], around, variables, shared.by)
            return Ran(spent, parts.read(Path(seen)))

    ways = [(other, watched) for watched in (False, True) for other in (False, True)]
    with ThreadPoolExecutor(len(ways)) as pool:
        running = {way: pool.submit(ran, *way) for way in random.sample(ways, len(ways))}
        shared.until(lambda: all(each.done() for each in running.values()))
    return Turn(*(running[way].result() for way in ways))


class Shared:
    """A core that several programs share: each runs for a slice while the others are stopped."""

    def __init__(self) -> None:
        self._groups: list[int] = []

    @contextlib.contextmanager
    def by(self, group: int) -> Iterator[None]:
        """Let a group of processes take part while the block runs."""
        _signal(group, signal.SIGSTOP)
        self._groups.append(group)
        try:
            yield
        finally:
            self._groups.remove(group)

    def until(self, over: Callable[[], bool]) -> None:
        """Share the core, and kill the groups that are left, such as after Ctrl-C."""
        try:
            while not over():
                time.sleep(0 if self._groups else SLICE)
                for group in self._groups.copy():
                    _signal(group, signal.SIGCONT)
                    time.sleep(SLICE)
                    _signal(group, signal.SIGSTOP)
        finally:
            for group in self._groups.copy():
                _signal(group, signal.SIGKILL)


def _signal(group: int, number: int) -> None:
    """Signal the processes of a group, unless all have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def _decided(beyond: float, half: float) -> bool | None:
    """Return whether a target is met; None if the interval leaves it open.

    Args:
        beyond: By how much the figure exceeds the target.
        half: Half of the width of its interval.
    """
    return None if abs(beyond) <= half else beyond <= 0


def _mean(figures: Iterable[float]) -> tuple[float, float]:
    """Return the mean without a fifth of the figures at each end, and half the width of its interval.

    Now and then, a neighbor slows down one of the programs of a turn only, or a kept record is far from the
    usual. Source: Tukey and McLaughlin, "Less vulnerable confidence and significance procedures for location
    based on a single sample", 1963.
    """
    found = sorted(figures)
    cut = len(found) // 5
    inner = found[cut : len(found) - cut]
    bounded = [min(max(each, inner[0]), inner[-1]) for each in found]
    error = statistics.stdev(bounded) / (len(inner) / len(found) * math.sqrt(len(found)))
    return statistics.fmean(inner), quantile(ALPHA, len(inner) - 1) * error


def _predicted(name: str, watch: parts.Watch, busy: float) -> float:
    """Return the share that watch predicts to be saved."""
    library = LIBRARIES.get(name, "orjson")
    found = [
        each
        for each in answer.predict(watch.sites, busy, USUAL, lambda _: None).savings
        if each.library == library and each.tried
    ]
    return found[0].seconds / busy if found else 0.0


def _ran(
    command: list[str],
    around: Surroundings = ALONE,
    more: Mapping[str, str] = {},
    sharing: Callable[[int], contextlib.AbstractContextManager[object]] = contextlib.nullcontext,
) -> float:
    """Return the CPU time of a program and of the processes that it waited for."""
    program = subprocess.Popen(
        command, env=os.environ | more, stdout=subprocess.DEVNULL, start_new_session=True
    )
    with sharing(program.pid):
        try:
            around.drive(program)
            _, status, usage = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
        finally:
            _signal(program.pid, signal.SIGKILL)
    if program.returncode not in (0, -signal.SIGTERM):
        raise click.ClickException(f"{' '.join(command)} ended with {program.returncode}")
    return usage.ru_utime + usage.ru_stime


def _call(name: str, *, watched: bool) -> float:
    """Return the nanoseconds of a call in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        more = environment(Path(folder), records=True) if watched else {}
        done = subprocess.run(
            [sys.executable, "-c", _CALLS, name],
            env=os.environ | more,
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout)
