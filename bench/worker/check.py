"""The check: every record of the sample is encoded, decoded and compared, in a separate process.

It decides whether a codec may be timed, and stores its payloads for later measurements.
"""

from __future__ import annotations

import gc
import os
import time
from base64 import b64decode
from contextlib import closing
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...codecs import CodecError, EncodeError, MissingLibrary, describe, facts, split_name
from ...errors import UsageError
from ..capabilities import here
from ..code import imported, of_pickle
from ..equality.equal import equal, first_difference, written
from ..equality.losses import FidelityJudgement, find_losses
from ..jobs import Answer
from ..messages.check import Check, Checked
from ..method import Checks
from ..operations import operation
from ..operations.base import CodecParts, Measured, Operation, UnfitError
from ..results import CheckFacts
from .context import WorkerContext
from .costs import costs
from .limits import beyond
from .parts import codec_parts
from .records import CheckedPayloads, PickledSample
from .work import TimedWork, context_of, work

if TYPE_CHECKING:
    from ..results import FigureDetails, Outcome

_ROUND_TRIP = ("dump", "load", "fix")
"""The timed operations that make up the round trip."""


class _EndedError(Exception):
    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(outcome, reason)
        self.outcome = outcome
        self.reason = reason


def run(job: Check, context: WorkerContext) -> Answer:
    """Check one codec."""
    sample = PickledSample.of(context.blobs[job.corpus.sample])
    context.beat(0)
    try:
        parts = codec_parts(job.codec, job.corpus, context.blobs, checking=True)
    except MissingLibrary as error:
        return Checked("missing", error.reason)
    except CodecError as error:
        return Checked("error", error.reason)
    except UsageError as error:
        # The codec does not support the corpus's schema; this must not end the run of the others.
        return Checked("unsupported", str(error))
    told = facts(parts.codec) | {"name": job.codec, "extra": describe(job.codec).extra}
    check = _Check(job, context, parts, sample)
    try:
        check.round_trips()
    except _EndedError as end:
        return Checked(end.outcome, end.reason, told, facts=_only_code(job, context, parts))
    check.try_others()
    figures, details = check.figures()
    try:
        taken = check.costs()
    except CodecError as error:
        reason = f"accepted a record once, then rejected it: {error.reason}"
        return Checked("error", reason, told, facts=_only_code(job, context, parts))
    return check.passed(told, figures, details, taken)


def _only_code(job: Check, context: WorkerContext, parts: CodecParts) -> CheckFacts:
    """Return the facts about a codec that failed."""
    return CheckFacts(0, 0, code=_code(job, context, parts))


def _code(job: Check, context: WorkerContext, parts: CodecParts) -> dict[str, str]:
    """Return what `CheckFacts.code` holds, after the codec was used: modules may be imported late."""
    found = imported(parts.codec.library, parts.codec.version)
    if job.corpus.schema:
        found["schema"] = of_pickle(context.blobs[job.corpus.schema])
    if (text := job.pickled_codecs.get(split_name(job.codec)[0])) is not None:
        found["object"] = of_pickle(b64decode(text))
    return found


class _Check:
    """The check of one codec and its findings so far.

    Attributes:
        payloads: Payloads in the order of the sample.
        seconds: Seconds of each record, by operation.
        compared: Records that were encoded, decoded and compared; a slow codec's others are encoded only.
        calls: Number of records per call, if not one, by operation.
        judgement: Losses.
        lossy: Records that lost something.
        counted: Operations whose calls are not one per record; all of these calls were made.
        failed: Outcome and reason of operations that cannot be timed.
    """

    def __init__(self, job: Check, context: WorkerContext, parts: CodecParts, sample: PickledSample) -> None:
        self._job = job
        self._context = context
        self._parts = parts
        self._sample = sample
        self._operations = [operation(name) for name in job.operations]
        self.payloads: list[bytes] = []
        self.seconds: dict[str, list[float]] = {name: [] for name in _ROUND_TRIP}
        self.compared = 0
        self.calls: dict[str, int] = {}
        self.judgement = FidelityJudgement()
        self.lossy = 0
        self.counted: set[str] = set()
        self.failed: dict[str, tuple[Outcome, str]] = {}

    def round_trips(self) -> None:
        """Encode, decode and compare the records.

        Raises:
            _EndedError: The codec may not be timed.
        """
        me = os.getpid()
        begun = time.perf_counter()
        for index in range(len(self._sample.pickles)):
            spent = time.perf_counter() - begun if index >= Checks.CHECKED else 0.0
            if spent > Checks.VERY_SLOW * self._job.seconds:
                break
            self._context.beat(0)
            comparing = spent <= self._job.seconds and self.compared == index
            payload, text = self._encoded(index, comparing=comparing)
            self._note("dump")
            if comparing:
                self._compare(index, payload, text)
                self._note("load")
                self.compared += 1
            self.payloads.append(payload)
            if os.getpid() != me:
                os._exit(0)  # the codec forked; the original process answers
            if _has_children():
                raise _EndedError("error", f"starts processes (at record {index + 1})")

    def try_others(self) -> None:
        """Try the timed operations outside the round trip."""
        for declared in self._operations:
            if declared.phase != "time" or declared.name in _ROUND_TRIP:
                continue
            if declared.schema and self._parts.fix is None:
                continue
            try:
                self.seconds[declared.name] = self._tried(declared)
            except _EndedError as end:
                self.failed[declared.name] = end.outcome, end.reason

    def figures(self) -> tuple[dict[str, float], dict[str, FigureDetails]]:
        """Return the figures of the check and their facts, by operation."""
        found: dict[str, float] = {}
        details: dict[str, FigureDetails] = {}
        for declared in self._operations:
            if declared.phase != "check":
                continue
            context = context_of(declared, self._parts, self._sample, self.payloads, self._job.backends)
            try:
                come = declared.carry_out(context)
                if isinstance(come, Measured):
                    details[declared.name], come = come.details(), come.value
                found[declared.name] = come
            except UnfitError as error:
                self.failed[declared.name] = "unsupported", str(error)
            except Exception as error:  # noqa: BLE001 - only this cell fails, whatever is raised
                reason = f"{declared.name} raised {type(error).__name__}: {error}"
                self.failed[declared.name] = "error", reason
        return found, details

    def costs(self) -> dict[str, list[float]]:
        """Return the cost of each record by operation.

        For a record that was only encoded, it is estimated from the payload's length.

        Raises:
            CodecError: In a second pass, it refuses a record that it accepted before.
        """
        found = {}
        seconds = Checks.COSTS * self._job.seconds
        for name, taken in self.seconds.items():
            if not taken:
                continue
            rate = sum(taken) / max(1, sum(len(payload) for payload in self.payloads[: len(taken)]))
            rest = [rate * max(1, len(payload)) for payload in self.payloads[len(taken) :]]
            if name in self.counted:
                rest = []
            found[name] = taken + rest
            if not rest and sum(taken) < seconds:
                with closing(self._work(name)) as made:
                    if made.records == 1 or made.calls is not None:
                        found[name] = costs(made, taken, seconds, lambda: self._context.beat(0))
        return found

    def passed(
        self,
        told: dict[str, Any],
        figures: dict[str, float],
        details: dict[str, FigureDetails],
        taken: dict[str, list[float]],
    ) -> Checked:
        """Return the answer for a codec that may be timed.

        Args:
            told: Facts about the codec.
            figures: As returned by `figures`, like `details`.
            taken: As returned by `costs`.
        """
        parts, blobs = self._parts, self._context.blobs
        wanted, compression = len(self._sample.pickles), parts.bare.compression
        dictionary = None if compression is None else compression.dictionary
        partly = f"checked on {self.compared} of {wanted} records; the codec is slow"
        return Checked(
            "lossy" if self.judgement.losses else "ok",
            partly if self.compared < wanted else "",
            told,
            loss=tuple(self.judgement.losses.values()),
            facts=self._facts(),
            fixes=parts.fix is not None,
            figures=figures,
            details=details,
            failed=self.failed,
            rough={name: fmean(spent) / self.calls.get(name, 1) for name, spent in taken.items()},
            calls=self.calls,
            payloads=blobs.put(CheckedPayloads(self.payloads, taken).stored()),
            length=sum(map(len, self.payloads)),
            dictionary="" if dictionary is None else blobs.put(dictionary),
        )

    def _facts(self) -> CheckFacts:
        parts = self._parts
        return CheckFacts(
            records=self.compared,
            encoded=len(self.payloads),
            lossy=self.lossy,
            limits=beyond(self._job.codec, parts, self._sample, self.payloads),
            definition="" if parts.codec.bound is None else parts.codec.bound.definition,
            as_is=_as_is(parts, self._sample),
            code=_code(self._job, self._context, parts),
        )

    def _work(self, name: str) -> TimedWork:
        return work(self._parts, name, self._sample, self.payloads, urls=self._job.backends)

    def _tried(self, declared: Operation) -> list[float]:
        """Call an operation once on each record that was compared; return the seconds of each."""
        found = []
        where = "before the first record"
        try:
            with closing(self._work(declared.name)) as made:
                clock = time.perf_counter if made.waits else time.thread_time
                batch = made.batches(range(len(self.payloads) if made.calls is None else made.calls))
                if made.records > 1:
                    self.calls[declared.name] = made.records
                if made.calls is not None:
                    self.counted.add(declared.name)
                for index in range(_calls(made, self.compared)):
                    self._context.beat(0)
                    where = _where(index if made.calls is None else index * made.records)
                    items, at = batch(index, 1)
                    begin = clock()
                    came = made.call(items[at])
                    found.append(max(1e-9, clock() - begin))
                    if made.expected is not None:
                        difference = first_difference(made.expected(index), came)
                        if difference is not None:
                            raise _EndedError("wrong", f"{declared.name}: {difference}; {where}")
        except UnfitError as error:
            raise _EndedError("unsupported", str(error)) from error
        except CodecError as error:
            raise _EndedError("error", f"{declared.name}: {error.reason}; {where}") from error
        except _EndedError:
            raise
        except Exception as error:
            raise _EndedError(
                "error", f"{declared.name} raised {type(error).__name__}: {error}; {where}"
            ) from error
        return found if made.records == 1 or made.calls is not None else found * self.compared

    def _note(self, name: str) -> None:
        """Record the time of a slow call, as there may be no time for more."""
        if (spent := self.seconds[name][-1]) > Checks.LONG:
            self._context.note({name: spent})

    def _encoded(self, index: int, *, comparing: bool) -> tuple[bytes, bytes | None]:
        """Encode a record, which must not change; return its payload, and the record as `written`."""
        parts, sample = self._parts, self._sample
        record = sample.record(index)
        if len(sample.pickles[index]) > Checks.LARGE:
            gc.freeze()  # the collector must not traverse our copy during a codec's call, as in timing
        text = written(record) if comparing else None
        (taken,) = parts.taken([record])
        begin = time.thread_time()
        try:
            payload = parts.bare.encode(taken)
        except EncodeError as error:
            raise _refused(parts, record, error, _where(index)) from error
        self.seconds["dump"].append(_since(begin))
        if not isinstance(payload, bytes):
            raise _EndedError("error", f"encode returned `{type(payload).__name__}`, not bytes")
        if comparing and (text is None or text != written(record)):
            difference = first_difference(sample.record(index), record)
            if difference is not None:
                raise _EndedError("wrong", f"encode changed the record itself: {difference}; {_where(index)}")
        return payload, text

    def _compare(self, index: int, payload: bytes, text: bytes | None) -> None:
        """Decode a payload and compare the result with the record, which is `text` as `written`."""
        parts, where = self._parts, _where(index)
        begin = time.thread_time()
        found = _decoded(parts, payload, where)
        self.seconds["load"].append(spent := _since(begin))
        again = index < Checks.CHECKED and spent < Checks.LONG and isinstance(found, dict | list)
        if again and _decoded(parts, payload, where) is found:
            raise _EndedError("wrong", f"decode returned the same object for two calls; {where}")
        if parts.fix is not None:
            begin = time.thread_time()
            found = parts.fix(found)
            self.seconds["fix"].append(_since(begin))
        if parts.give is not None:
            found = parts.give(found)
        if text is not None and text == written(found):
            return
        expected = self._sample.record(index)
        if not equal(expected, found, order="key_order" in parts.codec.preserves):
            judgement = find_losses(expected, found, parts.codec.preserves, parts.codec.losses)
            if judgement.wrong is not None:
                raise _EndedError("wrong", f"{judgement.wrong}; {where}")
            self.judgement.merge(judgement)
            self.lossy += 1


def _calls(made: TimedWork, compared: int) -> int:
    """Return how many calls of an operation the check makes, after `compared` records."""
    if made.calls is not None:
        return min(made.calls, -(-compared // made.records))
    return compared if made.records == 1 else min(compared, 1)


def _as_is(parts: CodecParts, sample: PickledSample) -> bool:
    """Return whether the codec takes and returns records without conversion."""
    bound = parts.codec.bound
    record = sample.record(0)
    return bound is not None and bound.as_is and bound.take is not None and bound.take(record) is record


def _since(begin: float) -> float:
    """Return the seconds of processor time since `begin`; above 0."""
    return max(1e-9, time.thread_time() - begin)


def _where(index: int) -> str:
    return f"record {index + 1} of the sample"


def _decoded(parts: CodecParts, payload: bytes, where: str) -> Any:
    try:
        return parts.bare.decode(payload)
    except CodecError as error:
        outcome: Outcome = "out of memory" if _ran_out(error) else "error"
        raise _EndedError(outcome, f"it refuses its own payload: {error.reason}; {where}") from error


def _refused(parts: CodecParts, record: Any, error: EncodeError, where: str) -> _EndedError:
    """Distinguish a type that the codec does not support from a broken codec."""
    if _ran_out(error):
        return _EndedError("out of memory", f"{error.reason}; {where}")
    from ...codecs.core.diagnose import explain

    cause = error.__cause__
    expected = (TypeError, ValueError, OverflowError, RecursionError)
    broken = cause is not None and not isinstance(cause, expected) and type(cause).__module__ == "builtins"
    if broken:
        return _EndedError("error", f"encode raised {type(cause).__name__}: {cause}; {where}")
    return _EndedError("unsupported", f"{explain(parts.bare, record)}; {where}")


def _ran_out(error: BaseException) -> bool:
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, MemoryError):
            return True
        link = link.__cause__ or link.__context__
    return False


def _has_children() -> bool:
    """Return whether this process has children, dead or alive; one system call, and never where none is."""
    if not here().children:
        return False
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
