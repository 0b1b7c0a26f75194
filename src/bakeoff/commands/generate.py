"""``bakeoff generate``: a built-in corpus, or synthetic records like the user's own, as a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, near
from ..escape import visible
from ..files import read_limited
from ..nearby import NoSuchFile
from . import _completion
from ._grouped import GroupedCommand
from ._options import RECORDS, reading, seed_option
from ._output import guard, is_stdout
from ._records import destination, output, report_remark, report_skipped, slow_progress
from ._written import format_option, output_option, written_as

if TYPE_CHECKING:
    from ..datasets.base import Progress
    from ..datasets.synthetic import DataProfile


@click.command(
    "generate",
    cls=GroupedCommand,
    codes="0 ok, 1 the records could not be read or written, 2 usage error",
)
@click.argument("name", metavar="[CORPUS]", required=False, shell_complete=_completion.corpora)
@click.option(
    "--like",
    metavar="SOURCE",
    help="Generate synthetic records like these: same cost for codecs, none of their values.",
    shell_complete=_completion.files,
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Generate synthetic records from a saved profile.",
)
@click.option(
    "--save-profile",
    type=click.Path(path_type=Path),
    callback=written_as("json"),
    metavar="FILE",
    help="Save the profile; without -o nothing else is written.",
)
@click.option("--hide-names", is_flag=True, help="Replace field names too; by default they are kept.")
@click.option(
    "-n",
    "--records",
    type=RECORDS,
    help="Number of records; SM, MD, LG are 100, 1,000, 50,000.  [default: 10,000; with --like as many "
    "as the original]",
)
@seed_option
@output_option("; - for standard output.  [default: -]", name="path")
@format_option(
    default=None, told="Output format, if the file name does not say.  [default on standard output: jsonl]"
)
@reading
def command(
    name: str | None,
    like: str | None,
    profile: Path | None,
    save_profile: Path | None,
    hide_names: bool,
    records: int | None,
    seed: int | None,
    path: Path | None,
    form: str | None,
    how: Mapping[str, Any],
) -> None:
    """Write a built-in corpus, or synthetic records like your own, to a file.

    The file name selects format and compression. Types that a format lacks are written by its conventions
    (`bakeoff codecs --conventions`). If generation fails, no file is written.

    Synthetic records have the field names, types, lengths, ranges and kinds of characters of the originals,
    at the same frequencies, but none of their values. A profile file contains only these statistics.

    \b
      bakeoff generate movies -n 1000000 -o movies.jsonl.zst
      bakeoff generate messages | head -n 1
      bakeoff generate --like mydata.jsonl -n 1000000 --save-profile profile.json -o synthetic.jsonl.zst
      bakeoff generate --profile profile.json -o synthetic.jsonl
    """
    if sum(given is not None for given in (name, like, profile)) != 1:
        raise UsageError("say one of: the name of a built-in corpus, --like SOURCE, or --profile FILE")
    if like is None and (any(how.values()) or save_profile or hide_names):
        raise UsageError("options of reading, --save-profile and --hide-names go with --like")
    if name is not None:
        _write(path or Path("-"), form, f"generating {name}", _built_in(name, records, seed))
        return
    own = profile if like is None else Path(like)
    for written in (path, save_profile):
        guard(written, [] if own is None else [own])
    found = _fitted(like, hide_names, how) if like is not None else _read(profile)
    if save_profile is not None:
        _save(found, save_profile)
        if path is None:
            return
    count = found.records if records is None else records
    _write(
        path or Path("-"),
        form,
        "generating synthetic records",
        _records(found, count, seed),
        is_document=count == 1,
    )


def _write(path: Path, form: str | None, told: str, made: Any, *, is_document: bool = False) -> None:
    from ..datasets.readers.formats import file_formats
    from ..datasets.writing import write

    kind = destination(str(path), form, "jsonl")
    if is_document and kind.name == "json":
        kind = file_formats()["jsonl"]  # a list with one document would be a different document
    guard(path)
    with slow_progress(told) as show, output(str(path)) as file:
        count = write(made(show), file, kind)
    if not is_stdout(path):
        click.echo(f"{path}: {count:,} record{'s' * (count != 1)}", err=True)


def _built_in(name: str, records: int | None, seed: int | None) -> Any:
    from .. import datasets
    from ..datasets.generated.families import is_built_in

    if not is_built_in(name):
        raise datasets.UnknownCorpus(name, near(name, datasets.names()), built_in=True)
    return datasets.corpus(name, records, datasets.DEFAULT_SEED if seed is None else seed).records


def _records(profile: DataProfile, count: int, seed: int | None) -> Any:
    from .. import datasets
    from ..datasets.synthetic import made

    def records(show: Progress) -> Iterator[Any]:
        return made(profile, count, datasets.DEFAULT_SEED if seed is None else seed, show)

    return records


def _fitted(source: str, hide_names: bool, how: Mapping[str, Any]) -> DataProfile:
    from ..datasets import corpus
    from ..datasets.synthetic import fit, hidden, names_by_risk

    original = corpus(source, **how)
    with slow_progress(f"reading {source}") as show:
        profile = fit(original, show)
    report_remark(original)
    report_skipped(original.source, original.skipped, original.bad)
    told = f"{original.source}: {profile.seen:,} of {profile.records:,} records looked at"
    if hide_names:
        profile = hidden(profile)
        click.echo(f"{told}; no value and no name of a field is kept", err=True)
        return profile
    known = names_by_risk(profile)
    click.echo(
        visible(f"{told}; no value is kept, but {len(known):,} names of fields: {', '.join(known)}"), err=True
    )
    return profile


def _save(profile: DataProfile, path: Path) -> None:
    from ..datasets.synthetic import write
    from ._output import put

    put(write(profile), path)
    if str(path) != "-":
        click.echo(f"{path}: the profile", err=True)


def _read(path: Path | None) -> DataProfile:
    from ..datasets.synthetic import LARGEST, read

    assert path is not None
    try:
        content = read_limited(path, LARGEST)
    except FileNotFoundError as error:
        raise NoSuchFile(path, "--save-profile writes one", "profile") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    return read(content, str(path))
