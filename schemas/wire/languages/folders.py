"""Where files are looked for that definitions name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ....errors import UsageError

__all__ = ["above"]


def above(
    wanted: Iterable[str], folder: Path, include: Iterable[str | os.PathLike[str]] = ()
) -> Iterator[Path]:
    """Yield the folders to search, each once.

    These are the folders that were named, the file's own, the working folder, and those above the file under
    which something is that is wanted, as the root of the repository is that the file is from.

    Args:
        wanted: Paths, as the definition has them.
        folder: That the definition is in.
        include: Folders, as ``-I`` names them.

    Raises:
        UsageError: A folder that was named is none.
    """
    seen: set[Path] = set()
    for each in include:
        if not Path(each).is_dir():
            raise UsageError(f"-I {each}: no such folder")
    paths = tuple(wanted)
    own = folder.resolve()
    further = (each for each in own.parents if any((each / path).is_file() for path in paths))
    beside = (own,) if own.is_dir() else ()
    for each in (*(Path(each).resolve() for each in include), *beside, Path.cwd(), *further):
        if each not in seen:
            seen.add(each)
            yield each
