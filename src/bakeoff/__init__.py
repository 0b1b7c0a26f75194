"""Which serialization codec should carry my records? Measured, honestly, on your own data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import integrations
    from ._fastest import fastest
    from ._result import Result, load
    from ._run import run
    from .codecs import codec, migrate
    from .codecs.core.codec import Codec
    from .codecs.errors import CodecError, DecodeError, EncodeError, LimitError, MissingLibrary, UnknownCodec
    from .codecs.limits import Limits
    from .datasets import Corpus, corpus
    from .errors import BakeoffError, RunError, UsageError
    from .schemas import Advice, AdviceError, Hint, Schema

__version__ = "0.1.0"

_HOMES = {
    name: module
    for module, names in {
        "_fastest": "fastest",
        "_result": "Result load",
        "_run": "run",
        "codecs": "Codec Limits codec migrate",
        "codecs.errors": "CodecError DecodeError EncodeError LimitError MissingLibrary UnknownCodec",
        "datasets": "Corpus corpus",
        "errors": "BakeoffError RunError UsageError",
        "schemas": "Advice AdviceError Hint Schema",
    }.items()
    for name in names.split()
}
"""Public names and their modules; a module is loaded when one of its names is first used."""
_MODULES = {*_HOMES.values(), "integrations"}

__all__ = [
    "Advice", "AdviceError", "BakeoffError", "Codec", "CodecError", "Corpus", "DecodeError",
    "EncodeError", "Hint", "LimitError", "Limits", "MissingLibrary", "Result", "RunError", "Schema",
    "UnknownCodec", "UsageError", "__version__", "codec", "corpus", "fastest", "integrations", "load",
    "migrate", "run",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES or name in _MODULES:
        from importlib import import_module

        home = import_module(f".{_HOMES.get(name, name)}", __name__)
        return getattr(home, name) if name in _HOMES else home
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
