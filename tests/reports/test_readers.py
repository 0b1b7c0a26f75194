"""Tables and choices for readers in other languages, from made-up results."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bakeoff import Result
from bakeoff.bench.results import CellResult, ReadFacts, ResultData, read, write
from bakeoff.errors import RunError, UsageError
from bakeoff.reports import render
from bakeoff.reports.model.anonymous import anonymous
from madeup import planted

GO_JSON, GO_MSGP, GO_SLOW = "read@go-encoding-json", "read@go-tinylib-msgp", "read@go-vmihailenco-msgpack"
NODE_JSON, NODE_MSGP = "read@node-JSON.parse", "read@node-msgpackr"
LOSS = "$.id: int 9007199254740993 became number 9007199254740992.0"
FACTS = {
    GO_JSON: ("Go", "encoding/json"),
    GO_MSGP: ("Go", "tinylib/msgp"),
    GO_SLOW: ("Go", "vmihailenco/msgpack"),
    NODE_JSON: ("Node", "JSON.parse"),
    NODE_MSGP: ("Node", "msgpackr"),
}
TIMES = {
    "orjson": {"dump": 1e-6, "load": 2e-6, "size": 1600, GO_JSON: 30e-6, NODE_JSON: 8e-6},
    "msgpack": {
        "dump": 4e-6,
        "load": 4e-6,
        "size": 1400,
        GO_MSGP: 9e-6,
        GO_SLOW: 15e-6,
        NODE_MSGP: 12e-6,
    },
    "pickle": {"dump": 3e-6, "load": 3e-6, "size": 1500},
}


def result_of(**changes: dict[str, Any]) -> ResultData:
    """Make up a run; changes are fields of cells by codec and operation, as ``orjson read@...``."""
    run = planted(TIMES, noise=0.001)

    def told(cell: CellResult) -> CellResult:
        name = cell.cell.operation_name
        if name not in FACTS:
            return cell
        facts = ReadFacts(*FACTS[name], "1.0", 1000, warmup=0.05)
        return replace(cell, **{"facts": facts, **changes.get(f"{cell.cell.codec} {name}", {})})

    environment = {**run.environment, "readers": "Go 1.26.8, Node 20.20.2"}
    return replace(run, cells=tuple(map(told, run.cells)), environment=environment)


def lossy(operation: str) -> dict[str, Any]:
    facts = ReadFacts(*FACTS[operation], "1.0", 999, 1, changes={LOSS: 1})
    return {"outcome": "lossy", "loss": (LOSS,), "facts": facts}


def refused(operation: str) -> dict[str, Any]:
    facts = ReadFacts(*FACTS[operation], "1.0", 999, 0, 1)
    return {
        "outcome": "unsupported",
        "reason": "refuses 1 of 1000 payloads: no int keys",
        "samples": (),
        "facts": facts,
    }


def sections(run: ResultData) -> list[dict[str, Any]]:
    return list(json.loads(render([run], "json"))["sections"])


def _libraries(run: ResultData) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = sections(run)[2]["rows"]
    return rows


def entries(run: ResultData, section: int) -> dict[str, dict[str, str]]:
    rows = sections(run)[section]["rows"]
    return {
        row["codec"]: {key: entry["text"] for key, entry in row["entries"].items()} for row in reversed(rows)
    }


def test_each_language_has_the_time_of_its_fastest_exact_library() -> None:
    found = entries(result_of(), 1)

    assert found["msgpack"]["go"].startswith("9.00")
    assert found["orjson"]["node"].startswith("8.00")
    assert "pickle" not in found


def test_a_faster_library_that_changes_values_is_not_the_best() -> None:
    found = entries(result_of(**{f"msgpack {GO_MSGP}": lossy(GO_MSGP)}), 1)

    assert found["msgpack"]["go"].startswith("15.0")


def test_a_language_without_an_exact_library_is_marked() -> None:
    run = result_of(**{f"orjson {NODE_JSON}": lossy(NODE_JSON), f"orjson {GO_JSON}": refused(GO_JSON)})

    found = entries(run, 1)["orjson"]
    assert found["node"].startswith("~8.00")
    assert found["go"] == "refused"
    assert "~ changes values" in render([run], "text")
    assert "~ changes values" not in render([result_of()], "text")


def test_codecs_that_write_the_same_payloads_share_a_row() -> None:
    run = result_of()
    codecs = [replace(facts, name="twin") for facts in run.codecs if facts.name == "orjson"]
    cells = [
        replace(each, cell=replace(each.cell, codec="twin"))
        for each in run.cells
        if each.cell.codec == "orjson"
    ]
    run = replace(run, cells=(*run.cells, *cells), codecs=(*run.codecs, *codecs))

    for section in (1, 2):
        names = [row["entries"]["codec"]["value"] for row in sections(run)[section]["rows"]]
        assert "orjson, twin" in names
        assert "twin" not in names


def test_tables_of_four_languages_fit_a_terminal() -> None:
    run = result_of()
    languages = {"go": "Go", "node": "Node", "java": "Java", "rust": "Rust"}
    cells = list(run.cells)
    for name, title in languages.items():
        for each in filter(lambda cell: cell.by_reader, run.cells):
            library = f"{name}-jackson-dataformat-{each.cell.codec}"
            facts = replace(each.facts, language=title, library=library)
            cells.append(replace(each, cell=replace(each.cell, place=library), facts=facts))

    wide = render([replace(run, cells=tuple(cells))], "text").split("read by others")[1]

    assert max(map(len, wide.splitlines()[3:])) <= 120


def test_footnotes_name_changed_paths_and_refusals() -> None:
    run = result_of(**{f"orjson {NODE_JSON}": lossy(NODE_JSON), f"msgpack {GO_SLOW}": refused(GO_SLOW)})
    text = render([run], "text", width=200)

    assert f"] changes {LOSS}" in text
    assert "] refuses 1 of 1000 payloads: no int keys" in text
    assert [
        (row["entries"]["library"]["text"], row["entries"]["fidelity"]["text"]) for row in _libraries(run)
    ] == [
        ("encoding/json", "exact"),
        ("tinylib/msgp", "exact"),
        ("vmihailenco/msgpack", "refused"),
        ("JSON.parse", "changed"),
        ("msgpackr", "exact"),
    ]
    assert "Go 1.26.8, Node 20.20.2" in text


def test_a_library_that_was_checked_on_fewer_records_says_so() -> None:
    run = result_of(**{f"orjson {NODE_JSON}": {"facts": ReadFacts(*FACTS[NODE_JSON], "1.0", 12)}})

    (marks,) = [
        row["entries"]["fidelity"]["marks"]
        for row in _libraries(run)
        if row["entries"]["library"]["text"] == "JSON.parse"
    ]
    assert marks == ["a"]
    assert "[a] checked on 12 of 1,000 records" in render([run], "text", width=200)


def test_readers_say_nothing_about_codecs() -> None:
    """A codec stays exact and ranked, whatever a reader makes of its payloads."""
    plain = sections(
        planted({c: {k: v for k, v in t.items() if k not in FACTS} for c, t in TIMES.items()}, noise=0.001)
    )
    run = result_of(**{f"orjson {NODE_JSON}": lossy(NODE_JSON), f"orjson {GO_JSON}": refused(GO_JSON)})

    assert entries(run, 0)["orjson"]["fidelity"] == "exact"
    assert [row["codec"] for row in sections(run)[0]["rows"]] == [row["codec"] for row in plain[0]["rows"]]


def test_a_result_file_keeps_what_readers_found(tmp_path: Any) -> None:
    run = result_of(**{f"orjson {NODE_JSON}": lossy(NODE_JSON)})
    write(run, tmp_path / "run.json")

    kept = read(tmp_path / "run.json")

    assert [c.facts for c in kept.cells if c.by_reader] == [c.facts for c in run.cells if c.by_reader]
    assert sections(kept) == sections(run)


def test_an_anonymous_result_has_no_values_of_records() -> None:
    run = result_of(**{f"orjson {NODE_JSON}": lossy(NODE_JSON), f"msgpack {GO_SLOW}": refused(GO_SLOW)})

    (told,) = anonymous([run], ())

    shown = [(c.reason, c.loss, c.facts) for c in told.cells if c.by_reader and c.outcome != "ok"]
    assert len(shown) == 2
    assert "$.id" not in repr(shown)
    assert "int keys" not in repr(shown)


@pytest.mark.parametrize("layout", ["html", "md", "latex", "csv"])
def test_every_layout_has_the_readers(layout: str) -> None:
    assert "JSON.parse" in render([result_of()], layout)


def test_readers_can_change_the_choice() -> None:
    result = Result(result_of())

    choice = result.best(reads_by="go*20,node*4")

    assert result.best(reads=24).name == "orjson"
    assert choice.name == "msgpack"
    # A write, 20 reads in Go and 4 in Node; none in Python.
    assert choice.standing.costs["msgpack"].value == pytest.approx((4 + 20 * 9 + 4 * 12) * 1e-6, rel=0.01)
    assert "one write and 24 reads (20 in Go, 4 in Node)" in choice.sentence
    assert "read in Go by tinylib/msgp and in Node by msgpackr" in choice.sentence
    assert dict(choice.excluded)["pickle"].words == "has no reader in Go"


def test_python_reads_only_if_it_is_named() -> None:
    with_python = Result(result_of()).best(reads_by="go-vmihailenco-msgpack*2,python*3")

    total = with_python.standing.costs["msgpack"].value
    assert total == pytest.approx((4 + 2 * 15 + 3 * 4) * 1e-6, rel=0.01)


def test_codecs_that_a_reader_changes_or_refuses_are_not_chosen() -> None:
    changed = result_of(**{f"orjson {NODE_JSON}": lossy(NODE_JSON)})
    both = result_of(**{f"orjson {NODE_JSON}": lossy(NODE_JSON), f"msgpack {NODE_MSGP}": refused(NODE_MSGP)})

    choice = Result(changed).best(reads_by="node")

    assert choice.name == "msgpack"
    reason = dict(choice.excluded)["orjson"].words
    assert reason == f"is not read exactly in Node: JSON.parse (Node) changes {LOSS}"
    assert Result(changed).best(reads_by="node", allow_loss=True).name == "orjson"
    with pytest.raises(RunError, match="no codec fits"):
        Result(both).best(reads_by="node")


@pytest.mark.parametrize(
    ("readers", "said"),
    [
        ("rust*2,go", "readers rust: not measured.*bakeoff run messages --readers go,node,rust"),
        ("go*0", "expected languages with their reads"),
        ("go 20", "expected languages with their reads"),
    ],
)
def test_readers_that_were_not_measured_are_refused(readers: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Result(result_of()).best(reads_by=readers)
