"""Codecs in stores as two posts had them, theirs beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from ...bench.results import Result
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import Figure
from ..model.environment import notes, warnings
from ..model.merge import machines
from ..model.table import EMPTY, Column, Entry, Row, Section, Table, labelled
from .stores import Shelf, shelves

__all__ = ["acidstate", "kyoto"]

_Sections = Callable[[Shelf, str], Iterator[Section]]

_RECORDS: Final = 100_000


class _Then(NamedTuple):
    """A row of the post of 2011 on 100,000 movies.

    Attributes:
        seconds: For all of them.
        store: What stands for it here; likewise `operation`, and the codec by its format.
    """

    what: str
    seconds: float
    store: str = ""
    operation: str = ""
    format: str = ""


_KYOTO: Final = (
    _Then("Kyoto Cabinet, JSON", 1.23, "kyoto", "put", "json"),
    _Then("Kyoto Cabinet, MessagePack", 1.65, "kyoto", "put", "msgpack"),
    _Then("SQL, an insert each", 10.4, "sqlite", "put", "json"),
    _Then("SQL, bulk insert", 2.1, "sqlite", "put-batch", "json"),
    _Then("SQLAlchemy, an insert each", 33.2, "sqlalchemy", "put", "json"),
    _Then("SQLAlchemy, bulk insert", 33.4, "sqlalchemy", "put-batch", "json"),
    _Then("Elixir; SQLModel", 35.8, "sqlmodel", "put", "json"),
    _Then("update in one statement", 0.38),
    _Then("updates, SQL", 9.0, "sqlite", "update", "json"),
    _Then("updates, object mapper", 230.0, "sqlalchemy", "update", "json"),
)
_ACIDSTATE: Final = (
    ("insert user", "put"),
    ("list users", "scan"),
    ("insert item", "update"),
    ("look up user", "get"),
)
"""Operations of the post of 2013, and what stands for them here."""
_FORMATS: Final = {
    "json": ("json", "simplejson", "orjson"),
    "msgpack": ("msgpack", "msgspec-msgpack", "ormsgpack"),
}
"""Codecs of a format, the one that is most like that of the post first."""


def kyoto(results: Sequence[Result]) -> Table:
    """Build the table of 2011: seconds for 100,000 records by store, then and now.

    Raises:
        UsageError: Nothing was measured in a store.
    """
    columns = (
        Column("what", "", numeric=False),
        Column("then", "2011", "s"),
        Column("now", "now", "s", raw_unit="second"),
        Column("codec-now", "codec", "s", raw_unit="second"),
        Column("x", "then/now", raw_unit="ratio"),
        Column("as", "measured here as", numeric=False),
    )

    def sections(shelf: Shelf, title: str) -> Iterator[Section]:
        rows = tuple(_row_of_2011(shelf, then) for then in _KYOTO)
        yield Section(
            f"{title}: seconds for {_RECORDS:,} records",
            columns,
            rows,
            remarks=(
                f"now: the mean of a call {_RECORDS:,} times, in a store of {shelf.records:,} records",
                "2011: whole runs, with four columns a row in SQL; here a key and a payload, so that a codec "
                "has a part in it: an update decodes, changes and encodes",
            ),
        )

    return _table(results, sections)


def _row_of_2011(shelf: Shelf, then: _Then) -> Row:
    codec = next(
        (name for name in _FORMATS.get(then.format, ()) if shelf.figure(then.store, name, then.operation)), ""
    )
    found = shelf.figure(then.store, codec, then.operation) if codec else None
    part = shelf.figure(then.store, codec, then.operation, "codec") if codec else None
    entries = {
        "what": Entry(then.what, then.what),
        "then": Entry(f"{then.seconds:g}", then.seconds),
        "now": _seconds(found, _RECORDS),
        "codec-now": _seconds(part, _RECORDS),
    }
    if found is not None:
        times = then.seconds / (found.value * _RECORDS)
        entries["x"] = Entry(numbers.ratio(times), times)
        entries["as"] = Entry(f"{then.operation}@{then.store}, {codec}")
    elif not then.store:
        entries["as"] = Entry("no codec has a part in it", tone="dim")
    else:
        entries["as"] = Entry(f"not measured: --store {then.store}", tone="dim")
    return Row(then.what, entries)


def acidstate(results: Sequence[Result]) -> Table:
    """Build the table of 2013: four operations at three sizes, a column for each store.

    The post's own figures are of a machine, a corpus and an account's password hashing that nobody has any
    more, and are not repeated.

    Raises:
        UsageError: Nothing was measured in a store.
    """
    blocks = machines(results)
    sections: list[Section] = []
    for label, result in blocks:
        found = shelves(result)
        for corpus in dict.fromkeys(shelf.corpus.name for shelf in found):
            states = [shelf for shelf in found if shelf.corpus.name == corpus]
            sections += _acidstate(states, f"{label}: {corpus}" if label else corpus)
    return _closed(results, sections)


def _acidstate(states: Sequence[Shelf], title: str) -> Iterator[Section]:
    stores = list(dict.fromkeys(store for shelf in states for store in shelf.stores))
    columns = (Column("what", "", numeric=False), *(Column(s, s, "", "lower", "second") for s in stores))
    for codec in dict.fromkeys(codec for shelf in states for codec in shelf.codecs):
        rows = []
        for what, operation in _ACIDSTATE:
            for shelf in states:
                entries = {"what": Entry(f"{what}, {shelf.state}", f"{what}, {shelf.state}")}
                # All users are listed, not one of them.
                times = shelf.records if operation == "scan" else 1
                for store in stores:
                    entries[store] = _with_unit(shelf.figure(store, codec, operation), times)
                rows.append(Row(entries["what"].text, entries))
        if any(entry.value for row in rows for key, entry in row.entries.items() if key != "what"):
            sizes = ", ".join(f"{shelf.state} {shelf.records:,}" for shelf in states)
            yield Section(
                f"{title}, {codec}",
                columns,
                tuple(rows),
                lines=(f"time of a call; records in the store before: {sizes}",),
                remarks=(
                    "insert item: the user is decoded, changed and encoded; list users: all of them, by the "
                    "time that one takes in a scan",
                ),
            )


def _table(results: Sequence[Result], sections: _Sections) -> Table:
    found = [
        section
        for label, result in machines(results)
        for shelf in shelves(result)
        for section in sections(shelf, f"{label}: {shelf.corpus.name}" if label else shelf.corpus.name)
    ]
    return _closed(results, found)


def _closed(results: Sequence[Result], sections: Sequence[Section]) -> Table:
    if not sections:
        raise UsageError("nothing to show: nothing was measured in a store; run `bakeoff stores` first")
    blocks = machines(results)
    return Table(
        tuple(sections),
        warnings=labelled([(label, warnings(result)) for label, result in blocks]),
        notes=labelled([(label, notes(result)) for label, result in blocks]),
    )


def _seconds(found: Figure | None, times: float) -> Entry:
    if found is None:
        return EMPTY
    half = None if found.half is None else found.half * times
    return Entry(numbers.quantity(found.value * times, half), found.value * times)


def _with_unit(found: Figure | None, times: float) -> Entry:
    """Write a time with its unit: a store's are from nanoseconds to seconds."""
    if found is None:
        return EMPTY
    factor, name = numbers.scale([found.value * times], "second")
    half = None if found.half is None else found.half * times * factor
    value = found.value * times
    return Entry(f"{numbers.quantity(value * factor, half)} {name}", value)
