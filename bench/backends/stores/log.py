"""Records in memory and a journal of all puts, the design of AcidState and of event-sourced services.

A get calls no codec, as the record is in memory. The codec runs when a record is put, and for all records
when the journal is replayed.

A journal begins with `_MAGIC`. Each entry has a key, a length and two checksums, followed by the payload.
"""

from __future__ import annotations

import contextlib
import os
import struct
from bisect import bisect_right
from typing import Any
from zlib import crc32

from ....opening import open_regular
from .base import Location, Pairs, Settings, StoreError, StoreKind, Wire

_FILE = "journal"
_MAGIC = b"bakeoff journal 1\n"
_HEAD = struct.Struct("<QII")
"""Key, length, checksum of the payload, and the checksum of these three. Without the latter, a damaged length
would look like an unfinished entry, and all records after it would be cut off."""
_CHECK = struct.Struct("<I")
_ENTRY = _HEAD.size + _CHECK.size


class _Log:
    """A dict and its journal.

    A put has reached the operating system when the call returns: it survives the end of the process. The last
    ones may be lost if the machine fails.
    """

    def __init__(self, location: Location, wire: Wire) -> None:
        self.wire = wire
        self._path = location.folder / _FILE
        self._records: dict[int, Any] = {}
        self._keys: list[int] = []
        self._sorted = True
        self._file = open_regular(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self._end, self._replayed = self._replay()
        except BaseException:
            os.close(self._file)
            raise

    @property
    def settings(self) -> Settings:
        return {"journal": "one write a put, CRC-32", "fsync": "never", "replayed": self._replayed}

    def put(self, key: int, record: Any) -> None:
        self._write(_entry(key, self.wire.encode(record)))
        self._keep(key, record)

    def get(self, key: int) -> Any:
        return self._records[key]

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        if not self._sorted:
            self._keys = sorted(self._records)
            self._sorted = True
        start = bisect_right(self._keys, after)
        return [(key, self._records[key]) for key in self._keys[start : start + count]]

    def put_many(self, pairs: Pairs) -> None:
        encode = self.wire.encode
        self._write(b"".join([_entry(key, encode(record)) for key, record in pairs]))
        for key, record in pairs:
            self._keep(key, record)

    def stored(self) -> int:
        return self._end

    def close(self) -> None:
        os.close(self._file)

    def _keep(self, key: int, record: Any) -> None:
        if key not in self._records:
            # Sorted when a scan needs it: an insertion in order would take longer the more keys there are.
            self._sorted = self._sorted and (not self._keys or key > self._keys[-1])
            self._keys.append(key)
        self._records[key] = record

    def _write(self, entries: bytes) -> None:
        """Append an entry.

        Raises:
            StoreError: Not all of it could be written; the journal is restored.
        """
        try:
            written = os.write(self._file, entries)
            while written < len(entries):
                written += os.write(self._file, entries[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise StoreError(f"the journal cannot be written: {error.strerror}") from error
        self._end += len(entries)

    def _replay(self) -> tuple[int, str]:
        """Replay the journal, and return its end and a warning for the user.

        An incomplete last entry was being written when the process was killed or the machine failed. Its put
        never returned, so the entry is cut off.

        Raises:
            StoreError: It is not a journal, or it is damaged; the message has the offset.
            CodecError: A payload does not decode.
        """
        with open(self._file, "rb", closefd=False) as file:
            data = file.read()
        if len(data) < len(_MAGIC) and _MAGIC.startswith(data):
            self._end = 0
            os.ftruncate(self._file, 0)
            self._write(_MAGIC)
            return len(_MAGIC), "a new journal"
        if not data.startswith(_MAGIC):
            raise StoreError(f"{self._path}: is not a journal")
        end, count = self._replay_entries(data)
        said = f"{count:,} entries"
        if end < len(data):
            os.ftruncate(self._file, end)
            said += f"; {len(data) - end:,} bytes of an unfinished one cut off at offset {end:,}"
        return end, said

    def _replay_entries(self, data: bytes) -> tuple[int, int]:
        """Return the end of the last whole entry, and the number of entries."""
        decode, records, total = self.wire.decode, self._records, len(data)
        at, count = len(_MAGIC), 0
        while at + _ENTRY <= total:
            key, length, payload_sum = _HEAD.unpack_from(data, at)
            (head_sum,) = _CHECK.unpack_from(data, at + _HEAD.size)
            if crc32(data[at : at + _HEAD.size]) != head_sum:
                raise StoreError(
                    f"{self._path}: damaged at offset {at:,}: the entry's head fails its checksum"
                )
            start = at + _ENTRY
            payload = data[start : start + length]
            if len(payload) < length:
                break
            if crc32(payload) != payload_sum:
                if start + length == total:
                    break
                raise StoreError(
                    f"{self._path}: damaged at offset {at:,}: the payload of key {key} fails its checksum"
                )
            records[key] = decode(payload)
            at = start + length
            count += 1
        self._keys = sorted(records)
        return at, count


def _entry(key: int, payload: bytes) -> bytes:
    head = _HEAD.pack(key, len(payload), crc32(payload))
    return head + _CHECK.pack(crc32(head)) + payload


STORES = (
    StoreKind(
        name="log",
        open=_Log,
        live=True,
    ),
)
