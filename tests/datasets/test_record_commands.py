"""``bakeoff generate``, ``convert`` and ``corpora``, as users run them: complete files or none."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import stat
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

import inprocess
from bakeoff import _progress, console, datasets
from bakeoff.commands import _records
from untraced import untraced

BAKEOFF = [sys.executable, "-m", "bakeoff"]


def bakeoff(*arguments: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    if not options:
        return inprocess.bakeoff(cwd, *arguments)
    return subprocess.run(
        [*BAKEOFF, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def one_line(error: str) -> str:
    lines = error.strip().splitlines()

    assert 1 == len(lines), error
    assert "Traceback" not in error
    return lines[0]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestGenerate:
    def test_file_has_the_hash_of_the_corpus(self, tmp_path: Path) -> None:
        done = bakeoff("generate", "messages", "-n", "50", "--seed", "7", "-o", "m.jsonl", cwd=tmp_path)
        content = (tmp_path / "m.jsonl").read_bytes()

        assert 0 == done.returncode
        assert "" == done.stdout
        assert "m.jsonl: 50 records" == one_line(done.stderr)
        assert datasets.corpus("messages", 50, seed=7).sha256 == hashlib.sha256(content).hexdigest()
        assert ["m.jsonl"] == names(tmp_path)
        assert 0o644 == stat.S_IMODE((tmp_path / "m.jsonl").stat().st_mode) & 0o644

    @pytest.mark.parametrize(
        "ending", ["json", "csv", "msgpack.gz", "bson.bz2", "yaml.xz", "cbor.zst", "pickle"]
    )
    def test_formats(self, tmp_path: Path, ending: str) -> None:
        done = bakeoff("generate", "movies", "-n", "SM", "-o", f"m.{ending}", cwd=tmp_path)
        back = datasets.corpus(tmp_path / f"m.{ending}", trust_files=True)

        assert 0 == done.returncode, done.stderr
        assert list(datasets.corpus("movies", 100).records()) == list(back.records())

    def test_same_bytes_again(self, tmp_path: Path) -> None:
        """Compressed files carry no time of day."""
        for name in ("a", "b"):
            bakeoff("generate", "text", "-n", "20", "-o", f"{name}.jsonl.gz", cwd=tmp_path)

        assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()

    def test_standard_output(self, tmp_path: Path) -> None:
        done = bakeoff("generate", "movies", "-n", "3", cwd=tmp_path)

        assert list(datasets.corpus("movies", 3).records()) == [
            json.loads(line) for line in done.stdout.splitlines()
        ]
        assert "" == done.stderr

    @pytest.mark.slow
    def test_standard_output_by_its_path(self, tmp_path: Path) -> None:
        """/dev/stdout is written to, even where it leads to a file, and never replaced."""
        with (tmp_path / "out").open("wb") as out:
            command = [*BAKEOFF, "generate", "movies", "-n", "2", "-o", "/dev/stdout", "--format", "jsonl"]
            done = subprocess.run(command, stdout=out, check=False)

        assert 0 == done.returncode
        assert 2 == len((tmp_path / "out").read_text().splitlines())
        assert Path("/dev/stdout").is_symlink()

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["m.jsonl", "m.jsonl.gz", "m.jsonl.zst", "m.msgpack"])
    def test_full_disk(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("old")

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        # Coverage would write its own file beyond the limit.
        done = bakeoff(
            "generate", "movies", "-n", "20000", "-o", name, cwd=tmp_path, preexec_fn=limited, env=untraced()
        )

        assert 1 == done.returncode
        assert f"{name}: not written: File too large" in one_line(done.stderr)
        assert [name] == names(tmp_path)
        assert "old" == (tmp_path / name).read_text()

    @pytest.mark.slow
    def test_interrupt(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text(
            "import os, signal\n"
            # In the background, child processes inherit that Ctrl-C is ignored.
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "def records():\n"
            "    for n in range(10**9):\n"
            "        if n == 100_000:\n"
            "            assert any(entry.name.startswith('.m.jsonl') for entry in os.scandir())\n"
            "            os.kill(os.getpid(), signal.SIGINT)\n"
            "        yield n\n"
        )
        done = bakeoff("convert", "mine:records", "m.jsonl.gz", cwd=tmp_path, stdin=subprocess.DEVNULL)

        assert 130 == done.returncode
        assert "bakeoff: interrupted" == one_line(done.stderr)
        assert [] == [name for name in names(tmp_path) if "jsonl" in name]

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["movis"], 2, "did you mean movies"),
            (["data.jsonl"], 2, "no built-in corpus"),
            (["movies", "-n", "0"], 2, "at least 1"),
            (["movies", "--seed", "-1"], 2, "--seed"),
            (["movies", "-o", "m.nope"], 2, "--format"),
            (["movies", "-o", "nowhere/m.jsonl"], 2, "no such folder: nowhere"),
            (["messages", "-o", "m.csv"], 1, "record 1 cannot be written as csv"),
        ],
    )
    def test_refusals(self, tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
        done = bakeoff("generate", *arguments, cwd=tmp_path)

        assert code == done.returncode
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert [] == names(tmp_path)


class TestConvert:
    @pytest.mark.slow
    def test_no_standard_input(self, tmp_path: Path) -> None:
        """A shell may have closed it."""
        done = bakeoff(
            "convert", "--from", "jsonl", "-", "a.jsonl", cwd=tmp_path, preexec_fn=lambda: os.close(0)
        )

        assert 1 == done.returncode
        assert "bakeoff: standard input is closed" == one_line(done.stderr)

    def test_there_and_back(self, tmp_path: Path) -> None:
        tour = ["a.jsonl", "b.bson", "c.msgpack.gz", "d.yaml", "e.cbor", "f.json", "g.jsonl"]
        bakeoff("generate", "messages", "-n", "20", "-o", tour[0], cwd=tmp_path)
        for source, target in pairwise(tour):
            done = bakeoff("convert", source, target, cwd=tmp_path)
            assert 0 == done.returncode, done.stderr

        assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "g.jsonl").read_bytes()

    @pytest.mark.slow
    def test_pipe(self, tmp_path: Path) -> None:
        done = bakeoff("convert", "-", "-", "--from", "csv", "-f", "jsonl", cwd=tmp_path, input="a,b\n1,x\n")
        unnamed = bakeoff("convert", "-", "-", cwd=tmp_path, input="a,b\n1,x\n")

        assert '{"a":1,"b":"x"}\n' == done.stdout
        assert 2 == unnamed.returncode
        assert "-f FORMAT" in one_line(unnamed.stderr)

    def test_bad_record(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"a": 1}\nnope\n{"a": 3}\n')
        stopped = bakeoff("convert", "a.jsonl", "b.msgpack", cwd=tmp_path)
        files = names(tmp_path)
        skipped = bakeoff("convert", "a.jsonl", "b.msgpack", "--skip-invalid", cwd=tmp_path)

        assert 1 == stopped.returncode
        assert "a.jsonl, line 2, record 2" in one_line(stopped.stderr)
        assert ["a.jsonl"] == files
        assert 0 == skipped.returncode
        assert "1 bad record skipped" in skipped.stderr
        assert [{"a": 1}, {"a": 3}] == list(datasets.corpus(tmp_path / "b.msgpack").records())

    def test_record_that_the_target_cannot_hold(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"a": 1}\n{"a": {"b": 2}}\n')
        stopped = bakeoff("convert", "a.jsonl", "b.csv", cwd=tmp_path)
        files = names(tmp_path)
        skipped = bakeoff("convert", "a.jsonl", "b.csv", "--skip-invalid", cwd=tmp_path)

        assert 1 == stopped.returncode
        assert "record 2 cannot be written as csv" in one_line(stopped.stderr)
        assert ["a.jsonl"] == files
        assert "a\n1\n" == (tmp_path / "b.csv").read_text()
        assert "record 2: cannot be written" in skipped.stderr

    def test_pickle_needs_trust(self, tmp_path: Path) -> None:
        bakeoff("generate", "types", "-n", "5", "-o", "a.pickle", cwd=tmp_path)
        refused = bakeoff("convert", "a.pickle", "b.msgpack", cwd=tmp_path)
        allowed = bakeoff("convert", "a.pickle", "b.msgpack", "--trust-files", cwd=tmp_path)

        assert 2 == refused.returncode
        assert "--trust-files" in one_line(refused.stderr)
        assert 0 == allowed.returncode

    def test_in_place(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"a": 1}\n\nnope\n')
        done = bakeoff("convert", "a.jsonl", "a.jsonl", "--skip-invalid", cwd=tmp_path)

        assert 0 == done.returncode
        assert '{"a":1}\n' == (tmp_path / "a.jsonl").read_text()


class TestCorpora:
    def test_list(self, tmp_path: Path) -> None:
        text = bakeoff("corpora", cwd=tmp_path).stdout
        facts = json.loads(bakeoff("corpora", "-f", "json", cwd=tmp_path).stdout)

        assert datasets.names() == [fact["name"] for fact in facts]
        assert all(fact["description"] in text for fact in facts)

    def test_describe(self, tmp_path: Path) -> None:
        text = bakeoff("corpora", "movies", "-n", "200", cwd=tmp_path).stdout
        facts = json.loads(bakeoff("corpora", "movies", "-n", "200", "-f", "json", cwd=tmp_path).stdout)
        corpus = datasets.corpus("movies", 200)

        assert corpus.sha256 == facts["sha256"]
        assert corpus.profile() == facts["profile"]
        assert corpus.sha256 in text
        assert "zlib" in text

    def test_file_with_bad_records(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text("1\n" + "nope\n" * 7)
        stopped = bakeoff("corpora", "a.jsonl", cwd=tmp_path)
        skipped = bakeoff("corpora", "a.jsonl", "--skip-invalid", cwd=tmp_path)

        assert 1 == stopped.returncode
        assert "line 2, record 2" in one_line(stopped.stderr)
        assert "7 bad records skipped" in skipped.stderr
        assert "and 2 more" in skipped.stderr
        assert "records       1" in skipped.stdout

    @pytest.mark.slow
    def test_function_in_the_current_folder(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text("def records():\n    return iter([{'a': 1}])\n")
        script = Path(sys.executable).with_name("bakeoff")
        done = subprocess.run(
            [os.fspath(script), "corpora", "mine:records", "-f", "json"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )

        assert 1 == json.loads(done.stdout)["records"]


def test_progress_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Progress] = []

    class Bar(Progress):
        def __enter__(self) -> Bar:
            opened.append(self)
            return self

    monkeypatch.setattr(console, "progress", lambda: Bar(disable=True))
    with _records.slow_progress("quick") as show:
        show(1, 10)
    assert [] == opened

    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    with _records.slow_progress("slow") as show:
        show(2, 10)
        show(7, 10)
        assert [("slow", 7, 10)] == [
            (task.description, task.completed, task.total) for bar in opened for task in bar.tasks
        ]
