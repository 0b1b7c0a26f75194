"""``pick --interop``: a codec whose payloads the run's readers have read exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.bench.foreign.port import ForeignWorker
from bakeoff.bench.results import Outcome, ReadFacts, ResultData
from bakeoff.errors import RunError, UsageError
from bakeoff.reports.decide.pick import PickedCodec, Requirements, pick
from bakeoff.reports.decide.pick_readers import elsewhere, parse_readers
from benchmarks.fidelity import KINDS, Kind, picked
from madeup import added, planted

COSTS = {
    name: {"dump": place * 1e-6, "load": 1e-6} for place, name in enumerate(("json", "msgpack", "yaml"), 1)
}
CHANGED = {
    "outcome": "lossy",
    "changed": 2,
    "changes": {"$.at: a became b": 5, "$.id: int 1 became float 1.0": 3},
}
REFUSED = {"outcome": "unsupported", "refused": 1, "reasons": {"invalid code": 7}}


def read_by(
    run: ResultData, codec: str, language: str, library: str, *, outcome: Outcome = "ok", **found: Any
) -> ResultData:
    facts = ReadFacts(language, library, "1.0", found.pop("exact", 1000), **found)
    reason = "died of SIGSEGV" if outcome == "crashed" else ""
    place = f"{language.lower()}-{library}"
    return added(run, codec, f"read@{place}", 1e-6, outcome=outcome, reason=reason, facts=facts)


@pytest.fixture
def run() -> ResultData:
    return planted(COSTS)


def why(choice: PickedCodec, codec: str) -> str:
    return dict(choice.excluded)[codec].words


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (CHANGED, "is changed by fast (Go): record 3 of the sample, $.id: int 1 became float 1.0"),
        (REFUSED, "is refused by fast (Go): record 7 of the sample, invalid code"),
        ({"outcome": "crashed", "exact": 0}, "was not read by fast (Go): died of SIGSEGV"),
        ({"uncompared": 1}, "has records with too many levels to compare them in fast (Go)"),
        ({"exact": 0}, "was not read by fast (Go)"),
    ],
)  # fmt: skip
def test_codec_that_a_library_does_not_read_exactly(
    run: ResultData, found: dict[str, Any], reason: str
) -> None:
    for codec in ("json", "msgpack"):
        run = read_by(run, codec, "Go", "usual")
    run = read_by(run, "json", "Go", "fast", **found)
    choice = pick([run], Requirements(interop=True))

    assert (choice.name, why(choice, "json")) == ("msgpack", reason)
    assert why(choice, "yaml") == "was read by no library of Go"
    assert "1,000 records are read exactly by Go (usual)" in choice.sentence
    assert pick([run], Requirements()).name == "json"


def test_every_language_counts(run: ResultData) -> None:
    run = read_by(read_by(run, "json", "Go", "usual"), "msgpack", "Go", "other")
    run = read_by(read_by(run, "msgpack", "Node", "unpack"), "msgpack", "Node", "slow", exact=8)
    choice = pick([run], Requirements(interop=True))

    assert why(choice, "json") == "was read by no library of Node"
    libraries = "Go (other) and Node (unpack, slow: checked on 8 of 1,000 records)"
    assert f"1,000 records are read exactly by {libraries}" in choice.sentence


def test_records_that_no_library_was_checked_on_are_not_claimed(run: ResultData) -> None:
    run = read_by(run, "json", "Go", "usual", exact=8)

    assert (
        "8 of 1,000 records are read exactly by Go (usual)"
        in pick([run], Requirements(interop=True)).sentence
    )


def test_corpus_is_named_if_there_are_several() -> None:
    run = planted(COSTS, corpora=("movies", "messages"))
    for corpus in run.corpora[::-1]:
        bare = replace(run, corpora=(corpus,))
        fault = CHANGED if corpus.name == "messages" else {}
        read = read_by(read_by(bare, "json", "Go", "a", **fault), "msgpack", "Go", "b")
        run = replace(run, cells=(*run.cells, *read.cells[-2:]))
    choice = pick([run], Requirements(interop=True))

    assert why(choice, "json").endswith("$.id: int 1 became float 1.0 on messages")
    assert "2,000 records are read exactly by Go (b)" in choice.sentence


def test_no_codec_that_all_libraries_read(run: ResultData) -> None:
    for codec in ("json", "msgpack", "yaml"):
        run = read_by(run, codec, "Go", "first", **REFUSED)
    run = read_by(run, "msgpack", "Go", "second")

    with pytest.raises(RunError, match="no codec fits") as raised:
        pick([run], Requirements(interop=True))
    assert "(one library of each language reads exactly: msgpack by second (--reads-by go-second))" in str(
        raised.value
    )


def test_named_library_is_the_one_that_counts(run: ResultData) -> None:
    run = read_by(read_by(run, "json", "Go", "first", **CHANGED), "json", "Go", "second")
    requirements = Requirements(interop=True)

    with pytest.raises(RunError, match="is changed by first"):
        pick([run], requirements)
    results, asked = elsewhere([run], requirements, parse_readers("go-second"))
    assert "read exactly by Go (second)" in pick(results, asked).sentence
    with pytest.raises(RunError, match="is changed by first"):
        pick(*elsewhere([run], requirements, parse_readers("python")))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nodee", "no reader 'nodee'; did you mean node?"),
        ("node", "measure with `bakeoff run .* --readers go,node`"),
    ],
)
def test_a_reader_that_was_not_measured(run: ResultData, name: str, said: str) -> None:
    run = read_by(run, "json", "Go", "second")

    with pytest.raises(UsageError, match=said):
        elsewhere([run], Requirements(), parse_readers(name), ("go", "node"))


@pytest.mark.parametrize(
    ("file", "way"), [("bakeoff.json", ": `bakeoff run FILE --readers go,node`"), ("", "")]
)
def test_without_readers_the_format_decides(run: ResultData, file: str, way: str) -> None:
    choice = pick([run], Requirements(interop=True), file)

    assert choice.sentence.endswith(f"other languages read its format, but no reader was tried{way}.")


def test_what_a_schema_restores_is_not_claimed() -> None:
    run = planted({"json+schema": {"dump": 1e-6, "load": 1e-6, "fix": 1e-6}})
    choice = pick([read_by(run, "json+schema", "Go", "usual")], Requirements(interop=True))

    assert "which get what the schema restores in the form that the format has for it" in choice.sentence


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_twelve_kinds_of_records(reader: Callable[[str], ForeignWorker], kind: Kind) -> None:
    name, said = picked(kind, {language: reader(language) for language in ("go", "node")})

    assert name == kind.right, said
