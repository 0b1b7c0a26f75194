"""What a worker has at hand beside its job: what was brought, who watches, and where to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..blobs import Blobs
from ..heartbeat import Heartbeat

__all__ = ["WorkerContext"]


class WorkerContext:
    """A worker's place.

    Args:
        blobs: What jobs name by digest.
        heartbeat: Tells the parent which cell is running.
        notes: File for what is to be known even if this process dies.
    """

    def __init__(self, blobs: Blobs, heartbeat: Heartbeat, notes: Path) -> None:
        self.blobs = blobs
        self.beat = heartbeat.beat
        self._notes = notes

    def note(self, value: Any) -> None:
        """Write down what is JSON-able."""
        # Opened anew: what a codec writes into the files that it finds open is no note of ours.
        with self._notes.open("a") as file:
            file.write(json.dumps(value) + "\n")
