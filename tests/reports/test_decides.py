"""What decides, asked from both sides: both orders of a pair, both directions, and the smallest counts."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

import madeup
from bakeoff.bench.results import Cell, CellResult, Measurement, ResultData
from bakeoff.bench.stats import OPPOSITE, Ratio, RunToRun, Verdict
from bakeoff.bench.verdict import Contest
from bakeoff.errors import UsageError
from bakeoff.reports.decide.change_points import NoisyRuns, Once, number_of_cuts
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.breakeven import Choice, CostParts, axes_of, bandwidth_axis, printed, reads_axis
from bakeoff.reports.model.cost import CostModel, bandwidth_text, meeting, parse_bandwidth
from bakeoff.reports.model.crossover import crossovers
from bakeoff.reports.model.merge import aligned, machines, of_one_machine
from bakeoff.reports.model.obstacle import Obstacle
from bakeoff.reports.model.prices import Prices


def exact(value: float, count: int = 8) -> list[Measurement]:
    return [Measurement(value, value, value, pair) for pair in range(count)]


def on(corpus: str, figures: dict[str, tuple[float, float]], **options: object) -> ResultData:
    """Return a run on one corpus, with the seconds of a dump and of a load by codec."""
    planted = {name: {"dump": dump, "load": load} for name, (dump, load) in figures.items()}
    return madeup.planted(planted, corpora=[corpus], **options)  # type: ignore[arg-type]


def together(*runs: ResultData) -> ResultData:
    """Return a run over the corpora of several."""
    cells = tuple(cell for run in runs for cell in run.cells)
    return replace(runs[0], cells=cells, corpora=tuple(corpus for run in runs for corpus in run.corpora))


class TestSeveralCorpora:
    @pytest.fixture
    def both(self) -> ResultData:
        small = on("small", {"a": (1e-6, 3e-6), "b": (2e-6, 6e-6)})
        big = on("big", {"a": (3.3e-3, 1.1e-3), "b": (3e-3, 1e-3)})
        return together(small, big)

    def test_each_counts_by_its_typical_dump_and_load(self, both: ResultData) -> None:
        """A codec that takes half of the time on small records wins against 10 % on big ones."""
        assert "a" == pick([both], Requirements()).name
        assert "b" == pick([both], Requirements(corpora=("big",))).name

    def test_runners_up_are_ordered_by_the_weighted_cost(self, both: ResultData) -> None:
        choice = pick([both], Requirements(codec="b"))

        assert ["a", "b"] == list(choice.parts)
        assert "the lowest cost is that of a, 0.7" in choice.sentence

    def test_a_corpus_that_is_measured_in_other_units_changes_no_weight(self, both: ResultData) -> None:
        """Ten times the time of all codecs is ten times less weight."""

        def slower(cell: CellResult) -> CellResult:
            if cell.cell.corpus != "big":
                return cell
            more = [
                replace(s, value=s.value * 10, raw=s.raw * 10, paired=s.paired * 10) for s in cell.samples
            ]
            return replace(cell, samples=tuple(more))

        later = replace(both, cells=tuple(map(slower, both.cells)))
        first, second = (pick([run], Requirements(codec="b")) for run in (both, later))

        assert [pytest.approx(times) for _, times in first.runners_up] == [
            times for _, times in second.runners_up
        ]

    def test_prices_weigh_all_records_alike(self, both: ResultData) -> None:
        requirements = Requirements(rate=100.0, prices=Prices(300.0))

        assert "b" == pick([both], requirements).name

    def test_two_alike_cost_what_one_does(self) -> None:
        figures = {"a": (1e-6, 3e-6), "b": (2e-6, 6e-6)}
        one, other = on("x", figures), on("y", figures)
        alone, both = pick([one], Requirements()), pick([together(one, other)], Requirements())

        for name, parts in alone.parts.items():
            assert pytest.approx(parts.dump, rel=0.01) == both.parts[name].dump
            assert pytest.approx(parts.load, rel=0.01) == both.parts[name].load

    def test_a_codec_must_have_taken_part_on_all(self) -> None:
        run = together(on("x", {"a": (1e-6, 1e-6), "b": (9e-6, 9e-6)}), on("y", {"b": (9e-6, 9e-6)}))
        choice = pick([run], Requirements())

        assert ("b", (("a", Obstacle("absent", "y")),)) == (choice.name, choice.excluded)
        assert "a" == pick([run], Requirements(corpora=("x",))).name


class TestExclusions:
    def field(self, **facts: object) -> ResultData:
        figures = {"dump": 1e-6, "load": 1e-6, "size": 100.0}
        return madeup.planted({"a": figures, "b": figures}, facts={"a": {"extra": "a", **facts}})

    @pytest.mark.parametrize(
        ("lacking", "cost", "why"),
        [
            ("load", CostModel(), "has no figure for load"),
            ("dump", CostModel(), "has no figure for dump"),
            ("size", CostModel(1.0, 1e6), "has no figure for size"),
        ],
    )
    def test_the_lacking_figure_is_named(self, lacking: str, cost: CostModel, why: str) -> None:
        run = self.field()
        cells = tuple(c for c in run.cells if (c.cell.codec, c.cell.operation) != ("a", lacking))

        ((name, found),) = pick([replace(run, cells=cells)], Requirements(cost)).excluded

        assert ("a", why) == (name, found.words)

    def test_a_codec_that_readers_read_must_still_fit(self) -> None:
        figures = {"dump": 1e-6, "load": 1e-6}
        run = madeup.planted({"a": figures, "b": figures}, losses={"a": ("`tuple` came back as `list`",)})
        ((name, why),) = pick([run], Requirements(CostModel(readers="go*1"))).excluded

        assert ("a", "loses data (`tuple` came back as `list`)") == (name, why.words)

    def test_a_process_that_two_parts_do_not_share_is_no_cost(self) -> None:
        run = madeup.changed(
            self.field(), "a", "load", sample=lambda sample: replace(sample, pair=sample.pair + 99)
        )

        assert (("a", Obstacle("without figure")),) == pick([run], Requirements()).excluded

    @pytest.mark.parametrize(
        ("facts", "requirements", "allowed"),
        [
            ({"trusted_only": True}, Requirements(), Requirements(trusted=True)),
            ({"unguarded": True}, Requirements(), Requirements(trusted=True)),
            ({"interoperable": False}, Requirements(interop=True), Requirements()),
            ({"format": "x"}, Requirements(formats=("b",)), Requirements(formats=("x", "b"))),
            ({"preserves": ()}, Requirements(needs=("uuid",), codec=None), Requirements()),
        ],
    )
    def test_each_wish_excludes_what_it_should(
        self, facts: dict[str, object], requirements: Requirements, allowed: Requirements
    ) -> None:
        figures = {"dump": 1e-6, "load": 1e-6, "size": 100.0}
        quick = {key: value / 2 for key, value in figures.items()}
        run = madeup.planted({"a": quick, "b": figures}, facts={"a": facts, "b": {"preserves": ("uuid",)}})

        assert ("b", ["a"]) == (
            (choice := pick([run], requirements)).name,
            [name for name, _ in choice.excluded],
        )
        assert ("a", ()) == ((choice := pick([run], allowed)).name, choice.excluded)

    @pytest.mark.parametrize(
        ("bandwidth", "crossings", "fits"),
        [(1e5, "once", True), (0.99e5, "once", False), (3e5, "per-read", True), (2.9e5, "per-read", False)],
    )
    def test_a_line_must_take_the_rate(self, bandwidth: float, crossings: str, *, fits: bool) -> None:
        """A thousand payloads of 100 bytes a second, once or for each of three reads."""
        run = madeup.planted(
            {"a": {"dump": 1e-6, "load": 1e-6, "size": 100.0}, "b": {"dump": 9e-6, "load": 9e-6, "size": 9.0}}
        )
        cost = CostModel(3.0, bandwidth, crossings)  # type: ignore[arg-type]
        choice = pick([run], Requirements(cost, rate=1000.0))

        assert fits == ("a" in choice.parts)
        assert fits == (() == choice.excluded)
        assert fits or "for 1,000 records/s" in choice.excluded[0][1].words


class TestPrices:
    FIGURES: Mapping[str, Mapping[str, float]] = {
        "a": {"dump": 1e-6, "load": 1e-6, "size": 100.0},
        "b": {"dump": 2e-6, "load": 2e-6, "size": 100.0},
    }

    @pytest.mark.parametrize(
        ("reads", "gigabyte", "crossings", "said"),
        [
            (1.0, 1e-4, "once", ""),
            (2.0, 0.0, "once", ""),
            (2.0, 1e-4, "once", ", each payload sent once"),
            (2.0, 1e-4, "per-read", ", each payload sent for each read"),
        ],
    )
    def test_how_often_is_sent_is_said_where_it_matters(
        self, reads: float, gigabyte: float, crossings: str, said: str
    ) -> None:
        cost = CostModel(reads, math.inf, crossings)  # type: ignore[arg-type]
        requirements = Requirements(cost, rate=1000.0, prices=Prices(300.0, gigabyte))
        sentence = pick([madeup.planted(self.FIGURES)], requirements).sentence

        count = "one read" if reads == 1 else "2 reads"
        assert f"a year for 1,000 records/s, one write and {count}{said};" in sentence

    @pytest.mark.parametrize(
        ("others", "codec", "saving"),
        [
            ({"json": 3.0, "b": 2.0}, None, ("a", "json")),  # the usual one
            ({"c": 3.0, "b": 2.0}, None, ("a", "b")),  # else the next
            ({"c": 3.0, "b": 1.001}, None, ("a", "c")),  # which does not tie
            ({"b": 1.001}, None, ("a", "b")),
            ({"c": 3.0, "b": 2.0}, "b", ("a", "b")),  # a cheaper one first
        ],
    )
    def test_a_saving_is_against_the_one_that_says_most(
        self, others: Mapping[str, float], codec: str | None, saving: tuple[str, str]
    ) -> None:
        figures = {
            name: {"dump": 1e-6 * times, "load": 1e-6 * times, "size": 100.0}
            for name, times in {"a": 1.0, **others}.items()
        }
        facts = {name: {"extra": name, "library": name} for name in others}
        requirements = Requirements(rate=1000.0, prices=Prices(300.0), codec=codec)
        found = pick([madeup.planted(figures, facts=facts, noise=0.0005)], requirements).saving

        assert found is not None
        assert saving == (found.cheaper, found.other)
        assert found.value > 0


@pytest.mark.parametrize("rate", [0, -1.0, math.nan, math.inf])
def test_a_rate_is_a_number_above_zero(rate: float) -> None:
    with pytest.raises(UsageError, match=r"rate .*: expected more than 0"):
        Requirements(rate=rate)


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("1kiB/s", 2**10),
        ("1MiB/s", 2**20),
        ("1GiB/s", 2**30),
        ("1TiB/s", 2**40),
        ("1kB/s", 1e3),
        ("1GB/s", 1e9),
        ("1TB/s", 1e12),
        ("8 b/s", 1),
    ],
)
def test_every_prefix_has_its_factor(text: str, speed: float) -> None:
    assert speed == pytest.approx(parse_bandwidth(text))


@pytest.mark.parametrize(
    ("bits", "text"),
    [(999, "999 bit/s"), (1e3, "1 kbit/s"), (1e6, "1 Mbit/s"), (1e9, "1 Gbit/s"), (2.5e9, "2.5 Gbit/s")],
)
def test_a_bandwidth_is_written_in_the_largest_unit(bits: float, text: str) -> None:
    assert text == bandwidth_text(bits / 8)


def test_options_of_a_cost_replace_its_defaults() -> None:
    assert CostModel(3.0, 1.25e8, "per-read") == CostModel.of(3.0, "1Gbit", "per-read")
    assert CostModel(0.0, 5.0) == CostModel.of(0.0, 5.0)
    assert CostModel(1.0, math.inf, "once") == CostModel.of()


def test_ranges_are_written_once_with_their_unit() -> None:
    """Both ends of a bandwidth have the unit where it is not the same."""
    reads, line = reads_axis(CostModel(2.0)), bandwidth_axis(CostModel(2.0, 1e6))

    assert ["2 to 3 reads per write", "2 reads per write"] == [reads.text(2, 3), reads.text(2, 2)]
    assert "900 Mbit/s to 1.1 Gbit/s" == line.text(9e8, 1.1e9)
    assert ["1 to 2 Gbit/s", "1 Gbit/s"] == [line.text(1e9, 2e9), line.text(1e9, 1e9)]
    assert ("0.01 to 10,000 reads per write", "8 kbit/s to 800 Gbit/s") == (reads.whole, line.whole)
    assert (2.0, 8e6, math.inf) == (reads.now, line.now, bandwidth_axis(CostModel()).now)
    assert (CostModel(5.0), CostModel(2.0, 125.0)) == (reads.cost(5.0), line.cost(1000.0))


@pytest.mark.parametrize(
    ("value", "down", "up"),
    [(1.0, 1.0, 1.0), (1234.0, 1230.0, 1240.0), (0.012341, 0.0123, 0.0124), (99.96, 99.9, 100.0)],
)
def test_a_weight_is_rounded_to_three_digits(value: float, down: float, up: float) -> None:
    assert (down, up) == (printed(value, up=False), printed(value, up=True))


def test_only_what_was_measured_may_change() -> None:
    whole = CostParts(1.0, 1.0, 0.0, 1.0)
    counts = {
        (cost, own): len(axes_of(own, cost))
        for cost in (CostModel(), CostModel(0.0, 1e6, "per-read"), CostModel(readers="go*1"))
        for own in (whole, replace(whole, load=0.0), replace(whole, size=0.0))
    }

    assert [2, 1, 1, 1, 0, 1, 1, 1, 0] == list(counts.values())


class TestAnswers:
    """What a chooser says of two codecs, in both orders."""

    def answer(self, verdict: Verdict, value: float, contest: Contest | None) -> Choice:
        found = Ratio(value, value / 1.1, value * 1.1, 0.1, 5)
        judged = {("a", "b"): (verdict, found), ("b", "a"): (OPPOSITE[verdict], found.inverse())}
        return Choice(["a", "b"], contest, judged)

    @pytest.mark.parametrize(
        ("verdict", "value", "level", "overtaking"),
        [
            ("faster", 0.5, (), "a"),
            ("faster", 0.5, ("b",), ""),
            ("faster", 0.995, (), ""),
            ("faster", 0.98, (), "a"),
            ("unresolved", 0.5, (), ""),
        ],
    )
    def test_who_overtakes(
        self, verdict: Verdict, value: float, level: tuple[str, ...], overtaking: str
    ) -> None:
        for contest in (Contest("a", "a", level, ()), Contest("a", "a", (), level)):
            assert overtaking == self.answer(verdict, value, contest).overtaking("b")
            assert "" == self.answer(verdict, value, contest).overtaking("a")
        assert "" == self.answer(verdict, value, None).overtaking("b")

    def test_the_answer_overtakes_if_another_that_may_win_costs_less(self) -> None:
        """It ties with that one, or is not distinguishable from it."""
        assert "c" == self.answer("faster", 0.5, Contest("c", "a", ("a",), ())).overtaking("b")

    def test_what_is_not_known(self) -> None:
        found = self.answer("faster", 0.5, None)

        assert (True, False) == (found.cheaper("a", "b"), found.cheaper("b", "a"))
        assert not found.cheaper("a", "c")
        assert pytest.approx(math.log(1.1)) == found.reach("a", "b") == found.reach("b", "a")
        assert 0.0 == found.reach("a", "c")


def test_lines_meet_in_both_orders() -> None:
    for a, b in itertools.permutations([(1.0, 2.0), (2.0, 1.5)]):
        assert 2.0 == meeting(a, b)
    for a, b in itertools.permutations([(1.0, 2.0), (2.0, 3.0)]):
        assert meeting(a, b) is None
    assert meeting((1.0, 2.0), (1.0, 3.0)) is None, "they meet at 0"


def test_costs_by_hand() -> None:
    parts = CostParts(dump=1.0, load=2.0, fix=0.5, size=30.0)

    assert 1 + 4 * 2.5 == parts.work(CostModel(4.0, 10.0)) == parts.work(CostModel(4.0))
    assert (4.0, 2.5) == parts.along(CostModel(4.0, 10.0))
    assert (1.0, 5.5) == parts.along(CostModel(4.0, 10.0, "per-read"))


@pytest.mark.parametrize(
    ("cost", "operations", "words"),
    [
        (CostModel(), ("dump", "load"), "one write and one read"),
        (CostModel(0.0), ("dump",), "one write and 0 reads"),
        (CostModel(2.0, 1.25e8), ("dump", "load", "size"), "one write and 2 reads over 1 Gbit/s"),
        (
            CostModel(2.0, 1.25e8, "per-read"),
            ("dump", "load", "size"),
            "one write and 2 reads, each over 1 Gbit/s",
        ),
        (
            CostModel(1.0, 1.25e8, "per-read"),
            ("dump", "load", "size"),
            "one write and one read over 1 Gbit/s",
        ),
        (CostModel(0.0, 1.25e8, "per-read"), ("dump",), "one write and 0 reads, each over 1 Gbit/s"),
        (CostModel(readers="go*1"), ("dump", "load"), "one write and one read (go*1)"),
    ],
)
def test_a_cost_names_what_it_needs(cost: CostModel, operations: tuple[str, ...], words: str) -> None:
    assert operations == cost.operations
    assert words == cost.sentence()


class TestCrossovers:
    SIZES = (64.0, 256.0, 1024.0, 4096.0)

    def series(self, fixed: float, slope: float, noise: float = 0.0005) -> dict[float, list[Measurement]]:
        swing = (-1.0, 1.0, -0.5, 0.5, -0.2, 0.2, -0.8, 0.8)
        return {
            size: [
                Measurement(v, v, v, pair)
                for pair, each in enumerate(swing)
                if (v := (fixed + slope * size) * (1 + noise * each * (1 if fixed > 1e-6 else -1)))
            ]
            for size in self.SIZES
        }

    def test_the_order_of_two_codecs_does_not_matter(self) -> None:
        one, other = self.series(1e-6, 2e-9), self.series(2e-6, 1e-9)
        (found,) = crossovers({"a": one, "b": other})
        (again,) = crossovers({"b": other, "a": one})

        assert found == replace(again, low=pytest.approx(again.low), high=pytest.approx(again.high))
        assert found.low < found.size < found.high
        assert pytest.approx(1000, rel=0.1) == found.size

    def test_a_crossover_between_neighbors_is_between_them(self) -> None:
        """Not at one of the measured sizes."""
        (found,) = crossovers({"a": self.series(1e-6, 2e-9), "b": self.series(1.5e-6, 1e-9)})

        assert ("a", "b") == (found.below, found.above)
        assert 256 < found.low < found.size < found.high < 1024
        assert pytest.approx(500, rel=0.1) == found.size
        assert pytest.approx(2e-6, rel=0.1) == found.time


class TestMerging:
    def test_no_two_rows_of_several_files_share_a_cell(self) -> None:
        runs = [on(corpus, {"a": (1e-6, 1e-6)}, seed=n) for n, corpus in enumerate("xyx")]
        ((_, merged),) = machines(runs)
        cells = [cell.cell for cell in merged.cells if cell.cell.codec != "baseline"]

        assert len(set(cells)) == len(cells) == 6
        assert {"a #1", "a", "a #3"} == {cell.codec for cell in cells}

    @pytest.mark.parametrize(
        ("other", "names"),
        [
            ({}, ["x"]),
            ({"sha256": "f" * 64}, ["x", "x (ffffffff)"]),
            ({"sha256": ""}, ["x", "x (2)"]),
            ({"sample": 2000}, ["x", "x (sample of 2,000)"]),
            ({"sha256": "f" * 64, "sample": 2000}, ["x", "x (ffffffff)"]),
            ({"name": "y"}, ["x", "y"]),
        ],
    )
    def test_corpora_are_named_by_what_distinguishes_them(
        self, other: dict[str, object], names: Sequence[str]
    ) -> None:
        first = on("x", {"a": (1e-6, 1e-6)})
        second = replace(first, corpora=(replace(first.corpora[0], **other),))  # type: ignore[arg-type]
        if "name" in other:
            second = on("y", {"a": (1e-6, 1e-6)})
        ((_, merged),) = machines([first, second])

        assert names == [corpus.name for corpus in merged.corpora]
        assert set(names) == {cell.cell.corpus for cell in merged.cells}

    def test_a_format_without_machines_takes_one(self) -> None:
        run = on("x", {"a": (1e-6, 1e-6)})
        elsewhere = replace(run, environment={**run.environment, "hostname": "b"})

        assert run is of_one_machine([run])
        with pytest.raises(UsageError, match=r"several machines \(bench-1, b\)"):
            of_one_machine([run, elsewhere])

    def test_files_with_other_options_are_named(self) -> None:
        first, same, other = (
            replace(on(corpus, {"a": (1e-6, 1e-6)}), conditions=conditions, command=corpus)
            for corpus, conditions in (("x", {}), ("y", {}), ("z", {"isolate": True}))
        )
        ((_, merged),) = machines([first, same, other])
        ((_, alike),) = machines([first, same, first])

        (line,) = (text for text in merged.warnings if "otherwise" in text)
        assert line.startswith("file 3 was measured otherwise than file 1: ")
        assert [] == [text for text in alike.warnings if "otherwise" in text]
        assert ("x; y; z", "x; y") == (merged.command, alike.command)
        assert () == merged.rankings

    def test_the_baseline_of_a_corpus_stands_once(self) -> None:
        first, second = (on("x", {name: (1e-6, 1e-6)}) for name in "ab")
        third = on("y", {"a": (1e-6, 1e-6)})
        ((_, merged),) = machines([first, second, third])

        assert [("x", "dump"), ("x", "load"), ("y", "dump"), ("y", "load")] == [
            (cell.cell.corpus, cell.cell.operation) for cell in merged.cells if cell.cell.codec == "baseline"
        ]

    @pytest.mark.parametrize(
        ("differs", "labels"),
        [
            ({"hostname": "b"}, ["a", "b"]),
            ({"cpu_model_name": "c2"}, ["c1", "c2"]),
            ({"python_version": "3.12.1"}, ["Python 3.11.7", "Python 3.12.1"]),
            ({"hostname": "b", "cpu_model_name": "c2"}, ["a", "b"]),
            ({"platform": "macOS"}, ["Linux", "macOS"]),
            ({"interpreter": "b"}, ["machine 1", "machine 2"]),
        ],
    )
    def test_machines_are_named_by_what_distinguishes_them(
        self, differs: dict[str, str], labels: Sequence[str]
    ) -> None:
        known = {"hostname": "a", "cpu_model_name": "c1"}
        runs = [on("x", {"a": (1e-6, 1e-6)}, environment=known | more) for more in ({}, differs)]

        assert labels == [label for label, _ in machines(runs)]
        assert [""] == [label for label, _ in machines(runs[:1] * 2)]

    @pytest.mark.parametrize(
        ("key", "values", "labels"),
        [
            (
                "python_version",
                ("3.11.7", "3.12.1"),
                ["a Python 3.11.7", "a Python 3.12.1", "b Python 3.11.7", "b Python 3.12.1"],
            ),
            ("interpreter", ("one", "two"), ["a one", "a two", "b one", "b two"]),
        ],
    )
    def test_two_facts_name_what_one_does_not(
        self, key: str, values: Sequence[str], labels: Sequence[str]
    ) -> None:
        runs = [
            on("x", {"a": (1e-6, 1e-6)}, environment={"hostname": host, key: value})
            for host in "ab"
            for value in values
        ]

        assert labels == [label for label, _ in machines(runs)]

    def test_a_third_corpus_is_named_by_both(self) -> None:
        run = on("x", {"a": (1e-6, 1e-6)})
        others = [{"sha256": "f" * 64}, {"sha256": "e" * 64, "sample": 5}, {"sample": 5}]
        runs = [run, *(replace(run, corpora=(replace(run.corpora[0], **each),)) for each in others)]  # type: ignore[arg-type]
        ((_, merged),) = machines(runs)

        assert ["x", "x (ffffffff)", "x (eeeeeeee)", "x (00000000, sample of 5)"] == [
            corpus.name for corpus in merged.corpora
        ]

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_versions_name_rows_in_both_orders(self, order: Sequence[int]) -> None:
        runs = [on("x", {"a": (1e-6, 1e-6)}, facts={"a": {"version": v}}) for v in ("1.0", "2.0")]
        ((_, merged),) = machines([runs[number] for number in order])

        assert {"a @1.0", "a @2.0"} == {codec.name for codec in merged.codecs}

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_a_codec_that_could_not_run_on_another_corpus_keeps_its_name(self, order: Sequence[int]) -> None:
        versions = (("x", "1.0"), ("y", ""))
        runs = [on(corpus, {"a": (1e-6, 1e-6)}, facts={"a": {"version": v}}) for corpus, v in versions]
        ((_, merged),) = machines([runs[number] for number in order])

        assert {"a"} == {cell.cell.codec for cell in merged.cells} - {"baseline"}

    def test_several_files_took_as_long_as_all_of_them(self) -> None:
        runs = [replace(on(corpus, {"a": (1e-6, 1e-6)}), duration=20.0) for corpus in "xyz"]
        ((_, merged),) = machines(runs)

        assert 60 == merged.duration

    def test_processes_of_several_files_are_never_paired(self) -> None:
        runs = [on("x", {name: (1e-6, 1e-6)}) for name in "ab"]
        ((_, merged),) = machines(runs)
        pairs = {
            name: {s.pair for cell in merged.cells if cell.cell.codec == name for s in cell.samples}
            for name in "ab"
        }

        assert set() == pairs["a"] & pairs["b"]
        assert 8 == len(pairs["a"]) == len(pairs["b"])

    def test_an_incomplete_file_makes_the_whole_incomplete(self) -> None:
        runs = [on(corpus, {"a": (1e-6, 1e-6)}) for corpus in "xy"]
        for complete in itertools.product([True, False], repeat=2):
            made = [replace(run, complete=each) for run, each in zip(runs, complete, strict=True)]
            assert all(complete) == machines(made)[0][1].complete

    def test_sums_are_paired_if_all_their_files_are_the_same(self) -> None:
        here, there = exact(1.0, 2), [replace(s, pair=s.pair + 1_000_000) for s in exact(1.0, 2)]
        same, mixed = aligned([here, there]), aligned([there, here])

        assert [[s.pair % 1_000_000 for s in part] for part in same] == [[0, 1], [0, 1]]
        assert {s.pair for s in same[0]} == {s.pair for s in same[1]}
        assert not {s.pair for s in same[0]} & {s.pair for s in mixed[0]}
        later = [replace(s, pair=s.pair + 1_000_000) for s in there]
        orders = itertools.product([here, there, later], repeat=2)
        firsts = [aligned(parts)[0][0].pair for parts in orders]
        assert len(set(firsts)) == len(firsts) == 9, "each combination of files has its own numbers"


def squares(*parts: Sequence[float]) -> float:
    """Return the squares around the mean of each part."""
    return sum(sum((x - sum(part) / len(part)) ** 2 for x in part) for part in parts)


class TestChangePoints:
    def cells(self, values: Sequence[float], operation: str = "size") -> list[CellResult]:
        return [
            CellResult(Cell("c", operation, "a"), "ok", samples=(Measurement(value, value, value),))
            for value in values
        ]

    @pytest.mark.parametrize(
        ("values", "changes"),
        [
            ([100, 100, 110, 110], [2]),
            ([110, 110, 100, 100], [2]),
            ([100, 110, 110, 100], [1, 3]),
            ([100, 100.5, 101, 101.5], []),
            ([100, 110], [1]),
            ([100], []),
        ],
    )
    def test_bytes_change_where_they_change(self, values: Sequence[float], changes: Sequence[int]) -> None:
        operation = madeup.facts_of(self.cells([1]))["size"]

        assert changes == Once(self.cells(values), operation).cuts(0.05)

    def test_the_whole_change_is_that_of_the_newest_run(self) -> None:
        operation = madeup.facts_of(self.cells([1]))["size"]

        assert pytest.approx(1.2) == Once(self.cells([100, 150, 120]), operation).whole([1, 2]).value
        assert pytest.approx(1.5) == Once(self.cells([100, 150, 120]), operation).change(0, 1, 0).value
        assert pytest.approx(0.8) == Once(self.cells([100, 150, 120]), operation).change(0, 2, 0).value

    @pytest.mark.parametrize("factor", [1.3, 1 / 1.3])
    @pytest.mark.parametrize("place", [1, 2, 4, 6, 8, 9])
    def test_times_change_where_they_change_in_both_directions(self, factor: float, place: int) -> None:
        runs = 10
        logs = [0.001 * (-1) ** n + (math.log(factor) if n >= place else 0.0) for n in range(runs)]
        line = NoisyRuns(logs, 1e-6, RunToRun(0.002, 30, 31), [("3.11", 0.0)] * runs, 7)

        assert [place] == line.cuts(0.05)
        assert pytest.approx(factor, rel=0.01) == line.whole([place]).value
        assert pytest.approx(factor, rel=0.01) == line.change(0, place, runs).value

    def test_all_runs_of_a_level_show_its_noise(self) -> None:
        """The first as well as the last."""
        session = RunToRun(1e-6, 1, 2)
        for odd in (0, 3, 4, 7):
            logs = [0.0] * 4 + [1.0] * 4
            logs[odd] += 0.2
            line = NoisyRuns(logs, 0.0, session, [("3.11", 0.0)] * 8, 7)
            assert pytest.approx(math.sqrt(4 * 0.01 * 0.75 / 6)) == line.whole([4]).spread

    def test_a_level_that_is_taken_back_has_two_changes(self) -> None:
        logs = [0.001 * (-1) ** n + (0.3 if 4 <= n < 8 else 0.0) for n in range(12)]

        assert [4, 8] == NoisyRuns(logs, 1e-6, RunToRun(0.002, 30, 31), [("3.11", 0.0)] * 12, 7).cuts(0.05)

    def test_each_change_is_where_its_neighbors_leave_the_least_squares(self) -> None:
        """Also if the first cut, of a longer stretch, was elsewhere."""
        moved = 0
        for seed in range(40):
            rng = random.Random(seed)
            steps = sorted(rng.sample(range(3, 27), 3))
            levels = [rng.choice([-0.1, -0.05, 0.05, 0.1]) * (n + 1) for n in range(4)]
            logs = [levels[sum(n >= s for s in steps)] + rng.gauss(0, 0.02) for n in range(30)]
            found = NoisyRuns(logs, 1e-6, RunToRun(0.002, 30, 31), [("3.11", 0.0)] * 30, 7).cuts(0.05)
            ends = [0, *found, 30]
            for before, place, after in zip(ends, found, ends[2:], strict=False):
                first, last = before + (2 if before else 1), after - (1 if after == 30 else 2)
                best = min(range(first, last + 1), key=lambda p: squares(logs[before:p], logs[p:after]))
                # The neighbors of a place are moved after it, so the last one is exact.
                moved += place != best
                assert place == best or after != 30, (seed, found)
        assert moved < 10

    def test_a_sure_difference_within_a_tie_is_no_change(self) -> None:
        for step, found in ((0.008, []), (0.012, [5])):
            logs = [1e-5 * (-1) ** n + (step if n >= 5 else 0.0) for n in range(10)]
            line = NoisyRuns(logs, 1e-10, RunToRun(1e-5, 30, 31), [("3.11", 0.0)] * 10, 7)
            assert found == line.cuts(0.05)

    def test_what_runs_of_a_version_share_counts_between_versions_only(self) -> None:
        logs = [0.0, 0.001, 0.0, 0.001, 0.1, 0.101, 0.1, 0.101]
        other = [("3.11", 0.01)] * 4 + [("3.12", 0.01)] * 4
        session = RunToRun(0.002, 30, 31)

        assert [4] == NoisyRuns(logs, 1e-6, session, [("3.11", 0.01)] * 8, 7).cuts(0.05)
        assert [] == NoisyRuns(logs, 1e-6, session, other, 7).cuts(0.05)

    @pytest.mark.parametrize(("runs", "tested"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (8, 16)])
    def test_the_places_of_a_line_are_counted(self, runs: int, tested: int) -> None:
        assert tested == number_of_cuts(runs)
