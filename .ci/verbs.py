"""One verb a task; needs Python 3.11+ with venv and a C compiler, and installs the rest into .venv.

python3 tasks.py run [ARGUMENTS]   set up, then `bakeoff run ARGUMENTS`
python3 tasks.py test [ARGUMENTS]  set up, then the quick tests; other arguments go to one pytest
python3 tasks.py test --all        all tests, in three parts at the same time; --servers installs what some
                                   drive (servers, a browser, a library) on this machine first; --cov measures
                                   coverage
python3 tasks.py versions [3.N...] [ARGUMENTS]   the core tests on each CPython from 3.11 to 3.14 that is
                                   installed; other arguments go to pytest
python3 tasks.py lint              ruff and mypy
python3 tasks.py docs              the site, into build/docs; a warning is an error
python3 tasks.py tables            the tables of the docs that the code determines
python3 tasks.py field [LIBRARY...]   libraries of the field with a newer release; fails if there are any
python3 tasks.py gallery [--again | --pages | --fetch] [NAME...]   docs/results: measure public data sets
                                   that have changed, and write their pages; --budget TIME for each;
                                   --add FILE keeps the result of another machine
python3 tasks.py wheel             sdist, wheel from it, and the tests that can differ on that, installed
python3 tasks.py wheels [PATTERN]  wheels of all Pythons for Linux, into dist, by zig; cp313-* chooses some
python3 tasks.py sanitize          tests of the extensions under AddressSanitizer; needs gcc
python3 tasks.py fuzz [--seconds N | --runs N] [CODEC...]   mutated payloads and odd objects over every codec
python3 tasks.py conformance DIR [CODEC...]      public conformance suites in DIR over codecs
python3 tasks.py benchmarks [NAME [ARGUMENTS]]   the figures that the project promises, with their targets
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
BIN = VENV / "bin"
TYPED = (
    ("src", "-p", "bakeoff"),
    (
        "tests",
        "-m",
        "elsewhere",
        "-m",
        "hurried",
        "-m",
        "inprocess",
        "-m",
        "installed",
        "-m",
        "kept",
        "-m",
        "launched",
        "-m",
        "machines",
        "-m",
        "madeup",
        "-m",
        "needed",
        "-m",
        "pages",
        "-m",
        "scripts",
        "-m",
        "servers",
        "-m",
        "small_stacks",
        "-m",
        "untraced",
        "-m",
        "warmed",
        "-m",
        "wheels",
        "-p",
        "benchmarks",
        "-p",
        "conformance",
    ),
    ("tests", "typing/api.py"),
)
"""Arguments and folders of mypy's checks."""
SITE = ROOT / "build" / "docs"
JARS = VENV / "jars"
"""Folder of the server that speaks MongoDB's protocol."""
LIBRARIES = {"libkyotocabinet-dev": "libkyotocabinet.so.16"}
"""Debian packages, each with the library that tests load from it."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
EXTENSIONS = (
    "tests/codecs",
    "tests/schemas",
    "tests/datasets/test_generated.py",
    "tests/bench/test_timing.py",
    "tests/bench/test_memory.py",
)
"""Tests of the compiled parts."""
IN_A_WHEEL = (
    "tests/codecs/test_contract.py",
    "tests/codecs/test_streams.py",
    "tests/schemas/test_formats.py",
    "tests/schemas/test_round_trip.py",
    "tests/datasets/test_generated.py",
    "tests/bench/test_timing.py",
    "tests/bench/test_fields.py",
    "tests/reports/test_report_command.py",
    "tests/test_cli.py",
    "tests/test_house.py",
    "tests/test_light.py",
)
"""Tests of every compiled part and codec, whole runs and reports, the metadata, and the needs of a service.

The rest tests the same code, all of which is in the wheel: see `missing`.
"""
NOT_IN_A_WHEEL = {".c", ".pxi", ".pyc", ".so"}
"""Suffixes of files in the package's folders that are compiled in, or are made by building and running."""
NO_SOURCES = (".[!c]*", ".c[!i]*", "__pycache__", "build", "dist", "*.egg-info", "*.so", "fuzz-findings")
"""Files in the project's folder that are created by building and running, and all with a dot but .ci."""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Environment of commands: bytecode is written, as tests start hundreds of processes."""
ABREAST = ("-n", str((os.cpu_count() or 1) + 1), "--dist", "worksteal")
"""Run one test more at a time than there are processors, as many tests wait for other processes."""
QUICK = ("--quiet", "-m", "not integration and not slow", "--ignore", "tests/integrations")
"""Arguments for the tests of a change while it is written."""
PARTS = {
    "core": ("-m", "not integration", "--ignore", "tests/integrations", *ABREAST),
    "integrations": ("-m", "integration", "-k", "not blocks_are_carried_out or database"),
    "pages": ("-m", "integration", "-k", "blocks_are_carried_out and not database", "tests/test_docs.py"),
}
"""Arguments for the parts of the tests.

Integrations mostly wait, so one process runs them in parallel with the others, which do not import their
clients. The code blocks of the docs take as long, so another process runs those, except for the page that
needs the servers that take long to start.
"""
# Path.home() raises an error if a user has no home, as in some containers.
BUILDS = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "bakeoff", "builds")  # noqa: PTH111
"""Compiled modules by a digest of all that they are made from; setup.py takes them from there.

Without a home or with a relative path, none are kept.
"""
UNUSED = 30 * 24 * 3600
"""Seconds after which a compiled module that no set-up has used is removed."""
PIP_STEP = re.compile(r"\s*(?:(.*): started$|(Installing) collected packages|Collecting )")
"""A line of pip that begins a step, with its name, except for that of `FINDING`."""
FINDING = "finding and downloading packages"
"""The step of pip that has no line, and is interrupted by steps of building."""
TICK = 5.0
"""Seconds after which a step that goes on is named again."""
COVERAGE = ROOT / "build" / "coverage"
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
"""Supported versions of CPython."""


def sh(*command: str | Path, cwd: Path = ROOT, **environment: str) -> None:
    """Run a command; exit with its exit code if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=ENVIRONMENT | environment)
    if done.returncode:
        sys.exit(done.returncode)


def quietly(*command: str | Path, **environment: str) -> None:
    """Run a build command; exit if it fails or warns, as every user who installs would see the warning."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=ENVIRONMENT | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    warnings = [line for line in done.stdout.splitlines() if "warning" in line.lower()]
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        sys.exit(done.returncode)
    if warnings:
        sys.exit("\n".join(["tasks: the build warns:", *warnings]))


def setup(*groups: str, folder: Path | None = None, python: str = sys.executable) -> None:
    """Create .venv or another environment, or update it if its sources have changed."""
    folder = folder or VENV
    sources = [ROOT / "pyproject.toml", ROOT / "setup.py", *sorted(ROOT.glob("[!.]*/**/*.p[yx][xdi]"))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    stamp = folder / f"stamp-{'-'.join(groups) or 'run'}"
    if stamp.exists() and stamp.read_text() == digest:
        return
    say(f"setting up {os.path.relpath(folder, ROOT)} (a few minutes the first time)")
    if not any(folder.glob("stamp-*")):
        say("making the environment, with a recent pip")
        sh(python, "-m", "venv", "--clear", folder)
        sh(folder / "bin/python", "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")
    wanted = [part for group in groups for part in ("--group", group)]
    begun = time.monotonic()
    pip(folder, "--editable", ".[all]", *wanted)
    stamp.write_text(digest)
    for built in BUILDS.glob("*"):
        with suppress(OSError):  # another set-up has removed it, or it is another user's
            if time.time() - built.stat().st_mtime > UNUSED:
                built.unlink()
    say(f"set up in {time.monotonic() - begun:.0f} s")


def pip(folder: Path, *wanted: str) -> None:
    """Install into an environment; of pip's output, only show long steps, each again while it goes on."""
    # Python compiles a module when it is first imported; to compile all of them takes half of the time.
    options = ("--no-compile", "--progress-bar", "off")
    command = [str(folder / "bin/python"), "-m", "pip", "install", *options, *wanted]
    environment = ENVIRONMENT | ({"BAKEOFF_BUILDS": str(BUILDS)} if BUILDS.is_absolute() else {})
    with (
        steps(step := f"pip: {FINDING}") as begin,
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            if found := PIP_STEP.match(line):
                before, step = step, f"pip: {(found[1] or found[2] or FINDING).lower()}"
                if step != before:
                    begin(step)
    if process.returncode:
        sys.exit(process.returncode)


@contextmanager
def steps(first: str) -> Iterator[Callable[[str], None]]:
    """Name a step, and again every `TICK` seconds with the time it has taken; yield what begins the next."""
    step, since, over = first, time.monotonic(), threading.Event()

    def begin(text: str) -> None:
        nonlocal step, since
        step, since = text, time.monotonic()
        say(step)

    def tick() -> None:
        while not over.wait(TICK):
            say(f"{step}, {time.monotonic() - since:.0f} s")

    begin(first)
    ticking = threading.Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield begin
    finally:
        over.set()
        ticking.join()


def say(text: str) -> None:
    """Report progress without disturbing piped output."""
    print(f"tasks: {text}", file=sys.stderr)


def loads(library: str) -> bool:
    """Whether the system has a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def servers() -> None:
    """Install software for tests that pip does not have; name the packages if that is not allowed."""
    lacking = [] if any(map(shutil.which, CHROMIUM)) else ["chromium"]
    lacking += [package for package, library in LIBRARIES.items() if not loads(library)]
    lacking += [] if shutil.which("valgrind") else ["valgrind"]
    lacking += subprocess.check_output(
        [BIN / "python", "tests/servers.py", "missing"], cwd=ROOT, text=True
    ).split()
    if lacking and shutil.which("apt-get") and os.geteuid() == 0:
        say(f"installing {', '.join(lacking)} on this machine, for the tests that drive them")
        sh("apt-get", "update", "-qq")
        sh("apt-get", "install", "-y", "-qq", *lacking, DEBIAN_FRONTEND="noninteractive")
    elif lacking:
        say(f"the tests that drive them are left out; to run them, install {' '.join(lacking)}")
    if shutil.which("mvn") and not JARS.is_dir():
        wanted = ("dependency:copy-dependencies", f"-DoutputDirectory={JARS}")
        if subprocess.run(["mvn", "-q", "-B", "-f", "tests/mongo/pom.xml", *wanted], cwd=ROOT).returncode:
            say("Maven brings no server that speaks MongoDB's protocol: the tests that drive it are left out")


def run(arguments: list[str]) -> None:
    """Set up and run the benchmark."""
    setup()
    # Replaces this process, so that Ctrl-C reaches the run, which then finishes its process and reports.
    os.execv(BIN / "bakeoff", [str(BIN / "bakeoff"), "run", *arguments])


def test(arguments: list[str]) -> None:
    """Set up and run the quick tests, all, or those of pytest's arguments.

    Nothing outside .venv is installed without --servers.
    """
    setup("dev")
    if "--servers" in arguments:
        servers()
    chosen = [argument for argument in arguments if argument not in ("--all", "--servers", "--cov")]
    if arguments and not chosen:
        all_parts(coverage="--cov" in arguments)
    else:
        sh(BIN / "python", "-m", "pytest", *ABREAST, *(chosen or QUICK))


def all_parts(*, coverage: bool) -> None:
    """Run the parts of the tests in parallel; show the output of the core first."""
    # The required coverage is that of all together.
    options = ("--cov", "--cov-report=", "--cov-fail-under=0") if coverage else ()
    shutil.rmtree(COVERAGE, ignore_errors=True)
    COVERAGE.mkdir(parents=True)
    with ExitStack() as stack:
        logs = {name: stack.enter_context(tempfile.TemporaryFile()) for name in PARTS if name != "core"}
        running = [
            subprocess.Popen(
                [str(BIN / "python"), "-m", "pytest", "--quiet", *how, *options],
                cwd=ROOT,
                env=ENVIRONMENT | {"COVERAGE_FILE": str(COVERAGE / name)},
                stdout=logs.get(name),
            )
            for name, how in PARTS.items()
        ]
        codes = [process.wait() for process in running]
        for name, log in logs.items():
            log.seek(0)
            say(f"{name}:")
            sys.stdout.flush()
            shutil.copyfileobj(log, sys.stdout.buffer)
            sys.stdout.flush()
    if coverage:
        sh(BIN / "coverage", "combine", "--quiet", *(COVERAGE / name for name in PARTS))
        sh(BIN / "coverage", "report")
    if any(codes):
        sys.exit(max(codes))


def versions(arguments: list[str]) -> None:
    """Run the core tests on each CPython that is installed, in an environment of its own under build."""
    chosen = [argument for argument in arguments if argument in PYTHONS] or PYTHONS
    others = [argument for argument in arguments if argument not in PYTHONS]
    outcomes = {version: on_version(version, others) for version in chosen}
    for version, outcome in outcomes.items():
        say(f"{version}: {outcome}")
    if "failed" in outcomes.values():
        sys.exit(1)


def on_version(version: str, arguments: list[str]) -> str:
    """Run the core tests on a CPython; return how they ended."""
    python = interpreter(version)
    if python is None:
        return f"skipped, as python{version} is not installed"
    folder = ROOT / "build/versions" / version
    setup("dev", folder=folder, python=python)
    core = ("-m", "not integration and not browser", "--ignore", "tests/integrations", *ABREAST)
    command = [str(folder / "bin/python"), "-m", "pytest", "--quiet", *core, *arguments]
    say(f"{version}: {python}")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT | {"PATH": path})
    return "failed" if done.returncode else "passed"


def interpreter(version: str) -> str | None:
    """Return a CPython of this version: that of this process, on PATH, or the newest of pyenv."""
    installed = (Path.home() / ".pyenv/versions").glob(f"{version}.*/bin/python")
    newest = sorted(map(str, installed), key=lambda path: [int(part) for part in re.findall(r"\d+", path)])
    script = "import ensurepip, sys; print(sys.implementation.name, *sys.version_info[:2])"
    for python in (sys.executable, shutil.which(f"python{version}"), *reversed(newest)):
        if python is None:
            continue
        done = subprocess.run([python, "-c", script], capture_output=True, text=True)
        if done.stdout.split() == ["cpython", *version.split(".")]:
            return python
    return None


def lint(arguments: list[str]) -> None:
    """Check style and types; mypy starts in src, as our codecs/ in the root hides the standard library's."""
    setup("dev")
    sh(BIN / "ruff", "check", ".")
    sh(BIN / "ruff", "format", "--check", ".")
    for folder, *what in TYPED:
        sh(BIN / "mypy", *what, "--config-file", "../pyproject.toml", *arguments, cwd=ROOT / folder)


def docs(arguments: list[str]) -> None:
    """Build the site; a link or a signature that cannot be resolved is an error."""
    setup("dev")
    # From scratch, because Sphinx only warns about pages that it reads.
    shutil.rmtree(SITE, ignore_errors=True)
    sh(BIN / "sphinx-build", "--fail-on-warning", "--keep-going", "--quiet", *arguments, "docs", SITE)
    say(f"built {SITE / 'index.html'}")


def tables(arguments: list[str]) -> None:
    """Write the tables of the documentation that the code determines."""
    setup("dev")
    os.execv(BIN / "python", [str(BIN / "python"), "docs/tables.py", *arguments])


def field(arguments: list[str]) -> None:
    """Name the libraries of docs/reference/field.toml that have a newer release."""
    setup("dev")
    os.execv(BIN / "python", [str(BIN / "python"), "docs/field.py", *arguments])


def gallery(arguments: list[str]) -> None:
    """Measure the data sets of docs/results that have changed, and write their pages."""
    setup("dev")
    os.execv(BIN / "python", [str(BIN / "python"), "docs/gallery.py", *arguments])


def build(away: Path, *options: str, **environment: str) -> Path:
    """Build the sdist and the wheel from it into away/dist; return the Python of a new environment.

    Does not use .venv, which may be set up at the same time.
    """
    sh(sys.executable, "-m", "venv", away / "venv")
    python = away / "venv/bin/python"
    sh(python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1", "build>=1.2")
    # In a copy, because both the sdist and the installation into .venv write into the sources.
    shutil.copytree(ROOT, away / "sources", symlinks=True, ignore=shutil.ignore_patterns(*NO_SOURCES))
    quietly(python, "-m", "build", *options, "--outdir", away / "dist", away / "sources", **environment)
    shutil.rmtree(away / "sources")
    return python


def install(away: Path, **environment: str) -> Path:
    """Build the wheel from the sdist, install it next to a copy of the tests; return its Python."""
    python = build(away, **environment)
    (built,) = (away / "dist").glob("*.whl")
    group = f"{ROOT / 'pyproject.toml'}:test"
    sh(python, "-m", "pip", "install", "--quiet", f"{built}[all]", "--group", group)
    for folder_name in ("tests", "docs"):
        shutil.copytree(ROOT / folder_name, away / folder_name)
    for file_name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file_name, away)
    return python


def missing(built: Path) -> list[str]:
    """Return the package's files that a wheel lacks; for a .pyx, its compiled module."""
    with ZipFile(built) as archive:
        there = set(archive.namelist())
    wanted = set()
    for folder, _, names in os.walk(ROOT / "src/bakeoff", followlinks=True):
        for path in (Path(folder, name).relative_to(ROOT / "src") for name in names):
            compiled = path.suffix == ".pyx"
            if path.suffix not in NOT_IN_A_WHEEL:
                suffix = sysconfig.get_config_var("EXT_SUFFIX") if compiled else path.suffix
                wanted.add(path.with_suffix(suffix).as_posix())
    return sorted(wanted - there)


def wheel(arguments: list[str]) -> None:
    """Build the sdist and the wheel from it; test the installed wheel away from the sources."""
    with tempfile.TemporaryDirectory() as folder:
        away = Path(folder)
        python = install(away)
        (built,) = (away / "dist").glob("*.whl")
        if lacking := missing(built):
            sys.exit(f"{built.name} lacks {', '.join(lacking)}")
        chosen = arguments or ["-m", "not checkout", *IN_A_WHEEL]
        sh(python, "-m", "pytest", "-q", *ABREAST, *chosen, cwd=away)


def wheels(arguments: list[str]) -> None:
    """Build wheels for all supported Pythons, processors and libcs of Linux; needs Maven, no C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        python = build(Path(folder), "--sdist")
        (sdist,) = (Path(folder) / "dist").glob("*.tar.gz")
        sh(python, "-m", "pip", "install", "--quiet", "--group", f"{ROOT / 'pyproject.toml'}:wheels")
        sh(python, "tests/wheels.py", sdist, ROOT / "dist", *arguments)


@contextmanager
def sanitized() -> Iterator[tuple[Path, Path, dict[str, str]]]:
    """Yield a Python with extensions under AddressSanitizer, a folder with tests, and variables to set."""
    flags = "-fsanitize=address -fno-omit-frame-pointer -g -O1"
    # The runtime must be loaded before Python, together with libstdc++, whose exceptions it wraps.
    runtime = [
        subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    with tempfile.TemporaryDirectory() as folder:
        away = Path(folder)
        python = install(away, CC="gcc", CFLAGS=flags, LDFLAGS=flags)
        # Python keeps some objects until exit, which is not a leak; its own allocator hides freed memory.
        yield (
            python,
            away,
            {
                "LD_PRELOAD": ":".join(runtime),
                "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
                "PYTHONMALLOC": "malloc",
            },
        )


def sanitize(arguments: list[str]) -> None:
    """Run the tests of the extensions, built with AddressSanitizer, in a separate folder; needs gcc."""
    with sanitized() as (python, away, environment):
        # These tests limit the address space, of which AddressSanitizer takes terabytes, or set the
        # environment of their children, which contains the runtime to load first.
        left_out = "not plug_in and not takes_no_gigabytes"
        chosen = ("-m", "not checkout and not browser", "-k", left_out, *(arguments or EXTENSIONS))
        sh(python, "-m", "pytest", "-q", *chosen, cwd=away, **environment)


def fuzz(arguments: list[str]) -> None:
    """Fuzz every decode, every encode, and the compiled parts; --sanitize as in the task `sanitize`."""
    if "--sanitize" in arguments:
        chosen = [argument for argument in arguments if argument != "--sanitize"]
        with sanitized() as (python, away, environment):
            found = ("--findings", ROOT / "fuzz-findings")
            sh(python, "tests/fuzz", *found, *chosen, cwd=away, **environment)
        return
    setup("test")
    # Replaces this process, as in `run`: after Ctrl-C, the driver prints its counts.
    os.execv(BIN / "python", [str(BIN / "python"), str(ROOT / "tests/fuzz"), *arguments])


def conformance(arguments: list[str]) -> None:
    """Run public conformance suites on the codecs of their formats."""
    setup("test")
    # A relative folder is meant from here.
    python = f"{ROOT / 'tests'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    os.execve(
        BIN / "python",
        [str(BIN / "python"), "-m", "conformance", *arguments],
        ENVIRONMENT | {"PYTHONPATH": python},
    )


def benchmarks(arguments: list[str]) -> None:
    """Print promised figures next to their targets: all (hours), or one module of tests/benchmarks."""
    names = sorted(path.stem for path in (ROOT / "tests/benchmarks").glob("[a-z]*.py"))
    if arguments and arguments[0] not in names:
        sys.exit(f"no benchmarks {arguments[0]!r}; there are {', '.join(names)}")
    setup("dev")
    unmet = []
    for name in arguments[:1] or names:
        say(f"benchmarks {name}")
        command = [str(BIN / "python"), "-m", "benchmarks", name, *arguments[1:]]
        if subprocess.run(command, cwd=ROOT / "tests").returncode:
            unmet.append(name)
    if unmet:
        sys.exit(f"not met: {', '.join(unmet)}")


VERBS = {
    "run": run,
    "test": test,
    "versions": versions,
    "lint": lint,
    "docs": docs,
    "tables": tables,
    "field": field,
    "gallery": gallery,
    "wheel": wheel,
    "wheels": wheels,
    "sanitize": sanitize,
    "fuzz": fuzz,
    "conformance": conformance,
    "benchmarks": benchmarks,
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in VERBS:
        sys.exit(__doc__)
    VERBS[sys.argv[1]](sys.argv[2:])
