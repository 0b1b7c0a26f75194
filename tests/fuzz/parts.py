"""Separate targets for the compiled parts that process untrusted records, payloads and codecs."""

from __future__ import annotations

import datetime as dt
import decimal
import functools
import uuid
from collections.abc import Callable
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import seeds
from findings import Broken
from mutate import Mutator
from objects import Bits, Objects

from bakeoff.bench.equality.equal import first_difference
from bakeoff.bench.lab.fidelity.matrix import Level
from bakeoff.bench.lab.hostile.objects.values import Huge
from bakeoff.codecs import Codec
from bakeoff.codecs.conventions.tokens import Colour
from bakeoff.codecs.core.fields import changed, extended, reach, steps_of
from bakeoff.codecs.errors import DecodeError, EncodeError, LimitError, MissingField, TooMuchError
from bakeoff.codecs.safety._scan import end_of, kinds, odd_keys, values_in
from bakeoff.codecs.safety._walk import PolicyError, Rules, check_record
from bakeoff.schemas import Hint, Schema, SchemaError


class _Seeded:
    """A part whose cases are seeds."""

    def case(self, random: Random) -> bytes:
        return random.randbytes(8)

    def show(self, case: bytes) -> str:
        return case.hex()

    def run(self, case: bytes) -> str:
        return self.draw(Random(int.from_bytes(case)))

    def draw(self, random: Random) -> str:
        raise NotImplementedError


# Plans ------------------------------------------------------------------------------------------


class _Named(TypedDict, total=False):
    name: str
    at: dt.date
    by: dict[int, uuid.UUID]


class _Row(NamedTuple):
    left: int
    right: dt.datetime | None


_LEAVES: tuple[Any, ...] = (
    bool, int, Annotated[int, Hint(big=True)], float, str, bytes, bytearray, dt.datetime, dt.date, dt.time,
    dt.timedelta, decimal.Decimal, uuid.UUID, Colour, Level, Bits, Huge, Literal[1, "x", None], None, Any,
    complex, Annotated[dt.datetime, Hint(aware=True)], Annotated[dt.datetime, Hint(epoch="s", aware=False)],
    Annotated[dt.timedelta, Hint(epoch="ms")], Annotated[bytes, Hint(encoding="hex")],
    Annotated[bytes, Hint(encoding="base64url")], Annotated[int, Hint(severity="note")],
    _Named, _Row, list, dict, set,
)  # fmt: skip
_KEYS: tuple[Any, ...] = (
    str, int, uuid.UUID, dt.date, dt.datetime, Colour, Level, Any, bool | int, Literal[1, "x"],
)  # fmt: skip
_SCHEMAS = 3000
_CODECS = (
    None, "json", "msgpack", "msgpack/tuple", "bson", "yaml", "cbor2", "plist", "marshal", "ujson", "orjson",
)  # fmt: skip


def _kind(random: Random, depth: int) -> Any:
    roll = random.random()
    if depth > 3 or roll < 0.45:
        return random.choice(_LEAVES)

    def inner() -> Any:
        return _kind(random, depth + 1)

    ways: tuple[Callable[[], Any], ...] = (
        lambda: list[inner()],  # type: ignore[misc]
        lambda: tuple[inner(), ...],  # type: ignore[misc]
        lambda: tuple[inner(), inner()],  # type: ignore[misc]
        lambda: set[inner()],  # type: ignore[misc]
        lambda: frozenset[inner()],  # type: ignore[misc]
        lambda: dict[random.choice(_KEYS), inner()],  # type: ignore[misc]
        lambda: inner() | None,
        lambda: inner() | inner(),
        lambda: {name: inner() for name in random.sample(["a", "b", "c d", "é", "1"], random.randint(1, 3))},
    )
    return random.choice(ways)()


@functools.cache
def _schema(number: int) -> Schema:
    random = Random(number)
    while True:
        try:
            spec = {name: _kind(random, 0) for name in random.sample("abcd", random.randint(1, 3))}
            return Schema(spec, as_objects=random.random() < 0.3)
        except (SchemaError, TypeError):
            continue  # not every combination is valid


class _Plan(_Seeded):
    """Plans of random schemas on random records: they raise nothing, and a second pass changes nothing."""

    def draw(self, random: Random) -> str:
        schema = _schema(int(random.random() * _SCHEMAS))
        codec = random.choice(_CODECS)
        again = random.getrandbits(64)
        plain = random.random() < 0.5
        if codec is not None:
            fix = schema.fixer(codec)
            if fix is not None:
                fix(self._record(again, plain))
        fast = schema.apply(self._record(again, plain))
        _, advice = schema.advise(self._record(again, plain), codec)
        str(advice[:3])
        if not plain:
            return "accepted" if not advice else "refused"
        slow, _ = schema.advise(self._record(again, plain))
        if (difference := first_difference(slow, fast)) is not None:
            raise Broken(f"apply and advise differ: {difference}")
        _, second = schema.advise(slow)
        if fixed := [item for item in second if item.outcome == "fixed"]:
            raise Broken(f"a second look fixes more: {fixed[0]}")
        return "accepted" if not advice else "refused"

    @staticmethod
    def _record(seed: int, plain: bool) -> Any:
        random = Random(seed)
        objects = Objects(random)
        make = objects.plain if plain else objects.wild
        if random.random() < 0.1:
            return make()
        return {name: _as_text(make(), random) for name in random.sample("abcd", random.randint(1, 4))}


def _as_text(value: Any, random: Random) -> Any:
    """Return a value, sometimes in the form of formats without its type."""
    if random.random() < 0.5:
        return value
    if isinstance(value, dt.date | dt.time | decimal.Decimal | uuid.UUID) or type(value) is int:
        return _text(value)
    return list(value) if isinstance(value, tuple | set | frozenset) else value


def _text(value: Any) -> Any:
    try:
        return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
    except Exception:  # noqa: BLE001 - its zone resists, or it has too many digits
        return value


# Ends -------------------------------------------------------------------------------------------

_KINDS = {
    "msgpack": "msgpack", "cbor": "cbor2", "pickle": "pickle", "marshal": "marshal", "nul": "rapidjson",
    "json": "json", "bson": "bson", "plist": "plist/binary",
}  # fmt: skip
_COUNTED = ("msgpack", "cbor", "json", "bson", "plist")


class _Ends:
    """Ends of values: within the payload, and independent of the bytes that follow."""

    def __init__(self) -> None:
        self._mutators = []
        for kind in sorted(kinds().keys() - {"thrift"}):  # which needs a schema
            codec = seeds.bare(_KINDS[kind])
            words = seeds.words(codec.format)
            self._mutators.append((kind, Mutator(seeds.payloads(codec), *words)))

    def case(self, random: Random) -> bytes:
        at = int(random.random() * len(self._mutators))
        return bytes((at,)) + self._mutators[at][1].mutant(random)

    def show(self, case: bytes) -> str:
        return f"{self._mutators[case[0]][0]}: {case[1:]!r}"

    def run(self, case: bytes) -> str:
        kind: Any = self._mutators[case[0]][0]
        payload = case[1:]
        if kind in _COUNTED and not 0 <= values_in(kind, payload)[0] <= 10 * len(payload) + 10:
            raise Broken(f"{values_in(kind, payload)[0]:,} values in {len(payload):,} bytes")
        if "odd_keys" in kinds()[kind]:
            try:
                odd_keys(kind, payload)
            except TooMuchError:
                return "limited"
        if kind in ("json", "bson"):
            return "accepted"  # their libraries detect trailing data
        end = end_of(kind, payload)
        if end == -1:
            return "refused"
        if not 0 <= end <= len(payload):
            raise Broken(f"ends at {end} of {len(payload)}")
        if kind in ("msgpack", "cbor", "marshal"):
            for tail in (b"", b"\0", b"\xff" * 9, payload):
                if end_of(kind, payload[:end] + tail) != end:
                    raise Broken(f"what follows moves the end at {end}")
        return "accepted"


# Fields -----------------------------------------------------------------------------------------

_WALKED = (
    "msgpack", "msgpack/tuple", "ormsgpack", "msgspec-msgpack", "cbor2", "bson", "json", "simplejson",
    "orjson", "msgspec-json", "ujson", "rapidjson", "ssrjson",
    "pydantic-core",
)  # fmt: skip
_PATHS: tuple[tuple[str | int, ...], ...] = (
    ("a",), ("a", 0), (0,), (1,), ("a", "b"), ("b", 1), ("d", "e"), ("d",), (3, "k"), ("a", 1), ("id",),
    (7, "v"), ("raw",), ("s",), ("t", 1), ("title",), ("order", "address", "city"), ("order", "lines", 0),
    ("$ref",), (),
)  # fmt: skip
_GONE = object()


class _Fields:
    """Fields of mutants, read and changed; the result equals that of a full decode, if that succeeds."""

    def __init__(self) -> None:
        self._codecs = [seeds.bare(name) for name in _WALKED]
        self._mutators = [
            Mutator(seeds.payloads(codec), *seeds.words(codec.format)) for codec in self._codecs
        ]

    def case(self, random: Random) -> bytes:
        at = int(random.random() * len(_WALKED))
        return bytes((at, int(random.random() * len(_PATHS)))) + self._mutators[at].mutant(random)

    def show(self, case: bytes) -> str:
        return f"{_WALKED[case[0]]} {_PATHS[case[1]]}: {case[2:]!r}"

    def run(self, case: bytes) -> str:
        codec, path, payload = self._codecs[case[0]], _PATHS[case[1]], case[2:]
        try:
            record = codec.decode(payload)
        except DecodeError:
            for call in (codec.peek, lambda *to: codec.append(*to, 7), lambda *to: codec.replace(*to, None)):
                try:
                    call(payload, path)
                except (DecodeError, MissingField):
                    continue
            return "refused"
        wanted = reach(record, steps_of(path), _GONE)
        found = codec.peek(payload, path, _GONE)
        if (wanted is _GONE) != (found is _GONE) or (wanted is not _GONE and first_difference(wanted, found)):
            raise Broken(f"peek gives {found!r:.200}, decode has {wanted!r:.200}")
        try:
            if first_difference(record, codec.decode(codec.encode(record))):
                return "accepted"  # which splicing leaves unchanged
        except (EncodeError, DecodeError):
            return "accepted"
        for call, change in (
            (codec.append, lambda value: extended(value, 7)),
            (codec.replace, lambda value: 7),
        ):
            try:
                made = codec.decode(call(payload, path, 7))
            except (MissingField, EncodeError, LimitError):
                continue
            record = codec.decode(codec.encode(changed(codec.decode(payload), steps_of(path), change)))
            if first_difference(record, made):
                raise Broken(f"{call.__name__} gives {made!r:.200}, not {record!r:.200}")
        return "accepted"


# The walk through records -----------------------------------------------------------------------


class _Walk(_Seeded):
    """Apply rules to any record: it is refused or accepted, and nothing else happens."""

    def draw(self, random: Random) -> str:
        objects = Objects(random)

        def inside(value: Any) -> Any:
            return random.choice((None, None, [value], objects.wild()))

        def limit() -> Any:
            return random.choice((None, 0, 1, 5, 100, 2**62))

        try:
            rules = Rules(
                max_items=limit(),
                max_text=limit(),
                max_digits=random.choice((None, 0, 1, 18, 19, 5000)),
                nonfinite=random.random() < 0.5,
                surrogates=random.random() < 0.5,
                integer_bits=random.choice((None, 63, 64)),
                foreign=random.choice(((), (Level,), (Level, dict))),
                inside=random.choice((None, None, inside)),
            )
        except ValueError:
            return "refused"
        try:
            check_record(objects.wild(), rules)
        except PolicyError:
            return "refused"
        except (TooMuchError, RecursionError):
            return "limited"
        return "accepted"


# The codec itself -------------------------------------------------------------------------------


class _Shell(_Seeded):
    """Codecs with unusual callables and options, which must not crash the process."""

    def draw(self, random: Random) -> str:
        objects = Objects(random)

        def odd(*_: Any, **__: Any) -> Any:
            roll = random.random()
            if roll < 0.2:
                raise random.choice((ValueError, RecursionError, MemoryError, TypeError, KeyError))("asked")
            return random.choice(
                (b"", b"{}", "text", "\ud800", None, 5, [], {}, bytearray(b"x"), objects.wild())
            )

        def factory(*_: Any) -> Any:
            return odd if random.random() < 0.8 else odd()

        def same(value: Any, *_: Any, **__: Any) -> Any:
            return value

        pooled = random.random() < 0.3
        options: dict[str, Any] = {
            "encode_options": random.choice(({}, {"a": 1})),
            "encode_arguments": random.choice(((), (1,), (1,) * 11, (1,) * 12)),
            "decode_options": random.choice(({}, {"a": 1, "b": 2})),
            "pooled": pooled,
            "text": random.random() < 0.3,
            "lower": random.choice((None, odd, same)),
            "scan": random.choice((None, frozenset(), frozenset({int, str}))),
            "encode_depth": random.choice((0, 1, 5, 200)),
            "inside": random.choice((None, odd)),
            "too_deep": random.choice(((), ("asked",))),
            "plain_keys": random.random() < 0.3,
            "check_payload": random.choice((None, odd)),
            "whole": random.choice((None, *kinds())),
            "wrap": random.choice((None, "a", "")),
            "decode_again": random.choice((None, odd)),
            "subclass": random.choice((None, Level, bool)),
        }
        chosen = {key: value for key, value in options.items() if random.random() < 0.4}
        try:
            codec = Codec("odd", "odd", factory if pooled else odd, random.choice((odd, same)), **chosen)
            if random.random() < 0.3:
                codec = codec.with_limits(depth=random.choice((1, 5, 10_000)))
        except ValueError:
            return "refused"
        outcome = "accepted"
        for _ in range(3):
            for call, given in (
                (codec.encode, objects.wild()),
                (codec.decode, objects.wild()),
                (codec.decode, b"{}"),
            ):
                try:
                    call(given)
                except Exception:  # noqa: BLE001 - odd callables and options have odd errors
                    outcome = "refused"
        return outcome


PARTS: dict[str, Callable[[], Any]] = {
    "plan": _Plan,
    "ends": _Ends,
    "fields": _Fields,
    "walk": _Walk,
    "codec": _Shell,
}
"""Functions that make parts, by name."""
