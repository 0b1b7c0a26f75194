"""Check a published report against docs/how-to/publishing.md: the facts that a result lacks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...bench.method import Processes
from ...bench.results import BASELINE, ResultData
from .lists import some

_ENVIRONMENT = {"cpu_model_name": "processor", "cpu_count": "number of cores", "platform": "operating system"}


def lacking(results: Sequence[ResultData], files: Sequence[Path], output: Path | None) -> list[str]:
    """Return the facts that a report of some results could not state, one line each.

    Args:
        results: The results to report.
        files: Their files, in the same order.
        output: File of the report; None for standard output.
    """
    found = []
    for result, file in zip(results, files, strict=True):
        where = f"{file}: " if len(files) > 1 else ""
        lines = (_data(result), _versions(result), _machine(result), _command(result), _intervals(result))
        found += [f"{where}{line}" for line in lines if line]
    folder = None if output is None else output.absolute().parent
    if apart := [str(file) for file in files if file.absolute().parent != folder]:
        found.append(f"result file: write the report into the folder of {some(apart)} with -o")
    return found


def _data(result: ResultData) -> str:
    if not result.corpora:
        return "data: no corpus is named"
    unknown = [corpus.name for corpus in result.corpora if not (corpus.sha256 or corpus.profile)]
    return f"data: neither hash nor profile of {some(unknown)}" if unknown else ""


def _versions(result: ResultData) -> str:
    measured = {cell.cell.codec for cell in result.cells if cell.samples}
    unknown = [codec.name for codec in result.codecs if codec.name in measured and not codec.version]
    unknown += [name for name in ("python_version", "bakeoff_version") if not result.environment.get(name)]
    return f"versions: {some(unknown)}" if unknown else ""


def _machine(result: ResultData) -> str:
    unknown = [word for key, word in _ENVIRONMENT.items() if not result.environment.get(key)]
    return f"machine: {some(unknown)}" if unknown else ""


def _command(result: ResultData) -> str:
    return "" if result.command else "command: how the figures were made"


def _intervals(result: ResultData) -> str:
    single = [
        cell.cell.name
        for cell in result.cells
        if cell.cell.codec != BASELINE
        and result.operation(cell.cell.operation_name).phase in ("time", "alone")
        and (cell.samples or cell.rough is not None)
        and len(cell.samples) < Processes.FEWEST
    ]
    return f"intervals: fewer than {Processes.FEWEST} processes of {some(single)}" if single else ""
