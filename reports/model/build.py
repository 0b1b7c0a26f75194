"""Turns results into the table model: a section per corpus, a block of columns per machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...bench.results import Result
from ...errors import UsageError
from ..tables.sentence import contests, recommendation
from ..tables.sweep import scaled, sweeps
from .candidates import candidates_on, corpora, limits_needed, records_seen, standing_on
from .columns import ColumnSpec, columns
from .environment import notes, warnings
from .merge import machines
from .options import TableOptions
from .section import SectionBuilder
from .table import Table, labelled, merge_sections

__all__ = ["build"]


def build(results: Sequence[Result], options: TableOptions) -> Table:
    """Build the table of one or several results.

    Results of one machine become rows of one table; several machines get a block of columns each.

    Raises:
        UsageError: An unknown column, the baseline took no part, or there is nothing to show.
    """
    blocks = machines(results)
    known = columns(result for _, result in blocks)
    options.check(known)
    builders = [(label, _builders(result, options, known)) for label, result in blocks]
    keys = dict.fromkeys(key for _, found in builders for key in found)
    if not keys:
        raise UsageError("nothing to show: no cell was measured; run `bakeoff run` again")
    sections = []
    for key in keys:
        present = [(label, found[key]) for label, found in builders if key in found]
        for _, builder in present:
            # Machines are compared across blocks, so a column has one unit in all of them.
            builder.peers = [peer for _, peer in present]
        done = [(label, builder.section()) for label, builder in present]
        sections.append(merge_sections(done) if len(blocks) > 1 else done[0][1])
    if options.columns is None:
        apart = {corpus.name for _, r in blocks for sizes in scaled(r).values() for corpus in sizes.values()}
        sections = [section for section in sections if section.title not in apart]
        for label, result in blocks:
            sections += sweeps(result, label if len(blocks) > 1 else "")
    return Table(
        sections=tuple(sections),
        warnings=labelled([(label, warnings(result)) for label, result in blocks]),
        notes=labelled([(label, notes(result)) for label, result in blocks]),
        recommendation="\n".join(labelled([(label, _headline(result, options)) for label, result in blocks])),
        meta={
            "cost": options.cost.as_json(),
            "per": options.per,
            "baseline": options.baseline,
            "verdicts": [_verdicts(result, options) for result in results],
            "commands": [result.command for result in results],
            "environments": [dict(result.environment) for result in results],
            "options": [dict(result.options) for result in results],
            "losses": [_losses(result) for result in results],
            "partly": [_partly(result) for result in results],
        },
    )


def _verdicts(result: Result, options: TableOptions) -> dict[str, dict[str, Any]]:
    """Return, by corpus, what the recommendation says: the winner, and what is level with it."""
    return {
        corpus: {"winner": found.winner, "same": found.same, "unresolved": found.unresolved}
        for corpus, found in contests(result, options.cost).items()
    }


def _losses(result: Result) -> dict[str, list[str]]:
    """Return every loss by corpus and codec; footnotes cut long lists short."""
    return {
        f"{corpus.name}/{candidate.name}": list(candidate.losses)
        for corpus in corpora(result)
        for candidate in candidates_on(result, corpus.name)
        if candidate.losses
    }


def _partly(result: Result) -> dict[str, dict[str, Any]]:
    """Return, by corpus and codec, on how many records slow codecs were seen, and which limits were needed.

    Remarks name the first few.
    """
    found: dict[str, dict[str, Any]] = {}
    for corpus in corpora(result):
        for candidate in candidates_on(result, corpus.name):
            cells = list(candidate.cells.values())
            seen = {"records": records_seen(cells, "records"), "encoded": records_seen(cells, "encoded")}
            facts: dict[str, Any] = {fact: n for fact, n in seen.items() if n < corpus.sample}
            if limits := limits_needed(cells):
                facts["limits"] = dict(limits)
            if facts:
                found[f"{corpus.name}/{candidate.name}"] = facts
    return found


def _headline(result: Result, options: TableOptions) -> list[str]:
    """Return the recommendation; none for results without times."""
    timed = any(cell.cell.operation_name in ("dump", "load") for cell in result.cells)
    return [recommendation(result, options.cost)] if timed else []


def _builders(
    result: Result, options: TableOptions, known: Mapping[str, ColumnSpec]
) -> dict[tuple[str, str], SectionBuilder]:
    found = {}
    for corpus in corpora(result):
        if candidates := candidates_on(result, corpus.name):
            standing = standing_on(result, corpus.name, candidates, options.cost)
            key = corpus.name, corpus.sha256
            found[key] = SectionBuilder(corpus, candidates, options, known, standing)
    return found
