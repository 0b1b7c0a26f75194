"""Errors in a corpus, with enough detail to fix them."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RunError, UsageError, hint

__all__ = ["BadRecord", "UnknownCorpus", "UnknownFormat", "UnreadableCorpus", "UntrustedCorpus"]


class UnknownCorpus(UsageError):  # noqa: N818
    """Neither a built-in corpus nor a file; or, where only one of those will do, no `built_in` one.

    Attributes:
        near: Built-in names that look alike.
    """

    def __init__(self, name: str, near: Sequence[str] = (), *, built_in: bool = False) -> None:
        what = "no built-in corpus" if built_in else "no corpus and no file"
        super().__init__(f"{what} named {name!r}; {hint(near, '`bakeoff corpora` lists the built-in ones')}")
        self.near = tuple(near)


class UnknownFormat(UsageError):  # noqa: N818
    """The format of a file is clear neither from its ending nor from its content."""


class UntrustedCorpus(UsageError):  # noqa: N818
    """Reading the file could run code from it, and that is not allowed."""


class UnreadableCorpus(RunError):  # noqa: N818
    """The file cannot be opened, is cut short, is of another format, or contains no records."""


class BadRecord(UnreadableCorpus):
    """A record that cannot be read.

    Attributes:
        source: The file.
        where: Line, byte offset or document, and the number of the record.
        cause: The error in it.
    """

    def __init__(self, source: str, where: str, cause: str) -> None:
        super().__init__(f"{source}, {where}: {cause}; use --skip-invalid to skip bad records")
        self.source = source
        self.where = where
        self.cause = cause
