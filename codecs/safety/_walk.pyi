from collections.abc import Callable, Iterable
from typing import Any, Literal

class Rules:
    def __init__(
        self,
        *,
        max_items: int | None = None,
        max_text: int | None = None,
        max_digits: int | None = None,
        nonfinite: bool = True,
        surrogates: bool = True,
        integer_bits: Literal[63, 64] | None = None,
        foreign: Iterable[type] = (),
        keys: Callable[[dict[Any, Any]], None] | None = None,
        inside: Callable[[Any], Any] | None = None,
    ) -> None: ...

def check_record(record: Any, rules: Rules) -> int: ...
