"""Parts shared by commands that read or write records: outputs, progress, skipped records."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..escape import visible
from ._output import standard_output
from ._written import agreed

if TYPE_CHECKING:
    from ..datasets.base import Corpus, Progress
    from ..datasets.readers.formats import FileFormat

_SHOWN = 5
"""Skipped records whose reasons are reported."""


def destination(
    path: str, name: str | None, default: str | None = None, option: str = "--format"
) -> FileFormat:
    """Return the format to write to `path`: `name`, the file extension's, or `default` for standard output.

    Args:
        path: The file, or ``-``.
        name: The value of the option for the format; None if it was not typed.
        default: The format of standard output.
        option: The option; empty if the command has none.

    Raises:
        UnknownFormat: None of them gives a format.
        UsageError: `name` and the file extension disagree.
    """
    from ..datasets.readers.formats import file_formats, format_of
    from ..datasets.readers.streams import split_compression

    if name is not None:
        endings = {kind.name: kind.suffixes for kind in file_formats().values()}
        agreed(name, split_compression(Path(path))[0], tuple(endings), endings=endings)
    return format_of(Path(path), name or (default if path == "-" else None), option=option)


@contextmanager
def output(path: str, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open the file to write, compressed according to its extension; ``-`` is standard output.

    Records are written as they are, except to a terminal, which they must not control. A file appears when
    it is complete, or not at all; pipes and devices are written directly.

    Args:
        path: The file.
        private: Only its owner may read it.

    Raises:
        RunError: It cannot be written, for instance because the disk is full.
        click.exceptions.Exit: The reader of standard output has closed it, which is not an error.
    """
    from ..datasets.readers.streams import compressor, split_compression
    from ..files import atomic_write

    target = Path(path)
    with ExitStack() as stack:
        file: Any
        if path == "-" and sys.stdout is not None and sys.stdout.isatty():
            file = sys.stdout.buffer
        elif path == "-":
            file = stack.enter_context(standard_output())
        else:
            file = stack.enter_context(atomic_write(target, private=private))
        yield stack.enter_context(compressor(file, split_compression(target)[1]))


@contextmanager
def slow_progress(description: str) -> Iterator[Progress]:
    """Provide a function that shows progress on a terminal after two seconds."""
    from .._progress import shown

    with shown() as show:
        yield lambda done, total: show(description, done, total or 0)


def report_remark(corpus: Corpus) -> None:
    """Report on stderr what may be unexpected in the records."""
    if corpus.remark:
        click.echo(visible(corpus.remark), err=True)


def report_skipped(source: str, total: int, bad: Sequence[tuple[str, str]]) -> None:
    """Report on stderr the number of skipped records, and the reasons."""
    if not total:
        return
    click.echo(f"{source}: {total:,} bad record{'s' * (total > 1)} skipped", err=True)
    for where, cause in bad[:_SHOWN]:
        click.echo(f"  {visible(f'{where}: {cause}')}", err=True)
    if total > _SHOWN:
        click.echo(f"  and {total - _SHOWN:,} more", err=True)
