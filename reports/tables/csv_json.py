"""CSV and JSON: raw figures at full precision, for other programs."""

from __future__ import annotations

import csv as _csv
import dataclasses
import io
import json as _json
from collections.abc import Iterable, Sequence
from typing import Any

from ...escape import visible
from ..model.table import Column, Entry, Section, Table


def csv(table: Table) -> str:
    """Render as one CSV table over all corpora; times in seconds, memory in bytes.

    Each figure is followed by its interval (``dump_low``, ``dump_high``). A rank is followed by the last
    possible one (``rank_last``), and the reason for several (``rank_verdict``: "same" for a tie, "unresolved"
    if too little is known). Every row ends with outcome and reason, which names the machine if there are
    several. Text that a spreadsheet would treat as a formula gets a leading quote.
    """
    names = ["corpus"]
    for section in table.sections:
        names += [name for column in section.columns for name in _names(column)]
    names = [*dict.fromkeys(names), "outcome", "reason"]
    out = io.StringIO()
    writer = _csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for section in table.sections:
        writer.writerows(_csv_rows(section))
    return out.getvalue()


def csv_of(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of text as CSV; the first row names the columns."""
    out = io.StringIO()
    _csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _names(column: Column) -> list[str]:
    # Operations of other packages may have any name.
    name = str(_inert(column.id))
    if column.key == "rank":
        return [name, f"{name}_last", f"{name}_verdict"]
    return [name, f"{name}_low", f"{name}_high"] if column.numeric else [name]


def _csv_rows(section: Section) -> list[dict[str, Any]]:
    rows = []
    for row in section.rows:
        found: dict[str, Any] = {
            "corpus": _inert(section.title),
            "outcome": row.outcome,
            "reason": _inert(row.reason),
        }
        for column in section.columns:
            entry = row.entry(column)
            beside = (entry.high, entry.verdict) if column.key == "rank" else (entry.low, entry.high)
            found |= zip(_names(column), (_inert(entry.value), *beside), strict=False)
        rows.append(found)
    rows += [
        {
            "corpus": _inert(section.title),
            "codec": _inert(absent.codec),
            "outcome": absent.outcome,
            "reason": _inert(": ".join(filter(None, (absent.block, absent.reason)))),
        }
        for absent in section.absent
    ]
    return rows


def _inert(value: float | str | None) -> float | str | None:
    """Prevent a spreadsheet from running a name or an error text as a formula."""
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def json(table: Table) -> str:
    """Render as JSON: the table model, raw values, intervals and texts."""
    plain = {
        "sections": [_section(section) for section in table.sections],
        "warnings": table.warnings,
        "notes": table.notes,
        "recommendation": table.recommendation,
        **table.meta,
    }
    return _json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def _section(section: Section) -> dict[str, Any]:
    return {
        "corpus": section.title,
        "opening": section.opening,
        "lines": section.lines,
        "columns": [_column(column) for column in section.columns],
        "rows": [
            {
                "codec": row.codec,
                "ranked": row.ranked,
                "group": row.group,
                "outcome": row.outcome,
                "reason": row.reason,
                "entries": {key: _entry(entry) for key, entry in row.entries.items()},
            }
            for row in section.rows
        ],
        "answer": section.answer,
        "remarks": section.remarks,
        "footnotes": dict(section.footnotes),
        "absent": [dataclasses.asdict(absent) for absent in section.absent],
        "origin": section.origin,
    }


def _entry(entry: Entry) -> dict[str, Any]:
    found = dataclasses.asdict(entry)
    del found["spread"], found["level"]  # The text contains them.
    return found


def _column(column: Column) -> dict[str, Any]:
    found = {"id": column.id, **dataclasses.asdict(column)}
    del found["dispensable"]  # This only concerns terminals.
    return found
