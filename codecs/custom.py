"""The user's own codecs without a package: ``(dumps, loads)``, an object that has these, or a `Codec`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UsageError
from ..imports import named
from .errors import CodecError
from .spec import Format, Spec

_CALLS = (("dumps", "loads"), ("encode", "decode"))
"""Pairs of names of an encoder and its decoder."""
_PROBES: tuple[Any, ...] = ({"a": 1}, {}, [1], 1, "a")
"""Records that show whether payloads are text."""

_TAKEN = (
    "a bakeoff.Codec, a pair (dumps, loads), an object or module with dumps and loads or encode and decode, "
    "or a function without arguments that returns one of these"
)


def spec_of_calls(source: Any, name: str | None = None, format: str | None = None) -> Spec:
    """Return the spec of the codec that an object stands for.

    A small record is encoded to find out whether payloads are text; `loads` gets the type that `dumps`
    returns.

    Args:
        source: A `Codec`, a pair ``(dumps, loads)``, an object or module with ``dumps`` and ``loads`` or
            ``encode`` and ``decode``, or a function without arguments that returns one of these.
        name: Name of the codec; if None, its own, or the name of the module, function or encoder.
        format: Wire format of a pair; if None, the codec's name.

    Raises:
        UsageError: It is none of these, or the function fails.
    """
    calls = _calls(source)
    if calls is None and callable(source):
        try:
            made = source()
        except Exception as error:
            raise UsageError(f"{_shown(source)} failed: {type(error).__name__}: {error}") from error
        calls, name = _calls(made), name or getattr(source, "__name__", None)
        source = made
    if (spec := Spec.behind(source)) is not None:
        return spec if name in (None, spec.name) else spec.changed(name=name)
    if calls is None:
        raise UsageError(
            f"{_shown(source)}, of type {type(source).__name__}, is not a codec; expected {_TAKEN}"
        )
    encode, decode = calls
    name = name or getattr(source, "__name__", None) or _shown(encode)
    text = _is_text(encode)
    kind = Format(
        name=format or name, content_encoding="utf-8" if text else "binary", empty=_is_nothing(encode)
    )
    return Spec.of(name=name, format=kind, encode=encode, decode=decode, text=text)


def found(name: str, where: str) -> Spec:
    """Import the codec named by ``pkg.module:name`` or ``FILE.py:name``.

    Raises:
        CodecError: It cannot be imported, or is not a codec.
    """
    try:
        spec = spec_of_calls(named(where), name)
    except UsageError as error:
        raise CodecError(name, str(error)) from error
    return spec.changed(origin=name)


def _calls(source: Any) -> tuple[Callable[..., Any], Callable[..., Any]] | None:
    if isinstance(source, type) or Spec.behind(source) is not None:
        return None
    if isinstance(source, tuple | list):
        return (source[0], source[1]) if len(source) == 2 and all(map(callable, source)) else None
    for encode, decode in _CALLS:
        pair = getattr(source, encode, None), getattr(source, decode, None)
        if callable(pair[0]) and callable(pair[1]):
            return pair[0], pair[1]
    return None


def _is_text(encode: Callable[..., Any]) -> bool:
    for record in _PROBES:
        try:
            return isinstance(encode(record), str)
        except Exception:  # noqa: BLE001, S112 - a codec may take records of one shape only
            continue
    return False


def _is_nothing(encode: Callable[..., Any]) -> bool:
    """Whether a record without fields is written as no bytes, as in TOML."""
    try:
        return encode({}) in ("", b"")
    except Exception:  # noqa: BLE001 - a codec may take records of one shape only
        return False


def _shown(source: Any) -> str:
    return f"{getattr(source, '__name__', None) or repr(source)!s:.60}"
