"""What a sampler costs: ``python3 tasks.py benchmarks sampler``.

Calls of a codec with a sampler that keeps none of them take turns with the same calls of the codec itself, as
in `benchmarks.interface`; printed is what a call takes more, in nanoseconds, of records of some 134 bytes.
Beside it what a call costs that is kept, with all that is written to a file of MessagePack under zstd.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from bakeoff.codecs import codec
from bakeoff.datasets import corpus

from ._frame import Targets, benchmark
from .interface import Cell, paired, spent

TARGET = 50
"""Nanoseconds of a call that is not kept."""
CODECS = ("msgspec-msgpack", "orjson", "msgpack", "json", "bson", "pickle")
NEVER = 1 << 40
ROUNDS = 300
KEPT = 20_000


@benchmark
def main(targets: Targets) -> None:
    """Print the cost of a sampler next to its target; exit with 1 if it is missed."""
    records = corpus("movies", records=64).sample(64)
    click.echo(f"{'':18}{'dump ns':>9}{'load ns':>9}{'kept µs':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in CODECS:
            plain = codec(name, trusted=True)
            payloads = [plain.encode(record) for record in records]
            sampled = plain.tap(Path(folder, "none.msgpack.zst"), every=NEVER)
            cells = [
                Cell(name, "movies", "dump", sampled.encode, plain.encode, records),
                Cell(name, "movies", "load", sampled.decode, plain.decode, payloads),
            ]
            dump, load = ((figure.ratio - 1) * figure.seconds * 1e9 for figure in paired(cells, ROUNDS))
            kept = plain.tap(Path(folder, f"{name}.msgpack.zst"), every=1)
            more = spent(kept.encode, records, 0, KEPT) - spent(plain.encode, records, 0, KEPT)
            verdict = targets.verdict(max(dump, load) <= TARGET, TARGET)
            click.echo(f"{name:18}{dump:9.1f}{load:9.1f}{more / KEPT / 1e3:9.2f}  {verdict}")
