"""Paths at which there is nothing: the files that the user may have meant."""

from __future__ import annotations

import os
import re
import shlex
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from .errors import UnknownName, hint

_MOST: Final = 3
_ALIKE: Final = 0.8
"""Least similarity of two names, which are often short."""
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
"""How a URL begins, also one that became a path and lost a slash; a drive has one letter."""


def near_files(path: Path) -> tuple[str, ...]:
    """Return at most three files or folders with names similar to that of a missing one, to be typed.

    Names are compared without their endings, as otherwise all files with a common one are similar.
    """
    try:
        if path.parent.is_dir():
            return _alike(path)
        folders = (Path(folder) for folder in _alike(path.parent)) if path.parent.parent.is_dir() else ()
        return tuple(str(folder / path.name) for folder in folders if (folder / path.name).exists())
    except (OSError, ValueError):  # a folder that cannot be read, or a name that no file can have
        return ()


def _alike(path: Path) -> tuple[str, ...]:
    names: dict[str, list[str]] = {}
    for each in sorted(path.parent.iterdir()):
        if path.suffix and each.is_dir():  # a name with an ending is that of a file
            continue
        names.setdefault(_stem(each), []).append(each.name)
    stems = get_close_matches(_stem(path), filter(None, names), n=_MOST, cutoff=_ALIKE)
    # Of files with one stem, such as a.csv and a.json, that with the similar ending comes first.
    found = [name for stem in stems for name in get_close_matches(path.name, names[stem], n=_MOST, cutoff=0)]
    same = [name for name in found if Path(name).suffix == path.suffix != ""]
    return tuple(str(path.with_name(name)) for name in same or found)[:_MOST]


def _stem(path: Path) -> str:
    return path.name.lower().partition(".")[0]


class NoSuchFile(UnknownName):
    """There is nothing at a path.

    Args:
        path: As the user typed it.
        otherwise: The next step if no file has a similar name.
        what: What is expected there.
    """

    def __init__(self, path: Path, otherwise: str = "check its name and folder", what: str = "file") -> None:
        self.typed, self.near = str(path), near_files(path)
        if url := as_url(str(path)):
            said = f"{url}: this command reads only files; {how_to_download(url)}"
        else:
            said = f"{path}: no such {what}; {hint(self.near, no_path(str(path)) or otherwise)}"
        super().__init__(said)


def no_path(text: str) -> str:
    """Return why a pattern, or a path of another system, names nothing; empty for other texts."""
    if re.search(r"[*?]|\[.+\]", text):
        return "no file matches this pattern"
    if text.startswith("~"):
        return "the shell replaces ~ only where it is not quoted"
    if "\\" in text and os.sep == "/":
        return "folders are separated by / here"
    return ""


def as_url(text: str) -> str:
    """Return a URL, also one of which a path was made; empty for everything else."""
    begin = _ADDRESS.match(text)
    return f"{begin[0]}/{text[begin.end() :].lstrip('/')}" if begin else ""


def how_to_download(url: str) -> str:
    """Return the step that makes a file of a URL."""
    if url.lower().startswith("file:"):
        return f"name the file itself: {url.partition('://')[2]}"
    web = url.lower().startswith(("http:", "https:", "ftp:"))
    return f"download it: `curl -LO {shlex.quote(url)}`" if web else "copy it to a file first"
