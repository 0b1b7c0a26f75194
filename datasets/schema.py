"""Find a schema by the user's text: a Python file or module, a definition, or a corpus."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..schemas import Schema
from ..schemas.load import is_named, load
from .corpora import corpus, names


def schema(text: str, include: Sequence[str | os.PathLike[str]] = (), **options: Any) -> Schema:
    """Return the schema that a text names.

    Args:
        text: ``FILE.py``, ``FILE.py:NAME``, ``MODULE:NAME``, a definition such as ``FILE.avsc`` or
            ``FILE.proto#MESSAGE``, or the name of a built-in corpus.
        include: Folders to search first for imports of a ``.proto`` file.
        options: See `Schema`.

    Raises:
        UsageError: There is no schema, or it cannot be read.
    """
    if not is_named(text) and text in names():
        return Schema(corpus(text).schema, **options)
    found = load(text, include)
    return found if isinstance(found, Schema) and not options else Schema(found, **options)
