"""Machines of a Dask cluster, and the process that connects an agent on one of them with this machine.

``python -m bakeoff.bench.run.machines.dask SCHEDULER WORKER`` passes standard input on to the agent, and what
the agent writes to standard output; see `relay`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import uuid
from importlib import import_module
from typing import Any

from ....errors import RunError, UsageError
from .relay import PART, TICK, relay

_BYTES = ["msgpack", "error"]
"""How values may travel. Dask itself still pickles tasks and their errors."""


def workers(scheduler: str) -> dict[str, str]:
    """Return the address of one worker of each host of a cluster.

    Raises:
        UsageError: Dask is not installed.
        RunError: The scheduler cannot be reached, or has no workers.
    """
    with _connected(scheduler) as client:
        found: dict[str, str] = {}
        for address, facts in sorted(client.scheduler_info(n_workers=-1)["workers"].items()):
            found.setdefault(str(facts["host"]), address)
    if not found:
        raise RunError(f"dask://{scheduler}: the cluster has no workers")
    return found


def _connected(scheduler: str) -> Any:
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise UsageError("dask:// needs the extra packages: pip install 'bakeoff[dask]'") from error
    try:
        return distributed.Client(scheduler, set_as_default=False, serializers=_BYTES, deserializers=_BYTES)
    except (OSError, ValueError) as error:
        raise RunError(f"dask://{scheduler}: {error}") from error


def _converse(client: Any, worker: str) -> str:
    """Pass messages on in both directions until the agent ends; return why, if it was a failure."""
    queue: Any = import_module("distributed").Queue
    names = [f"bakeoff-{uuid.uuid4().hex}" for _ in range(2)]
    to_agent, from_agent = (queue(name, client) for name in names)
    with contextlib.closing(to_agent), contextlib.closing(from_agent):
        task = client.submit(relay, *names, workers=[worker], allow_other_workers=False, pure=False)
        threading.Thread(target=_pass_on, args=(to_agent,), daemon=True).start()
        threading.Thread(target=_watch, args=(client, worker, task), daemon=True).start()
        while content := from_agent.get():
            with open(1, "wb", closefd=False) as output:
                output.write(content)
        said = task.result()
        return said.decode(errors="replace") if isinstance(said, bytes) else ""


def _pass_on(to_agent: Any) -> None:
    while content := os.read(0, PART):
        to_agent.put(content)
    to_agent.put(b"")


def _watch(client: Any, worker: str, task: Any) -> None:
    """End this process if the worker has gone, or could not run the task."""
    reason = ""
    while not reason:
        time.sleep(TICK)
        if task.status == "error":
            reason = f"the Dask worker cannot start an agent: {task.exception()}"
        elif worker not in client.scheduler_info(n_workers=-1)["workers"]:
            reason = f"the Dask worker {worker} has gone"
    sys.stderr.write(f"{reason}\n")
    sys.stderr.flush()
    os._exit(1)


def main() -> None:
    """Connect standard input and output with an agent."""
    scheduler, worker = sys.argv[1:]
    with _connected(scheduler) as client:
        if failure := _converse(client, worker):
            sys.exit(failure)


if __name__ == "__main__":
    main()
