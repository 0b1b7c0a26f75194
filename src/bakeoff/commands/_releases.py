"""Runs over releases of codec libraries, for the commands that compare them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import UsageError
from ._options import Time, measuring, reading, records_option
from ._written import format_option

if TYPE_CHECKING:
    from ..bench.results import ResultData

_F = TypeVar("_F", bound=Callable[..., Any])


def comparing(output: str, budget: float) -> Callable[[_F], _F]:
    """Return the options of a command that measures releases.

    Args:
        output: Default of ``-o``.
        budget: Default of ``--budget``, in seconds.
    """

    def add(function: _F) -> _F:
        for option in (
            reading,
            format_option("text", "md", "json"),
            records_option,
            click.option(
                "--budget",
                type=Time(),
                default=budget,
                help=f"Most time per corpus; a run ends earlier when it is precise.  [default: {budget:g}s]",
            ),
            click.option(
                "--offline",
                is_flag=True,
                default=None,
                help="Download nothing: the releases are in the cache.",
            ),
            measuring(output),
        ):
            function = option(function)
        return function

    return add


def check_extra() -> None:
    """Refuse to continue without the package that compares versions.

    Raises:
        UsageError: It is not installed.
    """
    if find_spec("packaging") is None:
        raise UsageError("releases need the extra package: pip install 'bakeoff[releases]'")


def codecs_of(library: str) -> list[str]:
    """Return the codecs of a library that are worth comparing; none if bakeoff has none."""
    from packaging.utils import canonicalize_name

    from ..codecs import describe, names

    wanted = canonicalize_name(library)
    known = [describe(name) for name in names()]
    return [each.name for each in known if each.in_default_set and canonicalize_name(each.library) == wanted]


def check_records(corpora: Sequence[str], how: Mapping[str, Any]) -> None:
    """Refuse what is not a source of records, before releases are looked up.

    Raises:
        UsageError: None is named, or one is not a source of records.
    """
    if not corpora:
        raise UsageError("name the records to measure with: FILE, or a corpus such as messages")
    from ..datasets.corpora import Sources

    Sources(tuple(corpora), how).validate()


def measured(
    corpora: Sequence[str], codecs: Sequence[str], output: Path, how: dict[str, Any], **given: Any
) -> ResultData:
    """Measure releases, and print notes on stderr.

    Args:
        corpora: As typed.
        codecs: Names with releases.
        output: Result file.
        how: Options for reading the corpora.
        **given: Further fields of `Options`, None for those that were not requested.

    Raises:
        UsageError: An option is invalid.
    """
    from ..bench.run.request import Request
    from .run import measured_here, noted

    settings = {**given, **{key: value or None for key, value in how.items()}}
    # Releases often differ little, which the precision must show even if none of them is the best.
    options = Request.of(corpora, codecs=codecs, memory=True, ratios=True, **settings).options()
    options.validate(codecs)
    session, result = measured_here(options, output)
    noted(session)
    if session.interrupted:
        raise KeyboardInterrupt  # verdicts on a part of the run would look like those of all
    return result
