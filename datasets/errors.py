"""What can be wrong with a corpus, said so that it can be put right."""

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
    """The format of a file can neither be told from its ending nor from its content."""


class UntrustedCorpus(UsageError):  # noqa: N818
    """Reading the file would run code that it brings along, and nobody said it may."""


class UnreadableCorpus(RunError):  # noqa: N818
    """The file cannot be opened, is cut short, is of another format, or holds no record."""


class BadRecord(UnreadableCorpus):
    """A record that cannot be read.

    Attributes:
        source: The file.
        where: Line, byte offset or document, and the number of the record.
        cause: What is wrong with it.
    """

    def __init__(self, source: str, where: str, cause: str) -> None:
        super().__init__(f"{source}, {where}: {cause}; --skip-invalid leaves bad records out")
        self.source = source
        self.where = where
        self.cause = cause
