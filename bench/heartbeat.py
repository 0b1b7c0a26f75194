"""The running cell: a few bytes shared by a worker and its parent, readable after a crash."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

IDLE = -1
"""No cell is running."""

_LAYOUT = struct.Struct("=qq")


class Heartbeat:
    """The running cell and a counter that shows progress.

    Args:
        path: The shared file; the parent makes it with `create`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _LAYOUT.size)
        self._beats = 0

    @classmethod
    def create(cls, path: Path) -> Heartbeat:
        """Create the file in the idle state."""
        path.write_bytes(_LAYOUT.pack(IDLE, 0))
        return cls(path)

    def beat(self, cell: int) -> None:
        """Record that `cell` is now running (`IDLE` for none)."""
        self._beats += 1
        _LAYOUT.pack_into(self._map, 0, cell, self._beats)

    def read(self) -> tuple[int, int]:
        """Return the running cell and the number of beats."""
        cell, beats = _LAYOUT.unpack_from(self._map, 0)
        return cell, beats

    def close(self) -> None:
        """Close the file."""
        self._map.close()
