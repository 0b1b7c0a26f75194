"""Machines that measure, by address.

``local``, ``ssh://[USER@]HOST[:PORT][?python=PATH]``, ``slurm[://PARTITION][?python=PATH&node=NAME]`` and
``dask://SCHEDULER[:PORT]``;
`SCHEMES` has a function for each kind of address, which may return several machines.
"""

from __future__ import annotations

import hashlib
import math
import re
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from urllib.parse import parse_qsl

from ....errors import RunError, UsageError, hint, near
from ....escape import without_passwords
from .link import CommandLink, Link, run
from .relay import AGENT


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that measures.

    Attributes:
        name: Its name for the user.
        command: How its agent is started, for the user.
        install: How bakeoff is installed on it, for the user.
        connect: Starts its agent; None for this machine, which needs none.
        option: The option of `bakeoff run` that names it, after a space; empty for the default.
        python: Interpreter of the workers on this machine; empty for the running one.
    """

    name: str
    command: str = ""
    install: str = ""
    connect: Callable[[], Link] | None = None
    option: str = ""
    python: str = ""


LOCAL = Machine("local")
"""This machine."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address as typed.

    Attributes:
        text: All of it.
        scheme: The part before ``://``.
        target: The part after it.
        settings: The part after ``?``.
    """

    text: str
    scheme: str
    target: str
    settings: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Address:
        """Split an address into its parts."""
        rest, _, query = text.partition("?")
        scheme, _, target = rest.partition("://")
        return cls(text, scheme, target, dict(parse_qsl(query)))

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


def requirement() -> str:
    """Return what must be installed on other machines, for pip."""
    return f"bakeoff[fast]=={version('bakeoff')}"


def _local(address: Address, wheel: Path | None) -> list[Machine]:
    if address.target:
        raise UsageError(f"--on {address.text}: `local` has no host; use ssh://{address.target}")
    address.allow()
    return [LOCAL]


_SSH = re.compile(
    r"(?P<user>\w[\w.+-]*@)?(?P<host>\w[\w.-]*|\[[0-9a-fA-F:.]+(?:%\w+)?\])(?::(?P<port>\d{1,5}))?/?",
    re.ASCII,
)


def _ssh(address: Address, wheel: Path | None) -> list[Machine]:
    address.allow("python")
    found = _SSH.fullmatch(address.target)
    if found is None:
        raise UsageError(
            f"--on {without_passwords(address.text)}: expected ssh://[USER@]HOST[:PORT]; keys and other "
            "settings come from ~/.ssh/config"
        )
    host = found["host"].strip("[]")
    port = ("-p", found["port"]) if found["port"] else ()
    ssh = ("ssh", "-T", "-o", "BatchMode=yes", *port, "--", (found["user"] or "") + host)
    python = address.settings.get("python", "python3")
    folder = "" if wheel is None else f".cache/bakeoff/{_hash(wheel)}"
    interpreter = shlex.quote(python) if wheel is None else f'"$HOME"/{folder}/bin/python'
    command = (*ssh, f"exec {interpreter} {shlex.join(AGENT)}")

    def connect() -> Link:
        if wheel is not None:
            _install(wheel, folder, python, ssh, host)
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
if [ -e "$1/complete" ]; then exit; fi
mkdir -p "$1"
cat > "$1/$2"
"$3" -P -m venv "$1"
"$1/bin/python" -P -m pip install --quiet "$1/$2[fast]"
touch "$1/complete"
"""
"""Installs a wheel on another machine: the folder, the name of the wheel, the interpreter."""
_PATIENCE = 600.0
"""Seconds for it."""


def _install(wheel: Path, folder: str, python: str, ssh: Sequence[str], name: str) -> None:
    """Install a wheel in a folder of its own, unless that is done already."""
    command = [*ssh, shlex.join(("sh", "-c", _INSTALL, "sh", folder, wheel.name, python))]
    try:
        with wheel.open("rb") as file:
            code, said = run(command, file, _PATIENCE)
    except OSError as error:
        raise RunError(f"{name}: the wheel could not be installed: {error}") from error
    if code is None:
        said = f"it took more than {_PATIENCE:g} s"
    if code != 0:
        raise RunError(f"{name}: the wheel could not be installed: {said[-2000:]}")


_NODE = re.compile(r"\w[\w.-]*", re.ASCII)


def _slurm(address: Address, wheel: Path | None) -> list[Machine]:
    address.allow("python", "node")
    partition, node = address.target, address.settings.get("node", "")
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
    scheduler = address.target.rstrip("/")
    if not _SCHEDULER.fullmatch(scheduler):
        raise UsageError(f"--on {without_passwords(address.text)}: expected dask://SCHEDULER[:PORT]")
    if wheel is not None:
        raise UsageError("--wheel is for ssh://; on Dask, install it in the environment of the workers")
    scheduler = scheduler if re.search(r":\d+$", scheduler) else f"{scheduler}:8786"
    install = f"pip install '{requirement()}' in the environment of the scheduler and the workers"

    def machine(host: str, worker: str) -> Machine:
        command = (sys.executable, "-P", "-m", "bakeoff.bench.run.machines.dask", scheduler, worker)
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
            name = free_name(machine.name, found)
            found[name] = replace(machine, name=name, option=option)
    return list(found.values())


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that no other machine has, safe in the name of a file."""
    safe = re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII).lstrip(".") or "machine"
    number, free = 1, safe
    while free in taken:
        number += 1
        free = f"{safe}-{number}"
    return free
