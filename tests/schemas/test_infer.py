"""Schemas read off records, printed as Python, and read back."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import OrderedDict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import Level

from bakeoff import codecs
from bakeoff.datasets import corpus, names
from bakeoff.errors import UsageError
from bakeoff.schemas import Schema, SchemaError
from bakeoff.schemas import types as t
from bakeoff.schemas.source import load


def kind(*values: Any) -> str:
    """Return what a field with these values is taken for, in Python."""
    source = Schema.infer({"v": value} for value in values).to_python()
    return source.split("    v: ")[1].split("\n")[0]


def read_back(schema: Schema) -> Schema:
    """Return the schema that the printed module declares."""
    space: dict[str, Any] = {"__name__": "printed"}
    exec(compile(schema.to_python(), "printed.py", "exec", dont_inherit=True), space)
    return Schema(space["Record"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1, 2), "int"),
        ((1, 2**70), "Annotated[int, Hint(big=True)]"),
        ((1, None), "int | None"),
        ((1, 2.5), "float | int"),
        (("a", "b"), "str"),
        (("2024-01-02T03:04:05Z",), "datetime"),
        (("2024-01-02T03:04:05,1234567",), "str"),
        (("2024-01-02", "2024-01-03"), "date"),
        (("10:00:00",), "time"),
        (("P1DT2S",), "timedelta"),
        ((str(uuid.UUID(int=5)),), "UUID"),
        (("19.90", "5.00", "0.10"), "Decimal"),
        (("1.9", "1.10", "2.0"), "str"),
        (("01234", "56789"), "str"),
        (("12", "13"), "str"),
        (("2024-01-02", "no date"), "str"),
        (([1], [2, 3]), "list[int]"),
        (([], []), "list[Any]"),
        (((1, "a"), (2, "b")), "tuple[int | str, int | str]"),
        (({"1": 1.5}, {"2": 2.5}), "dict[int, float]"),
        (({1: "a"},), "dict[int, str]"),
        (({"👍": 1}, {"🎉": 2, "🐙": 1}), "dict[str, int]"),
        ((b"x",), "bytes"),
        ((dt.datetime(2024, 1, 1),), "datetime"),
        (("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo=",) * 20, "bytes"),
        (("deadbeefdeadbeefdeadbeef",) * 20, "str"),
        ((1, "a", 2.5, [1], {"x": 1}), "Any"),
    ],
)
def test_fields(values: tuple[Any, ...], expected: str) -> None:
    """Each kind of value is taken for what it is, and text for no more than it is."""
    assert kind(*values) == expected


def test_maps_are_told_from_records() -> None:
    """Many keys that rarely meet are a map; a few that mostly do are a record."""
    maps = Schema.infer({"m": {f"user{i}": 1, f"user{i + 1}": 2}} for i in range(40))
    record = Schema.infer({"m": {"a": 1, "b": "x"}} for _ in range(40))

    assert "m: dict[str, int]" in maps.to_python()
    assert "class M(TypedDict)" in record.to_python()


def test_two_kinds_of_dict_are_one_record() -> None:
    """Which class of dict a reader made says nothing about the record."""
    schema = Schema.infer([{"a": {"b": 1}}, {"a": OrderedDict(b=2)}])

    assert "    a: A\n" in schema.to_python()


def test_optional_fields_and_confidence() -> None:
    """Fields that are sometimes missing are optional; a few outliers do not make a datetime text."""
    rows: list[dict[str, Any]] = [{"at": "2024-01-02T03:04:05", "n": 1} for _ in range(199)]
    rows.append({"at": "yesterday"})
    schema = Schema.infer(rows)

    assert "    at: datetime  # 99.5% of 200\n    n: NotRequired[int]" in schema.to_python()
    assert [str(a) for a in schema.advise(rows[-1])[1]] == [
        "Expected `datetime`, got `str 'yesterday'` - at `$.at`"
    ]
    assert "    at: str" in Schema.infer(rows, confidence=1.0).to_python()


@pytest.mark.parametrize("name", names())
def test_built_in_corpora(name: str, tmp_path: Path) -> None:
    """What is inferred from a corpus fits all of it, and its Python form is an equal schema."""
    codec = codecs.codec("json")
    records = [codec.decode(codec.encode(record)) for record in corpus(name, records=100).records()]
    schema = Schema.infer(records)
    file = tmp_path / "inferred.py"
    file.write_text(schema.to_python(), encoding="utf-8")

    assert Schema(load(str(file))) == Schema(schema)
    assert all(schema.advise(record, "json")[1] == [] for record in records)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=3), min_size=1, max_size=5))
def test_any_records(records: list[dict[str, Any]]) -> None:
    """Whatever the records, the schema has no advice for them, and its Python form runs."""
    schema = Schema.infer(records, confidence=1.0)

    assert all(schema.advise(record, "json")[1] == [] for record in records)
    assert read_back(schema) == Schema(schema)


def test_python_objects() -> None:
    """Objects that are more than JSON keep their types."""
    source = Schema.infer([{"d": Decimal(1), "s": {1}, "u": uuid.uuid4()}]).to_python()

    assert "    d: Decimal\n    s: set[int]\n    u: UUID\n" in source


def test_odd_keys_and_records() -> None:
    """Keys that are no names make a TypedDict by call; other records than dicts get a name."""
    source = Schema.infer([{"a b": 1, "class": 2, "c": 3}], name="Odd").to_python()
    space: dict[str, Any] = {}
    exec(compile(source, "odd.py", "exec", dont_inherit=True), space)

    assert "Odd = TypedDict(" in source
    assert space["Odd"].__annotations__ == {"a b": int, "class": int, "c": int}
    assert "Rows = list[int]" in Schema.infer([[1], [2]], name="Rows").to_python()


KEYS = ["none", "true", "false", "any", "decimal", "hint", "schema", "literal", "typed_dict", "not_required"]


@pytest.mark.parametrize("key", KEYS)
def test_fields_named_like_what_a_module_needs(key: str) -> None:
    """A class is named neither like a keyword nor like an import, so each name means what it should."""
    record = {key: {"x": Decimal(1)}, "price": Decimal(1), "more": None}
    inferred = Schema.infer([record, {**record, "big": 2**70}])
    declared = Schema({key: {"x": Decimal}, "price": Decimal, "more": Any})

    assert read_back(inferred) == Schema(inferred)
    assert read_back(inferred).plan("json") == inferred.plan("json")
    assert read_back(declared).plan("json") == declared.plan("json")


def test_a_class_beside_an_enum_of_its_name() -> None:
    """The name of an Enum that is imported stays the Enum's."""
    source = Schema({"level": {"x": int}, "at": Level}).to_python()

    assert "class Level2(TypedDict)" in source
    assert "    level: Level2\n    at: Level\n" in source


def test_bounded() -> None:
    """A million distinct keys are a map, not a million fields."""
    schema = Schema.infer({f"k{i}-{j}": 1 for j in range(10)} for i in range(1_000))

    assert isinstance(schema.types, t.DictType)


def test_nothing_to_infer_from() -> None:
    """No records, no schema."""
    with pytest.raises(SchemaError, match="no records"):
        Schema.infer([])
    with pytest.raises(ValueError, match="confidence"):
        Schema.infer([{}], confidence=0.2)


def test_loading_says_what_is_wrong(tmp_path: Path) -> None:
    """Missing files, broken modules, unknown and ambiguous names each get one clear error."""
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module_at_all")
    two = tmp_path / "two.py"
    two.write_text(
        "from typing import TypedDict\nclass A(TypedDict):\n    x: int\nclass B(TypedDict):\n    y: str\n"
    )

    for text, words in [
        (str(tmp_path / "none.py"), "no such schema file"),
        (str(broken), "does not import: ModuleNotFoundError"),
        (f"{two}:C", "has no C; it has A, B"),
        (str(two), "declares A, B: say which"),
        ("no_such_module_at_all:X", "does not import"),
    ]:
        with pytest.raises(UsageError, match=words):
            load(text)
    assert Schema(load(f"{two}:A")).name == "A"
