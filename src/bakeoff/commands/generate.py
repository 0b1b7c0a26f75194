"""``bakeoff generate``: a built-in corpus as a file."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import near
from . import _completion
from ._options import RECORDS, format_option, seed_option
from ._output import guard
from ._records import destination, output, slow_progress

__all__ = ["command"]


@click.command("generate")
@click.argument("name", metavar="CORPUS", shell_complete=_completion.corpora)
@click.option(
    "-n", "--records", type=RECORDS, help="How many; SM, MD, LG are 100, 1,000, 50,000.  [default: 10,000]"
)
@seed_option
@click.option(
    "-o", "--output", "path", default="-", help="File to write; - is standard output.", show_default=True
)
@format_option(
    default=None, told="Format, where the ending does not tell.  [default on standard output: jsonl]"
)
def command(name: str, records: int | None, seed: int | None, path: str, form: str | None) -> None:
    """Write a built-in corpus to a file, in the format and with the compression that its ending tells.

    Types that a format lacks are written by its conventions (`bakeoff codecs --conventions`). The file
    is complete or not there at all.

    \b
      bakeoff generate movies -n 1000000 -o movies.jsonl.zst
      bakeoff generate messages | head -n 1
    """
    from .. import datasets
    from ..datasets.families import is_built_in
    from ..datasets.writing import write

    if not is_built_in(name):
        raise datasets.UnknownCorpus(name, near(name, datasets.names()), built_in=True)
    made = datasets.corpus(name, records, datasets.DEFAULT_SEED if seed is None else seed)
    kind = destination(path, form, "jsonl")
    guard(Path(path))
    with slow_progress(f"generating {name}") as show, output(path) as file:
        count = write(made.records(show), file, kind)
    if path != "-":
        click.echo(f"{path}: {count:,} records", err=True)
