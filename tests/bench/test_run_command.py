"""``bakeoff run`` as users type it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.bench.results import read
from inprocess import bakeoff, run
from launched import launch
from untraced import untraced

LINES = '{"id": 1, "when": "2024-01-01T10:00:00"}\n{"id": 2, "when": "2024-01-02T10:00:00"}\n'


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.jsonl").write_text(LINES)
    return tmp_path


QUICK = ["--quick", "--all", "--budget", "0", "-c", "json,msgpack"]
UNTIMED = [*QUICK, "--ops", "size"]
"""All of a run except its timing, for tests of the decisions before it."""


@pytest.mark.slow
def test_a_file_of_records_gives_a_table_and_a_result_file(mine: Path) -> None:
    done = run(mine, "mine.jsonl", *QUICK)

    assert done.returncode == 0, done.stderr
    assert "measured on all 2 records" in done.stdout
    result = read(mine / "bakeoff.json")
    assert {c.cell.operation_name for c in result.cells if c.cell.codec == "json"} >= {"dump", "load", "size"}
    assert result.complete
    assert sorted(p.name for p in mine.iterdir()) == ["bakeoff.json", "mine.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-c", "orjsn"], "orjsn: no such codec; did you mean orjson"),
        (["-c", "json|bzip2"], "bzip2: no such compressor; did you mean gzip?"),
        (["-c", "json|zstdd:3"], "zstdd:3: no such compressor; did you mean zstd?"),
        (["-c", "json|zlib:10"], "zlib:10: no such level; zlib has 0 to 9"),
        (["-c", "json|zlib:x"], "the level must be a whole number"),
        (["-c", "*|zlib,dict"], "no such option 'dict'; zstd has `dict`"),
        (["-c", "json+schem"], "json+schem: no such codec; did you mean json+schema?"),
        (["-c", "json+schema"], "json+schema: needs a schema; add --infer"),
        (["-c", "msgspec-json/struct"], "add --infer"),
        (["--ops", "dump,lod"], "no operation 'lod'; did you mean load?"),
        (["--from", "jsnl"], "no format 'jsnl'; did you mean jsonl or json?"),
        (["--at", "items"], "expected a JSONPath ('$.items') or JSON Pointer ('/items')"),
        (["--encoding", "latn1"], "no text encoding named 'latn1'; did you mean latin1"),
        (["--null-value", "NA"], "applies to CSV and TSV only"),
        (["nothing.jsonl"], "no corpus and no file named 'nothing.jsonl'"),
        (["moviez"], "did you mean movies"),
        (["moviez", "--dry-run"], "did you mean movies"),
        ([""], "CORPUS|FILE is blank; give it a value, or leave it out"),
        (["earlier.json"], "earlier.json: is a result file of bakeoff"),
        (["-c", "!*"], "no codec matches !*"),
        (["movies", "--from", "csv"], "movies is generated and has no format"),
        (["--schema", "messages", "--infer"], "--infer and --schema both say what the schema is"),
        (["-", "--record-sizes", "16B"], "--record-sizes reads a corpus once for each size"),
        (["--ops", ","], "--ops ',': nothing on one side of a comma"),
        (["--precision", "much"], "use 5%"),
        (["--cell-memory", "lots"], "use 500M"),
        (["--cell-memory", "inf"], "use 500M"),
        (["--cell-memory=-1G"], "use 500M"),
        (["--budget", "inf"], "'inf' is not a valid time"),
        (["--cell-timeout", "nan"], "'nan' is not a valid time"),
        (["-o", "-"], "keeps its results in a file"),
        (["--resume", "gone.json"], "nothing to resume"),
    ],
)
def test_options_are_checked_before_anything_starts(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "mine.jsonl").write_text("no JSON")
    (tmp_path / "earlier.json").write_text('{"metadata": {"bakeoff_result": 1}}')
    done = bakeoff(tmp_path, "run", "mine.jsonl", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["earlier.json", "mine.jsonl"]


@pytest.mark.slow
def test_a_schema_that_is_named_gives_records_their_types(mine: Path) -> None:
    declared = (
        "from datetime import datetime\nfrom enum import Enum\nfrom typing import TypedDict\n"
        "class Number(Enum):\n    ONE = 1\n    TWO = 2\n"
        "class Event(TypedDict):\n    id: int\n    when: datetime\n"
        "class Numbered(TypedDict):\n    id: Number\n    when: datetime\n"
    )
    (mine / "event.py").write_text(declared)
    for schema in ("event.py:Event", "event:Numbered"):
        done = launch(mine, "run", "mine.jsonl", *UNTIMED, "--schema", schema)
        assert done.returncode == 0, done.stderr
        found = {each.cell.codec: each.outcome for each in read(mine / "bakeoff.json").cells}
        assert found == {"json": "lossy", "json+schema": "ok", "msgpack": "lossy", "msgpack+schema": "ok"}

    done = run(mine, "--resume", "bakeoff.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "refusing to import the schema event:Numbered" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("source", ["-", "/dev/stdin", "/dev/fd/{}", "/proc/self/fd/{}"])
def test_standard_input_and_open_files_are_corpora(tmp_path: Path, source: str) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, LINES.encode())
    os.close(theirs)
    arguments = ["run", source.format(ours), "--from", "jsonl", *UNTIMED]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bakeoff", *arguments],
        cwd=tmp_path,
        stdin=ours,
        pass_fds=[ours],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    os.close(ours)

    assert done.returncode == 0, done.stderr
    assert "measured on all 2 records" in done.stdout


@pytest.mark.slow
def test_a_file_name_that_is_no_text_is_reported(tmp_path: Path) -> None:
    """A file name may contain any byte: all reports of the run can be written, and `pick` works."""
    name = os.fsdecode(b"caf\xe9.jsonl")
    (tmp_path / name).write_text(LINES)
    done = run(tmp_path, name, *QUICK)

    assert done.returncode == 0, done.stderr
    result = read(tmp_path / "bakeoff.json")
    assert [corpus.name for corpus in result.corpora] == [r"caf\udce9"]
    assert result.command.startswith(r"bakeoff run 'caf\udce9.jsonl' --quick")
    for line in (
        "report -f json",
        "report -f html",
        "compare bakeoff.json bakeoff.json -f json",
        "pick --write",
    ):
        told = bakeoff(tmp_path, *line.split())

        assert (told.returncode, "Traceback" in told.stderr) == (0, False), told.stderr
    assert r'"caf\\udce9" = ' in (tmp_path / "bakeoff.lock").read_text()


@pytest.mark.slow
def test_a_line_break_in_a_file_name_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "two\nlines \x1b[31m.jsonl").write_text(LINES)
    done = run(tmp_path, "two\nlines \x1b[31m.jsonl", *UNTIMED)
    again = run(tmp_path, "--resume", "bakeoff.json", "--all", "--budget", "0")

    assert (done.returncode, again.returncode) == (0, 0), done.stderr + again.stderr
    assert [corpus.name for corpus in read(tmp_path / "bakeoff.json").corpora] == [r"two\nlines \x1b[31m"]


@pytest.mark.slow
def test_an_inferred_schema_brings_types_back(mine: Path) -> None:
    done = run(mine, "mine.jsonl", *QUICK, "--infer", "--ops", "load,fix")

    assert done.returncode == 0, done.stderr
    result = read(mine / "bakeoff.json")
    outcomes = {c.cell.codec: c.outcome for c in result.cells if c.cell.operation_name == "load"}
    assert (outcomes["json"], outcomes["json+schema"]) == ("lossy", "ok")
    fixed = result.cell("mine", "fix", "json+schema")
    assert fixed is not None
    assert fixed.samples


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "entered"),
    [
        ("json,pickle", ["json", "json+schema", "pickle"]),
        ("json,pickle,pickle+schema", ["json", "pickle", "pickle+schema"]),
    ],
)
def test_a_schema_that_has_nothing_to_fix_makes_no_row(mine: Path, typed: str, entered: list[str]) -> None:
    """Unless it was requested by name: its figures would equal the row without it."""
    untimed = ("--quick", "--all", "--budget", "0", "--ops", "size")
    done = run(mine, "mine.jsonl", *untimed, "--infer", "-c", typed)

    assert done.returncode == 0, done.stderr
    result = read(mine / "bakeoff.json")
    assert entered == sorted({cell.cell.codec for cell in result.cells if cell.cell.operation_name == "size"})
    said = "mine.jsonl: the schema has nothing to fix for pickle: no +schema rows for these"
    assert (len(entered) == 3 and "json+schema" in entered) == (said in done.stderr)


@pytest.mark.slow
def test_a_schema_without_a_form_in_one_codec_leaves_the_others(mine: Path) -> None:
    (mine / "some.jsonl").write_text('{"a": 1}\n{"a": 2, "b": "x"}\n')
    codecs = "msgspec-msgpack/array,json+schema"
    done = run(mine, "some.jsonl", "--quick", "--all", "--budget", "0", "--infer", "-c", codecs)
    outcomes = {
        c.cell.codec: (c.outcome, c.reason)
        for c in read(mine / "bakeoff.json").cells
        if c.cell.operation_name == "load"
    }

    assert done.returncode == 0, done.stderr
    assert outcomes["msgspec-msgpack/array"] == (
        "unsupported",
        "schema at `$.b`: an array cannot have optional fields",
    )
    assert outcomes["json+schema"][0] == "ok"
    assert "msgspec-msgpack/array: unsupported: schema at `$.b`" in done.stdout


@pytest.mark.slow
def test_records_inside_a_document(tmp_path: Path) -> None:
    items = ", ".join(f'{{"id": {n}, "name": "é"}}' for n in range(20))
    (tmp_path / "page.json").write_bytes(f'{{"items": [{items}], "next": null}}'.encode("latin-1"))
    latin = [*UNTIMED, "--encoding", "latin-1"]
    whole = run(tmp_path, "page.json", *latin)
    warnings = read(tmp_path / "bakeoff.json").warnings
    inside = run(tmp_path, "page.json", *latin, "--at", "$.items")
    result = read(tmp_path / "bakeoff.json")
    again = run(tmp_path, "--resume", "bakeoff.json")
    wrong = run(tmp_path, "page.json", *latin, "--at", "$.itms")

    assert (whole.returncode, inside.returncode, again.returncode) == (0, 0, 0), again.stderr
    said = "page.json: the whole file is one record; use --at '$.items' to read the records inside it"
    assert said in whole.stdout
    assert said in warnings
    assert "is kept as bakeoff." in inside.stderr
    assert (result.corpora[0].name, result.corpora[0].records) == ("page.items", 20)
    assert result.corpora[0].description == "json file, the records at $.items"
    assert (result.options["at"], result.options["encoding"]) == ("$.items", "latin-1")
    assert said not in result.warnings
    assert wrong.returncode == 2
    assert "nothing at $.itms: $ has the keys 'items', 'next'; did you mean $.items?" in wrong.stderr


@pytest.mark.slow
def test_memory_operations_plug_in(mine: Path) -> None:
    done = run(mine, "mine.jsonl", *QUICK, "--ops", "size,peak-load")

    assert done.returncode == 0, done.stderr
    cell = read(mine / "bakeoff.json").cell("mine", "peak-load", "json")
    assert cell is not None
    assert (cell.outcome, len(cell.samples)) == ("ok", 1)


@pytest.mark.slow
def test_all_figures_of_an_operation_have_the_same_number_of_values(mine: Path) -> None:
    """pyperf calls everything significant when they have not."""
    run(mine, "mine.jsonl", *QUICK, "--ops", "dump,load", "--isolate")
    cells = [c for c in read(mine / "bakeoff.json").cells if c.cell.operation_name in ("dump", "load")]

    assert len(cells) == 6
    assert len({len(c.samples) for c in cells}) == 1


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    (folder / "mine.jsonl").write_text(LINES)
    run(folder, "mine.jsonl", *QUICK)
    # Too few to train on.
    failed = run(folder, "mine.jsonl", "--quick", "-c", "json|zstd,dict", "-o", "failed.json")
    assert (failed.returncode, "Traceback" in failed.stderr) == (1, False), failed.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", ["show", "stats", "hist", "check", "metadata", "dump", "slowest"])
@pytest.mark.parametrize("name", ["bakeoff.json", "failed.json"])
def test_pyperf_reads_the_file(finished: Path, command: str, name: str) -> None:
    arguments = [sys.executable, "-m", "pyperf", command, name]
    done = subprocess.run(
        arguments, cwd=finished, capture_output=True, text=True, check=False, env=untraced()
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["movies", "-o", "gone/x.json"], 2, "no such folder: gone"),
        (["movies", "-o", "x.json.gz"], 2, "name a file with .json"),
        (["movies", "-o", "mine.jsonl"], 2, "writes no .jsonl"),
        (["empty.jsonl"], 2, "contains no records; name another source"),
        (["broken.jsonl"], 1, "line 2"),
        (["deep.jsonl"], 1, "bakeoff: deep.jsonl: a record is nested too deeply to be passed between"),
        (["mine.jsonl", "--schema", "none.py"], 2, "none.py: no such schema"),
        (
            ["mine.jsonl", "--schema", "none.avsc"],
            2,
            "none.avsc: no such schema",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_message(
    mine: Path, arguments: list[str], code: int, said: str
) -> None:
    (mine / "empty.jsonl").touch()
    (mine / "broken.jsonl").write_text('{"a": 1}\n{"a":\n')
    (mine / "deep.jsonl").write_text("[" * 600 + "]" * 600)
    done = bakeoff(mine, "run", *arguments)

    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert (mine / "mine.jsonl").read_text() == LINES
    left = {path.name for path in mine.iterdir()}
    assert left == {"mine.jsonl", "empty.jsonl", "broken.jsonl", "deep.jsonl"}


@pytest.mark.slow
def test_bad_records_are_counted(mine: Path) -> None:
    (mine / "broken.jsonl").write_text('{"a": 1}\n{"a":\n')
    done = run(mine, "broken.jsonl", *UNTIMED, "--skip-invalid")

    assert done.returncode == 0, done.stderr
    assert "broken.jsonl: 1 bad record was skipped, at broken.jsonl, line 2" in done.stderr
    assert "measured on 1 record," in done.stdout
    assert "; 1 bad record skipped" in done.stdout
    assert read(mine / "bakeoff.json").corpora[0].skipped == 1


@pytest.mark.slow
def test_explain_runs_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "movies", "--dry-run")

    assert done.returncode == 0
    headings = ["This run", "The timing contract", "Not in this run", "The constants of the method"]
    lines = done.stdout.splitlines()
    assert headings == sorted(
        headings, key=lambda text: [line.startswith(text) for line in lines].index(True)
    )
    assert lines[0] == "This run"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_allocator_settings_are_recorded_and_warned_of(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    done = run(mine, "mine.jsonl", *UNTIMED)
    result = read(mine / "bakeoff.json")

    assert done.returncode == 0, done.stderr
    assert result.environment["allocator"] == "MALLOC_ARENA_MAX=1"
    assert any("allocator" in warning for warning in result.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["dump", "size"])
def test_a_part_of_the_cost_is_no_failure(mine: Path, operation: str) -> None:
    done = run(mine, "mine.jsonl", *QUICK, "--ops", operation)

    assert done.returncode == 0, done.stderr
    assert "every codec failed" not in done.stdout


@pytest.mark.slow
def test_a_file_that_brings_its_schema_is_measured_with_it(tmp_path: Path) -> None:
    orders = Path(__file__).parents[1] / "data" / "avro" / "orders.avro"
    (tmp_path / "orders.avro").write_bytes(orders.read_bytes())

    done = run(tmp_path, "orders.avro", "--quick", "--budget", "9s", "--ops", "size")

    assert done.returncode == 0, done.stderr
    result = read(tmp_path / "bakeoff.json")
    assert {"avro", "json"} <= {cell.cell.codec for cell in result.cells}
    said = "\n".join(result.warnings)
    assert "orders.avro: measured with the file's own schema; --schema or --infer selects another" in said


@pytest.mark.slow
def test_records_that_fit_another_part_of_a_definition(tmp_path: Path) -> None:
    lines = "".join(f'{{"trace_id": "t{i}", "start": {i}}}\n' for i in range(12))
    (tmp_path / "spans.jsonl").write_text(lines)
    span = {"type": "record", "name": "Span", "fields": [
        {"name": "trace_id", "type": "string"}, {"name": "start", "type": "long"}]}  # fmt: skip
    batch = {"type": "record", "name": "Batch", "fields": [
        {"name": "spans", "type": {"type": "array", "items": "Span"}}]}  # fmt: skip
    (tmp_path / "span.avsc").write_text(json.dumps([span, batch]))

    done = run(tmp_path, "spans.jsonl", "--schema", "span.avsc", *UNTIMED)
    said = "\n".join(read(tmp_path / "bakeoff.json").warnings)
    assert (
        "span.avsc: record Batch, which no other uses, is used as the record; span.avsc#Span selects another"
        in said
    )
    assert "span.avsc#Span fits all of them" in said
    assert "spans.jsonl: only 12 records" in said
    done = run(tmp_path, "spans.jsonl", "--schema", "span.avsc#Span", *UNTIMED, "-o", "b.json")
    assert done.returncode == 0, done.stderr
    assert not [text for text in read(tmp_path / "b.json").warnings if "span.avsc" in text]

    checked = bakeoff(tmp_path, "schema", "validate", "spans.jsonl", "span.avsc")
    assert checked.returncode == 1
    assert "span.avsc#Span fits all of them" in checked.stderr
