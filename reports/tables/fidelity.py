"""The values that codecs preserve: a row for each value, a column for each codec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from ...bench.preserved import FidelityCell
from ..model.table import Section, Table
from .builder import Maker, TableBuilder, word

LEGEND: Final = (
    "= exact, type and all; ~X came back as X; E refused when encoding; D when decoding. "
    "A > B: A without a schema, B with one."
)
_GAP: Final = 2
"""Columns of space between two columns of a table."""


class TriedValue(Protocol):
    """A value in a codec."""

    @property
    def without(self) -> FidelityCell: ...
    @property
    def with_schema(self) -> FidelityCell: ...


Columns = Mapping[str, Mapping[str, TriedValue]]
"""What became of each value, by codec and value."""


def table(columns: Columns, width: int | None = None) -> Table:
    """Convert what codecs preserve to the table model.

    Args:
        columns: What became of each value.
        width: Columns of the terminal, to which codecs are folded; None for no limit.
    """
    builder = TableBuilder[str](lambda _: (), lambda value: value)
    values = list(next(iter(columns.values()), {}))
    exact = f"exact of {len(values)}"

    def became(value: str, codec: str) -> str:
        return _exact(columns[codec]) if value == exact else _short(columns[codec][value])

    makers: list[Maker[str]] = [word("value", "value", lambda value: value)]
    makers += (word(codec, codec, partial(became, codec=codec)) for codec in columns)
    section = builder.table("what a round trip returns", [*values, exact], makers)
    return Table(tuple(folded(section, width)), notes=(LEGEND, *crashes(columns)))


def folded(section: Section, width: int | None) -> Iterator[Section]:
    """Yield a table in parts that fit a width: the first column, with some of the others.

    The last part has the text below the table.
    """
    first, *others = section.columns
    widths = {
        column.id: max(map(len, [column.title, *(row.entry(column).shown for row in section.rows)])) + _GAP
        for column in section.columns
    }
    part = [first]
    for column in others:
        taken = sum(widths[each.id] for each in [*part, column]) - _GAP
        if width is not None and len(part) > 1 and taken > width:
            yield replace(section, columns=tuple(part), remarks=(), footnotes=())
            part = [first]
        part.append(column)
    yield replace(section, columns=tuple(part))


def _short(tried: TriedValue) -> str:
    without, with_schema = str(tried.without), str(tried.with_schema)
    return without if without == with_schema else f"{without} > {with_schema}"


def _exact(column: Mapping[str, TriedValue]) -> str:
    without = sum(tried.without.outcome == "exact" for tried in column.values())
    with_schema = sum(tried.with_schema.outcome == "exact" for tried in column.values())
    return f"{without} > {with_schema}"


def crashes(columns: Columns) -> Iterator[str]:
    """Yield why codecs lost their remaining values."""
    reasons = dict.fromkeys(
        (codec, tried.without.became)
        for codec, column in columns.items()
        for tried in column.values()
        if tried.without.outcome == "crash"
    )
    return (f"{codec}: crash: {reason}" for codec, reason in reasons)


def figures(columns: Columns) -> Iterator[list[str]]:
    """Yield a row for each value in each codec, for CSV; the first row names the columns."""
    yield ["codec", "value", "without", "became", "with_schema", "became_with_schema"]
    for codec, column in columns.items():
        for value, tried in column.items():
            without, with_schema = tried.without, tried.with_schema
            yield [codec, value, without.outcome, without.became, with_schema.outcome, with_schema.became]
