from typing import Literal, TypeAlias

_Bytes: TypeAlias = bytes | memoryview

def end_of(
    kind: Literal["msgpack", "cbor", "pickle", "marshal", "plist", "bson", "nul"], data: _Bytes, /
) -> int: ...
def values_in(
    kind: Literal["msgpack", "cbor", "json", "bson", "plist"], data: _Bytes, /
) -> tuple[int, bool]: ...
def odd_keys(kind: Literal["msgpack", "cbor"], data: bytes, /) -> list[bytes]: ...
def place_of(
    kind: Literal["msgpack", "cbor", "bson", "json"],
    steps: tuple[tuple[bytes | None, int], ...],
    payload: bytes,
    wrap: bytes | None = None,
    /,
) -> tuple[int, int] | None: ...
