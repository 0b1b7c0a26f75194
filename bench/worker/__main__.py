"""A worker process: ``python -m bakeoff.bench.worker JOB`` runs one job and writes the answer to a file.

Standard output and standard error belong to the codecs: their output there is never mistaken for an answer.
An answer is written atomically.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from ...codecs.registry import give, unpickle
from ...errors import BakeoffError
from ...imports import import_again
from ..blobs import Blobs
from ..capabilities import Capabilities, adopt
from ..disk_space import needing_room, release
from ..heartbeat import Heartbeat
from ..jobs import Answer, Failed, Job, Refused, decode, encode
from ..orphans import die_with
from .context import WorkerContext

_FILE_SIZE = 1 << 30
"""Most bytes that a job may write to one file, including a flooded standard error."""


def main(path: Path, *, forked: bool = False) -> NoReturn:
    """Run the job in a file.

    Args:
        forked: This process is a fork, which may have imported another release of the job's library.
    """
    faulthandler.enable()
    envelope = json.loads(path.read_bytes())
    can = adopt(Capabilities(**envelope["capabilities"]))
    die_with(envelope["parent"])
    job: Job = decode(envelope["job"])
    if forked and job.release and _imported(job.release):
        os.execv(sys.executable, [sys.executable, "-P", "-m", "bakeoff.bench.worker", str(path)])  # noqa: S606 - no shell is wanted
    # The job may hold the password of a server, and a killed process removes nothing.
    path.unlink()
    me = os.getpid()
    sys.path[:0] = filter(None, [job.release])
    sys.path += [entry for entry in job.path if entry not in sys.path]
    _confine(job, can)
    context = WorkerContext(
        Blobs(Path(envelope["blobs"])), Heartbeat(Path(envelope["heartbeat"])), Path(envelope["notes"])
    )
    answer: Answer
    try:
        # FOLDER/bakeoff-x/job-1/job
        with needing_room(path.parents[2]):
            answer = _do(job, context)
    except BakeoffError as error:
        answer = Refused(str(error), error.exit_code)
    except MemoryError as error:
        answer = Failed(str(error) or "an allocation failed", "out of memory")
    if os.getpid() == me:
        release()  # the answer may need the space
        _reply(Path(envelope["reply"]), answer)
    # Skip the teardown of codecs: it is useless, and could still crash.
    sys.stderr.flush()
    os._exit(0)


def _imported(folder: str) -> bool:
    """Return whether this process has imported one of the modules in a folder from elsewhere."""
    return any(entry.name.partition(".")[0] in sys.modules for entry in Path(folder).iterdir())


def _do(job: Job, context: WorkerContext) -> Answer:
    """Import only the modules that the job needs: startup takes most of a short process."""
    give(job.imported_codecs)
    import_again(job.modules)
    unpickle(job.pickled_codecs)
    done: Answer = import_module(job.module).run(job, context)
    return done


def _confine(job: Job, can: Capabilities) -> None:
    if can.memory_limits:
        _limit_resources(job)
    if job.core is not None and can.affinity:
        os.sched_setaffinity(0, {job.core})
    with contextlib.suppress(OSError):
        # If memory runs out, the kernel should kill a worker, not the run.
        Path("/proc/self/oom_score_adj").write_text("800")


def _limit_resources(job: Job) -> None:
    import resource

    if job.memory:
        _limit(resource.RLIMIT_AS, job.memory)
    if job.kind != "prepare":  # standard input is kept in a file of any size
        _limit(resource.RLIMIT_FSIZE, _FILE_SIZE)
    _limit(resource.RLIMIT_CORE, 1)  # 0 would not stop a dump that core(5) pipes to a program, for seconds


def _limit(kind: int, wanted: int) -> None:
    """Set a limit, unless a lower one is in effect."""
    import resource

    hard = resource.getrlimit(kind)[1]
    bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (bound, bound))


def _reply(path: Path, answer: Answer) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(encode(answer))
    part.replace(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
