"""The context of a worker: its inputs, heartbeat and notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..blobs import Blobs
from ..heartbeat import Heartbeat


class WorkerContext:
    """The context of a worker.

    Args:
        blobs: Inputs that jobs name by digest.
        heartbeat: Reports the running cell to the parent.
        notes: File for information that must survive the death of this process.
    """

    def __init__(self, blobs: Blobs, heartbeat: Heartbeat, notes: Path) -> None:
        self.blobs = blobs
        self.beat = heartbeat.beat
        self._notes = notes

    def note(self, value: Any) -> None:
        """Write a JSON-serializable note."""
        # Opened each time: a codec may write to any open file descriptor.
        with self._notes.open("a") as file:
            file.write(json.dumps(value) + "\n")
