"""Types of a library's own in records of a file: made plain if a plain type has the same value, else refused.

Records with such types could not be measured: other codecs cannot write them, and some cannot be sent to a
worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...codecs.errors import DecodeError, PolicyError
from ...codecs.paths import brief, join
from ...codecs.safety._walk import Rules, check_record
from ...codecs.safety.policies import held

Plain = Mapping[type, Callable[[Any], Any]]
"""Classes of a library, each with what returns the plain value of an object, or None if it has none."""


class OwnTypes:
    """The classes of a library that records may contain.

    Args:
        codec: Name of the codec, for errors.
        classes: The classes.
        plain: Those whose objects have a plain value.
    """

    def __init__(self, codec: str, classes: Sequence[type], plain: Plain) -> None:
        self._codec = codec
        self._plain = plain
        self._classes = (*plain, *classes)
        # A mapping that is no dict is looked into, too.
        self._rules = Rules(foreign=self._classes, inside=held)

    def replaced(self, record: Any) -> Any:
        """Return a record with plain values.

        Raises:
            DecodeError: A value has no plain one.
        """
        try:
            check_record(record, self._rules)
        except PolicyError:
            return self._replaced(record, ())
        return record

    def _replaced(self, value: Any, path: tuple[object, ...]) -> Any:
        for kind, make in self._plain.items():
            if isinstance(value, kind) and (plain := make(value)) is not None:
                return self._replaced(plain, path)
        if isinstance(value, self._classes):
            # The text of a subclass of str or tuple does not show its class.
            shown, name = brief(value), type(value).__name__
            what = shown if name in shown else f"{name} {shown}"
            raise DecodeError(self._codec, f"holds {what} at {join(path)}, which other codecs cannot write")
        if isinstance(value, dict):
            return {
                self._hashed(key, path): self._replaced(item, (*path, key)) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return type(value)([self._replaced(item, (*path, n)) for n, item in enumerate(value)])
        if isinstance(value, set | frozenset):
            return type(value)([self._hashed(item, path) for item in value])
        return value

    def _hashed(self, key: Any, path: tuple[object, ...]) -> Any:
        """Return a key of a dict or an item of a set with plain values."""
        plain = self._replaced(key, (*path, key))
        try:
            hash(plain)
        except TypeError:
            what = f"holds {brief(key)} as a key or in a set at {join(path)}"
            raise DecodeError(self._codec, f"{what}, where no plain value can be") from None
        return plain
