"""The worker's side of an operation with separate processes: one codec, one operation."""

from __future__ import annotations

from dataclasses import replace

from ..backends.transports.base import MissingTransport, TransportError
from ..jobs import Answer, Failed
from ..messages.alone import Alone, AloneAnswer
from ..method import Slices
from ..operations import operation
from ..operations.base import Toolkit, UnfitError
from ._slice import nothing, time_each
from .context import WorkerContext
from .parts import codec_parts
from .records import CheckedPayloads, PickledSample
from .work import context_of as prepared


def run(job: Alone, context: WorkerContext) -> Answer:
    """Run one operation."""
    context.beat(0)
    declared = operation(job.operation)
    parts = codec_parts(job.codec, job.corpus, context.blobs, job.dictionary, limits=job.limits)
    payloads = CheckedPayloads.of(context.blobs[job.payloads]).payloads
    sample = PickledSample.of(context.blobs[job.corpus.sample])
    if declared.phase == "memory":
        records = parts.taken(sample.records(range(len(payloads))))
        options = {**job.options, "operation": job.operation, "beat": lambda: context.beat(0)}
        found = declared.carry_out(parts.codec, records, payloads, options)
    else:
        given = replace(prepared(declared, parts, sample, payloads, job.backends), client=job.client)
        # Times that differ from process to process would leave another heap behind.
        readings = 1 if declared.exact else Slices.CLOCK_READINGS
        tools = Toolkit(
            lambda: context.beat(0),
            time_each,
            sorted(time_each(nothing, [None] * readings)),
            job.path,
            job.release,
        )
        try:
            found = declared.carry_out(given, tools)
        except UnfitError as error:
            return Failed(str(error), "unsupported")
        except MissingTransport as error:
            return Failed(str(error), "missing")
        except TransportError as error:
            return Failed(str(error))
    return AloneAnswer(found.value, found.details(), found.again, found.together)
