"""Objects of classes as records: models, Structs, dataclasses, attrs classes and named tuples."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import decimal
import enum
import functools
import pickle
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import attrs
import msgspec
import pydantic
import pytest

import bakeoff
from bakeoff.bench.equality.equal import differences, equal
from bakeoff.bench.equality.losses import find_losses
from bakeoff.codecs.conventions.classes import CLASS_FAMILIES, fields_of, opened, record_class
from bakeoff.codecs.conventions.families import register_type
from bakeoff.codecs.conventions.tokens import token_of
from bakeoff.codecs.registry import available, describe, specialists
from bakeoff.schemas import Schema
from bakeoff.schemas.tree.declare import describe as described
from needed import is_endless

T = TypeVar("T")


class State(enum.Enum):
    OPEN = "open"
    SHIPPED = "shipped"


# One record class of each kind, with realistic features ----------------------------------------------


class ModelItem(pydantic.BaseModel):
    sku: str
    price: decimal.Decimal


class ModelBase(pydantic.BaseModel):
    id: uuid.UUID


class ModelOrder(ModelBase):
    placed: dt.datetime
    day: dt.date
    state: State
    items: list[ModelItem]
    first: ModelItem | None = None
    note: str | None = None
    counts: dict[str, int] = {}


class StructItem(msgspec.Struct):
    sku: str
    price: decimal.Decimal


class StructBase(msgspec.Struct):
    id: uuid.UUID


class StructOrder(StructBase):
    placed: dt.datetime
    day: dt.date
    state: State
    items: list[StructItem]
    first: StructItem | None = None
    note: str | None = None
    counts: dict[str, int] = {}


@dataclasses.dataclass
class DataItem:
    sku: str
    price: decimal.Decimal


@dataclasses.dataclass
class DataBase:
    id: uuid.UUID


@dataclasses.dataclass
class DataOrder(DataBase):
    placed: dt.datetime
    day: dt.date
    state: State
    items: list[DataItem]
    first: DataItem | None = None
    note: str | None = None
    counts: dict[str, int] = dataclasses.field(default_factory=dict)


@attrs.define
class AttrsItem:
    sku: str
    price: decimal.Decimal


@attrs.define
class AttrsBase:
    id: uuid.UUID


@attrs.define
class AttrsOrder(AttrsBase):
    placed: dt.datetime
    day: dt.date
    state: State
    items: list[AttrsItem]
    first: AttrsItem | None = None
    note: str | None = None
    counts: dict[str, int] = attrs.field(factory=dict)


class TupleItem(NamedTuple):
    sku: str
    price: decimal.Decimal


class TupleOrder(NamedTuple):
    id: uuid.UUID
    placed: dt.datetime
    day: dt.date
    state: State
    items: list[TupleItem]
    first: TupleItem | None = None
    note: str | None = None
    counts: dict[str, int] = {}  # noqa: RUF012 - of a NamedTuple it is each record's default


def order(cls: Any, item: Any) -> Any:
    return cls(
        id=uuid.UUID(int=7),
        placed=dt.datetime(2024, 2, 29, 12, 30, 15, 123000, tzinfo=dt.UTC),
        day=dt.date(2024, 2, 29),
        state=State.SHIPPED,
        items=[item(sku="a", price=decimal.Decimal("1.10")), item(sku="é", price=decimal.Decimal(2))],
        first=item(sku="c", price=decimal.Decimal("0.001")),
        counts={"x": 1},
    )


CLASSES = {
    "model": (ModelOrder, ModelItem),
    "struct": (StructOrder, StructItem),
    "dataclass": (DataOrder, DataItem),
    "attrs": (AttrsOrder, AttrsItem),
    "namedtuple": (TupleOrder, TupleItem),
}
PLAIN = available()
OWN = [name for name in specialists() if describe(name).needs_schema]
MADE = [(family, name) for name in OWN for family in CLASSES if family in describe(name).values]


@pytest.fixture(params=CLASSES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def record(family: str) -> Any:
    return order(*CLASSES[family])


def test_every_kind_is_tried():
    assert set(CLASSES) == set(CLASS_FAMILIES)
    assert {kind for name in OWN for kind in describe(name).values} == set(CLASS_FAMILIES)


# Round trips -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "name"), MADE)
def test_codecs_of_objects_bring_the_users_own_class_back(family, name):
    record = order(*CLASSES[family])
    made = bakeoff.codec(name, schema=Schema(type(record), as_objects=True))

    assert made.bound.as_is
    assert made.bound.take(record) is record
    assert made.bound.give is None
    assert not differences(record, made.decode(made.encode(record)))


@pytest.mark.parametrize(("family", "name"), MADE)
def test_codecs_of_objects_take_lists_of_them(family, name):
    record = order(*CLASSES[family])
    made = bakeoff.codec(name, schema=Schema(type(record), as_objects=True).listed())

    assert made.bound.as_is
    assert not differences([record, record], made.decode(made.encode([record, record])))


@pytest.mark.parametrize("name", [name for name in OWN if "struct" in name])
@pytest.mark.parametrize("as_objects", [True, False])
def test_objects_within_a_record_of_dicts_come_back_where_they_are_asked_for(name, as_objects):
    """The record itself is a Struct of ours then; without `as_objects` all of it is dicts."""
    record = {"item": DataItem("a", decimal.Decimal(1)), "point": TupleItem("b", decimal.Decimal(2))}
    schema = Schema({"item": DataItem, "point": TupleItem}, as_objects=as_objects)
    made = bakeoff.codec(name, schema=schema)
    found = made.bound.give(made.decode(made.encode(made.bound.take(record))))

    item = record["item"] if as_objects else {"sku": "a", "price": decimal.Decimal(1)}
    assert not made.bound.as_is
    assert not differences({**record, "item": item}, found)


@pytest.mark.parametrize("name", PLAIN)
def test_other_codecs_lose_the_class_by_one_rule(family, record, name):
    made = bakeoff.codec(name, trusted=True)
    found = made.decode(made.encode(record))
    if token_of(record) in made.preserves:
        assert not differences(record, found)
        return
    judgement = find_losses(record, found, made.preserves, made.losses)

    assert judgement.wrong is None
    kinds = "list" if family == "namedtuple" and "tuple" not in made.preserves else type(found).__name__
    assert f"`{type(record).__name__}` came back as `{kinds}` at `$`" in judgement.losses.values()


@pytest.mark.parametrize("name", PLAIN)
def test_a_schema_builds_the_objects_after_any_codec(record, name):
    made = bakeoff.codec(name, trusted=True).with_schema(Schema(type(record), as_objects=True))
    found = differences(record, made.decode(made.encode(record)))

    if made.encodes_as.get("decimal") == "float":  # the digits are gone
        assert all("Decimal" in item.expected for item in found)
    else:
        assert not found


def test_a_record_of_another_class_with_the_same_fields_is_wrong(record):
    other = order(DataOrder, DataItem) if type(record) is not DataOrder else order(AttrsOrder, AttrsItem)

    assert not equal(record, other)
    assert find_losses(record, other, set()).wrong


def test_a_changed_field_is_wrong_and_named(record):
    changed = pickle.loads(pickle.dumps(record))
    if isinstance(changed, tuple):
        changed = changed._replace(note="x")
    else:
        changed.note = "x"

    place = "$[6]" if isinstance(record, tuple) else "$.note"
    assert [item.path for item in differences(record, changed)] == [place]
    assert place in find_losses(record, changed, set()).wrong


# Payloads --------------------------------------------------------------------------------------------


class Renamed(pydantic.BaseModel):
    order_id: int = pydantic.Field(alias="orderId")
    _secret: int = pydantic.PrivateAttr(default=1)

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def twice(self) -> int:
        return 2 * self.order_id

    @functools.cached_property
    def thrice(self) -> int:
        return 3 * self.order_id


class OneWay(pydantic.BaseModel):
    """It does not read by the name that it writes."""

    a: int = pydantic.Field(serialization_alias="A")
    b: int = pydantic.Field(default=3, validation_alias="B")


class Open(pydantic.BaseModel, extra="allow"):
    a: int


class Whole(pydantic.RootModel[list[int]]):
    pass


class Holder(pydantic.BaseModel):
    whole: Whole


class Page(pydantic.BaseModel, Generic[T]):
    items: list[T]


class Tree(pydantic.BaseModel):
    value: int
    children: list[Tree] = []


class Cat(pydantic.BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


class Zoo(pydantic.BaseModel):
    pets: list[Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]]


class Tagged(msgspec.Struct, tag=True, rename="camel", omit_defaults=True):
    order_id: int
    some_list: list[int] = []
    note: str | None = None


class Listed(msgspec.Struct, array_like=True, tag="l"):
    a: int
    b: str


class Sparse(msgspec.Struct, frozen=True, kw_only=True):
    a: int | msgspec.UnsetType = msgspec.UNSET
    b: int


class Branch(msgspec.Struct):
    value: int
    children: list[Branch] = []


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: int
    b: tuple[int, ...] = ()


@dataclasses.dataclass
class Late:
    a: int
    b: int = dataclasses.field(init=False, default=3)


@attrs.frozen
class Guarded:
    _hidden: int
    b: int = attrs.field(validator=attrs.validators.gt(0), default=1)
    c: list[int] = attrs.field(factory=list, converter=list)
    d: int = attrs.field(init=False, default=7)


class Lazy(pydantic.BaseModel):
    a: int
    b: int = 2

    @functools.cached_property
    def total(self) -> int:
        return self.a + self.b


def lazy(made: Lazy, total: int | None = None) -> Lazy:
    """Return a model whose cached property is there, and perhaps a field is not."""
    made.__dict__["total"] = total or made.total
    return made


def with_cached_property() -> Renamed:
    made = Renamed(orderId=3)
    assert made.thrice == 9
    return made


WRITTEN = [
    (with_cached_property(), {"orderId": 3}),
    (lazy(Lazy(a=1)), {"a": 1, "b": 2}),
    (OneWay(a=1), {"A": 1, "b": 3}),
    (Open(a=1, more=[2]), {"a": 1, "more": [2]}),
    (Holder(whole=Whole([1, 2])), {"whole": [1, 2]}),
    (Whole([1, 2]), [1, 2]),
    (Page[Cat](items=[Cat(lives=9)]), {"items": [{"kind": "cat", "lives": 9}]}),
    (Tree(value=1, children=[Tree(value=2)]), {"value": 1, "children": [{"value": 2, "children": []}]}),
    (Zoo(pets=[Cat(lives=9), Dog(name="x")]), None),
    (Tagged(1), {"type": "Tagged", "orderId": 1}),
    (Tagged(1, [2], "n"), {"type": "Tagged", "orderId": 1, "someList": [2], "note": "n"}),
    (Listed(1, "x"), ["l", 1, "x"]),
    (Sparse(b=1), {"b": 1}),
    (Sparse(a=2, b=1), {"a": 2, "b": 1}),
    (Branch(1, [Branch(2)]), {"value": 1, "children": [{"value": 2, "children": []}]}),
    (Frozen(1, (2, 3)), {"a": 1, "b": [2, 3]}),
    (Late(1), {"a": 1, "b": 3}),
    (Guarded(1, 2, [3]), {"_hidden": 1, "b": 2, "c": [3], "d": 7}),
]


@pytest.mark.parametrize(("value", "written"), WRITTEN, ids=lambda value: type(value).__name__)
def test_the_dict_of_the_fields_has_the_names_that_the_class_writes(value, written):
    if written is not None:
        assert bakeoff.codec("json").decode(bakeoff.codec("json").encode({"v": value})) == {"v": written}


@pytest.mark.parametrize("name", ["json", "msgpack", "cbor2", "bson", "yaml", "orjson"])
@pytest.mark.parametrize("value", [value for value, _ in WRITTEN], ids=lambda value: type(value).__name__)
def test_what_is_written_of_an_object_is_never_wrong(value, name):
    """Libraries with a hook and libraries that get a rewritten record write the same."""
    made = bakeoff.codec(name)
    if name == "orjson" and isinstance(value, Late):
        return  # of a dataclass it writes what the object holds, and not what the class does

    assert find_losses(value, made.decode(made.encode(value)), made.preserves).wrong is None


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (value, name)
        for value, _ in WRITTEN
        for name in OWN
        if record_class(type(value)).family in describe(name).values
        and not isinstance(value, Guarded | Whole)
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_the_class_decides_what_its_own_codecs_do(value, name):
    made = bakeoff.codec(name, schema=Schema(described(type(value), lenient=True), as_objects=True))

    assert made.bound.as_is
    assert not differences(value, made.decode(made.encode(value)))


def test_a_private_field_that_msgspec_leaves_out_is_said_to_be_missing():
    made = bakeoff.codec("msgspec-json")

    assert "_hidden" in find_losses(Guarded(1), made.decode(made.encode(Guarded(1))), made.preserves).wrong


# Building --------------------------------------------------------------------------------------------


class Checked(pydantic.BaseModel):
    day: dt.date

    @pydantic.field_validator("day")
    @classmethod
    def is_to_come(cls, day: dt.date) -> dt.date:
        if day.year < 2020:
            raise ValueError("past")
        return day


def test_models_are_built_without_validation():
    record = Checked.model_construct(day=dt.date(2010, 1, 1))

    assert not differences(record, Schema(Checked, as_objects=True).apply({"day": "2010-01-01"}))


@pytest.mark.parametrize("cls", [Renamed, Guarded, Tagged, Frozen, ModelItem])
def test_a_record_that_lacks_a_field_stays_a_dict(cls):
    assert Schema(cls, as_objects=True).apply({"unknown": 1}) == {"unknown": 1}
    assert Schema(cls, as_objects=True).apply({}) == {}


def test_an_attrs_class_is_called_with_its_own_names():
    record = Schema(Guarded, as_objects=True).apply({"_hidden": 1, "b": 2, "c": [3], "d": 7})

    assert not differences(Guarded(1, 2, [3]), record)


def test_what_a_validator_of_attrs_refuses_stays_a_dict():
    record, advice = Schema(Guarded, as_objects=True).advise({"_hidden": 1, "b": -2, "c": [], "d": 7})

    assert record == {"_hidden": 1, "b": -2, "c": [], "d": 7}
    assert [item.code for item in advice] == ["build"]


def test_a_schema_is_inferred_from_the_fields(family, record):
    types = Schema.infer([record, record]).types
    names = [] if family == "namedtuple" else [item.name for item in types.fields]

    assert names == ([] if family == "namedtuple" else list(fields_of(record)))


@pytest.mark.parametrize("cls", [Tree, Branch])
def test_a_field_that_cannot_be_described_is_any_where_the_class_is_what_there_is(cls):
    schema = Schema(described(cls, lenient=True), as_objects=True)

    assert isinstance(schema.apply({"value": 1, "children": []}), cls)


# Depth ----------------------------------------------------------------------------------------------


@dataclasses.dataclass
class DataBox:
    content: Any


@attrs.define
class AttrsBox:
    content: Any


class StructBox(msgspec.Struct):
    content: Any


class ModelBox(pydantic.BaseModel):
    content: Any


@pytest.mark.slow
@pytest.mark.parametrize(
    "box",
    [DataBox, AttrsBox, StructBox, lambda content: ModelBox.model_construct(content=content)],
    ids=["dataclass", "attrs", "struct", "model"],
)
def test_deep_objects_never_end_the_process(box):
    value = None
    for _ in range(100_000):
        value = box(value)
    try:
        for name in [name for name in PLAIN if not is_endless(name)]:
            with contextlib.suppress(bakeoff.EncodeError):
                bakeoff.codec(name, trusted=True).encode(value)
    finally:
        while value is not None:  # or the interpreter itself would recurse to free it
            value = value.content


# Facts about classes ---------------------------------------------------------------------------------


class Word(str):
    __slots__ = ()
    _fields = ("a",)


class Mood(DataItem, enum.Enum):
    """A dataclass that is an Enum above all."""

    GOOD = "a", decimal.Decimal(1)


@pytest.mark.parametrize("cls", [int, str, dict, list, tuple, object, State, Word, Mood, dt.datetime])
def test_other_classes_are_no_record_classes(cls):
    assert record_class(cls) is None


def test_a_class_itself_is_no_record():
    assert fields_of(DataItem) is None
    assert opened(DataItem) is None


def test_fields_that_were_deleted_are_missing():
    record, other = DataItem("a", decimal.Decimal(1)), DataItem("a", decimal.Decimal(1))
    del other.price

    assert not equal(record, other)


def test_a_model_that_lacks_a_field_has_its_other_fields():
    """As made by `model_construct`; a cached property does not replace a missing field."""
    made = Lazy.model_construct(a=1)
    del made.__dict__["b"]

    assert opened(lazy(made, total=3)) == {"a": 1}
    assert not equal(made, Lazy(a=1))


def test_what_is_registered_later_holds_from_then_on():
    class Late(msgspec.Struct):
        a: int

    assert bakeoff.codec("json").encode(Late(1)) == b'{"a":1}'
    register_type(Late, lambda value: value.a)

    assert bakeoff.codec("json").encode(Late(1)) == b"1"


def test_private_attributes_do_not_count():
    first, second = Renamed(orderId=1), Renamed(orderId=1)
    second._secret = 2

    assert equal(first, second)
    assert equal(Renamed.model_construct(order_id=1), first)


def test_extra_fields_count():
    assert [item.path for item in differences(Open(a=1, b=2), Open(a=1))] == ["$.b"]


@pytest.mark.parametrize("name", ["json", "msgpack", "cbor2", "bson", "yaml", "orjson", "msgspec-json"])
@pytest.mark.parametrize("cls", [ModelItem, StructItem, AttrsItem, DataItem])
def test_a_convention_of_ones_own_goes_before_the_fields(cls, name, monkeypatch):
    from bakeoff.codecs.conventions import families as conventions

    own = functools.singledispatch(conventions._of_own_type.dispatch(object))
    own.register(cls, lambda value: value.sku)
    monkeypatch.setattr(conventions, "_of_own_type", own)
    # As when a type is registered: what was met before is forgotten, also by the compiled hook.
    conventions._OPEN.clear()
    conventions._NAMED.clear()
    made = bakeoff.codec(name)
    native = {"msgspec-json": (DataItem, StructItem, AttrsItem)}.get(name, ())
    found = made.decode(made.encode({"v": cls(sku="s", price=decimal.Decimal(1))}))

    assert found == {"v": {"sku": "s", "price": "1"} if cls in native else "s"}


def test_named_tuples_have_a_token_of_their_own():
    assert {"namedtuple"} == {record_class(kind).token for kind in (TupleOrder, TupleItem)}
