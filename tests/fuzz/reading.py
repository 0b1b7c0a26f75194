"""Mutated files for the commands that read them."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from findings import Broken

sys.path.insert(0, str(Path(__file__).parent.parent))

from bakeoff.errors import BakeoffError
from hostile_files import KINDS, steering
from inprocess import bakeoff

_FRAME = re.compile(r'File ".*?([^/"]+)", line (\d+)')


class Reading:
    """A kind of files: each ends in the answer of a command, or in one sentence and exit code 1 or 2.

    Args:
        name: Name of the kind.
    """

    def __init__(self, name: str) -> None:
        self._kind = KINDS[name]
        self._temporary = tempfile.TemporaryDirectory(prefix="bakeoff-fuzz-files-")
        self._folder = Path(self._temporary.name)
        os.environ |= {
            "BAKEOFF_CACHE": str(self._folder / "cache"),
            "XDG_STATE_HOME": str(self._folder / "state"),
        }

    def case(self, random: Random) -> bytes:
        """Return the number of a command line, and the file."""
        number = random.randrange(len(self._kind.lines)) if self._kind.lines else -1
        return b"%d\n%b" % (number, self._kind.mutated(random))

    def run(self, case: bytes) -> str:
        """Read the file."""
        number, _, content = case.partition(b"\n")
        for path in self._folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._kind.write(self._folder, content)
        code = self._run(self._kind.lines[int(number)]) if int(number) >= 0 else 0
        try:
            self._kind.also(self._folder / self._kind.file)
        except BakeoffError:
            return "refused"
        return "refused" if code else "accepted"

    def _run(self, line: str) -> int:
        done = bakeoff(self._folder, *line.split())
        if "Traceback" in done.stderr:
            *_, (file, at) = _FRAME.findall(done.stderr)
            raise Broken(f"{line}: {file}:{at}: {done.stderr.strip().splitlines()[-1]}")
        if done.returncode not in (0, 1, 2):
            raise Broken(f"{line}: exit code {done.returncode}")
        if found := steering(done.stdout + done.stderr):
            raise Broken(f"{line}: prints {found!r}")
        return done.returncode

    def show(self, case: bytes) -> str:
        """Return the command line and the file."""
        number, _, content = case.partition(b"\n")
        line = self._kind.lines[int(number)] if int(number) >= 0 else "(read)"
        return f"{line}\n{content[:1500]!r}"
