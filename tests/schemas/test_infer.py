"""Schemas read off records, printed as Python, and read back."""

from __future__ import annotations

import datetime as dt
import json
import re
import sys
import uuid
from base64 import b64encode
from collections import OrderedDict
from decimal import Decimal
from enum import Enum
from hashlib import sha1, sha256
from pathlib import Path
from string import ascii_letters
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import Level
from round_trips import read_back

from bakeoff import codecs
from bakeoff.datasets import corpus, names
from bakeoff.errors import UsageError
from bakeoff.schemas import Schema, SchemaError
from bakeoff.schemas.infer import Observations
from bakeoff.schemas.load import load
from bakeoff.schemas.tree import types as t


def kind(*values: Any) -> str:
    source = Schema.infer({"v": value} for value in values).to_python()
    return source.split("    v: ")[1].split("\n")[0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1, 2), "int"),
        ((1, 2**70), "Annotated[int, Hint(big=True)]"),
        ((-5, 1), "int"),
        ((-(2**63), 2**63 - 1), "int"),
        ((-(2**63) - 1,), "Annotated[int, Hint(big=True)]"),
        ((2**63,), "Annotated[int, Hint(big=True)]"),
        ((1, None), "int | None"),
        ((1, 2.5), "float | int"),
        (("a", "b"), "str"),
        (("2024-01-02T03:04:05Z",), "datetime"),
        (("2024-01-02T03:04:05,1234567",), "str"),
        (("2024-01-02", "2024-01-03"), "date"),
        (("10:00:00", "17:30:00"), "time"),
        (("P1DT2S", "P1D"), "timedelta"),
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
        (("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo=",) * 20, "str"),
        (("2024-W01-1",), "str"),
        (("2024-01-02 03:04:05.120", "2024-01-02T03:04:05+01:00"), "datetime"),
        (("2024-01-02T03:04:05-00:00",), "str"),
        (("2024-W01-1T03:04:05", "20240102T030405"), "str"),
        (("17:00:00.120",), "time"),
        (("10:00", "11:30"), "str"),
        (("10:00:00,120",), "str"),
        (("P1W",), "str"),
        (("PT1H30M",), "str"),
        ((str(uuid.UUID(int=2**127 + 10)).upper(),), "str"),
        (("00000000000000000000000000000005",), "str"),
        (("0.00000001", "0.00000002", "0.00000003"), "str"),
        (({"2024-W01-1": {"x": 1}},), "V"),
        ((1, "a", 2.5, [1], {"x": 1}), "Any"),
    ],
)
def test_fields(values: tuple[Any, ...], expected: str) -> None:
    assert kind(*values) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2024-W01-1",
        "2024-01-02 03:04:05",
        "2024-W01-1T03:04:05Z",
        "10:00:00,123456",
        "-P1D",
        "P1W",
        "-0",
        "-999999999999999999",
    ],
)
def test_what_is_inferred_can_be_converted(text: str) -> None:
    record = {"v": text, "m": {text: 1}}

    assert Schema.infer([record]).advise(record, "json")[1] == []


DIGESTS = tuple(b64encode(sha1(bytes([n])).digest()).decode() for n in range(8))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (DIGESTS, "bytes"),
        ((*DIGESTS, None, "YWJjZGVmZ2hpamtsbW5vcHFy", "YWJjZGVmZ2hpamtsbW5vcHFy+/aa"), "bytes | None"),
        (DIGESTS[:7], "str"),
        (DIGESTS[:1] * 20, "str"),
        ((*DIGESTS, "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp="), "str"),
        ((*DIGESTS, "Id0sOfLettersAndDigits0"), "str"),
        (tuple(b64encode(bytes([n, 180, 255] * 8)).decode() for n in range(20)), "str"),
        (("deadbeefdeadbeefdeadbeef",) * 20, "str"),
        (tuple(f"/images/UE0AAAAACEKp+QAAA{n:02}DSVRN" for n in range(20)), "str"),
        (tuple(f"/images/{text}" for text in DIGESTS), "str"),
        (tuple(f"a/b/{text}" for text in DIGESTS), "str"),
    ],
)
def test_bytes_are_found_where_they_are_looked_for(values: tuple[Any, ...], expected: str) -> None:
    source = Schema.infer(({"v": value} for value in values), base64=True).to_python()

    assert f"    v: {expected}\n" in source


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        (("2024-01-02T03:04:05",), "2024-01-02"),
        (("2024-01-02T03:04:05",), "20240102"),
        (("18:00:00",), "10:00"),
        (("P1DT2S", "P3D"), "PT1H"),
        ((str(uuid.UUID(int=5)),), "00000000000000000000000000000005"),
        (("19.90", "5.00", "0.10"), "1E5"),
        (("19.90", "5.00", "0.10"), "nan"),
    ],
)
def test_one_value_that_would_be_altered_keeps_all_of_them_text(usual: tuple[str, ...], odd: str) -> None:
    """What is no such value at all is left alone; what would be read and written otherwise is a veto."""
    assert kind(*usual * 100, "?") != "str"
    assert kind(*usual * 100, odd) == "str"


LOOKALIKES = {
    "modules": sorted(sys.stdlib_module_names),
    "paths": [str(path) for path in Path(json.__file__).parents[1].glob("*/*.py")],
    "hex ids": [sha1(bytes([n])).hexdigest()[:width] for n in range(40) for width in (8, 12, 24, 32, 40)],
    "digests": [sha1(bytes([n])).hexdigest() for n in range(99)],
    "versions": [f"1.{minor}" for minor in range(10, 90)],
    "long versions": [f"{major}.{minor}.0" for major in range(9) for minor in range(12)],
    "releases": ["20.04", "20.10", "22.04", "22.10", "24.04", "24.10"],
    "clock": [f"{hour}.{minute:02}" for hour in range(24) for minute in range(60)],
    "days": [f"{day}.{month:02}" for day in range(10, 29) for month in range(1, 13)],
    "elapsed": [f"0{hour}:{minute:02}:{minute:02}" for hour in range(9) for minute in range(60)],
    "phones": ["030-12345678", "+49 30 123456", "555-0100", "0049301234", "1234567890", "12-34-56-78"],
    "part numbers": [f"{n}-07-04" for n in range(1000, 9999, 1000) if not 1800 <= n < 2200],
    "registry numbers": ["7732-18-5", "64-17-5", "50-00-0", "7647-14-5"],
    "postcodes": ["01234", "10115", "99999", "20095"],
    "postcodes of one town": ["10115", "10117", "10119", "10178"],
    "order numbers": [f"202401{day:02}" for day in range(1, 31)],
    "order numbers with a mark": [f"2024-01-{number:03}" for number in range(99)],
    "products": ["P1D", "P2D", "P3D", "PT1", "A-12.50", "7E10", "1e5", "0x1F", "1_000"],
    "sizes": ["P1D", "P2D", "P3D", "P10D"],
    "not a number": ["nan", "inf", "Infinity", "NaN"],
    "images": [f"/images/UE0AAAAACEKo{letter}QAAAAZDSVRN" for letter in ascii_letters + "+/"],
    "tokens": [sha256(bytes([n])).hexdigest().upper()[:24] for n in range(99)],
    "times of tweets": ["Sun Aug 31 00:29:15 +0000 2014", "Sun Aug 31 00:29:14 +0000 2014"],
    "words": ["Straße", "café au lait", "x" * 24, "AbcdefghijklmnopqrstuvwX", "UPPERlower0123456789abcd"],
}


@pytest.mark.parametrize("name", LOOKALIKES)
def test_what_looks_alike_stays_text(name: str) -> None:
    texts = LOOKALIKES[name]
    values = Schema.infer([{"v": text} for text in texts], base64=True, confidence=0.6)
    keys = Schema.infer([{"m": {text: 1}} for text in texts * 3], base64=True, confidence=0.6).types

    assert "    v: str\n" in values.to_python()
    assert isinstance(keys, t.RecordType)
    made = keys.fields[0].type
    assert not isinstance(made, t.DictType) or made.key == t.StrType()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["9", "10"], "int"),
        (["1", "2"], "int"),
        (["1"], "str"),
        (["2023", "2024"], "int"),
        (["2023", "2500"], "str"),
        (["10115", "20095"], "str"),
        ([str(n) for n in range(205705993, 205705993 + 64)], "int"),
        ([str(n) for n in range(205705993, 205705993 + 63)], "str"),
        (["01234", "9", "10"], "str"),
        (["2024-01-02"], "date"),
        (["1234-01-02"], "str"),
        ([str(uuid.UUID(int=5))], "UUID"),
    ],
)
def test_keys(keys: list[str], expected: str) -> None:
    source = Schema.infer({"m": {key: 1.5}} for key in keys).to_python()

    assert f"    m: dict[{expected}, float]\n" in source


def test_what_formats_lack_is_found_in_the_built_in_corpora() -> None:
    """All types that JSON writes as text; of `messages`, which has JSON's own types only, none."""
    plain = codecs.codec("json")
    found = {
        name: Schema.infer(
            (plain.decode(plain.encode(record)) for record in corpus(name, records=100).records()),
            base64=True,
        ).to_python()
        for name in ("types", "messages")
    }

    lines = ["created: datetime", "updated: datetime", "local: datetime", "day: date", "opens: time"]
    lines += [
        "duration: timedelta",
        "price: Decimal",
        "key: UUID",
        "digest: bytes",
        "by_year: dict[int, float]",
    ]
    assert all(f"    {line}\n" in found["types"] for line in lines)
    assert "from typing import Any, TypedDict\n\n\nclass" in found["messages"]


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
WORDS = st.text("abcdefghijklmnopqrstuvwxyzABC", min_size=1, max_size=12)
PLAIN_TEXTS = st.sampled_from([
    st.lists(WORDS, min_size=1, max_size=5).map(lambda words: "/" + "/".join(words)),
    st.tuples(st.just("/images/"), st.text(LETTERS, min_size=24, max_size=24)).map("".join),
    st.lists(WORDS, min_size=1, max_size=9).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=5).map("-".join),
    st.lists(WORDS, min_size=1, max_size=5).map(lambda words: "https://example.org/" + "/".join(words)),
    st.binary(min_size=16, max_size=32).map(bytes.hex),
    st.text(LETTERS, min_size=24, max_size=24),
    st.text(LETTERS + "-_", min_size=43, max_size=43),
    st.text(LETTERS, min_size=32, max_size=32),
])  # fmt: skip
"""Paths, prose, slugs, addresses, digests, ids and tokens."""


@given(PLAIN_TEXTS.flatmap(lambda texts: st.lists(texts, min_size=3, max_size=25)), st.booleans())
def test_no_bytes_are_made_of_plain_text(texts: list[str], base64: bool) -> None:
    records = [{"v": text, "l": [text]} for text in texts]

    assert "bytes" not in Schema.infer(records, base64=base64, confidence=0.6).to_python()


DIGITS = st.text("0123456789", min_size=1, max_size=8)
WRITTEN = (
    st.datetimes().map(str)
    | st.datetimes(timezones=st.just(dt.UTC)).map(
        lambda m: m.isoformat("T", "milliseconds").replace("+00:00", "Z")
    )
    | st.datetimes().map(lambda m: m.strftime("%Y%m%dT%H%M%S"))
    | st.dates().map(str)
    | st.dates().map(lambda d: "{}-W{:02}-{}".format(*d.isocalendar()))
    | st.times().map(str)
    | st.times().map(lambda m: m.isoformat("minutes"))
    | st.sampled_from(
        ["P1D", "PT1H", "P1W", "-P1D", "PT0.5S", "P", "T10", "-00:00", "2024-01-02T03:04:05-00:00"]
    )
    | st.uuids().map(str)
    | st.uuids().map(lambda u: str(u).upper())
    | st.uuids().map(lambda u: u.hex)
    | st.tuples(DIGITS, DIGITS).map(".".join)
    | st.decimals().map(str)
    | DIGITS
    | st.binary(min_size=15, max_size=30).map(lambda b: b64encode(b).decode())
)


def spelled(text: str) -> str:
    """Return a text with its moment spelled as `isoformat` does."""
    if (match := re.fullmatch(r"(.*\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?", text)) is None:
        return text
    moment, fraction, offset = match.groups(default="")
    return moment.replace(" ", "T") + fraction.rstrip(".0") + offset.replace("Z", "+00:00")


@given(st.lists(st.lists(WRITTEN, min_size=1, max_size=4), min_size=1, max_size=4), st.booleans())
def test_text_is_written_back_letter_by_letter(rows: list[list[str]], base64: bool) -> None:
    records = [{"v": row[0], "l": row, "m": dict.fromkeys(row, row[0])} for row in rows * 3]
    plain = codecs.codec("json")
    typed = plain.with_schema(Schema.infer(records, confidence=0.51, base64=base64))

    for record in records:
        back = plain.decode(plain.encode(typed.decode(plain.encode(record))))
        assert spelled(back["v"]) == spelled(record["v"])
        assert list(map(spelled, back["l"])) == list(map(spelled, record["l"]))
        assert list(back["m"]) == list(record["m"])


@pytest.mark.parametrize(
    ("records", "source"),
    [
        ([{"m": {f"user{i}": 1, f"user{i + 1}": 2}} for i in range(40)], "    m: dict[str, int]\n"),
        ([{"m": {"a": 1, "b": "x"}}] * 40, "class M(TypedDict)"),
        ([{"a": {"b": 1}}, {"a": OrderedDict(b=2)}], "    a: A\n"),
        ([{"d": Decimal(1), "s": {1}, "u": uuid.uuid4()}], "    d: Decimal\n    s: set[int]\n    u: UUID\n"),
        ([[1], [2]], "Records = Schema(list[int])"),
    ],
)
def test_records(records: list[Any], source: str) -> None:
    """Many keys that rarely meet are a map, a few that mostly do a record, of whatever class of dict.

    Objects that are more than JSON keep their types, and other records than dicts get a name.
    """
    assert source in Schema.infer(records, name="Records").to_python()


def test_optional_fields_and_confidence() -> None:
    rows: list[dict[str, Any]] = [{"at": "2024-01-02T03:04:05", "n": 1} for _ in range(199)]
    rows.append({"at": "yesterday"})
    schema = Schema.infer(rows)

    assert "    at: datetime  # 99.5% of 200\n    n: NotRequired[int]" in schema.to_python()
    assert [str(a) for a in schema.advise(rows[-1])[1]] == [
        "Expected `datetime`, got `str 'yesterday'` - at `$.at`"
    ]
    assert "    at: str" in Schema.infer(rows, confidence=1.0).to_python()


@pytest.mark.parametrize("name", names())
def test_built_in_corpora(name: str) -> None:
    codec = codecs.codec("json")
    records = [codec.decode(codec.encode(record)) for record in corpus(name, records=100).records()]
    schema = Schema.infer(records)

    assert read_back(schema) == Schema(schema)
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


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=3), min_size=1, max_size=5))
def test_any_records(records: list[dict[str, Any]]) -> None:
    schema = Schema.infer(records, confidence=1.0)

    assert all(schema.advise(record, "json")[1] == [] for record in records)
    assert read_back(schema) == Schema(schema)


def test_odd_keys() -> None:
    source = Schema.infer([{"a b": 1, "class": 2, "c": 3}], name="Odd").to_python()
    space: dict[str, Any] = {}
    exec(compile(source, "odd.py", "exec", dont_inherit=True), space)

    assert "Odd = TypedDict(" in source
    assert space["Odd"].__annotations__ == {"a b": int, "class": int, "c": int}


@pytest.mark.parametrize("records", [[[{"a": 1}]], [{"1": {"a": 1}}], [[1]], [1, None], ["2024-01-02"]])
def test_records_that_are_no_dicts_are_read_back(records: list[Any]) -> None:
    schema = Schema.infer(records)

    assert read_back(schema) == Schema(schema)
    assert read_back(Schema(schema.types)) == Schema(schema)


class Line:
    class Status(Enum):
        OPEN = "open"


class Point(NamedTuple):
    x: int
    y: Decimal = Decimal(0)


def test_what_stands_in_classes_is_printed() -> None:
    class Inner(Enum):
        A = 1

    source = Schema({"s": Line.Status}).to_python()

    assert f"from {__name__} import Line\n" in source
    assert "    s: Line.Status\n" in source
    with pytest.raises(SchemaError, match="has no Python form"):
        Schema({"s": Inner}).to_python()


def test_named_tuples_stay_named_tuples() -> None:
    schema = Schema({"p": Point})

    assert "class Point(NamedTuple):\n    x: int\n    y: Decimal = None\n" in schema.to_python()
    assert read_back(schema).plan("json") == schema.plan("json")
    assert read_back(schema).advise({"p": [1]}, "json")[1] == schema.advise({"p": [1]}, "json")[1]


KEYS = ["none", "true", "false", "any", "decimal", "hint", "schema", "literal", "typed_dict", "not_required"]


@pytest.mark.parametrize("key", KEYS)
def test_fields_named_like_what_a_module_needs(key: str) -> None:
    record = {key: {"x": Decimal(1)}, "price": Decimal(1), "more": None}
    inferred = Schema.infer([record, {**record, "big": 2**70}])
    declared = Schema({key: {"x": Decimal}, "price": Decimal, "more": Any})

    assert read_back(inferred) == Schema(inferred)
    assert read_back(inferred).plan("json") == inferred.plan("json")
    assert read_back(declared).plan("json") == declared.plan("json")


def test_a_class_beside_an_enum_of_its_name() -> None:
    source = Schema({"level": {"x": int}, "at": Level}).to_python()

    assert "class Level2(TypedDict)" in source
    assert "    level: Level2\n    at: Level\n" in source


def test_bounded() -> None:
    schema = Schema.infer({f"k{i}-{j}": 1 for j in range(10)} for i in range(1_000))

    assert isinstance(schema.types, t.DictType)


def test_nothing_to_infer_from() -> None:
    with pytest.raises(SchemaError, match="no records"):
        Schema.infer([])
    with pytest.raises(ValueError, match="confidence"):
        Schema.infer([{}], confidence=0.2)


HEAD = "from dataclasses import dataclass\nfrom pathlib import Path\nfrom typing import TypedDict\n"
EVENT = "@dataclass\nclass Event:\n    where: range\n"
TWO = f"{HEAD}class A(TypedDict):\n    x: int\nclass B(TypedDict):\n    y: str\n"


@pytest.mark.parametrize(
    ("source", "name", "words"),
    [
        (None, "", "no such schema"),
        ("import no_such_module_at_all", "", "cannot be imported: ModuleNotFoundError"),
        (TWO, ":C", "has no C; it has A, B"),
        (TWO, "", "declares A, B; name a schema"),
        ("import sys\nsys.exit(0)\n", "", r"file\.py cannot be imported: it exits with 0"),
        (
            f"{HEAD}class Helper: ...\n{EVENT}",
            "",
            r"file\.py, class Event: schema at `\$\.where`: unsupported type `range`",
        ),
        (f"{HEAD}{EVENT}@dataclass\nclass Item:\n    x: int\n", "", "declares Event, Item; name a schema"),
        (f"{HEAD}class Helper: ...\n", "", "declares no record class"),
    ],
)
def test_loading_says_what_is_wrong(source: str | None, name: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    if source is not None:
        file.write_text(source)
    with pytest.raises(UsageError, match=words):
        load(f"{file}{name}")


def test_loading_by_name(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(TWO)

    assert Schema(load(f"{file}:A")).name == "A"
    with pytest.raises(UsageError, match="cannot be imported"):
        load("no_such_module_at_all:X")


def test_a_schema_object_stands_for_its_file(tmp_path: Path) -> None:
    file = tmp_path / "made.py"
    classes = "class A(TypedDict):\n    x: int\nclass B(TypedDict):\n    y: str\n"
    head = "from typing import TypedDict\nfrom bakeoff.schemas import Schema\n"
    file.write_text(f"{head}{classes}events = Schema(B, strict=True)\n")

    assert load(str(file)).strict


@pytest.mark.parametrize(
    "records",
    [
        [{"p": (1, 2)}, {"p": (3, 4)}],
        [{"m": {"1": 1.5, "2": 2}}, {"m": {"3": 1.5}}],
        [{"n": 2**70, "t": "2024-01-02"}, {"n": 1, "t": "2024-01-03"}],
        [*({"d": f"P{n}DT2S"} for n in range(1, 200)), {"d": "PT1H30M"}],
        [{"b": "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo="}] * 20,
    ],
)
def test_saved_observations_infer_the_same(records: list[Any]) -> None:
    observed = Observations()
    for record in records:
        observed.add(record)
    again = Observations.of(json.loads(json.dumps(observed.plain())))

    assert observed.plain() == again.plain()
    assert observed.inferred() == again.inferred()


def test_saved_maps_need_their_parts() -> None:
    observed = Observations()
    observed.add({1: 2, 3: 4})
    plain = observed.plain()
    del plain["root"]["values"]

    with pytest.raises(ValueError, match="a map without its parts"):
        Observations.of(plain)
