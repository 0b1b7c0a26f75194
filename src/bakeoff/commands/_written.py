"""What a command writes: ``-f`` and the ending of ``-o`` name the same format, in every command alike."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from ..errors import UsageError, hint
from ..files import end_of_links, is_device
from ..nearby import near_files
from . import _completion
from ._named import Choice

_F = TypeVar("_F", bound=Callable[..., Any])

ENDINGS: Final[Mapping[str, Sequence[str]]] = {
    "text": (".txt", ".text"),
    "md": (".md", ".markdown"),
    "csv": (".csv",),
    "json": (".json",),
    "latex": (".tex", ".latex"),
    "rst": (".rst",),
    "html": (".html", ".htm"),
    "svg": (".svg",),
    "png": (".png",),
    "bencher": (".json",),
    "pyperf": (),
}
"""Endings of files in each format; pyperf files fill a folder."""

PYTHON: Final = {"python": (".py", ".pyi")}
"""The same for a schema that was inferred."""

_COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".br", ".zip", ".7z")
"""Endings that no format has: files of records are compressed by theirs, which `agreed` does not see."""

_ENDING: Final = re.compile(r"\.[a-z]\w*", re.IGNORECASE)
"""A version or a date at the end of a name, as in ``v1.2``, is none."""


def agreed(
    form: str | None,
    output: Path | None,
    forms: Sequence[str],
    *,
    default: str = "text",
    endings: Mapping[str, Sequence[str]] = ENDINGS,
) -> str:
    """Return the format that ``-f`` and the ending of ``-o`` name.

    Args:
        form: The value of ``-f``; None if it was not typed.
        output: The file; None or ``-`` for standard output.
        forms: The formats that the command writes.
        default: The format if neither names one.
        endings: The endings of each format, including those that only other commands write.

    Raises:
        UsageError: They disagree, or the command writes no format with this ending, or does not compress.
    """
    if output is None or is_device(output) or not (ending := _ending(output, endings)):
        return form or default
    fit = [each for each, known in endings.items() if ending in known]
    if form is not None:
        if fit and form not in fit:
            named = (endings.get(form) or ("",))[0]
            instead = f"name the file {output.name[: -len(ending)]}{named}"
            raise UsageError(f"{output}: -f {form} and the ending {ending} disagree; remove -f, or {instead}")
        _check_plain(output)
        return form
    if written := [each for each in forms if each in fit]:
        return written[0]
    known = dict.fromkeys(one for each in forms for one in endings.get(each, ())[:1])
    raise UsageError(f"{output}: this command writes no {ending}; name a file with {_either(known)}")


def _ending(output: Path, endings: Mapping[str, Sequence[str]]) -> str:
    """Return the ending of a file's name, if possible one that is known."""
    name = output.name.lower()
    known = [one for each in endings.values() for one in each if name.endswith(one)]
    found = max(known, key=len, default=output.suffix.lower())
    return found if _ENDING.match(found) else ""


def _either(names: Mapping[str, None]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _check_plain(output: Path) -> None:
    """Refuse a name that says that the file is compressed.

    Raises:
        UsageError: It has such an ending.
    """
    if (ending := output.suffix.lower()) in _COMPRESSED:
        raise UsageError(f"{output}: this command writes no {ending}; name the file {output.stem}")


def written_as(
    form: str, endings: Mapping[str, Sequence[str]] = ENDINGS
) -> Callable[[click.Context, click.Parameter, Path | None], Path | None]:
    """Return the check of an option for a file in one format: its name, and its place."""

    def check(ctx: click.Context, param: click.Parameter, output: Path | None) -> Path | None:
        agreed(None, output, (form,), default=form, endings=endings)
        return placed(ctx, param, output)

    return check


def placed(_ctx: click.Context, _param: click.Parameter, output: Path | None) -> Path | None:
    """Check an option for a file to write with `check_place`."""
    if output is not None:
        check_place(output)
    return output


def check_place(output: Path) -> None:
    """Refuse a file to write whose folder does not exist, before the work whose result it would hold.

    Raises:
        UsageError: It has no folder, or is one.
    """
    if str(output) == "-":
        return
    if output.is_dir():
        raise UsageError(f"{output}: is a folder; name a file in it")
    for parent in (output.parent, end_of_links(output).parent):
        if not parent.is_dir():
            alike = [near for near in near_files(parent) if Path(near).is_dir()]
            raise UsageError(f"{output}: no such folder: {parent}; {hint(alike, 'make it first')}")


def format_option(
    *choices: str, default: str | None = "text", told: str = "Output format."
) -> Callable[[_F], _F]:
    """Return the option ``-f`` for the output format: one of the choices, else a format of records."""
    kind = Choice(choices) if choices else None
    metavar = None if choices else "FORMAT"
    return click.option(
        "-f",
        "--format",
        "form",
        type=kind,
        metavar=metavar,
        default=default,
        show_default=True,
        help=told,
        shell_complete=None if choices else _completion.record_formats,
    )


def output_option(
    told: str,
    *forms: str,
    name: str = "output",
    default: Any = None,
    endings: Mapping[str, Sequence[str]] = ENDINGS,
    folder: bool = False,
) -> Callable[[_F], _F]:
    """Return the option ``-o``, which is checked before the command begins.

    Args:
        told: What the file holds, after "File to write".
        forms: The only formats that the command writes, whose endings are checked; empty if it has ``-f``.
        name: The parameter of the command.
        default: The file if none is named.
        endings: As of `agreed`.
        folder: It may name a folder.
    """

    def check(ctx: click.Context, param: click.Parameter, output: Path | None) -> Path | None:
        if forms:
            agreed(None, output, forms, default=forms[0], endings=endings)
        if folder and output is not None and output.is_dir():
            return output  # the command knows whether its format fills a folder
        return placed(ctx, param, output)

    return click.option(
        "-o",
        "--output",
        name,
        metavar="FILE",
        type=click.Path(path_type=Path),
        default=default,
        show_default=default is not None,
        callback=check,
        help=f"File to write{told}",
    )


def writing(*forms: str) -> Callable[[_F], _F]:
    """Return the options ``-f`` and ``-o``; the command gets the format on which they agree as `form`."""

    def add(function: _F) -> _F:
        @functools.wraps(function)
        def command(*arguments: Any, form: str | None, output: Path | None, **given: Any) -> Any:
            return function(*arguments, form=agreed(form, output, forms), output=output, **given)

        made = output_option("; - for standard output. Its ending decides the format.")(command)
        return cast(_F, format_option(*forms, default=None, told=BY_ENDING)(made))

    return add


BY_ENDING: Final = "Output format.  [default: by the ending of -o, else text]"
