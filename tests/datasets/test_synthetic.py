"""Synthetic data: it costs codecs what the user's does, and the profile holds none of its values."""

from __future__ import annotations

import base64
import json
import pickle
import random
import re
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import codec, datasets
from bakeoff.datasets import synthetic
from bakeoff.datasets.synthetic import make
from bakeoff.datasets.synthetic import profile as profiles
from bakeoff.datasets.synthetic.fit import fit_records
from bakeoff.errors import RunError
from inprocess import bakeoff

WORDS = {
    *("null", "bool", "int", "float", "decimal", "timedelta", "bytes", "uuid", "moment", "parts", "text"),
    *("values", "any", "record", "map", "list", "row", "tuple", "set", "frozenset"),
    *("datetime", "date", "time", "0.0", "-0.0", "nan", "inf", "-inf"),
}
"""Strings that belong to the format of profile files."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def fitted(records: Sequence[Any]) -> synthetic.DataProfile:
    return synthetic.read(synthetic.write(fit_records(records, len(records))), "profile.json")


def synthetic_of(records: Sequence[Any]) -> list[Any]:
    return list(synthetic.made(fitted(records), len(records), 1))


def texts(value: Any, *, names: bool = True) -> Iterator[str]:
    """Iterate over all strings in a record; for a profile file, without the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from texts(part, names=names)
    elif isinstance(value, dict):
        for name, part in value.items():
            if names or name != "key" or not isinstance(part, str):
                yield from texts(part, names=names)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over all places in a JSON document, as a container and its key or index."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def plain(name: str, count: int) -> list[Any]:
    made = codec("json")
    return [made.decode(made.encode(record)) for record in datasets.corpus(name, count).records()]


def statuses() -> dict[str, Any]:
    return {"statuses": plain("text", 100), "search": {"count": 100, "query": "%23bakeoff", "took": 0.087}}


def mixed() -> list[Any]:
    found = [record for name in datasets.names() for record in plain(name, 60)]
    random.Random(1).shuffle(found)
    return found


SOURCES = {
    **{name: lambda name=name: plain(name, 400) for name in datasets.names()},  # type: ignore[misc]
    "mixed": mixed,
    "document": lambda: [statuses()],
}


class TestNothingIsKept:
    @pytest.mark.parametrize("source", SOURCES)
    def test_no_text_of_the_original(self, source: str) -> None:
        """All that a profile says in words of more than three letters are its own and the names of fields."""
        records = SOURCES[source]()
        kept = set(texts(json.loads(synthetic.write(fit_records(records, len(records)))), names=False))
        known = {text for record in records for text in texts(record) if len(text) > 3}

        assert set() == {text for text in kept if len(text) > 3} - WORDS
        assert set() == {text for text in known if text in kept} - WORDS

    @pytest.mark.slow
    @given(st.lists(JSON, min_size=1, max_size=8))
    def test_whatever_the_original(self, records: list[Any]) -> None:
        content = synthetic.write(fit_records(records, len(records)))

        assert {text for text in texts(json.loads(content), names=False) if len(text) > 3} <= WORDS
        assert content == synthetic.write(synthetic.read(content, "x"))
        assert len(records) == len(list(synthetic.made(synthetic.read(content, "x"), len(records), 1)))

    def test_no_number_of_the_original(self) -> None:
        """Of numbers the profile has ranges of a fixed grid only."""
        numbers = [random.Random(seed).getrandbits(60) for seed in range(50)]
        content = synthetic.write(fit_records([{"number": n, "few": n % 2 + 7_654_321} for n in numbers], 50))

        assert set() == {int(text) for text in re.findall(rb"\d+", content)} & {*numbers, 7654321, 7654322}

    def test_signs_in_a_row(self) -> None:
        """Three signs may be a separator; more may be a password."""
        before = ["#!$%&/()=?", '<{[("]}>', "-----", "********"]
        after = synthetic_of(before * 2)

        assert not set(before) & set(after)
        assert sorted(map(len, before * 2)) == sorted(map(len, after))

    def test_keys_that_are_values_are_made_up(self) -> None:
        """A dict from users to figures is a map: names of users are not names of fields."""
        names = [record["title"] for record in plain("movies", 400)]
        records = [{"scores": dict.fromkeys(names[n : n + 4], n)} for n in range(0, 400, 4)]
        by_id = [{"by_id": {str(number): {"x": number} for number in range(n, n + 5)}} for n in range(20)]

        again = [{"score": {names[n % 60]: n}} for n in range(400)]

        assert ["scores"] == synthetic.names(fitted(records))
        assert ["score"] == synthetic.names(fitted(again))
        assert ["by_id", "x"] == synthetic.names(fitted(by_id))
        assert {4} == {len(record["scores"]) for record in synthetic_of(records)}

    def test_names_can_be_made_up(self) -> None:
        profile = fitted(plain("messages", 50))
        hidden = synthetic.read(synthetic.write(synthetic.hidden(profile)), "x")
        before, after = synthetic.names(profile), synthetic.names(hidden)

        assert [len(name) for name in before] == [len(name) for name in after]
        assert not {name for name in before if len(name) > 3} & set(after)


class TestLikeIt:
    @pytest.mark.parametrize("source", SOURCES)
    def test_bytes(self, source: str) -> None:
        original, plainly = SOURCES[source](), codec("json")
        # As files are read: within a record only names of fields are shared.
        records, made = (
            [plainly.decode(plainly.encode(one)) for one in part]
            for part in (original, synthetic_of(original))
        )
        ratios = {}
        for name in ("json", "msgpack", "bson", "yaml", "plist", "cbor2", "pickle"):
            write = codec(name).encode
            some = 40 if name in ("yaml", "plist") else None
            before, after = ([len(write(one)) for one in part[:some]] for part in (records, made))
            ratios[name] = sum(after) / sum(before)

        assert 1 == pytest.approx(ratios["json"], abs=0.05)
        # Of the slow ones 40 records only, which differ among themselves.
        exact = [ratios[name] for name in ("json", "msgpack", "bson", "cbor2", "pickle")]
        assert all(1 == pytest.approx(a / b, abs=0.02) for a, b in combinations(exact, 2))
        assert ratios["yaml"] == pytest.approx(ratios["plist"], rel=0.05)

    def test_kinds_of_records(self) -> None:
        records = [
            {"kind": "a", "x": 1, "y": 2.5} if n % 4 else {"kind": "b", "note": "none of it", "tags": ["u"]}
            for n in range(400)
        ]
        made = synthetic_of(records)

        assert {("kind", "x", "y"), ("kind", "note", "tags")} == {tuple(record) for record in made}
        assert 100 == sum("note" in record for record in made)

    def test_many_kinds_are_no_map(self) -> None:
        many = [{f"name{n % 10}{letter}": n for letter in "abcdef"} for n in range(300)]
        one_each = [{f"name_{'abcdefghijklmnopqr'[n % 18]}": n} for n in range(300)]

        for records in (many, one_each):
            assert {tuple(record) for record in records} == {tuple(one) for one in synthetic_of(records)}

    def test_scripts_keep_together(self) -> None:
        words = {"a": "Straße über Köln", "b": "привет мир", "c": "東京の天気"}
        records = [{"title": words["abc"[n % 3]], "tags": [words["abc"[n % 3]], str(n)]} for n in range(300)]
        pattern = re.compile("(?P<n>[\x80-\xff])|(?P<w>[\u0100-\u07ff])|(?P<t>[\u0800-\uffff])")
        made = [json.dumps(record, ensure_ascii=False) for record in synthetic_of(records)]

        assert {1} == {len({match.lastgroup for match in pattern.finditer(text)}) for text in made}

    def test_optional_fields(self) -> None:
        records = [{"id": n, "more": None if n % 5 else n} for n in range(300)]
        for record in records[::3]:
            del record["more"]
        made = synthetic_of(records)

        assert 200 == sum("more" in record for record in made)
        assert sum(r.get("more", 1) is None for r in records) == pytest.approx(
            sum(r.get("more", 1) is None for r in made), abs=3
        )

    def test_fields_of_all_records_among_many_optional_ones(self) -> None:
        always = dict.fromkeys(("id", "kind", "name", "place", "owner", "state", "size", "unit"), 1)
        records = [always | {f"f{i}": n for i in range(7) if n >> i & 1} for n in range(128)]
        made = list(synthetic.made(fitted(records), 1_000, 1))

        assert all(always.keys() <= record.keys() for record in made)
        assert len({tuple(record) for record in made}) > 100

    def test_few_values(self) -> None:
        values = ["created", "paid", "shipped", "returned", "lost"]
        records = [{"state": values[min(n % 12, 4)]} for n in range(960)]
        found = [record["state"] for record in synthetic_of(records)]
        counts = sorted(found.count(value) for value in set(found))

        assert 5 == len(counts)
        assert [80, 80, 80, 80, 640] == pytest.approx(counts, abs=2)
        assert not set(values) & set(found)

    @pytest.mark.parametrize(
        ("make", "pattern"),
        [
            (lambda n: str(uuid.UUID(int=n * 2**90 + 7)), r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
            (lambda n: f"2024-0{1 + n % 9}-1{n % 9}", r"2024-\d\d-\d\d"),
            (
                lambda n: f"2024-01-1{n % 9}T10:0{n % 9}:00.{n:03}001Z",
                r"2024-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z",
            ),
            (lambda n: f"20{n % 90 + 10}-01-01 10:00:00+0{n % 9}:00", r".{10} .{8}[+-]\d\d:\d\d"),
            (lambda n: f"ORD-{n:06}-{'AB'[n % 2]}", r"[A-Z]{3}-\d{6}-[A-Z]"),
            (lambda n: f"{n * 7}.{10 + n % 89}", r"\d+\.\d\d"),
            (lambda n: "".join(chr(97 + n * k % 26) for k in range(3, 13)), r"[a-z]{10}"),
            (lambda n: f"Z{'aeiou'[n % 5]}{n:04}é", r"[A-Z][a-z]\d{4}[\x80-\xff]"),
            (lambda n: base64.b64encode(random.Random(n).randbytes(40)).decode(), r"[A-Za-z0-9+/]{54}=="),
        ],
    )
    def test_patterns(self, make: Any, pattern: str) -> None:
        before = [make(n) for n in range(1, 200)]
        after = synthetic_of(before)

        assert [] == [text for text in after if not re.fullmatch(pattern, text)]
        assert len(set(before) & set(after)) < 60

    def test_dates_are_dates(self) -> None:
        before = [f"20{n:02}-02-{1 + n % 28:02}T23:59:0{n % 9}Z" for n in range(10, 99)]

        assert all(datetime.fromisoformat(text).tzinfo is not None for text in synthetic_of(before))

    @pytest.mark.parametrize(
        "values",
        [
            [datetime(2020, 1, 1, 2, 3, 4, 500_000, UTC), datetime(2024, 5, 6)],
            [date(2020, 1, 1), time(1, 2, 3), timedelta(seconds=5)],
            [Decimal("12.50"), Decimal("-1E+3"), uuid.UUID(int=1 << 100), b"\x00bytes"],
            [(1, "a"), {"many": {1, 2, 3}}, frozenset({4}), [], {}],
            [float("nan"), float("inf"), -0.0, 1e300, -5e-324, 0.1, 1 / 3, 2.0],
            [2**64, -(2**80), 0, -1, True, None],
            [timedelta.min, timedelta.max, datetime.min, datetime.max, date.max, time.max],
        ],
    )
    def test_types(self, values: list[Any]) -> None:
        before = [{"value": value} for value in values for _ in range(5)]
        after = synthetic_of(before)

        def kinds(records: list[Any]) -> list[str]:
            return sorted(type(record["value"]).__name__ for record in records)

        assert kinds(before) == kinds(after)

    @pytest.mark.parametrize("kind", ["int", "timedelta"])
    @pytest.mark.parametrize(
        ("low", "high"),
        [
            (0, 2**70),
            (-(2**70), -1),
            (-(2**62), 2**62 - 1),
            (-(2**63), 2**63 - 1),
            (2**64, 2**64 + 1),
            (-3, 3),
            (-1, -1),
        ],
    )
    def test_numbers_of_any_size_are_in_their_range(self, kind: str, low: int, high: int) -> None:
        node = {"kind": kind, "ranges": [[low, high, 1]]}
        content = {"bakeoff_profile": 1, "records": 1, "seen": 1, "record": node}
        found = list(synthetic.made(synthetic.read(json.dumps(content).encode(), "x"), 200, 1))
        if kind == "timedelta":
            microsecond = timedelta(microseconds=1)
            low, high = max(low, timedelta.min // microsecond), min(high, timedelta.max // microsecond)
            found = [value // microsecond for value in found]

        assert [] == [number for number in found if not low <= number <= high]
        if high - low < 10:
            assert {*range(low, high + 1)} == {*found}

    def test_integers_stay_on_their_side_of_each_size(self) -> None:
        """Where a format needs another digit or byte."""
        powers = [2**power for power in (7, 8, 15, 16, 31, 32, 53, 63, 64)] + [10, 100, 10**5, 10**19]
        for edge in (24, 32, *powers):
            for sign in (1, -1):
                below, above = (synthetic_of([sign * number] * 20) for number in (edge - 1, edge))

                assert max(number * sign for number in below) < edge <= min(number * sign for number in above)

    @pytest.mark.parametrize("escaped", [True, False])
    def test_texts_that_json_escapes_stay_the_only_ones(self, escaped: bool) -> None:
        quoted = '"so"' if escaped else "so"
        before = [f"it goes on {'and on ' * (n % 7)}{quoted} {n}" for n in range(50)]

        assert {escaped} == {"\\" in json.dumps(text) for text in synthetic_of(before)}

    def test_floats_are_written_alike(self) -> None:
        before = [n / 100 for n in range(1, 300)] + [random.Random(n).random() for n in range(300)]

        def sizes(values: list[float]) -> float:
            return sum(len(repr(value)) for value in values)

        assert sizes(before) == pytest.approx(sizes(synthetic_of(before)), rel=0.005)

    @pytest.mark.parametrize(
        "value", [5e-324, 1.25e-7, 0.00123, 0.1, 0.25, 1.5, 9.75, 10.5, 123.456, 4e15, 1.5e16, 1e22, 1.7e308]
    )
    def test_floats_keep_sign_magnitude_and_digits(self, value: float) -> None:
        def form(number: float) -> tuple[bool, int, str]:
            digits, power = Decimal(repr(number)).normalize().as_tuple().digits, f"{number:e}"[-4:]
            return number < 0, len(digits), power

        for sign in (1, -1):
            assert {form(sign * value)} == {form(number) for number in synthetic_of([sign * value] * 9)}

    def test_letters_that_json_escapes(self) -> None:
        before = [
            ["plain text", 'a "quoted" one', "two\nlines", "naïve", "日本語", "fire 🔥"][n % 6]
            for n in range(600)
        ]
        before = [f"{text} {n}" for n, text in enumerate(before)]
        after = synthetic_of(before)

        for some in ('["\n]', "[\x80-\xff]", "[\u0800-\ud7ff]", "[\U00010000-\U0010ffff]"):
            assert sum(bool(re.search(some, text)) for text in before) == sum(
                bool(re.search(some, text)) for text in after
            )


class TestShapes:
    def test_same_seed_same_records(self) -> None:
        profile = fitted(plain("messages", 60))
        first = list(synthetic.made(profile, 20, 3))

        assert first == list(synthetic.made(profile, 40, 3))[:20]
        assert first != list(synthetic.made(profile, 20, 4))

    def test_progress_is_optional(self) -> None:
        seen: list[tuple[int, int]] = []
        profile = fitted([1])

        assert 2_001 == len(list(synthetic.made(profile, 2_001, 1)))
        assert 2_001 == len(list(synthetic.made(profile, 2_001, 1, lambda *done: seen.append(done))))
        assert [(1_000, 2_001), (2_000, 2_001)] == seen

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda s: s.pop("bakeoff_profile"), "x: is not a profile"),
            (lambda s: s.update(bakeoff_profile=2), "x: is of version 2"),
            (lambda s: s["record"].update(kind="lst"), "x.record: its kind is none of null, bool"),
            (lambda s: s["record"].pop("count"), "x.record: 'count' is missing"),
            (lambda s: s["record"].update(more=1), "x.record: 'more' is not known here"),
            (lambda s: s.update(records=0), "x.records: expected a whole number from 1"),
            (lambda s: s["record"]["fields"][0].update(key=1), "fields.0..key: expected a text"),
            (lambda s: s["record"].update(fields={}), "x.record.fields: expected a list"),
            (lambda s: s["record"].update(without=[[1, [99]]]), "x.record.without: field 99 does not exist"),
            (
                lambda s: s.update(record={"kind": "int", "ranges": [[5, 4, 1]]}),
                "lowest is above the highest",
            ),
            (lambda s: s.update(record={"kind": "int", "ranges": []}), "expected a list of 1 to 10,000"),
            (
                lambda s: s.update(record={"kind": "parts", "parts": [[[1, 1, ["a", 2**30]]]]}),
                "expected a whole number from 1 to 16,777,216",
            ),
            (lambda s: s.update(record={"kind": "parts", "parts": [[[1, 1, ["é", 1]]]]}), "classes a A d"),
            (
                lambda s: s.update(
                    record={"kind": "map", "lengths": [[1, 1, 1]], "key": s["record"], "value": s["record"]}
                ),
                "x.record.key: keys cannot be dicts",
            ),
            (
                lambda s: s.update(
                    record={"kind": "list", "type": "set", "lengths": [[1, 1, 1]], "item": s["record"]}
                ),
                "x.record.item: items of sets cannot be dicts",
            ),
        ],
    )
    def test_no_shape(self, change: Any, told: str) -> None:
        content = json.loads(synthetic.write(fit_records([{"a": 1, "b": "x"}], 1)))
        change(content)

        with pytest.raises(synthetic.DataProfileError, match=told):
            synthetic.read(json.dumps(content).encode(), "x")

    def test_any_other_value_in_its_place(self) -> None:
        """A profile comes from someone else: whatever is in it, it is read, or refused with its place."""
        record = {
            "n": 1,
            "x": 0.5,
            "t": "one two, three",
            "id": str(uuid.UUID(int=1 << 100)),
            "b": b"x",
            "l": [1],
        }
        record |= {
            "at": datetime(2024, 1, 2),
            "many": (1, "a"),
            "d": Decimal("1.5"),
            "none": None,
            "yes": True,
        }
        content = json.loads(synthetic.write(fit_records([record, {"n": 2, "other": timedelta(1)}], 2)))
        refused = 0
        for holder, key in list(places(content)):
            before = holder[key]
            for holder[key] in (2**70, [], {}):
                try:
                    synthetic.read(json.dumps(content).encode(), "x")
                except synthetic.DataProfileError:
                    refused += 1
            holder[key] = before

        assert refused > 400

    @pytest.mark.parametrize("content", [b"", b"[", b"[]", b'"text"', b"\xff", b"[" * 100_000])
    def test_no_json(self, content: bytes) -> None:
        with pytest.raises(synthetic.DataProfileError, match="x: is not a profile"):
            synthetic.read(content, "x")

    def test_too_deep(self) -> None:
        node: Any = {"kind": "null"}
        for _ in range(400):
            node = {"kind": "list", "type": "list", "lengths": [[1, 1, 1]], "item": node}
        content = {"bakeoff_profile": 1, "records": 1, "seen": 1, "record": node}

        with pytest.raises(synthetic.DataProfileError, match="levels"):
            synthetic.read(json.dumps(content).encode(), "x")

    @pytest.mark.parametrize("text", [True, False])
    def test_too_large_a_record(self, text: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        """A few bytes that stand for billions of values end with an error, not the memory."""
        monkeypatch.setattr(make, "_MOST_VALUES", 1_000_000)
        node: Any = {"kind": "null"}
        for _ in range(5):
            node = {"kind": "list", "type": "list", "lengths": [[10_000, 10_000, 1]], "item": node}
        if text:
            node = {"kind": "parts", "parts": [[[1, 1, ["a", 700_000]]]] * 50}
        content = {"bakeoff_profile": 1, "records": 1, "seen": 1, "record": node}
        profile = synthetic.read(json.dumps(content).encode(), "x")

        with pytest.raises(RunError, match="more than"):
            list(synthetic.made(profile, 1, 1))

    def test_records_nested_too_deep(self) -> None:
        record: Any = 1
        for _ in range(profiles.DEEPEST + 5):
            record = [record]

        with pytest.raises(RunError, match="deeper than 100"):
            fit_records([record], 1)


class TestCommand:
    def test_twin_and_shape(self, tmp_path: Path) -> None:
        with (tmp_path / "mine.jsonl").open("wb") as file:
            codec("json").dump(datasets.corpus("accounts", 300).records(), file)
        saved = ("--save-profile", "s.json", "-o", "t.jsonl.zst")
        done = bakeoff(tmp_path, "generate", "--like", "mine.jsonl", "-n", "50", *saved)
        again = bakeoff(tmp_path, "generate", "--profile", "s.json", "-n", "50", "-o", "u.jsonl.zst")

        assert (0, 0) == (done.returncode, again.returncode), done.stderr + again.stderr
        assert (
            "300 of 300 records looked at; no value is kept, but 19 names of fields: id, login" in done.stderr
        )
        assert (tmp_path / "t.jsonl.zst").read_bytes() == (tmp_path / "u.jsonl.zst").read_bytes()
        records = list(datasets.corpus(tmp_path / "t.jsonl.zst").records())
        assert 50 == len(records)
        assert list(next(datasets.corpus("accounts", 1).records())) == list(records[0])

    def test_the_twin_of_a_document_is_a_document(self, tmp_path: Path) -> None:
        (tmp_path / "page.json").write_text(json.dumps(statuses()))
        done = bakeoff(tmp_path, "generate", "--like", "page.json", "-o", "synthetic.json")
        found = json.loads((tmp_path / "synthetic.json").read_text())

        assert 0 == done.returncode, done.stderr
        assert 100 == len(found["statuses"])

    def test_only_the_shape(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("customer,amount\r\n" + "Smith,12.5\r\n" * 30)
        done = bakeoff(tmp_path, "generate", "--like", "a.csv", "--save-profile", "s.json", "--hide-names")
        content = (tmp_path / "s.json").read_text()

        assert (0, "") == (done.returncode, done.stdout)
        assert "no value and no name of a field is kept" in done.stderr
        assert "customer" not in content
        assert "Smith" not in content

    def test_types_of_other_files(self, tmp_path: Path) -> None:
        with (tmp_path / "a.pickle").open("wb") as file:
            for record in datasets.corpus("types", 100).records():
                pickle.dump(record, file)
        done = bakeoff(
            tmp_path, "generate", "--like", "a.pickle", "--trust-files", "-n", "5", "-o", "t.pickle"
        )
        record = next(datasets.corpus(tmp_path / "t.pickle", trust_files=True).records())

        assert 0 == done.returncode, done.stderr
        assert datetime is type(record["created"])
        assert Decimal is type(record["price"])
        assert set is type(record["codes"])

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ((), "say one of"),
            (("movies", "--like", "a.jsonl"), "say one of"),
            (("movies", "--hide-names"), "go with --like"),
            (("--profile", "no.json"), "no.json: no such profile; --save-profile writes one"),
            (("--like", "no.jsonl"), "no.jsonl"),
        ],
    )
    def test_wrong(self, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
        done = bakeoff(tmp_path, "generate", *arguments)

        assert done.returncode
        assert told in done.stderr
        assert 1 == len(done.stderr.strip().splitlines())


def test_all_names_are_told_the_riskiest_first(tmp_path: Path) -> None:
    fields = {f"field_{number:02}": number for number in range(40)}
    records = [{**fields, "x": 1}, *[fields] * 50, {**fields, "admin:root@10.0.0.1": 1, "ça va": 2}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    done = bakeoff(tmp_path, "generate", "--like", "a.jsonl", "--save-profile", "a.json")

    told = done.stderr.partition("names of fields: ")[2].splitlines()[0].split(", ")
    assert told[:3] == ["admin:root@10.0.0.1", "ça va", "x"], done.stderr
    assert sorted(told[3:]) == sorted(fields)
