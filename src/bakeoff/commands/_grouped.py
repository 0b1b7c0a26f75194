"""Help of a command with many options, listed by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

_OTHERS: Final = "Options"


class GroupedCommand(click.Command):
    """A command whose help lists options by topic.

    Args:
        *args: As `click.Command` takes them.
        topics: The options of each topic, by their long names. All others follow under "Options".
        **kwargs: As `click.Command` takes them.
    """

    def __init__(self, *args: Any, topics: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.topics: Final = topics

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each topic in the order of the topic."""
        left = {
            max(param.opts, key=len): record
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx))
        }
        for topic, names in self.topics.items():
            with formatter.section(topic):
                formatter.write_dl([left.pop(name) for name in names])
        with formatter.section(_OTHERS):
            formatter.write_dl(list(left.values()))
