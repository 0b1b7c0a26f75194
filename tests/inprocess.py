"""The command line, called within the process of the tests, with runs `hurried`.

A separate process takes a third of a second to start.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bakeoff.cli import main
from bakeoff.codecs.registry import registering
from hurried import hurry


def bakeoff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call ``bakeoff ARGUMENTS`` in a folder."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    known = set(sys.modules)
    try:
        with (
            contextlib.chdir(folder),
            CliRunner().isolation() as (out, err, _),
            pytest.MonkeyPatch.context() as patch,
            registering(()),  # forgets the codecs of the command
        ):
            hurry(patch.setattr)
            patch.setattr("sys.argv", ["bakeoff", *arguments])
            patch.setattr("sys.path", list(sys.path))
            patch.setattr("bakeoff.imports._imported", {})
            with pytest.raises(SystemExit) as ended:
                main(list(arguments))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        # In the folder of the project are the libraries, which cannot be imported twice.
        is_project = Path(sys.prefix).is_relative_to(folder)
        for name in () if is_project else set(sys.modules) - known:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
                del sys.modules[name]  # the next folder has another module with this name
    assert isinstance(ended.value.code, int)
    return subprocess.CompletedProcess(
        arguments, ended.value.code, out.getvalue().decode(), err.getvalue().decode()
    )


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call ``bakeoff run ARGUMENTS`` in a folder."""
    return bakeoff(folder, "run", *arguments)


def exit_code(*arguments: str) -> int:
    """Call ``bakeoff ARGUMENTS`` in the current folder; the test captures the output."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert isinstance(ended.value.code, int)
    return ended.value.code
