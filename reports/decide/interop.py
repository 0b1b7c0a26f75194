"""Whether other languages read what a codec wrote: as the readers of a run did, or as its format promises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...bench.results import CellResult, CorpusFacts, ReadFacts
from ...codecs.registry import formats
from ..model.candidates import Candidate
from ..model.lists import few, listed

Fields = Mapping[str, Mapping[str, Candidate]]
"""Every codec's cells, by corpus and name."""


def obstacle(name: str, fields: Fields, chosen: Sequence[CorpusFacts]) -> str:
    """Return why other languages may not read a codec's payloads, as the end of a sentence; empty if they do.

    Args:
        name: Name of a codec with cells on all corpora.
        fields: Every codec's cells.
        chosen: The corpora.
    """
    languages = tried(fields)
    if not languages:
        return _foreign_keys(name, fields, chosen)
    for corpus, found in fields.items():
        if why := next(_failures(found[name], languages), ""):
            return f"{why} on {corpus}" if len(fields) > 1 else why
    return ""


def tried(fields: Fields) -> list[str]:
    """Return the languages whose readers the run has tried."""
    candidates = (candidate for found in fields.values() for candidate in found.values())
    return list(dict.fromkeys(facts.language for each in candidates for _, facts in _reads(each)))


def claim(winner: str, fields: Fields, *, options: bool) -> str:
    """Return what is known about other languages, as a part of a sentence.

    Args:
        winner: Name of a codec that has no `obstacle`.
        fields: Every codec's cells.
        options: Name the command that would find out more.
    """
    languages = tried(fields)
    if not languages:
        way = ": `bakeoff run FILE --readers go,node`" if options else ""
        return f"other languages read its format, but no reader was tried{way}"
    reads = [[facts for _, facts in _reads(found[winner])] for found in fields.values()]
    records = sum(min(facts.exact for facts in each) for each in reads)
    libraries = [
        f"{language} ({', '.join(facts.library for facts in reads[0] if facts.language == language)})"
        for language in languages
    ]
    restored = any("+schema" in winner and not found[winner].unfixed for found in fields.values())
    rest = ", which get what the schema restores in the form that the format has for it" if restored else ""
    return f"{records:,} records are read exactly by {listed(libraries)}{rest}"


def alternatives(names: Iterable[str], fields: Fields) -> str:
    """Return the codecs that one library of each language reads exactly, as a line; empty if none."""
    found = {}
    for name in names:
        chosen = [_exact_library(language, name, fields) for language in tried(fields)]
        if chosen and all(chosen):
            found[name] = f"{name} by {listed(chosen)}"
    return f"one library of each language reads exactly: {few(list(found.values()))}" if found else ""


def _exact_library(language: str, name: str, fields: Fields) -> str:
    """Return the first library of a language that reads a codec's payloads exactly on all corpora."""
    exact = [
        [
            facts.library
            for cell, facts in _reads(found[name])
            if facts.language == language and not _fault(cell, facts)
        ]
        for found in fields.values()
        if name in found
    ]
    return next((library for library in exact[0] if all(library in each for each in exact)), "")


def _reads(candidate: Candidate) -> Iterator[tuple[CellResult, ReadFacts]]:
    for cell in candidate.reads.values():
        if isinstance(cell.facts, ReadFacts):
            yield cell, cell.facts


def _failures(candidate: Candidate, languages: Iterable[str]) -> Iterator[str]:
    reads = list(_reads(candidate))
    for language in languages:
        if all(facts.language != language for _, facts in reads):
            yield f"was read by no library of {language}"
    yield from (why for cell, facts in reads if (why := _fault(cell, facts)))


def _fault(cell: CellResult, facts: ReadFacts) -> str:
    """Return what a library made of payloads, unless it read all of them exactly."""
    who = f"{facts.library} ({facts.language})"
    if facts.refused:
        return f"is refused by {who}: {_first(facts.reasons)}"
    if facts.changed:
        return f"is changed by {who}: {_first(facts.changes)}"
    if cell.outcome != "ok":
        return f"was not read by {who}: {cell.reason or cell.outcome}"
    if facts.uncompared:
        return f"has records with too many levels to compare them in {who}"
    return "" if facts.exact else f"was not read by {who}"


def _first(found: Mapping[str, int]) -> str:
    text, record = min(found.items(), key=lambda pair: pair[1], default=("", 0))
    return f"record {record:,} of the sample, {text}"


def _foreign_keys(name: str, fields: Fields, chosen: Sequence[CorpusFacts]) -> str:
    """Return whether a codec writes keys that many readers in other languages do not accept.

    Go's usual reader refuses them (vmihailenco/msgpack#289, #372), and JavaScript converts them to text.
    """
    written = next(iter(fields.values()))[name].facts.format
    if _has_any_keys(written) and any(corpus.profile.get("key_other") for corpus in chosen):
        return "writes keys that are not text, which readers in other languages may refuse"
    return ""


def _has_any_keys(name: str) -> bool:
    """Return whether dicts have keys other than text in a format; False for third-party formats."""
    known = formats().get(name)
    return known is not None and known.family is not None and not known.family.text_keys
