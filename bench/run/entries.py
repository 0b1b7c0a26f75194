"""Types of the entries of a journal, which is a file that anyone may have written."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..operations import operation
from ..quantities import Amount, Calls, Change, Count, Logarithm, Measured
from ..results import CellResult, CodecFacts, CorpusFacts, Fact, check_environment, typed
from .state import Entry


@dataclass(frozen=True, slots=True)
class _Head:
    format: int
    environment: Mapping[str, Fact]
    options: Mapping[str, Fact]
    command: str
    started: str
    conditions: Mapping[str, Fact] = field(default_factory=dict)
    duration: Amount = 0.0


@dataclass(frozen=True, slots=True)
class _Facts:
    facts: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class _Warning:
    text: str
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class _Rough:
    cell: str
    seconds: Measured


@dataclass(frozen=True, slots=True)
class _Process:
    corpus: str
    pair: Count
    reference_kernel: Measured
    cells: Mapping[str, Any]
    contention: Amount = 0.0
    least: Amount = 0.0
    spent: Amount = 0.0


@dataclass(frozen=True, slots=True)
class _Figure:
    """The figures of a cell in a process; a worker may send more."""

    raw: Measured
    paired: Measured
    loops: Calls = 1
    duration: Amount = 0.0
    rounds: Count = 1
    dirty: Count = 0
    drift: Logarithm = 0.0
    contention: Amount = 0.0
    dear: Count = 0
    rare: Change = 0.0
    warmup: Amount = 0.0


@dataclass(frozen=True, slots=True)
class _Value:
    value: Change


@dataclass(frozen=True, slots=True)
class _Seconds:
    """The figure of a rate, which is one over it."""

    value: Measured


@dataclass(frozen=True, slots=True)
class _Alone:
    cell: str
    pair: Count
    value: Change
    spent: Amount = 0.0


_FIGURES = frozenset(each.name for each in dataclasses.fields(_Figure))
_KNOWN = frozenset({"extras", "facts", "resolution"})
"""Facts of a figure that `CellResult` declares."""


def checked(entry: Any) -> Entry:
    """Return an entry of a file whose values have the types and ranges of their kind.

    Raises:
        TypeError: They do not.
        ValueError: Facts about the environment that cannot be written.
        LookupError: An unknown kind.
        UsageError: An unknown operation.
    """
    if not isinstance(entry, dict):
        raise TypeError(f"an entry is {entry!r:.40}")
    rest = dict(entry)
    _CHECKS[rest.pop("kind")](rest)
    return entry


def _head(rest: dict[str, Any]) -> None:
    check_environment(typed(_Head, rest).environment)


def _environment(rest: dict[str, Any]) -> None:
    check_environment(typed(_Facts, rest).facts)


def _cell(rest: dict[str, Any]) -> None:
    value = rest.pop("value", None)
    found = typed(CellResult, rest)
    kind = _Seconds if operation(found.cell.operation_name).facts().rate else _Value
    for figure in (value, found.rough):
        if figure is not None:
            typed(kind, {"value": figure})


def _process(rest: dict[str, Any]) -> None:
    for figure in typed(_Process, rest).cells.values():
        if not isinstance(figure, dict):
            raise TypeError(f"figures are {figure!r:.40}")
        typed(_Figure, {key: figure[key] for key in _FIGURES & figure.keys()})


def _alone(rest: dict[str, Any]) -> None:
    known = {key: rest.pop(key) for key in _KNOWN & rest.keys()}
    typed(_Alone, rest)
    cell = {"corpus": "", "operation": "", "codec": ""}
    typed(CellResult, {"cell": cell, "outcome": "ok", **known})


def _a(cls: type) -> Callable[[dict[str, Any]], object]:
    return lambda rest: typed(cls, rest)


def _of(cls: type) -> Callable[[dict[str, Any]], object]:
    def check(rest: dict[str, Any]) -> None:
        facts = rest.pop("facts")
        if rest:
            raise TypeError(f"unknown: {', '.join(rest)}")
        typed(cls, facts)

    return check


_CHECKS: Mapping[str, Callable[[dict[str, Any]], object]] = {
    "head": _head,
    "codec": _of(CodecFacts),
    "corpus": _of(CorpusFacts),
    "environment": _environment,
    "option": _a(_Facts),
    "warning": _a(_Warning),
    "cell": _cell,
    "rough": _a(_Rough),
    "process": _process,
    "alone": _alone,
}
"""The check of each kind of entry."""
