"""The page's script ranks as Python does, on thousands of random tables, run by Node without a browser."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.method import Processes, Verdicts
from bakeoff.bench.results import Cell, CellResult, CodecFacts, Measurement
from bakeoff.bench.stats import RUN_TO_RUN, interval
from bakeoff.bench.verdict import Judgment, Preferred, preference
from bakeoff.reports.model.breakeven import Choice, CostParts, axes_of, breakeven, parts_of
from bakeoff.reports.model.candidates import Candidate
from bakeoff.reports.model.cost import PLAUSIBLE, CostModel
from bakeoff.reports.page import page

TABLES = 3000
ADVISED = 0.4
"""Share of the tables for which the script says what would change the answer."""
NODE = shutil.which("node")
SCRIPT = Path(page.__file__).parent / "templates" / "ranking.js"

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")


def measured(rng: random.Random, mean: float, noise: float, shared: Mapping[int, float]) -> list[Measurement]:
    """Return samples of one cell, whose figures for ratios are not quite its values."""
    found = []
    for pair, level in shared.items():
        value = mean * level * math.exp(rng.gauss(0, noise))
        found.append(Measurement(value, value / level * math.exp(rng.gauss(0, noise / 4)), value, pair))
    return found


def drawn(rng: random.Random) -> dict[str, Any]:
    processes = rng.choice([1, 2, 2, 3, 3, 4, 5, 8, 15])
    shared = {pair: math.exp(rng.gauss(0, 0.2)) for pair in range(processes)}
    near = rng.choice([0.0, 0.003, 0.02, 0.3, 3.0])
    codecs: dict[str, dict[str, list[Measurement]]] = {}
    for number in range(rng.choice([1, 2, 3, 4, 5, 7, 10])):
        if codecs and rng.random() < 0.1:
            codecs[f"twin {number}"] = codecs[rng.choice(list(codecs))]
            continue
        mean = 1e-6 * math.exp(rng.gauss(0, near)) * rng.choice([1, 1, 1, 1, 1e6, 1e-3])
        noise = rng.choice([0.0, 1e-4, 0.005, 0.02, 0.02, 0.2, 2.0])
        there = shared
        if rng.random() < 0.2:
            there = {
                pair: shared[pair] for pair in sorted(rng.sample(list(shared), rng.randint(1, processes)))
            }
        cells = {part: measured(rng, mean, noise, there) for part in ("dump", "load")}
        if rng.random() < 0.1:
            cells["fix"] = measured(rng, mean / 9, noise, there)
        cells["size"] = [Measurement(size := float(rng.choice([90, 90, 100, 2000])), size, size)]
        codecs[f"codec {number}"] = cells
    return {
        "codecs": codecs,
        "facts": {
            name: CodecFacts(
                name=name,
                format="json",
                library=rng.choice(["Python", "other"]),
                version="1",
                accelerated=None,
                interoperable=rng.random() < 0.7,
                extra=rng.choice(["", "extra"]),
            )
            for name in codecs
        },
        "reads": rng.choice([0.0, 1.0, 1.0, 24.0]),
        "bandwidth": rng.choice([math.inf, math.inf, 1.25e6, 1.25e8]),
        "crossings": rng.choice(["once", "per-read"]),
        "advised": rng.random() < ADVISED,
        "alpha": rng.choice([0.05, 0.0038]),
        "safe": [name for name in codecs if rng.random() < 0.8],
        "shown": [name for name in codecs if rng.random() < 0.9],
    }


def by_python(table: Mapping[str, Any]) -> dict[str, Any]:
    cells = {
        name: {
            part: CellResult(Cell("c", part, name), "ok", samples=tuple(found)) for part, found in own.items()
        }
        for name, own in table["codecs"].items()
    }
    cost = CostModel(table["reads"], table["bandwidth"], table["crossings"])
    judgment = Judgment.of({name: cost.samples(own) for name, own in cells.items()}, table["alpha"])

    places = judgment.rank_ranges(table["shown"])
    contest = judgment.contest(
        set(table["safe"]) & set(table["shown"]), preferring(table, cells, table["reads"])
    )
    return {
        "order": list(places),
        "places": {name: str(a) if a == b else f"{a} to {b}" for name, (a, b) in places.items()},
        "times": [judgment.judged[a, b][1].value for a in places for b in places if a != b],
        "sure": [[a, b] for a in places for b in places if a != b and judgment.judged[a, b][0] == "faster"],
        "contest": contest
        and {
            "winner": contest.winner,
            "same": list(contest.same),
            "unresolved": list(contest.unresolved),
        },
        "changes": changes(table, cells, contest.winner) if contest and table["advised"] else [],
    }


def changes(
    table: Mapping[str, Any], cells: Mapping[str, Mapping[str, CellResult]], winner: str
) -> list[Any]:
    """What would change the answer, as the script gives it."""
    eligible = set(table["safe"]) & set(table["shown"])

    def ask(cost: CostModel) -> Choice:
        samples = {name: cost.samples(own) for name, own in cells.items()}
        judgment = Judgment.of(samples, table["alpha"])
        contest = judgment.contest(eligible, preferring(table, cells, cost.reads))
        return Choice([name for name in judgment.order if name in eligible], contest, judgment.judged)

    def parts(name: str) -> CostParts:
        return parts_of(Candidate(table["facts"][name], cells[name]))

    now = CostModel(table["reads"], table["bandwidth"], table["crossings"])
    return [
        [
            change.winner,
            "reads" if (change.axis.low, change.axis.high) == PLAUSIBLE["reads"] else "bandwidth",
            change.above,
            change.start if math.isfinite(change.start) else None,
            change.end,
            change.until,
        ]
        for change in breakeven(winner, parts, axes_of(parts(winner), now), ask)
    ]


def preferring(
    table: Mapping[str, Any], cells: Mapping[str, Mapping[str, CellResult]], reads: float
) -> Preferred:
    """The order of codecs that tie."""

    def preferred(name: str) -> tuple[Any, ...]:
        own = cells[name]
        dump, load, fix = (
            interval(own[part].samples)[0] if part in own else 0 for part in ("dump", "load", "fix")
        )
        return preference(table["facts"][name], own["size"].samples[0].value, dump + reads * (load + fix))

    return preferred


def for_script(table: Mapping[str, Any]) -> dict[str, Any]:
    def columns(samples: list[Measurement]) -> dict[str, list[float]]:
        return {key: [getattr(s, key) for s in samples] for key in ("pair", "value", "paired")}

    bandwidth = table["bandwidth"]
    return {
        "candidates": [
            {
                "codec": name,
                "size": own["size"][0].value,
                "taste": preference(table["facts"][name], 0, 0)[:2],
                "drawback": "" if name in table["safe"] else "may not win",
                "samples": {part: columns(found) for part, found in own.items() if part != "size"},
            }
            for name, own in table["codecs"].items()
        ],
        "weights": {
            "reads": table["reads"],
            "bandwidth": bandwidth if math.isfinite(bandwidth) else None,
            "perRead": table["crossings"] == "per-read",
            "rate": 0,
        },
        "advised": table["advised"],
        "alpha": table["alpha"],
        "shown": table["shown"],
    }


@pytest.mark.slow
def test_ranks_winners_and_what_is_open_are_those_of_python() -> None:
    rng = random.Random(1)
    tables = [drawn(rng) for _ in range(TABLES)]
    asked = {
        "script": str(SCRIPT),
        "state": {
            "few": Processes.FEWEST,
            "session": [RUN_TO_RUN.deviation, RUN_TO_RUN.degrees],
            "tie": Verdicts.TIE,
            "plausible": PLAUSIBLE,
        },
        "tables": [for_script(table) for table in tables],
    }
    assert NODE
    done = subprocess.run(
        [NODE, Path(__file__).parent / "ranking.js"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    expected = [by_python(table) for table in tables]

    assert len(answers) == TABLES
    assert sum(bool(each["contest"] and each["contest"]["unresolved"]) for each in expected) > TABLES / 10
    assert sum(bool(each["contest"] and each["contest"]["same"]) for each in expected) > TABLES / 50
    assert sum(bool(each["sure"]) for each in expected) > TABLES / 10
    assert sum(bool(each["changes"]) for each in expected) > TABLES * ADVISED / 15
    for number, (answer, wanted) in enumerate(zip(answers, expected, strict=True)):
        assert answer.pop("times") == pytest.approx(wanted.pop("times")), number
        assert answer == wanted, number
