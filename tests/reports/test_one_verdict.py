"""Table, sentence, JSON, result file and `pick` say the same of one run."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import madeup
from bakeoff.bench.results import Measurement, ResultData, write
from bakeoff.bench.verdict import rankings
from bakeoff.errors import RunError
from bakeoff.reports import recommendation, render
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.decide.pick_output import reasons
from bakeoff.reports.decide.pick_output import render as chosen
from bakeoff.reports.decide.pick_placed import in_place
from bakeoff.reports.decide.pick_placed import said as said_of_places
from bakeoff.reports.model.candidates import candidates_on, standing_on
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.merge import machines
from bakeoff.reports.model.view import View
from bakeoff.reports.tables.placed_answer import answers
from inprocess import bakeoff

NAMES = ("json", "orjson", "ormsgpack", "msgpack", "marshal", "ujson")
FACTS = {
    "marshal": {"format": "marshal", "trusted_only": True, "interoperable": False},
    "msgpack": {"format": "msgpack"},
    "ormsgpack": {"format": "msgpack", "extra": "ormsgpack"},
    "json": {"format": "json", "library": "Python"},
}


def drawn(seed: int, near: float, noise: float, processes: int) -> ResultData:
    planted = {
        name: {"dump": 1e-6 * (1 + near * n), "load": 1e-6 * (1 + near * n), "size": 100 + n}
        for n, name in enumerate(NAMES)
    }
    found = madeup.planted(
        planted,
        facts=FACTS,
        noise=noise,
        seed=seed,
        processes=processes,
        losses={"ujson": ("`float` came back as `int`",)},
    )
    return replace(found, rankings=rankings(found))


RUNS = st.builds(
    drawn,
    st.integers(0, 999),
    st.sampled_from([0.0, 0.002, 0.02, 0.3]),
    st.sampled_from([0.0005, 0.005, 0.05]),
    st.sampled_from([3, 5, 12]),
)


@pytest.mark.slow
@given(RUNS)
def test_all_name_the_same_codecs(run: ResultData) -> None:
    (ranking,) = run.rankings
    choice = pick([run], Requirements())
    (said,) = json.loads(render([run], "json"))["verdicts"]
    level = [ranking.winner, *ranking.same, *ranking.unresolved]
    sentence = recommendation(run)

    assert choice.winner.name == ranking.winner == said["messages"]["winner"]
    assert choice.tied == ranking.same == tuple(said["messages"]["same"])
    assert tuple(name for name, _ in choice.unresolved) == ranking.unresolved
    assert tuple(said["messages"]["unresolved"]) == ranking.unresolved
    named = re.split(r", | and ", re.split(r" costs? | are not dist", sentence)[0])
    assert named == level or (len(level) > 4 and named[:3] == level[:3])
    assert ("not distinguishable" in sentence) is bool(ranking.unresolved)
    assert ("not distinguishable from" in choice.sentence) is bool(ranking.unresolved)


@pytest.mark.slow
@given(RUNS)
def test_the_table_has_the_ranks_of_the_run(run: ResultData) -> None:
    (ranking,) = run.rankings
    rows = {row["codec"]: row for row in csv.DictReader(io.StringIO(render([run], "csv")))}

    for name in NAMES:
        assert (int(rows[name]["rank"]), int(rows[name]["rank_last"])) == (
            ranking.first[name],
            ranking.last[name],
        )
        alone = ranking.first[name] == ranking.last[name]
        assert rows[name]["rank_verdict"] in ([""] if alone else ["same", "unresolved"])


@pytest.mark.slow
@given(RUNS, st.sampled_from([(), ("json",), ("msgpack",)]), st.booleans(), st.sampled_from([0.0, 1.0, 24.0]))
def test_filters_of_pick_change_no_verdict(
    run: ResultData, formats: tuple[str, ...], trusted: bool, reads: float
) -> None:
    choice = pick([run], Requirements(CostModel(reads), formats=formats, trusted=trusted))
    judged = standing_on(run, "messages", candidates_on(run, "messages"), CostModel(reads)).judged
    fit = [name for name in choice.parts if name != choice.winner.name]
    level = {name for name, _ in choice.unresolved} | set(choice.tied)
    cheapest = next(name for name in choice.parts if name in {*level, choice.winner.name})

    for name, found in choice.unresolved:
        assert judged[name, cheapest] == ("unresolved", found)
        assert found.low <= 1 <= found.high
    for name in fit:
        beaten = any(judged[other, name][0] == "faster" for other in choice.parts if other != name)
        assert (name in level) is not beaten
        if name in level and name != cheapest:
            assert judged[name, cheapest][0] == ("same" if name in choice.tied else "unresolved")


def test_another_cost_is_judged_anew_and_several_files_too() -> None:
    run = drawn(1, 0.3, 0.005, 5)
    (ranking,) = run.rankings
    pairs = tuple(replace(pair, verdict="same") for pair in ranking.pairs)
    wrong = replace(run, rankings=(replace(ranking, pairs=pairs),))
    candidates = candidates_on(run, "messages")

    def verdicts(result: ResultData, reads: float) -> set[str]:
        judged = standing_on(result, "messages", candidates, CostModel(reads)).judged
        return {verdict for verdict, _ in judged.values()}

    assert {"same"} == verdicts(wrong, 1.0)
    assert {"faster", "slower"} == verdicts(run, 1.0) == verdicts(wrong, 24.0)
    ((_, merged),) = machines([wrong, wrong])
    assert () == merged.rankings


@pytest.mark.parametrize("processes", [1, 2])
def test_two_processes_decide_nothing_anywhere(processes: int) -> None:
    run = drawn(1, 0.3, 0.0005, processes)
    (ranking,) = run.rankings

    assert {1} == set(ranking.first.values())
    assert {len(NAMES)} == set(ranking.last.values())
    assert "too few to distinguish codecs" in recommendation(run)


TIED = "cost the same, within 1%"


@pytest.mark.parametrize(("noise", "words"), [(0.0003, TIED), (0.1, "not distinguishable")])
def test_a_tie_is_never_what_is_not_distinguishable(noise: float, words: str) -> None:
    """In sentences and answers, in the codec's time, in stores and in pipelines; see docs/glossary.md."""
    other = "not distinguishable" if words == TIED else "cost the same"
    calls = {f"{call}@{store}": 5e-6 for call in ("put", "get") for store in ("sqlite", "lmdb")}
    plain = {"dump": 2e-6, "load": 2e-6, "size": 100}
    for figures in (plain, calls, {"cpu@pipe:1": 4e-6, "latency-p99@pipe:1": 1e-3}):
        run = madeup.planted({"json": figures, "bson": figures}, noise=noise, processes=20, baseline=False)
        run = shaken(run, noise)
        asked, requirements = in_place([run], Requirements())
        choice = pick(asked, requirements)
        said = [
            render([run], "text"),
            reasons(choice, said_of_places(asked, choice)),
            *(answer.words for answer in answers(View.of([run]))),
        ]

        assert any(words in each for each in said)
        assert not [each for each in said if other in re.sub(r"a ratio in parentheses .*|tie: .*", "", each)]


def shaken(run: ResultData, noise: float) -> ResultData:
    """Let all times differ between processes; those of stores and pipelines are made without."""
    rng = random.Random(3)

    def shake(each: Measurement) -> Measurement:
        times = math.exp(rng.gauss(0.0, noise))
        return replace(each, value=each.value * times, paired=each.paired * times)

    cells = (
        replace(cell, samples=tuple(map(shake, cell.samples))) if cell.cell.operation != "size" else cell
        for cell in run.cells
    )
    return replace(run, cells=tuple(cells))


def test_what_measures_more_is_said_in_one_way(tmp_path: Path) -> None:
    """By table, answer, sentence and `pick`; each command can be typed."""
    run = drawn(1, 0.0, 0.05, 5)
    file = tmp_path / "a result.json"
    write(run, file)
    choice = pick([run], Requirements(), str(file))
    two = pick([replace(run, started=str(n)) for n in range(2)], Requirements(), str(file))
    few = drawn(1, 0.0, 0.05, 2)
    with pytest.raises(RunError) as refused:
        pick([few], Requirements(), str(file))
    tables = [render([run], "text"), render([few], "text")]
    texts = [*tables, str(refused.value), chosen(choice), choice.sentence]
    found = [re.findall(r"(`bakeoff run [^`]*` [a-z ]+[a-z])", text) for text in texts]

    assert all(found)
    assert {"adds processes"} == {line.rpartition("` ")[2] for lines in found for line in lines}
    assert two.longer.endswith("` measures them in one run")
    for way in (choice.longer, two.longer, str(refused.value).rpartition("; ")[2]):
        line = shlex.split(way.split("`")[1])
        done = bakeoff(tmp_path, *line[1:], "--dry-run")

        # The run is made up, so it cannot go on; the command is in order.
        assert 0 == done.returncode or done.stderr.endswith("; start a new run\n"), way
