"""Table, sentence, JSON, result file and `pick` say the same of one run."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import madeup
from bakeoff.bench.results import ResultData
from bakeoff.bench.verdict import rankings
from bakeoff.reports import recommendation, render
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.candidates import candidates_on, standing_on
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.merge import machines

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
