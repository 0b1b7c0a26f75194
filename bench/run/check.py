"""The check phase: every codec must pass its check in a separate process before it is measured."""

from __future__ import annotations

import dataclasses
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from ...codecs import describe
from ...codecs.naming import bare_name
from ...codecs.streams.compression import dictionary_id
from ..jobs import Ended
from ..ledger import CellEntry, CodecEntry
from ..messages.check import Check, Checked
from ..operations import operation
from ..results import (
    BASELINE,
    CellFinding,
    CodecFacts,
    FigureDetails,
    built,
    fields_of,
)
from .context import Run, Stage

_FAST = ("orjson", "ormsgpack", "msgspec")
"""Fast libraries, which users want to see first."""
_SLOW = ("yaml",)
"""Formats that take a hundred times as long as others, in any library."""


def check(run: Run, stage: Stage) -> None:
    """Check all codecs on one corpus; afterwards `stage.checks` holds the codecs that may be measured."""
    codecs = stage.codecs
    operations = {operation(name).base for name in (*run.options.timed(), *run.options.untimed())}
    jobs = {
        codec: Check(
            memory=run.options.cell_memory,
            path=stage.path,
            modules=stage.modules,
            corpus=stage.corpus,
            codec=codec,
            seconds=stage.schedule.check_seconds,
            operations=tuple(sorted(operations)),
            backends=run.options.where(),
            libraries=stage.libraries,
        )
        for codec in codecs
    }
    reasons = {codec: run.executor.missing(codec) for codec in codecs}
    finished: list[object] = []

    def over() -> bool:
        return stage.schedule.check_over(len(finished))

    waiting = {
        codec: run.executor.submit(jobs[codec], patience=run.options.cell_timeout, over=over)
        for codec in sorted(codecs, key=check_position)
        if reasons[codec] is None
    }
    for future in waiting.values():
        future.add_done_callback(finished.append)
    for done, codec in enumerate(sorted(codecs, key=check_position)):
        run.show(f"{stage.name}: checking {codec}", done, len(codecs))
        if (reason := reasons[codec]) is not None:
            _take(run, stage, codec, Ended(None, "missing", reason))
        elif not (run.stopping and waiting[codec].cancel()):
            _take(run, stage, codec, waiting[codec].result())
            run.look()
    for name in run.options.timed():
        cell = operation(name).cell(stage.name, BASELINE)
        if operation(name).baseline and run.state.outcome(cell) is None:
            run.record(CellEntry(CellFinding(cell, "ok")))


def check_position(codec: str) -> int:
    """Return the position of a codec's check, so that the least interesting codecs run out of time first.

    Codecs that fit the schema or the values of these records come first, then fast libraries, then variants
    of the former. Slow formats come last.
    """
    declared = describe(codec)
    kinds = (
        "/" not in declared.name if declared.needs_schema else bool(declared.values),
        declared.library in _FAST and not declared.needs_schema,
        declared.needs_schema,
        declared.in_default_set and declared.format not in _SLOW,
        declared.in_default_set,
    )
    return kinds.index(True) if True in kinds else len(kinds)


def _take(run: Run, stage: Stage, codec: str, ended: Ended) -> None:
    answer: Checked = ended.answer or Checked(ended.outcome, _reason(ended))
    # As reported by the codec itself: a third party's version may differ from its package's.
    then, now = run.state.codecs.get(codec), answer.codec.get("version")
    if then is not None and then.differs(now):
        stage.changed.append(f"{codec}: {then.library} was {then.version}, is now {now}")
        return
    if run.resumed and (text := _other_code(run, stage, codec, answer)):
        stage.changed.append(text)
        return
    if codec not in run.state.codecs:
        run.record(CodecEntry(_facts(codec, answer.codec)))
    healthy = answer.outcome in ("ok", "lossy")
    if healthy:
        stage.checks[codec] = answer
    dictionary = run.executor.blobs[answer.dictionary] if answer.dictionary else b""
    facts = dataclasses.replace(
        answer.facts,
        dictionary_id=dictionary_id(dictionary) if dictionary else None,
        dictionary=b64encode(dictionary).decode(),
    )
    for name in (*run.options.timed(), *run.options.untimed()):
        declared = operation(name)
        if declared.schema and bare_name(codec) == codec:
            continue
        cell = declared.cell(stage.name, codec)
        if run.resumed and run.state.measured(cell):
            continue
        stderr = "" if healthy else ended.stderr
        found = CellFinding(cell, answer.outcome, answer.reason, answer.loss, stderr)
        if healthy:
            found = _measured(dataclasses.replace(found, check=facts), name, answer)
            # Storing the dictionary once is enough: it is longer than all other data.
            facts = dataclasses.replace(facts, dictionary="")
        run.record(CellEntry(found, answer.figures.get(name) if healthy else None))


def _measured(found: CellFinding, name: str, answer: Checked) -> CellFinding:
    """Return what the check of a healthy codec says about an operation."""
    declared = operation(name)
    if name in answer.figures:
        return dataclasses.replace(found, **fields_of(answer.details.get(name, FigureDetails())))
    if declared.schema and not answer.fixes:
        return dataclasses.replace(found, reason="nothing to fix for this codec")
    if declared.base in answer.failed:
        outcome, reason = answer.failed[declared.base]
        return dataclasses.replace(found, outcome=outcome, reason=reason, loss=())
    return dataclasses.replace(found, rough=answer.rough.get(declared.base))


def _other_code(run: Run, stage: Stage, codec: str, answer: Checked) -> str:
    """Describe how a codec's code differs from that of the resumed run; empty if it does not."""
    cells = (operation(name).cell(stage.name, codec) for name in run.options.timed())
    then = next(filter(None, map(run.state.check, cells)), None)
    if then is None or not answer.codec:
        return ""
    now = answer.facts.code
    changed = [name for name in sorted({*then.code, *now}) if then.code.get(name) != now.get(name)]
    return f"{codec}: other code of {', '.join(changed)}" if changed else ""


def _reason(ended: Ended) -> str:
    """Return why there is no answer, and the progress of a check that ran out of time."""
    if ended.outcome != "unfinished":
        return ended.in_run
    seen = {name: spent for note in ended.notes for name, spent in note.items()}
    took = " and ".join(f"a {name} took {spent:.2g} s" for name, spent in seen.items())
    return f"not enough time for the check{took and f', {took}'}; use --all"


def _facts(codec: str, facts: Mapping[str, Any]) -> CodecFacts:
    declared = describe(codec)
    bare = {
        "name": codec,
        "format": declared.format,
        "library": declared.library,
        "version": "",
        "accelerated": None,
        "trusted_only": declared.trusted_only,
    }
    return built(CodecFacts, bare | {"extra": declared.extra, "source": declared.source} | dict(facts))
