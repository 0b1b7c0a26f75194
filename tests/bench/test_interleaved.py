"""Two alternating environments: the processes, the refusals, and the pairs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.bench.method import Pace
from bakeoff.bench.results import Cell, Measurement, ResultData, read
from bakeoff.bench.run import interleaved
from bakeoff.bench.run.interleaved import Again, Side, interleave, options_of
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session
from bakeoff.errors import UsageError

DUMP, LOAD = (Cell("few", operation, "json") for operation in ("dump", "load"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ResultData:
    folder = tmp_path_factory.mktemp("interleaved")
    records = folder / "few.jsonl"
    records.write_text("".join(f'{{"id": {n}, "name": "n{n}"}}\n' for n in range(20)))
    options = Options((str(records),), ("json", "msgpack"), ("dump", "load"), budget=3.0, fewest=2, rounds=3)
    Session(options, folder / "run.json").run()
    return read(folder / "run.json")


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever else uses this machine."""
    monkeypatch.setattr(interleaved, "same_core", lambda one, other: True)


def wrapped(folder: Path, *lines: str) -> str:
    """An interpreter that notes each start and does `lines` of shell first."""
    path = folder / "python"
    body = "\n".join((f'echo "$@" >> {folder}/started', *lines, f'exec {sys.executable} "$@"'))
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def measured(
    run: ResultData, python: str, cells: Sequence[Cell] = (DUMP, LOAD), options: Options | None = None
) -> Again:
    """Both sides in turn until the first look; the second has another interpreter."""

    def enough(cell: Cell, old: Sequence[Measurement], new: Sequence[Measurement], alpha: float) -> bool:
        return True

    return interleave(
        (Side(sys.executable, run), Side(python, run)),
        cells,
        options or options_of(run, (), schema=None, trust_files=False),
        enough,
        budget=600.0,
        looks=[2],
        pace=Pace(slices=0.0),
    )


@pytest.mark.slow
def test_pairs_of_processes_come_back(run: ResultData, tmp_path: Path) -> None:
    found = measured(run, wrapped(tmp_path))

    assert {} == found.failed
    assert {DUMP, LOAD} == found.samples.keys()
    for before, after in found.samples.values():
        assert [sample.pair for sample in before] == [sample.pair for sample in after]
        assert before != after
    # A look at its version, a check of the codec, and the processes.
    assert 1 + 1 + 2 <= len((tmp_path / "started").read_text().splitlines())


@pytest.mark.slow
def test_pairs_that_a_neighbor_has_spoiled_do_not_count(
    run: ResultData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interleaved, "same_core", lambda one, other: False)
    found = measured(run, sys.executable, (DUMP,))

    assert {} == found.samples
    assert {DUMP: "in every pair, a neighbor used the physical core of one process"} == found.failed


@pytest.mark.slow
def test_a_codec_that_fails_there_is_said(run: ResultData, tmp_path: Path) -> None:
    (tmp_path / "msgpack.py").write_text("raise ImportError('not here')")
    lacking = wrapped(tmp_path, f"export PYTHONPATH={tmp_path}")
    packed = Cell("few", "dump", "msgpack")
    found = measured(run, lacking, (DUMP, packed))

    assert {DUMP} == found.samples.keys()
    assert {packed} == found.failed.keys()
    assert found.failed[packed]


@pytest.mark.slow
def test_an_interpreter_that_cannot_measure_is_refused(run: ResultData, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be started as Python"):
        measured(run, str(tmp_path / "none"))


@pytest.mark.slow
def test_another_version_is_refused(run: ResultData) -> None:
    other = replace(run, codecs=tuple(replace(codec, version="0.1") for codec in run.codecs))

    with pytest.raises(UsageError, match=r"the result has 0\.1; name the interpreters"):
        measured(other, sys.executable)


@pytest.mark.slow
def test_other_records_are_refused(run: ResultData) -> None:
    other = replace(run, corpora=(replace(run.corpora[0], sha256="0" * 64),))

    with pytest.raises(UsageError, match="the records have changed or are missing"):
        measured(other, sys.executable)


@pytest.mark.slow
def test_records_that_have_moved_are_named_again(run: ResultData, tmp_path: Path) -> None:
    moved = tmp_path / "moved.jsonl"
    moved.write_bytes(Path(run.corpora[0].source).read_bytes())
    options = options_of(run, (str(moved),), schema=None, trust_files=False)

    assert {DUMP} == measured(run, sys.executable, (DUMP,), options).samples.keys()


class TestTrust:
    @pytest.mark.parametrize(
        ("options", "typed", "said"),
        [
            ({"corpora": "evil:records"}, {}, "refusing to import evil:records"),
            ({"schema": "evil.py"}, {}, r"refusing to import the schema evil\.py"),
            ({"corpora": "-"}, {}, "cannot read - again"),
            ({"slice": "long"}, {}, "needs results of `bakeoff run` of this version"),
        ],
    )
    def test_nothing_is_imported_because_a_file_says_so(
        self, run: ResultData, options: dict[str, str], typed: dict[str, str], said: str
    ) -> None:
        other = replace(run, options={**run.options, **options})

        with pytest.raises(UsageError, match=said):
            options_of(other, (), schema=None, trust_files=False)

    def test_what_is_typed_counts(self, run: ResultData) -> None:
        other = replace(
            run, options={**run.options, "trusted": True, "schema": "evil.py", "corpora": "evil:records"}
        )
        found = options_of(other, ("mine:records",), schema="mine.py", trust_files=False)

        assert (("mine:records",), "mine.py", False) == (found.corpora, found.schema, found.trust_files)
