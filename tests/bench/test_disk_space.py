"""A folder for temporary files that fills up in the midst of a run, really."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from bakeoff.bench.disk_space import NoDiskSpace, is_full, needing_room
from bakeoff.bench.results import read
from bakeoff.bench.run.journal import journal_path
from hurried import BAKEOFF
from installed import install

ROOT = Path(__file__).parents[2]
NO_ROOM = "no space left in"

FILLER = """
import json, os, sys, tempfile
from bakeoff.codecs import Codec

def fill(record):
    if os.environ["WHEN"] in sys.modules:
        try:
            with open(os.path.join(tempfile.gettempdir(), "filler"), "wb", buffering=0) as file:
                for _ in range(4 << 10):
                    file.write(bytes(1 << 10))
        except OSError:
            pass
    return json.dumps(record).encode()

def fills():
    return Codec(name="fills", format="json", encode=fill, decode=json.loads, preserves={"str", "int"})
"""


@pytest.fixture
def filler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "package"
    install(package, "filler", FILLER, ["fills"])
    monkeypatch.setenv("PYTHONPATH", str(package))
    (tmp_path / "small").mkdir()
    return tmp_path


def run(
    folder: Path, *arguments: str, room: str | None = None, temporary: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run to the end, with so much room in the folder ``small``, which is for temporary files or not."""
    command = [*BAKEOFF, "run", *arguments]
    if room is not None:
        small = shlex.quote(str(folder / "small"))
        mounted = f"mount -t tmpfs -o size={room} tmpfs {small} && exec {shlex.join(command)}"
        command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted]
    environment = {**os.environ, "TMPDIR": str(folder / "small" if temporary else folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


SMALL = ["movies", "--records", "200", "--sample", "50", "-c", "fills,json"]
SMALL += ["--all", "--budget", "0", "-o", "out.json"]


@pytest.mark.usefixtures("mountable")
class TestFull:
    @pytest.mark.slow
    def test_no_codec_is_blamed_and_the_run_goes_on_where_there_is_room(
        self, filler: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("WHEN", "bakeoff.bench.worker.alone")
        full = run(filler, *SMALL, room="1m")
        lines = [json.loads(line) for line in journal_path(filler / "out.json").read_bytes().splitlines()]

        assert full.returncode == 1
        assert full.stderr.startswith(
            f"bakeoff: {NO_ROOM} {filler / 'small'}; free some there, or set TMPDIR"
        )
        assert "`bakeoff run --resume out.json` continues" in full.stderr
        assert {line["found"]["outcome"] for line in lines if line["kind"] == "cell"} <= {"ok", "lossy"}
        assert any(line["kind"] == "process" for line in lines)

        monkeypatch.setenv("WHEN", "never")
        done = run(filler, "--resume", "out.json", "--all", "--budget", "0")
        assert done.returncode == 0, done.stderr
        assert {cell.outcome for cell in read(filler / "out.json").cells} <= {"ok", "lossy"}

    @pytest.mark.slow
    def test_nothing_is_left_where_nothing_was_measured(
        self, filler: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("WHEN", "bakeoff.bench.worker.check")
        full = run(filler, *SMALL, room="1m")

        assert full.returncode == 1
        assert NO_ROOM in full.stderr
        assert "--resume" not in full.stderr
        assert sorted(path.name for path in filler.iterdir()) == ["package", "small"]

    @pytest.mark.slow
    def test_records_that_do_not_fit(self, filler: Path) -> None:
        full = run(filler, *SMALL, "--sample", "200", room="32k")

        assert full.returncode == 1
        assert NO_ROOM in full.stderr

    @pytest.mark.slow
    def test_the_disk_of_the_results_is_full(self, filler: Path) -> None:
        output = str(filler / "small" / "out.json")
        arguments = ["movies", "--records", "200", "-c", "json,msgpack", "--all", "--budget", "2", "--ratios"]
        full = run(filler, *arguments, "--precision", "0.0001%", "-o", output, room="16k", temporary=False)

        assert full.returncode == 1
        assert f"{output}.journal: not written: No space left on device; results so far" in full.stderr
        assert f"`bakeoff run --resume {output}` continues" in full.stderr


def test_room_is_tried(tmp_path: Path) -> None:
    """A file that cannot be written shows it, as quotas are not visible in the size of a disk."""
    before = is_full(tmp_path)
    (tmp_path / "room").symlink_to("/dev/full")

    assert (before, is_full(tmp_path)) == (False, True)
    assert list(tmp_path.iterdir()) == []


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(NoDiskSpace, match="free some there"), needing_room(tmp_path):
        Path("/dev/full").write_bytes(b"x")
    with pytest.raises(FileNotFoundError), needing_room(tmp_path):
        (tmp_path / "none").read_bytes()


OF_THEIR_OWN = {
    "bench/orphans.py": "makes the folders that the next run removes",
    "bench/operations/growth.py": "in the folder of a worker, which goes with that of its run",
    "bench/backends/stores/pool.py": "in the folder of a worker, too",
    "bench/foreign/builds.py": "in the cache, where the next build removes it",
    "bench/run/releases.py": "in the cache, for a release that is being fetched",
    "schemas/wire/languages/proto_compiler.py": "has a definition for the second of its compiler",
}
"""Modules that make folders for temporary files by themselves."""


def test_the_next_run_removes_all_folders_of_one_that_was_killed() -> None:
    making = re.compile(r"\b(TemporaryDirectory|mkdtemp)\(")
    found = {
        path.relative_to(ROOT).as_posix()
        for room in ("bench", "codecs", "datasets", "reports", "schemas", "src/bakeoff")
        for path in (ROOT / room).rglob("*.py")
        if making.search(path.read_text())
    }

    assert found == set(OF_THEIR_OWN)
