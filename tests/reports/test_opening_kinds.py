"""The block above a table for every kind of run: its lines fit, and its figures are those of the samples."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

import kept
import madeup
from bakeoff.bench.results import BASELINE, CellResult, Measurement, ReadFacts, ResultData, write
from bakeoff.bench.verdict import rankings
from bakeoff.reports import written
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.decide.pick_output import render as chosen
from bakeoff.reports.decide.pick_placed import in_place
from bakeoff.reports.model.table import Section
from bakeoff.reports.page import page
from bakeoff.reports.tables import text
from bakeoff.reports.tables.block import LINES, WIDTH
from bakeoff.reports.tables.layouts import table_of

GO = "read@go-encoding-json"


def both(**times: float) -> dict[str, dict[str, float]]:
    return {name: {"dump": t * 1e-6, "load": t * 1e-6, "size": 100} for name, t in times.items()}


def made(planted: Mapping[str, Mapping[str, float]], **fields: object) -> ResultData:
    run = madeup.planted(planted, **fields)  # type: ignore[arg-type]
    return replace(run, rankings=rankings(run))


def stores(**times: float) -> list[ResultData]:
    figures: dict[str, dict[str, float]] = {}
    for codec, t in times.items():
        own = figures.setdefault(codec, {})
        for store, more in (("sqlite", 5e-6), ("lmdb", 1e-6)):
            for operation in ("put", "get"):
                own[f"{operation}@{store}:MD"] = more + t * 1e-6
                own[f"{operation}-codec@{store}:MD"] = t * 1e-6
    return [madeup.planted(figures, corpora=("movies",), baseline=False)]


def pipeline(**times: float) -> list[ResultData]:
    figures: dict[str, dict[str, float]] = {}
    for codec, t in {**times, BASELINE: 0.5}.items():
        own = figures.setdefault(codec, {})
        for readers in (1, 4):
            own |= {f"latency-p99@pipe:{readers}": 1e-3, f"cpu@pipe:{readers}": t * readers * 1e-6}
            if codec != BASELINE:
                own[f"cpu-codec@pipe:{readers}"] = t * readers * 2.5e-7
    run = madeup.planted(figures, corpora=("movies",), baseline=False)
    return [replace(run, codecs=tuple(codec for codec in run.codecs if codec.name != BASELINE))]


def alike_in_stores() -> list[ResultData]:
    """Codecs with long names that cost the same in three stores, except one in the third."""
    names = ("msgspec-msgpack", "msgspec-json", "ormsgpack/unguarded", "bson")
    figures = {
        codec: {
            f"{operation}@{store}:MD": 1e-4 if (codec, store) == ("bson", "lmdb") else 1e-5
            for store in ("log", "sqlite", "lmdb")
            for operation in ("put", "get")
        }
        for codec in names
    }
    return [madeup.planted(figures, corpora=("movies",), baseline=False)]


def shaken(run: ResultData) -> ResultData:
    """Let the times of each cell differ by up to 40 % between processes."""
    rng = random.Random(1)

    def shake(each: Measurement) -> Measurement:
        times = rng.uniform(0.8, 1.2)
        return replace(each, value=each.value * times, paired=each.paired * times)

    cells = [replace(cell, samples=tuple(map(shake, cell.samples))) for cell in run.cells]
    return replace(run, cells=tuple(cells), rankings=())


def on(machine: str, python: str = "3.11.7", **times: float) -> ResultData:
    where = {"hostname": machine, "cpu_model_name": f"CPU of {machine}", "python_version": python}
    return made(both(**times), environment=where)


def first(processes: int, run: ResultData) -> ResultData:
    cells = tuple(replace(cell, samples=cell.samples[:processes]) for cell in run.cells)
    return replace(run, cells=cells, rankings=())


def trusting(run: ResultData, codec: str) -> ResultData:
    known = (replace(each, trusted_only=True) if each.name == codec else each for each in run.codecs)
    return replace(run, codecs=tuple(known))


def readers() -> list[ResultData]:
    run = made({**both(msgpack=3), "orjson": {**both(orjson=1)["orjson"], GO: 30e-6}})
    facts = ReadFacts("Go", "encoding/json", "1.0", 1000)

    def told(cell: CellResult) -> CellResult:
        return replace(cell, facts=facts) if cell.cell.operation == "read" else cell

    return [replace(run, cells=tuple(map(told, run.cells)))]


def without_times(run: ResultData) -> ResultData:
    return replace(run, cells=tuple(cell for cell in run.cells if cell.cell.operation == "size"), rankings=())


LOST = ("`int` came back as `float`",)
SCHEMA = {
    "msgpack+schema": {"dump": 1e-6, "load": 1e-6, "fix": 1e-6, "size": 90},
    "json+schema": {"dump": 3e-6, "load": 3e-6, "fix": 1e-6, "size": 100},
}
KINDS: dict[str, list[ResultData | Path]] = {
    "plain": [made(both(orjson=1, json=2, bson=3))],
    "tie": [made(both(orjson=1, ormsgpack=1, json=2), noise=0.0003, processes=20)],
    "noise": [made(both(orjson=1, json=1.01, bson=3), noise=0.1)],
    "noise of a codec for trusted data": [
        trusting(made(both(orjson=1, pickle=1.01, json=9), noise=0.1), "pickle")
    ],
    "lossy only": [made(both(orjson=1, json=2), losses={"orjson": LOST, "json": LOST})],
    "all failed": [made({}, outcomes={"a": ("crashed", "signal 11"), "b": ("wrong", "1 became 2")})],
    "one codec": [made(both(orjson=1))],
    "objects": [kept.on("penguins")],
    "schema": [made(SCHEMA)],
    "a kept schema": [kept.on("weather")],
    "stores": stores(msgpack=2, json=6),
    "a tie in each store": stores(msgpack=2, json=2),
    "stores, too few processes": [first(2, stores(msgpack=2, json=6)[0])],
    "stores, noise": [shaken(alike_in_stores()[0])],
    "stores, ties of long names": alike_in_stores(),
    "stores, interrupted": [replace(stores(msgpack=2, json=6)[0], complete=False)],
    "a faster codec for trusted data": [trusting(stores(msgpack=2, json=6, pickle=1)[0], "pickle")],
    "pipeline": pipeline(msgpack=40, json=80),
    "pipeline, tie": pipeline(msgpack=40, json=40),
    "machines": [on("first", a=1, b=2), on("second", a=4, b=2)],
    "interpreters": [on("one", "3.11.7", a=1, b=2), on("one", "3.13.1", a=1, b=2)],
    "readers": readers(),
    "several corpora": [made(both(orjson=1, json=2), corpora=("messages", "movies"))],
    "sizes only": [without_times(made(both(orjson=1, json=2)))],
    "unfinished": [replace(made(both(orjson=1, json=2)), complete=False)],
}
DECIDED = [
    *("plain", "tie", "one codec", "objects", "schema", "stores", "pipeline", "machines", "interpreters"),
    *("readers", "several corpora", "unfinished"),
]
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
AMOUNT = re.compile(r"([\d.,]+) (ns|µs|ms|s)\b")


def runs_of(kind: str) -> list[ResultData]:
    return kept.results(KINDS[kind])


def blocks(runs: list[ResultData]) -> Iterator[tuple[Section, list[str]]]:
    for section in table_of(runs).sections:
        if section.opening:
            yield section, section.opening_lines


def said(lines: list[str], label: str) -> list[str]:
    return [line[10:] for line in lines if line[2:10].strip() == label]


def seconds(words: str) -> list[float]:
    return [float(number.replace(",", "")) * UNITS[unit] for number, unit in AMOUNT.findall(words)]


def cost(run: ResultData, codec: str, place: str = "") -> float:
    """The mean of a write and a read, by the samples."""
    parts = ("cpu",) if place == "pipe" else ("put", "get") if place else ("dump", "load", "fix")
    cells = (c for c in run.cells if c.cell.corpus == run.corpora[0].name and not c.by_reader)
    return sum(
        fmean(sample.value for sample in cell.samples)
        for cell in cells
        if (cell.cell.codec, cell.cell.place, cell.cell.variant) == (codec, place, "")
        and cell.cell.operation in parts
        and "4" not in str(cell.cell.parameter or "")
    )


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_every_kind_of_run(kind: str, width: int) -> None:
    found = [*blocks(runs_of(kind))]
    page = text.render(table_of(runs_of(kind)), width=width, brief=True)

    assert len(runs_of(kind)[0].corpora) == len(found)
    assert page.startswith("\n".join(found[0][1]))
    for section, lines in found:
        assert 2 <= len(lines) <= LINES
        assert max(map(len, lines)) <= min(width, WIDTH)
        assert section.opening[1][0][0] == "use"
        assert not [line for line in lines if line.rstrip().endswith((":", "…"))]
        assert said(lines, "sure") or said(lines, "try") or said(lines, "why") or kind == "one codec"


@pytest.mark.parametrize("kind", DECIDED)
def test_its_figures_are_those_of_the_samples(kind: str) -> None:
    runs = runs_of(kind)
    (_, lines), *_ = blocks(runs)
    places = {"stores": ("lmdb", "sqlite"), "pipeline": ("pipe",)}.get(kind, ("",))
    used = said(lines, "use")

    assert len(used) == len(runs)
    for run, words in zip(runs, used, strict=True):
        codec = re.split(r"[ :]", words)[0]
        expected = [cost(run, codec, place) for place in places]
        if kind == "pipeline":
            expected.append(4 * expected[0])
        assert pytest.approx(expected, rel=0.01) == seconds(words)
        for following in said(lines, "next"):
            for name, times in re.findall(r"\b(?!to )([\w/+-]+) ([\d.]+)×", following):
                ratios = [cost(run, name, place) / cost(run, codec, place) for place in places]
                assert min(ratios) * 0.99 <= float(times) <= max(ratios) * 1.01


@pytest.mark.parametrize("kinds", [("stores", "pipeline"), ("plain", "stores"), ("plain", "pipeline")])
def test_several_kinds_of_runs_in_one_report_keep_their_answers(kinds: tuple[str, str]) -> None:
    together = [lines for _, lines in blocks([run for kind in kinds for run in runs_of(kind)])]
    alone = [said(lines, "use") for kind in kinds for _, lines in blocks(runs_of(kind))]

    assert sorted(alone) == sorted(said(lines, "use") for lines in together)


@pytest.mark.parametrize("form", ["csv", "html", "json", "latex", "md", "rst"])
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("kind", ["plain", "schema", "stores", "pipeline", "machines", "readers"])
def test_every_format_takes_intervals_without_an_end(kind: str, processes: int, form: str) -> None:
    runs = [first(processes, run) for run in runs_of(kind)]
    page = written(table_of(runs), form)

    assert not re.search(r"\b(inf|Infinity|NaN|nan)\b", page)


def test_what_it_is_worth_is_the_difference_of_the_means() -> None:
    (_, lines), *_ = blocks(runs_of("plain"))
    (run,) = runs_of("plain")
    (worth,) = said(lines, "worth")
    percent = re.match(r"([\d.]+)% of a core less than json at 1,000 records/s", worth)

    assert percent
    assert abs(float(percent[1]) / 100 - 1000 * (cost(run, "json") - cost(run, "orjson"))) < 0.0005


@pytest.mark.parametrize(
    ("kind", "label", "words"),
    [
        ("lossy only", "use", "none: no safe codec preserves every record"),
        ("lossy only", "try", "`bakeoff pick FILE --allow-loss` names the best of the others"),
        ("all failed", "why", "a crashed: signal 11; and 1 more, below"),
        ("noise", "safe", "each is, and preserves every record"),
        ("schema", "use", "msgpack+schema: 3.00"),
        ("stores", "share", "the codec's part of that is 29% to 67%, the rest is the store's"),
        ("pipeline, tie", "sure", "a tie with "),
        ("stores, noise", "use", "undecided in 2 of 3 setups: 4 codecs are not distinguishable"),
        ("stores, ties of long names", "sure", "ties of 4 codecs, within 1% in all 3"),
        ("stores, interrupted", "sure", "first in every reading of the noise, until the run was interrupted"),
        ("a faster codec for trusted data", "use", "msgpack in both setups: "),
        ("a faster codec for trusted data", "faster", "pickle, which is for trusted data only"),
        ("a faster codec for trusted data", "sure", "first of the safe, exact codecs in every reading "),
        ("noise of a codec for trusted data", "sure", "first of the safe, exact codecs in every reading "),
        ("machines", "sure", "no: the answer differs between machines"),
        ("interpreters", "sure", "the same answer on both interpreters"),
        ("readers", "readers", "Go exactly, in 30.0"),
        ("sizes only", "try", "`bakeoff run FILE` measures what a recommendation needs"),
        ("unfinished", "sure", "first in every reading of the noise, until the run was interrupted"),
    ],
)
def test_lines(kind: str, label: str, words: str) -> None:
    (_, lines), *_ = blocks(runs_of(kind))

    assert said(lines, label)[0].startswith(words)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_first_in_every_reading_has_the_first_rank(kind: str) -> None:
    for section, lines in blocks(runs_of(kind)):
        if any(line.startswith("first in every reading") for line in said(lines, "sure")):
            (used, *_) = (re.split(r"[ :]", words)[0] for words in said(lines, "use"))
            ranks = {row.codec: row.entries["rank"].text for row in section.rows if "rank" in row.entries}

            assert ranks.get(used, "1") == "1"


@pytest.mark.parametrize("kind", [kind for kind in DECIDED if kind not in ("machines", "interpreters")])
def test_pick_opens_in_the_same_way(kind: str) -> None:
    runs, requirements = in_place(runs_of(kind), Requirements())
    choice = pick(runs, requirements)
    name, _, *lines = chosen(choice).splitlines()
    lines = lines[: lines.index("")] if "" in lines else lines

    assert name == choice.name
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert said(lines, "use")[0].startswith(f"{name}: ")
    if kind not in ("stores", "several corpora", "pipeline"):
        assert pytest.approx(cost(runs_of(kind)[0], name), rel=0.01) == seconds(said(lines, "use")[0])[0]


def test_the_command_of_a_choice_prints_it(bakeoff, tmp_path) -> None:  # type: ignore[no-untyped-def]
    for kind in ("stores", "pipeline", "plain"):
        write(runs_of(kind)[0], tmp_path / "run.json")
        code, out, _ = bakeoff("pick", str(tmp_path / "run.json"))

        assert 0 == code
        assert re.search(r"\n  use     \S+: [\d.]+ µs for one write and ", out)


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        ("plain", "wanted ±2 %, got ±3.0 % from 8 processes (json to orjson, dump)", "; the ranks hold"),
        (
            "noise",
            "wanted ±2 %, got ±9.1 % from 8 processes (json to orjson, dump)",
            "; not all ranks are known",
        ),
        ("plain", "±2 % was not reached in 8 processes", "; the ranks hold"),
        (
            "noise",
            "±2 % was not reached in 8 processes",
            r"; the cost of \w+ is known to ±[\d.]+ %; not ",
        ),
        ("stores", "wanted ±5 %, got ±9.1 % from 8 processes (json to msgpack, put@lmdb:MD)", "$"),
    ],
)
def test_a_missed_precision_says_whether_the_ranks_hold(kind: str, said: str, words: str) -> None:
    (run,) = runs_of(kind)
    corpus = run.corpora[0].name
    (warning,) = table_of([replace(run, warnings=(f"{corpus}: {said}",))]).warnings

    assert re.match(f"{corpus}: {re.escape(said)}{words}", warning)


@pytest.mark.parametrize("kind", ["plain", "noise"])
def test_the_heading_of_a_page_is_a_sentence(kind: str) -> None:
    (heading,) = re.findall(r'<h1 id="headline"[^>]*>(.*?)</h1>', page.render(runs_of(kind)))

    assert heading.startswith("Use " if kind == "plain" else "Undecided: ")
