"""What files, paths and libraries say cannot control the terminal, and passwords are not printed."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from bakeoff.cli import main
from bakeoff.console import console, escaped_output, live_display, show_on, show_table
from bakeoff.escape import without_passwords
from hostile_files import KINDS, FileKind, Place, changed, places, steering, texts
from inprocess import bakeoff
from launched import on_terminal

ROOT = Path(__file__).parents[1]
HOSTILE = "\x1b[2J\x1b]0;x\x07\u202e\x9b31m\r\x00\u2066\x7f\b\u061c\u2028[/b]:boom:"
"""It clears the screen, sets the title, rings, turns text around, writes over the line, and is markup."""
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAKEOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def printed(line: str, done: subprocess.CompletedProcess[str]) -> str:
    """Return what a command prints, except records, which are for another program."""
    return done.stderr if line.startswith("generate") else done.stdout + done.stderr


def text_places(plain: Any) -> Iterator[Place]:
    """Iterate over the places with a text."""
    for at in places(plain):
        value = plain
        for step in at:
            value = value[step]
        if isinstance(value, str):
            yield at


def free(kind: FileKind, folder: Path) -> list[Place]:
    """Return the places whose text the quickest command of a kind reads as it is.

    Each place is tried alone, so that errors quote it, too.
    """
    plain, quickest = kind.make(), min(kind.lines, key=lambda line: "bencher" not in line)
    kind.write(folder, kind.encode(plain))
    usual = bakeoff(folder, *quickest.split()).returncode
    found = []
    for at in text_places(plain):
        kind.write(folder, kind.encode(changed(plain, at, f"a{HOSTILE}")))
        done = bakeoff(folder, *quickest.split())

        assert not steering(printed(quickest, done)), at
        assert done.returncode in (0, 1, 2), at
        assert "Traceback" not in done.stderr, at
        if done.returncode == usual:
            found.append(at)
    return found


def hostile(kind: FileKind, folder: Path) -> bytes:
    """Return a file with hostile text in all places that take any."""
    taken = {tuple(step for step in at if isinstance(step, str)) for at in free(kind, folder)}

    def change(at: Place, text: str) -> str:
        return text + HOSTILE if tuple(step for step in at if isinstance(step, str)) in taken else text

    return kind.encode(texts(kind.make(), change))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.lines])
def test_no_text_of_a_file_controls_the_terminal(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    kind.write(tmp_path, hostile(kind, tmp_path))
    codes = []
    for line in kind.lines:
        done = bakeoff(tmp_path, *line.split())
        codes.append(done.returncode)

        assert not steering(printed(line, done)), line
        assert "Traceback" not in done.stderr, line
    for line in kind.lines[:1]:
        monkeypatch.setenv("FORCE_COLOR", "1")
        done = bakeoff(tmp_path, *line.split())

        assert not steering(_COLORS.sub("", printed(line, done))), line
    if name in ("result", "watch", "records", "profile"):
        assert 0 in codes


@pytest.mark.slow
def test_records_do_not_control_a_terminal(tmp_path: Path) -> None:
    kind = KINDS["records"]
    kind.write(tmp_path, hostile(kind, tmp_path))
    command = [sys.executable, "-P", "-m", "bakeoff", "convert", "new.jsonl", "-", "--format", "jsonl"]
    code, written = on_terminal(command, tmp_path)

    assert 0 == code
    assert b"\\u202e" in written
    assert not steering(written.decode())


@pytest.mark.slow
def test_no_name_controls_the_terminal(tmp_path: Path) -> None:
    name = f"a{HOSTILE.replace('/', '').replace(chr(0), '')}"
    (tmp_path / f"{name}.jsonl").write_text('{"id": 1}\n{"id": 2')
    (tmp_path / name).mkdir()
    for line in (
        ["report", name], ["report", f"{name}.jsonl"], ["compare", name, name], ["history", name],
        ["corpora", f"{name}.jsonl"], ["schema", "infer", f"{name}.jsonl"], ["schema", "show", name],
        ["convert", f"{name}.jsonl", "out.json"], ["run", name], ["run", f"{name}.jsonl", "--dry-run"],
        ["run", "-c", name], ["run", "--on", name], ["run", "--ops", name], ["codecs", name], ["pick", name],
        ["upgrade", name, "--to", name, name], [name], [f"--{name}"], ["releases", name, name],
        ["generate", "--like", f"{name}.jsonl"], ["generate", "--profile", f"{name}.jsonl"], ["attack", name],
        ["verify", name], ["survey", name], ["fidelity", "-c", name], ["readers", name], ["upgrade", name],
        ["evolve", name, name],
    ):  # fmt: skip
        done = bakeoff(tmp_path, *line)

        assert 0 != done.returncode or "jsonl" in line[1], line
        assert not steering(done.stdout + done.stderr), line
        assert "Traceback" not in done.stderr, line


class Streams:
    """Standard streams in memory, of a terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, encoding: str = "utf-8") -> None:
        self.out, self.err = (io.TextIOWrapper(io.BytesIO(), encoding, newline="") for _ in range(2))
        monkeypatch.setattr(sys, "stdout", self.out)
        monkeypatch.setattr(sys, "stderr", self.err)

    def written(self) -> str:
        parts = []
        for stream in (self.out, self.err):
            stream.flush()
            assert isinstance(stream.buffer, io.BytesIO)
            parts.append(stream.buffer.getvalue().decode())
        return _COLORS.sub("", "".join(parts))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize(
    "way",
    [
        lambda text: click.echo(text),
        lambda text: click.echo(text.encode("utf-8", "replace")),
        lambda text: click.secho(text, fg="red", err=True),
        lambda text: print(text, file=sys.stderr),
        lambda text: sys.stdout.buffer.write(text.encode()),
        lambda text: sys.stdout.writelines([text, text]),
        lambda text: console().print(text),
        lambda text: console(stderr=True).print(text, style="bold"),
        lambda text: show_table([text], [[text], [(text, "bold")]]),
    ],
)  # fmt: skip
def test_no_way_of_printing_controls_the_terminal(
    way: Any, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = Streams(monkeypatch, encoding)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with escaped_output():
        way(f"{HOSTILE}é")

    assert "\\x1b" in streams.written()
    assert not steering(streams.written())


_ROOMS = ("src/bakeoff", "reports", "bench")
_NO_TERMINAL = ("reports/page", "bench/lab")


def signs() -> Iterator[str]:
    """Iterate over the signs and units in texts of ours that a terminal may show."""
    for path in (file for room in _ROOMS for file in (ROOT / room).rglob("*.py")):
        if any(ROOT / other in path.parents for other in _NO_TERMINAL):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from (c for c in node.value if not c.isascii() and (c in "µσ" or not c.isalpha()))


def test_terminals_without_our_signs_get_others(monkeypatch: pytest.MonkeyPatch) -> None:
    used = "".join(sorted(set(signs())))
    streams = Streams(monkeypatch, "ascii")
    with escaped_output():
        print(used)
        print("1.2 µs ±3 %, 1.13×; München")

    assert set("±×µ≈↓→") <= set(used)
    assert "?" not in streams.written().splitlines()[0]
    assert "1.2 us +-3 %, 1.13x; M?nchen" == streams.written().splitlines()[1]


def test_neither_does_an_unexpected_error(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(HOSTILE)

    monkeypatch.setattr("bakeoff.cli.bakeoff.main", fail)
    with pytest.raises(SystemExit) as ended:
        main(["codecs"])

    assert 1 == ended.value.code
    assert "Traceback" in streams.written()
    assert not steering(streams.written())


def test_neither_does_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch)
    monkeypatch.setattr(streams.out, "isatty", lambda: True, raising=False)
    with escaped_output(), live_display() as display:
        display.write(HOSTILE)
        show_on(display.progress)(f"reading {HOSTILE} https://me:GEHEIM@h/x", 1, 2)

    assert not steering(re.sub(r"\x1b\[\?25[lh]|\x1b\[\d*[AK]|\r", "", streams.written()))
    assert "GEHEIM" not in streams.written()


def test_a_step_does_not_inherit_the_time_left_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    Streams(monkeypatch)
    with live_display() as display:
        show = show_on(display.progress)
        (task,) = display.progress.tasks
        for done in (0, 10, 20, 90):
            show("reading", done, 100)
        assert task.time_remaining is not None
        show("timing", 5, 100)
        assert task.time_remaining is None
        for done in (10, 20, 90):
            show("timing", done, 100)
        assert task.time_remaining is not None
        show("finishing", 0, 0)
        assert task.time_remaining is None
        show("finishing, still", -1, 0)

    assert "finishing, still" == task.description


SPELLINGS = (
    "https://user:GEHEIM@127.0.0.1:9/x", "https://GEHEIM@127.0.0.1:9/x", "HTTPS://u:a@GEHEIM@127.0.0.1:9/",
    "redis://:GEHEIM@127.0.0.1:9/0", "redis:/u:GEHEIM@h", "postgresql://127.0.0.1:9/db?user=me&password=GEHEIM",
    "ssh://me:GEHEIM@127.0.0.1:9", "kafka://u:GEHEIM@127.0.0.1:9", "nats://h:9?token=GEHEIM",
    "mongodb://u:GEHEIM@h:9,u:GEHEIM@h:8/db", "git+https://u:GEHEIM@h/x", "s3://k:GEHEIM@b/x",
    "https://h/x?X-Amz-Signature=GEHEIM", "x://h?sasl_password=GEHEIM",
)  # fmt: skip
LINES = (
    "run {}", "run r.jsonl --on {}", "run r.jsonl -c {}", "run r.jsonl -c x={}", "run r.jsonl --schema {}",
    "run r.jsonl --baseline {}", "run r.jsonl --ops get@{}", "run r.jsonl --readers {}",
    "run r.jsonl --wheel {} --on ssh://h:9", "run r.jsonl --dry-run -o {}",
    "stores r.jsonl --store {} -c json", "pipeline r.jsonl --transport {} -c json",
    "pipeline r.jsonl --server pipe={}", "survey {}",
    "survey r.jsonl --on {}", "corpora {}", "convert {} out.csv", "convert r.jsonl {}", "generate --like {}",
    "generate --profile {}", "schema show {}", "schema infer {}", "report {}", "compare {} {}", "history {}",
    "pick {}", "verify {}", "releases {} r.jsonl", "releases orjson {} --offline", "codecs {}", "attack {}",
    "fidelity -c {}", "readers {}", "once dump {} r.jsonl", "once dump json {}", "evolve {} {}", "watch {}",
    "upgrade {} --to {} r.jsonl", "{}",
)  # fmt: skip
REQUIREMENTS = (
    "orjson @ {}",
    "{}",
    "-e {}",
    "-i {}\norjson==3",
    "orjson=={}",
    "cbor2 ; {}",
    "orjson>=3 # {}",
)


@pytest.mark.parametrize("url", SPELLINGS)
def test_a_password_is_hidden_in_each_spelling(url: str) -> None:
    assert "GEHEIM" not in without_passwords(f"{url}: cannot be reached, ({url})")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(LINES)))
def test_no_command_prints_a_password(tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    for turn in range(3):
        url = SPELLINGS[(5 * number + turn) % len(SPELLINGS)]
        done = bakeoff(tmp_path, *LINES[number].format(url, url).split())

        assert "GEHEIM" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"GEHEIM" in path.read_bytes()]


@pytest.mark.parametrize("line", REQUIREMENTS)
def test_no_password_of_a_requirement_is_printed(tmp_path: Path, line: str) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": 1}\n')
    for url in SPELLINGS:
        (tmp_path / "a.txt").write_text(f"{line.format(url)}\n")
        done = bakeoff(tmp_path, "upgrade", "a.txt", "--to", "a.txt", "r.jsonl")

        assert "GEHEIM" not in done.stdout + done.stderr


def test_standard_streams_are_put_back() -> None:
    before = sys.stdout, sys.stderr
    with escaped_output():
        assert before != (sys.stdout, sys.stderr)

    assert before == (sys.stdout, sys.stderr)
    assert os.fstat(1)
