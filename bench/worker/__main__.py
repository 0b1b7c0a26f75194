"""A worker process: ``python -m bakeoff.bench.worker JOB``; does one job and answers into a file.

Standard output and standard error belong to the codecs: whatever they print there is not taken
for an answer. An answer appears whole or not at all.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import resource
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...errors import BakeoffError
from ..room import needing_room

__all__ = ["main"]

_FILE_SIZE = 1 << 30
"""Bytes that a job may write into one file, a flooded standard error included."""
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Do the job in the file named by the only argument."""
    faulthandler.enable()
    path = Path(arguments[0])
    job = json.loads(path.read_bytes())
    _die_with(job["parent"])
    me = os.getpid()
    sys.path += [entry for entry in job.get("path", ()) if entry not in sys.path]
    _confine(job)
    try:
        # FOLDER/bakeoff-x/job-1/job
        with needing_room(path.parents[2]):
            answer = _do(job)
    except BakeoffError as error:
        answer = _failure(error)
    except MemoryError as error:
        answer = {"outcome": "out of memory", "reason": str(error) or "an allocation failed"}
    if os.getpid() == me:
        _reply(Path(job["reply"]), answer)
    # What codecs leave behind is not worth tearing down, and could still crash.
    sys.stderr.flush()
    os._exit(0)


def _failure(error: BakeoffError) -> dict[str, Any]:
    return {"failure": type(error).__name__, "message": str(error), "exit_code": error.exit_code}


def _die_with(parent: int) -> None:
    """Let the kernel end us with the run: killed outright, it cannot, and a codec may hang for ever."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _do(job: Mapping[str, Any]) -> dict[str, Any]:
    """Import no more than the job needs: starting up is most of a short process."""
    if job["kind"] == "prepare":
        from . import prepare

        return prepare.run(job)
    if job["kind"] == "check":
        from . import check

        return check.run(job)
    if job["kind"] == "time":
        from . import time as timing

        return timing.run(job)
    if job["kind"] == "conformance":
        from ..conformance import judge

        return judge.run(job)
    if job["kind"] == "facts":
        from ...codecs import CodecError, codec, facts
        from ...codecs.policies import described

        try:
            made = codec(job["codec"])
            return facts(made) | {"limits": asdict(made.limits), "policies": described(made)}
        except CodecError as error:
            return {"failed": error.reason}
    if job["kind"] == "attack":
        from ..hostile import attack

        return attack.run(job)
    from . import memory

    return memory.run(job)


def _confine(job: Mapping[str, Any]) -> None:
    if limit := job.get("memory"):
        _limit(resource.RLIMIT_AS, limit)
    if job["kind"] != "prepare":  # standard input is kept in a file, however large it is
        _limit(resource.RLIMIT_FSIZE, _FILE_SIZE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if (core := job.get("core")) is not None:
        os.sched_setaffinity(0, {core})
    with contextlib.suppress(OSError):
        # When memory runs out the kernel shall take a worker, not the run.
        Path("/proc/self/oom_score_adj").write_text("800")


def _limit(kind: int, wanted: int) -> None:
    """Set a limit, or keep a lower one that we were started with."""
    hard = resource.getrlimit(kind)[1]
    bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (bound, bound))


def _reply(path: Path, answer: Mapping[str, Any]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(answer))
    part.replace(path)


if __name__ == "__main__":
    main(sys.argv[1:])
