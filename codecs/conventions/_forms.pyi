import datetime as dt
from collections.abc import Callable
from typing import Any

class Forms:
    def __init__(
        self,
        write: dict[type, Callable[[Any], Any]],
        found: dict[type, Callable[[Any], Any]],
        named: set[type],
        other: Callable[[Any], Any],
        doubt: Callable[[], None] | None = None,
        exact: Callable[[Any], Any] | None = None,
    ) -> None: ...
    def leaf(self, value: Any, /) -> Any: ...

class Rewriter:
    def __init__(
        self,
        form_of: Callable[[type], Callable[[Any], Any] | None],
        fields_of: Callable[[type], tuple[str, ...] | None],
        opened: Callable[[Any], Any],
    ) -> None: ...
    def rewrite(self, record: Any, /) -> Any: ...
    def forget(self) -> None: ...

def base64_text(value: bytes | bytearray | memoryview, /) -> str: ...
def utc_or_text(value: dt.datetime, /) -> Any: ...

class KeyedEncoder:
    def __init__(
        self,
        encode: Callable[..., Any],
        arguments: tuple[Any, ...],
        others: Callable[[dict[Any, Any]], bool],
        content: Callable[[Any], Any],
    ) -> None: ...
    def encode(self, record: Any, /) -> Any: ...
