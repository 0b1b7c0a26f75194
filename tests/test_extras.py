"""Commands and public functions without optional libraries: they work, or name the extra in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import without
from frameworks import FRAMEWORKS
from test_copies import TOGETHER, installed_by, normal
from untraced import untraced

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
REQUIRED = {name: found for name, found in PROJECT["optional-dependencies"].items() if name not in TOGETHER}
MODULES = {
    "amqp": "pika",
    "kafka": "confluent_kafka",
    "png": "resvg_py",
    "protobuf": "google.protobuf",
    "releases": "packaging",
    "report": "jinja2",
    "ruamel-yaml": "ruamel",
    "snappy": "cramjam",
    "watch": "py_spy",
    "zstd": "zstandard",
}
"""The modules of extras that are not named like theirs."""
OF_EXTRAS = {name: MODULES.get(name, name.replace("-", "_")) for name in REQUIRED}
HIDDEN = [*OF_EXTRAS.values(), "numpy", "pandas", "polars"]
CORE = ",".join([*HIDDEN, *FRAMEWORKS, "attr", "attrs"])
"""All that the core of bakeoff does not install."""
ALL = {"pyarrow without pandas": "pandas,polars,numpy", "the core": CORE}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    without.prepare(folder)
    return folder


def missing(files: Path, hidden: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, str(HERE / "without.py"), str(files), hidden],
        capture_output=True,
        text=True,
        check=True,
        env=untraced(),
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("hidden", ALL.values(), ids=ALL.keys())
def test_several_libraries_are_missing(hidden: str, files: Path) -> None:
    assert [] == missing(files, hidden)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", HIDDEN)
def test_one_library_is_missing(hidden: str, files: Path) -> None:
    assert [] == missing(files, hidden)


@pytest.mark.parametrize(("extra", "module"), OF_EXTRAS.items())
def test_a_hidden_module_is_installed_by_its_extra(extra: str, module: str) -> None:
    """A program has no module: `watch` starts py-spy."""
    wanted = installed_by(REQUIRED[extra])
    installed = {name for name, found in packages_distributions().items() if wanted & {*map(normal, found)}}

    assert module.partition(".")[0] in installed or extra in ("dask", "watch")
