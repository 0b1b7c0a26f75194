"""The modules of frameworks that the integrations import, so that tests can hide or look for them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import bakeoff.codecs.integrations

FOLDER = Path(bakeoff.codecs.integrations.__file__).parent


def imported_by(path: Path) -> set[str]:
    """Return the top-level modules of other packages that a file imports, in functions and for types, too."""
    return {name.partition(".")[0] for name in _names(path)} - sys.stdlib_module_names - {"bakeoff"}


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


BY_INTEGRATION = {path.stem: imported_by(path) for path in sorted(FOLDER.glob("[!_]*.py"))}
"""By the name of the integration; empty if what it returns has no class of the framework as its base."""
FRAMEWORKS = sorted(set().union(*BY_INTEGRATION.values()))
