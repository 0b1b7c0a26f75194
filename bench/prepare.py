"""Draw the sample: in a process of its own, so that the parent stays small whatever the corpus."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import RunError
from .contestant import SCHEMA, TRAINING
from .heartbeat import Heartbeat
from .sample import write_sample

if TYPE_CHECKING:
    from ..datasets import Corpus

__all__ = ["run"]

_PEEK = 16
"""Records looked at to see how large records are."""

_FEWEST = 4
"""Records of a sample, however large they are."""


def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a sample, and a schema where one is known or asked for.

    Args:
        job: ``source``, ``records``, ``seed``, ``skip_bad``, ``trusted``, ``format``, ``sample``
            (records), ``bytes`` (cap of the sample, as pickles), ``infer``, ``training`` (draw as many
            records again, to train dictionaries on), ``batch`` (records that make one), ``folder``,
            ``heartbeat``.

    Returns:
        ``corpus`` (facts for the result file), ``bad`` (where and why records were skipped),
        ``path`` (what later processes need in `sys.path`).
    """
    import random

    from ..datasets import corpus as find

    folder = Path(job["folder"])
    heartbeat = Heartbeat(Path(job["heartbeat"]))
    corpus = find(
        job["source"], job["records"], job["seed"], job["skip_bad"], job["trusted"], format=job["format"]
    )
    batch, training = job["batch"], job["training"]
    wanted = min(job["sample"], max(_FEWEST, _affordable(corpus, job["bytes"]) // batch))
    records = corpus.sample(
        wanted * batch * (2 if training else 1),
        lambda done, total: heartbeat.beat(int(100 * done / total) if total else 0),
    )
    if not records:
        raise RunError(f"{job['source']}: there is no record in it")
    schema = _schema(corpus, records, job["infer"])
    if job["infer"]:
        # What the program that has these records holds in memory: datetimes, not their text.
        records = [schema.apply(record) for record in records]
    if batch > 1:
        records = list(_groups(records, batch))
    random.Random(job["seed"]).shuffle(records)
    if training:
        half = len(records) // 2
        (folder / TRAINING).write_bytes(pickle.dumps(records[half:]))
        records = records[: max(1, half)]
    try:
        write_sample(records, folder / "sample")
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RunError(
            f"{job['source']}: a record cannot be handed to another process: {error}; use plain types, or "
            "classes at the top level of a module"
        ) from error
    if batch == 1 and schema is not None:
        (folder / SCHEMA).write_bytes(pickle.dumps(schema))
    return {
        "corpus": {
            "name": corpus.name if batch == 1 else f"{corpus.name}-x{batch}",
            "source": corpus.source,
            "sha256": corpus.sha256,
            "records": -(-corpus.count() // batch),
            "sample": len(records),
            "description": corpus.description
            if batch == 1
            else f"Lists of {batch} records at a time. {corpus.description}",
            "seed": corpus.seed,
            "skipped": corpus.skipped,
            "profile": corpus.profile(),
        },
        "bad": [list(entry) for entry in corpus.bad[:3]],
        "path": [entry for entry in sys.path if entry],
    }


def _groups(records: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(records), size):
        yield records[start : start + size]


def _affordable(corpus: Corpus, cap: int) -> int:
    """Return how many records fit into `cap` bytes, going by the first few."""
    stream = corpus.records()
    sizes = [len(pickle.dumps(record, protocol=5)) for record in islice(stream, _PEEK)]
    if (close := getattr(stream, "close", None)) is not None:
        close()
    return max(_FEWEST, int(cap * len(sizes) / max(1, sum(sizes))))


def _schema(corpus: Corpus, records: list[Any], infer: bool) -> Any:
    from ..schemas import Schema

    if infer:
        return Schema.infer(records)
    return None if corpus.schema is None else Schema(corpus.schema, as_objects=True)
