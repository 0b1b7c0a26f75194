"""Past runs on this machine: how much figures of the same code vary from run to run.

Processes of one run agree better with each other than with those of another run, so the interval of two runs
needs a component that neither of them shows. Each finished run adds one small row per timed cell to an SQLite
file. A comparison takes the variation of identical cells (`Past`) beyond the noise of their processes: the
random effect of a meta-analysis, by moments (Hedges, "A random effects model for effect sizes", 1983). It is
combined with an assumed value, so that two runs that happen to agree prove little. The file holds digests and
figures, no names.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import islice
from pathlib import Path
from statistics import fmean, variance
from typing import TYPE_CHECKING

from ..errors import reason_of
from ..files import user_folder
from ..opening import open_own, open_regular
from .contention import free_level, same_state
from .facts import PipelineFacts, ReadFacts, StoreFacts
from .quantities import Amount, Logarithm
from .results import BASELINE, Cell, CellResult, Fact, ResultData, typed
from .stats import RUN_TO_RUN, RunToRun, contention_of

if TYPE_CHECKING:
    from sqlite3 import Connection

VARIABLE = "BAKEOFF_PAST_RUNS"
"""Environment variable with the path of the file, or ``off``."""

_MOST = 20_000
"""Most rows to keep, the newest; about three megabytes."""
_RECENT = 50
"""Most runs of a cell to use, the newest: machines change."""
_READINGS = 1_000
"""Most rows to use for the contention of a free core, the newest."""
_FEWEST = 20
"""Fewest rows for that."""
_PATIENCE = 5.0
"""Seconds to wait while another run writes."""

_TABLE = """
create table if not exists cells (
    identity text, machine text, started text, log real, error real, contention real,
    primary key (identity, started)
)
"""


@dataclass(frozen=True, slots=True)
class PastCell:
    """The figures of one run for one cell.

    Attributes:
        identity: Digest of everything that the figure depends on, see `identity`.
        machine: Digest of machine and interpreter.
        started: When the run began, ISO 8601.
        log: Mean over processes of the log of the time over that of the reference kernel.
        error: Standard error of this mean.
        contention: Median over processes; 0 if not recorded.
    """

    identity: str
    machine: str
    started: str
    log: Logarithm
    error: Amount
    contention: Amount


def path_of_runs() -> Path | None:
    """Return the path of the file of past runs; None if `VARIABLE` turns it off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen:
        return None if chosen == "off" else Path(chosen)
    return user_folder("XDG_STATE_HOME", ".local/state", "Application Support") / "past-runs.sqlite"


def remember(result: ResultData) -> str:
    """Add a run's timed cells to the past runs, in one transaction.

    Returns:
        Why that failed, as a run continues without it; empty on success.
    """
    rows = list(rows_of(result))
    try:
        if not rows or (path := path_of_runs()) is None:
            return ""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite would make it readable for all users.
        opened = open_regular if os.environ.get(VARIABLE) else open_own
        os.close(opened(path, os.O_RDWR | os.O_CREAT, 0o600))
        with _opened(path, "rw") as file:
            file.execute("begin immediate")
            file.execute(_TABLE)
            file.executemany("insert or replace into cells values (?, ?, ?, ?, ?, ?)", map(astuple, rows))
            file.execute(
                "delete from cells where rowid in "
                "(select rowid from cells order by started desc limit -1 offset ?)",
                (_MOST,),
            )
    except (OSError, RuntimeError) as error:
        return f"this run was not added to the past runs of this machine ({VARIABLE}): {reason_of(error)}"
    return ""


def recall(machines: Iterable[str]) -> list[PastCell]:
    """Return the rows of some machines, the newest first; none if no file can be read."""
    wanted = sorted(set(machines))
    try:
        if (path := path_of_runs()) is None or not path.is_file():
            return []
        with _opened(path, "ro") as file:
            marks = ", ".join("?" * len(wanted))
            query = f"select * from cells where machine in ({marks}) order by started desc"  # noqa: S608 - the marks are ours
            names = [field.name for field in fields(PastCell)]
            return [
                typed(PastCell, dict(zip(names, row, strict=True))) for row in file.execute(query, wanted)
            ]
    except (OSError, RuntimeError, TypeError, ValueError):
        return []


def free_core(facts: Mapping[str, Fact]) -> float:
    """Return the contention of a free core from past runs on this machine; 0 if there are too few.

    A run that shares its core all the time cannot know it otherwise.

    Args:
        facts: The environment of a run.
    """
    seen = [row.contention for row in recall([_machine(facts)])[:_READINGS] if row.contention]
    return free_level(seen) if len(seen) >= _FEWEST else 0.0


@contextlib.contextmanager
def _opened(path: Path, mode: str) -> Iterator[Connection]:
    """Open a file for one transaction.

    Raises:
        OSError: It is damaged, not a database, or locked for too long, or this Python cannot read one.
    """
    try:
        import sqlite3
    except ImportError as error:
        raise OSError("this Python was built without SQLite") from error
    try:
        name = f"{path.absolute().as_uri()}?mode={mode}"
        with contextlib.closing(sqlite3.connect(name, uri=True, timeout=_PATIENCE)) as file, file:
            yield file
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error


class Past:
    """Information from past runs about the comparison of two or more runs.

    A cell of a run is identical to one of a past run if machine, interpreter, code, records, options and
    operation are the same. Only past runs of identical cells count: other cells and other code say nothing
    about a cell. Neither do the compared runs themselves.

    Args:
        runs: The runs to compare.
        rows: Past runs on their machines; by default those in the local file.
    """

    def __init__(self, runs: Sequence[ResultData], rows: Sequence[PastCell] | None = None) -> None:
        if rows is None:
            rows = recall(_machine(run.environment) for run in runs)
        own = {run.started for run in runs}
        self._runs = runs
        self._cells: dict[str, list[PastCell]] = defaultdict(list)
        for row in rows:
            if row.started not in own:
                self._cells[row.identity].append(row)

    def sessions(self) -> dict[Cell, RunToRun]:
        """Return, for each timed cell of two runs or more, how much two runs of the same code differ."""
        there: dict[Cell, list[tuple[ResultData, CellResult]]] = defaultdict(list)
        for run in self._runs:
            for timed in _timed(run):
                there[timed.cell].append((run, timed))
        sessions = {}
        for cell, found in there.items():
            if len(found) > 1:
                identities = {identity(run, timed) for run, timed in found}
                level = contention_of([sample for _, timed in found for sample in timed.samples])
                alike = [_recent(self._cells.get(name, []), level) for name in identities]
                sessions[cell] = between(alike)
        return sessions


def between(groups: Iterable[Sequence[PastCell]]) -> RunToRun:
    """Estimate how much runs of one cell differ, beyond the noise of their processes.

    The assumed value is weighted by its degrees of freedom.

    Args:
        groups: The runs of each identity of the cell.
    """
    squares, degrees, runs = 0.0, 0, 0
    for rows in groups:
        if len(rows) > 1:
            own = len(rows) - 1
            noise = fmean(row.error**2 for row in rows)
            squares += own * (variance(row.log for row in rows) - noise)
            degrees += own
            runs += len(rows)
    # Of two runs: twice the variance of one.
    total = RUN_TO_RUN.degrees * RUN_TO_RUN.deviation**2 + 2 * max(0.0, squares)
    return RunToRun(math.sqrt(total / (RUN_TO_RUN.degrees + degrees)), RUN_TO_RUN.degrees + degrees, runs)


def _recent(rows: Sequence[PastCell], level: float) -> list[PastCell]:
    """Return the newest runs with a contention like `level`, if both are known."""
    alike = (row for row in rows if not level or (row.contention and same_state(row.contention, level)))
    return list(islice(alike, _RECENT))


def identity(result: ResultData, timed: CellResult) -> str:
    """Return a digest of everything that a cell's time depends on."""
    cell = timed.cell
    codec = next((c for c in result.codecs if c.name == cell.codec), None)
    corpus = next((c for c in result.corpora if c.name == cell.corpus), None)
    return _digest(
        _machine(result.environment),
        result.environment.get("bakeoff_code"),
        cell.operation_name,
        cell.codec,
        *([codec.library, codec.version, codec.accelerated] if codec else ()),
        *([corpus.sha256, corpus.sample] if corpus else ()),
        sorted(timed.check.code.items()) if timed.check else (),
        *_of_place(timed),
        sorted(result.conditions.items()),
    )


def _of_place(timed: CellResult) -> Iterator[object]:
    """Yield what a time depends on besides the codec: the library that reads, the settings of its place."""
    if isinstance(timed.facts, ReadFacts):
        yield from (timed.facts.library, timed.facts.version)
    elif isinstance(timed.facts, StoreFacts | PipelineFacts):
        yield sorted(timed.facts.settings.items())


def _machine(facts: Mapping[str, Fact]) -> str:
    """Return a digest of machine, interpreter and versions, which identify an environment.

    Args:
        facts: The environment of a run.
    """
    names = (
        *("hostname", "cpu_model_name", "cpu_count", "platform", "allocator"),
        *("python_implementation", "free_threading", "debug_build"),
    )
    versions = sorted(name for name in facts if name.endswith("_version"))
    return _digest(*([name, facts.get(name)] for name in (*names, *versions)))


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def _timed(result: ResultData) -> Iterator[CellResult]:
    for cell in result.cells:
        if (
            cell.cell.codec != BASELINE
            and len(cell.samples) > 1
            and all(sample.reference_kernel for sample in cell.samples)
        ):
            yield cell


def rows_of(result: ResultData) -> Iterator[PastCell]:
    """Yield the rows that a run adds to the past runs: one for each timed cell of a codec."""
    machine = _machine(result.environment)
    for cell in _timed(result):
        logs = [math.log(sample.paired) for sample in cell.samples]
        error = math.sqrt(variance(logs) / len(logs))
        yield PastCell(
            identity(result, cell),
            machine,
            result.started,
            fmean(logs),
            error,
            contention_of(cell.samples),
        )
