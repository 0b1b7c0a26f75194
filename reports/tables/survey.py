"""What a survey found: the records, and of each codec the bytes of all payloads and the losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ...escape import visible
from ..model import numbers
from ..model.profiled import profile_lines
from ..model.table import Column, Entry, Table
from .builder import Maker, TableBuilder, word

_Codec = tuple[str, Mapping[str, Any]]
"""A codec, and its facts in the file of a survey."""

_BYTES: Final = {
    "": "total",
    "_mean": "mean",
    "_min": "least",
    "_median": "median",
    "_p99": "99 %",
    "_max": "most",
}
_OUTCOMES: Final = {"wrong": "wrong", "lossy": "lossy", "refused": "unsupported"}
"""What may happen to a record, the worst first, and the outcome of a codec with such records."""
_TOLD: Final = {"loses": "loses:", "wrong": "is wrong:", "refused": "refuses:"}
"""Which examples a file has, and the words before them."""


def table(facts: Mapping[str, Any], sample: str = "") -> Table:
    """Return the table of a survey.

    Args:
        facts: The content of the file of a survey.
        sample: Name of the file that the sample was written to; empty if there is none.
    """
    count, shards = facts["records"], facts["shards"]
    said = f"{count:,} record{'s' * (count != 1)} in {shards:,} shard{'s' * (shards != 1)}"
    title = f"{said}, {numbers.bytes_said(facts['bytes'])}"
    lines = [(label, visible(text)) for label, text in profile_lines(facts["profile"])]
    section = _Surveyed().table(
        ", ".join(facts["sources"]),
        facts["codecs"].items(),
        list(_columns()),
        remarks=(line for codec in facts["codecs"].items() for line in _examples(codec)),
    )
    section = replace(section, opening=((("", title),), *((line,) for line in lines)))
    return Table((section,), notes=tuple(_of_sample(facts["sample"], sample)))


class _Surveyed(TableBuilder[_Codec]):
    """Builds the table, whose rows have no cells."""

    def __init__(self) -> None:
        super().__init__(lambda _: (), lambda row: row[0])

    def outcome(self, row: _Codec) -> tuple[str, str]:
        found = (outcome for key, outcome in _OUTCOMES.items() if row[1][key])
        return next(found, "ok"), "; ".join(_examples(row))


def _columns() -> Iterator[Maker[_Codec]]:
    yield word("codec", "codec", lambda row: row[0])
    for key, header in _BYTES.items():
        yield Column(f"bytes{key}", header, "B", raw_unit="byte"), partial(_amount, f"bytes{key}")
    for key in ("lossy", "wrong", "refused"):
        yield Column(key, key, raw_unit="integer"), partial(_amount, key)


def _amount(key: str, row: _Codec) -> Entry:
    value = row[1].get(key)
    if value is None:
        return Entry("–", tone="dim")
    return Entry(numbers.grouped(value, 1 if key == "bytes_mean" else 0), value)


def _examples(row: _Codec) -> Iterator[str]:
    """Yield what round trips of a codec lose, change or refuse, with the first place of each."""
    name, facts = row
    for outcome, lead in _TOLD.items():
        for one in facts.get(f"{outcome}_first", ()):
            yield f"{name} {lead} {one['what']} (first in {one['where']})"


def _of_sample(found: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield how far the payloads of the sample are from those of all records."""
    if found["errors"]:
        errors = ", ".join(f"{codec} {_error(each)}" for codec, each in found["errors"].items())
        yield f"{name}: {found['records']:,} records, each equally likely"
        yield f"mean payload, compared with that of all records: {errors}"


def _error(found: Mapping[str, float]) -> str:
    difference = f"{found['difference']:+.1%}".replace("-", "−")
    return f"{difference} (standard error {found['standard_error']:.1%})"
