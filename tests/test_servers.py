"""The servers that other tests use: they answer, are shared, and are gone when their last user is."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import servers

HELD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from servers import Servers
shared = Servers(Path(sys.argv[2]))
print(shared.url("redis"), flush=True)
sys.stdin.read()
"""


def test_users_share_a_server_which_ends_with_the_last(server, tmp_path):
    server("redis")  # skips
    tests = Path(servers.__file__).parent
    users = [
        subprocess.Popen(
            [sys.executable, "-c", HELD, tests, tmp_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    urls = [user.stdout.readline().strip() for user in users]
    address = ("127.0.0.1", urlsplit(urls[0]).port)

    assert urls[0] == urls[1]
    users[0].send_signal(signal.SIGKILL)
    users[0].communicate()
    with socket.create_connection(address) as connection:
        users[1].send_signal(signal.SIGINT)
        users[1].communicate()
        assert b"" == connection.recv(1)  # closed by the server as it ends


@pytest.mark.slow
def test_one_that_does_not_start_says_why(monkeypatch, tmp_path):
    def refuse(url):
        raise ConnectionError

    kind = servers.Kind({}, "", lambda folder, port: [["sh", "-c", "echo no room; exit 3"]], refuse)
    monkeypatch.setitem(servers.KINDS, "broken", kind)
    monkeypatch.setattr(servers.tempfile, "tempdir", str(tmp_path))

    wrong = pytest.raises(RuntimeError, match=r"broken does not start: it ended with 3\nno room")
    with wrong, servers.started("broken"):
        pass
    assert [] == list(tmp_path.iterdir())


@pytest.mark.slow
def test_one_is_there_when_it_answers(monkeypatch):
    """Not when it listens: PostgreSQL does so while it still recovers, and refuses all who come."""
    asked = []

    def ask(url):
        asked.append(url)
        if len(asked) < 3:
            raise ConnectionError("the database system is starting up")

    kind = servers.Kind({}, "some://{}", lambda folder, port: [["sleep", "1000"]], ask)
    monkeypatch.setitem(servers.KINDS, "late", kind)

    with servers.started("late") as found:
        assert [found.url] * 3 == asked
        assert found.process.poll() is None


def test_one_whose_jars_are_missing_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(servers, "JARS", tmp_path / "jars")
    monkeypatch.setitem(servers.KINDS, "jarred", servers.Kind({}, "", lambda *_: [], print, jars=True))

    with pytest.raises(servers.UnavailableError, match=r"^no jarred here: Maven has not brought .*jars$"):
        servers.Servers(tmp_path).url("jarred")


def test_one_that_is_not_installed_names_its_package(monkeypatch, tmp_path):
    monkeypatch.setitem(
        servers.KINDS, "none", servers.Kind({"nonesuch-server": "nonesuch"}, "", lambda *_: [], print)
    )

    with pytest.raises(servers.UnavailableError, match=r"^no none here: apt-get install nonesuch-server$"):
        servers.Servers(tmp_path).url("none")


def test_one_that_is_never_started_is_named_by_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("AMQP_URL", raising=False)

    with pytest.raises(servers.UnavailableError, match=r"^no amqp is started here: set AMQP_URL to "):
        servers.Servers(tmp_path).url("amqp")
    monkeypatch.setenv("AMQP_URL", "amqp://somewhere")
    assert "amqp://somewhere" == servers.Servers(tmp_path).url("amqp")
