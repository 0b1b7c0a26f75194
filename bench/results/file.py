"""The file of a result: a pyperf suite.

`bench` writes it, `reports` reads it, and neither imports the other. Every figure is a pyperf `Benchmark`
named ``CORPUS/OPERATION/CODEC``. Everything else (figures of 0, which pyperf refuses, outcomes without a
figure, corpus profiles, environment, options) is one JSON text in the metadata key ``bakeoff_document`` of
the first benchmark.

The metadata key ``bakeoff_result`` has the version of the format. Every release reads all versions from 1 up
to its own. Files with ``bakeoff_format`` instead are from development versions.
"""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...files import is_watch_file, open_readable
from ..cells import Cell
from ..facts import PyperfFacts
from ..figure import Figure
from .plain import plain_cell, typed
from .records import CellResult, Fact, Measurement, ResultData, ResultFileError
from .unfit import damage, folder, newer, unfit

if TYPE_CHECKING:
    import pyperf

FORMAT_VERSION = 1
VERSION_KEY = "bakeoff_result"
"""Metadata key of a result file's `FORMAT_VERSION`."""
_DEVELOPMENT_KEY = "bakeoff_format"
"""The same key in files of versions before the first release."""

LARGEST = 64 * 1024 * 1024
"""Most bytes of a result file, decompressed; a run of an hour writes a few of the 64 MB."""

_MOST_VALUES = 4_000_000
"""Most values of a result file. A real file of `LARGEST` bytes holds fewer; one of empty lists would take
gigabytes of memory."""

_PYPERF = ("value", "loops", "duration")
"""Fields of a `Measurement` for which pyperf has a place of its own."""
_METADATA = {
    each.name: f"bakeoff_{each.name}"
    for each in dataclasses.fields(Measurement)
    if each.name not in (*_PYPERF, "sums")
}
"""Keys of the metadata of a pyperf run, by the fields of its `Measurement`; the operation has `sums`."""
_LATER = frozenset(
    each.name for each in dataclasses.fields(Figure) if each.default is not dataclasses.MISSING
)
"""Fields that an earlier version may not have written."""

UNREADABLE = (
    OSError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError, RecursionError,
)  # fmt: skip
"""Errors of pyperf and the reader for files that are truncated, edited or not results at all."""


def _document(result: ResultData) -> str:
    plain = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    plain["cells"] = [plain_cell(cell) | _zeros(cell, result) for cell in result.cells]
    for key in ("codecs", "corpora", "operations", "rankings"):
        plain[key] = [dataclasses.asdict(record) for record in plain[key]]
    return json.dumps(plain)


def _zeros(cell: CellResult, result: ResultData) -> dict[str, Any]:
    """Return the samples of a cell that pyperf refuses, as one is 0."""
    if not cell.samples or _is_positive(cell.samples) or not _may_be_zero(cell, result):
        return {}
    return {"samples": [dataclasses.asdict(sample) for sample in cell.samples]}


def _is_positive(samples: Sequence[Measurement]) -> bool:
    return all(sample.value > 0 for sample in samples)


def _may_be_zero(cell: CellResult, result: ResultData) -> bool:
    """Return whether figures of a cell, some of which are not above 0, are those of bytes: none below 0."""
    counts = result.operation(cell.cell.operation_name).unit == "byte" and not cell.cell.place
    return counts and all(sample.value >= 0 for sample in cell.samples)


def _metadata(cell: CellResult, result: ResultData) -> dict[str, str | int | float]:
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
    """Yield the facts of a cell besides its figures; a dictionary is longer than all other data."""
    yield from cell.extras.items()
    for record in (cell.check, cell.facts):
        for key, value in () if record is None else dataclasses.asdict(record).items():
            if isinstance(value, dict):
                yield from ((f"{key}_{name}", each) for name, each in value.items())
            elif key not in ("dictionary", "kind"):
                yield key, value
    yield from (("resolution", cell.resolution), ("rough", cell.rough), ("steady", cell.steady))


def check_environment(facts: Mapping[str, Fact]) -> None:
    """Refuse facts that cannot be written, as pyperf has a type or a range for their name.

    Raises:
        ValueError: There are such facts.
    """
    import pyperf

    pyperf.Run([1.0], metadata=_pyperf_metadata(facts), collect_metadata=False)


def _pyperf_metadata(facts: Mapping[str, Fact]) -> dict[str, str | int | float]:
    """Leave out unknown values: pyperf takes no empty ones."""
    found = ((key, _pyperf_value(value)) for key, value in facts.items() if value is not None)
    return {key: value for key, value in found if value != ""}


def _pyperf_value(value: str | int | float | bool) -> str | int | float:
    """Convert a value to metadata that pyperf accepts: no booleans, line breaks or non-finite numbers."""
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value).lower()
    if isinstance(value, str):
        return " ".join(value.split())
    return value


def to_suite(result: ResultData) -> pyperf.BenchmarkSuite:
    """Convert a result to a pyperf suite; figures of 0, which pyperf refuses, are in the document."""
    import pyperf

    common = _pyperf_metadata(result.environment)
    benchmarks = []
    for cell in result.cells:
        if not cell.samples or not _is_positive(cell.samples):
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
        # Without a duration pyperf adds up the bytes of a size as seconds.
        "duration": sample.duration or 1e-9,
        **{key: getattr(sample, name) for name, key in _METADATA.items()},
    }
    return pyperf.Run([sample.value], metadata=metadata, collect_metadata=False)


def write(result: ResultData, path: Path, *, own: bool = False) -> None:
    """Write a result file atomically.

    Args:
        result: The result.
        path: The file.
        own: The user has not typed its name.

    Raises:
        RunError: The file cannot be written; no partial file is left.
        UsageError: The folder is missing or read-only, or `own` and not a regular file of this user.
    """
    from ...files import atomic_write

    suite = to_suite(result)
    with atomic_write(path, own=own) as file:
        text = io.TextIOWrapper(file, encoding="utf-8")
        suite.dump(text)
        text.detach()


def read(path: Path) -> ResultData:
    """Read a result file.

    Raises:
        ResultFileError: Missing, truncated, not JSON, damaged, a plain pyperf file, or a newer format.
    """
    return from_suite(path, read_suite(path))


def read_suite(path: Path) -> pyperf.BenchmarkSuite:
    """Read any pyperf file, gzipped if its name ends with ``.gz``.

    Raises:
        ResultFileError: A folder, not pyperf's JSON, truncated, more than `LARGEST` bytes, a result file of a
            development version, or the file of a watch.
    """
    import pyperf

    if is_watch_file(path):
        raise ResultFileError(
            f"{path}: a file of `bakeoff watch`, and not of a run; `bakeoff report {path}` shows it"
        )
    if path.is_dir():
        raise ResultFileError(folder(path))
    try:
        with open_readable(path) as file:
            plain = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
            text = plain.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise ResultFileError(f"{path}: more than {LARGEST:,} bytes, too many for a result file")
        check_values(path, text)
        suite = pyperf.BenchmarkSuite.loads(text)
    except OSError as error:
        if error.strerror is None:  # of gzip
            raise ResultFileError(f"{path}: damaged: {error}") from error
        raise ResultFileError(f"{path}: cannot be read: {error.strerror}") from error
    except UNREADABLE as error:
        raise ResultFileError(unfit(path, error)) from error
    if any(_DEVELOPMENT_KEY in benchmark.get_metadata() for benchmark in suite.get_benchmarks()):
        raise ResultFileError(
            f"{path}: written by a development version of bakeoff; result files of bakeoff 0.1.0 and later "
            "can be read, so run it again"
        )
    return suite


def check_values(path: Path, text: bytes) -> None:
    """Refuse JSON with more values than a result has.

    Raises:
        ResultFileError: It has more.
    """
    if sum(map(text.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        raise ResultFileError(f"{path}: more than {_MOST_VALUES:,} values, too many for a result file")


def from_suite(path: Path, suite: pyperf.BenchmarkSuite) -> ResultData:
    """Return the result in a suite.

    Args:
        path: The file, for errors.

    Raises:
        ResultFileError: Damaged, a plain pyperf file, or a newer format.
    """
    try:
        for benchmark in suite.get_benchmarks():
            metadata = benchmark.get_metadata()
            if (version := metadata.get(VERSION_KEY, 0)) > FORMAT_VERSION:
                raise ResultFileError(newer(path, version, FORMAT_VERSION))
            if document := metadata.get("bakeoff_document"):
                return _from_document(json.loads(document), suite)
    except UNREADABLE as error:
        raise ResultFileError(f"{path}: damaged: {damage(error)}; run it again") from error
    raise ResultFileError(f"{path}: a pyperf file, but not made by `bakeoff run` (no bakeoff_document)")


def _from_document(plain: dict[str, Any], suite: pyperf.BenchmarkSuite) -> ResultData:
    sums = {facts["name"] for facts in plain["operations"] if facts["sums"]}
    benchmarks = {benchmark.get_name(): benchmark for benchmark in suite.get_benchmarks()}
    for entry in plain["cells"]:
        cell = typed(Cell, entry["cell"])
        benchmark = benchmarks.get(cell.name)
        if benchmark is not None:
            entry["samples"] = _samples(benchmark, sums=cell.operation_name in sums)
    result = typed(ResultData, plain)
    for found in result.cells:
        if found.samples and found.cell.name not in benchmarks and not _may_be_zero(found, result):
            raise ValueError(f"{found.cell.name}: its figures belong in a benchmark")
    check_environment(result.environment)
    for ranking in result.rankings:
        if [(pair.a, pair.b) for pair in ranking.pairs] != list(combinations(ranking.order, 2)):
            raise ValueError(f"{ranking.corpus}: a pair of its ranking is missing")
    return result


def _samples(benchmark: pyperf.Benchmark, *, sums: bool) -> tuple[Measurement, ...]:
    found = []
    for run in benchmark.get_runs():
        metadata = run.get_metadata()
        if _METADATA["raw"] not in metadata:
            continue
        if not metadata[_METADATA["paired"]] > 0:
            raise ValueError(f"{benchmark.get_name()}: a figure for ratios must be above 0")
        found.append(
            typed(
                Measurement,
                {
                    "value": run.values[0],
                    "loops": metadata.get("loops", 1),
                    "duration": metadata["duration"],
                    "sums": sums,
                    **{
                        n: metadata[key] for n, key in _METADATA.items() if key in metadata or n not in _LATER
                    },
                },
            )
        )
    return tuple(found)
