"""Samples, schemas and payloads by digest: what jobs name in place of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["Blobs"]


class Blobs(Mapping[str, bytes]):
    """A folder of bytes by digest; read when asked for, so that they take no memory meanwhile.

    Args:
        folder: Is made where it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def put(self, content: bytes) -> str:
        """Keep bytes; return their digest."""
        import hashlib  # its library takes as long to load as all else here, and workers mostly read

        digest = hashlib.sha256(content).hexdigest()
        path = self.folder / digest
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(content)
            part.replace(path)
        return digest

    def __getitem__(self, digest: str) -> bytes:
        try:
            return (self.folder / digest).read_bytes()
        except FileNotFoundError:
            raise KeyError(digest) from None

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in self.folder.iterdir() if not path.suffix)

    def __len__(self) -> int:
        return sum(1 for _ in self)
