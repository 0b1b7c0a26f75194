"""``bakeoff run``: benchmark codecs on corpora or the user's own files."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..console import live_display, show_on, show_text
from ..errors import UsageError
from ..escape import without_passwords
from ..files import check_own
from . import _completion
from ._earlier import print_comparison, results_in
from ._grouped import GroupedCommand
from ._machines import machine_options, machines_of, measure, plan
from ._named import LISTED, Choice, Whole
from ._options import Share, Size, Sizes, Time, measuring, reading, records_option, seed_option, selecting
from ._output import layout, typed
from ._schemas import include_option

if TYPE_CHECKING:
    from ..bench.results import ResultData
    from ..bench.run.machines.addresses import Machine
    from ..bench.run.options import Options
    from ..bench.run.session import Session
    from ..console import LiveDisplay

_EVERY = 0.7
"""Seconds between two updates of the table; each pauses the measurement for some hundredths of a second."""
_STOPPED = 130
_NOTHING = 1

_TOPICS = {
    "Codecs": ["--codec", "--offline", "--raw", "--compress", "--infer", "--schema", "--include"],
    "Records": [
        "--records",
        "--sample",
        "--seed",
        "--from",
        "--at",
        "--encoding",
        "--null-value",
        "--no-header",
        "--decimal-comma",
        "--skip-invalid",
        "--trust-files",
    ],
    "Time": ["--quick", "--budget", "--all", "--precision", "--ratios"],
    "Measurement": [
        "--ops",
        "--server",
        "--memory",
        "--count",
        "--repeat",
        "--cold",
        "--burst",
        "--batch",
        "--batch-sizes",
        "--record-sizes",
        "--gc",
        "--isolate",
        "--readers",
        "--cell-timeout",
        "--cell-memory",
    ],
    "Interpreters": ["--python"],
    "Machines": ["--on", "--wheel"],
    "Results": ["--output", "--resume", "--baseline", "--scale-to", "--dry-run"],
}
"""The options of the command by topic, in the order of the help."""

_COMMON = (
    "--codec",
    "--schema",
    "--infer",
    "--records",
    "--quick",
    "--budget",
    "--ops",
    "--readers",
    "--output",
    "--resume",
    "--baseline",
    "--dry-run",
)


@click.command(
    cls=GroupedCommand,
    codes="0 ok, 1 records could not be read, no codec passed its checks or a machine of --on was lost, "
    "2 usage error, 130 stopped by Ctrl-C",
    topics=_TOPICS,
    common=_COMMON,
)
@measuring("bakeoff.json")
@selecting("the common ones; '*' for all that are installed")
@records_option
@click.option("--sample", type=Whole(), help="Number of records to check and measure.  [default: 1000]")
@seed_option
@click.option("--scale-to", type=Whole(), metavar="N", help="Show times for N records instead of one.")
@click.option(
    "--quick",
    is_flag=True,
    help="Less time, wider intervals: ten seconds per corpus.",
)
@click.option(
    "--all",
    "no_time_limit",
    is_flag=True,
    default=None,
    help="Ignore the time budget, and run every codec.",
)
@click.option(
    "--precision",
    type=Share("%", "0.0001%", "99%"),
    help="Stop when ratios are known to this, ±: 0.5%.  [default: 2%]",
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
    help="Most time per corpus: 90s, 5min.  [default: 70s; 9s with --quick]",
)
@click.option("--isolate", is_flag=True, default=None, help="One codec per process, for absolute figures.")
@click.option(
    "--gc", type=Choice(["on", "off", "both"]), help="Garbage collector while timing.  [default: on]"
)
@click.option("--repeat", is_flag=True, help="Also time repeated dumps of the same records.")
@click.option(
    "--cold",
    is_flag=True,
    help="Also measure with cold CPU caches.",
)
@click.option(
    "--burst",
    is_flag=True,
    default=None,
    help="Time each call by itself after other work, as in a program that encodes now and then.",
)
@click.option(
    "--ops",
    type=LISTED,
    metavar="LIST",
    shell_complete=_completion.operations,
    help="Comma-separated operations to measure, instead of dump, load and others: dump,size.",
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
    "--count",
    is_flag=True,
    help="Also count the instructions of a dump and a load, with Valgrind: exact on a busy machine, too.",
)
@click.option("--batch", type=Whole(), metavar="N", help="Encode lists of N records.  [default: 1]")
@click.option(
    "--record-sizes",
    "sizes",
    type=Sizes(),
    help="Resize records (cut, or put in lists) and find where codecs overtake each other: 16B..1MB.",
)
@click.option(
    "--batch-sizes",
    type=LISTED,
    metavar="LIST",
    help="Also measure batches of N records, per-record time: 1,10,100,1000.",
)
@click.option(
    "--compress",
    type=LISTED,
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
    help="Schema of the records: FILE.avsc, FILE.proto#Message, or FILE.py, which is run.",
)
@include_option
@click.option(
    "--readers",
    type=LISTED,
    metavar="LANGUAGES",
    help="Languages whose libraries also read the payloads, once built: go,node.",
)
@click.option(
    "--offline", is_flag=True, default=None, help="Download nothing: releases that -c names are in the cache."
)
@click.option("--raw", is_flag=True, help="Also measure the libraries' own calls, as NAME/raw.")
@reading
@click.option(
    "--cell-timeout",
    type=Time("0.1s"),
    help="Drop a codec that makes no progress for this long.  [default: 60s]",
)
@click.option("--cell-memory", type=Size(), help="Memory limit of a worker: 512MiB, 4G.  [default: 2GiB]")
@click.option(
    "--python",
    "pythons",
    multiple=True,
    metavar="PYTHON",
    help="Measure with this interpreter, which has bakeoff installed: python3.13, or a path. Repeatable: "
    "interpreters take turns.  [default: the running one]",
)
@machine_options
@click.option(
    "--resume", type=click.Path(path_type=Path), metavar="FILE", help="Continue the run in this result file."
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Compare with the newest result of the same work in this file or folder.",
)
@click.option(
    "--dry-run", "explaining", is_flag=True, help="Print what would be measured and how, and measure nothing."
)
def command(
    corpora: Sequence[str],
    output: Path,
    resume: Path | None,
    baseline: Path | None,
    explaining: bool,
    scale_to: int | None,
    pythons: Sequence[str],
    on: Sequence[str],
    wheel: Path | None,
    **given: Any,
) -> None:
    """Benchmark codecs on your own files or built-in corpora, and print the table.

    A file may be JSON, JSON Lines, CSV, MessagePack, BSON, YAML, CBOR, Avro, Parquet, Arrow or (with
    --trust-files) pickle, also compressed. It may also be a folder of files, - for standard input, or a list
    or function as MODULE:NAME or FILE.py:NAME.

    Ctrl-C finishes the current process and reports; a second one stops at once. Results so far are kept,
    and --resume continues the run. --baseline does not change the exit code: for CI use `bakeoff history` or
    `bakeoff compare` with --fail-above.
    """
    from ..bench.run.request import Request
    from ..bench.run.several import stored_anywhere

    if str(output) == "-":
        raise UsageError(
            "a run keeps its results in a file; name it with -o, and print it with `bakeoff report`"
        )
    machines = machines_of(on, wheel, pythons)
    stored = None
    if resume is not None:
        fixed = {"--quick"} if output == resume else {"--quick", "--output"}
        if others := fixed & set(typed(click.get_current_context())):
            raise UsageError(
                f"--resume continues a run with its own options; remove {', '.join(sorted(others))}"
            )
        output = resume
        stored = stored_anywhere(resume, machines)
        stored.check_typed(
            resume,
            corpora=bool(corpora),
            schema=given["schema"],
            codecs=bool(given["codecs"]),
            offline=bool(given["offline"]) or stored.offline,
        )
    how = {key: value or None for key, value in given.pop("how").items()}
    given["include"] = given["include"] or None
    options = Request.of(corpora, **given, **how).options(stored)
    if options.readers and (on or pythons):
        other = "--on" if on else "--python"
        raise UsageError(f"--readers needs this machine and interpreter; remove {other}")
    carry_out(
        options,
        output,
        scale_to=scale_to,
        resume=resume is not None,
        named=given["codecs"],
        explaining=explaining,
        baseline=baseline,
        machines=machines,
        expecting=given["quick"],
    )


def carry_out(
    options: Options,
    output: Path,
    *,
    scale_to: int | None = None,
    resume: bool = False,
    named: Sequence[str] = (),
    explaining: bool = False,
    baseline: Path | None = None,
    machines: Sequence[Machine] = (),
    expecting: bool = False,
) -> None:
    """Check the options, measure, and print the result; on a terminal, show progress and the table so far.

    Args:
        options: Options of the run.
        output: Result file.
        scale_to: Number of records for which times are shown.
        resume: Continue the run in `output`.
        named: The codecs as typed.
        explaining: Print the timing contract and the planned run instead.
        baseline: File or folder with earlier results to compare with.
        machines: The machines that measure; this one if there are none.
        expecting: Say on stderr what published results lead one to expect, and whether it held.

    Raises:
        UsageError: An option is invalid.
        click.exceptions.Exit: The run was interrupted, a machine was lost, or no codec passed its checks.
    """
    from ..bench.run.machines.addresses import LOCAL
    from ..reports.decide.expectation import Expectations

    options.validate(named)
    for note in options.unused():
        click.echo(note, err=True)
    # Before the run, which may write to one of these files, and takes longer than to find no such folder.
    earlier = None if baseline is None or explaining else results_in([baseline])
    machines = machines or [LOCAL]
    if len(machines) > 1 and not explaining:
        _on_several(options, output, scale_to, resume=resume, machines=machines, earlier=earlier)
        return
    if explaining:
        from ..bench.run.explain import explain

        with live_display() as screen:
            text = explain(options, show_on(screen.progress)) + plan(machines, output)
            click.echo(text, nl=False)
            return
    expected = Expectations(lambda line: show_text(line, stderr=True), name=len(options.corpora) > 1)
    checked = expected.before if expecting else None
    session, result = measured_here(options, output, resume=resume, machine=machines[0], checked=checked)
    _print([result], scale_to)
    expected.after(result)
    noted(session)
    _finish([result], earlier, f"{output}{machines[0].option}", stopped=session.interrupted)


def measured_here(
    options: Options,
    output: Path,
    *,
    resume: bool = False,
    machine: Machine | None = None,
    checked: Callable[[ResultData, str], object] | None = None,
) -> tuple[Session, ResultData]:
    """Measure on one machine; on a terminal, show progress and the table so far.

    Args:
        options: Valid options.
        output: Result file.
        resume: Continue the run in `output`.
        machine: The machine that measures; None for this one.
        checked: As of `Session`.
    """
    from ..bench.run.machines.addresses import LOCAL
    from ..bench.run.session import Session

    if not resume and "--output" not in typed(click.get_current_context()):
        check_own(output)
    session: Session | None = None
    try:
        with live_display() as screen:
            session = Session(
                options,
                output,
                command=_command_line(),
                resume=resume,
                show=show_on(screen.progress),
                look=_look(screen),
                machine=machine or LOCAL,
                checked=checked,
            )
            return session, session.run()
    except KeyboardInterrupt:
        if session is not None and session.kept:
            noted(session)
            click.echo(_continuing(f"{output}{session.machine.option}"), err=True)
        else:
            click.echo("nothing was measured yet, so no result is written", err=True)
        raise


def noted(session: Session) -> None:
    """Print the notes of a run, and the file of its result, on stderr."""
    kept = "; ".join(filter(None, [f"results are in {session.output_file.path}", session.output_file.note]))
    for note in (*session.notes, kept):
        click.echo(note, err=True)


def _on_several(
    options: Options,
    output: Path,
    scale_to: int | None,
    *,
    resume: bool,
    machines: Sequence[Machine],
    earlier: Sequence[ResultData] | None,
) -> None:
    """Measure on several machines and print all results as one table."""
    several = measure(options, output, machines, command=_command_line(), resume=resume)
    results = [several.results[name] for name in several.files if name in several.results]
    _print(results, scale_to)
    for note in several.notes:
        click.echo(note, err=True)
    again = "".join(dict.fromkeys(machine.option for machine in machines))
    _finish(results, earlier, f"{output}{again}", stopped=several.interrupted, lost=bool(several.lost))


def _finish(
    results: Sequence[ResultData],
    earlier: Sequence[ResultData] | None,
    again: str,
    *,
    stopped: bool,
    lost: bool = False,
) -> None:
    """Compare a run with earlier results, and exit with another code than 0 if it has not succeeded.

    Args:
        results: Its results.
        earlier: Earlier results; None for no comparison.
        again: The value of ``--resume`` that continues it, and further options.
        stopped: It was interrupted.
        lost: A machine was lost.
    """
    from ..reports.model.view import View
    from ..reports.tables.sentence import got_through

    if stopped or lost:
        click.echo(f"{'stopped early; ' * stopped}{_continuing(again)}", err=True)
    if stopped:
        click.get_current_context().exit(_STOPPED)
    passed = got_through(View.of(results))
    code = _NOTHING if lost or not passed else 0
    why = "a machine was lost" if lost else "the run succeeded" if passed else "no codec passed its checks"
    for result in results if earlier is not None else ():
        print_comparison(earlier or (), result, f"exit code {code}: {why}")
    if code:
        click.get_current_context().exit(code)


def _continuing(again: str) -> str:
    return f"`bakeoff run --resume {again}` continues"


def _look(screen: LiveDisplay) -> Callable[[Callable[[], ResultData]], None]:
    """Return a function that shows the table so far, at intervals that keep the cost low."""
    before = -_EVERY

    def look(result: Callable[[], ResultData]) -> None:
        nonlocal before
        if not screen.shown or time.monotonic() < before + _EVERY:
            return
        from ..reports.tables.live import provisional

        screen.write(provisional(result(), width=screen.width, height=screen.height, color=screen.color))
        before = time.monotonic()

    return look


def _command_line() -> str:
    """Return the command line for the result file, without passwords of URLs."""
    import shlex

    line = shlex.join(["bakeoff", *map(without_passwords, sys.argv[1:])])
    return line.encode(errors="backslashreplace").decode()


def _print(results: Sequence[ResultData], scale_to: int | None) -> None:
    from ..reports import render

    options = layout(None) | ({"scale_to": scale_to} if scale_to is not None else {})
    show_text(render(results, "text", **options))
