"""Intervals, verdicts and ranks, on samples whose truth is known."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.method import Cores, Processes
from bakeoff.bench.results import Measurement
from bakeoff.bench.stats import (
    Ratio,
    RunToRun,
    between_runs,
    contention_of,
    holm,
    interval,
    ratio,
    same_core,
    split,
    verdicts,
)

VALUES = st.floats(min_value=1e-9, max_value=1e3)


def samples(values: list[float]) -> list[Measurement]:
    return [Measurement(v, v, v, pair) for pair, v in enumerate(values)]


def noisy(mean: float, spread: float, n: int, seed: int) -> list[Measurement]:
    rng = random.Random(seed)
    return samples([mean * math.exp(rng.gauss(0, spread)) for _ in range(n)])


class TestRatio:
    def test_pairing_cancels_what_processes_share(self) -> None:
        shared = [1.0, 1.4, 0.8, 1.1, 2.0]
        found = ratio(samples([2 * s for s in shared]), samples(shared))

        assert found.value == pytest.approx(2)
        assert found.half_width == pytest.approx(0, abs=1e-9)

    def test_the_interval_is_students(self) -> None:
        """Log ratios -1, 0, 1 give the textbook interval 0 ± 4.303 / sqrt(3)."""
        found = ratio(samples([math.exp(-1), 1, math.exp(1)]), samples([1.0, 1.0, 1.0]))

        assert math.log(found.high) == pytest.approx(4.302653 / math.sqrt(3), rel=1e-5)
        assert math.log(found.low) == pytest.approx(-4.302653 / math.sqrt(3), rel=1e-5)
        assert found.spread == pytest.approx(1)
        assert found.p == pytest.approx(1)

    def test_only_common_pairs_count(self) -> None:
        found = ratio(samples([1.0, 1.0, 9.0]), samples([1.0, 1.0]))

        assert (found.value, found.processes) == (1.0, 2)

    def test_runs_of_different_files_are_compared_unpaired(self) -> None:
        a, b = samples([1.0, 2.0, 3.0]), samples([1.0, 2.0, 3.0])

        assert ratio(a, b).half_width == 0
        assert ratio(a, b, paired=False).half_width > 0.5

    def test_runs_are_sessions(self) -> None:
        a, b = noisy(1, 0.001, 20, 1), noisy(1.015, 0.001, 20, 2)
        later = [replace(sample, pair=sample.pair + 1000) for sample in b]

        assert ratio(b, a).low > 1
        assert ratio(b, a, paired=False).low < 1
        assert ratio(later, a) == ratio(b, a, paired=False)
        assert ratio(noisy(1.08, 0.001, 20, 2), a, paired=False).low > 1
        assert ratio(b, a, paired=False, session=RunToRun(0.001, 30)).low > 1

    def test_one_process_has_no_interval(self) -> None:
        found = ratio(samples([2.0]), samples([1.0]))

        assert (found.value, found.low, found.high) == (2.0, 0.0, math.inf)
        assert found.half_width == math.inf

    def test_sizes_are_exact(self) -> None:
        found = ratio(samples([150.0]), samples([100.0]), exact=True)

        assert (found.low, found.high, found.p) == (found.value, found.value, 0.0)

    def test_without_samples_there_is_no_ratio(self) -> None:
        with pytest.raises(ValueError, match="both sides"):
            ratio([], samples([1.0]))

    @given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=20))
    def test_the_inverse_is_the_ratio_the_other_way(self, pairs: list[tuple[float, float]]) -> None:
        a, b = samples([x for x, _ in pairs]), samples([y for _, y in pairs])
        there, back = ratio(a, b).inverse(), ratio(b, a)

        assert there.value == pytest.approx(back.value)
        assert there.p == pytest.approx(back.p)
        assert there.low == pytest.approx(back.low)


class TestVerdicts:
    def test_a_codec_entered_twice_is_the_same(self) -> None:
        cells = {"a": noisy(1, 0.001, 12, 1), "b": noisy(1, 0.001, 12, 2)}

        assert verdicts(cells)["a", "b"][0] == "same"

    def test_faster_and_slower_are_said_from_the_first_of_the_pair(self) -> None:
        cells = {"quick": noisy(1, 0.01, 10, 1), "slow": noisy(1.2, 0.01, 10, 2)}
        judged = verdicts(cells)

        assert judged["quick", "slow"][0] == "faster"
        assert judged["slow", "quick"][0] == "slower"

    def test_what_cannot_be_told_is_unresolved(self) -> None:
        cells = {"a": noisy(1, 0.2, 5, 1), "b": noisy(1.02, 0.2, 5, 2)}

        assert verdicts(cells)["a", "b"][0] == "unresolved"

    def test_few_processes_decide_nothing(self) -> None:
        cells = {
            "quick": noisy(1, 0.0005, 3, 1),
            "level": noisy(1.0001, 0.0005, 3, 3),
            "slow": noisy(10, 0.0005, 3, 2),
        }
        two = verdicts({name: found[:2] for name, found in cells.items()})

        assert {("unresolved", 0.0, math.inf)} == {(said, r.low, r.high) for said, r in two.values()}
        assert "faster" == verdicts(cells)["quick", "slow"][0]

    def test_a_cell_without_samples_is_left_out(self) -> None:
        assert verdicts({"a": noisy(1, 0.01, 5, 1), "b": []}) == {}

    @given(
        st.integers(0, 10**6),
        st.integers(2, 9),
        st.integers(Processes.FEWEST, 8),
        st.sampled_from([0.001, 0.02, 0.4]),
    )
    def test_intervals_agree_with_the_verdicts(
        self, seed: int, codecs: int, processes: int, near: float
    ) -> None:
        """1 lies inside the interval of a pair exactly where it is unresolved; a tie lies inside its band."""
        rng = random.Random(seed)
        cells = {
            str(n): noisy(math.exp(rng.gauss(0, near)), rng.choice([0.001, 0.02, 0.3]), processes, seed + n)
            for n in range(codecs)
        }

        for verdict, r in verdicts(cells).values():
            if verdict == "same":
                assert r.inside(0.01)
            else:
                assert (r.low <= 1 <= r.high) is (verdict == "unresolved")
                assert verdict == "unresolved" or (r.value < 1) is (verdict == "faster")

    def test_many_equal_cells_stay_unseparated(self) -> None:
        wrong = 0
        for table in range(200):
            cells = {str(i): noisy(1, 0.03, 10, 1000 * table + i) for i in range(10)}
            wrong += any(v in ("faster", "slower") for v, _ in verdicts(cells).values())

        assert wrong <= 10


class TestHelpers:
    def test_holm_by_hand(self) -> None:
        """The textbook example: factors 4, 3, 2, 1, never decreasing."""
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])

    @given(st.lists(st.floats(0, 1), max_size=12))
    def test_holm_only_ever_raises(self, ps: list[float]) -> None:
        assert all(p <= q <= 1 for p, q in zip(ps, holm(ps), strict=True))

    def test_the_mean_of_a_cell_lies_in_its_interval(self) -> None:
        mean, low, high = interval(noisy(5e-7, 0.02, 10, 3))

        assert low < mean < high
        assert mean == pytest.approx(5e-7, rel=0.05)

    def test_growth_of_zero_has_an_interval(self) -> None:
        assert interval(samples([0.0, 0.0])) == (0.0, 0.0, 0.0)

    def test_an_empty_cell_has_none(self) -> None:
        with pytest.raises(ValueError, match="needs samples"):
            interval([])

    def test_alpha_is_split_evenly(self) -> None:
        assert split(0.05, 10) == pytest.approx(0.005)


class TestByHand:
    """Figures that a table of Student's t confirms."""

    @pytest.mark.parametrize(("degrees", "t"), [(4, 2.776445), (9, 2.262157)])
    def test_two_runs_without_noise_differ_by_the_session_alone(self, degrees: int, t: float) -> None:
        session = RunToRun(0.02, degrees)
        found = ratio(samples([1.1] * 5), samples([1.0] * 5), paired=False, session=session)

        assert math.log(found.high / found.value) == pytest.approx(t * 0.02, rel=1e-5)
        assert math.log(found.low / found.value) == pytest.approx(-t * 0.02, rel=1e-5)

    def test_variances_of_both_runs_and_of_the_session_add_up(self) -> None:
        """Logs of variance 1 on 3 and on 5 samples: 1/3 + 1/5 + 0.1, with Satterthwaite's 6.1 degrees."""
        three, five = [-1.0, 0.0, 1.0], [-math.sqrt(2), 0.0, 0.0, 0.0, math.sqrt(2)]
        a, b = (samples([math.exp(x) for x in logs]) for logs in (three, five))
        found = ratio(a, b, paired=False, session=RunToRun(math.sqrt(0.1), 4))
        parts = [(1 / 3, 2), (1 / 5, 4), (0.1, 4)]
        total = sum(part for part, _ in parts)
        degrees = total**2 / sum(part**2 / own for part, own in parts)

        assert 5 < degrees < 6
        assert math.log(found.high) == pytest.approx(2.570582 * math.sqrt(total), rel=1e-5)  # of 5 degrees
        assert found.spread == pytest.approx(math.sqrt(2))
        assert found.processes == 3

    @pytest.mark.parametrize("counts", [(1, 1), (1, 5), (5, 1)])
    def test_a_run_of_one_process_has_no_interval(self, counts: tuple[int, int]) -> None:
        """In whichever order; the session alone decides nothing."""
        a, b = (samples([value] * count) for value, count in zip((1.25, 1.0), counts, strict=True))
        found = ratio(a, b, paired=False)

        assert (found.low, found.high, found.p) == (0.0, math.inf, 1.0)

    def test_growth_has_the_range_of_its_values(self) -> None:
        assert interval(samples([3.0, 0.0])) == (1.5, 0.0, 3.0)
        assert interval(samples([0.0, 3.0])) == (1.5, 0.0, 3.0)

    def test_the_interval_of_a_cell_is_students(self) -> None:
        value, low, high = interval(samples([math.exp(x) for x in (-1, 0, 1)]))

        assert value == pytest.approx(1)
        assert math.log(high) == pytest.approx(4.302653 / math.sqrt(3), rel=1e-5)
        assert math.log(low) == pytest.approx(-4.302653 / math.sqrt(3), rel=1e-5)

    @pytest.mark.parametrize(
        ("low", "high", "outside"),
        [(1.02, 1.5, True), (0.5, 0.98, True), (0.995, 1.005, False), (0.94, 1.0, False), (1.0, 1.06, False)],
    )
    def test_outside_is_beyond_the_band_on_one_side(self, low: float, high: float, *, outside: bool) -> None:
        found = Ratio(math.sqrt(low * high), low, high, 0.01, 5)

        assert outside == found.outside(0.01) == found.inverse().outside(0.01)


def test_what_runs_share_counts_with_its_own_degrees_or_none() -> None:
    """Runs of one process each show no degrees of freedom."""
    before, after = [0.0, 0.01], [0.1, 0.11]
    alone = between_runs(before, after)
    unknown = between_runs(before, after, shared=(0.01, 0))
    known = between_runs(before, after, shared=(0.01, 1))

    assert alone.value == unknown.value == known.value == pytest.approx(math.exp(0.1))
    assert alone.half_width < unknown.half_width < known.half_width
    assert {4} == {alone.processes, unknown.processes, known.processes}


def test_runs_of_two_versions_by_hand() -> None:
    """Both groups vary by 0.00005; the assumed half of a session's square counts four degrees of six."""
    found = between_runs([0.0, 0.01], [0.1, 0.11], noise=0.0001, session=RunToRun(0.02, 4))
    pooled = (2 * 0.00005 + 4 * (0.02**2 / 2 + 0.0001)) / 6

    assert found.spread == pytest.approx(math.sqrt(pooled))
    assert math.log(found.high) - 0.1 == pytest.approx(2.446912 * math.sqrt(pooled), rel=1e-5)
    loud = between_runs([0.0, 0.2], [0.1, 0.3], session=RunToRun(0.001, 4))
    assert loud.spread == pytest.approx(math.sqrt(0.02)), "never less than what the groups show"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1.0, 1.0, True), (1.0, Cores.SHARED, True), (1.0, 1.01 * Cores.SHARED, False), (0.0, 9.0, True)],
)
def test_the_same_core_in_both_orders(one: float, other: float, *, same: bool) -> None:
    """An unknown state matches every other."""
    a, b = ([replace(sample, contention=level) for sample in samples([1.0] * 3)] for level in (one, other))

    assert same == same_core(a, b) == same_core(b, a)
    assert one == contention_of(a)
    assert 0.0 == contention_of([])
