"""What a service needs: a codec and the lock, without what measures and reports, from wherever it starts."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.codecs.installed import allows, version

ABSENT = [
    "click",
    "dns",
    "jinja2",
    "markdown_it",
    "numpy",
    "packaging",
    "psutil",
    "pygments",
    "pyperf",
    "rich",
    "scipy",
    "tabulate",
    "tomli_w",
]
"""What measuring, reporting and the commands are built on."""

BLOCKED = f"""
import sys
for name in {ABSENT!r}:
    sys.modules[name] = None
"""

SERVICE = """
import json, sys
import bakeoff

codec = bakeoff.fastest()
for line in sys.stdin:
    print(codec.name, codec.decode(codec.encode(json.loads(line))))
"""


def python(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if name != "BAKEOFF_LOCK"}
    return subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=clean | environment, capture_output=True, text=True
    )


def lock(folder: Path, codec: str = "msgpack", requires: str = "msgpack = '>=1,<99'") -> Path:
    path = folder / "bakeoff.lock"
    path.write_text(f"version = 2\n[codec]\nname = '{codec}'\nrequires = {{ {requires} }}\n")
    return path


@pytest.mark.parametrize(
    "name", ["json", "msgpack", "bson", "yaml", "pickle", "plist", "json|zlib", "marshal"]
)
def test_codecs_need_only_their_library(name, tmp_path):
    """Each of the core's, with everything else out of reach."""
    script = (
        f"import bakeoff; c = bakeoff.codec({name!r}, trusted=True); print(c.decode(c.encode({{'a': 1}})))"
    )
    done = python(BLOCKED + script, tmp_path)

    assert ("{'a': 1}\n", "") == (done.stdout, done.stderr)


def test_the_lock_needs_no_more(tmp_path):
    """It is found, read and held against what is installed."""
    lock(tmp_path, "msgpack|zlib", "msgpack = '>=1,<99', Python = '>=3,<4'")
    done = python(f"{BLOCKED}import bakeoff; print(bakeoff.fastest().name)", tmp_path)

    assert ("msgpack|zlib\n", "") == (done.stdout, done.stderr)


def test_a_codec_loads_its_own_format_alone(tmp_path):
    """Neither the other formats, nor compressors, nor what lists the packages that are installed."""
    lock(tmp_path)
    script = "import sys, bakeoff; bakeoff.fastest(); print(*sorted(sys.modules))"
    loaded = python(script, tmp_path).stdout.split()

    assert "bakeoff.codecs.msgpack" in loaded
    for name in ("codecs.json", "codecs.compression", "reports", "bench", "schemas", "datasets"):
        assert f"bakeoff.{name}" not in loaded
    assert not {"importlib.metadata", "pathlib", "bson", *ABSENT} & set(loaded)


def test_a_service_finds_the_lock_of_its_project(tmp_path):
    """Started from a folder below it, or from anywhere with the variable; a neighbour's is not taken."""
    project = tmp_path / "shop"
    worker = project / "worker"
    worker.mkdir(parents=True)
    (project / "pyproject.toml").touch()
    lock(tmp_path, "json", "")
    (worker / "service.py").write_text(SERVICE)
    clean = {name: value for name, value in os.environ.items() if name != "BAKEOFF_LOCK"}

    def start(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, worker / "service.py"],
            input='{"id": 7}\n',
            cwd=folder,
            env=clean | environment,
            capture_output=True,
            text=True,
        )

    failed = start(worker)
    assert 1 == failed.returncode
    assert f"UsageError: no bakeoff.lock in {worker}, {project} (upwards" in failed.stderr
    path = lock(project)
    assert "msgpack {'id': 7}\n" == start(worker).stdout
    assert "msgpack {'id': 7}\n" == start(Path("/"), BAKEOFF_LOCK=str(path)).stdout
    lock(project, requires="msgpack = '>=99'")
    failed = start(worker)
    assert re.search(
        rf"RunError: {path} does not hold here: msgpack \S+ is installed, the lock asks for >=99: "
        r"pip install 'msgpack>=99', or decide",
        failed.stderr,
    )


@pytest.mark.parametrize(
    "name", ["msgpack", "PyYAML", "pyyaml", "Python-RapidJSON", "pytest_xdist", "bakeoff"]
)
def test_versions_are_those_of_the_metadata(name):
    """However the name is written."""
    assert importlib.metadata.version(name) == version(name)


def test_what_is_not_installed_has_no_version():
    """Nor has what is called nothing."""
    assert (None, None) == (version("no-such-distribution"), version(""))


def test_what_has_no_folder_of_its_own_is_asked_of_the_metadata(tmp_path, monkeypatch):
    """A zip on the path, for one."""
    info = tmp_path / "zipped-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zipped\nVersion: 1.5\n")
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", tmp_path, info.name)
    monkeypatch.syspath_prepend(archive)

    assert "1.5" == version("zipped")


@pytest.mark.parametrize(
    ("allowed", "found", "expected"),
    [
        ("", "anything", True),
        (">=1.2.4,<2", "1.2.4", True),
        (">=1.2.4,<2", "1.2.3", False),
        (">=1.2.4,<2", "1.10", True),
        (">=1.2.4,<2", "2", False),
        (">=1.2.4,<2", "2.0.0", False),
        (">= 1.0 , < 2", "1", True),
        (">=1.2,<2", "1.2.0.post1", True),
        (">=1.2,<2", "1.2rc1", False),
        (">=1.2,<2", "2.0rc1", False),
        (">=1.2,!=1.3", "1.3", False),
        ("~=1.4", "1.9", True),
        ("==1.*", "1.9", True),
        (">=1", "no version", False),
    ],
)
def test_ranges_are_those_of_the_field(allowed, found, expected):
    """As packaging has them, whether it is asked or not."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion

    assert expected == allows(allowed, found)
    if allowed:
        try:
            assert expected == SpecifierSet(allowed).contains(found, prereleases=True)
        except InvalidVersion:
            assert not expected
