"""Cold starts: the time to import a codec, and of the first call in a fresh process."""

from __future__ import annotations

import os
import sys
from typing import Any

from ...codecs import is_raw, split_name
from .base import Context, Measured, Operation, Toolkit, UnfitError

_IMPORT = """
import sys, time
name, release, *path = sys.argv[1:]
sys.path[:0] = filter(None, [release])
sys.path += path
from bakeoff.codecs import codec, describe
describe(name)
before, begun = len(sys.modules), time.perf_counter()
codec(name, trusted=True)
print(time.perf_counter() - begun, len(sys.modules) - before)
"""
"""The code for a fresh interpreter: this worker has imported the library already. Other processes have warmed
the file cache."""


def _import(context: Context, tools: Toolkit) -> Measured:
    name, _, compression = split_name(context.parts.codec.name)
    if is_raw(name) or (compression or "").endswith(",dict"):
        raise UnfitError("cannot be created from its name")
    wanted = name if compression is None else f"{name}|{compression}"
    import subprocess

    done = subprocess.run(
        [sys.executable, "-P", "-c", _IMPORT, wanted, tools.release, *tools.path],
        capture_output=True,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if not key.startswith("COV")},
    )
    if done.returncode:
        raise UnfitError(f"a fresh interpreter cannot make it: {(done.stderr.splitlines() or ['?'])[-1]}")
    seconds, modules = done.stdout.split()
    return Measured(float(seconds), {"modules": int(modules)})


def _mean_record(context: Context) -> int:
    """Return the record whose size is nearest to the mean, for the only call."""
    weights = context.sample.weights[: len(context.payloads)]
    return min(range(len(weights)), key=lambda index: abs(weights[index] - 1))


def _first_dump(context: Context, tools: Toolkit) -> Measured:
    items = context.parts.taken(context.sample.records([_mean_record(context)]))
    return _first(context.parts.bare.encode, items, tools)


def _first_load(context: Context, tools: Toolkit) -> Measured:
    return _first(context.parts.bare.decode, [context.payloads[_mean_record(context)]], tools)


def _first(call: Any, items: list[Any], tools: Toolkit) -> Measured:
    (first,) = tools.each(call, items)
    return Measured(first * 1e-9)


OPERATIONS = (
    Operation(
        name="import",
        phase="alone",
        summary="time to import a codec's library and make the codec, files in the system's cache",
        carry_out=_import,
        heading="import",
    ),
    Operation(
        name="first-call-dump",
        phase="alone",
        summary="time of the first encode in a fresh process, of the record nearest to the mean in size",
        carry_out=_first_dump,
        heading="first dump",
    ),
    Operation(
        name="first-call-load",
        phase="alone",
        summary="time of the first decode in a fresh process, of the record nearest to the mean in size",
        carry_out=_first_load,
        heading="first load",
    ),
)
