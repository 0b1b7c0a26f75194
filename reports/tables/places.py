"""Choose the tables for cells measured in places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from ...errors import UsageError
from ..model.placed import PIPELINE, STORES, Group
from ..model.table import Section, Table
from ..model.view import MachineView, View


def sections(machine: MachineView, kinds: Collection[str] = ()) -> Iterator[Section]:
    """Yield the tables of one machine; the last one is followed by the conclusions, place by place.

    Args:
        machine: The results of the machine.
        kinds: Only these kinds of groups; all by default.
    """
    found = [
        section
        for group in machine.placed
        if not kinds or group.kind in kinds
        for section in _tables(group.kind)(group, machine.titled(group.corpus.name))
    ]
    if found:
        from .placed_answer import answers_on

        lines = (f"{answer.place}: {answer.words}" for answer in answers_on(machine))
        found[-1] = replace(found[-1], answer=tuple(lines))
    yield from found


def _tables(kind: str) -> Callable[[Group, str], Iterator[Section]]:
    """Return the tables for our operations; those of other packages share one table.

    Most results have none, so none is imported in advance.
    """
    if kind == STORES:
        from .stores import sections as found
    elif kind == PIPELINE:
        from .pipeline import sections as found
    else:
        from .placed import sections as found
    return found


def build(view: View, kind: str) -> Table:
    """Build the tables of one kind of places.

    Raises:
        UsageError: Nothing was measured there.
    """
    found = [section for machine in view.machines for section in sections(machine, (kind,))]
    if not found:
        where = "a store" if kind == STORES else "a pipeline"
        raise UsageError(f"nothing to show: nothing was measured in {where}; run `bakeoff {kind}` first")
    return view.table([*(each for machine in view.machines for each in answers(machine, (kind,))), *found])


def answers(machine: MachineView, kinds: Collection[str] = (STORES, PIPELINE)) -> Iterator[Section]:
    """Yield the answers of one machine, which stand above its tables.

    Args:
        machine: The results of the machine.
        kinds: The kinds of groups.
    """
    present = {group.kind for group in machine.placed}
    if present.isdisjoint(kinds):
        return
    from .opening_placed import openings

    for kind in kinds:
        for name, lines in openings(machine, kind):
            yield Section(machine.titled(name), (), (), opening=lines)
