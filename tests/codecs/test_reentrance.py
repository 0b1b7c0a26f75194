"""Code of users that codecs call, and that encodes and decodes with the same codec."""

from __future__ import annotations

import dataclasses
import datetime as dt
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import msgspec
import pydantic
import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import Codec, CodecError, EncodeError
from bakeoff.schemas import Schema, SchemaError
from bakeoff.schemas.wire.bindings._conversion import MisfitError

WITHIN: list[Callable[[], None]] = []
"""What the classes below call; they do so once at a time."""
FAULTS: list[str] = []


def within() -> None:
    if WITHIN:
        call = WITHIN.pop()
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - codecs handle errors of such code
            FAULTS.append(repr(error))
        WITHIN.append(call)


class Lazy(Mapping[str, Any]):
    def __init__(self, held: dict[str, Any]) -> None:
        self.held = held

    def __getitem__(self, key: str) -> Any:
        within()
        return self.held[key]

    def __iter__(self) -> Iterator[str]:
        within()
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self.held == dict(other)

    __hash__ = None  # type: ignore[assignment]


class Zone(dt.tzinfo):
    def utcoffset(self, _: dt.datetime | None) -> dt.timedelta:
        within()
        return dt.timedelta(hours=2)

    def dst(self, _: dt.datetime | None) -> dt.timedelta:
        return dt.timedelta()

    def __reduce__(self) -> tuple[type[Zone], tuple[()]]:
        return Zone, ()


@dataclasses.dataclass
class Data:
    tags: list[str]

    def __post_init__(self) -> None:
        within()


@attrs.define
class Attrs:
    tags: list[str] = attrs.field(converter=lambda tags: within() or tags)


class Struct(msgspec.Struct):
    tags: list[str]

    def __post_init__(self) -> None:
        within()


class Model(pydantic.BaseModel):
    tags: list[str]

    def model_post_init(self, _: Any) -> None:
        within()

    @pydantic.field_serializer("tags")
    def written(self, tags: list[str]) -> list[str]:
        within()
        return tags


class Read(dict[str, Any]):
    """Called by pickle for each key."""

    def __setitem__(self, key: str, value: Any) -> None:
        within()
        super().__setitem__(key, value)


KINDS: dict[str, tuple[Callable[[], Any], Any]] = {
    "mapping": (lambda: Lazy({"k": ["x"], "l": []}), dict[str, list[str]]),
    "dict": (lambda: Read(k=["x"], l=[]), dict[str, list[str]]),
    "zone": (lambda: dt.datetime(2026, 1, 2, 3, 4, 5, 6000, Zone()), dt.datetime),
    "dataclass": (lambda: Data(["a", "b"]), Data),
    "attrs": (lambda: Attrs(["a", "b"]), Attrs),
    "struct": (lambda: Struct(["a", "b"]), Struct),
    "model": (lambda: Model(tags=["a", "b"]), Model),
}
NAMES = codecs.available(needs_schema=True)


def made(name: str, kind: Any) -> Codec:
    schema = Schema({"id": int, "held": list[kind], "more": list[Any] | None}, name="Record", as_objects=True)
    if codecs.describe(name).needs_schema:
        return bakeoff.codec(name, schema=schema)
    return bakeoff.codec(name, trusted=True).with_schema(schema)


def in_threads(call: Callable[[], None]) -> None:
    threads = [threading.Thread(target=call) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@pytest.mark.slow
@pytest.mark.parametrize("run", [lambda call: call(), in_threads], ids=["same thread", "other threads"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_codec_may_be_called_by_code_that_it_calls(name: str, kind: str, run: Any) -> None:
    WITHIN.clear()
    FAULTS.clear()
    value, described = KINDS[kind]
    try:
        codec = made(name, described)
        take = (codec.bound and codec.bound.take) or (lambda record: record)
        record = take({"id": 1, "held": [value(), value()], "more": ["text", 7, 0.5] * 9})
        other = take({"id": -5, "held": [value()], "more": None})
        payload, other_payload = codec.encode(record), codec.encode(other)
    except (SchemaError, EncodeError, MisfitError):
        pytest.skip("has no form of it")
    decoded, other_decoded = codec.decode(payload), codec.decode(other_payload)

    def inner() -> None:
        for broken in (lambda: codec.encode({"id": object()}), lambda: codec.decode(payload[:-2])):
            try:
                broken()
            except CodecError:
                continue
        if codec.encode(other) != other_payload or not same(codec.decode(other_payload), other_decoded):
            FAULTS.append("the inner call returned something else")

    WITHIN.append(lambda: run(inner))
    again = codec.decode(codec.encode(record))
    repeated = codec.encode(record)
    WITHIN.clear()

    assert [] == FAULTS
    assert payload == repeated
    assert same(decoded, again)


def same(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) if hasattr(one, "equals") else bool(one == other)


@pytest.mark.parametrize("name", ["msgpack", "msgpack/pure", "msgpack/numpy"])
def test_a_key_that_cannot_be_read_is_refused_whatever_is_called_after_it(name: str) -> None:
    codec = bakeoff.codec(name)
    WITHIN[:] = [lambda: codec.encode({}) and None]

    with pytest.raises(EncodeError, match="key"):
        codec.encode({"held": {frozenset({1}): 1}, "at": dt.datetime(2026, 1, 2, tzinfo=Zone())})
    WITHIN.clear()
