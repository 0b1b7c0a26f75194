"""The block above a table, of results drawn at random: it says nothing that the samples contradict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

import madeup
from bakeoff.bench.results import CellResult, Outcome, ResultData
from bakeoff.bench.verdict import rankings
from bakeoff.reports import OUTPUT_FORMATS, recommendation, render
from bakeoff.reports.model.answer import CorpusAnswer
from bakeoff.reports.model.options import TableOptions
from bakeoff.reports.model.view import View
from bakeoff.reports.page import notebook
from bakeoff.reports.tables.block import LINES, WIDTH
from bakeoff.reports.tables.build import build
from bakeoff.reports.tables.text import render as laid_out

NAMES: Final = ("json", "orjson", "msgpack", "bson", "marshal", "cbor2", "ujson/of-a-long-name", "yaml")
LOST: Final = ("`int` came back as `float` at `$.total`",)
FACTS: Final[Mapping[str, dict[str, Any]]] = {
    "trusted": {"trusted_only": True},
    "unguarded": {"unguarded": True},
    "objects": {"takes": "Structs"},
    "elsewhere": {"losses": ("`NaN` becomes null", "offsets become UTC")},
}
"""Properties of a codec, and the facts that give it them."""
OUTCOMES: Final[Mapping[str, tuple[Outcome, str]]] = {
    "crashed": ("crashed", "the process died of SIGSEGV"),
    "late": ("unfinished", "not enough time for the check; use --all"),
}


def _made(
    kinds: Mapping[str, tuple[str, float]],
    noise: float,
    processes: int,
    complete: bool,
    parts: frozenset[str],
    in_python: bool,
) -> ResultData:
    """Return a run.

    Args:
        kinds: The property of each codec, and its time in microseconds.
        parts: The operations that are left out.
    """
    figures = {
        name: {"dump": time * 1e-6, "load": time * 1e-6, "size": 100 + number, "peak-dump": 4096}
        for number, (name, (kind, time)) in enumerate(kinds.items())
        if kind not in OUTCOMES
    }
    run = madeup.planted(
        {
            name: {key: value for key, value in own.items() if key not in parts}
            for name, own in figures.items()
        },
        noise=noise,
        processes=processes,
        facts={name: FACTS[kind] for name, (kind, _) in kinds.items() if kind in FACTS},
        losses={name: LOST for name, (kind, _) in kinds.items() if kind == "lossy"},
        outcomes={name: OUTCOMES[kind] for name, (kind, _) in kinds.items() if kind in OUTCOMES},
        complete=complete,
        duration=61.0,
        **({"command": "bakeoff.run('records')"} if in_python else {}),
    )

    def rough(cell: CellResult) -> CellResult:
        if kinds.get(cell.cell.codec, ("",))[0] != "untimed" or cell.cell.operation not in ("dump", "load"):
            return cell
        return replace(cell, samples=(), rough=cell.samples[0].value)

    run = replace(run, cells=tuple(map(rough, run.cells)))
    return replace(run, rankings=rankings(run))


KINDS: Final = st.tuples(
    st.sampled_from(["", "", "", "lossy", "untimed", *FACTS, *OUTCOMES]),
    st.sampled_from([1.0, 1.0, 1.004, 1.02, 1.3, 2.0, 9.0]),
)
RUNS: Final = st.builds(
    _made,
    st.dictionaries(st.sampled_from(NAMES), KINDS, min_size=1),
    st.sampled_from([0.0003, 0.003, 0.05]),
    st.sampled_from([1, 2, 3, 12]),
    st.booleans(),
    st.sampled_from(
        [frozenset(), frozenset(), frozenset({"load"}), frozenset({"dump", "load"}), frozenset({"peak-dump"})]
    ),
    st.booleans(),
)


def _lines(run: ResultData) -> list[tuple[str, str]]:
    """Return the lines of the block as pairs of label and text."""
    (section,) = build(View.of([run]), TableOptions()).sections
    return [part for line in section.opening for part in line]


def _named(words: str) -> list[str]:
    """Return the codecs that a line names."""
    return [name for name in NAMES if re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/-])", words)]


@given(RUNS)
def test_it_fits_at_every_width_and_says_something_in_each_line(run: ResultData) -> None:
    table = build(View.of([run]), TableOptions())
    (section,) = table.sections
    lines = section.opening_lines

    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert all(
        words.strip() and not words.rstrip().endswith((":", ";", ",", "…")) for _, words in _lines(run)
    )
    assert all(label for label, _ in _lines(run)[1:])
    for width in (40, 80, 100, 140, 200):
        assert str(laid_out(table, width=width, brief=True)).startswith("\n".join(lines) + "\n")


@given(RUNS)
def test_its_words_are_those_of_the_verdicts(run: ResultData) -> None:
    (view,) = View.of([run]).corpora
    answer, judged, said = view.answer, view.standing.judged, dict(_lines(run)[1:])

    if answer.decided and answer.contest is not None:
        used, following = answer.contest.winner, _named(said["next"])
        place = {name: judged[name, used][0] for name in view.standing.costs if name != used}
        assert all(place[name] == "faster" for name in _named(said.get("faster", "")))
        assert all(place[name] in ("same", "unresolved") for name in _named(said.get("close", "")))
        for name in _named(said.get("between", "")):
            assert ("slower", "faster") == (place[name], judged[name, following[0]][0])
        assert all(place[name] == "slower" for name in following if "×" in said["next"])
        if said.get("sure", "").startswith("first in every reading"):
            assert set(place.values()) <= {"slower"}
        if "a tie with" in said.get("sure", ""):
            assert all(place[name] == "same" for name in _named(said["sure"].partition(",")[0]))
    _check_what_is_left(answer, said)


def _check_what_is_left(answer: CorpusAnswer, said: Mapping[str, str]) -> None:
    """Check the lines on codecs that are not chosen, and that the reason for no choice is true."""
    codecs, words = answer.view.codecs, " ".join(said.values())
    if " codec is safe and preserves every record" in said.get("next", ""):
        assert {each.name for each in answer.safe} <= set(answer.contest.level if answer.contest else ())
    if "nothing else was measured" in words:
        assert 1 == len(codecs)
    if "every codec failed" in words:
        assert {"crashed", "unfinished"} >= {each.outcome for each in codecs}
    if "something that every codec needs is missing" in words:
        assert {"missing"} == {each.outcome for each in codecs}
    if "was not measured" in words or "were not measured" in words:
        assert not any(each.samples("dump") and each.samples("load") for each in codecs)
    if "no codec was timed" in words:
        assert not any(each.samples("dump") or each.samples("load") for each in codecs)
    if "no safe codec preserves every record" in words:
        assert not any(each.name in answer.view.standing.costs for each in answer.safe)


@given(RUNS)
@settings(max_examples=30)
def test_every_format_has_its_words(run: ResultData) -> None:
    lines = _lines(run)
    plain = re.compile(r"[^\w.×%]+")
    for form in OUTPUT_FORMATS:
        written = plain.sub(" ", render([run], form))
        if form not in ("csv", "latex", "html"):
            assert all(plain.sub(" ", words).strip() in written for _, words in lines), form
    shown = notebook.render(run)

    assert all(label in shown for label, _ in lines)
    assert recommendation(run).endswith(".")
