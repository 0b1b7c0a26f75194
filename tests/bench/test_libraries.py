"""What a library is, is known once: codecs' own account of its usual calls agrees with the registry."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from bakeoff.bench.libraries import FORMATS, FUNCTIONS, OWNERS, Function
from bakeoff.bench.watch.start import environment
from bakeoff.codecs import available, describe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="watch needs POSIX")

RAW = [name for name in available() if describe(name).format in FORMATS and not describe(name).needs_schema]
"""The codecs of watched formats that name their library's own calls."""
UNWATCHED = {
    "msgpack/pure": "its functions are msgpack's, where that is installed without its compiled part",
    "ruamel.yaml": "the library is not watched",
    "ryaml": "the library is not watched",
    "ssrjson": "the library is not watched",
}
"""Codecs whose calls `bakeoff watch` does not see, and why."""

PROGRAM = """
import os, sys
from pathlib import Path
from bakeoff.bench.watch.parts import read
from bakeoff.codecs.registry import spec_of

def seen():
    found = {}
    for site in read(Path(os.environ["BAKEOFF_WATCH"])).facts.sites:
        calls, options = found.get(site.function, (0.0, []))
        found[site.function] = calls + site.calls, [*options, *site.options]
    return found

before = seen()
for name in sys.argv[1:]:
    for calls in spec_of(name).calls.raw.all_ways().values():
        calls.decode(calls.encode({"a": 1}))
    after = seen()
    new = {
        function: options
        for function, (calls, options) in after.items()
        if round(calls - before.get(function, (0, []))[0]) and function != "marshal.load"
    }
    print([name, new])
    before = after
"""
"""Makes the library's own calls of each codec, in all ways, and prints what a watch has seen of them."""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Mapping[str, list[str]]]:
    """The functions that the library's own calls of each codec use, with options that were given."""
    folder = tmp_path_factory.mktemp("raw")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *RAW],
        env=os.environ | environment(folder, records=False),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(ast.literal_eval(line) for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("name", RAW)
def test_a_librarys_own_calls_are_watched(name: str, seen: Mapping[str, Mapping[str, list[str]]]) -> None:
    form = describe(name).format
    directions = {FUNCTIONS[each].encodes for each in seen[name] if OWNERS[each].format == form}

    assert directions == (set() if name in UNWATCHED else {True, False}), seen[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", RAW)
def test_options_of_a_librarys_own_calls_have_names(
    name: str, seen: Mapping[str, Mapping[str, list[str]]]
) -> None:
    """An option that is given by position is reported by number, unless the registry has its name."""
    options = {option for given in seen[name].values() for option in given}

    assert {option for option in options if option.isdigit()} == set()


def resolved(function: Function) -> Any:
    module, path = function.located
    found: Any = pytest.importorskip(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(
    "function", [each for each in FUNCTIONS.values() if each.positions], ids=lambda f: f.name
)
def test_positions_of_arguments_are_those_of_the_library(function: Function) -> None:
    """Those that the library's signature shows."""
    try:
        found = list(inspect.signature(resolved(function)).parameters.values())[1:]
    except ValueError:
        pytest.skip("the compiled function shows no signature")
    names = [each.name for each in found if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]

    assert list(function.positions) == names[: len(function.positions)]
