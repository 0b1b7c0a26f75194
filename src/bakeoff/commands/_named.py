"""Words that a command line may have: its errors have similar ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from ..errors import UsageError, hint, near


def spelled(param: click.Parameter) -> str:
    """Return an option as it is typed in full, or the name of an argument."""
    return max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name


_CALLED: Final = "called"
"""Key in the context's `meta`: the command that is called, its arguments and its name."""


class NamedCommands(click.Group):
    """A group that says which commands are similar to an unknown one."""

    other_words: Mapping[str, str] = {}
    """Commands by the words that other tools have for them."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is named, and its arguments.

        Raises:
            UsageError: There is no such command.
        """
        from ._misplaced import check_values

        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            see = f"see `{ctx.command_path} --help`"
            raise UsageError(f"no command {name!r}; {hint(near(name, known, self.other_words), see)}")
        found, command, rest = super().resolve_command(ctx, args)
        if command is not None and not isinstance(command, click.Group):
            ctx.meta[_CALLED] = command, tuple(rest), found
            check_values(command, rest)
        return found, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke the command that is named.

        Raises:
            UsageError: As the command does; of a word that a flag before it does not take, another one.
        """
        from ._misplaced import after_flag

        try:
            return super().invoke(ctx)
        except (UsageError, click.UsageError) as error:
            if _CALLED not in ctx.meta:
                raise
            command, arguments, name = ctx.meta[_CALLED]
            text = error.format_message() if isinstance(error, click.UsageError) else str(error)
            if said := after_flag(command, arguments, text):
                raise UsageError(said) from error
            if isinstance(error, click.UsageError) and error.ctx is None:
                error.ctx = click.Context(command, parent=ctx, info_name=name)
            raise


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
        text = str(value).replace("_", "").replace(",", "")
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
        if not self.least <= number <= self.most:
            limit = f"at most {self.most}" if number > self.most else f"at least {self.least}"
            self.fail(f"{value!r}: expected a whole number of {limit}", param, ctx)
        return number


class Choice(click.Choice[str]):
    """One of several words; for another one, the error has a similar word, or all of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            there = f"there are {', '.join(self.choices)}"
            where = f"{spelled(param)} " if param else ""
            raise UsageError(f"{where}{value}: {hint(near(str(value), self.choices), there)}") from error
