"""Whether other languages read what a codec wrote: as the readers of a run did, or as its format promises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...bench.results import CorpusFacts
from ...codecs.registry import formats
from ..model.candidates import Candidate
from ..model.lists import few, listed
from ..model.obstacle import Obstacle
from ..model.read import LibraryResult, languages

ByCorpus = Mapping[str, Mapping[str, Candidate]]
"""Every codec's cells, by corpus and name."""


def obstacle(name: str, by_corpus: ByCorpus, chosen: Sequence[CorpusFacts]) -> Obstacle | None:
    """Return why other languages may not read a codec's payloads; None if they do.

    Args:
        name: Name of a codec with cells on all corpora.
        by_corpus: Every codec's cells.
        chosen: The corpora.
    """
    known = tried(by_corpus)
    if not known:
        return Obstacle("keys") if _has_foreign_keys(name, by_corpus, chosen) else None
    for corpus, found in by_corpus.items():
        if (why := next(_failures(found[name], known), None)) is not None:
            return replace(why, corpus=corpus) if len(by_corpus) > 1 else why
    return None


def tried(by_corpus: ByCorpus) -> dict[str, str]:
    """Return the names of the languages whose readers the run has tried, by their short names."""
    candidates = (candidate for found in by_corpus.values() for candidate in found.values())
    return languages(read for candidate in candidates for read in candidate.reads.values())


def claim(winner: str, by_corpus: ByCorpus, chosen: Sequence[CorpusFacts], *, options: bool) -> str:
    """Return what is known about other languages, as a part of a sentence.

    Args:
        winner: Name of a codec that has no `obstacle`.
        by_corpus: Every codec's cells.
        chosen: The corpora.
        options: Name the command that would find out more.
    """
    known = tried(by_corpus)
    if not known:
        way = ": `bakeoff run FILE --readers go,node`" if options else ""
        return f"other languages read its format, but no reader was tried{way}"
    won = [found[winner] for found in by_corpus.values()]
    sample = sum(corpus.sample for corpus in chosen)
    read = {
        place: sum(each.reads[place].facts.exact for each in won if place in each.reads)
        for place in won[0].reads
    }
    most = max(read.values())
    counted = f"{most:,} records" if most >= sample else f"{most:,} of {sample:,} records"

    def named(library: LibraryResult) -> str:
        records = read[library.reader]
        fewer = f": checked on {records:,} of {sample:,} records" if records < most else ""
        return f"{library.facts.library}{fewer}"

    libraries = [
        f"{title} ({', '.join(map(named, won[0].reads_in(language)))})" for language, title in known.items()
    ]
    restored = any("+schema" in winner and not each.unfixed for each in won)
    rest = ", which get what the schema restores in the form that the format has for it" if restored else ""
    return f"{counted} are read exactly by {listed(libraries)}{rest}"


def alternatives(names: Iterable[str], by_corpus: ByCorpus, *, options: bool) -> str:
    """Return the codecs that one library of each language reads exactly, as a line; empty if none.

    Args:
        names: Codecs that nothing else excludes.
        by_corpus: Every codec's cells.
        options: Name the option that asks only for these libraries.
    """
    found = []
    for name in names:
        reads = [_exact(language, name, by_corpus) for language in tried(by_corpus)]
        libraries = [read for read in reads if read is not None]
        if libraries and len(libraries) == len(reads):
            way = f" (--reads-by {','.join(read.reader for read in libraries)})" if options else ""
            found.append(f"{name} by {listed([read.facts.library for read in libraries])}{way}")
    return f"one library of each language reads exactly: {few(found)}" if found else ""


def _exact(language: str, name: str, by_corpus: ByCorpus) -> LibraryResult | None:
    """Return the first library of a language that reads a codec's payloads exactly on all corpora."""
    first, *others = (found[name] for found in by_corpus.values())
    for read in first.reads_in(language):
        there = [read, *(each.reads.get(read.reader) for each in others)]
        if not any(each is None or _fault(each) for each in there):
            return read
    return None


def _failures(candidate: Candidate, known: Mapping[str, str]) -> Iterator[Obstacle]:
    for language, title in known.items():
        if not candidate.reads_in(language):
            yield Obstacle("no reader", names=(title,))
    yield from (fault for read in candidate.reads.values() if (fault := _fault(read)) is not None)


def _fault(read: LibraryResult) -> Obstacle | None:
    """Return what a library made of payloads, unless it read all of them exactly."""
    facts, who = read.facts, (read.who,)
    if facts.refused:
        return Obstacle("refused", names=who, detail=_first(facts.reasons))
    if facts.changed:
        return Obstacle("changed", names=who, detail=_first(facts.changes))
    if read.outcome != "ok":
        return Obstacle("not read", names=who, detail=read.cell.reason or read.outcome)
    if facts.uncompared:
        return Obstacle("too deep", names=who)
    return None if facts.exact else Obstacle("not read", names=who)


def _first(found: Mapping[str, int]) -> str:
    text, record = min(found.items(), key=lambda pair: pair[1], default=("", 0))
    return f"record {record:,} of the sample, {text}"


def _has_foreign_keys(name: str, by_corpus: ByCorpus, chosen: Sequence[CorpusFacts]) -> bool:
    """Return whether a codec writes keys that many readers in other languages do not accept.

    Go's usual reader refuses them (vmihailenco/msgpack#289, #372), and JavaScript converts them to text.
    """
    written = next(iter(by_corpus.values()))[name].facts.format
    return _has_any_keys(written) and any(corpus.profile.get("key_other") for corpus in chosen)


def _has_any_keys(name: str) -> bool:
    """Return whether dicts have keys other than text in a format; False for third-party formats."""
    known = formats().get(name)
    return known is not None and known.family is not None and not known.family.text_keys
