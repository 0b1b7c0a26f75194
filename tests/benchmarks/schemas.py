"""The price of bringing types back, ours beside its peers', paired in one run.

Run ``python3 tasks.py benchmarks schemas``. Three tables: a record of 15 fields after msgpack (datetime,
date, six Decimals, UUID, bytes, int keys, five nested records), the rows of 2011 (tuples, lists by
callback, lists by schema), and what a schema with nothing to do costs. Then growth over a million records.
Targets stand beside the rows concerned; one that is missed makes the exit code 1.

Each round times one short slice of every row in random order. A process says the median over its
rounds of the ratio to the first row; a figure is the mean of several processes, with its interval,
since where things lie in memory moves a ratio by one per cent from process to process.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import types as pytypes
from collections.abc import Callable
from dataclasses import make_dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple, TypedDict, get_type_hints
from uuid import UUID

import click
import msgspec
import psutil
import pydantic
import typing_extensions

from bakeoff.bench.worker._slice import time_calls
from bakeoff.codecs.factory import codec
from bakeoff.datasets import corpus
from bakeoff.schemas import Schema

from ._frame import Targets, benchmark, in_processes, interval

SLICE = 250e-6
ROUNDS = 100
PROCESSES = 20


class Item(TypedDict):
    """One line of a sale."""

    sku: str
    quantity: int
    price: Decimal


class Sale(TypedDict):
    """15 fields; 493 bytes of MessagePack with the schema peers' usual types."""

    id: int
    key: UUID
    created: datetime
    due: date
    customer: str
    email: str
    active: bool
    score: float
    total: Decimal
    digest: bytes
    tags: list[str]
    items: list[Item]
    by_year: dict[int, int]
    note: str | None
    version: int


ITEM, SALE = get_type_hints(Item), get_type_hints(Sale)
ItemObject = make_dataclass("ItemObject", ITEM.items())
SaleObject = make_dataclass("SaleObject", (SALE | {"items": pytypes.GenericAlias(list, ItemObject)}).items())


class Row(NamedTuple):
    """One row of a table."""

    name: str
    call: Callable[[Any], object]
    items: list[Any]


def sales(count: int) -> list[dict[str, Any]]:
    """Return `count` sales, the same ones each time."""
    made = random.Random(141421)
    return [
        {
            "id": made.getrandbits(40),
            "key": UUID(int=made.getrandbits(128)),
            "created": datetime(2024, 1 + made.randrange(12), 1, 12, 30, 15, made.randrange(1_000_000)),
            "due": date(2025, 1 + made.randrange(12), 1 + made.randrange(28)),
            "customer": f"Customer {made.randrange(10**6)}",
            "email": f"user{made.randrange(10**6)}@example.org",
            "active": made.random() < 0.5,
            "score": made.random(),
            "total": Decimal(made.randrange(10**6)) / 100,
            "digest": made.randbytes(64),
            "tags": ["red", "large", "sale"],
            "items": [
                {
                    "sku": f"SKU-{made.randrange(10**5):05}",
                    "quantity": made.randrange(9),
                    "price": Decimal(f"{made.randrange(10**5) / 100:.2f}"),
                }
                for _ in range(5)
            ],
            "by_year": {2020 + i: made.randrange(1000) for i in range(4)},
            "note": None,
            "version": 3,
        }
        for _ in range(count)
    ]


def sale_rows() -> list[Row]:
    """Return the rows of the 15-field table; cattrs is left out where it is not installed."""
    packed = codec("msgpack")
    payloads = [packed.encode(sale) for sale in sales(200)]
    schema = Schema(Sale)
    objects = Schema(SaleObject, as_objects=True)
    decode, with_schema = packed.decode, packed.with_schema(schema).decode
    advise, build = schema.adviser(packed), packed.with_schema(objects).decode
    rows = [
        Row("msgpack (no types back)", decode, payloads),
        Row("msgpack+schema (apply)", with_schema, payloads),
        Row("msgpack, advise: all problems", lambda data: advise(decode(data)), payloads),
        Row("msgpack+schema, dataclasses", build, payloads),
    ]
    rows += _msgspec_rows(decode, schema, payloads)
    rows += _pydantic_rows(decode, payloads)
    rows += _cattrs_rows(decode, payloads)
    return rows


def _msgspec_rows(decode: Callable[[Any], Any], schema: Schema, payloads: list[bytes]) -> list[Row]:
    convert, struct = msgspec.convert, schema.binding("msgspec").type
    return [
        Row("msgpack + msgspec.convert, TypedDict", lambda data: convert(decode(data), Sale), payloads),
        Row("msgpack + msgspec.convert, Struct", lambda data: convert(decode(data), struct), payloads),
        Row("msgpack + msgspec.convert, dataclass", lambda data: convert(decode(data), SaleObject), payloads),
        Row("msgspec typed decoder, TypedDict", msgspec.msgpack.Decoder(Sale).decode, payloads),
        Row("msgspec typed decoder, Struct", msgspec.msgpack.Decoder(struct).decode, payloads),
    ]


def _pydantic_rows(decode: Callable[[Any], Any], payloads: list[bytes]) -> list[Row]:
    # pydantic takes the TypedDict of typing_extensions only, before Python 3.12.
    made: Any = typing_extensions.TypedDict
    item = made("item", ITEM)
    sale = made("sale", SALE | {"items": pytypes.GenericAlias(list, item)})
    as_dict = pydantic.TypeAdapter(sale).validate_python
    as_object: Callable[[Any], Any] = pydantic.TypeAdapter(SaleObject).validate_python
    return [
        Row("msgpack + pydantic TypeAdapter, TypedDict", lambda data: as_dict(decode(data)), payloads),
        Row("msgpack + pydantic TypeAdapter, dataclass", lambda data: as_object(decode(data)), payloads),
    ]


def _cattrs_rows(decode: Callable[[Any], Any], payloads: list[bytes]) -> list[Row]:
    try:
        from cattrs.preconf.msgpack import make_converter
    except ImportError:
        return []
    converter = make_converter(detailed_validation=False)
    converter.register_structure_hook(datetime, lambda value, _: datetime.fromisoformat(value))
    converter.register_structure_hook(date, lambda value, _: date.fromisoformat(value))
    converter.register_structure_hook(Decimal, lambda value, _: Decimal(value))
    converter.register_structure_hook(UUID, lambda value, _: UUID(value))
    structure = converter.structure
    return [Row("msgpack + cattrs, dataclass", lambda data: structure(decode(data), SaleObject), payloads)]


def messages_rows() -> list[Row]:
    """Return the rows of 2011, and today's default, on `messages`."""
    messages = corpus("messages", records=500)
    schema = Schema(messages.schema)
    payloads = [codec("msgpack").encode(record) for record in messages.records()]
    tuples = codec("msgpack/tuple")
    return [
        Row("msgpack/tuple", tuples.decode, payloads),
        Row("msgpack/list-hook", codec("msgpack/list-hook").decode, payloads),
        Row("msgpack/tuple+schema", tuples.with_schema(schema).decode, payloads),
        Row("msgpack", codec("msgpack").decode, payloads),
    ]


def pickle_rows() -> list[Row]:
    """Return pickle without and with a schema that has nothing to do for it."""
    trusted = codec("pickle", trusted=True)
    payloads = [trusted.encode(index) for index in range(100)]
    return [
        Row("pickle, an int", trusted.decode, payloads),
        Row("pickle+schema, an int", trusted.with_schema(Schema(Sale)).decode, payloads),
        Row("pickle, an int (again)", trusted.decode, payloads),
    ]


TABLES: dict[str, Callable[[], list[Row]]] = {
    "15 fields, msgpack: decode and bring types back": sale_rows,
    "2011: messages, lists back": messages_rows,
    "nothing to do": pickle_rows,
}


class Figure(NamedTuple):
    """One process's figures for one row."""

    name: str
    seconds: float
    ratio: float


class Target(NamedTuple):
    """Limit for the cost of a row, compared with another row of its table.

    Attributes:
        signed: The value may be 0 or less, and has no geometric mean.
    """

    row: str
    other: str
    words: str
    value: Callable[[Figure, Figure], float]
    limit: float
    signed: bool = False


TARGETS = (
    Target("msgpack/tuple+schema", "msgpack/tuple", "times {other}", lambda a, b: a.ratio / b.ratio, 1.10),
    Target(
        "msgpack+schema (apply)",
        "msgpack + msgspec.convert, TypedDict",
        "times {other}",
        lambda a, b: a.ratio / b.ratio,
        1.0,
    ),
    Target(
        "msgpack, advise: all problems",
        "msgpack + pydantic TypeAdapter, TypedDict",
        "of what {other} adds",
        lambda a, b: (a.ratio - 1) / (b.ratio - 1),
        0.5,
        signed=True,
    ),
    Target(
        "pickle+schema, an int",
        "pickle, an int",
        "ns over {other}",
        lambda a, b: (a.ratio - 1) * b.seconds * 1e9,
        20.0,
        signed=True,
    ),
)
BLOCKS = 100
"""Blocks that may stay after a million records."""


def judge(target: Target, found: list[list[Figure]]) -> tuple[bool, str]:
    """Return whether a target is met and how, by the mean over processes."""
    processes = [{figure.name: figure for figure in figures} for figures in found]
    values = [target.value(p[target.row], p[target.other]) for p in processes]
    value = statistics.fmean(values) if target.signed else interval(values)[0]
    met = value <= target.limit
    words = target.words.format(other=target.other)
    return met, f"{'ok' if met else 'MISSED'}: {value:.4g} {words} (target {target.limit:g})"


def measure(title: str, rounds: int) -> list[Figure]:
    """Return seconds per call and ratio to the first row, of each row, as this process has them."""
    rows = TABLES[title]()
    calls = []
    for row in rows:
        time_calls(row.call, row.items, 0, len(row.items))
        best = min(time_calls(row.call, row.items, 0, 10)[0] for _ in range(5)) * 1e-10
        calls.append(max(10, round(SLICE / best)))
    found: list[list[float]] = [[] for _ in rows]
    order = list(range(len(rows)))
    for number in range(rounds):
        random.shuffle(order)
        for index in order:
            row, start = rows[index], number * 7 % len(rows[index].items)
            gc.disable()
            nanoseconds, *_ = time_calls(row.call, row.items, start, calls[index])
            gc.enable()
            found[index].append(nanoseconds * 1e-9 / calls[index])
    return [
        Figure(
            row.name,
            statistics.median(seconds),
            statistics.median(a / b for a, b in zip(seconds, found[0], strict=True)),
        )
        for row, seconds in zip(rows, found, strict=True)
    ]


def show(targets: Targets, title: str, count: int, rounds: int) -> None:
    """Measure a table in processes, one after another, and print it."""
    found = in_processes(count, measure, title, rounds)
    names = {figure.name for figure in found[0]}
    told = {target.row: judge(target, found) for target in TARGETS if target.row in names}
    click.echo(f"\n{title}\n{'':44}{'µs':>8}  {'ratio':>6}  95 %")
    for row in zip(*found, strict=True):
        name, seconds, ratios = zip(*row, strict=True)
        mean, low, high = interval(ratios)
        microseconds = statistics.median(seconds) * 1e6
        met, words = told.get(name[0], (True, ""))
        targets.unmet |= not met
        click.echo(f"{name[0]:44}{microseconds:8.3f}  {mean:6.3f}  {low:.3f} to {high:.3f}  {words}")


def growth(records: int) -> tuple[int, int]:
    """Return blocks allocated by Python and bytes resident that stay after advising so many records."""
    packed = codec("msgpack")
    payloads = [packed.encode(sale) for sale in sales(50)]
    schema = Schema(Sale)
    fix = schema.fixer(packed)
    assert fix is not None
    me = psutil.Process()

    def turn(count: int) -> None:
        for _ in range(count // 100):
            for data in payloads:
                fix(packed.decode(data))
                schema.advise(packed.decode(data))

    turn(10_000)
    gc.collect()
    blocks, resident = sys.getallocatedblocks(), me.memory_info().rss
    turn(records)
    gc.collect()
    return sys.getallocatedblocks() - blocks, me.memory_info().rss - resident


@benchmark
@click.option("--processes", "count", default=PROCESSES, show_default=True, help="Processes of each table.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="Rounds of each process.")
@click.option(
    "--records", default=1_000_000, show_default=True, help="Records of the growth test; 0 for none."
)
def main(targets: Targets, count: int, rounds: int, records: int) -> None:
    """Print the cost of schemas next to their peers and targets; exit with 1 if a target is missed."""
    first = sales(1)[0]
    packed = codec("msgpack")
    assert packed.with_schema(Schema(Sale)).decode(packed.encode(first)) == first
    for title in TABLES:
        show(targets, title, count, rounds)
    if records:
        blocks, resident = growth(records)
        click.echo(f"\n{resident / 1024:,.0f} KiB resident stay")
        targets.at_most(f"growth over {records:,} advised records", blocks, BLOCKS, "blocks")
