"""The command line as users start it, in a separate process, also on a pseudo-terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hurried import BAKEOFF


def launch(
    folder: Path, *arguments: str, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``bakeoff ARGUMENTS``, `hurried`, in a folder until it ends, with extra environment variables."""
    return subprocess.run(
        [*BAKEOFF, *arguments],
        cwd=folder,
        env=os.environ | environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def wait(process: subprocess.Popen[Any], until: Callable[[], bool]) -> None:
    """Wait until a condition holds or the process has ended."""
    while process.poll() is None and not until():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)


def on_terminal(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] = os.environ, *, whole: bool = False
) -> tuple[int, bytes]:
    """Run a command with its output, or all its streams, on a terminal; return its code and output."""
    ours, theirs = pty.openpty()
    other = theirs if whole else None
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=other, stdout=theirs, stderr=other
    ) as process:
        os.close(theirs)
        written = b""
        try:
            while part := os.read(ours, 65536):
                written += part
        except OSError:  # how Linux says that the other end is closed
            pass
    os.close(ours)
    return process.returncode, written
