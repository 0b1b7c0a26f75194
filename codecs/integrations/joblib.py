"""Codecs instead of pickle in joblib's Memory."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from joblib._store_backends import CacheWarning, FileSystemStoreBackend

from ..core.base import CodecBase
from ..errors import EncodeError


def integration(codec: CodecBase) -> type[Any]:
    """Return a class for ``joblib.register_store_backend`` that stores results as the codec's payloads.

    A result that cannot be encoded is not stored, and one that cannot be decoded is computed again, each with
    a warning, as in joblib's own. Its options ``mmap_mode`` and ``compress`` have no effect.
    """

    class Encoded(FileSystemStoreBackend):  # type: ignore[misc] # no types
        def dump_item(self, call_id: list[str], item: Any, verbose: int = 1) -> None:
            folder = Path(self.location, *call_id)
            try:
                payload = codec.encode(item)
            except EncodeError as error:
                warnings.warn(f"result not stored: {error}", CacheWarning, stacklevel=2)
                return
            folder.mkdir(parents=True, exist_ok=True)
            self._concurrency_safe_write(payload, str(folder / _NAME), _write)

        def load_item(self, call_id: list[str], *_: Any, **__: Any) -> Any:
            return codec.decode(Path(self.location, *call_id, _NAME).read_bytes())

    return Encoded


_NAME = "output.pkl"
"""Name of the file that joblib looks for, for any content."""


def _write(payload: bytes, path: str) -> None:
    Path(path).write_bytes(payload)
