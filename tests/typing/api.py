"""The public API as users type it: never run, checked by ``mypy --strict`` (`python3 tasks.py lint`).

Each inferred type stands beside its call. What must be refused is marked: where mypy refuses it no longer,
the mark is an error.
"""

from __future__ import annotations

import datetime as dt
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict, assert_type

import polars as pl
import zmq
from cachelib import RedisCache
from cloudevents.core.bindings import kafka
from distributed import WorkerPlugin
from dogpile.cache import CacheRegion, make_region
from falcon import App
from fastapi import FastAPI
from faststream.nats import NatsBroker
from flask import Flask
from litestar import Litestar
from quixstreams.models import Topic
from sqlalchemy import Column, create_engine

import bakeoff
from bakeoff import codecs, datasets, reports, schemas
from bakeoff.bench.results import Cell, CellResult, Measurement, ResultData, read, write
from bakeoff.codecs.integrations._counters import Counters
from bakeoff.codecs.integrations.sqlalchemy import Encoded
from bakeoff.codecs.production.lock import Lock
from bakeoff.reports.decide.compare import CellChange
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.files import load
from bakeoff.reports.model.flat import Rank, ResultCell
from bakeoff.schemas.wire.layout import Layout
from bakeoff.testing import assert_not_slower

assert_type(bakeoff.__version__, str)


class Event(TypedDict):
    at: dt.datetime
    tags: tuple[str, ...]
    size: Annotated[int, bakeoff.Hint(severity="note", big=True)]


@dataclass
class Place:
    name: str
    seen: dt.date | None = None


class Point(NamedTuple):
    x: float
    y: float


def codecs_by_name() -> None:
    codec = bakeoff.codec("orjson|zstd:3", items=10_000, depth=None)

    assert_type(codec, bakeoff.Codec)
    assert_type(codec.encode({"id": 7}), bytes)
    assert_type(codec.encode([1], "a Kafka context"), bytes)
    for payload in (b"{}", bytearray(b"{}"), memoryview(b"{}"), "{}"):
        assert_type(codec.decode(payload), Any)
    assert_type(codec.encode_text({}), str)
    assert_type(codec.decode_text("{}"), Any)
    assert_type(codec.name, str)
    assert_type(codec.preserves, frozenset[str])
    assert_type(codec.limits, bakeoff.Limits)
    assert_type(codec.limits.size, int)
    assert_type(codec.limits.depth, int | None)
    assert_type(codec.policies, dict[str, str])

    bakeoff.codec()  # type: ignore[call-arg]
    bakeoff.codec("json", True)  # type: ignore[call-arg, arg-type]
    bakeoff.codec((repr, eval), name=1)  # type: ignore[arg-type]
    assert_type(bakeoff.codec((repr, eval), name="mine", format="python", depth=9), bakeoff.Codec)
    bakeoff.codec("json", depth="deep")  # type: ignore[arg-type]
    codec.encode(obj={})  # type: ignore[call-arg]
    codec.decode({})  # type: ignore[arg-type]
    codec.decode_text(b"{}")  # type: ignore[arg-type]


def fields(codec: bakeoff.Codec, payload: bytes) -> None:
    assert_type(codec.peek(payload, "order.lines.0.price"), Any)
    assert_type(codec.peek(payload, ("order.lines", 0), default=None), Any)
    city: Callable[[bytes], Any] = codec.peeker("order.city", default=None)
    assert_type(city(payload), Any)
    assert_type(codec.replace(payload, "order.city", "Riga"), bytes)
    assert_type(codec.append(payload, "order.lines", {"price": 7}), bytes)
    assert_type(codec.peeks, str)

    codec.peek(payload, 0)  # type: ignore[arg-type]
    codec.append(payload, "order.lines")  # type: ignore[call-arg]


def variants_of_a_codec(codec: bakeoff.Codec) -> None:
    assert_type(codec.with_schema(bakeoff.Schema(Event)), bakeoff.Codec)
    assert_type(codec.with_schema(None), bakeoff.Codec)
    assert_type(codec.with_limits(size=1_000, aliases=None), bakeoff.Codec)
    assert_type(codec.with_policies(nan="reject"), bakeoff.Codec)
    assert_type(codec.with_schema_id(5, {3: bakeoff.Schema(Event)}), bakeoff.Codec)
    assert_type(codec.with_compression("zstd:3"), bakeoff.Codec)
    assert_type(codec.with_compression(None), bakeoff.Codec)
    assert_type(codec.with_compression(codecs.train("zstd:3,dict", [b"payload"])), bakeoff.Codec)
    assert_type(bakeoff.codec("json|zstd:3,dict", dictionary=[b"newer", b"older"]), bakeoff.Codec)
    assert_type(codec.with_trust(), bakeoff.Codec)
    assert_type(codec.as_class(), type[Any])

    codec.with_schema(Event)  # type: ignore[arg-type]
    codec.with_limits(1_000)  # type: ignore[call-arg]
    codec.with_limits(bytes=1_000)  # type: ignore[call-arg]
    codec.with_policies(nan=True)  # type: ignore[arg-type]


def streams(codec: bakeoff.Codec, path: Path) -> None:
    with path.open("wb") as file:
        assert_type(codec.dump(({"id": number} for number in range(3)), file), int)
    with path.open("rb") as file:
        assert_type(codec.load(file), Iterator[Any])
    sampled = codec.tap(path, every=100, limit="64MiB")
    assert_type(sampled, bakeoff.Codec)
    assert sampled.sampler is not None
    assert_type(sampled.sampler.kept, int)
    decoder = codec.decoder(on_damage=lambda error: assert_type(error.offset, int | None))
    assert_type(decoder.feed(b"chunk"), Iterator[Any])
    assert_type(decoder.end(), list[Any])
    with path.open("w") as text:
        codec.dump([], text)  # type: ignore[arg-type]


class Orders(list[Any]):
    """What Dask sends by a codec."""


def plug_points(codec: bakeoff.Codec) -> None:
    """What clients of queues and caches ask for."""
    serializer: Callable[[Any], bytes] = codec.serialize
    deserializer: Callable[[bytes], Any] = codec.deserialize
    assert_type(serializer({}), bytes)
    assert_type(deserializer(b"{}"), Any)
    assert_type(codec.dumps({}), bytes)
    assert_type(codec.loads(b"{}"), Any)
    assert_type(codec.text.dumps({}), str)
    assert_type(codec.http_headers, dict[str, str])
    assert_type(codecs.by_media_type("application/json", [codec]), bakeoff.Codec)
    assert_type(bakeoff.migrate(codec, codec), bakeoff.Codec)
    assert_type(bakeoff.migrate("json", codec), bakeoff.Codec)
    codecs.register_type(Path, str)
    assert_type(bakeoff.integrations.sqlalchemy(codec), Encoded)
    column: Column[Any] = Column("record", bakeoff.integrations.sqlalchemy(codec))
    assert_type(column, Column[Any])
    assert_type(bakeoff.integrations.django(codec), type[Counters])
    assert_type(bakeoff.integrations.aiocache(codec), Counters)
    region = make_region(**bakeoff.integrations.dogpile(codec))
    assert_type(region, CacheRegion)
    RedisCache.serializer = bakeoff.integrations.cachelib(codec)
    app = Flask("shop")
    app.json = bakeoff.integrations.flask(codec, app)
    bakeoff.integrations.flask(codec)  # type: ignore[call-arg]
    assert_type(bakeoff.integrations.of_another_package(codec), Any)
    bakeoff.integrations.aiokafka("msgpack")  # type: ignore[arg-type]
    app.session_interface = bakeoff.integrations.flask_sessions(codec)
    FastAPI(default_response_class=bakeoff.integrations.starlette(codec))
    Litestar(response_class=bakeoff.integrations.litestar(codec))
    App().req_options.media_handlers.update(bakeoff.integrations.falcon(codec))
    NatsBroker(codec=bakeoff.integrations.faststream(codec))
    Topic("orders", **bakeoff.integrations.quixstreams(codec))
    assert_type(bakeoff.integrations.aiokafka(codec).serialize(None), bytes | None)
    plugins: list[WorkerPlugin] = [bakeoff.integrations.dask(codec, Orders)]
    assert plugins
    kafka.from_binary(kafka.KafkaMessage({}, None, b""), bakeoff.integrations.cloudevents(codec))
    with zmq.Context() as context, context.socket(zmq.PAIR) as socket:
        socket.send_serialized({}, bakeoff.integrations.zmq(codec).encode)
        assert_type(socket.recv_serialized(bakeoff.integrations.zmq(codec).decode), Any)
    create_engine("sqlite://", json_serializer=codec.encode_text, json_deserializer=codec.decode)


def third_partys_codec() -> bakeoff.Codec:
    made = bakeoff.Codec("repr", "python", repr, literal_eval)
    bakeoff.Codec(
        name="repr",
        format="python",
        encode=repr,
        decode=literal_eval,
        text=True,
        interoperable=False,
        preserves=["none", "bool", "int", "float", "str", "bytes", "list", "tuple", "dict"],
    )
    codecs.register(made)
    codecs.register(made, replace=True)

    bakeoff.Codec("repr", "python", repr, literal_eval, carry=["int"])  # type: ignore[call-arg]
    bakeoff.Codec("repr", "python", "repr", literal_eval)  # type: ignore[arg-type]
    codecs.register("repr")  # type: ignore[arg-type]
    return made


def codec_that_needs_a_schema() -> None:
    def bind(schema: bakeoff.Schema) -> codecs.Bound:
        return codecs.Bound(encode=repr, decode=literal_eval, take=tuple, give=list, definition=schema.name)

    made = bakeoff.Codec("rows", "rows", bind=bind)
    assert_type(made.with_schema(bakeoff.Schema(Place)).bound, codecs.Bound | None)

    bakeoff.Codec("rows", "rows", bind=repr)  # type: ignore[arg-type]
    codecs.Bound(repr, literal_eval)  # type: ignore[call-arg]


def lists_of_codecs() -> None:
    assert_type(codecs.names(needs_schema=True), list[str])
    assert_type(codecs.available(needs_schema=True), list[str])
    assert_type(codecs.select(["msgpack*", "!*/pure"]), list[str])
    assert_type(codecs.missing("orjson"), str | None)
    assert_type(codecs.describe("orjson").trusted_only, bool)
    assert_type(codecs.split_name("orjson+schema|zstd:3"), tuple[str, bool, str | None])
    assert_type(codecs.facts(bakeoff.codec("json")), dict[str, Any])

    codecs.names(True)  # type: ignore[call-arg]


def fastest() -> None:
    assert_type(bakeoff.fastest(), bakeoff.Codec)
    assert_type(bakeoff.fastest(lock="bakeoff.lock", schema=bakeoff.Schema(Event)), bakeoff.Codec)
    bakeoff.fastest(results=Path("bakeoff.json"), reads=24, bandwidth="1Gbit", needs=["datetime"])
    bakeoff.fastest(results="bakeoff.json", bandwidth=1e9)
    bakeoff.fastest(calibrate=True, corpus="mine.jsonl", formats=("msgpack", "cbor"), interop=True)

    bakeoff.fastest("bakeoff.lock")  # type: ignore[call-arg]
    bakeoff.fastest(bandwidth=b"1Gbit")  # type: ignore[arg-type]


def errors(codec: bakeoff.Codec, payload: bytes) -> str:
    try:
        codec.decode(payload)
    except bakeoff.LimitError as error:
        return error.codec
    except bakeoff.DecodeError as error:
        return error.reason
    except bakeoff.CodecError as error:
        assert_type(error.codec, str)
    try:
        bakeoff.codec("orjsn")
    except bakeoff.UnknownCodec as error:
        assert_type(error.near, tuple[str, ...])
    except (bakeoff.MissingLibrary, bakeoff.EncodeError, bakeoff.UsageError, bakeoff.RunError) as error:
        value_or_bakeoff_error: ValueError | bakeoff.BakeoffError = error
        return str(value_or_bakeoff_error)
    return ""


def declared_schemas() -> None:
    for declared in (Event, Place, Point, {"id": int, "at": dt.datetime}, list[Event]):
        assert_type(bakeoff.Schema(declared), bakeoff.Schema)
    schema = bakeoff.Schema(Event, strict=True, limits=schemas.SchemaLimits(), name="event")

    assert_type(schema.apply({"at": "2026-01-02"}), Any)
    assert_type(schema.advise({"at": "yesterday"}), tuple[Any, list[bakeoff.Advice]])
    assert_type(schema.advise({}, codec="json"), tuple[Any, list[bakeoff.Advice]])
    assert_type(schema.fixer("json"), Callable[[Any], Any] | None)
    assert_type(schema.plan(bakeoff.codec("json")), str)
    try:
        schema.apply({})
    except bakeoff.AdviceError as error:
        assert_type(error.advice, tuple[bakeoff.Advice, ...])
        assert_type(error.advice[0].path, str)

    bakeoff.Schema()  # type: ignore[call-arg]
    bakeoff.Schema(Event, True)  # type: ignore[call-arg]
    bakeoff.Schema(Event, strict="yes")  # type: ignore[arg-type]
    bakeoff.Hint(severity="loud")  # type: ignore[arg-type]
    schema.fixer()  # type: ignore[call-arg]


def inferred_schemas(records: Iterator[dict[str, Any]]) -> None:
    schema = bakeoff.Schema.infer(records, name="Event", confidence=0.9)
    assert_type(schema.binding("msgspec").definition, str)
    assert_type(schema.definition("avro"), bytes)
    assert_type(bakeoff.Schema.of_definition(b"", "avro"), bakeoff.Schema)
    assert_type(schema.keeping(schema), bakeoff.Schema)
    assert_type(schema.layout, Layout)
    assert_type(schema.definition("protobuf").decode(), str)
    assert_type(schema.definition("thrift").decode(), str)
    assert_type(bakeoff.Schema.of_definition(Path("a.avsc"), "avro"), bakeoff.Schema)

    assert_type(schema, bakeoff.Schema)
    counter = schemas.AdviceCounter()
    counter.add(schema.advise({})[1])
    assert_type([tally.count for tally in counter], list[int])

    bakeoff.Schema.infer(records, "Event")  # type: ignore[call-arg]
    bakeoff.Schema.infer({"id": 7}, confidence="high")  # type: ignore[arg-type]


def corpora() -> None:
    made = bakeoff.corpus("movies", records="LG", seed=7)

    assert_type(made, bakeoff.Corpus)
    assert_type(made.records(), Iterator[Any])
    assert_type(made.sample(100), list[Any])
    assert_type(made.count(), int)
    assert_type(made.sha256, str)
    assert_type(made.profile(), dict[str, str | int | float])
    assert_type(datasets.names(), list[str])
    bakeoff.corpus(Path("mine.jsonl"), 1_000, skip_invalid=True, trust_files=True, format="jsonl")

    bakeoff.corpus(7)  # type: ignore[arg-type]
    bakeoff.corpus("movies", records=1.5)  # type: ignore[arg-type]


def results(path: Path) -> None:
    result = read(path)

    assert_type(result, ResultData)
    assert_type(result.cells, tuple[CellResult, ...])
    assert_type(result.cell("movies", "dump", "json"), CellResult | None)
    assert_type(result.cells[0].samples[0].value, float)
    write(result, path)
    CellResult(Cell("movies", "dump", "json"), "ok", samples=(Measurement(1e-6, 1e-6, 1e-6),))

    CellResult(Cell("movies", "dump", "json"), "fine")  # type: ignore[arg-type]
    result.command = "bakeoff run"  # type: ignore[misc]
    read("bakeoff.json")  # type: ignore[arg-type]


def from_python(folder: Path) -> None:
    result = bakeoff.run([{"id": 7}], ["json", bakeoff.codec("orjson"), {"mine": (repr, eval)}], quick=True)

    assert_type(result, bakeoff.Result)
    assert_type(result.data, ResultData)
    assert_type(result.cells, tuple[ResultCell, ...])
    assert_type(result.cells[0].value, float | None)
    assert_type(result.ranks, tuple[Rank, ...])
    assert_type(result.table("md", reads=24), str)
    assert_type(result.best(reads=24, bandwidth="1Gbit", crossings="per-read", needs=["datetime"]).name, str)
    assert_type(result.best(reads_by="go*20,node*4").name, str)
    assert_type(result.best(rate="10M/day", core_year=300, gigabyte=0.05).yearly["json"].price, float)
    assert_type(result.compare(bakeoff.load("bakeoff.json")).regressions(0.05), list[CellChange])
    assert_type(result.to_polars(), pl.DataFrame)
    result.save(folder / "bakeoff.json")
    assert_not_slower("base.json", result, fail_above=0.1)
    bakeoff.run("orders.jsonl", "orjson", budget=10, infer=True)
    bakeoff.run(bakeoff.corpus("movies"), {"mine": (repr, eval)}, ops=["dump"], gc="off")

    bakeoff.run(7)  # type: ignore[arg-type]
    bakeoff.run([], codecs=[7])  # type: ignore[list-item]
    bakeoff.run([], budget="10s")  # type: ignore[arg-type]


def tables_and_choices(found: Sequence[ResultData]) -> None:
    assert_type(reports.render(found), str)
    assert_type(reports.render(found, "md", scale_to=1_000, columns="dump,load"), str)
    assert_type(reports.recommendation(found[0], reads=24), str)
    assert_type(load(Path("bakeoff.json")), ResultData)
    choice = pick(found, Requirements(cost=CostModel.of(24, "1Gbit"), needs=("datetime",)), "bakeoff.json")
    assert_type(choice.winner.name, str)
    assert_type(Lock.read(Path("bakeoff.lock")).codec, str)

    reports.render(found[0])  # type: ignore[arg-type]
    Requirements(needs="datetime")  # type: ignore[arg-type]
