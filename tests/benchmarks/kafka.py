"""Target for Kafka: ``python3 tasks.py benchmarks kafka``.

The codec's share of the processor time that `bakeoff pipeline messages --transport kafka` prints is that of a
script, which has nothing of bakeoff but the codec and the records. The two take turns, in processes of a
session each, as the kernel divides processors among sessions. Latency and processor time are printed, too,
but have no target: a producer that other processes make late sends in bursts, which wake the client's threads
less often and take as little as half the processor time.
"""

from __future__ import annotations

import itertools
import math
import os
import struct
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
from confluent_kafka import Consumer, Producer, TopicPartition

import bakeoff
from bakeoff.bench.results import ResultData, read

from ._frame import Targets, benchmark, in_processes, run_bakeoff

CODECS = ("msgspec-msgpack", "json", "bson")
READERS = 2
RATE = 500
"""Few enough that other processes seldom make the producer late."""
COUNT = 1000
ROUNDS = 5
PROCESSES = 3
"""Of the script, in each round; a run has as many for each figure."""
NEAR = 0.1

_CONTEXT = get_context("fork")
_DUE = struct.Struct("<q")


class Row(NamedTuple):
    """One line of figures: milliseconds, microseconds a record, and a share."""

    p50: float
    p99: float
    cpu: float
    share: float


def _mock(out: Connection) -> None:
    cluster = Producer({"test.mock.num.brokers": 1, "log_level": 0})
    (broker,) = cluster.list_topics("records", timeout=60).brokers.values()
    out.send(f"127.0.0.1:{broker.port}")
    time.sleep(600)


def _clocked(call: Callable[[Any], Any], value: Any) -> tuple[Any, int]:
    begin = time.thread_time_ns()
    made = call(value)
    return made, time.thread_time_ns() - begin


def _reader(address: str, codec: str, out: Connection) -> None:
    settings = {"fetch.wait.max.ms": 1, "enable.auto.commit": False, "log_level": 0}
    consumer = Consumer({"bootstrap.servers": address, "group.id": "script", **settings})
    consumer.assign([TopicPartition("records", 0, 0)])
    decode, taken, late = bakeoff.codec(codec).decode, 0, []
    consumer.poll(60)
    out.send(None)
    messages = (consumer.poll(60).value() for _ in range(COUNT))
    first = next(messages)
    begin = time.process_time_ns()  # not before, as it may have waited for other readers
    for message in itertools.chain([first], messages):
        _, spent = _clocked(decode, message[_DUE.size :])
        late.append(time.monotonic_ns() - _DUE.unpack_from(message)[0])
        taken += spent
    out.send((time.process_time_ns() - begin, taken, late))


def _script(codec: str) -> Row:
    """Send records to readers at a rate, as a script has it."""
    os.setsid()
    records = list(itertools.islice(bakeoff.corpus("messages").records(), 300))
    here, there = _CONTEXT.Pipe()
    processes = [_CONTEXT.Process(target=_mock, args=(there,), daemon=True)]
    processes[0].start()
    address, ends = here.recv(), [_CONTEXT.Pipe() for _ in range(READERS)]
    readers = [(address, codec, end) for _, end in ends]
    processes += [_CONTEXT.Process(target=_reader, args=reader, daemon=True) for reader in readers]
    for process in processes[1:]:
        process.start()
    encode, taken = bakeoff.codec(codec).encode, 0
    producer = Producer({"bootstrap.servers": address, "log_level": 0})
    producer.produce("records", b"", partition=0)
    for end, _ in ends:
        end.recv()
    before, begin = time.process_time_ns(), time.monotonic_ns()
    for number in range(COUNT):
        due = begin + number * 1_000_000_000 // RATE
        if (ahead := due - time.monotonic_ns()) > 0:
            time.sleep(ahead / 1e9)
        payload, spent = _clocked(encode, records[number % len(records)])
        taken += spent
        producer.produce("records", _DUE.pack(due) + payload, partition=0)
        producer.poll(0)
    worked = time.process_time_ns() - before
    found = [end.recv() for end, _ in ends]
    for process in processes:
        process.kill()
    begin = time.thread_time_ns()
    counted = [_clocked(len, b"")[1] for _ in range(COUNT)]
    added, calls = time.thread_time_ns() - begin, 1 + READERS
    late = sorted(itertools.chain.from_iterable(latencies for _, _, latencies in found))
    cpu = worked + sum(reading for reading, _, _ in found) - added * calls
    part = taken + sum(decoding for _, decoding, _ in found) - sum(counted) * calls
    p50, p99 = (late[int(len(late) * share)] / 1e6 for share in (0.5, 0.99))
    return Row(p50, p99, cpu / COUNT / 1e3, part / cpu)


def _printed(result: ResultData, codec: str) -> list[Row]:
    """Return the figures of a run's processes; those that did not hold the rate have no latency."""
    corpus = result.corpora[0].name

    def values(operation: str) -> list[float]:
        cell = result.cell(corpus, f"{operation}@kafka-mock:{READERS}x{RATE}", codec)
        assert cell is not None
        return [sample.value for sample in cell.samples] or [math.nan] * PROCESSES

    figures = map(values, ("latency-p50", "latency-p99", "cpu", "cpu-codec"))
    return [
        Row(p50 * 1e3, p99 * 1e3, cpu * 1e6, part / cpu) for p50, p99, cpu, part in zip(*figures, strict=True)
    ]


def _middle(rows: list[Row]) -> Row:
    return Row(*(median(v for v in values if not math.isnan(v)) for values in zip(*rows, strict=True)))


def _line(row: Row) -> str:
    return f"{row.p50:8.1f}{row.p99:8.1f}{row.cpu:8.0f}{row.share:8.1%}"


@benchmark
@click.option("--rounds", default=ROUNDS)
@click.argument("codecs", nargs=-1)
def main(targets: Targets, rounds: int, codecs: tuple[str, ...]) -> None:
    """Print the figures of runs and of the script, and the target of the share; exit with 1 on a miss."""
    codecs = codecs or CODECS
    runs: dict[str, list[Row]] = {codec: [] for codec in codecs}
    scripts: dict[str, list[Row]] = {codec: [] for codec in codecs}
    options = ("--transport", "kafka", "--readers", str(READERS), "--rate", str(RATE), "--all")
    with tempfile.TemporaryDirectory() as folder:
        for turn, codec in itertools.product(range(rounds), codecs):
            file = Path(folder, f"{codec}-{turn}.json")
            scripts[codec] += in_processes(PROCESSES, _script, codec)
            run_bakeoff("pipeline", "messages", "-c", codec, *options, "-o", file)
            runs[codec] += _printed(read(file), codec)
    click.echo(f"{'codec':16}{'':8}{'p50 ms':>8}{'p99 ms':>8}{'CPU us':>8}{'share':>8}")
    for codec in codecs:
        run, script = _middle(runs[codec]), _middle(scripts[codec])
        apart = run.share / script.share - 1
        verdict = targets.verdict(abs(apart) <= NEAR, f"±{NEAR:.0%}")
        click.echo(f"{codec:16}{'script':8}{_line(script)}")
        click.echo(f"{'':16}{'run':8}{_line(run)}  {apart:+.1%} {verdict}")
