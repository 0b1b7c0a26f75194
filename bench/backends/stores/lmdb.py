"""LMDB: a B+ tree in a file that is mapped into memory."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..reaching import imported
from .base import Location, MissingStore, Pairs, Settings, StoreError, StoreKind, Wire, folder_bytes

_KEY = struct.Struct(">Q")
_ROOM = 8 << 20
"""Initial bytes of address space, which is scarce in workers; doubled when full."""


class _Lmdb:
    """One transaction per put.

    Without `sync`, a put has reached the operating system when the call returns, as in the other stores: it
    survives the end of the process. The last ones may be lost if the machine fails.
    """

    def __init__(self, location: Location, wire: Wire) -> None:
        self.wire = wire
        self._lmdb = imported("lmdb", MissingStore)
        self._folder = location.folder
        there = folder_bytes([location.folder])
        self._room = max(_ROOM, 2 * there)
        self._env = self._lmdb.open(str(location.folder), map_size=self._room, sync=False, metasync=False)

    @property
    def settings(self) -> Settings:
        version = ".".join(map(str, self._lmdb.version()))
        return {"version": version, "sync": "False", "metasync": "False"}

    def put(self, key: int, record: Any) -> None:
        payload = self.wire.encode(record)
        try:
            with self._env.begin(write=True) as transaction:
                transaction.put(_KEY.pack(key), payload)
        except self._lmdb.MapFullError:
            self._grow()
            self.put(key, record)

    def get(self, key: int) -> Any:
        with self._env.begin() as transaction:
            payload = transaction.get(_KEY.pack(key))
        if payload is None:
            raise KeyError(key)
        return self.wire.decode(payload)

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        return list(islice(self._from(after + 1), count))

    def _from(self, key: int) -> Iterator[tuple[int, Any]]:
        decode, unpack = self.wire.decode, _KEY.unpack
        with self._env.begin() as transaction, transaction.cursor() as cursor:
            if cursor.set_range(_KEY.pack(key)):
                for found, payload in cursor.iternext():
                    yield unpack(found)[0], decode(payload)

    def put_many(self, pairs: Pairs) -> None:
        encode, pack = self.wire.encode, _KEY.pack
        items = [(pack(key), encode(record)) for key, record in pairs]
        while True:
            try:
                with self._env.begin(write=True) as transaction, transaction.cursor() as cursor:
                    cursor.putmulti(items)
                return
            except self._lmdb.MapFullError:
                self._grow()

    def stored(self) -> int:
        self._env.sync(True)
        return folder_bytes([self._folder / "data.mdb"])

    def close(self) -> None:
        self._env.close()

    def _grow(self) -> None:
        self._room *= 2
        try:
            self._env.set_mapsize(self._room)
        except (self._lmdb.Error, MemoryError) as error:
            raise StoreError(f"no address space for {self._room >> 20:,} MiB: {error}") from error


STORES = (StoreKind(name="lmdb", open=_Lmdb),)
