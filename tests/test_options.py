"""Options of several commands: quantities with units, and one spelling of every option."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from bakeoff.cli import COMMANDS, bakeoff
from bakeoff.commands._options import AGE, Share, Size, Time
from bakeoff.errors import hint, near


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
    assert "see the list" == hint(near("avro", ["msgpack", "json"]), "see the list")


def _options() -> Iterator[tuple[str, click.Option]]:
    context = click.Context(bakeoff)
    for name in COMMANDS:
        command = bakeoff.get_command(context, name)
        assert command is not None
        parts = command.commands.values() if isinstance(command, click.Group) else [command]
        for part in parts:
            for option in part.params:
                if isinstance(option, click.Option):
                    yield f"{name} {part.name}", option


def test_one_thing_has_one_spelling_in_all_commands() -> None:
    letters: dict[str, set[tuple[str, ...]]] = {}
    kinds: dict[str, set[str]] = {}
    for _, option in _options():
        long = next(spelling for spelling in reversed(option.opts))
        letters.setdefault(long, set()).add(tuple(option.opts))
        kinds.setdefault(long, set()).add(option.type.name)

    assert {} == {name: found for name, found in letters.items() if len(found) > 1 and name != "--codec"}
    assert {("-f", "--format")} == letters["--format"]
    assert {("--from",)} == letters["--from"]
    assert "--json" not in letters
    for name in ("--from", "--trusted", "--skip-invalid", "--reads", "--bandwidth", "--seed"):
        assert 1 == len(kinds[name]), name
