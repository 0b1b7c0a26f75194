"""Made-up runs with planted effects: what a report must say is known beforehand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import madeup
from bakeoff.bench.results import Result


@pytest.fixture
def result_of() -> Callable[..., Result]:
    """The factory of made-up runs; see `madeup.planted`."""
    return madeup.planted


@pytest.fixture
def planted() -> Result:
    """The bake-off of 2011 as a run: four codecs and the floor, on messages."""
    return madeup.planted()
