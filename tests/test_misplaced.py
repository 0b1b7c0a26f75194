"""Words of a command line in a wrong place, in every command: each is refused for what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from bakeoff.cli import _all_commands, _in_our_words
from bakeoff.commands._misplaced import check_values
from bakeoff.commands._named import spelled
from bakeoff.errors import UsageError
from command_lines import LINES, RESULT
from inprocess import bakeoff

COMMANDS: Final = dict(_all_commands())


def _options(*, flags: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the command, an option as it is spelled, and another option of the command."""
    for name, command in COMMANDS.items():
        params = [each for each in command.params if isinstance(each, click.Option)]
        long = {each.name: max(each.opts, key=len) for each in params}
        for each in params:
            if each.is_flag is flags:
                other = next((long[one.name] for one in params if one is not each), "--help")
                yield from ((name, option, other) for option in (*each.opts, *each.secondary_opts))


VALUES: Final = list(_options(flags=False))
FLAGS: Final = list(_options(flags=True))
ONE_VALUE: Final = {name: (name, option, other) for name, option, other in VALUES}.values()
ONE_FLAG: Final = {name: (name, option, other) for name, option, other in FLAGS}.values()
"""One of each command, as a call of a command takes long."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("misplaced")
    (made / "result.json").write_bytes(RESULT.read_bytes())
    (made / "rows.csv").write_text("a\n1\n2\n")
    (made / "orders.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    fields = '[{"name": "a", "type": "long"}]'
    (made / "schema.avsc").write_text(f'{{"type": "record", "name": "R", "fields": {fields}}}')
    (made / "old.txt").write_text("orjson==3.10.0\n")
    (made / "new.txt").write_text("orjson==3.11.0\n")
    return made


def _refused(folder: Path, *words: str) -> str:
    """Call a command, and return its error: one line, with exit code 2 and without a new file."""
    before = sorted(folder.iterdir())
    done = bakeoff(folder, *words)

    assert (2, "", before) == (done.returncode, done.stdout, sorted(folder.iterdir())), done.stderr
    notes, _, said = done.stderr.rpartition("bakeoff: ")
    assert "Traceback" not in notes
    return said.rstrip("\n")


def test_every_command_has_a_line_here() -> None:
    assert COMMANDS.keys() == LINES.keys()


def test_no_option_is_the_value_of_another() -> None:
    for name, option, other in VALUES:
        with pytest.raises(UsageError, match=f"^{option} needs a value; {other} after it is another option$"):
            check_values(COMMANDS[name], [*LINES[name].split()[1:], option, other])


@pytest.mark.parametrize(("name", "option", "other"), ONE_VALUE)
def test_an_option_is_not_the_value_of_another(folder: Path, name: str, option: str, other: str) -> None:
    """Click takes it as the value, so that `-o --quick` would write a file of this name."""
    assert f"{option} needs a value; {other} after it is another option" == _refused(
        folder, *LINES[name].split(), option, other
    )


@pytest.mark.parametrize(("name", "option", "_"), ONE_VALUE)
def test_an_option_without_its_value_is_refused(folder: Path, name: str, option: str, _: str) -> None:
    assert f"{option} needs a value; see `bakeoff {name} --help`" == _refused(
        folder, *LINES[name].split(), option
    )


def _parsed(name: str, *words: str, line: str | None = None) -> str:
    """Parse a line of a command with further words, and return its error; empty if there is none."""
    given = LINES[name].removeprefix(name) if line is None else line
    try:
        COMMANDS[name].make_context(name, [*given.split(), *words])
    except (click.ClickException, UsageError) as error:
        return _in_our_words(error) if isinstance(error, click.ClickException) else str(error)
    return ""


@pytest.mark.parametrize("value", ["", " ", "\t"])
def test_no_value_is_blank_but_a_cell_of_csv(value: str) -> None:
    """The most frequent reason is a variable of the shell that is not set."""
    said = {(name, option): _parsed(name, option, value) for name, option, _ in VALUES}
    accepted = {option for (_, option), text in said.items() if not text}

    assert {"--null-value"} == accepted
    assert {} == {
        where: text for where, text in said.items() if text and not {*_spellings(*where)} & {*text.split()}
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_no_argument_is_blank(name: str) -> None:
    arguments = [each for each in COMMANDS[name].params if isinstance(each, click.Argument)]
    if not arguments or name == "watch":
        pytest.skip("it has no argument, or takes a program, which may have blank ones")

    assert _parsed(name, "", line="").startswith(f"{spelled(arguments[0])} is blank; ")


def _spellings(name: str, option: str) -> list[str]:
    return next(each.opts for each in COMMANDS[name].params if option in (*each.opts, *each.secondary_opts))


def _lists() -> Iterator[tuple[str, str]]:
    """Yield the options whose help has a list, and those that select codecs."""
    for name, option, _ in VALUES:
        param = next(each for each in COMMANDS[name].params if option in each.opts)
        assert isinstance(param, click.Option)
        if re.search(r"comma-separated|[\w.]+(\*\d+)?,[\w.]", param.help or "", re.IGNORECASE) or (
            option == "--codec"
        ):
            yield name, option


@pytest.mark.parametrize("value", ["1,", ",1", "1,,2", "1, ,2"])
def test_a_list_has_a_name_on_both_sides_of_a_comma(value: str) -> None:
    said = {where: _parsed(*where, value) for where in _lists()}

    assert {"run", "stores", "pipeline", "report", "history", "pick", "fidelity"} <= {
        name for name, _ in said
    }
    assert {} == {where: text for where, text in said.items() if not {*_spellings(*where)} & {*text.split()}}


def test_names_in_a_list_are_separated_by_commas() -> None:
    # Numbers have types of their own.
    names = [where for where in _lists() if not where[1].endswith(("records", "sizes")) and where[1] != "-n"]
    said = {where: _parsed(*where, "dump load") for where in names}

    assert {} == {where: text for where, text in said.items() if "by commas: dump,load;" not in text}
    assert "" == _parsed("run", "--codec", "mine=my codecs/mine.py:codec")


def test_a_list_may_have_spaces_after_its_commas() -> None:
    assert {""} == {_parsed("run", "--ops", "dump, load"), _parsed("pick", "--needs", "int, bytes")}


@pytest.mark.parametrize(("name", "option", "_"), ONE_FLAG)
def test_a_flag_takes_no_value(folder: Path, name: str, option: str, _: str) -> None:
    assert f"{option} takes no value; see `bakeoff {name} --help`" == _refused(
        folder, *LINES[name].split(), f"{option}=lock.toml"
    )


@pytest.mark.parametrize(
    ("name", "option", "_"),
    [
        each
        for each in (*ONE_FLAG, *(each for each in FLAGS if each[0] in ("run", "pick", "report")))
        # A program to watch, or names that mean nothing with this flag.
        if each[0] not in ("watch", "attack", "readers", "selftest", "releases", "upgrade", "corpora")
        and each[1] not in ("--check", "--conventions", "--dark")
    ],
)
def test_a_word_after_a_flag_is_said_not_to_be_its_value(
    folder: Path, name: str, option: str, _: str
) -> None:
    said = _refused(folder, *LINES[name].split(), option, "lock.toml")

    assert said.startswith(f"{option} takes no value, and lock.toml after it is another argument")
    assert said.removesuffix("?").endswith(("argument", " lock.toml"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "pick result.json --write lock.toml",
            "--write takes no value, and lock.toml after it is another argument; "
            "did you mean --lock lock.toml?",
        ),
        ("pick --check my.lock", "--check only reads the lock file, and chooses nothing; remove my.lock"),
        (
            "report --open page.html",
            "--open takes no value, and page.html after it is another argument; "
            "did you mean --output page.html?",
        ),
        # A mistyped name after a flag is no value of the flag.
        ("run --quick orders.jsnl", "no corpus and no file named 'orders.jsnl'; did you mean orders.jsonl?"),
        ("pick --write resul.json", "resul.json: no such file; did you mean result.json?"),
    ],
)
def test_the_option_that_takes_it_is_named(folder: Path, line: str, said: str) -> None:
    assert said == _refused(folder, *line.split())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("report result.json --write", "no such option --write; `bakeoff pick` has it"),
        (
            "report result.json --fail-above 5%",
            "no such option --fail-above; `bakeoff compare` and `bakeoff history` have it",
        ),
        ("pick result.json --as-objects", "no such option --as-objects; `bakeoff schema show` has it"),
        ("report result.json --zzz", "no such option --zzz; see `bakeoff report --help`"),
        ("report result.json --output=x.md --chrt bars", "no such option --chrt; did you mean --chart?"),
    ],
)
def test_an_option_of_another_command_is_named(folder: Path, line: str, said: str) -> None:
    assert said == _refused(folder, *line.split())


@pytest.mark.parametrize("line", ["codecs --policies --limits", "codecs --conventions json"])
def test_tables_of_codecs_are_shown_one_at_a_time(folder: Path, line: str) -> None:
    assert re.search(r"choose one$|remove json$", _refused(folder, *line.split()))


def test_the_program_to_watch_has_options_of_its_own(folder: Path) -> None:
    done = bakeoff(folder, "watch", "-o", "w.json", "--", "true", "-o", "--no-records")

    assert "needs a value" not in done.stderr
