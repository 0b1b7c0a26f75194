"""Facts that have to be in two places say the same in both."""

from __future__ import annotations

import re
import tomllib

import pytest

from bakeoff import codecs
from bakeoff.bench.watch.alternatives import OFFERED
from bakeoff.bench.watch.answer import _DISTRIBUTIONS
from bakeoff.codecs.registry import FORMAT_MODULES, Declaration, describe
from bakeoff.codecs.streams.compression import COMPRESSORS
from pages import ROOT

pytestmark = pytest.mark.checkout

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
TOGETHER = {"fast", "all"}
"""Extras of extras."""
ROWS = [describe(name) for name in codecs.names(needs_schema=True, only_values=True)]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_by(requirements: list[str]) -> set[str]:
    """Return the distributions of requirements, as PyPI compares their names."""
    found = (re.match(r"[\w.-]+", each) for each in requirements)
    return {normal(each[0]) for each in found if each}


def extras_in(extra: str) -> set[str]:
    (requirement,) = EXTRAS[extra]
    found = re.fullmatch(r"bakeoff\[(.+)\]", requirement)
    assert found
    return set(found[1].split(","))


def test_all_has_every_extra_but_a_cluster() -> None:
    assert EXTRAS.keys() - TOGETHER - {"dask"} == extras_in("all")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_a_row_names_installs_its_library(row: Declaration) -> None:
    requirements = EXTRAS[row.extra] if row.extra else PROJECT["dependencies"]

    assert not row.library or normal(row.library) in installed_by(requirements)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_what_a_compressor_names_installs_its_library(name: str) -> None:
    row = COMPRESSORS[name]

    assert row.library == "Python" or normal(row.library) in installed_by(EXTRAS[row.extra])


def test_every_file_of_a_format_is_in_the_registry() -> None:
    files = (ROOT / "codecs" / "formats").glob("*.py")

    assert set(FORMAT_MODULES) == {path.stem for path in files if "= Format(" in path.read_text()}


def test_watched_libraries_have_the_distributions_of_their_rows() -> None:
    """Those whose codecs are named otherwise: the names on PyPI of modules."""
    known = {row.module.partition(".")[0]: row.library for row in ROWS if row.library}
    offered = {name for libraries in OFFERED.values() for name in libraries} & known.keys()

    assert {name: known[name] for name in offered} == {
        name: _DISTRIBUTIONS.get(name, name) for name in offered
    }
