"""The layout: links, version, public names, and what an import may load."""

from __future__ import annotations

import codecs as standard_codecs
import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bakeoff

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("codecs", "schemas", "datasets", "bench", "reports")


@pytest.mark.checkout
@pytest.mark.parametrize("room", ROOMS)
def test_rooms_are_links_to_the_top_level(room):
    """`bakeoff.ROOM` is the folder of that name in the root."""
    link = ROOT / "src" / "bakeoff" / room

    assert link.is_symlink()
    assert (ROOT / room).resolve() == link.resolve()


def test_the_standard_library_keeps_its_codecs():
    """`import codecs` is never ours."""
    assert hasattr(standard_codecs, "BOM_UTF8")


def test_the_version_is_the_installed_one():
    """The package and its metadata agree."""
    assert importlib.metadata.version("bakeoff") == bakeoff.__version__


@pytest.mark.checkout
def test_the_changelog_knows_the_version():
    """The newest section is the package's version or what comes after it."""
    text = (ROOT / "CHANGELOG.md").read_text()

    assert f"## {bakeoff.__version__}" in text or "## Unreleased" in text


def test_all_names_what_is_there():
    """Every public name can be had, and nothing is missing from `__all__`."""
    assert sorted(bakeoff.__all__) == sorted(set(bakeoff.__all__))
    for name in bakeoff.__all__:
        assert getattr(bakeoff, name) is not None
    with pytest.raises(AttributeError):
        _ = bakeoff.nothing_of_the_kind


@pytest.mark.checkout
def test_the_face_stays_small():
    """`import bakeoff` is a face without logic."""
    assert len((ROOT / "src/bakeoff/__init__.py").read_text().splitlines()) < 70


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        (
            "import bakeoff",
            "click rich pyperf numpy scipy msgpack simplejson bson yaml jinja2 vl_convert psutil",
        ),
        ("import bakeoff.reports", "vl_convert jinja2 rich pyperf numpy scipy msgpack bson yaml"),
        ("import bakeoff.cli", "rich pyperf numpy scipy msgpack simplejson bson yaml jinja2"),
    ],
)
def test_imports_stay_light(statement, unwanted):
    """No codec, report or number library is loaded before it is used."""
    script = f"{statement}; import sys; print(*[m for m in {unwanted.split()} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == ""


@pytest.mark.checkout
def test_extras_are_named_like_their_modules():
    """Every codec's extra exists, and `all` has them all."""
    from bakeoff import codecs

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    needed = {codecs.describe(name).extra for name in codecs.names()} - {""}

    assert needed <= extras.keys()
    assert all(name in extras["all"][0] for name in needed)
