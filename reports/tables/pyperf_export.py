"""One pyperf file per codec, so that ``pyperf compare_to json.json msgpack.json`` compares codecs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...bench.results import VERSION_KEY, ResultData, to_suite
from ...errors import UsageError
from ..model.merge import of_one_machine

if TYPE_CHECKING:
    import pyperf


def suites(results: Sequence[ResultData]) -> dict[str, pyperf.BenchmarkSuite]:
    """Return file names and suites with benchmarks named ``CORPUS/OPERATION``.

    Only times: pyperf calls fewer bytes "faster", and averages them with seconds.

    Raises:
        UsageError: No time was measured, or the results are of several machines.
    """
    import pyperf

    result = of_one_machine(results)
    found: dict[str, list[pyperf.Benchmark]] = {}
    cells = {cell.cell.name: cell.cell for cell in result.cells}
    for benchmark in to_suite(result).get_benchmarks():
        cell = cells.get(benchmark.get_name())
        if cell is not None and benchmark.get_unit() == "second":
            name = f"{cell.corpus}/{cell.operation_name}"
            found.setdefault(cell.codec, []).append(_renamed(benchmark, name))
    if not found:
        raise UsageError("nothing to write: no time was measured")
    files = _file_names(list(found))
    return {files[codec]: pyperf.BenchmarkSuite(benchmarks) for codec, benchmarks in found.items()}


def _renamed(benchmark: pyperf.Benchmark, name: str) -> pyperf.Benchmark:
    import pyperf

    runs = []
    for run in benchmark.get_runs():
        metadata = {**run.get_metadata(), "name": name}
        # The document describes the whole run, but the file contains only one codec.
        for key in ("bakeoff_document", VERSION_KEY):
            metadata.pop(key, None)
        runs.append(pyperf.Run(run.values, metadata=metadata, collect_metadata=False))
    return pyperf.Benchmark(runs)


def _file_names(codecs: Sequence[str]) -> dict[str, str]:
    """Convert codec names to file names: "msgpack/tuple|zstd:3" is msgpack-tuple-zstd-3.json."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for codec in codecs:
        stem = re.sub(r"[^\w.+]+", "-", codec).strip("-.") or "codec"
        number = 1
        name = stem
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.lower())
        names[codec] = f"{name}.json"
    return names
