from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any, Literal, Self, TypeAlias

from ._walk import Rules
from .compression import Compression
from .limits import Limits
from .policies import Policies
from .streams import Framing

DEFAULT_DEPTH: int

_Payload: TypeAlias = bytes | bytearray | memoryview | str

def doubt() -> None: ...
def lacks_stack() -> bool: ...

class Codec:
    name: str
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
    schema: Any
    framing: Framing
    compression: Compression | None
    limits: Limits
    _spec: dict[str, Any]
    _load_rules: Rules | None
    _fix: Callable[[Any], Any] | None

    def __init__(
        self,
        name: str,
        format: str,
        encode: Callable[..., Any],
        decode: Callable[..., Any],
        *,
        encode_options: Mapping[str, Any] | None = None,
        encode_arguments: tuple[Any, ...] = (),
        decode_options: Mapping[str, Any] | None = None,
        pooled: bool = False,
        text: bool = False,
        lower: Callable[[Any], Any] | None = None,
        scan: frozenset[type] | None = None,
        encode_depth: int = 0,
        inside: Callable[[Any], list[Any]] | None = None,
        too_deep: tuple[str, ...] = (),
        plain_keys: bool = False,
        check_payload: Callable[[bytes], None] | None = None,
        whole: Literal["msgpack", "cbor", "pickle", "marshal", "plist", "bson", "nul"] | None = None,
        decode_again: Callable[[bytes], Any] | None = None,
        subclass: type[int] | None = None,
        wrap: str | None = None,
        limits: Limits = ...,
        bounded: Callable[[Limits], Mapping[str, Any]] | None = None,
        shared: bytes | None = None,
        check_keys: Callable[[bytes], None] | None = None,
        library: str = "",
        version: str = "",
        accelerated: bool | None = None,
        media_type: str = "application/octet-stream",
        media_type_aliases: Iterable[str] = (),
        content_encoding: Literal["binary", "utf-8"] = "binary",
        file_extension: str = "",
        trusted_only: bool = False,
        trusted: bool = False,
        interoperable: bool = True,
        carries: Iterable[str] = (),
        wire: Mapping[str, str] | None = None,
        losses: Iterable[str] = (),
        notes: Iterable[str] = (),
        framing: Framing | None = None,
        schema: Any = None,
        compression: Compression | None = None,
        bind: Callable[[Any], Callable[..., Any]] | None = None,
        rows: bool = False,
        policies: Policies | None = None,
        asked: Mapping[str, str] | None = None,
        origin: str | None = None,
    ) -> None: ...
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
    def with_schema(self, schema: Any) -> Self: ...
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
