"""What a comparison decides: both directions, one process, one past run, counts, and the edges of ties."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import madeup
from bakeoff.bench import past
from bakeoff.bench.operations import operation
from bakeoff.bench.results import Cell, CellResult, CheckFacts, Measurement, OperationFacts, ResultData
from bakeoff.bench.stats import RUN_TO_RUN, Ratio, RunToRun
from bakeoff.errors import UsageError
from bakeoff.reports.decide.compare import Comparison, again, compare, settled
from bakeoff.reports.decide.compare_output import table

LESS = operation("load").facts()
MORE = operation("threads-load:2").facts()
"""Records per second: more is better."""
CALM = RunToRun(1e-5, 30, 31)
CELL = Cell("messages", "load", "json")


def run(load: float = 2e-6, **options: object) -> ResultData:
    figures = {"json": {"load": load}, "msgpack": {"load": 1e-6}}
    return madeup.planted(figures, **{"noise": 1e-5, **options})  # type: ignore[arg-type]


def compared(before: ResultData, after: ResultData, session: RunToRun = CALM, **options: bool) -> Comparison:
    sessions = {cell.cell: session for cell in before.cells}
    return compare(before, after, sessions=sessions, **options)


def verdict(found: Comparison, codec: str = "json") -> str:
    return next(change.verdict for change in found.changes if change.cell.codec == codec)


def around(value: float, spread: float, count: int = 8) -> list[Measurement]:
    """Samples that differ by a share, in pairs that cancel."""
    return [
        Measurement(v, v, v, pair) for pair in range(count) if (v := value * math.exp(spread * (-1) ** pair))
    ]


def test_the_directions_are_those_meant() -> None:
    assert ("lower", "higher") == (LESS.direction, MORE.direction)


@pytest.mark.parametrize(
    ("factor", "less", "more"),
    [(1.2, "worse", "better"), (1 / 1.2, "better", "worse"), (1.0, "same", "same")],
)
def test_what_is_worse_depends_on_the_direction(factor: float, less: str, more: str) -> None:
    for name, said in (("load", less), ("threads-load:2", more)):
        before, after = (
            madeup.planted({"a": {name: 1000.0 * times}, "b": {name: 500.0}}, noise=1e-5)
            for times in (1.0, factor)
        )
        found = compared(before, after)
        change = found.changes[0]

        assert said == change.verdict, name
        assert (said == "worse") == bool(found.regressions(0.1)) == change.beyond(0.1)
        assert not change.beyond(0.25)
        gate = "failed" if said == "worse" else "passed"
        assert gate == found.gate(0.05)
        worst = factor if name == "load" else 1 / factor
        assert pytest.approx(worst, rel=0.001) == change.worst


@pytest.mark.parametrize("facts", [LESS, MORE], ids=["less", "more"])
@pytest.mark.parametrize(
    ("worse_by", "spread", "limit", "ends"),
    [
        (1.20, 0.001, 0.05, True),  # surely beyond
        (1.00, 0.001, 0.05, True),  # surely within
        (0.80, 0.001, 0.05, True),
        (1.05, 0.05, 0.05, False),  # across the limit
        (1.00, 0.10, 0.05, False),
        (1.005, 0.001, 0.0, True),  # a tie is no regression, whatever the limit
        (1.015, 0.001, 0.0, True),
    ],
)
def test_confirming_ends_when_the_interval_is_on_one_side_of_the_limit(
    facts: OperationFacts, worse_by: float, spread: float, limit: float, ends: bool
) -> None:
    """In both directions alike."""
    factor = worse_by if facts.direction == "lower" else 1 / worse_by
    before = around(1.0, 0.0)
    after = around(factor, spread)

    assert ends == settled(before, after, facts, limit, 0.05)


def test_confirming_looks_at_the_worse_side() -> None:
    """Much better is settled, and much worse too; the two sides of an interval are not the same."""
    before = around(1.0, 0.0)
    for facts in (LESS, MORE):
        better = 0.5 if facts.direction == "lower" else 2.0
        assert settled(before, around(better, 0.3), facts, 0.05, 0.05)
        assert not settled(before, around(1 / better, 0.8), facts, 0.05, 0.05)


@pytest.mark.parametrize(
    ("factor", "said"), [(1.008, "same"), (1.012, "worse"), (1 / 1.008, "same"), (1 / 1.012, "better")]
)
def test_a_sure_difference_of_times_within_a_tie_is_the_same(factor: float, said: str) -> None:
    """The tie band of counts is narrower; it is not that of times."""
    assert said == verdict(compared(run(), run(2e-6 * factor)))


def test_one_process_of_each_run_decides_nothing() -> None:
    found = compare(run(processes=1), run(2.5e-6, processes=1))

    assert "not significant" == verdict(found)
    assert [] == found.regressions(0.05)
    assert "undecided" == found.gate(0.05)


@pytest.mark.parametrize("phase", ["memory", "time"])
def test_only_memory_has_a_tolerance_for_one_process(phase: str) -> None:
    name = "retained-records" if phase == "memory" else "load"
    before, after = (
        madeup.planted({"a": {name: value}, "b": {name: 1e6}}, processes=1) for value in (1e6, 2e6)
    )
    found = compare(before, after)

    assert ("worse" if phase == "memory" else "not significant") == verdict(found, "a")


@pytest.mark.parametrize(
    ("before", "after", "said", "reason"),
    [
        (0.0, 0.0, "same", ""),
        (0.0, 1e6, "cannot decide", "a figure of 0 has no ratio"),
        (1e6, 0.0, "cannot decide", "a figure of 0 has no ratio"),
    ],
)
def test_a_memory_of_nothing_has_no_ratio(before: float, after: float, said: str, reason: str) -> None:
    name = "retained-records"
    runs = (madeup.planted({"a": {name: value}, "b": {name: 1e6}}, noise=0.0) for value in (before, after))
    change = next(each for each in compare(*runs).changes if each.cell.codec == "a")

    assert (said, reason) == (change.verdict, change.reason)


@pytest.mark.parametrize(
    ("figures", "direction"),
    [
        ({"load": 1e-6}, "lower"),
        ({"threads-load:2": 1e5}, "higher"),
        ({"load": 1e-6, "threads-load:2": 1e5}, ""),
    ],
)
def test_columns_show_the_direction_that_all_operations_have(
    figures: dict[str, float], direction: str
) -> None:
    one = madeup.planted({"a": figures, "b": figures})
    (section, *_) = table(compare(one, one)).sections

    assert {"before": direction, "after": direction} == {
        column.key: column.direction for column in section.columns if column.key in ("before", "after")
    }


@pytest.mark.parametrize(
    "fact",
    ["boot_time", "cores", "cpu_freq", "date", "duration", "load_avg_1min", "python_executable", "uptime"],
)
def test_what_differs_in_every_run_is_no_change(fact: str) -> None:
    before, after = (replace(run(), environment={fact: value, "governor": value}) for value in ("1", "2"))
    notes = " ".join(compared(before, after).notes)

    assert fact not in notes
    assert "governor" in notes


class TestCounts:
    def counted(
        self,
        value: float | None,
        outcome: str = "ok",
        *,
        check: CheckFacts | None = None,
        version: str = "1.2.3",
        build: str = "x",
    ) -> ResultData:
        """A run with the instructions of json and msgpack."""
        facts = {"json": {"library": "libjson", "version": version}}
        made = madeup.planted({"json": {"load": 1e-6}, "msgpack": {"load": 1e-6}}, facts=facts)
        cells = [
            CellResult(
                Cell("messages", "count-load", codec),
                outcome if codec == "json" else "ok",  # type: ignore[arg-type]
                "it died" if outcome != "ok" and codec == "json" else "",
                check=check,
                samples=tuple(
                    [] if figure is None else [Measurement(figure, figure, figure)],
                ),
                extras={"build": build if codec == "json" else "same"},
            )
            for codec, figure in (("json", value), ("msgpack", 1000.0))
        ]
        operations = (*made.operations, operation("count-load").facts())
        return replace(made, cells=(*made.cells, *cells), operations=operations)

    def said(self, before: ResultData, after: ResultData) -> dict[str, str]:
        found = compare(before, after, counts=True)
        return {change.cell.codec: change.verdict for change in found.changes}

    @pytest.mark.parametrize(
        ("factor", "said"), [(1.002, "same"), (1.004, "worse"), (1 / 1.004, "better"), (1.0, "same")]
    )
    def test_counts_have_a_narrower_tie(self, factor: float, said: str) -> None:
        assert said == self.said(self.counted(1000.0), self.counted(1000.0 * factor))["json"]

    @pytest.mark.parametrize(("factor", "percent"), [(1.004, "0.40%"), (0.5, "50.00%")])
    def test_a_count_changes_by_a_percentage(self, factor: float, percent: str) -> None:
        found = compare(self.counted(1000.0), self.counted(1000.0 * factor), counts=True)

        assert found.changes[0].words.startswith(percent)

    def test_another_build_of_the_same_version_is_refused(self) -> None:
        with pytest.raises(UsageError, match="build of libjson"):
            self.said(self.counted(1000.0), self.counted(1000.0, build="y"))

    def test_another_version_is_what_a_comparison_is_for(self) -> None:
        newer = self.counted(1100.0, version="1.3.0", build="y")

        assert "worse" == self.said(self.counted(1000.0), newer)["json"]

    def test_a_codec_that_failed_both_checks_is_left_out(self) -> None:
        broken = self.counted(None, "error")

        assert {"msgpack": "same"} == self.said(broken, broken)

    @pytest.mark.parametrize("broken_first", [True, False])
    def test_a_count_of_one_side_is_missing(self, *, broken_first: bool) -> None:
        sides = [
            self.counted(None, "error"),
            self.counted(1000.0, check=CheckFacts(records=1, encoded=1)),
        ]
        before, after = sides if broken_first else sides[::-1]
        found = {change.cell.codec: change for change in compare(before, after, counts=True).changes}

        assert "not measured" == found["json"].verdict
        assert ("before" if broken_first else "after") in found["json"].reason

    def test_a_count_that_a_check_promised_is_missing(self) -> None:
        """The codec passed its check of one run and has no count: that is not the same as failing both."""
        passed = self.counted(None, "error", check=CheckFacts(records=1, encoded=1))

        assert "not measured" == self.said(passed, self.counted(None, "error"))["json"]
        assert "not measured" == self.said(self.counted(None, "error"), passed)["json"]


def pooled(squares: float) -> float:
    """Return the deviation of one degree of freedom and the assumed ones."""
    return math.sqrt((RUN_TO_RUN.degrees * RUN_TO_RUN.deviation**2 + squares) / (RUN_TO_RUN.degrees + 1))


class TestPastRuns:
    def earlier(self, number: int, shift: float = 0.0) -> ResultData:
        made = run(2e-6 * math.exp(shift), noise=0.002, seed=number)
        made = madeup.changed(made, sample=lambda s: replace(s, reference_kernel=6e-6, contention=1.0))
        return replace(made, started=f"2026-11-23T10:00:{number:02}+00:00")

    @pytest.mark.parametrize("count", [0, 1, 2, 3])
    def test_any_number_of_past_runs_will_do(self, count: int) -> None:
        """One run differs from none."""
        rows = [row for n in range(count) for row in past.rows_of(self.earlier(n, 0.01 * n))]
        found = past.Past([self.earlier(10), self.earlier(11)], rows).sessions()

        assert {"json", "msgpack"} == {cell.codec for cell in found}
        for session in found.values():
            assert (count if count > 1 else 0) == session.runs
            assert math.isfinite(session.deviation)

    def test_runs_without_times_have_none(self) -> None:
        sizes = madeup.planted({"json": {"size": 100.0}}, baseline=False)

        assert {} == past.Past([sizes, sizes], []).sessions()
        assert {} == past.Past([], []).sessions()

    @pytest.mark.parametrize(("processes", "rows"), [(1, 0), (2, 2), (3, 2)])
    def test_a_run_of_one_process_is_not_remembered(
        self, processes: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It shows no noise; and nothing is written for it."""
        file = tmp_path / "past.sqlite"
        monkeypatch.setenv(past.VARIABLE, str(file))
        made = run(processes=processes)
        made = madeup.changed(made, sample=lambda s: replace(s, reference_kernel=6e-6, contention=1.0))

        assert rows == len(list(past.rows_of(made)))
        assert "" == past.remember(made)
        assert (rows > 0) == file.exists()

    def test_runs_on_other_records_say_nothing(self) -> None:
        rows = [row for n in range(3) for row in past.rows_of(self.earlier(n, 0.01 * n))]
        for change in ({}, {"sha256": "f" * 64}, {"sample": 5}):
            runs = [self.earlier(n) for n in (10, 11)]
            runs = [replace(each, corpora=(replace(each.corpora[0], **change),)) for each in runs]
            sessions = past.Past(runs, rows).sessions().values()
            assert [0 if change else 3] * 2 == [session.runs for session in sessions]

    def test_a_past_run_of_unknown_contention_says_nothing(self) -> None:
        rows = [
            replace(row, contention=0.0) for n in range(3) for row in past.rows_of(self.earlier(n, 0.01 * n))
        ]
        sessions = past.Past([self.earlier(10), self.earlier(11)], rows).sessions().values()

        assert [0, 0] == [session.runs for session in sessions]

    def test_pooling_by_hand(self) -> None:
        """Two runs 0.1 apart have a variance of 0.005, twice that between two, and one degree of freedom."""
        rows = [past.PastCell("i", "m", f"t{n}", 0.1 * n, 0.0, 1.0) for n in range(2)]
        found = past.between([rows, rows[:1], []])

        assert (RUN_TO_RUN.degrees + 1, 2) == (found.degrees, found.runs)
        assert pytest.approx(pooled(2 * 0.005)) == found.deviation

    def test_noise_of_the_processes_is_not_that_of_the_runs(self) -> None:
        rows = [past.PastCell("i", "m", f"t{n}", 0.1 * n, math.sqrt(0.004), 1.0) for n in range(2)]
        found = past.between([rows])

        assert pytest.approx(pooled(2 * (0.005 - 0.004))) == found.deviation
        loud = [replace(row, error=1.0) for row in rows]
        assert pytest.approx(pooled(0.0)) == past.between([loud]).deviation


def test_only_open_cells_of_times_are_measured_again() -> None:
    """Those beyond the limit, undecided or missing; not what a check has found."""
    before, after = run(), run(2.4e-6)
    broken = madeup.changed(after, "msgpack", outcome="wrong", samples=())
    found = compared(before, broken)

    assert ["json"] == [change.cell.codec for change in again(found, 0.05)]
    assert [] == again(compared(before, after), 0.5)
    gone = replace(after, cells=tuple(c for c in after.cells if c.cell.codec != "json"))
    assert [] == again(compared(before, gone), 0.05), "the second run did not check it"
    untimed = madeup.changed(after, "json", samples=())
    assert ["json"] == [change.cell.codec for change in again(compared(before, untimed), 0.05)]


@pytest.mark.parametrize(
    ("ends", "inside", "outside"),
    [
        ((0.995, 1.005), True, False),
        ((0.99, 1.02), False, False),
        ((1.02, 1.05), False, True),
        ((0.94, 0.98), False, True),
        ((0.94, 1.0), False, False),
        ((1.0, 1.06), False, False),
    ],
)
def test_a_tie_band_in_both_directions(ends: Sequence[float], *, inside: bool, outside: bool) -> None:
    found = Ratio(math.sqrt(ends[0] * ends[1]), *ends, 0.01, 5)

    for each in (found, found.inverse()):
        assert (inside, outside) == (each.inside(0.01), each.outside(0.01))
