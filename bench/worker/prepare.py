"""Sampling, in a separate process so that the parent stays small for any corpus."""

from __future__ import annotations

import base64
import gc
import math
import pickle
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from ...codecs import CodecError, codec, describe, split_name
from ...codecs.conventions.classes import CLASS_FAMILIES, RecordClass, record_class
from ...codecs.naming import bare_name, split_release
from ...datasets.readers.formats import codec_of
from ...errors import RunError, UsageError
from ...imports import imported, search_path
from ..jobs import Answer, CorpusInputs
from ..messages.prepare import Prepare, Prepared
from ..method import Checks
from ..results import Fact
from .context import WorkerContext
from .limits import depth_needed
from .records import PickledSample, array_kinds, make_sample

if TYPE_CHECKING:
    from ...datasets import Corpus as Source


def run(job: Prepare, context: WorkerContext) -> Answer:
    """Draw a sample, and find a schema if one is known or requested.

    Raises:
        RunError: There are no records, or one cannot be passed to another process.
    """
    gc.disable()  # records are not garbage, and the collector would traverse all of them repeatedly
    try:
        return _prepared(job, context)
    except RecursionError as error:
        raise RunError(
            f"{job.source}: a record is nested too deeply to be passed between processes (the limit is "
            "some 480 levels)"
        ) from error


def _prepared(job: Prepare, context: WorkerContext) -> Prepared:
    corpus = _found(job)
    corpus.cut(job.seconds, job.after)
    records = _drawn(corpus, job, context)
    known = _class(records)
    schema = _schema(corpus, records, job, known)
    remarks = list(_remarks(corpus, records, schema, job))
    if known is not None and schema is None:
        remarks.append(f"{corpus.name}: {_no_schema(known)}")
    converted = known is None and bool(job.infer or job.schema)
    if converted:
        # The types that a program has in memory: datetimes, not their text.
        records = [schema.apply(record) for record in records]
    records, schema = _shaped(records, schema, job)
    records, training = _divided(records) if _parts(job) > 1 else (records, [])
    sample, kinds = _sample(job, records), array_kinds(records)
    typed = job.size is None and schema is not None
    seen = corpus.profile()
    # The innermost level may be an empty container, and a batch adds one level.
    levels = int(seen["depth_max"]) + 1 + (job.batch > 1)
    inputs = CorpusInputs(
        context.blobs.put(sample.stored()),
        context.blobs.put(pickle.dumps(schema)) if typed else "",
        context.blobs.put(pickle.dumps(training)) if training else "",
        depth_needed(levels),
    )
    profile: dict[str, Fact] = {**seen}
    if known is not None and getattr(schema, "as_objects", False):
        profile |= {"class": known.cls.__qualname__, "class_kind": CLASS_FAMILIES[known.family]}
    if converted:
        # It is that of the text, which the sample no longer has.
        profile.pop("size_mean", None)
    if corpus.share < 1:
        profile["read_share"] = corpus.share
    idle = [name for name in job.codecs if job.twins and typed and _is_idle(schema, name, known)]
    joined = (name for name in job.joining if _is_for(name, kinds, known if typed else None))
    return Prepared(
        _facts(corpus, records, job, profile, sample),
        inputs,
        tuple((str(where), str(why)) for where, why in corpus.bad[:3]),
        "\n".join(filter(None, (corpus.remark, *remarks))),
        search_path(),
        imported(),
        tuple(dict.fromkeys((*(name for name in job.codecs if name not in idle), *joined))),
        tuple(map(bare_name, idle)),
        kinds,
    )


def _parts(job: Prepare) -> int:
    """Return how many parts the records have: dictionaries of codecs are trained on half of them."""
    return 2 if any(name.endswith(",dict") for name in job.codecs) else 1


def _drawn(corpus: Source, job: Prepare, context: WorkerContext) -> list[Any]:
    """Return the records that the sample is made of.

    Raises:
        UsageError: There are none.
    """
    parts = _parts(job)
    records = corpus.sample(
        job.sample * job.batch * parts,
        lambda done, total: context.beat(int(100 * done / total) if total else 0),
        room=job.bytes * parts,
        least=Checks.FEWEST * job.batch * parts,
    )
    if not records:
        raise UsageError(f"{job.source}: contains no records; name another source")
    return records


def _shaped(records: list[Any], schema: Any, job: Prepare) -> tuple[list[Any], Any]:
    """Return records in batches, of the requested size, and in random order; and their schema."""
    import random

    from ...datasets.scale import scaled

    if job.batch > 1:
        records = list(_groups(records, job.batch))
        schema = None if schema is None else schema.listed()
    if job.size is not None:
        parts = _parts(job)
        records = scaled(records, job.size, job.sample * parts, job.bytes * parts)
    random.Random(job.seed).shuffle(records)
    return records, schema


def _divided(records: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the records to measure, at least one, and those to train dictionaries on."""
    half = len(records) // 2
    return records[: max(1, half)], records[half:]


def _sample(job: Prepare, records: list[Any]) -> PickledSample:
    """Make the sample.

    Raises:
        RunError: A record cannot be passed to another process.
    """
    try:
        return make_sample(records)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RunError(
            f"{job.source}: a record cannot be passed to another process: {error}; use plain types, or "
            "classes at the top level of a module"
        ) from error


def _facts(
    corpus: Source, records: list[Any], job: Prepare, profile: dict[str, Fact], sample: PickledSample
) -> dict[str, Any]:
    """Return the facts about a corpus."""
    name, description = _called(corpus, records, job, profile)
    count = -(-corpus.count() // job.batch)
    if job.batch > 1 and isinstance(mean := profile.get("bytes_mean"), float):
        # Lists as compact JSON, with commas and brackets.
        profile["batch_bytes_mean"] = corpus.count() / count * (mean + 1) + 1
    return {
        "name": name,
        "source": corpus.source,
        "sha256": corpus.sha256,
        "records": count,
        "sample": len(records),
        "description": description,
        "seed": corpus.seed,
        "skipped": corpus.skipped,
        "profile": profile | _spread(sample, count),
    }


def _found(job: Prepare) -> Source:
    """Return the corpus: the object that a program passed, or the one that a name refers to."""
    from ...datasets import corpus as find

    if job.source_object:
        given: Source = pickle.loads(base64.b64decode(job.source_object))
        return given
    return find(job.source, job.records, job.seed, **job.how)


def _called(corpus: Source, records: list[Any], job: Prepare, profile: dict[str, Fact]) -> tuple[str, str]:
    """Return the name and description of a corpus whose records were combined, cut or neither.

    The profile of scaled records gets their source, and of combined or scaled ones loses the mean size.
    """
    from ...datasets.scale import length, sized

    name, description = corpus.name, corpus.description
    if job.batch > 1:
        name, description = f"{name}-x{job.batch}", f"Lists of {job.batch} records at a time. {description}"
    if job.size is not None:
        profile |= {"scaled_from": name, "scaled_to": fmean(length(record) for record in records)}
        name = f"{name}-{sized(job.size)}"
        description = f"Brought to {sized(job.size)} each, as JSON, by cutting or in lists. {description}"
    if job.batch > 1 or job.size is not None:
        profile.pop("size_mean", None)
    return name, description


def _is_for(name: str, kinds: Sequence[str], known: RecordClass | None) -> bool:
    """Return whether a codec is for values in the records, or for objects of their class."""
    declared = describe(split_name(name)[0])
    held = {known.family} if declared.needs_schema and known is not None else set(kinds)
    return bool(held & set(declared.values))


def _no_schema(known: RecordClass) -> str:
    from ...schemas.tree.declare import SchemaError
    from ...schemas.tree.declare import describe as described

    try:
        described(known.cls, lenient=True)
    except SchemaError as error:
        return f"the class of the records cannot be used as a schema: {error}"
    return "the class of the records is not their schema"


def _class(records: list[Any]) -> RecordClass | None:
    """Return the class that all records share; None if they have none in common."""
    first, *others = {type(record) for record in records}
    return None if others else record_class(first)


def _remarks(corpus: Source, records: list[Any], schema: Any, job: Prepare) -> Iterator[str]:
    """Yield remarks on the records and their schema that may surprise the user."""
    from ..fit import better_part

    if job.schema and (given := schema.given) is not None and given.chosen is not None:
        yield given.chosen.remark
        yield from better_part(
            records, schema, job.schema, job.include, codec_of(job.source, job.how.get("format"))
        )
    elif schema is not None and corpus.schema is schema:
        yield f"{job.source}: measured with the file's own schema; --schema or --infer selects another"
    if 1 < len(records) < Checks.FEW and job.records is None:
        yield f"{job.source}: only {len(records)} records; the results may not apply to others"


def _is_idle(schema: Any, name: str, known: RecordClass | None) -> bool:
    """Return whether a codec has a schema with nothing to fix; its check judges one that cannot be built."""
    if (bare := bare_name(name)) == name:
        return False
    try:
        made = codec(split_release(bare)[0])
        if known is not None and known.token in made.preserves:
            return True
        return schema.fixer(made) is None
    except (CodecError, UsageError):
        return False


def _spread(sample: PickledSample, count: int) -> dict[str, float]:
    """Return the mean size of the sample's records as pickles, and its standard error for the whole corpus.

    Cochran, "Sampling Techniques" (3rd edition, 1977), 2.15.
    """
    sizes = [len(one) for one in sample.pickles]
    mean, number = fmean(sizes), len(sizes)
    error = stdev(sizes) / mean / math.sqrt(number) if number > 1 else 0.0
    return {"sample_size": mean, "sample_error": error * math.sqrt(max(0.0, 1 - number / max(number, count)))}


def _groups(records: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(records), size):
        yield records[start : start + size]


def _schema(corpus: Source, records: list[Any], job: Prepare, known: RecordClass | None) -> Any:
    """Return the schema of the records: as named, their class, or as inferred; None if there is none."""
    from ...schemas import Schema
    from ...schemas.tree.declare import SchemaError
    from ...schemas.tree.declare import describe as described

    if job.schema:
        from ...datasets.schema import schema

        named = schema(job.schema, job.include)
        # Objects of the named class should be decoded as objects of this class.
        of_class = known is not None and getattr(named.types, "cls", None) is known.cls
        return Schema(named, as_objects=True, name=named.name) if of_class else named
    if known is not None and corpus.schema is None:
        try:
            types = described(known.cls, lenient=True)
        except SchemaError:
            return None
        return Schema(types, as_objects=True, name=known.cls.__qualname__)
    if job.infer:
        return Schema.infer(records)
    found = corpus.schema
    return found if found is None or isinstance(found, Schema) else Schema(found, as_objects=True)
