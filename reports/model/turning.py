"""The words for the weights at which another codec is the answer.

`reports/page/templates/page.js` has the same words.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .breakeven import WinnerChange, span
from .cost import bandwidth_text


def sentence(change: WinnerChange) -> str:
    """Write a change: "bson wins if you read more than 2.74 times per write (undecided from 2.53)"."""
    return f"{change.winner} wins if {when(change)}{_undecided(change)}"


def when(change: WinnerChange) -> str:
    """Write the weights at which the other codec is known to cost less: "you read 2 to 9 times per write"."""
    axis, until = change.axis, change.until
    about = "about " * (until == change.end)
    if axis.weight == "reads":
        return f"you read {about}{_reads(change)}"
    ends = sorted((change.end, change.end if until is None else until))
    if axis.weight == "line":
        if until is None:
            than = bandwidth_text(change.end / 8)
            return f"the network is {'faster' if change.above else 'slower'} than {than}"
        return f"the network has {about}{axis.text(*ends)}"
    side = f"{'more' if change.above else 'less'} than " * (until is None)
    return f"a gigabyte costs {about}{side}{span(*(f'{end:,g}' for end in ends))}"


def briefly(change: WinnerChange) -> str:
    """Write the same in few words: "above 2.74 reads per write"."""
    axis, end, until = change.axis, change.end, change.until
    if until is not None:
        return axis.text(*sorted((end, until)))
    if axis.weight == "reads" and end < 1 and not change.above:
        return f"less than 1 read per {_rounded(1 / end, math.ceil):,g} writes"
    return f"{'above' if change.above else 'below'} {axis.text(end, end)}"


def _undecided(change: WinnerChange) -> str:
    """Write from where on the present answer is not known to cost less, in parentheses."""
    axis, start = change.axis, change.start
    if not 0 < start < math.inf or start == change.end:
        return ""
    if axis.weight == "line":
        return f" (undecided from {bandwidth_text(start / 8)})"
    if axis.weight == "reads" and start < 1 and not change.above:
        return f" (undecided from once per {_rounded(1 / start, math.floor):,g} writes)"
    times = " times" * (axis.weight == "reads" and change.end < 1 and not change.above)
    return f" (undecided from {start:,g}{times})"


def _reads(change: WinnerChange) -> str:
    """Write some reads per write; fewer than one as writes per read."""
    end, until = change.end, change.until
    few = end < 1 and not change.above
    if until is None:
        if few:
            return f"less than once per {_rounded(1 / end, math.ceil):,g} writes"
        return f"{'more' if change.above else 'less'} than {end:,g} times per write"
    fewest, most = _rounded(1 / end, math.ceil), _rounded(1 / until, math.floor)
    if few and fewest <= most:
        return f"once per {span(f'{fewest:,g}', f'{most:,g}')} writes"
    return f"{span(*(f'{one:,g}' for one in sorted((end, until))))} times per write"


def _rounded(value: float, way: Callable[[float], int]) -> float:
    """Round to two digits so that a sentence about all numbers beyond stays true."""
    exponent = math.floor(math.log10(value)) - 1
    return float(f"{way(float(f'{value:.9g}') / 10.0**exponent)}e{exponent}")
