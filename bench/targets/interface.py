"""``python -m bakeoff.bench.targets.interface``: what the interface costs over the raw library call.

Raw call and codec are timed in one process, in short slices in random order; the figure is the median
over rounds of the paired difference. Start-up times are medians over alternating fresh processes.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from ... import codec
from ...datasets import corpus
from .._slice import time_calls

__all__ = ["main"]

ROUNDS = 1000
STARTS = 15


def _raw_calls() -> Iterator[tuple[str, Callable[[Any], Any], Callable[[bytes], Any]]]:
    """Yield the calls as a user would write them without bakeoff."""
    import msgspec
    import orjson

    yield "msgspec-msgpack", msgspec.msgpack.Encoder(enc_hook=str).encode, msgspec.msgpack.Decoder().decode
    yield "msgspec-json", msgspec.json.Encoder(enc_hook=str).encode, msgspec.json.Decoder().decode
    yield "orjson", orjson.dumps, orjson.loads


def _paired(raw: Callable[[Any], Any], ours: Callable[[Any], Any], items: list[Any]) -> tuple[float, float]:
    """Return the raw call's time and the median extra of ours, in nanoseconds per call."""
    calls = max(
        1,
        round(250_000 / max(1, min(time_calls(raw, items, 0, len(items))[0] for _ in range(3)) / len(items))),
    )
    times, extras = [], []
    for _ in range(ROUNDS):
        arms = [raw, ours]
        random.shuffle(arms)
        seen = {arm: time_calls(arm, items, 0, calls)[0] / calls for arm in arms}
        times.append(seen[raw])
        extras.append(seen[ours] - seen[raw])
    return statistics.median(times), statistics.median(extras)


def _start(*command: str) -> float:
    begin = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (perf_counter() - begin) * 1e3


def main() -> int:
    """Print every figure beside its target; return 1 when one is missed."""
    rows: list[tuple[str, float, str, float]] = []
    messages = corpus("messages", records=64).sample(64)
    totals = {}
    for name, encode, decode in _raw_calls():
        made = codec(name)
        payloads = [made.encode(record) for record in messages]
        tiny = made.encode(1)
        _, extra = _paired(encode, made.encode, [1])
        rows.append((f"{name}: encode(1) over the raw call", extra, "ns", 20))
        _, extra = _paired(decode, made.decode, [tiny])
        rows.append((f"{name}: decode(1) over the raw call", extra, "ns", 20))
        dump, dump_extra = _paired(encode, made.encode, messages)
        load, load_extra = _paired(decode, made.decode, payloads)
        totals[name] = (dump + load, 100 * dump_extra / dump, 100 * load_extra / load)
    fastest = min(totals, key=lambda name: totals[name][0])
    rows.append((f"{fastest} (the fastest): dump of messages", totals[fastest][1], "%", 2))
    rows.append((f"{fastest} (the fastest): load of messages", totals[fastest][2], "%", 2))

    python, script = sys.executable, str(Path(sys.executable).with_name("bakeoff"))
    starts = [
        (_start(python, "-c", "pass"), _start(python, "-c", "import bakeoff"), _start(script, "--help"))
        for _ in range(STARTS)
    ]
    bare, imported, helped = (statistics.median(column) for column in zip(*starts, strict=True))
    rows.append(("import bakeoff over python -c pass", imported - bare, "ms", 25))
    rows.append(("bakeoff --help", helped, "ms", 150))

    missed = False
    for what, value, unit, target in rows:
        missed |= value > target
        click.echo(
            f"{'MISSED' if value > target else 'ok':7}{what:50} {value:8.2f} {unit:3} (target {target:g})"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
