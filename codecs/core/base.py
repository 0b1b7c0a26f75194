"""`CodecBase`: the part of a `Codec` that streams, integrations and other modules use."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Any, Literal, Self

from ..spec import Spec
from ._codec import Core

if TYPE_CHECKING:
    from ..binding import SchemaProtocol
    from ..streams.compression import Compression
    from ..streams.framing import Framing


def fact(where: str) -> Any:
    """Return a property that reads a part of the spec; a field would need a copy in every codec."""
    return property(attrgetter(f"spec.{where}"))


class CodecBase(Core):
    """The compiled `Core` with its facts, and with the methods that derive other codecs from it.

    `Codec` adds the registry, policies and samplers.
    """

    __slots__ = ()

    @classmethod
    def from_spec(cls, spec: Spec) -> Self:
        """Return the codec of a complete `bakeoff.codecs.spec.Spec`."""
        made = cls.__new__(cls)
        made._make(spec)
        return made

    def _vary(self, **changes: Any) -> Self:
        return self.from_spec(self._made().changed(**changes))

    def with_schema(self, schema: SchemaProtocol | None) -> Self:
        """Return this codec with an advisory schema applied after every decode (None removes it).

        Raises:
            TypeError: Not a `SchemaProtocol`.
        """
        if schema is not None and not hasattr(schema, "fixer"):
            raise TypeError(f"expected a bakeoff.Schema, got {schema!r:.80}; make one with Schema(...)")
        return self._vary(schema=schema)

    def with_compression(self, compression: str | Compression | None) -> Self:
        """Return this codec with payloads compressed, for instance ``"zstd:3"`` (None removes it)."""
        from ..streams.compression import compressor

        if isinstance(compression, str):
            compression = compressor(compression)
        return self._vary(compression=compression)

    def dump(self, records: Iterable[Any], file: IO[bytes], /) -> int:
        """Write records one after another, in the usual framing of the format.

        Args:
            records: Any iterable; one record is held at a time.
            file: A binary file.

        Returns:
            The number of records written.

        Raises:
            EncodeError: As `encode`.
        """
        return self.framing.dump(self, records, file)

    # facts: `Facts`, `Settings`, `Format` and `MediaTypes` describe each ------------------------------------

    format: str = fact("format.name")
    library: str = fact("facts.library")
    version: str = fact("facts.version")
    accelerated: bool | None = fact("facts.accelerated")
    content_encoding: Literal["binary", "utf-8"] = fact("content_encoding")
    encoding: str | None = fact("encoding")
    file_extension: str = fact("format.file_extension")
    framing: Framing = fact("framing")
    trusted_only: bool = fact("format.trusted_only")
    trusted: bool = fact("settings.trusted")
    needs_schema: bool = fact("needs_schema")
    interoperable: bool = fact("format.interoperable")
    preserves: frozenset[str] = fact("facts.preserves")
    encodes_as: dict[str, str] = fact("encodes_as")
    losses: tuple[str, ...] = fact("facts.losses")
    takes: str = fact("facts.takes")
    unguarded: bool = fact("facts.unguarded")
    notes: tuple[str, ...] = fact("facts.notes")
    media_type: str = fact("media.type")
    media_type_aliases: tuple[str, ...] = fact("media.aliases")

    @property
    def http_headers(self) -> dict[str, str]:
        """Content-Type and Content-Encoding for HTTP, in a new dict.

        They name the plain format, and not `media_type`: an HTTP peer need not know bakeoff.
        """
        return dict(self.spec.media.headers)
