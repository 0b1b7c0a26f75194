"""Result files of the project: a test process reads each once, when a test needs it.

Every test process collects all tests, so what a module reads while it is imported is read several times.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bakeoff.bench.results import ResultData, read

ROOT = Path(__file__).resolve().parents[1]
GALLERY = sorted((ROOT / "docs" / "results").glob("*.json.gz"))
"""Results on public data sets."""
IMAGES = ROOT / "docs" / "images"
"""Folder with the results that README and the first pages show."""


def on(name: str) -> Path:
    """Return the file of the result on a public data set."""
    return ROOT / "docs" / "results" / f"{name}.json.gz"


@cache
def result(path: Path) -> ResultData:
    """Return the result in a file."""
    return read(path)


def results(these: Sequence[ResultData | Path]) -> list[ResultData]:
    """Return results, some of which are named by their files."""
    return [result(each) if isinstance(each, Path) else each for each in these]
