"""Draw the sample: in a process of its own, so that the parent stays small whatever the corpus."""

from __future__ import annotations

import gc
import math
import pickle
import sys
from collections.abc import Iterator
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from ...codecs import CodecError
from ...errors import RunError, UsageError
from ...imports import imported
from ..desk import Desk
from ..jobs import Answer, Corpus, Prepare, Prepared
from ..results import Fact
from .records import Sample, make_sample

if TYPE_CHECKING:
    from ...datasets import Corpus as Source

__all__ = ["run"]

_FEWEST = 4
"""Records of a sample, however large they are."""


def run(job: Prepare, desk: Desk) -> Answer:
    """Draw a sample, and a schema where one is known or asked for.

    Raises:
        RunError: There is no record, or one that cannot be handed to another process.
    """
    gc.disable()  # records are no garbage, and all of them would be looked through again and again
    try:
        return _prepared(job, desk)
    except RecursionError as error:
        raise RunError(
            f"{job.source}: a record is nested too deep to be handed from process to process "
            "(some 480 levels can be)"
        ) from error


def _prepared(job: Prepare, desk: Desk) -> Prepared:
    import random

    from ...datasets import corpus as find
    from ...datasets.scale import length, scaled, sized

    corpus = find(
        job.source,
        job.records,
        job.seed,
        job.skip_bad,
        job.trusted,
        format=job.format,
        at=job.at,
        encoding=job.encoding,
        null=job.null,
    )
    batch, training = job.batch, job.training
    corpus.cut(job.seconds, job.after)
    parts = 2 if training else 1
    records = corpus.sample(
        job.sample * batch * parts,
        lambda done, total: desk.beat(int(100 * done / total) if total else 0),
        room=job.bytes * parts,
        least=_FEWEST * batch * parts,
    )
    if not records:
        raise RunError(f"{job.source}: there is no record in it")
    schema = _schema(corpus, records, job)
    if job.infer or job.schema:
        # What the program that has these records holds in memory: datetimes, not their text.
        records = [schema.apply(record) for record in records]
    if batch > 1:
        records = list(_groups(records, batch))
        schema = None if schema is None else schema.listed()
    if job.size is not None:
        records = scaled(records, job.size, job.sample * parts, job.bytes * parts)
    random.Random(job.seed).shuffle(records)
    kept = ""
    if training:
        half = len(records) // 2
        kept = desk.blobs.put(pickle.dumps(records[half:]))
        records = records[: max(1, half)]
    try:
        sample = make_sample(records)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RunError(
            f"{job.source}: a record cannot be handed to another process: {error}; use plain types, or "
            "classes at the top level of a module"
        ) from error
    typed = job.size is None and schema is not None
    found = Corpus(
        desk.blobs.put(sample.stored()), desk.blobs.put(pickle.dumps(schema)) if typed else "", kept
    )
    profile = corpus.profile()
    read: dict[str, Fact] = {"read_share": corpus.share} if corpus.share < 1 else {}
    name, description = corpus.name, corpus.description
    if batch > 1:
        name, description = f"{name}-x{batch}", f"Lists of {batch} records at a time. {description}"
    if job.size is not None:
        read |= {"scaled_from": name, "scaled_to": fmean(length(record) for record in records)}
        name = f"{name}-{sized(job.size)}"
        description = f"Brought to {sized(job.size)} each, as JSON, by cutting or in lists. {description}"
    if batch > 1 or job.size is not None:
        profile.pop("size_mean", None)  # that of single records
    return Prepared(
        {
            "name": name,
            "source": corpus.source,
            "sha256": corpus.sha256,
            "records": -(-corpus.count() // batch),
            "sample": len(records),
            "description": description,
            "seed": corpus.seed,
            "skipped": corpus.skipped,
            "profile": profile | read | _spread(sample, -(-corpus.count() // batch)),
        },
        found,
        tuple((str(where), str(why)) for where, why in corpus.bad[:3]),
        corpus.remark,
        tuple(entry for entry in sys.path if entry),
        imported(),
        tuple(name for name in job.twins if typed and _is_idle(schema, name)),
    )


def _is_idle(schema: Any, name: str) -> bool:
    """Whether a schema has nothing to fix for a codec; one that cannot be built is for its check to judge."""
    try:
        return schema.fixer(name) is None
    except (CodecError, UsageError):
        return False


def _spread(sample: Sample, count: int) -> dict[str, float]:
    """Return how large the sample's records are as pickles, and what that says of all: the standard error.

    Cochran, "Sampling Techniques" (3rd edition, 1977), 2.15.
    """
    sizes = [len(one) for one in sample.pickles]
    mean, number = fmean(sizes), len(sizes)
    error = stdev(sizes) / mean / math.sqrt(number) if number > 1 else 0.0
    return {"sample_size": mean, "sample_error": error * math.sqrt(max(0.0, 1 - number / max(number, count)))}


def _groups(records: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(records), size):
        yield records[start : start + size]


def _schema(corpus: Source, records: list[Any], job: Prepare) -> Any:
    from ...schemas import Schema

    if job.schema:
        from ...datasets.schema import schema

        return schema(job.schema)
    if job.infer:
        return Schema.infer(records)
    return None if corpus.schema is None else Schema(corpus.schema, as_objects=True)
