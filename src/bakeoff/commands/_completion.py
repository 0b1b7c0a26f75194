"""What the shell offers when a word of a command is begun: names that bakeoff knows.

Each takes click's context, the parameter and what is typed so far; in lists with commas the last name counts.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

__all__ = [
    "codecs",
    "corpora",
    "files",
    "operations",
    "record_formats",
    "stores",
    "transports",
    "types",
    "wire_formats",
]


def _offered(names: Iterable[str], typed: str) -> list[CompletionItem]:
    before, comma, last = typed.rpartition(",")
    mark = "!" if last.startswith("!") else ""
    return [
        CompletionItem(f"{before}{comma}{mark}{name}")
        for name in names
        if name.startswith(last.removeprefix(mark))
    ]


def codecs(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of codecs, installed or not."""
    from ..codecs import names

    return _offered(names(needs_schema=True, only_values=True), incomplete)


def wire_formats(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Formats that codecs write."""
    from ..codecs.registry import FORMAT_MODULES

    return _offered(FORMAT_MODULES, incomplete)


def types(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of types that codecs bring back."""
    from ..codecs.conventions.tokens import NAMES

    return _offered(NAMES, incomplete)


def corpora(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Built-in corpora; where none begins like this, files."""
    from ..datasets import names

    return [*_offered(names(), incomplete), CompletionItem(incomplete, type="file")]


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, for arguments that may be something else as well."""
    return [CompletionItem(incomplete, type="file")]


def record_formats(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Formats of files of records."""
    from ..datasets.readers.formats import file_formats

    return _offered(file_formats(), incomplete)


def operations(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of what can be measured."""
    from ..bench.operations import OPERATIONS

    return _offered(OPERATIONS, incomplete)


def stores(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of stores, installed or not."""
    from ..bench.backends.stores import kinds

    return _offered(kinds(), incomplete)


def transports(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of transports, installed or not."""
    from ..bench.backends.transports import kinds

    return _offered(kinds(), incomplete)
