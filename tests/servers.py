"""Real servers for tests, each started when a test first needs it, and stopped when the last worker ends.

All workers of a run share one server of each kind. Its users hold a shared lock on a file. A keeper, which is
this file in a separate process, waits until the lock is free and then stops the server. This works even if
pytest is killed, as the kernel then releases its locks.

``python servers.py missing`` prints the missing Debian packages; see ``tasks.py``.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import psutil

JARS = Path(sys.prefix, "jars")
"""Folder in which tasks.py puts jars of Maven, next to the packages of pip."""
PASSWORD = "o0pen/Sesame@7"  # with characters that have to be quoted in a URL
QUOTED = "o0pen%2FSesame%407"
PATIENCE = 300.0
"""Seconds within which a server must start, and stop; only a guard against one that hangs."""
PLACES = os.pathsep.join(
    (
        str(Path(sys.executable).parent),
        os.environ["PATH"],
        "/usr/sbin",
        *map(str, Path("/usr/lib/postgresql").glob("*/bin")),
    )
)
"""pip installs one server next to the interpreter, and Debian keeps servers off the PATH of users."""


class UnavailableError(Exception):
    """A kind of server is not available here; the message names the packages to install."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A server that can be started.

    Attributes:
        packages: Its Debian packages, each with one of its programs.
        url: URL of a server, without the port.
        commands: Returns the commands for a folder and a port: those that prepare it, and last the server.
        ask: Sends a request of a client to a URL; raises an error while the server does not answer.
        jars: Whether it also needs jars of Maven.
        user: User that runs it instead of root, as which some refuse to run.
        end: The signal that stops it at once without leftovers.
    """

    packages: dict[str, str]
    url: str
    commands: Callable[[Path, int], list[list[str]]]
    ask: Callable[[str], object]
    jars: bool = False
    user: str = ""
    end: signal.Signals = signal.SIGTERM

    def lacks(self) -> list[str]:
        """Return the packages that are not installed."""
        return [
            package for package, program in self.packages.items() if not shutil.which(program, path=PLACES)
        ]

    def demand(self, name: str) -> None:
        """Check that it can be started.

        Raises:
            UnavailableError: It is not installed.
        """
        if lacking := self.lacks():
            raise UnavailableError(f"no {name} here: apt-get install {' '.join(lacking)}")
        if self.jars and not JARS.is_dir():
            raise UnavailableError(f"no {name} here: Maven has not brought {JARS}")


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers.

    Attributes:
        url: The URL, including the password if there is one.
        process: The process that was started.
        folder: Its files.
    """

    url: str
    process: subprocess.Popen[bytes]
    folder: Path

    def kill(self) -> None:
        """Kill it with all its child processes, like a crash of its machine."""
        started = psutil.Process(self.process.pid)
        for one in (started, *started.children(recursive=True)):
            one.kill()
        self.process.wait()


def _ask_redis(url: str) -> None:
    import redis

    with redis.Redis.from_url(url) as client:
        client.ping()


def _ask_database(url: str) -> None:
    import sqlalchemy

    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        engine.connect().close()
    finally:
        engine.dispose()


def _ask_mongodb(url: str) -> None:
    import pymongo

    client: pymongo.MongoClient[Any] = pymongo.MongoClient(url, serverSelectionTimeoutMS=1000)
    with client:
        client.admin.command("ping")


def _ask_nats(url: str) -> None:
    _greeted(url, b"INFO")


def _ask_ssh(url: str) -> None:
    _greeted(url, b"SSH-")


def _greeted(url: str, greeting: bytes) -> None:
    """Check that a server sends its greeting, which it does first."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=1) as connection:
        if not connection.recv(len(greeting)) == greeting:
            raise ConnectionError("it does not greet")


def _ask_kafka(url: str) -> None:
    from confluent_kafka import Producer

    Producer({"bootstrap.servers": url}).list_topics(timeout=1)


def _redis(folder: Path, port: int) -> list[list[str]]:
    durability = ["--save", "", "--appendonly", "no"]
    place = ["--dir", str(folder), "--bind", "127.0.0.1", "--port", str(port)]
    return [["redis-server", *place, *durability, "--requirepass", PASSWORD]]


def _postgresql(folder: Path, port: int) -> list[list[str]]:
    data, password = folder / "data", folder / "password"
    password.write_text(PASSWORD)
    making = ["-D", str(data), "-U", "tester", "-A", "scram-sha-256", "--pwfile", str(password), "--no-sync"]
    serving = ["-D", str(data), "-p", str(port), "-k", str(folder), "-c", "listen_addresses=127.0.0.1"]
    return [["initdb", *making, "--encoding=UTF8"], ["postgres", *serving, "-c", "fsync=off"]]


def _mariadb(folder: Path, port: int) -> list[list[str]]:
    first = folder / "first.sql"
    first.write_text(
        "CREATE DATABASE bakeoff;\n"
        f"CREATE USER tester@'%' IDENTIFIED BY '{PASSWORD}';\n"
        "GRANT ALL ON bakeoff.* TO tester@'%';\n"
    )
    data = ["--no-defaults", f"--datadir={folder / 'data'}"]
    place = [f"--port={port}", "--bind-address=127.0.0.1", "--skip-name-resolve", f"--socket={folder / 's'}"]
    return [
        ["mariadb-install-db", *data, "--auth-root-authentication-method=normal", "--skip-test-db"],
        ["mariadbd", *data, *place, "--skip-log-bin", f"--pid-file={folder / 'pid'}", f"--init-file={first}"],
    ]


def _mongodb(folder: Path, port: int) -> list[list[str]]:
    # For a short life with little memory; the source is compiled at the start.
    options = ["-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", f"{JARS}/*"]
    return [["java", *options, str(Path(__file__).parent / "mongo/Server.java"), str(port)]]


def _nats(folder: Path, port: int) -> list[list[str]]:
    return [["nats-server", "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", str(folder)]]


def _kafka(folder: Path, port: int) -> list[list[str]]:
    return [[sys.executable, str(Path(__file__).parent / "librdkafka/broker.py"), str(port)]]


def _ssh(folder: Path, port: int) -> list[list[str]]:
    """Return the commands of a server that lets in the user of these tests, and no other."""
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # the server of root refuses to start without it
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1:{port}\n"
        f"HostKey {folder}/host\n"
        f"AuthorizedKeysFile {folder}/authorized\n"
        "AuthenticationMethods publickey\n"
        "PermitRootLogin prohibit-password\n"
        "PermitUserEnvironment yes\n"  # of `authorized`, which is read at each connection
        "StrictModes no\n"
        "UsePAM no\n"
        "PidFile none\n"
    )
    making = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f"]
    serving = ["sshd", "-D", "-e", "-f", str(folder / "sshd_config")]
    return [[*making, str(folder / "host")], [*making, str(folder / "user")], serving]


KINDS = {
    "redis": Kind(
        {"redis-server": "redis-server"}, f"redis://:{QUOTED}@127.0.0.1:{{}}/0", _redis, _ask_redis
    ),
    "postgresql": Kind(
        {"postgresql": "postgres"},
        f"postgresql://tester:{QUOTED}@127.0.0.1:{{}}/postgres",
        _postgresql,
        _ask_database,
        user="postgres",
        end=signal.SIGINT,
    ),
    "mariadb": Kind(
        {"mariadb-server": "mariadbd"},
        f"mysql+pymysql://tester:{QUOTED}@127.0.0.1:{{}}/bakeoff",
        _mariadb,
        _ask_database,
        user="mysql",
    ),
    # A server with its protocol, in Java and in memory, as Debian has no MongoDB; not for figures.
    "mongodb": Kind(
        {"default-jdk-headless": "javac", "maven": "mvn"},
        "mongodb://127.0.0.1:{}/bakeoff",
        _mongodb,
        _ask_mongodb,
        jars=True,
    ),
    # A mock with the protocol, as a broker takes 10 s to start; not for figures.
    "kafka": Kind({}, "127.0.0.1:{}", _kafka, _ask_kafka),
    # Without a password, as nats-py does not unquote passwords of URLs.
    "nats": Kind({"nats-server": "nats-server"}, "nats://127.0.0.1:{}", _nats, _ask_nats),
    # One for each machine of machines.py.
    "ssh": Kind({"openssh-server": "sshd", "openssh-client": "ssh"}, "ssh://127.0.0.1:{}", _ssh, _ask_ssh),
}


@contextmanager
def started(name: str) -> Iterator[Server]:
    """Start a separate server, in a folder that is removed afterwards.

    Raises:
        UnavailableError: It is not installed.
        RuntimeError: It did not start; the message has its output.
    """
    kind = KINDS[name]
    kind.demand(name)
    user = kind.user if os.geteuid() == 0 else ""
    folder = Path(tempfile.mkdtemp(prefix=f"bakeoff-{name}-"))
    try:
        port = _free_port()
        *preparing, serving = kind.commands(folder, port)
        if user:
            owner = pwd.getpwnam(user)
            for path in (folder, *folder.iterdir()):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        with (folder / "log").open("wb") as log:
            for command in preparing:
                process = _begin(command, folder, log, user)
                try:
                    process.wait(PATIENCE)
                finally:
                    process.kill()
            process = _begin(serving, folder, log, user)
        try:
            url = kind.url.format(port)
            _wait(process, kind, url)
            yield Server(url, process, folder)
        except TimeoutError as error:
            said = (folder / "log").read_text(errors="replace")[-2000:]
            raise RuntimeError(f"{name} does not start: {error}\n{said}") from None
        finally:
            _stop(process, kind.end)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _begin(command: list[str], folder: Path, log: IO[bytes], user: str) -> subprocess.Popen[bytes]:
    """Start a process without input that ignores Ctrl-C."""
    found = shutil.which(command[0], path=PLACES)
    assert found is not None, f"no program {command[0]}"
    return subprocess.Popen(
        [found, *command[1:]],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        user=user or None,
        group=pwd.getpwnam(user).pw_gid if user else None,
        extra_groups=[] if user else None,
    )


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], kind: Kind, url: str) -> None:
    """Wait until it has answered a client, as some servers listen earlier and refuse clients at first."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None:
        try:
            kind.ask(url)
        except Exception as error:
            if time.monotonic() > until:
                raise TimeoutError(f"it does not answer after {PATIENCE:.0f} s: {error}") from error
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"it ended with {process.returncode}")


def _stop(process: subprocess.Popen[bytes], end: signal.Signals) -> None:
    """Stop it, by force if necessary."""
    process.send_signal(end)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Servers:
    """The servers of a run of tests; the fixture `servers` of conftest.py.

    Args:
        room: A folder that all workers of the run share.
    """

    def __init__(self, room: Path) -> None:
        self._room = room
        self._urls: dict[str, str] = {}
        self._locks = ExitStack()

    def url(self, name: str) -> str:
        """Return the URL of the server of a kind; start it unless it runs.

        Raises:
            UnavailableError: It is not installed, or is none of `KINDS` and the environment names none.
            RuntimeError: It did not start.
        """
        if name not in KINDS:
            # A server that takes too long to start in every run of the tests: RabbitMQ, 10 s.
            if given := os.environ.get(f"{name.upper()}_URL"):
                return given
            raise UnavailableError(f"no {name} is started here: set {name.upper()}_URL to where one is")
        if name not in self._urls:
            self._urls[name] = self._ask(name)
        return self._urls[name]

    def close(self) -> None:
        """Release all servers."""
        self._locks.close()

    def _ask(self, name: str) -> str:
        KINDS[name].demand(name)
        room = self._room / f"server-{name}"
        room.mkdir(exist_ok=True)
        with (room / "starting").open("w") as starting:
            fcntl.flock(starting, fcntl.LOCK_EX)
            users = self._locks.enter_context((room / "users").open("w"))
            fcntl.flock(users, fcntl.LOCK_SH)
            if not (room / "url").exists():
                self._start(name, room)
            return (room / "url").read_text()

    def _start(self, name: str, room: Path) -> None:
        with (room / "said").open("w+") as said:
            # It closes its output when the server answers, or exits; every step has a time limit.
            subprocess.run(
                [sys.executable, __file__, name, room],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                start_new_session=True,
            )
            if not (room / "url").exists():
                said.seek(0)
                raise RuntimeError(said.read())


def keep(name: str, room: Path) -> None:
    """Start a server, and stop it when the lock is released."""
    if os.fork():
        return  # not a child of the test process, which need not wait for it
    with (room / "users").open("w") as users, started(name) as server:
        part = room / "url.part"
        part.write_text(server.url)
        part.rename(room / "url")
        os.close(1)
        fcntl.flock(users, fcntl.LOCK_EX)
        (room / "url").unlink()


if __name__ == "__main__":
    if sys.argv[1:] == ["missing"]:
        sys.stdout.write(" ".join(package for kind in KINDS.values() for package in kind.lacks()))
    else:
        keep(sys.argv[1], Path(sys.argv[2]))
