"""What published results lead one to expect of a run, before it is measured."""

from __future__ import annotations

import gzip
import json
import math
import re
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import pytest

import bakeoff
import madeup
from bakeoff.bench.results import write
from bakeoff.datasets.profile import profile
from bakeoff.reports.decide.expectation import Expectation, Expectations, expectation, nearest, verdict
from bakeoff.reports.model import expected
from bakeoff.reports.model.distance import COORDINATES, NEAR, Position
from bakeoff.reports.model.expected import DataSet, data_sets
from hurried import hurry
from inprocess import run

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "reports.md"
ORDERS = [
    {"id": n, "name": f"order number {n}", "price": n / 7, "paid": True, "tags": ["a"]} for n in range(50)
]


def position(records, kind="dicts"):
    return Position.of(profile(records, len(records)), kind)


def data_set(name, records, *, kind="dicts", ties=(), **costs):
    return DataSet(name, position(records, kind), costs, frozenset(map(frozenset, ties)))


def with_profile(result, records, **facts):
    corpora = (replace(each, profile=profile(records, len(records)) | facts) for each in result.corpora)
    return replace(result, corpora=tuple(corpora))


@pytest.fixture
def published(monkeypatch):
    def put(*sets):
        monkeypatch.setattr("bakeoff.reports.decide.expectation.data_sets", lambda: sets)

    return put


CHANGED = {
    "size": [{**ORDERS[0], "lines": [ORDERS[0]] * 50}],
    "value": [{**order, "name": "order " * 200} for order in ORDERS],
    "keys": [{f"a_very_long_name_of_a_field_{key}": value for key, value in o.items()} for o in ORDERS],
    "text": [{**order, "other": "some more text"} for order in ORDERS],
    "integers": [{**order, "sizes": [25, 1_700, 17]} for order in ORDERS],
    "floats": [{**order, "weights": [0.25, 1 / 3, 17.5]} for order in ORDERS],
    "rest": [{**order, "flags": [True, None, False, True]} for order in ORDERS],
    "dicts": [{**order, "tags": [{"a": 1}] * 9} for order in ORDERS],
    "wide": [{**order, "name": "注文の番号は不明です"} for order in ORDERS],
    "foreign": [{**order, "id": b"1"} for order in ORDERS],
    "depth": [{"order": {"order": order}} for order in ORDERS],
    "lists": [{**order, "tags": ["a"] * 9} for order in ORDERS],
    "others": [list(order.values()) for order in ORDERS],
}


def test_every_coordinate_has_a_change():
    assert COORDINATES.keys() == CHANGED.keys()


@pytest.mark.parametrize("name", CHANGED)
def test_records_that_differ_in_a_property_are_apart(name):
    one, other = position(ORDERS), position(CHANGED[name])

    assert one.at[name] < other.at[name]
    assert abs(other.at[name] - one.at[name]) <= one.distance(other)


POSITIONS = [position(ORDERS), *map(position, CHANGED.values()), *(each.position for each in data_sets())]


def test_the_distance_is_a_metric():
    assert all(0.0 == each.distance(each) for each in POSITIONS)
    assert all(a.distance(b) == b.distance(a) for a, b in combinations(POSITIONS, 2))
    assert all(
        a.distance(c) <= a.distance(b) + b.distance(c) + 1e-9 for a, b, c in permutations(POSITIONS, 3)
    )


def test_a_step_counts_one():
    ten_times = {
        key: value * 10 for key, value in POSITIONS[0].facts.items() if key in ("bytes_mean", "values_mean")
    }
    larger = Position({**POSITIONS[0].facts, **ten_times})

    assert POSITIONS[0].distance(larger) == pytest.approx(1 / COORDINATES["size"].step, rel=1e-3)


@pytest.mark.parametrize("each", POSITIONS)
def test_parts_are_shares_of_the_whole(each):
    assert 1.0 == pytest.approx(sum(each.parts))
    assert min(each.parts) >= 0.0


@pytest.mark.parametrize(
    ("record", "part"),
    [
        ({"a": "some text " * 20}, "text"),
        ({"a": list(range(9_000, 9_090))}, "integers"),
        ({"a": [n / 3 for n in range(90)]}, "floats"),
        ({"a_very_long_name_of_a_field": 1}, "keys"),
        ({"a": [True, None] * 9}, "rest"),
    ],
)
def test_parts_are_estimated_from_the_profile(record, part):
    parts = position([record]).parts

    assert part == max(parts._fields, key=lambda name: getattr(parts, name))


@pytest.mark.parametrize("kind", ["objects", "schema"])
def test_records_of_other_kinds_are_not_compared(kind):
    assert math.inf == position(ORDERS).distance(position(ORDERS, kind))
    assert nearest(position(ORDERS), ["json"], [data_set("a", ORDERS, kind=kind, json=1.0)]) is None


def test_profiles_without_sizes_have_no_position():
    assert None is Position.of({"records": 3, "depth_max": 2})
    assert None is Position.of({"bytes_mean": math.nan, "values_mean": 2.0})


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([{"name": "x" * 88}], "99-byte records of mostly text"),
        ([{"name": "注文の番号" * 9}], "non-ASCII text"),
        ([[n / 3 for n in range(900)]], r"1\d KiB records of mostly floats"),
    ],
)
def test_records_are_described_in_a_few_words(records, words):
    assert re.search(words, position(records).words)


def test_the_expected_order_is_that_of_the_nearest_data_set():
    near = data_set("orders", ORDERS[:9], ormsgpack=1.0, orjson=1.25, json=6.0)
    far = data_set("grids", [{"rows": [n / 3 for n in range(900)]}], json=1.0, orjson=2.0)

    found = expectation(position(ORDERS), ["json", "orjson", "ormsgpack"], [far, near])

    assert isinstance(found, Expectation)
    source = f"{near.position.words} (orders), similar to these"
    assert f"expected, from {source}: ormsgpack, then orjson 1.25×" == found.sentence


@pytest.mark.parametrize("name", CHANGED)
def test_an_expectation_says_how_like_the_records_are(name):
    """Of each property, in both directions; two of them if both matter."""
    one, other = position(ORDERS), position(CHANGED[name])
    near, known = one.distance(other) < 0.5, COORDINATES[name]
    for a, b, words in ((one, other, known.more), (other, one, known.less)):
        said = a.likeness(b)

        assert ("similar to these" == said) is near
        assert near or said.endswith(" than these")
        if abs(a.at[name] - b.at[name]) == max(abs(a.at[each] - b.at[each]) for each in COORDINATES):
            assert near or said.startswith(words.split("{}")[0])


def test_an_expectation_names_two_differences_that_matter():
    small = Position({"bytes_mean": 150.0, "values_mean": 5.0, "depth_max": 1, "type_str": 1.0})
    large = Position({"bytes_mean": 712.0, "values_mean": 24.0, "depth_max": 7, "type_str": 1.0})

    assert "more nested and 4.7 times larger than these" == small.likeness(large)
    assert "less nested and 4.7 times smaller than these" == large.likeness(small)


def test_codecs_that_do_not_take_part_are_not_expected():
    near = data_set("orders", ORDERS, ormsgpack=1.0, orjson=1.25, json=6.0)

    found = expectation(position(ORDERS), ["json", "orjson", "own"], [near])

    assert isinstance(found, Expectation)
    assert ("orjson", "json") == found.order
    assert found.sentence.endswith("(orders), similar to these: orjson, then json 4.80×")


def test_codecs_that_tied_are_marked():
    near = data_set("orders", ORDERS, ties=[("orjson", "ormsgpack")], ormsgpack=1.0, orjson=1.01, json=6.0)

    found = expectation(position(ORDERS), ["json", "orjson", "ormsgpack"], [near])

    assert isinstance(found, Expectation)
    assert found.sentence.endswith(", similar to these: ormsgpack, then orjson (1.01×, not distinguishable)")


def test_nothing_is_expected_of_records_that_are_near_to_none():
    far = data_set("grids", [{"rows": [n / 3 for n in range(90_000)]}], json=1.0, orjson=2.0)

    found = expectation(position(ORDERS), ["json", "orjson"], [far])

    assert position(ORDERS).distance(far.position) > NEAR
    assert isinstance(found, str)
    assert re.fullmatch(
        "no expectation: none of the 1 published data sets is near these records; "
        r"the nearest is grids, [\d,]+ times larger than these",
        found,
    )


@pytest.mark.parametrize(
    ("codecs", "kind", "reason"),
    [
        (["own", "json"], "dicts", "have results of other codecs"),
        (
            ["json", "orjson"],
            "objects",
            "data sets has objects of classes and results of these codecs",
        ),
    ],
)
def test_nothing_is_expected_where_results_say_nothing(codecs, kind, reason):
    found = expectation(position(ORDERS, kind), codecs, [data_set("orders", ORDERS, json=2.0, orjson=1.0)])

    assert isinstance(found, str)
    assert found.endswith(reason)


MEASURED = {"json": {"dump": 2e-6, "load": 2e-6}, "bson": {"dump": 1e-6, "load": 1e-6}}


@pytest.mark.parametrize(
    ("costs", "ties", "measured", "text"),
    [
        ({"bson": 1.0, "json": 2.0}, [], {}, "the expectation held: bson leads"),
        ({"json": 1.0, "bson": 2.0}, [], {}, "the expectation did not hold: bson leads, 2.00× before json"),
        (
            {"json": 1.0, "bson": 1.0},
            [("json", "bson")],
            {},
            "the expectation tied: bson leads, 2.00× before json, as the published result leaves open",
        ),
        (
            {"json": 1.0, "bson": 2.0},
            [],
            {"bson": {"dump": 2e-6, "load": 2e-6}},
            "the expectation tied: (json and bson|bson and json) cost the same, within 1%",
        ),
        ({"cbor2": 1.0, "json": 2.0}, [], {}, "the expectation was not tested: cbor2 was not timed"),
    ],
)
def test_the_verdict_on_an_expectation(costs, ties, measured, text):
    near = data_set("orders", ORDERS, ties=ties, **costs)
    found = Expectation(near, tuple(near.costs), tuple(near.level(near.costs)), "similar to these")

    assert re.fullmatch(text, verdict(found, madeup.planted({**MEASURED, **measured}), "messages"))


def test_noise_leaves_an_expectation_undecided():
    near = data_set("orders", ORDERS, json=1.0, bson=2.0)
    found = Expectation(near, ("json", "bson"), ("json",), "similar to these")
    alike = {"json": {"dump": 2e-6, "load": 2e-6}, "bson": {"dump": 1.98e-6, "load": 1.98e-6}}

    text = verdict(found, madeup.planted(alike, noise=0.05), "messages")

    assert re.fullmatch(
        "the expectation is undecided: (json and bson|bson and json) are not distinguishable", text
    )


def test_few_processes_decide_nothing():
    near = data_set("orders", ORDERS, bson=1.0, json=2.0)
    found = Expectation(near, ("bson", "json"), ("bson",), "similar to these")

    text = verdict(found, madeup.planted(MEASURED, processes=1), "messages")

    assert "the expectation was not tested: 1 process is too few; bson has the lowest mean" == text


def test_lossy_codecs_are_not_expected(published):
    published(data_set("orders", ORDERS, bson=1.0, json=2.0, yaml=9.0))
    said = []
    lossy = madeup.planted(losses={"bson": ("microseconds were cut",)}, options={"operations": "dump\nload"})

    Expectations(said.append).before(with_profile(lossy, ORDERS), "messages")

    assert [True] == [text.endswith(": json, then yaml 4.50×") for text in said]


@pytest.mark.parametrize(
    ("options", "conditions"),
    [
        ({"operations": "dump\nsize"}, {}),
        ({"operations": "dump\nload", "sizes": "100,1000"}, {}),
        *(({"operations": "dump\nload"}, {key: 1}) for key in ("batch", "burst", "gc", "isolate")),
    ],
)
def test_runs_that_measure_something_else_have_no_expectation(published, options, conditions):
    published(data_set("orders", ORDERS, msgpack=1.0, json=2.0))
    said = []
    result = with_profile(madeup.planted(options=options, conditions=conditions), ORDERS)

    Expectations(said.append).before(result, "messages")

    assert [] == said


def test_a_single_codec_has_no_expectation(published):
    published(data_set("orders", ORDERS, msgpack=1.0, json=2.0))
    said = []
    alone = madeup.planted({"json": madeup.PLANTED["json"]}, options={"operations": "dump\nload"})

    Expectations(said.append).before(with_profile(alone, ORDERS), "messages")

    assert [] == said


def test_several_corpora_are_named(published):
    published(data_set("orders", ORDERS, msgpack=1.0, json=2.0))
    said = []
    result = madeup.planted(corpora=["messages", "orders"], options={"operations": "dump\nload\nsize"})
    result = with_profile(result, ORDERS)
    found = Expectations(said.append, name=True)

    for corpus in ("messages", "orders"):
        found.before(result, corpus)
    found.after(result)

    starts = [text.partition(",")[0].partition(" held")[0] for text in said]
    assert [
        "messages: expected",
        "orders: expected",
        "messages: the expectation",
        "orders: the expectation",
    ] == starts


def test_the_packaged_file_is_made_from_result_files(tmp_path):
    result = with_profile(madeup.planted(losses={"bson": ("cut",)}), ORDERS)
    write(result, tmp_path / "plain.json")
    kept = tmp_path / "orders.json.gz"
    kept.write_bytes(gzip.compress((tmp_path / "plain.json").read_bytes()))

    expected.write([kept], tmp_path / "expected.json")

    (found,) = map(DataSet.of, json.loads((tmp_path / "expected.json").read_text()))
    assert "orders" == found.name
    assert ["msgpack", "json", "yaml"] == list(found.costs)
    assert pytest.approx(4.6 / 3.0, rel=0.01) == found.costs["json"]
    assert position(ORDERS) == found.position
    assert ["msgpack"] == found.level(found.costs)


def test_ties_are_kept():
    made = data_set(
        "orders", ORDERS, ties=[("json", "orjson"), ("json", "bson")], json=1.0, orjson=1.0, bson=1.1
    )

    assert made == DataSet.of(json.loads(json.dumps(made.plain())))


@pytest.mark.parametrize(("facts", "kind"), [({"class": "Order"}, "objects"), ({}, "dicts")])
def test_the_kind_of_records_is_that_of_the_profile(facts, kind):
    result = with_profile(madeup.planted(), ORDERS, **facts)

    found = expected.of_corpus(result, result.corpora[0], "orders")

    assert kind == found.position.kind


def test_records_with_a_schema_are_a_kind():
    result = madeup.renamed(with_profile(madeup.planted(), ORDERS), "msgpack", "msgpack+schema")

    assert "schema" == expected.of_corpus(result, result.corpora[0], "orders").position.kind


@pytest.mark.parametrize(
    "result",
    [
        madeup.planted(),
        with_profile(madeup.planted({}, outcomes={"json": ("crashed", "SIGSEGV")}), ORDERS),
        with_profile(madeup.planted(losses=dict.fromkeys(madeup.PLANTED, ("cut",))), ORDERS),
    ],
    ids=["no profile", "nothing timed", "all lossy"],
)
def test_results_that_recommend_nothing_are_left_out(tmp_path, result):
    write(result, tmp_path / "orders.json")

    left_out = expected.write([tmp_path / "orders.json"], tmp_path / "expected.json")

    assert ["orders"] == left_out
    assert [] == json.loads((tmp_path / "expected.json").read_text())


def left_out():
    """Return each packaged data set, the leader expected from the nearest other, and its distance."""
    found = []
    for each in data_sets():
        near = nearest(each.position, each.costs, [other for other in data_sets() if other is not each])
        leader, *_ = [*(near.order(each.costs) if near else []), ""]
        found.append((each, leader, each.position.distance(near.position) if near else math.inf))
    return found


def test_a_dozen_data_sets_are_packaged():
    names = [each.name for each in data_sets()]

    assert len(names) == len({*names}) >= 12


def test_of_data_sets_left_out_the_expected_leader_is_first_or_tied_in_nine_of_ten_that_are_near():
    held = {each.name: leader in each.level(each.costs) for each, leader, d in left_out() if d <= NEAR}

    # Whoever expects nothing is never wrong.
    assert len(held) >= len(data_sets()) / 2
    assert sum(held.values()) >= 0.9 * len(held), held


def test_on_plain_values_it_is_first_or_tied_in_three_of_four_however_far_the_nearest_is():
    found = [(each, leader) for each, leader, _ in left_out() if each.position.kind == "dicts"]
    held = {each.name: leader in each.level(each.costs) for each, leader in found}

    assert len(held) >= 12
    assert sum(held.values()) >= 0.75 * len(held), held


def test_a_data_set_without_a_codec_that_takes_part_is_not_asked():
    """It loses values there, and would have been expected here."""
    near, far = data_set("near", ORDERS, json=1.0), data_set("far", CHANGED["wide"], msgpack=1.0, json=2.0)

    assert far == nearest(position(ORDERS), ["json", "msgpack", "of somebody"], [near, far])
    assert near == nearest(position(ORDERS), ["json"], [near, far])


def test_the_docs_say_how_near_records_must_be():
    assert f"more than {NEAR:g} steps" in DOCS.read_text()


def test_a_quick_run_says_what_to_expect_and_whether_it_held(tmp_path, published):
    published(data_set("orders", ORDERS, cbor2=1.0, msgpack=1.1, json=6.0))
    (tmp_path / "mine.json").write_text(json.dumps(ORDERS))

    done = run(tmp_path, "mine.json", "--quick", "--all", "--budget", "0", "-c", "json,msgpack")

    first, *others = done.stderr.splitlines()
    assert 0 == done.returncode
    source = r"\d+-byte records of .* \(orders\), similar to these"
    assert re.fullmatch(rf"expected, from {source}: msgpack, then json 5\.45×", first)
    assert any(line.startswith("the expectation ") for line in others)
    assert "expect" not in done.stdout


@pytest.mark.parametrize("quick", [True, False])
def test_only_quick_runs_expect_something(tmp_path, published, quick):
    published(data_set("grids", [{"rows": [n / 3 for n in range(90_000)]}], json=1.0, msgpack=2.0))
    (tmp_path / "mine.json").write_text(json.dumps(ORDERS))
    short = ("--all", "--budget", "0", "--no-memory", "-c", "json,msgpack")

    done = run(tmp_path, "mine.json", *(["--quick"] * quick), *short)

    assert 0 == done.returncode
    assert quick == ("no expectation: none of the 1 published" in done.stderr)
    assert "the expectation" not in done.stderr


@pytest.mark.parametrize("progress", [True, False])
def test_a_quick_run_from_python_says_the_same_with_its_progress(capsys, monkeypatch, published, progress):
    published(data_set("orders", ORDERS, msgpack=1.0, json=6.0))
    hurry(monkeypatch.setattr)

    bakeoff.run(ORDERS, ["json", "msgpack"], quick=True, all=True, budget=0, progress=progress)

    said = capsys.readouterr().err
    assert progress == (", similar to these: msgpack, then json 6.00×" in said)
    assert progress == ("\nthe expectation " in said)
