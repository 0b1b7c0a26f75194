"""Stores on servers: the real ones, which tests/servers.py starts."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.bench.backends.stores import by_url, kind, kinds
from bakeoff.bench.backends.stores.base import Location, StoreError, opaque
from bakeoff.bench.results import Result
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session
from servers import PASSWORD, QUOTED, started


@pytest.mark.parametrize("name", [name for name in kinds() if kind(name).schemes])
def test_one_that_is_not_there_says_so_without_the_password(name, tmp_path):
    """In one line, soon; who closed its door is refused alike."""
    scheme = kind(name).schemes[0]
    for port in ("1", QUOTED):
        url = f"{scheme}://tester:{QUOTED}@127.0.0.1:{port}/0"
        with pytest.raises(StoreError) as raised:
            kind(name).open(Location(tmp_path, url), opaque())
        assert "cannot be reached: " in str(raised.value)
        for never in ("\n", PASSWORD, QUOTED):
            assert never not in str(raised.value)
        assert raised.value.__cause__ is None


def test_one_that_is_not_there_is_waited_for_once(tmp_path):
    """By a process, whose every operation asks: later ones do not so much as knock."""
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
    """The next call raises, at once."""
    server(name)  # skips
    with started(name) as own:
        store = by_url(own.url).open(Location(tmp_path, own.url), opaque())
        store.put(1, b"x")
        own.kill()
        with pytest.raises(Exception, match=r"(?i)connect") as raised:
            store.put(2, b"x")
        assert PASSWORD not in str(raised.value)
        store.close()


def bakeoff_(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Type `bakeoff`."""
    return subprocess.run(
        [sys.executable, "-m", "bakeoff", *arguments, "-c", "json", "--quick"],
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
