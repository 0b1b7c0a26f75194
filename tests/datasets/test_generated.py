"""The built-in corpora: the same on all machines, without shared objects, with the documented structure."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import datasets
from bakeoff.codecs import codec
from bakeoff.datasets.generated._generate import Random, fresh
from bakeoff.datasets.generated.families import NAMES
from bakeoff.datasets.generated.words import COMMON, FUNCTION_WORDS
from bakeoff.errors import UsageError
from bakeoff.schemas import Schema

# 1,000 records, seed 1. A change here means that results can no longer be compared with older ones.
HASHES = {
    "movies": "f005308b8d4d3e83579d4461e6473659cfa9eda0218e83ac418a19ed7ab4d826",
    "messages": "80b92a642885852086c3f9e72867410fa0ac30eeb67da92b95ce4a409f9e0435",
    "types": "a016ffd6cabad0eca8c52fd8f238ffa79ee2b719b4645ed449fc1be8ba34d59a",
    "numbers": "26f9d3a22343e4ec390effe405ccc6839266207ebc86e2df411de409e6637777",
    "text": "f3cc3ee32ca391b9dbc1c46ff9ee80da0c6dfebb4856e3a73892be71efbd126c",
    "accounts": "7cc8bc8bf09ea6f4c8f7f4d06c73f4d944882e431137fbf2f41a1dc4b9ae9eca",
    "universe": "b7bc0e5264757e43dce5e513a433cf261dd24a44c7911a7f48d35678997ebcea",
    "likes": "4d3ec0aeb753e4c0a2c46cde0a41219725247978771b75017644c8b0d62394ab",
    "pairs": "2e72e34b2f808c49f3fbeed0d551279968d9ed2ac2ceae43d6c3dd036fd5e8b0",
}
# 100 records, seed 2**64 - 1.
OTHER_HASHES = {
    "movies": "efccb4ea98647a36ec634f555d3ffea772c9c316b814ae6ff35be1dac0cbf301",
    "messages": "304cae9499bc731ca380c69c74cfd36f6814e7c962118572abcccb61f9adb832",
    "types": "058e10f1ad91807525bdd32acba05e86af104cc47ece3086f05eb4082c15064c",
    "numbers": "ea3a7ce99410bcbf8dd7b1d22738ed30558f7300e96a17cb9bb63c4410a02dd4",
    "text": "5b5aed83e452567e76a786c10ffd2d4e4516c05141bbbf914efd870017eba182",
    "accounts": "bab2caa894fa211631291eb51ae640788cb01cab29d6adf0e9df9928996ee919",
    "universe": "b4501838d04876f779f2361caed821ff86008677c486424e48bf51962cb6a3d2",
    "likes": "55aaf7ba373a331c154daf3ff2992f7714ceda9d6c68e81e16a18df04fa084de",
    "pairs": "1b152c8800258d45f5e791950e71313b0f441a6f82b770c2cafa1e79492220fb",
}

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15

every_family = pytest.mark.parametrize("name", NAMES)


def _mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


class TestSameEverywhere:
    @every_family
    def test_hash(self, name: str) -> None:
        assert HASHES[name] == datasets.corpus(name, 1_000).sha256
        assert OTHER_HASHES[name] == datasets.corpus(name, 100, seed=MASK).sha256

    @pytest.mark.slow
    @every_family
    def test_payloads_do_not_depend_on_the_hash_seed(self, name: str) -> None:
        script = (
            "import hashlib, pickle, sys\n"
            "from bakeoff.datasets import corpus\n"
            "payloads = map(pickle.dumps, corpus(sys.argv[1], 50).records())\n"
            "print(hashlib.sha256(b''.join(payloads)).hexdigest())"
        )
        found = {
            subprocess.run(
                [sys.executable, "-c", script, name],
                env={**os.environ, "PYTHONHASHSEED": seed},
                check=True,
                capture_output=True,
            ).stdout
            for seed in ("1", "2")
        }

        assert 1 == len(found)

    @given(st.integers(0, MASK), st.integers(0, MASK), st.sampled_from(NAMES))
    def test_random_is_splitmix64(self, seed: int, index: int, stream: str) -> None:
        salt = int.from_bytes(stream.encode(), "little")
        key = _mix(_mix((seed + GAMMA) & MASK) ^ salt)
        state = _mix((key + index * GAMMA) & MASK)
        random = Random(seed, stream)
        random.seek(index)

        expected = [_mix((state + n * GAMMA) & MASK) for n in (1, 2, 3)]
        assert expected == [random.bits() for _ in range(3)]

    @every_family
    def test_a_longer_corpus_begins_with_the_shorter_one(self, name: str) -> None:
        assert list(datasets.corpus(name, 20).records()) == list(datasets.corpus(name, 40).records())[:20]

    @every_family
    def test_seeds_differ(self, name: str) -> None:
        assert datasets.corpus(name, 10, seed=2).sha256 != datasets.corpus(name, 10).sha256

    def test_records_can_be_had_again(self) -> None:
        corpus = datasets.corpus("movies", 3)
        first, second = list(corpus.records()), list(corpus.records())

        assert first == second
        assert all(a is not b and a["title"] is not b["title"] for a, b in zip(first, second, strict=True))


def _objects(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Return all values, without the keys, which records may share."""
    found = [(path, value)]
    if isinstance(value, dict):
        for key, part in value.items():
            found += _objects(part, f"{path}.{key}")
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            found += _objects(part, f"{path}[]")
    return found


class TestDistinctObjects:
    @every_family
    def test_nothing_is_shared(self, name: str) -> None:
        objects = [pair for record in datasets.corpus(name, 200).records() for pair in _objects(record)]
        seen: Counter[int] = Counter()
        shared = set()
        for path, value in objects:
            seen[id(value)] += 1
            single = value is None or isinstance(value, bool) or (type(value) is int and -6 < value < 257)
            if seen[id(value)] > 1 and not single and path != ".status":
                shared.add(path)

        assert set() == shared

    @given(st.text())
    def test_fresh_text_is_equal_and_another(self, text: str) -> None:
        copy = fresh(text)

        assert text == copy
        assert hash(text) == hash(copy)
        assert text.encode(errors="surrogatepass") == copy.encode(errors="surrogatepass")
        assert not text or copy is not text


class TestShape:
    @pytest.mark.parametrize(
        ("name", "size"), [("movies", 150), ("messages", 1675), ("accounts", 780), ("universe", 156)]
    )
    def test_size(self, name: str, size: int) -> None:
        profile = datasets.corpus(name, 5_000).profile()

        assert size == pytest.approx(profile["bytes_mean"], rel=0.01)

    def test_messages_are_plain_json(self) -> None:
        for record in datasets.corpus("messages", 300).records():
            assert record == json.loads(json.dumps(record))
            assert all(abs(value) < 2**53 for _, value in _objects(record) if isinstance(value, int))

    @every_family
    def test_schema_fits(self, name: str) -> None:
        corpus = datasets.corpus(name, 50)
        schema = Schema(corpus.schema)
        made = codec("json")
        for record in corpus.records():
            _, advice = schema.advise(made.decode(made.encode(record)))

            assert [] == [one for one in advice if one.outcome != "fixed"]

    @every_family
    def test_every_codec_of_the_core_writes_it(self, name: str) -> None:
        record = next(datasets.corpus(name, 1).records())
        for codec_name in ("json", "msgpack", "bson", "yaml", "plist", "pickle"):
            assert codec(codec_name).encode(record)

    def test_types_has_every_convention(self) -> None:
        found = {
            cls.__name__
            for record in datasets.corpus("types", 20).records()
            for _, value in _objects(record)
            for cls in type(value).__mro__
        }
        wanted = {"datetime", "date", "time", "timedelta", "Decimal", "UUID", "bytes", "set", "frozenset"}

        assert set() == wanted - found
        assert found >= {"tuple", "Enum", "Place", "Point"}

    def test_types_can_be_pickled(self) -> None:
        for record in datasets.corpus("types", 20).records():
            assert record == pickle.loads(pickle.dumps(record))

    def test_bodies_refer_to_each_other(self) -> None:
        records = {record["id"]: record for record in datasets.corpus("universe", 160).records()}
        galaxies = [record for record in records.values() if record["kind"] == "galaxy"]

        assert 10 == len(galaxies)
        for one in galaxies:
            assert {one["id"]} == {records[planet]["galaxy"] for planet in one["planets"]}
        assert all(
            other in records for one in records.values() if "visited" in one for other in one["visited"]
        )

    @pytest.mark.parametrize("relations", [1, 100, 5_000])
    def test_likes_takes_a_size(self, relations: int) -> None:
        records = list(datasets.corpus(f"likes:{relations}", 20).records())
        names = [record["name"] for record in datasets.corpus("likes", 20).records()]

        assert {relations} == {len(record["likes"]) for record in records}
        assert names == [record["name"] for record in records]

    def test_pairs_are_sixteen_bytes(self) -> None:
        for record in datasets.corpus("pairs", 500).records():
            assert all(2**56 <= value < 2**63 for value in record.values())

    def test_text_compresses_like_prose(self) -> None:
        assert 2.5 < float(datasets.corpus("movies", 2_000).profile()["zlib_ratio"]) < 4.5

    def test_text_needs_utf8(self) -> None:
        records = list(datasets.corpus("text", 300).records())

        assert float(datasets.corpus("text", 300).profile()["ascii_share"]) < 0.3
        assert any(ord(max(record["text"])) > 0xFFFF for record in records)

    def test_words_are_unlike(self) -> None:
        assert len(FUNCTION_WORDS) == len(set(FUNCTION_WORDS))
        assert all(word.isascii() and word.islower() for word in FUNCTION_WORDS + COMMON)


class TestAsking:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [(None, 10_000), (7, 7), ("SM", 100), ("md", 1_000), ("LG", 50_000), ("1_000", 1_000)],
    )
    def test_sizes(self, given: int | str | None, expected: int) -> None:
        assert expected == datasets.corpus("movies", given).count()

    @pytest.mark.parametrize(("given", "expected"), [("likes:100", "likes"), ("likes:1_000", "likes:1000")])
    def test_a_parameter_is_part_of_the_name(self, given: str, expected: str) -> None:
        corpus = datasets.corpus(given, 10)

        assert (expected, expected) == (corpus.name, corpus.source)

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("likes:0", "1 to 1,000,000"),
            ("likes:2000000", "1 to 1,000,000"),
            ("likes:many", "1 to 1,000,000"),
            ("movies:5", "movies takes no parameter"),
            ("movies:", "movies takes no parameter"),
        ],
    )
    def test_no_parameter(self, given: str, told: str) -> None:
        with pytest.raises(UsageError, match=f"{given}: .*{told}"):
            datasets.corpus(given)

    @pytest.mark.parametrize("records", [0, -1, "XL", "", "1e3", "٣"])
    def test_no_size(self, records: int | str) -> None:
        with pytest.raises(UsageError, match="SM, MD, LG"):
            datasets.corpus("movies", records)

    @pytest.mark.parametrize("seed", [-1, 2**64])
    def test_no_seed(self, seed: int) -> None:
        with pytest.raises(UsageError, match="seed"):
            datasets.corpus("movies", seed=seed)

    def test_unknown(self) -> None:
        with pytest.raises(datasets.UnknownCorpus, match="did you mean movies") as caught:
            datasets.corpus("movis")

        assert ("movies",) == caught.value.near

    @pytest.mark.parametrize("limit", [1, 7, 2**32, 2**40])
    def test_below(self, limit: int) -> None:
        random = Random(1, "test")

        assert all(random.below(limit) < limit for _ in range(100))

    def test_below_nothing(self) -> None:
        with pytest.raises(ValueError, match="below 0"):
            Random(1, "test").below(0)

    @pytest.mark.parametrize("stream", ["ninechars", "naïve"])
    def test_names_of_streams_are_short(self, stream: str) -> None:
        with pytest.raises(ValueError, match=f"'{stream}': names of families have at most eight"):
            Random(1, stream)

    @pytest.mark.parametrize("options", [[], (), ""])
    def test_picking_from_nothing(self, options: Any) -> None:
        """An empty list was read beyond its end."""
        with pytest.raises(ValueError, match="nothing to pick"):
            Random(1, "test").pick(options)

    def test_progress_counts_records(self) -> None:
        calls: list[tuple[int, int | None]] = []
        list(datasets.corpus("movies", 2_500).records(lambda done, total: calls.append((done, total))))

        assert [(1_000, 2_500), (2_000, 2_500), (2_500, 2_500)] == calls
