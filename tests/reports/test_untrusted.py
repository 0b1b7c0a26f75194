"""Result files and locks that a stranger wrote: any value in any field, and none of it does anything."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.results import ResultData, to_suite
from bakeoff.codecs.production.lock import Lock
from bakeoff.errors import RunError
from bakeoff.reports.decide.lock import check
from hostile_files import Place, changed, places, texts
from inprocess import exit_code

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 2.5, 1e308, float("nan"), 10**400, "", "x", "\ud800", [], [[]], [1], {}, {"a": 1},
)  # fmt: skip
COMMANDS = (
    ["report", "new.json", "-f", "json"],
    ["report", "new.json"],
    ["report", "new.json", "-f", "csv"],
    ["report", "new.json", "old.json", "-f", "md"],
    ["report", "new.json", "-f", "latex", "--bandwidth", "1Gbit"],
    ["report", "new.json", "-f", "pyperf", "-o", "suites"],
    ["compare", "old.json", "new.json", "--force", "-f", "json"],
    ["compare", "new.json", "old.json", "--force", "--fail-above", "5%"],
    ["pick", "new.json", "--explain", "--needs", "datetime"],
    ["pick", "new.json", "--write", "--replace", "--lock", "new.lock"],
    ["run", "--resume", "new.json", "--dry-run"],
)

ATTACKS = {
    "markup": "</script><img src=x onerror=alert(1)>\"'`${7*7}{{'in' + 'jected'}}]]>--><!--",
    "terminal": "a\x1b[31mred\x07\x9b31m\x00b\r",
    "direction": "abc\u202etxt.exe\u2066\u200f\u061c",
    "lines": "one\ntwo\r\n| three |\u2028four",
    "formula": "=cmd|'/C calc'!A1",
    "path": "/../../../../etc/passwd",
    "latex": r"\input{/etc/passwd}\write18{id}$%&#_{}~^",
    "rest": ".. raw:: html\n\n   <script>alert(1)</script>",
    "no text": "\ud800\ufffe\uffff",
    "option": "--help",
}
STEERING = ("\x1b", "\x07", "\x9b", "\x00", "\r", "\u202e", "\u2066", "\u2028", "\u061c")


class Files:
    """A result file, its document, and variants of both.

    Attributes:
        suite: What pyperf reads.
        document: What stands in it as one text.
    """

    def __init__(self, folder: Path, result: ResultData) -> None:
        self.folder = folder
        out = io.StringIO()
        to_suite(result).dump(out)
        self.suite = json.loads(out.getvalue())
        (folder / "old.json").write_text(out.getvalue())
        holders = (benchmark["runs"][0]["metadata"] for benchmark in self.suite["benchmarks"])
        holders = (*holders, *(benchmark.get("metadata", {}) for benchmark in self.suite["benchmarks"]))
        self._holder = next(h for h in (*holders, self.suite["metadata"]) if "bakeoff_document" in h)
        self.document = json.loads(self._holder["bakeoff_document"])

    def write(self, suite: Any = None, document: Any = None) -> None:
        before = self._holder["bakeoff_document"]
        if document is not None:
            self._holder["bakeoff_document"] = json.dumps(document)
            suite = self.suite
        new = self.folder / "new.json"
        new.unlink(missing_ok=True)  # truncating a file waits for the disk
        new.write_text(json.dumps(suite))
        self._holder["bakeoff_document"] = before


@pytest.fixture
def files(tmp_path: Path, result_of: Callable[..., ResultData], monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.chdir(tmp_path)
    figures = {"dump": 2e-6, "load": 3e-6, "size": 100.0, "peak-dump": 4096.0}
    said = {"preserves": ("str",), "losses": ("l",), "notes": ("n",), "extra": "e", "media_type": "m"}
    result = result_of(
        {"json": figures, "bson": figures},
        processes=3,
        facts={"json": said},
        outcomes={"yaml": ("error", "because")},
        losses={"bson": ("something",)},
        options={"corpora": "messages", "budget": 1.0, "batch": 1, "gc": "on"},
        warnings=("careful",),
        started="2026-01-01T00:00:00+00:00",
    )
    return Files(tmp_path, result)


def ended(command: list[str]) -> int:
    """Run a command in this process; anything but a way out that is documented is an error of the test."""
    code = exit_code(*command)
    assert code in (0, 1, 2), command
    return code


@pytest.mark.slow
@pytest.mark.parametrize("part", ["suite", "document"])
def test_any_type_in_any_field_ends_in_a_report_or_in_one_sentence(
    files: Files, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = files.suite if part == "suite" else files.document
    found = [place for place in places(plain) if part == "suite" or place]
    codes = set()
    for number, place in enumerate(found):
        for turn, value in enumerate(VALUES):
            files.write(**{part: changed(plain, place, value)})
            command = COMMANDS[0]
            try:
                codes.add(code := ended(command))
                if code == 0:  # all commands refuse what the first one does, as they read alike
                    command = COMMANDS[1 + (number + turn) % (len(COMMANDS) - 1)]
                    codes.add(ended(command))
            except Exception as error:
                raise AssertionError(f"{command}: {value!r:.40} at {place}: {error!r:.200}") from error
        assert "Traceback" not in capsys.readouterr().err

    assert codes >= {0, 1}


def hostile(files: Files, attack: str) -> None:
    """Put an attack into every text of the file that no number and no vocabulary is read from.

    pyperf has no line break in names.
    """
    line = " ".join(attack.split())

    def change(at: Place, text: str) -> str:
        key = next(key for key in reversed(at) if isinstance(key, str))
        if at[0] == "cells" and at[2] == "cell":
            return {"corpus": named, "codec": renamed}.get(key, str)(text)
        if at[0] == "operations" and key not in ("heading", "summary"):
            return text
        if key == "outcome" or at[:2] == ("options", "gc") or key == "started":
            return text
        if at[0] == "corpora" and key == "name":
            return named(text)
        return renamed(text) if at[0] == "codecs" and key == "name" else text + attack

    def renamed(text: str) -> str:
        return text if text == "baseline" else text + line

    def named(text: str) -> str:
        return (text + line).replace("/", "_")

    document = texts(files.document, change)

    def benchmark(at: Place, text: str) -> str:
        if at[-1] != "name" or text.count("/") < 2:
            return text
        corpus, operation, codec = text.split("/", 2)
        return f"{named(corpus)}/{operation}/{renamed(codec)}"

    files.suite = texts(files.suite, benchmark)
    for one in files.suite["benchmarks"]:
        for holder in (one.get("metadata", {}), one["runs"][0].get("metadata", {})):
            if "bakeoff_document" in holder:
                files._holder = holder
    files.write(document=document)


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_stays_text(files: Files, attack: str, capsys: pytest.CaptureFixture[str]) -> None:
    hostile(files, ATTACKS[attack])
    before = {path.name for path in files.folder.parent.iterdir()}
    written = {}
    for form in ("text", "md", "csv", "latex", "rst", "html", "svg", "json"):
        assert ended(["report", "new.json", "-f", form, "-o", f"out.{form}"]) == 0
        written[form] = (files.folder / f"out.{form}").read_bytes()
    capsys.readouterr()
    for command in (
        ["report", "new.json"],
        ["report", "new.json", "-f", "pyperf", "-o", "suites"],
        ["compare", "new.json", "new.json"],
        ["compare", "new.json", "new.json", "-f", "md"],
        ["pick", "new.json", "--explain", "--allow-loss"],
        ["run", "--resume", "new.json", "--dry-run"],
        ["run", "--resume", "new.json"],
    ):
        ended(command)
        for said in capsys.readouterr():
            assert not [mark for mark in STEERING if mark in said], command

    for form in ("text", "md", "csv", "latex", "rst", "html", "svg"):
        shown = written[form].decode()
        assert not [mark for mark in STEERING if mark in shown.replace("\r\n", "\n")], form
    for form in ("html", "svg", "md"):
        assert b"<img src=x" not in written[form], form
        assert b"injected" not in written[form], form
    for row in csv.reader(io.StringIO(written["csv"].decode())):
        assert not [cell for cell in row if cell[:1] in ("=", "@", "\t", "\r")]
    assert {path.name for path in files.folder.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[" * 3_000_000, "a file of records, and not a result file"),
        (b'{"a":[' + b"{}," * 5_000_000 + b"1]}", "more than 4,000,000 values"),
        (b"[" + b"1," * 5_000_000 + b"1]", "more than 4,000,000 values"),
        (bytes(70 << 20), "more than 67,108,864 bytes"),
    ],
    ids=["deep", "many objects", "many numbers", "large"],
)
def test_bombs_end_in_one_sentence(
    tmp_path: Path, text: bytes, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bomb = tmp_path / "bomb.json.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        file.write(text)
    tracemalloc.start()
    try:
        assert ended(["report", str(bomb)]) == 2
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    (said,) = capsys.readouterr().err.splitlines()
    assert reason in said
    assert most < 200 << 20


def test_evidence_of_a_lock_is_a_name_beside_it(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "in").mkdir()
    for file in ("../secret.json", str(tmp_path / "secret.json")):
        lock = Lock("json", {"Python": ""}, evidence=({"file": file, "sha256": "0"},))

        assert check(lock, tmp_path / "in") == []


@pytest.mark.parametrize(
    "name", ["os:system", "../json", "json;pickle", "payload:main", "a.b.c", "", "json\n", "x" * 1_000_000]
)
def test_a_lock_names_a_registered_codec_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    import bakeoff

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "payload.py").write_text("import pathlib; pathlib.Path('imported').touch()")
    text = f'version = 1\n[codec]\nname = {json.dumps(name)}\n[codec.requires]\nPython = ""\n'
    (tmp_path / "bakeoff.lock").write_text(text)

    with pytest.raises(RunError):
        bakeoff.fastest()
    assert not (tmp_path / "imported").exists()
