"""Pipelines: every record at every consumer, timed from when it is due; and the errors."""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import bakeoff
from bakeoff.bench.backends.transports import MODULES, kafka, kind
from bakeoff.bench.backends.transports import pipeline as windows
from bakeoff.bench.backends.transports.base import (
    Publisher,
    Route,
    Transport,
    TransportError,
    TransportKind,
)
from bakeoff.bench.backends.transports.pipeline import Clocked, Pipeline, RateWindow
from bakeoff.bench.operations import operation
from bakeoff.bench.operations import pipeline as measuring
from bakeoff.bench.operations._inside import Inside
from bakeoff.bench.operations.base import CodecParts, Context, Measured, Toolkit, UnfitError
from bakeoff.bench.results import BASELINE, PipelineFacts, read
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session
from bakeoff.bench.worker.records import make_sample
from bakeoff.codecs import Codec
from bakeoff.commands.pipeline import command
from bakeoff.reports import render
from bakeoff.reports.page.page import render as page
from servers import PASSWORD, started

RECORDS = [{"id": n, "name": "Zoë", "tags": ["a"] * n} for n in range(7)]
JSON = bakeoff.codec("json")

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="consumers are forked"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # of a runner with threads
]


def clocked(call: Callable[[Any], Any]) -> Clocked:
    clock = Inside(call, processor=True)
    return Clocked(clock.call, clock.take)


def line(
    found: TransportKind,
    consumers: int = 3,
    url: str = "",
    decode: Callable[[Any], Any] = JSON.decode,
    encode: Callable[[Any], Any] = JSON.encode,
    client: Mapping[str, str] | None = None,
) -> Pipeline:
    route = Route(consumers, f"bakeoff_test_{time.monotonic_ns()}", url, client or {})
    return Pipeline(found, route, clocked(encode), clocked(decode), RECORDS, lambda: None)


def expecting() -> Callable[[bytes], Any]:
    seen = [0]

    def decode(payload: bytes) -> Any:
        record = JSON.decode(payload)
        if record != RECORDS[seen[0] % len(RECORDS)]:
            raise ValueError(f"record {seen[0]} is {record}")
        seen[0] += 1
        return record

    return decode


@pytest.fixture
def all_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a window end when all its records are sent, however late a busy machine sends them."""
    monkeypatch.setattr(windows, "_LONGEST", 1000)


@pytest.fixture(params=MODULES)
def transport(request: pytest.FixtureRequest, server: Callable[[str], str]) -> tuple[TransportKind, str]:
    """Return each built-in transport with the URL of its broker."""
    name = request.param
    pytest.importorskip(kind(name).module or "os")
    return kind(name), url_of(name, server) if kind(name).schemes else ""


def url_of(name: str, server: Callable[[str], str]) -> str:
    # Clients of Kafka take an address.
    return f"kafka://{server(name)}" if name == "kafka" else server(name)


@pytest.mark.usefixtures("all_sent")
def test_every_consumer_decodes_every_record(transport):
    found, url = transport
    with line(found, url=url, decode=expecting()) as pipeline:
        for _ in range(2):
            found = pipeline.window(1000, 0.05)

            assert (50, 50, 150) == (found.due, found.sent, len(found.latencies))
            assert (0, 0) == (found.lost, found.repeated)
            assert (50, 150) == found.calls
            assert 0 < found.latencies[0] <= found.latency(0.5) * 1e9 <= found.latency(0.99) * 1e9
            assert all(0 < inside < worked for worked, inside in (found.producing, found.reading))


class Queue:
    def __init__(self, route: Route, before: Callable[[], object]) -> None:
        self._pipes = kind("pipe").open(route)
        self._before, self.listen = before, self._pipes.listen

    def publisher(self) -> Publisher:
        made = self._pipes.publisher()
        send = made.send

        def sending(message: bytes) -> None:
            self._before()
            send(message)

        made.send = sending  # type: ignore[method-assign]
        return made


class Damaged:
    """A transport that hands what it has received to one of its consumers in another way."""

    def __init__(self, transport: Transport, hand: Callable[[bytes], list[bytes]]) -> None:
        self.publisher = transport.publisher
        self._listen, self._hand = transport.listen, hand

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        def hand(message: bytes) -> None:
            for each in self._hand(message):
                take(each)

        self._listen(number, hand if number == 2 else take)


def damaged(found: TransportKind, hand: Callable[[bytes], list[bytes]]) -> TransportKind:
    """Return a transport whose third consumer gets the messages that `hand` makes of each."""
    return dataclasses.replace(found, open=lambda route: Damaged(found.open(route), hand))


def every_tenth(
    record: Callable[[bytes], list[bytes]], mark: Callable[[bytes], list[bytes]] = lambda message: [message]
) -> Callable[[bytes], list[bytes]]:
    """Return a function that hands every tenth record, and every mark, in another way."""
    seen = [0]

    def hand(message: bytes) -> list[bytes]:
        if len(message) == 16:
            return mark(message)
        seen[0] += 1
        return [message] if seen[0] % 10 else record(message)

    return hand


@pytest.mark.slow
@pytest.mark.usefixtures("all_sent")
def test_latency_counts_from_when_a_record_is_due():
    """A producer that is kept waiting delays all that is due meanwhile, and that is seen."""
    kept = [0.0]

    def wait() -> None:
        time.sleep(kept.pop() if kept else 0)

    slow = TransportKind(name="queue", open=lambda route: Queue(route, wait))
    with line(slow, 1) as pipeline:
        kept[:] = [0.45]
        found = pipeline.window(50, 0.4)

    # The last of twenty was due 380 ms after the first, and sent when the first was, 450 ms late.
    assert 20 == len(found.latencies)
    assert found.latencies[0] >= 70e6


@pytest.mark.usefixtures("all_sent")
def test_what_never_comes_is_lost_and_takes_for_ever(transport):
    found, url = transport
    with line(damaged(found, every_tenth(lambda record: [])), 4, url) as pipeline:
        window = pipeline.window(2000, 0.05)

    assert 390 == len(window.latencies)
    assert pytest.approx(0.025) == window.lost
    assert math.inf == window.latency(0.99)
    assert window.latency(0.97) < math.inf


@pytest.mark.usefixtures("all_sent")
def test_what_comes_after_its_window_is_lost_and_is_not_of_the_next_one(transport):
    kept: list[bytes] = []

    def keep(record: bytes) -> list[bytes]:
        kept.append(record)
        return []

    def after(mark: bytes) -> list[bytes]:
        late, kept[:] = list(kept), []
        return [mark, *late]

    found, url = transport
    with line(damaged(found, every_tenth(keep, after)), 4, url) as pipeline:
        for _ in range(2):
            window = pipeline.window(2000, 0.05)

            assert 390 == len(window.latencies)
            assert (pytest.approx(0.025), 0) == (window.lost, window.repeated)


@pytest.mark.usefixtures("all_sent")
def test_what_comes_twice_is_delivered_once_and_counted(transport):
    found, url = transport
    with line(damaged(found, every_tenth(lambda record: [record, record])), 4, url) as pipeline:
        window = pipeline.window(2000, 0.05)

    assert 400 == len(window.latencies)
    assert (0, pytest.approx(0.025)) == (window.lost, window.repeated)
    assert 410 == window.calls[1]


@pytest.mark.usefixtures("all_sent")
def test_what_comes_twice_does_not_hide_what_is_lost(transport):
    def second(record: bytes) -> list[bytes]:
        return [record, record] if next(turns) % 2 else []

    turns = itertools.count()
    found, url = transport
    with line(damaged(found, every_tenth(second)), 4, url) as pipeline:
        window = pipeline.window(2000, 0.05)

    assert (5, 5) == (round(window.lost * 400), window.again)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pipe", "zmq", "kafka-mock"])
def test_a_consumer_that_is_killed_is_named(name):
    pytest.importorskip(kind(name).module or "os")
    with line(kind(name)) as pipeline:
        pipeline.window(1000, 0.01)
        pipeline.processes[1].kill()
        pipeline.processes[1].join()
        with pytest.raises(TransportError, match=r"consumer 2 of 3 died of SIGKILL"):
            pipeline.window(1000, 0.05)


@pytest.mark.slow
def test_a_consumer_whose_codec_fails_says_why():
    said = r"^consumer \d of 3: DecodeError: json: "
    cut = line(kind("pipe"), encode=lambda record: JSON.encode(record)[:-1])
    with cut as pipeline, pytest.raises(TransportError, match=said):
        pipeline.window(1000, 0.01)


@pytest.mark.slow
@pytest.mark.usefixtures("all_sent")
@pytest.mark.parametrize(
    "client",
    [{"compression.type": name} for name in ("gzip", "snappy", "lz4", "zstd")]
    + [{"linger.ms": "0"}, {"acks": "0"}, {"acks": "1"}],
    ids=lambda client: "=".join(*client.items()),
)
def test_kafkas_client_has_settings(client):
    pytest.importorskip("confluent_kafka")
    with line(kind("kafka-mock"), 1, decode=expecting(), client=client) as pipeline:
        found = pipeline.window(1000, 0.05)

        assert (50, 0) == (len(found.latencies), found.lost)
        assert client.items() <= pipeline.settings.items()
        assert "librdkafka's mock cluster" == pipeline.settings["broker"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["compression.type", "linger.ms", "acks"])
def test_settings_reach_kafkas_client(name):
    pytest.importorskip("confluent_kafka")
    bad = line(kind("kafka-mock"), 1, client={name: "bad"})
    with pytest.raises(TransportError, match=r"nvalid value .*for configuration property"), bad:
        pass


@pytest.mark.slow
def test_a_mock_that_does_not_start_is_an_error(monkeypatch):
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr(kafka, "_serve", lambda *anything: None)
    with (
        pytest.raises(TransportError, match="librdkafka's mock cluster did not start"),
        line(kind("kafka-mock")),
    ):
        pass


@pytest.mark.slow
def test_other_settings_do_not_reach_kafkas_client():
    """A result file may name them, and resuming it must not load a library."""
    pytest.importorskip("confluent_kafka")
    with line(kind("kafka-mock"), 1, client={"plugin.library.paths": "/nowhere/evil"}) as pipeline:
        assert "plugin.library.paths" not in pipeline.settings


@pytest.mark.parametrize("name", ["redis", "nats", "kafka"])
def test_a_broker_that_goes_away_is_an_error(name, server):
    pytest.importorskip(kind(name).module)
    server(name)  # skips
    with started(name) as own, line(kind(name), url=url_of(name, lambda _: own.url)) as pipeline:
        pipeline.window(1000, 0.01)
        own.kill()
        with pytest.raises(TransportError) as raised:
            pipeline.window(1000, 0.2)
    assert re.match(r"(consumer \d of 3: )?the connection is broken: ", str(raised.value))
    assert PASSWORD not in str(raised.value)


def given(made: Codec, name: str) -> Context:
    declared = operation(name)
    payloads = [made.encode(record) for record in RECORDS]
    return Context(
        CodecParts(made, made),
        make_sample(RECORDS),
        payloads,
        variant=declared.variant,
        place=declared.at_place,
        parameter=declared.at_parameter,
    )


def measured(made: Codec, name: str) -> Measured:
    found = operation(name).carry_out(given(made, name), Toolkit(lambda: None, lambda call, items: [], []))
    assert isinstance(found, Measured)
    return found


@pytest.mark.slow
def test_a_rate_that_is_not_held_has_no_latency():
    def slow(record: Any) -> bytes:
        end = time.thread_time() + 2e-3
        while time.thread_time() < end:
            pass
        return JSON.encode(record)

    found = measured(Codec("slow", "json", slow, JSON.decode), "latency-p99@pipe:1")

    text = found.together["latency-p99"]
    assert isinstance(text, str)
    assert re.fullmatch(r"too slow: [\d,]+ of 3,000 records a second arrived", text)
    assert 0 < found.together["delivered"] <= 500
    assert 2e-3 < found.together["cpu-codec"] < found.together["cpu"]


@pytest.mark.slow
def test_the_baseline_calls_no_codec():
    def never(anything: Any) -> Any:
        raise AssertionError("called")

    made = dataclasses.replace(
        given(JSON, "latency-p99-baseline@pipe:2x1000"),
        parts=CodecParts(*[Codec("n", "json", never, never)] * 2),
    )
    found = measuring._measure(made, Toolkit(lambda: None, lambda call, items: [], []))

    assert {"latency-p50", "latency-p99", "delivered", "cpu"} == found.together.keys()


class Made:
    """A pipeline that sustains every rate up to a limit, or loses a share of the records."""

    def __init__(self, most: float) -> None:
        self.most, self.rates = most, []

    def __enter__(self) -> Made:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def window(self, rate: float, seconds: float) -> RateWindow:
        self.rates.append(rate)
        due = round(rate * seconds)
        took = 1_000_000 if rate <= self.most else 11_000_000
        return RateWindow(rate, due, due, 1, [took] * due, 0, due // 2, seconds, (1, 1), (1, 1), (1, 1))


@pytest.mark.parametrize("most", [90.0, 2000.0, 5000.0, 70_000.0])
def test_the_highest_rate_is_found_within_a_tenth(most, monkeypatch):
    made = Made(most)
    monkeypatch.setattr(measuring, "_pipeline", lambda *anything: made)
    found = measured(JSON, "rate@pipe:1")

    assert most / 1.1 <= found.value <= most
    assert 0 < found.extras["step"] <= 0.1 + 1e-9
    assert len(made.rates) < 40


def test_a_bound_that_no_rate_keeps_is_said(monkeypatch):
    monkeypatch.setattr(measuring, "_pipeline", lambda *anything: Made(0.0))
    with pytest.raises(UnfitError, match="the 99th percentile is above 5 ms at "):
        measured(JSON, "rate@pipe:1x5")


def test_the_processors_clock_stands_still_while_others_have_it():
    clock = Inside(time.sleep, processor=True)
    clock.call(0.03)

    spent, calls = clock.take()
    assert 1 == calls
    assert spent < 30e6


def options(*operations: str, **more: Any) -> Options:
    return Options(
        ("movies",),
        ("json",),
        operations=operations,
        records="100",
        sample=50,
        budget=0.0,
        no_time_limit=True,
        **more,
    )


@pytest.mark.slow
def test_a_run_keeps_what_one_process_tells_of_all(tmp_path):
    names = [f"{name}@pipe:2x{rate}" for rate in (200, 1_000_000) for name in ("latency-p99", "cpu")]
    result = Session(options(*names, fewest=1), tmp_path / "p.json").run()

    cells = {(cell.cell.operation_name, cell.cell.codec): cell for cell in result.cells}
    assert {(name, codec) for name in names for codec in ("json", BASELINE)} == cells.keys()
    for (name, _), cell in cells.items():
        assert (0 if name == "latency-p99@pipe:2x1000000" else 1) == len(cell.samples)
    lost = cells["latency-p99@pipe:2x1000000", "json"]
    assert "unsupported" == lost.outcome
    assert re.match(r"too slow: [\d,]+ of 1,000,000 records a second arrived", lost.reason)


@pytest.mark.slow
def test_a_result_names_the_mock_and_the_settings_of_its_client(tmp_path):
    pytest.importorskip("confluent_kafka")
    chosen = options("cpu@kafka-mock:1x200", fewest=1, client=("compression.type=lz4",))
    result = Session(chosen, tmp_path / "p.json").run()

    facts = [cell.facts for cell in read(tmp_path / "p.json").cells]
    assert len(facts) == 2
    for each in facts:
        assert isinstance(each, PipelineFacts)
        assert ("librdkafka's mock cluster", "lz4", "5", "all") == tuple(
            each.settings[name] for name in ("broker", "compression.type", "linger.ms", "acks")
        )
    assert {"client": "compression.type=lz4"}.items() <= result.conditions.items()
    shown = render([result])
    assert "movies through kafka-mock, 200 records a second" in shown
    assert "kafka-mock: broker=librdkafka's mock cluster, compression.type=lz4" in shown
    assert "kafka-mock: broker=librdkafka&#x27;s mock cluster" in page([result])


@pytest.fixture
def type_(tmp_path: Path) -> Callable[..., Any]:
    return lambda *arguments: CliRunner().invoke(command, [*arguments, "-o", str(tmp_path / "p.json")])


class StoppedError(Exception):
    """A run was about to begin."""


@pytest.fixture
def ran(monkeypatch) -> list[Options]:
    from bakeoff.bench.run import session

    found: list[Options] = []

    def begun(options: Options, *anything: object, **more: object) -> None:
        found.append(options)
        raise StoppedError

    monkeypatch.setattr(session, "Session", begun)
    return found


@pytest.mark.parametrize(
    ("typed", "points"),
    [
        (["--budget", "30s"], ["pipe:1", "pipe:4"]),
        (["--budget", "30s", "-c", "json,orjson"], ["pipe:1", "pipe:4", "pipe:24", "zmq:1"]),
        (["--budget", "84s"], ["pipe:1", "pipe:4", "pipe:24", "zmq:1", "zmq:4", "zmq:24"]),
        (["--budget", "0", "--all"], ["pipe:1", "pipe:4", "pipe:24", "zmq:1", "zmq:4", "zmq:24"]),
    ],
)
def test_what_the_budget_does_not_suffice_for_is_left_out(typed, points, ran, type_):
    done = type_("movies", *typed)

    assert isinstance(done.exception, StoppedError)
    places = (operation(name) for name in ran[0].operations)
    assert points == list(
        dict.fromkeys(f"{found.at_place}:{found.at_parameter}" for found in places if found.at_place)
    )
    assert (len(points) < 6) == ("is too short for" in done.stderr)
    assert (len(points) == 4) == (
        "zmq with 4, zmq with 24 consumers, which are left out; everything takes 42 s" in done.stderr
    )


@pytest.mark.parametrize(
    ("typed", "places", "points"),
    [
        ("--transport kafka", (), "kafka-mock"),
        ("--transport kafka-mock", (), "kafka-mock"),
        ("--broker kafka://b:9092", ("kafka=kafka://b:9092",), "kafka"),
        ("--transport kafka --broker kafka://b:9092", ("kafka=kafka://b:9092",), "kafka"),
        ("--transport kafka-mock --broker kafkas://b", ("kafka=kafkas://b",), "kafka-mock kafka"),
    ],
)
def test_kafka_without_a_broker_is_its_mock(typed, places, points, ran, type_):
    pytest.importorskip("confluent_kafka")
    done = type_("movies", "--consumers", "1", *typed.split())

    assert isinstance(done.exception, StoppedError)
    assert places == ran[0].places
    found = dict.fromkeys(operation(name).at_place for name in ran[0].operations)
    assert points.split() == [place for place in found if place]


@pytest.mark.parametrize(
    ("typed", "client"),
    [
        ("", ()),
        (
            "--kafka-compression zstd --kafka-linger 20ms --kafka-acks 1",
            ("compression.type=zstd", "linger.ms=20", "acks=1"),
        ),
        ("--kafka-linger 0", ("linger.ms=0",)),
        ("--kafka-compression none --kafka-linger 5ms --kafka-acks all", ()),
    ],
)
def test_settings_of_kafkas_client_are_options_of_the_run_unless_they_are_usual(typed, client, ran, type_):
    pytest.importorskip("confluent_kafka")
    done = type_("movies", "--transport", "kafka", *typed.split())

    assert isinstance(done.exception, StoppedError)
    assert client == ran[0].client


def test_what_is_not_installed_is_left_out_unless_it_is_asked_for(monkeypatch, ran, type_):
    monkeypatch.setitem(sys.modules, "zmq", None)
    done = type_("movies")
    asked = type_("movies", "--transport", "zmq")
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    mocked = type_("movies", "--transport", "kafka")

    assert isinstance(done.exception, StoppedError)
    assert "zmq is skipped, because it is not installed: pip install 'bakeoff[zmq]'\n" == done.stderr
    assert {"pipe", ""} == {operation(name).at_place for name in ran[0].operations}
    assert "zmq is not installed: pip install 'bakeoff[zmq]'" == str(asked.exception)
    assert "kafka-mock is not installed: pip install 'bakeoff[kafka]'" == str(mocked.exception)


ENDLESS = """
import multiprocessing, os, signal, sys
sys.path[:0] = {tests!r}
from test_pipeline import kind, line
with line(kind({name!r}), consumers=3) as made:
    print(*(process.pid for process in multiprocessing.active_children()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "processes"), [("pipe", 3), ("zmq", 3), ("kafka-mock", 4)])
def test_consumers_and_mocks_end_with_a_producer_that_is_killed(name: str, processes: int) -> None:
    pytest.importorskip(kind(name).module or "os")
    here = Path(__file__).parent
    script = ENDLESS.format(tests=[str(here), str(here.parent)], name=name)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=600
    )
    children = [int(number) for number in done.stdout.split()]

    assert (-signal.SIGKILL, processes) == (done.returncode, len(children)), done.stderr
    for child in children:
        with suppress(ProcessLookupError):
            handle = os.pidfd_open(child)
            ended = select.select([handle], [], [], 600)[0]
            os.close(handle)
            assert ended
