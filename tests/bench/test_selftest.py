"""The self-test, as a user calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bakeoff.bench.lab.selftest import checks as parts
from bakeoff.bench.run.environment import cores
from bakeoff.commands import selftest as command


def selftest(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Call ``bakeoff selftest``."""
    bakeoff = Path(sys.executable).with_name("bakeoff")
    # What coverage remembers of a process would be taken for growth.
    plain = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    return subprocess.run([bakeoff, "selftest", *arguments], capture_output=True, text=True, env=plain)


def test_every_part_can_be_asked_for():
    """``--only`` offers what there is, in its order."""
    assert tuple(parts.PARTS) == command.PARTS


def test_codecs_that_fail_cost_their_own_row():
    """Crash, hang, memory, exit and lie are told apart, and the codec beside them is measured."""
    done = selftest("--only", "failures", "-f", "json")

    findings = {finding["what"]: finding["found"] for finding in json.loads(done.stdout)}
    assert 0 == done.returncode, findings
    assert "timed out" == findings["a codec that hangs"]
    assert "ok" == findings["a good codec beside them"]


def test_a_table_names_found_and_target():
    """The table is readable when piped and ends with exit code 0 when all targets are met."""
    done = selftest("--only", "leaks")

    assert 0 == done.returncode, done.stdout
    assert "found in 1 of 1" in done.stdout


def test_the_physical_cores_are_watched():
    """A line for each processor says how long it was free, whatever the neighbors do."""
    done = selftest("--only", "core", "-f", "json")

    assert done.returncode in (0, 1), done.stderr
    findings = json.loads(done.stdout)
    assert [f"physical core of processor {core}" for core in cores()] == [f["what"] for f in findings]
    assert all(finding["found"].startswith("free for ") for finding in findings)
