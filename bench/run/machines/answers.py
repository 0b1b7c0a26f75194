"""Answers of other machines, which are not trusted: typed, bounded, and those of the job."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ....codecs import describe
from ...heartbeat import IDLE
from ...jobs import Ended, Failed, Job, decode
from ...messages.alone import Alone, AloneAnswer
from ...messages.check import Check, Checked
from ...messages.survey import Surveyed, SurveyJob
from ...messages.timing import Time, Timed
from ...operations import OPERATIONS, operation
from ...results import CodecFacts, Fact, fields_of, typed
from ...survey import SurveyTally
from ..environment import MACHINE, is_fact
from ..state import FAILED

_Answer = Checked | Timed | AloneAnswer | Surveyed
_KINDS: Mapping[type[Job], type[_Answer]] = {
    Check: Checked,
    Time: Timed,
    Alone: AloneAnswer,
    SurveyJob: Surveyed,
}
"""The jobs that other machines get, and the kinds of their answers."""
_MOST_FACTS = 200
_MOST_CORES = 1 << 16
_BEATS = 1 << 63
_LINE = 2_000
"""Most characters of a text that is shown."""
_LONGEST = 1 << 20
"""Most characters of a schema in the format's own language."""
_DIGEST = re.compile(r"(?:[0-9a-f]{64})?")
_OWN = ("name", "format", "library", "trusted_only", "extra", "source")
"""Facts of a codec that are those of this machine."""


def ended_of(plain: Mapping[str, Any], job: Job) -> Ended:
    """Return how a job ended.

    Args:
        plain: The fields of an `Ended`, as the machine sent them.

    Raises:
        ValueError, TypeError, LookupError: It is not an answer to this job.
    """
    answer = plain["answer"]
    found = typed(
        Ended,
        {
            "answer": None,
            "outcome": plain["outcome"],
            "reason": text(plain["reason"]),
            "option": text(plain["option"]),
            "stderr": text(plain["stderr"]),
            "cell": plain["cell"],
            "host": text(plain["host"]),
        },
    )
    cells = len(job.cells) if isinstance(job, Time) else 1
    _require(IDLE <= found.cell < cells, "a cell is not of the job")
    _require(found.outcome in (FAILED if answer is None else ("ok",)), "an outcome without its answer")
    notes = plain["notes"] if isinstance(job, Check) else []
    _require(isinstance(notes, list) and all(isinstance(note, dict) for note in notes), "notes of a check")
    _figures(value for note in notes for value in note.values())
    return dataclasses.replace(
        found, answer=None if answer is None else _answer(answer, job), notes=tuple(notes)
    )


def facts_of(plain: Any) -> dict[str, Fact]:
    """Return the environment of a machine.

    Raises:
        ValueError: It is not one.
    """
    _require(isinstance(plain, dict) and len(plain) <= _MOST_FACTS, "it did not send facts about the machine")
    for name, value in plain.items():
        _require(is_fact(name, value), f"it sent a fact that cannot be: {name!r:.40} is {value!r:.40}")
    missing = [name for name in (*MACHINE, "pinned", "governor", "debug_build") if name not in plain]
    _require(not missing, f"it sent no fact {' or '.join(missing)}")
    return {name: text(value) if isinstance(value, str) else value for name, value in plain.items()}


def beat_of(plain: Any) -> tuple[int, int]:
    """Return the running cell of a job and the number of its heartbeats.

    Raises:
        ValueError: These are not.
    """
    _require(isinstance(plain, list) and len(plain) == 2, "the cells of jobs")
    _require(all(type(value) is int and abs(value) < _BEATS for value in plain), "the cells of jobs")
    return plain[0], plain[1]


def cores_of(plain: Any) -> list[int]:
    """Return the cores of a machine.

    Raises:
        ValueError: These are not cores.
    """
    _require(isinstance(plain, list) and 0 < len(plain) <= _MOST_CORES, "cores of the machine")
    _require(all(type(core) is int and 0 <= core < _MOST_CORES for core in plain), "cores of the machine")
    return list(plain)


def text(value: Any) -> str:
    """Return a text, cut to a length that can be shown.

    Raises:
        TypeError: It is not a text.
    """
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a text")
    return value[:_LINE]


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def _figures(values: Iterable[Any], least: float = 0.0) -> None:
    """Require finite numbers that are not below `least`."""
    for value in values:
        holds = type(value) in (int, float) and math.isfinite(value) and value >= least
        _require(holds, f"{value!r:.40} is not a figure")


def _answer(plain: Any, job: Job) -> _Answer:
    kind = _KINDS[type(job)]
    answer = decode(json.dumps(plain))
    _require(type(answer) is kind, f"an answer of another kind than {kind.kind}")
    typed(kind, {field.name: getattr(answer, field.name) for field in dataclasses.fields(answer)})
    if isinstance(answer, Checked):
        assert isinstance(job, Check)
        return _checked(answer, job)
    if isinstance(answer, Surveyed):
        assert isinstance(job, SurveyJob)
        SurveyTally.of(answer.tally, job.codecs, job.sample)
        return answer
    if isinstance(answer, Timed):
        assert isinstance(job, Time)
        return _timed(answer, job)
    assert isinstance(job, Alone)
    return _found(answer, job)


def _checked(answer: Checked, job: Check) -> Checked:
    names = set(job.operations)
    for given in (answer.figures, answer.details, answer.failed, answer.rough, answer.calls):
        _require(given.keys() <= names | {"dump", "load", "fix"}, "an operation that is not of the job")
    _figures((*answer.figures.values(), *answer.rough.values()))
    check = answer.facts
    _figures((check.records, check.encoded, check.lossy, answer.length, *check.limits.values()))
    _figures(answer.calls.values(), 1)
    for digest in (answer.payloads, answer.dictionary):
        _require(_DIGEST.fullmatch(digest) is not None, "a digest")
    _require(len(check.definition) <= _LONGEST, "a definition that is too long")
    healthy = answer.outcome in ("ok", "lossy")
    _require(not healthy or bool(answer.payloads), "a codec that passed has no payloads")
    facts = {key: value for key, value in answer.codec.items() if key not in _OWN}
    if facts:
        facts["unguarded"] = describe(job.codec).unguarded
        base = {"name": job.codec, "format": "", "library": "", "version": "", "accelerated": None}
        typed(CodecFacts, base | facts)
    return dataclasses.replace(
        answer,
        codec=facts,
        reason=text(answer.reason),
        loss=tuple(map(text, answer.loss[:_MOST_FACTS])),
        failed={name: (outcome, text(reason)) for name, (outcome, reason) in answer.failed.items()},
    )


def _timed(answer: Timed, job: Time) -> Timed:
    indices = {str(index) for index in range(len(job.cells))}
    _require(answer.cells.keys() | answer.errors.keys() <= indices, "a cell is not of the job")
    for figure in answer.cells.values():
        _figures(value for key, value in fields_of(figure).items() if key != "drift")
    _figures((answer.harness, answer.dirty, answer.contention, answer.free_level))
    _require(answer.reference_kernel > 0, "a time is not above 0")
    return dataclasses.replace(answer, errors={index: _failed(each) for index, each in answer.errors.items()})


def _failed(each: Failed) -> Failed:
    return dataclasses.replace(each, reason=text(each.reason), option=text(each.option))


def _found(answer: AloneAnswer, job: Alone) -> AloneAnswer:
    _figures([answer.value])
    declared = operation(job.operation)
    group = {
        each.name for each in OPERATIONS.values() if each.together and each.together == declared.together
    }
    _require(not group or declared.operation in answer.together, "the operation of the job has no figure")
    for name, value in answer.together.items():
        _require(name in group, "an operation that is not of the job")
        _figures([] if isinstance(value, str) else [value])
    for option in (answer.again or {}).values():
        _require(type(option) in (str, bool, int, float), "options of another process")
    return dataclasses.replace(
        answer,
        together={n: text(v) if isinstance(v, str) else v for n, v in answer.together.items()},
    )
