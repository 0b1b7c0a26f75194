"""The timing process itself, on codecs whose cost is known."""

from __future__ import annotations

import dataclasses
import math
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.jobs import CorpusInputs, Ended, Job
from bakeoff.bench.messages.check import Check
from bakeoff.bench.messages.timing import Time, Timed, TimedCell
from bakeoff.bench.operations.base import rotating
from bakeoff.bench.results import Cell, read
from bakeoff.bench.run.explain import explain
from bakeoff.bench.run.groups import without_twins
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.worker._slice import copy, nothing, time_calls, touch
from bakeoff.bench.worker.records import PickledSample, caches_text, make_sample
from bakeoff.bench.worker.time import Process, _undisturbed
from bakeoff.bench.worker.work import TimedWork
from inprocess import bakeoff


class TestSlice:
    def test_items_come_in_turn_from_the_start_and_round_again(self) -> None:
        seen: list[int] = []
        time_calls(seen.append, [10, 11, 12], 2, 5)

        assert seen == [12, 10, 11, 12, 10]

    def test_bursts_go_through_the_same_items(self) -> None:
        seen: list[int] = []
        spent = time_calls(seen.append, [10, 11, 12], 2, 5, 2)

        assert seen == [12, 10, 11, 12, 10]
        assert spent[0] > 0

    def test_an_error_in_a_call_comes_through(self) -> None:
        with pytest.raises(ZeroDivisionError):
            time_calls(lambda x: 1 / x, [1, 0], 0, 2)

    def test_results_are_dropped(self) -> None:
        items = [bytearray(10)]
        before = sys.getrefcount(items[0])
        time_calls(lambda item: [item], items, 0, 100)
        after = sys.getrefcount(items[0])

        assert after == before

    def test_a_burst_of_less_than_nothing(self) -> None:
        with pytest.raises(ValueError, match="burst"):
            time_calls(nothing, [1], 0, 5, -1)

    def test_a_list_emptied_between_bursts(self) -> None:
        items = [[1]]
        with pytest.raises(RuntimeError, match="emptied"):
            time_calls(lambda item: items.clear(), items, 0, 2, 1)

    def test_without_items_there_is_nothing_to_time(self) -> None:
        """An empty list would be an endless search."""
        with pytest.raises(ValueError, match="nothing to call with"):
            time_calls(nothing, [], 0, 1)

    def test_a_call_that_waits_counts_by_the_clock(self) -> None:
        """To wait for a disk or a server is a part of it, though others have the processor meanwhile."""
        taken = threading.Lock()
        taken.acquire()
        spent, counted, _ = time_calls(lambda _: taken.acquire(timeout=1e-3), [1], 0, 2, 1)

        assert counted == spent

    def test_the_baseline_copies(self) -> None:
        data = b"x" * 100

        assert copy(data) == data
        assert copy(data) is not data
        with pytest.raises(TypeError):
            copy("text")  # type: ignore[arg-type]


class TestFreshness:
    @pytest.mark.slow
    def test_only_text_that_is_not_ascii_keeps_its_utf8(self) -> None:
        from bakeoff.codecs import codec

        plain, umlaut = "a" * 50, "ä" * 50
        before = [sys.getsizeof(text) for text in (plain, umlaut)]
        codec("msgpack").encode([plain, umlaut])
        after = [sys.getsizeof(text) for text in (plain, umlaut)]

        assert (after[0] - before[0], after[1] > before[1]) == (0, True)
        assert caches_text({"a": [("b", {"ä"})]})
        assert not caches_text({"a": [("b", 1.5, None, b"x")]})
        assert caches_text(object())
        cycle: list[Any] = []
        cycle.append(cycle)
        assert caches_text(cycle)

    def test_each_record_of_a_sample_is_made_anew(self) -> None:
        sample = make_sample([{"t": ["ä"]}, {"t": ["b"]}])
        again = PickledSample.of(sample.stored())

        assert again == sample
        assert again.fresh
        assert again.record(0) == again.record(0) == {"t": ["ä"]}
        assert again.record(0)["t"] is not again.record(0)["t"]
        assert [r["t"] for r in again.records([1, 0, 1])] == [["b"], ["ä"], ["b"]]

    def test_weights_are_shares_of_the_mean_record(self) -> None:
        sample = make_sample(["x", "x" * 1000])

        assert math.fsum(sample.weights) / 2 == pytest.approx(1)
        assert sample.weights[0] < 0.2 < 1.8 < sample.weights[1]


class TestTouch:
    def test_all_of_a_record_is_read(self) -> None:
        @dataclasses.dataclass
        class Point:
            name: str

        ends = ["A", {"B": b"C"}, ("D", {"E"}), OrderedDict(F=Point("G"))]

        assert touch(ends) == sum(b"ABCDEFG")
        assert touch("x" * 64) == ord("x")
        assert touch("x" * 65) == 2 * ord("x")
        assert touch(3) == touch(None) == touch(2.5) == 0

    def test_what_has_no_end_ends(self) -> None:
        cycle: list[Any] = ["a"]
        cycle.append(cycle)
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        shared: list[Any] = ["a"]
        for _ in range(60):
            shared = [shared, shared]

        assert touch(cycle) > 0
        assert touch(deep) == 0
        assert touch(shared) >= 0
        while deep:
            deep = deep.pop()

    @pytest.mark.slow
    def test_types_are_not_entered(self) -> None:
        """A class leads to its module, and that to the whole program."""
        assert touch([int, TestTouch]) == 0


def test_a_schema_changes_neither_dump_nor_load() -> None:
    cells = [Cell("c", op, name) for op in ("dump", "fix") for name in ("json", "json+schema", "bson+schema")]
    groups, twins = without_twins([cells])

    assert twins == {Cell("c", "dump", "json+schema"): Cell("c", "dump", "json")}
    assert Cell("c", "dump", "json+schema") not in groups[0]
    assert Cell("c", "fix", "json+schema") in groups[0]
    assert Cell("c", "dump", "bson+schema") in groups[0]


@dataclass(frozen=True)
class Ready:
    corpus: CorpusInputs
    payloads: Mapping[str, str]


@pytest.fixture(scope="module")
def ready(executor: LocalExecutor) -> Ready:
    sample = make_sample([{"id": i, "name": "x" * (i % 90)} for i in range(60)])
    corpus = CorpusInputs(executor.blobs.put(sample.stored()))
    checked = {
        codec: executor.work(Check(corpus=corpus, codec=codec, seconds=60.0), patience=60).answer
        for codec in ("json", "yaml/pure")
    }
    assert [answer.outcome for answer in checked.values()] == ["ok", "ok"]
    return Ready(corpus, {codec: answer.payloads for codec, answer in checked.items()})


def timed(executor: LocalExecutor, ready: Ready, *cells: tuple[str, str], extra: float = 0.0) -> Timed:
    made = [TimedCell(codec, operation, ready.payloads.get(codec, "")) for codec, operation in cells]
    made[-1] = replace(made[-1], extra=extra)
    job = Time(corpus=ready.corpus, cells=tuple(made), rounds=30, slice=0.0002)
    ended = executor.work(job, patience=60)
    assert isinstance(ended.answer, Timed), ended
    return ended.answer


class TestProcess:
    @pytest.mark.slow
    def test_every_cell_gets_a_figure_and_the_scale_is_right(
        self, executor: LocalExecutor, ready: Ready
    ) -> None:
        found = timed(executor, ready, ("json", "dump"), ("yaml/pure", "dump"), ("baseline", "dump")).cells

        assert set(found) == {"0", "1", "2"}
        assert found["1"].loops < found["0"].loops
        assert 0 < found["0"].rounds
        assert 20 < found["1"].paired / found["0"].paired < 2000
        assert found["2"].paired < found["0"].paired
        assert 0 == found["0"].loops % found["0"].rounds

    @pytest.mark.slow
    def test_a_planted_difference_shows(self, executor: LocalExecutor, ready: Ready) -> None:
        found = timed(executor, ready, ("json", "load"), ("json", "load"), extra=1.0).cells

        assert 1.5 < found["1"].paired / found["0"].paired < 2.5

    @pytest.mark.slow
    @pytest.mark.parametrize("operation", ["dump-repeat", "dump-nogc", "load-nogc", "dump-cold", "load-cold"])
    def test_variants_run(self, executor: LocalExecutor, ready: Ready, operation: str) -> None:
        found = timed(executor, ready, ("json", operation))

        assert 0 < found.cells["0"].rounds, found

    @pytest.mark.slow
    def test_a_cell_that_cannot_be_prepared_fails_alone(self, executor: LocalExecutor, ready: Ready) -> None:
        found = timed(executor, ready, ("json", "dump"), ("no-such", "dump"))

        assert "no such codec" in found.errors["1"].reason
        assert 0 < found.cells["0"].rounds


@pytest.mark.slow
def test_only_the_disturbed_process_of_a_group_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(self: LocalExecutor, job: Job, *more: Any) -> Ended:
        ended = worked(self, job, *more)
        if not isinstance(job, Time):
            return ended
        name = job.cells[0].codec
        asked.append(name)
        disturbed = float(name == "bson" and asked.count(name) == 1)
        return replace(ended, answer=replace(ended.answer, dirty=disturbed))

    worked = LocalExecutor._run
    monkeypatch.setattr(LocalExecutor, "_run", run)
    options = ("-c", "json,bson", "--isolate", "--all", "--budget", "300", "--ops", "load", "-n", "20")
    done = bakeoff(tmp_path, "run", "movies", *options, "-o", "r.json", "--precision", "50%")
    result = read(tmp_path / "r.json")
    samples = {cell.cell.codec: len(cell.samples) for cell in result.cells}

    assert not done.returncode, done.stderr
    assert 0 < samples["json"] == samples["bson"]
    assert asked.count("json") == asked.count("bson") - 1


@pytest.mark.slow
def test_explain_says_what_will_be_run() -> None:
    text = explain(Options(("movies", "text"), ("json", "bson"), precision=0.005, gc="both"))

    assert "±0.5 %" in text
    assert "movies, 1,000 of " in text
    assert "; text, " in text
    assert "2: json, bson" in text
    assert "dump-nogc" in text
    assert "takes       about" in text
    assert (
        explain(Options(("movies",), ("json",), isolate=True)).count("one codec per process, alternating")
        == 1
    )


class TestCells:
    @staticmethod
    def entered(seconds: list[float]) -> tuple[Process, list[int]]:
        """Enter a cell with records of these costs; return the process and the items that it calls with."""
        seen: list[int] = []
        process = Process(20, 0.00002, lambda index: None)
        process.enter(0, TimedWork(seen.append, rotating(range(len(seconds)))), seconds)
        seen.clear()
        return process, seen

    def test_a_single_record_among_dear_ones_is_not_called_again_and_again(self) -> None:
        """In one slice it would be nearer than it ever is among the others; alone it fills a slice."""
        among = self.entered([1e-7, *[1e-3] * 50])[0]._cells[0]
        alone = self.entered([1e-7])[0]._cells[0]

        assert [(1, 1)] == [(part.calls, part.warmup) for part in among.parts if part.stratum.mixed]
        assert alone.parts[0].calls > 1

    @pytest.mark.slow
    def test_every_dear_record_has_its_turn(self) -> None:
        process, seen = self.entered([*[1e-7] * 50, *[1e-5] * 3])
        found = process.go(collect=True).cells["0"]

        assert {50, 51, 52} <= set(seen)
        assert found.rounds <= 20

    @pytest.mark.parametrize(("records", "kept"), [(1, [1, 3, 4]), (2, [1, 2, 3, 4])])
    def test_a_single_record_counts_where_nothing_disturbed_it(self, records: int, kept: list[int]) -> None:
        """With several records, the disturbed slices may contain the slow ones."""
        part = self.entered([1e-3] * records)[0]._cells[0].parts[0]
        for r in range(1, 5):
            part.track.times[r], part.track.works[r], part.track.calls[r] = 1.0, 1.0, 1
        part.track.taken.add(2)

        assert list(_undisturbed(part, range(1, 5)).times) == kept
