"""``bakeoff convert``: a file of records in another format."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import UsageError
from ._output import guard
from ._records import RECORDS, destination, output, report_skipped, slow_progress

__all__ = ["command"]


@click.command("convert")
@click.argument("source")
@click.argument("target")
@click.option(
    "--from", "source_format", metavar="FORMAT", help="Format of SOURCE, where its ending does not tell."
)
@click.option("--to", "target_format", metavar="FORMAT", help="Format of TARGET, likewise.")
@click.option("-n", "--records", type=RECORDS, help="Only the first so many.")
@click.option("--skip-bad", is_flag=True, help="Leave out records that cannot be read or written.")
@click.option("--trusted", is_flag=True, help="Allow reading pickles, which run what they say.")
def command(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    records: int | None,
    skip_bad: bool,
    trusted: bool,
) -> None:
    """Turn SOURCE into TARGET, record by record, in the formats that their endings tell.

    SOURCE may be all that `bakeoff run` takes: a file, a folder, - for standard input,
    module:function, or a built-in corpus. TARGET may be - for standard output (with --to). It is
    complete or not there at all.

    \b
      bakeoff convert dump.bson records.msgpack
      bakeoff convert logs/ logs.jsonl.gz --skip-bad
    """
    from ..datasets import corpus
    from ..datasets.problems import Problems
    from ..datasets.writing import write

    if target == "-" and target_format is None:
        raise UsageError("standard output has no ending to tell the format; say --to FORMAT")
    kind = destination(target, target_format)
    guard(Path(target))  # onto SOURCE itself is fine: it is replaced when all has been read
    made = corpus(source, records, skip_bad=skip_bad, trusted=trusted, format=source_format)
    problems = Problems(skip=skip_bad)
    problems.source = source
    with slow_progress(f"converting {source}") as show, output(target) as file:
        count = write(made.records(show), file, kind, problems)
    report_skipped(made.source, made.skipped + problems.total, [*made.bad, *problems.kept])
    if target != "-":
        click.echo(f"{target}: {count:,} records", err=True)
