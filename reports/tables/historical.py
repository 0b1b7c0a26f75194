"""Compare published figures of older benchmarks with those of a run.

Each file in `published` has the figures of one post with their source, and the matching cells.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ...bench.results import CellResult, ResultData
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import Figure
from ..model.placed import STORES, Group
from ..model.table import EMPTY, Column, Entry, Row, Section, Table
from ..model.view import View
from .statistics_table import COLUMNS, by_corpus, counts, score, timed

_FILES: Final = Path(__file__).parent / "published"


def build(layout: str, view: View) -> Table:
    """Build the table of a post.

    Args:
        layout: One of `LAYOUTS`.
        view: The current results.

    Raises:
        UsageError: The results have nothing to compare with the post.
    """
    return LAYOUTS[layout](view, tomllib.loads((_FILES / f"{layout}.toml").read_text("utf-8")))


# Cells measured in stores


def _seconds(view: View, post: Mapping[str, Any]) -> Table:
    """Build a row for each figure of the post: seconds for a number of records, then and now."""
    records = post["records"]
    columns = (
        Column("what", "", numeric=False),
        Column("then", post["heading"], "s"),
        Column("now", "now", "s", raw_unit="second"),
        Column("codec-now", "codec", "s", raw_unit="second"),
        Column("x", "then/now", raw_unit="ratio"),
        Column("as", "measured here as", numeric=False),
    )

    def sections(states: Sequence[Group], title: str) -> Iterator[Section]:
        for group in states:
            now = f"now: the mean of a call {records:,} times, in a store of {group.records:,} records"
            yield Section(
                f"{title}: seconds for {records:,} records",
                columns,
                tuple(_row(group, row, post["codecs"], records) for row in post["rows"]),
                lines=(_source(post),),
                remarks=(now, *post["remarks"]),
            )

    return _in_stores(view, sections)


def _row(group: Group, then: Mapping[str, Any], codecs: Mapping[str, Sequence[str]], records: int) -> Row:
    store, operation, seconds = then.get("store", ""), then.get("operation", ""), then["seconds"]
    alike = codecs.get(then.get("format", ""), ())
    codec = next((name for name in alike if group.figure((store, ""), name, operation)), "")
    found, part = (group.figure((store, ""), codec, operation, variant) for variant in ("", "codec"))
    entries = {
        "what": Entry(then["what"], then["what"]),
        "then": Entry(f"{seconds:g}", seconds),
        "now": _for_all(found, records),
        "codec-now": _for_all(part, records),
        "as": Entry(f"not measured: --store {store}", tone="dim"),
    }
    if found is not None:
        times = seconds / (found.value * records)
        entries["x"] = Entry(numbers.ratio(times), times)
        entries["as"] = Entry(f"{operation}@{store}, {codec}")
    elif not store:
        entries["as"] = Entry("no codec has a part in it", tone="dim")
    return Row(then["what"], entries)


def _sizes(view: View, post: Mapping[str, Any]) -> Table:
    """Build a table for each codec: operations of the post at each size of a store, by store."""

    def sections(states: Sequence[Group], title: str) -> Iterator[Section]:
        stores = list(dict.fromkeys(store for group in states for store in group.places))
        columns = (Column("what", "", numeric=False), *(Column(s, s, "", "lower", "second") for s in stores))
        sizes = ", ".join(f"{group.state} {group.records:,}" for group in states)
        for codec in dict.fromkeys(codec for group in states for codec in group.codecs):
            rows = []
            for then in post["rows"]:
                for group in states:
                    name = f"{then['what']}, {group.state}"
                    times = group.records if then.get("all") else 1
                    figures = {s: group.figure((s, ""), codec, then["operation"]) for s in stores}
                    entries = {store: _with_unit(found, times) for store, found in figures.items()}
                    rows.append(Row(name, {"what": Entry(name, name), **entries}))
            if any(row.entries[store].value for row in rows for store in stores):
                yield Section(
                    f"{title}, {codec}",
                    columns,
                    tuple(rows),
                    lines=(_source(post), f"time of a call; records in the store before: {sizes}"),
                    remarks=tuple(post["remarks"]),
                )

    return _in_stores(view, sections)


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


def _for_all(found: Figure | None, records: int) -> Entry:
    if found is None:
        return EMPTY
    half = None if found.half is None else found.half * records
    return Entry(numbers.quantity(found.value * records, half), found.value * records)


def _with_unit(found: Figure | None, times: float) -> Entry:
    """Write a time with its unit, because times of stores range from nanoseconds to seconds."""
    if found is None:
        return EMPTY
    value, half = found.value * times, None if found.half is None else found.half * times
    return Entry(numbers.amount(value, "second", half), value)


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


LAYOUTS: Final[Mapping[str, Callable[[View, Mapping[str, Any]], Table]]] = {
    "kyoto": _seconds,
    "acidstate": _sizes,
    "graph": _scores,
    "datomic": _scores,
}
"""The layout of each post, by the name of its file."""
