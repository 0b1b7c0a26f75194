"""The wheels of `tasks.py wheels`, without compiling, and the error of a build without a compiler."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

import wheels
from wheels import PYTHONS, TARGETS, Target, assembled, audited

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).parents[1]


def test_wheels_are_of_all_pythons_processors_and_libcs():
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]["build"]

    assert [f"cp{python.replace('.', '')}-*" for python in PYTHONS] == built
    assert 4 * len(PYTHONS) == len(set(map(str, TARGETS)))


@pytest.fixture
def wheel(tmp_path):
    pure = tmp_path / "bakeoff-1.0-py3-none-any.whl"
    with ZipFile(pure, "w") as archive:
        archive.writestr("bakeoff/a.py", "A = 1\n")
        archive.writestr("bakeoff-1.0.dist-info/WHEEL", "Root-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("bakeoff-1.0.dist-info/RECORD", "bakeoff/a.py,,\n")
    (tmp_path / "b").write_bytes(b"\x7fELF")

    def make(target):
        return assembled(pure, target, {f"bakeoff/b{target.suffix}": tmp_path / "b"}, tmp_path)

    return make


@pytest.mark.parametrize("target", TARGETS, ids=map(str, TARGETS))
def test_a_wheel_has_its_tag_in_name_and_metadata(wheel, target):
    path = wheel(target)
    (tag,) = parse_wheel_filename(path.name)[3]
    with ZipFile(path) as archive:
        told = archive.read("bakeoff-1.0.dist-info/WHEEL").decode().splitlines()
        record = [line.split(",") for line in archive.read("bakeoff-1.0.dist-info/RECORD").decode().split()]
        hashes = {name: hashlib.sha256(archive.read(name)).digest() for name in archive.namelist()}

    assert ["Root-Is-Purelib: false", f"Tag: {tag}"] == told
    assert f"{target.interpreter}-{target}" == str(tag)
    assert sorted(hashes) == sorted(name for name, *_ in record)
    for name, digest, _ in record[:-1]:
        assert hashes[name] == base64.urlsafe_b64decode(f"{digest.removeprefix('sha256=')}=")


@pytest.mark.skipif(sys.platform != "linux", reason="the wheels are for Linux")
def test_this_python_would_take_its_wheel():
    from importlib.machinery import EXTENSION_SUFFIXES

    libc = "gnu" if platform.libc_ver()[0] == "glibc" else "musl"
    target = Target("{}.{}".format(*sys.version_info[:2]), platform.machine(), libc)

    assert f"{target.interpreter}-{target}" in map(str, sys_tags())
    assert target.suffix in EXTENSION_SUFFIXES


@pytest.mark.parametrize(
    ("found", "fits"),
    [
        ("manylinux_2_17_aarch64", True),
        ("manylinux_2_5_aarch64", True),
        ("manylinux_2_28_aarch64", False),
        ("manylinux_2_17_x86_64", False),
        ("musllinux_1_2_aarch64", False),
        ("linux_aarch64", False),
    ],
)
def test_a_wheel_that_needs_a_newer_system_is_refused(monkeypatch, found, fits):
    """Whatever auditwheel gives an older tag runs there as well."""
    said = f'x.whl is consistent with the\nfollowing platform tag:\n"{found}".'
    monkeypatch.setattr(wheels, "run", lambda *command: said)
    target = Target("3.13", "aarch64", "gnu")
    if fits:
        assert found == audited(Path("x.whl"), target)
    else:
        with pytest.raises(SystemExit, match=r"x\.whl is no manylinux_2_17_aarch64"):
            audited(Path("x.whl"), target)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no CC there")
def test_a_missing_compiler_is_one_sentence(tmp_path):
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-temp", tmp_path, "--build-lib", tmp_path],
        cwd=ROOT,
        env={**os.environ, "CC": "no-such-compiler"},
        capture_output=True,
        text=True,
    )

    assert 1 == done.returncode
    assert (
        "error: building bakeoff from source needs a C compiler: no-such-compiler was not found "
        "(Debian: apt-get install gcc)"
    ) == done.stderr.splitlines()[-1]
