from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

class OverrunError(Exception): ...

class Advice:
    path: str
    code: str
    expected: str
    found: str
    value: Any
    outcome: str
    severity: str
    __match_args__: tuple[str, ...]
    def __init__(
        self,
        path: str,
        code: str,
        expected: str,
        found: str,
        value: Any,
        outcome: str,
        severity: str = "error",
    ) -> None: ...

class Step: ...

class ExactLeaf(Step):
    def __init__(self, expected: str, kind: type, *, quiet: bool = False) -> None: ...

class CallLeaf(Step):
    def __init__(
        self,
        expected: str,
        kind: type,
        function: Callable[[Any], Any],
        *,
        forms: tuple[type, ...] = ...,
        quiet: bool = False,
    ) -> None: ...

class BoolLeaf(Step):
    def __init__(self, expected: str, *, quiet: bool = False) -> None: ...

class NoneLeaf(Step):
    def __init__(self, expected: str, null: str | None = None, *, quiet: bool = False) -> None: ...

class IntLeaf(Step):
    def __init__(self, expected: str, digits: int, *, key: bool = False, quiet: bool = False) -> None: ...

class FloatLeaf(Step):
    def __init__(self, expected: str, *, quiet: bool = False) -> None: ...

class StrLeaf(Step):
    def __init__(self, expected: str, *, quiet: bool = False) -> None: ...

class BytesLeaf(Step):
    def __init__(
        self, expected: str, kind: type, function: Callable[[str], bytes], limit: int, *, quiet: bool = False
    ) -> None: ...

class DateTimeLeaf(Step):
    def __init__(
        self,
        expected: str,
        unit: Callable[[float], Any] | None = None,
        *,
        naive: bool = False,
        aware: bool | None = None,
        quiet: bool = False,
    ) -> None: ...

class DateLeaf(Step):
    def __init__(self, expected: str, *, quiet: bool = False) -> None: ...

class DecimalLeaf(Step):
    def __init__(
        self,
        expected: str,
        digits: int,
        exponent: int,
        *,
        float_form: bool,
        quiet: bool = False,
    ) -> None: ...

class UUIDLeaf(Step):
    def __init__(self, expected: str, *, quiet: bool = False) -> None: ...

class EnumLeaf(Step):
    def __init__(
        self,
        expected: str,
        kind: type,
        members: Mapping[tuple[type, Any], Enum],
        *,
        bits: int | None = None,
        number: IntLeaf | None = None,
        quiet: bool = False,
    ) -> None: ...

class LiteralLeaf(Step):
    def __init__(
        self, expected: str, values: tuple[Any, ...], texts: dict[str, Any], *, quiet: bool = False
    ) -> None: ...

class OptionalStep(Step):
    def __init__(self, expected: str, inner: Step, null: str | None = None) -> None: ...

class UnionStep(Step):
    def __init__(
        self, expected: str, options: list[Step], null: str | None = None, *, quiet: bool = False
    ) -> None: ...

class ListStep(Step):
    def __init__(self, expected: str, item: Step | None = None, *, quiet: bool = False) -> None: ...

class TupleStep(Step):
    def __init__(
        self,
        expected: str,
        item: Step | None = None,
        places: list[Step | None] | None = None,
        *,
        quiet: bool = False,
    ) -> None: ...

class SetStep(Step):
    def __init__(
        self, expected: str, kind: type, item: Step | None = None, *, quiet: bool = False
    ) -> None: ...

class DictStep(Step):
    def __init__(self, expected: str, key: Step | None, value: Step | None, limit: int) -> None: ...

class RecordStep(Step):
    def __init__(
        self,
        expected: str,
        fields: tuple[tuple[str, Step | None, bool, str], ...],
        *,
        positional: bool = False,
        build: Callable[[dict[str, Any]], Any] | None = None,
        kind: type | None = None,
        full: bool = True,
        tags: tuple[tuple[int, str, Step], ...] = (),
    ) -> None: ...

class RefStep(Step):
    def __init__(self, expected: str) -> None: ...
    def bind(self, step: Step) -> None: ...

class Plan:
    def __init__(self, step: Step, first: int, nodes: int, cap: int) -> None: ...
    def apply(self, record: Any, /) -> Any: ...
    def advise(self, record: Any, /) -> tuple[Any, list[Advice]]: ...
