"""Words in a wrong place: an option instead of a value, a value after a flag, another command's option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from ..errors import UnknownName, UsageError, hint, near
from ._named import spelled

_CALLED: Final = "called"
"""Key in the context's `meta`: the command that is called, its arguments and its name."""

_HELP: Final = click.Option(["-h", "--help", "--help-all"], is_flag=True)


class _Word(NamedTuple):
    """An argument of a command line.

    Attributes:
        text: As it was typed.
        flag: The flag right before it; empty if there is none.
    """

    text: str
    flag: str


def check_values(command: click.Command, arguments: Sequence[str]) -> None:
    """Refuse an option as the value of another one, as click takes it: ``-o --quick`` would write a file.

    Raises:
        UsageError: An option of the command is followed by another instead of a value, or is written with the
            wrong dashes.
    """
    for _ in _words(command, arguments):
        pass


def _options(command: click.Command) -> Mapping[str, click.Option]:
    # Click keeps the option for help once it is made, with the names of its context.
    options = [_HELP, *(param for param in command.params if isinstance(param, click.Option))]
    return {name: option for option in options for name in (*option.opts, *option.secondary_opts)}


def _words(command: click.Command, arguments: Sequence[str]) -> Iterator[_Word]:
    """Yield the arguments that are neither options nor their values.

    Raises:
        UsageError: As `check_values`.
    """
    options, rest, flag = _options(command), iter(arguments), ""
    anywhere = command.context_settings.get("allow_interspersed_args", True)
    for word in rest:
        option = options.get(word)
        if word == "--" or (not word.startswith("-") and not anywhere):
            return
        _refuse_mixed(word, options)
        if option is not None and not option.is_flag and not option.count:
            if (value := next(rest, "")) in options:
                raise UsageError(f"{word} needs a value; {value} after it is another option")
        elif option is None and not word.startswith("-"):
            yield _Word(word, flag)
        flag = word if option is not None and option.is_flag else ""


def _refuse_mixed(word: str, options: Mapping[str, click.Option]) -> None:
    """Refuse a long option with one dash, and a short one with ``=``, which click takes as a value's part.

    Raises:
        UsageError: With the option as it has to be typed.
    """
    name, sign, value = word.partition("=")
    if f"-{name}" in options and len(name) > len("-o"):
        raise UsageError(f"no such option {name}; did you mean -{name}?")
    if sign and len(name) == len("-o") and name in options:
        raise UsageError(f"{word}: a short option has no =; did you mean {name} {value}?")


def after_flag(command: click.Command, arguments: Sequence[str], error: Exception) -> str:
    """Return what to say instead of an error about a word right after a flag; empty if it is about another.

    Args:
        command: The command.
        arguments: Its part of the command line.
        error: The error.
    """
    words = list(_words(command, arguments))
    files = {spelled(option) for option in _options(command).values() if _is_file(option)}
    way = next(iter(files)) if len(files) == 1 else ""
    refused = {Path(name) for name in _unknown(command, arguments, error)}
    for text, flag in words:
        if flag and Path(text) in refused and (way or len(words) > 1):
            meant = f"; did you mean {way} {text}?" if way else ""
            return f"{flag} takes no value, and {text} after it is another argument{meant}"
    return ""


def _unknown(command: click.Command, arguments: Sequence[str], error: Exception) -> Sequence[str]:
    """Return the words that are arguments too many, or name nothing and are not misspelled either."""
    if isinstance(error, UnknownName):
        return () if error.near else (error.typed,)
    if type(error) is not click.UsageError:
        return ()
    # Click says in words only which arguments are too many; the parser has them.
    context = click.Context(command)
    return command.make_parser(context).parse_args([*arguments])[1]


def _is_file(option: click.Option) -> bool:
    return isinstance(option.type, click.Path) and option.type.file_okay


def elsewhere(option: str, commands: Iterable[tuple[str, click.Command]]) -> str:
    """Return which commands have an option, as the end of an error; empty if none or many have it."""
    names = [f"`bakeoff {name}`" for name, command in commands if option in _options(command)]
    if not names or len(names) > 3:
        return ""
    return f"{' and '.join(names)} {'have' if len(names) > 1 else 'has'} it"


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
        try:
            return super().invoke(ctx)
        except (UsageError, click.UsageError) as error:
            if _CALLED not in ctx.meta:
                raise
            command, arguments, name = ctx.meta[_CALLED]
            if said := after_flag(command, arguments, error):
                raise UsageError(said) from error
            if isinstance(error, click.UsageError) and error.ctx is None:
                error.ctx = click.Context(command, parent=ctx, info_name=name)
            raise
