"""Errors in a corpus, with enough detail to fix them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ..errors import RunError, UsageError, hint


class UnknownCorpus(UsageError):  # noqa: N818
    """The name is neither a built-in corpus nor a file, or is not the required one of the two.

    Attributes:
        near: Similar names of built-in corpora and files.
    """

    def __init__(self, name: str, near: Sequence[str] = (), *, built_in: bool = False) -> None:
        what = "no built-in corpus" if built_in else "no corpus and no file"
        otherwise = "`bakeoff corpora` lists the built-in ones"
        if "://" in name and not built_in:
            otherwise = f"download it: `curl -L {shlex.quote(name)} | bakeoff run -`"
        super().__init__(f"{what} named {name!r}; {hint(near, otherwise)}")
        self.near = tuple(near)


class UnknownFormat(UsageError):  # noqa: N818
    """Neither a file's extension nor its content determines its format."""


class UntrustedCorpus(UsageError):  # noqa: N818
    """Reading the file could run code from it, which is not allowed."""


class UnreadableCorpus(RunError):  # noqa: N818
    """The file cannot be opened, is truncated, has another format, or contains no records."""


class BadRecord(UnreadableCorpus):
    """A record that cannot be read.

    Attributes:
        source: The file.
        where: Line, byte offset or document, and the number of the record.
        cause: The cause of the error.
        only: There is no other record to read.
    """

    def __init__(self, source: str, where: str, cause: str, *, only: bool = False) -> None:
        advice = "" if only else "; use --skip-invalid to skip bad records"
        super().__init__(f"{source}, {where}: {cause}{advice}")
        self.source = source
        self.where = where
        self.cause = cause
        self.only = only
