"""The self-test, on made-up results and on two real runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bakeoff import codecs
from bakeoff.bench.capabilities import cores
from bakeoff.bench.lab.selftest import checks, faults
from bakeoff.bench.lab.selftest.checks import SelftestFinding
from bakeoff.bench.results import Cell, CellResult, GrowthFacts, Measurement, ResultData
from bakeoff.bench.run.options import Options
from bakeoff.commands import selftest as command
from madeup import planted
from untraced import untraced

Runs = Callable[[Callable[[Options], ResultData]], None]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    def replace(made: Callable[[Options], ResultData]) -> None:
        class Made:
            def __init__(self, options: Options, output: Path) -> None:
                self.options = options

            def run(self) -> ResultData:
                return made(self.options)

        monkeypatch.setattr(checks, "Session", Made)

    return replace


def found(part: str, times: int = 1) -> list[SelftestFinding]:
    return list(checks.run({part: times}, lambda text, done, total: None))


def timed(options: Options, factors: Mapping[str, float]) -> ResultData:
    values = {
        name: {each: 1e-3 * factors.get(name, 1.0) for each in options.operations} for name in options.codecs
    }
    return planted(values, processes=30, noise=0.0005, options={"alpha": 0.05})


def measured(options: Options, facts: Mapping[str, Any], values: Mapping[str, float]) -> ResultData:
    cells = [
        CellResult(
            Cell(corpus="movies", operation=operation, codec=name),
            "ok",
            facts=GrowthFacts(facts[name]) if name in facts else None,
            samples=tuple(Measurement(*[values[operation]] * 3) for _ in range(operation in values)),
        )
        for name in options.codecs
        for operation in options.operations
    ]
    return ResultData(cells=tuple(cells), codecs=(), corpora=())


@pytest.mark.parametrize(
    ("part", "factors", "ok"),
    [
        ("pairs", {}, [True, True]),
        ("pairs", {faults.TWINS[0]: 1.02, faults.TWINS[2]: 1.02}, [False, False]),
        ("planted", {faults.SLOWER: 1.02}, [True]),
        ("planted", {}, [False]),
        ("planted", {faults.TWINS[0]: 1.02}, [False]),
    ],
)
def test_codecs_are_told_apart_where_they_differ(
    runs: Runs, part: str, factors: dict[str, float], ok: list[bool]
) -> None:
    runs(lambda options: timed(options, factors))

    assert ok == [finding.ok for finding in found(part, 2)]


def test_each_leak_must_be_found(runs: Runs) -> None:
    first, *others = faults.LEAKERS
    facts = dict.fromkeys(others, "growing") | {first: "no growth"}
    runs(lambda options: measured(options, facts, {}))

    assert [False] + [True] * len(others) == [finding.ok for finding in found("leaks")]
    assert "found in 0 of 1" == found("leaks")[0].found


@pytest.mark.parametrize(
    ("facts", "words", "ok"),
    [
        ({"json": "no growth"}, "0 false alarms in 3", True),
        ({"json": "growing"}, "3 false alarms in 3: movies/growth-load/json", False),
        ({}, "0 false alarms in 0", False),
    ],
)
def test_a_clean_codec_must_not_be_flagged(runs: Runs, facts: dict[str, Any], words: str, ok: bool) -> None:
    runs(lambda options: measured(options, facts, {}))
    (finding,) = found("clean", 2)

    assert finding.found.startswith(words)
    assert ok == finding.ok


@pytest.mark.parametrize(("value", "ok"), [(1.0, True), (1.019, True), (1.03, False), (0.97, False)])
def test_a_peak_is_within_two_percent(runs: Runs, value: float, ok: bool) -> None:
    peaks = {operation: truth * value for operation, truth in checks.PEAK.items()}
    runs(lambda options: measured(options, {}, peaks))

    assert [ok] * len(peaks) == [finding.ok for finding in found("peak")]


def test_a_failure_must_have_its_outcome(runs: Runs) -> None:
    first, *others = faults.FAILURES

    def made(options: Options) -> ResultData:
        outcomes: Any = {name: (faults.FAILURES[name][0], "") for name in others} | {first: ("ok", "")}
        return planted({"json": {"load": 1e-3}} if options.codecs else {}, outcomes=outcomes)

    runs(made)
    findings = found("failures")

    assert [False, *[True] * len(others), True] == [finding.ok for finding in findings]
    assert ("ok", "crashed") == (findings[0].found, findings[0].target)


@pytest.mark.parametrize(("cost", "ok"), [(10.0, True), (10.1, False)])
def test_measuring_costs_ten_nanoseconds(monkeypatch: pytest.MonkeyPatch, cost: float, ok: bool) -> None:
    monkeypatch.setattr(checks, "harness", lambda calls, tries: cost)
    (finding,) = found("harness")

    assert (f"{cost:.1f} ns", ok) == (finding.found, finding.ok)


@pytest.mark.parametrize(
    ("readings", "words", "ok"),
    [
        ([1.0] * 100, "free for 100% of 3 s", True),
        (
            [1.0] * 40 + [1.6] * 60,
            "free for 40% of 3 s, else the reference kernel takes 1.60 times as long",
            True,
        ),
        ([1.0] * 20 + [1.6] * 80, "free for 20% of 3 s", False),
    ],
)
def test_a_physical_core_must_be_free_at_times(
    monkeypatch: pytest.MonkeyPatch, readings: list[float], words: str, ok: bool
) -> None:
    monkeypatch.setattr(checks, "_readings", lambda seconds: readings)
    before = os.sched_getaffinity(0)
    findings = found("core")

    assert [f"physical core of processor {core}" for core in cores()] == [each.what for each in findings]
    assert all(each.found.startswith(words) and each.ok is ok for each in findings)
    assert before == os.sched_getaffinity(0)


def test_the_reference_kernel_is_read() -> None:
    assert all(reading > 0 for reading in checks._readings(0.02))


def test_faulty_codecs_are_published_for_the_self_test_alone(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "before")
    seen: list[set[str]] = []

    def made(options: Options) -> ResultData:
        seen.append({*codecs.names(needs_schema=True)} & {*options.codecs})
        assert os.environ["PYTHONPATH"].endswith("before")
        return timed(options, {})

    runs(made)
    found("pairs")

    assert [set(faults.TWINS)] == seen
    assert "before" == os.environ["PYTHONPATH"]
    assert not set(faults.TWINS) & {*codecs.names()}


@pytest.mark.parametrize("name", [*faults.TWINS, faults.SLOWER, *faults.LEAKERS, *faults.CLEAN])
def test_a_faulty_codec_brings_its_records_back(name: str) -> None:
    """Else its own check would end it, before what is wrong with it can be found."""
    codec = getattr(faults, name.replace("-", "_"))()
    record = {"id": 1, "most": [1], "some": [2], "none": []}

    assert name == codec.name
    assert record == codec.decode(codec.encode(record))
    with pytest.raises(AttributeError, match="no attribute 'selftest_nothing'"):
        faults.selftest_nothing  # noqa: B018


def test_two_hundredths_of_the_work_are_planted() -> None:
    record = next(iter(faults.records()))

    assert 0.02 == pytest.approx(len(record["some"]) / len(record["most"]), rel=0.03)
    assert not record["none"]


@pytest.mark.parametrize("ok", [True, False])
def test_the_exit_code_says_whether_all_targets_are_met(monkeypatch: pytest.MonkeyPatch, ok: bool) -> None:
    asked: list[dict[str, int]] = []

    def run(parts: dict[str, int], show: Any) -> list[SelftestFinding]:
        asked.append(parts)
        show("a part", 0, 1)
        return [SelftestFinding("one", "x", "y", True), SelftestFinding("two", "found", "target", ok)]

    monkeypatch.setattr(checks, "run", run)
    text = CliRunner().invoke(command.command, ["--repetitions", "7", "--only", "leaks"])
    data = CliRunner().invoke(command.command, ["-f", "json"])

    assert [int(not ok)] * 2 == [text.exit_code, data.exit_code]
    assert ["ok" if ok else "MISSED", "two", "found", "target"] == text.stdout.splitlines()[-1].split()
    assert {"what": "two", "found": "found", "target": "target", "ok": ok} == json.loads(data.stdout)[-1]
    assert [{"leaks": 7}, {name: times for name, (_, times) in checks.PARTS.items()}] == asked


def test_every_part_can_be_asked_for() -> None:
    assert tuple(checks.PARTS) == command.PARTS


@pytest.mark.slow
def test_faults_are_found_in_real_runs() -> None:
    bakeoff = Path(sys.executable).with_name("bakeoff")
    parts = ["--only", "failures", "--only", "leaks"]
    # The data of coverage would be mistaken for growth.
    done = subprocess.run(
        [bakeoff, "selftest", *parts, "-f", "json"], capture_output=True, text=True, env=untraced()
    )
    findings = {finding["what"]: finding["found"] for finding in json.loads(done.stdout)}

    assert 0 == done.returncode, findings
    assert "timed out" == findings["a codec that hangs"]
    assert "ok" == findings["a good codec next to them"]
    leaks = [found for what, found in findings.items() if what.startswith("leak: ")]
    assert ["found in 1 of 1"] * len(faults.LEAKERS) == leaks
