"""Shell completion of names that bakeoff knows.

Each function takes click's context, the parameter and the text typed so far. In lists with commas, the last
name is completed.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem


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


def wire_formats(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete formats that codecs write."""
    from ..codecs.registry import FORMAT_MODULES

    return _offered(FORMAT_MODULES, incomplete)


def types(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of types that codecs may preserve."""
    from ..codecs.conventions.tokens import NAMES

    return _offered(NAMES, incomplete)


def corpora(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete built-in corpora, else files."""
    from ..datasets import names

    return [*_offered(names(), incomplete), CompletionItem(incomplete, type="file")]


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete files, for arguments that may also be something else."""
    return [CompletionItem(incomplete, type="file")]


def record_formats(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete formats of files of records."""
    from ..datasets.readers.formats import file_formats

    return _offered(file_formats(), incomplete)


def operations(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of operations."""
    from ..bench.operations import OPERATIONS

    return _offered(OPERATIONS, incomplete)


def stores(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of stores, installed or not."""
    from ..bench.backends.stores import kinds

    return _offered(kinds(), incomplete)


def transports(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of transports, installed or not."""
    from ..bench.backends.transports import kinds

    return _offered(kinds(), incomplete)
