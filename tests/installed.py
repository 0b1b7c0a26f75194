"""A distribution with entry points, as an installer writes it, for tests of third-party packages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path


def install(
    folder: Path, name: str, source: str, points: Iterable[str], group: str = "bakeoff.codecs"
) -> None:
    """Put a distribution into a folder.

    Args:
        folder: Folder on the path of processes that should find it; created if it is missing.
        name: Name of the distribution, and of its only module.
        source: Source of the module.
        points: Names of entry points; their objects have the same names, with underscores for dashes.
        group: Group of the entry points.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / f"{name}.py").write_text(textwrap.dedent(source))
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{point} = {name}:{point.replace('-', '_')}" for point in points]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
