"""Words that a command line may have: its errors have similar ones."""

from __future__ import annotations

import math
from typing import Any, Final

import click

from ..errors import UsageError, hint, near


def spelled(param: click.Parameter) -> str:
    """Return an option as it is typed in full, or the name of an argument."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.human_readable_name.strip("[].")


class Whole(click.ParamType[int]):
    """A whole number.

    Args:
        least: The smallest one.
        most: The largest one.
    """

    name = "N"

    def __init__(self, least: int = 1, most: int = 2**64 - 1) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from ..datasets.sizes import whole

        number = -1 if (found := whole(str(value))) is None else found
        if not self.least <= number <= self.most:
            limit = f"at most {self.most}" if number > self.most else f"at least {self.least}"
            self.fail(f"{value!r}: expected a whole number of {limit}", param, ctx)
        return number


class Number(click.ParamType[float]):
    """A number, which may have a fraction.

    Args:
        least: The smallest one.
    """

    name = "N"

    def __init__(self, least: float = -math.inf) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < self.least:
            limit = f" of at least {self.least:g}" if math.isfinite(self.least) else ""
            self.fail(f"{value!r}: expected a number{limit}", param, ctx)
        return number


class Listed(click.ParamType[str]):
    """Names separated by commas, which the command splits."""

    name = "LIST"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value and not all(part.strip() for part in str(value).split(",")):  # some defaults are empty
            self.fail(f"{value!r}: nothing on one side of a comma; remove the comma", param, ctx)
        # A codec of one's own is NAME=FILE, and a file may have a blank in its name.
        if any(len(part.split()) > 1 for part in str(value).split(",") if "=" not in part):
            names = ",".join(str(value).replace(",", " ").split())
            self.fail(f"{value!r}: names are separated by commas: {names}", param, ctx)
        return str(value)


LISTED: Final = Listed()


class BlankText(click.ParamType[str]):
    """A text that may be blank, as that of no other option may."""

    name = "TEXT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)


class Choice(click.Choice[str]):
    """One of several words; for another one, the error has a similar word, or all of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            there = f"there are {', '.join(self.choices)}"
            where = f"{spelled(param)} " if param else ""
            raise UsageError(f"{where}{value}: {hint(near(str(value), self.choices), there)}") from error
