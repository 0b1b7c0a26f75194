"""The timing process itself, on codecs whose cost is known."""

from __future__ import annotations

import dataclasses
import gc
import math
import sys
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench import timing
from bakeoff.bench._slice import copy, nothing, time_calls, touch
from bakeoff.bench.explain import explain
from bakeoff.bench.options import Options
from bakeoff.bench.processes import Workshop
from bakeoff.bench.race import _Contest
from bakeoff.bench.results import Cell
from bakeoff.bench.sample import caches_text, fixed_share, read_sample, write_sample


class TestSlice:
    def test_items_come_in_turn_from_the_start_and_round_again(self) -> None:
        """Five calls from index 2 on of three items."""
        seen: list[int] = []
        time_calls(seen.append, [10, 11, 12], 2, 5)

        assert seen == [12, 10, 11, 12, 10]

    def test_an_error_in_a_call_comes_through(self) -> None:
        """The codec's own exception, not ours."""
        with pytest.raises(ZeroDivisionError):
            time_calls(lambda x: 1 / x, [1, 0], 0, 2)

    def test_results_are_dropped(self) -> None:
        """No reference to any result or item stays behind."""
        items = [bytearray(10)]
        before = sys.getrefcount(items[0])
        time_calls(lambda item: [item], items, 0, 100)
        after = sys.getrefcount(items[0])

        assert after == before

    def test_without_items_there_is_nothing_to_time(self) -> None:
        """An empty list would be an endless search."""
        with pytest.raises(ValueError, match="nothing to call with"):
            time_calls(nothing, [], 0, 1)

    def test_the_floor_copies(self) -> None:
        """Equal bytes, another object; nothing else is copied."""
        data = b"x" * 100

        assert copy(data) == data
        assert copy(data) is not data
        with pytest.raises(TypeError):
            copy("text")  # type: ignore[arg-type]


class TestFreshness:
    def test_only_text_that_is_not_ascii_keeps_its_utf8(self) -> None:
        """An encoder grows such a text by its UTF-8; an ASCII text stays as it is."""
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

    def test_each_record_of_a_sample_is_made_anew(self, tmp_path: Path) -> None:
        """No two records share an object, and none is the same twice."""
        sample = write_sample([{"t": ["ä"]}, {"t": ["b"]}], tmp_path / "s")
        again = read_sample(tmp_path / "s")

        assert again == sample
        assert again.fresh
        assert again.record(0) == again.record(0) == {"t": ["ä"]}
        assert again.record(0)["t"] is not again.record(0)["t"]
        assert [r["t"] for r in again.records(1, 3)] == [["b"], ["ä"], ["b"]]

    def test_weights_are_shares_of_the_mean_record(self, tmp_path: Path) -> None:
        """They average to 1, and larger records weigh more."""
        sample = write_sample(["x", "x" * 1000], tmp_path / "s")

        assert math.fsum(sample.weights) / 2 == pytest.approx(1)
        assert sample.weights[0] < 0.2 < 1.8 < sample.weights[1]


class TestTouch:
    def test_all_of_a_record_is_read(self) -> None:
        """Text, bytes, keys and values, in any container; the sum is of one letter per 64 bytes."""

        @dataclasses.dataclass
        class Point:
            name: str

        ends = ["A", {"B": b"C"}, ("D", {"E"}), OrderedDict(F=Point("G"))]

        assert touch(ends) == sum(b"ABCDEFG")
        assert touch("x" * 64) == ord("x")
        assert touch("x" * 65) == 2 * ord("x")
        assert touch(3) == touch(None) == touch(2.5) == 0

    def test_what_has_no_end_ends(self) -> None:
        """Records that hold themselves, very deep ones, and ones that share what they hold."""
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

    def test_types_are_not_entered(self) -> None:
        """A class leads to its module, and that to the whole program."""
        assert touch([int, TestTouch]) == 0


class TestSlices:
    """What a slice does, step by step."""

    @staticmethod
    def recorded(**more: Any) -> tuple[list[str], timing._Cell]:
        log: list[str] = []

        def batch(start: int, count: int) -> tuple[list[Any], int]:
            log.append(f"batch {start} {count}")
            return [None] * 10, start

        def call(item: object) -> None:
            log.append("call" if gc.isenabled() else "call without collector")

        return log, timing._Cell(call, batch, [1.0] * 10, **({"collect": True} | more))

    def test_a_warm_up_comes_before_the_slice(self) -> None:
        """On the records before those that are timed, also where these are the first."""
        log, cell = self.recorded(calls=4, warmup=2)
        cell.slice(0, 4)

        assert log == ["batch -2 2", "call", "call", "batch 0 4", *["call"] * 4]

    def test_bursts_end_where_the_slice_does(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """At most so many calls are timed together, and items are touched before each burst."""
        log, cell = self.recorded(calls=5, burst=2, touched=True)
        monkeypatch.setattr(timing, "touch", lambda item: log.append("touch"))
        cell.slice(3, 5)

        one, two = ["touch", "call"], ["touch", "touch", "call", "call"]
        assert log == ["batch 3 2", *two, "batch 5 2", *two, "batch 7 1", *one]

    def test_further_calls_are_made_but_not_counted(self) -> None:
        """That is how a difference is planted: a part of a call is made now and then."""
        _, plain = self.recorded(calls=10)
        _, cell = self.recorded(calls=10, extra=0.25)
        made = [cell.made() for _ in range(2_000)]

        assert {10} == {plain.made() for _ in range(2_000)}
        assert {12, 13} == set(made)
        assert sum(made) / len(made) == pytest.approx(12.5, abs=0.1)

    def test_the_collector_rests_during_a_slice_only(self) -> None:
        """With `collect=False`."""
        log, cell = self.recorded(calls=1, collect=False)
        cell.slice(0, 1)

        assert log == ["batch 0 1", "call without collector"]
        assert gc.isenabled()

    @pytest.mark.parametrize(("seconds", "calls", "warmup"), [(0.0005, 1, 1), (0.01, 1, 0)])
    def test_only_quick_cells_are_warmed_up(self, seconds: float, calls: int, warmup: int) -> None:
        """What takes as long as many slices loses nothing by cold caches."""
        _, cell = self.recorded()
        timing._calibrate(cell, seconds, 0.00025)

        assert (cell.calls, cell.warmup) == (calls, warmup)


@pytest.mark.parametrize(("start", "count"), [(0, 0), (0, 3), (2, 2), (1, 7), (2, 30)])
def test_the_weight_of_a_part_of_a_ring(start: int, count: int) -> None:
    """Prefix sums agree with walking round."""
    weights = [1.0, 2.0, 4.0]
    walked = math.fsum(weights[(start + i) % 3] for i in range(count))

    assert timing._Prefix(weights).sum(start, count) == pytest.approx(walked)


def test_slow_cells_take_part_in_fewer_rounds() -> None:
    """A quick cell in all rounds and the warm-up, a slow one in a few, the slowest in three."""
    assert timing._turns(0.0002, 0.00025, 30) == frozenset(range(31))
    assert len(timing._turns(0.002, 0.00025, 30)) == 8
    assert len(timing._turns(1.0, 0.00025, 30)) == 3
    assert 0 not in timing._turns(1.0, 0.00025, 30)


def test_a_schema_changes_neither_dump_nor_load() -> None:
    """Such cells take their figures from the bare codec, if it runs."""
    cells = [
        Cell("c", op, name) for op in ("dump", "advise") for name in ("json", "json+schema", "bson+schema")
    ]
    twins = _Contest._twins(groups := [list(cells)])

    assert twins == {Cell("c", "dump", "json+schema"): Cell("c", "dump", "json")}
    assert Cell("c", "dump", "json+schema") not in groups[0]
    assert Cell("c", "advise", "json+schema") in groups[0]
    assert Cell("c", "dump", "bson+schema") in groups[0]


class TestWork:
    """How the work in a record grows with its size, from the times of a check."""

    SIZES = (*[0.1] * 95, *[18.1] * 5)

    @given(st.floats(0.01, 100), st.floats(0.01, 100))
    def test_a_line_is_found(self, fixed: float, growing: float) -> None:
        """A fixed part and one that grows with size are told apart."""
        seconds = [fixed + growing * size for size in self.SIZES]

        assert fixed_share(self.SIZES, seconds) == pytest.approx(fixed / (fixed + growing), abs=1e-6)

    def test_slices_of_one_call_read_the_mean(self) -> None:
        """Where size decides little, the median over slices of single records is the mean all the same."""
        seconds = [50e-6 if size < 1 else 90e-6 for size in self.SIZES]
        share = fixed_share(self.SIZES, seconds)
        read = median(t / (share + (1 - share) * s) for t, s in zip(seconds, self.SIZES, strict=True))

        assert read == pytest.approx(fmean(seconds))

    def test_disturbed_calls_decide_nothing(self) -> None:
        """A neighbour's burst in a few calls leaves the share as it is."""
        seconds = [1e-6 if size < 1 else 9e-6 for size in self.SIZES]
        share = fixed_share(self.SIZES, seconds)
        seconds[3] = seconds[70] = seconds[97] = 5e-3

        assert fixed_share(self.SIZES, seconds) == share

    @pytest.mark.parametrize(
        ("sizes", "seconds", "share"),
        [
            ((1.0, 1.0), (2e-6, 3e-6), 0.0),  # nothing to learn from
            ((0.5, 1.5), (3e-6, 3e-6), 1.0),
            ((0.5, 1.5), (4e-6, 3e-6), 1.0),
            ((0.5, 1.5), (1e-6, 9e-6), 0.0),
        ],
    )
    def test_a_share_is_none_to_all(
        self, sizes: tuple[float, ...], seconds: tuple[float, ...], share: float
    ) -> None:
        """Neither part is less than nothing."""
        assert fixed_share(sizes, seconds) == share


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """A place for workers."""
    with Workshop() as made:
        yield made


@pytest.fixture(scope="module")
def folder(workshop: Workshop) -> Path:
    """A corpus with checked payloads of json and of yaml."""
    folder = workshop.folder / "corpus"
    folder.mkdir()
    write_sample([{"id": i, "name": "x" * (i % 90)} for i in range(60)], folder / "sample")
    for codec in ("json", "yaml/pure"):
        job = {"kind": "check", "folder": str(folder), "codec": codec, "seconds": 60.0}
        ended = workshop.work(job | {"payloads": codec.replace("/", "-")}, patience=60)
        assert ended.answer is not None
        assert ended.answer["outcome"] == "ok"
    return folder


def timed(workshop: Workshop, folder: Path, cells: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    job = {"kind": "time", "folder": str(folder), "rounds": 30, "slice": 0.0002, "gc": "on"}
    base = {"records": 60, "seconds": 0.0, "fixed": 0.0}
    specs = [{"payloads": c["codec"].replace("/", "-")} | base | c for c in cells]
    ended = workshop.work(job | {"cells": specs} | more, patience=60)
    assert ended.answer is not None, ended
    return ended.answer


class TestProcess:
    def test_every_cell_gets_a_figure_and_the_scale_is_right(self, workshop: Workshop, folder: Path) -> None:
        """The slow codec is slower by its real factor though it runs in few rounds, one record a slice."""
        cells = [
            {"codec": "json", "operation": "dump"},
            {"codec": "yaml/pure", "operation": "dump", "seconds": 0.0005},
            {"codec": "floor", "operation": "dump"},
        ]
        found = timed(workshop, folder, cells)["cells"]

        assert set(found) == {"0", "1", "2"}
        assert found["1"]["calls"] == 1
        assert found["0"]["rounds"] == 30
        assert 20 < found["1"]["paired"] / found["0"]["paired"] < 2000
        assert found["2"]["paired"] < found["0"]["paired"]
        assert found["0"]["loops"] == 30 * found["0"]["calls"]

    def test_a_planted_difference_shows(self, workshop: Workshop, folder: Path) -> None:
        """Twice the work reads as about twice the time."""
        cells = [{"codec": "json", "operation": "load"}, {"codec": "json", "operation": "load", "extra": 1.0}]
        found = timed(workshop, folder, cells)["cells"]

        assert 1.5 < found["1"]["paired"] / found["0"]["paired"] < 2.5

    @pytest.mark.parametrize("operation", ["dump-repeat", "dump-nogc", "load-nogc"])
    def test_variants_run(self, workshop: Workshop, folder: Path, operation: str) -> None:
        """Repeated dumps, and slices without the garbage collector, take part in every round."""
        found = timed(workshop, folder, [{"codec": "json", "operation": operation}])["cells"]

        assert found["0"].get("rounds") == 30, found

    def test_a_cell_that_cannot_be_prepared_fails_alone(self, workshop: Workshop, folder: Path) -> None:
        """The error stands in its place; the other cell has its figure."""
        cells = [{"codec": "json", "operation": "dump"}, {"codec": "no-such", "operation": "dump"}]
        found = timed(workshop, folder, cells)["cells"]

        assert "no such codec" in found["1"]["error"]
        assert found["0"]["rounds"] == 30


def test_explain_says_what_will_be_run() -> None:
    """The contract with this run's numbers, its codecs and operations, and a time."""
    text = explain(Options(("movies", "mine.jsonl"), ("json", "bson"), precision=0.005, gc="both"))

    assert "±0.5 %" in text
    assert "movies, mine.jsonl" in text
    assert "2: json, bson" in text
    assert "dump-nogc" in text
    assert "takes       about" in text
    assert (
        explain(Options(("movies",), ("json",), isolate=True)).count("one codec per process, alternating")
        == 1
    )
