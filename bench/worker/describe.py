"""The facts of a codec, collected in a separate process, which a third-party codec may crash."""

from __future__ import annotations

from dataclasses import asdict

from ...codecs import CodecError, codec, facts
from ...codecs.core.policy_resolution import described
from ..jobs import Answer, Failed
from ..messages.describe import Describe, Described
from .context import WorkerContext


def run(job: Describe, context: WorkerContext) -> Answer:
    """Make the codec and return its facts."""
    try:
        made = codec(job.codec)
    except CodecError as error:
        return Failed(error.reason)
    stated = {"limits": asdict(made.limits), "policies": described(made.spec), "peeks": made.peeks}
    return Described(facts(made) | stated)
