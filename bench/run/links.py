"""Machines that measure, by address, and the connections to their agents.

``local``, ``ssh://[USER@]HOST[:PORT][?python=PATH]``, ``slurm[://PARTITION][?python=PATH&node=NAME]`` and
``dask://SCHEDULER[:PORT]``;
`SCHEMES` has a function for each kind of address, which may return several machines.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import shlex
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qsl

from ...errors import RunError, UsageError, hint, near
from ...escape import visible, without_passwords
from ..relay import AGENT

_START = 120.0
"""Seconds for a connection and the start of Python."""
_END = 3.0
"""Seconds in which a process ends after its input has ended."""
_PART = 1 << 20
"""Most bytes of a read."""
_SAID = 20
"""Lines of standard error to keep."""


class Link(Protocol):
    """A connection to an agent.

    Attributes:
        patience: Seconds that the agent may take to start; infinity if it may wait in a queue.
    """

    @property
    def patience(self) -> float: ...
    def read(self, size: int) -> bytes:
        """Read exactly that many bytes.

        Raises:
            RunError: The connection has ended; says why.
        """
        ...

    def write(self, content: bytes) -> None:
        """Write all bytes.

        Raises:
            RunError: The connection has ended; says why.
        """
        ...

    def close(self) -> None:
        """End the connection and with it the agent; callers in `read` and `write` get an error."""
        ...


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that measures.

    Attributes:
        name: Its name for the user.
        command: How its agent is started, for the user.
        install: How bakeoff is installed on it, for the user.
        connect: Starts its agent; None for this machine, which needs none.
        option: The option of `bakeoff run` that names it, after a space; empty for the default.
    """

    name: str
    command: str = ""
    install: str = ""
    connect: Callable[[], Link] | None = None
    option: str = ""


LOCAL = Machine("local")
"""This machine."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address as typed.

    Attributes:
        text: All of it.
        scheme: The part before ``://``.
        place: The part after it.
        settings: The part after ``?``.
    """

    text: str
    scheme: str
    place: str
    settings: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Address:
        """Split an address into its parts."""
        rest, _, query = text.partition("?")
        scheme, _, place = rest.partition("://")
        return cls(text, scheme, place, dict(parse_qsl(query)))

    def allow(self, *settings: str) -> None:
        """Refuse settings that this kind of address does not have.

        Raises:
            UsageError: There is one.
        """
        if unknown := self.settings.keys() - set(settings):
            allowed = ", ".join(f"?{name}=" for name in settings) or "none"
            raise UsageError(
                f"--on {without_passwords(self.text)}: unknown {sorted(unknown)[0]!r}; settings are {allowed}"
            )


class CommandLink:
    """The standard input and output of a process.

    Args:
        command: The process.
        name: Name of the machine.
        patience: See `Link`.

    Raises:
        RunError: The program is not installed.
    """

    def __init__(self, command: Sequence[str], name: str, patience: float = _START) -> None:
        self.patience = patience
        self._name = name
        self._reading = threading.Lock()
        self._said: deque[bytes] = deque(maxlen=_SAID)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for us
            )
        except OSError as error:
            raise RunError(f"{name}: cannot start {command[0]}: {error.strerror}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stderr:
            while line := stderr.readline(1000):
                self._said.append(line)

    def read(self, size: int) -> bytes:
        """Read exactly that many bytes; see `Link`."""
        found = bytearray()
        while len(found) < size:
            with self._reading:
                closed = self._output.closed
                part = b"" if closed else os.read(self._output.fileno(), min(size - len(found), _PART))
            if not part:
                raise RunError(self._why())
            found += part
        return bytes(found)

    def write(self, content: bytes) -> None:
        """Write all bytes; see `Link`."""
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._input.fileno(), rest) :]
        except (OSError, ValueError) as error:
            raise RunError(self._why()) from error

    def _why(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END)
        self._listening.join(_END)
        code = self._process.poll()
        said = " ".join(visible(line.decode(errors="replace")) for line in self._said).strip()
        ended = "the connection ended" if code is None else f"the connection ended with exit code {code}"
        return f"{self._name}: {ended}{said and f': {said}'}"

    def close(self) -> None:
        """End the process; see `Link`."""
        with contextlib.suppress(OSError):
            self._input.close()
        for end in (self._process.terminate, self._process.kill):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END)
            end()
        self._process.wait()
        # Another process may keep its output open, as a connection that ssh shares does.
        if self._reading.acquire(timeout=_END):
            self._output.close()
            self._reading.release()


def requirement() -> str:
    """Return what must be installed on other machines, for pip."""
    return f"bakeoff[fast]=={version('bakeoff')}"


def _local(address: Address, wheel: Path | None) -> list[Machine]:
    if address.place:
        raise UsageError(f"--on {address.text}: `local` has no host; use ssh://{address.place}")
    address.allow()
    return [LOCAL]


_SSH = re.compile(
    r"(?P<user>\w[\w.+-]*@)?(?P<host>\w[\w.-]*|\[[0-9a-fA-F:.]+(?:%\w+)?\])(?::(?P<port>\d{1,5}))?/?",
    re.ASCII,
)


def _ssh(address: Address, wheel: Path | None) -> list[Machine]:
    address.allow("python")
    found = _SSH.fullmatch(address.place)
    if found is None:
        raise UsageError(
            f"--on {without_passwords(address.text)}: expected ssh://[USER@]HOST[:PORT]; keys and other "
            "settings come from ~/.ssh/config"
        )
    host = found["host"].strip("[]")
    port = ("-p", found["port"]) if found["port"] else ()
    ssh = ("ssh", "-T", "-o", "BatchMode=yes", *port, "--", (found["user"] or "") + host)
    python = address.settings.get("python", "python3")
    place = "" if wheel is None else f".cache/bakeoff/{_hash(wheel)}"
    interpreter = shlex.quote(python) if wheel is None else f'"$HOME"/{place}/bin/python'
    command = (*ssh, f"exec {interpreter} {shlex.join(AGENT)}")

    def connect() -> Link:
        if wheel is not None:
            _install(wheel, place, python, ssh, host)
        return CommandLink(command, host)

    install = shlex.join((*ssh, python, "-m", "pip", "install", requirement()))
    return [Machine(host, shlex.join(command), f"{install}, or add --wheel FILE", connect)]


def _hash(wheel: Path) -> str:
    try:
        return hashlib.sha256(wheel.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise UsageError(f"--wheel {wheel}: {error.strerror}") from error


_INSTALL = """\
set -e
cd
if [ -e {place}/complete ]; then exit; fi
mkdir -p {place}
cat > {place}/{name}
{python} -m venv {place}
{place}/bin/python -m pip install --quiet "{place}/{name}[fast]"
touch {place}/complete
"""


def _install(wheel: Path, place: str, python: str, ssh: Sequence[str], name: str) -> None:
    """Install a wheel in a folder of its own, unless that is done already."""
    script = _INSTALL.format(place=place, name=shlex.quote(wheel.name), python=shlex.quote(python))
    with wheel.open("rb") as file:
        done = subprocess.run(
            [*ssh, shlex.join(("sh", "-c", script))],
            stdin=file,
            capture_output=True,
            start_new_session=True,
            check=False,
        )
    if done.returncode:
        said = visible(done.stderr.decode(errors="replace")[-2000:])
        raise RunError(f"{name}: the wheel could not be installed: {said}")


_NODE = re.compile(r"\w[\w.-]*", re.ASCII)


def _slurm(address: Address, wheel: Path | None) -> list[Machine]:
    address.allow("python", "node")
    partition, node = address.place, address.settings.get("node", "")
    python = address.settings.get("python", "python3")
    if any(text and not _NODE.fullmatch(text) for text in (partition, node)):
        raise UsageError(f"--on {address.text}: expected slurm[://PARTITION][?node=NAME]")
    if wheel is not None:
        raise UsageError(
            "--wheel is for ssh://; on Slurm, install it in a shared folder and add ?python=PATH"
        )
    command = (
        "srun",
        "--exclusive",
        "--nodes=1",
        "--ntasks=1",
        "--mem=0",
        "--cpu-bind=none",
        "--unbuffered",
        *((f"--partition={partition}",) if partition else ()),
        *((f"--nodelist={node}",) if node else ()),
        python,
        *AGENT,
    )
    name, install = (
        node or partition or "slurm",
        f"{python} -m pip install '{requirement()}' in a shared folder",
    )
    return [Machine(name, shlex.join(command), install, lambda: CommandLink(command, name, math.inf))]


_SCHEDULER = re.compile(r"\w[\w.-]*(?::\d{1,5})?|\[[0-9a-fA-F:.]+\](?::\d{1,5})?", re.ASCII)


def _dask(address: Address, wheel: Path | None) -> list[Machine]:
    from .dask import workers

    address.allow()
    scheduler = address.place.rstrip("/")
    if not _SCHEDULER.fullmatch(scheduler):
        raise UsageError(f"--on {without_passwords(address.text)}: expected dask://SCHEDULER[:PORT]")
    if wheel is not None:
        raise UsageError("--wheel is for ssh://; on Dask, install it in the environment of the workers")
    scheduler = scheduler if re.search(r":\d+$", scheduler) else f"{scheduler}:8786"
    install = f"pip install '{requirement()}' in the environment of the scheduler and the workers"

    def machine(host: str, worker: str) -> Machine:
        command = (sys.executable, "-P", "-m", "bakeoff.bench.run.dask", scheduler, worker)
        return Machine(host, shlex.join(command), install, lambda: CommandLink(command, host, math.inf))

    return [machine(host, worker) for host, worker in workers(scheduler).items()]


SCHEMES: dict[str, Callable[[Address, Path | None], list[Machine]]] = {
    "local": _local,
    "ssh": _ssh,
    "slurm": _slurm,
    "dask": _dask,
}
"""The machines of an address, by its scheme; the wheel is to be installed there first."""


def machines(addresses: Sequence[str], wheel: Path | None = None) -> list[Machine]:
    """Return the machines that addresses name, each with its own name.

    Args:
        addresses: As typed after ``--on``.
        wheel: A wheel of bakeoff to install on them; None to use what is there.

    Raises:
        UsageError: An address is invalid, or two are the same.
    """
    found: dict[str, Machine] = {}
    for text in addresses:
        address = Address.parse(text)
        if address.scheme not in SCHEMES:
            known = hint(near(address.scheme, SCHEMES), "use local, ssh://HOST, slurm or dask://SCHEDULER")
            raise UsageError(f"--on {without_passwords(text)}: unknown kind of machine; {known}")
        option = f" --on {shlex.quote(without_passwords(text))}" if list(addresses) != ["local"] else ""
        for machine in SCHEMES[address.scheme](address, wheel):
            if any(machine.command == other.command for other in found.values()):
                raise UsageError(f"--on {without_passwords(text)}: names a machine twice")
            name = _free(machine.name, found)
            found[name] = replace(machine, name=name, option=option)
    return list(found.values())


def _free(name: str, taken: Mapping[str, Machine]) -> str:
    """Return a name that no other machine has, safe in the name of a file."""
    safe = re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII).lstrip(".") or "machine"
    number, free = 1, safe
    while free in taken:
        number += 1
        free = f"{safe}-{number}"
    return free
