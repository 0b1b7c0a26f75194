"""The constants of the timing method: all are printed, and the documentation quotes the same ones."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from bakeoff.bench import method
from bakeoff.bench.ledger import HeadEntry
from bakeoff.bench.method import GROUPS, Constant, Pace, Processes, constants, printed
from bakeoff.bench.results import FORMAT_VERSION
from bakeoff.bench.run.journal import Journal
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.time import precision_reached, rounds_of
from hurried import HURRIED

PAGE = Path(__file__).parents[2] / "docs/explanation/measuring.md"


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_every_constant_has_a_unit_and_a_reason(group: type) -> None:
    found = list(constants(group))

    assert [name for name in vars(group) if name.isupper()] == [one.name.partition(".")[2] for one in found]
    assert all(one.unit and one.reason and len(one.reason) <= 80 for one in found)


def test_every_group_is_printed() -> None:
    defined = [value for name, value in vars(method).items() if any(map(str.isupper, vars_of(value)))]

    assert defined == list(GROUPS)


def vars_of(value: object) -> list[str]:
    """The names that a class of the module defines, without other objects or classes of other modules."""
    return list(vars(value)) if getattr(value, "__module__", "") == method.__name__ else []


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.00025, "s", "250 µs"),
        (70.0, "s", "70 s"),
        (1e-9, "s", "1 ns"),
        (8192, "B", "8 KiB"),
        (2 << 30, "B", "2 GiB"),
        (0.05, "share", "5 %"),
        (1.35, "×", "1.35×"),
        (1000, "records", "1,000 records"),
    ],
)
def test_values_are_shown_with_units(value: float, unit: str, shown: str) -> None:
    assert shown == Constant("", value, unit, "").shown


def test_every_constant_is_printed_with_its_reason() -> None:
    lines = printed().splitlines()

    assert [] == [
        one.name
        for group in GROUPS
        for one in constants(group)
        if f"  {one.shown:>14}  {one.reason}" not in lines
    ]


@pytest.mark.checkout
@pytest.mark.parametrize(
    "sentence",
    [
        f"about {1000 * method.Slices.LENGTH:g} ms",
        f"bursts of at most {method.Slices.BURST} calls",
        f"before and after every {1000 * method.Cores.READ_EVERY:g} ms of slices",
        f"by more than a factor of {method.Cores.SHARED:g}",
        f"a standard deviation of {100 * method.Verdicts.SESSION:g} % of the ratio",
        f"unless that takes longer than {method.Slices.LONGEST} others",
    ],
)
def test_the_documentation_quotes_the_constants(sentence: str) -> None:
    assert sentence in " ".join(PAGE.read_text("utf-8").split())


def test_a_pace_is_the_users_unless_a_test_says_otherwise() -> None:
    assert Pace() == Pace.usual
    assert {"durable": True, "forks": False, "fewest": None}.items() <= dataclasses.asdict(Pace()).items()


def test_slices_of_a_process_take_as_long_as_the_pace_says() -> None:
    options, calls = Options(("made",), ("json",)), [1e-6] * 4

    assert Processes.FEWEST_ROUNDS == rounds_of(options, calls, HURRIED) < rounds_of(options, calls, Pace())


@pytest.mark.parametrize("pace", [Pace(), HURRIED])
def test_a_journal_is_synced_if_it_must_survive(
    pace: Pace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr("os.fsync", synced.append)
    journal = Journal(tmp_path / "x.json", durable=pace.durable)
    journal.write(HeadEntry(FORMAT_VERSION))
    journal.remove()

    assert pace.durable == bool(synced)


@pytest.mark.parametrize(
    ("width", "words"), [(0.0784, "±7.8 %"), (0.97, "±97.0 %"), (57082.7, "more than ±99 %")]
)
def test_an_interval_wider_than_its_ratio_has_no_figure(width: float, words: str) -> None:
    assert words == precision_reached(width)
