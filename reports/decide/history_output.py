"""Show a history as a table, as JSON, and as rows of all figures."""

from __future__ import annotations

import json as _json
import math
from collections.abc import Sequence
from typing import Any, Final

from ...bench.method import Processes, Verdicts
from ...bench.stats import Ratio
from ..model import numbers
from ..model.lists import some
from ..model.table import ARROWS, Column, Entry, Row, Section, Table
from .cell_changes import in_words
from .compare_output import interval
from .history import ChangePoint, Line, RunPoint, Series

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_CHANGE: Final = "│"
"""The sign of a change point within a sparkline."""
_LONGEST: Final = 24
"""Most runs in a sparkline; of more, it shows means of successive ones."""
_SPAN: Final = math.log(1.2)
"""Least log ratio from the bottom of a sparkline to its top, so that noise looks small."""
_CAUSES: Final = 2
"""Causes of a change that are written out."""
_MOST: Final = 6
"""Changes with one cause that are written out."""
_UNKNOWN: Final = "no recorded change; the machine?"
_UNCOUNTED: Final = (
    f"they have fewer than {Processes.FEWEST} processes, or a neighbor used the core unlike in most runs"
)
METHOD: Final = (
    f"a change point is significant at {100 * Verdicts.ALPHA:g} % over all lines and runs, and above "
    f"{100 * Verdicts.TIE:g} %; intervals are of {100 * (1 - Verdicts.ALPHA):g} %",
    "times are relative to the reference kernel of their run",
)
"""Notes on the figures."""


def dates(series: Series) -> list[str]:
    """Return the day of each run; with the time if there are several on a day."""
    days = [run.started[:10] for run in series.runs]
    if len(set(days)) == len(days):
        return days
    return [run.started[:16].replace("T", " ") for run in series.runs]


def cause(change: ChangePoint) -> str:
    """Write what differs between the runs on both sides of a change point."""
    return some(change.causes, _CAUSES) or _UNKNOWN


def words(found: Ratio, line: Line) -> str:
    """Write a ratio after/before: "1.80× slower [1.76, 1.84]"."""
    text = in_words(found, line.operation)
    upwards = found if found.value > 1 else found.inverse()
    if not upwards.known or upwards.low == upwards.high:
        return text
    return f"{text} [{numbers.quantity(upwards.low, 0.01)}, {numbers.quantity(upwards.high, 0.01)}]"


def amount(line: Line, point: RunPoint) -> str:
    """Write a figure with its unit."""
    if line.operation.phase == "check":
        return f"{numbers.grouped(point.value, 0 if point.value >= 1000 else 1)} B"
    half = (point.high - point.low) / 2 or None
    return numbers.amount(point.value, line.operation.unit, half)


def changes(series: Series) -> list[tuple[int, str, list[str]]]:
    """Return the change points with the same run and causes together: the run, the cause and the changes."""
    found: dict[tuple[int, str], list[str]] = {}
    for line in series.lines:
        for change in line.changes:
            text = f"{line.cell.codec} {line.cell.operation_name} {words(change.ratio, line)}"
            found.setdefault((change.run, cause(change)), []).append(text)
    return [(run, why, texts) for (run, why), texts in sorted(found.items())]


def headline(found: Sequence[Series]) -> str:
    """Say in one sentence which figures changed."""
    lines = [(series, line) for series in found for line in series.lines]
    changed = [(series, line) for series, line in lines if line.changes]
    if not changed:
        return "No figure changed"
    if len(changed) > 1:
        return f"{len(changed):,} of {len(lines):,} figures changed"
    ((series, line),) = changed
    change = line.changes[-1]
    where = f"{series.title}: " if len(found) > 1 else ""
    told = in_words(change.ratio, line.operation)
    return f"{where}{line.cell.codec} {line.cell.operation_name} {told} since {dates(series)[change.run]}"


def table(found: Sequence[Series]) -> Table:
    """Convert a history to the table model: a row for each line, and its change points below."""
    return Table(tuple(map(_section, found)), notes=(*METHOD, "sparklines show logarithms"))


def _section(series: Series) -> Section:
    columns = (
        Column("codec", "codec", numeric=False),
        Column("operation", "operation", numeric=False),
        Column("latest", "latest"),
        Column("trend", "trend", numeric=False),
        Column("since-first", "newest against oldest run", unit="95 % interval"),
    )
    days = dates(series)
    lines = [
        f"{len(days)} runs from {days[0]} to {days[-1]}" if len(days) > 1 else f"a single run, {days[0]}"
    ]
    if series.since:
        lines.append(f"not in one line with runs before {days[0]}: {'; '.join(series.since)}")
    if others := sum(not point.counted for line in series.lines for point in line.points):
        lines.append(f"{others} figures do not count: {_UNCOUNTED}")
    answer = [
        line for run, why, texts in changes(series) for line in _paragraph(f"{days[run]}, {why}:", texts)
    ]
    return Section(
        series.title,
        columns,
        tuple(map(_row, series.lines)),
        lines=tuple(lines),
        answer=tuple(answer) or ("no change point" if series.lines else "nothing to compare it with yet",),
    )


def _paragraph(heading: str, texts: Sequence[str]) -> list[str]:
    """Write the changes with one cause: a single one in one line, the first few of several in a line each."""
    if len(texts) == 1:
        return [f"{heading} {texts[0]}"]
    more = len(texts) - _MOST
    shown = texts if more <= 1 else [*texts[:_MOST], f"and {more} more; -f json has all"]
    return [heading, *(f"· {text}" for text in shown)]


def _row(line: Line) -> Row:
    name, last, whole = line.cell.operation_name, line.points[-1], line.whole
    entries = {
        "codec": Entry(line.cell.codec, line.cell.codec),
        "operation": Entry(f"{name} {ARROWS[line.operation.direction]}", name),
        "latest": Entry(line.failed or amount(line, last), line.failed or last.value, last.low, last.high),
        "trend": Entry(sparkline(line)),
    }
    if whole:
        entries["since-first"] = Entry(interval(whole), whole.value, *whole.ends)
    return Row(line.cell.codec, entries)


def sparkline(line: Line) -> str:
    """Draw a line in one row of text, with a sign at each change point."""
    size = math.ceil(len(line.points) / _LONGEST)
    groups = [line.points[start : start + size] for start in range(0, len(line.points), size)]
    means = [math.fsum(math.log(point.value) for point in group) / len(group) for group in groups]
    span = max(max(means) - min(means), _SPAN)
    low = (max(means) + min(means) - span) / 2
    changed = {change.run for change in line.changes}
    drawn = []
    for group, mean in zip(groups, means, strict=True):
        drawn.append(_CHANGE * any(point.run in changed for point in group))
        drawn.append(_BLOCKS[min(len(_BLOCKS) - 1, int((mean - low) / span * len(_BLOCKS)))])
    return "".join(drawn)


def figures(found: Sequence[Series]) -> Table:
    """Convert a history to a table of all figures, for CSV."""
    columns = (
        Column("started", "started", numeric=False),
        Column("machine", "machine", numeric=False),
        Column("sha256", "records", numeric=False),
        Column("codec", "codec", numeric=False),
        Column("operation", "operation", numeric=False),
        Column("value", "value"),
        Column("change", "change"),
        Column("cause", "cause", numeric=False),
    )
    sections = []
    for series in found:
        rows = []
        for line in series.lines:
            changed = {change.run: change for change in line.changes}
            for point in line.points:
                texts = {
                    "started": series.runs[point.run].started,
                    "machine": series.machine,
                    "sha256": series.corpus.sha256,
                    "codec": line.cell.codec,
                    "operation": line.cell.operation_name,
                }
                entries = {key: Entry(text, text) for key, text in texts.items()}
                entries["value"] = Entry("", point.value, point.low, point.high)
                if change := changed.get(point.run):
                    ratio = change.ratio
                    entries["change"] = Entry("", ratio.value, *ratio.ends)
                    entries["cause"] = Entry("", "; ".join(change.causes))
                rows.append(Row(line.cell.codec, entries))
        sections.append(Section(series.corpus.name, columns, tuple(rows)))
    return Table(tuple(sections))


def summary(worse: Sequence[tuple[Series, Line]], limit: float) -> str:
    """Name the figures of the newest run that are worse by more than a limit."""
    told = []
    for series, line in worse:
        what = f"{series.title}: {line.cell.codec}"
        if line.newest and not line.failed:
            told.append(f"{what} {line.cell.operation_name} {words(line.newest, line)}")
        else:
            told.append(f"{what} {line.failed}")
    named = some(list(dict.fromkeys(told)), 5)
    return f"the newest run is worse than the runs before it by more than {limit * 100:g}%: {named}"


def json(found: Sequence[Series]) -> str:
    """Render a history as JSON; ratios are after/before."""
    plain = {"series": list(map(_plain, found))}
    return _json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(series: Series) -> dict[str, Any]:
    return {
        "machine": series.machine,
        "corpus": series.corpus.name,
        "sha256": series.corpus.sha256,
        "since": series.since,
        "runs": [run.started for run in series.runs],
        "lines": [
            {
                "codec": line.cell.codec,
                "operation": line.cell.operation_name,
                "unit": line.operation.unit,
                "points": [
                    {"run": point.run, **_finite(point), "counted": point.counted} for point in line.points
                ],
                "changes": [
                    {"run": change.run, **_finite(change.ratio), "causes": change.causes}
                    for change in line.changes
                ],
                "newest_against_oldest": line.whole and _finite(line.whole),
                "failed": line.failed or None,
            }
            for line in series.lines
        ],
    }


def _finite(found: RunPoint | Ratio) -> dict[str, float | None]:
    """Return a value with its interval; ends that are not known are None."""
    low, high = found.ends if isinstance(found, Ratio) else (found.low, found.high)
    ends = {"value": found.value, "low": low, "high": high}
    return {key: end if end is not None and math.isfinite(end) else None for key, end in ends.items()}
