"""Codecs by dotted path, for settings files.

``bakeoff.codecs.ready.msgpack`` is the codec, and ``bakeoff.codecs.ready.Msgpack`` is a class that makes it.
``/`` and ``-`` in a name become ``_`` (``ready.msgpack_tuple``); class names are in CamelCase
(``ready.MsgspecJson``).
"""

from __future__ import annotations

from typing import Any

from .factory import codec
from .registry import names

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    for known in names():
        plain = known.replace("/", "_").replace("-", "_")
        if name == plain:
            return codec(known)
        if name == plain.title().replace("_", ""):
            return codec(known).as_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
