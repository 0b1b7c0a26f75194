"""``python3 tasks.py benchmarks compare``: does a gate fail what has changed, and nothing else?

Runs of five codecs are simulated with the components of variance that real ones have: processes of one run
differ by 3.5 % (memory layout), runs of one cell by 0.8 %, of a slow codec by 2.2 %, and `--erratic` ones by
another 20 % in one run of seven; a neighbor on the same physical core slows codecs down by factors between
1.38 and 1.75, a whole run or some pairs of processes at a time. Two runs of the same code are compared with
a gate of 5 %, and two of which the second has one codec 10 % slower, each on many machines that remember no
past runs, or fifteen. What the gate does not pass is confirmed: both sides in turn, until it is decided.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import click

from bakeoff.bench.method import Verdicts
from bakeoff.bench.past import Past, PastCell, rows_of
from bakeoff.bench.results import Cell, CellResult, CodecFacts, CorpusFacts, Measurement, ResultData
from bakeoff.bench.run.interleaved import LOOKS
from bakeoff.bench.stats import split
from bakeoff.reports.decide.compare import Comparison, again, compare, confirmed, settled

from ._frame import Targets, benchmark

LIMIT = 0.05
PLANTED = 1.1
FALSE = 0.05
"""Share of comparisons of identical runs that may fail."""
FOUND = 0.95
"""Share of comparisons with a planted slowdown that must fail."""
LAYOUT = 0.035
CODECS: Mapping[str, tuple[float, float]] = {
    "orjson": (0.008, 1.41),
    "msgpack": (0.008, 1.38),
    "json": (0.008, 1.75),
    "pickle": (0.008, 1.45),
    "yaml": (0.022, 1.38),
}
"""How far runs lie apart, as a standard deviation of logs, and the factor of a call on a shared core."""
KERNEL = 1.64
"""How much longer the reference kernel takes on a shared core."""
PAIRS = 60
"""Pairs of processes that the time of `--confirm` suffices for."""

Answer = Literal["fails", "cannot decide", "passes"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A machine.

    Attributes:
        shared: Share of runs, and of pairs of processes, on a core that a neighbor shares.
        erratic: Share of runs in which the slow codec is far off, for no reason that is recorded.
        past: Runs that the machine remembers.
    """

    shared: float = 0.0
    erratic: float = 0.0
    past: int = 0


SCENARIOS: Mapping[str, Scenario] = {
    "quiet, no past": Scenario(),
    "quiet, 15 past runs": Scenario(past=15),
    "neighbor, no past": Scenario(shared=0.3),
    "neighbor, 15 past runs": Scenario(shared=0.3, past=15),
    "erratic, no past": Scenario(shared=0.3, erratic=0.14),
    "erratic, 15 past runs": Scenario(shared=0.3, erratic=0.14, past=15),
}


def run(rng: random.Random, scenario: Scenario, started: int, slower: Mapping[str, float]) -> ResultData:
    """Simulate a run; `slower` has the codecs that take longer, with their factors."""
    shared = rng.random() < scenario.shared
    processes = rng.randint(5, 10)
    cells = []
    for codec, (apart, factor) in CODECS.items():
        for operation in ("dump", "load"):
            level = rng.gauss(0, apart) + math.log(slower.get(codec, 1.0))
            if codec == "yaml" and rng.random() < scenario.erratic:
                level += rng.gauss(0, 0.2)
            if shared:
                level += math.log(factor / KERNEL)
            values = [math.exp(level + rng.gauss(0, LAYOUT)) for _ in range(processes)]
            cells.append(CellResult(Cell("made", operation, codec), "ok", samples=_samples(values, shared)))
    return ResultData(
        cells=tuple(cells),
        codecs=tuple(CodecFacts(name, name, name, "1", None) for name in CODECS),
        corpora=(CorpusFacts("made", "made", "0", 1000, 1000),),
        started=f"{started:06}",
    )


def _samples(values: Sequence[float], shared: bool) -> tuple[Measurement, ...]:
    contention = KERNEL if shared else 1.0
    return tuple(
        Measurement(value, value, value, pair, reference_kernel=1.0, contention=contention)
        for pair, value in enumerate(values)
    )


def in_turn(
    rng: random.Random, scenario: Scenario, comparison: Comparison, slower: Mapping[str, float]
) -> Comparison:
    """Simulate what `--confirm` does."""
    changes = again(comparison, LIMIT)
    if not changes:
        return comparison
    alpha = split(Verdicts.ALPHA, len(LOOKS) * len(changes))
    samples = {}
    for change in changes:
        codec = change.cell.codec
        before: list[float] = []
        after: list[float] = []
        while len(before) < PAIRS:
            # Where the neighbor comes or goes between the two, the pair is left out; where it comes or goes
            # within one, some of its effect is left.
            if rng.random() < scenario.shared / 2:
                continue
            stain = math.log(CODECS[codec][1] / KERNEL) * rng.random() * (rng.random() < scenario.shared / 4)
            before.append(math.exp(rng.gauss(0, LAYOUT)))
            after.append(slower.get(codec, 1.0) * math.exp(rng.gauss(0, LAYOUT) + stain))
            if len(before) in LOOKS:
                pair = _samples(before, False), _samples(after, False)
                if settled(*pair, change.operation, LIMIT, alpha):
                    break
        samples[change.cell] = _samples(before, False), _samples(after, False)
    return confirmed(comparison, samples, alpha, ())


def answer(comparison: Comparison) -> Answer:
    """Return what a gate says."""
    if comparison.regressions(LIMIT) or comparison.missing():
        return "fails"
    return "cannot decide" if comparison.undecided(LIMIT) else "passes"


def outcomes(
    scenario: Scenario, slower: Mapping[str, float], machines: int, seed: int
) -> Iterator[tuple[Answer, Answer]]:
    """Yield what the gate says of two runs, and of the same after `--confirm`."""
    for number in range(machines):
        rng = random.Random(f"{seed} {number}")
        past: list[PastCell] = []
        for started in range(scenario.past):
            past += rows_of(run(rng, scenario, started, {}))
        before = run(rng, scenario, scenario.past, {})
        after = run(rng, scenario, scenario.past + 1, slower)
        first = compare(before, after, sessions=Past([before, after], past).sessions())
        yield answer(first), answer(in_turn(rng, scenario, first, slower))


def _shares(answers: Sequence[Answer]) -> dict[Answer, float]:
    counts = Counter(answers)
    return {key: counts[key] / len(answers) for key in ("fails", "cannot decide", "passes")}


@benchmark
@click.option("--machines", default=400, show_default=True, help="Comparisons of each kind.")
@click.option("--seed", default=1, show_default=True)
def main(targets: Targets, machines: int, seed: int) -> None:
    """Print how often a gate of 5 % fails, against the targets; a minute or two."""
    click.echo(f"{'':42}{'fails':>8}{'cannot':>9}{'passes':>8}   with --confirm: fails   cannot")
    for name, scenario in SCENARIOS.items():
        for what, slower in (("same code", {}), ("one codec 10 % slower", {"json": PLANTED})):
            found = list(outcomes(scenario, slower, machines, seed))
            first, last = (_shares([pair[side] for pair in found]) for side in (0, 1))
            if slower:
                verdict = targets.verdict(last["fails"] >= FOUND, f"at least {FOUND:.0%}")
            else:
                verdict = targets.verdict(last["fails"] <= FALSE, f"at most {FALSE:.0%}")
            click.echo(
                f"{name + ', ' + what:48}"
                + "".join(f"{share:8.1%} " for share in first.values())
                + f"{last['fails']:18.1%} {last['cannot decide']:8.1%}  fails: {verdict}"
            )
