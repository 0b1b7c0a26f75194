"""The content of a report, computed once: machines, their corpora, and the ranked codecs on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...bench.results import WANTED, CorpusFacts, Fact, ResultData
from .answer import CorpusAnswer
from .candidates import BASELINE, Candidate, Standing, candidates_on, corpora, standing_on
from .columns import Chart, ColumnSpec, columns
from .cost import CostModel
from .environment import alarms, notes, remarks, version_differences
from .merge import machines
from .placed import Group, groups
from .reading import Reading, reading_of
from .table import Section, Table, labelled


@dataclass(frozen=True)
class CorpusView:
    """One corpus on one machine: the unit of ranking.

    Attributes:
        machine: Label of the machine; empty if there is only one.
        result: The result of that machine.
        corpus: The corpus.
        candidates: All measured codecs, including the baseline.
        cost: The cost model of the ranking.
        columns: All possible columns, by key.
    """

    machine: str
    result: ResultData
    corpus: CorpusFacts
    candidates: tuple[Candidate, ...]
    cost: CostModel
    columns: Mapping[str, ColumnSpec]

    @property
    def label(self) -> str:
        """The corpus, with its machine if there are several."""
        return f"{self.corpus.name} · {self.machine}" if self.machine else self.corpus.name

    @cached_property
    def codecs(self) -> tuple[Candidate, ...]:
        """The candidates without the baseline."""
        return tuple(candidate for candidate in self.candidates if candidate.name != BASELINE)

    @cached_property
    def standing(self) -> Standing:
        """The ranking of the codecs by cost."""
        return standing_on(self.result, self.corpus.name, self.candidates, self.cost)

    @cached_property
    def answer(self) -> CorpusAnswer:
        """What the ranking says."""
        return CorpusAnswer(self)

    @cached_property
    def reading(self) -> Reading | None:
        """What readers in other languages made of the payloads; None if none were read."""
        return reading_of(self.codecs, self.standing.costs)

    @cached_property
    def operations(self) -> Mapping[str, ColumnSpec]:
        """The facts of each operation's figures."""
        specs = self.columns.values()
        return {spec.operations[0]: spec for spec in specs if len(spec.operations) == 1 and not spec.fact}

    @property
    def charts(self) -> Mapping[str, Chart]:
        """The possible bar charts, by operation."""
        return {name: spec.chart for name, spec in self.operations.items() if spec.chart}


@dataclass(frozen=True)
class MachineView:
    """The results of one machine.

    Attributes:
        label: Empty if there is only one machine.
        result: Its merged result.
        corpora: Corpora with measurements.
    """

    label: str
    result: ResultData
    corpora: tuple[CorpusView, ...]

    @cached_property
    def placed(self) -> list[Group]:
        """The cells measured in places."""
        return groups(self.result)

    @property
    def alarms(self) -> list[str]:
        """The ways in which the run was not an ordinary one."""
        return alarms(self.result)

    @property
    def remarks(self) -> list[str]:
        """Reasons for wider intervals than necessary, and whether the ranks are known in spite of them."""
        return [self._with_ranks(text) for text in remarks(self.result)]

    def _with_ranks(self, text: str) -> str:
        """Say after a warning that the precision was not reached what is known in spite of that."""
        for view in self.corpora:
            if not view.standing.costs:
                continue  # as in stores: nothing is ranked by this cost
            name = f"{view.corpus.name}: "
            if text.startswith(f"{name}{WANTED}"):
                return "; ".join(filter(None, (text, _known(view))))
            if text.startswith(f"{name}±"):
                # Earlier runs did not say what was reached.
                wanted = self.result.options.get("precision")
                return "; ".join(filter(None, (text, _widest(view, wanted), _known(view))))
        return text

    def titled(self, name: str) -> str:
        """Return a title with the machine before it if there are several."""
        return f"{self.label}: {name}" if self.label else name


@dataclass(frozen=True)
class View:
    """The content of a report on some results.

    Attributes:
        results: The original results.
        machines: The same by machine; several results of one machine are merged.
        cost: The cost model of rankings.
        columns: All possible columns, by key, in the order of a table.
    """

    results: tuple[ResultData, ...]
    machines: tuple[MachineView, ...]
    cost: CostModel
    columns: Mapping[str, ColumnSpec]

    @classmethod
    def of(cls, results: Sequence[ResultData], cost: CostModel | None = None) -> View:
        """Return the view of one or more results.

        Args:
            results: The results.
            cost: The cost model of rankings; the default cost if not given.
        """
        blocks, cost = machines(results), cost or CostModel()
        known = columns(result for _, result in blocks)
        found = tuple(_machine(label, result, cost, known) for label, result in blocks)
        return cls(tuple(results), found, cost, known)

    @property
    def version_differences(self) -> list[str]:
        """The libraries whose versions differ between machines, in a line; none if there are none."""
        return version_differences((machine.label, machine.result) for machine in self.machines)

    @property
    def corpora(self) -> list[CorpusView]:
        """The corpora of all machines."""
        return [corpus for machine in self.machines for corpus in machine.corpora]

    @cached_property
    def files(self) -> list[MachineView]:
        """Each result separately."""
        known = {id(machine.result): machine for machine in self.machines}
        return [known.get(id(r)) or _machine("", r, self.cost, self.columns) for r in self.results]

    def table(self, sections: Iterable[Section], recommendation: str = "", **meta: Any) -> Table:
        """Return sections as a table, with the conditions of the runs.

        Args:
            sections: Its parts.
            recommendation: One sentence, or one for each machine.
            **meta: Further plain values for JSON.
        """
        return Table(
            sections=tuple(sections),
            warnings=labelled([(m.label, [*m.alarms, *m.remarks]) for m in self.machines]),
            notes=(
                *self.version_differences,
                *labelled([(m.label, notes(m.result)) for m in self.machines]),
            ),
            recommendation=recommendation,
            meta={
                "commands": [result.command for result in self.results],
                "environments": [dict(result.environment) for result in self.results],
                "options": [dict(result.options) for result in self.results],
                **meta,
            },
        )


def _machine(label: str, result: ResultData, cost: CostModel, known: Mapping[str, ColumnSpec]) -> MachineView:
    found = (
        CorpusView(label, result, corpus, candidates, cost, known)
        for corpus in corpora(result)
        if (candidates := tuple(candidates_on(result, corpus.name)))
    )
    return MachineView(label, result, tuple(found))


def _known(view: CorpusView) -> str:
    """Say whether the ranks are known; nothing if there are none."""
    if not view.standing.costs:
        return ""
    if "unresolved" not in {view.standing.verdict(name) for name in view.standing.costs}:
        return "the ranks hold"
    return "the answer holds, not all ranks" if view.answer.decided else "not all ranks are known"


def _widest(view: CorpusView, wanted: Fact) -> str:
    """Say how well the cost is known that is known least, of the codecs whose ranks are not.

    Nothing is said if it is known as well as was wanted, so that only other figures were not.
    """
    halves = {
        name: found.half / found.value
        for name, found in view.standing.costs.items()
        if found.half is not None and found.value and view.standing.verdict(name) == "unresolved"
    }
    if not halves or (isinstance(wanted, float) and max(halves.values()) <= wanted):
        return ""
    codec = max(halves, key=halves.__getitem__)
    return f"the cost of {codec} is known to ±{100 * halves[codec]:.1f} %"
