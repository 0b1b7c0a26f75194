"""The content of the page, computed from results; the template only writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ...bench.method import Processes, Verdicts
from ...bench.stats import RUN_TO_RUN
from ...bench.verdict import PARTS, preference, ranked
from ...errors import UsageError
from ..model.answer import CorpusAnswer
from ..model.candidates import BASELINE, WELL, Candidate
from ..model.cost import PLAUSIBLE, CostModel
from ..model.placed import PIPELINE, STORES
from ..model.table import Labelled, Section, Table, labelled
from ..model.view import CorpusView, MachineView, View
from ..tables import opening_placed, placed_answer, places, readers
from ..tables.machines import agreement
from ..tables.markup import html
from ..tables.opening import opening
from ..tables.sentence import drawback, recommendation
from . import placed
from .chart_rows import axes
from .embed import embeddable, plain
from .overview import COMPARED, Overview, overview
from .pictures import Pictures
from .table import PageTable, page_table
from .words import machine_facts, occurs, run_facts, type_name

if TYPE_CHECKING:
    from markupsafe import Markup

_PLAIN: Final = 150
"""Rows up to which a page has all tables and data as text, so that it can be read without scripts."""

_SEVERAL: Final = "Which codec for which records"
"""Heading above the answers for several corpora."""

_READS: Final = (0, 0.1, 0.2, 0.5, 1, 2, 3, 5, 8, 12, 16, 24, 32, 50, 75, 100, 200, 500, 1000)
_LINES: Final = tuple(bits / 8 for bits in (1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8))
_LINES_FAST: Final = tuple(bits / 8 for bits in (1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 1e11))
_RATES: Final = (0, *(step * 10**power for power in range(1, 6) for step in (1, 2, 5)), 1_000_000)


@dataclass(frozen=True)
class PageContent:
    """Everything that the template writes, computed before it is rendered.

    Attributes:
        raw: The results, for the page's download; empty if they are in `heavy`.
        state: What the page's script starts from.
        heavy: The data that a page of many rows packs, without the rows; None if it packs nothing.
        overview: The corpora by the shape of their records; None for few.
        headline: The one heading: the answer if there is one corpus.
        recommendation: Pairs of a label and a sentence, for several corpora.
        openings: The answer on each corpus as a terminal shows it, for the use that the page starts with: of
            each line, labels and texts. What the headline says is left out.
        costed: Whether codecs have a cost, so that sliders and charts have something to show.
        sheets: Tables of cells that were measured in places or by readers, by the name of the section.
        placed: Pictures of cells that were measured in places, by place.
        alarms: The ways in which a run was not an ordinary one.
        remarks: Reasons for wider intervals, and versions that differ.
        blocks: The facts of each machine.
        views: The corpora, the first one shown first.
        groups: The numbers of the views by machine.
        table: The table of all views.
        sliders: The stops of each slider, and its position.
        cost: The cost model at first.
        baseline: Codec of the relative figures.
        charts: The pictures.
        fidelity: The types that each codec preserves.
        failures: Cells without a figure.
        losses: Losses on these corpora.
    """

    raw: str
    state: str
    heavy: dict[str, Any] | None
    overview: Overview | None
    headline: str
    recommendation: list[tuple[str, str]]
    openings: list[list[Labelled]]
    costed: bool
    sheets: dict[str, Markup]
    placed: dict[str, list[dict[str, Any]]]
    alarms: Sequence[str]
    remarks: list[str]
    blocks: list[dict[str, Any]]
    views: list[CorpusView]
    groups: list[dict[str, Any]]
    table: PageTable
    sliders: dict[str, Any]
    cost: CostModel
    baseline: str | None
    charts: Pictures
    fidelity: dict[str, Any]
    failures: list[dict[str, Any]]
    losses: list[dict[str, Any]]

    @classmethod
    def of(cls, view: View, baseline: str | None, sort: str | None) -> PageContent:
        """Compute the content of a page.

        Args:
            view: The results.
            baseline: Codec of the relative figures; the best of each column if not given.
            sort: Initial column to sort by.

        Raises:
            UsageError: Nothing was measured, or an unknown column to sort by.
        """
        views, machines = view.corpora, view.machines
        if not views:
            raise UsageError("nothing to show: no cell was measured; run `bakeoff run` again")
        table = page_table(view, baseline)
        charts = Pictures(views)
        sheets = _sheets(view)
        panels, answers = placed.panels(view), placed_answer.answers(view)
        sliders = _sliders(view.cost)
        costed = any(map(len, charts.points)) or not sheets
        openings = [list(opening([one], len(views))) for one in views] if costed else _in_places(machines)
        said = _recommended(views) if costed else [(one.place, one.words) for one in answers]
        headline = _SEVERAL if costed or not answers else placed_answer.headline(answers)
        if len(said) == 1:
            headline = said[0][1]
            if costed and len(openings[0]) > 1:
                headline = _taken(openings[0], views[0].answer)
            said = []
        raw = [{"machine": m.label, **plain(m.result)} for m in machines]
        state = _state(view, table, charts, panels, sliders, baseline, sort)
        packs = len(table.lines) > _PLAIN
        return cls(
            heavy=_heavy(raw, state) if packs else None,
            raw="" if packs else embeddable(raw),
            state=embeddable(state),
            overview=overview(views) if costed else None,
            headline=headline,
            recommendation=said,
            openings=openings,
            costed=costed,
            sheets=sheets,
            placed=charts.in_places(panels),
            alarms=labelled([(m.label, m.alarms) for m in machines]),
            remarks=[*labelled([(m.label, m.remarks) for m in machines]), *view.version_differences],
            blocks=[
                {
                    "label": m.label,
                    "result": m.result,
                    "facts": run_facts(m.result, opened=len(openings) == 1),
                    "machine": machine_facts(m.result.environment),
                }
                for m in machines
            ],
            views=views,
            groups=_groups(views),
            table=table,
            sliders=sliders,
            cost=view.cost,
            baseline=baseline,
            charts=charts,
            fidelity=_fidelity(view),
            failures=_failures(views),
            losses=_losses(views),
        )


def _state(
    view: View,
    table: PageTable,
    charts: Pictures,
    panels: Sequence[placed.Panel],
    sliders: Mapping[str, Any],
    baseline: str | None,
    sort: str | None,
) -> dict[str, Any]:
    """Return what the page's script starts from; its names are those of the script."""
    return {
        "views": [
            {
                "label": each.label,
                "machine": each.machine,
                "corpus": each.corpus.name,
                "unit": table.unit(number),
                "codecs": _judging(each.candidates),
            }
            for number, each in enumerate(view.corpora)
        ],
        "baselineRow": BASELINE,
        "baseline": baseline,
        "tie": Verdicts.TIE,
        "few": Processes.FEWEST,
        "session": [RUN_TO_RUN.deviation, RUN_TO_RUN.degrees],
        "axes": axes(),
        "plausible": PLAUSIBLE,
        "parts": PARTS,
        "alpha": [each.standing.alpha for each in view.corpora],
        "compared": COMPARED,
        "sort": _sorting(sort, table),
        "sliders": sliders,
        "charts": charts.live(panels),
    }


def _heavy(raw: list[dict[str, Any]], state: dict[str, Any]) -> dict[str, Any]:
    """Take out of the state what grows with the rows, and return it with the results."""
    return {"result": raw, "views": state.pop("views"), "bars": state["charts"].pop("rows")}


def _judging(candidates: Sequence[Candidate]) -> dict[str, dict[str, Any]]:
    """Return facts for the page's script: the ranked codecs, why one may not win, and tie-breakers."""
    taking_part = ranked({e.name: e.takes for e in candidates if e.name != BASELINE})
    return {
        e.name: {
            "ranked": e.name in taking_part,
            "drawback": drawback(e),
            "taste": preference(e.facts, 0.0, 0.0)[:2],
        }
        for e in candidates
    }


def _sheets(view: View) -> dict[str, Markup]:
    """Return the tables of cells measured in places, which have separate layouts."""
    from markupsafe import Markup

    found: dict[str, list[Section]] = {}
    for machine in view.machines:
        if read := [*readers.sections(machine)]:
            found.setdefault("readers", []).extend(read)
        for kind in dict.fromkeys(group.kind for group in machine.placed):
            name = kind if kind in (STORES, PIPELINE) else "places"
            found.setdefault(name, []).extend(places.sections(machine, (kind,)))
    # The fragment escapes text from the results.
    return {name: Markup(html(Table(tuple(parts)))) for name, parts in found.items()}  # noqa: S704


def _sorting(sort: str | None, table: PageTable) -> dict[str, Any]:
    key = (sort or "rank").removeprefix("-")
    known = ["rank", "codec", *(column.key for column in table.columns)]
    if key not in known:
        raise UsageError(f"the page cannot sort by {key!r}; it has {', '.join(known)}")
    higher = any(column.key == key and column.direction == "higher" for column in table.columns)
    return {"key": key, "descending": bool(sort and sort.startswith("-")) != higher}


def _sliders(cost: CostModel) -> dict[str, Any]:
    """Return the stops of each slider and its position; null is no line."""
    line = cost.as_json()["bandwidth"]
    reads = sorted({*map(float, _READS), float(cost.reads)})
    lines: list[float | None] = sorted({*_LINES, *_LINES_FAST, *([] if line is None else [line])})
    lines.append(None)
    return {
        "reads": {"stops": reads, "at": reads.index(cost.reads)},
        "bandwidth": {"stops": lines, "at": lines.index(line)},
        "rate": {"stops": list(_RATES), "at": 0},
    }


def _groups(found: Sequence[CorpusView]) -> list[dict[str, Any]]:
    """Group the views by machine, for the corpus selector; machines are never shown together."""
    labels = dict.fromkeys(view.machine for view in found)
    return [
        {
            "machine": label,
            "views": [number for number, view in enumerate(found) if view.machine == label],
        }
        for label in labels
    ]


def _fidelity(view: View) -> dict[str, Any]:
    """Return the types that each codec preserves, as declared by the codecs: first those of these records."""
    results = [machine.result for machine in view.machines]
    codecs = {codec.name: codec for result in results for codec in result.codecs if codec.preserves}
    tokens = dict.fromkeys(token for codec in codecs.values() for token in codec.preserves)
    common = {token for token in tokens if all(token in codec.preserves for codec in codecs.values())}
    profiles = [each.corpus.profile for each in view.corpora]
    differing = [token for token in tokens if token not in common]
    here = [token for token in differing if any(occurs(token, profile) for profile in profiles)]
    return {
        "here": here,
        "elsewhere": [token for token in differing if token not in here],
        "common": sorted(map(type_name, common)),
        "codecs": list(codecs.values()),
    }


def _losses(found: Sequence[CorpusView]) -> list[dict[str, Any]]:
    """Return the losses, each text once, with its codecs and corpora."""
    where: dict[tuple[str, str], list[str]] = {}
    for view in found:
        for candidate in view.candidates:
            for text in candidate.losses:
                where.setdefault((text, candidate.name), []).append(view.label)
    rows: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (text, codec), labels in where.items():
        rows.setdefault((text, tuple(labels)), []).append(codec)
    return [{"codecs": codecs, "text": text, "corpora": labels} for (text, labels), codecs in rows.items()]


def _failures(found: Sequence[CorpusView]) -> list[dict[str, Any]]:
    """Return every cell without a figure, combined if codec and cause are the same."""
    rows: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for view in found:
        for candidate in view.candidates:
            for name, cell in candidate.cells.items():
                if cell.outcome in WELL:
                    continue
                key = (candidate.name, cell.outcome, cell.reason, cell.stderr)
                row = rows.setdefault(key, {"corpora": {}, "operations": {}})
                row["corpora"][view.label] = row["operations"][name] = None
    return [
        {"codec": codec, "outcome": outcome, "reason": reason, "stderr": stderr, **row}
        for (codec, outcome, reason, stderr), row in rows.items()
    ]


def _in_places(machines: Iterable[MachineView]) -> list[list[Labelled]]:
    """Return the answers for stores and pipelines."""
    return [
        list(lines)
        for machine in machines
        for kind in (STORES, PIPELINE)
        for _, lines in opening_placed.openings(machine, kind)
    ]


def _taken(lines: list[Labelled], answer: CorpusAnswer) -> str:
    """Take the line that says what to use out of an answer, and return it as a heading."""
    ((label, text),) = lines.pop(1)
    return f"{label.capitalize()} {text}" if answer.decided else f"{text[0].upper()}{text[1:]}"


def _recommended(found: Sequence[CorpusView]) -> list[tuple[str, str]]:
    """Return the recommendation for each corpus, with labels if there are several.

    A corpus of several machines is followed by the sentence on where these disagree.
    """
    closing = f" (by the cost of {found[0].cost.sentence()})."
    texts = []
    corpora: dict[tuple[str, str], list[CorpusView]] = {}
    for view in found:
        corpora.setdefault((view.corpus.name, view.corpus.sha256), []).append(view)
    for views in corpora.values():
        texts += [(view.label, recommendation([view]).removesuffix(closing)) for view in views]
        texts += [(views[0].corpus.name, agreement(views).removesuffix("."))] * (len(views) > 1)
    if len(texts) > 1:
        return texts
    return [("", text if text.endswith(".") else f"{text}.") for _, text in texts]
