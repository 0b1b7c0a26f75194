"""A codec as the workers use it: the whole codec, and its parts where a schema is involved."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..codecs import CodecError, codec, split_name

if TYPE_CHECKING:
    from ..codecs import Codec

__all__ = ["Contestant", "bare_name", "contestant"]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A codec and its parts.

    Attributes:
        codec: As named, what users would import.
        bare: The same without its schema; what dump and load measure.
        fix: The schema's fix-up, or None when there is none or nothing to do.
    """

    codec: Codec
    bare: Codec
    fix: Callable[[Any], Any] | None = None


def bare_name(name: str) -> str:
    """Return a codec's name without its schema."""
    return name.replace("+schema", "", 1)


def contestant(name: str, schema: Path | None) -> Contestant:
    """Build a codec by its name.

    Args:
        name: As in result files.
        schema: Pickle of the `Schema` for names with ``+schema``.

    Raises:
        CodecError: It cannot be built; a name with ``+schema`` without a schema included.
    """
    # What is decoded here was encoded here, so codecs for trusted data may decode it.
    bare = codec(bare_name(name), trusted=True)
    if not split_name(name)[1]:
        return Contestant(bare, bare)
    if schema is None or not schema.exists():
        raise CodecError(name, "the corpus has no schema; give its records one with --infer")
    made = pickle.loads(schema.read_bytes())
    full = codec(name, trusted=True, schema=made)
    return Contestant(full, bare, made.fixer(bare))
