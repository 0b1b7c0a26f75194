"""The whole content of a lock, and what its check says: nothing in it may be today's or another codec's."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

import madeup
from bakeoff.bench.results import CheckFacts, ResultData, write
from bakeoff.codecs.production.lock import Lock
from bakeoff.reports.decide.lock import check, decided, definition_of, lock_of
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.files import load
from bakeoff.reports.model.prices import Prices

FIGURES = {
    "avro": {"dump": 1e-6, "load": 1e-6, "size": 100},
    "json": {"dump": 3e-6, "load": 4e-6, "size": 300},
}
FACTS = {
    "avro": {"library": "fastavro", "version": "1.12.0", "preserves": ("datetime",)},
    "json": {"library": "Python", "version": "3.11.7", "preserves": ("datetime",)},
}
DEFINITION = '{"type": "record", "name": "Order", "fields": []}'


def checked(run: ResultData, codec: str, **facts: object) -> ResultData:
    """Return a run whose cells of a codec were checked."""
    return madeup.changed(run, codec, check=CheckFacts(records=10, encoded=10, **facts))  # type: ignore[arg-type]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A result file of 2020, in which each codec needed other limits and only one a definition."""
    run = madeup.planted(FIGURES, facts=FACTS, started="2020-01-02T23:59:00+00:00")
    run = checked(run, "avro", limits={"size": 20_000_000, "depth": 200}, definition=DEFINITION)
    run = checked(run, "json", limits={"size": 30_000_000, "items": 2_000_000})
    write(run, tmp_path / "old.json")
    return tmp_path / "old.json"


def locked(path: Path, requirements: Requirements) -> Lock:
    run = load(path)
    return lock_of(pick([run], requirements), [path], [run])


def test_a_lock_holds_the_run_the_codec_and_the_use(old: Path) -> None:
    cost = CostModel.of(reads=3.0, bandwidth="1Gbit", crossings="per-read")
    requirements = Requirements(
        cost, rate=1000.0, prices=Prices(300.0, 0.05), needs=("datetime",), trusted=True
    )
    choice = pick([load(old)], requirements)
    lock = locked(old, requirements)

    assert (
        Lock(
            codec="avro",
            requires={"fastavro": ">=1.12.0,<2"},
            format="avro",
            schema=False,
            definition=DEFINITION,
            dictionaries=(),
            options={"size": 20_000_000, "depth": 200},
            why=choice.sentence,
            terms={
                "reads": 3.0,
                "corpora": {"messages": f"{1:064x}"},
                "trusted": True,
                "bandwidth": 1.25e8,
                "crossings": "per-read",
                "rate": 1000.0,
                "core_year": 300.0,
                "gigabyte": 0.05,
                "needs": ["datetime"],
            },
            evidence=(
                {
                    "file": "old.json",
                    "sha256": hashlib.sha256(old.read_bytes()).hexdigest(),
                    "date": "2020-01-02",
                },
            ),
            date="2020-01-02",
        )
        == lock
    )


def test_the_plainest_use_has_the_fewest_terms(old: Path) -> None:
    lock = locked(old, Requirements())

    assert {"reads": 1.0, "corpora": {"messages": f"{1:064x}"}, "trusted": False} == lock.terms
    assert "readers" in locked(old, Requirements(CostModel(readers="go*2"))).terms


@pytest.mark.parametrize(
    ("codec", "options", "definition"),
    [
        ("avro", {"size": 20_000_000, "depth": 200}, DEFINITION),
        ("json", {"size": 30_000_000, "items": 2_000_000}, ""),
    ],
)
def test_limits_and_definition_are_those_of_the_codec(
    old: Path, codec: str, options: dict[str, int], definition: str
) -> None:
    lock = locked(old, Requirements(codec=codec))

    assert (codec, options, definition) == (lock.codec, lock.options, lock.definition)


def test_two_definitions_are_none(old: Path) -> None:
    """Payloads of two corpora have two schemas."""
    run = load(old)
    twin = replace(run.cells[0], check=CheckFacts(records=1, encoded=1, definition="other"))

    assert DEFINITION == definition_of(run.cells[:1])
    assert "" == definition_of([run.cells[0], twin])
    assert "" == definition_of([replace(run.cells[0], check=None)])


@pytest.mark.parametrize(
    ("starts", "date"),
    [
        (["2020-01-02T23:59:00+00:00", "2021-03-04T00:01:00+00:00"], "2021-03-04"),
        (["2021-03-04T00:01:00+00:00", "2020-01-02T23:59:00+00:00"], "2021-03-04"),
        (["unknown", "2020-01-02T23:59:00+00:00"], None),
    ],
)
def test_the_date_is_that_of_the_newest_evidence(tmp_path: Path, starts: list[str], date: str | None) -> None:
    paths = []
    for number, (codec, started) in enumerate(zip(FIGURES, starts, strict=True)):
        paths.append(tmp_path / f"{number}.json")
        write(madeup.planted({codec: FIGURES[codec]}, facts=FACTS, started=started), paths[-1])
    runs = [load(path) for path in paths]
    today = dt.datetime.now(dt.UTC).date().isoformat()
    lock = lock_of(pick(runs, Requirements(codec="avro")), paths, runs)

    assert (date or today) == lock.date
    assert [path.name for path in paths] == [entry["file"] for entry in lock.evidence]
    dates = [today if started == "unknown" else started[:10] for started in starts]
    assert dates == [entry["date"] for entry in lock.evidence]


def test_old_evidence_is_too_old(old: Path) -> None:
    lock = replace(locked(old, Requirements(codec="json")), requires={})
    age = (dt.datetime.now(dt.UTC).date() - dt.date(2020, 1, 2)).days
    allowed = dt.timedelta(days=age)

    assert [] == check(lock, old.parent, allowed)
    assert [f"the evidence is {age} days old, more than the {age - 1} allowed; run it again"] == check(
        lock, old.parent, allowed - dt.timedelta(days=1)
    )


def test_evidence_without_a_date_is_a_problem() -> None:
    lock = Lock(codec="json", requires={})

    assert [] == check(lock, Path())
    assert ["the lock does not say when its evidence was measured"] == check(
        lock, Path(), dt.timedelta(days=1)
    )


def test_evidence_elsewhere_is_found_by_its_name_only(old: Path) -> None:
    lock = replace(locked(old, Requirements(codec="json")), requires={})
    lost = replace(lock, evidence=({"file": "/etc/../old.json", "sha256": "00"},))

    assert ["old.json is not the file that the choice was made from (sha256 differs)"] == check(
        lost, old.parent
    )
    assert [] == check(lost, old.parent / "nowhere")


def test_a_decision_holds_who_decided_and_whom_to_trust() -> None:
    lock = decided("pickle/2", "ada", trusted=True)

    assert {"trusted": True} == lock.terms
    assert ("pickle/2", "pickle", False, "") == (lock.codec, lock.format, lock.schema, lock.definition)
    assert {"Python"} == lock.requires.keys()
