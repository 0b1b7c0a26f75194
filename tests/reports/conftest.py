"""Made-up runs with planted effects, so that the expected report is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import madeup
from bakeoff.bench.results import ResultData
from inprocess import exit_code


@pytest.fixture
def result_of() -> Callable[..., ResultData]:
    """The factory of made-up runs; see `madeup.planted`."""
    return madeup.planted


@pytest.fixture
def planted() -> ResultData:
    """The benchmark of 2011 as a run: four codecs and the baseline, on messages."""
    return madeup.planted()


@pytest.fixture
def bakeoff(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Call the command line in an empty folder; return exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def bakeoff(*args: object) -> tuple[int, str, str]:
        return exit_code(*map(str, args)), *capfd.readouterr()

    return bakeoff
