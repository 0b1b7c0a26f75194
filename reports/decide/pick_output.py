"""Write a choice in plain words, and its arithmetic with ``--explain``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...escape import visible
from ..model import numbers
from ..model.cost import FORMULA
from ..model.lists import FEW_NAMES, listed, some
from ..model.merge import plain_name
from ..model.table import Column, Entry, Row, Section, Table
from ..tables import text
from ..tables.sentence import TIE_BREAKERS
from .pick import PickedCodec, explained

_INFER: Final = (
    "with a schema other codecs preserve {types} as well, and none was measured with one: "
    "`bakeoff run FILE --infer`, then pick again"
)


def render(
    choice: PickedCodec, *, explain: bool = False, width: int | None = None, color: bool = False
) -> str:
    """Write the choice, the reasons, and what would change it; the first line is the codec's name."""
    hint = [_INFER.format(types=listed(choice.wish.needs))] if choice.needs_schema else []
    lines = [plain_name(choice.winner.name), "", *hint, choice.sentence, *_body(choice, explain)]
    words = (
        "\n".join(visible(line) if line.strip() == line else f"  {visible(line)}" for line in lines) + "\n"
    )
    return f"{words}\n{_arithmetic(choice, width, color)}" if explain else words


def _body(choice: PickedCodec, explain: bool) -> Iterable[str]:
    """Yield the lines below the sentence: the first few names of each list, all with --explain."""
    lists = (choice.tied, choice.unresolved, choice.runners_up, choice.excluded)
    most = max(map(len, lists)) if explain else FEW_NAMES
    if choice.tied:
        yield f"at the same cost, and behind by the tie-breakers: {some(choice.tied, most)}"
    if choice.unresolved:
        rows = [
            f"{name} {numbers.ratio(found.value)} ({found.low:.2f} to {numbers.ratio(found.high)})"
            for name, found in choice.unresolved
        ]
        yield f"not distinguishable (run longer), times the lowest cost: {some(rows, most)}"
    if choice.runners_up:
        behind = [f"{name} {numbers.ratio(times)}" for name, times in choice.runners_up]
        yield f"runners-up, times its cost: {some(behind, most)}"
    if choice.breakeven:
        yield "what would change it:"
        yield from (f"  {sentence}" for sentence in choice.breakeven)
    if choice.excluded:
        yield "not considered:"
        yield from explained(dict(choice.excluded), most)
    if not explain and any(len(names) > FEW_NAMES + 1 for names in lists):
        yield "--explain names all"


def _arithmetic(choice: PickedCodec, width: int | None, color: bool) -> str:
    cost = choice.wish.cost
    totals = {name: parts.total(cost) for name, parts in choice.parts.items()}
    factor, unit = numbers.scale(totals.values(), "second")
    columns = (
        Column("codec", "codec", numeric=False),
        *(
            Column(key, key, unit=f"{unit}/record", direction="lower", raw_unit="second")
            for key in ("dump", "reads", "line", "cost")
        ),
        Column("cost:x", "cost ×", unit=choice.winner.name, direction="lower", raw_unit="ratio"),
    )
    rows = [_row(name, choice, totals, factor) for name in totals]
    corpora = ", ".join(f"{c.name} ({c.sample:,} of {c.records:,} records)" for c in choice.corpora)
    lines = [f"cost = {FORMULA}: {cost.sentence()}", f"measured on {corpora}"]
    if len(choice.corpora) > 1:
        lines.append("each corpus weighted by its typical dump + load, so that big records do not count more")
    lines.append(f"ties are broken by: {'; '.join(TIE_BREAKERS)}")
    section = Section("how the cost comes about", columns, tuple(rows), lines=tuple(lines))
    return text.render(Table((section,)), width=width, color=color)


def _row(name: str, choice: PickedCodec, totals: dict[str, float], factor: float) -> Row:
    parts, cost = choice.parts[name], choice.wish.cost
    values = {
        "dump": parts.dump,
        "reads": cost.reads * parts.read,
        "line": parts.size / cost.throughput,
        "cost": totals[name],
    }
    entries = {key: Entry(numbers.quantity(value * factor), value) for key, value in values.items()}
    times = totals[name] / totals[choice.winner.name]
    entries |= {"codec": Entry(name, name), "cost:x": Entry(numbers.ratio(times), times)}
    return Row(name, entries)
