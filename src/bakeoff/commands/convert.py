"""``bakeoff convert``: a file of records in another format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from . import _completion
from ._grouped import GroupedCommand
from ._options import RECORDS, reading
from ._output import guard
from ._records import destination, output, report_remark, report_skipped, slow_progress
from ._written import check_place, format_option


@click.command(
    "convert",
    cls=GroupedCommand,
    codes="0 ok, 1 the records could not be read or written, 2 usage error",
)
@click.argument("source", shell_complete=_completion.files)
@click.argument("target", shell_complete=_completion.files)
@reading
@format_option(default=None, told="Output format, if the name of TARGET does not say.")
@click.option("-n", "--records", type=RECORDS, help="Number of records to convert.")
def command(
    source: str,
    target: str,
    form: str | None,
    records: int | None,
    how: Mapping[str, Any],
) -> None:
    """Convert SOURCE to TARGET, record by record. The formats follow from the file names.

    SOURCE may be anything that `bakeoff run` accepts: a file, a folder, - for standard input,
    module:name, FILE.py:name, or a built-in corpus. TARGET may be - for standard output (with -f).
    If the conversion fails, no TARGET is written.

    \b
      bakeoff convert dump.bson records.msgpack
      bakeoff convert logs/ logs.jsonl.gz --skip-invalid
      bakeoff convert twitter.json statuses.jsonl --at '$.statuses'
    """
    from ..datasets import corpus
    from ..datasets.readers.problems import Problems
    from ..datasets.writing import write

    if target == "-" and form is None:
        raise UsageError("standard output needs -f FORMAT")
    check_place(Path(target))
    kind = destination(target, form)
    guard(Path(target))  # onto SOURCE itself is fine: it is replaced when all has been read
    made = corpus(source, records, **how)
    problems = Problems(skip=how["skip_invalid"])
    problems.source = source
    with slow_progress(f"converting {source}") as show, output(target) as file:
        count = write(made.records(show), file, kind, problems)
    report_remark(made)
    report_skipped(made.source, made.skipped + problems.total, [*made.bad, *problems.kept])
    if target != "-":
        click.echo(f"{target}: {count:,} record{'s' * (count != 1)}", err=True)
