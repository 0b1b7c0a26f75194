"""Two options of a command at a time: accepted, or refused in a sentence that names both and says why."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import click
import pytest
from click.testing import CliRunner

from bakeoff.bench.foreign import builds
from bakeoff.bench.run import interpreters
from bakeoff.bench.run.machines.addresses import Machine
from bakeoff.cli import bakeoff
from bakeoff.codecs.registry import registering
from bakeoff.commands import pipeline, run, stores
from bakeoff.errors import BakeoffError

RESULT: Final = Path(__file__).parent / "data" / "results" / "version-1.json"

LINES: Final = {
    "run": ["orders.jsonl"],
    "stores": ["orders.jsonl"],
    "pipeline": ["orders.jsonl"],
    "compare": ["result.json", "result.json"],
    "pick": ["result.json"],
    "evolve": ["old.avsc", "new.avsc", "-c", "json", "--budget", "0"],
    "report": ["result.json"],
}
"""The commands, and their arguments."""

VALUES: Final = {
    "--at": "$.a",
    "--bandwidth": "1Gbit",
    "--baseline": "result.json",
    "--batch": "10",
    "--batch-put": "10",
    "--batch-sizes": "1,10",
    "--broker": "redis://localhost:1",
    "--budget": "90s",
    "--cell-memory": "1G",
    "--cell-timeout": "10s",
    "--chart": "bars",
    "--choose": "json",
    "--codec": "json",
    "--columns": "dump",
    "--compress": "zstd:3",
    "--consumers": "1,2",
    "--core-year": "100",
    "--corpus": "messages",
    "--crossings": "per-read",
    "--data": "nested.jsonl",
    "--encoding": "latin-1",
    "--fail-above": "5%",
    "--format": "json",
    "--formats": "json",
    "--from": "jsonl",
    "--gc": "off",
    "--gigabyte": "0.1",
    "--group-by": "format",
    "--include": ".",
    "--kafka-acks": "1",
    "--kafka-compression": "gzip",
    "--kafka-linger": "5ms",
    "--layout": "stores",
    "--lock": "my.lock",
    "--max-age": "90d",
    "--max-p99": "5ms",
    "--needs": "int",
    "--null-value": "NA",
    "--on": "ssh://host",
    "--ops": "dump,load",
    "--output": "out.json",
    "--precision": "1%",
    "--preload": "SM",
    "--python": "python3",
    "--python-after": "python3",
    "--python-before": "python3",
    "--rate": "3000",
    "--readers": "go",
    "--reads": "3",
    "--reads-by": "go*3",
    "--record-sizes": "16B..1KB",
    "--records": "100",
    "--relative-to": "json",
    "--rename": "a=a",
    "--resume": "result.json",
    "--sample": "50",
    "--scale-to": "1000",
    "--schema": "schema.avsc",
    "--seed": "3",
    "--server": "redis=redis://localhost:1",
    "--sort": "dump",
    "--store": "sqlite",
    "--transport": "pipe",
    "--wheel": "bakeoff.whl",
}
"""A value of each option that takes one."""

NESTED: Final = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": ["null", "R"]}]}'
"""A version of a schema whose records are also at `$.a` in one another."""

ALIKE: Final = ("--no-header", "--decimal-comma", "--null-value", "--skip-invalid", "--trust-files")
"""Options of reading, of which all but two are left out here."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with files for the options, in which nothing is measured."""

    def only_check(options: Any, _output: Path, *, named: Any = (), **_others: Any) -> None:
        options.validate(named)
        for note in options.unused():
            click.echo(note, err=True)

    for command in (run, stores, pipeline):
        monkeypatch.setattr(command, "carry_out", only_check)
    monkeypatch.setattr(builds, "command", lambda _language: [])
    monkeypatch.setattr(interpreters, "interpreters", lambda names: [Machine(name) for name in names])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(click, "launch", lambda _: 0)
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **_: str(tmp_path))  # of pages that are opened
    (tmp_path / "result.json").write_bytes(RESULT.read_bytes())
    (tmp_path / "orders.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    (tmp_path / "bakeoff.whl").touch()
    fields = '[{"name": "a", "type": "long"}]'
    (tmp_path / "schema.avsc").write_text(f'{{"type": "record", "name": "R", "fields": {fields}}}')
    for name in ("old.avsc", "new.avsc"):
        (tmp_path / name).write_text(NESTED)
    (tmp_path / "nested.jsonl").write_text('{"a": {"a": null}}\n' * 2)
    return tmp_path


def _typed(name: str) -> Iterator[tuple[set[str], list[str]]]:
    """Yield each option of a command: how it may be spelled, and what is typed."""
    command = bakeoff.get_command(click.Context(bakeoff), name)
    assert command is not None
    for option in command.params:
        long = max(option.opts, key=len)
        if isinstance(option, click.Option) and long not in ALIKE:
            spellings = {*option.opts}
            yield spellings, [long] if option.is_flag else [long, str(VALUES[long])]
            yield from (({other}, [other]) for other in option.secondary_opts)


def _refusal(folder: Path, arguments: list[str]) -> str:
    """Call a command, and return its error; empty if it is accepted."""
    for name in ("my.lock", "bakeoff.lock"):
        (folder / name).unlink(missing_ok=True)
    with registering(()), CliRunner().isolation():
        try:
            bakeoff.main(arguments, prog_name="bakeoff", standalone_mode=False)
        except (BakeoffError, click.ClickException) as error:
            return str(error) or "?"
    return ""


def _all_named(said: str, *options: set[str]) -> bool:
    words = said.replace(";", " ").replace(",", " ").replace(":", " ").split()
    return all(spellings & set(words) for spellings in options)


@pytest.mark.slow
@pytest.mark.parametrize("command", LINES)
def test_two_options_are_accepted_or_both_are_named(folder: Path, command: str) -> None:
    line = [command, *LINES[command]]
    options = list(_typed(command))
    alone = [_refusal(folder, [*line, *arguments]) for _, arguments in options]
    wrong = {}
    for (first, a), (second, b) in combinations(zip(options, alone, strict=True), 2):
        said = _refusal(folder, [*line, *first[1], *second[1]])
        if said and said not in (a, b) and not _all_named(said, first[0], second[0]):
            wrong[" ".join([*first[1], *second[1]])] = said

    assert {} == wrong


REPORT: Final = list(_typed("report"))
FORMS: Final = ("text", "md", "csv", "json", "latex", "rst", "html", "svg", "png", "pyperf", "bencher")
SIMILAR: Final = ("md", "csv", "json", "latex", "rst", "png")
"""Formats that show the options that another one shows."""


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=pytest.mark.slow if form in SIMILAR else ()) for form in FORMS]
)
def test_each_format_of_a_report_shows_an_option_or_refuses_it(folder: Path, form: str) -> None:
    output = ["-o", "folder" if form == "pyperf" else f"out.{form}"] if form != "bencher" else []
    with registering(()):
        shown = {}
        for spellings, arguments in REPORT:
            if not spellings & {"-f", "-o"}:
                line = ["report", "result.json", "-f", form, *output, *arguments]
                shown[arguments[0]] = _refusal(folder, line)
    refused = {option: said for option, said in shown.items() if f"-f {form}" in said}

    assert all(
        re.fullmatch(rf"{option} is for .*; remove one of them", refused[option]) for option in refused
    )
    tables, charts, page = form in FORMS[:6], form in ("svg", "png"), form == "html"
    assert (tables or page) is not ("--sort" in refused)
    assert tables is not ("--columns" in refused)
    assert charts is not ("--chart" in refused)
    assert page is not ("--open" in refused)
    assert "--reads" not in refused


@pytest.mark.parametrize(
    ("line", "operations"),
    [
        ("--ops dump --repeat", "dump dump-repeat"),
        ("--ops dump --cold", "dump dump-cold load-cold"),
        ("--ops dump,dump-repeat --repeat", "dump dump-repeat"),
        ("--ops dump,load --no-memory", "dump load"),
        ("--ops dump --memory", "dump peak-dump peak-load growth-dump growth-load growth-fix"),
        ("--ops size --count", "size count-dump count-load"),
        ("--ops dump --batch-sizes 10", "dump batch-dump:10 batch-load:10 batch-size:10"),
    ],
)
def test_options_add_their_operations_to_those_that_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: str, operations: str
) -> None:
    planned = []
    monkeypatch.setattr(run, "carry_out", lambda options, *_, **__: planned.append(options.operations))

    assert "" == _refusal(folder, ["run", "orders.jsonl", *line.split()])
    assert [tuple(operations.split())] == planned


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run orders.jsonl -c json -I . --dry-run", "-I is not used: it names folders for the imports of a"),
        ("run orders.jsonl -c json --server mysql=x --dry-run", "--server mysql is not used: it is for op"),
        (
            "compare result.json result.json --confirm",
            "--confirm is not used: it measures what would not pass",
        ),
        ("compare result.json result.json --budget 9s", "--budget: not used without --confirm"),
        ("pick result.json --force", "--force is not used: it is for --write"),
        ("pick result.json --max-age 3d", "--max-age is not used: it is for --check"),
        ("report result.json -f bencher --reads 3", "--reads is not used: -f bencher ranks nothing"),
    ],
)
def test_an_option_with_nothing_to_do_is_a_note(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    with registering(()):
        bakeoff.main(line.split(), prog_name="bakeoff", standalone_mode=False)

    assert [said] == [
        each[: len(said)] for each in capsys.readouterr().err.splitlines() if "not used" in each
    ]
