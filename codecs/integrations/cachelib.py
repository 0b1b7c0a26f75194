"""Codecs as serializers of cachelib."""

from __future__ import annotations

import logging
from typing import IO, Any

from ..errors import DecodeError
from ._counters import Counters

_log = logging.getLogger(__name__)


class Serializer(Counters):
    """For all of cachelib's caches, including files; integers are digits, so that ``inc`` works.

    A value that cannot be decoded is a miss with a warning in the log, as in cachelib's own serializer.
    """

    def loads(self, data: bytes | None) -> Any:
        """Return the value; None if it is missing or cannot be decoded."""
        try:
            return super().loads(data)
        except DecodeError as error:
            _log.warning("a cached value counts as missing: %s", error)
            return None

    def dump(self, value: Any, file: IO[bytes]) -> None:
        """Write a value to a file.

        Raises:
            EncodeError: As the codec's.
        """
        file.write(self.dumps(value))

    def load(self, file: IO[bytes]) -> Any:
        """Return the value in a file; None if it cannot be decoded."""
        return self.loads(file.read())


integration = Serializer
