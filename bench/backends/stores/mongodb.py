"""MongoDB: one document per record. BSON payloads become documents, all others are stored as binary."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ..reaching import ANSWER, CONNECT, imported, reaching
from .base import Location, MissingStore, Pairs, Settings, StoreError, StoreKind, Wire

_DATABASE = "bakeoff"
"""The default if the URL names none."""
_HEAD = struct.Struct("<i1s4sq1s7s")
"""The head of ``{"_id": key, "record": ...}`` as BSON (bsonspec.org): its length, the type and name of a
64-bit integer, the key, and the type and name of the next field. The record's own document and a zero follow.
"""
_ID = (b"\x12", b"_id\0")
_RECORD = (b"\x03", b"record\0")


class _Mongodb:
    """One command per call, with the write concern of the URL, else the server's default."""

    def __init__(self, location: Location, wire: Wire) -> None:
        self.wire = wire
        self._client = client = _client(location)
        records = client.get_default_database(_DATABASE)[location.name]
        self._native = wire.format == "bson"
        if self._native:
            from bson.raw_bson import RawBSONDocument

            self._raw: Callable[[bytes], Any] = RawBSONDocument
            records = records.with_options(records.codec_options.with_options(document_class=RawBSONDocument))
        self._records = records

    @property
    def settings(self) -> Settings:
        concern = self._records.write_concern.document
        said = ", ".join(f"{name}={value}" for name, value in concern.items())
        version = str(self._client.server_info()["version"])
        return {"mongodb": version, "write_concern": said or "the server's default"}

    def put(self, key: int, record: Any) -> None:
        self._records.replace_one({"_id": key}, self._document(key, record), upsert=True)

    def get(self, key: int) -> Any:
        found = self._records.find_one({"_id": key})
        if found is None:
            raise KeyError(key)
        return self._pair(found)[1]

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        return list(map(self._pair, self._records.find({"_id": {"$gt": after}}).sort("_id", 1).limit(count)))

    def put_many(self, pairs: Pairs) -> None:
        self._records.insert_many([self._document(key, record) for key, record in pairs], ordered=False)

    def stored(self) -> int:
        found = self._records.database.command("collStats", self._records.name)
        # Other servers with this protocol may lack a storage engine or indexes.
        return int(found["storageSize"] or found["size"]) + int(found.get("totalIndexSize", 0))

    def close(self) -> None:
        self._client.close()

    def _document(self, key: int, record: Any) -> Any:
        payload = self.wire.encode(record)
        if not self._native:
            return {"_id": key, "record": payload}
        length = _HEAD.size + len(payload) + 1
        return self._raw(_HEAD.pack(length, *_ID, key, *_RECORD) + payload + b"\0")

    def _pair(self, found: Any) -> tuple[int, Any]:
        if not self._native:
            return found["_id"], self.wire.decode(found["record"])
        return _HEAD.unpack_from(found.raw)[3], self.wire.decode(found.raw[_HEAD.size : -1])


def _client(location: Location) -> Any:
    pymongo = imported("pymongo", MissingStore)
    with reaching("mongodb", location.url, StoreError):
        client = pymongo.MongoClient(
            location.url,
            serverSelectionTimeoutMS=1000 * CONNECT,
            connectTimeoutMS=1000 * CONNECT,
            socketTimeoutMS=1000 * ANSWER,
            # Silent retries would double the time of a call.
            retryReads=False,
            retryWrites=False,
        )
        try:
            client.admin.command("ping")
        except pymongo.errors.ServerSelectionTimeoutError as error:
            client.close()
            # All settings and the client's view of the server follow.
            raise TimeoutError(str(error).partition(" (configured")[0]) from error
        except BaseException:
            client.close()
            raise
        return client


def _forget(location: Location) -> None:
    with _client(location) as client:
        client.get_default_database(_DATABASE)[location.name].drop()


STORES = (
    StoreKind(
        name="mongodb",
        open=_Mongodb,
        schemes=("mongodb", "mongodb+srv"),
        waits=True,
        forget=_forget,
    ),
)
