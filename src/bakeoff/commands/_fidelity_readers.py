"""``bakeoff fidelity --readers``: which codecs the libraries of other languages read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import RunError, UsageError

if TYPE_CHECKING:
    from ..bench.lab.fidelity.readers import ForeignReaders


def started(languages: Sequence[str]) -> ForeignReaders:
    """Start the workers of some languages.

    Raises:
        UsageError: A language is unknown, or its worker is not built.
        RunError: One does not start.
    """
    from ..bench.foreign.port import WorkerError
    from ..bench.lab.fidelity.readers import ForeignReaders

    try:
        return ForeignReaders(languages)
    except WorkerError as error:
        raise RunError(f"--readers {','.join(languages)}: {error}") from error


def tried() -> list[str]:
    """Return the installed codecs that write without a schema, or with one that readers get."""
    from ..codecs import available

    return [codec for codec in available(needs_schema=True) if not _has_own_types(codec)]


def _has_own_types(codec: str) -> bool:
    """Return whether a codec needs a schema that readers do not get: it reads into classes of Python."""
    from ..bench.foreign.schemas import FORMATS
    from ..codecs import describe

    known = describe(codec)
    return known.needs_schema and known.format not in FORMATS


def readable(readers: ForeignReaders, codecs: Sequence[str]) -> dict[str, str]:
    """Return the formats of the codecs that a library reads.

    Raises:
        UsageError: There is none.
    """
    from ..codecs import describe

    known = dict.fromkeys(reader.format for reader in readers.libraries)
    formats = {codec: describe(codec).format for codec in codecs}
    found = {codec: form for codec, form in formats.items() if form in known and not _has_own_types(codec)}
    if not found:
        raise UsageError("; ".join([*left_out(codecs, found), f"they read {', '.join(known)}"]))
    return found


def left_out(codecs: Sequence[str], formats: Mapping[str, str]) -> Iterator[str]:
    """Yield notes about codecs that are not among the readable ones."""
    from ..reports.model.lists import some

    unread = [codec for codec in codecs if codec not in formats]
    if own := [codec for codec in unread if _has_own_types(codec)]:
        yield f"readers do not get the schema of {some(own)}"
    if rest := [codec for codec in unread if codec not in own]:
        yield f"no library here reads {some(rest)}"
