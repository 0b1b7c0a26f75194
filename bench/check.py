"""The check: every record of the sample through encode, decode and comparison, in a process of its own.

It decides whether a codec may be timed at all, and leaves the payloads for those who time it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from ..codecs import CodecError, EncodeError, MissingLibrary, describe
from ..errors import UsageError
from .contestant import Contestant, contestant
from .equality import equal, first_difference
from .heartbeat import Heartbeat
from .judge import Judgement, judge
from .sample import Sample, fixed_share, read_sample, write_payloads

if TYPE_CHECKING:
    from .results import Outcome

__all__ = ["facts_of", "run"]

_AT_LEAST = 10
"""Records that even the slowest codec is checked on."""


class _EndedError(Exception):
    """The check is over before its time."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(outcome, reason)
        self.outcome = outcome
        self.reason = reason


@dataclass(slots=True)
class _Seen:
    """What the records so far showed."""

    payloads: list[bytes] = field(default_factory=list)
    dump: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    advise: list[float] = field(default_factory=list)
    judgement: Judgement = field(default_factory=Judgement)
    lossy: int = 0


def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """Check one codec.

    Args:
        job: ``codec``, ``folder``, ``payloads`` (file to write), ``seconds`` (slow codecs stop
            checking then), ``heartbeat``.

    Returns:
        ``outcome``, ``reason``, ``loss``, ``codec`` (facts), ``records`` checked, ``size`` (mean
        bytes of a payload), ``dump``, ``load``, ``advise`` (seconds a call, median), ``fixed`` (by
        operation, see `sample.fixed_share`).
    """
    folder = Path(job["folder"])
    sample = read_sample(folder / "sample")
    heartbeat = Heartbeat(Path(job["heartbeat"]))
    heartbeat.beat(0)
    try:
        parts = contestant(job["codec"], folder)
    except MissingLibrary as error:
        return {"outcome": "missing", "reason": error.reason}
    except CodecError as error:
        return {"outcome": "error", "reason": error.reason}
    except UsageError as error:
        # The corpus's schema has no form in this codec; that must not end the others' run.
        return {"outcome": "unsupported", "reason": str(error)}
    answer: dict[str, Any] = {"codec": facts_of(job["codec"], parts)}
    try:
        seen = _through(parts, sample, heartbeat, job["seconds"])
    except _EndedError as end:
        return answer | {"outcome": end.outcome, "reason": end.reason}
    count = len(seen.payloads)
    write_payloads(seen.payloads, folder / job["payloads"])
    partly = f"checked on {count} of {len(sample.pickles)} records; the codec is slow"
    return answer | {
        "outcome": "lossy" if seen.judgement.losses else "ok",
        "reason": partly if count < len(sample.pickles) else "",
        "loss": list(seen.judgement.losses.values()),
        "lossy": seen.lossy,
        "records": count,
        "fixes": parts.fix is not None,
        "size": sum(map(len, seen.payloads)) / sum(sample.weights[:count]),
        "dump": median(seen.dump),
        "load": median(seen.load),
        "advise": median(seen.advise) if seen.advise else 0.0,
        "fixed": {
            name: fixed_share(sample.weights[:count], taken)
            for name, taken in (("dump", seen.dump), ("load", seen.load), ("advise", seen.advise))
            if taken
        },
    }


def facts_of(name: str, parts: Contestant) -> dict[str, Any]:
    """Return the facts of a codec for the result file."""
    codec = parts.codec
    return {
        "name": name,
        "format": codec.format,
        "library": codec.library,
        "version": codec.version,
        "accelerated": codec.accelerated,
        "trusted_only": codec.trusted_only,
        "media_type": codec.media_type,
        "interoperable": codec.interoperable,
        "extra": describe(name).extra,
        "carries": sorted(codec.carries),
        "losses": list(codec.losses),
        "notes": list(codec.notes),
    }


def _through(parts: Contestant, sample: Sample, heartbeat: Heartbeat, seconds: float) -> _Seen:
    seen = _Seen()
    me = os.getpid()
    end = time.perf_counter() + seconds
    for index in range(len(sample.pickles)):
        if index >= _AT_LEAST and time.perf_counter() > end:
            break
        heartbeat.beat(0)
        _one(parts, sample, index, seen)
        if os.getpid() != me:
            os._exit(0)  # the codec forked; the original tells
        if _has_children():
            raise _EndedError("error", f"starts processes of its own (at record {index + 1})")
    return seen


def _one(parts: Contestant, sample: Sample, index: int, seen: _Seen) -> None:
    record, expected = sample.record(index), sample.record(index)
    (taken,) = parts.taken([record])
    where = f"record {index + 1} of the sample"
    begin = time.perf_counter()
    try:
        payload = parts.bare.encode(taken)
    except EncodeError as error:
        raise _refused(parts, record, error, where) from error
    encoded = time.perf_counter()
    if not isinstance(payload, bytes):
        raise _EndedError("error", f"encode returned `{type(payload).__name__}`, not bytes")
    if (difference := first_difference(expected, record)) is not None:
        raise _EndedError("wrong", f"encode changed the record itself: {difference}; {where}")
    ready = time.perf_counter()
    found = _decoded(parts, payload, where)
    decoded = time.perf_counter()
    if index < _AT_LEAST and isinstance(found, dict | list) and _decoded(parts, payload, where) is found:
        raise _EndedError("wrong", f"decode returned one and the same object for two calls; {where}")
    if parts.fix is not None:
        fixing = time.perf_counter()
        found = parts.fix(found)
        seen.advise.append(time.perf_counter() - fixing)
    if parts.give is not None:
        found = parts.give(found)
    seen.payloads.append(payload)
    seen.dump.append(encoded - begin)
    seen.load.append(decoded - ready)
    if not equal(expected, found):
        judgement = judge(expected, found, parts.codec.carries, parts.codec.losses)
        if judgement.wrong is not None:
            raise _EndedError("wrong", f"{judgement.wrong}; {where}")
        seen.judgement.merge(judgement)
        seen.lossy += 1


def _decoded(parts: Contestant, payload: bytes, where: str) -> Any:
    try:
        return parts.bare.decode(payload)
    except CodecError as error:
        outcome: Outcome = "out of memory" if _ran_out(error) else "error"
        raise _EndedError(outcome, f"its own payload is refused: {error.reason}; {where}") from error


def _refused(parts: Contestant, record: Any, error: EncodeError, where: str) -> _EndedError:
    """Tell a type that the codec cannot carry from a codec that is broken."""
    if _ran_out(error):
        return _EndedError("out of memory", f"{error.reason}; {where}")
    from ..codecs.diagnose import explain

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
