"""Anonymize results: figures stay; people, places and records are removed.

Texts are kept by an allowlist: any text that is not known to be harmless is left out.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...bench.cells import operation_name, split_operation
from ...bench.results import (
    Cell,
    CellResult,
    CorpusFacts,
    Fact,
    Facts,
    GrowthFacts,
    OperationFacts,
    PipelineFacts,
    ReadFacts,
    ResultData,
    StoreFacts,
)
from ...codecs.conventions.rules import SCALARS

_ENVIRONMENT: Final = frozenset(
    {
        "aslr",
        "bakeoff_version",
        "cores",
        "cpu_config",
        "cpu_count",
        "cpu_freq",
        "cpu_model_name",
        "debug_build",
        "free_threading",
        "gc",
        "governor",
        "harness_ns",
        "load_avg_1min",
        "lz4_version",
        "memory_total",
        "pinned",
        "pyperf_version",
        "python_compiler",
        "python_implementation",
        "python_version",
        "timer",
        "zstandard_version",
    }
)
_SYSTEM: Final = re.compile(r"Linux|macOS|Darwin|Windows|FreeBSD")
_PROCESSOR: Final = re.compile(r"x86_64|aarch64|arm64|AMD64")

_TEXTS: Final = frozenset({"codecs", "gc"})
"""Options whose text is kept."""
_OTHER: Final = "not the default"
"""Replaces the text of another option that changes what a figure means."""

_OF_FIELDS: Final = frozenset({"peek"})
"""Operations whose parameter is always the path to a field."""
_PARAMETER: Final = re.compile(r"\d[\d.]*(x\d[\d.]*)?|(SM|MD|LG)(x\d+)?")
"""Parameters of other operations that reveal nothing about records: numbers, and states of a store."""

_TYPES: Final = frozenset(
    kind.__name__
    for kind in (
        *(type(None), bool, int, float, complex, str, bytes, bytearray, memoryview),
        *(dict, list, tuple, set, frozenset),
        *(dt.datetime, *(scalar.type for scalar in SCALARS)),
    )
) | {"nothing"}
_LOSS: Final = re.compile(r"`(\w+)` came back as `(\w+)`(?: at `.*`)?", re.DOTALL)

_PRECISION: Final = re.compile(
    r": (wanted ±[\d.]+ %, got (?:(?:more than )?±[\d.]+ %|no interval) from \d+ process(?:es)?|"
    r"±[\d.]+ % was not reached in \d+ process(?:es)?)"
)
_DISTURBED: Final = re.compile(r": (\d+ process(?:es were| was) disturbed by neighbou?rs and measured again)")
_SAFE_WARNINGS: Final = re.compile(
    r"processes are not pinned to a core.*|the CPU governor is powersave.*|this Python is a debug build.*"
)


def anonymous(results: Sequence[ResultData], known: Collection[str]) -> list[ResultData]:
    """Return results without hosts, users, paths, commands, and texts and field names of records.

    Machines, corpora and the fields in operations are numbered consistently.

    Args:
        known: Corpora that are part of bakeoff, which keep their names.
    """
    hosts = list(dict.fromkeys(str(result.environment.get("hostname", "")) for result in results))
    others = [
        name
        for result in results
        for name in (*(c.name for c in result.corpora), *(c.cell.corpus for c in result.cells))
        if not _is_known(name, result, known)
    ]
    names = {name: f"records {number}" for number, name in enumerate(dict.fromkeys(others), 1)}
    operations = _Operations()
    return [_anonymous(result, hosts, names, operations) for result in results]


class _Operations:
    """Names of operations without names of fields: ``peek:order.email`` is ``peek:field 1``."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def name(self, operation: str) -> str:
        """Return the name of an operation without a field."""
        stem, place, parameter = split_operation(operation)
        return operation_name(stem, "", place, self._parameter(stem.partition("-")[0], parameter))

    def cell(self, cell: Cell) -> Cell:
        """Return a cell whose operation does not name a field."""
        return replace(cell, parameter=self._parameter(cell.operation, cell.parameter))

    def _parameter(self, operation: str, parameter: str) -> str:
        """Return a parameter, which is kept only if it must be a number or a size."""
        if not parameter or (operation not in _OF_FIELDS and _PARAMETER.fullmatch(parameter)):
            return parameter
        return self._fields.setdefault(parameter, f"field {len(self._fields) + 1}")

    def facts(self, facts: OperationFacts) -> OperationFacts:
        """Return the facts of an operation, with headings that do not name the field."""
        name = self.name(facts.name)
        if name == facts.name:
            return facts
        return replace(facts, name=name, heading=name.replace(":", " ", 1), summary="", columns={})


def _is_known(name: str, result: ResultData, known: Collection[str]) -> bool:
    sources = {corpus.source for corpus in result.corpora if corpus.name == name}
    return name in known and sources <= {name}


def _anonymous(
    result: ResultData, hosts: Sequence[str], names: Mapping[str, str], operations: _Operations
) -> ResultData:
    environment = {key: value for key, value in result.environment.items() if key in _ENVIRONMENT}
    if len(hosts) > 1:
        number = hosts.index(str(result.environment.get("hostname", ""))) + 1
        environment["hostname"] = f"machine {number}"
    platform = str(result.environment.get("platform", ""))
    found = [match[0] for look in (_SYSTEM, _PROCESSOR) if (match := look.search(platform))]
    if found:
        environment["platform"] = " ".join(found)
    return replace(
        result,
        cells=tuple(_cell(cell, names, operations) for cell in result.cells),
        codecs=tuple(replace(codec, source="") for codec in result.codecs),
        corpora=tuple(_corpus(corpus, names) for corpus in result.corpora),
        rankings=tuple(replace(r, corpus=names.get(r.corpus, r.corpus)) for r in result.rankings),
        operations=tuple(map(operations.facts, result.operations)),
        environment=environment,
        options=dict(_options(result.options, names, operations)),
        conditions={
            key: _OTHER if isinstance(value, str) and key not in _TEXTS else value
            for key, value in result.conditions.items()
        },
        command="",
        topics=(),
        warnings=tuple(text for warning in result.warnings if (text := _warning(warning, names))),
    )


def _cell(cell: CellResult, names: Mapping[str, str], operations: _Operations) -> CellResult:
    place = cell.cell
    return replace(
        cell,
        cell=operations.cell(replace(place, corpus=names.get(place.corpus, place.corpus))),
        # Instructions to install a library are harmless, but other errors may quote a record.
        reason=cell.reason if cell.outcome == "missing" else "",
        loss=tuple(dict.fromkeys(map(_loss, cell.loss))),
        stderr="",
        check=cell.check and replace(cell.check, definition="", dictionary="", code={}),
        facts=_facts(cell.facts),
        extras={key: value for key, value in cell.extras.items() if not isinstance(value, str)},
    )


def _facts(facts: Facts | None) -> Facts | None:
    """Return the facts of a figure without texts from outside bakeoff."""
    if isinstance(facts, GrowthFacts):
        return replace(facts, allocator="", where="", reason="")
    if isinstance(facts, ReadFacts):
        return replace(facts, changes={}, reasons={})
    return replace(facts, settings={}) if isinstance(facts, StoreFacts | PipelineFacts) else facts


def _loss(text: str) -> str:
    found = _LOSS.fullmatch(text)
    if found and _TYPES.issuperset(found.groups()):
        return f"`{found[1]}` came back as `{found[2]}`"
    return "some values were not preserved"


def _corpus(corpus: CorpusFacts, names: Mapping[str, str]) -> CorpusFacts:
    if corpus.name not in names:
        return corpus
    name = names[corpus.name]
    profile = {
        key: value
        for key, value in corpus.profile.items()
        if not key.startswith("type_") or key.removeprefix("type_") in _TYPES
    }
    return replace(corpus, name=name, source=name, description="", profile=profile)


def _options(
    options: Mapping[str, Fact], names: Mapping[str, str], operations: _Operations
) -> list[tuple[str, Fact]]:
    found: list[tuple[str, Fact]] = []
    for key, value in options.items():
        if key == "operations" and isinstance(value, str):
            found.append((key, "\n".join(map(operations.name, value.split("\n")))))
            continue
        word, _, name = key.partition(" ")
        if not isinstance(value, str) or key in _TEXTS:
            found.append((f"{word} {names.get(name, name)}" if name else key, value))
    return found


def _warning(text: str, names: Mapping[str, str]) -> str:
    """Return a warning without quoted text; empty if it is not a known warning."""
    for look in (_PRECISION, _DISTURBED):
        if found := look.search(text):
            corpus = text[: found.start()]
            return f"{names.get(corpus, 'records')}: {found[1]}"
    return text if _SAFE_WARNINGS.fullmatch(text) else ""
