from collections.abc import Callable, Iterable
from typing import Any

class MisfitError(ValueError):
    reason: str
    path: str
    def __init__(self, reason: str, path: str = "") -> None: ...

class Step:
    def __call__(self, value: Any, /) -> Any: ...

class Call(Step):
    def __init__(self, function: Callable[[Any], Any], kind: type | None = None) -> None: ...

class Exact(Step):
    def __init__(self, kind: type) -> None: ...

class Bool(Step): ...

class Null(Step):
    def __init__(self, written: object = None) -> None: ...

class Int(Step):
    def __init__(self, bits: int = 64) -> None: ...

class Float(Step): ...

class Maybe(Step):
    def __init__(self, step: Step | None) -> None: ...

class Each(Step):
    def __init__(self, kind: type, step: Step | None, among: type | None = None) -> None: ...

class Items(Step):
    def __init__(self, key: Step | None, value: Step | None) -> None: ...

class ToPairs(Step):
    def __init__(
        self, key: Step | None, value: Step | None, names: tuple[str, str] = ("key", "value")
    ) -> None: ...

class FromPairs(ToPairs): ...

class Field:
    def __init__(
        self,
        key: str | int,
        name: str,
        step: Step | None,
        required: bool = True,
        null: str = "",
        attribute: str = "",
        kinds: Iterable[type] = (),
    ) -> None: ...

class Fields(Step):
    def __init__(
        self, fields: Iterable[Field], places: bool = False, build: Callable[..., Any] | None = None
    ) -> None: ...

class ToDict(Fields): ...
class FromDict(Fields): ...

class Options(Step):
    def __init__(self, options: Iterable[Field]) -> None: ...

class ToOption(Options): ...
class FromOption(Options): ...
