"""Help of commands: the commonest options by topic, and all of them with ``--help-all``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any, Final

import click

from ._named import BlankText

_OTHERS: Final = "Options"
_ALL: Final = "help-all"
"""Key in the context's `meta`: whether all options are shown."""

READING: Final = (
    "--from",
    "--at",
    "--encoding",
    "--null-value",
    "--no-header",
    "--decimal-comma",
    "--skip-invalid",
    "--trust-files",
)
"""Options for reading files of records, which most files do not need."""


class GroupedCommand(click.Command):
    """A command whose help lists its commonest options, by topic.

    Args:
        *args: As `click.Command` takes them.
        topics: The options of each topic, by their long names. All others follow under "Options", those of
            `READING` under a topic of their own.
        common: Options that ``--help`` shows; None for all but those of `READING`.
        codes: The exit codes and what they mean, for the end of the text.
        **kwargs: As `click.Command` takes them.
    """

    def __init__(
        self,
        *args: Any,
        topics: Mapping[str, Sequence[str]] | None = None,
        common: Sequence[str] | None = None,
        codes: str = "0 ok, 1 something failed, 2 usage error",
        **kwargs: Any,
    ) -> None:
        kwargs["help"] = f"{cleandoc(kwargs['help'])}\n\nExit codes: {codes}."
        super().__init__(*args, **kwargs)
        self.topics: Final = topics if topics is not None else {"Reading files": READING}
        self.common: Final = common

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, none of which may be blank unless its type allows it.

        Raises:
            click.BadParameter: One is blank: most often a variable of the shell that is not set.
        """
        if not ctx.resilient_parsing:
            typed, _, _ = self.make_parser(ctx).parse_args([*args])
            for param in self.params:
                _refuse_blank(param, typed.get(param.name or ""), ctx)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, and the two options for help."""
        more = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show all options and exit.",
        )
        *own, brief = super().get_params(ctx)
        return [*own, brief, more]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each topic in the order of the topic."""
        left = self._records(ctx, every=_ALL in ctx.meta)
        parts = {
            topic: [left.pop(name) for name in names if name in left] for topic, names in self.topics.items()
        }
        if self.topics.keys() == {"Reading files"}:  # the command's own come first
            parts = {_OTHERS: list(left.values()), **parts}
        else:
            parts[_OTHERS] = list(left.values())
        for topic, records in parts.items():
            if records:
                with formatter.section(topic):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say how many options are left out."""
        left_out = len(self._records(ctx, every=True)) - len(self._records(ctx, every=False))
        if left_out and _ALL not in ctx.meta:
            formatter.write_paragraph()
            several = "s" * (left_out > 1)
            formatter.write_text(f"`{ctx.command_path} --help-all` shows {left_out} more option{several}.")

    def _records(self, ctx: click.Context, *, every: bool) -> dict[str, tuple[str, str]]:
        """Return what help says of options, by their long names."""
        found = {
            max(param.opts, key=len): record
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx))
        }
        return {name: record for name, record in found.items() if every or self._is_common(name)}

    def _is_common(self, name: str) -> bool:
        if name in ("--help", "--help-all"):
            return True
        return name not in READING if self.common is None else name in self.common


def _refuse_blank(param: click.Parameter, typed: Any, ctx: click.Context) -> None:
    values = typed if isinstance(typed, list | tuple) else [typed]
    allowed = isinstance(param.type, BlankText | click.types.UnprocessedParamType)
    if not allowed and any(isinstance(value, str) and not value.strip() for value in values):
        raise click.BadParameter("is blank; give it a value, or leave it out", ctx, param)


def _show_all(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()
