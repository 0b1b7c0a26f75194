"""Draw the sample: in a process of its own, so that the parent stays small whatever the corpus."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import RunError
from .heartbeat import Heartbeat
from .sample import write_sample

if TYPE_CHECKING:
    from ..datasets import Corpus

__all__ = ["run"]

_PEEK = 16
"""Records looked at to see how large records are."""

_FEWEST = 16
"""Records of a sample, however large they are."""


def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a sample, and a schema where one is known or asked for.

    Args:
        job: ``source``, ``records``, ``seed``, ``skip_bad``, ``trusted``, ``format``, ``sample``
            (records), ``bytes`` (cap of the sample, as pickles), ``infer``, ``folder``, ``heartbeat``.

    Returns:
        ``corpus`` (facts for the result file), ``bad`` (where and why records were skipped),
        ``path`` (what later processes need in `sys.path`), ``fresh``.
    """
    import random

    from ..datasets import corpus as find

    folder = Path(job["folder"])
    heartbeat = Heartbeat(Path(job["heartbeat"]))
    corpus = find(
        job["source"], job["records"], job["seed"], job["skip_bad"], job["trusted"], format=job["format"]
    )
    wanted = min(job["sample"], _affordable(corpus, job["bytes"]))
    records = corpus.sample(
        wanted, lambda done, total: heartbeat.beat(int(100 * done / total) if total else 0)
    )
    if not records:
        raise RunError(f"{job['source']}: there is no record in it")
    random.Random(job["seed"]).shuffle(records)
    try:
        sample = write_sample(records, folder / "sample")
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RunError(
            f"{job['source']}: a record cannot be handed to another process: {error}; use plain types, or "
            "classes at the top level of a module"
        ) from error
    _write_schema(corpus, records, job["infer"], folder / "schema")
    return {
        "corpus": {
            "name": corpus.name,
            "source": corpus.source,
            "sha256": corpus.sha256,
            "records": corpus.count(),
            "sample": len(records),
            "description": corpus.description,
            "seed": corpus.seed,
            "skipped": corpus.skipped,
            "profile": corpus.profile(),
        },
        "bad": [list(entry) for entry in corpus.bad[:3]],
        "path": [entry for entry in sys.path if entry],
        "fresh": sample.fresh,
    }


def _affordable(corpus: Corpus, cap: int) -> int:
    """Return how many records fit into `cap` bytes, going by the first few."""
    stream = corpus.records()
    sizes = [len(pickle.dumps(record, protocol=5)) for record in islice(stream, _PEEK)]
    if (close := getattr(stream, "close", None)) is not None:
        close()
    return max(_FEWEST, int(cap * len(sizes) / max(1, sum(sizes))))


def _write_schema(corpus: Corpus, records: list[Any], infer: bool, path: Path) -> None:
    from ..schemas import Schema

    if infer:
        path.write_bytes(pickle.dumps(Schema.infer(records)))
    elif corpus.schema is not None:
        path.write_bytes(pickle.dumps(Schema(corpus.schema)))
