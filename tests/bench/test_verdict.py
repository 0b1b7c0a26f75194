"""One verdict for all reports: ranks, winner and codecs that are not distinguishable from it."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import madeup
from bakeoff.bench.results import (
    BASELINE,
    Cell,
    CellResult,
    CodecFacts,
    Measurement,
    Outcome,
    ResultFileError,
    read,
    write,
)
from bakeoff.bench.stats import Ratio
from bakeoff.bench.verdict import (
    Contest,
    Judgment,
    costs,
    drawback,
    error_share,
    nothing_to_fix,
    preference,
    ranked,
    rankings,
)

SEEDS = st.integers(0, 10**6)


def table(seed: int) -> dict[str, list[Measurement]]:
    """Return costs of codecs, some close to others, some noisy, some that miss processes."""
    rng = random.Random(seed)
    shared = [rng.lognormvariate(0, 0.1) for _ in range(rng.randint(2, 7))]
    cells = {}
    for name in "abcdef":
        mean, noise = rng.choice([1.0, 1.0, 1.005, 1.3, 2.0]), rng.choice([0.001, 0.02, 0.4])
        pairs = rng.sample(range(len(shared)), rng.randint(1, len(shared)))
        values = {pair: shared[pair] * mean * rng.lognormvariate(0, noise) for pair in sorted(pairs)}
        cells[name] = [Measurement(value, value, value, pair) for pair, value in values.items()]
    return cells


def by_name(name: str) -> tuple[str]:
    return (name,)


class TestPlaces:
    def test_ranks_are_what_the_pairs_leave_open(self) -> None:
        flat = {name: [1.0, 1.0, 1.0, 1.0] for name in "abcd"}
        values = flat | {"b": [1.5, 1.5, 1.5, 1.5], "c": [0.5, 1.0, 2.0, 3.0], "d": [9.0, 9.0, 9.0, 9.0]}
        cells = {n: [Measurement(v, v, v, pair) for pair, v in enumerate(own)] for n, own in values.items()}
        judgment = Judgment.of({name: cells[name] for name in "abc"})

        assert ("a", "c", "b") == judgment.order
        assert {"a": (1, 2), "c": (1, 3), "b": (2, 3)} == judgment.rank_ranges()
        assert {"a": (1, 1), "b": (2, 2)} == judgment.rank_ranges("ab")

    @given(SEEDS)
    def test_every_codec_has_a_rank(self, seed: int) -> None:
        judgment = Judgment.of(table(seed))
        places = judgment.rank_ranges()

        assert list(places) == list(judgment.order)
        for a, b in combinations(places, 2):
            verdict = judgment.judged[a, b][0]
            assert 1 <= places[a].first <= len(places) >= places[a].last
            if verdict == "faster":
                assert places[a].last < len(places)
                assert places[b].first > 1

    @given(SEEDS, st.sets(st.sampled_from("abcdef")))
    def test_leaving_codecs_out_changes_no_verdict(self, seed: int, among: set[str]) -> None:
        """The possible winners among some codecs are decided by the pairs of the whole table."""
        judgment = Judgment.of(table(seed))
        contest = judgment.contest(among, by_name)

        if contest is None:
            assert not among
            return
        assert set(contest.level) <= among
        for name in contest.unresolved:
            verdict, ratio = judgment.judged[name, contest.cheapest]
            assert verdict == "unresolved"
            assert ratio.low <= 1 <= ratio.high
        places = judgment.rank_ranges(among)
        leading = {name for name, place in places.items() if place.first == 1}
        assert set(contest.level) == (leading or {next(iter(places))})


class TestContest:
    def test_what_surely_costs_the_same_is_a_matter_of_taste(self) -> None:
        values = {"a": 1.0, "b": 1.001, "c": 1.002, "d": 3.0}
        cells = {
            name: [Measurement(v := value * (1 + pair / 1e5), v, v, pair) for pair in range(5)]
            for name, value in values.items()
        }
        contest = Judgment.of(cells).contest("abcd", lambda name: ("bca".find(name),))

        assert Contest("d", "a", (), ()) != contest == Contest("b", "a", ("a", "c"), ())

    def test_nobody_wins_where_nobody_may(self) -> None:
        assert Judgment.of(table(1)).contest((), by_name) is None


class TestPreference:
    def test_the_rules_come_in_order(self) -> None:
        facts = {codec.name: codec for codec in madeup.result(corpora=1).codecs}
        orjson, msgpack = facts["orjson"], facts["msgpack"]

        assert preference(orjson, 9, 1.04e-6) == preference(orjson, 9, 1.01e-6)
        assert preference(msgpack, 9, 1.3e-6) > preference(orjson, 9, 1.1e-6)
        assert preference(msgpack, 8, 1.3e-6) < preference(orjson, 9, 1.1e-6)


class TestStored:
    def test_a_run_keeps_its_verdict(self, tmp_path) -> None:
        result = madeup.result(codecs=9, corpora=2, processes=5)
        result = replace(result, rankings=rankings(result))
        path = tmp_path / "result.json"
        write(result, path)
        again = read(path)

        assert result.rankings == again.rankings
        assert ["movies", "messages"] == [ranking.corpus for ranking in again.rankings]
        facts = {codec.name: codec for codec in result.codecs}
        for ranking in again.rankings:
            judgment = Judgment.stored(ranking)
            cells = [c for c in result.cells if c.cell.corpus == ranking.corpus]
            winner = [c for c in cells if c.cell.codec == ranking.winner]

            assert BASELINE not in ranking.order
            assert judgment.rank_ranges() == {n: (ranking.first[n], ranking.last[n]) for n in ranking.order}
            assert drawback(facts[ranking.winner], winner) == ""
            assert ranking.first[ranking.winner] == 1 or any(
                drawback(facts[n], [c for c in cells if c.cell.codec == n])
                for n in ranking.order
                if judgment.judged[n, ranking.winner][0] == "faster"
            )

    @pytest.mark.parametrize("key", ["order", "pairs"])
    def test_a_damaged_ranking_is_refused(self, tmp_path, key: str) -> None:
        result = madeup.result(codecs=4, corpora=1, processes=3)
        path = tmp_path / "result.json"
        write(replace(result, rankings=rankings(result)), path)
        suite = json.loads(path.read_text())
        metadata = suite["benchmarks"][0]["metadata"]
        document = json.loads(metadata["bakeoff_document"])
        del document["rankings"][0][key][0]
        metadata["bakeoff_document"] = json.dumps(document)
        path.write_text(json.dumps(suite))

        with pytest.raises(ResultFileError, match="damaged"):
            read(path)


def judged(order: str, *beaten: str) -> Judgment:
    """Return verdicts of codecs named by a letter: "ab" is that a is faster than b."""
    said = {(a, b): "unresolved" for a in order for b in order if a != b}
    for winner, loser in beaten:
        said[winner, loser], said[loser, winner] = "faster", "slower"
    pairs = {pair: (verdict, Ratio(1.0, 0.5, 2.0, 0.1, 5)) for pair, verdict in said.items()}
    return Judgment(tuple(order), pairs)  # type: ignore[arg-type]


class TestContradictions:
    """Pairs with few common processes may contradict each other."""

    @pytest.mark.parametrize("order", ["abc", "bca", "cab"])
    def test_where_each_is_beaten_the_lowest_mean_wins_alone(self, order: str) -> None:
        contest = judged(order, "ab", "bc", "ca").contest("abc", by_name)

        assert Contest(order[0], order[0], (), ()) == contest

    def test_who_is_not_beaten_may_win(self) -> None:
        contest = judged("abcd", "cd").contest("abcd", by_name)

        assert Contest("a", "a", (), ("b", "c")) == contest
        assert Contest("d", "d", (), ()) == judged("abcd", "cd").contest("d", by_name)


class TestCosts:
    def cells(self, **figures: tuple[float, ...]) -> dict[str, CellResult]:
        return {
            name: CellResult(
                Cell("c", name, "a"),
                "ok",
                samples=tuple(Measurement(2 * v, 3 * v, v, pair) for pair, v in enumerate(values)),
            )
            for name, values in figures.items()
        }

    @pytest.mark.parametrize("outcome", ["ok", "lossy"])
    def test_a_schema_with_nothing_to_fix_costs_nothing(self, outcome: Outcome) -> None:
        """Of a lossy codec as of an exact one."""
        cells = self.cells(dump=(1.0, 2.0), load=(3.0, 4.0))
        fix = CellResult(Cell("c", "fix", "a"), outcome)

        assert nothing_to_fix({**cells, "fix": fix})
        assert costs(cells) == costs({**cells, "fix": fix})
        assert [4.0, 6.0] == [sample.value for sample in costs({**cells, "fix": fix})]

    @pytest.mark.parametrize("part", ["dump", "load", "fix", "size"])
    @pytest.mark.parametrize("outcome", ["wrong", "crashed", "missing"])
    def test_a_failed_part_leaves_no_cost(self, part: str, outcome: Outcome) -> None:
        cells = self.cells(dump=(1.0,), load=(1.0,), fix=(1.0,), size=(1.0,))
        failed = {**cells, part: CellResult(Cell("c", part, "a"), outcome)}

        assert costs(cells)
        assert () == costs(failed)

    def test_costs_by_hand(self) -> None:
        cells = self.cells(dump=(1.0, 2.0, 5.0), load=(3.0, 4.0), fix=(0.5, 0.25, 9.0), size=(100.0, 300.0))
        found = costs(cells, reads=2.0, bandwidth=50.0)

        assert [0, 1] == [sample.pair for sample in found]
        assert [1 + 2 * 3.5 + 4, 2 + 2 * 4.25 + 4] == [sample.value for sample in found]
        assert [2 + 2 * 7 + 4, 4 + 2 * 8.5 + 4] == [sample.raw for sample in found]
        assert [3 + 2 * 10.5 + 12, 6 + 2 * 12.75 + 12] == [sample.paired for sample in found]
        assert [1.0, 2.0, 5.0] == [
            sample.value for sample in costs(self.cells(dump=(1.0, 2.0, 5.0)), reads=0)
        ]

    @pytest.mark.parametrize(
        ("lacking", "reads", "bandwidth", "known"),
        [
            ("load", 1.0, math.inf, False),
            ("load", 0.0, math.inf, True),
            ("size", 1.0, math.inf, True),
            ("size", 1.0, 50.0, False),
            ("fix", 1.0, 50.0, True),
        ],
    )
    def test_a_cost_needs_what_its_use_needs(
        self, lacking: str, reads: float, bandwidth: float, *, known: bool
    ) -> None:
        cells = self.cells(dump=(1.0,), load=(1.0,), fix=(1.0,), size=(1.0,))
        del cells[lacking]

        assert known == bool(costs(cells, reads, bandwidth))


@pytest.mark.parametrize(
    ("facts", "outcomes", "expected"),
    [
        ({}, ["ok", "ok"], ""),
        ({}, ["ok", "lossy"], "lossy"),
        ({}, ["lossy", "wrong"], "failed"),
        ({}, ["ok", "unsupported"], ""),
        ({}, ["unsupported"], "failed"),
        ({}, [], "failed"),
        ({"trusted_only": True, "unguarded": True}, ["lossy"], "trusted"),
        ({"unguarded": True}, ["lossy"], "unguarded"),
        ({"name": "json/raw"}, ["lossy"], "raw"),
    ],
)
def test_the_first_drawback_is_named(facts: dict[str, Any], outcomes: list[Outcome], expected: str) -> None:
    known = replace(CodecFacts("json", "json", "Python", "3", None), **facts)
    cells = [CellResult(Cell("c", f"op-{n}", "json"), outcome) for n, outcome in enumerate(outcomes)]

    assert expected == drawback(known, cells)


def test_codecs_of_objects_are_ranked_only_among_themselves() -> None:
    assert {"a"} == ranked({"a": "", "b": "Struct"})
    assert {"b", "c"} == ranked({"b": "Struct", "c": "Struct"})


@pytest.mark.parametrize(
    ("spent", "share"), [(0.01, 0.01), (0, 0.05), (1, 0.05), (-1, 0.05), ("x", 0.05), (None, 0.05)]
)
def test_the_error_share_of_a_run_is_one(spent: Any, share: float) -> None:
    assert share == error_share(replace(madeup.planted(), options={"alpha": spent}))


class TestTaste:
    """Each rule alone decides, and in this order."""

    FACTS = CodecFacts("b", "json", "lib", "1", None)

    @pytest.mark.parametrize(
        ("better", "worse"),
        [
            ({"interoperable": True, "extra": "x"}, {"interoperable": False, "library": "Python"}),
            ({"library": "Python"}, {}),
            ({}, {"extra": "lib"}),
            ({"library": "Python"}, {"extra": "lib"}),
            ({"name": "a"}, {"name": "b"}),
        ],
    )
    def test_facts(self, better: dict[str, Any], worse: dict[str, Any]) -> None:
        one, other = (replace(self.FACTS, **each) for each in (better, worse))

        assert preference(one, 9.0, 1e-6) < preference(other, 9.0, 1e-6)

    def test_size_comes_before_time_and_time_has_two_digits(self) -> None:
        assert preference(self.FACTS, 8.0, 9e-6) < preference(self.FACTS, 9.0, 1e-6)
        assert preference(self.FACTS, 9.0, 1.1e-6) < preference(self.FACTS, 9.0, 1.2e-6)
        assert preference(self.FACTS, 9.0, 1.14e-6) == preference(self.FACTS, 9.0, 1.06e-6)


def test_a_run_ranks_codecs_of_objects_only_if_there_are_no_others() -> None:
    figures = {"dump": 1e-6, "load": 1e-6, "size": 9.0}
    run = madeup.planted({"a": figures, "b": figures}, facts={"b": {"takes": "Struct"}})
    (ranking,) = rankings(run)
    (alone,) = rankings(replace(run, cells=tuple(c for c in run.cells if c.cell.codec == "b")))

    assert ("a",) == ranking.order
    assert ("b",) == alone.order


def test_a_run_reads_its_verdicts_again_however_noisy_its_processes_were(tmp_path: Path) -> None:
    """Three processes, of which each takes several times as long as another, leave a ratio quite open."""
    figures = {"dump": 1e-6, "load": 1e-6, "size": 9.0}
    run = madeup.planted({"a": figures, "b": figures}, processes=3, noise=1.0, options={"alpha": 1e-6})
    judged = replace(run, rankings=rankings(run))
    write(judged, tmp_path / "r.json")
    (ranking,) = read(tmp_path / "r.json").rankings

    assert judged.rankings == (ranking,)
    assert [(0.0, None)] * len(ranking.pairs) == [(pair.low, pair.high) for pair in ranking.pairs]
