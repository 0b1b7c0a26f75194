"""``bakeoff run``: the bake-off on corpora or the user's own files."""

from __future__ import annotations

import dataclasses
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..console import live_display
from ..errors import UsageError
from ..escape import lines_visible, without_passwords
from . import _completion
from ._options import Share, Size, Sizes, Time, measuring, reading, records_option, seed_option, selecting
from ._output import encoded, layout, typed
from ._schemas import include_option

if TYPE_CHECKING:
    from ..bench.results import Result
    from ..bench.run.context import Show
    from ..bench.run.options import Options
    from ..bench.run.output_file import OutputFile
    from ..console import LiveDisplay

__all__ = ["carry_out", "command", "show_on"]

_DEFAULT = ("movies", "messages")
_EVERY = 0.7
"""Seconds between two looks at the table: each takes some hundredths, in which nothing is measured."""
_A_SIZE = 15.0
"""Seconds for each size of a corpus: there are many."""
_STOPPED = 130
_NOTHING = 1


@click.command()
@measuring("bakeoff.json")
@selecting("the default set; --all or '*' for all installed codecs")
@records_option
@click.option(
    "--sample", type=click.IntRange(min=1), help="Number of records to check and measure.  [default: 1000]"
)
@seed_option
@click.option(
    "--scale-to", type=click.IntRange(min=1), metavar="N", help="Show times for N records instead of one."
)
@click.option(
    "--quick", is_flag=True, help="Ten seconds per corpus: fewer records, wider intervals, no memory."
)
@click.option(
    "--all",
    "no_time_limit",
    is_flag=True,
    default=None,
    help="Run every codec and ignore the time budget.",
)
@click.option(
    "--precision",
    type=Share("%", "0.0001%", "99%"),
    help="Half-width of the ratios' intervals to reach: 0.5%.  [default: 2%]",
)
@click.option(
    "--ratios",
    is_flag=True,
    default=None,
    help="Continue until every ratio to the best codec is that precise.",
)
@click.option(
    "--budget",
    type=Time(),
    help="Time per corpus, reading and checking included: 90s, 5min.  [default: 70s; 9s with --quick]",
)
@click.option("--isolate", is_flag=True, default=None, help="One codec per process, for absolute figures.")
@click.option(
    "--gc", type=click.Choice(["on", "off", "both"]), help="Garbage collector while timing.  [default: on]"
)
@click.option("--repeat", is_flag=True, help="Also time repeated dumps of the same records.")
@click.option(
    "--cold",
    is_flag=True,
    help="Also measure with cold CPU caches.",
)
@click.option(
    "--ops",
    metavar="LIST",
    shell_complete=_completion.operations,
    help="Comma-separated operations to measure instead of the defaults; --dry-run lists them.",
)
@click.option(
    "--server",
    "places",
    multiple=True,
    metavar="NAME=URL",
    help="URL of a server that an operation needs, as get@redis does; repeatable. Never stored in results.",
)
@click.option(
    "--memory/--no-memory", default=None, help="Also measure peak memory and growth.  [default: memory]"
)
@click.option(
    "--batch", type=click.IntRange(min=1), metavar="N", help="Encode lists of N records.  [default: 1]"
)
@click.option(
    "--record-sizes",
    "sizes",
    type=Sizes(),
    help="Resize records (cut, or put in lists) and find where codecs overtake each other: 16B..1MB.",
)
@click.option(
    "--batch-sizes",
    metavar="LIST",
    help="Also measure batches of N records, per-record time: 1,10,100,1000.",
)
@click.option(
    "--compress",
    metavar="LIST",
    help="Also run each codec with these compressors: zstd:3,lz4,dict (zstd with a trained dictionary).",
)
@click.option(
    "--infer",
    is_flag=True,
    default=None,
    help="Infer a schema, convert the records to its types, and add +schema codecs.",
)
@click.option(
    "--schema",
    metavar="SCHEMA",
    shell_complete=_completion.files,
    help="Schema of the records, as for `bakeoff schema`: FILE.py, FILE.avsc, FILE.proto#Message, ... Adds "
    "codecs that need a schema. Runs the code of Python files.",
)
@include_option
@click.option("--raw", is_flag=True, help="Also measure the libraries' own calls, as NAME/raw.")
@reading
@click.option(
    "--cell-timeout",
    type=Time("0.1s"),
    help="Drop a codec that makes no progress for this long.  [default: 60s]",
)
@click.option("--cell-memory", type=Size(), help="Memory limit of a worker: 512MiB, 4G.  [default: 2GiB]")
@click.option(
    "--resume", type=click.Path(path_type=Path), metavar="FILE", help="Continue the run in this result file."
)
@click.option(
    "--dry-run", "explaining", is_flag=True, help="Print how and what would be measured, and measure nothing."
)
def command(
    corpora: Sequence[str],
    output: Path,
    resume: Path | None,
    explaining: bool,
    scale_to: int | None,
    **given: Any,
) -> None:
    """Benchmark codecs on your own files or built-in corpora, and print the table.

    A file may be JSON, JSON Lines, CSV, MessagePack, BSON, YAML, CBOR, Avro, Parquet, Arrow or (with
    --trusted) pickle, also compressed. It may also be a folder of files, - for standard input, or a list or
    function as MODULE:NAME or FILE.py:NAME.

    Ctrl-C finishes the current process and reports; a second one stops at once. Results so far are kept,
    the exit code is 130, and --resume continues the run. The exit code is 1 if no codec passed its checks.
    """
    from ..bench.run.session import stored_options

    if str(output) == "-":
        raise UsageError(
            "a run keeps its results in a file; name it with -o, and print it with `bakeoff report`"
        )
    stored = None
    if resume is not None:
        fixed = {"--quick"} if output == resume else {"--quick", "--output"}
        if others := fixed & set(typed(click.get_current_context())):
            raise UsageError(f"--resume resumes a run as it was begun; leave out {', '.join(sorted(others))}")
        output = resume
        stored = stored_options(resume)
        stored.check_imports(resume, corpora=bool(corpora), schema=given["schema"])
    options = _options(corpora, given, stored)
    carry_out(
        options, output, per=scale_to, resume=resume is not None, named=given["codecs"], explaining=explaining
    )


def carry_out(
    options: Options,
    output: Path,
    *,
    per: int | None = None,
    resume: bool = False,
    named: Sequence[str] = (),
    explaining: bool = False,
) -> None:
    """Check the options, measure, with progress and the table so far on a terminal, and print the result.

    Args:
        options: What to measure.
        output: Result file.
        per: Records that times are shown for.
        resume: Go on with the run that is in `output`.
        named: The codecs as typed.
        explaining: Print the timing contract and what would be run instead.

    Raises:
        UsageError: Something in `options` cannot be run.
        click.exceptions.Exit: It was interrupted, or no codec got through.
    """
    from ..bench.run.session import Session
    from ..reports.model.view import View
    from ..reports.tables.sentence import got_through

    options.validate(named)
    with live_display() as screen:
        if explaining:
            from ..bench.run.explain import explain

            text = explain(options, show_on(screen.progress))
            click.echo(lines_visible(text), nl=False)
            return
        session = Session(
            options,
            output,
            command=_command_line(),
            resume=resume,
            show=show_on(screen.progress),
            look=_look(screen),
        )
        try:
            result = session.run()
        except KeyboardInterrupt:
            if session.place.note:
                click.echo(lines_visible(session.place.note), err=True)
            raise
    _report(result, per, session.notes, session.place)
    if session.interrupted:
        click.echo(f"stopped early; `bakeoff run --resume {output}` goes on", err=True)
        click.get_current_context().exit(_STOPPED)
    if not got_through(View.of([result])):
        click.get_current_context().exit(_NOTHING)


def _options(corpora: Sequence[str], given: dict[str, Any], stored: Options | None) -> Options:
    """Merge defaults, what is stored in the file to resume, and what was typed."""
    from ..bench.run.options import Options
    from ..codecs import default_set, names, select

    chosen = {each.name: given.get(each.name) for each in dataclasses.fields(Options)} | {
        **{key: value or None for key, value in given["how"].items()},
        "corpora": tuple(corpora) or None,
        "codecs": None,  # which ones depends on the corpora
        "include": given["include"] or None,
        "operations": _operations(given, stored),
    }
    if given["sizes"] is not None and given["budget"] is None and not given["quick"]:
        chosen["budget"] = _A_SIZE
    base = dataclasses.replace(stored or Options(_DEFAULT, ()), trusted=False)
    if given["quick"]:
        base = base.quick()
    options = dataclasses.replace(base, **{key: value for key, value in chosen.items() if value is not None})
    if given["codecs"] or stored is None:
        declared = bool(options.schema) or (not options.infer and options.sources.bring_schemas())
        entered = (names if given["no_time_limit"] else default_set)(needs_schema=declared)
        options = dataclasses.replace(
            options,
            codecs=tuple(select(given["codecs"], default=entered)),
            joining=_joining(given["codecs"], entered),
        )
    if options.infer or options.schema:
        entered_twice = _with_schemas(options.codecs)
        options = dataclasses.replace(options, codecs=entered_twice, twins=entered_twice != options.codecs)
    if given["raw"]:
        options = dataclasses.replace(options, codecs=_with_raw(options.codecs))
    if given["compress"] is not None:
        codecs, joining = (_compressed(each, given["compress"]) for each in (options.codecs, options.joining))
        options = dataclasses.replace(options, codecs=codecs, joining=joining)
    entered_already = set(options.codecs)
    joining = tuple(name for name in options.joining if name not in entered_already)
    return dataclasses.replace(options, joining=joining)


def _joining(asked: Sequence[str], entered: Sequence[str]) -> tuple[str, ...]:
    """Return the codecs that join where records hold what they are for; none where codecs were named.

    Args:
        asked: As typed after ``-c``.
        entered: The codecs that are entered without it.
    """
    from ..codecs import select, specialists

    if any(not part.strip().startswith("!") for pattern in asked for part in pattern.split(",")):
        return ()
    able = specialists()
    left = set(select(asked, default=(*entered, *able))) if asked else set(able)
    return tuple(name for name in able if name in left)


def _operations(given: dict[str, Any], stored: Options | None) -> tuple[str, ...] | None:
    from ..bench.operations import DEFAULT, MEMORY, OPERATIONS, operation

    if given["ops"] is not None:
        if given["repeat"] or given["cold"] or given["memory"] is not None:
            raise UsageError(
                "--ops names all operations; leave out --repeat, --cold and --memory/--no-memory"
            )
        wanted = [name.strip() for name in given["ops"].split(",") if name.strip()]
        for name in wanted:
            operation(name)
        if not wanted:
            raise UsageError(f"--ops names no operation; there are {', '.join(OPERATIONS)}")
        return (*wanted, *_frames(given["batch_sizes"]))
    if stored is not None and given["memory"] is None and not (given["repeat"] or given["cold"]):
        if given["batch_sizes"] is not None:
            raise UsageError("--batch-sizes belongs to the run as it was begun; leave it out")
        return None
    frames = _frames(given["batch_sizes"])
    swept = frames or given["sizes"] is not None
    memory = given["memory"] if given["memory"] is not None else not (given["quick"] or swept)
    repeat = ("dump-repeat",) if given["repeat"] else ()
    cold = ("dump-cold", "load-cold") if given["cold"] else ()
    return (*DEFAULT, *repeat, *cold, *frames, *(MEMORY if memory else ()))


def _frames(text: str | None) -> list[str]:
    """Return the operations on frames of so many records.

    Raises:
        UsageError: One is no number of records.
    """
    from ..bench.operations import operation

    if text is None:
        return []
    numbers = [part.strip() for part in text.split(",") if part.strip()]
    if not numbers:
        raise UsageError("--batch-sizes names no number of records; say for instance 1,10,100,1000")
    return [
        operation(f"batch-{name}:{number}").name for name in ("dump", "load", "size") for number in numbers
    ]


def _compressed(codecs: Sequence[str], text: str) -> tuple[str, ...]:
    """Enter each codec that has no compressor behind it once more with each of those that are named.

    Raises:
        UsageError: None is named.
        UnknownCompressor: One is none.
    """
    from ..codecs import is_raw, join_name, split_name
    from ..codecs.streams.compression import library

    wanted = [part.strip() for part in text.split(",") if part.strip()]
    if not wanted:
        raise UsageError("--compress names no compressor; say for instance zstd:3,lz4,dict")
    # The comma of `zstd:3,dict` parts the list already: `dict:3` is that one.
    wanted = [re.sub(r"^dict(?=:|$)(.*)", r"zstd\1,dict", name) for name in wanted]
    for name in wanted:
        library(name)
    found: list[str] = []
    for codec in codecs:
        base, schema, compression = split_name(codec)
        further = () if compression is not None or is_raw(codec) else wanted
        found += [codec, *(join_name(base, schema, name) for name in further)]
    return tuple(dict.fromkeys(found))


def _with_schemas(codecs: Sequence[str]) -> tuple[str, ...]:
    """Enter every codec once more with the schema, where none was asked for by name and it may do without."""
    from ..codecs import describe, join_name, split_name

    parts = [split_name(name) for name in codecs]
    if any(schema for _, schema, _ in parts):
        return tuple(codecs)
    return tuple(
        join_name(base, schema, compression)
        for base, _, compression in parts
        for schema in ((False,) if describe(base).needs_schema else (False, True))
    )


def _with_raw(codecs: Sequence[str]) -> tuple[str, ...]:
    """Enter each library's own calls after the codec that guards them."""
    from ..codecs import describe, missing
    from ..codecs.registry import RAW

    def told(name: str) -> bool:
        known = describe(name)
        # The calls of a variant without guards are those of the codec that it stands beside.
        if name != known.name or known.unguarded or missing(name) is not None:
            return False
        return known.raw() is not None

    return tuple(entry for name in codecs for entry in ((name, name + RAW) if told(name) else (name,)))


def show_on(display: Any) -> Show:
    """Return a function that shows progress as a task of a display."""
    task = display.add_task("starting", total=None)

    def show(text: str, done: float, total: float) -> None:
        if done < 0:
            display.update(task, description=text)
        else:
            display.update(task, description=text, completed=done, total=total or None)

    return show


def _look(screen: LiveDisplay) -> Callable[[Callable[[], Result]], None]:
    """Return what writes the table as it stands, as often as is worth looking."""
    before = -_EVERY

    def look(result: Callable[[], Result]) -> None:
        nonlocal before
        if not screen.shown or time.monotonic() < before + _EVERY:
            return
        from ..reports.tables.live import provisional

        screen.write(provisional(result(), width=screen.width, height=screen.height, color=screen.color))
        before = time.monotonic()

    return look


def _command_line() -> str:
    """Return what was typed, without the passwords of URLs: it stands in the result file."""
    import shlex

    return encoded(shlex.join(["bakeoff", *map(without_passwords, sys.argv[1:])])).decode()


def _report(result: Result, per: int | None, notes: Sequence[str], place: OutputFile) -> None:
    from ..reports import render

    options = layout(None) | ({"per": per} if per is not None else {})
    click.echo(render([result], "text", **options).rstrip("\n"))
    for note in (*notes, "; ".join(filter(None, [f"results are in {place.path}", place.note]))):
        click.echo(lines_visible(note), err=True)
