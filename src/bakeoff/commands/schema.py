"""``bakeoff schema``: infer schemas from records, show their effect after a codec, check records."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..escape import shortened, visible
from ..files import is_device
from ..grid import draw
from . import _completion
from ._grouped import GroupedCommand
from ._misplaced import NamedCommands
from ._options import RECORDS, Share, reading, selecting
from ._output import guard, is_stdout, put
from ._records import output, report_remark, report_skipped, slow_progress
from ._schemas import include_option, named
from ._written import PYTHON, agreed, output_option

if TYPE_CHECKING:
    from ..schemas import AdviceCounter, Schema

SHOWN = 40
"""Characters of an example."""


@click.group("schema", cls=NamedCommands)
def command() -> None:
    """Infer, show, export or validate an advisory schema.

    SCHEMA is MODULE:NAME, FILE.py:NAME, or FILE.py with one Schema or one record class (TypedDict,
    dataclass, NamedTuple, msgspec.Struct, pydantic model); a definition in another language (FILE.avsc,
    FILE.proto, ...) or one record in it (FILE.proto#Message); or a built-in corpus.
    Python files are run, so read them first if you did not write them.

    \b
      bakeoff schema infer events.jsonl -o events.py
      bakeoff schema show events.py -c msgpack
      bakeoff schema export events.py -o events.proto
      bakeoff schema validate tomorrow.jsonl events.py
    """


@command.command("infer", cls=GroupedCommand, short_help="Print the schema of records as Python.")
@click.argument("source", metavar="FILE", shell_complete=_completion.files)
@click.option("-n", "--records", type=RECORDS, help="Number of records to convert.")
@reading
@click.option("--name", metavar="NAME", default="Record", show_default=True, help="Name of the record class.")
@click.option(
    "--confidence",
    default="99%",
    show_default=True,
    type=Share("", "51%", "100%"),
    help="Share of a field's texts that must look like a date, for example, to become one.",
)
@click.option("--base64", is_flag=True, help="Treat fields with only base64 text as bytes.")
@output_option("; - for standard output.", "python", name="target", default="-", endings=PYTHON)
def infer(
    source: str,
    records: int | None,
    how: Mapping[str, Any],
    name: str,
    confidence: float,
    base64: bool,
    target: Path,
) -> None:
    """Print the schema of the records in FILE as a Python module of TypedDicts.

    Reads all records once, in bounded memory. If only some values of a field match its type, a comment
    gives their share. An existing FILE.py with other contents is not replaced.
    """
    from ..datasets import corpus
    from ..schemas import Schema

    if not name.isidentifier():
        raise UsageError(f"--name {name}: not a Python name")
    guard(target, (Path(source),))
    made = corpus(source, records, **how)
    with slow_progress(f"reading {source}") as show:
        schema = Schema.infer(made.records(show), name=name, confidence=confidence, base64=base64)
    text = schema.to_python().encode()
    _keep_corrected(target, text)
    _write(text, target)
    report_remark(made)
    report_skipped(made.source, made.skipped, made.bad)


def _write(definition: bytes, target: Path, *, binary: bool = False) -> None:
    """Write a schema to a file as it is, or to standard output, where text is escaped."""
    if is_stdout(target):
        put(definition if binary else definition.decode(), None)
        return
    with output(str(target)) as file:
        file.write(definition)


def _keep_corrected(path: Path, text: bytes, otherwise: str = "remove it first") -> None:
    """Refuse to overwrite a file that may have been corrected by hand, or that others rely on.

    Raises:
        UsageError: `path` is a file with content other than `text`.
    """
    if (
        not is_stdout(path)
        and path.is_file()
        and not is_device(path)
        and path.read_bytes() not in (b"", text)
    ):
        raise UsageError(f"{path}: exists with other content; choose another name with -o, or {otherwise}")


@command.command("export", cls=GroupedCommand, short_help="Write SCHEMA in the language of a format.")
@click.argument("schema", shell_complete=_completion.files)
@click.option(
    "-f",
    "--format",
    "language",
    metavar="LANGUAGE",
    help="Output format: avro, protobuf, arrow, thrift or json-schema.  [default: by the ending of -o]",
)
@click.option(
    "--keep",
    metavar="SCHEMA",
    shell_complete=_completion.files,
    help="Older version; fields that are in both keep their names and numbers.",
)
@include_option
@output_option("; - for standard output. Its ending decides the language.", name="target", default="-")
def export(
    schema: str, language: str | None, keep: str | None, include: tuple[str, ...], target: Path
) -> None:
    """Write SCHEMA in the language of a format that needs one.

    SCHEMA may be a definition too. Payloads contain field numbers, so a number is assigned once, and an
    existing definition is replaced only if --keep names it.

    \b
      bakeoff schema export events.py -o events.proto
      bakeoff schema export events.py --keep events.proto -o events.proto
    """
    from ..schemas.wire.languages import BINARY, LANGUAGES

    if not (wanted := agreed(language, target, tuple(LANGUAGES), default="", endings=LANGUAGES)):
        raise UsageError(f"choose a language with -f: {', '.join(LANGUAGES)}")
    made = named(schema, include)
    if keep is not None:
        made = made.keeping(named(keep, include))
    definition = made.definition(wanted)
    kept = keep is not None and Path(keep).exists() and target.exists() and target.samefile(keep)
    if not kept:
        guard(target, (Path(schema.partition("#")[0]),))
        if not is_device(target):
            _keep_corrected(target, definition, f"--keep {target} keeps its numbers")
    _write(definition, target, binary=wanted in BINARY)


@command.command("show", cls=GroupedCommand, short_help="Say what SCHEMA restores after each codec.")
@click.argument("schema", shell_complete=_completion.files)
@selecting("all installed built-in codecs")
@include_option
@click.option("--as-objects", is_flag=True, help="Include creating objects of the classes.")
def show(schema: str, codecs: tuple[str, ...], include: tuple[str, ...], as_objects: bool) -> None:
    """Explain what SCHEMA restores after each codec: the types that the codec does not preserve.

    SCHEMA is Python, and is run.
    """
    from ..codecs import available, describe, select
    from ..schemas.schema import Conversion, conversions, described

    made = named(schema, include, **({"as_objects": True} if as_objects else {}))
    # Third-party codecs are only imported here if they are named.
    ours = [name for name in available() if not describe(name).entry_point]
    alike: dict[tuple[Conversion, ...], list[str]] = {}
    for name in select(codecs, default=ours):
        alike.setdefault(conversions(made, name), []).append(name)
    said = sorted(alike.items(), key=lambda item: not item[0])
    click.echo("\n\n".join(described(made, names, done) for done, names in said))


@command.command(
    "validate",
    cls=GroupedCommand,
    short_help="Say where records differ from SCHEMA.",
    codes="0 no advice (or only on fields marked as notes), 1 advice, 2 unreadable or missing "
    "records, or usage error",
)
@click.argument("source", metavar="FILE", shell_complete=_completion.files)
@click.argument("schema", shell_complete=_completion.files)
@click.option("-n", "--records", type=RECORDS, help="Number of records to convert.")
@reading
@click.option(
    "--written-by",
    "codec",
    metavar="CODEC",
    shell_complete=_completion.codecs,
    help="Expect this codec's forms of types that it lacks.  [default: by the ending of FILE]",
)
@include_option
@click.option("--notes", is_flag=True, help="Also exit with 1 for fields marked as notes.")
@click.pass_context
def check(
    context: click.Context,
    source: str,
    schema: str,
    records: int | None,
    how: Mapping[str, Any],
    codec: str | None,
    include: tuple[str, ...],
    notes: bool,
) -> None:
    """Print the advice of SCHEMA on the records in FILE, by field, with counts and examples.

    SCHEMA is Python, and is run. FILE is only read.

    Forms that the file's format needs (ISO 8601 text for a datetime in JSON) give no advice.
    """
    from ..bench.fit import LOOKED_AT, better_part
    from ..datasets import corpus
    from ..datasets.errors import UnreadableCorpus
    from ..datasets.readers.formats import codec_of
    from ..schemas import AdviceCounter

    made = named(schema, include)
    counter = AdviceCounter()
    try:
        rows = corpus(source, records, **how)
        form = codec or codec_of(source, how["format"])
        advise = made.adviser(form)
        first: list[Any] = []
        with slow_progress(f"checking {source}") as progress:
            for record in rows.records(progress):
                if len(first) < LOOKED_AT:
                    first.append(copy.deepcopy(record))
                counter.add(advise(record)[1])
    except UnreadableCorpus as error:
        # A program that checks the exit code for advice must not mistake this for advice.
        raise UsageError(str(error)) from error
    _report(rows.source, made, counter)
    for line in better_part(first, made, schema, include, form) if counter.errors else ():
        click.echo(visible(line), err=True)
    report_remark(rows)
    report_skipped(rows.source, rows.skipped, rows.bad)
    if counter.total if notes else counter.errors:
        context.exit(1)


def _report(source: str, schema: Schema, counter: AdviceCounter) -> None:
    if not counter.total:
        click.echo(f"{source}: {_several(counter.records, 'record')}, no advice from {schema.name}")
        return
    click.echo(
        f"{source}: {_several(counter.total, 'piece')} of advice from {schema.name} "
        f"on {counter.advised:,} of {_several(counter.records, 'record')}\n"
    )
    rows = [
        [
            f"{tally.count:,}",
            tally.path,
            tally.expected,
            tally.found,
            tally.outcome + (" (note)" if tally.severity == "note" else ""),
            ", ".join(shortened(example, SHOWN) for example in tally.examples),
        ]
        for tally in counter
    ]
    header = ["count", "place", "expected", "found", "outcome", "for example"]
    click.echo(draw("plain", header, rows, [True]))


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
