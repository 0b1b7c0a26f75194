"""Conversion of a user's request to options, shared by `bakeoff run` and `bakeoff.run`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ...codecs import (
    default_set,
    describe,
    is_raw,
    join_name,
    missing,
    names,
    select,
    specialists,
    split_name,
)
from ...codecs.naming import RAW
from ...codecs.streams.compression import library
from ...errors import UsageError
from ..method import Readers
from ..operations import COUNTS, DEFAULT, MEMORY, OPERATIONS, RETAINED, operation, read
from .options import Options

_DEFAULT = ("movies", "messages")
_A_SIZE = 15.0
"""Seconds per size of a corpus, short because there are many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A user's request for a run.

    Attributes:
        corpora: Names and files; empty for the built-in ones.
        codecs: Patterns as `codecs.select` takes them; empty for the default set.
        quick: Start from the options of a quick run.
        ops: Operations to measure instead of the default ones, separated by commas; the options below add
            theirs.
        memory: Measure peak memory and growth; None for yes, unless the run is quick or compares sizes.
        repeat: Also time repeated dumps of the same records.
        cold: Also measure with cold caches.
        count: Also count instructions.
        batch_sizes: Numbers of records, separated by commas.
        compress: Compressors, separated by commas; each codec is also entered with each of them.
        raw: Also enter the libraries' own calls.
        readers: Languages whose libraries read the payloads, too, separated by commas.
        settings: Fields of `Options` by name; None for fields that were not requested.
    """

    corpora: tuple[str, ...] = ()
    codecs: Sequence[str] = ()
    quick: bool = False
    ops: str | None = None
    memory: bool | None = None
    repeat: bool = False
    cold: bool = False
    count: bool = False
    batch_sizes: str | None = None
    compress: str | None = None
    raw: bool = False
    readers: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, corpora: Sequence[str], **asked: Any) -> Self:
        """Return the request for keywords, including those of `Options`."""
        own = {each.name for each in dataclasses.fields(cls)} & asked.keys()
        settings = {key: value for key, value in asked.items() if key not in own}
        return cls(corpora=tuple(corpora), **{key: asked[key] for key in own}, settings=settings)

    def options(self, stored: Options | None = None, *, brings_schema: bool | None = None) -> Options:
        """Merge defaults, the options stored in the file to resume, and the request.

        Args:
            stored: The options of the run that is resumed.
            brings_schema: Whether the records come with a schema; None to look into the corpora.

        Raises:
            UsageError: The request contradicts itself, or names something unknown.
        """
        if self.cold and self.settings.get("burst"):
            raise UsageError(
                "--burst and --cold are two states of the caches; measure each in a run of its own"
            )
        chosen = {**self.settings, "corpora": self.corpora or None, "operations": self._operations(stored)}
        if chosen.get("sizes") is not None and chosen.get("budget") is None and not self.quick:
            chosen["budget"] = _A_SIZE
        base = dataclasses.replace(stored or Options(_DEFAULT, ()), trust_files=False)
        if self.quick:
            base = base.quick()
        if self.readers is not None:
            chosen["readers"] = languages = tuple(_listed(self.readers, "--readers", "go,node"))
            if stored is None:
                share = 1 + Readers.BUDGET * len(languages)
                base = dataclasses.replace(base, budget=share * base.budget)
        asked = {key: value for key, value in chosen.items() if value is not None}
        options = dataclasses.replace(base, **asked)
        if self.codecs or stored is None:
            declared = bool(options.schema)
            if not declared and not options.infer:
                declared = options.sources.bring_schemas() if brings_schema is None else brings_schema
            options = self._with_codecs(options, declared=declared)
        if self.raw:
            options = dataclasses.replace(options, codecs=_with_raw(options.codecs))
        if self.compress is not None:
            codecs, joining = (_compressed(each, self.compress) for each in (options.codecs, options.joining))
            options = dataclasses.replace(options, codecs=codecs, joining=joining)
        entered_already = set(options.codecs)
        joining = tuple(name for name in options.joining if name not in entered_already)
        return dataclasses.replace(options, joining=joining)

    def _with_codecs(self, options: Options, *, declared: bool) -> Options:
        """Enter the requested codecs; the default set depends on the corpora."""
        entered = (names if self.settings.get("no_time_limit") else default_set)(needs_schema=declared)
        selected = tuple(select(self.codecs, default=entered))
        codecs = _with_schemas(selected) if options.infer or options.schema else selected
        return dataclasses.replace(
            options,
            codecs=codecs,
            twins=codecs != selected,
            joining=_joining(self.codecs, entered),
        )

    def _operations(self, stored: Options | None) -> tuple[str, ...] | None:
        if self.ops is not None:
            wanted = [name.strip() for name in self.ops.split(",") if name.strip()]
            measuring = [name for name in wanted if operation(name).phase == "memory"]
            if measuring and self.memory is False:
                raise UsageError(
                    f"--ops names {measuring[0]}, which --no-memory leaves out; remove one of them"
                )
            if not wanted:
                raise UsageError(f"--ops names no operation; there are {', '.join(OPERATIONS)}")
            if any(operation(name).operation == read.NAME for name in wanted):
                raise UsageError("--ops does not take readers; name their languages: --readers go,node")
            further = (*self._again(), *_batches(self.batch_sizes), *(MEMORY if self.memory else ()))
            return tuple(dict.fromkeys((*wanted, *further, *self._counts())))
        if stored is not None and self.memory is None and not (self.repeat or self.cold or self.count):
            if self.batch_sizes is not None:
                raise UsageError(
                    "--batch-sizes would change the operations, which --resume keeps; remove one of them"
                )
            return None
        batches = _batches(self.batch_sizes)
        swept = batches or self.settings.get("sizes") is not None
        memory = self.memory if self.memory is not None else not (self.quick or swept)
        # A release may retain more memory than the one before, which no other figure shows.
        retained = RETAINED if memory and any("==" in pattern for pattern in self.codecs) else ()
        return (*DEFAULT, *self._again(), *batches, *retained, *(MEMORY if memory else ()), *self._counts())

    def _again(self) -> tuple[str, ...]:
        """Return the operations that repeat a dump or a load under other conditions."""
        repeat = ("dump-repeat",) if self.repeat else ()
        cold = ("dump-cold", "load-cold") if self.cold else ()
        return (*repeat, *cold)

    def _counts(self) -> tuple[str, ...]:
        return COUNTS if self.count else ()


def _joining(asked: Sequence[str], entered: Sequence[str]) -> tuple[str, ...]:
    """Return the codecs that join if records hold their values; none if codecs were named.

    Args:
        asked: As typed after ``-c``.
        entered: The codecs that are entered without it.
    """
    if any(not part.strip().startswith("!") for pattern in asked for part in pattern.split(",")):
        return ()
    able = specialists()
    left = set(select(asked, default=(*entered, *able))) if asked else set(able)
    return tuple(name for name in able if name in left)


def _batches(text: str | None) -> list[str]:
    """Return the operations on batches of these sizes.

    Raises:
        UsageError: A size is not a positive integer.
    """
    if text is None:
        return []
    numbers = _listed(text, "--batch-sizes", "1,10,100,1000")
    return [
        operation(f"batch-{name}:{number}").name for name in ("dump", "load", "size") for number in numbers
    ]


def _listed(text: str, option: str, example: str) -> list[str]:
    """Return the parts of a list, each once.

    Raises:
        UsageError: It is empty.
    """
    found = list(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))
    if not found:
        raise UsageError(f"{option} is empty; use {example}, for example")
    return found


def _compressed(codecs: Sequence[str], text: str) -> tuple[str, ...]:
    """Enter each codec without a compressor also with each of the named compressors.

    Raises:
        UsageError: None is named.
        UnknownCompressor: There is no compressor of that name.
    """
    # The comma of `zstd:3,dict` also separates the list: `dict:3` belongs to it.
    listed = _listed(text, "--compress", "zstd:3,lz4,dict")
    wanted = [re.sub(r"^dict(?=:|$)(.*)", r"zstd\1,dict", name) for name in listed]
    for name in wanted:
        library(name)
    found: list[str] = []
    for codec in codecs:
        base, schema, compression = split_name(codec)
        further = () if compression is not None or is_raw(codec) else wanted
        found += [codec, *(join_name(base, schema, name) for name in further)]
    return tuple(dict.fromkeys(found))


def _with_schemas(codecs: Sequence[str]) -> tuple[str, ...]:
    """Enter every codec also with the schema, unless codecs were named, if it works without one."""
    parts = [split_name(name) for name in codecs]
    if any(schema for _, schema, _ in parts):
        return tuple(codecs)
    return tuple(
        join_name(base, schema, compression)
        for base, _, compression in parts
        for schema in ((False,) if describe(base).needs_schema else (False, True))
    )


def _with_raw(codecs: Sequence[str]) -> tuple[str, ...]:
    """Enter each library's own calls after the guarded codec."""

    def told(name: str) -> bool:
        known = describe(name)
        # The calls of a variant without guards are the same as those of the guarded codec.
        if name != known.name or known.unguarded or missing(name) is not None:
            return False
        return known.raw() is not None

    found = [entry for name in codecs for entry in ((name, name + RAW) if told(name) else (name,))]
    return tuple(dict.fromkeys(found))
