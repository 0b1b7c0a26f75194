"""The options of a run: defaults, form in the result file, and what each field declares about itself."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args, get_origin, get_type_hints

from ...codecs import CodecError, describe, split_name
from ...datasets.corpora import Sources, is_function, is_read_once
from ...errors import UsageError
from ...escape import without_passwords
from ..backends import stores, transports
from ..foreign import builds
from ..method import Budget, Checks, Processes, Slices, Verdicts
from ..operations import DEFAULT, operation
from ..operations.base import NOGC
from ..results import Fact, typed
from .releases import Releases
from .stopping import StopRule

_LONGEST = 10.0
"""Most seconds of a slice in a file: the budget does not end a slice, and a file may be untrusted."""
_LINE_BREAK = "\0"
"""Replaces a line break in a file's name when names are joined by line breaks: no name contains it."""


def _declared(
    *, meaning: bool, resumable: bool = False, reading: bool = False, secret: bool = False
) -> dict[str, bool]:
    """Return the metadata of an option's field.

    Args:
        meaning: It changes what a figure means, so that runs that differ in it are not compared. Options that
            select data, codecs or operations do not: records have hashes, and cells have names.
        resumable: It may change when a run is resumed.
        reading: It says how to read the corpora, as an argument of `bakeoff.corpus`.
        secret: It contains passwords and is never written to a file.
    """
    return {"meaning": meaning, "resumable": resumable, "reading": reading, "secret": secret}


_WORK = _declared(meaning=True)
_FIXED = _declared(meaning=False)
"""Of one run only: runs that differ in it are compared where they have the same cells and records."""
_READING = _declared(meaning=True, reading=True)
"""The hash of a file does not depend on these, but its records do."""
_EFFORT = _declared(meaning=False, resumable=True)
"""How long to measure, and what a worker may use."""

_EARLIER: Final = {"trusted": "trust_files", "skip_bad": "skip_invalid", "null": "null_values"}
"""Names of options in files that earlier versions wrote, such as those of docs/results."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options that define a run.

    Attributes:
        corpora: Names, files or other sources, as typed.
        codecs: Codec names.
        operations: Names of operations.
        records: Size of generated corpora, or the most records of the user's own.
        sample: Number of records to check and measure.
        sample_bytes: Most bytes of the sample, as pickles.
        precision: Target half-width of ratios, as a share.
        budget: Seconds for each corpus, including reading, check and memory.
        no_time_limit: Check and time every codec, however long it takes.
        isolate: One codec per process.
        schema: Schema of the records, as typed; empty if they have none, or `infer` finds one.
        include: Folders to search first for imports of the schema.
        batch: Records that are encoded together, as a list.
        sizes: Sizes in bytes to which the records of each corpus are scaled, separated by commas; each makes
            a corpus.
        at: Path of the records in each document.
        encoding: Encoding of text files.
        null_values: Cells of CSV that mean null.
        no_header: The first line of CSV is a record.
        decimal_comma: Numbers of CSV have a decimal comma.
        gc: Garbage collector during slices: "on", "off", or "both".
        burst: Each timed call follows other work, and is timed by itself.
        rounds: Minimum number of rounds of a process.
        slice: Target length of a slice in seconds.
        cell_timeout: Seconds that a cell may make no progress.
        cell_memory: Bytes of address space of a worker.
        twins: Each codec is entered with the schema as well, unless that has nothing to fix.
        ratios: Require the precision for every ratio to the best, resolved or not.
        places: ``NAME=URL`` of each place of an operation that is a server.
        client: ``NAME=VALUE`` of settings of a transport's client that are not its defaults.
        readers: Languages whose libraries read the payloads, too.
        joining: Codecs for certain values, which join on corpora with these values, see `codecs.specialists`.
        offline: Fetch no release of a library that is not in the cache.
    """

    corpora: tuple[str, ...] = field(metadata=_FIXED)
    codecs: tuple[str, ...] = field(metadata=_FIXED)
    operations: tuple[str, ...] = field(default=DEFAULT, metadata=_FIXED)
    records: str | None = field(default=None, metadata=_FIXED)
    sample: int = field(default=Checks.SAMPLE, metadata=_FIXED)
    sample_bytes: int = field(default=Checks.SAMPLE_BYTES, metadata=_FIXED)
    seed: int = field(default=1, metadata=_WORK)
    precision: float = field(default=Verdicts.PRECISION, metadata=_EFFORT)
    budget: float = field(default=Budget.SECONDS, metadata=_EFFORT)
    no_time_limit: bool = field(default=False, metadata=_EFFORT)
    fewest: int = field(default=Processes.FIRST_LOOK, metadata=_EFFORT)
    isolate: bool = field(default=False, metadata=_WORK)
    gc: Literal["on", "off", "both"] = field(default="on", metadata=_WORK)
    burst: bool = field(default=False, metadata=_WORK)
    infer: bool = field(default=False, metadata=_WORK)
    schema: str = field(default="", metadata=_WORK)
    include: tuple[str, ...] | None = field(default=None, metadata=_WORK)
    batch: int = field(default=1, metadata=_WORK)
    sizes: str = field(default="", metadata=_FIXED)
    # Trust must be typed again, because a result file that grants it may be untrusted.
    trust_files: bool = field(default=False, metadata=_declared(meaning=False, resumable=True, reading=True))
    skip_invalid: bool = field(default=False, metadata=_declared(meaning=False, reading=True))
    format: str | None = field(default=None, metadata=_declared(meaning=False, reading=True))
    at: str | None = field(default=None, metadata=_READING)
    encoding: str | None = field(default=None, metadata=_READING)
    null_values: tuple[str, ...] | None = field(default=None, metadata=_READING)
    no_header: bool = field(default=False, metadata=_READING)
    decimal_comma: bool = field(default=False, metadata=_READING)
    rounds: int = field(default=Processes.ROUNDS, metadata=_FIXED)
    slice: float = field(default=Slices.LENGTH, metadata=_WORK)
    cell_timeout: float = field(default=Budget.CELL_TIMEOUT, metadata=_EFFORT)
    cell_memory: int = field(default=Budget.CELL_MEMORY, metadata=_EFFORT)
    ratios: bool = field(default=False, metadata=_EFFORT)
    twins: bool = field(default=False, metadata=_FIXED)
    places: tuple[str, ...] = field(
        default=(), metadata=_declared(meaning=False, resumable=True, secret=True)
    )
    client: tuple[str, ...] = field(default=(), metadata=_WORK)
    joining: tuple[str, ...] = field(default=(), metadata=_FIXED)
    readers: tuple[str, ...] = field(default=(), metadata=_FIXED)
    offline: bool = field(default=False, metadata=_EFFORT)

    def quick(self) -> Self:
        """Return the options for a quick run: about ten seconds, wider intervals."""
        return dataclasses.replace(
            self,
            budget=Budget.QUICK,
            fewest=Budget.QUICK_FIRST_LOOK,
            rounds=Budget.QUICK_ROUNDS,
            sample=Budget.QUICK_SAMPLE,
            precision=Budget.QUICK_PRECISION,
            ratios=True,
        )

    @property
    def rule(self) -> StopRule:
        """The stop rule."""
        return StopRule(self.precision, self.fewest, ratios=self.ratios)

    @property
    def how(self) -> dict[str, Any]:
        """How to read the corpora, as arguments of `bakeoff.corpus`."""
        names = (each.name for each in fields(self) if each.metadata["reading"])
        return {name: getattr(self, name) for name in names} | {"null_values": self.null_values or ()}

    @property
    def sources(self) -> Sources:
        """The corpora, and how to read them."""
        return Sources(self.corpora, self.how)

    def rounds_for(self, cells: int) -> int:
        """Return the rounds of a process over `cells` cells: with few there is time for more."""
        return max(self.rounds, round(Processes.WORTH / (self.slice_seconds * cells)))

    @property
    def slice_seconds(self) -> float:
        """Seconds of a slice of short calls, with the other work in it."""
        return self.slice if not self.burst else (1 + Slices.APART) * Slices.OTHER_WORK

    def timed(self) -> list[str]:
        """Return the timed operations, including variants without garbage collection for "both"."""
        chosen = [o for o in map(operation, self.operations) if o.phase == "time"]
        if self.gc == "both":
            chosen += [m for o in chosen for m in o.family() if m.variant == NOGC]
        return list(dict.fromkeys(o.name for o in chosen))

    def untimed(self) -> list[str]:
        """Return the other operations."""
        return [name for name in self.operations if operation(name).phase != "time"]

    def memory(self) -> list[str]:
        """Return the memory operations."""
        return [name for name in self.operations if operation(name).phase == "memory"]

    def validate(self, named: Sequence[str] = ()) -> None:
        """Refuse invalid options before anything starts.

        Args:
            named: The codecs as typed.

        Raises:
            UsageError: The message says what to type.
        """
        if self.infer and self.schema:
            raise UsageError("--infer and --schema both say what the schema is; remove one of them")
        if self.sizes and any(map(is_read_once, self.corpora)):
            raise UsageError("--record-sizes reads a corpus once for each size; save it to a file")
        self._check_servers()
        for language in self.readers:
            builds.command(language)
        self.sources.validate()
        if not (self.infer or self.schema or self.trust_files or self.sources.hold_objects()):
            self._check_schemas(named)

    def check_typed(
        self, path: Path, *, corpora: bool, schema: str | None, codecs: bool, offline: bool
    ) -> None:
        """Refuse to import modules, or fetch releases, that only the file of a resumed run names.

        Args:
            path: The file that these options are from.
            corpora: Corpora were typed.
            schema: As typed.
            codecs: Codecs were typed.
            offline: Nothing is fetched anyway.

        Raises:
            UsageError: The message says what to type.
        """
        from ...schemas.naming import is_definition  # schemas take a sixth of the imports of a run

        if schema != self.schema and self.schema and not is_definition(self.schema):
            raise UsageError(f"{path}: {not_imported(self.schema)}")
        if not corpora and (made := [source for source in self.corpora if is_function(source)]):
            again = shlex.join([*self.corpora, "--resume", str(path)])
            raise UsageError(
                f"{path}: refusing to import {', '.join(made)} named in the result file; to allow it, run "
                f"bakeoff run {again}"
            )
        if codecs:
            return
        again = shlex.join([part for name in self.codecs for part in ("-c", name)])
        if own := [name for name in self.codecs if not _is_known(name)]:
            raise UsageError(
                f"{path}: refusing to import {', '.join(own)} named in the result file; to allow it, type "
                f"all codecs again, your own as NAME=MODULE:CODEC or NAME=FILE.py:CODEC: {again}"
            )
        if not offline and (wanted := Releases().not_cached(self.codecs)):
            raise UsageError(
                f"{path}: refusing to fetch {', '.join(map(str, wanted))} named in the result file; to allow "
                f"it, run bakeoff run --resume {shlex.quote(str(path))} {again}"
            )

    def unused(self) -> Iterator[str]:
        """Yield what has nothing to do in this run, in a sentence each."""
        if self.include and not self.schema:
            yield "-I is not used: it names folders for the imports of a --schema"
        for name in self.where().keys() - set(self._at_places()):
            yield f"--server {name} is not used: it is for operations such as `--ops get@{name}`"

    def _at_places(self) -> list[str]:
        """Return the stores and transports that the operations name."""
        return [place for place in dict.fromkeys(operation(o).at_place for o in self.operations) if place]

    def _check_servers(self) -> None:
        """Require a URL for each operation that needs a server."""
        asked = self._at_places()
        for text in self.places:
            if not text.partition("=")[2]:
                raise UsageError(f"--server {without_passwords(text)}: expected NAME=URL")
        for name in asked:
            kinds = (kinds for kinds in (stores, transports) if name in kinds.kinds())
            schemes = next((each.kind(name).schemes for each in kinds), ())
            if schemes and name not in self.where():
                raise UsageError(
                    f"{name} is a server; name its URL: --server {name}={schemes[0]}://HOST:PORT"
                )

    def _check_schemas(self, named: Sequence[str]) -> None:
        """Refuse codecs that were named and need a schema if no corpus has one."""
        if not named or any(set(pattern) & set("*?[") for pattern in named):
            return
        needing = [name for name in self.codecs if split_name(name)[1] or describe(name).needs_schema]
        if needing and not self.sources.bring_schemas():
            raise UsageError(f"{needing[0]}: needs a schema; add --infer or --schema FILE")

    def where(self) -> dict[str, str]:
        """Return the URL of each place that is a server."""
        return dict(text.split("=", 1) for text in self.places)

    def client_settings(self) -> dict[str, str]:
        """Return the settings of a transport's client by name."""
        return {name: value for name, _, value in (text.partition("=") for text in self.client)}

    def alone(self) -> list[str]:
        """Return the operations that get several separate processes."""
        declared = map(operation, self.operations)
        return [o.name for o in declared if o.phase == "alone" and not o.exact]

    def counted(self) -> list[str]:
        """Return the operations that Valgrind counts."""
        return [name for name in self.operations if operation(name).exact]

    def flat(self) -> dict[str, Fact]:
        """Return the options for the result file, with the alpha and the tie band of its verdicts."""
        plain: dict[str, Any] = {
            each.name: getattr(self, each.name) for each in fields(self) if not each.metadata["secret"]
        }
        joined = {
            key: "\n".join(text.replace("\n", _LINE_BREAK) for text in value)
            for key, value in plain.items()
            if isinstance(value, tuple)
        }
        return plain | joined | {"alpha": self.rule.alpha, "tie": Verdicts.TIE}

    @classmethod
    def from_flat(cls, flat: Mapping[str, Fact]) -> Self:
        """Read the output of `flat`, without the progress that a run has added.

        Raises:
            TypeError: The options are from another version, or from no run of ours.
        """
        plain: dict[str, Any] = {
            _EARLIER.get(key, key): value
            for key, value in flat.items()
            if key not in ("alpha", "tie") and not key.startswith("reached ")
        }
        for key, kind in get_type_hints(cls).items():
            if _is_list(kind) and isinstance(text := plain.get(key), str):
                # An optional one is None rather than empty, and may have an empty text in it.
                empty = not text and get_origin(kind) is tuple
                parts = () if empty else text.split("\n")
                plain[key] = tuple(part.replace(_LINE_BREAK, "\n") for part in parts)
        made = typed(cls, plain)
        if not 0 < made.slice <= _LONGEST:
            raise TypeError(f"a slice takes {made.slice:g} s, and at most {_LONGEST:g} s in our runs")
        return made

    def conditions(self) -> dict[str, Fact]:
        """Return the options that change what a figure means, as they are shown, unless they have defaults.

        Without the defaults, the results of versions that have other options can be compared.
        """
        found = ((each, getattr(self, each.name)) for each in fields(self) if each.metadata["meaning"])
        return {
            each.name: _shown(value) if isinstance(value, tuple) else value
            for each, value in found
            if value != each.default
        }

    def sized(self) -> list[tuple[str, int | None]]:
        """Return each corpus as typed, with each of the sizes to which its records are scaled."""
        sizes: list[int | None] = [int(size) for size in self.sizes.split(",") if size]
        return [(source, size) for source in self.corpora for size in sizes or [None]]

    def conflicts(self, other: Options) -> Iterator[str]:
        """Yield the options that must not differ and do: name, their value, our value."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if mine != theirs and not each.metadata["resumable"]:
                yield f"{each.name}: was {_shown(theirs)}, is now {_shown(mine)}"


def not_imported(schema: str) -> str:
    """Return why a schema is not imported that only a file names, and what to type."""
    return (
        f"refusing to import the schema {schema} named in the result file; to allow it, pass --schema "
        f"{shlex.quote(schema)}"
    )


def _is_known(codec: str) -> bool:
    try:
        describe(codec)
    except CodecError:
        return False
    return True


def _is_list(kind: Any) -> bool:
    return any(get_origin(each) is tuple for each in (kind, *get_args(kind)))


def _shown(value: object) -> str:
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return text.replace("\n", r"\n")
