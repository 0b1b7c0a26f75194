"""The command line as users start it, in a process of its own, and packages that it finds there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["launch", "publish"]


def launch(
    folder: Path, *arguments: str, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``bakeoff ARGUMENTS`` in a folder to its end, with more in its environment."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "bakeoff", *arguments],
        cwd=folder,
        env=os.environ | environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def publish(folder: Path, name: str, source: str, points: str) -> None:
    """Make a distribution of one module, with entry points, as an installer would leave it."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / f"{name}.py").write_text(source)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
