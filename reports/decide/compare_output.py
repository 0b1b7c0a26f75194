"""Show a comparison as a table, as JSON, and in one sentence."""

from __future__ import annotations

import json as _json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final, Literal

from ...bench.results import Cell, CellResult, OperationFacts, PyperfFacts
from ...bench.stats import Ratio, RunToRun
from ..model import numbers
from ..model.candidates import measured
from ..model.lists import FEW_NAMES, some
from ..model.table import ARROWS, Column, ColumnDirection, Entry, Row, Section, Table
from .cell_changes import CellChange
from .compare import Comparison, Gate

_CODES: Final[Mapping[Gate, int]] = {"passed": 0, "failed": 1, "undecided": 2}
"""Exit codes of a gate."""


def table(comparison: Comparison, limit: float | None = None, conclusion: str = "") -> Table:
    """Convert a comparison to the table model.

    Args:
        limit: Limit of a regression; None for no gate.
        conclusion: The first line; by default the summary.
    """
    directions = {change.operation.direction for change in comparison.changes}
    # If operations differ in it, each has its own.
    common: ColumnDirection = next(iter(directions)) if len(directions) == 1 else ""
    gated = limit is not None and any(change.timed for change in comparison.changes)
    columns = (
        Column("codec", "codec", numeric=False),
        Column("operation", "operation", numeric=False),
        Column("before", "before", direction=common),
        Column("after", "after", direction=common),
        Column("change", "change", unit=level(change.alpha for change in comparison.changes if change.timed)),
        *((Column("worst", "at worst", unit="95 %"),) if gated else ()),
        Column("verdict", "verdict", numeric=False),
    )
    names = dict.fromkeys(change.cell.corpus for change in comparison.changes)
    sections = [
        Section(
            name,
            columns,
            tuple(_row(c, common, limit) for c in comparison.changes if c.cell.corpus == name),
        )
        for name in names
    ]
    if comparison.means:
        means = (
            Column("codec", "codec", numeric=False),
            Column("operation", "operation", numeric=False),
            Column("change", "change", unit=level(mean.alpha for mean in comparison.means if mean.timed)),
            Column("verdict", "verdict", numeric=False),
        )
        rows = tuple(
            _row(replace(c, cell=replace(c.cell, codec="all")), common, None) for c in comparison.means
        )
        sections.append(Section("geometric mean of each operation", means, rows))
    uncompared = [
        f"{what}: {_cells(cells)}"
        for what, cells in (
            ("new, with nothing before to compare", comparison.new),
            ("without a figure in either run, not compared", comparison.unmeasured),
        )
        if cells
    ]
    return Table(
        sections=tuple(sections),
        warnings=comparison.warnings,
        notes=(
            *(f"changed: {note}" for note in comparison.notes),
            *_remarks(comparison, limit),
            *uncompared,
        ),
        opening=conclusion or summary(comparison, limit),
    )


def level(alphas: Iterable[float]) -> str:
    """Describe the intervals of a column: "98.8 % interval"; empty if there are none."""
    found = {f"{100 - float(f'{100 * alpha:.2g}'):.10g} % " for alpha in alphas}
    return "" if not found else f"{found.pop() if len(found) == 1 else ''}interval"


def _without_verdict(changes: Sequence[CellChange]) -> list[str]:
    """Name the cells without a verdict, by the reason for it."""
    reasons: dict[str, list[str]] = {}
    for change in changes:
        if change.reason:
            cell = f"{change.cell.codec} {change.cell.operation_name}"
            reasons.setdefault(f"{change.verdict} ({change.reason})", []).append(cell)
    return [f"{reason}: {some(cells)}" for reason, cells in reasons.items()]


def _between(changes: Sequence[CellChange]) -> list[str]:
    """Describe the difference between two runs of the same code, and which past runs it is from."""
    sessions = [change.session for change in changes if change.session]
    known = [session for session in sessions if session.runs]
    lines = []
    if known:
        runs = " to ".join(dict.fromkeys(str(end(session.runs for session in known)) for end in (min, max)))
        cells = (
            "these cells" if len(known) == len(sessions) else f"{len(known)} of these {len(sessions)} cells"
        )
        lines.append(
            f"two runs of the same code differ by {_deviations(known)} (standard deviation; from {runs} past "
            f"runs of {cells} on this machine)"
        )
    if left := [session for session in sessions if not session.runs]:
        cells = "the others of these cells" if known else "these cells"
        lines.append(
            f"two runs of the same code are assumed to differ by {_deviations(left)} (standard deviation; no "
            f"past runs of {cells} are known on this machine)"
        )
    return lines


def _deviations(sessions: Sequence[RunToRun]) -> str:
    ends = (f"{100 * end(session.deviation for session in sessions):.1f}" for end in (min, max))
    return f"{' to '.join(dict.fromkeys(ends))} %"


def levels(what: str, limit: float | None) -> list[str]:
    """Describe which confidence intervals have, in a line.

    Args:
        what: What is judged together.
        limit: Limit of a regression; None for no gate.
    """
    gate = "" if limit is None else f'; "at worst" is the one-sided 95 % of each of these {what}'
    return [f"intervals have the level of the verdicts, which is 95 % for all {what} together{gate}"]


def _remarks(comparison: Comparison, limit: float | None) -> list[str]:
    """Describe how the verdicts were reached, and why some were not, one line each."""
    changes = comparison.changes
    return [
        *(levels("timed cells", limit) if any(change.timed for change in changes) else ()),
        *_between(changes),
        *_without_verdict(changes),
        *comparison.remarks,
    ]


def _cells(cells: Sequence[Cell]) -> str:
    """Name cells, or describe them by kind if there are many."""
    if len(cells) <= FEW_NAMES + 1:
        return ", ".join(cell.name for cell in cells)
    kinds = {
        "corpora": dict.fromkeys(cell.corpus for cell in cells),
        "operations": dict.fromkeys(cell.operation_name for cell in cells),
        "codecs": dict.fromkeys(cell.codec for cell in cells),
    }
    told = "; ".join(f"{kind} {some(list(names))}" for kind, names in kinds.items())
    return f"{len(cells)} cells ({told}); -f json names all"


def summary(comparison: Comparison, limit: float | None = None) -> str:
    """Describe the result in one sentence, and with a limit whether it was met."""
    worse = [c for c in comparison.changes if c.verdict == "worse"]
    better = [c for c in comparison.changes if c.verdict == "better"]
    parts = []
    if missing := comparison.missing():
        uncounted = any(change.operation.exact for change in missing)
        parts.append(f"{'not counted' if uncounted else 'measured before and not after'}: {_named(missing)}")
    if limit is not None:
        if failed := comparison.regressions(limit):
            parts.append(f"beyond {limit * 100:g}%: {_named(failed)}")
        if undecided := comparison.undecided(limit):
            parts.append(f"{_open(undecided, limit)}: {_named(undecided)}")
        if not (missing or failed or undecided):
            parts.append(f"no significant regression beyond {limit * 100:g}%")
    counted = f"{len(better)} of {len(comparison.changes)} cells became better, {len(worse)} worse"
    return f"{'; '.join([*parts, counted])}."


def _open(undecided: Sequence[CellChange], limit: float) -> str:
    """Say why a limit may be exceeded, or not: how well changes are known."""
    known = [c.ratio for c in undecided if c.timed and c.ratio and not c.reason]
    halves = [(found.high - found.low) / 2 for found in known if found.known]
    if not halves:
        return f"it is not known whether a change is beyond {limit * 100:g}%"
    return f"changes are known to ±{max(halves):.0%} here, so one may be beyond {limit * 100:g}%"


def conclusion(comparison: Comparison, limit: float | None) -> str:
    """Return the exit code of a comparison with its reason, in a line."""
    return concluded(None if limit is None else comparison.gate(limit), summary(comparison, limit))


def exit_code(gate: Gate | None) -> int:
    """Return the exit code of a gate; without one nothing fails."""
    return 0 if gate is None else _CODES[gate]


def concluded(gate: Gate | None, reason: str) -> str:
    """Return what a gate says, its exit code and the reason, in a line.

    Args:
        gate: What the gate says; None if there is none.
        reason: A sentence.
    """
    if gate is None:
        reason = f"{reason.removesuffix('.')}; without --fail-above nothing fails."
    return f"{gate or 'compared'} (exit {exit_code(gate)}): {reason}"


def _named(changes: Sequence[CellChange]) -> str:
    """Name the first cells, with their changes or what they could hide; a reason may be that of several."""
    groups = groupby(changes, lambda change: change.reason or change.cell)
    alike = [list(group) for _, group in groups]
    return some([f"{some([c.cell.name for c in group], 5)}{_detail(group[0])}" for group in alike], 5)


def _detail(change: CellChange) -> str:
    if change.verdict == "worse":
        return f" ({change.words})"
    if change.verdict == "not measured":
        return ""
    return f" ({change.reason})" if change.reason else f" (at worst {signed(change.worst)})"


def _row(change: CellChange, common: ColumnDirection, limit: float | None) -> Row:
    tone: Literal["", "good", "bad", "dim"] = "dim"
    if change.verdict in ("better", "worse", "not measured"):
        tone = "good" if change.verdict == "better" else "bad"
    words, verdict = _verdict(change, limit)
    found = change.ratio
    arrow = ARROWS[change.operation.direction]
    entries = {
        "codec": Entry(change.cell.codec),
        "operation": Entry(change.cell.operation_name if common else f"{change.cell.operation_name} {arrow}"),
        "before": _amount(change.before, change.operation),
        "after": _amount(change.after, change.operation),
        "change": Entry(_change(change), found.value, *found.ends) if found else Entry(""),
        "worst": Entry(signed(change.worst), change.worst) if found and change.timed else Entry(""),
        "verdict": Entry(words, verdict, tone=tone),
    }
    return Row(change.cell.codec, entries)


def _verdict(change: CellChange, limit: float | None) -> tuple[str, str]:
    """Return the words for a verdict and the verdict itself; a limit may impose further conditions."""
    if limit is not None and change.undecided(limit):
        return "cannot decide", "cannot decide"
    return change.words, change.verdict


def _amount(cell: CellResult | None, operation: OperationFacts) -> Entry:
    found = measured(cell) if cell is not None else None
    if cell is None or found is None:
        return Entry("" if cell is None else cell.outcome)
    if cell.cell.operation_name == "size":
        return Entry(f"{numbers.grouped(found.value, 0 if found.value >= 1000 else 1)} B", *found)
    unit = cell.facts.unit if isinstance(cell.facts, PyperfFacts) else operation.unit
    if found.limit is not None:
        return Entry(numbers.below(found.limit, unit), *found)
    return Entry(numbers.amount(found.value, unit, found.half), *found)


def _change(change: CellChange) -> str:
    if change.ratio is None or not change.operation.exact:
        return "" if change.ratio is None else interval(change.ratio)
    return f"{(change.ratio.value - 1) * 100:+.2f}%".replace("-", "−")


def signed(value: float) -> str:
    """Write the difference of a factor from 1: "+3.1%"."""
    return f"{(value - 1) * 100:+.1f}%".replace("-", "−") if math.isfinite(value) else "unknown"


def interval(found: Ratio) -> str:
    """Write the difference of a ratio from 1: "+3.1% [+1.0%, +5.2%]"."""
    if not found.known or found.low == found.high:
        return signed(found.value)
    return f"{signed(found.value)} [{signed(found.low)}, {signed(found.high)}]"


def json(comparison: Comparison, limit: float | None = None) -> str:
    """Render a comparison as JSON; ratios are after/before."""
    plain = {
        "cells": [_plain(change, limit) for change in comparison.changes],
        "means": [_plain(change, None) for change in comparison.means],
        "new": [cell.name for cell in comparison.new],
        "unmeasured": [cell.name for cell in comparison.unmeasured],
        "notes": comparison.notes,
        "remarks": _remarks(comparison, limit),
        "warnings": comparison.warnings,
        "limit": limit,
        "regressions": None if limit is None else [c.cell.name for c in comparison.regressions(limit)],
        "not_measured": [c.cell.name for c in comparison.missing()],
        "undecided": None if limit is None else [c.cell.name for c in comparison.undecided(limit)],
        "summary": summary(comparison, limit),
        "exit_code": exit_code(None if limit is None else comparison.gate(limit)),
        "conclusion": conclusion(comparison, limit),
    }
    return _json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(change: CellChange, limit: float | None) -> dict[str, Any]:
    found = change.ratio
    words, verdict = _verdict(change, limit)
    low, high = found.ends if found else (None, None)
    return {
        "corpus": change.cell.corpus,
        "operation": change.cell.operation_name,
        "codec": change.cell.codec,
        "outcomes": change.outcomes,
        "ratio": found and found.value,
        "low": low,
        "high": high,
        "confidence": 1 - change.alpha if found and change.timed else None,
        "at_worst": change.worst if found and change.timed and math.isfinite(change.worst) else None,
        "verdict": verdict,
        "words": words,
        "reason": change.reason or None,
        "between_runs": change.session and change.session.deviation,
        "past_runs": change.session and change.session.runs,
    }
