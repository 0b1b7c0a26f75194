"""Files that others have put where commands write and read: none is written through, and none blocks."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.bench import past
from bakeoff.bench.foreign import builds
from bakeoff.bench.results import read
from bakeoff.bench.run.interleaved import options_of
from bakeoff.bench.run.journal import journal_path
from bakeoff.bench.run.machines.addresses import LOCAL
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.several import Several
from bakeoff.errors import UsageError
from inprocess import bakeoff
from madeup import planted as planted_result

DATA = Path(__file__).parent / "data" / "results" / "version-1.json"
LINES = '{"id": 1, "name": "a"}\n{"id": 2, "name": "b"}\n'

KINDS = ("link", "dangling", "pipe", "device", "folder", "another's")


class Place:
    """A working folder, and another one that no command names."""

    def __init__(self, top: Path) -> None:
        self.folder, self.outside = top / "work", top / "outside"
        self.folder.mkdir()
        self.outside.mkdir()
        (self.outside / "precious").write_text("precious")
        (self.folder / "d.jsonl").write_text(LINES)
        (self.folder / "a.json").write_bytes(DATA.read_bytes())

    def plant(self, path: Path, kind: str) -> None:
        """Put something of a kind where a command would write."""
        path.unlink(missing_ok=True)
        if kind == "link":
            path.symlink_to(self.outside / "precious")
        elif kind == "dangling":
            path.symlink_to(self.outside / "new")
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "folder":
            path.mkdir()
        else:
            path.write_text("theirs")
            os.chown(path, 12345, 12345)
        self.before = self._looks(path)
        self.path = path

    @staticmethod
    def _looks(path: Path) -> tuple[int, str]:
        state = path.lstat()
        is_file = stat.S_ISREG(state.st_mode)
        return state.st_ino, path.read_text() if is_file else ""

    def check(self, done: subprocess.CompletedProcess[str]) -> None:
        """Check that nothing changed except new files in the folder, and that there was no traceback."""
        assert ["precious"] == [path.name for path in self.outside.iterdir()]
        assert "precious" == (self.outside / "precious").read_text()
        assert self.before == self._looks(self.path)
        assert done.returncode in (0, 1, 2)
        assert "Traceback" not in done.stderr


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "another's" and os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    return str(request.param)


RUN = ("d.jsonl", "-c", "json", "--ops", "size", "--quick", "--budget", "0", "--all")


def nothing(place: Place) -> None:
    """Leave nothing."""


def begun(place: Place) -> None:
    """Leave the journal of an unfinished run."""
    journal_path(place.folder / "bakeoff.json").write_text('{"kind": "head", "left": "over"}\n')


def finished(place: Place) -> None:
    """Leave the result of another run, and a codec that passes no check."""
    shutil.copy(DATA, place.folder / "bakeoff.json")
    (place.folder / "bad.py").write_text(
        "import bakeoff\nC = bakeoff.Codec('bad', 'json', lambda o: b'', lambda d: None)\n"
    )


def required(place: Place) -> None:
    """Leave requirements before and after an upgrade."""
    (place.folder / "old.txt").write_text("orjson==3.10.0\n")
    (place.folder / "new.txt").write_text("orjson==3.11.0\n")


WRITERS: dict[str, tuple[str, Callable[[Place], None], tuple[str, ...]]] = {
    "result": ("bakeoff.json", nothing, ("run", *RUN)),
    "journal": ("bakeoff.json.journal", nothing, ("run", *RUN)),
    "journal-typed": ("x.json.journal", nothing, ("run", *RUN, "-o", "x.json")),
    "journal-resumed": ("a.json.journal", nothing, ("run", "--resume", "a.json")),
    "aside": ("bakeoff.json.journal.old", begun, ("run", *RUN)),
    "kept": ("bakeoff.20261123T113620Z.json", finished, ("run", *RUN)),
    "failed": ("bakeoff.failed.json", finished, ("run", "d.jsonl", "-c", "bad=bad.py:C", *RUN[3:])),
    "upgrade": ("upgrade.json", required, ("upgrade", "old.txt", "--to", "new.txt", "d.jsonl", "--offline")),
    "stores": ("stores.json", nothing, ("stores", "d.jsonl", "-c", "json", "--budget", "1s")),
    "pipeline": ("pipeline.json", nothing, ("pipeline", "d.jsonl", "-c", "json", "--all")),
    "watch": ("watch.json", nothing, ("watch", "--", sys.executable, "-c", "import json; json.dumps([1])")),
    "records": (
        "watch.msgpack",
        nothing,
        ("watch", "--", sys.executable, "-c", "import json; json.dumps(1)"),
    ),
    "records-typed": (
        "x.msgpack",
        nothing,
        ("watch", "-o", "x.json", "--", sys.executable, "-c", "import json; json.dumps(1)"),
    ),
    "lock": ("bakeoff.lock", nothing, ("pick", "a.json", "--write", "--trusted", "--allow-loss", "--force")),
    "export": ("out/json.json", nothing, ("report", "a.json", "-f", "pyperf", "-o", "out")),
}
"""A file that a command writes and the user does not name, what is there before, and the command."""


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_written_where_others_have_put_something(tmp_path: Path, name: str, kind: str) -> None:
    file, prepare, command = WRITERS[name]
    place = Place(tmp_path)
    prepare(place)
    (place.folder / file).parent.mkdir(exist_ok=True)
    place.plant(place.folder / file, kind)

    place.check(bakeoff(place.folder, *command))


def test_a_lock_that_is_a_link_is_written_only_if_it_is_named(tmp_path: Path) -> None:
    place = Place(tmp_path)
    lock = place.outside / "precious"
    lock.write_text("version = 1\n[codec]\nname = 'json'\nformat = 'json'\nrequires = {}\n")
    (place.folder / "bakeoff.lock").symlink_to(lock)
    before, write = lock.read_bytes(), ("pick", "a.json", "--write", "--trusted", "--allow-loss", "--force")
    found, named = bakeoff(place.folder, *write), bakeoff(place.folder, *write, "--lock", "bakeoff.lock")

    assert (2, 0) == (found.returncode, named.returncode)
    assert "it is a link, which is not followed; remove it, or name it with --lock" in found.stderr
    assert (place.folder / "bakeoff.lock").is_symlink()
    assert before != lock.read_bytes()


@pytest.mark.slow
def test_a_result_file_that_is_a_link_is_written_only_if_it_is_named(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.plant(place.folder / "bakeoff.json", "dangling")
    found = bakeoff(place.folder, "run", *RUN)
    place.check(found)
    named = bakeoff(place.folder, "run", *RUN, "-o", "bakeoff.json")

    assert (2, 0) == (found.returncode, named.returncode)
    assert "bakeoff.json: not written, as it is a link" in found.stderr
    assert read(place.outside / "new").cells


def test_the_files_of_several_machines_are_not_links(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.plant(place.folder / "x-b.json", "dangling")
    options = Options(("d.jsonl",), ("json",))
    machines = [replace(LOCAL, name=name) for name in ("a", "b")]
    several = Several(options, place.folder / "x.json", machines, show=lambda name: lambda *step: None)

    with pytest.raises(UsageError, match=r"x-b\.json: not written, as it is a link"):
        several.run()


def test_past_runs_are_kept_in_no_link_that_was_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    monkeypatch.delenv(past.VARIABLE)
    monkeypatch.setenv("XDG_STATE_HOME", str(place.folder))
    monkeypatch.setattr(past, "rows_of", lambda result: [past.PastCell("a", "b", "c", 0.0, 0.0, 0.0)])
    (place.folder / "bakeoff").mkdir()
    place.plant(place.folder / "bakeoff" / "past-runs.sqlite", "dangling")

    assert "it is a link" in past.remember(planted_result())
    assert not (place.outside / "new").exists()


def test_a_build_writes_through_no_link(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.folder / "lock").symlink_to(place.outside / "precious")
    log = place.folder / "pypy.log"
    place.plant(log, "link")

    with pytest.raises(OSError, match="it is a link"):
        builds._run(builds.LANGUAGES["pypy"], (sys.executable, "--version"), tmp_path, log, offline=True)
    with pytest.raises(OSError, match="it is a link"):
        builds._alone(place.folder, lambda text, done, total: None).__enter__()
    assert "precious" == (place.outside / "precious").read_text()


WATCH = ("watch", "-o", "events.json")
DUMPING = ("--", sys.executable, "-c", "import json; json.dumps({'id': 1})")


@pytest.mark.slow
def test_a_watch_replaces_only_records_that_it_has_written(tmp_path: Path) -> None:
    records = tmp_path / "events.msgpack"
    first, again = bakeoff(tmp_path, *WATCH, *DUMPING), bakeoff(tmp_path, *WATCH, *DUMPING)
    written = records.read_bytes()
    records.write_bytes(b"my own data")
    mine, without = bakeoff(tmp_path, *WATCH, *DUMPING), bakeoff(tmp_path, *WATCH, "--no-records", *DUMPING)
    (tmp_path / "events.json").unlink()
    alone = bakeoff(tmp_path, *WATCH, *DUMPING)

    assert [0, 0, 2, 0, 2] == [done.returncode for done in (first, again, mine, without, alone)]
    assert written
    assert b"my own data" == records.read_bytes()
    assert "events.msgpack: exists, and the watch in events.json has not written it" in mine.stderr


def test_no_pipe_is_read_that_only_a_result_names(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "orders.jsonl")
    run = replace(read(DATA), options=Options(("orders.jsonl",), ("json",)).flat())

    with pytest.raises(UsageError, match=r"cannot read .*orders\.jsonl again"):
        options_of(run, (), named=[str(tmp_path / "orders.jsonl")], schema=None, trust_files=False)


READERS = {
    "report": ("r.json", "report r.json"),
    "page": ("r.json", "report r.json -f html -o r.html"),
    "compare": ("r.json", "compare a.json r.json"),
    "pick": ("r.json", "pick r.json --trusted"),
    "history": ("r.json", "history r.json"),
    "verify": ("r.json", "verify r.json"),
    "resume": ("r.json", "run --resume r.json"),
    "zipped": ("r.json.gz", "report r.json.gz"),
    "requirements": ("r.txt", "upgrade r.txt --to r.txt d.jsonl"),
    "lock": ("bakeoff.lock", "pick --check"),
    "lock-typed": ("r.lock", "pick --check --lock r.lock"),
    "schema": ("r.avsc", "run d.jsonl --schema r.avsc"),
    "message": ("r.proto", "run d.jsonl --schema r.proto#R"),
    "profile": ("r.profile.json", "generate --profile r.profile.json -n 1"),
}
"""A file that a command reads, and the command."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", READERS)
def test_endless_files_are_refused_at_once(tmp_path: Path, name: str, kind: str) -> None:
    file, command = READERS[name]
    place = Place(tmp_path)
    place.plant(place.folder / file, kind)
    done = bakeoff(place.folder, *command.split())

    place.check(done)
    assert done.returncode in (1, 2)
    assert "not a regular file" in done.stderr or "is a device" in done.stderr
    assert 1 == done.stderr.count("bakeoff: ")
