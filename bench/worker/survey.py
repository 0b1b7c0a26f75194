"""The survey of a piece of a corpus: every record is counted, described, and sent through every codec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ...codecs import CodecError, codec
from ...codecs.core.diagnose import explain
from ...datasets.passes import ReadOptions
from ...datasets.readers.formats import file_formats
from ...datasets.readers.problems import Problems
from ...datasets.sampling import MergedSample, record_keys
from ...datasets.shards import Piece, records
from ...datasets.writing import framed
from ...errors import RunError
from ..equality.equal import equal, written
from ..equality.losses import find_losses
from ..jobs import Answer, CorpusInputs
from ..messages.survey import Surveyed, SurveyJob, SurveyPiece
from ..operations.base import CodecParts
from ..survey import SAMPLE_ROOM, CodecTally, Position, SurveyTally, example
from .context import WorkerContext
from .parts import codec_parts

_BEAT = 64
"""Records between two signs of life."""


def run(job: SurveyJob, context: WorkerContext) -> Answer:
    """Survey the records of the pieces.

    Raises:
        RunError: One cannot be read, or a record of the sample cannot be written.
        CodecError: A codec cannot be built.
    """
    surveyor = Surveyor(job, context.blobs)
    tally, reading = surveyor.tally, ReadOptions.of(**job.how)
    for piece in job.pieces:
        context.beat(0)
        surveyor.begin(piece)
        problems = Problems(skip=reading.skip_invalid)
        for number, record in enumerate(records(_piece(piece), reading, problems)):
            if number % _BEAT == 0:
                context.beat(0)
                tally.fold()
            surveyor.add(record, number)
        tally.add_bad(
            [
                example((piece.number, piece.start, place), where, why)
                for place, (where, why) in enumerate(problems.kept)
            ],
            problems.total,
        )
    return Surveyed(tally.plain())


def _piece(piece: SurveyPiece) -> Piece:
    return Piece(piece.shard, piece.start, piece.end)


class Surveyor:
    """Surveys the records of pieces.

    Args:
        job: The job, with at least one piece, the first of which is begun.
        blobs: The schema by its digest, if there is one.

    Attributes:
        tally: The findings so far.

    Raises:
        CodecError: A codec cannot be built.
    """

    def __init__(self, job: SurveyJob, blobs: Mapping[str, bytes]) -> None:
        self.tally = SurveyTally(job.codecs, MergedSample(job.sample, SAMPLE_ROOM, job.cut))
        corpus = CorpusInputs("", job.schema)
        self._parts = {name: codec_parts(name, corpus, blobs, checking=True) for name in job.codecs}
        self._job = job
        self._encode = codec("json").encode
        self._keep = framed(file_formats()[job.sample_format])[1] if job.sample else None
        self.begin(job.pieces[0])

    def begin(self, piece: SurveyPiece) -> None:
        """Begin a piece."""
        self._place = piece.number, piece.start
        self._where = str(_piece(piece))
        self._key = record_keys(self._job.seed, f"{piece.shard} {piece.start}")

    def add(self, record: Any, number: int) -> None:
        """Add a record, by its number in the piece.

        Raises:
            RunError: It belongs to the sample, and cannot be written.
        """
        position, where = (*self._place, number), self._where
        self.tally.profile.add(record)
        self.tally.observed.add(record, position)
        with suppress(CodecError):
            self.tally.profile.json.fresh[len(self._encode(record))] += 1
        text = written(record)
        sizes = [
            _round_trip(parts, self.tally.codecs[name], record, text, position, where)
            for name, parts in self._parts.items()
        ]
        if self._keep is not None and (key := self._key(number)) < self.tally.sample.cut:
            try:
                self.tally.sample.add(key, self._keep(record), tuple(sizes))
            except CodecError as error:
                raise RunError(
                    f"{where}, record {number + 1:,}: cannot be written to the sample: {error.reason}; "
                    "use another format for it"
                ) from error


def _round_trip(
    parts: CodecParts, tally: CodecTally, record: Any, text: bytes | None, position: Position, piece: str
) -> int:
    """Encode, decode and compare a record; return the length of its payload, -1 if there is none."""

    def add(outcome: str, what: Callable[[], str]) -> None:
        setattr(tally, outcome, getattr(tally, outcome) + 1)
        if tally.wants(outcome):
            tally.add_examples(outcome, [example(position, where, what())])

    where = f"{piece}, record {position[-1] + 1:,}"
    length = -1
    try:
        (taken,) = parts.taken([record])
        payload = parts.bare.encode(taken)
        length = len(payload)
        tally.payloads.fresh[length] += 1
        found = parts.bare.decode(payload)
        if parts.fix is not None:
            found = parts.fix(found)
        if parts.give is not None:
            found = parts.give(found)
    except CodecError as error:
        reason = error.reason
        add("refused", lambda: explain(parts.bare, record) if length < 0 else f"its own payload: {reason}")
        return length
    except Exception as error:  # noqa: BLE001 - a codec may raise anything, which costs only this record
        raised = f"raised {type(error).__name__}: {error}"
        add("refused", lambda: raised)
        return length
    if text is not None and text == written(found):
        return length
    if not equal(record, found, order="key_order" in parts.codec.preserves):
        judgement = find_losses(record, found, parts.codec.preserves, parts.codec.losses)
        if (wrong := judgement.wrong) is not None:
            add("wrong", lambda: wrong)
        else:
            tally.lossy += 1
            tally.add_losses(
                {kind: example(position, where, text) for kind, text in judgement.losses.items()}
            )
    return length
