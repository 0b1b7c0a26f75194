from collections.abc import Callable, Iterable
from typing import Any

class PolicyError(ValueError): ...

class Rules:
    def __init__(
        self,
        *,
        max_items: int | None = None,
        max_text: int | None = None,
        max_digits: int | None = None,
        nonfinite: bool = True,
        surrogates: bool = True,
        big_integers: bool = True,
        foreign: Iterable[type] = (),
        inside: Callable[[Any], Any] | None = None,
    ) -> None: ...

def check_record(record: Any, rules: Rules) -> int: ...
