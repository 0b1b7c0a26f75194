"""Workers that come with bakeoff: which languages there are, and how each is built and started.

The sources and the lock file of a language are in the folder of its name. They are built only by
`bakeoff readers`, once for each version of sources, lock file and toolchain, into the user's cache.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import RunError, UsageError, hint, near
from ...files import cache_folder
from ...opening import open_own
from ..capabilities import here
from ..pipes import signal_group
from .port import ForeignWorker, Greeting, WorkerError

Show = Callable[[str, float, float], object]

_PREFIX = "building-"
_GREETING = "greeting.json"
"""The worker's answer to `hello`, so that nobody waits for its start to learn its libraries."""
_PATIENCE = 10.0
"""Seconds for a toolchain to print its version."""
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class WorkerBuild:
    """How the worker of a language is built and started. Commands run in the folder of the build.

    Attributes:
        title: The name of the language.
        version: Command that prints the version of the toolchain.
        oldest_version: The oldest version that can build the worker.
        home: Where to get it.
        steps: Commands that build the worker.
        offline: Arguments that these commands get with `--offline`.
        kept: Files and folders that the worker needs; the rest of the build is deleted.
        start: Command that starts the worker.
        tools: Other programs that the build needs.
        environment: Variables of the commands.
        offline_environment: Variables that they get with `--offline`.
    """

    title: str
    version: tuple[str, ...]
    oldest_version: str
    home: str
    steps: tuple[tuple[str, ...], ...]
    kept: tuple[str, ...]
    start: tuple[str, ...]
    offline: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    offline_environment: Mapping[str, str] = field(default_factory=dict)


LANGUAGES: dict[str, WorkerBuild] = {
    "go": WorkerBuild(
        title="Go",
        version=("go", "version"),
        oldest_version="1.25",
        home="https://go.dev/dl",
        steps=(("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", "worker", "."),),
        kept=("worker",),
        start=("./worker",),
        # Without it, `go` would download another toolchain.
        environment={"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly", "GOWORK": "off", "CGO_ENABLED": "0"},
        offline_environment={"GOPROXY": "off"},
    ),
    "node": WorkerBuild(
        title="Node",
        version=("node", "--version"),
        oldest_version="20.19",
        home="https://nodejs.org",
        tools=("npm",),
        steps=(("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"),),
        offline=("--offline",),
        kept=("package.json", "worker.js", "node_modules"),
        start=("node", "worker.js"),
    ),
    "java": WorkerBuild(
        title="Java",
        version=("javac", "-version"),
        oldest_version="17",
        home="https://adoptium.net and https://maven.apache.org",
        tools=("java", "mvn"),
        steps=(("mvn", "--batch-mode", "--quiet", "compiler:compile", "dependency:copy-dependencies"),),
        offline=("--offline",),
        kept=("target/classes", "target/dependency"),
        # Compiler and garbage collector work while the program waits, so that no time depends on whether
        # another processor is free.
        start=(
            *("java", "-Xbatch", "-XX:+UseSerialGC"),
            *("-cp", os.pathsep.join(("classes", "dependency/*")), "Worker"),
        ),
    ),
    "rust": WorkerBuild(
        title="Rust",
        version=("cargo", "--version"),
        oldest_version="1.85",
        home="https://rustup.rs",
        tools=("rustc", "cc"),
        steps=(("cargo", "build", "--release", "--locked", "--quiet"),),
        offline=("--offline",),
        kept=("target/release/worker",),
        start=("./worker",),
        environment={"CARGO_TARGET_DIR": "target"},
    ),
    "pypy": WorkerBuild(
        title="PyPy",
        version=("pypy3", "--version"),
        oldest_version="3.9",
        home="https://pypy.org",
        steps=(
            ("pypy3", "-m", "venv", "environment"),
            (
                *("environment/bin/pypy3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--require-hashes", "--no-deps", "--requirement", "requirements.txt"),
            ),
        ),
        kept=("environment", "worker.py"),
        start=("./environment/bin/pypy3", "worker.py"),
        offline_environment={"PIP_NO_INDEX": "1"},
    ),
}
"""The languages by the name of their folder."""


@dataclass(frozen=True, slots=True)
class Build:
    """A language's build on this machine.

    Attributes:
        language: Name of the language.
        toolchain: Version of its toolchain.
        folder: Where the build is or would be.
    """

    language: str
    toolchain: str
    folder: Path

    @property
    def is_built(self) -> bool:
        """Whether it can be started."""
        return self.folder.is_dir()

    @property
    def is_out_of_date(self) -> bool:
        """Whether there is only a build of other sources, or by another toolchain."""
        return not self.is_built and any(self.folder.parent.glob(f"{self.language}-*"))


def start(language: str) -> ForeignWorker:
    """Start the worker of a language.

    Args:
        language: One of `LANGUAGES`.

    Raises:
        UsageError: There is no such language or no toolchain, or the worker is not built.
        WorkerError: It does not start.
    """
    return ForeignWorker(*command(language))


def command(language: str) -> tuple[tuple[str, ...], Path]:
    """Return the command that starts the worker of a language, and its working directory.

    Raises:
        UsageError: There is no such language or no toolchain, or the worker is not built.
    """
    found = find(language)
    if not found.is_built:
        state = "out of date" if found.is_out_of_date else "not built"
        title = LANGUAGES[language].title
        raise UsageError(f"the worker for {title} is {state}; run `bakeoff readers {language}`")
    return _command(LANGUAGES[language], found.folder), found.folder


def greeting(command: Sequence[str], folder: Path) -> Greeting:
    """Return what a worker says of itself, from its build if that has it.

    Raises:
        WorkerError: It does not start.
    """
    try:
        return Greeting.of(json.loads((folder / _GREETING).read_text()))
    except FileNotFoundError:
        with ForeignWorker(command, folder) as worker:
            return Greeting.of(worker.greeting)


def find(language: str) -> Build:
    """Return a language's build, which need not exist.

    Raises:
        UsageError: There is no such language, or its toolchain is missing or too old.
    """
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise UsageError(f"no reader {language!r}; {hint(near(language, LANGUAGES), f'there are {known}')}")
    chosen = LANGUAGES[language]
    missing = [tool for tool in (chosen.version[0], *chosen.tools) if not shutil.which(tool)]
    needed = f"readers in {chosen.title} need {chosen.title} {chosen.oldest_version} or later: {chosen.home}"
    if missing:
        raise UsageError(f"`{missing[0]}` was not found; {needed}")
    program, *arguments = chosen.version
    printed = _printed(shutil.which(program) or program, tuple(arguments), (*chosen.environment.items(),))
    number = _NUMBER.search(printed)
    if number is None:
        raise UsageError(f"`{' '.join(chosen.version)}` printed no version; {needed}")
    if _parts(number[0]) < _parts(chosen.oldest_version):
        raise UsageError(f"this is {chosen.title} {number[0]}; {needed}")
    digest = hashlib.sha256(repr((chosen, printed)).encode())
    sources = _sources(language)
    files = (each for each in sources.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(sources).as_posix()} {len(content)}\n".encode() + content)
    return Build(language, number[0], cache_folder("readers") / f"{language}-{digest.hexdigest()[:16]}")


def build(language: str, *, offline: bool = False, show: Show = lambda text, done, total: None) -> Build:
    """Build the worker of a language, unless it is built.

    Args:
        language: One of `LANGUAGES`.
        offline: Download nothing.
        show: Is called with the progress.

    Raises:
        UsageError: There is no such language or no toolchain.
        RunError: The build failed.
    """
    found = find(language)
    if found.is_built:
        return found
    builds = found.folder.parent
    builds.mkdir(parents=True, exist_ok=True)
    with _alone(builds, show):
        for abandoned in builds.glob(f"{_PREFIX}*"):
            shutil.rmtree(abandoned, ignore_errors=True)
        if not found.is_built:
            with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=builds) as folder:
                _made(language, Path(folder), offline=offline, show=show).rename(found.folder)
    return found


@contextlib.contextmanager
def _alone(builds: Path, show: Show) -> Iterator[None]:
    """Wait until no other process builds. The kernel unlocks the file if this one is killed."""
    if not here().file_locks:
        yield
        return
    import fcntl

    with os.fdopen(open_own(builds / "lock", os.O_WRONLY | os.O_CREAT), "wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            show("waiting for another build", -1, 0)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _made(language: str, folder: Path, *, offline: bool, show: Show) -> Path:
    """Build a worker below a folder; return where it is."""
    chosen, work, made = LANGUAGES[language], folder / "work", folder / "made"
    log = folder.parent / f"{language}.log"
    shutil.copytree(_sources(language), work)
    for number, step in enumerate(chosen.steps):
        short = " ".join(step[:2])
        show(f"{chosen.title}: {short}", number, len(chosen.steps))
        if _run(chosen, step, work, log, offline=offline):
            then = f"run `bakeoff readers {language}` without --offline" if offline else f"see {log}"
            raise RunError(
                f"the worker for {chosen.title} is not built: `{short}` failed: {_reason(log)}; {then}"
            )
    made.mkdir()
    for kept in chosen.kept:
        (work / kept).rename(made / Path(kept).name)
    try:
        with ForeignWorker(_command(chosen, made), made) as worker:
            (made / _GREETING).write_text(json.dumps(worker.greeting))
    except WorkerError as error:
        raise RunError(f"the worker for {chosen.title} was built, but does not work: {error}") from error
    return made


def _reason(log: Path) -> str:
    """Return the first two lines with an error, or else the last line."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return " ".join(errors[:2] or lines[-1:]) or "no output"


def _sources(language: str) -> Path:
    return Path(__file__).with_name(language)


def _command(language: WorkerBuild, folder: Path) -> tuple[str, ...]:
    program, *arguments = language.start
    if program.startswith("./"):
        program = str(folder / program)
    return program, *arguments


def _run(language: WorkerBuild, step: tuple[str, ...], folder: Path, log: Path, *, offline: bool) -> int:
    """Run a command of a build; return its exit code."""
    with os.fdopen(open_own(log, os.O_WRONLY | os.O_CREAT), "wb") as output:
        output.truncate()
        process = subprocess.Popen(
            [*step, *(language.offline if offline else ())],
            cwd=folder,
            env={**os.environ, **language.environment, **(language.offline_environment if offline else {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait()
        except BaseException:
            signal_group(process, signal.SIGKILL)  # with the compilers that it has started
            process.wait()
            raise


@functools.cache
def _printed(program: str, arguments: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> str:
    try:
        done = subprocess.run(
            [program, *arguments],
            env={**os.environ, **dict(environment)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # where `java -version` prints
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")


def _parts(version: str) -> list[int]:
    return list(map(int, version.split(".")))
