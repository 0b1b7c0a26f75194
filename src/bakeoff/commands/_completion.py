"""Shell completion of names that bakeoff knows.

Each function takes click's context, the parameter and the text typed so far. In lists with commas, the last
name is completed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Final, TypeAlias

import click
from click.shell_completion import CompletionItem

Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _offered(names: Iterable[str], typed: str) -> list[CompletionItem]:
    before, comma, last = typed.rpartition(",")
    mark = "!" if last.startswith("!") else ""
    return [
        CompletionItem(f"{before}{comma}{mark}{name}")
        for name in names
        if name.startswith(last.removeprefix(mark))
    ]


def codecs(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of codecs, installed or not."""
    from ..codecs import names

    return _offered(names(needs_schema=True, only_values=True), incomplete)


def corpora(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete built-in corpora, else files."""
    from ..datasets import names

    return [*_offered(names(), incomplete), CompletionItem(incomplete, type="file")]


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete files, for arguments that may also be something else."""
    return [CompletionItem(incomplete, type="file")]


def _names_in(module: str, name: str) -> Complete:
    """Return a function that completes the names which a module has, or returns."""

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = getattr(import_module(module, __package__), name)
        return _offered(found() if callable(found) else found, incomplete)

    return complete


wire_formats: Final = _names_in("..codecs.registry", "FORMAT_MODULES")
types: Final = _names_in("..codecs.conventions.tokens", "NAMES")
record_formats: Final = _names_in("..datasets.readers.formats", "file_formats")
operations: Final = _names_in("..bench.operations", "OPERATIONS")
stores: Final = _names_in("..bench.backends.stores", "kinds")
"""Installed or not, as the next ones."""
transports: Final = _names_in("..bench.backends.transports", "kinds")
