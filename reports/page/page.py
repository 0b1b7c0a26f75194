"""The page: one self-contained HTML file that works offline.

Its content is drawn and written here once, so that it can be read, printed and searched without scripts.
Scripts then make it interactive: another corpus, other weights, another order.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...bench.method import Processes, Verdicts
from ...bench.results import ResultData
from ...bench.stats import SESSION
from ...bench.verdict import PARTS, preference, ranked
from ...errors import UsageError
from ...escape import all_visible
from ..model.candidates import BASELINE, WELL, Candidate
from ..model.columns import COLUMNS
from ..model.cost import FORMULA, PLAUSIBLE, CostModel, Crossings
from ..model.numbers import amount
from ..model.placed import PIPELINE, STORES
from ..model.profiled import profile_lines
from ..model.table import Section, Table, labelled
from ..model.view import CorpusView, View
from ..tables import placed_answer, places, readers
from ..tables.machines import agreement
from ..tables.markup import html
from ..tables.sentence import drawback, recommendation
from . import placed
from .arrange import HEIGHT
from .chart_rows import LEAST_SPAN, axes, bars, points, summary, unseen
from .charts import PAGE, bars_spec, colors, families, front_spec, looks, svg
from .embed import embeddable, plain
from .table import PageTable, page_table
from .words import explained, machine_facts, type_name

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES: Final = Path(__file__).parent / "templates"
_SEVERAL: Final = "Which codec for which records"
"""Heading above the answers for several corpora."""

_SCRIPTS: Final = ("numbers.js", "ranking.js", "arrange.js", "charts.js", "table.js", "page.js")

_READS: Final = (0, 0.1, 0.2, 0.5, 1, 2, 3, 5, 8, 12, 16, 24, 32, 50, 75, 100, 200, 500, 1000)
_LINES: Final = tuple(bits / 8 for bits in (1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8))
_LINES_FAST: Final = tuple(bits / 8 for bits in (1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 1e11))
_RATES: Final = (0, *(step * 10**power for power in range(1, 6) for step in (1, 2, 5)), 1_000_000)


def render(
    results: Sequence[ResultData],
    *,
    reads: float | None = None,
    bandwidth: str | float | None = None,
    crossings: Crossings | None = None,
    baseline: str | None = None,
    sort: str | None = None,
    **other: Any,
) -> str:
    """Write results as one HTML page.

    Args:
        results: One or more results. Results of one machine share a table; machines are never mixed.
        reads: Initial position of the slider of reads per write.
        bandwidth: Initial position of the slider of the bandwidth.
        crossings: Whether payloads cross the network once, or once for each read, at first.
        baseline: Codec of the relative figures; the best of each column if not given.
        sort: Initial column to sort by, with "-" in front for the reverse order; "rank" by default.

    Raises:
        UsageError: An option that the page does not have, nothing to show, or the extra is missing.
    """
    if unknown := sorted(name for name, value in other.items() if value is not None):
        shown = ", ".join(key for key, spec in COLUMNS.items() if spec.page)
        raise UsageError(f"the page takes no {', '.join(unknown)}: it shows {shown} and sorts as you click")
    template = environment().get_template("page.html.j2")
    cost = CostModel.of(reads, bandwidth, crossings)
    results = [all_visible(result) for result in results]
    view = View.of(results, cost)
    found = view.corpora
    if not found:
        raise UsageError("nothing to show: no cell was measured; run `bakeoff run` again")
    table = page_table(view, baseline)
    charts = _Charts(found)
    sheets = _sheets(view)
    panels, answers = placed.panels(view), placed_answer.answers(view)
    costed = any(map(len, charts.points)) or not sheets
    state = {
        "views": [
            {
                "label": view.label,
                "machine": view.machine,
                "corpus": view.corpus.name,
                "unit": table.unit(n),
                "codecs": _judging(view.candidates),
            }
            for n, view in enumerate(found)
        ],
        "baselineRow": BASELINE,
        "baseline": baseline,
        "tie": Verdicts.TIE,
        "few": Processes.FEWEST,
        "session": [SESSION.deviation, SESSION.degrees],
        "axes": axes(),
        "plausible": PLAUSIBLE,
        "parts": PARTS,
        "alpha": [view.standing.alpha for view in found],
        "sort": _sorting(sort, table),
        "sliders": _sliders(cost),
        "charts": charts.live(panels),
    }
    scripts = "\n".join((TEMPLATES / name).read_text("utf-8") for name in _SCRIPTS)
    script = f'(() => {{\n"use strict";\n{scripts}\n}})();'
    return template.render(
        style=colors() + (TEMPLATES / "page.css").read_text("utf-8"),
        script=script,
        policy=policy(script),
        raw=embeddable([{"machine": m.label, **plain(m.result)} for m in view.machines]),
        state=embeddable(state),
        recommendation=_headline(found) if costed else [(one.place, one.words) for one in answers],
        headline=_SEVERAL if costed or not answers else placed_answer.headline(answers),
        costed=costed,
        sheets=sheets,
        placed=_placed(panels, charts),
        alarms=labelled([(m.label, m.alarms) for m in view.machines]),
        remarks=[*labelled([(m.label, m.remarks) for m in view.machines]), *view.version_differences],
        blocks=[
            {
                "label": m.label,
                "result": m.result,
                "facts": _facts(m.result),
                "machine": machine_facts(m.result.environment),
            }
            for m in view.machines
        ],
        profile_lines=profile_lines,
        type_name=type_name,
        explained=explained,
        views=found,
        groups=_groups(found),
        table=table,
        sliders=_sliders(cost),
        cost=cost,
        baseline=baseline,
        formula=FORMULA,
        charts=charts,
        fidelity=_fidelity(view),
        failures=_failures(found),
        losses=_losses(found),
        amount=amount,
    )


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


def _placed(panels: Sequence[placed.Panel], charts: _Charts) -> dict[str, list[dict[str, Any]]]:
    """Draw the cells measured in places, by place."""
    found: dict[str, list[dict[str, Any]]] = {}
    for panel in panels:
        picture = charts.still(bars_spec(panel.rows, charts.formats, PAGE, parts=True, width=500))
        drawn = {"heading": panel.heading, "words": panel.words, "picture": picture}
        found.setdefault(panel.place, []).append(drawn)
    return found


@cache
def environment() -> Environment:
    """Return what renders the templates.

    Raises:
        UsageError: The extra is missing.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise UsageError("the page needs the extra packages: pip install 'bakeoff[report]'") from error
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["ticked"] = _ticked
    return environment


def policy(script: str) -> str:
    """Return a policy that forbids everything the page does not do: it loads, sends and evaluates nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


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


class _Charts:
    """Everything that is drawn: still pictures for the first view, and data for the interactive ones."""

    def __init__(self, found: Sequence[CorpusView]) -> None:
        self.views = found
        self.points = [points(view) for view in found]
        operations = {name for view in found for candidate in view.candidates for name in candidate.cells}
        drawn = {name: chart for name, chart in found[0].charts.items() if name in operations}
        self.times = [name for name, chart in drawn.items() if chart.kind == "bars"]
        self.memory = [name for name, chart in drawn.items() if chart.kind == "memory"]
        self.headings = {name: chart.heading for name, chart in drawn.items()}
        self.directions = {name: found[0].operations[name].direction for name in drawn}
        self.formats = families(
            [candidate.facts.format or "unknown" for view in found for candidate in view.candidates]
        )
        # Bars and codecs without bars, of each view by its number and of each machine by its name.
        machines = {f"all {group['machine']}": [found[n] for n in group["views"]] for group in _groups(found)}
        names = (*self.times, *self.memory)
        self.panels = {
            name: {str(n): bars(view, name) for n, view in enumerate(found)}
            | {key: summary(views, name) for key, views in machines.items() if len(views) > 1}
            for name in names
        }
        self.unseen = {
            name: {str(n): unseen([view], name) for n, view in enumerate(found)}
            | {key: unseen(views, name) for key, views in machines.items()}
            for name in names
        }

    def live(self, panels: Sequence[placed.Panel]) -> dict[str, Any]:
        """Return the bars of every view, and the colors and shapes of formats."""
        return {
            "rows": self.panels,
            "unseen": self.unseen,
            "placed": [panel.rows for panel in panels],
            "looks": looks(self.formats, PAGE),
            "height": HEIGHT,
            "span": LEAST_SPAN,
        }

    def front_still(self) -> Any:
        """Draw size against cost of the first view."""
        rows = self.points[0]
        return self.still(front_spec(rows, self.formats, PAGE, width=1080)) if rows else ""

    def bars_still(self, operation: str) -> Any:
        """Draw the bars of the first view."""
        rows = self.panels[operation]["0"]
        return self.still(bars_spec(rows, self.formats, PAGE, width=500)) if rows else ""

    def still(self, spec: Mapping[str, Any]) -> Any:
        """Draw a specification."""
        from markupsafe import Markup

        # The library escapes text as XML; nothing else in the drawing comes from the results.
        return Markup(svg(spec))  # noqa: S704

    def front_words(self) -> str:
        """Describe size against cost for readers who cannot see it."""
        rows = sorted((row for row in self.points[0] if row["front"]), key=lambda row: float(row["size"]))
        parts = [
            f"{r['codec']} at {amount(r['size'], 'byte')} and {amount(r['cost'], 'second')}" for r in rows
        ]
        if not parts:
            return "No codec has both a size and a cost."
        return f"Nothing is both smaller and cheaper than: {'; '.join(parts)}."

    def edge_words(self) -> str:
        """Describe the line, or say that one codec needs none."""
        edge = [row["codec"] for row in self.points[0] if row["edge"]]
        if len(edge) == 1:
            return f"No codec is smaller than {edge[0]}, and none is cheaper."
        return "The line joins the codecs that nothing beats in both." if edge else ""

    def bars_words(self, operation: str) -> str:
        """Describe the bars: both ends and their number."""
        rows = self.panels[operation]["0"]
        if not rows:
            return f"{self.headings[operation]}: no figure."
        first, last = rows[0], rows[-1]
        return (
            f"{self.headings[operation]}: {len(rows)} bars from {first['codec']} ({first['label']}) "
            f"to {last['codec']} ({last['label']})."
        )


def _facts(result: ResultData) -> list[str]:
    """Return the line below the headline: what was measured, when, and for how long."""
    measured = {cell.cell.codec for cell in result.cells if cell.samples} - {BASELINE}
    used = {cell.cell.corpus for cell in result.cells}
    processes = max((len(cell.samples) for cell in result.cells), default=0)
    found = [_counted(len(measured), "codec", "codecs"), _counted(len(used), "corpus", "corpora")]
    if processes:
        found.append(_counted(processes, "process", "processes"))
    if result.duration:
        minutes, seconds = divmod(round(result.duration), 60)
        found.append(f"{minutes} min {seconds} s" if minutes else f"{seconds} s")
    if result.started:
        found.append(result.started.replace("T", " ")[:16])
    facts = {"cpu_model_name": "{}", "python_version": "Python {}"}
    return found + [
        text.format(result.environment[key]) for key, text in facts.items() if key in result.environment
    ]


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _fidelity(view: View) -> dict[str, Any]:
    """Return the types that each codec preserves, as declared by the codecs."""
    results = [machine.result for machine in view.machines]
    codecs = {codec.name: codec for result in results for codec in result.codecs if codec.preserves}
    tokens = dict.fromkeys(token for codec in codecs.values() for token in codec.preserves)
    common = {token for token in tokens if all(token in codec.preserves for codec in codecs.values())}
    return {
        "tokens": [token for token in tokens if token not in common],
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


def _headline(found: Sequence[CorpusView]) -> list[tuple[str, str]]:
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


def _ticked(text: str) -> Markup:
    """Mark text between backticks as code."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )
