"""``bakeoff pipeline``: codecs between a producer and its consumers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from . import _completion, _placed
from ._grouped import GroupedCommand
from ._named import LISTED, Choice, Whole
from ._options import Rate, Time, measuring, patience_option, reading, records_option, seed_option, selecting
from .run import carry_out

_CORPORA = ("messages",)
_CODECS = ("orjson", "json", "msgspec-msgpack", "msgpack", "bson")
_CONSUMERS = "1,4,24"
_SAMPLE = 300
"""Records that are measured repeatedly."""
_PROCESSES = 3
"""Processes for each figure; with fewer, codecs are not distinguishable."""
_EACH = 14.0
"""Seconds for each transport with each number of consumers, for `_CODECS`: a minute and a half in total."""
_BROKER = 24.0
"""The same with a broker, whose processor time belongs to another process."""
_SEARCH = 60.0
"""Seconds for each of these, to find the highest rate."""

_COMMON = (
    "--output",
    "--transport",
    "--broker",
    "--codec",
    "--consumers",
    "--rate",
    "--max-p99",
    "--records",
    "--budget",
    "--all",
)


@click.command(
    cls=GroupedCommand,
    codes="0 ok, 1 records could not be read or no codec passed its checks, 2 usage error, "
    "130 stopped by Ctrl-C",
    common=_COMMON,
)
@measuring("pipeline.json")
@click.option(
    "--transport",
    "transports",
    type=LISTED,
    multiple=True,
    metavar="LIST",
    shell_complete=_completion.transports,
    help="Comma-separated transports without a broker; for kafka, a mock of its broker.  [default: pipe,zmq]",
)
@click.option(
    "--broker",
    "brokers",
    type=LISTED,
    multiple=True,
    metavar="URL",
    help="Comma-separated URLs of brokers: redis://, nats://, amqp://, kafka://; repeatable.",
)
@selecting(", ".join(_CODECS))
@click.option(
    "--consumers",
    default=_CONSUMERS,
    show_default=True,
    type=LISTED,
    metavar="LIST",
    help="Comma-separated numbers of consumers. Each is a process that decodes every record.",
)
@click.option(
    "--rate",
    type=Rate(least=1, most=1_000_000),
    help="Rate of the records: 3000/s, 10M/day.  [default: 3000/s]",
)
@click.option(
    "--max-p99",
    "bound",
    type=Time("1ms"),
    help="Also find the highest rate whose 99th percentile stays below this: 10ms.",
)
@click.option(
    "--kafka-compression",
    "compression",
    type=Choice(["none", "gzip", "snappy", "lz4", "zstd"]),
    help="Compression by the Kafka client, of batches.  [default: none]",
)
@click.option(
    "--kafka-linger",
    "linger",
    type=Time(),
    help="How long the Kafka client waits for a batch to fill (linger.ms): 20ms.  [default: 5ms]",
)
@click.option(
    "--kafka-acks",
    "acks",
    type=Choice(["0", "1", "all"]),
    help="Brokers that acknowledge a batch to the Kafka client: 0, 1 or all replicas.  [default: all]",
)
@records_option
@click.option(
    "--sample",
    type=Whole(),
    help=f"Number of records to check and to send repeatedly.  [default: {_SAMPLE}]",
)
@seed_option
@click.option(
    "--budget",
    type=Time(),
    help="Most time per corpus, reading and checking included.  "
    f"[default: {_EACH:g}s for each transport and number of consumers, {_BROKER:g}s through a broker, "
    f"{_SEARCH:g}s more with --max-p99]",
)
@patience_option
@reading
def command(
    corpora: Sequence[str],
    output: Path,
    transports: Sequence[str],
    brokers: Sequence[str],
    consumers: str,
    rate: float | None,
    bound: float | None,
    compression: str | None,
    linger: float | None,
    acks: str | None,
    **given: Any,
) -> None:
    """Measure codecs between a producer that sends at a fixed rate, and consumers that decode every record.

    Latency counts from when a record is due, even if the producer is late. The table also shows the
    processor time per record, the codec's part of it, and the baseline with opaque bytes. If the rate was
    not sustained, there is no latency. The last table shows where the codec no longer matters.

    The default run takes a minute and a half. `bakeoff run --resume` continues an unfinished run;
    `bakeoff report` shows the result again.
    """
    from ..bench.backends.transports import DEFAULT
    from ..codecs import select

    urls = _placed.listed(brokers)
    named = _placed.listed(transports)
    places = _places(named or ([] if urls else _installed(DEFAULT)), urls)
    client = _client(places, compression, linger, acks)
    numbers = _placed.listed([consumers])
    _check_consumers(numbers)
    chosen_codecs = select(given["codecs"], default=_CODECS)
    share = (len(chosen_codecs) + 1) / (len(_CODECS) + 1)
    points = {
        (transport, number): share * _seconds(transport, url, bound)
        for transport, url in places.items()
        for number in numbers
    }
    usual = sum(points.values()) / share
    if given["budget"] is not None and not given["no_time_limit"]:
        points = _affordable(points, given["budget"])
    operations = tuple(_operations(points, None if rate is None else round(rate), bound))
    options = _placed.options(
        corpora or _CORPORA,
        chosen_codecs,
        {name: url for name, url in places.items() if any(name == one for one, _ in points)},
        given,
        operations=("size", *operations),
        sample=given["sample"] or _SAMPLE,
        client=client,
        budget=usual if given["budget"] is None else given["budget"],
        fewest=_PROCESSES,
    )
    carry_out(options, output)


def _check_consumers(numbers: Iterable[str]) -> None:
    """Refuse what are not numbers of consumers.

    Raises:
        UsageError: One is no number, or out of range.
    """
    from ..bench.operations.pipeline import MOST

    for number in numbers:
        if not number.isdecimal() or not 1 <= int(number) <= MOST:
            raise UsageError(f"--consumers {number}: expected numbers from 1 to {MOST}, such as {_CONSUMERS}")


def _seconds(transport: str, url: str, bound: float | None) -> float:
    from ..bench.backends.transports import kind

    return (_BROKER if url or kind(transport).mocks else _EACH) + (_SEARCH if bound else 0.0)


def _client(
    places: Iterable[str], compression: str | None, linger: float | None, acks: str | None
) -> tuple[str, ...]:
    """Return the changed settings of Kafka's client as ``NAME=VALUE``.

    Raises:
        UsageError: No transport is Kafka.
    """
    from ..bench.backends.transports import kind
    from ..bench.backends.transports.kafka import PRODUCER

    given = {
        "compression.type": compression,
        "linger.ms": None if linger is None else f"{1000 * linger:g}",
        "acks": acks,
    }
    typed = {name: value for name, value in given.items() if value is not None}
    if typed and not any(kind(place).extra == "kafka" for place in places):
        raise UsageError(
            f"--kafka-{next(iter(typed)).partition('.')[0]}: no transport is Kafka; "
            "add --transport kafka, or --broker kafka://HOST:PORT"
        )
    return tuple(f"{name}={value}" for name, value in typed.items() if value != PRODUCER[name])


def _affordable(points: Mapping[tuple[str, str], float], budget: float) -> dict[tuple[str, str], float]:
    """Return the first points that fit a budget, and report the others.

    Args:
        points: Seconds, by transport and number of consumers.
        budget: Seconds.

    Raises:
        UsageError: No point fits.
    """
    totals = accumulate(points.values())
    kept = {point: points[point] for point, total in zip(points, totals, strict=True) if total <= budget}
    if not kept:
        first = next(iter(points.values()))
        raise UsageError(
            f"--budget {budget:g}s is too short: one transport and number of consumers takes "
            f"{first:.0f} s with these codecs; select fewer with -c, or use --all"
        )
    if left_out := [
        f"{transport} with {number}" for transport, number in points if (transport, number) not in kept
    ]:
        click.echo(
            f"--budget {budget:g}s is too short for {', '.join(left_out)} consumers, which are left out; "
            f"everything takes {sum(points.values()):.0f} s",
            err=True,
        )
    return kept


def _missing(name: str) -> str:
    """Return which command installs the missing module of a transport; empty if it is installed."""
    from importlib.util import find_spec

    from ..bench.backends.transports import kind

    found = kind(name)
    return f"pip install 'bakeoff[{found.extra}]'" if found.module and find_spec(found.module) is None else ""


def _installed(names: Iterable[str]) -> Iterator[str]:
    """Yield the available transports; report the others."""
    for name in names:
        if command := _missing(name):
            click.echo(f"{name} is skipped, because it is not installed: {command}", err=True)
        else:
            yield name


def _places(named: Iterable[str], urls: Iterable[str]) -> dict[str, str]:
    """Return the URL of each transport by its name, empty for a transport without a broker.

    A transport that is named without its URL is replaced by its mock, if it has one.

    Raises:
        UsageError: A broker without its URL, two of one kind, or one that is not installed.
    """
    from ..bench.backends import transports

    missing = "--transport {name}: needs a broker; name its URL: --broker {scheme}://HOST:PORT"
    reached = {transports.by_url(url).name for url in urls}
    alone = [transports.mock_of(name) or name for name in named if name not in reached]
    places = _placed.places(alone, urls, transports, missing)
    for name in places:
        if command := _missing(name):
            raise UsageError(f"{name} is not installed: {command}")
    return places


def _operations(points: Iterable[tuple[str, str]], rate: int | None, bound: float | None) -> Iterator[str]:
    """Yield the operations for each transport with each number of consumers."""
    from ..bench.operations import operation
    from ..bench.operations.pipeline import BOUND, OPERATIONS, RATE

    milliseconds = None if bound is None else round(bound * 1000)
    for transport, number in points:
        for declared in OPERATIONS:
            asked, usual = (rate, RATE) if declared.together else (milliseconds, BOUND)
            if not declared.together and bound is None:
                continue
            behind = "" if asked in (None, usual) else f"x{asked}"
            name = f"{declared.name}@{transport}:{number}{behind}"
            operation(name)
            yield name
