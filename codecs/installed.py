"""Which version of a distribution is installed, and whether that will do, without heavy imports.

`importlib.metadata` takes 40 ms to import, more than a codec: it is asked only where the name of the folder
does not tell.
"""

from __future__ import annotations

import os
import re
import sys

__all__ = ["allows", "version"]


def version(library: str) -> str | None:
    """Return the version of a distribution, None when it is not installed.

    It stands in the name of the folder ``{name}-{version}.dist-info`` (PyPA specifications, "Recording
    installed projects"); the first on ``sys.path`` counts, as for imports.

    Args:
        library: Its name, however written: ``"PyYAML"``, ``"python-rapidjson"``.
    """
    wanted = _normal(library)
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")  # noqa: PTH208 - pathlib takes longer to import than this
        except OSError:
            continue
        for entry in entries:
            if entry.endswith(".dist-info"):
                name, _, found = entry.removesuffix(".dist-info").rpartition("-")
                if _normal(name) == wanted:
                    return found
    return _by_metadata(library)


def _normal(name: str) -> str:
    """As PyPA specifications, "Names and normalization", have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _by_metadata(library: str) -> str | None:
    """Return the version of what is installed in another way: zipped, by an import hook, in an old layout."""
    from importlib import metadata

    try:
        return metadata.version(library)
    except (metadata.PackageNotFoundError, ValueError):
        return None


_FINAL = r"\d{1,9}(?:\.\d{1,9})*"
"""Versions of final releases, which compare number by number (PyPA, "Version specifiers")."""


def allows(allowed: str, found: str) -> bool:
    """Whether a version specifier allows a version; an empty one allows any.

    Args:
        allowed: Such as ``">=1.2.4,<2"``.
        found: Such as ``"1.3.0"``.

    Raises:
        ValueError: `allowed` is no version specifier.
    """
    clauses = [clause.strip() for clause in allowed.split(",")] if allowed.strip() else []
    plain = [match for clause in clauses if (match := re.fullmatch(rf"(>=|<) *({_FINAL})", clause))]
    # What locks are written with is answered here: `packaging` takes longer to import than most codecs.
    if len(plain) == len(clauses) and (not clauses or re.fullmatch(_FINAL, found)):
        return all((_release(found) >= _release(match[2])) == (match[1] == ">=") for match in plain)
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(allowed).contains(found, prereleases=True)
    except InvalidVersion:
        return False


def _release(text: str) -> tuple[int, ...]:
    """Return the numbers of a final release, without the zeros at its end."""
    numbers = [int(part) for part in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
