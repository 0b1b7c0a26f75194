"""Workers that come with bakeoff: which languages there are, and how each is built and started.

The sources and the lock file of a language are in the folder of its name. They are built only by
`bakeoff readers`, once for each version of sources, lock file and toolchain, into the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import RunError, UsageError, hint, near
from ...files import cache_folder
from .port import Worker, WorkerError

Show = Callable[[str, float, float], object]

_PATIENCE = 10.0
"""Seconds for a toolchain to print its version."""
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Language:
    """How the worker of a language is built and started. Commands run in the folder of the build.

    Attributes:
        title: The name of the language.
        version: Command that prints the version of the toolchain.
        least: The oldest version that can build the worker.
        home: Where to get it.
        steps: Commands that build the worker.
        offline: Arguments that these commands get with `--offline`.
        kept: Files and folders that the worker needs; the rest of the build is deleted.
        start: Command that starts the worker.
        environment: Variables of the commands.
        tools: Other programs that the build needs.
    """

    title: str
    version: tuple[str, ...]
    least: str
    home: str
    steps: tuple[tuple[str, ...], ...]
    kept: tuple[str, ...]
    start: tuple[str, ...]
    offline: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    offline_environment: Mapping[str, str] = field(default_factory=dict)


LANGUAGES: dict[str, Language] = {
    "go": Language(
        title="Go",
        version=("go", "version"),
        least="1.25",
        home="https://go.dev/dl",
        steps=(("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", "worker", "."),),
        kept=("worker",),
        start=("./worker",),
        # Without it, `go` would download another toolchain.
        environment={"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly", "GOWORK": "off", "CGO_ENABLED": "0"},
        offline_environment={"GOPROXY": "off"},
    ),
    "node": Language(
        title="Node",
        version=("node", "--version"),
        least="20.19",
        home="https://nodejs.org",
        tools=("npm",),
        steps=(("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"),),
        offline=("--offline",),
        kept=("package.json", "worker.js", "node_modules"),
        start=("node", "worker.js"),
    ),
    "java": Language(
        title="Java",
        version=("javac", "-version"),
        least="17",
        home="https://adoptium.net",
        tools=("java", "mvn"),
        steps=(("mvn", "--batch-mode", "--quiet", "compiler:compile", "dependency:copy-dependencies"),),
        offline=("--offline",),
        kept=("target/classes", "target/dependency"),
        # With -Xbatch, code that the compiler has asked for is compiled before it runs on: the warm-up does
        # not depend on a free processor.
        start=("java", "-Xbatch", "-cp", os.pathsep.join(("classes", "dependency/*")), "Worker"),
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


def start(language: str) -> Worker:
    """Start the worker of a language.

    Args:
        language: One of `LANGUAGES`.

    Raises:
        UsageError: There is no such language or no toolchain, or the worker is not built.
        WorkerError: It does not start.
    """
    found = find(language)
    if not found.is_built:
        older = any(found.folder.parent.glob(f"{language}-*"))
        raise UsageError(
            f"the worker for {LANGUAGES[language].title} is {'out of date' if older else 'not built'}; "
            f"run `bakeoff readers {language}`"
        )
    return _start(LANGUAGES[language], found.folder)


def find(language: str) -> Build:
    """Return a language's build, which need not exist.

    Raises:
        UsageError: There is no such language, or its toolchain is missing or too old.
    """
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise UsageError(f"no reader {language!r}; {hint(near(language, LANGUAGES), f'there are {known}')}")
    known_as = LANGUAGES[language]
    missing = [tool for tool in (known_as.version[0], *known_as.tools) if not shutil.which(tool)]
    needed = f"readers in {known_as.title} need {known_as.title} {known_as.least} or later: {known_as.home}"
    if missing:
        raise UsageError(f"`{missing[0]}` was not found; {needed}")
    printed = _output(known_as.version, known_as.environment)
    number = _NUMBER.search(printed)
    if number is None:
        raise UsageError(f"`{' '.join(known_as.version)}` printed no version; {needed}")
    if _parts(number[0]) < _parts(known_as.least):
        raise UsageError(f"this is {known_as.title} {number[0]}; {needed}")
    digest = hashlib.sha256(repr((known_as, printed)).encode())
    sources = _sources(language)
    for path in sorted(each for each in sources.rglob("*") if each.is_file()):
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
    chosen = LANGUAGES[language]
    found.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="building-", dir=found.folder.parent) as name:
        work, made = Path(name, "work"), Path(name, "made")
        shutil.copytree(_sources(language), work)
        for number, step in enumerate(chosen.steps):
            show(f"{chosen.title}: {' '.join(step[:2])}", number, len(chosen.steps))
            _run(chosen, step, work, offline=offline)
        made.mkdir()
        for kept in chosen.kept:
            (work / kept).rename(made / Path(kept).name)
        try:
            _start(chosen, made).close()
        except WorkerError as error:
            raise RunError(f"the worker for {chosen.title} was built, but {error}") from error
        if not found.is_built:
            made.rename(found.folder)
    return found


def _sources(language: str) -> Path:
    return Path(__file__).with_name(language)


def _start(language: Language, folder: Path) -> Worker:
    program, *arguments = language.start
    if program.startswith("./"):
        program = str(folder / program)
    return Worker([program, *arguments], folder)


def _run(language: Language, step: tuple[str, ...], folder: Path, *, offline: bool) -> None:
    environment = dict(language.environment) | (dict(language.offline_environment) if offline else {})
    done = subprocess.run(
        [*step, *(language.offline if offline else ())],
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        raise RunError(f"`{' '.join(step)}` failed:\n{done.stdout.decode(errors='replace').strip()}")


def _output(command: Iterable[str], environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            [*command],
            env=os.environ | environment,
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
