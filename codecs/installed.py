"""Finds the installed version of a distribution, and compares it with a specifier, without heavy imports.

`importlib.metadata` takes 40 ms to import, more than a codec. It is imported only if the name of the folder
does not contain the version.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from operator import eq, ge, le, lt, ne
from typing import Any


def version(library: str) -> str | None:
    """Return the version of a distribution; None if it is not installed.

    It is part of the folder's name, ``{name}-{version}.dist-info`` (PyPA specifications, "Recording
    installed projects"); the first one on ``sys.path`` is used, as for imports.

    Args:
        library: Its name in any spelling: ``"PyYAML"``, ``"python-rapidjson"``.
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


def of_modules(*modules: str) -> str | None:
    """Return the version that the first of several modules says by itself: its ``__version__``.

    PyInstaller and layers of AWS Lambda often leave the metadata of distributions out.

    Returns:
        The version; empty if no module says one, None if none can be imported.
    """
    from importlib import import_module

    found = None
    for name in modules:
        try:
            told = getattr(import_module(name), "__version__", "")
        except ImportError:
            continue
        if isinstance(told, str) and told:
            return told
        found = ""
    return found


def _normal(name: str) -> str:
    """Return a normalized name, see PyPA specifications, "Names and normalization"."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _by_metadata(library: str) -> str | None:
    """Return the version of a library that is zipped, in an old layout, or found by an import hook."""
    from importlib import metadata

    try:
        return metadata.version(library)
    except (metadata.PackageNotFoundError, ValueError):
        return None


_RELEASE = re.compile(r"(\d{1,9}(?:\.\d{1,9})*)(?:\.post(\d{1,9}))?(?:\+[a-z0-9.]+)?")
"""A final or post release, optionally with a label, which ranges ignore (PyPA, "Version specifiers")."""

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne, ">=": ge, "<=": le, "<": lt}
"""The operators of ranges of releases; other operators of the specification are not supported."""


def allows(allowed: str, found: str) -> bool:
    """Whether a version specifier allows a version; an empty one allows any.

    Final and post releases are compared. Other versions (a release candidate, a date with letters) are only
    allowed by ``===``.

    Args:
        allowed: For instance ``">=1.2.4,<2"``.
        found: For instance ``"1.3.0"``.

    Raises:
        ValueError: `allowed` contains anything other than ``==``, ``!=``, ``>=``, ``<=`` and ``<`` before
            releases, or ``===`` before any version.
    """
    clauses = [_clause(clause) for clause in allowed.split(",")] if allowed.strip() else []
    release = release_of(found)
    return all(
        found == wanted if compare is None else release is not None and compare(release, release_of(wanted))
        for compare, wanted in clauses
    )


def _clause(text: str) -> tuple[Callable[[Any, Any], bool] | None, str]:
    """Return the comparison, None for equal text, and the version to compare with."""
    match = re.fullmatch(r"\s*(===|==|!=|>=|<=|<)\s*(\S+)\s*", text)
    if match is None or (match[1] != "===" and (release_of(match[2]) is None or "+" in match[2])):
        raise ValueError(f"expected a range of releases such as >=1.2,<2, got {text!r}")
    return _COMPARED.get(match[1]), match[2]


def same_release(one: str, other: str) -> bool:
    """Whether two versions are the same: ``"3.11"`` and ``"3.11.0"`` are."""
    key = release_of(one)
    return one == other or (key is not None and key == release_of(other))


def release_of(found: str) -> tuple[tuple[int, ...], int] | None:
    """Return the key that orders final and post releases; None for versions of other kinds.

    It consists of the numbers without final zeros, and the number of the post release, or -1.
    """
    match = _RELEASE.fullmatch(found)
    if match is None:
        return None
    numbers = [int(part) for part in match[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers), int(match[2] or -1)
