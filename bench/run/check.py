"""The check phase: every codec passes its check in a process of its own before it may be measured."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ...codecs import describe, missing
from ...codecs.registry import bare_name
from ..operations import operation
from ..results import FLOOR, Cell, Outcome
from .context import Run, Stage, payloads_name
from .environment import abreast
from .processes import Ended

__all__ = ["check"]


def check(run: Run, stage: Stage) -> None:
    """Check all codecs on one corpus; `stage.checks` then holds those that may be measured."""
    codecs = run.options.codecs
    workers = ThreadPoolExecutor(abreast())
    try:
        waiting = {codec: workers.submit(_check_one, run, stage, codec) for codec in codecs}
        for done, (codec, future) in enumerate(waiting.items()):
            run.show(f"{stage.name}: checking {codec}", done, len(waiting))
            if (ended := _result(run, future)) is not None:
                _take(run, stage, codec, ended)
    finally:
        workers.shutdown(wait=False, cancel_futures=True)
    for name in run.options.timed():
        cell = Cell(stage.name, name, FLOOR)
        if operation(name).floor is not None and run.state.outcome(cell) is None:
            run.record({"kind": "cell", "cell": cell.name, "outcome": "ok"})


def _result(run: Run, future: Future[Ended | None]) -> Ended | None:
    if run.stopping and future.cancel():
        return None
    return future.result()


def _check_one(run: Run, stage: Stage, codec: str) -> Ended | None:
    if run.stopping:
        return None
    if (reason := missing(codec)) is not None:
        return Ended({"outcome": "missing", "reason": reason})
    job = run.job(
        "check",
        stage,
        codec=codec,
        payloads=payloads_name(run.options.codecs, codec),
        seconds=run.options.check_seconds,
        operations=sorted({operation(name).base for name in (*run.options.timed(), *_others(run))}),
    )
    return run.workshop.work(job, patience=run.options.cell_timeout)


def _take(run: Run, stage: Stage, codec: str, ended: Ended) -> None:
    answer: dict[str, Any] = ended.answer or {"outcome": ended.outcome, "reason": ended.reason}
    outcome: Outcome = answer["outcome"]
    # As the codec itself tells it: a third party's version need not be its package's.
    then, now = run.state.codecs.get(codec), answer.get("codec", {}).get("version")
    if then is not None and then.version and now is not None and now != then.version:
        stage.changed.append(f"{codec}: {then.library} {then.version} then, {now} now")
        return
    if codec not in run.state.codecs:
        run.record({"kind": "codec", "facts": _facts(codec, answer.get("codec"))})
    healthy = outcome in ("ok", "lossy")
    if healthy:
        stage.checks[codec] = answer
    for name in (*run.options.timed(), *_others(run)):
        declared = operation(name)
        if declared.schema and bare_name(codec) == codec:
            continue
        cell = Cell(stage.name, name, codec)
        if run.resumed and run.state.measured(cell):
            continue
        entry: dict[str, Any] = {
            "kind": "cell",
            "cell": cell.name,
            "outcome": outcome,
            "reason": answer["reason"],
            "loss": answer.get("loss", []),
            "stderr": "" if healthy else ended.stderr,
        }
        if healthy:
            entry["facts"] = {
                "records": answer["records"],
                "encoded": answer["encoded"],
                "lossy_records": answer["lossy"],
                **{f"limit_{key}": limit for key, limit in answer["limits"].items()},
            }
            if declared.phase == "check":
                entry["value"] = answer["figures"][name]
            elif declared.schema and not answer["fixes"]:
                entry["reason"] = "nothing to fix for this codec"
            elif declared.base in answer["failed"]:
                entry |= {"loss": [], **answer["failed"][declared.base]}
        run.record(entry)


def _others(run: Run) -> list[str]:
    return [name for name in run.options.operations if operation(name).phase != "time"]


def _facts(codec: str, facts: dict[str, Any] | None) -> dict[str, Any]:
    declared = describe(codec)
    bare = {
        "name": codec,
        "format": declared.format,
        "library": declared.library,
        "version": "",
        "accelerated": None,
        "trusted_only": declared.trusted_only,
    }
    return bare | {"extra": declared.extra} | (facts or {})
