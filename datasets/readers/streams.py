"""Open a file once, and decompress, hash and count it while it is read.

Memory does not depend on the size of the file: a few buffers of 256 KiB.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from ...codecs.streams import compression
from ..base import Progress
from ..errors import UnreadableCorpus

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BUFFER = 256 * 1024
# In the worst case, a chunk of zstd of this length decompresses to 64 MiB.
ZSTD_CHUNK = 2 * 1024

COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
"""Extensions of compressed files."""

MAGIC = {b"\x1f\x8b\x08": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def split_compression(path: Path) -> tuple[Path, str | None]:
    """Split the extension of a compressor off a file name."""
    kind = COMPRESSIONS.get(path.suffix.lower())
    return (path.with_suffix(""), kind) if kind else (path, None)


class Hashed(io.RawIOBase):
    """A file that hashes and counts the bytes that are read from it.

    Attributes:
        total: Its size in bytes.
        reopen: Opens it again, for readers that also need random access.
        digest: Hash of the bytes so far.
        position: Number of bytes so far.
    """

    def __init__(
        self, file: Any, total: int, on_progress: Progress | None, reopen: Callable[[], IO[bytes]]
    ) -> None:
        self._file = file
        self.total = total
        self._on_progress = on_progress
        self.reopen = reopen
        self.digest = hashlib.sha256()
        self.position = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        length: int = self._file.readinto(view)
        self.digest.update(view[:length])
        self.position += length
        if self._on_progress is not None:
            self._on_progress(self.position, self.total)
        return length


class Pieces(io.RawIOBase):
    """A file of pieces without seek, so that libraries do not read more bytes than they need."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")
        self._position = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._rest:
            if (piece := next(self._pieces, None)) is None:
                return 0
            self._rest = memoryview(piece)
        view = memoryview(buffer).cast("B")
        length = min(len(view), len(self._rest))
        view[:length] = self._rest[:length]
        self._rest = self._rest[length:]
        self._position += length
        return length


def _zstd(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the contents of zstd frames; unlike the library's own reader, it detects a truncated one."""
    make, rest = _zstandard().ZstdDecompressor, b""
    frame: Any = None
    while data := rest or file.read(ZSTD_CHUNK):
        frame = frame or make().decompressobj()
        yield frame.decompress(data)
        rest = b""
        if frame.eof:
            frame, rest = None, frame.unused_data
    if frame is not None:
        raise EOFError("the file ends inside a zstd frame")


def _zstandard() -> Any:
    compression.compressor("zstd")  # The message says which extra to install.
    import zstandard

    return zstandard


def _decompressed(file: Any, kind: str) -> Iterator[bytes]:
    return _zstd(file) if kind == "zstd" else iter(partial(_packed(file, kind, "rb").read, BUFFER), b"")


def _packed(file: Any, kind: str, mode: Literal["rb", "wb"]) -> Any:
    """Return a file that the standard library decompresses or compresses during access."""
    if kind == "gzip":
        import gzip

        return gzip.GzipFile(filename="", fileobj=file, mode=mode, compresslevel=6, mtime=0)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(file, mode)
    import lzma

    return lzma.LZMAFile(file, mode)


class Input:
    """An open file of records.

    Attributes:
        file: The plain (decompressed) bytes.
        size: Stored size of the file in bytes.
    """

    def __init__(self, raw: Hashed, kind: str | None) -> None:
        self.size = raw.total
        self._raw = raw
        buffered = io.BufferedReader(raw, BUFFER)
        if kind is None:
            head = buffered.peek(8)[:8]
            kind = next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)
        if kind is None:
            self.file: io.BufferedReader[Any] = buffered
        else:
            self.file = io.BufferedReader(Pieces(_decompressed(buffered, kind)), BUFFER)

    @property
    def read(self) -> int:
        """Number of stored bytes that were read."""
        return self._raw.position

    def so_far(self) -> str:
        """Return the hash of the stored bytes that were read."""
        return self._raw.digest.hexdigest()

    @property
    def at_end(self) -> bool:
        """Whether all stored bytes were read."""
        return self._raw.position >= self.size

    def sha256(self) -> str:
        """Return the hash of the whole stored file, after reading the rest of it."""
        while self._raw.read(BUFFER):
            pass
        return self._raw.digest.hexdigest()


def _decompression_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of the decompressors; only called once something was raised."""
    import lzma
    import sys

    zstandard = sys.modules.get("zstandard")
    extra = (zstandard.ZstdError,) if zstandard else ()
    return (OSError, EOFError, zlib.error, lzma.LZMAError, *extra)


@contextmanager
def opened(path: Path, kind: str | None = None, on_progress: Progress | None = None) -> Iterator[Input]:
    """Open a file of records.

    Args:
        path: A file that can be read more than once.
        kind: A name from `COMPRESSIONS`; None detects it from the first bytes.
        on_progress: Called with the stored bytes read so far, and their total.

    Raises:
        UnreadableCorpus: It cannot be opened or read, or the compressed data are broken or truncated.
        UsageError: The library of the compressor is not installed.
    """
    try:
        with path.open("rb", buffering=0) as file:
            raw = Hashed(file, path.stat().st_size, on_progress, lambda: path.open("rb"))
            with explaining(str(path), raw):
                yield Input(raw, kind)
    except OSError as error:
        raise UnreadableCorpus(f"{path}: cannot be opened: {error.strerror or error}") from error


@contextmanager
def explaining(name: str, raw: Hashed) -> Iterator[None]:
    """Turn errors of a file system or a decompressor into ours, with the place in the file.

    Raises:
        UnreadableCorpus: There was one.
    """
    try:
        yield
    except Exception as error:
        if not isinstance(error, _decompression_errors()):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableCorpus(f"{name}: cannot be read beyond byte {raw.position:,}: {reason}") from error


@contextmanager
def compressor(file: IO[bytes], kind: str | None) -> Iterator[IO[bytes]]:
    """Wrap a file to compress the data that are written to it; equal data become equal bytes.

    Raises:
        UsageError: The library is not installed.
    """
    if kind is None:
        yield file
    elif kind == "zstd":
        with _zstandard().ZstdCompressor(level=3).stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        with _packed(file, kind, "wb") as packed:
            yield packed
