"""What libraries of other languages read from the payloads of the fidelity matrix."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bakeoff.bench.foreign import builds
from bakeoff.bench.foreign.canonical import canonical
from bakeoff.bench.foreign.port import ForeignWorker, WorkerError
from bakeoff.bench.lab.fidelity.matrix import Written
from bakeoff.bench.lab.fidelity.readers import DEATHS, ForeignReaders
from bakeoff.commands import _fidelity_readers
from bakeoff.commands.fidelity import command
from bakeoff.errors import UsageError

REFERENCE = (Path(builds.__file__).with_name("pypy") / "worker.py").read_text()
FOUND = {
    "go": {
        ("json", "encoding/json", "nan", "refused"),
        ("json", "encoding/json", "list", "changed"),
        ("msgpack", "vmihailenco/msgpack", "dict int keys", "refused"),
        ("msgpack", "vmihailenco/msgpack", "datetime UTC µs", "exact"),
        ("msgpack", "tinylib/msgp", "dict int keys", "refused"),
        ("cbor2", "fxamacker/cbor", "40 levels", "refused"),
        ("cbor2", "fxamacker/cbor", "UUID", "changed"),
        ("bson", "mongo-driver/bson", "UUID", "exact"),
        ("avro", "hamba/avro", "date", "changed"),
        ("protobuf", "protobuf/dynamicpb", "int 2^53+1", "exact"),
    },
    "node": {
        ("avro", "avsc", "int 2^53+1", "refused"),
        ("avro/bare", "avsc", "date", "changed"),
        ("protobuf", "protobufjs", "dict bool key", "changed"),
        ("json", "JSON.parse", "int 2^53+1", "changed"),
        ("json", "JSON.parse", "nan", "refused"),
        ("msgpack", "@msgpack/msgpack", "int 2^53+1", "changed"),
        ("msgpack", "@msgpack/msgpack", "key '__proto__'", "refused"),
        ("msgpack", "msgpackr", "int 2^53+1", "exact"),
        ("msgpack", "msgpackr", "key '__proto__'", "changed"),
        ("msgpack", "msgpackr", "datetime UTC µs", "changed"),
        ("cbor2", "cbor-x", "key '__proto__'", "changed"),
        ("cbor2", "cbor-x", "Decimal 1.10", "changed"),
    },
    "java": {
        ("json", "jackson-databind", "int 10^40", "exact"),
        ("json", "jackson-databind", "nan", "refused"),
        ("msgpack", "msgpack-core", "dict None key", "exact"),
        ("msgpack", "jackson-dataformat-msgpack", "dict None key", "changed"),
        ("cbor2", "jackson-dataformat-cbor", "dict float key", "refused"),
        ("cbor2", "jackson-dataformat-cbor", "UUID", "changed"),
        ("bson", "org.mongodb:bson", "UUID", "exact"),
        ("avro", "avro", "datetime µs", "exact"),
        ("protobuf", "protobuf-java", "bytes b''", "exact"),
    },
    "rust": {
        ("avro", "apache-avro", "Decimal 1.10", "exact"),
        ("protobuf", "prost-reflect", "-0.0", "exact"),
        ("json", "serde_json", "int 10^40", "changed"),
        ("cbor2", "ciborium", "dict tuple key", "exact"),
        ("msgpack", "rmpv", "datetime UTC µs", "changed"),
        ("cbor2", "ciborium", "int 10^40", "changed"),
        ("bson", "bson", "UUID", "exact"),
    },
}
"""Known behavior of libraries that read, by codec, library and value."""
WROTE = {
    "go": {
        ("json", "encoding/json", "float 3.0", "changed"),
        ("json", "encoding/json", "int 2^53+1", "not written"),
        ("msgpack", "vmihailenco/msgpack", "datetime UTC µs", "exact"),
        ("msgpack", "tinylib/msgp", "datetime year 1", "changed"),
        ("cbor2", "fxamacker/cbor", "datetime UTC µs", "changed"),
        ("bson", "mongo-driver/bson", "UUID", "exact"),
        ("avro", "hamba/avro", "None", "exact"),
        ("avro", "hamba/avro", "date", "not written"),
        ("protobuf", "protobuf/dynamicpb", "-0.0", "exact"),
    },
    "node": {
        ("avro", "avsc", "key order, _id", "exact"),
        ("protobuf", "protobufjs", "int 2^63-1", "exact"),
        ("json", "JSON.parse", "int -2^63", "changed"),
        ("msgpack", "msgpackr", "int 2^53+1", "exact"),
        ("msgpack", "@msgpack/msgpack", "float 3.0", "changed"),
        ("cbor2", "cbor-x", "bytes", "exact"),
        ("bson", "bson", "float 3.0", "changed"),
    },
    "java": {
        ("json", "jackson-databind", "int 10^40", "exact"),
        ("cbor2", "jackson-dataformat-cbor", "datetime UTC µs", "not written"),
        ("msgpack", "jackson-dataformat-msgpack", "bytes", "exact"),
        ("cbor2", "jackson-dataformat-cbor", "UUID", "not written"),
        ("bson", "org.mongodb:bson", "UUID", "exact"),
        ("avro/bare", "avro", "datetime µs", "exact"),
        ("avro", "avro", "key order, _id", "exact"),
        ("protobuf", "protobuf-java", "dict bool key", "exact"),
    },
    "rust": {
        ("avro", "apache-avro", "UUID", "exact"),
        ("protobuf", "prost-reflect", "-0.0", "changed"),
        ("json", "serde_json", "float 3.0", "exact"),
        ("cbor2", "ciborium", "dict tuple key", "exact"),
        ("msgpack", "rmpv", "datetime UTC µs", "not written"),
        ("bson", "bson", "UUID", "exact"),
    },
}
"""The same of those that write."""


PLANTED = REFERENCE.replace(
    "    if isinstance(value, float):\n",
    "    if isinstance(value, bytes):\n        raise ValueError('no bytes here')\n"
    "    if value == 'é😀':\n        sys.exit('out of flour')\n"
    "    if isinstance(value, float):\n",
).replace(
    '"int" if isinstance(value, int) else "decimal", str(value)', '"float", struct.pack(">d", value).hex()'
)
"""A worker in Python that makes every int a float, refuses bytes, and dies of a text."""
WRITER = """
def dumper(library, schema):
    def dump(value):
        if value["v"] is True:
            raise ValueError("no booleans here")
        if value["v"] is None:
            sys.exit("out of ink")
        return b"{" if value["v"] == "" else json.dumps(value).replace("0.1", "0.2").encode()
    return dump


def canonical"""
"""A writer that refuses a value, dies of another one, and writes what nobody reads, or another value."""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    def run(*arguments: str, code: str = PLANTED) -> Result:
        def begin(language: str) -> ForeignWorker:
            return ForeignWorker([sys.executable, "-c", code])

        monkeypatch.setattr(_fidelity_readers, "started", lambda languages: ForeignReaders(languages, begin))
        return CliRunner().invoke(command, ["--readers", "python", *arguments])

    return run


@pytest.mark.slow
def test_tables_show_what_each_library_made_of_a_value(planted: Callable[..., Result]) -> None:
    result = planted("-c", "json,msgpack")

    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    assert ["int", "2^53+1", "~9007199254740992"] in lines
    assert ["bytes", "refused"] in lines
    assert ["str", "é😀", "crash"] in lines
    assert "msgpack, bytes: refused: ValueError: no bytes here" in result.output
    assert "msgpack, str é😀: crash: it ended with exit code 1: out of flour" in result.output
    assert ["None", "="] not in lines


@pytest.mark.slow
def test_tables_show_what_python_reads_from_a_library(planted: Callable[..., Result]) -> None:
    output = planted("-c", "json", code=REFERENCE.replace("def canonical", WRITER, 1)).output
    lines = [line.split() for line in output.partition("Written: ")[2].splitlines()]

    assert ["True", "refused"] in lines
    assert ["None", "crash"] in lines
    assert ["str", "''", "unreadable"] in lines
    assert ["float", "0.1", "~0.2"] in lines
    assert "json, True: refused: ValueError: no booleans here" in output
    assert "json, None: crash: it ended with exit code 1: out of ink" in output
    assert "json, str '': unreadable: " in output


@pytest.mark.slow
def test_library_that_does_not_write(planted: Callable[..., Result]) -> None:
    output = planted("-c", "json", code=REFERENCE.replace(', "writer": name', "")).output

    assert "json (Python) does not write" in output
    assert "come back" not in output


@pytest.mark.slow
def test_a_library_that_reads_and_writes_all_values_exactly(planted: Callable[..., Result]) -> None:
    result = planted("-c", "json", code=REFERENCE)

    assert result.exit_code == 0
    assert "values are exact in every library\n\nWritten" in result.output
    assert "values return exact from every library that writes them\n\n= the" in result.output


@pytest.mark.slow
def test_formats_with_a_schema_are_read_and_written_by_it(planted: Callable[..., Result]) -> None:
    code = REFERENCE.replace("lambda value: written(module, schema, value)", "lambda value: b'\\x02'")
    output = planted("-c", "avro,avro/bare,avro/registry", "-f", "csv", code=code).output
    rows = {(row["codec"], row["value"]): row for row in csv.DictReader(io.StringIO(output))}

    for codec in ("avro", "avro/bare", "avro/registry"):
        row = rows[codec, "int 2^53+1"]
        assert (row["python"], row["outcome"]) == ("exact", "exact")
        assert (row["written"], row["became_when_written"]) == ("changed", "int 1")
        assert rows[codec, "Decimal 1.10"]["outcome"] == "exact"
        assert rows[codec, "str é😀"]["written"] == "unreadable"
        # No schema can declare it, so there is nothing to read.
        assert (codec, "dict tuple key") not in rows


@pytest.mark.slow
def test_summary_counts_each_value_once(planted: Callable[..., Result]) -> None:
    result = planted("-c", "msgpack,msgpack/tuple", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.output)))
    kept = {row["value"] for row in rows if row["python"] == "exact"}
    summary = planted("-c", "msgpack,msgpack/tuple").output

    counted = next(line.split() for line in summary.splitlines() if line.startswith("Python"))
    assert counted[1:4] == ["msgpack", "msgpack", str(len(kept))]
    assert sum(map(int, counted[4:])) == len(kept)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "words"), [("md", "| int 2^53+1"), ("html", "<td>int 2^53+1</td>")])
def test_layouts(planted: Callable[..., Result], kind: str, words: str) -> None:
    assert words in planted("-c", "json", "-f", kind).output


@pytest.mark.slow
def test_no_library_for_a_codec(planted: Callable[..., Result]) -> None:
    assert "no library here reads yaml" in planted("-c", "json,yaml").output
    alone = planted("-c", "yaml,pickle")
    assert isinstance(alone.exception, UsageError)
    assert "no library here reads yaml, pickle; they read json, msgpack" in str(alone.exception)


@pytest.mark.slow
def test_codecs_with_types_of_python_are_left_out(planted: Callable[..., Result]) -> None:
    said = "readers do not get the schema of msgspec-json/struct"

    assert said in planted("-c", "json,msgspec-json/struct").output
    assert said in str(planted("-c", "msgspec-json/struct").exception)


@pytest.mark.slow
def test_worker_that_dies_is_started_again_a_few_times() -> None:
    begun = []

    def begin(language: str) -> ForeignWorker:
        begun.append(language)
        if len(begun) == DEATHS:
            raise WorkerError("it does not start")
        return ForeignWorker([sys.executable, "-c", PLANTED])

    with ForeignReaders(["python"], begin) as readers:
        reader = next(each for each in readers.libraries if each.format == "json")
        texts = enumerate(["a", "é😀", "b", "é😀", "c", "d"])
        payloads = (Written(json.dumps(text).encode() + b" " * i, canonical(text)) for i, text in texts)
        cells = [readers.cell(reader, each) for each in payloads]

    assert [cell.outcome for cell in cells] == ["exact", "crash", "exact", "crash", "crash", "crash"]
    assert len(begun) == DEATHS


def test_unknown_language() -> None:
    result = CliRunner().invoke(command, ["-c", "json", "--readers", "goo"])

    assert isinstance(result.exception, UsageError)
    assert "no reader 'goo'; did you mean go?" in str(result.exception)


@pytest.mark.parametrize("language", FOUND)
def test_known_behavior_is_found(reader: Callable[[str], ForeignWorker], language: str) -> None:
    reader(language)
    result = CliRunner().invoke(
        command,
        ["--readers", language, "-c", "json,msgpack,cbor2,bson,avro,avro/bare,protobuf", "-f", "csv"],
        catch_exceptions=False,
    )
    rows = list(csv.DictReader(io.StringIO(result.output)))
    read = {(row["codec"], row["library"], row["value"], row["outcome"]) for row in rows}

    assert read >= FOUND[language]
    assert {(row["codec"], row["library"], row["value"], row["written"]) for row in rows} >= WROTE[language]
