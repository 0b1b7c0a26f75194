"""Codecs by dotted path, for settings files.

``bakeoff.codecs.ready.msgpack`` is the codec, and ``bakeoff.codecs.ready.Msgpack`` is a class that makes it.
``/`` and ``-`` in a name become ``_`` (``ready.msgpack_tuple``); class names are in CamelCase
(``ready.MsgspecJson``).
"""

from __future__ import annotations

from typing import Any

from .core.classes import CodecClass, name_of
from .core.codec import Codec
from .factory import codec
from .registry import names

__all__ = ["CodecClass"]


def of_class(module: str, name: str) -> Codec:
    """Return the codec of a class by its name in CamelCase, which a module was asked for.

    Raises:
        AttributeError: There is none.
        MissingLibrary: The codec's library is not installed.
    """
    for known in names():
        if name == name_of(known):
            return codec(known)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def __getattr__(name: str) -> Any:
    for known in names():
        if name == known.replace("/", "_").replace("-", "_"):
            return codec(known)
    return of_class(__name__, name).as_class()
