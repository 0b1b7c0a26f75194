"""Fixtures and profiles that several rooms use."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from needed import count, leave_out

settings.register_profile(
    "default",
    max_examples=60,
    deadline=None,  # the machines are shared; a deadline would be a timing assertion
    derandomize=True,  # a commit is green or not, whoever asks; "thorough" goes looking
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "thorough", parent=settings.get_profile("default"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Test runs are no past of this machine.
os.environ["BAKEOFF_HISTORY"] = "off"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what drives a client library or a server: tasks.py runs it beside the rest."""
    for item in items:
        if "integrations" in item.path.parts or "server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.integration)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were left out, and how to run them: a green run is not taken for a full one."""
    if number := count(terminalreporter.getreports("skipped")):
        terminalreporter.write_line(
            f"left out for want of a server, a browser or a system library: {number}; "
            "python3 tasks.py test --servers installs those",
            yellow=True,
        )


@pytest.fixture(autouse=True)
def no_modules_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers import what their command imported, not what other tests did."""
    monkeypatch.setattr("bakeoff.imports._imported", {})


@pytest.fixture(autouse=True, scope="session")
def shared_warm() -> Iterator[None]:
    """Have the workers of all runs within this process forked by one process."""
    if sys.platform != "linux":
        yield  # nothing is measured elsewhere
        return
    from warmed import Shared

    shared = Shared()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bakeoff.bench.run.processes.Warm", shared)
        yield
    shared.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have runs within the process of the tests take little time."""
    from hurried import hurry

    hurry(monkeypatch.setattr)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Where the server of a kind is, which is started for that; skips the test where it cannot be had."""
    if sys.platform == "win32":
        pytest.skip("no such server is started on Windows")
    from servers import KINDS, Servers, UnavailableError

    base = tmp_path_factory.getbasetemp()
    shared = Servers(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)

    def url(name: str) -> str:
        try:
            return shared.url(name)
        except UnavailableError as lacking:
            if name in KINDS:
                leave_out(str(lacking))
            pytest.skip(str(lacking))

    yield url
    shared.close()


@pytest.fixture(scope="session")
def mountable(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip the test where no small disk can be made."""
    place = shlex.quote(str(tmp_path_factory.mktemp("small")))
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", f"mount -t tmpfs tmpfs {place}"]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        pytest.skip(f"no small disk can be made here: {error}")
    if tried.returncode:
        pytest.skip(f"no small disk can be made here: {tried.stderr}")
