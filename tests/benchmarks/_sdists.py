"""Sources of installed libraries, from their package registry."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path


def sdist(name: str, folder: Path) -> Path:
    """Download the source of an installed distribution, in the installed version, and unpack it.

    Args:
        name: The distribution.
        folder: Where to put it.

    Returns:
        ``folder/NAME``.
    """
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*command, "-d", folder, f"{name}=={version(name)}"], check=True)
    (archive,) = folder.glob(f"{name}-*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    archive.unlink()
    (unpacked,) = folder.glob(f"{name}-*")
    return unpacked.rename(folder / name)
