from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Concatenate, Literal, ParamSpec, Self, TypeAlias

from ._walk import Rules
from .binding import Bound, Schema, unbound
from .compression import Compression
from .limits import Limits
from .plugs import Encoded
from .spec import Format, Spec
from .streams import Framing

DEFAULT_DEPTH: int

_Payload: TypeAlias = bytes | bytearray | memoryview | str

def doubt() -> None: ...
def lacks_stack() -> bool: ...

@dataclass(frozen=True)
class _Options(Spec, Format):  # type: ignore[misc] # two bases with slots: it is never made
    name: str = field(kw_only=False)
    format: str = field(kw_only=False)  # type: ignore[assignment]
    encode: Callable[..., Any] = field(kw_only=False, default=unbound)
    decode: Callable[..., Any] = field(kw_only=False, default=unbound)

_Arguments = ParamSpec("_Arguments")

def _taking(
    options: Callable[_Arguments, object],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, _Arguments], None]]: ...

class Codec:
    name: str
    spec: Spec
    format: str
    library: str
    version: str
    accelerated: bool | None
    media_type: str
    media_type_aliases: tuple[str, ...]
    content_encoding: Literal["binary", "utf-8"]
    encoding: str | None
    file_extension: str
    trusted_only: bool
    trusted: bool
    needs_schema: bool
    interoperable: bool
    carries: frozenset[str]
    wire: dict[str, str]
    losses: tuple[str, ...]
    notes: tuple[str, ...]
    schema: Schema | None
    bound: Bound | None
    framing: Framing
    compression: Compression | None
    limits: Limits
    _load_rules: Rules | None
    _fix: Callable[[Any], Any] | None

    @_taking(_Options)
    def __init__(self) -> None: ...
    @classmethod
    def from_spec(cls, spec: Spec) -> Self: ...
    def encode(self, obj: Any, ctx: Any = None, /) -> bytes: ...
    def decode(self, data: _Payload, ctx: Any = None, /) -> Any: ...
    def dumps(self, obj: Any, ctx: Any = None, /) -> bytes: ...
    def loads(self, data: _Payload, ctx: Any = None, /) -> Any: ...
    def dumpb(self, obj: Any, ctx: Any = None, /) -> bytes: ...
    def loadb(self, data: _Payload, ctx: Any = None, /) -> Any: ...
    def serialize(self, obj: Any, /) -> bytes: ...
    def deserialize(self, data: _Payload, /) -> Any: ...
    def encode_text(self, obj: Any, /) -> str: ...
    def decode_text(self, text: str, /) -> Any: ...
    def dump(self, records: Iterable[Any], file: IO[bytes], /) -> int: ...
    def load(self, file: IO[bytes], /) -> Iterator[Any]: ...
    def with_schema(self, schema: Schema | None) -> Self: ...
    def with_limits(
        self,
        *,
        size: int | None = None,
        decompressed: int | None = None,
        ratio: int | None = None,
        items: int | None = None,
        depth: int | None = None,
        string: int | None = None,
        digits: int | None = None,
        aliases: int | None = None,
    ) -> Self: ...
    def with_policies(self, **policies: str) -> Self: ...
    @property
    def policies(self) -> dict[str, str]: ...
    def with_compression(self, compression: str | Compression | None) -> Self: ...
    def with_trust(self) -> Self: ...
    def _decode_error(self, error: BaseException, where: str = "") -> BaseException: ...
    def _vary(self, **changes: Any) -> Self: ...
    def as_class(self) -> type[Any]: ...
    def for_sqlalchemy(self) -> Encoded: ...
