"""Comparisons of releases, the table by version, the recommendation, and requirements files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff import UsageError
from bakeoff.bench.results import ResultData
from bakeoff.commands import releases, upgrade
from bakeoff.reports.decide.releases import between, table, undecided, worse
from inprocess import exit_code
from madeup import changed, planted

USUAL = {"dump": 1e-6, "load": 2e-6, "size": 1404.0, "retained-payloads": 2081.0}


def run(figures: dict[str, dict[str, float]], **more: Any) -> ResultData:
    """Make up a run over releases of orjson."""
    made = planted({f"orjson=={release}": USUAL | each for release, each in figures.items()}, **more)
    codecs = (replace(each, library="orjson", version=each.name.split("==")[1]) for each in made.codecs)
    return replace(made, codecs=tuple(codecs))


def judged(after: dict[str, float], seed: int = 1, **more: Any) -> list[str]:
    """Return what got worse from one release to the next."""
    result = run({"3.11.9": {}, "3.12.0": after}, seed=seed, **more)
    return worse(between(result, {"orjson==3.11.9": "orjson"}, {"orjson==3.12.0": "orjson"}))


@pytest.mark.parametrize(
    ("after", "more", "expected"),
    [
        ({"load": 2.1e-6}, {}, ["orjson load: 1.05× slower"]),
        ({"retained-payloads": 32481.0}, {}, ["orjson retained-payloads: 15.6× larger"]),
        ({"dump": 0.5e-6, "size": 1500.0}, {}, ["orjson size: 1.07× larger"]),
        (
            {},
            {"losses": {"orjson==3.12.0": ("a tuple came back as a list",)}},
            ["orjson: ok → lossy (a tuple came back as a list)"],
        ),
    ],
)
def test_each_regression_is_found_alone(after, more, expected):
    assert expected == judged(after, **more)


def test_a_release_measured_twice_gets_no_verdict():
    assert [] == [line for seed in range(30) for line in judged({}, seed)]


def test_a_noisy_run_leaves_its_times_open():
    result = run({"3.11.9": {}, "3.12.0": {"load": 2.02e-6}}, processes=4, noise=0.05)
    found = between(result, {"orjson==3.11.9": "orjson"}, {"orjson==3.12.0": "orjson"})

    assert [] == worse(found)
    assert ["orjson dump", "orjson load"] == sorted(line.split(" (")[0] for line in undecided(found, result))


@pytest.mark.parametrize(("load", "expected"), [(2.025e-6, 0), (2.06e-6, 1)])
def test_a_time_is_worse_if_its_whole_interval_is_beyond_a_tie(load, expected):
    assert expected == len(judged({"load": load}, processes=30, noise=0.01))


def test_a_release_that_cannot_be_measured_is_worse():
    result = run({"3.11.9": {}}, outcomes={"orjson==3.12.0": ("missing", "no such release")})
    found = between(result, {"orjson==3.11.9": "orjson"}, {"orjson==3.12.0": "orjson"})

    assert ["orjson: cannot be measured any more: no such release"] == worse(found)
    assert [] == undecided(found, result)


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        (
            {"3.9.0": {}, "3.11.0": {"dump": 1.5e-6}},
            "orjson==3.9.0 suits these records: it costs least, by the cost of one write and one read.",
        ),
        (
            {"3.9.0": {"dump": 1.5e-6}, "3.11.0": {"retained-payloads": 32481.0}},
            "orjson==3.11.0 suits these records: it costs least, by the cost of one write and one read; but "
            "each payload retains 31.7 KiB of memory, and 2.03 KiB with orjson==3.9.0.",
        ),
        (
            {"3.9.0": {}, "3.11.0": {}},
            "orjson==3.9.0 and orjson==3.11.0 cost the same, within 1%, by the cost of one write and "
            "one read; orjson==3.11.0 is the newest of them.",
        ),
        (
            {"3.9.0": {}, "3.11.0": {"retained-payloads": 32481.0}},
            "orjson==3.9.0 and orjson==3.11.0 cost the same, within 1%, by the cost of one write and "
            "one read; orjson==3.9.0 retains the least memory for a payload (2.03 KiB).",
        ),
    ],
)
def test_the_recommendation_is_honest_about_ties_and_memory(figures, expected):
    assert expected == table(run(figures, processes=30, noise=0.001)).sections[0].answer[0]


def test_the_table_is_ordered_by_version_and_names_changes():
    figures = {"3.11.0": {"load": 2.4e-6}, "3.9.0": {}, "3.10.1": {}}
    made = table(run(figures, outcomes={"orjson==3.12.0": ("missing", "no wheel")})).sections[0]

    assert ["orjson==3.9.0", "orjson==3.10.1", "orjson==3.11.0"] == [row.codec for row in made.rows][:3]
    assert "orjson 3.9.0 → 3.10.1: no significant change" in made.answer
    assert "orjson 3.10.1 → 3.11.0: load: 1.20× slower" in made.answer
    assert ["orjson==3.12.0"] == [gone.codec for gone in made.gone]


def test_nothing_suits_if_every_release_fails():
    made = run({"3.9.0": {}}, losses={"orjson==3.9.0": ("a tuple came back as a list",)})

    assert "No release of orjson was measured that preserves every record." in table(made).sections[0].answer


Pins = Callable[[str, str], tuple[str, str]]


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    """Return a function that writes two requirements files."""

    def write(before: str, after: str) -> tuple[str, str]:
        paths = tmp_path / "old.txt", tmp_path / "new.txt"
        for path, text in zip(paths, (before, after), strict=True):
            path.write_text(text)
        return str(paths[0]), str(paths[1])

    return write


def test_pins_are_read_from_requirements_files(pins):
    text = """
        # fixed by a tool
        -r base.txt  # shared
        -c limits.txt
        OrJSON[extra]==3.11.9 ; python_version >= "3" \\
            --hash=sha256:00  # why
        pyyaml==6.0.1; python_version < "3"
        msgpack>=1.1
        requests==2.0
    """
    old, base = pins(text, "cbor2==5.6.5")
    Path(base).rename(Path(base).with_name("base.txt"))

    assert {"cbor2": "5.6.5", "orjson": "3.11.9", "msgpack": ""} == upgrade._required(Path(old))
    with pytest.raises(UsageError, match="line 1"):
        upgrade._required(Path(pins("orjson 3", "")[0]))


@pytest.mark.parametrize(
    ("before", "after", "code", "words"),
    [
        ("orjson>=3", "orjson==3.12.0", 2, "not compared: orjson; pin each as NAME==VERSION in both files"),
        ("orjson==3.12.0", "orjson", 2, "not compared: orjson"),
        ("orjson==3.*", "orjson==3.*", 2, "not compared: orjson"),
        ("-r old.txt", "orjson==3.12.0", 2, "old.txt: includes itself"),
        ("--requirement=gone.txt", "", 2, "gone.txt: no such requirements file"),
        (
            "orjson==3.11.9\nrequests==1",
            "orjson==3.11.9\nrequests==2",
            0,
            "no codec library has another version",
        ),
        ("orjson==3.12.0", "msgpack>1\nrequests>2", 0, "no codec library has another version"),
    ],
)
def test_an_upgrade_that_compares_nothing_says_why(pins, capsys, before, after, code, words):
    old, new = pins(before, after)

    assert code == exit_code("upgrade", old, "--to", new, "movies")
    assert words in capsys.readouterr().err


def test_a_library_without_a_pin_leaves_an_upgrade_undecided(pins, monkeypatch, capsys):
    monkeypatch.setattr(upgrade, "measured", lambda *given, **more: run({"3.11.9": {}, "3.12.0": {}}))
    old, new = pins("orjson==3.11.9\nmsgpack>=1", "orjson==3.12.0\nmsgpack==1.1.0")

    assert 2 == exit_code("upgrade", old, "--to", new, "movies")
    assert "not compared: msgpack" in capsys.readouterr().err


def test_an_upgrade_that_cannot_be_measured_is_no_regression(pins, capsys):
    old, new = pins("orjson==3.11.9", "orjson==3.12.0")

    assert 2 == exit_code("upgrade", old, "--to", new, "--offline", "-o", f"{old}.json", "missing.jsonl")
    assert "missing.jsonl" in capsys.readouterr().err


def test_a_figure_that_there_was_no_time_for_is_not_a_regression(pins, monkeypatch, capsys):
    made = run({"3.11.9": {}, "3.12.0": {}})
    late = changed(made, "orjson==3.12.0", "retained-payloads", samples=())
    old, new = pins("orjson==3.11.9", "orjson==3.12.0")

    for each in (late, changed(late, "orjson==3.11.9", "retained-payloads", samples=())):
        monkeypatch.setattr(upgrade, "measured", lambda *given, found=each, **more: found)

        assert 2 == exit_code("upgrade", old, "--to", new, "movies")
        assert "undecided: orjson retained-payloads (not enough time)" in capsys.readouterr().err


def test_a_lossy_release_is_never_better():
    result = run({"3.11.9": {}, "3.12.0": {"load": 1e-6}}, losses={"orjson==3.12.0": ("tuples",)})
    found = between(result, {"orjson==3.11.9": "orjson"}, {"orjson==3.12.0": "orjson"})

    assert {"worse"} == {change.verdict for change in found.changes}


@pytest.mark.parametrize(("after", "expected"), [({}, 0), ({"load": 3e-6}, 1)])
def test_upgrade_fails_if_something_gets_worse(pins, monkeypatch, capsys, after, expected):
    asked: list[list[str]] = []

    def measured(corpora: Any, codecs: list[str], *others: Any, **given: Any) -> ResultData:
        asked.append(codecs)
        return run({"3.11.9": {}, "3.12.0": after})

    monkeypatch.setattr(upgrade, "measured", measured)
    old, new = pins("orjson==3.11.9\nmsgpack==1.1.0", "orjson==3.12.0\nmsgpack==1.1.0")

    assert expected == exit_code("upgrade", old, "--to", new, "movies", "-f", "json")
    assert [["orjson==3.11.9", "orjson==3.12.0"]] == asked
    captured = capsys.readouterr()
    assert expected == sum(cell["verdict"] == "worse" for cell in json.loads(captured.out)["cells"])
    assert ("makes these worse:\n  orjson load: 1.50× slower" in captured.err) == bool(expected)


def test_the_last_releases_of_a_library_are_measured(monkeypatch, capsys):
    asked: list[list[str]] = []

    def measured(corpora: Any, codecs: list[str], *others: Any, **given: Any) -> ResultData:
        asked.append(codecs)
        return run({"3.11.9": {}, "3.12.0": {}})

    monkeypatch.setattr(releases, "measured", measured)
    monkeypatch.setattr("bakeoff.bench.run.releases.releases_of", lambda name: ["3.11.9", "3.12.0", "3.13.0"])

    for form in ("text", "md", "json"):
        assert 0 == exit_code("releases", "orjson", "movies", "--last", "2", "-f", form)
        assert "orjson==3.12.0" in capsys.readouterr().out
    assert 0 == exit_code("releases", "msgspec", "movies", "--last", "1")
    assert ["orjson==3.12.0", "orjson==3.13.0"] == asked[0]
    assert ["msgspec-json==3.13.0", "msgspec-msgpack==3.13.0"] == asked[-1]


@pytest.mark.parametrize(
    ("name", "reason"), [("json", "json is part of Python"), ("nothing", "neither a codec nor the library")]
)
def test_names_without_releases_are_refused(name, reason, capsys):
    assert 2 == exit_code("releases", name, "movies")
    assert reason in capsys.readouterr().err
