"""Payloads of schema registries, exchanged with Confluent's: ``python3 tasks.py benchmarks registry``.

Random records of twenty schemas are written and read by us and by Confluent's serializers, whose registry is
one in memory. Keys of Protocol Buffers' maps have no order: payloads that contain them may differ in it.
"""

from __future__ import annotations

import click

from bakeoff.bench.equality.equal import first_difference
from registries import SCHEMAS, Peer, peer_of

from ._frame import Targets, benchmark


def differing(peer: Peer, count: int) -> list[str]:
    """Return a line for each difference from Confluent, over `count` records."""
    found = []
    for number, record in enumerate(peer.records(count)):
        ours, theirs = peer.codec.encode(record), peer.serialize(record)
        if sorted(ours) != sorted(theirs):
            found.append(f"record {number} is written as {ours!r}, by Confluent as {theirs!r}")
        for who, read in (("us", peer.codec.decode(theirs)), ("Confluent", peer.deserialize(ours))):
            if (difference := first_difference(record, read)) is not None:
                found.append(f"record {number} is changed when read by {who}: {difference}")
    return found


@benchmark
@click.option("--records", type=click.IntRange(1), default=500, show_default=True, help="Of each schema.")
def main(targets: Targets, records: int) -> None:
    """Measure how many records are exchanged exactly; exit 1 when one is not."""
    for text in SCHEMAS:
        found = differing(peer_of(text), records)
        what = text.rpartition("/")[2]
        targets.show(what, f"{len(found)} of {records:,} differ", "none", ok=not found)
        click.echo("".join(f"  {line}\n" for line in found[:3]), nl=False)
