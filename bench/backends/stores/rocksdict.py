"""RocksDB: a log-structured merge tree, through `rocksdict`."""

from __future__ import annotations

import struct
from itertools import islice
from typing import Any

from ..reaching import imported
from .base import Location, MissingStore, Pairs, Settings, StoreKind, Wire, folder_bytes

_KEY = struct.Struct(">Q")


class _Rocks:
    """Raw mode, as any other would pickle its input. Puts go to the log without synchronisation."""

    def __init__(self, location: Location, wire: Wire) -> None:
        from importlib.metadata import version

        self.wire = wire
        self._module = imported("rocksdict", MissingStore)
        self._folder, self._version = location.folder, version("rocksdict")
        self._rows = self._module.Rdict(str(location.folder), self._module.Options(raw_mode=True))

    @property
    def settings(self) -> Settings:
        return {
            "version": self._version,
            "raw_mode": "True",
            "wal": "on",
            "sync": "False",
            "compression": "its own",
        }

    def put(self, key: int, record: Any) -> None:
        self._rows.put(_KEY.pack(key), self.wire.encode(record))

    def get(self, key: int) -> Any:
        payload = self._rows.get(_KEY.pack(key))
        if payload is None:
            raise KeyError(key)
        return self.wire.decode(payload)

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        decode, unpack = self.wire.decode, _KEY.unpack
        rows = islice(self._rows.items(from_key=_KEY.pack(after + 1)), count)
        return [(unpack(key)[0], decode(payload)) for key, payload in rows]

    def put_many(self, pairs: Pairs) -> None:
        encode, pack = self.wire.encode, _KEY.pack
        batch = self._module.WriteBatch(raw_mode=True)
        for key, record in pairs:
            batch.put(pack(key), encode(record))
        self._rows.write(batch)

    def stored(self) -> int:
        self._rows.flush()
        self._rows.compact_range(None, None)
        return folder_bytes([self._folder])

    def close(self) -> None:
        self._rows.close()


STORES = (StoreKind(name="rocksdict", open=_Rocks),)
