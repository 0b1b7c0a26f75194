"""The Python types that each codec preserves, without and with a schema.

Every codec runs in a separate process with limits: one that crashes or hangs loses only its remaining cells.
"""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import enum
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ....codecs.conventions.tokens import TOKENS, Colour, Place, Point, Summer, zone
from ....codecs.factory import codec as by_name
from ....codecs.naming import split_release
from ....errors import UsageError
from ....schemas import Hint, Schema
from ...equality.equal import first_difference
from ...foreign.canonical import CanonicalError, canonical
from ...foreign.schemas import FORMATS, ReaderSchema, reader_schema
from ...jobs import Answer, Done, Ended
from ...messages.fidelity import FidelityJob
from ...preserved import FidelityCell

if TYPE_CHECKING:
    from ...worker.context import WorkerContext

TIMEOUT = 60.0
"""Seconds per value."""
MEMORY = 3 * 2**30
"""Bytes of address space of a codec's process."""
LARGEST_PAYLOAD = 1 << 16
"""Most bytes of a payload that is kept for readers."""


class Level(enum.IntEnum):
    """An int."""

    LOW = 1


class Word(enum.StrEnum):
    """A str."""

    YES = "yes"


class Text(str):
    """A subclass of str."""

    __slots__ = ()


class Value(NamedTuple):
    """One row of the matrix.

    Attributes:
        name: Name of the row.
        value: The value to encode, as ``{"v": value}``, or directly if `top` is set.
        kind: Its kind in the schema; None if no schema can help.
        token: The name in `Codec.preserves` that this row determines; empty for none.
        top: Whether the value is the record itself.
    """

    name: str
    value: Any
    kind: Any = None
    token: str = ""
    top: bool = False

    @property
    def record(self) -> Any:
        """The record to encode."""
        return self.value if self.top else {"v": self.value}


HALF_PAST_FIVE = dt.timezone(dt.timedelta(hours=5, minutes=30))
MOMENT = dt.datetime(2024, 2, 29, 12, 30, 15, 123456)
ORDERED = {key: ord(key) for key in "bacdfeghji"}
"""So many keys that their order cannot return by chance: Protocol Buffers has them in random order."""
SHARED: list[int] = [1]


def _nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def _values() -> tuple[Value, ...]:
    big = Annotated[int, Hint(big=True)]
    naive = Annotated[dt.datetime, Hint(aware=False)]
    rows = (
        Value("None", None, type(None), "none"),
        Value("True", True, bool, "bool"),
        Value("int 2^53+1", 2**53 + 1, int, "int"),
        Value("int 2^63-1", 2**63 - 1, int, "int"),
        Value("int -2^63", -(2**63), int, "int"),
        Value("int 2^64-1", 2**64 - 1, big),
        Value("int 2^64", 2**64, big, "bigint"),
        Value("int 10^40", 10**40, big, "bigint"),
        Value("float 0.1", 0.1, float, "float"),
        Value("float 1e300", 1e300, float, "float"),
        Value("float 5e-324", 5e-324, float, "float"),
        Value("float 3.0", 3.0, float, "float"),
        Value("-0.0", -0.0, float, "float"),
        Value("nan", float("nan"), float, "nonfinite"),
        Value("inf", float("inf"), float, "nonfinite"),
        Value("str ''", "", str, "str"),
        Value("str é😀", "é😀", str, "str"),
        Value("str NUL", "a\0b", str),
        Value("str CR", "a\rb", str),
        Value("str lone surrogate", "\ud800", str),
        Value("str 'yes', '1:30'", dict.fromkeys("abcd", "yes") | {"1:30": "1:30"}, dict[str, str], "str"),
        Value("str '2024-01-01'", "2024-01-01", str, "str"),
        Value("bytes", b"\x00\xff\x80abc", bytes, "bytes"),
        Value("bytes b''", b"", bytes, "bytes"),
        Value("bytearray", bytearray(b"\x00\xff"), bytearray, "bytearray"),
        Value("memoryview", memoryview(b"\x00\xff")),
        Value("list", [1, [2, "x"]], list[int | list[int | str]], "list"),
        Value("tuple", (1, "x"), tuple[int, str], "tuple"),
        Value("tuple in list", [(1, 2)], list[tuple[int, int]]),
        Value("set", {1, 2}, set[int], "set"),
        Value("frozenset", frozenset({1, 2}), frozenset[int], "frozenset"),
        Value("dict int keys", {1: "a", -2: "b"}, dict[int, str], "int_keys"),
        Value("dict None key", {None: "a"}, dict[None, str], "any_keys"),
        Value("dict bool key", {True: "a"}, dict[bool, str], "any_keys"),
        Value("dict float key", {1.5: "a"}, dict[float, str], "any_keys"),
        Value("dict tuple key", {(1, 2): "a"}, None, "any_keys"),
        Value("dict bytes key", {b"a": "a"}, dict[bytes, str], "any_keys"),
        Value("dict date key", {dt.date(2024, 1, 2): "a"}, dict[dt.date, str], "any_keys"),
        Value("dict 1 and '1'", {1: "a", "1": "b"}),
        Value("key '__proto__'", {"__proto__": "x"}, dict[str, str]),
        Value("key order", ORDERED, dict[str, int], "key_order"),
        Value("key order, _id", ORDERED | {"_id": 2}, dict[str, int], "key_order", top=True),
        Value("datetime µs", MOMENT, naive, "datetime"),
        Value("datetime year 9000", dt.datetime(9000, 1, 2, 3, 4, 5, 123457), naive, "datetime"),
        Value("datetime ms", MOMENT.replace(microsecond=123000), naive),
        Value("datetime UTC µs", MOMENT.replace(tzinfo=dt.UTC), dt.datetime, "datetime_aware"),
        Value("datetime +05:30", MOMENT.replace(tzinfo=HALF_PAST_FIVE), dt.datetime, "datetime_offset"),
        Value("datetime zone", MOMENT.replace(tzinfo=Summer()), dt.datetime, "datetime_zone"),
        Value("datetime fold=1", MOMENT.replace(fold=1), naive, "datetime_fold"),
        Value("datetime year 1", dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime),
        Value("date", dt.date(2024, 2, 29), dt.date, "date"),
        Value("time µs", dt.time(1, 2, 3, 4), dt.time, "time"),
        Value("timedelta", dt.timedelta(days=-1, microseconds=3), dt.timedelta, "timedelta"),
        Value("Decimal 1.10", decimal.Decimal("1.10"), decimal.Decimal, "decimal"),
        Value("Decimal 50 digits", decimal.Decimal("1." + "1234567890" * 5), decimal.Decimal, "decimal"),
        Value("UUID", uuid.UUID(int=0x12345678123456781234567812345678), uuid.UUID, "uuid"),
        Value("Enum", Colour.RED, Colour, "enum"),
        Value("IntEnum", Level.LOW, Level, "enum"),
        Value("StrEnum", Word.YES, Word, "enum"),
        Value("dataclass", Place("x", dt.date(2024, 1, 2)), Place, "dataclass"),
        Value("namedtuple", Point(1, 2), Point, "namedtuple"),
        Value("complex", 1 + 2j, complex, "complex"),
        Value("range", range(3)),
        Value("str subclass", Text("x")),
        Value("OrderedDict", OrderedDict(b=1, a=2)),
        Value("defaultdict", defaultdict(list, a=[1])),
        Value("shared list", [SHARED, SHARED]),
        Value("40 levels", _nested(40)),
    )
    shown = {row.token for row in rows} | {"dict"}  # the container of every value
    rest = (token for token in TOKENS if token.name not in shown)
    return (*rows, *(Value(token.name, token.example, token.kind, token.name) for token in rest))


VALUES = _values()


@dataclass(frozen=True, slots=True)
class Written:
    """What readers in other languages get of a value.

    Attributes:
        payload: The bytes that they read.
        form: Canonical form of what Python reads from them.
        schema: The schema, if the format needs one.
    """

    payload: bytes
    form: list[Any]
    schema: ReaderSchema | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """The results for one value and one codec.

    Attributes:
        without: The result without a schema.
        with_schema: The result with one.
        written: What was written without a schema, or with one that readers get; None if that failed, is too
            large, or has no canonical form.
    """

    without: FidelityCell
    with_schema: FidelityCell
    written: Written | None = None

    @property
    def of_written(self) -> FidelityCell:
        """The result for what was written."""
        return self.with_schema if self.without == NEEDS_SCHEMA else self.without


NEEDS_SCHEMA = FidelityCell("needs a schema")


def cells(codec: str, *, schemas: bool = True) -> Iterator[tuple[str, Tried]]:
    """Yield name and results for every value, in this process.

    Args:
        schemas: Test with schemas; otherwise, both results are those without, unless readers get a schema.
    """
    bare = by_name(codec, trusted=True)
    for row in VALUES:
        without, written = (NEEDS_SCHEMA, None) if bare.needs_schema else _cell(bare, row)
        helps = schemas and without.outcome not in ("exact", "encode error")
        if row.kind is None or not (helps or bare.format in FORMATS):
            yield row.name, Tried(without, without, written)
        else:
            with_schema, by_schema = _cell_with_schema(bare, row)
            yield row.name, Tried(without, with_schema, written or by_schema)


def _cell_with_schema(bare: Any, row: Value) -> tuple[FidelityCell, Written | None]:
    """Return the result with a schema, and what was written if readers get the schema, too."""
    schema = schema_of(row)
    try:
        codec = bare.with_schema(schema)
    except UsageError as error:
        return FidelityCell("encode error", reason(error)), None  # the codec does not support the type
    if bare.format not in FORMATS:
        return _cell(codec, row)[0], None
    return _cell(codec, row, reader_schema(bare.name, schema))


def schema_of(row: Value) -> Schema:
    """Return the schema of a row's record."""
    return Schema(row.kind if row.top else {"v": row.kind}, as_objects=True)


def _cell(codec: Any, row: Value, schema: ReaderSchema | None = None) -> tuple[FidelityCell, Written | None]:
    bound = codec.bound
    try:
        payload = codec.encode(row.record if bound is None or bound.dicts else bound.take(row.record))
    except Exception as error:  # noqa: BLE001 - the error is the result
        return FidelityCell("encode error", reason(error)), None
    try:
        back = decoded(codec, payload)
    except Exception as error:  # noqa: BLE001 - the error is the result
        return FidelityCell("decode error", reason(error)), None
    written = _written(payload, back, schema)
    if row.top:
        return _compare(row.value, back), written
    if type(back) is not dict or list(back) != ["v"]:
        return FidelityCell("changed", type(back).__name__), written
    return _compare(row.value, back["v"]), written


def decoded(codec: Any, payload: bytes) -> Any:
    """Return what a codec reads from a payload, as an object if it is bound to a class."""
    back = codec.decode(payload)
    give = None if codec.bound is None else codec.bound.give
    return back if give is None else give(back)


def _written(payload: bytes, back: Any, schema: ReaderSchema | None) -> Written | None:
    if len(payload) > LARGEST_PAYLOAD:
        return None
    try:
        if schema is None or schema.decode is None:
            return Written(payload, canonical(back))
        body = payload[schema.head :]
        return Written(body, canonical(schema.decode(body)), replace(schema, decode=None))
    except CanonicalError:
        return None


def _compare(value: Any, back: Any) -> FidelityCell:
    difference = first_difference(value, back, order=True)
    if difference is None:
        if value == [SHARED, SHARED] and isinstance(back, list) and back[0] is not back[1]:
            return FidelityCell("changed", "copies")
        if isinstance(value, defaultdict) and back.default_factory is not value.default_factory:
            return FidelityCell("changed", "no factory")
        return FidelityCell("exact")
    if type(value) is not type(back):
        return FidelityCell("changed", "None" if back is None else type(back).__name__)
    if difference.kind == "order":
        return FidelityCell("changed", "other order")
    if isinstance(value, dict):
        return FidelityCell("changed", _keys(value, back))
    if isinstance(value, dt.datetime):
        return FidelityCell("changed", moment_change(value, back))
    return FidelityCell("changed", difference.found)


def _keys(value: dict[Any, Any], back: dict[Any, Any]) -> str:
    if len(back) < len(value):
        return "one key"
    return f"{type(next(iter(back))).__name__} key"


def moment_change(value: dt.datetime, back: dt.datetime) -> str:
    """Return what differs in a decoded datetime: ``"UTC ms"``, for instance."""
    changes = []
    if value.utcoffset() != back.utcoffset():
        changes.append("no offset" if back.tzinfo is None else "UTC" if not back.utcoffset() else "offset")
    if value.microsecond != back.microsecond:
        changes.append("s" if not back.microsecond else "ms" if not back.microsecond % 1000 else "µs")
    if not changes:
        changes += ["offset only"] * (zone(value.tzinfo) != zone(back.tzinfo))
        changes += ["fold=0"] * (value.fold != back.fold)
    return " ".join(changes) or "another time"


def reason(error: Exception) -> str:
    """Return an error in short."""
    return f"{type(error).__name__}: {error}"[:200]


def matrix(codecs: Iterable[str], *, schemas: bool = True) -> Iterator[tuple[str, dict[str, Tried]]]:
    """Yield each codec with its results by value name.

    Codecs whose library is not installed are left out.

    Args:
        schemas: As in `cells`.

    Raises:
        UsageError: A release that a name asks for was not fetched.
    """
    from ...run.processes import LocalExecutor

    with LocalExecutor() as executor:
        reasons = {name: executor.missing(name) for name in codecs}
        for name, reason in reasons.items():
            if reason is not None and split_release(name)[1]:
                raise UsageError(f"{name}: {reason}")
        jobs = {
            name: executor.submit(FidelityJob(codec=name, schemas=schemas, memory=MEMORY), patience=TIMEOUT)
            for name, reason in reasons.items()
            if reason is None
        }
        for name, job in jobs.items():
            yield name, _told(job.result())


def _told(ended: Ended) -> dict[str, Tried]:
    found = {value: _tried(*rest) for value, *rest in ended.notes}
    gone = FidelityCell("crash", ended.reason[:200])
    return {row.name: found.get(row.name, Tried(gone, gone)) for row in VALUES}


def _tried(without: list[str], with_schema: list[str], written: list[Any] | None) -> Tried:
    kept = None if written is None else _kept(*written)
    return Tried(FidelityCell(*without), FidelityCell(*with_schema), kept)


def _kept(payload: str, form: list[Any], schema: dict[str, str] | None) -> Written:
    given = None if schema is None else ReaderSchema(schema["text"], schema["message"])
    return Written(base64.b64decode(payload), form, given)


def run(job: FidelityJob, context: WorkerContext) -> Answer:
    """Write a note with the results of one codec for each value."""
    context.beat(0)
    for number, (value, tried) in enumerate(cells(job.codec, schemas=job.schemas), 1):
        parts = ([cell.outcome, cell.became] for cell in (tried.without, tried.with_schema))
        context.note([value, *parts, None if tried.written is None else _note(tried.written)])
        context.beat(number)
    return Done()


def _note(written: Written) -> list[Any]:
    payload = base64.b64encode(written.payload).decode()
    return [payload, written.form, None if written.schema is None else written.schema.fields()]
