"""The check: every record of the sample through encode, decode and comparison, in a process of its own.

It decides whether a codec may be timed at all, and leaves the payloads for those who time it.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...codecs import CodecError, EncodeError, MissingLibrary, describe, facts
from ...errors import UsageError
from ..jobs import Answer, Check, Checked
from ..lab.fidelity.equality import equal, first_difference, written
from ..lab.fidelity.losses import FidelityJudgement, find_losses
from ..method import Checks
from ..operations import operation
from ..operations.base import CodecParts, Measured, Operation, UnfitError
from .context import WorkerContext
from .costs import costs
from .limits import beyond
from .parts import codec_parts
from .records import Payloads, PickledSample
from .work import TimedWork, context_of, work

if TYPE_CHECKING:
    from ..results import Outcome

__all__ = ["run"]

Beat = Callable[[int], object]

_ROUND_TRIP = ("dump", "load", "fix")
"""The timed operations that the check itself goes through."""


class _EndedError(Exception):
    """The check is over before its time."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(outcome, reason)
        self.outcome = outcome
        self.reason = reason


@dataclass(slots=True)
class _Seen:
    """What the records so far showed.

    Attributes:
        payloads: In the order of the sample.
        seconds: By operation, of each record that went through it.
        compared: Records that went through all of the check; the others of a slow codec are encoded only.
        calls: By operation, how many records a call is for, if not for one.
        judgement: Losses.
        lossy: Records that lost something.
        counted: Operations whose calls are not one for each record; all of them were made.
    """

    payloads: list[bytes] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in _ROUND_TRIP})
    compared: int = 0
    calls: dict[str, int] = field(default_factory=dict)
    judgement: FidelityJudgement = field(default_factory=FidelityJudgement)
    lossy: int = 0
    counted: set[str] = field(default_factory=set)


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
        # The corpus's schema has no form in this codec; that must not end the others' run.
        return Checked("unsupported", str(error))
    told = facts(parts.codec) | {"name": job.codec, "extra": describe(job.codec).extra}
    try:
        seen = _through(parts, sample, context, job.seconds)
    except _EndedError as end:
        return Checked(end.outcome, end.reason, told)
    chosen = [operation(name) for name in job.operations]
    failed = _others(parts, sample, seen, [o for o in chosen if o.phase == "time"], job.places, context.beat)
    figures, known = _figures(
        parts, sample, seen, [o for o in chosen if o.phase == "check"], job.places, failed
    )
    try:
        taken = _costs(parts, sample, seen, job.places, Checks.COSTS * job.seconds, lambda: context.beat(0))
    except CodecError as error:
        reason = f"what it took at first is refused when it comes again: {error.reason}"
        return Checked("error", reason, told)
    wanted, compression = len(sample.pickles), parts.bare.compression
    dictionary = None if compression is None else compression.dictionary
    partly = f"checked on {seen.compared} of {wanted} records; the codec is slow"
    return Checked(
        "lossy" if seen.judgement.losses else "ok",
        partly if seen.compared < wanted else "",
        told,
        loss=tuple(seen.judgement.losses.values()),
        lossy=seen.lossy,
        records=seen.compared,
        encoded=len(seen.payloads),
        fixes=parts.fix is not None,
        as_is=_as_is(parts, sample),
        figures=figures,
        known=known,
        failed=failed,
        definition="" if parts.codec.bound is None else parts.codec.bound.definition,
        rough={name: fmean(spent) / seen.calls.get(name, 1) for name, spent in taken.items()},
        calls=seen.calls,
        limits=beyond(job.codec, parts, sample, seen.payloads),
        payloads=context.blobs.put(Payloads(seen.payloads, taken).stored()),
        dictionary="" if dictionary is None else context.blobs.put(dictionary),
    )


def _costs(
    parts: CodecParts,
    sample: PickledSample,
    seen: _Seen,
    places: Mapping[str, str],
    seconds: float,
    beat: Callable[[], object],
) -> dict[str, list[float]]:
    """Return what each record takes, by operation; one that was only encoded counts by its payload's length.

    Args:
        parts: The codec.
        sample: The records.
        seen: What the check saw.
        places: Where operations' places are, as far as these are servers.
        seconds: That finding it out more surely may take for an operation.
        beat: Called before each further call.

    Raises:
        CodecError: It refuses in a further pass what it has taken before.
    """
    found = {}
    for name, taken in seen.seconds.items():
        if not taken:
            continue
        rate = sum(taken) / max(1, sum(len(payload) for payload in seen.payloads[: len(taken)]))
        rest = [rate * max(1, len(payload)) for payload in seen.payloads[len(taken) :]]
        if name in seen.counted:
            rest = []
        found[name] = taken + rest
        if not rest and sum(taken) < seconds:
            with closing(work(parts, name, sample, seen.payloads, places=places)) as made:
                if made.records == 1 or made.calls is not None:
                    found[name] = costs(made, taken, seconds, beat)
    return found


def _others(
    parts: CodecParts,
    sample: PickledSample,
    seen: _Seen,
    chosen: Sequence[Operation],
    places: Mapping[str, str],
    beat: Beat,
) -> dict[str, tuple[Outcome, str]]:
    """Go through the timed operations that are no part of the round trip; return why which cannot be timed.

    What each record takes joins `seen`.
    """
    failed: dict[str, tuple[Outcome, str]] = {}
    for declared in chosen:
        if declared.name in _ROUND_TRIP or (declared.schema and parts.fix is None):
            continue
        try:
            seen.seconds[declared.name] = _tried(parts, sample, seen, declared, places, beat)
        except _EndedError as end:
            failed[declared.name] = end.outcome, end.reason
    return failed


def _figures(
    parts: CodecParts,
    sample: PickledSample,
    seen: _Seen,
    chosen: Sequence[Operation],
    places: Mapping[str, str],
    failed: dict[str, tuple[Outcome, str]],
) -> tuple[dict[str, float], dict[str, Mapping[str, Any]]]:
    """Return the figures of the check and what is known besides, by operation; why not joins `failed`."""
    found: dict[str, float] = {}
    known: dict[str, Mapping[str, Any]] = {}
    for declared in chosen:
        try:
            come = declared.carry_out(context_of(declared, parts, sample, seen.payloads, places))
            if isinstance(come, Measured):
                known[declared.name], come = come.known(), come.value
            found[declared.name] = come
        except UnfitError as error:
            failed[declared.name] = "unsupported", str(error)
        except Exception as error:  # noqa: BLE001 - a cell fails alone, whatever it raises
            failed[declared.name] = "error", f"{declared.name} raised {type(error).__name__}: {error}"
    return found, known


def _tried(
    parts: CodecParts,
    sample: PickledSample,
    seen: _Seen,
    declared: Operation,
    places: Mapping[str, str],
    beat: Beat,
) -> list[float]:
    """Call an operation once on each record that was compared; return the seconds that each took."""
    found = []
    where = "before the first record"
    try:
        with closing(work(parts, declared.name, sample, seen.payloads, places=places)) as made:
            clock = time.perf_counter if made.waits else time.thread_time
            batch = made.batches(range(len(seen.payloads) if made.calls is None else made.calls))
            if made.records > 1:
                seen.calls[declared.name] = made.records
            if made.calls is not None:
                seen.counted.add(declared.name)
            for index in range(_calls(made, seen.compared)):
                beat(0)
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
    return found if made.records == 1 or made.calls is not None else found * seen.compared


def _calls(made: TimedWork, compared: int) -> int:
    """Return how many calls of an operation the check makes, after so many records were compared."""
    if made.calls is not None:
        return min(made.calls, -(-compared // made.records))
    return compared if made.records == 1 else min(compared, 1)


def _through(parts: CodecParts, sample: PickledSample, context: WorkerContext, seconds: float) -> _Seen:
    seen = _Seen()
    me = os.getpid()
    begun = time.perf_counter()
    for index in range(len(sample.pickles)):
        spent = time.perf_counter() - begun if index >= Checks.CHECKED else 0.0
        if spent > Checks.VERY_SLOW * seconds:
            break
        context.beat(0)
        comparing = spent <= seconds and seen.compared == index
        payload, text = _encoded(parts, sample, index, seen, comparing=comparing)
        _note(context, seen, "dump")
        if comparing:
            _compare(parts, sample, index, payload, text, seen)
            _note(context, seen, "load")
            seen.compared += 1
        seen.payloads.append(payload)
        if os.getpid() != me:
            os._exit(0)  # the codec forked; the original tells
        if _has_children():
            raise _EndedError("error", f"starts processes of its own (at record {index + 1})")
    return seen


def _as_is(parts: CodecParts, sample: PickledSample) -> bool:
    """Whether records go into the codec, and come out of it, as they are."""
    bound = parts.codec.bound
    record = sample.record(0)
    return bound is not None and bound.as_is and bound.take is not None and bound.take(record) is record


def _since(begin: float) -> float:
    """Return the seconds of processor time since `begin`; above 0."""
    return max(1e-9, time.thread_time() - begin)


def _where(index: int) -> str:
    return f"record {index + 1} of the sample"


def _note(context: WorkerContext, seen: _Seen, operation: str) -> None:
    """Write down what a slow call took: there may be no time for more."""
    if (spent := seen.seconds[operation][-1]) > Checks.LONG:
        context.note({operation: spent})


def _encoded(
    parts: CodecParts, sample: PickledSample, index: int, seen: _Seen, *, comparing: bool
) -> tuple[bytes, bytes | None]:
    """Encode a record, which must stay as it is; return its payload, and the record as `written`."""
    record = sample.record(index)
    if len(sample.pickles[index]) > Checks.LARGE:
        gc.freeze()  # our copy must not be looked through while a codec works, as it is not in timing
    text = written(record) if comparing else None
    (taken,) = parts.taken([record])
    begin = time.thread_time()
    try:
        payload = parts.bare.encode(taken)
    except EncodeError as error:
        raise _refused(parts, record, error, _where(index)) from error
    seen.seconds["dump"].append(_since(begin))
    if not isinstance(payload, bytes):
        raise _EndedError("error", f"encode returned `{type(payload).__name__}`, not bytes")
    if comparing and (text is None or text != written(record)):
        difference = first_difference(sample.record(index), record)
        if difference is not None:
            raise _EndedError("wrong", f"encode changed the record itself: {difference}; {_where(index)}")
    return payload, text


def _compare(
    parts: CodecParts, sample: PickledSample, index: int, payload: bytes, text: bytes | None, seen: _Seen
) -> None:
    """Take a payload back and compare what comes with the record, which is `text` as `written`."""
    where = _where(index)
    begin = time.thread_time()
    found = _decoded(parts, payload, where)
    seen.seconds["load"].append(spent := _since(begin))
    again = index < Checks.CHECKED and spent < Checks.LONG and isinstance(found, dict | list)
    if again and _decoded(parts, payload, where) is found:
        raise _EndedError("wrong", f"decode returned one and the same object for two calls; {where}")
    if parts.fix is not None:
        begin = time.thread_time()
        found = parts.fix(found)
        seen.seconds["fix"].append(_since(begin))
    if parts.give is not None:
        found = parts.give(found)
    if text is not None and text == written(found):
        return
    expected = sample.record(index)
    if not equal(expected, found, order="key_order" in parts.codec.preserves):
        judgement = find_losses(expected, found, parts.codec.preserves, parts.codec.losses)
        if judgement.wrong is not None:
            raise _EndedError("wrong", f"{judgement.wrong}; {where}")
        seen.judgement.merge(judgement)
        seen.lossy += 1


def _decoded(parts: CodecParts, payload: bytes, where: str) -> Any:
    try:
        return parts.bare.decode(payload)
    except CodecError as error:
        outcome: Outcome = "out of memory" if _ran_out(error) else "error"
        raise _EndedError(outcome, f"its own payload is refused: {error.reason}; {where}") from error


def _refused(parts: CodecParts, record: Any, error: EncodeError, where: str) -> _EndedError:
    """Tell a type that the codec cannot carry from a codec that is broken."""
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
    """Whether this process has children, dead or alive; one system call."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
