"""The command line's frame: help, near names, pipes, signals, exit codes."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import inprocess
from bakeoff.cli import COMMANDS
from inprocess import exit_code

BAKEOFF = str(Path(sys.executable).with_name("bakeoff"))
RESULT = str(Path(__file__).parent / "data" / "results" / "version-1.json")


def bakeoff(*arguments: str) -> subprocess.CompletedProcess[str]:
    return inprocess.bakeoff(Path.cwd(), *arguments)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    done = bakeoff(command, "--help")

    assert 0 == done.returncode
    assert done.stdout.startswith(f"Usage: bakeoff {command}")


def test_help_lists_the_commands_in_order_of_use():
    done = bakeoff("--help")

    positions = [done.stdout.index(f"\n  {command} ") for command in COMMANDS]
    assert sorted(positions) == positions


def test_each_option_of_run_has_a_topic():
    _, _, others = bakeoff("run", "--help-all").stdout.partition("\nOptions:\n")

    assert ["-h, --help", "--help-all"] == [
        line.partition("  Show ")[0].strip() for line in others.splitlines()
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rum"], "did you mean run"),
        (["run", "mesages"], "messages"),
        (
            ["run", "https://example.org/a.jsonl"],
            "download it: `curl -LO https://example.org/a.jsonl`",
        ),
        (["run", "messages", "-c", "msgpak"], "did you mean msgpack"),
        (["codecs", "nothing-like-it"], "no such codec"),
        (["once", "load", "msgpack", "nothing.msgpack"], "nothing.msgpack"),
        (["once", "load", "json|nothing", "movies", "--calls", "1"], "bakeoff: nothing: no such compressor"),
        (["report", "nothing.json"], "nothing.json"),
    ],
)
def test_what_does_not_exist_is_a_usage_error(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = bakeoff(*arguments)

    assert 2 == done.returncode, done
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "no command 'nope'; see `bakeoff --help`"),
        (["diff", "a", "b"], "no command 'diff'; did you mean compare?"),
        (["help"], "no command 'help'; did you mean --help?"),
        (["check"], "no command 'check'; did you mean pick --check?"),
        (["run", "--nope"], "no such option --nope; see `bakeoff run --help`"),
        (["run", "--quik"], "no such option --quik; did you mean --quick?"),
        (["compare", "a"], "missing argument 'AFTER'; see `bakeoff compare --help`"),
        (["schema", "nope"], "no command 'nope'; see `bakeoff schema --help`"),
        (["schema", "shw"], "no command 'shw'; did you mean show?"),
    ],
)
def test_a_wrong_command_line_is_an_error_like_any_other(arguments, said, capsys):
    assert 2 == exit_code(*arguments)
    assert f"bakeoff: {said}\n" == capsys.readouterr().err


@pytest.mark.slow
def test_debug_shows_the_traceback():
    assert (
        "Traceback"
        in subprocess.run(
            [BAKEOFF, "--debug", "codecs", "nothing-like-it"], capture_output=True, text=True
        ).stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["codecs"], ["codecs", "-f", "json"], ["generate", "movies", "-n", "200000"], ["corpora"]]
)
def test_a_reader_that_leaves_is_no_error(command):
    with subprocess.Popen([BAKEOFF, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read()

    assert (0, b"") == (process.returncode, said)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["--help"], ["codecs"], ["codecs", "json"], ["corpora", "-f", "json"], ["report", RESULT]]
)
def test_a_reader_that_was_never_there_is_no_error(command):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([BAKEOFF, *command], stdout=write, stderr=subprocess.PIPE)
    os.close(write)

    assert (0, b"") == (done.returncode, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [["--help"], ["codecs"], ["codecs", "json"], ["fidelity", "-c", "json"], ["generate", "movies"]],
)
def test_a_full_disk_is_one_line(command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([BAKEOFF, *command], stdout=full, stderr=subprocess.PIPE, text=True)

    assert 1 == done.returncode
    assert re.fullmatch("bakeoff: .*No space left on device\n", done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["codecs", "fidelity -c json", "fidelity -c json -f csv -o {file}"])
def test_no_standard_output_is_no_error(command, tmp_path):
    file = tmp_path / "table.csv"
    line = f"{BAKEOFF} {command.format(file=file)} >&-"
    done = subprocess.run(line, shell=True, stderr=subprocess.PIPE, text=True)

    assert (0, "") == (done.returncode, done.stderr)
    assert ("-o" in command) is file.exists()


def test_an_exit_code_of_others_is_kept(monkeypatch):
    """Only a reader that left makes exit code 1 a 0: a user's own function may end the process, too."""

    def ends(*arguments, **options):
        sys.exit(1)

    monkeypatch.setattr("bakeoff.cli.bakeoff.main", ends)

    assert 1 == exit_code()


def test_once_does_fixed_work_and_prints_nothing():
    for operation in ("dump", "load", "nothing"):
        done = bakeoff("once", operation, "msgpack", "movies", "--calls", "2500")

        assert (0, "", "") == (done.returncode, done.stdout, done.stderr)


class Malicious:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.write_text, (self.path, "run")


@pytest.mark.parametrize("operation", ["dump", "load", "nothing"])
def test_once_reads_no_pickle_unless_told_to(tmp_path, operation):
    """It may run any code; all commands want --trust-files for it. Timing a pickle codec is another thing."""
    ran = tmp_path / "ran"
    (tmp_path / "rows.pickle").write_bytes(pickle.dumps([Malicious(ran)]))
    once = ("once", operation, "pickle", str(tmp_path / "rows.pickle"), "--calls", "1")
    refused = bakeoff(*once)

    assert (2, False) == (refused.returncode, ran.exists())
    assert "use --trust-files" in refused.stderr
    assert (0, True) == (bakeoff(*once, "--trust-files").returncode, ran.exists())
    assert 0 == bakeoff("once", operation, "pickle", "movies", "--calls", "1").returncode


def test_a_single_codec_is_shown_whole():
    shown = bakeoff("codecs", "bson").stdout

    assert "datetimes are cut to milliseconds" in shown
    assert "application/x.bakeoff.bson" in shown


def test_devices_are_never_replaced():
    """A run refuses a device as its file; other output goes to it as it is, and a full one is an error."""
    device = Path("/dev/full")
    refused = bakeoff("run", "movies", "--quick", "-c", "json", "-o", str(device))
    written = bakeoff("generate", "movies", "-n", "2000", "--format", "jsonl", "-o", str(device))

    assert (2, 1) == (refused.returncode, written.returncode)
    assert "is a device" in refused.stderr
    assert "/dev/full: not written: No space left" in written.stderr
    assert device.is_char_device()


def offered(*words: str) -> list[tuple[str, str]]:
    """Return the completions of the last word in bash: kind and word."""
    environment = {
        "_BAKEOFF_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["bakeoff", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run([BAKEOFF], env=os.environ | environment, capture_output=True, text=True)
    assert (0, "") == (done.returncode, done.stderr)
    return [tuple(line.split(",", 1)) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["pi"], [("plain", "pipeline"), ("plain", "pick")]),
        (["run", "--qui"], [("plain", "--quick")]),
        (["run", "-c", "orj"], [("plain", "orjson"), ("plain", "orjson/numpy")]),
        (["run", "-c", "json,!ubj,uj"], [("plain", "json,!ubj,ujson")]),
        (["run", "-c", "json,!uj"], [("plain", "json,!ujson")]),
        (["attack", "simplejson/"], [("plain", "simplejson/pure")]),
        (["run", "mov"], [("plain", "movies"), ("file", "mov")]),
        (["generate", "nu"], [("plain", "numbers"), ("file", "nu")]),
        (["run", "--ops", "dump,growth-l"], [("plain", "dump,growth-load")]),
        (["run", "--from", "js"], [("plain", "jsonl"), ("plain", "json")]),
        (["convert", "a.csv", "b"], [("file", "b")]),
        (["convert", "-f", "csv"], [("plain", "csv")]),
        (["pick", "--formats", "json,m"], [("plain", "json,msgpack"), ("plain", "json,marshal")]),
        (["pick", "--needs", "datetime_z"], [("plain", "datetime_zone")]),
        (["pick", "--choose", "ujs"], [("plain", "ujson")]),
        (["once", "load", "ormsgp"], [("plain", "ormsgpack"), ("plain", "ormsgpack/unguarded")]),
        (["schema", "validate", "x"], [("file", "x")]),
        (["report", "x"], [("file", "x")]),
    ],
)
def test_the_shell_is_offered_names(words, expected):
    assert expected == offered(*words)


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell):
    environment = os.environ | {"_BAKEOFF_COMPLETE": f"{shell}_source"}
    done = subprocess.run([BAKEOFF], env=environment, capture_output=True, text=True)

    assert 0 == done.returncode
    assert f"{shell}_complete" in done.stdout
