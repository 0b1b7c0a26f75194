"""One verdict for all reports: ranks, winner and codecs that are not distinguishable from it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import madeup
from bakeoff.bench.results import BASELINE, Measurement, ResultFileError, read, write
from bakeoff.bench.verdict import Contest, Judgment, drawback, preference, rankings

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
        assert {"a": (1, 2), "c": (1, 3), "b": (2, 3)} == judgment.places()
        assert {"a": (1, 1), "b": (2, 2)} == judgment.places("ab")

    @given(SEEDS)
    def test_every_codec_has_a_rank(self, seed: int) -> None:
        judgment = Judgment.of(table(seed))
        places = judgment.places()

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
        places = judgment.places(among)
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
            assert judgment.places() == {n: (ranking.first[n], ranking.last[n]) for n in ranking.order}
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
