"""Read files to report: our result files, and plain pyperf files with what they contain."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from ...bench.results import (
    VERSION_KEY,
    Cell,
    CellResult,
    CodecFacts,
    Fact,
    Measurement,
    PyperfFacts,
    ResultData,
    ResultFileError,
    from_suite,
    read,
    read_suite,
)
from ...errors import UsageError
from ...files import journal_path
from ...nearby import NoSuchFile

if TYPE_CHECKING:
    import pyperf


def load_all(paths: Iterable[Path]) -> list[ResultData]:
    """Read several files; see `load`."""
    return [load(path) for path in paths]


def load(path: Path) -> ResultData:
    """Read a result file, or a plain pyperf file, as a result without checks, corpora and options.

    Raises:
        UsageError: There is no such file.
        ResultFileError: Not JSON of pyperf's kind, damaged, or written by a newer bakeoff or a development
            version.
    """
    if not path.exists():
        if journal_path(path).exists():
            raise UsageError(f"{path}: its run was cut off; `bakeoff run --resume {path}` resumes it")
        raise NoSuchFile(path, f"`bakeoff run -o {path}` makes one")
    suite = read_suite(path)
    if any(VERSION_KEY in benchmark.get_metadata() for benchmark in suite.get_benchmarks()):
        return from_suite(path, suite)
    return _plain(path, suite)


def load_folders(
    paths: Sequence[Path], skip: Callable[[str], None], show: Callable[[int, int], None]
) -> list[ResultData]:
    """Read every result file in folders and the folders below them, and files.

    Args:
        skip: Is given a sentence on each file that is not a result file, or damaged.
        show: Is given the number of files that were read, and that of all.

    Raises:
        UsageError: There is no such folder or file.
        ResultFileError: The only path is a file that cannot be read as a result.
    """
    files = []
    for path in paths:
        if not path.exists():
            raise NoSuchFile(path, "name a folder with result files", "file or folder")
        files += _files(path)
    found = []
    for number, file in enumerate(files):
        show(number, len(files))
        try:
            result = read(file)
        except ResultFileError as error:
            if [*paths] == [file]:
                raise
            skip(str(error))
            continue
        if result.started:
            found.append(result)
        else:
            skip(f"{file}: does not say when its run began")
    return found


def _files(path: Path) -> list[Path]:
    """Return a file, or those of a folder that are not hidden."""
    if not path.is_dir():
        return [path]
    found = (file for file in path.rglob("*") if file.is_file())
    return sorted(
        file for file in found if not any(part.startswith(".") for part in file.relative_to(path).parts)
    )


def _plain(path: Path, suite: pyperf.BenchmarkSuite) -> ResultData:
    """Convert a plain pyperf file: one row per benchmark, its runs as processes, nothing paired."""
    cells = []
    codecs: dict[str, CodecFacts] = {}
    environment: dict[str, Fact] = {}
    for benchmark in suite.get_benchmarks():
        metadata = dict(benchmark.get_metadata())
        cell = _cell(path, benchmark.get_name(), metadata)
        library, _, version = str(metadata.get("bakeoff_codec_version", "")).rpartition(" ")
        codecs.setdefault(cell.codec, CodecFacts(cell.codec, "", library, version, None))
        # Runs of one codec are added by number; runs of two codecs are never paired.
        samples = tuple(_samples(benchmark.get_runs(), count(list(codecs).index(cell.codec) * 10_000)))
        if samples:
            cells.append(CellResult(cell, "ok", facts=PyperfFacts(benchmark.get_unit()), samples=samples))
        environment = {key: value for key, value in metadata.items() if not key.startswith("bakeoff_")}
    if not cells:
        raise ResultFileError(f"{path}: a pyperf file without a single value")
    return ResultData(
        cells=tuple(cells),
        codecs=tuple(codecs.values()),
        corpora=(),
        environment={**environment, "name": None},
        warnings=(f"{path.name} is a plain pyperf file: records were not checked and nothing is paired",),
    )


def _cell(path: Path, name: str, metadata: dict[str, Fact]) -> Cell:
    """Return the cell of a benchmark: the one that bakeoff has written, or "value" and its name."""
    known = {each.name: str(metadata.get(f"bakeoff_{each.name}", "")) for each in dataclasses.fields(Cell)}
    return Cell(**known) if known["operation"] else Cell(path.stem, "value", name)


def _samples(runs: Iterable[pyperf.Run], numbers: Iterator[int]) -> Iterator[Measurement]:
    for run in runs:
        if run.values:
            value = math.fsum(run.values) / len(run.values)
            yield Measurement(value, value, value, pair=next(numbers), rounds=len(run.values))
