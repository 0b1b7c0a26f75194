"""Kill, interrupt, resume and lock, with real processes."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import psutil
import pytest

from bakeoff.bench.ledger import HeadEntry, ProcessEntry, WarningEntry, decode, encode
from bakeoff.bench.results import FORMAT_VERSION, GrowthFacts, ResultData, read
from bakeoff.bench.run.journal import Journal, journal_path
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.run.session import stored_options
from bakeoff.bench.run.state import State, entries
from bakeoff.errors import RunError, UsageError
from hurried import BAKEOFF
from inprocess import run
from installed import install
from launched import launch, wait

VERSION = metadata.version("bakeoff")
RUN = [*BAKEOFF, "run"]
REAL = [sys.executable, "-P", "-m", "bakeoff", "run"]
"""For tests of the processes themselves."""
FEW = ["--records", "200", "--sample", "50", "-c", "msgpack,json", "-o", "out.json"]
SMALL = [*FEW, "--no-memory"]
UNTIMED = [*FEW, "--quick", "--all", "--budget", "0", "--ops", "size"]
"""All of a run except its timing, for tests of the checks before it is continued."""
ENDLESS = ["movies", *SMALL, "--budget", "600", "--precision", "0.0001%", "--ratios"]


class Endless:
    """A run that would go on for ten minutes."""

    def __init__(self, folder: Path, command: Sequence[str] = REAL) -> None:
        self.journal = journal_path(folder / "out.json")
        self.process = subprocess.Popen(
            [*command, *ENDLESS],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Under `nohup`, child processes inherit that the signal is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )

    def wait_for_processes(self, number: int) -> int:
        wait(self.process, lambda: timing_processes(self.journal) >= number)
        assert self.process.poll() is None, self.process.communicate()
        return timing_processes(self.journal)

    def end(self, signal_number: int) -> tuple[str, str]:
        self.process.send_signal(signal_number)
        return self.process.communicate(timeout=600)


def timing_processes(journal: Path) -> int:
    if not journal.exists():
        return 0
    return sum(line.startswith(b'{"kind": "process"') for line in journal.read_bytes().splitlines())


def pairs(result: ResultData, codec: str = "msgpack") -> list[int]:
    found = result.cell("movies", "dump", codec)
    assert found is not None
    return [sample.pair for sample in found.samples]


def hang(run: int) -> int:
    while True:
        for worker in psutil.Process(run).children():
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                handle = os.pidfd_open(worker.pid)
                worker.suspend()
                if any("_slice" in part.path for part in worker.memory_maps()):
                    return handle
                worker.resume()
                os.close(handle)


class TestKill:
    @pytest.mark.slow
    def test_what_was_finished_survives_kill_9_and_is_gone_on_with(self, tmp_path: Path) -> None:
        """After SIGKILL the journal has all finished processes; --resume adds to them.

        A kill in the middle of writing costs that line only; the duration is that of all parts of the run.
        """
        endless = Endless(tmp_path)
        before = endless.wait_for_processes(2)
        endless.end(signal.SIGKILL)
        written = endless.journal.read_bytes().splitlines(keepends=True)
        # The kill may have cut off the last line.
        lines = [json.loads(line) for line in written if line.endswith(b"\n")]
        spent = max(line["spent"] for line in lines if line["kind"] == "process")
        with endless.journal.open("ab") as file:
            file.write(b'{"kind": "process", "corp')
        done = run(tmp_path, "--resume", "out.json", "--all", "--budget", "0")

        assert done.returncode == 0, done.stderr
        result = read(tmp_path / "out.json")
        # Processes on a shared core may be excluded from the figures.
        assert pairs(result) == sorted(set(pairs(result))) == pairs(result, "json")
        assert max(pairs(result)) + 1 >= before
        assert result.duration > spent > 0
        assert not endless.journal.exists()

    @pytest.mark.slow
    def test_a_worker_that_hangs_ends_with_a_run_that_was_killed(self, tmp_path: Path) -> None:
        """No process is left to stop it: a hanging worker would run forever, in parallel with later runs."""
        endless = Endless(tmp_path)
        endless.wait_for_processes(1)
        worker = hang(endless.process.pid)
        endless.end(signal.SIGKILL)

        assert select.select([worker], [], [], 600)[0] == [worker]
        os.close(worker)

    @pytest.mark.slow
    def test_the_next_run_removes_what_a_killed_one_left(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only its folder: neither that of a running run nor one that only has a similar name."""
        place = tmp_path / "tmp"
        (place / "bakeoff-mine").mkdir(parents=True)
        monkeypatch.setenv("TMPDIR", str(place))
        monkeypatch.setattr("tempfile.tempdir", None)
        endless = Endless(tmp_path, RUN)
        endless.wait_for_processes(1)
        killed = {path.name for path in place.iterdir()} - {"bakeoff-mine"}
        with LocalExecutor() as running:
            assert killed < {path.name for path in place.iterdir()}
            endless.end(signal.SIGKILL)
            with LocalExecutor():
                left = {path.name for path in place.iterdir()}
            assert running.folder.name in left

        assert killed
        assert not killed & left
        assert ["bakeoff-mine"] == [path.name for path in place.iterdir()]

    @pytest.mark.slow
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_who_is_asked_to_go_leaves_nothing_running(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
    ) -> None:
        (tmp_path / "tmp").mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
        endless = Endless(tmp_path)
        endless.wait_for_processes(1)
        endless.end(number)

        assert endless.process.returncode == 128 + number
        assert list((tmp_path / "tmp").iterdir()) == []
        assert timing_processes(endless.journal) >= 1

    @pytest.mark.slow
    def test_a_new_run_keeps_the_old_journal_aside(self, tmp_path: Path) -> None:
        journal = journal_path(tmp_path / "out.json")
        journal.write_bytes(b"hours of work\n")
        done = run(tmp_path, "movies", *SMALL, "--all", "--budget", "0", "--quick")

        assert done.returncode == 0, done.stderr
        assert "an unfinished run was here" in done.stderr
        assert (tmp_path / "out.json.journal.old").read_bytes() == b"hours of work\n"


class TestInterrupt:
    @pytest.mark.slow
    def test_ctrl_c_finishes_the_process_and_reports(self, tmp_path: Path) -> None:
        endless = Endless(tmp_path)
        before = endless.wait_for_processes(1)
        out, err = endless.end(signal.SIGINT)

        assert endless.process.returncode == 130
        assert "msgpack" in out
        assert "--resume out.json" in err
        assert "Traceback" not in err
        result = read(tmp_path / "out.json")
        assert len(pairs(result)) >= before
        assert not result.complete

    @pytest.mark.slow
    def test_ctrl_c_twice_stops_at_once_and_keeps_the_file(self, tmp_path: Path) -> None:
        endless = Endless(tmp_path)
        before = endless.wait_for_processes(1)
        endless.process.send_signal(signal.SIGINT)
        _, err = endless.end(signal.SIGINT)

        assert endless.process.returncode == 130
        assert "Traceback" not in err
        assert "results are in out.json" in err
        assert "`bakeoff run --resume out.json` continues" in err
        assert len(pairs(read(tmp_path / "out.json"))) >= before

    @pytest.mark.slow
    def test_sizes_alone_do_not_replace_a_result(self, finished: Path, tmp_path: Path) -> None:
        """Ctrl-C during the checks, when sizes are known but no time is, leaves an older result."""
        before = (finished / "out.json").read_bytes()
        (tmp_path / "out.json").write_bytes(before)
        arguments = ["movies", "--records", "200", "-o", "out.json"]
        started = subprocess.Popen([*RUN, *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        journal = journal_path(tmp_path / "out.json")
        wait(started, lambda: journal.exists() and b'"operation": "size"' in journal.read_bytes())
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=600)

        assert (started.returncode, "Traceback" in err) == (130, False)
        kept = (tmp_path / "out.json").read_bytes() == before
        assert kept == ("no result is written" in err)
        assert kept != ("results are in out.json" in err)
        figures = [cell for cell in read(tmp_path / "out.json").cells if cell.cell.operation != "size"]
        # The signal may come after the first times or memory figures.
        assert kept or any(cell.samples or isinstance(cell.facts, GrowthFacts) for cell in figures)
        assert not journal.exists()

    @pytest.mark.slow
    def test_an_unfinished_run_is_put_back_when_nothing_was_gained(
        self, killed: bytes, tmp_path: Path
    ) -> None:
        """Forgetting --resume, and noticing it, costs nothing."""
        journal_path(tmp_path / "out.json").write_bytes(killed)
        done = run(tmp_path, "no-such-corpus", *SMALL)

        assert done.returncode == 2
        assert journal_path(tmp_path / "out.json").read_bytes() == killed
        assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json.journal"]

    def test_only_the_last_unfinished_run_is_kept(self, tmp_path: Path) -> None:
        path = journal_path(tmp_path / "x.json")
        (tmp_path / "x.json.journal.old-7").write_text("of an older version\n")
        (tmp_path / "x.json.journal.older").write_text("not ours\n")
        older = []
        for text in ("first\n", "second\n"):
            path.write_text(text)
            journal = Journal(tmp_path / "x.json")
            older.append([kept.name for kept in journal.older])
            journal.remove()

        assert [["x.json.journal.old-7"], ["x.json.journal.old"]] == older
        assert (tmp_path / "x.json.journal.old").read_text() == "second\n"
        assert ["x.json.journal.old", "x.json.journal.older"] == sorted(p.name for p in tmp_path.iterdir())

    @pytest.mark.parametrize("gained", [True, False])
    def test_an_unfinished_run_is_replaced_only_by_one_that_gained_something(
        self, tmp_path: Path, gained: bool
    ) -> None:
        path, old = journal_path(tmp_path / "x.json"), tmp_path / "x.json.journal.old"
        old.write_text("first\n")
        path.write_text("second\n")
        journal = Journal(tmp_path / "x.json")
        if gained:
            journal.write(ProcessEntry("x", 0, 1e-6, {}))
            journal.close()
        else:
            journal.undo()

        assert old.read_text() == ("second\n" if gained else "first\n")
        assert (path.read_text() == "second\n") is not gained
        assert 2 == len(list(tmp_path.iterdir()))

    @pytest.mark.parametrize(
        "rest",
        [
            b'{"kind": "process", "pair": 0, "corp',
            b'{"kind": "of a newer version"}\n{"kind": "warning", "text": "x"}\n',
            b'{"kind": "warning", "text": "x", "of a newer version": 1}\n',
            b'{"kind": "cell", "cell": {"corpus": "", "operation": "size", "codec": ""}, "outcome": "ok"}\n',
        ],
    )
    def test_who_cannot_read_all_entries_leaves_them_unless_something_was_gained(
        self, tmp_path: Path, rest: bytes
    ) -> None:
        """A run that is refused for its other version can go on with that version."""
        path = journal_path(tmp_path / "x.json")
        path.write_bytes(encode(HeadEntry(FORMAT_VERSION)) + b"\n" + rest)
        before = path.read_bytes()
        journal = Journal(tmp_path / "x.json", resume=True)
        journal.write(WarningEntry("refused later"))
        journal.undo()

        assert before == path.read_bytes()

    def test_a_resumed_run_says_only_what_is_so_now(self) -> None:
        state = State()
        for entry in (WarningEntry("x: ±2 % in 3", "x: precision"), WarningEntry("other")):
            state.apply(entry)
        kept = State()  # from a file
        for each in entries(state.result(duration=1.0, complete=True)):
            kept.apply(each)
        for again in (state, kept):
            again.apply(WarningEntry("x: ±2 % in 9", "x: precision"))
            assert ("other", "x: ±2 % in 9") == again.result(duration=1.0, complete=True).warnings
            again.apply(WarningEntry("", "x: precision"))
            assert ("other",) == again.result(duration=1.0, complete=True).warnings

    def test_a_file_without_topics_keeps_its_warnings(self) -> None:
        state = State()
        for text, topic in (("x: ±2 % in 3", ""), ("other", ""), ("x: ±2 % in 3", "x: precision")):
            state.apply(WarningEntry(text, topic))

        assert ("other", "x: ±2 % in 3") == state.result(duration=1.0, complete=True).warnings


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    endless = Endless(tmp_path_factory.mktemp("killed"))
    endless.wait_for_processes(1)
    endless.end(signal.SIGKILL)
    return endless.journal.read_bytes()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    done = run(folder, "movies", *SMALL, "--quick", "--all", "--budget", "1")
    assert done.returncode == 0, done.stderr
    return folder


class TestResume:
    def test_a_result_becomes_entries_and_a_result_again(self, finished: Path) -> None:
        result = read(finished / "out.json")
        state = State()
        for entry in entries(result):
            state.apply(decode(encode(entry)))
        again = state.result(duration=result.duration, complete=result.complete)

        assert again.codecs == result.codecs
        assert again.options == result.options
        for mine, theirs in zip(again.cells, result.cells, strict=True):
            assert replace(mine, samples=()) == replace(theirs, samples=())
            assert [s.paired for s in mine.samples] == [s.paired for s in theirs.samples]
            assert [s.value for s in mine.samples] == pytest.approx([s.value for s in theirs.samples])

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (["--sample", "20"], "sample: was 50, is now 20"),
            (["--seed", "2"], "seed: was 1, is now 2"),
            (["-c", "json"], "codecs: was json,msgpack, is now json"),
            (["messages"], "corpora: was movies, is now messages"),
        ],
    )
    def test_other_options_are_refused_by_name(self, finished: Path, change: list[str], said: str) -> None:
        before = (finished / "out.json").read_bytes()
        done = run(finished, *change, "--resume", "out.json")

        assert done.returncode == 1
        assert said in done.stderr.replace("msgpack,json", "json,msgpack")
        assert (finished / "out.json").read_bytes() == before
        assert not journal_path(finished / "out.json").exists()

    @pytest.mark.slow
    def test_a_verdict_that_has_no_figure_is_not_measured_again(self, tmp_path: Path) -> None:
        """The absence of growth is only stored as a fact."""
        first = run(tmp_path, "movies", *FEW, "--quick", "--all", "--budget", "0", "--memory")
        result = read(tmp_path / "out.json")
        state = State()
        for entry in entries(result):
            state.apply(entry)
        growth = [cell for cell in result.cells if cell.cell.operation_name.startswith("growth")]

        assert first.returncode == 0, first.stderr
        assert growth
        assert all(state.measured(cell.cell) for cell in growth)

    @pytest.mark.slow
    def test_other_records_from_standard_input_are_refused(self, tmp_path: Path) -> None:
        launch(tmp_path, "run", "-", *UNTIMED, stdin='{"a": 1}')
        done = launch(tmp_path, "run", "--resume", "out.json", stdin='{"a": 2}')

        assert done.returncode == 1
        assert "corpus stdin: sha256" in done.stderr

    @pytest.mark.slow
    def test_explaining_a_run_writes_nothing(self, finished: Path) -> None:
        before = sorted((path.name, path.stat().st_mtime_ns) for path in finished.iterdir())
        done = run(finished, "--resume", "out.json", "--dry-run")

        assert (done.returncode, "corpora     movies" in done.stdout) == (0, True)
        assert sorted((path.name, path.stat().st_mtime_ns) for path in finished.iterdir()) == before

    @pytest.mark.parametrize("more", [["--quick"], ["--output", "other.json"]])
    def test_options_that_resuming_cannot_follow_are_refused(self, finished: Path, more: list[str]) -> None:
        done = run(finished, "--resume", "out.json", *more)

        assert done.returncode == 2
        assert f"remove {more[0]}" in done.stderr

    @pytest.mark.slow
    def test_another_corpus_behind_the_same_name_is_refused(self, tmp_path: Path) -> None:
        records = tmp_path / "mine.jsonl"
        records.write_text('{"a": 1}\n{"a": 2}\n')
        assert run(tmp_path, "mine.jsonl", *UNTIMED).returncode == 0
        records.write_text('{"a": 1}\n{"a": 3}\n')
        done = run(tmp_path, "--resume", "out.json")

        assert done.returncode == 1
        assert "corpus mine: sha256" in done.stderr

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("now", "then", "said"),
        [
            ('\\"version\\": \\"1.', '\\"version\\": \\"0.', "msgpack: msgpack was 0."),
            (f'\\"{VERSION}\\"', '\\"0.0.1\\"', f"bakeoff_version: was 0.0.1, is now {VERSION}"),
        ],
        ids=["codec", "bakeoff"],
    )
    def test_another_version_is_refused(
        self, finished: Path, tmp_path: Path, now: str, then: str, said: str
    ) -> None:
        """The version of a codec's library, and ours: codecs and scheduler are part of the measurement."""
        (tmp_path / "out.json").write_text((finished / "out.json").read_text().replace(now, then))
        done = run(tmp_path, "--resume", "out.json")

        assert done.returncode == 1
        assert said in done.stderr

    @pytest.mark.slow
    def test_the_version_that_a_third_party_tells_is_compared(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It need not be that of its package."""
        package = tmp_path / "package"
        source = (
            "import json, bakeoff\n"
            "def theirs():\n"
            "    return bakeoff.Codec(name='theirs', format='json', version='9.9', library='fast',\n"
            "        encode=lambda record: json.dumps(record).encode(), decode=json.loads,\n"
            "        preserves=['none', 'bool', 'int', 'float', 'str', 'list', 'dict'])\n"
        )
        install(package, "theirs", source, ["theirs"])
        monkeypatch.setenv("PYTHONPATH", str(package))
        arguments = ["movies", *UNTIMED, "-c", "theirs"]
        assert launch(tmp_path, "run", *arguments).returncode == 0
        same = launch(tmp_path, "run", "--resume", "out.json")
        source = source.replace("9.9", "9.10").replace("json.dumps", "json.nothing")
        (package / "theirs.py").write_text(source)
        other = launch(tmp_path, "run", "--resume", "out.json")

        assert same.returncode == 0, same.stderr
        assert other.returncode == 1, "a version that fails is another version, too"
        assert "theirs: fast was 9.9, is now 9.10" in other.stderr

    @pytest.mark.slow
    def test_what_may_change_is_written_down(self, finished: Path, tmp_path: Path) -> None:
        (tmp_path / "out.json").write_bytes((finished / "out.json").read_bytes())
        done = run(tmp_path, "--resume", "out.json", "--all", "--budget", "0", "--precision", "40%")

        assert done.returncode == 0, done.stderr
        options = read(tmp_path / "out.json").options
        assert (options["budget"], options["precision"]) == (0.0, 0.4)

    @pytest.mark.slow
    def test_what_is_refused_leaves_an_unfinished_run_as_it_was(self, killed: bytes, tmp_path: Path) -> None:
        """Its options are those of the measurement so far, until a new one is made."""
        lines = killed.replace(b'"version": "1.', b'"version": "0.')
        journal = journal_path(tmp_path / "out.json")
        journal.write_bytes(lines)
        done = run(tmp_path, "--resume", "out.json", "--precision", "40%", "--all", "--budget", "0")

        assert done.returncode == 1
        assert "msgpack: msgpack was 0." in done.stderr
        assert journal.read_bytes() == lines

    def test_changed_options_outlive_a_second_kill(self, killed: bytes, tmp_path: Path) -> None:
        option = b'{"kind": "option", "facts": {"precision": 0.4}}\n'
        journal_path(tmp_path / "out.json").write_bytes(killed + option)

        assert stored_options(tmp_path / "out.json").precision == 0.4

    @pytest.mark.slow
    @pytest.mark.parametrize("option", ["--infer", "--raw"])
    def test_codecs_are_entered_twice_only_once(self, tmp_path: Path, option: str) -> None:
        typed = [option, "--all", "--budget", "0"]
        assert run(tmp_path, "movies", *UNTIMED, option).returncode == 0
        size = ["--ops", "size"]
        for again in (["movies", *FEW, *size, *typed], typed, ["--all", "--budget", "0"]):
            done = run(tmp_path, *again, "--resume", "out.json")
            assert done.returncode == 0, done.stderr


class TestJournal:
    def test_the_lock_is_released_on_close(self, tmp_path: Path) -> None:
        first = Journal(tmp_path / "x.json")
        with pytest.raises(RunError, match="another run"):
            Journal(tmp_path / "x.json")
        first.remove()
        Journal(tmp_path / "x.json").remove()

        assert list(tmp_path.iterdir()) == []

    def test_who_is_refused_leaves_the_journal_to_its_owner(self, tmp_path: Path) -> None:
        """Two that begin at once both find no journal; the loser must not remove the winner's."""
        path = journal_path(tmp_path / "x.json")
        begun: list[Journal] = []

        class Late(type(path)):  # type: ignore[misc] # another run takes the place after we looked for one
            def exists(self, *, follow_symlinks: bool = True) -> bool:
                begun.append(Journal(tmp_path / "x.json"))
                return False

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bakeoff.bench.run.journal.journal_path", lambda output: patched.pop())
            patched = [path, Late(path)]
            with pytest.raises(RunError, match="another run"):
                Journal(tmp_path / "x.json")

        begun[0].write(WarningEntry("still here"))
        assert "still here" in path.read_text()
        begun[0].remove()

    def test_a_full_disk_is_said_in_one_line(self, tmp_path: Path) -> None:
        journal = Journal(tmp_path / "x.json")
        journal.close()
        journal._file = Path("/dev/full").open("ab")  # noqa: SIM115 - closed by the journal
        for text in ("short", "long" * 10_000):
            with pytest.raises(RunError, match="not written: No space left"):
                journal.write(WarningEntry(text))
        journal.remove()

        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_cannot_be_written_to(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="choose another with -o"):
            Journal(tmp_path / "missing" / "x.json")


@pytest.mark.slow
def test_an_older_result_is_not_replaced_by_nothing(finished: Path, tmp_path: Path) -> None:
    before = (finished / "out.json").read_bytes()
    (tmp_path / "out.json").write_bytes(before)
    pipe = subprocess.Popen(
        [*RUN, "-", "--from", "jsonl", *SMALL],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = journal_path(tmp_path / "out.json")
    wait(pipe, lambda: journal.exists() and journal.stat().st_size > 0)
    pipe.send_signal(signal.SIGINT)
    pipe.wait(600)
    _, err = pipe.communicate()

    assert (pipe.returncode, "Traceback" in err) == (130, False)
    assert (tmp_path / "out.json").read_bytes() == before
    assert not journal.exists()


class TestTrust:
    """A result file may be anybody's: nothing in it runs code."""

    @pytest.mark.slow
    def test_pickles_are_trusted_anew(self, tmp_path: Path) -> None:
        (tmp_path / "rows.pickle").write_bytes(pickle.dumps({"a": 1}))
        once = ["rows.pickle", *UNTIMED, "--trust-files"]
        assert run(tmp_path, *once).returncode == 0
        before = (tmp_path / "out.json").read_bytes()
        refused = run(tmp_path, "--resume", "out.json", "--all", "--budget", "0")

        assert refused.returncode == 2
        assert "rows.pickle: reading a pickle can run code; use --trust-files" in refused.stderr
        assert (tmp_path / "out.json").read_bytes() == before
        assert (
            run(tmp_path, "--resume", "out.json", "--all", "--budget", "0", "--trust-files").returncode == 0
        )

    @pytest.mark.slow
    def test_functions_are_named_anew(self, tmp_path: Path) -> None:
        module = tmp_path / "rows.py"
        module.write_text("def made():\n    return [{'a': 1}]\n")
        once = ["rows:made", *UNTIMED]
        assert run(tmp_path, *once).returncode == 0
        module.write_text("open('imported', 'w')\n" + module.read_text())
        for more in ([], ["--dry-run"], ["--trust-files"]):
            refused = run(tmp_path, "--resume", "out.json", "--all", "--budget", "0", *more)

            assert refused.returncode == 2
            assert "to allow it, run bakeoff run rows:made --resume out.json" in refused.stderr
            assert not (tmp_path / "imported").exists()
        assert run(tmp_path, "rows:made", "--resume", "out.json", "--all", "--budget", "0").returncode == 0
