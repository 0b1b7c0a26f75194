"""The block above a table: short, true for every kind of run, and with the numbers of the table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kept
import madeup
from bakeoff.bench.results import CellResult, CodecFacts, Measurement, ResultData
from bakeoff.bench.verdict import rankings
from bakeoff.reports import render
from bakeoff.reports.model.answer import CorpusAnswer
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.options import TableOptions
from bakeoff.reports.model.table import Entry
from bakeoff.reports.model.view import View
from bakeoff.reports.tables.block import LINES, WIDTH
from bakeoff.reports.tables.build import build

KEPT = [
    kept.IMAGES / "orders.json.gz",
    kept.IMAGES / "messages.json.gz",
    kept.ROOT / "tests" / "data" / "results" / "version-1.json",
]
LONG = "a-library-with-a-name-that-nobody-would-type/variant+schema|zstd:19"


def figures(**times: float) -> dict[str, dict[str, float]]:
    """Codecs with the same time for dump and load, in microseconds, and payloads of 100 bytes."""
    return {name: {"dump": t * 1e-6, "load": t * 1e-6, "size": 100} for name, t in times.items()}


def made(planted: Mapping[str, Mapping[str, float]], **fields: Any) -> ResultData:
    found = madeup.planted(planted, **fields)
    return replace(found, rankings=rankings(found))


def without(run: ResultData, *operations: str) -> ResultData:
    return replace(run, cells=tuple(c for c in run.cells if c.cell.operation not in operations), rankings=())


def untimed(run: ResultData) -> ResultData:
    def rough(cell: CellResult) -> CellResult:
        return (
            replace(cell, samples=(), rough=cell.samples[0].value) if cell.cell.operation != "size" else cell
        )

    return replace(run, cells=tuple(map(rough, run.cells)), rankings=())


def unsteady(run: ResultData, codec: str) -> ResultData:
    """Return a run in which the times of a codec differ threefold from process to process."""

    def shaken(sample: Measurement) -> Measurement:
        times = 3.0 ** (sample.pair % 2 - 0.5)
        return replace(sample, value=sample.value * times, paired=sample.paired * times)

    found = madeup.changed(madeup.changed(run, codec, "dump", sample=shaken), codec, "load", sample=shaken)
    return replace(found, rankings=rankings(found))


THREE = figures(orjson=1, json=2, bson=3)
RUNS: dict[str, tuple[str, list[ResultData | Path]]] = {
    "one winner": ("chosen", [made(THREE)]),
    "a tie": ("tied", [made(figures(orjson=1, ormsgpack=1, json=2), noise=0.0003, processes=20)]),
    "a tie with json": (
        "tied",
        [
            made(
                {**figures(orjson=1, bson=2), "json": {"dump": 1e-6, "load": 1e-6, "size": 120}},
                noise=0.0003,
                processes=20,
            )
        ],
    ),
    "json wins": ("chosen", [made(figures(json=1, orjson=2))]),
    "noise": ("unresolved", [made(figures(orjson=1, json=1.01, bson=3), noise=0.1)]),
    "an unsteady leader": (
        "unresolved",
        [unsteady(made(figures(orjson=1, ujson=1.02, ormsgpack=1.5, bson=1.9)), "orjson")],
    ),
    "two processes": ("few", [made(THREE, processes=2)]),
    "two processes, and a lossy leader": (
        "few",
        [made(THREE, processes=2, losses={"orjson": ("`int` came back as `float`",)})],
    ),
    "two processes, and only lossy": (
        "unsafe",
        [made(THREE, processes=2, losses=dict.fromkeys(THREE, ("`a` came back as `b`",)))],
    ),
    "one that fits, and one without a check": (
        "chosen",
        [
            made(
                figures(orjson=1, bson=2),
                losses={"bson": ("`a` came back as `b`",)},
                outcomes={"json": ("unfinished", "not enough time for the check; use --all")},
            )
        ],
    ),
    "one process": ("few", [made(THREE, processes=1)]),
    "many that tie for the second place": (
        "chosen",
        [made(figures(orjson=1, **{f"codec-number-{n}": 2 for n in range(9)}), noise=0.0003, processes=20)],
    ),
    "a lossy leader": ("chosen", [made(THREE, losses={"orjson": ("`int` came back as `float`",)})]),
    "only lossy": ("unsafe", [made(THREE, losses=dict.fromkeys(THREE, ("`a` came back as `b`",)))]),
    "only trusted": ("unsafe", [made(figures(pickle=1), facts={"pickle": {"trusted_only": True}})]),
    "unguarded and trusted in between": (
        "chosen",
        [
            made(
                figures(marshal=0.5, orjson=1, pickle=1.5, json=2),
                facts={"marshal": {"trusted_only": True}, "pickle": {"unguarded": True}},
            )
        ],
    ),
    "one codec": ("chosen", [made(figures(orjson=1))]),
    "one that fits": ("chosen", [made(figures(orjson=1, json=2), losses={"json": ("lost",)})]),
    "nothing works": ("failed", [made({}, outcomes={"a": ("crashed", "signal 11")}, baseline=False)]),
    "all are missing": (
        "missing",
        [made({}, outcomes={"a": ("missing", "no fork"), "b": ("missing", "no fork")}, baseline=False)],
    ),
    "no time": ("rough", [untimed(made(THREE, baseline=False))]),
    "no time, and a lossy leader": (
        "rough",
        [untimed(made(THREE, baseline=False, losses={"orjson": ("`int` came back as `float`",)}))],
    ),
    "no time, and a trusted leader": (
        "rough",
        [untimed(made(THREE, baseline=False, facts={"orjson": {"trusted_only": True}}))],
    ),
    "no time, and only lossy": (
        "rough",
        [untimed(made(THREE, baseline=False, losses=dict.fromkeys(THREE, ("`a` came back as `b`",))))],
    ),
    "no time for checks": ("late", [made({}, outcomes={"a": ("unfinished", "late")}, baseline=False)]),
    "dump only": ("parts", [without(made(THREE), "load")]),
    "sizes only": ("parts", [without(made(THREE), "dump", "load")]),
    "objects": (
        "chosen",
        [made(figures(orjson=1, **{"x/struct": 0.5}), facts={"x/struct": {"takes": "Structs"}})],
    ),
    "a codec of one's own": (
        "chosen",
        [made(figures(mine=1, json=2), facts={"mine": {"source": "m:codec"}})],
    ),
    "losses elsewhere": (
        "chosen",
        [made(figures(orjson=1, json=2), facts={"orjson": {"losses": ("NaN becomes null", "x" * 60)}})],
    ),
    "long names": ("chosen", [made({LONG: THREE["orjson"], f"{LONG}2": THREE["json"]}, corpora=["c" * 90])]),
    "a tie of long names": (
        "tied",
        [made(dict.fromkeys([LONG, f"{LONG}2", f"{LONG}3"], THREE["json"]), noise=0.0003, processes=20)],
    ),
    "several corpora": ("chosen", [made(THREE, corpora=("messages", "movies"), duration=60.0)]),
    "of a notebook": ("few", [made(THREE, processes=2, command="bakeoff.run('records')")]),
    "everything": ("chosen", [madeup.result(corpora=1)]),
    **{path.name: ("chosen", [path]) for path in KEPT},
}
USES = [CostModel(), CostModel(0.0), CostModel(24.0), CostModel.of(bandwidth="10Mbit")]
LARGE = ("everything", *(path.name for path in KEPT))
CASES = [(kind, cost) for kind in RUNS for cost in USES[: 1 if kind in LARGE else None]]
NAMES = [f"{kind}, {cost.sentence()}" for kind, cost in CASES]


def runs_of(kind: str) -> list[ResultData]:
    return kept.results(RUNS[kind][1])


def block(text: str) -> list[str]:
    return text.partition("\n\n")[0].splitlines()


def opened(results: list[ResultData], **options: Any) -> list[list[str]]:
    table = build(View.of(results, CostModel.of(**options)), TableOptions.of(**options))
    return [section.opening_lines for section in table.sections if section.opening]


def line(lines: list[str], label: str) -> str:
    """Return what follows a label; empty if there is no such line."""
    return next((text[10:] for text in lines if text[2:10].strip() == label), "")


def rows(answer: CorpusAnswer) -> dict[str, dict[str, Entry]]:
    """Return the table of an answer, with ratios to the codec that it names."""
    assert answer.codec is not None
    columns, cost = ("codec", "cost", "bytes", "cost:x"), answer.view.cost
    options = TableOptions(columns=columns, cost=cost, relative_to=answer.codec.name)
    sections = build(View.of([answer.view.result], cost), options).sections
    (section,) = (each for each in sections if each.title == answer.view.corpus.name)
    return {row.codec: dict(row.entries) for row in section.rows}


@pytest.mark.parametrize(("kind", "cost"), CASES, ids=NAMES)
def test_it_is_short(kind: str, cost: CostModel) -> None:
    for section in build(View.of(runs_of(kind), cost), TableOptions(cost=cost)).sections:
        lines = section.opening_lines

        assert len(lines) <= LINES
        assert max(map(len, lines), default=0) <= WIDTH
        assert not [text for text in lines[1:] if not text[10:].strip()]


@pytest.mark.parametrize("kind", RUNS)
def test_it_says_what_the_ranking_says(kind: str) -> None:
    expected, results = RUNS[kind][0], runs_of(kind)
    (answer, *_) = (view.answer for view in View.of(results).corpora)
    lines = opened(results)[0]

    assert expected == answer.kind
    if answer.decided:
        assert answer.contest is not None
        assert answer.contest.winner == answer.codec.name if answer.codec else ""
        assert line(lines, "use").startswith(answer.contest.winner[:40])
    else:
        assert re.match("undecided: |none: ", line(lines, "use"))
        assert not line(lines, "worth")
        assert line(lines, "safe") in ("", "each is, and preserves every record")


@pytest.mark.parametrize(("kind", "cost"), CASES, ids=NAMES)
def test_lossy_and_unsafe_codecs_are_never_used(kind: str, cost: CostModel) -> None:
    for view in View.of(runs_of(kind), cost).corpora:
        answer = view.answer
        if answer.decided:
            assert answer.codec is not None
            assert answer.codec.outcome == "ok"
            assert answer.safety in ("anyone", "unknown")


@pytest.mark.parametrize(("kind", "cost"), CASES, ids=NAMES)
def test_each_number_is_that_of_the_table(kind: str, cost: CostModel) -> None:
    for view in View.of(runs_of(kind), cost).corpora:
        answer = view.answer
        if not answer.decided or answer.codec is None or answer.cost is None:
            continue
        name, table = answer.codec.name, rows(answer)
        assert answer.cost.value == table[name]["cost"].value
        assert (answer.size and answer.size.value) == table[name]["bytes"].value
        for rival in filter(None, (answer.next, answer.usual)):
            told = [table[end]["cost:x"].value for end in (rival.names[0], rival.names[-1])]
            assert told == pytest.approx(rival.times, rel=1e-6)
            assert table[rival.names[0]]["cost"].value == pytest.approx(answer.cost.value + rival.more)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_the_words_have_the_digits_of_the_table(path: Path) -> None:
    run = kept.result(path)
    (answer,) = (view.answer for view in View.of([run]).corpora)
    lines, *_ = opened([run])
    assert answer.codec is not None
    assert answer.next is not None
    name, table = answer.codec.name, rows(answer)
    amount = line(lines, "use").removeprefix(f"{name}: ").split()
    ratio = table[answer.next.names[0]]["cost:x"].text.split()[0].strip("()")

    assert table[name]["cost"].text.split()[0] == amount[0]
    assert table[name]["bytes"].text == amount[-2]
    assert ratio in line(lines, "next")


def test_ties_are_named_as_ties() -> None:
    (tie,) = opened(runs_of("a tie"))
    (second,) = opened(runs_of("many that tie for the second place"))
    (noisy,) = opened(runs_of("noise"))

    assert line(tie, "sure").startswith("a tie with orjson, within 1%") or "a tie with ormsgpack" in tie[-2]
    assert re.match(r"codec-number-\d and 8 more \((tie|undecided)\) 2\.0", line(second, "next"))
    assert line(noisy, "use").startswith("undecided: orjson and json are not distinguishable")
    assert line(noisy, "sure") == "no: `bakeoff run --resume FILE` adds processes"


@pytest.mark.parametrize(
    ("kind", "label", "words"),
    [
        ("one winner", "next", "json 2.00×"),
        ("one winner", "worth", "0.2% of a core less than json at 1,000 records/s"),
        ("json wins", "worth", "0.2% of a core less than orjson at 1,000 records/s"),
        ("a tie with json", "worth", "no time: json costs the same, within 1%"),
        ("an unsteady leader", "next", "ormsgpack (1.50×), known to cost more than ujson"),
        ("two processes, and a lossy leader", "lowest", "json, of the safe, exact codecs: 3.99 µs to write"),
        ("two processes, and only lossy", "sure", "no: `bakeoff run --resume FILE` adds processes"),
        ("two processes, and only lossy", "try", "`bakeoff pick FILE --allow-loss` then names the best"),
        ("one that fits, and one without a check", "next", "no other codec that was checked is safe"),
        ("one codec", "next", "nothing else was measured"),
        ("one that fits", "next", "no other codec is safe and preserves every record"),
        ("a lossy leader", "faster", "orjson, which is lossy here"),
        ("only lossy", "lowest", "orjson, which is lossy here: "),
        ("only trusted", "lowest", "pickle, which is for trusted data only: "),
        ("unguarded and trusted in between", "faster", "marshal, which is for trusted data only"),
        ("nothing works", "use", "none: every codec failed"),
        ("nothing works", "why", "a crashed: signal 11"),
        ("all are missing", "use", "none: something that every codec needs is missing"),
        ("all are missing", "why", "no fork"),
        ("no time", "lowest", "orjson, roughly: ≈2.0 µs to write and read a record"),
        ("no time, and a lossy leader", "lowest", "json, of the safe, exact codecs, roughly: ≈4.0 µs"),
        ("no time, and a trusted leader", "lowest", "json, of the safe, exact codecs, roughly: ≈4.0 µs"),
        ("no time, and only lossy", "lowest", "orjson, which is lossy here, roughly"),
        ("no time for checks", "use", "undecided: no codec was checked in this budget"),
        ("dump only", "use", "undecided: load was not measured"),
        ("dump only", "try", "`bakeoff report FILE --reads 0` ranks by dump alone"),
        ("sizes only", "use", "undecided: dump and load were not measured"),
        ("objects", "use", "orjson: "),
        ("a codec of one's own", "safe", "not known to bakeoff "),
        ("losses elsewhere", "loses", "nothing here; elsewhere NaN becomes null and 1 more"),
        ("of a notebook", "sure", "no: a larger `budget` adds processes"),
        ("one process", "use", "undecided: 1 process is too few to distinguish codecs"),
    ],
)
def test_lines(kind: str, label: str, words: str) -> None:
    (lines, *_) = opened(runs_of(kind))

    assert line(lines, label).startswith(words)


def test_unless_is_where_the_choice_changes() -> None:
    planted = {
        "orjson": {"dump": 1e-6, "load": 3e-6, "size": 300},
        "bson": {"dump": 4e-6, "load": 1e-6, "size": 300},
        "json": {"dump": 9e-6, "load": 9e-6, "size": 300},
    }
    run = made(planted)
    (answer,) = (view.answer for view in View.of([run]).corpora)
    (change,) = answer.changes
    (lines,) = opened([run])

    assert line(lines, "unless") == f"you read more than {change.end:,g} times per write: bson"
    assert line(opened([run], reads=change.end)[0], "use").startswith("bson: ")
    assert not line(opened([run], reads=change.start)[0], "use").startswith("bson: ")


@pytest.mark.parametrize("writes", [2.0, 4.0, 30.0])
def test_fewer_reads_than_writes_are_said_as_writes(writes: float) -> None:
    """Beyond the printed number the other codec is the answer; it is rounded away from the present use."""
    planted = {
        "orjson": {"dump": 1e-6 + 1e-6 / writes, "load": 1e-6, "size": 300},
        "bson": {"dump": 1e-6, "load": 2e-6, "size": 300},
    }
    run = made(planted, noise=0.0005, processes=20)
    (lines,) = opened([run])
    found = re.fullmatch(r"you read less than once per ([\d,.]+) writes: bson", line(lines, "unless"))

    assert found
    assert float(found[1]) > writes
    assert line(opened([run], reads=0.99 / float(found[1]))[0], "use").startswith("bson: ")


def test_machines_have_a_line_each() -> None:
    runs = [
        made(THREE, environment={"hostname": f"host-{n}", "cpu_model_name": f"CPU {n}"}) for n in range(9)
    ]
    (few,) = opened(runs[:2])
    (many,) = opened(runs)

    assert "3 codecs on 2 machines" in few[0]
    assert ["orjson on host-0", "orjson on host-1", "the same answer on both machines"] == [
        text[10:].partition(":")[0] for text in few[1:]
    ]
    assert len(many) == LINES
    assert many[-2].endswith("and on 4 more")
    assert line(many, "sure") == "the same answer on all 9 machines"


def test_hostile_names_stay_on_their_line() -> None:
    name = "x\n  use     evil: 1 ns\x1b[2J"
    run = made(figures(json=2), corpora=["m\nn"])
    codecs = (*run.codecs, CodecFacts(name, "json", "l", "1", True))
    cells = tuple(
        replace(c, cell=replace(c.cell, codec=name)) for c in made(figures(json=1), corpora=["m\nn"]).cells
    )
    run = replace(
        run, codecs=codecs, cells=(*run.cells, *(c for c in cells if c.cell.codec == name)), rankings=()
    )
    lines = block(render([run], "text"))

    assert 1 == sum(text.startswith("  use ") for text in lines)
    assert "\x1b" not in "".join(lines)
