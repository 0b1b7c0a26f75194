"""The targets of schemas are judged by rows that are there."""

from __future__ import annotations

import pytest

from benchmarks.schemas import TABLES, TARGETS, Figure, Target, judge


def told(target: Target, mine: float, binding: float) -> tuple[bool, str]:
    seconds = 1e-7
    rows = [Figure(target.row, mine * seconds, mine), Figure(target.other, binding * seconds, binding)]
    return judge(target, [rows, rows])


def test_targets_name_rows_of_one_table() -> None:
    tables = [{row.name for row in make()} for make in TABLES.values()]

    assert all(any({target.row, target.other} <= names for names in tables) for target in TARGETS)


@pytest.mark.parametrize(
    ("row", "mine", "binding", "met", "words"),
    [
        ("msgpack/tuple+schema", 1.09, 1.0, True, "ok: 1.09 times msgpack/tuple (target 1.1)"),
        ("msgpack/tuple+schema", 1.2, 1.0, False, "MISSED: 1.2 times msgpack/tuple (target 1.1)"),
        ("msgpack+schema (apply)", 2.0, 2.5, True, "ok: 0.8 times msgpack + msgspec.convert"),
        ("msgpack, advise: all problems", 2.0, 2.5, False, "MISSED: 0.6667 of what msgpack + pydantic"),
        ("pickle+schema, an int", 1.15, 1.0, True, "ok: 15 ns over pickle, an int (target 20)"),
    ],
)
def test_verdicts(row: str, mine: float, binding: float, met: bool, words: str) -> None:
    verdict = told(next(target for target in TARGETS if target.row == row), mine, binding)

    assert verdict[0] == met
    assert verdict[1].startswith(words)


@pytest.mark.parametrize(
    ("row", "ratios", "words"),
    [
        ("msgpack/tuple+schema", (1.0, 1.0, 1.5), "MISSED: 1.145 "),
        ("pickle+schema, an int", (0.95, 1.0, 1.5), "ok: 15 ns"),
        ("pickle+schema, an int", (0.95, 1.1, 1.75), "MISSED: 26.67 ns"),
    ],
)
def test_the_mean_is_judged(row: str, ratios: tuple[float, ...], words: str) -> None:
    target = next(target for target in TARGETS if target.row == row)
    found = [[Figure(row, ratio * 1e-7, ratio), Figure(target.other, 1e-7, 1.0)] for ratio in ratios]
    verdict = judge(target, found)

    assert verdict[1].startswith(words)
