"""Picking a codec from what was measured in stores and pipelines: made-up runs whose answer is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bakeoff.bench.results import ResultData, write
from bakeoff.errors import RunError, UsageError
from bakeoff.reports.decide.pick import PickedCodec, Requirements, pick
from bakeoff.reports.decide.pick_placed import in_place, said
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.prices import Prices

ResultOf = Callable[..., ResultData]


def in_stores(codecs: Mapping[str, tuple[float, float]], *stores: str) -> dict[str, dict[str, float]]:
    """Return figures by codec, of its part of a put and of a get; the stores take 10 and 5 µs of them."""
    return {
        codec: {
            name: value
            for store in stores
            for name, value in {
                f"put@{store}:MD": 10e-6 + put,
                f"get@{store}:MD": 5e-6 + get,
                f"put-codec@{store}:MD": put,
                f"get-codec@{store}:MD": get,
                f"put-baseline@{store}:MD": 9e-6,
                f"stored@{store}:MD": 200.0,
            }.items()
            if not (store == "log" and name.startswith("get-"))
        }
        for codec, (put, get) in codecs.items()
    }


def through_pipes(codecs: Mapping[str, float], *readers: int) -> dict[str, dict[str, float]]:
    """Return figures by codec, of its part of a record's processor time with one reader."""
    return {
        codec: {f"cpu@pipe:{n}": 20e-6 * n + part * n for n in readers}
        | {f"cpu-codec@pipe:{n}": part * n for n in readers}
        | {"size": 100.0}
        for codec, part in codecs.items()
    }


def picked(
    result: ResultData, reads: float | None = None, **requirements: object
) -> tuple[PickedCodec, list[str]]:
    asked, known = in_place([result], Requirements(cost=CostModel.of(reads), **requirements), reads)  # type: ignore[arg-type]
    choice = pick(asked, known)
    return choice, list(said(asked, choice))


def test_the_cheapest_is_picked_by_the_whole_of_a_put_and_its_gets(result_of: ResultOf) -> None:
    figures = in_stores({"json": (4e-6, 1e-6), "msgpack": (1e-6, 3e-6)}, "sqlite")
    result = result_of(figures, baseline=False)
    once, lines = picked(result)
    often, _ = picked(result, reads=24)

    assert once.winner.name == "msgpack"
    assert once.parts["msgpack"].dump == pytest.approx(11e-6, rel=0.01)
    assert once.parts["msgpack"].load == pytest.approx(8e-6, rel=0.01)
    assert "one write and one read" in once.sentence
    assert lines[0] == "a write is a put and a read a get, the store included, with the codec's part of it:"
    assert "messages in sqlite (MD): 19.0 µs, of which msgpack is 21%; best there: msgpack" in lines[1]
    assert often.winner.name == "json"
    assert any(line.startswith("json wins if you read more than") for line in once.breakeven)


def test_where_codecs_are_level_it_says_so(result_of: ResultOf) -> None:
    """Two that cost the same in the store, though one of them is twice as quick by itself."""
    figures = in_stores({"json": (2e-9, 2e-9), "msgpack": (1e-9, 1e-9)}, "sqlite")
    choice, lines = picked(result_of(figures, baseline=False))

    assert {choice.winner.name, *choice.tied} == {"json", "msgpack"}
    assert lines[1].endswith("; codecs cost the same, within 1% there")
    assert f"of which {choice.winner.name} is <0.1%" in lines[1]


def test_several_stores_decide_together_and_each_has_its_line(result_of: ResultOf) -> None:
    figures = in_stores({"json": (4e-6, 4e-6), "bson": (1e-6, 4e-6)}, "sqlite", "log")
    choice, lines = picked(result_of(figures, baseline=False))

    assert choice.winner.name == "bson"
    assert [corpus.name for corpus in choice.corpora] == ["messages in sqlite (MD)", "messages in log (MD)"]
    assert "of which bson is 25%" in lines[1]
    assert "of which bson is 5.0%" in lines[2]


def test_the_usual_filters_hold(result_of: ResultOf) -> None:
    figures = in_stores({"pickle": (1e-6, 1e-6), "json": (4e-6, 4e-6)}, "sqlite")
    result = result_of(figures, baseline=False, facts={"pickle": {"trusted_only": True}})

    assert picked(result)[0].winner.name == "json"
    assert "trusted" == dict(picked(result)[0].excluded)["pickle"].kind
    assert picked(result, trusted=True)[0].winner.name == "pickle"


def test_too_few_processes_pick_nothing(result_of: ResultOf) -> None:
    result = result_of(
        in_stores({"json": (4e-6, 1e-6), "bson": (1e-6, 1e-6)}, "lmdb"), baseline=False, processes=2
    )

    with pytest.raises(RunError, match="2 processes are too few to distinguish codecs"):
        picked(result)


def test_a_pipeline_is_decided_by_processor_time(result_of: ResultOf) -> None:
    figures = through_pipes({"json": 10e-6, "msgpack": 5e-6}, 1, 4)
    result = result_of(figures, baseline=False)
    choice, lines = picked(result)
    one, _ = picked(result, reads=1)

    assert choice.winner.name == "msgpack"
    assert "100.0 µs for one write and 4 reads" in choice.sentence
    assert lines[0].startswith("processor time of a record")
    assert "messages through pipe to 4 at 3,000/s: 100 µs, of which msgpack is 20%" in lines[1]
    assert one.parts["msgpack"].dump == pytest.approx(25e-6, rel=0.01)
    with pytest.raises(UsageError, match="only with 1, 4"):
        picked(result, reads=2)


def test_a_line_to_a_store_is_refused(result_of: ResultOf) -> None:
    """Its time is in that of the put."""
    result = result_of(in_stores({"json": (1e-6, 1e-6)}, "sqlite"), baseline=False)

    with pytest.raises(UsageError, match="--bandwidth"):
        in_place([result], Requirements(cost=CostModel.of(1, "1Gbit")))
    with pytest.raises(UsageError, match="a price needs the times of dump and load"):
        in_place([result], Requirements(rate=3000, prices=Prices(300)))


def test_other_results_are_as_they_are(planted: ResultData) -> None:
    requirements = Requirements()
    results, same = in_place([planted], requirements)

    assert (list(results), same) == ([planted], requirements)
    assert list(said(results, pick(results, requirements))) == []


def test_the_command_says_it_and_writes_the_lock(result_of: ResultOf, bakeoff) -> None:
    result = result_of(in_stores({"json": (4e-6, 4e-6), "msgpack": (1e-6, 1e-6)}, "sqlite"), baseline=False)
    write(result, Path("stores.json"))
    code, out, _ = bakeoff("pick", "stores.json", "--write", "--lock", "a.lock")

    assert code == 0
    assert out.startswith("msgpack\n")
    assert "messages in sqlite (MD): 17.0 µs, of which msgpack is 12%; best there: msgpack\n" in out
    assert 'name = "msgpack"' in Path("a.lock").read_text()
