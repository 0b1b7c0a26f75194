"""What records of dicts cost in formats that need a schema, conversion included.

Run ``python3 tasks.py benchmarks formats``. Each codec against what a user writes without bakeoff: plain
Python functions, one for each place of the schema and made once, around the library's own calls. They convert
and copy as much as the codec does, but check nothing. The two take turns as in `benchmarks.interface`.

`arrow`, which writes batches, is held to microseconds: no user of pyarrow writes choices of its dicts.

What a codec makes of a schema when it is bound, its library imported before, is timed apart: once a process,
the least of several.
"""

from __future__ import annotations

import io
import json
import statistics
from collections.abc import Callable
from time import perf_counter
from timeit import repeat
from typing import Any

import click

from bakeoff import codecs
from bakeoff.datasets import corpus
from bakeoff.schemas import Schema
from bakeoff.schemas.wire.bindings.leaves import kinds
from bakeoff.schemas.wire.layout import Leaf, Nullable, WireRecord, WireSequence, WireType, WireUnion

from ._frame import Targets, benchmark, in_processes
from .interface import Cell, Figure, compared, paired

CORPORA = ("messages", "movies", "numbers")
RECORDS = 64
ROUNDS = 40
PROCESSES = 8
TARGETS = {"avro/bare": 0.85, "protobuf": 0.6, "thrift": 0.8}
"""The most that `messages` may take of plain Python's time; most of both is the library's own."""
BIND = 50.0
"""Milliseconds that a schema of `messages` may take."""

BATCH = 100
PER_RECORD = {"dump": 13.0, "load": 14.0}
"""Microseconds that a record of `messages` may take `arrow` in batches of a hundred."""

Convert = Callable[[Any], Any]


def copied(kind: WireType, back: bool) -> Convert | None:
    """Return what turns a record into a dict by the names on the wire, or back; None for leaves."""
    match kind:
        case Nullable(inner):
            return _maybe(copied(inner, back))
        case WireSequence(item):
            return _each(copied(item, back))
        case WireRecord(slots=slots):
            fields = [(slot.key, slot.name, slot.required, copied(slot.kind, back)) for slot in slots]

            def write(record: Any) -> Any:
                made = {}
                for key, name, required, convert in fields:
                    if required or key in record:
                        made[name] = record[key] if convert is None else convert(record[key])
                return made

            def read(found: Any) -> Any:
                made = {}
                for key, name, required, convert in fields:
                    value = found[name]
                    if required or value is not None:
                        made[key] = value if convert is None else convert(value)
                return made

            return read if back else write
    return None


def _maybe(convert: Convert | None) -> Convert | None:
    return None if convert is None else lambda value: None if value is None else convert(value)


def _each(convert: Convert | None) -> Convert:
    return list if convert is None else lambda value: [convert(item) for item in value]


def by_fastavro(schema: Schema) -> tuple[Convert, Convert]:
    """Return what a user of fastavro writes."""
    from fastavro import parse_schema, schemaless_reader, schemaless_writer

    parsed = parse_schema(json.loads(schema.definition("avro")))
    take, give = copied(schema.layout.root, back=False), copied(schema.layout.root, back=True)
    assert take is not None
    assert give is not None

    def encode(record: Any) -> bytes:
        file = io.BytesIO()
        schemaless_writer(file, parsed, take(record))
        return file.getvalue()

    def decode(payload: bytes) -> Any:
        return give(schemaless_reader(io.BytesIO(payload), parsed, None))

    return encode, decode


def into_message(kind: WireRecord, cls: Any) -> Convert:
    """Return what makes a message of a record, by the keywords of its class."""
    fields = []
    for slot in kind.slots:
        inner = slot.kind.kind if isinstance(slot.kind, Nullable) else slot.kind
        if isinstance(inner, Leaf) and inner.wire == "null":
            continue
        of = cls.DESCRIPTOR.fields_by_name[slot.name].message_type
        item = inner.item if isinstance(inner, WireSequence) else inner
        convert = into_message(item, of._concrete_class) if isinstance(item, WireRecord) else None
        if isinstance(item, WireSequence):
            convert = _boxed(item.item, of._concrete_class)
        if inner is not item:
            convert = _each(convert)
        fields.append((slot.key, slot.name, convert))

    def write(record: Any) -> Any:
        given = {}
        for key, name, convert in fields:
            value = record.get(key)
            if value is not None:
                given[name] = value if convert is None else convert(value)
        return cls(**given)

    return write


def _boxed(kind: WireType, cls: Any) -> Convert:
    """Return what makes the message that stands for a list within a list, of values or of one of several."""
    (field,) = cls.DESCRIPTOR.fields
    if not isinstance(kind, WireUnion):
        return lambda value: cls(**{field.name: value})
    one = field.message_type._concrete_class
    names = {t: option.name for option in kind.options for t in kinds(option.kind)}
    return lambda value: cls(**{field.name: [one(**{names[type(item)]: item}) for item in value]})


def _unboxed(message: Any) -> Any:
    (field,) = message.DESCRIPTOR.fields
    items = getattr(message, field.name)
    if field.message_type is None:
        return list(items)
    (choice,) = field.message_type.oneofs
    return [getattr(item, item.WhichOneof(choice.name)) for item in items]


def from_message(kind: WireRecord) -> Convert:
    """Return what makes a record of a message, field by field."""
    fields = []
    for slot in kind.slots:
        inner = slot.kind.kind if isinstance(slot.kind, Nullable) else slot.kind
        item = inner.item if isinstance(inner, WireSequence) else inner
        convert = from_message(item) if isinstance(item, WireRecord) else None
        if isinstance(item, WireSequence):
            convert = _unboxed
        if inner is not item:
            convert = _each(convert)
        nothing = isinstance(inner, Leaf) and inner.wire == "null"
        fields.append(
            (
                slot.key,
                slot.name,
                slot.required,
                inner is not slot.kind or not slot.required,
                nothing,
                convert,
            )
        )

    def read(message: Any) -> Any:
        made: dict[Any, Any] = {}
        for key, name, required, asks, nothing, convert in fields:
            if nothing:
                made[key] = None
            elif asks and not message.HasField(name):
                if required:
                    made[key] = None
            else:
                value = getattr(message, name)
                made[key] = value if convert is None else convert(value)
        return made

    return read


def by_protobuf(schema: Schema) -> tuple[Convert, Convert]:
    """Return what a user of protobuf writes."""
    cls, root = schema.binding("protobuf").type, schema.layout.root
    assert isinstance(root, WireRecord)
    take, give = into_message(root, cls), from_message(root)
    return lambda record: take(record).SerializeToString(), lambda payload: give(cls.FromString(payload))


def assigned(kind: WireType, arguments: Any, back: bool) -> Convert | None:
    """Return what turns a record into a struct of Thrift's classes, attribute by attribute, or back.

    Args:
        kind: Of the record.
        arguments: What its type is made of, as in a `thrift_spec`.
        back: From the struct.
    """
    match kind:
        case Nullable(inner):
            return _maybe(assigned(inner, arguments, back))
        case WireSequence(item):
            return _each(assigned(item, arguments[1], back))
        case WireRecord(slots=slots):
            cls, spec = arguments
            fields = [
                (slot.key, name, slot.required, assigned(slot.kind, inside, back))
                for slot in slots
                for _, _, name, inside, _ in [spec[slot.number]]
            ]

            def write(record: Any) -> Any:
                made = cls()
                for key, name, required, convert in fields:
                    if required or key in record:
                        setattr(made, name, record[key] if convert is None else convert(record[key]))
                return made

            def read(found: Any) -> Any:
                made = {}
                for key, name, required, convert in fields:
                    value = getattr(found, name)
                    if required or value is not None:
                        made[key] = value if convert is None else convert(value)
                return made

            return read if back else write
        case WireUnion(options=options):
            union, spec = arguments
            whole, text = (spec[option.number][2] for option in options)

            def choose(value: Any) -> Any:
                made = union()
                setattr(made, whole if type(value) is int else text, value)
                return made

            def chosen(found: Any) -> Any:
                value = getattr(found, whole)
                return getattr(found, text) if value is None else value

            return chosen if back else choose
    return None


def by_thrift(schema: Schema) -> tuple[Convert, Convert]:
    """Return what a user of Thrift writes, whose compiler has made the classes."""
    from thrift.protocol.TCompactProtocol import TCompactProtocolAcceleratedFactory
    from thrift.TSerialization import deserialize, serialize

    factory, kind = (
        TCompactProtocolAcceleratedFactory(fallback=False),
        schema.binding("thrift", objects=True).type,
    )
    take = assigned(schema.layout.root, kind, back=False)
    give = assigned(schema.layout.root, kind, back=True)
    assert take is not None
    assert give is not None
    return (
        lambda record: serialize(take(record), factory),
        lambda payload: give(deserialize(kind[0](), payload, factory)),
    )


PLAIN: dict[str, Callable[[Schema], tuple[Convert, Convert]]] = {
    "avro/bare": by_fastavro,
    "protobuf": by_protobuf,
    "thrift": by_thrift,
}
"""Codec to what stands beside it."""


def schema_of(name: str) -> Schema:
    """Return the schema of a corpus."""
    given = corpus(name, records=RECORDS)
    return Schema(given.schema) if given.schema else Schema.infer(given.records())


def measure(rounds: int) -> list[Figure]:
    """Return the figures of all cells as this process has them."""
    cells = []
    for name, plain in PLAIN.items():
        for source in CORPORA:
            schema, records = schema_of(source), corpus(source, records=RECORDS).sample(RECORDS)
            ours = codecs.codec(name, schema=schema)
            encode, decode = plain(schema)
            payloads = [ours.encode(record) for record in records]
            assert [ours.decode(encode(record)) for record in records] == records
            assert records == [decode(payload) for payload in payloads]
            cells.append(Cell(name, source, "dump", ours.encode, encode, list(records)))
            cells.append(Cell(name, source, "load", ours.decode, decode, payloads))
    return paired(cells, rounds)


def bound(name: str) -> float:
    """Return the milliseconds in which a schema of `messages` is derived and compiled for a codec."""
    bare = codecs.codec(name)
    bare.with_schema(Schema({"a": int}))
    schema = Schema(corpus("messages", records=1).schema)
    begin = perf_counter()
    bare.with_schema(schema)
    return (perf_counter() - begin) * 1e3


def batched(rounds: int) -> dict[str, float]:
    """Return the microseconds that a record of a batch takes `arrow`: the least of some rounds."""
    records = corpus("messages", records=BATCH).sample(BATCH)
    codec = codecs.codec("arrow", schema=Schema(corpus("messages", records=1).schema).listed())
    payload = codec.encode(records)
    assert records == codec.decode(payload)
    calls: dict[str, Callable[[], Any]] = {
        "dump": lambda: codec.encode(records),
        "load": lambda: codec.decode(payload),
    }
    return {name: min(repeat(call, number=1, repeat=rounds)) / BATCH * 1e6 for name, call in calls.items()}


@benchmark
@click.option("--processes", "count", default=PROCESSES, show_default=True, help="Processes.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="Rounds of each process.")
def main(targets: Targets, count: int, rounds: int) -> None:
    """Print what codecs with a schema take of plain Python; exit 1 when a target is missed."""
    click.echo(f"{'':34}{'plain µs':>10}{'ours':>9}  95 %")
    for found, words in compared(count, measure, rounds):
        most = TARGETS[found.codec]
        verdict = targets.verdict(found.ratio <= most, most) if found.corpus == "messages" else ""
        click.echo(f"{words}  {verdict}")
    for name in (*PLAIN, "arrow"):
        targets.at_most(f"schema of messages, {name}", min(in_processes(count, bound, name)), BIND, "ms")
    several = in_processes(count, batched, rounds)
    for operation, most in PER_RECORD.items():
        microseconds = statistics.median(each[operation] for each in several)
        targets.at_most(f"messages, {BATCH} a batch/{operation}/arrow", microseconds, most, "µs")
