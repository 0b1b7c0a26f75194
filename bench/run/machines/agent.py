"""The agent: ``python -m bakeoff.bench.run.machines.agent`` runs jobs for a run conducted on another machine.

It reads messages (see `bench.frames`) from standard input and answers on standard output. It holds the lock
of its machine while it lives, and ends with all workers when its input ends.

=============  ====================================================================================
from us        meaning
=============  ====================================================================================
``blob``       an input of jobs, to be stored by its digest
``job``        run this job under this number
``end``        the time of the job of this number is over
=============  ====================================================================================

=============  ====================================================================================
to us          meaning
=============  ====================================================================================
``hello``      versions of the messages and of bakeoff
``waiting``    another run measures here
``ready``      facts about the machine and the cores that workers may use; jobs may follow
``alive``      the running cell of each job, and its heartbeats so far; sent regularly
``ended``      how the worker of this number ended, with the dictionary that a check has trained
=============  ====================================================================================
"""

from __future__ import annotations

import base64
import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from importlib.metadata import version
from typing import Any, NoReturn

from ....codecs.registry import give
from ....errors import BakeoffError
from ...frames import MAGIC, PROTOCOL, SECONDS, FrameConnection, frames_of
from ...jobs import Ended, decode, encode
from ...messages.check import Checked
from ..environment import scrub
from ..processes import LocalExecutor
from .lock import measuring

_LONGEST = 0xFFFFFFFF
"""Bytes of a message from the conducting machine, which this one trusts."""


class _Agent:
    """The jobs of a connection.

    Args:
        frames: The connection.
        executor: Runs them.
    """

    def __init__(self, frames: FrameConnection, executor: LocalExecutor) -> None:
        self._frames = frames
        self._executor = executor
        self._over: set[int] = set()
        self._cells: dict[int, tuple[int, int]] = {}

    def report(self, removed: str) -> None:
        """Take the lock, then say regularly that the agent is alive."""
        with measuring(self._wait, alone=True):
            executor = self._executor
            executor.warm_up()
            facts = {**executor.facts, "removed_variables": removed}
            self._frames.send("ready", facts=facts, cores=executor.cores)
            while True:
                time.sleep(SECONDS)
                self._frames.send("alive", cells=dict(self._cells))

    def _wait(self) -> None:
        self._frames.send("waiting")
        time.sleep(SECONDS)

    def serve(self) -> None:
        """Take messages until the connection ends.

        Raises:
            EOFError: It has ended.
        """
        while True:
            message, content = self._frames.receive(_LONGEST, _LONGEST)
            if message["kind"] == "blob":
                self._executor.blobs.put(content)
            elif message["kind"] == "job":
                self._start(message["number"], decode(message["job"]), message["patience"])
            elif message["kind"] == "end":
                self._over.add(message["number"])

    def _start(self, number: int, job: Any, patience: float | None) -> None:
        give(job.imported_codecs)
        future = self._executor.submit(
            job,
            patience=patience,
            over=lambda: number in self._over,
            watch=lambda *cell: self._cells.__setitem__(number, cell),
        )
        future.add_done_callback(lambda future: self._answer(number, future))

    def _answer(self, number: int, future: Future[Ended]) -> None:
        self._cells.pop(number, None)
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._frames.send("ended", number=number, **self._plain(future.result()))
        elif isinstance(error, BakeoffError):
            self._frames.send("ended", number=number, refused=str(error))
        else:
            self._frames.send("ended", number=number, refused=f"{type(error).__name__}: {error}")

    def _plain(self, ended: Ended) -> Mapping[str, Any]:
        answer, dictionary = ended.answer, b""
        if isinstance(answer, Checked) and answer.dictionary:
            dictionary = self._executor.blobs[answer.dictionary]
        return {
            "answer": None if answer is None else json.loads(encode(answer)),
            "outcome": ended.outcome,
            "reason": ended.reason,
            "option": ended.option,
            "stderr": ended.stderr,
            "cell": ended.cell,
            "notes": list(ended.notes),
            "host": ended.host,
            "dictionary": base64.b64encode(dictionary).decode(),
        }


def main() -> NoReturn:
    """Serve the connection on standard input and output."""
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Libraries and workers may print, and must not read or write messages.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    removed = scrub(os.environ)
    frames = frames_of(source, target)
    target.write(MAGIC)
    frames.send("hello", protocol=PROTOCOL, version=version("bakeoff"))
    with LocalExecutor() as executor:
        agent = _Agent(frames, executor)
        threading.Thread(target=_reporting, args=(agent, removed), daemon=True).start()
        try:
            agent.serve()
        except (EOFError, OSError):
            executor.close()
    os._exit(0)  # other threads may wait for the lock, or write to the closed connection


def _reporting(agent: _Agent, removed: str) -> None:
    try:
        agent.report(removed)
    except OSError:
        pass  # the connection has ended, as `serve` sees too
    except Exception as error:  # noqa: BLE001 - the last words of the process
        sys.stderr.write(f"{error if isinstance(error, BakeoffError) else repr(error)}\n")
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
