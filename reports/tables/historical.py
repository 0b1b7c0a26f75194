"""Compare published figures of older benchmarks with those of a run.

Each file in `published` has the figures of one post with their source, and the matching cells. A post that
one of the tables here suits needs nothing but its file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from ...bench.results import CellResult, ResultData
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import measured
from ..model.placed import STORES, Group
from ..model.table import EMPTY, Column, Entry, Row, Section, Table
from ..model.view import View
from .builder import Maker, Style, TableBuilder, word
from .statistics_table import COLUMNS, by_corpus, counts, score, timed

_Then = Mapping[str, Any]
"""A row of a post."""
_Sized = tuple[_Then, Group]
"""A row of a post, at one size of the stores."""


def build(file: Path, view: View) -> Table:
    """Build the table of a post.

    Args:
        file: Its figures. `table` is a key of `_TABLES`.
        view: The current results.

    Raises:
        UsageError: The results have nothing to compare with the post.
    """
    post = tomllib.loads(file.read_text("utf-8"))
    return _TABLES[post["table"]](view, post)


# Cells measured in stores


def _seconds(view: View, post: Mapping[str, Any]) -> Table:
    """Build a row for each figure of the post: seconds for a number of records, then and now."""

    def sections(states: Sequence[Group], title: str) -> Iterator[Section]:
        for group in states:
            yield _Seconds(group, post).section(title)

    return _in_stores(view, sections)


class _Seconds:
    """The table of one size of the stores, whose rows are those of the post."""

    def __init__(self, group: Group, post: Mapping[str, Any]) -> None:
        self._group = group
        self._post = post
        self._records: int = post["records"]
        self._style = Style((self._records, "s"), self._records)
        self._builder: TableBuilder[_Then] = TableBuilder(self._cells, lambda then: str(then["what"]))

    def section(self, title: str) -> Section:
        """Return the table."""
        records = f"{self._records:,}"
        stored = f"in a store of {self._group.records:,} records"
        columns: tuple[Maker[_Then], ...] = (
            word("what", "", lambda then: str(then["what"])),
            (Column("then", self._post["heading"], "s"), self._published),
            (Column("now", "now", "s", raw_unit="second"), partial(self._entry, "")),
            (Column("codec-now", "codec", "s", raw_unit="second"), partial(self._entry, "codec")),
            (Column("x", "then/now", raw_unit="ratio"), self._times),
            (Column("as", "measured here as", numeric=False), self._measured_as),
        )
        return self._builder.table(
            f"{title}: seconds for {records} records",
            self._post["rows"],
            columns,
            lines=(_source(self._post),),
            remarks=(f"now: the mean of a call {records} times, {stored}", *self._post["remarks"]),
        )

    def _cells(self, then: _Then) -> list[CellResult]:
        return [cell for variant in ("", "codec") if (cell := self._cell(variant, then)) is not None]

    def _cell(self, variant: str, then: _Then) -> CellResult | None:
        """Return a cell of the most similar codec; one with a figure, if there is any."""
        spot, operation = (then.get("store", ""), ""), then.get("operation", "")
        alike = self._post["codecs"].get(then.get("format", ""), ())
        tried = [codec for codec in alike if self._group.cell(spot, codec, operation) is not None]
        if not tried:
            return None
        codec = next((codec for codec in tried if self._group.figure(spot, codec, operation)), tried[0])
        return self._group.cell(spot, codec, operation, variant)

    def _published(self, then: _Then) -> Entry:
        return Entry(f"{then['seconds']:g}", then["seconds"])

    def _entry(self, variant: str, then: _Then) -> Entry:
        return self._builder.entry(self._cell(variant, then), self._style)

    def _times(self, then: _Then) -> Entry:
        cell = self._cell("", then)
        found = None if cell is None else measured(cell)
        if found is None:
            return EMPTY
        times = then["seconds"] / (found.value * self._records)
        return Entry(numbers.ratio(times), times)

    def _measured_as(self, then: _Then) -> Entry:
        if "store" not in then:
            return Entry("no codec has a part in it", tone="dim")
        cell = self._cell("", then)
        if cell is None:
            return Entry(f"not measured: --store {then['store']}", tone="dim")
        return Entry(f"{cell.cell.operation}@{cell.cell.place}, {cell.cell.codec}")


def _sizes(view: View, post: Mapping[str, Any]) -> Table:
    """Build a table for each codec: operations of the post at each size of a store, by store."""

    def sections(states: Sequence[Group], title: str) -> Iterator[Section]:
        stores = list(dict.fromkeys(store for group in states for store in group.places))
        rows = [(then, group) for then in post["rows"] for group in states]
        for codec in dict.fromkeys(codec for group in states for codec in group.codecs):
            section = _sized(codec, rows, stores, title, post)
            if any(row.entries[store].value for row in section.rows for store in stores):
                yield section

    return _in_stores(view, sections)


def _sized(
    codec: str, rows: Sequence[_Sized], stores: Sequence[str], title: str, post: Mapping[str, Any]
) -> Section:
    """Build the table of a codec. Each time has its unit: those of stores are nanoseconds to seconds."""

    def name(row: _Sized) -> str:
        then, group = row
        return f"{then['what']}, {group.state}"

    def cell(store: str, row: _Sized) -> CellResult | None:
        then, group = row
        return group.cell((store, ""), codec, then["operation"])

    def entry(store: str, row: _Sized) -> Entry:
        then, group = row
        times = group.records if then.get("all") else 1
        style = Style((times, "second"), times, write=_with_unit)
        return builder.entry(cell(store, row), style)

    builder: TableBuilder[_Sized] = TableBuilder(
        lambda row: [found for store in stores if (found := cell(store, row)) is not None], name
    )
    sizes = ", ".join(dict.fromkeys(f"{group.state} {group.records:,}" for _, group in rows))
    return builder.table(
        f"{title}, {codec}",
        rows,
        (
            word("what", "", name),
            *((Column(store, store, "", "lower", "second"), partial(entry, store)) for store in stores),
        ),
        lines=(_source(post), f"time of a call; records in the store before: {sizes}"),
        remarks=tuple(post["remarks"]),
    )


def _with_unit(value: float, half: float | None) -> str:
    return numbers.amount(value, "second", half)


def _in_stores(view: View, sections: Callable[[Sequence[Group], str], Iterator[Section]]) -> Table:
    """Build the tables of stores, in all states of a corpus together."""
    found: list[Section] = []
    for machine in view.machines:
        states: dict[str, list[Group]] = {}
        for group in machine.placed:
            if group.kind == STORES:
                states.setdefault(group.corpus.name, []).append(group)
        for corpus, same in states.items():
            found += sections(same, machine.titled(corpus))
    if not found:
        raise UsageError("nothing to show: nothing was measured in a store; run `bakeoff stores` first")
    return view.table(found)


# Cells measured without a store


def _scores(view: View, post: Mapping[str, Any]) -> Table:
    """Build the rows of the post and of our operations of the same kind, relative to the slowest of each."""
    rate: bool = post["rate"]
    known = {*post["operations"], *post.get("beside", ())}

    def rows(result: ResultData, corpus: str) -> Iterator[Row]:
        cells = [cell for cell in timed(result, corpus) if _without_parameter(cell) in known]
        if not any(_without_parameter(cell) in post["operations"] for cell in cells):
            return
        first = post["rows"][0]["score"]
        for then in post["rows"]:
            entries = {"what": Entry(then["what"], then["what"]), **score(then["score"], None, rate=rate)}
            yield Row(then["what"], entries | {"x": _times(then["score"], first, rate=rate)})
        for cell in cells:
            alike = [each for each in cells if not rate or each.cell.parameter == cell.cell.parameter]
            means = [sum(s.value for s in each.samples) / len(each.samples) for each in alike]
            own = counts(result, cell)
            slowest = min(means) if rate else max(means)
            yield Row(cell.cell.codec, own | {"x": _times(own["mean"].value, slowest, rate=rate)})

    return by_corpus(
        view,
        rows,
        post["missing"],
        columns=(*COLUMNS, Column("x", "×", raw_unit="ratio")),
        lines=(_source(post),),
        remarks=tuple(post["remarks"]),
    )


def _without_parameter(cell: CellResult) -> str:
    return replace(cell.cell, parameter="").operation_name


def _times(value: Any, first: float, *, rate: bool) -> Entry:
    times = value / first if rate else first / value
    return Entry(numbers.ratio(times), times)


def _source(post: Mapping[str, Any]) -> str:
    return f"source: {post['source']}"


_TABLES: Final[Mapping[str, Callable[[View, Mapping[str, Any]], Table]]] = {
    "seconds": _seconds,
    "sizes": _sizes,
    "scores": _scores,
}
