"""The cost of a record in a store.

It measures the call as services make it, the codec's part of it clocked in place, and the same call with the
codec's payload as opaque bytes.

The codec's part is never a difference of two times: a call without a codec leaves the processor's caches in
another state, and differences from twice the codec's time to below zero have been seen.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import UsageError
from ..backends.registry import shown_name
from ..backends.stores import kind, kinds
from ..backends.stores.base import MissingStore, Store, StoreError, StoreKind, Wire, opaque
from ..backends.stores.pool import LARGE, Filled, Filling, StorePool, make_location, remove_location
from ..facts import Setup, StoreFacts, StoreSetup
from .base import NOGC, Batch, Context, Measured, Operation, Ring, TimedCall, UnfitError, Variant, burst

STATE = "MD"
"""Default size of a store before timing."""
BATCH = 100
"""Default number of records per put."""
PAGE = 100
"""Records of a scan, which returns this many from a random position in the store."""

UNCODED = ("get", "scan")
"""Operations that call no codec in a store that keeps records in memory."""
_ROWS = 1000
"""Number of records to compare at a time."""

CODEC = Variant("codec", "the codec's part of {}, clocked in place")
BASELINE = Variant("baseline", "{}, with the codec's payload as opaque bytes")

_PUTS = 128
"""Fewest calls of a slice if each writes one record: a store defers work, and then one of many calls does it.
"""
_BATCHES = 4
"""Fewest calls of a slice if each writes many records."""

_POOL = StorePool()


def _state(text: str) -> tuple[str, int, int]:
    """Parse the state, its records, and the records per put, of ``MD`` or ``MDx100``.

    Raises:
        ValueError: The text has another form.
    """
    from ...datasets.sizes import SIZES

    name, _, batch = (text or STATE).partition("x")
    number = int(batch) if batch else BATCH
    if name not in SIZES or number < 1:
        raise ValueError(text)
    return name, SIZES[name], number


def _accepts(place: str, parameter: str) -> Setup | None:
    """Accept a store and its state.

    Raises:
        UsageError: There is no such store or state.
    """
    if not place:
        # The bare declaration, for its help.
        return None
    if place not in kinds():
        kind(place)
    try:
        state, records, _ = _state(parameter)
        return StoreSetup(state, records)
    except ValueError:
        from ...datasets.sizes import SIZES

        raise UsageError(
            f"expected a state of {', '.join(SIZES)}, for batches as {STATE}x{BATCH}; got "
            f"{shown_name(parameter)!r}"
        ) from None


def _accepts_batch(place: str, parameter: str) -> Setup | None:
    """Accept a store, its state and the records of a batch; see `_accepts`."""
    if _accepts(place, parameter) is None:
        return None
    return StoreSetup(*_state(parameter))


@dataclass(slots=True)
class _Cell:
    """A store as one cell uses it.

    Attributes:
        wire: How records are encoded in this variant.
        inside: Reads the clocks of the variant that clocks the codec in place.
        give: Returns the store to the pool.
    """

    context: Context
    filled: Filled
    wire: Wire
    inside: Callable[[], int] | None
    give: Callable[[], None]

    @property
    def store(self) -> Store:
        return self.filled.store

    def ready(self) -> None:
        """Give the store this cell's wire, and replace it if it is too large; not timed."""
        self.filled.renew()
        self.store.wire = self.wire

    def record(self, index: int) -> Any:
        """Return a record of the sample as a service would put it; in the baseline, its payload."""
        context = self.context
        if context.variant is BASELINE:
            return context.payloads[index % len(context.payloads)]
        if context.shared is not None:
            return context.parts.taken([context.shared[index]])[0]
        return context.parts.taken(context.sample.records([index]))[0]

    def back(self, key: int) -> Any:
        """Return the decoded form of the record with a key."""
        return self.context.parts.bare.decode(self.context.payloads[self.filled.filling.index(key)])

    def key(self, index: int) -> int:
        """Return a random key of those that hold a record of the sample."""
        count, size = self.filled.filling.count, len(self.context.payloads)
        return 1 + index % min(count, size) + size * random.randrange(max(1, count // size))

    def work(self, call: Callable[[Any], object], item: Callable[[int], Any], **more: Any) -> TimedCall:
        """Return the timed work, on newly made items."""

        def batches(ring: Ring) -> Batch:
            def batch(start: int, count: int) -> tuple[list[Any], int]:
                self.ready()
                return [item(ring[(start + i) % len(ring)]) for i in range(count)], 0

            return batch

        kind, sample = self.filled.kind, self.context.sample
        fields = {"burst": burst(sample), "inside": self.inside, "waits": kind.waits, "close": self.give}
        return TimedCall(call, batches, **fields | more)


def _asked(context: Context) -> tuple[StoreKind, Wire, int]:
    """Return the store that an operation is for, how its records are encoded, and their number.

    Raises:
        UnfitError: No store is named.
    """
    if not context.place:
        raise UnfitError("name a store: OPERATION@STORE")
    codec = context.parts.bare
    wire = Wire(codec.encode, codec.decode, context.parts.codec.format)
    return kind(context.place), wire, _state(context.parameter)[1]


def _cell(context: Context, *, closed: bool = False, writes: bool = False) -> _Cell:
    """Return a filled store, shared with all cells that need the same one.

    Args:
        context: The context of the operation.
        closed: The store is measured by opening it.
        writes: The operation writes to it, so it grows; readers use another one, unless it is large.

    Raises:
        UnfitError: The store is not installed, or calls no codec that could be clocked.
    """
    found, wire, count = _asked(context)
    codec = context.parts.bare

    # A store in memory holds either records or payloads; in others, these are the same.
    own = found.live and context.variant is BASELINE and not closed
    # A large store takes long to fill and grows only by a share, so readers and writers share it.
    grows = writes or (count >= LARGE and not closed)

    def fill() -> Filling:
        payloads = context.payloads
        return Filling(payloads if own else [codec.decode(one) for one in payloads], payloads, count)

    name = (context.place, context.parts.codec.name, count, hash(tuple(context.payloads)), closed, own, grows)
    try:
        filled = _POOL.take(name, found, context.url, wire, fill, closed=closed, grows=grows)
    except MissingStore as error:
        raise UnfitError(str(error)) from error
    inside = None
    if context.variant is BASELINE:
        wire = opaque(wire.format)
    elif context.variant is CODEC:
        wire, inside = _clocked(wire)
    return _Cell(context, filled, wire, inside, functools.partial(_POOL.give, name))


@functools.cache
def _clock() -> tuple[float, float]:
    from ._inside import cost

    return cost()


def _clocked(wire: Wire) -> tuple[Wire, Callable[[], int]]:
    """Return the same wire with clocks, and a function that reads them."""
    from ._inside import Inside

    clocks = Inside(wire.encode), Inside(wire.decode)
    counted = _clock()[1]

    def inside() -> int:
        taken = [clock.take() for clock in clocks]
        return max(0, round(sum(spent - calls * counted for spent, calls in taken)))

    return Wire(clocks[0].call, clocks[1].call, wire.format), inside


def _refuse_live(context: Context) -> None:
    """Refuse to clock a codec that is not called.

    Raises:
        UnfitError: The store keeps records in memory.
    """
    if context.variant is CODEC and context.place and kind(context.place).live:
        raise UnfitError(f"{context.place} keeps records in memory: no codec is called")


def _get(context: Context) -> TimedCall:
    _refuse_live(context)
    cell = _cell(context)
    keys: list[int] = []

    def key(index: int) -> int:
        keys[:] = [cell.key(index)]
        return keys[0]

    return cell.work(cell.store.get, key, touched=True, expected=lambda index: cell.back(keys[0]))


def _put(context: Context) -> TimedCall:
    cell = _cell(context, writes=True)
    filled = cell.filled
    last: list[tuple[int, Any]] = []

    def pair(index: int) -> tuple[int, Any]:
        last[:] = [(filled.new_keys(1)[0], cell.record(index))]
        return last[0]

    def put_pair(pair: tuple[int, Any]) -> None:
        filled.store.put(pair[0], pair[1])

    def expected(index: int) -> None:
        _compare([(last[0], context.payloads[index])], [(last[0][0], cell.store.get(last[0][0]))], context)

    return cell.work(put_pair, pair, expected=expected)


def _put_batch(context: Context) -> TimedCall:
    cell, number = _cell(context, writes=True), _state(context.parameter)[2]
    filled, size = cell.filled, len(context.payloads)
    last: list[tuple[int, Any]] = []

    def pairs(index: int) -> list[tuple[int, Any]]:
        keys = filled.new_keys(number)
        last[:] = [(key, cell.record((index + i) % size)) for i, key in enumerate(keys)]
        return list(last)

    def expected(index: int) -> None:
        payloads = [context.payloads[(index + i) % size] for i in range(number)]
        wanted = list(zip(last, payloads, strict=True))
        _compare(wanted, cell.store.scan(last[0][0] - 1, number), context)

    def put_pairs(pairs: list[tuple[int, Any]]) -> None:
        filled.store.put_many(pairs)

    return cell.work(put_pairs, pairs, burst=1, records=number, expected=expected)


def _scan(context: Context) -> TimedCall:
    _refuse_live(context)
    cell = _cell(context)
    store, count = cell.store, cell.filled.filling.count
    page = min(PAGE, count)
    last = [0]

    def after(index: int) -> int:
        last[0] = random.randrange(count - page + 1)
        return last[0]

    def expected(index: int) -> list[tuple[int, Any]]:
        return [(key, cell.back(key)) for key in range(last[0] + 1, last[0] + 1 + page)]

    return cell.work(lambda after: store.scan(after, page), after, burst=1, records=page, expected=expected)


def _update(context: Context) -> TimedCall:
    cell = _cell(context, writes=True)
    filled = cell.filled
    last = [0]

    def key(index: int) -> int:
        last[0] = cell.key(index)
        return last[0]

    def update(key: int) -> None:
        store = filled.store
        store.put(key, _changed(store.get(key)))

    def rewrite(key: int) -> None:
        store = filled.store
        store.put(key, store.get(key))

    def expected(index: int) -> None:
        from ..equality.equal import first_difference

        key = last[0]
        difference = first_difference(_changed(cell.back(key)), cell.store.get(key))
        if difference is not None:
            raise StoreError(f"after an update of key {key}: {difference}")
        cell.store.put(key, cell.back(key))

    return cell.work(rewrite if context.variant is BASELINE else update, key, touched=True, expected=expected)


def _open(context: Context) -> TimedCall:
    cell = _cell(context, closed=True)
    kind, location, wire = cell.filled.kind, cell.filled.location, cell.wire

    def opened(key: int) -> Any:
        store = kind.open(location, wire)
        try:
            return store.get(key)
        finally:
            store.close()

    return dataclasses.replace(
        cell.work(opened, cell.key, burst=1, records=cell.filled.filling.count),
        batches=lambda ring: lambda start, count: ([1], 0),
        expected=lambda index: cell.back(1),
    )


def _stored(context: Context) -> Measured:
    """Fill a store, close it and verify a scan; return its bytes, and its settings."""
    found, wire, count = _asked(context)
    filling = Filling([wire.decode(payload) for payload in context.payloads], context.payloads, count)
    location = make_location(context.url)
    try:
        with contextlib.closing(found.open(location, wire)) as store:
            filling.into(store)
        with contextlib.closing(found.open(location, wire)) as store:
            taken, settings = store.stored(), {name: str(text) for name, text in store.settings.items()}
            _scan_all(store, filling)
    except MissingStore as error:
        raise UnfitError(str(error)) from error
    finally:
        remove_location(found, location)
    return Measured(taken / count, facts=StoreFacts(settings, *_clock()))


def _scan_all(store: Store, filling: Filling) -> None:
    """Verify that a store holds the records it was filled with.

    Raises:
        StoreError: It does not.
    """
    from ..equality.equal import first_difference

    seen = 0
    while rows := store.scan(seen, _ROWS):
        for key, record in rows:
            seen += 1
            if key != seen:
                raise StoreError(f"a scan returned key {key}, expected {seen}")
            difference = first_difference(filling.records[filling.index(key)], record)
            if difference is not None:
                raise StoreError(f"a scan returned another record for key {key}: {difference}")
    if seen != filling.count:
        raise StoreError(f"a scan returned {seen:,} records, expected {filling.count:,}")


def _compare(
    put: Sequence[tuple[tuple[int, Any], bytes]], found: Sequence[tuple[int, Any]], context: Context
) -> None:
    """Verify a stored record: it must equal the record itself, or the codec's decoding of its payload.

    Raises:
        StoreError: It does not.
    """
    from ..equality.equal import first_difference

    if len(put) != len(found):
        raise StoreError(f"expected {len(put):,} records in the store, found {len(found):,}")
    for ((key, record), payload), (there, back) in zip(put, found, strict=True):
        if key != there:
            raise StoreError(f"expected key {key} in the store, found {there}")
        if back is record:
            continue
        difference = first_difference(context.parts.bare.decode(payload), back)
        if difference is not None:
            raise StoreError(f"the record of key {key} has changed: {difference}")


def _changed(record: Any) -> Any:
    """Return a copy of a record with one value changed to another of the same type and length."""
    if isinstance(record, dict):
        for key, value in record.items():
            if (other := _other(value)) is not None:
                return {**record, key: other}
    elif isinstance(record, list):
        for index, value in enumerate(record):
            if (other := _other(value)) is not None:
                return [*record[:index], other, *record[index + 1 :]]
    return record


def _other(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return value[::-1]
    if kind is int:
        return value ^ 1
    if kind is float:
        return -value
    return None


def _operation(
    name: str,
    carry_out: Callable[[Context], TimedCall],
    heading: str,
    summary: str,
    parameter: str = "STATE",
    variants: tuple[Variant, ...] = (CODEC, BASELINE),
    *,
    accepts: Callable[[str, str], Setup | None] = _accepts,
    fewest: int = 1,
) -> Operation:
    return Operation(
        name=name,
        phase="time",
        summary=summary,
        carry_out=carry_out,
        heading=f"{heading} {{place}} {{parameter}}",
        place="STORE",
        parameter=parameter,
        accepts=accepts,
        variants=variants,
        sums=True,
        fewest=fewest,
    )


OPERATIONS = (
    _operation(
        "put", _put, "put", "time to encode one record and put it under a new key in a store", fewest=_PUTS
    ),
    _operation("get", _get, "get", "time to get one record from a store and decode it"),
    _operation(
        "update",
        _update,
        "update",
        "time to get a record, change one field and put it back, decoded and encoded",
        fewest=_PUTS,
    ),
    _operation("scan", _scan, "scan", f"time to get a record from a store among {PAGE} in the order of keys"),
    _operation(
        "put-batch",
        _put_batch,
        "put at once",
        f"time to encode a record and put it with others ({BATCH}, or N) in one batch",
        "STATExN",
        accepts=_accepts_batch,
        fewest=_BATCHES,
    ),
    _operation(
        "open",
        _open,
        "open",
        "time to open a store, replaying its journal, to get one record and to close it; for each in it",
        variants=(CODEC, BASELINE, NOGC),
    ),
    Operation(
        name="stored",
        phase="check",
        summary="bytes of a record in a store, including the store's overhead",
        carry_out=_stored,
        unit="byte",
        heading="stored {place} {parameter}",
        place="STORE",
        parameter="STATE",
        accepts=_accepts,
    ),
)
