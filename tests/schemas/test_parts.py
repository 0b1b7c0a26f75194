"""Definitions as people name them: imports from elsewhere, and one record of several in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bakeoff
from bakeoff import Schema
from bakeoff.datasets.schema import schema as named
from bakeoff.errors import UsageError
from bakeoff.schemas import SchemaError
from bakeoff.schemas.naming import definition_of, is_definition
from bakeoff.schemas.wire.layout import WireRecord
from inprocess import exit_code as run

SPAN = """syntax = "proto3"; package acme.trace.v1;
import "acme/common/v1/common.proto"; import "google/protobuf/timestamp.proto";
message Batch { repeated Span spans = 1; }
message Span { string id = 1; Event event = 2; acme.common.v1.Tag tag = 3; google.protobuf.Timestamp at = 4;
  message Event { string name = 1; } }
"""
COMMON = 'syntax = "proto3"; package acme.common.v1; message Tag { string key = 1; }'


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of two packages, of which one imports the other; the working folder is elsewhere."""
    pytest.importorskip("grpc_tools")
    for name, text in (("trace", SPAN), ("common", COMMON)):
        path = tmp_path / "repo" / "acme" / name / "v1" / f"{name}.proto"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "repo"


def keys(schema: Schema) -> list[Any]:
    root = schema.layout.root
    assert isinstance(root, WireRecord)
    return [slot.key for slot in root.slots]


# Imports --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("here", ["elsewhere", "repo", "repo/acme/trace/v1"])
def test_imports_are_found_from_the_root_of_the_file(
    repo: Path, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.parent / here)
    assert keys(named(str(repo / "acme/trace/v1/trace.proto#Span"))) == ["id", "event", "tag", "at"]


@pytest.mark.slow
def test_a_copy_needs_the_folder_of_its_imports(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("copy.proto").write_text(SPAN)
    with pytest.raises(SchemaError, match=r"imports acme/common/v1/common\.proto, found in none of .*-I DIR"):
        named("copy.proto")
    with pytest.raises(UsageError, match="-I nowhere: no such folder"):
        named("copy.proto", ["nowhere"])
    assert keys(Schema.of_definition(Path("copy.proto"), "protobuf", include=[repo], part="Span"))[0] == "id"
    assert keys(Schema.of_definition(SPAN, "protobuf", include=[str(repo)])) == ["spans"]

    Path("spans.jsonl").write_text('{"spans": []}\n' * 30)
    for command in (
        ("schema", "show", "copy.proto", "-c", "json"),
        ("schema", "validate", "spans.jsonl", "copy.proto"),
        ("schema", "export", "copy.proto", "-f", "avro"),
        ("evolve", "copy.proto", "copy.proto#Batch", "-c", "json", "--budget", "0.1s"),
        ("run", "spans.jsonl", "--schema", "copy.proto", "-c", "json", "--dry-run"),
    ):
        assert run(*command, "-I", str(repo)) == 0
    capsys.readouterr()
    assert run("run", "spans.jsonl", "-I", str(repo), "--dry-run") == 0
    assert "-I is not used: it names folders for the imports of a --schema" in capsys.readouterr().err


@pytest.mark.slow
def test_the_nearest_of_two_imports_is_taken(repo: Path) -> None:
    other = repo.parent / "other" / "acme" / "common" / "v1"
    other.mkdir(parents=True)
    (other / "common.proto").write_text(COMMON.replace("key", "other"))
    path = str(repo / "acme/trace/v1/trace.proto#acme.common.v1.Tag")
    assert keys(named(path)) == ["key"]
    assert keys(named(path, [repo.parent / "other"])) == ["other"]


@pytest.mark.slow
def test_what_is_kept_of_a_definition_needs_no_other_file(repo: Path) -> None:
    """The definition that a lock keeps is read again, as the same record, without the folders of then."""
    for part in ("", "#Span", "#Span.Event"):
        schema = named(str(repo / "acme/trace/v1/trace.proto") + part)
        definition = bakeoff.codec("protobuf", schema=schema).bound.definition
        assert keys(Schema.of_definition(definition, "protobuf")) == keys(schema)


# Parts ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_messages_by_name(repo: Path) -> None:
    path = str(repo / "acme/trace/v1/trace.proto")
    for name, expected in {
        "Span": ["id", "event", "tag", "at"],
        "acme.trace.v1.Span": ["id", "event", "tag", "at"],
        "Span.Event": ["name"],
        "Event": ["name"],
        "Tag": ["key"],
        "google.protobuf.Timestamp": ["seconds", "nanos"],
    }.items():
        assert keys(named(f"{path}#{name}")) == expected
        assert named(f"{path}#{name}").given.chosen is None  # type: ignore[union-attr]
    with pytest.raises(UsageError, match=r"has no message 'Spam'; did you mean Span"):
        named(f"{path}#Spam")
    with pytest.raises(UsageError, match=r"trace\.proto#Span$"):
        named(f"{path}:Span")


def test_a_compiled_set_has_messages_by_name(repo: Path) -> None:
    import grpc_tools.protoc

    out = repo / "all.desc"
    own = Path(grpc_tools.__file__).parent / "_proto"
    options = ["--include_imports", f"--descriptor_set_out={out}", "acme/trace/v1/trace.proto"]
    grpc_tools.protoc.main(["", f"-I{repo}", f"-I{own}", *options])
    assert keys(named(str(out))) == ["spans"]
    assert keys(named(f"{out}#Span")) == ["id", "event", "tag", "at"]
    assert keys(named(f"{out}#acme.common.v1.Tag")) == ["key"]


AVRO = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {
            "name": "line",
            "type": {"type": "record", "name": "Line", "fields": [{"name": "sku", "type": "Sku"}]},
        },
        {"name": "sku", "type": {"type": "enum", "name": "Sku", "symbols": ["a"]}},
    ],
}


def _avro() -> dict[str, Any]:
    """Return a schema in which a type is needed by a part that stands behind its definition."""
    order: dict[str, Any] = json.loads(json.dumps(AVRO))
    order["fields"].reverse()
    order["fields"][1]["type"]["fields"].append({"name": "more", "type": ["null", {"type": "shop.Sku"}]})
    return order


def test_records_of_avro_by_name(tmp_path: Path) -> None:
    """What a record needs of the rest goes with it, so that Avro's own library reads it."""
    fastavro = pytest.importorskip("fastavro")
    path = tmp_path / "order.avsc"
    path.write_text(json.dumps(_avro()))
    assert keys(named(str(path))) == ["sku", "line"]
    for name in ("Line", "shop.Line"):
        schema = named(f"{path}#{name}")
        assert keys(schema) == ["sku", "more"]
        definition = json.loads(schema.definition("avro"))
        assert definition["name"] == "shop.Line"
        fastavro.parse_schema(definition)
        codec = bakeoff.codec("avro", schema=schema)
        assert codec.decode(codec.encode({"sku": "a", "more": None})) == {"sku": "a", "more": None}
    with pytest.raises(UsageError, match=r"has no record 'Lime'; did you mean shop\.Line\?"):
        named(f"{path}#Lime")


def test_a_list_of_records_of_which_one_needs_the_others(tmp_path: Path) -> None:
    line, order = _avro()["fields"][1]["type"], _avro()
    order["fields"][1]["type"] = "shop.Line"
    sku = order["fields"][0]["type"]
    order["fields"][0]["type"] = "shop.Sku"
    line["fields"][0]["type"] = {**sku, "namespace": "shop"}
    path = tmp_path / "all.avsc"
    path.write_text(json.dumps([{**line, "namespace": "shop"}, order]))
    schema = named(str(path))
    assert keys(schema) == ["sku", "line"]
    chosen = schema.given.chosen  # type: ignore[union-attr]
    assert chosen is not None
    assert chosen.others == ("shop.Line",)
    assert keys(named(f"{path}#Line")) == ["sku", "more"]

    path.write_text(json.dumps([{"type": "record", "name": name, "fields": []} for name in "AB"]))
    assert str(named(str(path)).types) == "A | B"


def test_definitions_of_json_schema_by_name(tmp_path: Path) -> None:
    """By pointer or by name; a document of definitions alone is the one that no other refers to."""
    text = {"type": "string"}
    definitions = {
        "Line": {"type": "object", "properties": {"sku": text}},
        "Order": {"properties": {"lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}}}},
    }
    path = tmp_path / "shop.json"
    path.write_text(json.dumps({"$defs": definitions}))
    assert keys(named(f"{path}#/$defs/Line")) == keys(named(f"{path}#Line")) == ["sku"]
    schema = named(str(path))
    assert keys(schema) == ["lines"]
    assert schema.given is not None
    assert schema.given.chosen is not None
    assert schema.given.chosen.others == ("Line",)
    assert keys(Schema.of_definition(schema.definition("json-schema"), "json-schema")) == ["lines"]
    with pytest.raises(UsageError, match="has no definition 'Lines'; did you mean Line"):
        named(f"{path}#Lines")
    with pytest.raises(SchemaError, match="does not exist"):
        named(f"{path}#/$defs/Lines")

    path.write_text(
        json.dumps({"components": {"schemas": definitions}}).replace("$defs", "components/schemas")
    )
    assert keys(named(f"{path}#Order")) == ["lines"]


@pytest.mark.slow
def test_what_was_chosen_is_said(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(repo / "acme/trace/v1/trace.proto")
    assert run("schema", "export", path, "-f", "avro") == 0
    out, err = capsys.readouterr()
    assert (
        err
        == f"{path}: message Batch, which no other uses, is used as the record; {path}#Span selects another\n"
    )
    assert json.loads(out)["name"] == "Batch"
    assert run("schema", "export", f"{path}#Span", "-f", "avro") == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["name"], err) == ("Span", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.proto", ("a.proto", "", "protobuf")),
        ("a/b.avsc#x.Y", ("a/b.avsc", "x.Y", "avro")),
        ("a.schema.json#/$defs/X", ("a.schema.json", "/$defs/X", "json-schema")),
        ("a.json", ("a.json", "", "json-schema")),
        ("a#b.proto#C", ("a#b.proto", "C", "protobuf")),
        ("a.desc#p.M", ("a.desc", "p.M", "protobuf")),
    ],
)
def test_names_of_definitions(text: str, expected: tuple[str, str, str]) -> None:
    found = definition_of(text)
    assert found is not None
    assert (found.path, found.part, found.language) == expected
    assert is_definition(text)


@pytest.mark.parametrize("text", ["a.py", "a.py:X", "mod:X", "movies", "a.py#X"])
def test_python_is_no_definition(text: str) -> None:
    assert definition_of(text) is None
    assert not is_definition("a.proto:X")


def test_a_file_may_have_the_sign_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.avsc#1.avsc"
    path.write_text('"string"')
    found = definition_of(str(path))
    assert found is not None
    assert (found.path, found.part) == (str(path), "")


@pytest.mark.slow
def test_what_we_write_says_which_message_it_is() -> None:
    pytest.importorskip("grpc_tools")
    text = 'syntax = "proto3"; message A { repeated B b = 1; } message B { repeated A a = 1; int32 x = 2; }'
    for message, expected in (("A", ["b"]), ("B", ["a", "x"])):
        schema = Schema.of_definition(text, "protobuf", part=message)
        again = Schema.of_definition(schema.definition("protobuf").decode(), "protobuf")
        assert keys(again) == keys(schema) == expected
        assert again.given is not None
        assert again.given.chosen is None
