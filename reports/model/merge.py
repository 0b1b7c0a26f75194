"""Merge result files: those of one interpreter on one machine become one result, others stay separate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...bench.results import CellResult, CodecFacts, CorpusFacts, Measurement, ResultData
from ...errors import UsageError
from .candidates import BASELINE
from .environment import block_noun, interpreter, machine, option_differences
from .reference import measured_by

_STRIDE = 1_000_000
"""Keeps process numbers of several files apart, so that nothing is paired across files."""

_DISTINCT = (
    ("hostname",),
    ("cpu_model_name",),
    ("platform",),
    ("interpreter",),
    ("python_version",),
    ("hostname", "interpreter"),
    ("hostname", "python_version"),
)
"""Facts by which blocks of columns are named."""

_Records = tuple[str, str, int]
"""Results whose figures share a table: name, hash and sample of a corpus."""


def machines(results: Sequence[ResultData]) -> list[tuple[str, ResultData]]:
    """Return a label and a result for each machine and interpreter; with only one, the label is empty."""
    return [(label, _merge(group)) for label, group in by_machine(results)]


def by_machine(results: Sequence[ResultData]) -> list[tuple[str, list[ResultData]]]:
    """Return a label and the results of each machine and interpreter; see `machines`."""
    found: dict[tuple[object, ...], list[ResultData]] = {}
    for result in results:
        found.setdefault((*machine(result), *interpreter(result)), []).append(result)
    groups = list(found.values())
    labels = _labels([first for first, *_ in groups]) if len(groups) > 1 else [""]
    return list(zip(labels, groups, strict=True))


def of_one_machine(results: Sequence[ResultData]) -> ResultData:
    """Combine results for a format without machines.

    Raises:
        UsageError: They are of several machines or interpreters.
    """
    merged = machines(results)
    if len(merged) > 1:
        names = ", ".join(label for label, _ in merged)
        raise UsageError(
            f"these results are of several {block_noun(results)}s ({names}); write each on its own"
        )
    return merged[0][1]


def _labels(results: Sequence[ResultData]) -> list[str]:
    """Name machines and interpreters by the first property that distinguishes all of them, or by two."""
    for keys in _DISTINCT:
        names = [_described(result, keys) for result in results]
        if all(names) and len(set(names)) == len(names):
            return names
    return [f"machine {number}" for number in range(1, len(results) + 1)]


def _described(result: ResultData, keys: Sequence[str]) -> str:
    """Return these facts in words; empty if one is unknown."""
    facts = [(key, result.environment.get(key)) for key in keys]
    words = [f"Python {fact}" if key == "python_version" else str(fact) for key, fact in facts if fact]
    return " ".join(words) if len(words) == len(keys) else ""


def _merge(results: Sequence[ResultData]) -> ResultData:
    """Combine the rows of several runs of one machine.

    A codec in several files keeps a row for each, distinguished by version or by number of the file. Figures
    of different runs are never averaged.
    """
    if len(results) == 1:
        return results[0]
    codecs: list[CodecFacts] = []
    corpora: dict[_Records, CorpusFacts] = {}
    cells: list[CellResult] = []
    results = [measured_by(results[0], result) for result in results]
    for number, result in enumerate(results):
        codec_names = _renamed(result, results, number)
        for corpus in result.corpora:
            if _records(corpus) not in corpora:
                corpora[_records(corpus)] = replace(corpus, name=_free_name(corpus, corpora, number))
        corpus_names = {corpus.name: corpora[_records(corpus)].name for corpus in result.corpora}
        codecs += [replace(codec, name=codec_names.get(codec.name, codec.name)) for codec in result.codecs]
        baselines = {cell.cell.corpus for cell in cells if cell.cell.codec == BASELINE}
        cells += [
            _moved(cell, codec_names, corpus_names, number)
            for cell in result.cells
            if cell.cell.codec != BASELINE
            or corpus_names.get(cell.cell.corpus, cell.cell.corpus) not in baselines
        ]
    first = results[0]
    return replace(
        first,
        cells=tuple(cells),
        codecs=tuple({codec.name: codec for codec in codecs}.values()),
        corpora=tuple(corpora.values()),
        operations=tuple({facts.name: facts for r in results for facts in r.operations}.values()),
        duration=sum(result.duration for result in results),
        complete=all(result.complete for result in results),
        rankings=(),
        command="; ".join(dict.fromkeys(result.command for result in results if result.command)),
        topics=(),
        warnings=tuple(
            dict.fromkeys([*_other_options(results), *(text for r in results for text in r.warnings)])
        ),
    )


def _records(corpus: CorpusFacts) -> _Records:
    return corpus.name, corpus.sha256, corpus.sample


def _free_name(corpus: CorpusFacts, known: Mapping[_Records, CorpusFacts], number: int) -> str:
    """Name a corpus by what distinguishes it from others of its name: its hash, or the size of its sample."""
    twins = [records for records in known if records[0] == corpus.name]
    if not twins:
        return corpus.name
    parts = []
    if any(sha256 != corpus.sha256 for _, sha256, _ in twins):
        parts.append(corpus.sha256[:8] or f"{number + 1}")
    if any(sha256 == corpus.sha256 for _, sha256, _ in twins):
        parts.append(f"sample of {corpus.sample:,}")
    return f"{corpus.name} ({', '.join(parts)})"


def _other_options(results: Sequence[ResultData]) -> Iterable[str]:
    """Name the files that were measured with other options than the first; plain pyperf has none."""
    runs = [(number, result) for number, result in enumerate(results, start=1) if result.corpora]
    if len(runs) < 2:
        return
    for number, result in runs[1:]:
        first, before = runs[0]
        if found := option_differences(before, result):
            yield f"file {number} was measured otherwise than file {first}: {'; '.join(found)}"


def aligned(parts: Sequence[Sequence[Measurement]]) -> list[list[Measurement]]:
    """Number the processes of several files in the same way, so that corpora can be added.

    The first process of one file is paired with the first of another. Their figures are independent, so any
    fixed pairing works if it is the same for every codec. Sums are paired with one another only if all their
    parts come from the same files.
    """
    files = 0
    for part in parts:
        files = files * _STRIDE + (part[0].pair // _STRIDE if part else 0)
    return [
        [replace(sample, pair=sample.pair % _STRIDE + files * _STRIDE) for sample in part] for part in parts
    ]


def _renamed(result: ResultData, results: Sequence[ResultData], number: int) -> dict[str, str]:
    """Label codecs of the same name: by version if it differs, else by the file's number.

    A label is the codec's name, a space, and the distinguishing part; see `plain_name`.
    A codec that could not run has no version.
    """
    mine = _places(result)
    labels = {}
    for codec in result.codecs:
        name = codec.name
        others = [r for n, r in enumerate(results) if n != number and name in _versions(r)]
        if name == BASELINE or not others:
            continue
        versions = {_versions(other)[name] for other in others} - {""}
        if codec.version and versions and codec.version not in versions:
            labels[name] = f"{name} @{codec.version}"
        elif any(mine.get(name, set()) & _places(other).get(name, set()) for other in others):
            labels[name] = f"{name} #{number + 1}"
    return labels


def _versions(result: ResultData) -> dict[str, str]:
    return {codec.name: codec.version for codec in result.codecs}


def _places(result: ResultData) -> dict[str, set[tuple[_Records, str]]]:
    """Return the cells of each codec, by corpus and operation."""
    known = {corpus.name: _records(corpus) for corpus in result.corpora}
    found: dict[str, set[tuple[_Records, str]]] = {}
    for cell in result.cells:
        records = known.get(cell.cell.corpus, (cell.cell.corpus, "", 0))
        found.setdefault(cell.cell.codec, set()).add((records, cell.cell.operation_name))
    return found


def _moved(cell: CellResult, codecs: dict[str, str], corpora: dict[str, str], number: int) -> CellResult:
    place = replace(
        cell.cell,
        codec=codecs.get(cell.cell.codec, cell.cell.codec),
        corpus=corpora.get(cell.cell.corpus, cell.cell.corpus),
    )
    samples = tuple(replace(sample, pair=sample.pair + number * _STRIDE) for sample in cell.samples)
    return replace(cell, cell=place, samples=samples)
