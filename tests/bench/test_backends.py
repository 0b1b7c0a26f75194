"""Servers below stores and transports (tests/servers.py): where they are, and what if they are not."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable

import pytest

from bakeoff.bench.backends import stores, transports
from bakeoff.bench.backends.stores import by_url
from bakeoff.bench.backends.stores.base import Location, StoreError, opaque
from bakeoff.bench.backends.transports.base import MissingTransport, Route
from bakeoff.bench.results import ResultData
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session
from inprocess import bakeoff
from launched import launch
from servers import PASSWORD, QUOTED, started

ON_SERVERS = [
    (backends, name)
    for backends in (stores, transports)
    for name in backends.kinds()
    if backends.kind(name).schemes
]


@pytest.mark.parametrize(("backends", "name"), ON_SERVERS)
def test_one_that_is_not_there_says_so_without_the_password(backends, name, tmp_path):
    kind = backends.kind(name)
    pytest.importorskip(getattr(kind, "module", "os"))
    for port in ("1", QUOTED):
        url = f"{kind.schemes[0]}://tester:{QUOTED}@127.0.0.1:{port}/0"
        way = (Location(tmp_path, url), opaque()) if backends is stores else (Route(1, "bakeoff_test", url),)
        with pytest.raises((StoreError, MissingTransport)) as raised:
            kind.open(*way)
        assert " cannot be reached: " in str(raised.value)
        for never in ("\n", PASSWORD, QUOTED):
            assert never not in str(raised.value)
        assert raised.value.__cause__ is None


def test_one_that_is_not_there_is_waited_for_once(tmp_path):
    pytest.importorskip("redis")
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{door.getsockname()[1]}/0"
        for _ in range(2):
            with pytest.raises(StoreError, match="cannot be reached: ConnectionError"):
                by_url(url).open(Location(tmp_path, url), opaque())
            door.listen()
        door.setblocking(False)
        with pytest.raises(BlockingIOError):
            door.accept()


@pytest.mark.parametrize("name", ["redis", "postgresql"])
def test_one_that_is_killed_in_the_middle_is_an_error(name, server, tmp_path):
    server(name)  # skips
    with started(name) as own:
        store = by_url(own.url).open(Location(tmp_path, own.url), opaque())
        store.put(1, b"x")
        own.kill()
        with pytest.raises(Exception, match=r"(?i)connect") as raised:
            store.put(2, b"x")
        assert PASSWORD not in str(raised.value)
        store.close()


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (("run", "--ops", "get@redis:SM,stored@redis:SM", "--server", "redis={}"), "appendonly=no"),
        (
            ("pipeline", "--consumers", "2", "--rate", "500", "--broker", "{}"),
            "movies through redis, 500 records a second",
        ),
    ],
)
def test_no_password_is_in_what_a_run_leaves(typed, shown, server, tmp_path):
    command, *options = (text.format(server("redis")) for text in typed)
    done = launch(
        tmp_path, command, "movies", "-c", "json", "-o", "out.json", *options, "--all", "--budget", "0"
    )
    text = (tmp_path / "out.json").read_text()

    assert 0 == done.returncode, done.stderr
    assert "@redis:" in text
    assert "redis://:***@127.0.0.1" in text
    assert shown in done.stdout
    for left in (text, done.stdout, done.stderr):
        assert PASSWORD not in left
        assert QUOTED not in left


TWO = [f"redis://:{QUOTED}@a/0", f"redis://:{QUOTED}@b/0"]
REFUSED: dict[str, list[tuple[str, str]]] = {
    "stores": [
        ("--store redis,sqlite", "--store redis: is a server; name its URL, redis://HOST:PORT"),
        (
            "--store redis+nonesuch://x",
            "no store has URLs that begin with redis+nonesuch://; there are redis://",
        ),
        (
            f"--store {TWO[0]} --store {TWO[1]}",
            "two URLs lead to redis, so their figures would have the same name",
        ),
        ("--preload ,", "--preload ',': nothing on one side of a comma"),
    ],
    "pipeline": [
        (
            "--transport redis",
            "--transport redis: needs a broker; name its URL: --broker redis://HOST:PORT",
        ),
        (
            "--transport pipe --kafka-acks 1",
            "--kafka-acks: no transport is Kafka; add --transport kafka, or --broker kafka://HOST:PORT",
        ),
        ("--kafka-linger 5ms", "--kafka-linger: no transport is Kafka"),
        ("--broker redis://a --kafka-compression none", "--kafka-compression: no transport is Kafka"),
        ("--broker http://a", "no transport has URLs that begin with http://; there are redis://"),
        (
            f"--broker {TWO[0]},{TWO[1]}",
            "two URLs lead to redis, so their figures would have the same name; run",
        ),
        ("--transport pip", "no transport 'pip'; did you mean pipe?"),
        ("--transport pipe --consumers 0", "expected numbers from 1 to 256"),
        ("--consumers ,", "--consumers ',': nothing on one side of a comma"),
        (
            "--budget 9s",
            "--budget 9s is too short: one transport and number of consumers takes 14 s with",
        ),
    ],
    "run": [
        ("--ops get@redis:SM", "redis is a server; name its URL: --server redis=redis://HOST:PORT"),
        ("--ops get@redis:SM --server redis=", "--server redis=: expected NAME=URL"),
    ],
}


@pytest.mark.parametrize(
    ("command", "typed", "said"),
    [(command, typed, said) for command, rows in REFUSED.items() for typed, said in rows],
)
def test_what_cannot_be_is_refused_before_anything_starts(command, typed, said, tmp_path):
    done = bakeoff(tmp_path, command, "movies", *typed.split())

    assert (2, 1) == (done.returncode, done.stderr.count("\n"))
    assert said in done.stderr
    assert PASSWORD not in done.stderr
    assert QUOTED not in done.stderr
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("operation", "other", "outcome", "said"),
    [
        ("get@{}:SM", "sqlite", "error", "redis cannot be reached: ConnectionError: .*Connection refused"),
        ("cpu@{}:1x500", "pipe", "missing", "Redis cannot be reached: ConnectionError: "),
    ],
)
def test_a_server_that_goes_away_costs_its_rows(operation, other, outcome, said, server, tmp_path):
    server("redis")  # skips
    with started("redis") as own:
        options = Options(
            ("movies",),
            ("json",),
            operations=(operation.format("redis"), operation.format(other)),
            places=(f"redis={own.url}",),
            records="100",
            sample=100,
            fewest=2,
            budget=0.0,
            no_time_limit=True,
            precision=1.0,
        )

        def look(result: Callable[[], ResultData]) -> None:
            if own.process.poll() is None and any(cell.samples for cell in result().cells):
                own.kill()

        result = Session(options, tmp_path / "out.json", look=look).run()

    gone, there = (result.cell("movies", operation.format(name), "json") for name in ("redis", other))
    assert (outcome, 0) == (gone.outcome, len(gone.samples))
    assert re.search(said, gone.reason)
    assert "ok" == there.outcome
    assert len(there.samples) >= 2
    assert PASSWORD not in str(result)
