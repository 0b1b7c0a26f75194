"""The grammar of codec names: ``NAME[/VARIANT][==RELEASE][+schema][|COMPRESSOR[:LEVEL]]``."""

from __future__ import annotations

import re

from ..errors import UsageError
from .errors import UnknownCodec

RAW = "/raw"
"""Suffix for a library's own calls in result files; they are not a codec."""
_OWN_NAME = re.compile(r"[^\W_][\w./-]*")
_NAME = re.compile(r"(?P<base>[^+|]+)(?P<schema>\+schema)?(?:\|(?P<compression>[^|]+))?")


def split_name(name: str) -> tuple[str, bool, str | None]:
    """Split ``NAME[/VARIANT][==RELEASE][+schema][|COMPRESSOR[:LEVEL]]`` into base, schema and compressor.

    The release is a part of the base; see `split_release`.

    Raises:
        UnknownCodec: Invalid form.
    """
    if (match := _NAME.fullmatch(name)) is None:
        start, *after = name.split("|")
        if len(after) > 1:  # a name has one compressor, or a checksum
            raise UnknownCodec(name, [f"{start}|{each}" for each in after if each])
        base, plus, _ = name.partition("+")
        raise UnknownCodec(name, (f"{base}+schema",) if base and plus else ())
    return match["base"], match["schema"] is not None, match["compression"]


def bare_name(name: str) -> str:
    """Return a codec's name without its schema."""
    base, _, compression = split_name(name)
    return join_name(base, compression=compression)


def is_raw(name: str) -> bool:
    """Return whether a name in a result file means a library's own calls, see `RawCalls`."""
    return re.split(r"[+|]", name)[0].endswith(RAW)


def join_name(base: str, schema: bool = False, compression: str | None = None) -> str:
    """Join the parts that `split_name` returns."""
    return base + ("+schema" if schema else "") + (f"|{compression}" if compression else "")


def split_release(name: str) -> tuple[str, str]:
    """Split a codec's name into the name without a release, and the release; empty if there is none.

    Raises:
        UnknownCodec: Invalid form.
    """
    base, schema, compression = split_name(name)
    return join_name(without_release(base), schema, compression), base.partition("==")[2]


def join_release(name: str, release: str) -> str:
    """Join the parts that `split_release` returns."""
    base, schema, compression = split_name(name)
    return join_name(f"{base}=={release}" if release else base, schema, compression)


def without_release(base: str) -> str:
    """Return the base of a name, as `split_name` returns it, without its release."""
    return base.partition("==")[0]


def check_own_name(name: str, shown: str) -> None:
    """Refuse an invalid name of the user's own codec.

    Args:
        name: The name.
        shown: What the user typed.

    Raises:
        UsageError: It is invalid.
    """
    if not _OWN_NAME.fullmatch(name):
        raise UsageError(f"{shown}: expected a name of letters, digits and . _ - /")
