"""Assertions on results, for tests with pytest or another framework."""

from __future__ import annotations

import os
from pathlib import Path

from ._result import Result, load


def assert_not_slower(
    base: Result | str | os.PathLike[str],
    head: Result | str | os.PathLike[str],
    fail_above: float = 0.05,
    *,
    force: bool = False,
) -> None:
    """Fail if ``bakeoff compare BASE HEAD --fail-above`` does not exit with 0.

    A regression only counts if it is significant. The assertion also fails, with a reason, if noise could
    hide a regression or a figure is missing.

    Args:
        base: The result to compare with, or its file.
        head: The result to check, or its file.
        fail_above: Share by which a figure may become worse.
        force: Compare although corpora or options differ.

    Raises:
        AssertionError: A regression, a missing figure, or one that cannot be decided; with the table.
        UsageError: A file is missing, or the results are of different work.
        RunError: A file is damaged.
    """
    __tracebackhide__ = True  # pytest shows the test's line
    from .reports.decide.compare_output import summary

    found = _result(base).compare(_result(head), force=force)
    verdict = found.gate(fail_above)
    if verdict == "passed":
        return
    way = "\nmeasure both sides longer, or in turn: `bakeoff compare --confirm`"
    raise AssertionError(f"{summary(found, fail_above)}{way * (verdict == 'undecided')}\n\n{found}")


def _result(given: Result | str | os.PathLike[str]) -> Result:
    return given if isinstance(given, Result) else load(Path(given))
