"""Wheels of a made-up codec library, in a folder that takes the place of an index."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

from installed import install

NAME = "tinycodec"

SOURCE = """
import json
import bakeoff

def dumps(obj):
    {dumps}
    return json.dumps(obj, separators=(",", ":")).encode()

def loads(data):
    record = json.loads(data)
    {loads}
    record["at"] = {kind}(record["at"])
    return record

def tiny():
    return bakeoff.Codec("tiny", "json", dumps, loads, preserves={{"{kind}"}})
"""

ROWS = "ROWS = [{'id': n, 'at': (n, 2 * n), 'name': 'a' * n} for n in range(20)]"
"""A module with records for the codec. JSON lacks one of their types, the tuple."""


def source(*, dumps: str = "pass", loads: str = "pass", lossy: bool = False) -> str:
    """Return the module of a release.

    Args:
        dumps: A statement at the beginning of this call.
        loads: A statement after the JSON is decoded to the variable `record`.
        lossy: Decode tuples as lists.
    """
    return SOURCE.format(dumps=dumps, loads=loads, kind="list" if lossy else "tuple")


def wheel(folder: Path, version: str, content: str) -> None:
    """Write the wheel of a release.

    Args:
        folder: Folder for wheels; created if it is missing.
        version: The release.
        content: Source of its module.
    """
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{NAME}-{version}.dist-info"
    files = {
        f"{NAME}.py": content,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[bakeoff.codecs]\ntiny = {NAME}:tiny\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{NAME}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def sdist(folder: Path, version: str) -> None:
    """Write a release that would have to be built, which fails."""
    content = folder / "setup.py"
    content.write_text("raise SystemExit('built from source')")
    with tarfile.open(folder / f"{NAME}-{version}.tar.gz", "w:gz") as archive:
        archive.add(content, f"{NAME}-{version}/setup.py")
    content.unlink()


def environment(folder: Path) -> dict[str, str]:
    """Return variables for processes that have release 1.0 installed, and wheels instead of an index.

    Args:
        folder: Has ``wheels``; gets the installed release and the cache.
    """
    if not (folder / "installed").exists():
        install(folder / "installed", NAME, source(), ["tiny"])
    return {
        "PYTHONPATH": str(folder / "installed"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder / "wheels"),
        "BAKEOFF_CACHE": str(folder / "cache"),
    }
