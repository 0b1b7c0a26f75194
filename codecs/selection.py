"""Selections of codecs by names and globs, as on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from ..errors import UsageError, near
from .errors import UnknownCodec
from .naming import check_own_name, join_name, join_release, split_name
from .registry import available, describe, introduce, is_registered, names

_RELEASE = re.compile(r"[0-9][0-9A-Za-z.!_-]*")


def select(patterns: Sequence[str], default: Iterable[str] | None = None) -> list[str]:
    """Return the codec names of a selection, in order, each once.

    Args:
        patterns: Names or globs, separated by commas or as separate items; ``!`` excludes. ``==RELEASE``,
            ``+schema`` and ``|compressor`` may follow a glob, too. With only exclusions, all others are
            selected.
            ``NAME=pkg.module:attribute`` and ``NAME=FILE.py:attribute`` are the user's own codecs, which
            are then registered under that name.
        default: The selection if there are no patterns; by default the installed codecs.

    Raises:
        UnknownCodec: A pattern matches no codec.
        UnknownCompressor: A pattern names an unknown compressor.
        UsageError: The selection is empty; a codec has no releases; or the user's own codec cannot be
            imported, is not a codec, or has a name that is taken.
    """
    # The comma of `|zstd:3,dict` is part of a name.
    parts = [
        part.strip() for pattern in patterns for part in re.split(r",(?!dict\b)", pattern) if part.strip()
    ]
    if patterns and not parts:
        raise UsageError("a selection of codecs is empty; `bakeoff codecs` lists them")
    wanted = [_introduced(part) for part in parts if not part.startswith("!")]
    unwanted = [part[1:] for part in parts if part.startswith("!")]
    chosen = list(available() if default is None else default) if not wanted else []
    for pattern in wanted:
        chosen += _matching(pattern)
    for pattern in unwanted:
        gone = set(_matching(pattern)) | {name for name in chosen if fnmatchcase(name, pattern)}
        chosen = [name for name in chosen if name not in gone]
    if patterns and not chosen:
        raise UsageError(f"no codec matches {', '.join(patterns)}")
    return list(dict.fromkeys(chosen))


def _introduced(pattern: str) -> str:
    """Return a pattern; for ``NAME=SOURCE``, register the codec and return its name."""
    name, sign, source = pattern.partition("=")
    if not sign or source.startswith("="):  # NAME==RELEASE
        return pattern
    check_own_name(name, pattern)
    introduce(name, source)
    return name


def _matching(pattern: str) -> list[str]:
    base, with_schema, compression = split_name(pattern)
    if compression is not None:
        from .streams.compression import library

        library(compression)
    base, sign, release = base.partition("==")
    every = names(needs_schema=True, only_values=True)
    matching = [base] if base in every else [name for name in every if fnmatchcase(name, base)]
    if not matching:
        raise UnknownCodec(pattern, near(base, names()))
    if sign:
        _check_releases(matching, release, pattern)
    return [join_release(join_name(name, with_schema, compression), release) for name in matching]


def _check_releases(codecs: Iterable[str], release: str, shown: str) -> None:
    """Refuse an invalid release, and codecs without a distribution of their own."""
    if not _RELEASE.fullmatch(release):
        raise UsageError(f"{shown}: expected a release after ==, such as 3.12.0")
    for name in codecs:
        if is_registered(name):
            raise UsageError(f"{shown}: {name} is a codec of your own; only codecs of packages have releases")
        if not describe(name).library:
            raise UsageError(f"{shown}: {name} is part of Python, so it has no releases of its own")
