"""Kyoto Cabinet's tree, the embedded store of the 2011 post, through its C library.

Its Python binding supports one version of Python only. ctypes works with every version and adds some
microseconds per call, which are part of the baseline.
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from functools import cache
from typing import Any

from .base import Location, MissingStore, Pairs, Settings, StoreError, StoreKind, Wire

_KEY = struct.Struct(">Q")
_SIZE = _KEY.size
_LIBRARIES = ("libkyotocabinet.so.16", "libkyotocabinet.so", "libkyotocabinet.dylib")
_WRITER, _CREATE = 1 << 1, 1 << 2
_NO_RECORD = 7
"""Constants of kclangc.h: KCOWRITER, KCOCREATE and KCENOREC."""


class _Text(ctypes.Structure):
    _fields_ = (("data", c_char_p), ("size", c_size_t))


class _Record(ctypes.Structure):
    _fields_ = (("key", _Text), ("value", _Text))


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "kcdbnew": (c_void_p, ()),
    "kcdbdel": (None, (c_void_p,)),
    "kcdbopen": (c_int32, (c_void_p, c_char_p, c_uint32)),
    "kcdbclose": (c_int32, (c_void_p,)),
    "kcdbecode": (c_int32, (c_void_p,)),
    "kcdbemsg": (c_char_p, (c_void_p,)),
    "kcdbset": (c_int32, (c_void_p, c_char_p, c_size_t, c_char_p, c_size_t)),
    "kcdbget": (c_void_p, (c_void_p, c_char_p, c_size_t, POINTER(c_size_t))),
    "kcdbsetbulk": (c_int64, (c_void_p, POINTER(_Record), c_size_t, c_int32)),
    "kcdbsync": (c_int32, (c_void_p, c_int32, c_void_p, c_void_p)),
    "kcdbsize": (c_int64, (c_void_p,)),
    "kcdbcursor": (c_void_p, (c_void_p,)),
    "kccurdel": (None, (c_void_p,)),
    "kccurjumpkey": (c_int32, (c_void_p, c_char_p, c_size_t)),
    "kccurget": (c_void_p, (c_void_p, POINTER(c_size_t), POINTER(c_void_p), POINTER(c_size_t), c_int32)),
    "kcfree": (None, (c_void_p,)),
}


@cache
def _library() -> Any:
    """Return the C library with its functions declared.

    Raises:
        MissingStore: It is not installed.
    """
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        for function, (result, arguments) in _SIGNATURES.items():
            declared = getattr(library, function)
            declared.restype, declared.argtypes = result, arguments
        return library
    raise MissingStore(
        "the C library of Kyoto Cabinet is not installed (Debian: apt-get install libkyotocabinet-dev)"
    )


class _Kyoto:
    """A tree in a file: the fastest and least safe store of the post.

    Records stay in the process's own cache until it is closed or synchronised, and are lost if it is killed.
    """

    def __init__(self, location: Location, wire: Wire) -> None:
        self.wire = wire
        self._c = _library()
        self._tree = self._c.kcdbnew()
        path = str(location.folder / "records.kct").encode()
        if not self._c.kcdbopen(self._tree, path, _WRITER | _CREATE):
            error = self._error()
            self._c.kcdbdel(self._tree)
            raise error
        self._cursor = self._c.kcdbcursor(self._tree)

    @property
    def settings(self) -> Settings:
        version = c_char_p.in_dll(self._c, "KCVERSION").value or b""
        return {"version": version.decode(), "transactions": "none", "written": "when closed"}

    def put(self, key: int, record: Any) -> None:
        payload = self.wire.encode(record)
        if not self._c.kcdbset(self._tree, _KEY.pack(key), _SIZE, payload, len(payload)):
            raise self._error()

    def get(self, key: int) -> Any:
        size = c_size_t()
        found = self._c.kcdbget(self._tree, _KEY.pack(key), _SIZE, byref(size))
        if not found:
            if self._c.kcdbecode(self._tree) == _NO_RECORD:
                raise KeyError(key)
            raise self._error()
        payload = ctypes.string_at(found, size.value)
        self._c.kcfree(found)
        return self.wire.decode(payload)

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        found: list[tuple[int, Any]] = []
        library, cursor, decode = self._c, self._cursor, self.wire.decode
        key_size, payload, size = c_size_t(), c_void_p(), c_size_t()
        if not library.kccurjumpkey(cursor, _KEY.pack(after + 1), _SIZE):
            return found
        while len(found) < count:
            at = library.kccurget(cursor, byref(key_size), byref(payload), byref(size), 1)
            if not at:
                break
            (key,) = _KEY.unpack(ctypes.string_at(at, _SIZE))
            text = ctypes.string_at(payload.value or 0, size.value)
            library.kcfree(at)
            found.append((key, decode(text)))
        return found

    def put_many(self, pairs: Pairs) -> None:
        encode = self.wire.encode
        records = (_Record * len(pairs))()
        # The structures only point into these buffers.
        held = [(_KEY.pack(key), encode(record)) for key, record in pairs]
        for entry, (key, payload) in zip(records, held, strict=True):
            entry.key.data, entry.key.size = key, _SIZE
            entry.value.data, entry.value.size = payload, len(payload)
        if self._c.kcdbsetbulk(self._tree, records, len(records), 0) < 0:
            raise self._error()

    def stored(self) -> int:
        if not self._c.kcdbsync(self._tree, 0, None, None):
            raise self._error()
        return int(self._c.kcdbsize(self._tree))

    def close(self) -> None:
        self._c.kccurdel(self._cursor)
        closed = self._c.kcdbclose(self._tree)
        error = None if closed else self._error()
        self._c.kcdbdel(self._tree)
        if error is not None:
            raise error

    def _error(self) -> StoreError:
        return StoreError(f"Kyoto Cabinet: {(self._c.kcdbemsg(self._tree) or b'').decode()}")


STORES = (StoreKind(name="kyoto", open=_Kyoto),)
