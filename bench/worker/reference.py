"""The reference kernel of every round, which makes absolute times independent of the clock rate."""

from __future__ import annotations

ITEMS = [40] * 64
"""The kernel's argument."""


def kernel(size: int) -> list[object]:
    """Do a small amount of typical codec work: format numbers, join texts, build dictionaries, and free them.

    Args:
        size: Amount of work; a call with 40 takes about 10 µs.
    """
    texts = [str(number) for number in range(size)]
    table = {text: [text, number] for number, text in enumerate(texts)}
    return [",".join(texts), table]
