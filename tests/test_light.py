"""Services: they load a codec and the lock, without the benchmark and the reports, from any folder."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

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
"""Modules that only the benchmark, the reports and the commands need."""

BLOCKED = f"""
import sys
for name in {ABSENT!r}:
    sys.modules[name] = None
"""

SERVICE = """
import bakeoff

codec = bakeoff.fastest()
print(codec.name, codec.decode(codec.encode({"id": 7})))
"""


def python(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "BAKEOFF_LOCK"}
    return subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=clean | environment, capture_output=True, text=True
    )


def lock(folder: Path, codec: str = "msgpack", requires: str = "msgpack = '>=1,<99'") -> Path:
    path = folder / "bakeoff.lock"
    path.write_text(f"version = 1\n[codec]\nname = '{codec}'\nrequires = {{ {requires} }}\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["json", "msgpack", "bson", "yaml", "pickle", "plist", "json|zlib", "marshal"]
)
def test_codecs_need_only_their_library(name, tmp_path):
    script = (
        f"import bakeoff; c = bakeoff.codec({name!r}, trusted=True); print(c.decode(c.encode({{'a': 1}})))"
    )
    done = python(BLOCKED + script, tmp_path)

    assert ("{'a': 1}\n", "") == (done.stdout, done.stderr)


@pytest.mark.slow
def test_the_lock_needs_no_more(tmp_path):
    lock(tmp_path, "msgpack|zlib", "msgpack = '>=1,<99', Python = '>=3,<4'")
    done = python(f"{BLOCKED}import bakeoff; print(bakeoff.fastest().name)", tmp_path)

    assert ("msgpack|zlib\n", "") == (done.stdout, done.stderr)


@pytest.mark.slow
def test_a_codec_loads_its_own_format_alone(tmp_path):
    lock(tmp_path)
    script = "import sys; before = {*sys.modules}; import bakeoff; bakeoff.fastest()"
    # Without what the tests' own coverage has loaded.
    loaded = python(f"{script}; print(*{{*sys.modules}} - before)", tmp_path).stdout.split()

    assert "bakeoff.codecs.formats.msgpack" in loaded
    rooms = "reports", "bench", "schemas", "datasets"
    for name in ("codecs.formats.json", "codecs.streams.compression", *rooms):
        assert f"bakeoff.{name}" not in loaded
    assert not {"importlib.metadata", "pathlib", "bson", *ABSENT} & set(loaded)


@pytest.mark.slow
def test_workers_load_no_slow_modules(tmp_path):
    """A run starts dozens of them."""
    script = "import sys; before = {*sys.modules}; from bakeoff.bench.worker import __main__, alone, time"
    loaded = python(f"{script}; print(*{{*sys.modules}} - before)", tmp_path).stdout.split()

    assert "bakeoff.bench.operations.count" in loaded
    assert not {"importlib.metadata", "hashlib", "asyncio", *ABSENT} & set(loaded)


@pytest.mark.slow
def test_a_service_finds_the_lock_of_its_project(tmp_path):
    project = tmp_path / "shop"
    worker = project / "worker"
    worker.mkdir(parents=True)
    (project / "pyproject.toml").touch()
    lock(tmp_path, "json", "")
    failed = python(SERVICE, worker)
    assert 1 == failed.returncode
    assert f"UsageError: no bakeoff.lock in {worker}, {project} (up to" in failed.stderr
    path = lock(project)
    assert "msgpack {'id': 7}\n" == python(SERVICE, worker).stdout
    assert "msgpack {'id': 7}\n" == python(SERVICE, Path("/"), BAKEOFF_LOCK=str(path)).stdout
    lock(project, requires="msgpack = '>=99'")
    failed = python(SERVICE, worker)
    assert re.search(
        rf"RunError: {path} does not match this environment: msgpack \S+ is installed, the lock requires "
        r">=99: "
        r"pip install 'msgpack>=99', or choose",
        failed.stderr,
    )


@pytest.mark.parametrize(
    "name", ["msgpack", "PyYAML", "pyyaml", "Python-RapidJSON", "pytest_xdist", "bakeoff"]
)
def test_versions_are_those_of_the_metadata(name):
    assert importlib.metadata.version(name) == version(name)


def test_what_is_not_installed_has_no_version():
    assert (None, None) == (version("no-such-distribution"), version(""))


def test_what_has_no_folder_of_its_own_is_asked_of_the_metadata(tmp_path, monkeypatch):
    """A zip on the path, for one."""
    info = tmp_path / "zipped-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zipped\nVersion: 1.5\n")
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", tmp_path, info.name)
    monkeypatch.syspath_prepend(archive)

    assert "1.5" == version("zipped")


RELEASES = st.builds(
    lambda numbers, post: ".".join(map(str, numbers)) + post,
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.sampled_from(["", "", ".post0", ".post2", "+cpu"]),
)
CLAUSES = st.builds(
    lambda sign, release: f"{sign} {release.removesuffix('+cpu')}",
    st.sampled_from(["==", "!=", ">=", "<=", "<", "==="]),
    RELEASES,
)


@given(clauses=st.lists(CLAUSES, max_size=3), found=RELEASES)
def test_ranges_are_those_of_the_field(clauses, found):
    allowed = ",".join(clauses)

    assert SpecifierSet(allowed).contains(found, prereleases=True) == allows(allowed, found)


@pytest.mark.parametrize(
    ("allowed", "found", "expected"),
    [
        ("", "anything", True),
        (">=1.2.4,<2", "1.10", True),
        (">=1.2.4,<2", "2.0.0", False),
        (">=1.2,<2", "1.3rc1", False),
        ("===1.3rc1", "1.3rc1", True),
        ("===2025a-x", "2025a-x", True),
        (">=1", "no version", False),
    ],
)
def test_what_is_no_release_is_allowed_by_name_alone(allowed, found, expected):
    """Nobody measured a candidate by measuring the release before."""
    assert expected == allows(allowed, found)


@pytest.mark.parametrize(
    "text", ["x", "1.2", "~=1.4", ">1", "==1.*", ">=1,", ">=1rc1", ">=1+cpu", f">={9**99}"]
)
def test_what_is_no_range_is_an_error(text):
    with pytest.raises(ValueError, match="expected a range of releases"):
        allows(text, "1.2")


def closure(name: str) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        if (name := waiting.pop()) in found:
            continue
        found.add(name)
        for line in importlib.metadata.requires(name) or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed.name.lower())
    return found


def test_an_installation_is_of_few_parts():
    """Fourteen distributions at the most; ``python3 tasks.py benchmarks light`` weighs them."""
    needed = closure("bakeoff")

    assert len(needed) <= 14
    assert not {"numpy", "scipy"} & needed
