"""Names in definitions, which anyone may have written: those of classes, of fields, and made-up ones."""

from __future__ import annotations

import ast
import itertools
import json
from typing import Any

import pytest

from bakeoff.codecs import codec
from bakeoff.schemas import Schema

pytest.importorskip("google.protobuf", reason="missing here: protobuf; pip install 'bakeoff[protobuf]'")

NAMES = [
    "git-ref",
    'a"""b',
    "X:\n    import os\nclass Y",
    '"""\nimport os',
    'int | __import__("os")',
    "list",
    "str",
    "int",
    "class",
    "None",
    "match",
    "__x",
    "TypedDict",
    "Any",
    "a b",
    "ﬁ",
    "é",
    "😀",
    "1a",
    "",
    "x\\",
    "Foo.Bar",
    "Foo/Bar",
    "Foo[int]",
]
KEYS = ["Total %", "a b", "field_1", "Field_1", "field1", "fieldx_1", "null_1", "null_2", "option_1", "1"]


def _document(name: str) -> bytes:
    place = {"$ref": "#/$defs/" + name.replace("~", "~0").replace("/", "~1")}
    record = {"type": "object", "properties": {"a": {"type": "integer"}, name or "z": {"type": "string"}}}
    root = {"type": "object", "properties": {"r": place, "l": {"type": "array", "items": place}}}
    return json.dumps({"$defs": {name: record}, "title": name, **root}).encode()


@pytest.mark.parametrize("name", NAMES)
def test_python_has_only_declarations(name: str) -> None:
    source = Schema.of_definition(_document(name), "json-schema", f"the file {name}").to_python()
    module = ast.parse(source)

    assert {ast.Expr, ast.ImportFrom, ast.ClassDef, ast.Assign} >= {type(each) for each in module.body}
    assert {"typing", "bakeoff.schemas"} >= {
        each.module for each in module.body if isinstance(each, ast.ImportFrom)
    }
    found: dict[str, Any] = {}
    exec(compile(module, "made", "exec"), found)
    last = module.body[-1]
    made = last.name if isinstance(last, ast.ClassDef) else last.targets[0].id  # type: ignore[attr-defined]
    assert {"r", "l"} == set(found[made].__annotations__)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [*itertools.combinations(KEYS, 2)], ids=" and ".join)
def test_made_up_names_are_no_keys(keys: tuple[str, str]) -> None:
    """Protocol Buffers refuses a field whose name is the JSON name of another."""
    record = dict.fromkeys(keys, 0.5)
    one = codec("protobuf", schema=Schema(dict.fromkeys(keys, float)))

    assert record == one.decode(one.encode(record))
    again = codec("protobuf", schema=Schema.of_definition(one.bound.definition, "protobuf", "x"))
    assert record == again.decode(one.encode(record))


@pytest.mark.slow
def test_required_fields_of_proto2_are_always_written() -> None:
    """Official readers refuse a message without them."""
    definition = """syntax = "proto2";
    enum E { A = 0; B = 1; }
    message M {
        required E e = 1; required int32 n = 2; required bool b = 3; required string s = 4; optional E o = 5;
    }"""
    one = codec("protobuf", schema=Schema.of_definition(definition, "protobuf", "x"))
    record = {"e": "A", "n": 0, "b": False, "s": ""}

    assert b"\x08\0\x10\0\x18\0\x22\0" == one.encode(record)
    assert record == one.decode(one.encode(record))
