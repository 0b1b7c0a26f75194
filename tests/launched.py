"""The command line as users start it, in a separate process."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

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
