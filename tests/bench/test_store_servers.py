"""Stores on servers: the real ones, which tests/servers.py starts."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import bakeoff
from bakeoff.bench.backends.stores import by_url
from bakeoff.bench.backends.stores.base import Location, Store, StoreError, StoreKind, Wire, opaque
from bakeoff.bench.results import Result
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session
from hurried import BAKEOFF
from servers import PASSWORD, QUOTED, started

RECORDS = [{"id": n, "name": "Zoë", "tags": ["a"] * n, "none": None} for n in range(8)]
PLACES = {
    "redis": "redis",
    "postgresql": "postgresql",
    "mysql": "mariadb",
    "mongodb": "mongodb",
    "sqlalchemy-postgresql": "postgresql",
    "sqlalchemy-mysql": "mariadb",
}
"""Kinds of stores, and the servers below them."""
FACTS = {
    "redis": {"redis", "appendonly", "appendfsync", "save"},
    "postgresql": {"postgresql", "fsync", "synchronous_commit", "default_toast_compression"},
    "mysql": {"mysql", "innodb_flush_log_at_trx_commit", "binlog"},
    "mongodb": {"mongodb", "write_concern"},
}


def wire(codec: str) -> Wire:
    made = bakeoff.codec(codec)
    return Wire(made.encode, made.decode, made.format)


@pytest.fixture(params=PLACES)
def place(
    request: pytest.FixtureRequest, server: Callable[[str], str], tmp_path: Path
) -> tuple[StoreKind, Location]:
    """A kind of stores, and a place that nobody else uses."""
    mapped, _, _ = request.param.rpartition("sqlalchemy-")[1].partition("-")
    url = f"{mapped and mapped + '+'}{server(PLACES[request.param])}"
    kind = by_url(url)
    assert request.param == kind.name
    return kind, Location(tmp_path, url, f"bakeoff_{uuid4().hex[:12]}")


@pytest.fixture(params=["msgpack", "bson"])
def store(request: pytest.FixtureRequest, place: tuple[StoreKind, Location]) -> Iterator[Store]:
    """An empty store, with payloads that some keep as they are and that others take apart."""
    kind, location = place
    made = kind.open(location, wire(request.param))
    yield made
    made.close()
    kind.forget(location)


def test_what_was_put_is_what_is_there(store):
    """One by one and in a batch, replaced, and scanned in pieces."""
    store.put(3, RECORDS[3])
    store.put_many([(key, RECORDS[key]) for key in (5, 1, 7)])
    store.put(3, RECORDS[4])

    assert RECORDS[4] == store.get(3)
    with pytest.raises(KeyError):
        store.get(4)
    assert [(1, RECORDS[1]), (3, RECORDS[4]), (5, RECORDS[5])] == store.scan(0, 3)
    assert [(7, RECORDS[7])] == store.scan(5, 3)
    assert [] == store.scan(7, 3)
    assert store.stored() > 0


def test_opaque_payloads_go_the_same_way(store):
    """For the floor: what the codec wrote goes in and comes out, without it."""
    codec = bakeoff.codec("bson" if store.wire.format == "bson" else "msgpack")
    payload = codec.encode(RECORDS[2])
    store.put(1, RECORDS[2])
    store.wire = opaque(store.wire.format)
    store.put(2, payload)

    assert [(1, payload), (2, payload)] == store.scan(0, 9)


def test_what_is_there_is_found_again_and_can_be_removed(place):
    """By who opens the same place later; after `forget` there is nothing."""
    kind, location = place
    first = kind.open(location, wire("msgpack"))
    first.put_many([(9, RECORDS[1]), (2000, RECORDS[2])])
    first.close()
    second = kind.open(location, wire("msgpack"))
    assert [(9, RECORDS[1]), (2000, RECORDS[2])] == second.scan(0, 9)
    second.close()
    kind.forget(location)
    third = kind.open(location, wire("msgpack"))
    assert [] == third.scan(0, 9)
    third.close()
    kind.forget(location)


def test_versions_and_durability_are_facts(store, place):
    """Each in a few words, and no password among them."""
    kind, _ = place
    found = dict(store.settings)

    assert FACTS[kind.name.removeprefix("sqlalchemy-")] <= found.keys()
    assert all(isinstance(text, str) and text for text in found.values())
    assert PASSWORD not in str(found)
    assert QUOTED not in str(found)


def test_payloads_of_64_kib_and_more_fit(store):
    """MariaDB's plain BLOB ends there."""
    record = {"text": "ä" * 50_000}
    store.put(1, record)

    assert record == store.get(1)


def test_one_that_is_not_there_says_so_without_the_password(place):
    """In one line, soon; who closed its door is refused alike."""
    kind, location = place
    scheme, _, rest = location.url.partition("://")
    path = rest.rpartition("/")[2]
    for url in (
        f"{scheme}://tester:{QUOTED}@127.0.0.1:1/{path}",
        f"{scheme}://tester:{QUOTED}@127.0.0.1:{QUOTED}/{path}",
    ):
        with pytest.raises(StoreError) as raised:
            kind.open(Location(location.folder, url, location.name), wire("msgpack"))
        assert "cannot be reached: " in str(raised.value)
        assert "\n" not in str(raised.value)
        assert PASSWORD not in str(raised.value)
        assert QUOTED not in str(raised.value)
        assert raised.value.__cause__ is None


def test_one_that_is_not_there_is_waited_for_once(tmp_path):
    """By a process, whose every operation asks: later ones do not so much as knock."""
    pytest.importorskip("redis")
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{door.getsockname()[1]}/0"
        for _ in range(2):
            with pytest.raises(StoreError, match="cannot be reached: ConnectionError"):
                by_url(url).open(Location(tmp_path, url), wire("json"))
            door.listen()
        door.setblocking(False)
        with pytest.raises(BlockingIOError):
            door.accept()


@pytest.mark.parametrize("name", ["redis", "postgresql"])
def test_one_that_is_killed_in_the_middle_is_an_error(name, server, tmp_path):
    """The next call raises, at once."""
    server(name)  # skips
    with started(name) as own:
        store = by_url(own.url).open(Location(tmp_path, own.url), wire("msgpack"))
        store.put(1, RECORDS[1])
        own.kill()
        with pytest.raises(Exception, match=r"(?i)connect") as raised:
            store.put(2, RECORDS[2])
        assert PASSWORD not in str(raised.value)
        store.close()


def bakeoff_(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Type `bakeoff`."""
    return subprocess.run(
        [*BAKEOFF, *arguments, "-c", "json", "--quick"],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def stores(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Type `bakeoff stores`."""
    return bakeoff_(folder, "stores", *arguments, "--size", "SM")


def test_no_password_is_in_what_a_run_leaves(server, tmp_path):
    """Neither in the file nor on the screen; what the server promises is in both."""
    done = stores(tmp_path, "--store", server("redis"), "--store", "redis+nonesuch://x")
    assert (2, 1) == (done.returncode, len(done.stderr.strip().splitlines()))
    assert "no store has URLs that begin with redis+nonesuch://; there are redis://" in done.stderr

    place = ("--place", f"redis={server('redis')}")
    enough = ("--precision", "99%", "--budget", "12s")
    done = bakeoff_(tmp_path, "run", "movies", "--ops", "get@redis:SM,stored@redis:SM", *place, *enough)
    text = (tmp_path / "bakeoff.json").read_text()

    assert "get@redis" in text
    assert "redis://:***@127.0.0.1" in text
    for left in (text, done.stdout, done.stderr):
        assert PASSWORD not in left
        assert QUOTED not in left
    assert "appendonly=no" in done.stdout


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--store", "redis,sqlite"], "--store redis: is a server; say where it is, as redis://HOST:PORT"),
        (
            ["--store", f"redis://:{QUOTED}@a/0", "--store", f"redis://:{QUOTED}@b/0"],
            "two URLs lead to redis, whose figures would have one name: run them in turn",
        ),
    ],
)
def test_a_server_has_one_url(typed, said, tmp_path):
    """It is asked for where it is missing; two of a kind would overwrite one another."""
    done = stores(tmp_path, *typed)

    assert (2, f"bakeoff: {said}\n") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ((), "redis is a server; say where it is: --place redis=redis://HOST:PORT"),
        (("--place", "redis="), "--place redis=: expected NAME=URL"),
        (("--place", "mysql=x"), "--place mysql: no operation is there; `--ops get@mysql` would be one"),
    ],
)
def test_a_run_asks_where_a_server_is(place, said, tmp_path):
    """Before anything starts; a run that is resumed asks again, as no result file keeps it."""
    done = bakeoff_(tmp_path, "run", "movies", "--ops", "get@redis:SM", *place)

    assert (2, f"bakeoff: {said}\n") == (done.returncode, done.stderr)


def test_a_server_that_goes_away_costs_its_rows(server, tmp_path):
    """Killed in the middle of a run, whose other stores are measured to the end."""
    server("redis")  # skips
    with started("redis") as own:
        options = Options(
            ("movies",),
            ("json",),
            operations=("get@redis:SM", "get@sqlite:SM"),
            places=(f"redis={own.url}",),
            records="100",
            sample=100,
            fewest=2,
            budget=0.0,
            no_time_limit=True,
            precision=1.0,
        )

        def look(result: Callable[[], Result]) -> None:
            if own.process.poll() is None and any(cell.samples for cell in result().cells):
                own.kill()

        result = Session(options, tmp_path / "stores.json", look=look).run()

    gone, there = (result.cell("movies", f"get@{name}:SM", "json") for name in ("redis", "sqlite"))
    assert ("error", 0) == (gone.outcome, len(gone.samples))
    assert re.search(r"redis cannot be reached: ConnectionError: .*Connection refused", gone.reason)
    assert "ok" == there.outcome
    assert len(there.samples) >= 2
