"""Find a corpus by its name or path."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BakeoffError, UsageError, near
from ..imports import is_named
from ..nearby import near_files
from .base import DEFAULT_SEED, Corpus
from .errors import UnknownCorpus, UnreadableCorpus
from .generated.corpus import Generated
from .generated.families import NAMES, is_built_in
from .passes import ReadOptions
from .sizes import size

DEFAULT_RECORDS = 10_000
"""Default number of records of a built-in corpus."""


def names() -> list[str]:
    """Return the names of the built-in corpora."""
    return list(NAMES)


def is_function(source: str) -> bool:
    """Return whether a source is ``module:name`` or ``FILE.py:name``, which is imported and run."""
    return is_named(source)


def corpus(
    name_or_path: str | os.PathLike[str],
    records: int | str | None = None,
    seed: int = DEFAULT_SEED,
    skip_invalid: bool = False,
    trust_files: bool = False,
    *,
    format: str | None = None,  # noqa: A002 - as the option is called
    at: str | None = None,
    encoding: str | None = None,
    null_values: Collection[str] = (),
    no_header: bool = False,
    decimal_comma: bool = False,
) -> Corpus:
    """Return a corpus.

    Args:
        name_or_path: A built-in name, with its parameter if it takes one (``likes:1000``), which has
            precedence over a file of that name; a file, by its ending; a folder of files; ``-`` for standard
            input; ``module:name`` or ``FILE.py:name`` for a function that returns records or a list of them;
            modules are also searched in the current folder.
        records: A number, or a size (``SM``, ``MD``, ``LG``). By default, 10,000 records of a built-in
            corpus, and all records of another source. A number limits these to the first records.
        seed: Same seed, same records.
        skip_invalid: Skip records that cannot be read; `Corpus.bad` lists them.
        trust_files: Allow formats that can run code from the file (pickle).
        format: Name of the format, if the ending does not determine it.
        at: Location of the records in each document, as JSONPath (``$.items``, ``$.pages[*].items``) or JSON
            Pointer (``/items``).
        encoding: Encoding of text files; not needed for UTF-8 and files with a byte order mark.
        null_values: Texts of CSV cells that mean None, for instance ``["NA", ""]``.
        no_header: The first line of CSV is a record, and the columns are ``column1``, ``column2`` and so on.
        decimal_comma: Numbers of CSV have a decimal comma, as in ``1,5``.

    Raises:
        UnknownCorpus: No such name or file.
        UnknownFormat: The format is not known.
        ResultAsRecords: It is a result file, and `at` is None.
        UntrustedCorpus: It is a pickle, and `trust_files` is False.
        NoRecords: It is a folder without files of records.
        UnreadableCorpus: It cannot be opened.
        UsageError: The name is empty; `records`, `seed`, `at` or `encoding` is invalid, or does not apply
            to this source; the source of the records cannot be imported, or a
            library is missing.
    """
    source = os.fspath(name_or_path)
    if not source:
        raise UsageError("empty name of a corpus; use . for this folder")
    limit = None if records is None else size(records)
    reading = ReadOptions.of(
        format=format,
        limit=limit,
        seed=seed,
        skip_invalid=skip_invalid,
        trust_files=trust_files,
        at=at,
        encoding=encoding,
        null_values=null_values,
        no_header=no_header,
        decimal_comma=decimal_comma,
    )
    if is_built_in(source):
        if format is not None:
            raise UsageError(f"{source} is generated and has no format; remove {format!r}")
        _refuse_unread(source, reading)
        return Generated(source, DEFAULT_RECORDS if limit is None else limit, seed)

    from .readers import files

    path = Path(source)
    if source == "-":
        if sys.stdin is None:
            raise UnreadableCorpus("standard input is closed")
        return files.pipe(sys.stdin.buffer, "stdin", "standard input", reading)
    try:
        if path.is_dir():
            return files.whole_folder(path, source, reading)
        if path.is_file():
            return files.one_file(path, source, reading)
        if path.exists():
            with path.open("rb") as file:
                return files.pipe(file, path.name, source, reading)
    except OSError as error:
        raise UnreadableCorpus(f"{error.filename or source}: cannot be opened: {error.strerror}") from error
    if is_function(source):
        from .readers.functions import Made, imported

        _refuse_unread(source, reading)
        return Made(source, imported(source), reading)
    raise UnknownCorpus(source, (*near(source, NAMES), *near_files(path)))


def _refuse_unread(source: str, reading: ReadOptions) -> None:
    """Refuse options for reading files if the source is not a file."""
    given = {"at": reading.at, "encoding": reading.encoding}
    for option in (*(name for name, value in given.items() if value), *reading.of_cells()):
        raise UsageError(f"{source} is not a file; remove --{option}")


def is_read_once(source: str) -> bool:
    """Return whether a source can be read only once: standard input or a pipe."""
    path = Path(source)
    return source == "-" or (path.exists() and not (path.is_file() or path.is_dir()))


@dataclass(frozen=True, slots=True)
class Sources:
    """Corpora as the user named them, before any is read.

    Attributes:
        names: Built-in names, files and functions.
        how: How to read them, as arguments of `corpus`.
    """

    names: tuple[str, ...]
    how: Mapping[str, Any]

    def validate(self) -> None:
        """Refuse sources that are not a corpus or have no known format.

        Functions are imported in a separate process, so they are not checked.

        Raises:
            UsageError: As for `bakeoff.corpus`.
        """
        for name in self.names:
            if not is_read_once(name) and not is_function(name):
                corpus(name, **self.how)

    def hold_objects(self) -> bool:
        """Return whether records may be objects whose class is their schema: from a function, or built-in."""
        return any(is_function(name) or name in NAMES for name in self.names)

    def bring_schemas(self) -> bool:
        """Return whether all sources are files that contain a schema, as Avro files do; False for none."""
        if any(is_read_once(name) or is_function(name) for name in self.names):
            return False
        try:
            found = [corpus(name, **self.how) for name in self.names]
        except BakeoffError:
            return False  # `validate` says why
        return bool(found) and all(one.brings_schema for one in found)
