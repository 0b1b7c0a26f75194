"""What hostile payloads and objects did to codecs: a row for each codec, or for each case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..model import numbers
from ..model.table import Column, Entry, Table
from .builder import Maker, TableBuilder, word

_Codec = Mapping[str, Any]
"""Facts of a codec, as in the JSON of the command."""


class _Attacked(NamedTuple):
    """A case of a codec, with its facts."""

    codec: str
    case: Mapping[str, Any]


class _ByCodec(TableBuilder[_Codec]):
    """Builds the table of codecs, whose rows have no cells."""

    def __init__(self) -> None:
        super().__init__(lambda _: (), lambda row: row["codec"])

    def outcome(self, row: _Codec) -> tuple[str, str]:
        broken = [
            f"{_name(case)}: {_words(case)}"
            for case in row["cases"]
            if case["verdict"] not in ("kept", "known")
        ]
        return _state(row), row["failed"] or "; ".join(broken)


class _ByCase(TableBuilder[_Attacked]):
    """Builds the table of cases, whose rows have no cells."""

    def __init__(self) -> None:
        super().__init__(lambda _: (), lambda row: row.codec)

    def outcome(self, row: _Attacked) -> tuple[str, str]:
        case = row.case
        return case["verdict"], "" if case["verdict"] == "kept" else case["known"] or case["said"]


def by_codec(facts: Mapping[str, Any], remarks: Iterable[str] = ()) -> Table:
    """Return the table with a row for each codec.

    Args:
        facts: The content of the command's JSON.
        remarks: Lines below the rows.
    """
    columns: list[Maker[_Codec]] = [
        word("codec", "codec", lambda row: row["codec"]),
        (_number("cases"), lambda row: _count(len(row["cases"]))),
        (_number("kept"), lambda row: _count(_verdicts(row, "kept"))),
        (_number("known"), lambda row: _count(_verdicts(row, "known"))),
        (_number("slowest", "second"), partial(_most, "seconds")),
        (_number("most memory", "byte"), partial(_most, "memory")),
        (Column("promise", "promise", numeric=False), _promise),
    ]
    return Table((_ByCodec().table(_title(facts), facts["codecs"], columns, remarks=remarks),))


def by_case(facts: Mapping[str, Any], remarks: Iterable[str] = ()) -> Table:
    """Return the table with a row for each case of each codec.

    Args:
        facts: The content of the command's JSON.
        remarks: Lines below the rows.
    """
    columns: list[Maker[_Attacked]] = [
        word("codec", "codec", lambda row: row.codec),
        word("case", "case", lambda row: _name(row.case)),
        word("seen", "outcome", lambda row: row.case["outcome"]),
        (_number("calls"), lambda row: _count(row.case["calls"])),
        (_number("accepted"), lambda row: _count(row.case["accepted"])),
        (_number("slowest", "second"), lambda row: _seconds(row.case["seconds"])),
        (_number("most memory", "byte"), lambda row: _memory(row.case["memory"])),
        (Column("promise", "promise", numeric=False), _verdict),
    ]
    rows = (_Attacked(codec["codec"], case) for codec in facts["codecs"] for case in codec["cases"])
    return Table((_ByCase().table(_title(facts), rows, columns, remarks=remarks),))


def _title(facts: Mapping[str, Any]) -> str:
    promise = facts["promise"]
    return f"each call within {seconds_said(promise['seconds'])} and {numbers.bytes_said(promise['memory'])}"


def _number(header: str, raw_unit: str = "integer") -> Column:
    return Column(header.replace(" ", "_"), header, raw_unit=raw_unit)


def _verdicts(codec: _Codec, verdict: str) -> int:
    return sum(case["verdict"] == verdict for case in codec["cases"])


def _count(count: int) -> Entry:
    return Entry(str(count), count)


def _most(key: str, codec: _Codec) -> Entry:
    """Return the largest figure of the cases in which the process survived."""
    found = [case[key] for case in codec["cases"] if case["seconds"] is not None]
    write = _seconds if key == "seconds" else _memory
    return write(max((figure for figure in found if figure is not None), default=None))


def _seconds(seconds: float | None) -> Entry:
    return Entry(seconds_said(seconds), seconds)


def _memory(size: float | None) -> Entry:
    return Entry(memory_said(size), size)


def seconds_said(seconds: float | None) -> str:
    """Write the time of a call: "492 ms", "3.6 s"; a dash if it has none."""
    if seconds is None:
        return "–"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def memory_said(size: float | None) -> str:
    """Write the memory of a call in MiB; a dash if it has none."""
    return "–" if size is None else f"{max(0.0, size) / (1 << 20):,.0f} MiB"


def _name(case: Mapping[str, Any]) -> str:
    return f"{case['direction']}/{case['case']}"


def _state(codec: _Codec) -> str:
    broken = len(codec["cases"]) - _verdicts(codec, "kept") - _verdicts(codec, "known")
    return "failed" if codec["failed"] else f"{broken} broken" if broken else "kept"


def _promise(codec: _Codec) -> Entry:
    state = _state(codec)
    return Entry(state, state, tone="good" if state == "kept" else "bad")


def _words(case: Mapping[str, Any]) -> str:
    """Return the verdict on a case: what was broken, if anything was."""
    verdict: str = case["verdict"]
    if not case["broken"]:
        return verdict
    return ", ".join(case["broken"]) + (f" ({verdict})" if verdict == "known" else "")


def _verdict(row: _Attacked) -> Entry:
    text = _words(row.case)
    return Entry(text, text, tone="" if row.case["verdict"] in ("kept", "known") else "bad")
