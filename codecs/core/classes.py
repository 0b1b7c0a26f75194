"""Classes of a codec, for frameworks that want a class: importable by dotted path, and picklable."""

from __future__ import annotations

import copyreg
import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from .base import CodecBase

_Base = TypeVar("_Base")

_made: WeakValueDictionary[tuple[type[Any], Any], type[Any]] = WeakValueDictionary()


def class_of(base: type[_Base], codec: CodecBase, suffix: str = "") -> type[_Base]:
    """Return the subclass of a base whose ``codec`` is a codec: one class for equal codecs.

    Args:
        base: A class of a module. The subclass also gets what its ``attributes(codec)`` returns.
        codec: The codec.
        suffix: Ends the class's name, if a module has several for each codec.
    """
    key = base, codec
    if (found := _made.get(key)) is None:
        name = name_of(codec.name) + suffix
        further = getattr(base, "attributes", _none)(codec)
        own = {"codec": codec, "__module__": base.__module__, "__qualname__": name}
        found = _made[key] = _meta(base.__class__)(name, (base,), {**own, **further})
    return found


def _none(codec: CodecBase) -> dict[str, Any]:
    return {}


def name_of(codec: str) -> str:
    """Return the name of a codec's classes: CamelCase, for instance ``MsgspecJson``."""
    return re.sub(r"\W", "_", codec).title().replace("_", "")


class CodecClass:
    """Base of the classes whose instances are a codec; options are accepted and ignored."""

    __module__ = "bakeoff.codecs.ready"  # where they are found by name

    codec: CodecBase

    def __new__(cls, *_arguments: Any, **_options: Any) -> Any:
        return cls.codec


@functools.cache
def _meta(of: Any) -> Any:
    """Return the type of classes that are pickled as their base and their codec."""
    made = type("OfCodec", (of,), {"__module__": __name__})
    copyreg.pickle(made, _reduced)
    return made


def _reduced(made: Any) -> str | tuple[Callable[..., type[Any]], tuple[type[Any], Any, str]]:
    if "codec" not in vars(made):
        return str(made.__qualname__)  # a user's subclass, found by its name
    return class_of, (made.__base__, made.codec, made.__name__.removeprefix(name_of(made.codec.name)))
