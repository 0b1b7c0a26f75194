"""Choosing by money: what a year of cores and of gigabytes costs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff as toolkit
from bakeoff.bench.results import write
from bakeoff.reports.decide.lock import lock_of
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.prices import YEAR, Prices, parse_rate

FIELD = {
    "json": {"dump": 2e-6, "load": 3e-6, "size": 1000},
    "orjson": {"dump": 1e-6, "load": 1e-6, "size": 900},
    "msgpack|zstd:3": {"dump": 9e-6, "load": 5e-6, "size": 300},
}
PRICED = {"rate": 1000, "core_year": 300, "gigabyte": 0.05}
"""1,000 records/s are 31.536 GB a year for each byte of a payload."""


def wish_of(cost=None, *, rate=1000.0, core_year=300.0, gigabyte=0.05, **other):
    return Requirements(cost or CostModel(), rate=rate, prices=Prices(core_year, gigabyte), **other)


@pytest.fixture
def run(result_of):
    return result_of(FIELD, noise=0.0)


class TestPrices:
    def test_a_year_is_cores_and_gigabytes(self, run):
        found = pick([run], wish_of(CostModel(10))).yearly["json"]

        assert (found.writer, found.readers) == pytest.approx((0.002, 0.03))
        assert found.gigabytes == pytest.approx(31_536)
        assert (found.cores_price, found.network_price) == pytest.approx((9.6, 1_576.8))
        assert found.price == pytest.approx(1_586.4)

    def test_crossings_count(self, run):
        once, again = (pick([run], wish_of(CostModel(10, crossings=how))) for how in ("once", "per-read"))

        assert again.yearly["json"].gigabytes == pytest.approx(10 * once.yearly["json"].gigabytes)
        assert again.yearly["json"].cores_price == once.yearly["json"].cores_price

    @pytest.mark.slow
    @given(
        st.lists(
            st.tuples(st.floats(1e-7, 1e-4), st.floats(1e-7, 1e-4), st.floats(10, 1e5)),
            min_size=2,
            max_size=4,
        ),
        st.floats(0.1, 1e6),
        st.floats(0, 100),
        st.floats(0.01, 1e4),
        st.floats(0, 10),
        st.sampled_from(["once", "per-read"]),
    )
    def test_the_lowest_sum_wins(self, result_of, figures, rate, reads, core_year, gigabyte, crossings):
        field = {
            f"c{n}": {"dump": dump, "load": load, "size": size}
            for n, (dump, load, size) in enumerate(figures)
        }
        cost = CostModel(reads, crossings=crossings)
        run = result_of(field, noise=0.01)
        choice = pick([run], wish_of(cost, rate=rate, core_year=core_year, gigabyte=gigabyte))
        prices = [found.price for found in choice.yearly.values()]
        sent = reads if crossings == "per-read" else 1

        for name, found in choice.yearly.items():
            parts = choice.parts[name]
            cores = rate * (parts.dump + reads * parts.load)
            gigabytes = rate * YEAR * sent * parts.size / 1e9
            assert found.price == pytest.approx(cores * core_year + gigabytes * gigabyte)
            assert found.low <= found.price * (1 + 1e-9)
            assert found.high >= found.price * (1 - 1e-9)
        # Means of sums decide, and sums of means are shown: they differ by less than the noise.
        assert prices == [pytest.approx(price, rel=1e-3) for price in sorted(prices)]
        assert choice.yearly[choice.name].price <= min(prices) * 1.02

    def test_corpora_have_equal_shares(self, result_of):
        """The records are a mix of all corpora, so a year costs the mean of their prices."""
        small = result_of(FIELD, noise=0.0, corpora=("messages",))
        large = {name: {key: 9 * value for key, value in found.items()} for name, found in FIELD.items()}
        run = result_of(large, noise=0.0, corpora=("text",))
        run = replace(run, cells=(*small.cells, *run.cells), corpora=(*small.corpora, *run.corpora))

        both, one = (pick([run], wish_of(corpora=names)).yearly["json"] for names in ((), ("messages",)))
        assert both.price == pytest.approx(5 * one.price)


class TestSaving:
    def test_against_json(self, result_of):
        fields = {name: FIELD[name] for name in ("json", "orjson")}
        exact = pick([result_of(fields, noise=0.0)], wish_of(CostModel(10))).saving
        noisy = pick([result_of(fields, noise=0.02)], wish_of(CostModel(10), gigabyte=0)).saving

        assert ("orjson", "json", "faster") == (exact.cheaper, exact.other, exact.verdict)
        assert exact.value == pytest.approx(163.98)
        assert (exact.low, exact.high) == pytest.approx((163.98, 163.98))
        assert noisy.low < noisy.value < noisy.high
        assert re.fullmatch(
            r"orjson saves 6\.\d+ a year against json \[[56]\.\d+, [67]\.\d+\]", noisy.sentence
        )

    def test_a_tie_is_one(self, result_of):
        """Where the network costs a hundred times as much as the cores, half of the time saves nothing."""
        field = {"json": FIELD["json"], "orjson": {**FIELD["json"], "dump": 1e-6}}
        choice = pick([result_of(field, noise=0.001)], wish_of(gigabyte=0.5))

        assert "cost the same, within 1%" in choice.saving.sentence
        assert {"1 to 2"} == {found.rank.text for found in choice.yearly.values()}

    def test_an_open_race_is_said_to_be_one(self, result_of):
        field = {
            "json": {"dump": 1e-6, "load": 1e-6, "size": 9},
            "orjson": {"dump": 1.02e-6, "load": 1e-6, "size": 9},
        }
        choice = pick([result_of(field, noise=0.2)], wish_of(gigabyte=0))

        assert "json and orjson are not distinguishable in price" == choice.saving.sentence

    def test_a_cheaper_one_comes_before_json(self, run):
        saving = pick([run], wish_of(codec="orjson")).saving

        assert ("msgpack|zstd:3", "orjson") == (saving.cheaper, saving.other)

    def test_only_a_race_has_one(self, run):
        assert pick([run], wish_of(formats=("orjson",))).saving is None
        assert pick([run], Requirements(rate=1000)).saving is None


class TestUse:
    @pytest.mark.slow
    @given(st.floats(0.0001, 1))
    def test_the_price_of_a_gigabyte_decides(self, result_of, gigabyte):
        run = result_of(FIELD, noise=0.0)
        choice = pick([run], wish_of(gigabyte=gigabyte))
        turns = [change for change in choice.changes if change.axis.weight == "price"]
        assert turns
        assert all(
            f"{turn.winner} wins if a gigabyte costs " in "\n".join(choice.breakeven) for turn in turns
        )
        for turn in turns:
            later = pick([run], wish_of(gigabyte=turn.end))
            assert turn.winner == later.name
            assert later.yearly[turn.winner].price < later.yearly[choice.name].price

    def test_the_lock_keeps_the_terms(self, run, tmp_path):
        file = tmp_path / "bakeoff.json"
        write(run, file)
        requirements = wish_of(CostModel(2, crossings="per-read"))
        lock = lock_of(pick([run], requirements), [file], [run])

        kept = {"reads": 2, "crossings": "per-read", "rate": 1000, "core_year": 300, "gigabyte": 0.05}
        assert kept.items() <= lock.terms.items()

    def test_from_python(self, run):
        best = toolkit.Result(run).best(reads=10, **PRICED)

        assert best.yearly == toolkit.Result(run).best(reads=10, **PRICED | {"rate": "60k/min"}).yearly
        assert "300 a year" not in best.sentence
        assert best.sentence.startswith("msgpack|zstd:3: lowest price, 490.7 a year for 1,000 records/s, ")
        assert "each payload sent once" in best.sentence


@pytest.mark.parametrize(
    ("text", "rate"),
    [("3000", 3000), ("3000/s", 3000), ("10M/day", 10e6 / 86400), ("1.5 k / min", 25), ("2/year", 2 / YEAR)],
)
def test_rates(text, rate):
    assert rate == pytest.approx(parse_rate(text))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--rate fast", "rate 'fast': expected records per s, min"),
        ("--rate 3/fortnight", "such as 3000/s or 10M/day"),
        ("--rate 0/s", "expected more than 0"),
        ("--core-year 300", "needs a rate"),
        ("--rate 3 --gigabyte 0.05", "needs the price of a core-year"),
        ("--rate 3 --core-year 0", "core-year 0.0: expected"),
        ("--rate 3 --core-year nan", "--core-year 'nan': expected a number"),
        ("--rate 3 --core-year 3 --gigabyte -1", "gigabyte -1.0: expected"),
        ("--crossings twice", "there are once, per-read"),
    ],
)
def test_bad_terms(bakeoff, run, options, said):
    write(run, Path("bakeoff.json"))
    code, _, err = bakeoff("pick", *options.split())

    assert 2 == code
    assert said in err
    assert 1 == len(err.splitlines())


def test_codecs_after_the_cheapest_are_counted(bakeoff, result_of):
    names = ("json", "orjson", "msgpack", "bson", "cbor2", "yaml", "ujson", "plist")
    figures = {name: {"dump": n * 1e-6, "load": n * 1e-6, "size": 1000} for n, name in enumerate(names, 1)}
    write(result_of(figures, noise=0.0), Path("bakeoff.json"))
    call = partial(bakeoff, "pick", "--rate", "1000/s", "--core-year", "300")
    (rest,) = re.findall(r"(\d+) more codecs: --explain", call()[1])

    assert len(names) - int(rest) == len(re.findall(r" to [\d,.]+\n", call()[1]))
    assert "more codecs" not in call("--explain")[1]


def test_command(bakeoff, run):
    write(run, Path("bakeoff.json"))
    call = partial(
        bakeoff, "pick", "--rate", "1000/s", "--core-year", "300", "--gigabyte", "0.05", "--reads", "10"
    )
    out = call()[1]
    explained = call("--crossings", "once", "--explain")[1]

    assert out.startswith("msgpack|zstd:3\n\nmessages: ")
    assert "\n  use     msgpack|zstd:3: 490.7 a year for 1,000 records/s\n" in out
    assert "msgpack|zstd:3 saves 1,096 a year against json [1,096, 1,096]\n" in out
    assert re.search(r"3 +json +0.00200 +0.0300 +31,536 +9.60 +1,577 +1,586 +1,586 to 1,586\n", out)
    assert out.endswith("assumed: each payload crosses the network once; else use --crossings per-read\n")
    assert "more codecs" not in out
    assert "assumed" not in explained
    assert "for msgpack|zstd:3 1,000/s × (9.00 µs + 10 × 5.00 µs) = 0.0590\n" in explained
    assert "for msgpack|zstd:3 1,000/s × 31,536,000 s × 1 × 300 / 10⁹ = 9,461\n" in explained
    assert "for msgpack|zstd:3 0.0590 × 300 + 9,461 × 0.05 = 490.7\n" in explained
