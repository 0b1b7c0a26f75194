"""Releases of a library as codecs of one run: names, folders, processes, and reasons for those left out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
import released
from bakeoff import UsageError
from bakeoff.bench.jobs import CorpusInputs, decode
from bakeoff.bench.messages.check import Check
from bakeoff.bench.messages.timing import Time, TimedCell
from bakeoff.bench.results import Cell, ResultData, read
from bakeoff.bench.run import releases
from bakeoff.bench.run.groups import grouped
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.run.releases import Release, Releases
from bakeoff.bench.run.warm import Fork, Warm
from bakeoff.bench.worker.records import make_sample
from bakeoff.codecs import MissingLibrary, join_name, select, split_name
from bakeoff.codecs.naming import join_release, split_release
from bakeoff.codecs.registry import rescan
from launched import launch

NAMES = "tiny==1.0,tiny==2.0,tiny==3.0,tiny==4.0,tiny==9.1,tiny"
PARTS = st.tuples(
    st.from_regex(r"[a-z][a-z0-9-]{0,8}(/[a-z]{1,5})?", fullmatch=True),
    st.from_regex(r"([0-9]!)?[0-9]{1,4}(\.[0-9]{1,3}){0,3}(rc[0-9])?(\.post[0-9])?", fullmatch=True)
    | st.just(""),
    st.booleans(),
    st.sampled_from([None, "zstd:3", "zlib", "zstd:3,dict"]),
)  # fmt: skip


@given(PARTS)
def test_a_name_with_a_release_is_read_as_it_is_written(parts):
    base, release, schema, compression = parts
    bare = join_name(base, schema, compression)
    name = join_release(bare, release)

    assert (bare, release) == split_release(name)
    assert name == join_name(*split_name(name))
    assert (schema, compression) == split_name(name)[1:]


def test_releases_are_selected_for_each_codec_of_a_library():
    expected = ["msgspec-json==0.20.0|zlib", "msgspec-msgpack==0.20.0|zlib", "orjson"]

    assert expected == select(["msgspec-[jm]*==0.20.0|zlib,orjson,!*/*"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("json==3.12", "json is part of Python, so it has no releases"),
        ("orjson==", "expected a release after =="),
        ("orjson==newest", "expected a release after =="),
    ],
)
def test_names_without_a_release_are_refused(name, reason):
    with pytest.raises(UsageError, match=reason):
        select([name])


def test_a_program_gets_only_the_installed_release():
    installed = bakeoff.codec("msgpack").version

    assert bakeoff.codec("msgpack") is bakeoff.codec(f"msgpack=={installed}")
    with pytest.raises(
        MissingLibrary, match=f"msgpack 0.0.1 cannot be used here, as {installed} is installed"
    ):
        bakeoff.codec("msgpack==0.0.1")


def test_a_process_holds_one_release(tmp_path, monkeypatch):
    monkeypatch.setenv("BAKEOFF_CACHE", str(tmp_path))
    cells = tuple(TimedCell(name, "dump") for name in ("orjson==1.0", "orjson==1.0+schema", "baseline"))
    job = Time(corpus=None, cells=cells, rounds=1, slice=0.1)  # type: ignore[arg-type]

    assert "orjson-1.0" == Path(Releases().folder(job.measured())).name
    with pytest.raises(UsageError, match=r"orjson 1.0 and orjson 2.0 cannot be measured in one process"):
        Releases().folder(["orjson==1.0", "orjson==2.0"])
    assert ["tiny"] == Check(corpus=None, codec="tiny", seconds=1.0).measured()  # type: ignore[arg-type]
    assert not Releases().folder(["orjson"])


@pytest.mark.parametrize(
    ("isolate", "expected"),
    [
        (False, ["baseline json", "bson==1 bson==1+schema", "orjson", "orjson==1", "orjson==2"]),
        (True, ["baseline", "bson==1", "bson==1+schema", "json", "orjson", "orjson==1", "orjson==2"]),
    ],
)
def test_processes_are_grouped_by_release(isolate, expected):
    codecs = ["baseline", "json", "orjson", "orjson==1", "orjson==2", "bson==1", "bson==1+schema"]

    assert expected == sorted(groups(codecs, isolate=isolate))


def test_the_baseline_has_no_process_of_its_own():
    assert {"orjson==1", "orjson==2"} == {
        name.removesuffix(" baseline") for name in groups(["baseline", "orjson==1", "orjson==2"])
    }
    assert ["baseline orjson"] == groups(["baseline", "orjson"])


def groups(codecs: list[str], *, isolate: bool = False) -> list[str]:
    """Return the codecs that share a process."""
    cells = [Cell("movies", "load", name) for name in codecs]
    return [" ".join(cell.codec for cell in group) for group in grouped(cells, isolate=isolate)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index: a lossy release, one without a wheel, and one that lacks a call."""
    made = tmp_path_factory.mktemp("releases")
    wheels = made / "wheels"
    released.wheel(wheels, "1.0", released.source())
    released.wheel(wheels, "2.0", released.source(lossy=True))
    released.sdist(wheels, "3.0")
    released.wheel(wheels, "4.0", "import json; tiny = json.no_such_call")
    (made / "rows.py").write_text(released.ROWS)
    return made


@pytest.fixture(scope="module")
def run(folder: Path) -> tuple[subprocess.CompletedProcess[str], ResultData]:
    """Return a run over all releases, and its result."""
    done = launch(
        folder, "run", "rows.py:ROWS", "-c", NAMES, "-o", "r.json", "--all", "--budget", "0",
        "--ops", "load,retained-payloads", **released.environment(folder),
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return done, read(folder / "r.json")


@pytest.mark.slow
def test_releases_are_measured_side_by_side(run):
    done, result = run
    versions = {codec.name: codec.version for codec in result.codecs if codec.version}
    cells = {(cell.cell.codec, cell.cell.operation_name): cell for cell in result.cells}
    pairs = {
        name: [s.pair for s in cells[name, "load"].samples] for name in ("tiny", "tiny==1.0", "tiny==2.0")
    }

    assert {"tiny": "1.0", "tiny==1.0": "1.0", "tiny==2.0": "2.0"} == versions
    assert 1 == len(set(map(tuple, pairs.values())))
    assert len(pairs["tiny"]) >= 3
    assert "ok" == cells["tiny==1.0", "load"].outcome
    assert "lossy" == cells["tiny==2.0", "load"].outcome
    assert all(cells["tiny==2.0", name].samples for name in ("load", "retained-payloads"))
    assert "tinycodec 1.0, 2.0" in done.stdout
    assert "fetched tinycodec 1.0, tinycodec 2.0" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("tiny==3.0", "missing", "has no wheel for Python 3"),
        ("tiny==4.0", "error", "has no attribute 'no_such_call'"),
        ("tiny==9.1", "missing", "no such release; near ones: 1.0, 2.0, 4.0"),
    ],
)
def test_releases_that_cannot_be_measured_have_a_reason(run, name, outcome, reason):
    cell = next(cell for cell in run[1].cells if cell.cell.codec == name)

    assert outcome == cell.outcome
    assert reason in cell.reason


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_a_resumed_run_fetches_no_release_that_was_not_typed(folder, tmp_path):
    environment = released.environment(folder) | {"BAKEOFF_CACHE": str(tmp_path / "cache")}
    done = launch(folder, "run", "rows.py:ROWS", "--resume", "r.json", **environment)

    assert 2 == done.returncode
    assert "r.json: refusing to fetch tinycodec 1.0, tinycodec 2.0" in done.stderr
    assert "--resume r.json -c tiny==1.0 -c tiny==2.0" in done.stderr
    assert not (tmp_path / "cache").exists()


@pytest.fixture
def executor(run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalExecutor]:
    """Return an executor that finds the fetched releases."""
    for name, value in released.environment(folder).items():
        monkeypatch.setenv(name, value)
    with monkeypatch.context() as patched:
        patched.syspath_prepend(folder / "installed")
        rescan()
        with LocalExecutor() as made:
            yield made
    rescan()


@pytest.mark.slow
def test_a_fork_that_has_imported_another_release_measures_the_right_one(executor):
    sample = make_sample([{"id": 1, "at": (1, 2)}])
    job = Check(corpus=CorpusInputs(executor.blobs.put(sample.stored())), codec="tiny==2.0", seconds=60.0)
    answers = [executor.work(replace(job, libraries=each)).answer for each in ((), ("tinycodec",))]

    assert [("lossy", "2.0")] * 2 == [(answer.outcome, answer.codec["version"]) for answer in answers]


@pytest.mark.slow
def test_releases_of_one_layout_are_forked_from_one_process(executor, monkeypatch):
    forks: list[tuple[int, list[str]]] = []

    def fork(self: Warm, job: Path, *more: Any) -> Fork:
        cells = decode(json.loads(job.read_text())["job"]).cells
        forks.append((self.pid, [cell.codec for cell in cells]))
        return forked(self, job, *more)

    forked = Warm.fork
    corpus = CorpusInputs(executor.blobs.put(make_sample([{"id": 1, "at": (1, 2)}]).stored()))
    checked = executor.work(Check(corpus=corpus, codec="tiny==1.0", seconds=60.0)).answer
    monkeypatch.setattr(Warm, "fork", fork)
    for layout in (1, 2, 0):
        for name in ("tiny==1.0", "tiny==2.0"):
            cells = (TimedCell(name, "load", checked.payloads),)
            job = Time(corpus=corpus, cells=cells, rounds=3, slice=1e-4, layout=layout)
            answer = executor.work(job, patience=60).answer
            assert "0" in answer.cells, answer.errors

    pids = [pid for pid, _ in forks]
    assert [["tiny==1.0"], ["tiny==2.0"]] * 2 == [cells for _, cells in forks]
    assert pids[0] == pids[1] != pids[2] == pids[3]


@pytest.mark.slow
def test_nothing_is_fetched_twice_or_offline(run, folder, monkeypatch):
    monkeypatch.setenv("BAKEOFF_CACHE", str(folder / "cache"))
    monkeypatch.setattr(releases, "describe", lambda name: SimpleNamespace(library="tinycodec"))
    monkeypatch.setattr(releases, "_pip", None)
    mine = Releases()

    assert [] == mine.fetch(["tiny==1.0", "tiny==2.0", "tiny"], lambda *step: None, offline=False)
    assert [] == mine.fetch(["tiny==1.0", "tiny==7.0"], lambda *step: None, offline=True)
    assert {Release("tinycodec", "7.0"): "not in the cache, and --offline fetches nothing"} == mine.failed
    assert "not in the cache, and --offline fetches nothing" == mine.missing("tiny==7.0")
    assert "bakeoff run -c tiny==8.0" in (mine.missing("tiny==8.0") or "")
    assert mine.missing("tiny==1.0") is None


@pytest.mark.slow
def test_an_upgrade_to_a_lossy_release_fails(run, folder):
    for name, release in (("old", "1.0"), ("new", "2.0")):
        (folder / f"{name}.txt").write_text(f"tinycodec=={release}\n")
    done = launch(
        folder, "upgrade", "old.txt", "--to", "new.txt", "rows.py:ROWS", "--offline", "--budget", "5",
        **released.environment(folder),
    )  # fmt: skip

    assert 1 == done.returncode
    assert "tiny: ok → lossy (`tuple` came back as `list`" in done.stderr


@pytest.mark.slow
def test_fidelity_shows_releases_that_were_fetched(run, folder):
    environment = released.environment(folder)
    done = launch(folder, "fidelity", "-c", "tiny==1.0", "-f", "csv", **environment)
    refused = launch(folder, "fidelity", "-c", "tiny==7.0", **environment)

    assert "tiny==1.0" in done.stdout
    assert 2 == refused.returncode
    assert "bakeoff run -c tiny==7.0" in refused.stderr


def test_another_run_may_fetch_a_release_at_the_same_time(monkeypatch, tmp_path):
    monkeypatch.setattr(releases, "cache_folder", tmp_path.joinpath)
    rename = Path.rename

    def installed(*arguments):
        Path(arguments[arguments.index("--target") + 1], "tiny.py").touch()
        return subprocess.CompletedProcess(arguments, 0, "", "")

    def late(part, target):
        target.mkdir()
        (target / "tiny.py").touch()
        return rename(part, target)

    monkeypatch.setattr(releases, "_pip", installed)
    monkeypatch.setattr(Path, "rename", late)
    fetched = Releases()

    assert "" == fetched._install(Release("tiny", "1.0"))
    assert ["1.0"] == fetched.cached("tiny")


@pytest.mark.slow
def test_without_pip_uv_provides_it(monkeypatch, tmp_path):
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\nshift 4\necho \'{"versions": ["1.10", "1.9"]}\'')
    uv.chmod(0o755)
    monkeypatch.setattr(releases, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    assert ["1.9", "1.10"] == releases.releases_of("tinycodec")
    uv.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="fetched with pip or uv"):
        releases.releases_of("tinycodec")


@pytest.mark.slow
@pytest.mark.parametrize("where", [("--on", "ssh://there"), ("--python", sys.executable)])
def test_others_measure_no_releases(tmp_path, where):
    done = launch(tmp_path, "run", "movies", "-c", "orjson==3.11.7", *where, "-o", "r.json")

    assert 2 == done.returncode
    assert "releases are measured by this interpreter only" in done.stderr
