"""Fixtures and profiles for several folders."""

from __future__ import annotations

import gc
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from needed import count, leave_out

if TYPE_CHECKING:
    from bakeoff.bench.foreign.port import ForeignWorker
    from bakeoff.bench.run.processes import LocalExecutor
    from machines import Machine

settings.register_profile(
    "default",
    max_examples=40,
    deadline=None,  # the machines are shared; a deadline would be a timing assertion
    derandomize=True,  # the result depends on the commit only; "thorough" searches randomly
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "thorough", parent=settings.get_profile("default"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

DRIVING = {"server", "machine", "reader"}
"""Fixtures that start a server, or a worker in another language."""
NAMED = re.compile(rf"\b({'|'.join(sorted(DRIVING))}|mark\.integration)\b")
"""What modules with integrations name, as importing all of them takes seconds."""
LONG_BUILDS = {"rust"}
"""Languages whose worker takes more than 30 s of processor time to build."""

# Among the objects of 17,000 tests, looking for garbage as often as usual takes a tenth of the time.
gc.set_threshold(10_000)
SYSTEM_TEMPORARY = tempfile.gettempdir()
# Test runs are not past runs of this machine.
os.environ["BAKEOFF_PAST_RUNS"] = "off"
# A shell ignores Ctrl-C for what it starts in the background, and nohup ignores SIGHUP. Commands that the
# tests start inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for _name in ("SIGHUP", "SIGQUIT"):
    if (_number := getattr(signal, _name, None)) and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)
# Later test runs find what this one has built.
os.environ["BAKEOFF_CACHE"] = str(Path(__file__).parents[1] / "build" / "cache")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module without integrations if only these are selected."""
    is_module = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if config.option.markexpr != "integration" or not is_module:
        return None
    return None if _names_integrations(collection_path) else True


def _names_integrations(module: Path) -> bool:
    return "integrations" in module.parts or bool(NAMED.search(module.read_text(encoding="utf-8")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that drive a client library or a server, which tasks.py runs in parallel with the others."""
    for item in items:
        if "integrations" in item.path.parts or DRIVING & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.integration)
            assert _names_integrations(item.path), f"{item.path} must name a fixture of {sorted(DRIVING)}"


def pytest_collection_finish() -> None:
    """Leave 10,000 tests and their modules, which stay, out of every garbage collection."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report how many tests were skipped, and how to run them, as a green run may not be a full one."""
    if number := count(terminalreporter.getreports("skipped")):
        terminalreporter.write_line(
            f"left out for want of a server, a browser or a system library: {number}; "
            "python3 tasks.py test --all --servers installs those",
            yellow=True,
        )


@pytest.fixture(autouse=True)
def no_modules_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers import only the modules of their command, not those of other tests."""
    monkeypatch.setattr("bakeoff.imports._imported", {})


@contextmanager
def temporary_files(folder: str) -> Iterator[None]:
    """Let temporary files be made in a folder, by child processes, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", folder)
        patch.setenv("TMPDIR", folder)
        yield


@pytest.fixture(autouse=True, scope="session")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give what makes temporary files a folder, in which bakeoff may leave nothing.

    Exceptions are the folders of killed runs, as the next run removes them, and of stores that are opened
    here: they are in the folder of a worker otherwise, and go with that.
    """
    from bakeoff.bench.orphans import PREFIX, remove_abandoned

    tmp_path_factory.getbasetemp()  # whose folders pytest removes, some test runs later
    with tempfile.TemporaryDirectory(prefix="bakeoff-tests-") as name, temporary_files(name):
        Path(name).chmod(0o1777)  # like the usual one, as some tests have processes of other users
        yield Path(name)
        remove_abandoned()
        left = [path.name for path in Path(name).glob(f"{PREFIX}*") if not path.match("bakeoff-store-*")]
        assert left == []


@pytest.fixture(autouse=True, scope="session")
def shared_warm(temporary: Path) -> Iterator[None]:
    """Fork the workers of all runs in this process from one process."""
    from bakeoff.bench.capabilities import here
    from warmed import Shared

    if not here().fork_server:
        yield
        return

    shared = Shared()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bakeoff.bench.run.processes.Warm", shared)
        yield
    shared.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten runs within the process of the tests."""
    from hurried import hurry

    hurry(monkeypatch.setattr)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Return a function that starts a server of a kind and returns its URL; skip the test without one."""
    if sys.platform == "win32":
        pytest.skip("no such server is started on Windows")
    from servers import KINDS, Servers, UnavailableError

    base = tmp_path_factory.getbasetemp()
    shared = Servers(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)

    def url(name: str) -> str:
        try:
            with temporary_files(SYSTEM_TEMPORARY):  # other test processes use it when this one has ended
                return shared.url(name)
        except UnavailableError as lacking:
            if name in KINDS:
                leave_out(str(lacking))
            pytest.skip(str(lacking))

    yield url
    shared.close()


@pytest.fixture
def machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Machine]]:
    """Return a function that starts a machine which ``ssh NAME`` reaches; skip the test without OpenSSH."""
    if sys.platform == "win32":
        pytest.skip("no such server is started on Windows")
    from machines import Machines
    from servers import UnavailableError

    machines = Machines(tmp_path_factory.mktemp("ssh"))
    monkeypatch.setenv("PATH", machines.client())

    def start(name: str, **environment: str) -> Machine:
        try:
            return machines.start(name, **environment)
        except UnavailableError as lacking:
            leave_out(str(lacking))

    yield start
    machines.close()


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    """Return the executor of this machine."""
    from bakeoff.bench.run.processes import LocalExecutor

    with LocalExecutor() as made:
        yield made


@pytest.fixture(scope="session")
def reference() -> Iterator[ForeignWorker]:
    """Return the worker in Python, which needs no build."""
    from bakeoff.bench.foreign import builds
    from bakeoff.bench.foreign.port import ForeignWorker

    with ForeignWorker(
        [sys.executable, str(Path(builds.__file__).with_name("pypy") / "worker.py")]
    ) as worker:
        yield worker


@pytest.fixture(scope="session")
def reader() -> Iterator[Callable[[str], ForeignWorker]]:
    """Return a function that builds and starts the worker of a language.

    Skip without its toolchain, or if the build would take long.
    """
    from bakeoff.bench.foreign import builds
    from bakeoff.errors import UsageError

    with ExitStack() as stack:

        @cache
        def start(language: str) -> ForeignWorker:
            try:
                if language in LONG_BUILDS and not builds.find(language).is_built:
                    leave_out(
                        f"the worker is not built: run `BAKEOFF_CACHE=build/cache bakeoff readers {language}`"
                    )
                builds.build(language)
            except UsageError as lacking:
                leave_out(str(lacking))
            return stack.enter_context(builds.start(language))

        yield start


@pytest.fixture(scope="session")
def mountable(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip the test if no small disk can be created."""
    place = shlex.quote(str(tmp_path_factory.mktemp("small")))
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", f"mount -t tmpfs tmpfs {place}"]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        pytest.skip(f"no small disk can be made here: {error}")
    if tried.returncode:
        pytest.skip(f"no small disk can be made here: {tried.stderr}")
