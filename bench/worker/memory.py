"""The worker's side of a memory operation: one codec, one operation, one fresh process."""

from __future__ import annotations

from ..desk import Desk
from ..jobs import Answer, Weigh, Weighed
from ..operations import operation
from .parts import codec_parts
from .records import Payloads, Sample

__all__ = ["run"]


def run(job: Weigh, desk: Desk) -> Answer:
    """Carry out one memory operation."""
    desk.beat(0)
    parts = codec_parts(job.codec, job.corpus, desk.blobs, job.dictionary)
    payloads = Payloads.of(desk.blobs[job.payloads]).payloads
    records = parts.taken(Sample.of(desk.blobs[job.corpus.sample]).records(range(len(payloads))))
    options = {**job.options, "operation": job.operation, "beat": lambda: desk.beat(0)}
    found = operation(job.operation).carry_out(parts.codec, records, payloads, options)
    return Weighed(found.value, found.facts, found.again)
