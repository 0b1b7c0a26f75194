"""Machines of a Dask cluster: one agent on each host, and what happens if a worker or a client dies."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from bakeoff.bench.blobs import Blobs
from bakeoff.bench.results import read
from bakeoff.bench.run.machines.addresses import machines
from bakeoff.bench.run.machines.link import CommandLink
from bakeoff.bench.run.machines.remote import RemoteExecutor
from bakeoff.errors import UsageError
from hurried import BAKEOFF
from launched import launch

pytest.importorskip("distributed")
pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return the client of two workers on this host, with a lock of their own."""
    from distributed import Client, LocalCluster

    there = tmp_path_factory.mktemp("there")
    with (
        patch.dict(os.environ, TMPDIR=str(there)),  # Dask sets variables of this process, too
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def url(client: Any) -> str:
    """Return the address of the cluster."""
    return str(client.scheduler.address).replace("tcp", "dask")


def begun(command: str) -> subprocess.Popen[bytes]:
    """Start an agent through a worker, and wait until it has its machine for itself."""
    process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    seen = b""
    while b'"ready"' not in seen:
        seen += os.read(process.stdout.fileno(), 1 << 16) or pytest.fail(f"it ended after {seen!r}")
    return process


def test_two_workers_of_a_host_do_not_measure_at_once(client: Any, tmp_path: Path) -> None:
    """A host is one machine; the second agent waits for the first, which ends when its client dies."""
    one, other = sorted(client.scheduler_info()["workers"])
    (machine,) = machines([url(client)])
    assert ("127.0.0.1", True) == (machine.name, machine.command.endswith(one))
    said: list[str] = []
    second = shlex.split(machine.command.replace(one, other))
    there = replace(machine, connect=lambda: CommandLink(second, "second"))
    with begun(machine.command) as first:

        def waiting(reason: str) -> None:
            said.append(reason)
            if reason.startswith("waiting"):
                first.kill()

        with RemoteExecutor(there, Blobs(tmp_path / "blobs"), waiting) as executor:
            removed = str(executor.facts["removed_variables"])

    assert "waiting: another run measures on 127.0.0.1" in said
    assert {"MALLOC_TRIM_THRESHOLD_=65536", "OMP_NUM_THREADS=1"} < set(removed.split())
    assert "PYTHONHASHSEED=" in removed


def test_a_killed_worker_costs_only_its_own_result(client: Any, tmp_path: Path) -> None:
    worker = min(client.scheduler_info()["workers"])
    pid = client.run(os.getpid, workers=[worker])[worker]
    here = {"TMPDIR": str(tmp_path)}
    journal = tmp_path / "out-127.0.0.1.json.journal"
    on = ("--on", url(client), "--on", "local")
    few = ("messages", "-n", "20", "--sample", "5", "-c", "msgpack", "--ops", "dump,load")
    command = [*BAKEOFF, "run", *few, "--all", "--budget", "0", "-o", "out.json", *on]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, env=os.environ | here, text=True, **pipes) as run:
        while run.poll() is None and '"codec"' not in (journal.read_text() if journal.exists() else ""):
            threading.Event().wait(0.02)
        os.kill(pid, signal.SIGKILL)
        table, said = run.communicate()

    assert 1 == run.returncode
    assert f"the Dask worker {worker} has gone" in said
    assert "msgpack" in table
    assert read(tmp_path / "out-local.json").complete
    assert not (tmp_path / "out-127.0.0.1.json").exists()

    done = launch(tmp_path, "run", "--resume", "out.json", *on, **here)
    assert 0 == done.returncode, done.stderr
    assert read(tmp_path / "out-127.0.0.1.json").complete


def test_a_cluster_without_bakeoff(client: Any) -> None:
    worker = min(client.scheduler_info()["workers"])
    client.run(setattr, sys, "executable", "/nowhere/python", workers=[worker])
    (machine,) = machines([url(client)])
    done = subprocess.run(
        shlex.split(machine.command), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    client.run(setattr, sys, "executable", sys.executable, workers=[worker])

    assert 1 == done.returncode
    assert "cannot start an agent" in done.stderr
    assert "/nowhere/python" in done.stderr


@pytest.mark.parametrize(
    "address", ["dask://", "dask://a b", "dask://--x:1", "dask://host:1/x", "dask://h?python=x"]
)
def test_an_address_that_is_no_cluster_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match=r"dask://.*: (expected dask://SCHEDULER|unknown 'python')"):
        machines([address])
