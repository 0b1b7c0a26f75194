"""Words in a wrong place: an option instead of a value, a value after a flag, another command's option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import click

from ..errors import UsageError
from ._named import spelled


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
        UsageError: An option of the command is followed by another instead of a value.
    """
    for _ in _words(command, arguments):
        pass


def _options(command: click.Command) -> Mapping[str, click.Option]:
    params = command.get_params(click.Context(command))
    options = [param for param in params if isinstance(param, click.Option)]
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
        if option is not None and not option.is_flag and not option.count:
            if (value := next(rest, "")) in options:
                raise UsageError(f"{word} needs a value; {value} after it is another option")
        elif option is None and not word.startswith("-"):
            yield _Word(word, flag)
        flag = word if option is not None and option.is_flag else ""


def after_flag(command: click.Command, arguments: Sequence[str], said: str) -> str:
    """Return what to say instead of an error about a word right after a flag; empty if it is about another.

    Args:
        command: The command.
        arguments: Its part of the command line.
        said: The error.
    """
    words = list(_words(command, arguments))
    files = {spelled(option) for option in _options(command).values() if _is_file(option)}
    way = next(iter(files)) if len(files) == 1 else ""
    for text, flag in words:
        known = said.startswith(f"{text}: ") or repr(text) in said or f"({text})" in said
        if flag and known and "did you mean" not in said and (way or len(words) > 1):
            meant = f"; did you mean {way} {text}?" if way else ""
            return f"{flag} takes no value, and {text} after it is another argument{meant}"
    return ""


def _is_file(option: click.Option) -> bool:
    return isinstance(option.type, click.Path) and option.type.file_okay


def elsewhere(option: str, commands: Iterable[tuple[str, click.Command]]) -> str:
    """Return which commands have an option, as the end of an error; empty if none or many have it."""
    names = [f"`bakeoff {name}`" for name, command in commands if option in _options(command)]
    if not names or len(names) > 3:
        return ""
    return f"{' and '.join(names)} {'have' if len(names) > 1 else 'has'} it"
