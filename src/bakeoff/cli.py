"""The command line: finds the command's module, turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

import click

from . import __version__
from .commands._misplaced import NamedCommands, elsewhere
from .commands._named import spelled
from .console import escaped_output
from .errors import BakeoffError, hint, near, reason_of
from .memory import limit_of_addresses

GROUPS = {
    "Measure": {
        "run": "Benchmark codecs on your own files or built-in corpora.",
        "stores": "Measure what codecs cost inside databases and other stores.",
        "pipeline": "Measure what codecs cost between a producer and its consumers.",
        "releases": "Measure the last releases of a codec's library, and say which suits your records.",
        "upgrade": "Say what gets worse for your records with other versions of codec libraries.",
        "watch": "Run a program, and show what serialization costs it and what another codec would save.",
    },
    "Results": {
        "report": "Show results as text, Markdown, CSV, JSON, LaTeX, reST, HTML or a chart.",
        "compare": "Compare two results; fail on a real regression.",
        "history": "Show results over time, and the runs from which figures changed.",
        "pick": "Choose a codec for your use, and say why.",
        "verify": "Re-measure three figures of a result at random, and check that they hold.",
    },
    "Data": {
        "corpora": "List or describe record corpora.",
        "survey": "Read all records of a corpus in shards: exact sizes and losses, and a sample.",
        "generate": "Write generated or synthetic records to a file.",
        "convert": "Convert a file of records to another format.",
        "schema": "Infer, show or validate an advisory schema.",
        "evolve": "Show what a schema change breaks in each codec.",
    },
    "Codecs": {
        "codecs": "List codecs and which types they preserve.",
        "fidelity": "Show which Python types each codec preserves.",
        "attack": "Attack codecs with hostile payloads and objects.",
        "readers": "Build or list readers in other languages.",
    },
    "Diagnostics": {
        "selftest": "Check that this machine measures correctly.",
        "once": "Do a fixed amount of work, for `pyperf command`.",
    },
}
"""Commands by topic: name and one-line help; `commands/NAME.py` has the ``command``."""

COMMANDS = {name: summary for commands in GROUPS.values() for name, summary in commands.items()}

OTHER_WORDS = {"bench": "run", "check": "pick --check", "diff": "compare", "help": "--help", "list": "codecs"}
"""Commands by the words that other tools have for them."""


class _Commands(NamedCommands):
    """Group that knows the commands by name, so that ``--help`` imports none of them."""

    other_words = OTHER_WORDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f".commands.{cmd_name}", __package__).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for topic, commands in GROUPS.items():
            with formatter.section(topic):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in commands.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bakeoff")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
def bakeoff() -> None:
    """Which serialization codec should carry my records?

    Start with `bakeoff run mydata.jsonl`, or `bakeoff run` for the built-in corpora.

    Exit codes: 0 ok, 1 the run found a problem, 2 usage error, 130 stopped by Ctrl-C.
    """


def _reader_gone() -> bool:
    """Whether standard output is a pipe without a reader."""
    if not hasattr(select, "poll"):  # Windows, where writing raises an error
        return False
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _flush() -> None:
    # It is missing if the shell has closed it (``>&-``).
    if sys.stdout is not None:
        sys.stdout.flush()


def _let_go_of_output() -> None:
    """Drop output that cannot be written, or Python reports it again when it flushes at exit."""
    try:
        _flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    """Print an error. It may contain text from untrusted files, whose control characters are escaped."""
    click.echo(f"bakeoff: {text}", err=True)


def _in_our_words(error: click.ClickException) -> str:
    """Return what click says of a command line, written as our own errors are."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption):
        alike = _alike(error.option_name, context) if context else ()
        otherwise = elsewhere(error.option_name, _all_commands()) or _help_of(context)
        return f"no such option {error.option_name}; {hint(alike, otherwise)}"
    if isinstance(error, click.BadOptionUsage):
        what = "takes no value" if _is_flag(error.option_name, context) else "needs a value"
        return f"{error.option_name} {what}; {_help_of(context)}"
    if type(error) is click.BadParameter and error.param is not None:
        text = f"{spelled(error.param)} {error.message}".rstrip(".")
    else:
        text = " ".join(error.format_message().split()).rstrip(".")
        text = text[:1].lower() + text[1:]
    return f"{text}; {_help_of(context)}" if context else text


def _is_flag(name: str, context: click.Context | None) -> bool:
    context = context or click.Context(bakeoff)
    params = (each for each in context.command.get_params(context) if isinstance(each, click.Option))
    return any(each.is_flag for each in params if name in (*each.opts, *each.secondary_opts))


def _all_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command, with the group before the name of a part."""
    context = click.Context(bakeoff)
    for name in COMMANDS:
        if (command := bakeoff.get_command(context, name)) is None:
            continue
        if isinstance(command, click.Group):
            yield from ((f"{name} {part}", each) for part, each in command.commands.items())
        else:
            yield name, command


def _alike(typed: str, context: click.Context) -> Sequence[str]:
    """Return the options of a command that a wrong one was meant to be: abbreviated, or misspelled."""
    if not typed.startswith("--"):
        return ()
    params = context.command.get_params(context)
    names = [name for param in params for name in (*param.opts, *param.secondary_opts)]
    known = [name.removeprefix("--") for name in names if name.startswith("--")]
    word = typed.removeprefix("--")
    # Options are few and short: of those that are less similar, most mean something else.
    longer = [name for name in known if name.startswith(word)]
    return [f"--{name}" for name in dict.fromkeys((*longer, *near(word, known, least=0.8)))][:3]


def _help_of(context: click.Context | None) -> str:
    return f"see `{context.command_path if context else 'bakeoff'} --help`"


_OF_NAMES = (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES)
"""Errors of the system for a name that was typed."""


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit.

    Ctrl-C exits with 130 and a closed pipe (``| head``) with 0, both without a traceback.
    """
    with escaped_output():
        sys.exit(_exit_code(args))


def _exit_code(args: list[str] | None) -> int:
    """Run the command line, and print its error."""
    debug = "--debug" in (sys.argv[1:] if args is None else args)
    # As an exception, so that temporary files and workers are removed. `nohup` is respected.
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
    code: object
    try:
        code = bakeoff.main(args, prog_name="bakeoff", standalone_mode=False)
        _flush()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        _complain(_in_our_words(error))
        code = error.exit_code
    except BakeoffError as error:
        if debug:
            raise
        _complain(str(error))
        code = error.exit_code
    except ValueError as error:
        from .codecs.errors import CodecError

        if debug or not isinstance(error, CodecError):
            raise
        _complain(str(error))
        code = 1
    except (MemoryError, ImportError) as error:
        # A library that could not be mapped has its own error message.
        if debug or not (isinstance(error, MemoryError) or limit_of_addresses() is not None):
            raise
        click.echo(
            "bakeoff: out of memory; raise the limit (ulimit -v), or use fewer or smaller records", err=True
        )
        code = 1
    except BrokenPipeError:
        _let_go_of_output()
        code = 0
    except OSError as error:
        if debug:
            raise
        _let_go_of_output()
        _complain(reason_of(error))
        code = 2 if error.errno in _OF_NAMES else 1
    except SystemExit as error:
        # click and rich both exit with 1 when the reader of a pipe has closed it, which is not an error.
        code = 0 if isinstance(error.__context__, BrokenPipeError) or _reader_gone() else error.code
    except (KeyboardInterrupt, click.Abort):
        click.echo("bakeoff: interrupted", err=True)
        code = 130
    if code is None:
        code = 0
    return code if isinstance(code, int) else 1
