"""Find the folders of files that definitions import."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ....errors import UsageError


def above(
    wanted: Iterable[str], folder: Path, include: Iterable[str | os.PathLike[str]] = ()
) -> Iterator[Path]:
    """Yield the folders to search, each once.

    These are the named folders, the file's own folder, the working folder, and each folder above the file
    that contains one of the wanted paths, such as the root of the file's repository.

    Args:
        wanted: Paths, as in the definition.
        folder: Folder of the definition.
        include: Folders named by ``-I``.

    Raises:
        UsageError: A named folder does not exist.
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
