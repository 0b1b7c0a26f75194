from collections.abc import Callable
from typing import Any

EXACT: bool

def trim() -> None: ...
def used() -> int: ...
def windows(
    call: Callable[[Any], object],
    items: list[Any],
    calls: int,
    count: int,
    failing: bool,
    beat: Callable[[], object],
    resident: Callable[[], int] | None = None,
) -> list[tuple[int, int]]: ...
