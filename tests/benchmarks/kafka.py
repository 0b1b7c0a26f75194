"""Target for Kafka: ``python3 tasks.py benchmarks kafka``.

The codec's share of the processor time that a process of `bakeoff pipeline messages --transport kafka`
finds is that of a script, which has nothing of bakeoff but the codec and the records. Processes of the two
take turns, each in a session of its own, as the kernel divides processors among sessions. Latency and
processor time are printed, too, but have no target: a producer that other processes make late sends in
bursts, which wake the client's threads less often and take as little as half the processor time.
"""

from __future__ import annotations

import itertools
import math
import os
import struct
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median
from typing import Any, NamedTuple

import click
from confluent_kafka import Consumer, Producer, TopicPartition

import bakeoff
from bakeoff.bench.operations import operation
from bakeoff.bench.operations.base import CodecParts, Context, Toolkit
from bakeoff.bench.worker.records import make_sample

from ._frame import Targets, benchmark, in_processes

CODECS = ("msgspec-msgpack", "json", "bson")
READERS = 2
RATE = 500
"""Few enough that other processes seldom make the producer late."""
COUNT = 1000
ROUNDS = 15
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


def _run(codec: str) -> Row:
    """Measure as a process of a run does."""
    os.setsid()
    made, declared = bakeoff.codec(codec), operation(f"cpu@kafka-mock:{READERS}x{RATE}")
    records = list(itertools.islice(bakeoff.corpus("messages").records(), 300))
    context = Context(
        CodecParts(made, made),
        make_sample(records),
        [made.encode(record) for record in records],
        place=declared.at_place,
        parameter=declared.at_parameter,
    )
    found = declared.carry_out(context, Toolkit(lambda: None, lambda call, items: [], [])).together
    tails = (found["latency-p50"], found["latency-p99"])
    p50, p99 = (math.nan if isinstance(tail, str) else tail * 1e3 for tail in tails)
    return Row(p50, p99, found["cpu"] * 1e6, found["cpu-codec"] / found["cpu"])


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
    for _, codec in itertools.product(range(rounds), codecs):
        scripts[codec] += in_processes(1, _script, codec)
        runs[codec] += in_processes(1, _run, codec)
    click.echo(f"{'codec':16}{'':8}{'p50 ms':>8}{'p99 ms':>8}{'CPU us':>8}{'share':>8}")
    for codec in codecs:
        run, script = _middle(runs[codec]), _middle(scripts[codec])
        apart = run.share / script.share - 1
        verdict = targets.verdict(abs(apart) <= NEAR, f"±{NEAR:.0%}")
        click.echo(f"{codec:16}{'script':8}{_line(script)}")
        click.echo(f"{'':16}{'run':8}{_line(run)}  {apart:+.1%} {verdict}")
