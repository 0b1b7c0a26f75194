"""Files that ``-o`` must not overwrite, in every command with it; and output to a terminal."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bakeoff.escape import without_passwords
from inprocess import bakeoff
from launched import on_terminal

DATA = Path(__file__).parent / "data" / "results" / "version-1.json"
LINES = b'{"id": 1}\n{"id": 2}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(DATA.read_bytes())
    for name in ("rows.jsonl", "rows.py"):
        (tmp_path / name).write_bytes(LINES)
    zipped = gzip.compress(DATA.read_bytes())
    (tmp_path / "kept.json.gz").write_bytes(zipped)
    (tmp_path / "cut.json.gz").write_bytes(zipped[:-100])
    (tmp_path / "circle.json").symlink_to("circle.json")
    (tmp_path / "orders.avsc").write_text('{"type": "record", "name": "R", "fields": []}')
    (tmp_path / "sub").mkdir()
    return tmp_path


WRITERS = (
    "convert rows.jsonl {}",
    "generate movies -n 2 -o {}",
    "generate --like rows.jsonl --save-profile {}",
    "report a.json -f bencher -o {}",
    "compare a.json b.json --force -o {}",
    "survey rows.jsonl -o {}",
    "survey rows.jsonl --schema-to {}",
    "run rows.jsonl -c json --ops size --quick --budget 0 -o {}",
    "watch -o {} -- true",
)
"""Commands that write a file which is named."""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("report a.json -o a.json", "a.json: is an input of this command"),
        ("report a.json -o ../{folder}/a.json", "a.json: is an input of this command"),
        ("report a.json -f json -o b.json", "b.json: is a result file"),
        ("report a.json -f bencher -o b.json", "b.json: is a result file"),
        ("compare a.json b.json -o a.json", "a.json: is an input of this command"),
        ("compare a.json b.json -o b.json", "b.json: is an input of this command"),
        ("pick a.json --trusted --allow-loss --write --lock a.json", "a.json: this command writes no .json;"),
        ("generate movies -n 2 -o a.json", "a.json: is a result file"),
        ("convert rows.jsonl a.json", "a.json: is a result file"),
        ("schema infer rows.jsonl -o rows.jsonl", "rows.jsonl: this command writes no .jsonl"),
        ("schema infer rows.py --from jsonl -o rows.py", "rows.py: is an input of this command"),
        ("schema infer movies -n 5 -o rows.jsonl", "rows.jsonl: this command writes no .jsonl"),
        ("schema infer rows.jsonl -o a.json", "a.json: this command writes no .json;"),
    ],
)
def test_nothing_is_lost_to_an_output(folder: Path, line: str, said: str) -> None:
    before = contents(folder)
    done = bakeoff(folder, *line.format(folder=folder.name).split())

    assert 2 == done.returncode, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert before == contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", ["kept.json.gz", "cut.json.gz", "circle.json", "sub", "x" * 300 + ".json"])
@pytest.mark.parametrize("line", WRITERS)
def test_no_command_writes_to_what_is_no_place_for_a_file(folder: Path, line: str, name: str) -> None:
    """The exit code is 2, as 1 is the answer of some commands."""
    before = contents(folder)
    done = bakeoff(folder, *line.format(name).split())

    assert 2 == done.returncode, done.stderr
    assert 1 == done.stderr.count("bakeoff: ")
    assert before == contents(folder)
    assert (folder / "circle.json").is_symlink()


@pytest.mark.parametrize("line", WRITERS)
def test_commands_write_to_a_new_name(folder: Path, line: str) -> None:
    name = "new.py" if "--schema-to" in line else "new.json"
    done = bakeoff(folder, *line.format(name).split())

    assert 0 == done.returncode, done.stderr
    assert (folder / name).is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "report a.json -o out.json",
        "report a.json -o out.html",
        "report a.json -f pyperf -o out",
        "compare a.json b.json -f json -o out.json",
        "generate movies -n 2 -o out.json",
        "convert rows.jsonl rows.jsonl",
        "schema infer rows.jsonl -o out.py",
    ],
)
def test_outputs_are_written_over(folder: Path, line: str) -> None:
    for _ in range(2):
        done = bakeoff(folder, *line.split())

        assert 0 == done.returncode, done.stderr


def test_a_file_in_shared_memory_is_a_file(folder: Path) -> None:
    """Not all that is below /dev is a device: a result file there is kept as anywhere."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        kept = Path(memory) / "r.json"
        kept.write_bytes(DATA.read_bytes())
        done = bakeoff(folder, "report", str(kept), "-o", str(kept))

        assert 2 == done.returncode, done.stderr
        assert "is an input of this command" in done.stderr
        assert DATA.read_bytes() == kept.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_is_written_to_as_it_is(folder: Path, name: str) -> None:
    text = folder / "text"
    with text.open("wb") as file:
        command = [sys.executable, "-P", "-m", "bakeoff", "report", "a.json", "-o", name]
        subprocess.run(command, cwd=folder, stdout=file, check=True)

    assert b"rank" in text.read_bytes()


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "real.txt").write_text("before")
    (folder / "elsewhere" / "real.txt").chmod(0o600)
    (folder / "link.txt").symlink_to("elsewhere/real.txt")
    (folder / "new.txt").symlink_to("elsewhere/none.txt")
    for name in ("link.txt", "new.txt"):
        assert bakeoff(folder, "report", "a.json", "-o", name).returncode == 0

    assert (folder / "link.txt").is_symlink()
    assert (folder / "new.txt").is_symlink()
    assert "rank" in (folder / "elsewhere" / "real.txt").read_text()
    assert "rank" in (folder / "elsewhere" / "none.txt").read_text()
    assert (folder / "elsewhere" / "real.txt").stat().st_mode & 0o777 == 0o600
    assert len(list((folder / "elsewhere").iterdir())) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("no_color", "styled"), [("", True), ("1", False)])
@pytest.mark.parametrize(("line", "word"), [("report a.json", b"rank"), ("codecs", b"media type")])
def test_no_color(folder: Path, line: str, word: bytes, no_color: str, styled: bool) -> None:
    settings = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    settings |= {"TERM": "xterm-256color", "COLUMNS": "200"} | ({"NO_COLOR": no_color} if no_color else {})
    code, written = on_terminal([sys.executable, "-P", "-m", "bakeoff", *line.split()], folder, settings)

    assert 0 == code
    assert word in written
    assert styled is (b"\x1b[" in written)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("--store=redis://:geheim@host:1/0", "--store=redis://:***@host:1/0"),
        ("mysql+pymysql://me:ge@he/im@host/db", "mysql+pymysql://me:***@host/db"),
        ("postgresql://host/db?user=me&password=geheim&x=1", "postgresql://host/db?user=me&password=***&x=1"),
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("mydata.jsonl --at $.a:b@c", "mydata.jsonl --at $.a:b@c"),
    ],
)
def test_passwords_of_urls_are_not_shown(text, shown):
    assert shown == without_passwords(text)


@pytest.mark.parametrize("part", ["pass", "http://", ":/a:", "&;", "?pass-"])
def test_secrets_are_searched_in_texts_of_any_length(part):
    """A regular expression that goes back for each part would take hours."""
    text = "?" + part * 500_000

    assert f"{text}?pwd=***" == without_passwords(f"{text}?pwd=geheim")
