"""Samples of a codec's records, written to a corpus: ``codec.tap("traffic.msgpack.zst")``.

Callers must not notice the sampler. Most calls only decrement a counter in the compiled codec. A sampled call
encodes its record at once, so that nothing is shared with the caller, and an error stops the sampler and not
the call. Records are written in batches. Each batch is a separate compressed frame that is appended in one
write, so the file is always complete, and several processes can share it. A timer writes the last batch of a
process that becomes quiet.
"""

from __future__ import annotations

import atexit
import os
import random
import re
import sys
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from ...errors import UsageError
from ...opening import open_own
from ..registry import first_codecs, formats, spec_of
from ..streams.compression import compressor
from .base import CodecBase

BATCH = 64 * 1024
"""Bytes of records in a batch, before compression."""
PAUSE = 1.0
"""Seconds between two writes if a batch is not full."""

_SIZE = re.compile(r"(\d+(?:\.\d+)?) *([kmgt]?)(?:i?b)?", re.IGNORECASE)


def endings() -> dict[str, str]:
    """Return the file extensions that a sampler supports, each with its codec."""
    firsts = first_codecs()
    return {
        each.files[0]: firsts[name]
        for name, each in formats().items()
        if each.files and not each.trusted_only
    }


def _bytes(limit: int | str) -> int:
    """Return a size in bytes; ``64MiB``, ``64M`` and ``64MB`` are the same."""
    found = _SIZE.fullmatch(str(limit))
    size = int(float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " ")) if found else 0
    if size < 1 or isinstance(limit, bool):
        raise UsageError(f"limit: {limit!r} is not a size such as 500K, 64MiB or a number of bytes")
    return size


def _opened(path: Path) -> int:
    """Open a file to append to: a regular file of this user, which others cannot read from now on.

    Raises:
        OSError: It is not such a file, or cannot be opened.
    """
    file = open_own(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        if hasattr(os, "fchmod") and os.fstat(file).st_mode & 0o077:
            os.fchmod(file, 0o600)
    except BaseException:
        os.close(file)
        raise
    return file


def _at_exit(flush: Callable[[], None]) -> None:
    atexit.register(flush)
    # The processes of multiprocessing end without atexit.
    if (util := sys.modules.get("multiprocessing.util")) is not None:
        util.Finalize(None, flush, exitpriority=0)


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, 6, mtime=0)


class Sampler:
    """Writes one in `every` of a codec's records to a file.

    The gaps are random, from 1 to ``2 * every - 1``. Otherwise the rhythm of a service, such as alternating
    requests and answers, would decide which records are sampled. A sampler is thread-safe; a forked process
    and a pickle of the codec continue in the same file.

    Args:
        file: The file to append to: ``.jsonl``, ``.msgpack``, ``.bson``, ``.cbor`` or ``.yaml``, followed by
            ``.zst`` or ``.gz`` for compression. It must be a regular file of this user, not a link, and only
            the owner may read it; otherwise the sampler stops.
        every: One in this many records is kept, on average.
        limit: The maximum size of the file, in bytes or as ``"64MiB"``; at this size the sampler stops.

    Attributes:
        path: The file, absolute.
        kept: Records that this process has written.
        lost: Records that the file's format cannot hold.
        stopped: Why the sampler has stopped; empty while it runs.

    Raises:
        UsageError: An unknown ending, or an argument out of range.
        MissingLibrary: The library of the format or the compressor is not installed.
    """

    def __init__(self, file: str | os.PathLike[str], every: int = 1000, limit: int | str = "64MiB") -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise UsageError(f"every: {every!r} is not a whole number from 1")
        self.path = Path(file).absolute()
        self.every = every
        self.limit = _bytes(limit)
        packed = self.path.suffix.lower() in (".zst", ".gz")
        suffix = self.path.with_suffix("").suffix if packed else self.path.suffix
        if (name := (known := endings()).get(suffix.lower())) is None:
            some = ", ".join(known)
            raise UsageError(f"{self.path.name}: a sampler's file ends with one of {some}, and .zst or .gz")
        self._codec = CodecBase.from_spec(spec_of(name))
        self._pack: Callable[[bytes], bytes] = bytes
        if packed:
            self._pack = _gzip if self.path.suffix.lower() == ".gz" else compressor("zstd").compress
        self._file = -1
        self.stopped = ""
        self._begin()

    def _begin(self) -> None:
        """Start in this process; records that another process has gathered are written there."""
        self._process = os.getpid()
        self._batch: deque[bytes] = deque()
        self._gathered = 0
        self._due = 0.0
        self._timer: threading.Timer | None = None
        self._writing = threading.Lock()
        self._random = random.Random()
        self.kept = self.lost = 0

    def __reduce__(self) -> tuple[type[Sampler], tuple[str, int, int]]:
        return Sampler, (str(self.path), self.every, self.limit)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sampler) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"<Sampler {self.path} {self.stopped or f'one in {self.every:,}'}>"

    def gap(self) -> int:
        """Return the number of records until the next sampled one."""
        return self._random.randrange(1, 2 * self.every)

    def keep(self, record: Any, plain: Callable[[Any], Any] | None) -> None:
        """Store a record; the caller never sees an error.

        Args:
            plain: Converts the library's own objects to dicts, if there are any.
        """
        if self.stopped:
            return
        try:
            if self._process != os.getpid():
                self._begin()
            payload = self._codec.encode(record if plain is None else plain(record))
        except Exception:  # noqa: BLE001 - an object's own code can raise anything
            self.lost += 1
            return
        if not (self.kept or self._batch):
            _at_exit(self.flush)
        self._batch.append(self._codec.framing.frame(payload))
        self._gathered += len(payload)
        if self._gathered >= BATCH or monotonic() >= self._due:
            self.flush()
        if self._batch and self._timer is None:
            self._flush_when_due()

    def _flush_when_due(self) -> None:
        """Start a thread that writes the batch: no further record may come, and the process may be killed."""
        self._timer = threading.Timer(max(0.0, self._due - monotonic()), self._time_out)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # at the end of the process, or beyond its limit of threads
            self._timer = None
            self.flush()

    def _time_out(self) -> None:
        self._timer = None
        self.flush()

    def flush(self) -> None:
        """Write pending records, as also happens within a second and at the end of the process."""
        if self._process != os.getpid():
            self._begin()
        # Does not wait: if another thread writes, this record is written with it or with the next batch.
        if not self._writing.acquire(blocking=False):
            return
        try:
            frames = [self._batch.popleft() for _ in range(len(self._batch))]
            self._gathered, self._due = 0, monotonic() + PAUSE
            if frames and not self.stopped:
                self._append(self._pack(b"".join(frames)))
                self.kept += 0 if self.stopped else len(frames)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not be the caller's
            self._stop(f"cannot be written: {getattr(error, 'strerror', None) or error}")
        finally:
            self._writing.release()

    def _append(self, data: bytes) -> None:
        if self._file < 0:
            self._file = _opened(self.path)
        size = os.fstat(self._file).st_size
        if size + len(data) > self.limit:
            self._stop(f"holds {size:,} bytes of the {self.limit:,} that it may")
        elif (written := os.write(self._file, data)) < len(data):
            # Half a frame would damage the frames that others append after it.
            if os.fstat(self._file).st_size == size + written:
                os.truncate(self._file, size)
            self._stop("cannot be written: no space left")

    def _stop(self, why: str) -> None:
        import logging

        self.stopped = why
        logging.getLogger(__name__).warning("%s: %s; sampling has stopped", self.path, why)
