"""Other interpreters on this machine that run workers, and what they lack for that."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

from ...errors import UsageError
from ...escape import visible
from ..blobs import Blobs
from ..method import Pace
from ..results import Fact
from .machines.addresses import Machine, free_name, requirement
from .processes import LocalExecutor

OLDEST = (3, 11)
"""The oldest Python that bakeoff supports."""
_PATIENCE = 60.0
"""Seconds for an interpreter to answer."""
_ASK = """
import sys
sys.path = [entry for entry in sys.path if entry]  # -P is newer than some interpreters
import json, platform
found = {"implementation": platform.python_implementation(), "version": platform.python_version()}
if sys.version_info >= (3, 11):
    try:
        from bakeoff.bench.run.environment import environment
        found["facts"] = environment()
    except ImportError as error:
        found["lacking"] = str(error)
print(json.dumps(found))
"""


class _Answer(NamedTuple):
    """What an interpreter says of itself: the facts of its bakeoff, or why it cannot be imported."""

    implementation: str
    version: str
    facts: dict[str, Fact] | None = None
    lacking: str = ""


class InterpreterExecutor(LocalExecutor):
    """The executor of another interpreter on this machine.

    Args:
        python: The interpreter, as typed.
        blobs: Inputs of jobs, which are not copied.
        codecs: See `LocalExecutor`.

    Raises:
        UsageError: It cannot run our workers.
    """

    def __init__(
        self, python: str, blobs: Blobs, codecs: Mapping[str, str] | None = None, *, pace: Pace | None = None
    ) -> None:
        self._facts = facts_of(python)
        super().__init__(python, codecs, pace=pace)
        self.blobs = blobs

    @property
    def facts(self) -> dict[str, Fact]:
        """The environment of this machine under that interpreter, when it was started."""
        return self._facts

    def missing(self, codec: str) -> None:
        """Return nothing: its workers report it."""


def interpreters(named: Sequence[str]) -> list[Machine]:
    """Return a machine for each interpreter, with a name of its own.

    Args:
        named: Commands or paths, as typed.

    Raises:
        UsageError: One of them cannot run our workers, or is named twice.
    """
    found: dict[str, Machine] = {}
    for python in named:
        if any(python == other.python for other in found.values()):
            raise UsageError(f"--python {python}: is named twice")
        facts = facts_of(python)
        named_so = python if "/" not in python else _usual_name(facts)
        name = free_name(named_so, found)
        found[name] = Machine(name, python=python, option=f" --python {shlex.quote(python)}")
    return list(found.values())


def facts_of(python: str) -> dict[str, Fact]:
    """Return the environment of this machine under an interpreter.

    Raises:
        UsageError: It cannot run our workers; says what to do.
    """
    answer = _asked(python)
    if answer.implementation != "CPython":
        instead = "; time its libraries as a reader: --readers pypy" * (answer.implementation == "PyPy")
        raise UsageError(
            f"{python}: bakeoff's compiled modules are not built for {answer.implementation}{instead}"
        )
    if tuple(map(int, re.findall(r"\d+", answer.version)[:2])) < OLDEST:
        raise UsageError(f"{python}: is Python {answer.version}; bakeoff needs 3.11 or later")
    command = f"{shlex.quote(python)} -m pip install '{requirement()}'"
    if answer.facts is None:
        raise UsageError(f"{python}: bakeoff is not installed there ({answer.lacking}); run {command}")
    if (theirs := answer.facts["bakeoff_version"]) != (ours := version("bakeoff")):
        raise UsageError(f"{python}: has bakeoff {theirs}, this is {ours}; run {command}")
    return answer.facts


def _asked(python: str) -> _Answer:
    try:
        done = subprocess.run(
            [python, "-c", _ASK], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        # As uv and tox name interpreters.
        meant = f"python{python}"
        hint = f"; use {meant}" if shutil.which(meant) else ""
        raise UsageError(f"{python}: cannot be started as Python: {error}{hint}") from error
    said = visible(f"{done.stderr}\n{done.stdout}".strip().split("\n")[0])
    if done.returncode:
        raise UsageError(f"{python}: cannot be started as Python: {said}")
    try:
        return _Answer(**json.loads(done.stdout))
    except (ValueError, TypeError) as error:
        raise UsageError(f"{python}: cannot be started as Python: it printed {said!r:.100}") from error


def _usual_name(facts: Mapping[str, Fact]) -> str:
    """Return the name of the usual command for a version: python3.12."""
    return "python" + ".".join(str(facts["python_version"]).split(".")[:2])
