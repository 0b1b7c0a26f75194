"""Conduct a survey: send the pieces of a corpus to workers, merge what they find, name what is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace

from ...datasets.sampling import MergedSample
from ...datasets.shards import PIECE, Piece
from ...errors import RunError
from ..jobs import Ended, Executor
from ..messages.survey import SurveyJob, SurveyPiece
from ..survey import SAMPLE_ROOM, SurveyTally
from .environment import abreast

PATIENCE = 120.0
"""Seconds without a record after which a worker is ended."""
_TRIES = 2
_SHARE = 4
"""Least number of jobs for each that can be in work, so that all workers end at about the same time."""
_FAILURES = 4
"""Failures in sequence after which an executor gets no jobs if another one has none of them."""
_MOST = 256
"""Most pieces of a job."""


@dataclass(slots=True)
class SurveyFindings:
    """The merged findings, and how much of the corpus they cover.

    Attributes:
        tally: The findings in all pieces that were read.
        pieces: All pieces.
        lost: Why a piece was not read.
        interrupted: The survey ended before all pieces were read.
        done: Pieces that were read.
    """

    tally: SurveyTally
    pieces: Sequence[Piece]
    lost: dict[Piece, str] = field(default_factory=dict)
    interrupted: bool = False
    done: set[Piece] = field(default_factory=set)

    @property
    def shards(self) -> list[str]:
        """Names of the shards."""
        return list(dict.fromkeys(piece.shard for piece in self.pieces))

    @property
    def lost_shards(self) -> list[str]:
        """Names of the shards of which a piece was lost."""
        return list(dict.fromkeys(piece.shard for piece in sorted(self.lost)))


def survey(
    executors: Sequence[Executor],
    pieces: Sequence[Piece],
    job: SurveyJob,
    schema: bytes = b"",
    *,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> SurveyFindings:
    """Survey all pieces.

    Args:
        executors: Run the workers, at least one. Their machines must be able to read the shards.
        pieces: As returned by `datasets.shards.pieces`.
        job: The job, without pieces.
        schema: The content that `job.schema` names.
        watch: Called with the bytes that are done, and the total.

    Raises:
        UsageError: The request is impossible, for instance because a library is missing.
    """
    numbers = {shard: number for number, shard in enumerate(dict.fromkeys(piece.shard for piece in pieces))}
    found = SurveyFindings(SurveyTally(job.codecs, MergedSample(job.sample, SAMPLE_ROOM)), pieces)
    inputs = {job.schema: schema} if schema else {}
    total = sum(piece.end - piece.start for piece in pieces)
    machines = [_Machine(executor) for executor in executors]
    size = min(PIECE, total // (_SHARE * sum(machine.most for machine in machines)))
    waiting = deque((group, 1) for group in _groups(pieces, size))
    running: dict[Future[Ended], tuple[list[Piece], int, _Machine]] = {}
    try:
        while waiting or running:
            while waiting and (machine := _free(machines)) is not None:
                group, tries = waiting.popleft()
                one = replace(
                    job,
                    pieces=tuple(
                        SurveyPiece(each.shard, each.start, each.end, numbers[each.shard]) for each in group
                    ),
                    cut=found.tally.sample.cut,
                )
                machine.running += 1
                running[machine.executor.submit(one, inputs, patience=PATIENCE)] = group, tries, machine
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                group, tries, machine = running.pop(future)
                machine.running -= 1
                machine.failures += 1
                if not (reason := _merged(future, found.tally, job)):
                    found.done.update(group)
                    machine.failures = 0
                elif tries < _TRIES:
                    waiting.extend(([piece], tries + 1) for piece in group)
                else:
                    found.lost |= dict.fromkeys(group, reason)
                watch(_bytes((*found.done, *found.lost)), total)
    except KeyboardInterrupt:
        found.interrupted = True
    return found


class _Machine:
    """An executor, and the jobs that it has.

    Attributes:
        most: Jobs that it may have: in work, and waiting for a worker.
        failures: Jobs that failed since one succeeded.
    """

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.most = 2 * abreast(executor.cores)
        self.running = self.failures = 0


def _free(machines: Sequence[_Machine]) -> _Machine | None:
    """Return the executor that takes the next job; one whose machine may be lost is the last."""
    free = [machine for machine in machines if machine.running < machine.most]
    healthy = min(machine.failures for machine in machines)
    free = [machine for machine in free if machine.failures < healthy + _FAILURES]
    return min(free, key=lambda machine: (machine.failures, machine.running / machine.most), default=None)


def _groups(pieces: Iterable[Piece], size: int) -> Iterator[list[Piece]]:
    """Yield groups of small pieces, as the start of a worker takes as long as 1 MB of records."""
    group: list[Piece] = []
    for piece in pieces:
        if group and (_bytes(group) + piece.end - piece.start > size or len(group) >= _MOST):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _bytes(pieces: Iterable[Piece]) -> int:
    return sum(piece.end - piece.start for piece in pieces)


def _merged(future: Future[Ended], tally: SurveyTally, job: SurveyJob) -> str:
    """Merge what a worker found; return why there is nothing, or an empty text."""
    try:
        ended = future.result()
        if ended.answer is None:
            return ended.sentence
        tally.merge(SurveyTally.of(ended.answer.tally, job.codecs, job.sample))
    except (RunError, ValueError) as error:
        return str(error)
    return ""
