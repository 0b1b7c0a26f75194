"""Results of several machines: side by side, never averaged, and where their rankings differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bakeoff.bench.results import ResultData
from bakeoff.bench.results.file import write
from bakeoff.errors import UsageError
from bakeoff.reports import render
from bakeoff.reports.model.merge import of_one_machine
from bakeoff.reports.model.view import View
from bakeoff.reports.page import page
from bakeoff.reports.tables.machines import agreement
from madeup import planted

HERE = {"a": (1e-6, 2e-6), "b": (2e-6, 2e-6), "c": (4e-6, 4e-6)}
SWAPPED = {"a": (4e-6, 4e-6), "b": (2e-6, 2e-6), "c": (8e-6, 8e-6)}
CLOSE = {"a": (2e-6, 2e-6), "b": (2e-6, 2.0001e-6)}


def on(machine: str, times: Mapping[str, tuple[float, float]] = HERE, **fields: object) -> ResultData:
    """The result of a machine: dump and load of each codec in seconds, the same bytes on all."""
    figures = {name: {"dump": dump, "load": load, "size": 100.0} for name, (dump, load) in times.items()}
    environment = {"hostname": machine, "cpu_model_name": f"CPU of {machine}"}
    return planted(figures, environment=environment, seed=len(machine), **fields)  # type: ignore[arg-type]


def test_two_machines_side_by_side() -> None:
    text = render([on("first"), on("second", SWAPPED)], "text")
    table = text.split("\n\n")[1]
    heads = next(line for line in table.splitlines() if "first" in line)
    names = next(line for line in table.splitlines() if line.startswith("codec"))
    (row,) = re.findall(r"^a .*", table, re.M)

    assert ["first", "second"] == heads.split()
    assert ["codec", "fidelity", *["dump", "load", "cost", "×", "rank"] * 2] == names.split()
    figures = [float(part.strip("×")) for part in row.split()[2:] if not part.startswith("±")]
    assert figures == pytest.approx([1, 2, 1, 1, 4, 4, 2, 2], rel=0.01)
    assert "CPU of first, Python 3.11.7" in table
    assert 100 >= max(map(len, table.splitlines()))


def test_more_machines_than_fit_follow_each_other() -> None:
    found = render([on(name, SWAPPED if name == "n2" else HERE) for name in ("n1", "n2", "n3", "n4")], "text")
    table = found.split("\n\n", 1)[1].split("\n\na costs")[0]

    assert ["n1", "n2", "n3", "n4"] == re.findall(r"\bn\d(?=\s)", re.sub("CPU of n.", "", table))
    assert len(re.findall(r"^codec", table, re.M)) > 1
    assert {"abc"} == {"".join(re.findall(r"^([abc]) ", part, re.M)) for part in table.split("\n\n")}
    assert 100 >= max(map(len, table.splitlines()))


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_codec_that_a_machine_lacks_has_a_dash_and_a_reason(form: str) -> None:
    crashed = on("second", {"a": HERE["a"]}, outcomes={"b": ("crashed", "signal 11")})
    text = render([on("first"), crashed], form)

    assert "b (second): crashed: signal 11" in text
    assert "c (second): not measured" in text
    for codec in "bc":
        (row,) = re.findall(rf"^(?:\| |<tr><td>)?{codec}\b.*–.*–.*–.*", text, re.M)
        assert ("exact" if form == "text" else "100") in row


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (HERE, "first and second agree on the order of all 3 pairs of codecs distinguishable on both."),
        (
            SWAPPED,
            "a costs less than b on first and more on second; they agree on the other 2 pairs of codecs "
            "distinguishable on both.",
        ),
        (
            {"a": SWAPPED["a"], "b": SWAPPED["b"]},
            "a costs less than b on first and more on second; no other pair is distinguishable on both.",
        ),
        (CLOSE, "No two codecs are distinguishable on both machines, so their ranks cannot be compared."),
    ],
)
def test_where_machines_disagree(second: Mapping[str, tuple[float, float]], said: str) -> None:
    """Only pairs that both machines distinguish can be in another order; text and page say so."""
    results = [on("first"), on("second", second)]
    views = View.of(results).corpora

    assert said == agreement(views)
    assert said in render(results, "text").splitlines()
    assert said.removesuffix(".") in page.render(results)


def test_interpreters_have_a_block_each() -> None:
    chosen = [under({"interpreter": name}) for name in ("python3.11", "pypy3")]
    plain = [under({"python_version": version}) for version in ("3.11.7", "3.13.0")]

    assert ["python3.11", "pypy3"] == [view.machine for view in View.of(chosen).corpora]
    assert ["Python 3.11.7", "Python 3.13.0"] == [view.machine for view in View.of(plain).corpora]
    assert 1 == len(View.of([plain[0], plain[0]]).corpora)
    with pytest.raises(UsageError, match=r"of several interpreters \(python3.11, pypy3\)"):
        of_one_machine(chosen)


def under(facts: Mapping[str, str]) -> ResultData:
    """The result of an interpreter on this machine."""
    return planted({"a": {"dump": 1e-6, "load": 1e-6, "size": 100.0}}, environment=facts)


def test_many_disagreements_are_counted() -> None:
    times = {f"c{n}": (n * 1e-6, n * 1e-6) for n in range(1, 8)}
    reverse = dict(zip(times, reversed(times.values()), strict=True))
    found = agreement(View.of([on("x", times), on("yy", reverse), on("zzz", times)]).corpora)

    assert found.startswith("c1 costs less than c2, c3, c4 and 3 others on x and zzz and more on yy; c2 ")
    assert found.endswith(
        "; 6 further pairs differ in order; no other pair is distinguishable on at least two."
    )


def test_each_machine_has_its_answer() -> None:
    text = render([on("first"), on("second", SWAPPED)], "text")

    assert text.startswith("messages: 1,000 of 100,000 records; 3 codecs on 2 machines\n")
    assert ["a on first", "b on second"] == re.findall(r"^  use     (\w+ on \w+): ", text, re.M)


def test_other_versions_of_a_library_are_named() -> None:
    results = [on("first"), on("second", facts={"b": {"version": "2.0"}})]
    said = "library versions differ: libb 1.2.3 on first, 2.0 on second"

    assert said in render(results, "text").splitlines()
    assert said in page.render(results)


def test_pick(bakeoff: Callable[..., tuple[int, str, str]]) -> None:
    for name, times in {"first": HERE, "second": HERE, "third": SWAPPED}.items():
        write(on(name, times), Path(f"{name}.json"))
    code, out, _ = bakeoff("pick", "first.json", "second.json")
    assert (0, ["a", "", "first"]) == (code, out.splitlines()[:3])
    assert re.search(r"\nsecond\nmessages: .*\n  use     a: ", out)

    code, out, err = bakeoff("pick", "first.json", "third.json")
    assert (1, "") == (code, out)
    assert re.search(r"machines disagree; .*\n  first: a: lowest cost.*\n  third: b: lowest cost", err)
    assert 2 == bakeoff("pick", "first.json", "second.json", "--write")[0]
    assert 0 == bakeoff("pick", "third.json", "--write")[0]
