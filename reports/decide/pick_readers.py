"""`pick` for reads in other languages: each costs what it was measured to cost there.

In each language, the fastest library that reads all payloads of a codec exactly counts. The mean of all reads
replaces the time of a load, so that the same rules decide as for reads in Python.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...bench.results import CellResult, Measurement, ResultData
from ...errors import UsageError, hint, near
from ..model.candidates import Candidate, candidates_on, corpora, measured, summed
from ..model.lists import listed
from ..model.read import LibraryResult, reads_of
from .eligible import UNTIMED, Requirements

_PYTHON: Final = "python"
_READER: Final = re.compile(r"(?P<name>[\w.-]+)\s*(\*\s*(?P<count>\d+(\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class ReadShare:
    """A language, or one library of it, and its reads of each record.

    Attributes:
        name: Short name of the language, or name of the library as in cells: "go", "go-tinylib-msgp".
        count: Reads for each write.
    """

    name: str
    count: float

    def of(self, reads: Iterable[LibraryResult]) -> list[LibraryResult]:
        """Return what its libraries read."""
        return [read for read in reads if self.name in (read.reader, read.language)]


def parse_readers(text: str) -> tuple[ReadShare, ...]:
    """Read a list of readers such as "go*20,node*4".

    Raises:
        UsageError: It has another form.
    """
    found = []
    for part in text.split(","):
        match = _READER.fullmatch(part.strip())
        count = float(match["count"] or 1) if match else 0.0
        if match is None or not count:
            raise UsageError(f"reads-by {text!r}: expected languages with their reads, such as go*20,node*4")
        found.append(ReadShare(match["name"], count))
    return tuple(found)


def elsewhere(
    results: Sequence[ResultData],
    requirements: Requirements,
    readers: Sequence[ReadShare],
    languages: Collection[str] = (),
) -> tuple[Sequence[ResultData], Requirements]:
    """Return results in which a load is a read of these readers, and the requirements adapted to them.

    Args:
        results: The results to choose by.
        requirements: The requirements.
        readers: The readers; results are unchanged if there are none.
        languages: Short names of all languages that can be measured.

    Raises:
        UsageError: A reader was not measured.
    """
    if not readers:
        return results, requirements
    titles = {_PYTHON: "Python"}
    for result in results:
        for read in reads_of(result.cells):
            titles[read.language] = read.facts.language
            titles[read.reader] = f"{read.facts.language} with {read.facts.library}"
    if unknown := [reader.name for reader in readers if reader.name not in titles]:
        for name in unknown:
            if name.partition("-")[0] not in languages and (alike := near(name, {*titles, *languages})):
                raise UsageError(f"no reader {name!r}; {hint(alike, '')}")
        raise UsageError(_unmeasured(unknown, results, titles))
    words = ", ".join(f"{reader.count:g} in {titles[reader.name]}" for reader in readers)
    cost = replace(requirements.cost, reads=math.fsum(reader.count for reader in readers), readers=words)
    mixer = _Mixer(tuple(readers), titles, allow_loss=requirements.allow_loss)
    return [mixer.result(result) for result in results], replace(requirements, cost=cost)


def _unmeasured(unknown: Sequence[str], results: Sequence[ResultData], titles: Mapping[str, str]) -> str:
    """Say which readers there are, and how to measure the others."""
    known = [name for name in titles if name != _PYTHON]
    there = f"there are {', '.join(known)}" if known else "no reader was"
    languages = dict.fromkeys(name.partition("-")[0] for name in (*known, *unknown))
    sources = dict.fromkeys(corpus.source for result in results for corpus in result.corpora)
    command = shlex.join(["bakeoff", "run", *sources, "--readers", ",".join(languages)])
    return f"readers {', '.join(unknown)}: not measured in these results; {there}; measure with `{command}`"


@dataclass(frozen=True, slots=True)
class _Mixer:
    """Replaces loads by the reads of some readers.

    Attributes:
        titles: Names of languages and libraries for people.
        allow_loss: A library that changes values is acceptable.
    """

    readers: tuple[ReadShare, ...]
    titles: Mapping[str, str]
    allow_loss: bool

    def result(self, result: ResultData) -> ResultData:
        """Return a result without verdicts, as they are on other costs."""
        cells = [
            cell
            for cell in result.cells
            if not cell.by_reader and cell.cell.operation_name not in ("load", "fix")
        ]
        cells += [read.cell for read in reads_of(result.cells) if self.names(read)]
        for corpus in corpora(result):
            known = candidates_on(result, corpus.name)
            cells += [self.load(candidate) for candidate in known if "load" in candidate.cells]
        return replace(result, cells=tuple(cells), rankings=())

    def names(self, read: LibraryResult) -> bool:
        """Return whether what a library read is asked for; if only Python is named, all are."""
        others = [reader for reader in self.readers if reader.name != _PYTHON]
        return not others or any(each.of([read]) for each in others)

    def load(self, candidate: Candidate) -> CellResult:
        """Return the mean read of a codec, or why a reader does not read it."""
        load, parts, losses, names = candidate.cells["load"], [], [], []
        total = math.fsum(reader.count for reader in self.readers)
        for reader in self.readers:
            if reader.name == _PYTHON:
                samples = candidate.samples("load", *() if candidate.unfixed else ("fix",))
            else:
                reads = reader.of(candidate.reads.values())
                found = _best(reads, allow_loss=self.allow_loss)
                if found is None:
                    return self.unread(load, reader, reads)
                samples = found.cell.samples
                losses += [found.sentence] if found.outcome == "lossy" else []
                names.append(f"in {found.facts.language} by {found.facts.library}")
            parts.append(list(_weighted(samples, reader.count / total)))
        return replace(
            load,
            outcome="lossy" if losses else load.outcome,
            loss=(*load.loss, *losses),
            samples=summed(parts),
            extras={"read": listed(names)} if names else {},
        )

    def unread(self, load: CellResult, reader: ReadShare, reads: Sequence[LibraryResult]) -> CellResult:
        """Return a load that no library of a reader can be used for, with the reason."""
        title = self.titles[reader.name]
        well = [read for read in reads if read.outcome == "ok"]
        untimed = bool(well) and len(well) == len(reads)
        if not reads:
            why = f"has no reader in {title}"
        elif well:
            why = f"was not timed in {title}" if untimed else f"was not read in {title}"
        else:
            changed = [read for read in reads if read.outcome == "lossy"]
            why = f"is not read exactly in {title}: {(changed or reads)[0].sentence}"
        return replace(load, outcome="unsupported", reason=why, samples=(), extras={UNTIMED: untimed})


def _best(reads: Iterable[LibraryResult], *, allow_loss: bool) -> LibraryResult | None:
    """Return the fastest of some libraries that read all payloads exactly; None if there is none."""
    good = ("ok", "lossy") if allow_loss else ("ok",)
    figures = [(f.value, read) for read in reads if read.outcome in good and (f := measured(read.cell))]
    return min(figures, key=lambda pair: pair[0], default=(0.0, None))[1]


def _weighted(samples: Sequence[Measurement], share: float) -> Iterator[Measurement]:
    for s in samples:
        yield replace(s, value=s.value * share, raw=s.raw * share, paired=s.paired * share)
