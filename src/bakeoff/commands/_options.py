"""Options with the same spelling in several commands, and quantities with units."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, ClassVar, Final, TypeVar, cast

import click

from ..errors import UsageError
from . import _completion
from ._named import LISTED, BlankText, Choice, Number, Whole
from ._written import output_option

_F = TypeVar("_F", bound=Callable[..., Any])

_NUMBER: Final = re.compile(r"\s*(\d+\.?\d*(?:e[+-]?\d{1,3})?|\.\d+)\s*([a-z]*|%)\s*", re.IGNORECASE)


class _Records(click.ParamType[int]):
    """A number of records, or the name of a size."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from ..datasets import size

        try:
            return size(value)
        except UsageError as error:
            self.fail(f"{value!r}: {error}", param, ctx)


RECORDS: Final = _Records()


class _TypedRecords(click.ParamType[str]):
    """The same as it was typed, for the result of a run."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        RECORDS.convert(value, param, ctx)
        return str(value)


class _Quantity(click.ParamType[float]):
    """A number with a unit.

    Args:
        plain: Unit of a number without one.
        least: Smallest allowed value.
        most: Largest allowed value.
    """

    units: ClassVar[Mapping[str, str]]
    """Each unit as a multiple of the result's unit."""
    example: ClassVar[str]

    def __init__(self, plain: str, least: str, most: str = "") -> None:
        self.plain = plain
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if (number := self._read(str(value))) is None:
            self.fail(f"{value!r} is not a valid {self.name}; use {self.example}, for example", param, ctx)
        if number < (self._read(self.least) or 0.0):
            self.fail(f"{value!r} is less than {self.least}", param, ctx)
        if self.most and number > (self._read(self.most) or 0.0):
            self.fail(f"{value!r} is more than {self.most}", param, ctx)
        return number

    def _read(self, text: str) -> float | None:
        found = _NUMBER.fullmatch(text)
        factor = self.units.get(found[2].lower() or self.plain) if found else None
        if not found or factor is None:
            return None
        number = float(Decimal(found[1]) * Decimal(factor))
        return number if number < float("inf") else None


class Time(_Quantity):
    """Seconds: ``90``, ``500ms``, ``5min``, ``2h``."""

    name = "time"
    units: ClassVar[Mapping[str, str]] = {"ms": "0.001", "s": "1", "min": "60", "h": "3600"}
    example = "30s or 5min"

    def __init__(self, least: str = "0s") -> None:
        super().__init__("s", least)


class _Age(_Quantity):
    """Days: ``90``, ``90d``, ``12w``, ``1y``."""

    name = "age"
    units: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("d", "day", "days"), "1"),
        **dict.fromkeys(("w", "week", "weeks"), "7"),
        **dict.fromkeys(("y", "year", "years"), "365"),
    }
    example = "90d, 12w or 1y"


AGE: Final = _Age("d", "0d", "200y")


class Rate(click.ParamType[float]):
    """Records per second: ``3000/s``, ``10M/day``, ``3k``.

    Args:
        least: Smallest allowed rate.
        most: Largest allowed rate.
    """

    name = "rate"

    def __init__(self, least: float = 0.0, most: float = math.inf) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from ..reports.model.prices import parse_rate

        rate = parse_rate(value)
        if not self.least <= rate <= self.most:
            self.fail(f"{value!r} is not between {self.least:,.0f}/s and {self.most:,.0f}/s", param, ctx)
        return rate


class Share(_Quantity):
    """A fraction: ``5%`` is 0.05, and so is ``5``, unless plain numbers are fractions."""

    name = "share"
    units: ClassVar[Mapping[str, str]] = {"%": "0.01", "": "1"}
    example = "5%"


class Size(_Quantity):
    """Bytes: ``512MiB``, ``500M`` (the same as ``500MiB``), ``2G``."""

    name = "size"
    units: ClassVar[Mapping[str, str]] = {
        "b": "1",
        **{
            f"{letter}{rest}": str(1 << bits)
            for letter, bits in (("k", 10), ("m", 20), ("g", 30), ("t", 40))
            for rest in ("", "b", "ib")
        },
    }
    example = "500M or 2GiB"

    def __init__(self, plain: str = "b") -> None:
        super().__init__(plain, "1B")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return int(super().convert(value, param, ctx))


class Sizes(click.ParamType[str]):
    """Sizes in bytes: ``1KB,64KB``, or ``16B..1MB``, in which each is four times the one before."""

    name = "A..B|LIST"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        one = Size()
        least, dots, most = str(value).partition("..")
        if not dots:
            found = [one.convert(part, param, ctx) for part in str(value).split(",")]
        else:
            first, last = (one.convert(part, param, ctx) for part in (least, most))
            if last < first:
                self.fail(f"{value!r} ends below its beginning", param, ctx)
            found = [first]
            while found[-1] * _STEP <= last:
                found.append(found[-1] * _STEP)
        if max(found) > _LARGEST:
            self.fail(f"{value!r} goes beyond {_LARGEST >> 20}MiB, the most that codecs take", param, ctx)
        return ",".join(map(str, sorted(set(found))))


_STEP: Final = 4
_LARGEST: Final = 16 << 20


_HOW: Final = (
    "skip_invalid",
    "trust_files",
    "at",
    "encoding",
    "null_values",
    "no_header",
    "decimal_comma",
)

trusted_option: Final = click.option(
    "--trust-files", is_flag=True, help="Allow pickle files, which can run any code."
)

records_option: Final = click.option(
    "-n",
    "--records",
    type=_TypedRecords(),
    help="Number of records (SM, MD, LG or a number); of your own files at most.",
)


seed_option: Final = click.option(
    "--seed",
    type=Whole(least=0),
    help="Seed for generated records, and for samples.  [default: 1]",
)


patience_option: Final = click.option(
    "--all",
    "no_time_limit",
    is_flag=True,
    help="Ignore the time budget, and measure everything.",
)


def reading(function: _F) -> _F:
    """Add the options for reading files of records; the command gets them as `how`, as for `corpus`."""

    @functools.wraps(function)
    def command(*arguments: Any, **given: Any) -> Any:
        names = {"format": "source_format"} | {name: name for name in _HOW}
        how = {name: given.pop(option) for name, option in names.items()}
        return function(*arguments, how=how, **given)

    for option in (
        trusted_option,
        click.option(
            "--skip-invalid",
            is_flag=True,
            help="Skip records that cannot be read, instead of stopping.",
        ),
        click.option(
            "--null-value",
            "null_values",
            type=BlankText(),
            multiple=True,
            help="CSV cell to read as None, such as NA, or '' for an empty one in text; repeatable.",
        ),
        click.option(
            "--decimal-comma", is_flag=True, help="Numbers of CSV have a decimal comma, such as 1,5."
        ),
        click.option(
            "--no-header",
            is_flag=True,
            help="The first line of CSV is a record; the columns are column1, column2, ...",
        ),
        click.option(
            "--encoding", metavar="NAME", help="Text encoding: latin-1, cp1252, utf-16.  [default: utf-8]"
        ),
        click.option(
            "--at", metavar="PATH", help="Path to the records inside each document: '$.items' or /items."
        ),
        click.option(
            "--from",
            "source_format",
            metavar="FORMAT",
            help="Format of the records (jsonl, csv, ...) if the file name does not say.",
            shell_complete=_completion.record_formats,
        ),
    ):
        command = option(command)
    return cast(_F, command)


def measuring(output: str) -> Callable[[_F], _F]:
    """Return the options for the records and codecs to measure, and ``-o`` with its default `output`."""

    def add(function: _F) -> _F:
        kept = output_option(
            ": the result, as JSON. An earlier one of other work is kept under another name.",
            "json",
            default=output,
        )(function)
        return click.argument(
            "corpora", nargs=-1, metavar="[CORPUS|FILE]...", shell_complete=_completion.corpora
        )(kept)

    return add


def selecting(default: str) -> Callable[[_F], _F]:
    """Return the option ``-c``, which selects codecs; `default` describes the default selection."""
    return click.option(
        "-c",
        "--codec",
        "codecs",
        type=LISTED,
        multiple=True,
        metavar="NAME",
        help="Codecs: names, with * and !exclusion, NAME==RELEASE, NAME=FILE.py:CODEC; repeatable.  "
        f"[default: {default}]",
        shell_complete=_completion.codecs,
    )


def costing(function: _F) -> _F:
    """Add the terms of the cost for ranks: ``--reads``, ``--bandwidth`` and ``--crossings``."""
    function = click.option(
        "--crossings",
        type=Choice(("once", "per-read")),
        help="How often a payload crosses the network: once, or once for each read.  [default: once]",
    )(function)
    function = click.option(
        "--bandwidth",
        metavar="SPEED",
        help="Network bandwidth to include in the cost: 1Gbit, 50Mbit/s, 100MB/s.",
    )(function)
    return click.option("--reads", type=Number(), metavar="N", help="Reads for each write.  [default: 1]")(
        function
    )
