"""Samples: one pass, from all over the corpus, in order, the same each time."""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bakeoff import datasets
from bakeoff.datasets import profile, sampling
from bakeoff.datasets.corpora import Sources
from bakeoff.datasets.counts import Lengths
from bakeoff.datasets.sampling import Reservoir, strata

counts = st.integers(0, 400)
sizes = st.integers(1, 50)
seeds = st.integers(0, 2**64 - 1)


@given(counts, sizes, seeds)
def test_sampler_draws_in_order(count: int, size: int, seed: int) -> None:
    samplers = [Reservoir(size, seed) for _ in range(2)]
    for sampler in samplers:
        sampler.take(range(count))
    drawn = samplers[0].records()

    assert min(count, size) == len(drawn)
    assert sorted(set(drawn)) == drawn
    assert set(drawn) <= set(range(count))
    assert count == samplers[0].count
    assert drawn == samplers[1].records()


@given(counts, sizes, seeds, st.integers(0, 400))
def test_sampler_does_not_care_for_batches(count: int, size: int, seed: int, cut: int) -> None:
    whole, parts = Reservoir(size, seed), Reservoir(size, seed)
    whole.take(range(count))
    parts.take(range(min(cut, count)))
    parts.take(range(min(cut, count), count))

    assert whole.records() == parts.records()


def test_sampler_has_no_favourites() -> None:
    hits = [0] * 20
    for seed in range(4_000):
        sampler = Reservoir(5, seed)
        sampler.take(range(20))
        for record in sampler.records():
            hits[record] += 1

    # Expected 1,000 each with a standard deviation of 27; seeds are fixed, so this never varies.
    assert all(870 < hit < 1_130 for hit in hits)


@given(st.integers(0, 10_000), sizes, seeds)
def test_strata_are_even(count: int, size: int, seed: int) -> None:
    found = list(strata(count, size, seed))

    assert min(count, size) == len(found)
    if count > size:
        assert all(part * count // size <= n < (part + 1) * count // size for part, n in enumerate(found))


def test_sample_of_a_generated_corpus() -> None:
    corpus = datasets.corpus("movies", 5_000)
    everything = list(corpus.records())
    sample = corpus.sample(50)
    places = [record["id"] - 1_000_001 for record in sample]

    assert [everything[place] for place in places] == sample
    assert [part * 100 for part in range(50)] == [place - place % 100 for place in places]
    assert sample == corpus.sample(50)
    assert len(datasets.corpus("movies", 5).sample(50)) == 5


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.jsonl"
    path.write_text("".join(f'{{"n": {n}}}\n' for n in range(5_000)))
    return path


@pytest.mark.parametrize("n", [1, 100, 1_000, 3_000])
def test_sample_of_a_file(lines: Path, n: int) -> None:
    corpus = datasets.corpus(lines)
    sample = [record["n"] for record in corpus.sample(n)]

    assert n == len(sample)
    assert sorted(set(sample)) == sample
    assert sample == [record["n"] for record in corpus.sample(n)]
    assert sample == [record["n"] for record in datasets.corpus(lines).sample(n)]
    assert max(sample) > 2_500 or n == 1


def test_one_pass_finds_everything(lines: Path) -> None:
    corpus = datasets.corpus(lines)
    corpus.sample(10)
    lines.unlink()

    assert 5_000 == corpus.count()
    assert 5_000 == corpus.profile()["records"]
    assert 64 == len(corpus.sha256)


def test_few_records_are_all_taken(tmp_path: Path) -> None:
    path = tmp_path / "few.jsonl"
    path.write_text("1\n2\n3\n")

    assert [1, 2, 3] == datasets.corpus(path).sample(100)


def file_of(sizes: Sequence[int], path: Path) -> Path:
    path.write_text("".join(f'{{"t": "{"x" * size}"}}\n' for size in sizes))
    return path


def test_the_head_of_a_file_does_not_decide_how_many(tmp_path: Path) -> None:
    """One huge first record, or twenty tiny ones: the size of all records says how many fit."""
    room = 1 << 20
    huge = datasets.corpus(file_of([room] + [10] * 20_000, tmp_path / "huge.jsonl"))
    tiny = datasets.corpus(file_of([10] * 20 + [room // 40] * 300, tmp_path / "tiny.jsonl"))

    assert len(huge.sample(1_000, room=room)) >= 500
    assert 35 <= len(tiny.sample(1_000, room=room)) <= 45
    assert len(tiny.sample(1_000, room=1, least=4)) == 4


def test_the_mean_size_of_all_records_is_known(tmp_path: Path) -> None:
    few = datasets.corpus(file_of([100] * 50 + [300] * 50, tmp_path / "few.jsonl"))
    many = datasets.corpus(file_of([100, 300] * 20_000, tmp_path / "many.jsonl"))
    each = [len(pickle.dumps({"t": "x" * size}, 5)) for size in (100, 300)]

    assert few.profile()["size_mean"] == sum(each) / 2
    assert many.profile()["size_mean"] == pytest.approx(sum(each) / 2, rel=0.01)


def test_a_reservoir_of_large_records_holds_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_HELD", 2_000)
    seen = dict.fromkeys(range(40), 0)
    for seed in range(2_000):
        sampler = sampling.Reservoir(30, seed)
        sampler.take((n, b"x" * (150 if n % 4 else 30)) for n in range(40))
        kept = sampler.records()
        assert sum(map(sampling.pickled, kept)) <= 2_000
        for n, _ in kept:
            seen[n] += 1
    mean = sum(seen.values()) / len(seen)

    assert all(abs(count - mean) < 6 * math.sqrt(mean) for count in seen.values())


def test_of_records_larger_than_the_reservoir_one_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_HELD", 2_000)
    for size in (1_500, 3_000):
        for count in (1, 2, 3, 40):
            sampler = sampling.Reservoir(30, 1)
            sampler.take(b"x" * size for _ in range(count))

            assert [b"x" * size] == sampler.records()


class TestProfile:
    def test_facts(self, tmp_path: Path) -> None:
        path = tmp_path / "two.jsonl"
        path.write_text('{"ab": "xyz", "c": [1, 2.5, null]}\n{"ab": "é", "c": []}\n')
        profile = datasets.corpus(path).profile()

        assert 2 == profile["records"] == profile["sample"]
        assert 29 == profile["bytes_max"]
        assert 18 == profile["bytes_min"]
        assert 4.5 == profile["values_mean"]
        assert pytest.approx(2 / 9, abs=1e-4) == profile["type_str"]
        assert 2 == profile["text_median"]
        assert 3 == profile["text_max"]
        assert 0.5 == profile["ascii_share"]
        assert 2 == profile["keys_distinct"] == profile["keys_mean"]
        assert pytest.approx(9 / 23.5, abs=1e-4) == profile["key_share"]
        assert 1.5 == profile["list_median"]
        assert 2 == profile["depth_max"]

    @pytest.mark.parametrize("name", datasets.names())
    def test_is_flat_and_plain(self, name: str) -> None:
        profile = datasets.corpus(name, 100).profile()

        assert profile == json.loads(json.dumps(profile))
        assert all(isinstance(value, str | int | float) for value in profile.values())
        shares = [float(value) for key, value in profile.items() if key.startswith("type_")]
        assert pytest.approx(1, abs=0.01) == sum(shares)
        assert sorted(shares, reverse=True) == shares

    @pytest.mark.parametrize(
        ("record", "share"),
        [
            ({"abc": 1}, 6 / 9),
            ({"日本": 1}, 9 / 12),
            ({'a\n"': 1}, 8 / 11),
            ({"": 1}, 3 / 6),
            ({12: 1}, 5 / 8),
            ({None: 1, True: 2}, 14 / 19),
        ],
    )
    def test_keys_take_the_bytes_that_json_writes(self, record: dict[Any, int], share: float) -> None:
        assert pytest.approx(share, abs=1e-4) == profile.profile([record] * 3, 3)["key_share"]

    def test_a_key_that_json_cannot_write(self) -> None:
        facts = profile.profile([{"\ud800": 1}, {"a": 1}], 2)

        assert 2 == facts["keys_distinct"]
        assert 7 == facts["bytes_mean"]

    def test_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(profile, "MOST_VALUES", 1_000)
        monkeypatch.setattr(profile, "MOST_BYTES", 1_000)
        facts = profile.profile([[1] * 600] * 10, 10)

        assert 10 == facts["sample"]
        assert 600 == facts["list_median"]
        assert 1_201 == facts["bytes_mean"]


@given(st.lists(st.integers(0, 10**7), min_size=1))
@example([2_090_234])
def test_quantiles_of_rounded_lengths(drawn: list[int]) -> None:
    lengths = Lengths()
    lengths.fresh = Counter(drawn)
    lengths.plain()  # rounds

    assert 0.996 * median(drawn) <= lengths.median <= median(drawn)
    assert min(drawn) <= lengths.quantile(0.0) <= lengths.quantile(0.99) <= max(drawn)


def test_keys_of_records_are_the_same_in_all_versions() -> None:
    """Other machines of a run may have another version."""
    first = {(seed, place): sampling.record_keys(seed, place)(0) for seed in (0, 7) for place in ("", "a")}

    assert {
        (0, ""): 15988639914499592432,
        (0, "a"): 12300428947729167767,
        (7, ""): 6945885383760403186,
        (7, "a"): 16881024108537227576,
    } == first
    assert 6187001516978751107 == sampling.record_keys(0, "")(1)


@pytest.mark.parametrize(
    ("names", "held"),
    [((), False), (("a.jsonl",), False), (("a.jsonl", "movies"), True), (("m:f", "-"), True)],
)
def test_only_made_records_may_be_objects(names: tuple[str, ...], held: bool) -> None:
    assert held == Sources(names, {}).hold_objects()


def test_hash_is_found_once() -> None:
    corpus = datasets.corpus("movies", 50)
    first = corpus.sha256
    corpus.profile()

    assert first is corpus.sha256


class TestCut:
    """A long source is read no further than there is time for; a run that is resumed reads as much again."""

    @pytest.fixture
    def lines(self, tmp_path: Path) -> Path:
        path = tmp_path / "long.jsonl"
        path.write_text("".join(f'{{"n": {n}}}\n' for n in range(300_000)))
        return path

    def test_no_time_still_gives_records(self, lines: Path) -> None:
        corpus = datasets.corpus(lines)
        corpus.cut(seconds=0)
        sample = corpus.sample(20)

        assert 20 == len(sample)
        assert 20 <= corpus.count() < 300_000
        assert 0 < corpus.share < 1

    @pytest.mark.slow
    def test_as_many_records_are_the_same_sample(self, lines: Path) -> None:
        first, again, whole = (datasets.corpus(lines) for _ in range(3))
        first.cut(seconds=0)
        sample = first.sample(20)
        again.cut(after=first.count())

        assert sample == again.sample(20)
        assert (first.count(), first.sha256, first.share) == (again.count(), again.sha256, again.share)
        assert first.sha256 != whole.sha256

    def test_generated_records_take_no_notice(self) -> None:
        """They are quick to make."""
        corpus = datasets.corpus("movies", 100)
        corpus.cut(seconds=0)

        assert len(corpus.sample(100)) == 100
        assert corpus.share == 1
