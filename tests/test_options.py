"""Options of several commands: quantities with units, and one spelling of every option."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest

import bakeoff as package
from bakeoff.bench.backends import stores, transports
from bakeoff.bench.backends.transports.kafka import PRODUCER
from bakeoff.bench.method import Budget
from bakeoff.bench.operations.pipeline import RATE
from bakeoff.bench.operations.stores import BATCH
from bakeoff.bench.run.options import Options
from bakeoff.cli import COMMANDS, _in_our_words, bakeoff
from bakeoff.commands._grouped import READING, GroupedCommand
from bakeoff.commands._named import Whole
from bakeoff.commands._options import AGE, Share, Size, Time
from bakeoff.datasets.base import DEFAULT_SEED
from bakeoff.datasets.corpora import DEFAULT_RECORDS
from bakeoff.errors import hint, near
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.options import TableOptions
from bakeoff.reports.model.prices import Prices
from bakeoff.reports.page import page
from inprocess import bakeoff as run_bakeoff
from test_house import ROOMS, ROOT


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Time(), "30", 30.0),
        (Time(), "1e2", 100.0),
        (Time(), "30s", 30.0),
        (Time(), "5min", 300.0),
        (Time(), "1.5 H", 5400.0),
        (Time(), "500ms", 0.5),
        (Time(), "0", 0.0),
        (AGE, "90", 90.0),
        (AGE, "12w", 84.0),
        (AGE, "1 year", 365.0),
        (Share("%", "0%"), "5%", 0.05),
        (Share("%", "0%"), "5", 0.05),
        (Share("%", "0%"), "0.5 %", 0.005),
        (Share("%", "0%"), "57", 0.57),
        (Share("", "51%", "100%"), "0.99", 0.99),
        (Share("", "51%", "100%"), "99%", 0.99),
        (Size(), "1000", 1000),
        (Size(), "512MiB", 512 << 20),
        (Size(), "500m", 500 << 20),
        (Size(), "2GB", 2 << 30),
        (Size(), ".5g", 1 << 29),
        (Size("mib"), "256", 256 << 20),
        (Size("mib"), "1G", 1 << 30),
        (Whole(), "10_000", 10_000),
        (Whole(), "10,000", 10_000),
        (Whole(least=0), "0", 0),
    ],
)
def test_quantities_have_units(kind: click.ParamType[float], text: str, value: float) -> None:
    assert value == kind.convert(text, None, None)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (Time(), "soon", "not a valid time; use 30s"),
        (Time(), "5m", "not a valid time"),
        (Time(), "inf", "not a valid time"),
        (Time(), "1e999", "not a valid time"),
        (Time(), "-1s", "not a valid time"),
        (Time("0.1s"), "99ms", "less than 0.1s"),
        (AGE, "1 month", "not a valid age; use 90d"),
        (AGE, "", "not a valid age"),
        (AGE, "1e9y", "more than 200y"),
        (Share("%", "0%"), "five", "not a valid share; use 5%"),
        (Share("%", "0%"), "nan", "not a valid share"),
        (Share("%", "0.0001%", "99%"), "0", "less than 0.0001%"),
        (Share("%", "0.0001%", "99%"), "100", "more than 99%"),
        (Share("", "51%", "100%"), "0.5", "less than 51%"),
        (Whole(), "0", "expected a whole number of at least 1"),
        (Whole(), "1,", "expected a whole number of at least 1"),
        (Whole(), "1,,000", "expected a whole number of at least 1"),
        (Whole(), "1,5", "expected a whole number of at least 1"),
        (Whole(), "many", "expected a whole number of at least 1"),
        (Whole(), "1e9999", "expected a whole number of at least 1"),
        (Whole(), str(2**64), "expected a whole number of at most 18446744073709551615"),
        (Size(), "lots", "not a valid size; use 500M"),
        (Size(), "0.5", "less than 1B"),
    ],
)
def test_what_is_no_quantity_is_refused(kind: click.ParamType[float], text: str, said: str) -> None:
    with pytest.raises(click.BadParameter, match=said) as caught:
        kind.convert(text, None, None)
    assert repr(text) in caught.value.message


def test_names_that_look_alike_are_told() -> None:
    assert "did you mean msgpack?" == hint(near("msgpak", ["msgpack", "json"]), "see the list")
    assert ("json", "JSON") == near("Json", ["json", "msgpack", "JSON"])
    assert "see the list" == hint(near("avro", ["msgpack", "json"]), "see the list")


def _commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(bakeoff)
    for name in COMMANDS:
        command = bakeoff.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{name} {part.name}", part) for part in command.commands.values())
        else:
            yield name, command


def _options() -> Iterator[tuple[str, click.Option]]:
    for name, command in _commands():
        yield from ((name, option) for option in command.params if isinstance(option, click.Option))


def _suggested(command: click.Command, name: str) -> list[str]:
    """Return the options that a command suggests for a wrong one."""
    error = click.NoSuchOption(name, ctx=click.Context(command, info_name="it"))
    return re.findall(r"--[\w-]+", _in_our_words(error).partition("did you mean")[2])


def _misspelled(name: str) -> Iterator[str]:
    """Yield a long option with a letter missing, doubled, wrong, or swapped."""
    for n in (2, len(name) - 2):
        before, letter, after = name[:n], name[n], name[n + 1 :]
        yield before + after
        yield before + letter * 2 + after
        if len(name) > len("--from"):
            yield before + "x" + after
            yield before + after[:1] + letter + after[1:]


def _long(command: click.Command) -> list[str]:
    params = command.get_params(click.Context(command))
    return [name for each in params for name in (*each.opts, *each.secondary_opts) if name.startswith("--")]


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_a_misspelled_option_is_suggested(name: str, command: click.Command) -> None:
    known = _long(command)
    wrong = [
        (typed, option)
        for option in known
        if len(option) > len("--at")
        for typed in _misspelled(option)
        if typed not in known and option not in _suggested(command, typed)
    ]

    assert [] == wrong


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_an_abbreviated_option_is_suggested(name: str, command: click.Command) -> None:
    known = _long(command)
    wrong = [
        (option[:n], suggested)
        for option in known
        for n in range(3, len(option))
        if option[:n] not in known
        and (suggested := _suggested(command, option[:n]))[:1]
        != [each for each in known if each.startswith(option[:n])][:1]
    ]

    assert [] == wrong


def test_an_option_of_another_command_is_not_taken_for_one_that_means_something_else() -> None:
    every = {name for _, command in _commands() for name in _long(command)}
    taken = {
        (name, suggested)
        for _, command in _commands()
        for name in every.difference(_long(command))
        for suggested in _suggested(command, name)
        if not suggested.startswith(name)
    }

    assert RELATED == taken


def _listed(command: str, option: str) -> set[str]:
    """Return the long names of the options that the help of a command lists."""
    done = run_bakeoff(Path.cwd(), *command.split(), option)
    assert 0 == done.returncode
    _, *topics = re.split(r"^[A-Z][\w ]*:\n", done.stdout, flags=re.MULTILINE)
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+)", "".join(topics), re.MULTILINE)
    return set(found) - {"--help", "--help-all"}


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_help_shows_the_commonest_options_and_says_where_the_others_are(
    name: str, command: click.Command
) -> None:
    brief, whole = _listed(name, "--help"), _listed(name, "--help-all")
    last = run_bakeoff(Path.cwd(), *name.split(), "--help").stdout.splitlines()[-1]

    assert 12 >= len(brief)
    assert set(READING).isdisjoint(brief)
    assert {option.opts[-1] for _, option in _options() if option in command.params} == whole
    assert brief <= whole
    left_out = len(whole) - len(brief)
    said = f"`bakeoff {name} --help-all` shows {left_out} more option{'s' * (left_out != 1)}."
    assert (said == last) is bool(left_out)


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_help_is_short_and_says_the_exit_codes(name: str, command: click.Command) -> None:
    """The commonest options have one sentence each, of about a line."""
    shown = _listed(name, "--help")
    helps = [
        each.help or "" for each in command.params if isinstance(each, click.Option) and {*each.opts} & shown
    ]
    sentences = [text.partition("[default")[0].strip() for text in helps]

    assert 1 == str(command.help).count("Exit codes: ")
    assert "exit code is" not in " ".join(str(command.help).split())
    assert [] == [text for text in sentences if len(text) > 100]


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_the_options_that_help_names_exist(name: str, command: click.Command) -> None:
    there = {spelling for param in command.params for spelling in param.opts}

    assert isinstance(command, GroupedCommand)
    assert set(command.common or ()) <= there
    listed = {each for names in command.topics.values() for each in names}
    assert listed - set(READING) <= there


MEANINGS = {
    "--all": "Ignore the time budget",
    "--anonymous": "Leave out what is private: ",
    "--budget": "Most time ",
    "--codec": "Codecs",
    "--corpus": "The corpus to ",
    "--fail-above": "Exit with 1 ",
    "--force": "Even if ",
    "--format": "Output format",
    "--offline": "Download nothing: ",
    "--only": "Run only these ",
    "--ops": "Comma-separated operations to ",
    "--output": "File to write",
    "--quick": "Less time, wider intervals: ",
    "--rate": "Rate of the records: ",
    "--readers": "Languages whose libraries ",
    "--records": "Number of records",
    "--sample": "Number of records to check ",
    "--schema": "Schema ",
    "--seed": "Seed ",
}
"""How the help of each option begins whose words differ between commands."""

RELATED = {
    ("--counts", "--count"),
    ("--formats", "--format"),
    ("--name", "--rename"),
    ("--no-records", "--records"),
    ("--readers", "--reads"),
    ("--reads", "--read"),
    ("--reads", "--readers"),
    ("--records", "--no-records"),
    ("--rename", "--name"),
    ("--sample-to", "--sample"),
    ("--sample-to", "--scale-to"),
    ("--scale-to", "--sample-to"),
    ("--schema-to", "--schema"),
}
"""Options of other commands, and what a command without them suggests: each is a plausible slip."""

FOREIGN = {"--include_imports", "--include_source_info", "--quiet", "--cap-add"}
"""Options of other programs that messages name."""

OTHER_FORMS = {
    "--corpus": "several for `compare` and `pick`; a source where records are measured, a name where not",
    "--format": "each command has formats of its own",
    "--only": "parts of the self-test can be listed; cases of an attack are too many",
    "--records": "a run keeps the size as it was typed, for its result",
}
"""Options that may take other values in other commands, and why."""


def test_each_name_means_one_thing_in_all_commands() -> None:
    found: dict[str, list[click.Option]] = {}
    for _, option in _options():
        found.setdefault(max(option.opts, key=len), []).append(option)
    shared = {name: options for name, options in found.items() if len(options) > 1}
    spellings = {name: {(*each.opts, *each.secondary_opts) for each in all_} for name, all_ in shared.items()}
    forms = {
        name: {(each.type.name, each.metavar, each.multiple, each.is_flag) for each in all_}
        for name, all_ in shared.items()
        if name not in OTHER_FORMS
    }
    helps = {name: {each.help or "" for each in all_} for name, all_ in shared.items()}

    assert {} == {name: each for name, each in spellings.items() if len(each) > 1}
    assert {} == {name: each for name, each in forms.items() if len(each) > 1}
    assert set(MEANINGS) == {name for name, each in helps.items() if len(each) > 1}
    assert {} == {
        name: text for name, begin in MEANINGS.items() for text in helps[name] if not text.startswith(begin)
    }


CALLS: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "run": (package.run, {"progress"}),
    "report": (TableOptions.of, set()),
    "report -f html": (page.render, set()),
    "pick": (package.Result.best, set()),
    "pick --lock": (package.fastest, {"results", "calibrate"}),
    "compare": (package.Result.compare, set()),
    "generate": (package.corpus, set()),
}
"""Calls from Python by the command that does the same, and arguments without an option.

The result that `fastest` takes is an argument of the command.
"""

PLURALS = {"codecs": "codec", "corpora": "corpus", "null_values": "null_value", "format": "from"}
"""Arguments that take a list, for which an option is repeated; and one whose option is a word of Python."""


@pytest.mark.parametrize(("line", "call"), CALLS.items())
def test_arguments_in_python_have_the_names_of_options(
    line: str, call: tuple[Callable[..., Any], set[str]]
) -> None:
    command = dict(_commands())[line.split()[0]]
    options = {
        name.removeprefix("--").replace("-", "_")
        for each in command.params
        if isinstance(each, click.Option)
        for name in (*each.opts, *each.secondary_opts)
        if name.startswith("--")
    }
    function, without = call
    named = {
        name
        for name, each in inspect.signature(function).parameters.items()
        if each.default is not each.empty
    }

    assert without == {name for name in named if not {name, PLURALS.get(name)} & options}


def test_no_help_names_a_type_of_the_parser() -> None:
    context = click.Context(bakeoff)
    valued = [option for _, option in _options() if not option.is_flag]
    shown = {max(option.opts, key=len): option.make_metavar(context) for option in valued}

    assert {} == {name: word for name, word in shown.items() if re.search("FLOAT|INTEGER|RANGE", word)}
    # Errors name the type, too: "not a valid float".
    numbers = click.types.IntParamType | click.types.FloatParamType
    assert [] == [max(option.opts, key=len) for option in valued if isinstance(option.type, numbers)]
    assert ["--null-value"] == [name for name, word in shown.items() if word == "TEXT"]


TAKEN: Mapping[str, Any] = {
    "--batch-put": BATCH,
    "--crossings": CostModel().crossings,
    "--gigabyte": Prices(1.0).gigabyte,
    "--kafka-acks": PRODUCER["acks"],
    "--kafka-compression": PRODUCER["compression.type"],
    "--kafka-linger": float(PRODUCER["linger.ms"]) / 1000,
    "--rate": RATE,
    "--reads": CostModel().reads,
    "--seed": DEFAULT_SEED,
    "--store": stores.DEFAULT,
    "--transport": transports.DEFAULT,
    "generate --records": DEFAULT_RECORDS,
    **{f"run --{each.name.replace('_', '-')}": each.default for each in fields(Options)},
    # Their help is made of the constant.
    **dict.fromkeys(("stores --budget", "pipeline --budget", "releases --budget", "upgrade --budget")),
    **dict.fromkeys(("stores --sample", "pipeline --sample")),
}
"""What the code takes if an option is missing; None if it cannot differ from the help."""


def _stated(option: click.Option) -> str:
    """Return the default that a help text states by hand, if it is a value of the option."""
    found = re.search(r"\[default: ([^;\]]+)", option.help or "")
    if not found:
        return ""
    choices = getattr(option.type, "choices", ())
    is_list = all(part in {*stores.MODULES, *transports.MODULES} for part in re.split(", ?", found[1]))
    return found[1] if found[1][0].isdigit() or found[1] in choices or is_list else ""


@pytest.mark.parametrize(
    ("name", "option"),
    [(f"{name} {max(each.opts, key=len)}", each) for name, each in _options() if _stated(each)],
)
def test_help_states_the_default_that_the_code_has(name: str, option: click.Option) -> None:
    """Most commands import the modules with these figures only when they run."""
    stated = _stated(option)
    short = name.rpartition(" ")[2]
    assert {name, short} & TAKEN.keys(), "let click show it: default=..., show_default=True"
    taken = TAKEN.get(name, TAKEN.get(short))

    if taken is None:
        return
    value = re.split(", ?", stated) if isinstance(taken, tuple) else option.type.convert(stated, None, None)
    assert (list(taken) if isinstance(taken, tuple) else taken) == value


def test_help_states_the_budget_of_a_quick_run() -> None:
    (budget,) = (each.help for name, each in _options() if name == "run" and each.name == "budget")

    assert f"[default: {Budget.SECONDS:g}s; {Budget.QUICK:g}s with --quick]" in str(budget)


@pytest.mark.parametrize("arguments", [["--help"], ["schema", "--help"]])
def test_a_list_of_commands_has_whole_sentences(arguments: list[str], tmp_path: Path) -> None:
    assert "..." not in run_bakeoff(tmp_path, *arguments).stdout.partition("Commands:")[2]


@pytest.mark.parametrize("letter", ["-n", "-c", "-o", "-f", "-I"])
def test_a_letter_is_short_for_one_option(letter: str) -> None:
    assert 1 == len({tuple(option.opts) for _, option in _options() if letter in option.opts})


def test_words_that_meant_several_things_are_gone() -> None:
    there: dict[str, set[str]] = {}
    for command, option in _options():
        for name in option.opts + option.secondary_opts:
            there.setdefault(name, set()).add(command.split()[0])

    assert {"run", "fidelity"} == there["--readers"]
    assert {"run"} == there["--baseline"]
    assert {"pick"} == there["--trusted"]
    assert "pick" not in there["--codec"]
    assert {"selftest", "once"}.isdisjoint(there["-n"])
    assert "--json" not in there


def _named_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the options that a module's texts name, each with its text; docstrings are not messages."""
    if "--" not in (source := path.read_text(encoding="utf-8")):
        return
    tree = ast.parse(source)
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in silent else None
        if isinstance(text, str) and " " in text:
            yield from ((name, text) for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", text))


@pytest.mark.checkout
def test_a_message_names_options_that_exist() -> None:
    """A command's own messages name its own options, or say whose they are."""
    there: dict[str, set[str]] = {}
    for name, option in _options():
        there.setdefault(name.split()[0], {"--help", "--help-all", "--debug"}).update(
            option.opts + option.secondary_opts
        )
    every = {name for names in there.values() for name in names}
    wrong = []
    for folder in (*ROOMS, "src/bakeoff"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parent.name == "page":  # its texts have variables of CSS
                continue
            own = there.get(path.stem, every) if path.parent.name == "commands" else every
            for name, text in _named_in(path):
                others = {o for word in re.findall(r"bakeoff (\w+)", text) for o in there.get(word, ())}
                if name not in own | others and name not in FOREIGN:
                    wrong.append(f"{path.relative_to(ROOT)}: {name}: {text}")

    assert not wrong, "\n".join(wrong)
