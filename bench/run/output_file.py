"""The result file of a run, written so that no earlier result is lost.

A result replaces an earlier one of the same run; one with the same options, data, machine and versions
(unless that one is finished and this is not); and one without figures. Any other is kept under a name with
its start time: ``bakeoff.json`` becomes ``bakeoff.20261122T115016Z.json``. A run in which no codec passed
replaces nothing, and is written to ``bakeoff.failed.json``.
"""

from __future__ import annotations

import datetime as dt
from itertools import chain, count
from pathlib import Path

from ...errors import RunError
from ...files import is_result_file, write_new
from ..results import BASELINE, ResultData, ResultFileError, read, write
from .environment import MACHINE


class OutputFile:
    """The destination of a run's result.

    Args:
        output: The requested file.

    Attributes:
        path: The file that holds the result.
        note: A message about an earlier result; empty if there was none.
    """

    def __init__(self, output: Path) -> None:
        self.path = self._output = output
        self.note = ""
        self._ours = False

    def write(self, result: ResultData, *, last: bool) -> None:
        """Write a result.

        Args:
            last: The run is over. Before that, no other result is replaced.

        Raises:
            RunError: It cannot be written, or an earlier result cannot be kept.
        """
        if not self._ours and is_result_file(self._output):
            earlier = _read(self._output)
            if earlier is None or _run(earlier) != _run(result):
                if not last:
                    return
                self._make_room(earlier, result)
        write(result, self.path, own=self.path != self._output)
        self._ours = True

    def _make_room(self, earlier: ResultData | None, result: ResultData) -> None:
        if earlier is not None and not _has_figures(earlier):
            return
        if not _has_figures(result):
            self.path = _beside(self._output, "failed")
            self.note = f"{self._output} still has the result of an earlier run"
        elif earlier is not None and result.complete and _kind(earlier) == _kind(result):
            begun = f"{_begun(earlier, self._output):%Y-%m-%d %H:%M:%S} UTC"
            self.note = f"it replaces the result of {begun}, which had the same options, data and versions"
        else:
            kept = self._keep(earlier)
            self.note = f"the earlier result in {self._output} is kept as {kept}"

    def _keep(self, earlier: ResultData | None) -> Path:
        stamp = f"{_begun(earlier, self._output):%Y%m%dT%H%M%SZ}"
        marks = chain([stamp], (f"{stamp}-{number}" for number in count(2)))
        places = (_beside(self._output, mark) for mark in marks)
        try:
            return write_new(places, self._output.read_bytes())
        except OSError as error:
            raise RunError(
                f"{self._output}: the earlier result cannot be kept: {error.strerror}; choose another with -o"
            ) from error


def _beside(path: Path, mark: str) -> Path:
    return path.with_name(f"{path.stem}.{mark}{path.suffix}")


def _read(path: Path) -> ResultData | None:
    """Return a result; None if the file is damaged or from another version."""
    try:
        return read(path)
    except ResultFileError:
        return None


def _run(result: ResultData) -> tuple[object, ...]:
    """Return the identity of a run, which stays the same when it is resumed."""
    return result.started, result.command, result.environment.get("hostname")


def _kind(result: ResultData) -> tuple[object, ...]:
    """Return everything that affects the figures of a run."""
    options = {key: value for key, value in result.options.items() if not key.startswith("reached ")}
    return (
        options,
        {key: result.environment.get(key) for key in MACHINE},
        {(corpus.name, corpus.source, corpus.sha256) for corpus in result.corpora},
        {(codec.name, codec.library, codec.version) for codec in result.codecs},
    )


def _has_figures(result: ResultData) -> bool:
    return any(cell.outcome in ("ok", "lossy") and cell.cell.codec != BASELINE for cell in result.cells)


def _begun(result: ResultData | None, path: Path) -> dt.datetime:
    """Return when a run began, to the second, in UTC; of unreadable files, the modification time."""
    try:
        begun = dt.datetime.fromisoformat(result.started if result is not None else "")
    except ValueError:
        begun = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
    return begun.astimezone(dt.UTC).replace(microsecond=0)
