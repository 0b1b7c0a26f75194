"""Files of records for tests of their readers, and the memory that reading one takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from bakeoff import datasets
from untraced import untraced

_PROGRAM = """
import re, sys
from pathlib import Path
from bakeoff.datasets import corpus
{statements}
print(count, re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def put(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, **how: Any) -> list[Any]:
    return list(datasets.corpus(path, **how).records())


def peak(statements: str, *arguments: str) -> tuple[int, int]:
    """Return `count` and peak resident memory (KiB) of a process with these statements and arguments.

    VmHWM begins with the process; ru_maxrss would also count what its parent held.
    """
    command = [sys.executable, "-c", _PROGRAM.format(statements=statements), *arguments]
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=untraced())
    count, kibibytes = map(int, done.stdout.split())
    return count, kibibytes
