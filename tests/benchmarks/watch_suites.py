"""Whether test suites of libraries pass unchanged under watch: ``python3 tasks.py benchmarks watch_suites``.

The suites of the installed versions of msgpack, from its source, and simplejson, which contains its own, run
as they are and with ``bakeoff watch``. The outcome of each test must be the same, whatever it is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import click

from ._frame import Targets, benchmark
from ._sdists import sdist

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no")
WATCH = ("-P", "-m", "bakeoff", "watch", "--", sys.executable)


@benchmark
def main(targets: Targets) -> None:
    """Run the suites twice; exit with 1 if a test has another outcome under watch."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _compare(targets, "simplejson", folder, ["--pyargs", "simplejson.tests"])
        _compare(targets, "msgpack", sdist("msgpack", folder), ["test"])


def _compare(targets: Targets, library: str, folder: Path, tests: list[str]) -> None:
    plain, _ = _outcomes(folder, PYTEST, tests)
    watched, said = _outcomes(folder, (*WATCH, *PYTEST), tests)
    differ = sorted(name for name in {*plain, *watched} if plain.get(name) != watched.get(name))
    for name in differ:
        click.echo(f"  {name}: {plain.get(name)}, under watch {watched.get(name)}")
    found = re.findall(r"^[a-z].*?  +([\d,]+) ", said, re.MULTILINE)
    calls = sum(int(count.replace(",", "")) for count in found)
    outcomes = ", ".join(f"{count} {kind}" for kind, count in Counter(plain.values()).items())
    what = f"{library}: {outcomes}; {calls:,} calls watched"
    targets.show(what, f"{len(differ)} differ", "0", ok=not differ and calls > 0)


def _outcomes(folder: Path, command: tuple[str, ...], tests: list[str]) -> tuple[Mapping[str, str], str]:
    """Return the outcome of each test by its name, and what was printed to standard error."""
    report = folder / "outcomes.xml"
    report.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, *command, f"--junitxml={report}", *tests],
        cwd=folder,
        env=os.environ | {"PYTEST_ADDOPTS": "", "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    if not report.exists():
        raise click.ClickException(done.stdout + done.stderr)
    cases = ElementTree.parse(report).iter("testcase")
    return {f"{case.get('classname')}.{case.get('name')}": _outcome(case) for case in cases}, done.stderr


def _outcome(case: ElementTree.Element) -> str:
    return next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")
