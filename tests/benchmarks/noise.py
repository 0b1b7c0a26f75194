"""``python3 tasks.py benchmarks noise``: do the intervals cover where one codec is noisier than the others?

Draws tables of codecs that all cost the same, one of them some times as noisy as the others, and judges them
as a report does. For each kind of table it prints how often the 95 % interval of the noisy codec to a quiet
one holds the truth, and that of two quiet ones (for the codec with the lowest share); how many tables have
any false verdict; half the width of a quiet interval in units of the noise; and how often a codec that takes
1.3 times as long is found where the noise is 2 %. ``--tables`` is how many of each kind are drawn.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import click

from bakeoff.bench.results import Measurement
from bakeoff.bench.stats import common, ratio, verdicts

from ._frame import Targets, benchmark

COVERED, FALSE = 0.93, 0.05
PROCESSES = (3, 5, 10)
CODECS = (4, 6, 8, 12)
NOISIER = (1.0, 2.0, 4.0, 10.0)
_NOISE = 0.02
"""Standard deviation of a quiet codec from process to process, on the log scale."""
_SHARED = 0.1
"""Standard deviation of the noise that all codecs of a process share."""
_SLOWER = 1.3


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table.

    Attributes:
        noisier: Times the noise of the others that the last codec has.
    """

    processes: int
    codecs: int
    noisier: float

    def tables(self, count: int, seed: int = 1) -> Iterator[dict[str, list[Measurement]]]:
        """Draw tables of codecs that all take the same."""
        rng = random.Random(f"{seed} {self}")
        names = [f"quiet {number}" for number in range(1, self.codecs)]
        for _ in range(count):
            shared = [rng.gauss(0, _SHARED) for _ in range(self.processes)]
            noises = dict.fromkeys(names, _NOISE) | {"noisy": _NOISE * self.noisier}
            yield {
                name: [
                    Measurement(value := math.exp(level + rng.gauss(0, noise)), value, value, pair)
                    for pair, level in enumerate(shared)
                ]
                for name, noise in noises.items()
            }


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of the tables of a kind, as shares of them.

    Attributes:
        noisy: Coverage of the ratio of the noisy codec to quiet ones.
        quiet: Coverage of the ratios among the quiet ones, for the codec with the least.
        false: Tables with any false verdict.
        width: Median half-width of the interval of two quiet codecs, in units of their noise.
        found: Tables in which a quiet codec that takes 1.3 times as long is told to be slower.
    """

    noisy: float
    quiet: float
    false: float
    width: float
    found: float


def simulate(kind: Kind, count: int, seed: int = 1) -> Seen:
    """Judge tables of a kind."""
    covered: dict[str, list[bool]] = {}
    false, found, widths = 0, 0, []
    for cells in kind.tables(count, seed):
        noise = common(cells)
        for a, b in combinations(cells, 2):
            estimate = ratio(cells[a], cells[b], prior=noise.between(a, b))
            for name in ("noisy",) if b == "noisy" else (a, b):
                covered.setdefault(name, []).append(estimate.low <= 1 <= estimate.high)
            if (a, b) == ("quiet 1", "quiet 2"):
                widths.append(math.log1p(estimate.half_width) / _NOISE)
        false += any(verdict in ("faster", "slower") for verdict, _ in verdicts(cells).values())
        slow = [
            Measurement(s.raw * _SLOWER, s.paired * _SLOWER, s.value * _SLOWER, s.pair)
            for s in cells["quiet 1"]
        ]
        found += verdicts(cells | {"quiet 1": slow})["quiet 1", "quiet 2"][0] == "slower"
    shares = {name: statistics.fmean(each) for name, each in covered.items()}
    quiet = min(share for name, share in shares.items() if name != "noisy")
    return Seen(shares["noisy"], quiet, false / count, statistics.median(widths), found / count)


@benchmark
@click.option("--tables", default=2000, show_default=True, help="Tables of each kind.")
def main(targets: Targets, tables: int) -> None:
    """Print coverage and false verdicts for each kind of table; exit with 1 where a target is missed."""
    target = f"coverage at least {COVERED:.0%}, false at most {FALSE:.0%}"
    click.echo("processes  codecs  noise  noisy  quiet  false  ± of quiet  1.3x found")
    for kind in (Kind(p, c, n) for p in PROCESSES for c in CODECS for n in NOISIER):
        seen = simulate(kind, tables)
        ok = min(seen.noisy, seen.quiet) >= COVERED and seen.false <= FALSE
        click.echo(
            f"{kind.processes:9}  {kind.codecs:6}  {kind.noisier:4g}x  {seen.noisy:5.1%}  {seen.quiet:5.1%}  "
            f"{seen.false:5.1%}  {seen.width:10.2f}  {seen.found:10.1%}  {targets.verdict(ok, target)}"
        )
