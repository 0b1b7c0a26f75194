"""Comparing two runs, with effects that are known beforehand."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import codecs
from bakeoff.bench.results import Cell, CheckFacts, GrowthFacts, Measurement, write
from bakeoff.bench.run import interleaved
from bakeoff.bench.run.interleaved import Again
from bakeoff.bench.run.options import Options
from bakeoff.bench.stats import RunToRun
from bakeoff.errors import UsageError
from bakeoff.reports.decide import compare_output as written
from bakeoff.reports.decide.compare import compare
from bakeoff.reports.decide.compare_output import table
from madeup import PLANTED, added, changed

BASE = {name: PLANTED[name] for name in ("json", "msgpack")}

CALM = RunToRun(0.001, 30, 31)
"""Two runs of a machine whose past runs agreed."""


def slowed(codec, operation, factor):
    return {
        name: {op: value * (factor if (name, op) == (codec, operation) else 1) for op, value in ops.items()}
        for name, ops in BASE.items()
    }


def contended(result, level):
    return changed(result, sample=lambda sample: replace(sample, contention=level))


def words_of(comparison):
    return {(c.cell.codec, c.cell.operation_name): c.words for c in comparison.changes}


class TestCompare:
    def test_same_run_twice(self, result_of):
        found = compare(result_of(BASE, seed=1), result_of(BASE, seed=2))

        assert {"same", "not significant"} >= {c.verdict for c in found.changes}
        assert [] == found.regressions(0)

    @pytest.mark.parametrize(
        ("codec", "operation", "factor", "said"),
        [
            ("json", "load", 1.25, "1.25× slower"),
            ("json", "dump", 0.5, "2.00× faster"),
            ("msgpack", "size", 1.1, "1.10× larger"),
        ],
    )
    def test_one_cell_changed(self, result_of, codec, operation, factor, said):
        found = compare(result_of(BASE, seed=1), result_of(slowed(codec, operation, factor), seed=2))
        changes = {cell: words for cell, words in words_of(found).items() if "×" in words}

        assert {(codec, operation): said} == changes
        assert "same" == words_of(found)["json", "size"]

    @pytest.mark.parametrize(
        ("operation", "resolution", "before", "after", "expected"),
        [
            ("peak-load", 65536, 1e6, 1e7, "10.0× larger"),
            ("peak-load", 65536, 1e7, 1e6, "10.0× smaller"),
            ("peak-dump", 65536, 663_552, 974_848, "not significant"),
            ("peak-dump", 65536, 20e6, 21e6, "not significant"),
            ("peak-dump", 65536, 20e6, 23e6, "1.15× larger"),
            ("retained-records", None, 4000, 4600, "1.15× larger"),
            ("retained-records", None, 4000, 4300, "not significant"),
            # If a peak is only known to a MiB, less than that is not a difference.
            ("peak-load", 1 << 20, 1e6, 2e6, "not significant"),
            # A value below the resolution is not a figure, and counts as the resolution.
            ("peak-load", 65536, 4096, 12288, "not significant"),
            ("peak-load", 65536, 4096, 655_360, "10.0× larger"),
        ],
    )
    def test_memory_has_a_tolerance(self, planted, operation, resolution, before, after, expected):
        """One figure for each run is compared with the difference between two runs of the same code."""
        runs = [added(planted, "json", operation, peak, resolution=resolution) for peak in (before, after)]
        found = compare(*runs)

        assert expected == words_of(found)["json", operation]
        assert [operation] * expected.endswith("larger") == [
            c.cell.operation_name for c in found.regressions(0.05)
        ]

    def test_a_peak_below_its_resolution_is_shown_as_that(self, planted):
        """Less than 64 KiB is not seen."""
        runs = [added(planted, "json", "peak-load", peak, resolution=65536) for peak in (4096.0, 655_360.0)]
        shown = {row.entries["operation"].text: row.entries for row in table(compare(*runs)).sections[0].rows}

        assert ("<64 KiB", "640 KiB") == tuple(shown["peak-load"][side].text for side in ("before", "after"))

    @pytest.mark.parametrize(
        ("before", "after", "verdict"), [(0.0, 0.0, "same"), (0.0, 500.0, "cannot decide")]
    )
    def test_a_figure_of_nothing_has_no_ratio(self, planted, before, after, verdict):
        runs = [added(planted, "json", "retained-records", value) for value in (before, after)]
        (change,) = [c for c in compare(*runs).changes if c.cell.operation_name == "retained-records"]

        assert verdict == change.verdict

    def test_memory_of_several_codecs(self, result_of):
        runs = [
            result_of({name: {**ops, "peak-load": value} for name, ops in BASE.items()}, processes=1)
            for value in (1e6, 1e7, 1.2e6)
        ]
        runs = [changed(run, resolution=65536) for run in runs]
        more, little = (
            {c.cell.operation_name: c.verdict for c in compare(runs[0], run).means} for run in runs[1:]
        )

        assert ("worse", "not significant") == (more["peak-load"], little["peak-load"])

    def test_bytes_of_other_records_are_not_compared(self, result_of):
        """A codec too slow to encode all: its mean is another run's only by chance."""

        def of(size, encoded):
            run = result_of({"json": {"dump": 1e-6, "load": 1e-6, "size": size}})
            return changed(run, check=CheckFacts(records=10, encoded=encoded))

        found = compare(of(100, 40), of(150, 60))
        (size,) = [c for c in found.changes if c.cell.operation_name == "size"]

        assert (None, "cannot decide") == (size.ratio, size.verdict)
        assert "cannot decide (bytes on different records): json size" in table(found).notes
        assert not any(c.beyond(0.05) for c in found.changes)
        assert any(c.beyond(0.05) for c in compare(of(100, 60), of(150, 60)).changes)

    def test_noise_is_not_significant(self, result_of):
        found = compare(
            result_of(BASE, noise=0.2, processes=5),
            result_of(slowed("json", "load", 1.05), noise=0.2, processes=5, seed=3),
        )

        assert {"not significant"} == {c.words for c in found.changes if c.cell.operation_name != "size"}

    def test_limit(self, result_of):
        runs = result_of(BASE), result_of(slowed("json", "load", 1.08), seed=2)
        found = compare(*runs, sessions={cell.cell: CALM for cell in runs[0].cells})

        assert ["json"] == [c.cell.codec for c in found.regressions(0.02)]
        assert [] == found.regressions(0.1)

    def test_one_session_is_one_session(self, result_of):
        """Two runs that differ by 2 % as a whole are the same code or not, however sure each is of itself."""
        times = {name: {op: ops[op] for op in ("dump", "load")} for name, ops in BASE.items()}
        later = {name: {op: value * 1.02 for op, value in ops.items()} for name, ops in times.items()}
        sure = {"noise": 0.001, "processes": 30}
        runs = result_of(times, **sure), result_of(later, **sure, seed=2)
        calm = {cell.cell: CALM for cell in runs[0].cells}

        assert {"not significant"} == {c.verdict for c in compare(*runs).changes}
        assert {"worse"} == {c.verdict for c in compare(*runs, sessions=calm).changes}

    def test_past_runs_are_named(self, result_of):
        runs = result_of(BASE), result_of(BASE, seed=2)
        cells = [cell.cell for cell in runs[0].cells if cell.cell.operation != "size"]
        of_one = {Cell("messages", "load", "json"): RunToRun(0.031, 12, 9)}
        alike = {cell: RunToRun(0.0126 + number / 10000, 7, 3) for number, cell in enumerate(cells)}
        of_all = {cell: RunToRun(0.01 + number / 1000, 7, 3) for number, cell in enumerate(cells)}
        few = {cell: RunToRun(0.01, 7, 3 + number) for number, cell in enumerate(cells)}

        def said(sessions: dict[Cell, RunToRun]) -> list[str]:
            notes = table(compare(*runs, sessions=sessions)).notes
            return [note.removeprefix("two runs of the same code ") for note in notes if "two runs" in note]

        nothing = "(standard deviation; no past runs of these cells are known on this machine)"
        assert [f"are assumed to differ by 2.0 % {nothing}"] == said({})
        known = "(standard deviation; from 3 past runs of these cells on this machine)"
        assert [f"differ by 1.0 to 1.3 % {known}"] == said(of_all)
        assert [f"differ by 1.3 % {known}"] == said(alike)
        known = "(standard deviation; from 3 to 6 past runs of these cells on this machine)"
        assert [f"differ by 1.0 % {known}"] == said(few)
        assert [
            "differ by 3.1 % (standard deviation; from 9 past runs of 1 of these 4 cells on this machine)",
            f"are assumed to differ by 2.0 % {nothing.replace('these', 'the others of these')}",
        ] == said(of_one)

    def test_an_edit_of_code_is_named(self, result_of):
        """Of codecs that both runs have."""
        runs = [
            changed(
                result_of(BASE, seed=seed), "json", check=CheckFacts(10, 10, code={"own": digest, **other})
            )
            for seed, digest, other in ((1, "a1", {}), (2, "b2", {"numpy": "2.0"}))
        ]

        assert ["code own: a1 → b2"] == [note for note in compare(*runs).notes if "code" in note]
        assert [] == [note for note in compare(runs[0], runs[0]).notes if "code" in note]

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("limit", [None, 0.05])
    def test_intervals_agree_with_verdicts(self, result_of, seed, limit):
        """An interval excludes no change exactly if the change is significant, in every output."""
        apart = {
            name: {op: value * (1 + 0.02 * number) for number, (op, value) in enumerate(ops.items(), seed)}
            for name, ops in BASE.items()
        }
        found = compare(result_of(BASE, seed=seed, noise=0.02), result_of(apart, seed=seed + 9, noise=0.02))
        plain = json.loads(written.json(found, limit))
        rows = [row for section in table(found, limit).sections for row in section.rows]
        listed = [*plain["cells"], *plain["means"]]

        assert len(rows) == len(listed) == 6 + 3
        for cell, row in zip(listed, rows, strict=True):
            entry = row.entries["change"]
            assert (cell["low"], cell["high"]) == (entry.low, entry.high)
            if cell["operation"] == "size":
                continue
            excludes = not cell["low"] <= 1 <= cell["high"]
            significant = cell["words"].endswith(("slower", "faster"))
            assert significant <= excludes
            assert excludes <= (significant or cell["verdict"] in ("same", "cannot decide"))
            assert cell["confidence"] >= 0.95
        if limit is not None:
            failed = {c.cell for c in found.regressions(limit)}
            could = {c.cell for c in found.changes if c.worst > 1.1 and c.cell not in failed}
            assert could == {c.cell for c in found.undecided(limit)}
            assert len(could) == sum(cell["verdict"] == "cannot decide" for cell in plain["cells"])

    def test_sizes_take_no_part_in_the_guard_against_chance(self, result_of):
        """They have no noise: the times are judged as without them."""
        runs = [result_of(BASE, seed=seed, noise=0.02) for seed in (1, 2)]
        timed = [
            replace(run, cells=tuple(c for c in run.cells if c.cell.operation != "size")) for run in runs
        ]
        whole, part = (
            {c.cell: (c.alpha, c.verdict) for c in compare(*pair).changes if c.timed}
            for pair in (runs, timed)
        )

        assert whole == part

    def test_warnings_of_both_runs(self, planted):
        busy = replace(planted, warnings=("a neighbour keeps this machine busy",))

        assert ("after: a neighbour keeps this machine busy",) == table(compare(planted, busy)).warnings

    def test_geometric_mean(self, result_of):
        found = compare(result_of(BASE), result_of(slowed("json", "load", 1.44), seed=2))
        means = {c.cell.operation_name: c for c in found.means}

        assert means["load"].ratio.value == pytest.approx(1.2, rel=0.01)
        assert "worse" == means["load"].verdict
        assert means["dump"].verdict in ("same", "not significant")

    @pytest.mark.parametrize(
        ("outcome", "reason", "said"),
        [
            ("unfinished", "no time for its check", "no time for its check"),
            ("missing", "yaml is not installed", "yaml is not installed"),
            ("ok", "", "checked, but not enough time to measure it"),
            ("lossy", "", "checked, but not enough time to measure it"),
            (None, "", "not part of the second run"),
        ],
    )
    def test_a_cell_without_a_figure_after_is_not_measured(self, result_of, outcome, reason, said):
        without = result_of({"msgpack": BASE["msgpack"]}, outcomes={"json": (outcome, reason)}, seed=2)
        if outcome is None:
            without = result_of({"msgpack": BASE["msgpack"]}, seed=2)
        for before in (result_of(BASE), result_of(BASE, losses={"json": ("a tuple",)})):
            found = compare(before, without)
            lost = {
                c.cell.operation_name: (c.verdict, c.reason) for c in found.changes if c.cell.codec == "json"
            }

            if outcome == "lossy" and before.cells[0].outcome == "ok":
                assert {"dump": ("worse", ""), "load": ("worse", "")} == {
                    key: value for key, value in lost.items() if key != "size"
                }
                continue
            assert lost["dump"] == lost["load"] == ("not measured", said)
            assert {"not measured"} == {c.words for c in found.missing()}
            assert not [c for c in found.changes if c.verdict == "better"]
            assert f"not measured ({said}): json dump, json load" in str(table(found).notes)

    @pytest.mark.parametrize("outcome", ["unfinished", "missing", "ok", None])
    def test_a_cell_without_a_figure_before_is_new(self, result_of, outcome):
        base = result_of(
            {"msgpack": BASE["msgpack"]}, outcomes={"json": (outcome, "")} if outcome else None, seed=2
        )
        found = compare(base, result_of(BASE))

        assert {"dump", "load"} <= {cell.operation_name for cell in found.new if cell.codec == "json"}
        assert {"msgpack"} == {change.cell.codec for change in found.changes}
        assert "new, with nothing before to compare: messages/dump/json" in str(table(found).notes)

    def test_a_cell_without_figures_is_not_compared(self, result_of):
        both = [
            result_of(BASE, outcomes={"yaml": ("unfinished", ""), "bson": ("wrong", "")}, seed=seed)
            for seed in (1, 2)
        ]
        found = compare(*both)

        assert {"yaml", "bson"} == {cell.codec for cell in found.unmeasured}
        assert {"json", "msgpack"} == {change.cell.codec for change in found.changes}
        assert [] == found.missing()

    @pytest.mark.parametrize(
        ("before", "after", "verdict"),
        [("crashed", "ok", "better"), ("ok", "crashed", "worse"), ("wrong", "crashed", "worse")],
    )
    def test_outcomes_without_a_figure(self, result_of, before, after, verdict):
        one, other = (
            result_of({"msgpack": BASE["msgpack"]}, outcomes={"json": (outcome, "")})
            for outcome in (before, after)
        )

        assert {verdict} == {c.verdict for c in compare(one, other).changes if c.cell.codec == "json"}

    @pytest.mark.parametrize(("factor", "verdict"), [(5.0, "worse"), (0.2, "better"), (1.5, "cannot decide")])
    def test_no_neighbor_explains_a_large_change(self, result_of, factor, verdict):
        before = contended(result_of({"json": {"load": 1e-6}}), 1.0)
        after = contended(result_of({"json": {"load": factor * 1e-6}}, seed=2), 1.62)
        (change,) = compare(before, after).changes

        assert verdict == change.verdict

    def test_another_contention_cannot_be_compared(self, result_of):
        free, shared = (contended(result_of(BASE, seed=seed), level) for seed, level in ((1, 1.0), (2, 1.62)))
        found = compare(free, shared)
        times = [c for c in found.changes if c.cell.operation_name != "size"]

        assert {"cannot decide"} == {c.verdict for c in times}
        assert times == found.undecided(10)
        assert [] == found.regressions(0)
        assert "a neighbor used the core in one of the runs only: contention 1.00 and 1.62" in str(
            table(found).notes
        )
        assert {"not significant", "same"} >= {
            c.verdict for c in compare(shared, contended(result_of(BASE, seed=3), 1.55)).changes
        }

    @pytest.mark.parametrize(
        ("noise", "factor", "expected"),
        [
            (0.003, 1.0, (0, 0)),
            (0.003, 1.2, (1, 0)),
            (0.12, 1.0, (0, 1)),
            (0.003, 0.8, (0, 0)),
        ],
    )
    def test_what_a_gate_could_miss_is_undecided(self, result_of, noise, factor, expected):
        before = result_of({"json": {"load": 1e-6}}, noise=noise, seed=1)
        found = compare(before, result_of({"json": {"load": factor * 1e-6}}, noise=noise, seed=4))

        assert expected == (len(found.regressions(0.05)), len(found.undecided(0.05)))

    def test_a_run_compared_with_itself(self, result_of):
        run = result_of(BASE, noise=0.3)
        found = compare(run, run)

        assert {"same"} == {c.verdict for c in found.changes}
        assert [] == found.undecided(0)

    def test_a_broken_codec_is_a_regression(self, result_of):
        after = result_of({"msgpack": BASE["msgpack"]}, outcomes={"json": ("crashed", "signal 11")}, seed=2)
        found = compare(result_of(BASE), after)

        assert words_of(found)["json", "load"] == "ok → crashed"
        assert {"json"} == {c.cell.codec for c in found.regressions(10)}

    @pytest.mark.parametrize(
        ("before", "after", "verdict"),
        [
            (("a tuple",), ("a tuple", "a UUID"), "worse"),
            (("a tuple",), ("a UUID",), "worse"),
            (("a tuple", "a UUID"), ("a UUID",), "better"),
        ],
    )
    def test_a_new_loss_is_a_regression(self, result_of, before, after, verdict):
        found = compare(*(changed(result_of(BASE), outcome="lossy", loss=loss) for loss in (before, after)))

        assert {verdict} == {c.verdict for c in found.changes}
        assert bool(found.regressions(10)) is (verdict == "worse")

    @pytest.mark.parametrize(
        ("factor", "said", "fails"),
        [(1.0, "lossy → ok", False), (3.0, "lossy → ok, 3.00× slower", True)],
    )
    def test_a_better_outcome_excuses_no_time(self, result_of, factor, said, fails):
        before = result_of(BASE, noise=1e-6, losses=dict.fromkeys(BASE, ("a tuple",)))
        found = compare(before, result_of(slowed("json", "load", factor), noise=1e-6, seed=2))

        assert words_of(found)["json", "load"] == said
        assert fails is bool(found.regressions(0.05))

    def test_a_new_leak_is_a_regression(self, planted):
        cell = Cell("messages", "growth-load", "json")
        before, after = (
            added(planted, "json", "growth-load", facts=GrowthFacts(verdict))
            for verdict in ("no growth", "growing")
        )

        assert [cell] == [c.cell for c in compare(before, after).regressions(0.05)]
        assert "no growth → growing" == compare(before, after).regressions(0.05)[0].words

    def test_other_records_are_refused(self, planted):
        other = replace(planted, corpora=(replace(planted.corpora[0], sha256="f" * 64),))

        with pytest.raises(UsageError, match="corpus messages has other records"):
            compare(planted, other)
        assert "corpus messages has other records" in compare(planted, other, force=True).notes[0]

    def test_other_options_are_refused(self, planted):
        other = replace(planted, conditions={"gc": "off"}, options={"budget": 30})

        with pytest.raises(UsageError, match="option gc: default → off"):
            compare(planted, other)
        assert compare(planted, replace(planted, options={"budget": 30})).changes

    def test_nothing_in_common(self, result_of):
        with pytest.raises(UsageError, match="no cell in common"):
            compare(result_of({"json": BASE["json"]}), result_of({"msgpack": BASE["msgpack"]}))

    def test_changed_surroundings(self, result_of):
        before = result_of(BASE)
        one = {"json": {**BASE["json"]}}
        after = result_of(one, facts={"json": {"version": "9.9"}}, environment={"python_version": "3.13.1"})
        found = table(compare(before, after))

        assert "changed: python_version: 3.11.7 → 3.13.1" in found.notes
        assert "changed: library libjson: 1.2.3 → 9.9" in found.notes
        assert any("not part of the second run): msgpack dump" in note for note in found.notes)

    @given(
        factor=st.floats(0.2, 5).filter(lambda f: abs(f - 1) > 0.12),
        noise=st.floats(0.0005, 0.004),
        seed=st.integers(0, 1000),
    )
    def test_planted_effects_are_found(self, result_of, factor, noise, seed):
        a = result_of(BASE, noise=noise, seed=seed)
        b = result_of(slowed("json", "dump", factor), noise=noise, seed=seed + 5000)
        there = next(c for c in compare(a, b).changes if c.cell.codec == "json")
        back = next(c for c in compare(b, a).changes if c.cell.codec == "json")

        assert ("worse" if factor > 1 else "better") == there.verdict
        assert {"better", "worse"} == {there.verdict, back.verdict}
        assert there.ratio.value * back.ratio.value == pytest.approx(1)


class TestCommand:
    @pytest.fixture
    def run(self, bakeoff, result_of):
        options = Options(("messages",), ("json", "msgpack")).flat()
        write(result_of(BASE, seed=1, options=options), Path("base.json"))
        write(result_of(BASE, seed=2, options=options), Path("same.json"))
        write(result_of(slowed("json", "load", 1.2), seed=3, options=options), Path("slow.json"))
        return partial(bakeoff, "compare")

    @pytest.mark.parametrize(
        ("after", "limit", "code", "said"),
        [
            ("same.json", [], 0, "0 of 6 cells became better, 0 worse; without --fail-above nothing fails."),
            ("slow.json", [], 0, "0 of 6 cells became better, 1 worse; without --fail-above nothing fails."),
            (
                "same.json",
                ["20%"],
                0,
                "no significant regression beyond 20%; 0 of 6 cells became better, 0 worse.",
            ),
            (
                "slow.json",
                ["5%"],
                1,
                "beyond 5%: messages/load/json (1.20× slower); 0 of 6 cells became better, 1 worse.",
            ),
            (
                "same.json",
                ["0%"],
                2,
                "% here, so one may be beyond 0%: messages/dump/json (at worst +",
            ),
            ("shared.json", ["50%"], 2, "(a neighbor used the core in one of the runs only: contention 1.00"),
            (
                "partly.json",
                ["5%"],
                1,
                "(exit 1): measured before and not after: messages/dump/msgpack, mess",
            ),
        ],
    )
    @pytest.mark.parametrize("form", ["text", "md", "json"])
    def test_one_line_gives_the_reason_of_the_exit_code(self, run, result_of, form, after, limit, code, said):
        """The first one of the terminal; it is the error, too."""
        options = Options(("messages",), ("json", "msgpack")).flat()
        for name, level in (("base", 1.0), ("shared", 1.62)):
            write(contended(result_of(BASE, options=options), level), Path(f"{name}.json"))
        write(result_of({"json": BASE["json"]}, seed=2, options=options), Path("partly.json"))
        found, out, err = run("base.json", after, *(["--fail-above", *limit] if limit else []), "-f", form)
        gate = "compared" if not limit else {0: "passed", 1: "failed", 2: "undecided"}[code]
        start = f"{gate} (exit {code}): "
        lines = [json.loads(out)["conclusion"]] if form == "json" else out.splitlines()

        assert code == found
        (line,) = [line for line in lines if "(exit " in line]
        assert said in line
        assert start in line
        assert "0 of 6 cells became better, " in line
        assert form == "json" or line == lines[0]
        assert code == 0 or err.startswith(f"bakeoff: {start}")
        assert code == (json.loads(out)["exit_code"] if form == "json" else code)

    def test_regression_fails(self, run):
        code, out, err = run("base.json", "slow.json", "--fail-above", "5%")

        assert 1 == code
        assert "1.20× slower" in out
        assert "messages/load/json (1.20× slower)" in err

    def test_no_regression_passes(self, run):
        assert 0 == run("base.json", "same.json", "--fail-above", "5%")[0]
        assert 0 == run("base.json", "slow.json", "--fail-above", "50%")[0]
        assert 0 == run("base.json", "slow.json")[0]

    def test_outputs(self, run):
        _, markdown, _ = run("base.json", "slow.json", "-f", "md")
        _, plain, _ = run("base.json", "slow.json", "-f", "json", "--fail-above", "5%")
        found = json.loads(plain)

        assert "| 1.20× slower" in markdown
        assert ["messages/load/json"] == found["regressions"]
        cell = next(c for c in found["cells"] if (c["codec"], c["operation"]) == ("json", "load"))
        assert cell["low"] < cell["ratio"] < cell["high"]

    @pytest.mark.parametrize(
        ("after", "code", "said"),
        [
            ("partly.json", 1, "measured before and not after: messages/dump/json, messages/load/json"),
            ("shared.json", 2, "it is not known whether a change is beyond 5%: messages/dump/json"),
        ],
    )
    def test_what_was_not_found_out_passes_no_gate(self, run, result_of, after, code, said):
        partly = result_of({"msgpack": BASE["msgpack"]}, outcomes={"json": ("unfinished", "too slow")})
        write(partly, Path("partly.json"))
        write(contended(result_of(BASE), 1.6), Path("shared.json"))
        write(contended(result_of(BASE, seed=2), 1.0), Path("free.json"))
        found, _, err = run("free.json", after, "--fail-above", "5%")

        assert (code, True) == (found, said in err)
        assert 0 == run("free.json", after)[0]

    @pytest.mark.parametrize(
        ("factor", "noise", "code"), [(1.0, 0.01, 0), (1.1, 0.01, 1), (1.0, 0.2, 2), (0.8, 0.01, 0)]
    )
    def test_confirm(self, run, monkeypatch, factor, noise, code):
        asked = []

        def interleave(sides, cells, options, enough, **more):
            rng = random.Random(3)
            before = [1e-6 * math.exp(rng.gauss(0, 0.1)) for _ in range(12)]
            after = [value * factor * math.exp(noise * (-1) ** n) for n, value in enumerate(before)]
            pairs = tuple(
                [Measurement(value, value, value, pair) for pair, value in enumerate(side)]
                for side in (before, after)
            )
            asked.extend(cells)
            return Again(dict.fromkeys(cells, pairs), alpha=0.05 / len(cells), seconds=9.0)

        monkeypatch.setattr(interleaved, "interleave", interleave)
        args = ("base.json", "slow.json", "--fail-above", "5%", "--confirm", "-f", "json")
        found, out, err = run(*args)
        cell = next(c for c in json.loads(out)["cells"] if (c["codec"], c["operation"]) == ("json", "load"))

        assert (code, [Cell("messages", "load", "json")]) == (found, asked)
        assert cell["ratio"] == pytest.approx(factor, rel=0.3)
        assert "measured again, both sides in turn, up to 12 pairs of processes in 9 s" in out
        assert ("a longer --budget can decide" in err) is (code == 2)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (("--confirm", "--fail-above", "5%"), "name them with --python-before and --python-after"),
            (
                ("--confirm", "--fail-above", "5%", "--python-after", "no-python"),
                "no-python: cannot be started as Python",
            ),
        ],
    )
    def test_confirm_starts_nothing_that_a_file_names(self, run, result_of, args, said):
        for name, seed in (("one", 1), ("two", 2)):
            there = {"python_executable": f"/{name}/python"}
            field = slowed("json", "load", 1.0 + 0.2 * (name == "two"))
            options = Options(("messages",), ("json",)).flat()
            write(result_of(field, seed=seed, environment=there, options=options), Path(f"{name}.json"))
        code, _, err = run("one.json", "two.json", *args)

        assert (2, True) == (code, said in err)

    def test_confirm_takes_no_changed_code_for_the_same(self, run, monkeypatch):
        """Of another package's codec, one environment may hold but one of the two sides."""
        described = SimpleNamespace(entry_point="mine:factory")
        monkeypatch.setattr(codecs, "describe", lambda name: described)
        code, _, err = run("base.json", "slow.json", "--fail-above", "5%", "--confirm")

        assert 2 == code
        assert "json may have changed between the runs without another version" in err

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (("cut.json", "same.json"), "cut.json: a damaged or cut off result file"),
            (("base.json", "cut.json"), "cut.json: a damaged or cut off result file"),
            (("base.json", "slow.json", "-o", "nowhere/x.md"), "no such folder: nowhere"),
            (("base.json", "slow.json", "-o", "/dev/full"), "/dev/full: not written"),
        ],
    )
    def test_only_a_regression_exits_with_1(self, run, args, said):
        content = Path("base.json").read_bytes()
        Path("cut.json").write_bytes(content[: len(content) // 2])
        code, _, err = run(*args, "--fail-above", "5%")

        assert 2 == code
        assert said in err

    @pytest.mark.slow
    def test_a_full_disk_behind_standard_output(self, run):
        command = [sys.executable, "-P", "-m", "bakeoff", "compare", "base.json", "slow.json"]
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [*command, "--fail-above", "5%"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )

        assert (2, "bakeoff: standard output: not written: No space left on device\n") == (
            done.returncode,
            done.stderr,
        )


def test_many_cells_of_one_run_are_counted(result_of):
    figures = {"dump": 1e-6, "load": 1e-6, "size": 9}
    many = {f"codec-{number}": figures for number in range(19)}
    found = compare(result_of({"json": figures}), result_of({"json": figures, **many}))
    note = table(found).notes[-1]

    assert note == (
        "new, with nothing before to compare: 57 cells (corpora messages; operations dump, load, size; "
        "codecs codec-0, codec-1, codec-2 and 16 more); -f json names all"
    )
    assert len(json.loads(written.json(found))["new"]) == 57
    assert not [note for note in found.notes if "library" in note]
