"""What bakeoff weighs for a service that only reads its lock: ``python3 tasks.py benchmarks light``.

The wheel is built and installed without extras into an environment of its own, where the distributions are
counted and weighed: the disk space of site-packages without pip's own, compiled modules included. There,
``import bakeoff; bakeoff.fastest()`` is timed with locks of several codecs in processes that take turns with
``python -c pass``; a figure is the least of many starts, and the time of the whole process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import click

from ._frame import Targets, benchmark

DISTRIBUTIONS = 14
MEGABYTES = 40.0
"""Of 2**20 bytes, on disk."""
MILLISECONDS = 60.0
STARTS = 40
CODECS = {"msgpack": (), "json": (), "orjson": ("orjson",), "msgspec-msgpack": ("msgspec",)}
"""Codecs of the locks, with the extras that they need."""

ROOT = Path(__file__).resolve().parents[2]
START = "import bakeoff; bakeoff.fastest()"


def installed(folder: Path) -> Path:
    """Build the wheel and install it; return the environment's Python."""
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    subprocess.run(build, check=True)
    subprocess.run((sys.executable, "-m", "venv", folder / "venv"), check=True)
    python = folder / "venv/bin/python"
    (wheel,) = folder.glob("*.whl")
    subprocess.run((python, "-m", "pip", "install", "--quiet", wheel), check=True)
    return python


def distributions(python: Path) -> list[str]:
    """Return what is installed, without the tools that install."""
    listed = subprocess.check_output((python, "-m", "pip", "list", "--format", "json"), text=True)
    return [entry["name"] for entry in json.loads(listed) if entry["name"] not in ("pip", "setuptools")]


def megabytes(python: Path) -> tuple[float, float]:
    """Return the bytes of the files that are installed, and what they take on this disk; both in millions.

    Disks give whole blocks, so that small files take more there; how much depends on the disk.
    """
    ours = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
    (packages,) = python.parents[1].glob("lib/python*/site-packages")
    parts = [
        part for part in packages.iterdir() if part.name.partition("-")[0].removesuffix(".pth") not in ours
    ]
    files = [path for part in parts for path in (part, *part.rglob("*"))]
    sizes = sum(path.stat().st_size for path in files if path.is_file())
    return sizes / 1e6, sum(path.lstat().st_blocks for path in files) * 512 / 1e6


def starts(python: Path, folder: Path) -> dict[str, float]:
    """Return the least milliseconds of a start: with a lock of each codec, and of nothing at all."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "BAKEOFF"))}
    found: dict[str, float] = {}
    for _ in range(STARTS):
        for codec in ("", *CODECS):
            begin = perf_counter()
            subprocess.run(
                (python, "-c", START if codec else "pass"),
                cwd=folder,
                env=clean | {"BAKEOFF_LOCK": f"{codec}.lock"},
                check=True,
            )
            spent = (perf_counter() - begin) * 1e3
            found[codec] = min(spent, found.get(codec, spent))
    return found


@benchmark
def main(targets: Targets) -> None:
    """Print what an installation weighs, and how long a service waits; exit 1 when a target is missed."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as name:
        folder = Path(name)
        python = installed(folder)
        names = distributions(python)
        click.echo(f"installed: {', '.join(names)}")
        click.echo(f"on this disk: {megabytes(python)[1]:.1f} MB")
        targets.at_most("distributions", len(names), DISTRIBUTIONS)
        targets.at_most("files in site-packages", megabytes(python)[0], MEGABYTES, "MB")
        extras = sorted({extra for needed in CODECS.values() for extra in needed})
        subprocess.run((python, "-m", "pip", "install", "--quiet", *extras), check=True)
        for codec in CODECS:
            choice = ("--choose", codec, "--write", "--lock", f"{codec}.lock")
            decide = (python, "-m", "bakeoff", "pick", *choice)
            subprocess.run(decide, cwd=folder, check=True, stderr=subprocess.DEVNULL)
        spent = starts(python, folder)
    click.echo(f"python -c pass: {spent['']:.4g} ms")
    for codec in CODECS:
        targets.at_most(f"{START}, {codec}", spent[codec], MILLISECONDS, "ms")
