"""Convert results to the table model: a section per corpus, a block of columns per machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...errors import UsageError
from ..model.candidates import limits_needed, records_seen
from ..model.environment import head
from ..model.options import TableOptions
from ..model.swept import scaled
from ..model.table import Table, labelled, merge_sections
from ..model.view import CorpusView, MachineView, View
from . import places, readers
from .machines import agreement
from .opening import opening
from .section import SectionBuilder
from .sentence import contests, recommendation
from .sweep import sweeps


def build(view: View, options: TableOptions) -> Table:
    """Build the table of one or several results.

    Results of one machine become rows of one table; several machines get a block of columns each.

    Raises:
        UsageError: An unknown column, the baseline was not measured, or there is nothing to show.
    """
    options.check(view.columns)
    builders = [(machine.label, _builders(machine, options)) for machine in view.machines]
    keys = dict.fromkeys(key for _, found in builders for key in found)
    if not keys:
        raise UsageError("nothing to show: no cell was measured; run `bakeoff run` again")
    sections = []
    for key in keys:
        present = [(label, found[key]) for label, found in builders if key in found]
        for _, builder in present:
            # Blocks of machines are compared, so a column has the same unit in all of them.
            builder.peers = [peer for _, peer in present]
        done = [(label, builder.section()) for label, builder in present]
        views = [builder.view for _, builder in present]
        section = merge_sections(done) if len(builders) > 1 else done[0][1]
        heads = {view.machine: head(view.result) for view in views if view.machine}
        agreed = (agreement(timed),) if len(timed := list(filter(_timed, views))) > 1 else ()
        # Of codecs that were only measured in stores or pipelines, the answer is above those tables.
        apart_only = options.columns is None and not any(map(_timed, views)) and any(map(_placed, views))
        found = () if apart_only else opening(views, len({corpus for corpus, _ in keys}))
        sections.append(replace(section, opening=found, answer=agreed, heads=heads))
    if options.columns is None:
        results = [machine.result for machine in view.machines]
        apart = {corpus.name for r in results for sizes in scaled(r).values() for corpus in sizes.values()}
        sections = [section for section in sections if section.title not in apart]
        known = [answer for machine in view.machines for answer in places.answers(machine)]
        if not any(section.opening for section in sections):
            sections, known = [*known, *sections], []
        for machine in view.machines:
            sections += [*sweeps(machine), *readers.sections(machine)]
        sections += known
        for machine in view.machines:
            sections += places.sections(machine)
    return view.table(
        sections,
        "\n".join(labelled([(machine.label, _headline(machine)) for machine in view.machines])),
        cost=options.cost.as_json(),
        per=options.scale_to,
        baseline=options.relative_to,
        verdicts=[_verdicts(file.corpora) for file in view.files],
        losses=[_losses(file.corpora) for file in view.files],
        partly=[_partly(file.corpora) for file in view.files],
    )


def _verdicts(views: Iterable[CorpusView]) -> dict[str, dict[str, Any]]:
    """Return the recommended codecs by corpus: the winner, and the codecs that tie with it."""
    return {
        corpus: {"winner": found.winner, "same": found.same, "unresolved": found.unresolved}
        for corpus, found in contests(views).items()
    }


def _losses(views: Iterable[CorpusView]) -> dict[str, list[str]]:
    """Return every loss by corpus and codec; footnotes cut long lists short."""
    return {
        f"{view.corpus.name}/{candidate.name}": list(candidate.losses)
        for view in views
        for candidate in view.candidates
        if candidate.losses
    }


def _partly(views: Iterable[CorpusView]) -> dict[str, dict[str, Any]]:
    """Return, by corpus and codec, the records that slow codecs were measured on, and raised limits.

    Remarks name the first few.
    """
    found: dict[str, dict[str, Any]] = {}
    for view in views:
        for candidate in view.candidates:
            cells = list(candidate.cells.values())
            seen = {"records": records_seen(cells, "records"), "encoded": records_seen(cells, "encoded")}
            facts: dict[str, Any] = {fact: n for fact, n in seen.items() if n < view.corpus.sample}
            if limits := limits_needed(cells):
                facts["limits"] = dict(limits)
            if facts:
                found[f"{view.corpus.name}/{candidate.name}"] = facts
    return found


def _headline(machine: MachineView) -> list[str]:
    """Return the recommendation; none for results without times."""
    return [recommendation(machine.corpora)] if any(map(_timed, machine.corpora)) else []


def _timed(view: CorpusView) -> bool:
    return any(codec.cells.keys() & {"dump", "load"} for codec in view.codecs)


def _placed(view: CorpusView) -> bool:
    at = {cell.cell.operation_name for cell in view.result.cells if cell.cell.corpus == view.corpus.name}
    return any(view.result.operation(name).setup is not None for name in at)


def _builders(machine: MachineView, options: TableOptions) -> dict[tuple[str, str], SectionBuilder]:
    return {(view.corpus.name, view.corpus.sha256): SectionBuilder(view, options) for view in machine.corpora}
