"""Codecs instead of pickle in joblib's Memory."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from joblib._store_backends import CacheWarning, FileSystemStoreBackend

from ..core.base import CodecBase
from ..core.classes import class_of
from ..errors import EncodeError
from ..ready import of_class


class Encoded(FileSystemStoreBackend):  # type: ignore[misc] # no types
    """A backend for ``joblib.register_store_backend`` that stores results as the codec's payloads.

    A result that cannot be encoded is not stored, and one that cannot be decoded is computed again, each with
    a warning, as in joblib's own. Its options ``mmap_mode`` and ``compress`` have no effect.
    """

    codec: CodecBase

    def dump_item(self, call_id: list[str], item: Any, verbose: int = 1) -> None:
        """Store a result."""
        folder = Path(self.location, *call_id)
        try:
            payload = self.codec.encode(item)
        except EncodeError as error:
            warnings.warn(f"result not stored: {error}", CacheWarning, stacklevel=2)
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._concurrency_safe_write(payload, str(folder / _NAME), _write)

    def load_item(self, call_id: list[str], *_: Any, **__: Any) -> Any:
        """Return a result.

        Raises:
            DecodeError: As the codec's; joblib then calls the function.
        """
        return self.codec.decode(Path(self.location, *call_id, _NAME).read_bytes())


def integration(codec: CodecBase) -> type[Encoded]:
    """Return a class of backends."""
    return class_of(Encoded, codec)


def __getattr__(name: str) -> type[Encoded]:
    return integration(of_class(__name__, name))


_NAME = "output.pkl"
"""Name of the file that joblib looks for, for any content."""


def _write(payload: bytes, path: str) -> None:
    Path(path).write_bytes(payload)
