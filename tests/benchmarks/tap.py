"""What a tap costs: ``python3 tasks.py benchmarks tap``.

Calls of a codec with a tap that keeps none of them take turns, in short slices on the clock of the thread's
processor time, with the same calls of the codec itself; what stands there is the median of the differences,
in nanoseconds a call, of records of some 134 bytes. Beside them what a call costs that is kept, with all that
is written to a file of MessagePack under zstd.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import thread_time_ns
from typing import Any

import click

from bakeoff.bench.worker._slice import time_calls
from bakeoff.codecs import codec
from bakeoff.datasets import corpus

__all__ = ["main"]

TARGET = 50
"""Nanoseconds of a call that is not kept."""
CODECS = ("msgspec-msgpack", "orjson", "msgpack", "json", "bson", "pickle")
NEVER = 1 << 40
ROUNDS = 300
CALLS = 2_000
KEPT = 20_000


def _spent(call: Callable[[Any], object], items: list[Any], calls: int) -> float:
    begin = thread_time_ns()
    time_calls(call, items, 0, calls)
    return (thread_time_ns() - begin) / calls


def more(tapped: Callable[[Any], object], plain: Callable[[Any], object], items: list[Any]) -> float:
    """Return the nanoseconds that a call of the one takes more than one of the other."""
    found = []
    for number in range(ROUNDS):
        turns = (tapped, plain) if number % 2 else (plain, tapped)
        spent = {call: _spent(call, items, CALLS) for call in turns}
        found.append(spent[tapped] - spent[plain])
    return statistics.median(found)


@click.command()
def main() -> None:
    """Print what a tap costs beside its target; exit 1 when it is missed."""
    records = corpus("movies", records=64).sample(64)
    met = True
    click.echo(f"{'':18}{'dump ns':>9}{'load ns':>9}{'kept µs':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in CODECS:
            plain = codec(name, trusted=True)
            payloads = [plain.encode(record) for record in records]
            tapped = plain.tap(Path(folder, "none.msgpack.zst"), every=NEVER)
            costs = (more(tapped.encode, plain.encode, records), more(tapped.decode, plain.decode, payloads))
            kept = plain.tap(Path(folder, f"{name}.msgpack.zst"), every=1)
            all_kept = (_spent(kept.encode, records, KEPT) - _spent(plain.encode, records, KEPT)) / 1e3
            met &= max(costs) <= TARGET
            click.echo(
                f"{name:18}{costs[0]:9.1f}{costs[1]:9.1f}{all_kept:9.2f}  "
                f"{'ok' if max(costs) <= TARGET else 'MISSED'} (target {TARGET})"
            )
    sys.exit(not met)


if __name__ == "__main__":
    main()
