"""Whether a codec may be chosen: table, sentence, block and `pick` give one reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

import kept
import madeup
from bakeoff.bench.results import CellResult, CodecFacts, Outcome, PyperfFacts
from bakeoff.bench.verdict import Drawback
from bakeoff.errors import RunError
from bakeoff.reports.decide.excluded import explained
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.candidates import Candidate, candidates_on
from bakeoff.reports.model.merge import machines
from bakeoff.reports.model.obstacle import FAILED, Obstacle
from bakeoff.reports.tables.sentence import drawback

COSTS = {
    name: {"dump": seconds, "load": seconds, "size": 100.0}
    for name, seconds in {"a": 1e-6, "b": 2e-6}.items()
}


def candidate(facts: dict[str, bool | str], outcome: Outcome = "ok", cells: object = None) -> Candidate:
    found = [
        CellResult(madeup.cell_of("c", name, "a"), outcome, facts=cells)  # type: ignore[arg-type]
        for name in ("dump", "load")
    ]
    known = replace(CodecFacts("a", "json", "Python", "3", None), **facts)  # type: ignore[arg-type]
    return Candidate(known, {cell.cell.operation: cell for cell in found})


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("trusted", candidate({"trusted_only": True}, "lossy")),
        ("unguarded", candidate({"unguarded": True}, "crashed")),
        ("raw", candidate({"name": "a/raw"}, "lossy")),
        ("raw", candidate({"name": "a/raw #2"})),
        ("unchecked", candidate({}, "ok", PyperfFacts("second"))),
        *(("failed", candidate({}, outcome)) for outcome in FAILED),  # type: ignore[arg-type]
        ("lossy", candidate({}, "lossy")),
    ],
)
def test_a_drawback_has_a_kind_and_words_for_each_place(kind: Drawback, found: Candidate) -> None:
    why = found.drawback

    assert why is not None
    assert kind == why.kind
    assert drawback(found) == why.of_row()
    assert all((why.words, why.of_row(several=True), why.brief))


def test_an_outcome_fails_or_is_well() -> None:
    assert {*get_args(Outcome)} == {*FAILED, "ok", "lossy"}


@pytest.mark.checkout
@pytest.mark.parametrize("path", kept.GALLERY, ids=lambda path: path.name.partition(".")[0])
def test_pick_excludes_for_the_reason_of_the_table(path: Path) -> None:
    run = kept.result(path)
    excluded = dict(pick([run], Requirements()).excluded)
    known = {each.name: each for each in candidates_on(run, run.corpora[0].name)}
    assert excluded

    for name, found in known.items():
        if found.drawback is not None and name in excluded:
            first = next(why for why in found.drawbacks)
            assert replace(excluded[name], only=True) in (first, Obstacle("untimed"))


@pytest.mark.checkout
@pytest.mark.parametrize(
    "requirements", [Requirements(), Requirements(interop=True), Requirements(needs=("datetime",))]
)
@pytest.mark.parametrize("path", kept.GALLERY[2::7], ids=lambda path: path.name.partition(".")[0])
def test_an_option_is_named_only_if_it_admits_the_codec(path: Path, requirements: Requirements) -> None:
    try:
        excluded, trusted = (
            dict(pick([kept.result(path)], each).excluded)
            for each in (requirements, replace(requirements, trusted=True))
        )
    except RunError:
        return  # no codec fits
    named = {name for name, why in excluded.items() if explained({name: why})[0].endswith(" (--trusted)")}

    untrusted = {name for name, why in excluded.items() if why.kind in ("trusted", "unguarded")}
    assert untrusted - trusted.keys() == named


def test_a_merged_run_recommends_no_raw_call() -> None:
    """A label such as "a/raw #2" hides what the codec is."""
    run = madeup.renamed(madeup.planted(COSTS), "a", "a/raw")
    later = replace(run, environment={**run.environment, "date": "2026-02-01"})
    ((_, merged),) = machines([run, later])
    known = {each.name: each for each in candidates_on(merged, merged.corpora[0].name)}
    raws = {name for name in known if name.startswith("a/raw")}

    assert len(raws) == 2
    for name in raws:
        assert known[name].drawback == Obstacle("raw") == dict(pick([merged], Requirements()).excluded)[name]
