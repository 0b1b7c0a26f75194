"""The layout of an answer: labeled lines, each in the fullest wording that fits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Final

from ...bench.results import CorpusFacts
from ...escape import shortened, visible
from ..model import numbers
from ..model.answer import Safety
from ..model.breakeven import WinnerChange
from ..model.candidates import Candidate
from ..model.cost import CostModel
from ..model.table import Labelled, aligned
from ..model.turning import briefly, when

LINES: Final = 8
"""Most lines of an answer."""
WIDTH: Final = 80
"""Most columns of a line."""
SAFE: Final[dict[Safety, str]] = {
    "anyone": "yes, from anyone",
    "trusted": "no, for trusted data only",
    "unguarded": "no, for trusted data only",
    "unknown": "not known to bakeoff",
}
_RATE: Final = 1000
"""Records per second for which a saving is stated."""
_NAMES: Final = {"json/default": "json as usually called"}
"""Rows whose names do not say what they are."""

Line = tuple[str, Sequence[str | Labelled]]
"""A label, and wordings of the rest, the fullest first; one of several parts has its own labels."""


def fitted(lines: Iterable[Line]) -> tuple[Labelled, ...]:
    """Return each line in the fullest wording that fits; the last wording is cut if none does."""
    return tuple(_fitted(label, wordings) for label, wordings in lines)


def _fitted(label: str, wordings: Sequence[str | Labelled]) -> Labelled:
    from rich.cells import cell_len, set_cell_size

    line: Labelled = ()
    for words in wordings:
        parts = ((label, words),) if isinstance(words, str) else words
        line = tuple((name, visible(text)) for name, text in parts)
        if cell_len(aligned(line)) <= WIDTH:
            return line
    *kept, (name, last) = line
    room = max(1, WIDTH - 1 - cell_len(aligned((*kept, (name, "")))))
    return (*kept, (name, f"{set_cell_size(last, room).rstrip()}…"))


def records(corpus: CorpusFacts, tails: Sequence[str]) -> Line:
    """Describe the records of a corpus.

    Args:
        corpus: The corpus.
        tails: Wordings of what follows, the fullest first.
    """
    name = PurePath(corpus.source).name
    # The source of generated records, and of those of a function, is no file.
    of_it = name.startswith(corpus.name) or name.endswith(f":{corpus.name}")
    name = visible(name if of_it else corpus.name)
    head = [count(corpus), mean_size(corpus)] if corpus.records else []
    starts = [", ".join(filter(None, head)), *head[:1]] if head else [""]
    full = ["; ".join(filter(None, (start, end))) for start in starts for end in tails]
    return "", [f"{one}: {text}" for text in full for one in (name, shortened(name, 24))]


def count(corpus: CorpusFacts) -> str:
    """Write the number of measured records, and that of all."""
    if corpus.sample < corpus.records:
        return f"{corpus.sample:,} of {corpus.records:,} records"
    return "1 record" if corpus.records == 1 else f"all {corpus.records:,} records"


def mean_size(corpus: CorpusFacts) -> str:
    """Write the mean size of a record; nothing if it is unknown."""
    each = " each" * (corpus.records != 1)
    profile = corpus.profile
    if isinstance(mean := profile.get("batch_bytes_mean", profile.get("bytes_mean")), int | float):
        return f"{numbers.payload(round(mean))}{each} as JSON"
    if isinstance(large := profile.get("size_mean"), float):
        return f"{numbers.bytes_said(large)}{each} as pickles"
    return ""


def work(cost: CostModel, *, fixes: bool = False) -> str:
    """Say what is done for a cost: "to write and read a record".

    Args:
        cost: The weights.
        fixes: Whether a schema has something to fix after each read.
    """
    if cost.readers or math.isfinite(cost.bandwidth):
        return f"for {cost.sentence()}"
    if cost.reads == 0:
        return "to write a record"
    read = "read and fix" if fixes else "read"
    if cost.reads == 1:
        return f"to write, {read} a record" if fixes else "to write and read a record"
    return f"to write a record and {read} it {cost.reads:g} times"


def shown(name: str) -> str:
    """Return the name of a codec, or words for it."""
    return _NAMES.get(name, name)


def saving(name: str, more: float, cost: CostModel) -> Line:
    """Say what a codec saves against another one.

    Args:
        name: The other one.
        more: Seconds per record that it costs more.
        cost: The weights.
    """
    if cost.readers or math.isfinite(cost.bandwidth):
        return "worth", [f"{numbers.amount(more, 'second')} a record less than {shown(name)}"]
    cores = more * _RATE
    amount = f"{numbers.percent(cores)} of a core" if cores < 1 else f"{numbers.approximate(cores)} cores"
    return "worth", [f"{amount} less than {shown(name)} at {_RATE:,} records/s"]


def trust(safe: str, losses: Sequence[str], room: int = 2) -> list[Line]:
    """Return whose payloads are safe and what is lost, in two lines if there is room, and one needs them.

    Args:
        safe: Whose payloads are safe.
        losses: Wordings of what is lost, the fullest first.
        room: Lines left.
    """
    both = [(("safe", safe), ("loses", words)) for words in losses]
    if room < 2 or len(aligned(both[0])) <= WIDTH:
        return [("safe", both)]
    return [("safe", [safe]), ("loses", losses)]


def losses(codec: Candidate, here: str) -> list[str]:
    """Return wordings of what a codec loses here and elsewhere, the fullest first."""
    known = list(codec.facts.losses)
    if not known:
        return [here]
    count = len(known)
    more = f" and {count - 1} more" if count > 1 else ""
    return [
        f"{here}; elsewhere {'; '.join(known)}",
        f"{here}; elsewhere {known[0]}{more}",
        f"{here}; elsewhere {count} loss{'es' * (count > 1)}: `bakeoff codecs {codec.name}`",
        f"{here}; elsewhere {count} loss{'es' * (count > 1)}",
        here,
    ]


def unless(changes: Sequence[WinnerChange]) -> Line:
    """Say at which weights another codec is the answer."""
    brief = [f"{briefly(change)}: {change.winner}" for change in changes]
    fewer = [
        f"{'; '.join(brief[:count])}; and {len(brief) - count} more" for count in range(len(brief) - 1, 0, -1)
    ]
    full = "; ".join(f"{when(change)}: {change.winner}" for change in changes)
    return "unless", [full, "; ".join(brief), *fewer]
