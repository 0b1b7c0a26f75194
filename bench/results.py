"""The result file: what a run found, as plain values, stored as a pyperf suite.

`bench` writes it, `reports` reads it, and neither knows the other. Every figure is a pyperf
`Benchmark` named ``CORPUS/OPERATION/CODEC``; what pyperf has no place for (outcomes without a
figure, corpus profiles, environment, options) is one JSON text in the metadata key
``bakeoff_document`` of the first benchmark.

The metadata key ``bakeoff_result`` has the version of the format. Every release reads version 1, and all
later ones up to its own. Files with ``bakeoff_format`` in its place are of development versions.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import gzip
import io
import json
import math
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from ..errors import RunError
from .cells import Cell
from .facts import (
    CheckFacts,
    Facts,
    GrowthFacts,
    PeakFacts,
    PipelineFacts,
    PipelineSetup,
    PyperfFacts,
    Setup,
    StoreFacts,
    StoreSetup,
    Unit,
)

if TYPE_CHECKING:
    import pyperf

__all__ = [
    "BASELINE",
    "FORMAT_VERSION",
    "LARGEST",
    "UNREADABLE",
    "VERSION_KEY",
    "Cell",
    "CellResult",
    "CheckFacts",
    "CodecFacts",
    "CorpusFacts",
    "Direction",
    "Fact",
    "Facts",
    "GrowthFacts",
    "Measurement",
    "OperationFacts",
    "Outcome",
    "PairFacts",
    "Part",
    "PeakFacts",
    "Phase",
    "PipelineFacts",
    "PipelineSetup",
    "PyperfFacts",
    "Ranking",
    "Result",
    "ResultFileError",
    "Setup",
    "StoreFacts",
    "StoreSetup",
    "Unit",
    "Verdict",
    "averaged",
    "cell_from",
    "from_suite",
    "plain_cell",
    "read",
    "read_suite",
    "to_suite",
    "typed",
    "without_defaults",
    "write",
]

FORMAT_VERSION = 1
VERSION_KEY = "bakeoff_result"
"""Metadata key of a result file's `FORMAT_VERSION`."""
_DEVELOPMENT_KEY = "bakeoff_format"
"""The same key in files of versions before the first release."""

LARGEST = 64 * 1024 * 1024
"""Bytes of a result file, decompressed; a run of an hour leaves a few."""

_MOST_VALUES = 4_000_000
"""Values of a result file: a file of `LARGEST` that a run has left holds no more, one of empty lists would
take gigabytes."""

_METADATA = {
    "raw": "bakeoff_raw",
    "paired": "bakeoff_paired",
    "pair": "bakeoff_pair",
    "rounds": "bakeoff_rounds",
    "dirty": "bakeoff_dirty",
    "reference_kernel": "bakeoff_yardstick",
    "drift": "bakeoff_drift",
    "contention": "bakeoff_contention",
    "dear": "bakeoff_dear",
    "rare": "bakeoff_rare",
}
"""Keys of the metadata of a pyperf run, by the fields of its `Measurement`."""

BASELINE = "baseline"
"""The pseudo codec that copies a record's bytes: what the harness itself costs."""

UNREADABLE = (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What pyperf and the reader raise on files that are cut off, edited or something else altogether."""

Outcome = Literal[
    "ok",
    "lossy",
    "wrong",
    "unsupported",
    "error",
    "crashed",
    "timed out",
    "out of memory",
    "unfinished",
    "missing",
]
"""What came of a cell; `unfinished`: the run's time did not suffice even to check the codec."""
Fact = str | int | float | bool | None
Direction = Literal["lower", "higher"]
"""Which figures of an operation are better."""
Phase = Literal["time", "check", "memory", "alone"]
"""When an operation runs."""
Part = Literal["write", "read"]
"""What an operation is a part of the cost of."""
Verdict = Literal["faster", "slower", "same", "unresolved"]
"""What the first of two codecs is to the second."""

_IRRELEVANT = frozenset(
    {
        "alpha",
        "budget",
        "cell_memory",
        "cell_timeout",
        "no_time_limit",
        "codecs",
        "corpora",
        "fewest",
        "format",
        "operations",
        "precision",
        "ratios",
        "records",
        "rounds",
        "sample",
        "sizes",
        "skip_bad",
        "tie",
        "trusted",
    }
)
"""Options that decide how long and on what is measured, not what a figure means (corpora have hashes)."""


class ResultFileError(RunError):
    """A result file that cannot be read, is not ours, or is of a newer format."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one process says of one cell.

    Attributes:
        value: Seconds (or bytes) per record; times are normalised by the run's reference kernel.
        raw: The same as the process's clock had it, in the same unit.
        paired: The process's value for ratios: ``a.paired / b.paired`` of two cells with the
            same `pair` is that process's estimate of their ratio, paired by round.
        pair: Number of the process (or, with ``--isolate``, of the round of processes).
        loops: Calls behind the value.
        duration: Seconds spent in measured calls.
        rounds: Rounds behind the value.
        dirty: Rounds in which the kernel took the processor away; these slices were measured again.
        reference_kernel: What a call of the reference kernel took in this process, in seconds.
        drift: Log of the last third of the process over its first third.
        contention: Time of the reference kernel over that of a chain of dependent steps while the cell was
            measured; about 1.6 times as high on a core that a neighbor shares as on a free one. 0 where it
            was not recorded.
        sums: As in `OperationFacts`: the mean over processes is arithmetic.
        dear: Slices that took more than twice as long as their usual, though nobody took the processor away:
            they hold rare calls that take much longer than most.
        rare: Share of the time that those slices took beyond their usual.
    """

    value: float
    raw: float
    paired: float
    pair: int = 0
    loops: int = 1
    duration: float = 0.0
    rounds: int = 1
    dirty: int = 0
    reference_kernel: float = 0.0
    drift: float = 0.0
    contention: float = 0.0
    sums: bool = False
    dear: int = 0
    rare: float = 0.0


@dataclass(frozen=True, slots=True)
class CellResult:
    """The outcome of a cell, and its samples where there is a figure.

    Attributes:
        outcome: "ok" and "lossy" have samples; all others have a reason instead.
        reason: One sentence; empty for "ok".
        loss: What a lossy cell loses, one text each ("`tuple` came back as `list` at `$.tags`").
        stderr: The last lines that the failing process wrote.
        check: What the check of the codec found out; None where it did not get through.
        facts: What is known of the figure besides, where its phase or place has a type for that.
        extras: The same of other operations, flat. `OperationFacts.columns` names those with a column.
        resolution: Least figure that the method of measuring can see, in the operation's unit; None where
            it sees all.
        rough: Figure of the check, of single calls, where there was no time to measure.
        steady: Whether the cell's processes neither sped up nor slowed down; None for a single process.
    """

    cell: Cell
    outcome: Outcome
    reason: str = ""
    loss: tuple[str, ...] = ()
    stderr: str = ""
    check: CheckFacts | None = None
    facts: Facts | None = None
    extras: Mapping[str, Fact] = field(default_factory=dict)
    resolution: float | None = None
    rough: float | None = None
    steady: bool | None = None
    samples: tuple[Measurement, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict on memory growth; empty where growth was not measured."""
        return self.facts.verdict if isinstance(self.facts, GrowthFacts) else ""


@dataclass(frozen=True, slots=True)
class CodecFacts:
    """What a report needs to know of a codec without importing it.

    Attributes:
        takes: What it takes and gives in the place of records of dicts; empty where it is these.
        unguarded: It lacks a guard that protects from payloads of strangers.
        notes: What else should be known of it.
        about: What each note is about, see `bakeoff.codecs.conventions.notes.about`.
        source: Where a codec of the user's own was imported from, as typed; empty for all others.
    """

    name: str
    format: str
    library: str
    version: str
    accelerated: bool | None
    trusted_only: bool = False
    media_type: str = ""
    interoperable: bool = True
    extra: str = ""
    preserves: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    takes: str = ""
    unguarded: bool = False
    notes: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """What was measured on: identity, size and character of a corpus.

    Attributes:
        records: Records in the whole corpus.
        sample: Records of it that were checked and measured.
        profile: Flat description, see `bakeoff.datasets`.
    """

    name: str
    source: str
    sha256: str
    records: int
    sample: int
    description: str = ""
    seed: int | None = None
    skipped: int = 0
    profile: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OperationFacts:
    """What a report needs to know of an operation, so that it can show one that it has never heard of.

    Attributes:
        name: As `Cell.operation_name` writes it.
        unit: Of its figures.
        direction: Which of them are better.
        heading: Of its column.
        phase: When it ran.
        summary: One line.
        cost: What it is a part of the cost of, if of any.
        columns: Extras of its cells that have a column of their own, in the same unit, with its heading.
        sums: Rare calls may take much longer than most: means over processes are arithmetic.
        place: What its places are, for instance "STORE"; empty where it has none.
        parameter: What its parameter is, for instance "ITEMS"; empty where it has none.
        setup: How it takes place, defaults included; None for operations without such a setup.
    """

    name: str
    unit: Unit
    direction: Direction
    heading: str
    phase: Phase
    summary: str = ""
    cost: Part | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    sums: bool = False
    place: str = ""
    parameter: str = ""
    setup: Setup | None = None

    @property
    def rate(self) -> bool:
        """Whether its figures are records a second, of the seconds that were measured."""
        return self.phase == "time" and self.direction == "higher"


@dataclass(frozen=True, slots=True)
class PairFacts:
    """How two codecs of a corpus compare in cost: the ratio a/b, see `bakeoff.bench.stats.Ratio`.

    Attributes:
        low: Lower end of the interval that goes with the verdict; 0 when nothing is known.
        high: Upper end; None when nothing is known.
    """

    a: str
    b: str
    verdict: Verdict
    value: float
    low: float
    high: float | None
    spread: float
    processes: int
    p: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The verdict of a run on one corpus, for the default cost; `bakeoff.bench.verdict` makes it.

    Attributes:
        reads: Reads for each write.
        bandwidth: Bytes per second of the line; None for no line.
        alpha: Error share of the verdicts on all pairs together.
        order: Codecs that have a cost, the lowest mean first.
        first: The best rank that each may have.
        last: The worst.
        winner: The codec to take; empty where none may win.
        same: Codecs that may win too, and surely cost the same.
        unresolved: Codecs that may win too, and are not distinguishable from the cheapest that may.
        pairs: Of any two codecs, in the order of their means.
    """

    corpus: str
    reads: float
    bandwidth: float | None
    alpha: float
    order: tuple[str, ...]
    first: Mapping[str, int]
    last: Mapping[str, int]
    winner: str = ""
    same: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    pairs: tuple[PairFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run.

    Attributes:
        environment: Machine, interpreter and settings, flat.
        options: The options that shaped the run, flat.
        operations: What was measured, one for each `Cell.operation_name`.
        command: The command line that made it.
        warnings: What may have spoilt the figures, one sentence each.
        rankings: The verdict on each corpus that has costs; none in results that are put together of several.
    """

    cells: tuple[CellResult, ...]
    codecs: tuple[CodecFacts, ...]
    corpora: tuple[CorpusFacts, ...]
    environment: Mapping[str, Fact] = field(default_factory=dict)
    options: Mapping[str, Fact] = field(default_factory=dict)
    command: str = ""
    started: str = ""
    duration: float = 0.0
    complete: bool = True
    warnings: tuple[str, ...] = ()
    operations: tuple[OperationFacts, ...] = ()
    rankings: tuple[Ranking, ...] = ()

    def operation(self, name: str) -> OperationFacts:
        """Return what is known of an operation, by `Cell.operation_name`; an unknown one is a time."""
        found = (facts for facts in self.operations if facts.name == name)
        return next(found, OperationFacts(name, "second", "lower", name, "time"))

    def conditions(self) -> dict[str, Fact]:
        """Return the options that bear on the meaning of a figure, and not just on how long a run takes."""
        return {
            key: value
            for key, value in self.options.items()
            if key not in _IRRELEVANT and not key.startswith("reached ")
        }

    def cell(self, corpus: str, operation: str, codec: str) -> CellResult | None:
        """Return one cell's result, or None when it was not part of the run.

        Args:
            corpus: Name of the corpus.
            operation: As `Cell.operation_name` writes it.
            codec: Name of the codec.
        """
        wanted = f"{corpus}/{operation}/{codec}"
        return next((c for c in self.cells if c.cell.name == wanted), None)


def plain_cell(cell: CellResult) -> dict[str, Any]:
    """Return a cell as plain values, without its samples; `cell_from` reads it."""
    found = without_defaults(cell)
    found.pop("samples", None)
    return found


def without_defaults(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain values, without those that are empty."""
    found = {}
    for each in dataclasses.fields(record):
        value = getattr(record, each.name)
        if dataclasses.is_dataclass(value):
            value = without_defaults(value)
        if value not in _EMPTY:
            found[each.name] = dict(value) if isinstance(value, Mapping) else value
    return found


_EMPTY: Collection[object] = (None, "", (), {})
_FACTS: Mapping[str, type[Facts]] = {
    "growth": GrowthFacts,
    "peak": PeakFacts,
    "store": StoreFacts,
    "pipeline": PipelineFacts,
    "pyperf": PyperfFacts,
}
_SETUPS: Mapping[str, type[Setup]] = {"store": StoreSetup, "pipeline": PipelineSetup}


def cell_from(plain: Mapping[str, Any], samples: tuple[Measurement, ...] = ()) -> CellResult:
    """Return the cell that `plain_cell` has written.

    Raises:
        TypeError, LookupError: It is no such cell.
    """
    found = {**plain, "loss": tuple(plain.get("loss", ())), "samples": samples}
    for key, record in (("cell", Cell), ("check", CheckFacts), ("facts", _FACTS)):
        if isinstance(part := found.get(key), dict):
            found[key] = typed(record[part["kind"]] if isinstance(record, Mapping) else record, part)
    return typed(CellResult, found)


def averaged(mean: Any, new: Any, count: int) -> Any:
    """Return a mean over `count` processes, the last of which found `new`; of texts the newest.

    Args:
        mean: Number, text, mapping of such, or facts with fields of such, over all processes but the last.
        new: The same of the last process.
        count: Processes, the last one included.
    """
    if isinstance(new, float) and isinstance(mean, int | float):
        return mean + (new - mean) / count
    if isinstance(new, Mapping) and isinstance(mean, Mapping):
        return {**mean, **{key: averaged(mean.get(key, value), value, count) for key, value in new.items()}}
    if dataclasses.is_dataclass(new) and not isinstance(new, type) and type(new) is type(mean):
        names = [each.name for each in dataclasses.fields(new)]
        fields = {name: averaged(getattr(mean, name), getattr(new, name), count) for name in names}
        return dataclasses.replace(new, **fields)
    return new


def _document(result: Result) -> str:
    plain = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    plain["cells"] = [plain_cell(c) for c in result.cells]
    for key in ("codecs", "corpora", "operations", "rankings"):
        plain[key] = [dataclasses.asdict(record) for record in plain[key]]
    return json.dumps(plain)


def _metadata(cell: CellResult, result: Result) -> dict[str, str | int | float]:
    codec = next((c for c in result.codecs if c.name == cell.cell.codec), None)
    corpus = next((c for c in result.corpora if c.name == cell.cell.corpus), None)
    place = cell.cell
    facts: dict[str, Fact] = {
        **{f"bakeoff_{key}": value for key, value in _flat(cell)},
        VERSION_KEY: FORMAT_VERSION,
        **{f"bakeoff_{each.name}": getattr(place, each.name) for each in dataclasses.fields(place)},
        "bakeoff_outcome": cell.outcome,
        "bakeoff_reason": cell.reason,
        "bakeoff_loss": "; ".join(cell.loss),
        "bakeoff_codec_version": f"{codec.library} {codec.version}" if codec else None,
        "bakeoff_corpus_sha256": corpus.sha256 if corpus else None,
    }
    return _pyperf_metadata(facts)


def _flat(cell: CellResult) -> Iterator[tuple[str, Fact]]:
    """Yield what is known of a cell besides its figures; a dictionary is longer than all that is measured."""
    yield from cell.extras.items()
    for record in (cell.check, cell.facts):
        for key, value in () if record is None else dataclasses.asdict(record).items():
            if isinstance(value, dict):
                yield from ((f"{key}_{name}", each) for name, each in value.items())
            elif key not in ("dictionary", "kind"):
                yield key, value
    yield from (("resolution", cell.resolution), ("rough", cell.rough), ("steady", cell.steady))


def _pyperf_metadata(facts: Mapping[str, Fact]) -> dict[str, str | int | float]:
    """Leave out what is not known: pyperf takes no empty values."""
    found = ((key, _pyperf_value(value)) for key, value in facts.items() if value is not None)
    return {key: value for key, value in found if value != ""}


def _pyperf_value(value: str | int | float | bool) -> str | int | float:
    """Turn into what pyperf takes as metadata: no booleans, no line breaks, no non-finite numbers."""
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value).lower()
    if isinstance(value, str):
        return " ".join(value.split())
    return value


def to_suite(result: Result) -> pyperf.BenchmarkSuite:
    """Turn a result into a pyperf suite (values that pyperf refuses, 0 above all, stay in the document)."""
    import pyperf

    common = _pyperf_metadata(result.environment)
    benchmarks = []
    for cell in result.cells:
        if not cell.samples or any(not s.value > 0 for s in cell.samples):
            continue
        shared = common | _metadata(cell, result)
        name = cell.cell.operation_name
        unit = cell.facts.unit if isinstance(cell.facts, PyperfFacts) else result.operation(name).unit
        shared |= {"name": cell.cell.name, "unit": unit}
        runs = [_run(sample, shared, name) for sample in cell.samples]
        benchmarks.append(pyperf.Benchmark(runs))
    if not benchmarks:
        metadata = common | {"name": "bakeoff/session", "unit": "second", VERSION_KEY: FORMAT_VERSION}
        metadata["duration"] = seconds = max(result.duration, 1e-9)
        session = pyperf.Run([seconds], metadata=metadata, collect_metadata=False)
        benchmarks.append(pyperf.Benchmark([session]))
    benchmarks[0].update_metadata({"bakeoff_document": _document(result)})
    return pyperf.BenchmarkSuite(benchmarks)


def _run(sample: Measurement, shared: Mapping[str, Any], operation: str) -> pyperf.Run:
    import pyperf

    metadata = {
        **shared,
        "tags": [operation],
        "loops": sample.loops,
        # Without a duration pyperf adds the bytes of a size up as seconds.
        "duration": sample.duration or 1e-9,
        **{key: getattr(sample, name) for name, key in _METADATA.items()},
    }
    return pyperf.Run([sample.value], metadata=metadata, collect_metadata=False)


def write(result: Result, path: Path) -> None:
    """Write a result file, atomically.

    Raises:
        RunError: The file cannot be written; nothing is left behind.
    """
    from ..files import atomic_write

    suite = to_suite(result)
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8")
        suite.dump(text)
        text.detach()


def read(path: Path) -> Result:
    """Read a result file.

    Raises:
        ResultFileError: Missing, truncated, not JSON, damaged, a plain pyperf file, or a newer format.
    """
    return from_suite(path, read_suite(path))


def read_suite(path: Path) -> pyperf.BenchmarkSuite:
    """Read any file of pyperf's, gzipped where it is named ``.gz``.

    Raises:
        ResultFileError: Not JSON of pyperf's kind, cut off, more than `LARGEST` bytes, or a result file of a
            development version.
    """
    import pyperf

    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise ResultFileError(f"{path}: more than {LARGEST:,} bytes, which no result file has")
        if sum(map(text.count, (b",", b"[", b"{"))) > _MOST_VALUES:
            raise ResultFileError(f"{path}: more than {_MOST_VALUES:,} values, which no result file has")
        suite = pyperf.BenchmarkSuite.loads(text)
    except UNREADABLE as error:
        reason = f"{path}: not a result file of `bakeoff run` or pyperf, or cut off: {error}"
        raise ResultFileError(reason) from error
    if any(_DEVELOPMENT_KEY in benchmark.get_metadata() for benchmark in suite.get_benchmarks()):
        raise ResultFileError(
            f"{path}: written by a development version of bakeoff; result files of bakeoff 0.1.0 and later "
            "can be read, so run it again"
        )
    return suite


def from_suite(path: Path, suite: pyperf.BenchmarkSuite) -> Result:
    """Return the result that a suite holds.

    Args:
        path: Where it was read, for errors.

    Raises:
        ResultFileError: Damaged, a plain pyperf file, or a newer format.
    """
    try:
        for benchmark in suite.get_benchmarks():
            metadata = benchmark.get_metadata()
            if (version := metadata.get(VERSION_KEY, 0)) > FORMAT_VERSION:
                newer = f"{path}: written in format {version}; this bakeoff reads {FORMAT_VERSION}"
                raise ResultFileError(newer)
            if document := metadata.get("bakeoff_document"):
                return _from_document(json.loads(document), suite)
    except UNREADABLE as error:
        found = f"{type(error).__name__}: {error}"
        raise ResultFileError(f"{path}: damaged: {found}; run it again") from error
    raise ResultFileError(f"{path}: a pyperf file, but not made by `bakeoff run` (no bakeoff_document)")


def _from_document(plain: dict[str, Any], suite: pyperf.BenchmarkSuite) -> Result:
    operations = tuple(map(_operation, plain["operations"]))
    sums = {facts.name for facts in operations if facts.sums}
    benchmarks = {benchmark.get_name(): benchmark for benchmark in suite.get_benchmarks()}
    cells = []
    for entry in plain["cells"]:
        cell = typed(Cell, entry["cell"])
        benchmark = benchmarks.get(cell.name)
        samples = () if benchmark is None else _samples(benchmark, sums=cell.operation_name in sums)
        cells.append(cell_from(entry, samples))
    for codec in plain["codecs"]:
        for key in ("preserves", "losses", "notes", "about"):
            codec[key] = tuple(codec[key])
    plain |= {
        "cells": tuple(cells),
        "codecs": tuple(typed(CodecFacts, codec) for codec in plain["codecs"]),
        "corpora": tuple(typed(CorpusFacts, corpus) for corpus in plain["corpora"]),
        "warnings": tuple(plain["warnings"]),
        "operations": operations,
        "rankings": tuple(map(_ranking, plain["rankings"])),
    }
    return typed(Result, plain)


def _operation(plain: dict[str, Any]) -> OperationFacts:
    """Make the facts of an operation of what is in a file."""
    if isinstance(setup := plain["setup"], dict):
        plain |= {"setup": typed(_SETUPS[setup["kind"]], setup)}
    return typed(OperationFacts, plain)


def _ranking(plain: dict[str, Any]) -> Ranking:
    """Make a ranking of what stood in a file, where every pair must be there once."""
    lists = {key: tuple(plain[key]) for key in ("order", "same", "unresolved")}
    pairs = tuple(typed(PairFacts, pair) for pair in plain["pairs"])
    found = typed(Ranking, plain | lists | {"pairs": pairs})
    if [(pair.a, pair.b) for pair in pairs] != list(combinations(found.order, 2)):
        raise ValueError(f"{found.corpus}: a pair of its ranking is missing")
    return found


_T = TypeVar("_T")


def typed(cls: type[_T], fields: Mapping[str, Any]) -> _T:
    """Make one of our dataclasses of what stood in a file, where anything may stand.

    Raises:
        TypeError: A field is missing, unknown, or of another type than the class declares.
    """
    made = cls(**fields)
    for key, kind in _kinds(cast("Any", cls)).items():
        if not _fits(value := getattr(made, key), kind):
            raise TypeError(f"{key} is {value!r:.40}")
    return made


@functools.cache
def _kinds(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _fits(value: object, kind: Any) -> bool:
    """Whether a value is of a type, of those that our dataclasses use."""
    parts = get_args(kind)
    match get_origin(kind):
        case None:
            same = type(value) is kind or (kind is float and type(value) is int)
            return same and (type(value) not in (int, float) or _is_finite(value))
        case typing.Literal:
            return value in parts
        case types.UnionType | typing.Union:
            return any(_fits(value, part) for part in parts)
        case builtins.tuple:
            return type(value) is tuple and all(_fits(item, parts[0]) for item in value)
        case _:
            return type(value) is dict and all(
                _fits(key, parts[0]) and _fits(item, parts[1]) for key, item in value.items()
            )


def _is_finite(value: Any) -> bool:
    """Whether a number is one that can be computed with: JSON of Python's has others."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _samples(benchmark: pyperf.Benchmark, *, sums: bool) -> tuple[Measurement, ...]:
    found = []
    for run in benchmark.get_runs():
        metadata = run.get_metadata()
        if _METADATA["raw"] not in metadata:
            continue
        if not metadata[_METADATA["paired"]] > 0:
            raise ValueError(f"{benchmark.get_name()}: a figure for ratios has to be above 0")
        found.append(
            typed(
                Measurement,
                {
                    "value": run.values[0],
                    "loops": metadata.get("loops", 1),
                    "duration": metadata["duration"],
                    "sums": sums,
                    **{name: metadata[key] for name, key in _METADATA.items()},
                },
            )
        )
    return tuple(found)
