"""Codecs in stores: what a call takes, the codec's part clocked in place, and the floor, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from ...bench.results import CellResult, CorpusFacts, Result, StoreFacts, StoreSetup
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import RARE, Figure, corpora, figure
from ..model.table import EMPTY, Absent, Column, Entry, Row, Section, Table, letter
from ..model.view import View
from .captions import measured_on

__all__ = ["OPERATIONS", "Shelf", "build", "is_of_stores", "shelves"]

OPERATIONS: Final[Mapping[str, str]] = {
    "put": "put",
    "get": "get",
    "update": "update",
    "scan": "scan",
    "put-batch": "put at once",
    "open": "open",
}
"""Timed operations and what stands above them."""
_STORED: Final = "stored"
_VARIANTS: Final = ("", "codec", "floor", "nogc")
_TOGETHER: Final = (("put", "get"), ("update", "scan"), ("put-batch", "open"))
"""Operations whose columns stand in one table: as wide as a terminal."""
_ENOUGH: Final = 10
"""Slices with calls that take much longer than most, with fewer of which an interval may be too narrow:
simulated, such calls coming one by one or in bursts (`tests/benchmarks/stores.py`)."""
_FAILED: Final = ("ok", "lossy")


@dataclass(slots=True)
class Shelf:
    """The cells of one corpus in one state of the stores.

    Attributes:
        state: Name of the size of the stores.
        records: Records in each before timing.
        batch: Records that are put at once; None where no batches are.
        cells: By store, codec, operation and variant.
    """

    corpus: CorpusFacts
    state: str
    records: int
    batch: int | None = None
    cells: dict[tuple[str, str], dict[tuple[str, str], CellResult]] = field(default_factory=dict)

    def figure(self, store: str, codec: str, operation: str, variant: str = "") -> Figure | None:
        """Return what was measured, a record."""
        cell = self.cells.get((store, codec), {}).get((operation, variant))
        return None if cell is None else figure(cell.samples)

    @property
    def stores(self) -> list[str]:
        return list(dict.fromkeys(store for store, _ in self.cells))

    @property
    def codecs(self) -> list[str]:
        return list(dict.fromkeys(codec for _, codec in self.cells))


def is_of_stores(results: Sequence[Result]) -> bool:
    """Whether all that was measured was measured in stores."""
    setups = [setup for result in results for _, setup in _setups(result)]
    return bool(setups) and all(setup is not None for setup in setups)


def _setups(result: Result) -> Iterator[tuple[CellResult, StoreSetup | None]]:
    known = {facts.name: facts.setup for facts in result.operations}
    for cell in result.cells:
        setup = known.get(cell.cell.operation_name)
        yield cell, setup if isinstance(setup, StoreSetup) else None


def shelves(result: Result) -> list[Shelf]:
    """Return what was measured in stores, by corpus and state."""
    found: dict[tuple[str, str], Shelf] = {}
    corpus_of = {corpus.name: corpus for corpus in corpora(result)}
    for cell, setup in _setups(result):
        if setup is None:
            continue
        at = cell.cell
        bare = Shelf(corpus_of[at.corpus], setup.state, setup.records)
        shelf = found.setdefault((at.corpus, setup.state), bare)
        if None not in (setup.batch, shelf.batch) and setup.batch != shelf.batch:
            raise UsageError("results with batches of different sizes; show them one by one")
        shelf.batch = shelf.batch or setup.batch
        cells = shelf.cells.setdefault((at.place, at.codec), {})
        cells[at.operation, at.variant] = cell
    return list(found.values())


def build(view: View) -> Table:
    """Build the tables of stores: for each corpus and state some operations at a time.

    Raises:
        UsageError: Nothing was measured in a store.
    """
    sections = [
        section
        for machine in view.machines
        for shelf in shelves(machine.result)
        for section in _sections(shelf, machine.label)
    ]
    if not sections:
        raise UsageError("nothing to show: nothing was measured in a store; run `bakeoff stores` first")
    return view.table(sections)


def _sections(shelf: Shelf, label: str) -> Iterator[Section]:
    title = f"{shelf.corpus.name} in stores of {shelf.records:,} records ({shelf.state})"
    title = f"{label}: {title}" if label else title
    absent, gone = _absent(shelf)
    there = {key: cells for key, cells in shelf.cells.items() if key not in gone}
    measured = {operation for cells in there.values() for operation, _ in cells}
    parts = [[o for o in part if o in measured] for part in _TOGETHER]
    parts = [part for part in parts if part] or [[]]
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        builder = _Builder(shelf, there, part, stored=last and _STORED in measured)
        heading = ", ".join(OPERATIONS[operation] for operation in part)
        yield builder.section(
            f"{title}: {heading}" if heading else title,
            [*_about(shelf)] if number == 0 else [],
            absent if last else (),
            [*_remarks(shelf)] if last else [],
        )


def _about(shelf: Shelf) -> Iterator[str]:
    if shelf.corpus.description:
        yield shelf.corpus.description
    if shelf.corpus.records:
        yield measured_on(shelf.corpus)
    counts = [
        len(cell.samples) for cells in shelf.cells.values() for (o, _), cell in cells.items() if o != _STORED
    ]
    if counts and max(counts) > 1:
        yield f"± half the 95 % interval of the mean over {max(counts)} processes"


def _remarks(shelf: Shelf) -> Iterator[str]:
    """Say what the columns are, and on which terms a store keeps what it was given."""
    yield (
        "codec: the codec's part of a call, clocked in place; share: of the call; floor: the same call with "
        "the codec's payload as opaque bytes; each is measured, none is a difference"
    )
    if shelf.batch is not None:
        yield f"put at once: {shelf.batch:,} records in a batch; open: a store with all its records"
    yield from _rare(shelf)
    known = [facts for store in shelf.stores for facts in _stored(shelf, store)]
    if known:
        added, counted = min((facts.clock_added_ns, facts.clock_counted_ns) for facts in known)
        yield (
            f"the clock in place adds {added:.0f} ns to a codec's call, and counts {counted:.0f} ns of that "
            "itself, which are taken off"
        )
    for store in shelf.stores:
        settings = next((facts.settings for facts in _stored(shelf, store) if facts.settings), {})
        if settings:
            yield f"{store}: {', '.join(f'{name}={text}' for name, text in settings.items())}"


def _rare(shelf: Shelf) -> Iterator[str]:
    """Say where rare calls take much of the time, and too few of them were seen to know it well."""
    for store in shelf.stores:
        for operation, heading in OPERATIONS.items():
            found = {
                codec: cell.samples
                for (name, codec), cells in shelf.cells.items()
                if name == store and (cell := cells.get((operation, ""))) is not None and cell.samples
            }
            seen = {codec: sum(sample.dear for sample in samples) for codec, samples in found.items()}
            if not any(seen.values()) or min(seen.values()) >= _ENOUGH:
                continue
            share = fmean(sample.rare for samples in found.values() for sample in samples)
            if share >= RARE:
                few = [f"{codec} {number}" for codec, number in seen.items() if number < _ENOUGH]
                yield (
                    f"{heading} in {store}: rare calls that take much longer than the others are "
                    f"{numbers.percent(share)} of the time, and few were seen ({', '.join(few)}): the "
                    "intervals may be too narrow; run longer (--budget)"
                )


def _stored(shelf: Shelf, store: str) -> Iterator[StoreFacts]:
    for (name, _), cells in shelf.cells.items():
        facts = cells[_STORED, ""].facts if (_STORED, "") in cells else None
        if name == store and isinstance(facts, StoreFacts):
            yield facts


def _absent(shelf: Shelf) -> tuple[tuple[Absent, ...], set[tuple[str, str]]]:
    """Return the codecs and stores of which nothing could be measured, and why."""
    found, gone = [], set()
    for (store, codec), cells in shelf.cells.items():
        if any(cell.samples for cell in cells.values()):
            continue
        worst = next((cell for cell in cells.values() if cell.outcome not in _FAILED), None)
        if worst is not None:
            gone.add((store, codec))
            found.append(Absent(f"{codec} in {store}", worst.outcome, worst.reason, worst.stderr))
    return tuple(found), gone


class _Builder:
    """Builds one table.

    Args:
        there: What was measured, by store and codec.
        operations: Those of its columns.
        stored: Whether the stored bytes have a column.
    """

    def __init__(
        self,
        shelf: Shelf,
        there: Mapping[tuple[str, str], Mapping[tuple[str, str], CellResult]],
        operations: Sequence[str],
        *,
        stored: bool,
    ) -> None:
        self._shelf = shelf
        self._there = there
        self._operations = operations
        self._stored = stored
        self._letters: dict[str, str] = {}

    def section(
        self, title: str, lines: Sequence[str], absent: Sequence[Absent], remarks: Sequence[str]
    ) -> Section:
        columns = [
            Column("store", "store", numeric=False),
            Column("codec", "codec", numeric=False),
            *(column for operation in self._operations for column in self._columns(operation)),
        ]
        if self._stored:
            columns.append(Column(_STORED, "stored", "B/record", "lower", "byte"))
        rows = [self._row(store, codec, columns) for store, codec in self._order()]
        return Section(
            title=title,
            columns=tuple(columns),
            rows=tuple(rows),
            lines=tuple(lines),
            footnotes=tuple((mark, text) for text, mark in self._letters.items()),
            absent=tuple(absent),
            remarks=tuple(remarks),
        )

    def _order(self) -> list[tuple[str, str]]:
        """Return the rows: stores as they were asked for, in each the quickest codec first."""

        def total(key: tuple[str, str]) -> float:
            found = [self._shelf.figure(*key, operation) for operation in self._operations]
            return sum((one.value for one in found if one is not None), 0.0)

        stores = self._shelf.stores
        return sorted(self._there, key=lambda key: (stores.index(key[0]), total(key)))

    def _columns(self, operation: str) -> Iterator[Column]:
        unit = self._scale(operation)[1] + ("" if operation == "open" else "/record")
        variants = {variant for cells in self._there.values() for o, variant in cells if o == operation}
        heading = OPERATIONS[operation]
        yield Column(operation, heading, unit, "lower", "second")
        if "codec" in variants:
            # The share tells as much.
            yield Column(f"{operation}-codec", "codec", unit, "lower", "second", dispensable=1)
            yield Column(f"{operation}-share", "share", "", "", "ratio")
        if "floor" in variants:
            yield Column(f"{operation}-floor", "floor", unit, "lower", "second", dispensable=2)
        if "nogc" in variants:
            yield Column(f"{operation}-nogc", f"{heading}, gc off", unit, "lower", "second")

    def _times(self, operation: str) -> float:
        """Return what figures are multiplied by: a store is opened for all of its records."""
        return float(self._shelf.records or 1) if operation == "open" else 1.0

    def _scale(self, operation: str) -> tuple[float, str]:
        figures = [self._shelf.figure(*key, operation) for key in self._there]
        found = [one.value for one in figures if one is not None] or list(self._rough(operation))
        factor, name = numbers.scale([value * self._times(operation) for value in found], "second")
        return factor * self._times(operation), name

    def _rough(self, operation: str) -> Iterator[float]:
        """Yield what is roughly known of times that there was no time to measure."""
        for cells in self._there.values():
            cell = cells.get((operation, ""))
            if cell is not None and cell.rough is not None:
                yield cell.rough

    def _row(self, store: str, codec: str, columns: Sequence[Column]) -> Row:
        entries = {"store": Entry(store, store), "codec": Entry(codec, codec)}
        for operation in self._operations:
            total = self._shelf.figure(store, codec, operation)
            for variant in _VARIANTS:
                key = f"{operation}-{variant}" if variant else operation
                entries[key] = self._time(store, codec, operation, variant)
            part = self._shelf.figure(store, codec, operation, "codec")
            if total is not None and part is not None and total.value:
                share = part.value / total.value
                entries[f"{operation}-share"] = Entry(numbers.percent(share), share)
        if self._stored:
            found = self._shelf.figure(store, codec, _STORED)
            entries[_STORED] = (
                self._without(store, codec, _STORED)
                if found is None
                else Entry(numbers.grouped(found.value), found.value, found.low, found.high)
            )
        cells = self._there[store, codec].values()
        failed = [cell for cell in cells if cell.outcome not in _FAILED]
        return Row(
            codec=codec,
            entries=entries,
            outcome=failed[0].outcome if failed else "ok",
            reason="; ".join(
                dict.fromkeys(f"{c.cell.operation_name}: {c.reason or c.outcome}" for c in failed)
            ),
        )

    def _time(self, store: str, codec: str, operation: str, variant: str) -> Entry:
        found = self._shelf.figure(store, codec, operation, variant)
        if found is None:
            return self._without(store, codec, operation, variant)
        factor = self._scale(operation)[0]
        half = None if found.half is None else found.half * factor
        value = found.value * factor
        text = numbers.quantity(value, half)
        if not variant:
            text = " ".join(filter(None, (text, numbers.spread(value, half))))
        times = self._times(operation)
        low, high = (None if end is None else end * times for end in (found.low, found.high))
        return Entry(text, found.value * times, low, high)

    def _without(self, store: str, codec: str, operation: str, variant: str = "") -> Entry:
        """Say why there is no figure."""
        cell = self._there[store, codec].get((operation, variant))
        if cell is None:
            return EMPTY
        if cell.outcome in _FAILED:
            if variant or cell.rough is None:
                return EMPTY
            return Entry(f"≈{numbers.approximate(cell.rough * self._scale(operation)[0])}", tone="dim")
        text = f"{cell.cell.operation_name}: {cell.reason}"
        mark = self._letters.setdefault(text, letter(len(self._letters)))
        return Entry(cell.outcome, cell.outcome, marks=(mark,) if cell.reason else (), tone="bad")
