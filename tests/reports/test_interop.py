"""``pick --interop``: a codec whose payloads the run's readers have read exactly."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.bench.results import ReadFacts, ResultData
from bakeoff.bench.workers import builds
from bakeoff.errors import RunError
from bakeoff.reports.decide.pick import PickedCodec, Wish, pick
from benchmarks.fidelity import KINDS, Kind, built, picked
from madeup import added, planted

CHANGED = {
    "outcome": "lossy",
    "changed": 2,
    "changes": {"$.at: a became b": 5, "$.id: int 1 became float 1.0": 3},
}
REFUSED = {"outcome": "unsupported", "refused": 1, "reasons": {"invalid code": 7}}


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
    run: ResultData, codec: str, language: str, library: str, *, outcome: str = "ok", **found: Any
) -> ResultData:
    facts = ReadFacts(language, library, "1.0", found.pop("exact", 10), **found)
    reason = "died of SIGSEGV" if outcome == "crashed" else ""
    return added(
        run, codec, f"read@{language.lower()}-{library}", outcome=outcome, reason=reason, facts=facts
    )


@pytest.fixture
def run() -> ResultData:
    return planted(COSTS)


def why(choice: PickedCodec, codec: str) -> str:
    return dict(choice.excluded)[codec]


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
    choice = pick([run], Wish(interop=True))

    assert (choice.name, why(choice, "json")) == ("msgpack", reason)
    assert why(choice, "yaml") == "was read by no library of Go"
    assert "10 records are read exactly by Go (usual)" in choice.sentence
    assert pick([run], Wish()).name == "json"


def test_every_language_counts(run: ResultData) -> None:
    run = read_by(read_by(run, "json", "Go", "usual"), "msgpack", "Go", "other")
    run = read_by(run, "msgpack", "Node", "unpack", exact=8)
    choice = pick([run], Wish(interop=True))

    assert why(choice, "json") == "was read by no library of Node"
    assert "8 records are read exactly by Go (other) and Node (unpack)" in choice.sentence


def test_corpus_is_named_if_there_are_several() -> None:
    run = planted(COSTS, corpora=("movies", "messages"))
    for corpus in run.corpora[::-1]:
        bare = replace(run, corpora=(corpus,))
        fault = CHANGED if corpus.name == "messages" else {}
        read = read_by(read_by(bare, "json", "Go", "a", **fault), "msgpack", "Go", "b")
        run = replace(run, cells=(*run.cells, *read.cells[-2:]))
    choice = pick([run], Wish(interop=True))

    assert why(choice, "json").endswith("$.id: int 1 became float 1.0 on messages")
    assert "20 records are read exactly by Go (b)" in choice.sentence


def test_no_codec_that_all_libraries_read(run: ResultData) -> None:
    for codec in ("json", "msgpack", "yaml"):
        run = read_by(run, codec, "Go", "first", **REFUSED)
    run = read_by(run, "msgpack", "Go", "second")

    with pytest.raises(RunError, match="no codec fits") as raised:
        pick([run], Wish(interop=True))
    assert "(one library of each language reads exactly: msgpack by second)" in str(raised.value)


@pytest.mark.parametrize(
    ("file", "way"), [("bakeoff.json", ": `bakeoff run FILE --readers go,node`"), ("", "")]
)
def test_without_readers_the_format_decides(run: ResultData, file: str, way: str) -> None:
    choice = pick([run], Wish(interop=True), file)

    assert choice.sentence.endswith(f"other languages read its format, but no reader was tried{way}.")


def test_what_a_schema_restores_is_not_claimed() -> None:
    run = planted({"json+schema": {"dump": 1e-6, "load": 1e-6, "fix": 1e-6}})
    choice = pick([read_by(run, "json+schema", "Go", "usual")], Wish(interop=True))

    assert "which get what the schema restores in the form that the format has for it" in choice.sentence


@pytest.fixture(scope="module")
def ask() -> Any:
    if missing := {"go", "node"} - set(built()):
        pytest.skip(f"readers are not built: bakeoff readers {' '.join(sorted(missing))}")
    with ExitStack() as stack:
        workers = {name: stack.enter_context(builds.start(name)) for name in ("go", "node")}
        yield lambda kind: picked(kind, workers)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_twelve_kinds_of_records(ask: Callable[[Kind], tuple[str, str]], kind: Kind) -> None:
    name, said = ask(kind)

    assert name == kind.right, said
