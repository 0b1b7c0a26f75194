"""A distribution with entry points, as an installer leaves it: for tests of what other packages bring."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

__all__ = ["install"]


def install(
    folder: Path, name: str, source: str, points: Iterable[str], group: str = "bakeoff.codecs"
) -> None:
    """Put a distribution into a folder.

    Args:
        folder: Goes on the path of those who are to find it; made where it is missing.
        name: Of the distribution, and of its one module.
        source: Of the module.
        points: Names of entry points; what each leads to has the same name, with underscores for dashes.
        group: Of the entry points.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / f"{name}.py").write_text(textwrap.dedent(source))
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{point} = {name}:{point.replace('-', '_')}" for point in points]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
