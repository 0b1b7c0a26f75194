from collections.abc import Callable, Iterable, Mapping
from typing import Any

class MisfitError(ValueError):
    reason: str
    path: str
    def __init__(self, reason: str, path: str = "") -> None: ...

class Step:
    def __call__(self, value: Any, /) -> Any: ...

class Within(Step):
    step: Step | None

class Call(Step):
    def __init__(self, function: Callable[[Any], Any], kind: type | None = None) -> None: ...

class Exact(Step):
    def __init__(self, kind: type) -> None: ...

class Bool(Step): ...

class Null(Step):
    def __init__(self, written: object = None) -> None: ...

class Int(Step):
    def __init__(self, bits: int = 64) -> None: ...

class Float(Step):
    def __init__(self, bits: int = 64) -> None: ...

class Maybe(Step):
    def __init__(self, step: Step | None) -> None: ...

class Each(Step):
    def __init__(self, kind: type, step: Step | None, among: type | None = None) -> None: ...

class Items(Step):
    def __init__(self, key: Step | None, value: Step | None, distinct: bool = False) -> None: ...

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
        kinds: Iterable[type] = (),
        absent: object = None,
    ) -> None: ...

class Fields(Step):
    def __init__(
        self, fields: Iterable[Field], places: bool = False, build: Callable[..., Any] | None = None
    ) -> None: ...

class ToDict(Fields): ...
class FromDict(Fields): ...

class Options(Step):
    def __init__(self, options: Iterable[Field]) -> None: ...

class FromOption(Options): ...

class ToBranch(Step):
    def __init__(self, name: str, step: Step | None, null: tuple[str, None] | None = None) -> None: ...

class ToBranches(Options):
    def __init__(self, options: Iterable[Field], null: tuple[str, None] | None = None) -> None: ...

class FromBranch(Step):
    def __init__(self, step: Step | None) -> None: ...

class FromBranches(Step):
    def __init__(self, named: Mapping[str, Step | None], typed: Mapping[type, Step | None]) -> None: ...

class Wrap(Step):
    def __init__(self, name: str, step: Step | None) -> None: ...

class Unwrap(Wrap): ...

# _thrift.pxi

class ToRow(Fields): ...

class ToOptionRow(Options):
    def __init__(self, options: Iterable[Field], names: Iterable[str]) -> None: ...

class ToBox(Step):
    def __init__(self, step: Step | None, name: str) -> None: ...

class FromBox(ToBox): ...
class FromFields(FromDict): ...

class Making:
    def __init__(self, step: Step) -> None: ...
    def __call__(self, cls: type, /, **fields: Any) -> Any: ...

class Text(Step): ...

class Chain(Step):
    def __init__(self, first: Step | None, second: Step | None) -> None: ...

class Column:
    nulls: bool
    gaps: bool

class Nulls(Column): ...
class Bits(Column): ...

class Numbers(Column):
    def __init__(
        self, form: str, to: Step | None, back: Step | None = None, floats: bool = False
    ) -> None: ...

class Texts(Column):
    def __init__(self, text: bool, large: bool, to: Step | None, back: Step | None = None) -> None: ...

class Blocks(Column):
    def __init__(self, width: int, to: Step | None, back: Step | None = None) -> None: ...

class Known(Column):
    def __init__(self, form: str, values: Column) -> None: ...

class Lists(Column):
    def __init__(
        self, item: Column, kind: type, large: bool = False, fixed: int = -1, hashed: bool = False
    ) -> None: ...

class Maps(Lists):
    def __init__(self, key: Column, value: Column, large: bool = False, hashed: bool = False) -> None: ...

class Structs(Column):
    def __init__(
        self, fields: Fields, columns: Iterable[Column], children: Iterable[tuple[int, int]]
    ) -> None: ...

class Choices(Column):
    def __init__(
        self, options: Iterable[Field], columns: Iterable[Column], children: Iterable[int]
    ) -> None: ...

class Alone(Column):
    def __init__(self, column: Column) -> None: ...

class ToBatch(Step):
    def __init__(self, column: Column, kind: type | None, take: Callable[[int], Any]) -> None: ...

class FromBatches(Step):
    def __init__(self, column: Column, kind: type | None, hashed: bool = False) -> None: ...

# Of `_protobuf.pxi`.

class Into: ...

class Put:
    def __init__(self, name: str) -> None: ...

class PutLeaf(Put):
    def __init__(self, name: str, step: Step | None, exact: type | None = None) -> None: ...

class PutNothing(Put): ...

class PutMessage(Put):
    def __init__(self, name: str, inside: Into, mark: Callable[[Any], None] | None = None) -> None: ...

class PutValues(PutLeaf):
    def __init__(
        self,
        name: str,
        step: Step | None,
        exact: type | None,
        among: type | None,
        extend: Callable[[Any, list[Any]], None],
    ) -> None: ...

class PutMessages(Put):
    def __init__(self, name: str, inside: Into, among: type | None, add: Callable[[Any], Any]) -> None: ...

class PutItems(Put):
    def __init__(
        self, name: str, key: Step | None, value: Step | None = None, inside: Into | None = None
    ) -> None: ...

class Part(Field):
    def __init__(
        self,
        key: str | int,
        name: str,
        put: Put,
        get: Step | None,
        *,
        nullable: bool = False,
        has: Callable[[Any, str], bool] | None = None,
        falsy: bool = False,
        among: str = "",
        required: bool = True,
        null: str = "",
        kinds: Iterable[type] = (),
    ) -> None: ...

class PutPairs(Put):
    def __init__(self, name: str, key: Part, value: Part, add: Callable[[Any], Any]) -> None: ...

class IntoMessage(Into):
    def __init__(self, fields: Iterable[Part], places: bool = False) -> None: ...

class IntoOption(Into):
    def __init__(self, options: Iterable[Part]) -> None: ...

class IntoWithin(Into):
    inside: Into

class IntoValue(Into):
    def __init__(self, part: Part) -> None: ...

class IntoMoment(Into):
    def __init__(self, step: Step) -> None: ...

class ToMessage(Step):
    def __init__(self, cls: type, inside: Into) -> None: ...

class ToPayload(ToMessage):
    def __init__(
        self,
        cls: type,
        inside: Into | None,
        adopt: Callable[[Any], None],
        options: Mapping[str, Any] | None,
        weight: Weight,
    ) -> None: ...

class Nothing(Step): ...

class Lookup(Step):
    def __init__(self, table: Mapping[Any, Any], others: type) -> None: ...

class FromValues(Step):
    def __init__(
        self, kind: type, step: Step | None, guard: Callable[[list[Any]], None] | None = None
    ) -> None: ...

class FromItems(Step):
    def __init__(
        self, key: Step | None, value: Step | None, guard: Callable[[list[Any]], None] | None = None
    ) -> None: ...

class FromEntries(Step):
    def __init__(self, key: Part, value: Part, guard: Callable[[list[Any]], None] | None = None) -> None: ...

class FromMessage(Fields):
    def __init__(
        self, fields: Iterable[Part], places: bool = False, build: Callable[..., Any] | None = None
    ) -> None: ...

class FromChosen(Step):
    def __init__(self, options: Iterable[Part]) -> None: ...

class FromValue(Step):
    def __init__(self, part: Part) -> None: ...

class FromMoment(Step):
    def __init__(self, step: Step) -> None: ...

class Weight:
    def __init__(self, own: int) -> None: ...
    def holds(self, number: int, held: Weight | int, always: bool = False) -> None: ...
    def nested(self, others: Iterable[Weight]) -> None: ...

class FromPayload(Step):
    def __init__(self, cls: type, step: Step | None, weight: Weight) -> None: ...
    def __call__(self, data: bytes, /, *, items: int = 1_000_000) -> Any: ...
