"""Which version of a distribution is installed, and whether that will do, without heavy imports.

`importlib.metadata` takes 40 ms to import, more than a codec: it is asked only where the name of the folder
does not tell.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from operator import eq, ge, le, lt, ne
from typing import Any

__all__ = ["allows", "release_of", "version"]


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


_RELEASE = re.compile(r"(\d{1,9}(?:\.\d{1,9})*)(?:\.post(\d{1,9}))?(?:\+[a-z0-9.]+)?")
"""A final or post release, perhaps with a label, which ranges look past (PyPA, "Version specifiers")."""

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne, ">=": ge, "<=": le, "<": lt}
"""What ranges of releases are made of; the rest of the specification is about versions of other kinds."""


def allows(allowed: str, found: str) -> bool:
    """Whether a version specifier allows a version; an empty one allows any.

    Final and post releases are compared; what is of another kind (a release candidate, a date with letters)
    is allowed only as it is, by ``===``.

    Args:
        allowed: Such as ``">=1.2.4,<2"``.
        found: Such as ``"1.3.0"``.

    Raises:
        ValueError: `allowed` is made of something else than ``==``, ``!=``, ``>=``, ``<=`` and ``<`` before
            releases, or ``===`` before any version.
    """
    clauses = [_clause(clause) for clause in allowed.split(",")] if allowed.strip() else []
    release = release_of(found)
    return all(
        found == wanted if compare is None else release is not None and compare(release, release_of(wanted))
        for compare, wanted in clauses
    )


def _clause(text: str) -> tuple[Callable[[Any, Any], bool] | None, str]:
    """Return what compares, None for the text as it is, and with what."""
    match = re.fullmatch(r"\s*(===|==|!=|>=|<=|<)\s*(\S+)\s*", text)
    if match is None or (match[1] != "===" and (release_of(match[2]) is None or "+" in match[2])):
        raise ValueError(f"expected a range of releases such as >=1.2,<2, got {text!r}")
    return _COMPARED.get(match[1]), match[2]


def release_of(found: str) -> tuple[tuple[int, ...], int] | None:
    """Return what final and post releases compare by, None for versions of other kinds.

    The numbers without the zeros at their end, and that of the post release, or -1.
    """
    match = _RELEASE.fullmatch(found)
    if match is None:
        return None
    numbers = [int(part) for part in match[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers), int(match[2] or -1)
