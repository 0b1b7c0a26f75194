"""No compiled class or function ends the process: not unmade by `__init__`, and not given odd arguments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bakeoff

PACKAGE = Path(bakeoff.__file__).parent
MODULES = sorted(
    "bakeoff." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    for folder in ("codecs", "schemas", "datasets", "bench", "reports")
    for path in (PACKAGE / folder).rglob("*.pyx")
)

ATTACK = '''
import contextlib, importlib, io, sys

module = importlib.import_module(sys.argv[1])
own = [
    value for value in vars(module).values()
    if callable(value) and getattr(value, "__module__", "") == module.__name__
]
classes = sorted((value for value in own if isinstance(value, type)), key=lambda kind: kind.__name__)
# The self-test's `crash` ends it on purpose.
functions = [value for value in own if not isinstance(value, type) and value.__name__ != "crash"]
ODD = [
    (), (None,), (0,), (-1,), (2**70,), (1.5,), (b"",), (b"\\xff" * 40,), ("",), ("a",), ([],), ({},), ((),),
    ([{}],), (object(),), (int,), (b"abc", 0, 9), (None, None), ("a", "b"), (b"", -5), ([], []), (0, 2**62),
    (1, 2, 3), (None, None, None), ("a", "b", None, [], {}), (None,) * 4, (0,) * 5,
]


def unmade():
    """Yield instances in every state that Python can reach."""
    for kind in classes:
        for arguments in ODD:
            for make in (kind, lambda *given: kind.__new__(kind, *given)):
                try:
                    yield kind, arguments, make(*arguments)
                except Exception:
                    pass


def attack(made):
    for name in dir(type(made)):
        if name in ("__class__", "__new__", "__subclasshook__", "__init_subclass__", "__dir__", "__del__"):
            continue
        try:
            found = getattr(made, name)
        except Exception:
            continue
        if callable(found):
            call(found)


def call(found):
    for arguments in ODD:
        try:
            result = found(*arguments)
            if hasattr(result, "__next__"):
                next(result)
        except Exception:
            pass


# What ends the process is told by the last line.
for kind, arguments, made in unmade():
    print(f"{kind.__name__}{arguments!r:.200}", file=sys.stderr, flush=True)
    with contextlib.redirect_stdout(io.StringIO()):
        attack(made)
for function in functions:
    print(function.__name__, file=sys.stderr, flush=True)
    with contextlib.redirect_stdout(io.StringIO()):
        call(function)
'''


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_nothing_compiled_ends_the_process(module):
    done = subprocess.run([sys.executable, "-c", ATTACK, module], capture_output=True, text=True)

    assert done.returncode == 0, f"{done.returncode} in {done.stderr[-600:]}"


def test_the_compiled_modules_are_found():
    assert {
        "bakeoff.codecs.core._codec",
        "bakeoff.codecs.safety._scan",
        "bakeoff.schemas.wire.bindings._conversion",
    } < set(MODULES)
