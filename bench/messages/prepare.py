"""The job that draws a sample, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..jobs import Answer, CorpusInputs, Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare(Job):
    """Draw a sample.

    Attributes:
        source: Corpus, file or function, as typed.
        source_object: Pickle of the corpus in base64, if it is an object of the calling program.
        records: Size of a generated corpus, or the most records of the user's own.
        how: How to read it, as arguments of `bakeoff.corpus`.
        sample: Records of the sample.
        bytes: Most bytes of the sample, as pickles.
        infer: Infer a schema.
        schema: Schema of the records, as typed; empty for none.
        include: Folders to search first for its imports.
        batch: Number of records to combine into one.
        seconds: Seconds after which reading of a long source ends; None for never.
        after: Records after which it ends, as in the run that is resumed.
        size: Bytes to which each record is scaled, see `datasets.scale`; None for records as they are.
        codecs: Codecs that are entered.
        twins: Leave out codecs with a schema that has nothing to fix for them.
        joining: Codecs for certain values, which join if the records hold these, see `codecs.specialists`.
    """

    kind = "prepare"
    module = "bakeoff.bench.worker.prepare"
    source: str
    records: str | None
    seed: int
    sample: int
    bytes: int
    infer: bool
    batch: int
    how: Mapping[str, Any] = field(default_factory=dict)
    schema: str = ""
    include: tuple[str, ...] = ()
    seconds: float | None = None
    after: int | None = None
    size: int | None = None
    codecs: tuple[str, ...] = ()
    twins: bool = False
    joining: tuple[str, ...] = ()
    source_object: str = ""


@dataclass(frozen=True, slots=True)
class Prepared(Answer):
    """The answer to `Prepare`.

    Attributes:
        facts: Facts about the corpus, for the result file.
        corpus: The sample and related inputs.
        bad: Where and why the first records were skipped.
        remark: Remarks that may surprise the user, a line each, or nothing.
        path: Entries of `sys.path` that later workers need.
        modules: Modules that they import, as in `Job`.
        codecs: Codecs that are entered: those for which the schema has something to fix, and those that join.
        idle: Names, without the schema, of codecs left out because it has nothing to fix for them.
        kinds: Types of arrays and frames in the records.
    """

    kind = "prepared"
    facts: Mapping[str, Any]
    corpus: CorpusInputs
    bad: tuple[tuple[str, str], ...]
    remark: str
    path: tuple[str, ...]
    modules: Mapping[str, str]
    codecs: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
