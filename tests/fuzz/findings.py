"""Findings as files: a line of JSON with the description, then the bytes of the case."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bakeoff.bench.lab.hostile.faults import faults_of

_VARIABLE = re.compile(r"0x[0-9a-f]+|\d+|'[^']*'| at `.*| in the record .*?: ", re.DOTALL)


class Broken(Exception):  # noqa: N818 - what it says is a sentence
    """A promise was broken without an error; the message says which."""


_OUTCOMES = {"broken": ("unreadable", "changed"), "slow": ("hung",), "large": ("out of memory",)}
"""Kinds of findings, each with its names in the list of known faults."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault and its case.

    Attributes:
        target: Name of the target.
        kind: ``deaths``, ``foreign``, ``broken``, ``slow`` or ``large``.
        what: The fault in a sentence.
        shown: The case in readable form, shortened.
        case: The case.
    """

    target: str
    kind: str
    what: str
    shown: str
    case: bytes

    @property
    def key(self) -> str:
        """Key for findings with the same cause: the sentence without numbers, names and paths."""
        return f"{self.target} {self.kind} {_VARIABLE.sub('', self.what)[:120]}"

    @classmethod
    def read(cls, path: Path) -> Finding:
        """Return a finding from its file."""
        head, _, case = path.read_bytes().partition(b"\n")
        facts: dict[str, Any] = json.loads(head)
        return cls(**facts, case=case)


def is_known(target: str, kind: str, what: str) -> bool:
    """Whether a finding is a known fault of the codec's library.

    Faults with cases but without a message are not tried at all.
    """
    direction, _, codec = target.partition(":")
    return any(
        fault.outcome in _OUTCOMES.get(kind, ())
        and (fault.message or not fault.cases)
        and fault.message in what
        for fault in faults_of(codec, direction)
    )


def save(finding: Finding, folder: Path) -> Path:
    """Write a finding into a folder, replacing one with the same key."""
    folder.mkdir(parents=True, exist_ok=True)
    told = hashlib.sha256(finding.key.encode(errors="replace"))
    plain = "".join(c if c.isalnum() else "-" for c in finding.target)
    path = folder / f"{plain}-{finding.kind}-{told.hexdigest()[:8]}.case"
    facts = asdict(finding)
    del facts["case"]
    path.write_bytes(json.dumps(facts).encode() + b"\n" + finding.case)
    return path
