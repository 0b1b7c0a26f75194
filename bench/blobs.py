"""Samples, schemas and payloads by digest, so that jobs need not name files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path


class Blobs(Mapping[str, bytes]):
    """A folder of blobs by digest, read on demand to save memory.

    Args:
        folder: The folder; it is created if it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def put(self, content: bytes) -> str:
        """Store bytes and return their digest."""
        import hashlib  # loads as slowly as everything else here, and workers mostly read

        digest = hashlib.sha256(content).hexdigest()
        path = self.folder / digest
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(content)
            part.replace(path)
        return digest

    def take(self, digests: Iterable[str], inputs: Mapping[str, bytes] | None) -> None:
        """Store the blobs of a job that are in other inputs; without these, all are here already."""
        if inputs is not None and inputs is not self:
            for digest in digests:
                self.put(inputs[digest])

    def __getitem__(self, digest: str) -> bytes:
        try:
            return (self.folder / digest).read_bytes()
        except FileNotFoundError:
            raise KeyError(digest) from None

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in self.folder.iterdir() if not path.suffix)

    def __len__(self) -> int:
        return sum(1 for _ in self)
