"""The ``bakeoff schema`` commands, as typed."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from bakeoff.schemas.wire.languages import LANGUAGES
from inprocess import exit_code as run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    clean = [{"id": i, "at": f"2024-01-{i:02}T00:00:00"} for i in range(1, 29)]
    dirty = [*clean, {"id": "7", "at": 0}, {"at": "2024-01-01T00:00:00"}]
    for name, records in (("clean", clean), ("dirty", dirty)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    Path("script.py").write_text("import sys\nsys.exit()\n")
    return tmp_path


def test_bytes_are_asked_for(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = [b64encode(bytes([n, 200] * 10)).decode() for n in range(8)]
    Path("keys.jsonl").write_text("".join(f'{{"key": "{key}"}}\n' for key in keys))

    for options, expected in ((), "str"), (("--base64",), "bytes"):
        assert run("schema", "infer", "keys.jsonl", *options) == 0
        assert f"    key: {expected}\n" in capsys.readouterr().out


def test_infer_show_check(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("schema", "infer", "clean.jsonl", "--name", "Event", "-o", "events.py") == 0
    assert "class Event(TypedDict):\n    id: int\n    at: datetime\n" in Path("events.py").read_text()

    capsys.readouterr()
    assert run("schema", "show", "events.py", "-c", "json", "-c", "pickle") == 0
    assert capsys.readouterr().out == (
        "Event after json: 1 place\n"
        "  $.at  datetime  from ISO 8601 text\n\n"
        "Event after pickle: nothing to do\n"
    )

    assert run("schema", "show", "events.py", "-c", "pickle,json,pickle/2,orjson") == 0
    assert capsys.readouterr().out == (
        "Event after json, orjson: 1 place\n"
        "  $.at  datetime  from ISO 8601 text\n\n"
        "Event after pickle, pickle/2: nothing to do\n"
    )

    assert run("schema", "validate", "clean.jsonl", "events.py") == 0
    assert run("schema", "validate", "clean.jsonl", "events.py", "--written-by", "json+schema") == 0
    assert capsys.readouterr().out.count("28 records, no advice from Event") == 2

    assert run("schema", "validate", "dirty.jsonl", "events.py:Event") == 1
    out = capsys.readouterr().out
    assert "3 pieces of advice from Event on 2 of 30 records" in out
    assert "$.at" in out
    assert "nothing" in out


def test_records_that_are_lists(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lists.jsonl").write_text('[{"a": 1}]\n[{"a": 2}]\n')

    assert run("schema", "infer", "lists.jsonl", "-o", "lists.py") == 0
    assert run("schema", "validate", "lists.jsonl", "lists.py") == 0
    assert "2 records, no advice" in capsys.readouterr().out


def test_built_in_schema(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("schema", "show", "movies", "-c", "msgpack/tuple") == 0
    assert "after msgpack/tuple" in capsys.readouterr().out


def test_what_was_corrected_by_hand_is_kept(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = Path("events.py")
    target.touch()
    assert run("schema", "infer", "clean.jsonl", "-o", "events.py") == 0
    inferred = target.read_text()
    assert run("schema", "infer", "clean.jsonl", "-o", "events.py") == 0

    target.write_text(inferred.replace("at: datetime", "at: str"))
    assert run("schema", "infer", "clean.jsonl", "-o", "events.py") == 2
    assert "choose another name with -o, or remove it first" in capsys.readouterr().err
    assert target.read_text() == inferred.replace("at: datetime", "at: str")


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ('{"id": 1}\n{"id":\n', [], "use --skip-invalid to skip bad records"),
        ('{"id":\n', ["--skip-invalid"], "contains no records"),
        ("", [], "contains no records"),
        (None, [], "no file of records in this folder"),
    ],
)
def test_records_that_cannot_be_read_are_no_advice(
    files: Path, capsys: pytest.CaptureFixture[str], content: str | None, options: list[str], words: str
) -> None:
    """Exit code 2, so that 1 says that there is advice and nothing else."""
    Path("events.py").write_text("from typing import TypedDict\n\nclass Event(TypedDict):\n    id: int\n")
    if content is None:
        Path("bad.jsonl").mkdir()
    else:
        Path("bad.jsonl").write_text(content)

    assert run("schema", "validate", "bad.jsonl", "events.py", *options) == 2
    assert words in capsys.readouterr().err


def test_one_piece_of_advice(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("events.py").write_text("from typing import TypedDict\n\nclass Event(TypedDict):\n    id: int\n")
    Path("one.jsonl").write_text('{"id": "x"}\n')

    assert run("schema", "validate", "one.jsonl", "events.py") == 1
    assert "one.jsonl: 1 piece of advice from Event on 1 of 1 record\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["schema", "show", "none.py"], "no such schema"),
        (["schema", "validate", "clean.jsonl", "json:loads"], "unsupported type"),
        (["schema", "validate", "clean.jsonl", "script.py"], "script.py cannot be imported"),
        (["schema", "infer", "clean.jsonl", "--name", "no name"], "not a Python name"),
        (["schema", "show", "movies", "-c", "msgpakc"], "no such codec"),
    ],
)
def test_bad_input(files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    assert run(*arguments) == 2
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


VERSIONS = {
    "old": "class Event(TypedDict):\n    id: int\n    gone: str\n    at: str\n",
    "new": "class Event(TypedDict):\n    fresh: str\n    at: str\n    id: int\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["avsc", "proto", "schema.json"])
def test_a_definition_is_a_schema(files: Path, capsys: pytest.CaptureFixture[str], ending: str) -> None:
    Path("events.py").write_text(
        "from typing import NotRequired, TypedDict\n\n"
        "class Event(TypedDict):\n"
        "    more: NotRequired[int | None]\n    id: int\n    at: NotRequired[str | None]\n"
    )
    assert run("schema", "export", "events.py", "-o", f"events.{ending}") == 0
    capsys.readouterr()
    found = []
    for schema in ("events.py", f"events.{ending}"):
        assert run("schema", "validate", "dirty.jsonl", schema) == 1
        found.append(capsys.readouterr().out.splitlines()[1:])
    assert found[0] == found[1]

    written = Path(f"events.{ending}").read_bytes()
    assert run("schema", "export", f"events.{ending}", "-o", f"again.{ending}") == 0
    assert written == Path(f"again.{ending}").read_bytes()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_definition_is_written_to_standard_output(
    files: Path, capsysbinary: pytest.CaptureFixture[bytes], language: str
) -> None:
    target = f"movies{LANGUAGES[language][0]}"
    assert run("schema", "export", "movies", "-o", target) == 0
    capsysbinary.readouterr()

    assert run("schema", "export", "movies", "-f", language) == 0
    assert Path(target).read_bytes() == capsysbinary.readouterr().out


@pytest.mark.slow
def test_numbers_are_kept(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, declared in VERSIONS.items():
        Path(f"{name}.py").write_text(f"from typing import TypedDict\n\n{declared}")
    assert run("schema", "export", "old.py", "-o", "events.proto") == 0
    assert run("schema", "export", "old.py", "-o", "events.proto") == 0
    assert run("schema", "export", "new.py", "-o", "events.proto") == 2
    assert "events.proto: exists with other content" in (said := capsys.readouterr().err)
    assert "--keep events.proto keeps its numbers" in said

    assert run("schema", "export", "new.py", "--keep", "events.proto", "-o", "events.proto") == 0
    text = Path("events.proto").read_text()
    assert "reserved 2;" in text
    assert [line.strip() for line in text.splitlines() if " = " in line and "syntax" not in line] == [
        "string fresh = 4;",
        "string at = 3;",
        "int64 id = 1;",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["messages"], "choose a language with -f: avro, protobuf,"),
        (["messages", "-f", "avrò"], "no schema language 'avrò'; did you mean avro?"),
        (["clean.avsc", "-f", "protobuf"], "clean.avsc: no such schema"),
        (
            ["clean.jsonl", "-f", "avro"],
            "clean.jsonl: not a schema; `bakeoff schema infer clean.jsonl` makes one",
        ),
    ],
)
def test_what_cannot_be_exported(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert run("schema", "export", *arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file")
@pytest.mark.parametrize("name", ["z.avsc", "z.schema.json", "z.profile"])
def test_a_file_without_an_end_is_refused(tmp_path, name):
    import resource

    (tmp_path / name).symlink_to("/dev/zero")
    command = ["generate", "-n", "1", "--profile", name] if name == "z.profile" else ["schema", "show", name]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bakeoff", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )

    assert done.returncode == 2, done.stderr
    assert "it is not a regular file" in done.stderr
