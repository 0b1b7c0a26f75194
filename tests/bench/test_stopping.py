"""The stop rule, replayed over made-up processes."""

from __future__ import annotations

import math
import random

import pytest

from bakeoff.bench.results import Measurement
from bakeoff.bench.run.stopping import StopRule


def process(ratio: float, spread: float, rng: random.Random, pair: int) -> dict[str, Measurement]:
    shared = math.exp(rng.gauss(0, 0.1))
    b = shared * ratio * math.exp(rng.gauss(0, spread))
    return {"a": Measurement(shared, shared, shared, pair), "b": Measurement(b, b, b, pair)}


def replay(rule: StopRule, ratio: float, spread: float, seed: int) -> tuple[int, bool]:
    """Run until the rule is content; return the processes and whether a and b were separated."""
    from bakeoff.bench.stats import verdicts

    rng = random.Random(seed)
    looks = set(rule.looks())
    cells: dict[str, list[Measurement]] = {"a": [], "b": []}
    for pair in range(max(looks)):
        for name, sample in process(ratio, spread, rng, pair).items():
            cells[name].append(sample)
        if pair + 1 in looks and rule.look([cells]).reached:
            break
    verdict, _ = verdicts(cells, rule.alpha)["a", "b"]
    return len(cells["a"]), verdict in ("faster", "slower")


def test_looks_grow_and_share_alpha() -> None:
    rule = StopRule(fewest=5, most=30)

    assert rule.looks() == [5, 7, 10, 14, 20, 28]
    assert rule.alpha * len(rule.looks()) == pytest.approx(0.05)


def test_a_clear_difference_stops_at_the_first_look() -> None:
    assert replay(StopRule(fewest=5), 2.0, 0.03, 1) == (5, True)


def test_a_tie_goes_on_until_it_is_precise() -> None:
    processes, separated = replay(StopRule(precision=0.02), 1.0, 0.04, 1)

    assert processes > 10
    assert not separated


def test_with_ratios_a_clear_difference_must_be_precise_too() -> None:
    rule = StopRule(fewest=5, precision=0.01, ratios=True)

    assert replay(rule, 2.0, 0.03, 1)[0] > 20


@pytest.mark.parametrize("spread", [0.002, 0.03])
def test_stopping_early_does_not_invent_winners(spread: float) -> None:
    wrong = sum(replay(StopRule(precision=0.02), 1.0, spread, seed)[1] for seed in range(400))

    assert wrong <= 20


def test_two_per_cent_are_found() -> None:
    assert all(replay(StopRule(precision=0.005), 1.02, 0.003, seed)[1] for seed in range(100))


def test_neighbours_and_the_best_are_of_interest() -> None:
    rng = random.Random(1)
    cells: dict[str, list[Measurement]] = {"a": [], "b": [], "far": []}
    for pair in range(5):
        found = process(1.0, 0.05, rng, pair)
        cells["a"].append(found["a"])
        cells["b"].append(found["b"])
        value = found["a"].paired * 10
        cells["far"].append(Measurement(value, value, value, pair))
    progress = StopRule().look([cells])

    assert not progress.reached
    assert progress.pair is not None
    assert set(progress.pair) == {"a", "b"}


def test_cells_without_samples_do_not_hinder() -> None:
    assert StopRule().look([{"a": [], "b": []}, {}]).reached
