"""Conduct a survey: send the pieces of a corpus to workers, merge what they find, name what is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace

from ...datasets.sampling import MergedSample
from ...datasets.shards import Piece
from ...errors import RunError
from ..jobs import Ended, Executor, Survey
from ..survey import SAMPLE_ROOM, SurveyTally

PATIENCE = 120.0
"""Seconds without a record after which a worker is ended."""
_TRIES = 2


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
    executor: Executor,
    pieces: Sequence[Piece],
    job: Survey,
    schema: bytes = b"",
    *,
    abreast: int,
    watch: Callable[[int, int], object] = lambda done, total: None,
    patience: float = PATIENCE,
) -> SurveyFindings:
    """Survey all pieces.

    Args:
        executor: Runs the workers. Their machines must be able to read the shards.
        pieces: As returned by `datasets.shards.pieces`.
        job: The job of any piece.
        schema: The content that `job.schema` names.
        abreast: Pieces that are in work or waiting for a worker at the same time.
        watch: Called with the bytes that are done, and the total.
        patience: Seconds without a record after which a worker is ended.

    Raises:
        UsageError: The request is impossible, for instance because a library is missing.
    """
    numbers = {shard: number for number, shard in enumerate(dict.fromkeys(piece.shard for piece in pieces))}
    found = SurveyFindings(SurveyTally(job.codecs, MergedSample(job.sample, SAMPLE_ROOM)), pieces)
    inputs = {job.schema: schema} if schema else {}
    total = sum(piece.end - piece.start for piece in pieces)
    waiting = deque((piece, 1) for piece in pieces)
    running: dict[Future[Ended], tuple[Piece, int]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < abreast:
                piece, tries = waiting.popleft()
                one = replace(
                    job,
                    shard=piece.shard,
                    number=numbers[piece.shard],
                    start=piece.start,
                    end=piece.end,
                    cut=found.tally.sample.cut,
                )
                running[executor.submit(one, inputs, patience=patience)] = piece, tries
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                piece, tries = running.pop(future)
                if reason := _merged(future, found.tally, job):
                    if tries < _TRIES:
                        waiting.append((piece, tries + 1))
                        continue
                    found.lost[piece] = reason
                else:
                    found.done.add(piece)
                watch(_bytes((*found.done, *found.lost)), total)
    except KeyboardInterrupt:
        found.interrupted = True
    return found


def _bytes(pieces: Iterable[Piece]) -> int:
    return sum(piece.end - piece.start for piece in pieces)


def _merged(future: Future[Ended], tally: SurveyTally, job: Survey) -> str:
    """Merge what a worker found; return why there is nothing, or an empty text."""
    try:
        ended = future.result()
        if ended.answer is None:
            return ended.sentence
        tally.merge(SurveyTally.of(ended.answer.tally, job.codecs, job.sample))
    except (RunError, ValueError) as error:
        return str(error)
    return ""
