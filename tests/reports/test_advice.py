"""What would change the answer: `pick`, asked beyond each printed point, answers what was said."""

from __future__ import annotations

import contextlib
import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import pytest

import madeup
from bakeoff.bench.method import Verdicts
from bakeoff.bench.results import Measurement, ResultData
from bakeoff.bench.verdict import rankings
from bakeoff.errors import BakeoffError, RunError
from bakeoff.reports import render
from bakeoff.reports.decide.pick import PickedCodec, Requirements, pick
from bakeoff.reports.decide.pick_output import render as written
from bakeoff.reports.model import turning
from bakeoff.reports.model.candidates import standing_on
from bakeoff.reports.model.cost import PLAUSIBLE, CostModel, parse_bandwidth
from bakeoff.reports.model.prices import Prices
from bakeoff.reports.model.view import View
from bakeoff.reports.page.notebook import render as notebook

RESULTS = 500
SHARE = 100

_NUMBER = r"[\d.,e+-]+"
_SPEED = r"[kMG]?bit/s"
CHANGE = re.compile(
    rf"(?P<winner>\S+) wins if (?P<what>you read|the network|a gigabyte costs) (?:is |has )?(?P<soon>about )?"
    rf"(?:(?P<side>more|less|faster|slower) than )?(?P<writes>once per )?"
    rf"(?P<first>{_NUMBER})(?: (?P<first_unit>{_SPEED}))?(?: to (?P<last>{_NUMBER}))?"
    rf"(?: (?P<unit>{_SPEED}|times per write|writes))?"
    rf"(?: \(undecided from (?P<start_writes>once per )?(?P<start>{_NUMBER})"
    rf"(?: (?P<start_unit>{_SPEED}|times|writes))?\))?"
)
UNITS = {"you read": "reads", "the network": "bandwidth", "a gigabyte costs": "a gigabyte"}
NOTHING = "nothing"


def measured(rng: random.Random, mean: float, noise: float, levels: list[float]) -> tuple[Measurement, ...]:
    found = []
    for pair, level in enumerate(levels):
        value = mean * level * math.exp(rng.gauss(0, noise))
        found.append(Measurement(value, value / level, value, pair))
    return tuple(found)


def drawn(seed: int) -> tuple[ResultData, CostModel]:
    """Return a random run and a use: twins, codecs that nearly tie, lossy and failed ones, schemas."""
    rng = random.Random(seed)
    corpora = ["messages", "movies", "types"][: rng.choice([1, 1, 1, 2, 3])]
    names = ["json", "orjson", "msgpack", "cbor2", "json|zstd:3", "bson", "yaml", "avro", "pickle"]
    names = rng.sample(names, rng.choice([1, 2, 3, 4, 5, 6, 8]))
    near = rng.choice([0.003, 0.02, 0.3, 1.0, 2.0])
    processes = rng.choice([1, 2, 3, 3, 4, 5, 8, 15])
    scale = {corpus: 1e-6 * math.exp(rng.gauss(0, 2)) for corpus in corpora}
    figures: dict[str, dict[str, float]] = {}
    for name in names:
        if figures and rng.random() < 0.1:
            figures[name] = figures[rng.choice(list(figures))]
            continue
        dump, load = (math.exp(rng.gauss(0, near)) for _ in "dl")
        size = rng.choice([1, 1, 1.004, 1.1, 0.3, 3]) * math.exp(rng.gauss(0, near / 4))
        figures[name] = {"dump": dump, "load": load, "size": size}
        if rng.random() < 0.1:
            figures[f"{name}+schema"] = figures[name] | {"fix": load * rng.choice([0, 0.01, 0.3])}
    quiet = rng.choice([0.0, 1e-4, 0.003, 0.02])
    noises = {name: quiet * rng.choice([1, 1, 1, 5, 30]) for name in figures}
    run = madeup.planted(
        {
            name: {
                part: 1000.0 * max(1e-3, value) if part == "size" else value for part, value in own.items()
            }
            for name, own in figures.items()
        },
        corpora=corpora,
        processes=processes,
        noise=0.0,
        facts={
            name: {
                "trusted_only": name.startswith("pickle"),
                "interoperable": rng.random() < 0.7,
                "library": rng.choice(["Python", "other"]),
                "extra": rng.choice(["", "extra"]),
            }
            for name in figures
        },
        losses={name: ("`tuple` came back as `list`",) for name in figures if rng.random() < 0.1},
        outcomes={"ujson": ("crashed", "it died")} if rng.random() < 0.2 else {},
    )
    levels = {corpus: [math.exp(rng.gauss(0, 0.05)) for _ in range(processes)] for corpus in corpora}
    cells = []
    for cell in run.cells:
        if cell.cell.operation in ("dump", "load", "fix") and cell.cell.codec in noises:
            mean = cell.samples[0].value * scale[cell.cell.corpus] * math.exp(rng.gauss(0, near / 9))
            cell = replace(
                cell, samples=measured(rng, mean, noises[cell.cell.codec], levels[cell.cell.corpus])
            )
        cells.append(cell)
    run = replace(run, cells=tuple(cells))
    reads = rng.choice([0.0, 1.0, 1.0, 1.0, 3.0, 24.0, 500.0])
    bandwidth = rng.choice([math.inf, math.inf, 1e5, 1.25e7, 1.25e9])
    return replace(run, rankings=rankings(run)), CostModel(reads, bandwidth, rng.choice(["once", "per-read"]))


@dataclass(frozen=True)
class Said:
    """A sentence, as a reader understands it."""

    winner: str
    loser: str
    above: bool
    unit: str
    start: float | None
    end: float
    until: float | None

    def beyond(self) -> Iterator[float]:
        """Yield values from the end of the range to where the winner leads, or to the last plausible one."""
        last = self.until or PLAUSIBLE_ENDS[self.unit][self.above]
        yield from (self.end * (last / self.end) ** share for share in (0.001, 0.3, 0.95))


PLAUSIBLE_ENDS = {**PLAUSIBLE, "a gigabyte": (1e-12, 1e6)}


def _value(number: str, unit: str | None, *, writes: bool = False) -> float:
    plain = number.replace(",", "")
    if unit and unit.endswith("bit/s"):
        return parse_bandwidth(f"{plain} {unit}")
    return 1 / float(plain) if writes else float(plain)


def now(requirements: Requirements, unit: str) -> float:
    """The present value of a weight."""
    if unit == "a gigabyte":
        assert requirements.prices is not None
        return requirements.prices.gigabyte
    return requirements.cost.reads if unit == "reads" else requirements.cost.bandwidth


def understood(sentence: str, requirements: Requirements = Requirements(), loser: str = "") -> Said:  # noqa: B008 - it is frozen
    """Read a sentence about the answer `loser` for a use."""
    found = CHANGE.fullmatch(sentence)
    assert found is not None, sentence
    unit, writes = found["unit"], bool(found["writes"])
    first = _value(found["first"], found["first_unit"] or unit, writes=writes)
    ends = sorted([first, _value(found["last"], unit, writes=writes) if found["last"] else first])
    kind = UNITS[found["what"]]
    above = found["side"] in ("more", "faster") if found["side"] else ends[0] > now(requirements, kind)
    end, until = ends if above else reversed(ends)
    start = None
    if found["start"]:
        start = _value(found["start"], found["start_unit"], writes=bool(found["start_writes"]))
    return Said(
        found["winner"],
        loser,
        above,
        kind,
        start,
        end,
        None if found["side"] else end if found["soon"] else until,
    )


def _pick(results: list[ResultData], requirements: Requirements) -> PickedCodec:
    """`pick` without what would change its answer, which takes most of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bakeoff.reports.decide.pick.breakeven", lambda *_: iter(()))
        return pick(results, requirements)


def asked(run: ResultData, requirements: Requirements, unit: str, value: float) -> PickedCodec:
    """What `pick` answers for the same use with one weight changed."""
    if unit == "a gigabyte":
        assert requirements.prices is not None
        return _pick([run], replace(requirements, prices=replace(requirements.prices, gigabyte=value)))
    return _pick([run], replace(requirements, cost=replace(requirements.cost, **{unit: value})))


def leading(choice: PickedCodec) -> set[str]:
    """The codecs that `pick` does not know to cost more than its answer, by more than a tie."""
    level = {choice.name, *choice.tied, *(name for name, _ in choice.unresolved)}
    return level | {name for name, times in choice.runners_up if times <= 1 + Verdicts.TIE}


def contradictions(run: ResultData, requirements: Requirements, sentence: str, loser: str) -> Iterator[str]:
    """Yield what `pick` says against a sentence."""
    said = understood(sentence, requirements, loser)
    at = cache(lambda value: asked(run, requirements, said.unit, value))
    if at(said.end).name != said.winner:
        yield f"{sentence}: at its end {at(said.end).name}"
    for value in said.beyond():
        if at(value).name != said.winner and said.winner not in leading(at(value)):
            yield f"{sentence}: at {value:g} {at(value).name}"
        if at(value).name == said.loser:
            yield f"{sentence}: at {value:g} still {said.loser}"
    if said.until is not None:
        with contextlib.suppress(RunError):  # Its payloads may be too large for the line.
            if said.winner in leading(at(PLAUSIBLE_ENDS[said.unit][said.above])):
                yield f"{sentence}: leads to the end"
    if said.start is not None and said.loser not in leading(at(said.start)):
        yield f"{sentence}: at its start {at(said.start).name}"


def lines_of(run: ResultData, cost: CostModel) -> dict[str, list[str]]:
    """Return what would change the answer, by corpus; `NOTHING` if nothing does."""
    found = {}
    for view in View.of([run], cost).corpora:
        if changes := view.answer.changes:
            found[view.corpus.name] = list(map(turning.sentence, changes))
        elif view.answer.decided and view.answer.axes:
            found[view.corpus.name] = [NOTHING]
    return found


def missed(run: ResultData, requirements: Requirements, winner: str, lines: list[str]) -> Iterator[str]:
    """Yield where `pick` answers another codec although no line says so."""
    said = {(found.unit, found.above): found for found in (understood(line, requirements) for line in lines)}
    for unit, now in (("reads", requirements.cost.reads), ("bandwidth", requirements.cost.bandwidth)):
        for above in (False, True):
            change = said.get((unit, above))
            low, high = PLAUSIBLE[unit]
            last = change.start if change else high if above else low
            if last is None or (now >= high if above else now <= low):
                continue
            start = min(max(now, low), high)
            value = start * (last / start) ** 0.9
            if winner not in leading(choice := asked(run, requirements, unit, value)):
                yield f"{lines}: at {value:g} {unit} {choice.name}"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, RESULTS, SHARE))
def test_pick_contradicts_no_sentence_about_random_results(first: int) -> None:
    changes = nothing = 0
    bad = []
    for seed in range(first, first + SHARE):
        run, cost = drawn(seed)
        for corpus, lines in lines_of(run, cost).items():
            requirements = Requirements(cost, corpora=(corpus,))
            said = lines
            try:
                choice = pick([run], requirements) if seed % 5 == 0 else _pick([run], requirements)
            except BakeoffError:
                assert not said, seed
                continue
            if said == [NOTHING]:
                nothing += 1
                said = []
            else:
                changes += len(said)
            if seed % 5 == 0:
                assert said == list(choice.breakeven), seed
            for line in said:
                bad += [
                    f"{seed} {corpus} {cost} {one}"
                    for one in contradictions(run, requirements, line, choice.name)
                ]
            bad += [f"{seed} {corpus} {cost} {one}" for one in missed(run, requirements, choice.name, said)]
    assert [] == bad, "\n".join(bad)
    assert changes > SHARE / 2
    assert nothing > SHARE / 10


def other_use(rng: random.Random, cost: CostModel) -> Requirements:
    """Return requirements of which each changes what the chooser looks at."""
    prices = Prices(300.0, rng.choice([0.0, 0.01, 1.0])) if rng.random() < 0.4 else None
    return Requirements(
        cost,
        rate=rng.choice([3e3, 3e5]) if prices or rng.random() < 0.3 else None,
        prices=prices,
        trusted=rng.random() < 0.3,
        allow_loss=rng.random() < 0.3,
        formats=("json", "msgpack", "cbor2", "bson") if rng.random() < 0.2 else (),
    )


@pytest.mark.slow
def test_pick_does_not_contradict_itself_over_several_corpora_and_by_price() -> None:
    changes = 0
    bad = []
    for seed in range(2 * SHARE):
        run, cost = drawn(seed)
        requirements = other_use(random.Random(seed), cost)
        try:
            choice = pick([run], requirements)
        except BakeoffError:
            continue
        changes += len(choice.breakeven)
        for line in choice.breakeven:
            bad += [
                f"{seed} {requirements} {one}" for one in contradictions(run, requirements, line, choice.name)
            ]
    assert [] == bad, "\n".join(bad)
    assert changes > SHARE / 3


def test_a_smaller_payload_that_only_ties_on_a_slow_line_overtakes_nothing() -> None:
    """The means meet at 571 kbit/s; below, sizes that differ by 0.4 % tie, and the tie-breakers decide."""
    planted = {
        "msgpack": {"dump": 1e-6, "load": 1e-6, "size": 1000.0},
        "cbor2": {"dump": 30e-6, "load": 28e-6, "size": 996.0},
        "json": {"dump": 3e-6, "load": 4e-6, "size": 1300.0},
    }
    run = madeup.planted(planted, facts={"cbor2": {"extra": "cbor2"}})

    assert {"messages": [NOTHING]} == lines_of(run, CostModel())
    assert "nothing at 0.01 to 10,000 reads per write, 8 kbit/s to 800 Gbit/s\n" in render([run], "text")
    assert () == pick([run], Requirements()).breakeven
    for bandwidth in ("567kbit/s", "100kbit/s"):
        assert "msgpack" == pick([run], Requirements(CostModel.of(bandwidth=bandwidth))).name


def test_an_answer_that_is_not_distinguishable_is_overtaken_from_here_on() -> None:
    planted = {"a": {"dump": 2e-6, "load": 1e-6, "size": 9.0}, "b": {"dump": 1e-6, "load": 2e-6, "size": 9.0}}
    run = madeup.planted(planted, noise=0.05, seed=1)
    choice = pick([run], Requirements())
    said = [understood(sentence, loser=choice.name) for sentence in choice.breakeven]
    other = [name for name, _ in choice.unresolved]

    assert {"a", "b"} == {choice.name, *other}
    assert [(*other, choice.name, 1.0)] == [(each.winner, each.loser, each.start) for each in said]


def test_who_leads_beyond_another_change_is_said() -> None:
    planted = {
        "a": {"dump": 1e-6, "load": 5e-6, "size": 9.0},
        "b": {"dump": 5e-6, "load": 3e-6, "size": 9.0},
        "c": {"dump": 50e-6, "load": 1e-6, "size": 9.0},
    }
    run = madeup.planted(planted, noise=0.0)

    assert ("b wins if you read 2.06 to 22.1 times per write (undecided from 1.94)",) == pick(
        [run], Requirements()
    ).breakeven


def test_a_range_from_nothing_has_its_end_only() -> None:
    """Two that tie without reads are in that order at no number of them."""
    planted = {"a": {"dump": 1e-6, "load": 5e-6, "size": 9.0}, "b": {"dump": 1e-6, "load": 3e-6, "size": 9.0}}
    choice = pick([madeup.planted(planted, noise=0.0)], Requirements(CostModel(0.0)))

    assert ("a", ("b",)) == (choice.name, choice.tied)
    assert ("b wins if you read more than 0.01 times per write",) == choice.breakeven


def test_a_rate_ends_what_is_asked_of_a_line() -> None:
    """The answer's payloads need 8 Mbit/s; below, another is picked for that reason, not for its cost."""
    planted = {
        "a": {"dump": 1e-6, "load": 1e-6, "size": 1000.0},
        "b": {"dump": 1e-6, "load": 15e-6, "size": 990.0},
        "c": {"dump": 600e-6, "load": 600e-6, "size": 100.0},
    }
    run = madeup.planted(planted, noise=0.0005)
    (slow,) = pick([run], Requirements()).breakeven

    assert "c" == understood(slow).winner
    assert understood(slow).end < 1e6
    assert "c wins if the network is slower than 5.94 Mbit/s (undecided from 6.08 Mbit/s)" == slow
    assert () == pick([run], Requirements(rate=1000.0)).breakeven
    assert "b" == pick([run], Requirements(CostModel.of(bandwidth="7.95 Mbit/s"), rate=1000.0)).name
    (near,) = pick([run], Requirements(rate=700.0)).breakeven
    assert near.startswith("c wins if the network has 560 kbit/s to 5.94 Mbit/s "), "its payloads need that"


def test_all_formats_say_the_same() -> None:
    run = madeup.planted()
    said = "you read more than 2.74 times per write: bson"
    (change,) = View.of([run], CostModel()).corpora[0].answer.changes

    sentence = turning.sentence(change)
    assert "bson wins if you read more than 2.74 times per write (undecided from 2.53)" == sentence
    for form in ("text", "md", "latex", "rst", "html", "json"):
        assert said in render([run], form), form
    assert said in notebook(run)
    assert f"  {sentence}\n" in written(pick([run], Requirements()), explain=True)


@pytest.mark.slow
def test_the_chooser_is_asked_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question judges all pairs of codecs."""
    run = madeup.result(corpora=5)
    for cost in (CostModel(), CostModel(24, 1.25e7), CostModel(3, 1.25e9)):
        for view in View.of([run], cost).corpora:
            asked = []
            monkeypatch.setattr(
                "bakeoff.reports.model.answer.standing_on",
                lambda *args, asked=asked: asked.append(args) or standing_on(*args),
            )
            assert view.answer.changes
            assert 4 <= len(asked) <= 24


@pytest.mark.parametrize("sizes", [(0.0, 50.0), (50.0, 0.0), (0.0, 0.0)])
def test_payloads_without_bytes_need_no_bandwidth(sizes: tuple[float, float]) -> None:
    """A codec that writes one constant record may write nothing."""
    costs = {"json": (5e-6, 5e-6), "msgpack": (2e-6, 2e-6)}
    run = madeup.planted(
        {
            name: {"dump": dump, "load": load, "size": size}
            for (name, (dump, load)), size in zip(costs.items(), sizes, strict=True)
        }
    )

    assert (
        "msgpack" == pick([run], Requirements(cost=CostModel(reads=3, bandwidth=1e9), rate=1e3)).winner.name
    )
