"""Runs on records that are objects of one class."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.results import ResultData, read
from bakeoff.reports import render
from inprocess import bakeoff

MODULE = '''\
"""Records as services have them."""

import dataclasses
import enum
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, Optional
from uuid import UUID

import attrs
import msgspec
from pydantic import BaseModel, ConfigDict, Field, HttpUrl, field_validator
from pydantic.alias_generators import to_camel


class Status(str, enum.Enum):
    PAID = "paid"
    SENT = "sent"


class Schema(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class Address(Schema):
    street_name: str = Field(min_length=1)
    zip_code: Annotated[str, Field(pattern=r"^[0-9]+$")]


class User(Schema):
    id: int
    full_name: str
    addresses: list[Address] = []
    last_seen: Optional[datetime] = None


class Line(Schema):
    sku: str
    unit_price: Decimal = Field(gt=0)
    quantity: int = 1


class OrderRead(Schema):
    """As an endpoint of FastAPI returns it."""

    id: UUID
    status: Status
    created_at: datetime
    due: date | None = None
    customer: User
    lines: list[Line]
    extra_data: dict[str, Any] = {}

    @field_validator("lines")
    @classmethod
    def has_lines(cls, lines):
        if not lines:
            raise ValueError("an order has lines")
        return lines


def api():
    for number in range(40):
        yield OrderRead(
            id=UUID(int=number),
            status=Status.PAID,
            created_at=datetime(2024, 1, 1, 12, number, tzinfo=UTC),
            due=date(2024, 2, 1) if number % 2 else None,
            customer=User(id=number, full_name="Zoë", addresses=[Address(street_name="a", zip_code="01067")]),
            lines=[Line(sku="x", unit_price="1.10"), Line(sku="y", unit_price=2, quantity=3)],
            extra_data={"gift": True},
        )


class Struct(msgspec.Struct):
    id: int
    at: datetime
    inner: Optional["Struct"] = None


@dataclasses.dataclass
class Data:
    id: int
    at: datetime


@attrs.define
class Attrs:
    id: int
    at: datetime


class Row(NamedTuple):
    id: int
    at: datetime


class Page(BaseModel):
    id: int
    url: HttpUrl


AT = datetime(2024, 1, 1, tzinfo=UTC)


def structs():
    return [Struct(number, AT, Struct(0, AT)) for number in range(20)]


def data():
    return [Data(number, AT) for number in range(20)]


def attributed():
    return [Attrs(number, AT) for number in range(20)]


def rows():
    return [Row(number, AT) for number in range(20)]


def mixed():
    return [*data(), *rows()]


def pages():
    return [Page(id=number, url="https://example.org") for number in range(20)]


def local():
    class Local(BaseModel):
        id: int

    return [Local(id=number) for number in range(20)]
'''
MODEL = "pydantic-json/model"
STRUCTS = ["msgspec-json/struct", "msgspec-msgpack/struct"]
ATTRS = [*STRUCTS, "cattrs-json", "cattrs-msgpack"]
DATACLASSES = [*ATTRS, "mashumaro-json", "mashumaro-msgpack"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return bakeoff(folder, "run", *arguments, "--ops", "size", "--budget", "600")


def result(folder: Path, *arguments: str) -> ResultData:
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return read(folder / "bakeoff.json")


def outcomes(found: ResultData) -> dict[str, str]:
    return {each.cell.codec: each.outcome for each in found.cells}


@pytest.fixture(scope="module")
def of_each_class(tmp_path_factory: pytest.TempPathFactory) -> ResultData:
    folder = tmp_path_factory.mktemp("classes")
    (folder / "shop.py").write_text(MODULE, encoding="utf-8")
    corpora = [f"shop:{function}" for function in ("api", "structs", "data", "attributed", "rows")]
    without = (
        "!*yaml*,!cbor2*,!ormsgpack*,!ujson,!rapidjson,!*simplejson*,!json,!bson,!marshal,!msgspec-msgpack"
    )
    return result(folder, *corpora, "-c", without)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "name", "kind", "joined"),
    [
        ("api", "OrderRead", "pydantic model", [MODEL]),
        ("structs", "Struct", "msgspec Struct", STRUCTS),
        ("data", "Data", "dataclass", DATACLASSES),
        ("attributed", "Attrs", "attrs class", ATTRS),
        ("rows", "Row", "named tuple", STRUCTS),
    ],
)
def test_the_class_of_the_records_is_the_schema(
    of_each_class: ResultData, function: str, name: str, kind: str, joined: list[str]
) -> None:
    cells = [each for each in of_each_class.cells if each.cell.corpus == function]
    exact = {each.cell.codec for each in cells if each.outcome == "ok"}

    assert exact == {*joined, "pickle"}
    assert {each.cell.codec for each in cells if each.check and each.check.as_is} == set(joined)
    assert {each.outcome for each in cells} == {"ok", "lossy"}
    profile = next(corpus.profile for corpus in of_each_class.corpora if corpus.name == function)
    assert (profile["class"], profile["class_kind"]) == (name, kind)
    said = f"records are `{name}` objects ({kind}): the class is the schema"
    assert said in render([of_each_class], "text")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "name"),
    [("api", "OrderRead"), ("structs", "Struct"), ("data", "Data"), ("attributed", "Attrs")],
)
def test_losses_are_told_by_one_rule(of_each_class: ResultData, function: str, name: str) -> None:
    for codec in ("orjson", "msgspec-json", "msgpack"):
        cell = of_each_class.cell(function, "size", codec)
        assert cell is not None
        assert (cell.outcome, cell.loss[0]) == ("lossy", f"`{name}` came back as `dict` at `$`")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["--infer"], ["--schema", "shop:OrderRead"], ["--batch", "4", "--infer"]]
)
def test_a_schema_that_is_asked_for_builds_the_objects(folder: Path, arguments: list[str]) -> None:
    found = result(folder, "shop:api", "-c", f"json,msgpack,pickle,{MODEL}", *arguments)

    assert outcomes(found) == {
        "json": "lossy",
        "json+schema": "ok",
        "msgpack": "lossy",
        "msgpack+schema": "ok",
        "pickle": "ok",
        MODEL: "ok",
    }


@pytest.mark.slow
def test_codecs_that_are_named_are_those_that_are_measured(folder: Path) -> None:
    found = result(folder, "shop:api", "-c", f"{MODEL},json+schema")

    assert outcomes(found) == {MODEL: "ok", "json+schema": "ok"}


@pytest.mark.slow
def test_an_exclusion_holds_for_codecs_that_join(folder: Path) -> None:
    without = "!pydantic*,!*yaml*,!cbor2*,!*msgpack*,!*json"
    assert MODEL not in outcomes(result(folder, "shop:api", "-c", without))


@pytest.mark.slow
def test_records_of_two_classes_have_no_schema(folder: Path) -> None:
    found = result(folder, "shop:mixed", "-c", "!*yaml*,!cbor2*,!*msgpack*,!*json")

    assert outcomes(found)["pickle"] == "ok"
    assert not set(STRUCTS) & outcomes(found).keys()
    assert "class" not in found.corpora[0].profile


@pytest.mark.slow
def test_a_type_that_only_the_classs_library_knows_leaves_the_class_its_codec(folder: Path) -> None:
    found = result(folder, "shop:pages", "-c", f"json,{MODEL}")

    assert outcomes(found) == {"json": "unsupported", MODEL: "ok"}
    assert "add one with bakeoff.codecs.register_type" in next(
        each.reason for each in found.cells if each.cell.codec == "json"
    )


@pytest.mark.slow
def test_two_corpora_each_have_the_codecs_of_their_class(folder: Path) -> None:
    found = result(folder, "shop:structs", "movies", "-n", "50", "-c", f"json,{STRUCTS[0]}")
    as_is: dict[Any, Any] = {(c.cell.corpus, c.cell.codec): c.check.as_is for c in found.cells if c.check}

    assert as_is["structs", STRUCTS[0]] is True
    assert as_is["movies", STRUCTS[0]] is False


@pytest.mark.slow
def test_a_class_that_no_other_process_can_import_is_refused(folder: Path) -> None:
    done = run(folder, "shop:local", "-c", "json")

    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be passed to another process" in done.stderr
    assert "classes at the top level of a module" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in folder.glob("*.json")] == []
