"""One format for ``-f`` and the ending of ``-o``, in every command that has ``-o``."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import madeup
from bakeoff.bench.results import write
from bakeoff.cli import bakeoff as program
from bakeoff.commands._written import ENDINGS
from command_lines import OTHER_OUTPUTS, REPORT_OUTPUTS, RESULT, RUN_OUTPUTS
from inprocess import bakeoff

AVRO = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}


def text(content: bytes) -> bool:
    return content[:1] not in b"|<{[" and b"\0" not in content


def table(content: bytes) -> bool:
    rows = list(csv.reader(content.decode().splitlines()))
    return len(rows) > 1 and len(rows[0]) > 1


IS: dict[str, Callable[[bytes], object]] = {
    "txt": text,
    "md": lambda content: content.startswith(b"#") or b"|:--" in content or b"\n## " in content,
    "csv": table,
    "json": lambda content: json.loads(content) is not None,
    "tex": lambda content: b"\\begin{" in content,
    "rst": lambda content: b"===" in content or b"+--" in content,
    "html": lambda content: content.lstrip().startswith(b"<"),
    "htm": lambda content: content.lstrip().startswith(b"<"),
    "svg": lambda content: b"<svg" in content,
    "png": lambda content: content.startswith(b"\x89PNG"),
    "jsonl": lambda content: [json.loads(line) for line in content.splitlines()],
    "msgpack": lambda content: content[0] & 0xF0 == 0x80,
    "py": lambda content: compile(content, "written", "exec"),
    "avsc": lambda content: json.loads(content)["type"] == "record",
    "proto": lambda content: b"syntax = " in content,
    "schema.json": lambda content: json.loads(content)["type"] == "object",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("written")
    (made / "runs").mkdir()
    for name in ("a.json", "b.json"):
        (made / name).write_bytes(RESULT.read_bytes())
    for number, run in enumerate(madeup.weekly(3)):
        write(run, made / "runs" / f"{number}.json")
    (made / "rows.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    (made / "old.avsc").write_text(json.dumps(AVRO))
    (made / "new.avsc").write_text(json.dumps(AVRO))
    (made / "old.txt").write_text("msgpack==1.0.8\n")
    (made / "new.txt").write_text("msgpack==1.1.0\n")
    return made


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, (*words, name))
        else:
            yield " ".join((*words, name)), found


def test_every_command_with_an_output_is_tried_here() -> None:
    there = {
        name for name, command in commands(program) if any("-o" in option.opts for option in command.params)
    }
    tried = (*RUN_OUTPUTS, *REPORT_OUTPUTS, *OTHER_OUTPUTS)

    assert dict.fromkeys(there, 1) == {
        name: sum(line.split()[: len(name.split())] == name.split() for line in tried) for name in there
    }


CASES = [
    (line, ending) for line, known in (REPORT_OUTPUTS | OTHER_OUTPUTS).items() for ending in known.split()
]


def options_of(line: str) -> set[str]:
    """Return the options of the command of a line."""
    found = next(
        command for name, command in commands(program) if line.split()[: len(name.split())] == name.split()
    )
    return {spelling for option in found.params for spelling in option.opts}


def with_output(line: str, name: str, *more: str) -> list[str]:
    """Return a command line that writes a file; its own ``--`` stays last."""
    words = line.split()
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], "-o", name, *more, *words[end:]]


@pytest.mark.parametrize(("line", "ending"), CASES)
def test_the_ending_decides_the_format(folder: Path, line: str, ending: str) -> None:
    name = f"{line.split()[0]}.{ending}"
    (folder / name).unlink(missing_ok=True)
    done = bakeoff(folder, *with_output(line, name))

    assert 0 == done.returncode, done.stderr
    assert IS[ending]((folder / name).read_bytes())


@pytest.mark.parametrize("line", [*RUN_OUTPUTS, *REPORT_OUTPUTS, *OTHER_OUTPUTS])
def test_an_ending_that_a_command_does_not_write_is_refused(folder: Path, line: str) -> None:
    done = bakeoff(folder, *with_output(line, "out.pdf"))

    assert 2 == done.returncode, done.stderr
    assert done.stderr.startswith("bakeoff: out.pdf: ")
    for ending in (REPORT_OUTPUTS | OTHER_OUTPUTS).get(line, "json").split()[:1]:
        assert ending in done.stderr
    assert not (folder / "out.pdf").exists()


FORMS = {"txt": "text", "tex": "latex", "avsc": "avro", "proto": "protobuf"}
"""Formats that are not called as their endings are."""

OPENED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.decompress,
    "bz2": bz2.decompress,
    "xz": lzma.decompress,
    "zip": lambda content: b"",
}
"""Files that some commands compress, by their endings; no command writes the last."""


@pytest.mark.parametrize(
    ("line", "ending", "with_form"),
    [
        (line, known.split()[0], with_form)
        for line, known in (dict.fromkeys(RUN_OUTPUTS, "json") | REPORT_OUTPUTS | OTHER_OUTPUTS).items()
        for with_form in ([False, True] if "-f" in options_of(line) else [False])
    ],
)
def test_what_is_named_compressed_is_compressed_or_refused(
    folder: Path, line: str, ending: str, with_form: bool
) -> None:
    for compression, opened in OPENED.items():
        name = f"packed.{ending}.{compression}"
        form = ["-f", FORMS.get(ending, ending)] if with_form else []
        done = bakeoff(folder, *with_output(line, name, *form))
        if done.returncode == 0:
            assert opened((folder / name).read_bytes())
        else:
            assert done.stderr.startswith(f"bakeoff: {name}: ")
            assert not (folder / name).exists()


@pytest.mark.parametrize(
    "line",
    [
        "generate --like rows.jsonl --save-profile plain.json.gz",
        "survey rows.jsonl --schema-to plain.py.gz",
        "convert rows.jsonl plain.csv.zip -f csv",
    ],
)
def test_no_other_file_is_written_plain_under_a_compressed_name(folder: Path, line: str) -> None:
    done = bakeoff(folder, *line.split())

    assert 2 == done.returncode, done.stderr
    assert "this command writes no ." in done.stderr
    assert [] == list(folder.glob("plain.*.*"))


@pytest.mark.parametrize("line", RUN_OUTPUTS)
@pytest.mark.parametrize("ending", ["html", "md", "json.gz"])
def test_a_run_writes_json_only(folder: Path, line: str, ending: str) -> None:
    done = bakeoff(folder, *line.split(), "-o", f"out.{ending}")

    assert 2 == done.returncode
    assert "this command writes no ." in done.stderr
    assert "name a file with .json\n" in done.stderr


@pytest.mark.parametrize(
    ("line", "form", "ending"),
    [
        *((line, form, "html") for line in REPORT_OUTPUTS for form in ("text", "md")),
        ("report a.json", "pyperf", "json"),
        ("report a.json", "html", "md"),
        ("generate movies -n 2", "csv", "jsonl.gz"),
        ("schema export old.avsc", "protobuf", "avsc"),
    ],
)
def test_a_format_and_an_ending_that_disagree_are_refused(
    folder: Path, line: str, form: str, ending: str
) -> None:
    done = bakeoff(folder, *with_output(line, f"no.{ending}", "-f", form))

    assert 2 == done.returncode
    assert f"-f {form} and the ending ." in done.stderr
    assert " disagree; remove -f, or name the file no" in done.stderr
    assert not (folder / f"no.{ending}").exists()


def test_what_convert_writes_agrees_with_its_target(folder: Path) -> None:
    done = bakeoff(folder, "convert", "rows.jsonl", "no.csv", "-f", "msgpack")

    assert 2 == done.returncode
    assert "-f msgpack and the ending .csv disagree" in done.stderr


@pytest.mark.parametrize("line", REPORT_OUTPUTS)
@pytest.mark.parametrize("name", ["noted", "noted.log", "v1.2"])
def test_a_format_may_be_named_for_other_names(folder: Path, line: str, name: str) -> None:
    done = bakeoff(folder, *with_output(line, name, "-f", "md"))

    assert 0 == done.returncode, done.stderr
    assert IS["md"]((folder / name).read_bytes())


def test_a_name_without_an_ending_is_text(folder: Path) -> None:
    for name in ("plain", "v1.2", "2026.01.31"):
        assert 0 == bakeoff(folder, "report", "a.json", "-o", name).returncode
        assert text((folder / name).read_bytes())


def test_benchers_json_is_json(folder: Path) -> None:
    done = bakeoff(folder, "report", "a.json", "-f", "bencher", "-o", "bencher.json")

    assert 0 == done.returncode, done.stderr
    assert json.loads((folder / "bencher.json").read_bytes())


def test_each_format_of_a_report_has_endings() -> None:
    report = dict(commands(program))["report"]
    forms = next(option.type for option in report.params if option.name == "form")

    assert isinstance(forms, click.Choice)
    assert set(ENDINGS) == set(forms.choices)
