"""Write a choice in plain words, and its arithmetic with ``--explain``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...bench.stats import Ratio
from ...escape import Styled, visible
from ..model import numbers
from ..model.cost import FORMULA, rate_text
from ..model.lists import FEW_NAMES, listed, some
from ..model.names import plain_name
from ..model.prices import YEAR, Prices, YearlyCost
from ..model.table import EMPTY, Column, Entry, Row, Section, Table
from ..tables import text
from ..tables.block import count
from ..tables.sentence import TIE_BREAKERS
from .excluded import explained
from .pick import PickedCodec
from .pick_opening import opening

_INFER: Final = (
    "with a schema other codecs preserve {types} as well, and none was measured with one: "
    "`bakeoff run FILE --infer`, then pick again"
)


def render(
    choice: PickedCodec, *, explain: bool = False, width: int | None = None, color: bool = False
) -> str:
    """Write the codec's name, an empty line, and the reasons."""
    why = reasons(choice, explain=explain, width=width, color=color)
    return Styled.joined([f"{plain_name(choice.winner.name)}\n\n", why])


def reasons(
    choice: PickedCodec,
    further: Iterable[str] = (),
    *,
    explain: bool = False,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Write the answer, the reasons for the choice, and what would change it.

    Args:
        choice: The choice.
        further: Lines below the reasons.
        explain: Whether to show all names, and how the cost comes about.
        width: Columns of the terminal; None for no limit.
        color: Whether to write colors.
    """
    hint = [_INFER.format(types=listed(choice.requirements.needs))] if choice.needs_schema else []
    block = Section("", (), (), opening=opening(choice)).opening_lines
    below = [
        visible(line) if line.strip() == line else f"  {visible(line)}"
        for line in [*_body(choice, explain), *further]
    ]
    words = "\n".join([*map(visible, hint), *block, *[""] * bool(below), *below]) + "\n"
    if prices := choice.requirements.prices:
        return Styled.joined([words, "\n", _prices(choice, prices, explain, width, color)])
    return Styled.joined([words, "\n", _arithmetic(choice, width, color)]) if explain else words


def _body(choice: PickedCodec, explain: bool) -> Iterable[str]:
    """Yield the lines below the answer: the first few names of each list, all with --explain."""
    lists = (choice.tied, choice.unresolved, choice.runners_up, choice.excluded)
    most = max(map(len, lists)) if explain else FEW_NAMES
    if choice.merits:
        yield "; ".join(choice.merits)
    if choice.unresolved:
        rows = [f"{name} {_times(found)}" for name, found in choice.unresolved]
        yield f"not distinguishable, times the lowest cost: {some(rows, most)}"
        if choice.longer:
            yield choice.longer
    if explain:
        yield from _explained(choice)
    if choice.excluded:
        yield "not considered:"
        yield from explained(dict(choice.excluded), most)
    if not explain and any(len(names) > FEW_NAMES + 1 for names in lists):
        yield "--explain names all"


def _times(found: Ratio) -> str:
    """Write a ratio with its interval, if there is one: "1.02× (0.97 to 1.07×)"."""
    times = numbers.ratio(found.value)
    return f"{times} ({found.low:.2f} to {numbers.ratio(found.high)})" if found.known else times


def _explained(choice: PickedCodec) -> Iterable[str]:
    """Yield all codecs that tie or come later, and from where to where others win."""
    if choice.tied:
        yield f"at the same cost, and behind by the tie-breakers: {', '.join(choice.tied)}"
    if choice.runners_up:
        behind = [f"{name} {numbers.ratio(times)}" for name, times in choice.runners_up]
        yield f"runners-up, times its cost: {', '.join(behind)}"
    if choice.breakeven:
        yield "what would change it:"
        yield from (f"  {sentence}" for sentence in choice.breakeven)


_MEANS: Final = "each figure is a mean over processes, that of the cost of their sums"


def _arithmetic(choice: PickedCodec, width: int | None, color: bool) -> str:
    cost = choice.requirements.cost
    totals = {name: choice.standing.costs[name].value for name in choice.parts}
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
    lines = (f"cost = {FORMULA}: {cost.sentence()}", *_conditions(choice), _MEANS)
    section = Section("how the cost comes about", columns, tuple(rows), lines=lines)
    return text.render(Table((section,)), width=width, color=color)


def _conditions(choice: PickedCodec) -> Iterable[str]:
    """Yield what else the choice rests on."""
    corpora = ", ".join(f"{c.name} ({count(c)})" for c in choice.corpora)
    yield f"measured on {corpora}"
    if len(choice.corpora) > 1 and choice.yearly:
        yield "each corpus has an equal share of the records"
    elif len(choice.corpora) > 1:
        yield "each corpus weighted by its typical dump + load, so that big records do not count more"
    yield f"ties are broken by: {'; '.join(TIE_BREAKERS)}"


_PRICED: Final = 5
"""Codecs in the table of prices before the others are counted."""


def _prices(choice: PickedCodec, prices: Prices, explain: bool, width: int | None, color: bool) -> str:
    """Lay out cores, gigabytes and prices of the cheapest codecs, all with --explain."""
    columns = (
        Column("rank", "rank"),
        Column("codec", "codec", numeric=False),
        Column("writer", "writer", unit="cores"),
        Column("readers", "readers", unit="cores"),
        Column("gigabytes", "network", unit="GB/year"),
        Column("cores_price", "cores", unit="a year"),
        Column("network_price", "network", unit="a year"),
        Column("price", "price", unit="a year", direction="lower"),
        Column("interval", "95 % interval"),
    )
    compared = {choice.winner.name, *([choice.saving.cheaper, choice.saving.other] if choice.saving else [])}
    shown = [n for at, n in enumerate(choice.yearly) if explain or at < _PRICED or n in compared]
    lines = tuple(_price_lines(choice)) if explain else ()
    rest = len(choice.yearly) - len(shown)
    notes = (f"{rest} more codecs: --explain",) if rest else ()
    rows = tuple(_price_row(name, choice.yearly[name]) for name in shown)
    title = f"price of a year, at {prices.core_year:g} for a core and {prices.gigabyte:g} for a gigabyte"
    section = Section(title, columns, rows, lines=lines)
    return text.render(Table((section,), notes=notes), width=width, color=color)


def _price_row(name: str, found: YearlyCost) -> Row:
    half = found.half
    keys = ("writer", "readers", "gigabytes", "cores_price", "network_price")
    entries = {key: Entry(numbers.quantity(getattr(found, key)), getattr(found, key)) for key in keys}
    if not found.gigabytes:
        entries["gigabytes"] = EMPTY  # sizes may not have been measured
    ends = ""
    if found.low is not None and found.high is not None:
        places = numbers.decimals(found.price, half)
        ends = f"{numbers.grouped(found.low, places)} to {numbers.grouped(found.high, places)}"
    entries |= {
        "rank": Entry(found.rank.text, found.rank.first),
        "codec": Entry(name, name),
        "price": Entry(found.text, found.price, found.low, found.high),
        "interval": Entry(ends),
    }
    return Row(name, entries)


def _price_lines(choice: PickedCodec) -> Iterable[str]:
    """Yield the formulas, with the numbers of the winner."""
    requirements, parts, found = (
        choice.requirements,
        choice.parts[choice.winner.name],
        choice.yearly[choice.winner.name],
    )
    if requirements.prices is None or requirements.rate is None:
        return
    cost, prices, rate = requirements.cost, requirements.prices, f"{rate_text(requirements.rate)}/s"
    dump, read = (numbers.amount(seconds, "second") for seconds in (parts.dump, parts.read))
    cores, sent = numbers.quantity(found.writer + found.readers), numbers.quantity(found.gigabytes)
    sums = {
        "cores = rate × (dump + reads × (load + fix))": (
            f"{rate} × ({dump} + {cost.reads:g} × {read}) = {cores}"
        ),
        "gigabytes = rate × year × crossings × bytes / 10⁹": (
            f"{rate} × {YEAR:,} s × {cost.transfers:g} × {parts.size:,.0f} / 10⁹ = {sent}"
        ),
        "price = cores × core-year + gigabytes × gigabyte": (
            f"{cores} × {prices.core_year:g} + {sent} × {prices.gigabyte:g} = {found.text}"
        ),
    }
    yield from (f"{formula}; for {choice.winner.name} {worked}" for formula, worked in sums.items())
    yield from _conditions(choice)


def _row(name: str, choice: PickedCodec, totals: dict[str, float], factor: float) -> Row:
    parts, cost = choice.parts[name], choice.requirements.cost
    values = {
        "dump": parts.dump,
        "reads": cost.reads * parts.read,
        "line": parts.size / cost.throughput,
        "cost": totals[name],
    }
    entries = {key: Entry(numbers.quantity(value * factor), value) for key, value in values.items()}
    times = choice.standing.times(name, choice.winner.name)
    entries |= {"codec": Entry(name, name), "cost:x": Entry(numbers.ratio(times), times)}
    return Row(name, entries)
