"""Machines that tests reach by ssh: a real OpenSSH server each, on loopback, as the user of the tests."""

from __future__ import annotations

import os
import shlex
import shutil
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from servers import PLACES, Server, started


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that answers.

    Attributes:
        name: The name by which ssh reaches it.
        server: Its server.
    """

    name: str
    server: Server

    @property
    def url(self) -> str:
        """The URL, such as ``ssh://one``."""
        return f"ssh://{self.name}"

    def set(self, **environment: str) -> None:
        """Set these variables for later connections, such as HOME; earlier ones keep theirs."""
        options = ",".join(f'environment="{name}={value}"' for name, value in environment.items())
        key = (self.server.folder / "user.pub").read_text()
        (self.server.folder / "authorized").write_text(f"{options} {key}".lstrip())

    def cut(self) -> None:
        """Cut its connections, like a network that fails: what runs there goes on, and finds nobody."""
        for one in self.running():
            with suppress(psutil.NoSuchProcess):  # workers end at any time
                if one.name().startswith("sshd"):
                    one.kill()

    def crash(self) -> None:
        """Kill it and all that runs there."""
        self.server.kill()

    def running(self) -> list[psutil.Process]:
        """Return the processes of its connections, and all that these have started."""
        return psutil.Process(self.server.process.pid).children(recursive=True)


class Machines:
    """The machines of a test; the fixture `machines` of conftest.py.

    Args:
        folder: For the client's files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running = ExitStack()
        self.config = folder / "ssh_config"
        """Tells ``ssh -F`` how to reach each machine by its name; the user's own files are not read."""
        self.config.touch()

    def start(self, name: str, **environment: str) -> Machine:
        """Start a machine.

        Args:
            name: Its name, a word in lower case.
            environment: As in `Machine.set`.

        Raises:
            UnavailableError: OpenSSH is not installed.
            RuntimeError: It did not start.
        """
        server = self._running.enter_context(started("ssh"))
        machine = Machine(name, server)
        machine.set(**environment)
        host = (server.folder / "host.pub").read_text()
        (server.folder / "known").write_text(f"{name} {host}")
        with self.config.open("a") as config:
            config.write(
                f"Host {name}\n"
                f"  HostName 127.0.0.1\n"
                f"  Port {urlsplit(server.url).port}\n"
                f"  HostKeyAlias {name}\n"
                f"  IdentityFile {server.folder}/user\n"
                f"  UserKnownHostsFile {server.folder}/known\n"
                "  IdentitiesOnly yes\n"
                "  StrictHostKeyChecking yes\n"
            )
        return machine

    def client(self) -> str:
        """Return a PATH on which ``ssh`` reads `config`; OpenSSH finds its own by the user, not by HOME."""
        ssh = self._folder / "ssh"
        ssh.write_text(
            f'#!/bin/sh\nexec {shutil.which("ssh", path=PLACES)} -F {shlex.quote(str(self.config))} "$@"\n'
        )
        ssh.chmod(0o755)
        return f"{self._folder}{os.pathsep}{os.environ['PATH']}"

    def close(self) -> None:
        """Stop all machines."""
        self._running.close()
