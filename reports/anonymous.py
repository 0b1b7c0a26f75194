"""Results as strangers may see them: figures stay, what tells of people, places and records goes.

Texts are kept by what is known of them, never cut by what looks dangerous: what nobody has thought of
is left out.
"""

from __future__ import annotations

import datetime as dt
import decimal
import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ..bench.results import Cell, CellResult, CorpusFacts, Fact, Result

__all__ = ["anonymous"]

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

_FACTS: Final = frozenset({"counters", "unit", "verdict"})
"""Facts of a cell whose texts are of our own."""

_TEXTS: Final = frozenset({"codecs", "gc", "operations"})
"""Options, likewise."""

_TYPES: Final = frozenset(
    kind.__name__
    for kind in (
        *(type(None), bool, int, float, complex, str, bytes, bytearray, memoryview),
        *(dict, list, tuple, set, frozenset),
        *(dt.datetime, dt.date, dt.time, dt.timedelta, decimal.Decimal, uuid.UUID),
    )
) | {"nothing"}
_LOSS: Final = re.compile(r"`(\w+)` came back as `(\w+)`(?: at `.*`)?", re.DOTALL)

_PRECISION: Final = re.compile(r": (±[\d.]+ % was not reached in \d+ process(?:es)?)")
_DISTURBED: Final = re.compile(r": (\d+ process(?:es were| was) disturbed by neighbours and measured again)")
_SAFE_WARNINGS: Final = re.compile(
    r"processes are not pinned to a core.*|the CPU governor is powersave.*|this Python is a debug build.*"
)


def anonymous(results: Sequence[Result], known: Collection[str]) -> list[Result]:
    """Return results without hosts, users, paths, commands, and texts and field names of records.

    Machines and corpora are numbered throughout.

    Args:
        known: Corpora that come with bakeoff: they keep their names.
    """
    hosts = list(dict.fromkeys(str(result.environment.get("hostname", "")) for result in results))
    others = [
        name
        for result in results
        for name in (*(c.name for c in result.corpora), *(c.cell.corpus for c in result.cells))
        if not _is_known(name, result, known)
    ]
    names = {name: f"records {number}" for number, name in enumerate(dict.fromkeys(others), 1)}
    return [_anonymous(result, hosts, names) for result in results]


def _is_known(name: str, result: Result, known: Collection[str]) -> bool:
    sources = {corpus.source for corpus in result.corpora if corpus.name == name}
    return name in known and sources <= {name}


def _anonymous(result: Result, hosts: Sequence[str], names: Mapping[str, str]) -> Result:
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
        cells=tuple(_cell(cell, names) for cell in result.cells),
        codecs=tuple(replace(codec, source="") for codec in result.codecs),
        corpora=tuple(_corpus(corpus, names) for corpus in result.corpora),
        rankings=tuple(replace(r, corpus=names.get(r.corpus, r.corpus)) for r in result.rankings),
        environment=environment,
        options=dict(_options(result.options, names)),
        command="",
        warnings=tuple(text for warning in result.warnings if (text := _warning(warning, names))),
    )


def _cell(cell: CellResult, names: Mapping[str, str]) -> CellResult:
    place = cell.cell
    return replace(
        cell,
        cell=Cell(names.get(place.corpus, place.corpus), place.operation, place.codec),
        # How to install a library is nobody's secret; what else went wrong may quote a record.
        reason=cell.reason if cell.outcome == "missing" else "",
        loss=tuple(dict.fromkeys(map(_loss, cell.loss))),
        stderr="",
        facts={k: value for k, value in cell.facts.items() if not isinstance(value, str) or k in _FACTS},
    )


def _loss(text: str) -> str:
    found = _LOSS.fullmatch(text)
    if found and _TYPES.issuperset(found.groups()):
        return f"`{found[1]}` came back as `{found[2]}`"
    return "some values came back otherwise"


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


def _options(options: Mapping[str, Fact], names: Mapping[str, str]) -> list[tuple[str, Fact]]:
    found = []
    for key, value in options.items():
        word, _, name = key.partition(" ")
        if not isinstance(value, str) or key in _TEXTS:
            found.append((f"{word} {names.get(name, name)}" if name else key, value))
    return found


def _warning(text: str, names: Mapping[str, str]) -> str:
    """Return a warning without what it quotes; empty where it is none of those that are known."""
    for look in (_PRECISION, _DISTURBED):
        if found := look.search(text):
            corpus = text[: found.start()]
            return f"{names.get(corpus, 'records')}: {found[1]}"
    return text if _SAFE_WARNINGS.fullmatch(text) else ""
