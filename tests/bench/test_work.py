"""The calls of a slice, step by step."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from bakeoff import Schema
from bakeoff.bench.method import Slices
from bakeoff.bench.operations import operation
from bakeoff.bench.operations.base import CodecParts, Context, UnfitError, burst, rotating
from bakeoff.bench.worker import other_work
from bakeoff.bench.worker import work as module
from bakeoff.bench.worker.records import make_sample
from bakeoff.bench.worker.work import TimedWork, baseline, work
from bakeoff.codecs import codec


def recorded(**more: Any) -> tuple[list[str], TimedWork, Any]:
    log: list[str] = []

    def batch(start: int, count: int) -> tuple[list[Any], int]:
        log.append(f"batch {start} {count}")
        return [None] * 10, start

    def call(item: object) -> None:
        log.append("call" if gc.isenabled() else "call without collector")

    return log, TimedWork(call, lambda ring: batch, **more), batch


class TestSteps:
    def test_a_warm_up_comes_before_the_slice(self) -> None:
        log, made, batch = recorded()
        made.run(batch, 0, 4, warmup=2)

        assert log == ["batch -2 2", "call", "call", "batch 0 4", *["call"] * 4]

    def test_bursts_end_where_the_slice_does(self) -> None:
        (made_anew, anew, batch), (there, ready, whole) = (
            recorded(burst=2, touched=touched) for touched in (False, True)
        )
        anew.run(batch, 3, 5)
        ready.run(whole, 3, 5)

        two = ["call", "call"]
        assert made_anew == ["batch 3 2", *two, "batch 5 2", *two, "batch 7 1", "call"]
        assert there == ["batch 3 5", *["call"] * 5]

    def test_the_collector_rests_during_a_slice_only(self) -> None:
        log, made, batch = recorded(collect=False)
        made.run(batch, 0, 1)

        assert log == ["batch 0 1", "call without collector"]
        assert gc.isenabled()

    def test_streamed_items_are_cold_and_the_codec_is_warm(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The items are there before the caches are emptied; nothing touches them; all are timed together."""
        log, made, batch = recorded(burst=2, touched=False, cold=True)
        monkeypatch.setattr(module, "evict", lambda: log.append("evict"))
        made.run(batch, 4, 5, warmup=1)

        assert log == ["batch 4 5", "evict", "batch 3 1", "call", *["call"] * 5]

    @pytest.mark.parametrize("more", [{}, {"touched": True}, {"collect": False}, {"burst": 2}])
    def test_calls_apart_follow_other_work_each(
        self, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first one does not count, as another codec ran before it; nor does the other work."""
        log, made, batch = recorded(apart=True, **more)
        clock = iter(range(100, 1000, 100))
        monkeypatch.setattr(other_work, "run_code", lambda: log.append("other work"))
        monkeypatch.setattr(module, "CLOCKS", (0, 0))
        timed = module.time_calls

        def time_calls(*given: Any) -> tuple[int, int, int]:
            timed(*given)
            return next(clock), next(clock), 1

        monkeypatch.setattr(module, "time_calls", time_calls)
        spent = made.run(batch, 4, 3, warmup=7)

        call = "call" if more.get("collect", True) else "call without collector"
        assert log == [line for place in (3, 4, 5, 6) for line in ("other work", f"batch {place} 1", call)]
        assert spent == (300 + 500 + 700, 400 + 600 + 800, 3)


class TestOperations:
    RECORDS = ({"t": ["a"]}, {"t": ["b", "c"]}, {"t": []})

    @pytest.fixture
    def parts(self) -> CodecParts:
        bare = codec("json")
        schema = Schema({"t": tuple[str, ...]})
        return CodecParts(bare.with_schema(schema), bare, schema.fixer(bare))

    def test_each_operation_goes_through_the_ring(self, parts: CodecParts) -> None:
        sample = make_sample(self.RECORDS)
        payloads = [parts.bare.encode(record) for record in self.RECORDS]
        expected = {"dump": list(self.RECORDS), "load": payloads, "fix": list(self.RECORDS)}

        for name, items in expected.items():
            made = work(parts, name, sample, payloads, urls={})
            found, at = made.batches([2, 0, 1])(1, 4)
            turned = [found[(at + i) % len(found)] for i in range(4)]

            assert turned == [items[0], items[1], items[2], items[0]], name

    def test_records_that_keep_something_are_made_anew_for_each_dump(self, parts: CodecParts) -> None:
        """Unless repeated dumps are asked for, or nothing can be kept and the records are shared."""
        sample = make_sample([{"t": "ä"}])
        shared = sample.records()

        def same(operation: str, ready: list[Any] | None) -> bool:
            batch = work(parts, operation, sample, [], ready, urls={}).batches([0])
            return batch(0, 1)[0][0] is batch(0, 1)[0][0]

        assert (False, True, True) == (same("dump", None), same("dump-repeat", None), same("dump", shared))

    def test_a_codec_without_a_schema_has_nothing_to_fix(self) -> None:
        bare = codec("json")
        with pytest.raises(UnfitError, match="json has nothing to fix"):
            work(CodecParts(bare, bare), "fix", make_sample([1]), [b"1"], urls={})

    def test_a_burst_holds_what_is_near(self) -> None:
        """The number of calls depends on the records only, so that all codecs find theirs equally near."""
        small = make_sample(["x"] * 3)
        large = make_sample(["x" * 100_000] * 3)
        between = make_sample(["x" * 1_600] * 3)

        assert (Slices.BURST, 5, 1) == (burst(small), burst(between), burst(large))
        assert baseline("dump", between).burst == 5


def test_a_batch_begins_anywhere_in_the_ring() -> None:
    batch = rotating("abc")([2, 1, 0])

    assert [(["c", "b", "a"], at) for at in (0, 2, 1)] == [batch(0, 1), batch(-1, 1), batch(4, 1)]


@pytest.mark.parametrize("count", [1, 3, 10, 40, 99, 400])
def test_the_mean_size_of_all_payloads_is_exact(count: int) -> None:
    made = codec("json")
    sample = make_sample([{"text": "x" * (number * number % 97)} for number in range(count)])
    payloads = [made.encode(record) for record in sample.records()]
    context = Context(CodecParts(made, made), sample, payloads)

    assert sum(map(len, payloads)) / count == operation("size").carry_out(context)
