"""Errors in a corpus, with enough detail to fix them."""

from __future__ import annotations

from collections.abc import Sequence

from .. import codecs
from ..errors import RunError, UnknownName, UsageError, hint
from ..nearby import as_url, how_to_download, no_path


class UnknownCorpus(UnknownName):
    """The name is neither a built-in corpus nor a file, or is not the required one of the two."""

    def __init__(self, name: str, near: Sequence[str] = (), *, built_in: bool = False) -> None:
        what = "no built-in corpus" if built_in else "no corpus and no file"
        otherwise = "`bakeoff corpora` lists the built-in ones"
        if not built_in:
            otherwise = _instead(name) or otherwise
        super().__init__(f"{what} named {name!r}; {hint(near, otherwise)}")
        self.typed, self.near = name, tuple(near)


def _instead(name: str) -> str:
    """Return what to do with the name of something else; empty if it is unknown."""
    if as_url(name):
        return how_to_download(name)
    return f"it is a codec, which -c {name} selects" if name in codecs.names() else no_path(name)


class ResultAsRecords(UsageError):  # noqa: N818
    """A result file of bakeoff is named where records are expected."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name}: is a result file of bakeoff; `bakeoff report {name}` shows it")


class UnknownFormat(UsageError):  # noqa: N818
    """Neither a file's extension nor its content determines its format."""


class UntrustedCorpus(UsageError):  # noqa: N818
    """Reading the file could run code from it, which is not allowed."""


class UnreadableCorpus(RunError):  # noqa: N818
    """The file cannot be opened, is truncated, has another format, or contains no records."""


class NoRecords(UsageError, UnreadableCorpus):  # noqa: N818
    """The source exists and has no records; the wrong one is named, so the exit code is 2."""


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
