"""Parts shared by commands with a schema: reading the named schema, and reporting a choice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ..escape import visible

if TYPE_CHECKING:
    from ..schemas import Schema

include_option: Final = click.option(
    "-I",
    "--include",
    multiple=True,
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder to search, too, for the imports of a .proto file; repeatable.",
)


def named(text: str, include: Sequence[str | Path] = (), **options: Any) -> Schema:
    """Return the schema that a text names; if the text is ambiguous, report the choice on stderr.

    Raises:
        UsageError: There is no such schema, or it cannot be read.
    """
    from ..datasets.schema import schema

    made = schema(text, include, **options)
    if made.given is not None and made.given.chosen is not None:
        click.echo(visible(made.given.chosen.remark), err=True)
    return made
