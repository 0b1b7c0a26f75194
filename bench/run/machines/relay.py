"""The task of a Dask worker that starts an agent (`agent`) and passes its messages on.

Messages travel as bytes, through two queues of the scheduler. The client side is `dask`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from importlib import import_module
from typing import Any

AGENT = ("-P", "-m", "bakeoff.bench.run.machines.agent")
"""Arguments of Python that start the agent."""

PART = 1 << 20
"""Most bytes of an item in a queue."""
TICK = 1.0
"""Seconds between two looks whether the other side still exists."""

_SAID = 2000


def relay(to_agent: str, from_agent: str) -> bytes:
    """Start an agent, and pass messages on until it ends or the client has gone.

    Args:
        to_agent: Name of the queue of messages to the agent; an empty one ends it.
        from_agent: Name of the queue of its messages; an empty one follows the last.

    Returns:
        The end of what the agent wrote to standard error.
    """
    distributed: Any = import_module("distributed")
    worker = distributed.get_worker()
    key = worker.get_current_task()
    with (
        contextlib.closing(distributed.Queue(to_agent)) as source,
        contextlib.closing(distributed.Queue(from_agent)) as target,
        tempfile.TemporaryFile() as said,
    ):
        command = [sys.executable, *AGENT]
        agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
        threading.Thread(target=_feed, args=(agent, source), daemon=True).start()
        threading.Thread(target=_watch, args=(agent, worker, key), daemon=True).start()
        try:
            assert agent.stdout is not None
            while content := os.read(agent.stdout.fileno(), PART):
                target.put(content)
        finally:
            agent.terminate()
            agent.wait()
            source.put(b"")  # ends the thread that waits for it
        target.put(b"")
        said.seek(max(0, said.seek(0, os.SEEK_END) - _SAID))
        return said.read()


def _feed(agent: subprocess.Popen[bytes], source: Any) -> None:
    """Pass messages on to the agent, which ends with its input."""
    assert agent.stdin is not None
    try:
        while content := source.get():
            agent.stdin.write(content)
            agent.stdin.flush()
        agent.stdin.close()
    except OSError:
        agent.terminate()  # it, or the connection to the scheduler, has ended


def _watch(agent: subprocess.Popen[bytes], worker: Any, key: Any) -> None:
    """End the agent if nobody waits for the task any more; Dask does not interrupt a running one."""
    while agent.poll() is None:
        time.sleep(TICK)
        task = worker.state.tasks.get(key)
        if task is None or task.state != "executing":
            agent.terminate()
