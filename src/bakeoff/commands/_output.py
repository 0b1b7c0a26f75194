"""Output of commands: to a file, standard output, or a terminal with its width and colors."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..console import console, unescaped
from ..errors import RunError, UsageError, reason_of
from ..escape import SPELLED, escaped
from ..files import atomic_write, is_device, is_result_file

if TYPE_CHECKING:
    from ..reports.model.table import Table


def is_stdout(output: Path | None) -> bool:
    """Whether ``-o`` was left out or is ``-``."""
    return output is None or str(output) == "-"


def layout(output: Path | None, *, stderr: bool = False) -> dict[str, Any]:
    """Return width and color for text to a terminal; nothing for files and pipes."""
    screen = console(stderr=stderr)
    if not (is_stdout(output) and screen.is_terminal):
        return {}
    return {"width": screen.width, "color": screen.color_system is not None}


def typed(context: click.Context) -> list[str]:
    """Return the options on the command line, as they are written; arguments by their names."""
    found = []
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            off = context.params[name] is False and parameter.secondary_opts
            found.append(parameter.secondary_opts[-1] if off else parameter.opts[-1])
    return found


def guard(output: Path | None, inputs: Iterable[Path] = ()) -> None:
    """Refuse to overwrite files that cannot be recreated: a command's input, or the result of a run.

    Raises:
        UsageError: `output` is one of the files `inputs`, or a result file.
    """
    if output is None or is_stdout(output) or not output.exists() or is_device(output):
        return
    if any(path.exists() and output.samefile(path) for path in inputs):
        raise UsageError(f"{output}: is an input of this command; choose another file with -o")
    if is_result_file(output):
        raise UsageError(f"{output}: is a result file of bakeoff; choose another file with -o")


def put(content: str | bytes, output: Path | None, inputs: Iterable[Path] = (), *, own: bool = False) -> None:
    """Write a text or a picture to a file, completely or not at all, or to standard output.

    Text is escaped, and encoded as UTF-8 or as standard output is.

    Args:
        content: The text, or the bytes of the picture.
        output: The file; None or ``-`` for standard output.
        inputs: Files that the command read; see `guard`.
        own: The user has not typed its name, so it is no link and no other user's.

    Raises:
        RunError: The file cannot be written.
        UsageError: It must not be overwritten.
    """
    guard(output, inputs)
    to_stdout = is_stdout(output)
    if isinstance(content, str):
        encoding = getattr(sys.stdout, "encoding", None) if to_stdout else None
        content = escaped(content).encode(encoding or "utf-8", SPELLED)
    if output is None or to_stdout:
        with standard_output() as file:
            file.write(content)
        return
    with atomic_write(output, own=own) as file:
        file.write(content)


def put_table(table: Table, form: str, output: Path | None = None) -> None:
    """Write a table in one of `bakeoff.reports.OUTPUT_FORMATS`; see `put`."""
    from ..reports import written

    put(written(table, form, **layout(output)), output)


@contextmanager
def exit_code_1_is_an_answer() -> Iterator[None]:
    """Make failures usage errors: CI must not mistake a damaged file or a full disk for the answer."""
    try:
        yield
    except RunError as error:
        raise UsageError(str(error)) from error
    except BrokenPipeError:
        raise  # the reader needs no more
    except OSError as error:
        raise UsageError(reason_of(error)) from error


@contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    """Open standard output for bytes; if it is closed (``>&-``), drop them.

    Raises:
        RunError: It cannot be written, for instance because the disk is full.
        click.exceptions.Exit: The reader has closed the pipe, which is not an error.
    """
    if sys.stdout is None:
        with Path(os.devnull).open("wb") as file:
            yield file
        return
    try:
        number = sys.stdout.fileno()
    except io.UnsupportedOperation:  # replaced by a program's own stream
        yield unescaped(sys.stdout).buffer
        return
    try:
        with io.open(number, "wb", closefd=False) as file:  # noqa: UP020 - Path has no numbers
            yield file
    except OSError as error:
        # Python must not try to write the rest again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        if isinstance(error, BrokenPipeError):
            # The reader needs no more. Click itself would exit with 1.
            raise click.exceptions.Exit(0) from None
        raise RunError(f"standard output: not written: {error.strerror}") from error
