"""The worker's side of a memory operation: one codec, one operation, one fresh process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..heartbeat import Heartbeat
from ..operations import operation
from .parts import codec_parts
from .records import read_checked, read_sample

__all__ = ["run"]


def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one memory operation.

    Args:
        job: ``operation``, ``codec``, ``folder``, ``payloads``, ``options``, ``heartbeat``.

    Returns:
        ``value``, ``facts``, and ``again``: options for one more process, or None.
    """
    folder = Path(job["folder"])
    heartbeat = Heartbeat(Path(job["heartbeat"]))
    heartbeat.beat(0)
    parts = codec_parts(job["codec"], folder)
    payloads = read_checked(folder / job["payloads"]).payloads
    records = parts.taken(read_sample(folder / "sample").records(range(len(payloads))))
    options = {**job["options"], "operation": job["operation"], "beat": lambda: heartbeat.beat(0)}
    found = operation(job["operation"]).carry_out(parts.codec, records, payloads, options)
    return {
        "value": found.value,
        "facts": dict(found.facts),
        "again": None if found.again is None else dict(found.again),
    }
