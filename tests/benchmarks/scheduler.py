"""``python3 tasks.py benchmarks scheduler``: can the scheduler be believed?

Prints the cost of measuring a call, how often a codec entered twice is distinguished from itself, how often
a planted 2 % is found, what early stopping does to false verdicts over 10,000 replays, and how long nine
codecs take to ±2 %, with plain pyperf's figures for the same work beside it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import click

from bakeoff.bench.capabilities import cores
from bakeoff.bench.jobs import CorpusInputs
from bakeoff.bench.lab.selftest.checks import FOUND_WITHIN
from bakeoff.bench.messages.check import Check, Checked
from bakeoff.bench.messages.timing import Time, Timed, TimedCell
from bakeoff.bench.results import Measurement, ResultData
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.run.reading import prepare
from bakeoff.bench.run.session import Session
from bakeoff.bench.run.stopping import StopRule
from bakeoff.bench.stats import verdicts
from bakeoff.bench.worker.time import harness
from bakeoff.errors import RunError

from ._frame import Targets, benchmark, busy

NINE = ("json", "simplejson", "orjson", "msgpack", "ormsgpack", "msgspec-msgpack", "pickle", "bson", "cbor2")
FIVE = ("json", "msgpack", "orjson", "pickle", "bson")
PLANTED = 0.02
REPLAYS = 10_000
SAME = StopRule(precision=0.0028, fewest=5, most=160)
"""For pairs of the same codec, so that the largest of 200 differences may stay below half a per cent."""


@dataclass(frozen=True, slots=True)
class Duel:
    """How two cells compared in one session.

    Attributes:
        name: What was compared.
        verdict: Of the first against the second.
        difference: Estimated difference as a share.
        logs: Log ratio by process.
        seconds: That the session took.
    """

    name: str
    verdict: str
    difference: float
    logs: tuple[float, ...]
    seconds: float


class Bench:
    """A sample and its payloads, ready to be timed in any combination of cells.

    Args:
        executor: Where workers run.
        corpus: Name of a built-in corpus.
        codecs: Codecs that may be entered.
    """

    def __init__(self, executor: LocalExecutor, corpus: str, codecs: Sequence[str]) -> None:
        self.executor = executor
        # Twice the rounds of a run of so many cells: the same verdicts for fewer starts of processes.
        self.options = Options((corpus,), tuple(codecs), rounds=60, no_time_limit=True)
        self.corpus: CorpusInputs = prepare(executor, self.options, corpus).corpus
        self.cells: dict[tuple[str, str], TimedCell] = {}
        for codec in codecs:
            answer: Checked | None = executor.work(
                Check(corpus=self.corpus, codec=codec, seconds=5.0), patience=60
            ).answer
            if answer is None or answer.outcome not in ("ok", "lossy"):
                raise RunError(f"{codec} cannot be measured: {answer}")
            for operation in ("dump", "load"):
                self.cells[codec, operation] = TimedCell(codec, operation, answer.payloads)

    def process(self, cells: Sequence[TimedCell], number: int) -> dict[str, float]:
        """Time the cells in one process; return their paired values by index."""
        allowed = cores()
        job = Time(
            corpus=self.corpus,
            cells=tuple(cells),
            rounds=self.options.rounds_for(len(cells)),
            slice=0.00025,
            core=allowed[number % len(allowed)] if len(allowed) > 1 else None,
        )
        answer: Timed | None = self.executor.work(job, patience=60).answer
        assert answer is not None, "a good codec died"
        return {index: found.paired for index, found in answer.cells.items()}

    def duels(
        self,
        pairs: Sequence[tuple[TimedCell, TimedCell]],
        rule: StopRule,
        budget: float = math.inf,
    ) -> list[Duel]:
        """Compare pairs of cells in one session of shared processes, each stopped by the rule.

        Args:
            pairs: First and second cell of each.
            rule: When a pair is done.
            budget: Seconds after which no process may still run; what it has found by then counts.
        """
        begun, longest = time.monotonic(), 0.0
        samples: list[dict[str, list[Measurement]]] = [{"a": [], "b": []} for _ in pairs]
        found: dict[int, Duel] = {}
        flat = [cell for pair in pairs for cell in pair]
        looks = set(rule.looks())
        for number in range(rule.most):
            started = time.monotonic()
            answer = self.process(flat, number)
            longest = max(longest, time.monotonic() - started)
            over = time.monotonic() - begun + longest > budget
            for index, cells in enumerate(samples):
                for offset, side in enumerate("ab"):
                    value = answer[str(2 * index + offset)]
                    cells[side].append(Measurement(value, value, value, number))
            if number + 1 not in looks and not over:
                continue
            last = number + 1 == max(looks) or over
            for index, cells in enumerate(samples):
                if index not in found and (last or rule.look([cells]).reached):
                    name = f"{pairs[index][0].operation} {pairs[index][0].codec}"
                    found[index] = _duel(name, cells, rule, time.monotonic() - begun)
            if len(found) == len(pairs):
                break
        return [found[index] for index in sorted(found)]


def _duel(name: str, cells: Mapping[str, list[Measurement]], rule: StopRule, seconds: float) -> Duel:
    verdict, ratio = verdicts(cells, rule.alpha)["b", "a"]
    logs = tuple(math.log(b.paired / a.paired) for a, b in zip(cells["a"], cells["b"], strict=True))
    return Duel(name, verdict, ratio.value - 1, logs, seconds)


def same(bench: Bench, pairs: int) -> list[Duel]:
    """Enter codecs as twins, twenty pairs a session."""
    found: list[Duel] = []
    while len(found) < pairs:
        cells = [(cell, cell) for cell in (*bench.cells.values(), *bench.cells.values())]
        found += bench.duels(cells, SAME)
        click.echo(f"  {len(found)} pairs", err=True)
    return found[:pairs]


def planted(bench: Bench, runs: int) -> list[Duel]:
    """Compare a codec with itself doing 2 % more, as ``--precision 0.5 --budget 5`` does after its checks."""
    cell = bench.cells["msgpack", "dump"]
    pair = cell, dataclasses.replace(cell, extra=PLANTED)
    rule = dataclasses.replace(bench.options, precision=0.005).rule
    return [duel for _ in range(runs) for duel in bench.duels([pair], rule, FOUND_WITHIN)]


def replays(duels: Sequence[Duel]) -> tuple[float, float]:
    """Draw processes from those measured and stop early; return the rates of false verdicts.

    Returns:
        With alpha split over the looks, and without.
    """
    pool = [log - statistics.fmean(duel.logs) for duel in duels for log in duel.logs]
    rng = random.Random(1)
    naive = dataclasses.replace(SAME, most=SAME.fewest)
    wrong = [0, 0]
    for _ in range(REPLAYS):
        logs = [rng.choice(pool) for _ in range(max(SAME.looks()))]
        for index, alpha in enumerate((SAME.alpha, naive.alpha)):
            wrong[index] += _replay(logs, SAME, alpha)
    return wrong[0] / REPLAYS, wrong[1] / REPLAYS


def _replay(logs: Sequence[float], rule: StopRule, alpha: float) -> bool:
    for n in rule.looks():
        cells = {
            "a": [Measurement(1.0, 1.0, 1.0, i) for i in range(n)],
            "b": [Measurement(v, v, v, i) for i, v in enumerate(map(math.exp, logs[:n]))],
        }
        verdict, found = verdicts(cells, alpha)["a", "b"]
        if verdict in ("faster", "slower") or found.half_width <= rule.precision:
            break
    return verdict in ("faster", "slower")


def nine(sessions: int) -> Iterator[tuple[ResultData, float]]:
    """Take nine codecs to ±2 % on every ratio; yield each session's result and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(sessions):
            options = Options(
                ("messages",), NINE, ("dump", "load"), ratios=True, budget=120.0, no_time_limit=True
            )
            begun = time.monotonic()
            yield Session(options, Path(folder) / f"{number}.json").run(), time.monotonic() - begun


def ratios(result: ResultData) -> dict[str, float]:
    """Return log ratios to the first codec, by operation and codec."""
    found: dict[str, float] = {}
    for operation in ("dump", "load"):
        means = {}
        for codec in NINE:
            cell = result.cell("messages", operation, codec)
            assert cell is not None
            means[codec] = statistics.fmean(math.log(s.paired) for s in cell.samples)
        found |= {f"{operation} {codec}": means[codec] - means[NINE[0]] for codec in NINE[1:]}
    return found


def plain_pyperf(sessions: int) -> Iterator[tuple[dict[str, float], float]]:
    """Measure the same nine codecs with pyperf's own scheduler; yield log ratios and seconds."""
    for _ in range(sessions):
        begun = time.monotonic()
        means: dict[str, float] = {}
        with tempfile.TemporaryDirectory() as folder:
            for codec in NINE:
                path = Path(folder) / f"{NINE.index(codec)}.json"
                command = [sys.executable, "-P", "-m", "bakeoff.bench", "--fast", "--quiet", "--codec", codec]
                command += ["--corpus", "messages", "--records", "1000", "-o", str(path)]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                for benchmark in json.loads(path.read_bytes())["benchmarks"]:
                    values = [v for run in benchmark["runs"] for v in run.get("values", ())]
                    name = benchmark.get("metadata", {}).get("name", "")
                    means[f"{name.rpartition('/')[2]} {codec}"] = math.log(statistics.fmean(values))
        logs = {key: value - means[f"{key.split()[0]} {NINE[0]}"] for key, value in means.items()}
        yield {k: v for k, v in logs.items() if not k.endswith(f" {NINE[0]}")}, time.monotonic() - begun


def _apart(sessions: Sequence[Mapping[str, float]]) -> tuple[float, str]:
    """Return how far the ratios of sessions are apart, as a standard deviation, and in words."""
    differences = [abs(a[key] - b[key]) for a, b in combinations(sessions, 2) for key in a]
    if not differences:
        return 0.0, "one session only"
    spread = math.sqrt(statistics.fmean(d * d for d in differences) / 2)
    return spread, f"{spread:.2%}, largest {max(differences):.2%}"


def _equality(targets: Targets, state: str, found: Sequence[Duel]) -> None:
    apart = sum(duel.verdict in ("faster", "slower") for duel in found)
    largest = max(abs(duel.difference) for duel in found)
    seconds = statistics.fmean(duel.seconds for duel in found)
    what = f"A/A, cores {state}, {seconds:.0f} s for {min(20, len(found))} pairs"
    targets.show(what, f"{apart} of {len(found)} separated", "5 %", ok=apart <= 0.05 * len(found))
    targets.at_most("largest difference", 100 * largest, 0.5, "%")


def _planted(targets: Targets, found: Sequence[Duel]) -> None:
    hits = sum(duel.verdict == "slower" for duel in found)
    quick = sum(duel.verdict == "slower" and duel.seconds <= FOUND_WITHIN for duel in found)
    seconds = statistics.fmean(duel.seconds for duel in found)
    read = statistics.fmean(duel.difference for duel in found)
    targets.show(
        f"planted +2 %, mean {seconds:.1f} s, read as {read:+.2%}",
        f"{hits} of {len(found)}, {quick} within {FOUND_WITHIN:g} s",
        "99 %",
        ok=quick >= 0.99 * len(found),
    )


@benchmark
@click.option("--pairs", default=200, show_default=True, help="A/A pairs on the machine as it is.")
@click.option(
    "--busy", "busy_pairs", default=200, show_default=True, help="A/A pairs with all cores busy in bursts."
)
@click.option("--planted", "runs", default=100, show_default=True, help="Runs with a planted difference.")
@click.option("--sessions", default=2, show_default=True, help="Sessions of nine codecs.")
@click.option("--pyperf/--no-pyperf", default=True, help="Plain pyperf beside it; minutes.")
def main(targets: Targets, pairs: int, busy_pairs: int, runs: int, sessions: int, pyperf: bool) -> None:
    """Print the scheduler's figures against their targets; an hour and a half with all of them."""
    targets.at_most("harness, a call", harness(10_000, tries=300), 10, "ns")
    with LocalExecutor() as executor:
        bench = Bench(executor, "messages", FIVE)
        equal: list[Duel] = []
        for state, number in (("as they are", pairs), ("all busy", busy_pairs)):
            with busy() if state == "all busy" and number else contextlib.nullcontext():
                found = same(bench, number)
            equal += found
            if found:
                _equality(targets, state, found)
        if runs:
            _planted(targets, planted(bench, runs))
    if equal:
        split, naive = replays(equal)
        what = f"false verdicts of {REPLAYS:,} replays ({naive:.2%} unsplit)"
        targets.at_most(what, 100 * split, 5, "%")
    ours = []
    for result, seconds in nine(sessions):
        reached = result.options["reached messages"]
        cell = result.cell("messages", "dump", NINE[0])
        processes = len(cell.samples) if cell else 0
        what = f"nine codecs to ±2 %, {processes} processes, reached: {reached}"
        targets.at_most(what, seconds, 60, "s")
        ours.append(ratios(result))
    if ours:
        spread, words = _apart(ours)
        targets.show("from session to session", words, "1 %", ok=spread <= 0.01)
    if pyperf:
        theirs = []
        for logs, seconds in plain_pyperf(sessions):
            click.echo(f"plain pyperf --fast: {seconds:.1f} s, no interval of the ratio")
            theirs.append(logs)
        click.echo(f"from session to session: {_apart(theirs)[1]}")
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    targets.at_most("the parent at its largest", usage / 1024, 150, "MB")
