"""``python3 tasks.py benchmarks scheduler``: can the scheduler be believed?

Prints the cost of measuring a call, how often a codec entered twice is told apart from itself, how often
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

from bakeoff.bench.jobs import Check, Checked, CorpusInputs, Time, Timed, TimedCell
from bakeoff.bench.lab.selftest.checks import FOUND_WITHIN
from bakeoff.bench.results import Measurement, Result
from bakeoff.bench.run.environment import cores
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.run.reading import prepare
from bakeoff.bench.run.session import Session
from bakeoff.bench.run.stopping import Rule
from bakeoff.bench.stats import verdicts
from bakeoff.bench.worker.time import harness
from bakeoff.errors import RunError

from ._neighbours import bursts

__all__ = ["Bench", "Duel", "main"]

NINE = ("json", "simplejson", "orjson", "msgpack", "ormsgpack", "msgspec-msgpack", "pickle", "bson", "cbor2")
FIVE = ("json", "msgpack", "orjson", "pickle", "bson")
PLANTED = 0.02
REPLAYS = 10_000
SAME = Rule(precision=0.0028, fewest=5, most=160)
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
            rounds=self.options.turns(len(cells)),
            slice=0.00025,
            core=allowed[number % len(allowed)] if len(allowed) > 1 else None,
        )
        answer: Timed | None = self.executor.work(job, patience=60).answer
        assert answer is not None, "a good codec died"
        return {index: found["paired"] for index, found in answer.cells.items()}

    def duels(
        self,
        pairs: Sequence[tuple[TimedCell, TimedCell]],
        rule: Rule,
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


def _duel(name: str, cells: Mapping[str, list[Measurement]], rule: Rule, seconds: float) -> Duel:
    verdict, ratio = verdicts(cells, rule.alpha, rule.tie)["b", "a"]
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


def _replay(logs: Sequence[float], rule: Rule, alpha: float) -> bool:
    for n in rule.looks():
        cells = {
            "a": [Measurement(1.0, 1.0, 1.0, i) for i in range(n)],
            "b": [Measurement(v, v, v, i) for i, v in enumerate(map(math.exp, logs[:n]))],
        }
        verdict, found = verdicts(cells, alpha, rule.tie)["a", "b"]
        if verdict in ("faster", "slower") or found.half_width <= rule.precision:
            break
    return verdict in ("faster", "slower")


def nine(sessions: int) -> Iterator[tuple[Result, float]]:
    """Take nine codecs to ±2 % on every ratio; yield each session's result and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(sessions):
            options = Options(
                ("messages",), NINE, ("dump", "load"), ratios=True, budget=120.0, no_time_limit=True
            )
            begun = time.monotonic()
            yield Session(options, Path(folder) / f"{number}.json").run(), time.monotonic() - begun


def ratios(result: Result) -> dict[str, float]:
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


def _apart(sessions: Sequence[Mapping[str, float]]) -> str:
    """Say how far the ratios of sessions are apart."""
    differences = [abs(a[key] - b[key]) for a, b in combinations(sessions, 2) for key in a]
    if not differences:
        return "one session only"
    spread = math.sqrt(statistics.fmean(d * d for d in differences) / 2)
    return f"session to session {100 * spread:.2f} % (largest {100 * max(differences):.2f} %)"


def _equality(found: Sequence[Duel]) -> str:
    apart = sum(duel.verdict in ("faster", "slower") for duel in found)
    largest = max(abs(duel.difference) for duel in found)
    return (
        f"{apart} of {len(found)} pairs separated (target 5 %), largest difference "
        f"{100 * largest:.2f} % (target 0.5), {statistics.fmean(duel.seconds for duel in found):.0f} s for "
        f"{min(20, len(found))} pairs"
    )


def _planted(found: Sequence[Duel]) -> str:
    hits = sum(duel.verdict == "slower" for duel in found)
    quick = sum(duel.verdict == "slower" and duel.seconds <= FOUND_WITHIN for duel in found)
    return (
        f"{hits} of {len(found)} found, {quick} within {FOUND_WITHIN:g} s (target 99 %), mean "
        f"{statistics.fmean(duel.seconds for duel in found):.1f} s, "
        f"read as {100 * statistics.fmean(duel.difference for duel in found):+.2f} %"
    )


@click.command()
@click.option("--pairs", default=200, show_default=True, help="A/A pairs on the machine as it is.")
@click.option("--busy", default=200, show_default=True, help="A/A pairs with all cores busy in bursts.")
@click.option("--planted", "runs", default=100, show_default=True, help="Runs with a planted difference.")
@click.option("--sessions", default=2, show_default=True, help="Sessions of nine codecs.")
@click.option("--pyperf/--no-pyperf", default=True, help="Plain pyperf beside it; minutes.")
def main(pairs: int, busy: int, runs: int, sessions: int, pyperf: bool) -> None:
    """Print the scheduler's figures against their targets; an hour and a half with all of them."""
    click.echo(f"harness               {harness(10_000, tries=300):.1f} ns a call (target 10)")
    with LocalExecutor() as executor:
        bench = Bench(executor, "messages", FIVE)
        equal: list[Duel] = []
        for state, number in (("as it is", pairs), ("all busy", busy)):
            with bursts() if state == "all busy" and number else contextlib.nullcontext():
                found = same(bench, number)
            equal += found
            if found:
                click.echo(f"A/A, cores {state}   {_equality(found)}")
        if runs:
            click.echo(f"planted +2 %          {_planted(planted(bench, runs))}")
    if equal:
        split, naive = replays(equal)
        click.echo(
            f"early stopping        {100 * split:.2f} % false verdicts in {REPLAYS:,} replays (target 5), "
            f"{100 * naive:.2f} % without splitting alpha"
        )
    ours = []
    for result, seconds in nine(sessions):
        reached = result.options["reached messages"]
        cell = result.cell("messages", "dump", NINE[0])
        processes = len(cell.samples) if cell else 0
        click.echo(
            f"nine codecs to ±2 %   {seconds:.1f} s, {processes} processes, reached: {reached} (target 60)"
        )
        ours.append(ratios(result))
    if ours:
        click.echo(f"                      {_apart(ours)} (target 1)")
    if pyperf:
        theirs = []
        for logs, seconds in plain_pyperf(sessions):
            click.echo(f"plain pyperf --fast   {seconds:.1f} s, no interval of the ratio")
            theirs.append(logs)
        click.echo(f"                      {_apart(theirs)}")
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    click.echo(f"parent                {usage / 1024:.0f} MB at its largest (target 150)")


if __name__ == "__main__":
    main()
