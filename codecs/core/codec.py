"""`Codec`: a `CodecBase` with streams, limits, policies and a sampler."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import IO, TYPE_CHECKING, Any, Self

from ..binding import SchemaIds, unbound
from ..errors import CodecError
from ..limits import Limits
from ..spec import Format, Options, Settings, Spec, taking
from .base import CodecBase, fact

if TYPE_CHECKING:
    from ..binding import SchemaProtocol
    from ..errors import DecodeError
    from .decoder import Decoder
    from .sampler import Sampler
    from .text import TextCodec

    @dataclass(frozen=True)
    class _Arguments(Options, Format):
        name: str = field(kw_only=False)
        format: str = field(kw_only=False)  # type: ignore[assignment]
        encode: Callable[..., Any] = field(kw_only=False, default=unbound)
        decode: Callable[..., Any] = field(kw_only=False, default=unbound)

else:
    _Arguments = None

_OF_FORMATS = {each.name for each in fields(Format)} - {"name", "family"}


class Codec(CodecBase):
    """An encoder and a decoder with fixed options, behind one interface.

    Immutable, safe to share between threads, picklable, and not callable (Django calls
    any callable). A run measures the same object that users import.

    Args:
        name: Stable name, ``NAME[/VARIANT]``.
        format: Wire format, for instance ``"json"``.
        encode: Callable ``(object) -> bytes | str``; text is stored as UTF-8.
        decode: Callable ``(bytes) -> object``, or ``(str) -> object`` with ``text=True``.
        options: Attributes of `Calls`, `Guards`, `Facts`, `Settings` and `Format` in `bakeoff.codecs.spec`.

    Attributes:
        spec: All options in one object; some are not available elsewhere.

    Raises:
        TypeError: No such option.
        ValueError: An invalid argument; or the codec is already made: it is shared and does not change.
    """

    __slots__ = ()

    sampler: Sampler | None = fact("settings.sampler")

    @taking(_Arguments)
    def __init__(
        self, name: str, format: str, encode: Any = unbound, decode: Any = unbound, **options: Any
    ) -> None:
        for what, value in (("name", name), ("format", format)):
            if not isinstance(value, str) or not value:
                raise ValueError(f"codec {what} must be a non-empty string, got {value!r}")
        shared = {option: options.pop(option) for option in _OF_FORMATS & options.keys()}
        kind = Format(name=format, **shared)
        self._make(Spec.of(name=name, format=kind, encode=encode, decode=decode, **options))

    # streams ----------------------------------------------------------------------------------

    def load(self, file: IO[bytes], /) -> Iterator[Any]:
        """Return an iterator over the records in a binary file; one record is held at a time.

        It reads to the end of the file.

        Raises:
            DecodeError: As `decode`, or the file ends within a record; `offset` is where the record starts.
        """
        from .decoder import load

        return load(self, file)

    def decoder(self, on_damage: Callable[[DecodeError], object] | None = None) -> Decoder:
        """Return a `Decoder`, for a stream that arrives in pieces: ``for record in decoder.feed(chunk)``.

        Args:
            on_damage: Called with the error of each damaged record after which the stream can continue.
                Without it the error is raised.

        Raises:
            DecodeError: The codec is not trusted.
        """
        from .decoder import Decoder

        return Decoder(self, on_damage)

    # variations -------------------------------------------------------------------------------

    @property
    def text(self) -> TextCodec:
        """The same codec with str instead of bytes, a `bakeoff.codecs.core.text.TextCodec`.

        Raises:
            MissingText: The format is binary, or payloads are compressed.
        """
        from .text import TextCodec

        return TextCodec(self)

    @taking(Limits)
    def with_limits(self, **limits: int | None) -> Codec:
        """Return this codec with other limits, by the names of `Limits`; None keeps a limit.

        Raises:
            ValueError: No such limit, or out of range.
        """
        return self._vary(limits=self._made().settings.limits.changed(**limits))

    def with_policies(self, **policies: str) -> Self:
        """Return this codec with other policies, for instance ``nonfinite="reject"``; others are kept.

        `bakeoff codecs --policies` lists the policies and the values that each codec supports. If the library
        has no option for a policy, every record is checked, which takes about 5 ns for each value in it.

        Raises:
            CodecError: No such policy or value, or the codec cannot enforce it.
        """
        from .policy_resolution import changes

        return self.from_spec(changes(self._made(), policies))

    def with_schema_id(self, schema_id: int, older: Mapping[int, SchemaProtocol] | None = None) -> Self:
        """Return this codec with the id of its schema in a registry, for payloads that begin with it.

        Args:
            schema_id: Id of the codec's schema; 0 if it is never set, which no registry gives.
            older: Other schemas, by their ids. Their payloads are read as records of the codec's schema.

        Raises:
            CodecError: The codec's payloads have no schema id.
            ValueError: An id is not an integer of 32 bits, or is given twice.
            SchemaError: The codec's schema cannot read payloads of another.
        """
        if self._made().settings.ids is None:
            raise CodecError(
                self.name, "its payloads have no schema id; use avro/registry or protobuf/registry"
            )
        return self._vary(ids=SchemaIds(schema_id, dict(older or {})))

    @property
    def policies(self) -> dict[str, str]:
        """The codec's behavior for each policy; ``DUMP/LOAD`` if the two differ."""
        from ..safety.policies import in_force

        spec = self._made()
        return in_force(spec.facts.policies, spec.settings.asked)

    def tap(self, file: str | os.PathLike[str], every: int = 1000, limit: int | str = "64MiB") -> Self:
        """Return this codec with a `Sampler`: it also writes one in `every` of its records to a file.

        It samples the records that `encode` has written and those that `decode` returns, with the schema
        applied; not those of `peek`, `replace` and `append`.
        The file is a corpus for `bakeoff run`. ``codec.sampler`` has the counts; pickles keep the sampler.

        Raises:
            UsageError: The file's ending is not a known format, or an argument is out of range.
            MissingLibrary: The library of the format or the compressor is not installed.
        """
        from .sampler import Sampler

        return self._vary(sampler=Sampler(file, every, limit))

    def with_trust(self) -> Self:
        """Return this codec allowed to decode payloads that could run code."""
        return self._vary(trusted=True)

    def as_class(self) -> type[Any]:
        """Return a class whose instances are this codec, for frameworks that build one by dotted path."""
        from .classes import CodecClass, class_of

        return class_of(CodecClass, self)

    # identity ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Codec {self.name} ({self.library} {self.version})>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Codec):
            return NotImplemented
        return self.name == other.name and self.__reduce__()[1] == other.__reduce__()[1]

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Callable[..., Codec], tuple[str | None, Spec | Settings]]:
        spec = self._made()
        return _rebuild, (spec.origin, spec if spec.origin is None else spec.settings)


def _rebuild(origin: str | None, made_of: Any) -> Codec:
    """Rebuild a codec from the arguments of `Codec.__reduce__`."""
    if origin is None:
        return Codec.from_spec(made_of)
    from ..registry import spec_of

    made = Codec.from_spec(replace(spec_of(origin), settings=replace(made_of, asked={})))
    return made.with_policies(**made_of.asked) if made_of.asked else made
