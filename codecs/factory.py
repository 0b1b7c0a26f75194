"""Codecs by their names, or made from a user's own calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .binding import SchemaProtocol
from .conventions.notes import about
from .core.codec import Codec
from .errors import CodecError
from .production.media import first_reader
from .registry import FORMAT_MODULES, add, describe, first_codecs, missing, names, spec_of, split_name
from .spec import Spec

__all__ = ["by_media_type", "codec", "facts", "register"]

_kept: dict[str, Codec] = {}


def codec(
    source: str | Any,
    /,
    *,
    name: str | None = None,
    format: str | None = None,
    trusted: bool = False,
    schema: SchemaProtocol | None = None,
    dictionary: bytes | Sequence[bytes] | None = None,
    policies: Mapping[str, str] | None = None,
    **limits: int | None,
) -> Codec:
    """Return a codec by name, or of two calls.

    Args:
        source: ``NAME[/VARIANT][+schema][|COMPRESSOR[:LEVEL]]``, for instance ``"orjson|zstd:3"``; or a pair
            ``(dumps, loads)``, an object or module with ``dumps`` and ``loads`` or ``encode`` and ``decode``,
            or a function without arguments that returns one of these.
        name: Name of the codec, where `source` is no name itself.
        format: Of a pair: its wire format, the name where None.
        trusted: Let pickle and marshal decode.
        schema: Advisory schema, applied after every decode; needed for names with ``+schema``.
        policies: Value by policy, see `Codec.with_policies`.
        dictionary: For names with ``|zstd...,dict``: the trained dictionary, see `train`. Of several the
            first is for writing, all are for reading.
        limits: As of `Codec.with_limits`, for instance ``size=1_000_000``.

    Raises:
        UnknownCodec: No codec of that name.
        MissingLibrary: Its library is not installed.
        ValueError: No such limit, or out of range.
        CodecError: It cannot keep a policy.
        UsageError: The source is neither a name nor a codec's calls.
    """
    compression = None
    if isinstance(source, str):
        base, with_schema, compression = split_name(source)
        spec = spec_of(base)
        if with_schema and schema is None:
            raise CodecError(source, "give the schema: bakeoff.codec(name, schema=...)")
        made = _made(spec)
    elif isinstance(source, Codec) and name in (None, source.name):
        made = source
    else:
        from .custom import spec_of_calls

        made = _codec(spec_of_calls(source, name, format))
    if trusted:
        made = made.with_trust()
    if limits:
        made = made.with_limits(**limits)  # type: ignore[arg-type] # None leaves one as it is
    if policies:
        made = made.with_policies(**policies)
    if compression is not None:
        from .streams.compression import compressor

        made = made.with_compression(compressor(compression, dictionary))
    return made if schema is None else made.with_schema(schema)


def _made(spec: Spec) -> Codec:
    """Return the codec of a spec, the same one until another codec takes its name."""
    made = _kept.get(spec.name)
    if made is None or made.spec is not spec:
        made = _kept[spec.name] = _codec(spec)
    return made


def _codec(spec: Spec) -> Codec:
    made: Codec = (spec.codec_class or Codec).from_spec(spec)
    return made


def register(made: Codec, *, replace: bool = False) -> None:
    """Make a codec known under its name for the life of this process.

    `bakeoff.run` measures it, too. For other processes (and so for `bakeoff run`) publish it through the
    entry-point group ``bakeoff.codecs``.

    Args:
        made: The codec; one that was registered under its name before goes.
        replace: Put it in the place of a codec of bakeoff's own, or of a third party's.

    Raises:
        CodecError: The name is taken, and `replace` was not asked for.
    """
    add(made.spec, replace=replace)
    _kept[made.name] = made


def by_media_type(media_type: str, among: Iterable[Codec] | None = None) -> Codec:
    """Return the first codec that reads payloads of a media type, as in a message's header.

    Args:
        media_type: For instance ``"application/json; charset=utf-8"``; of its parameters only ``dictionary``
            matters. Any type that ends with ``+json``, ``+cbor`` or ``+yaml`` is read as that (RFC 6839).
        among: Codecs, those that are liked better first. Left out: all that need no trust and no dictionary,
            for each format the one that bakeoff's own dependencies bring, compressed where the type says so.

    Raises:
        UnknownMediaType: None of them reads it.
        MissingLibrary: The compressor's or the codec's library is not installed.
    """
    return first_reader(media_type, _usual(media_type) if among is None else among)


def _usual(media_type: str) -> list[Codec]:
    from .streams.compression import COMPRESSORS

    others = (name for name in names() if describe(name).format not in FORMAT_MODULES)
    plain = [
        codec(name)
        for name in (*first_codecs().values(), *others)
        if not describe(name).trusted_only and missing(name) is None
    ]
    wanted = media_type.partition(";")[0].strip().lower()
    kinds = [kind for kind in COMPRESSORS if wanted.endswith((f"+{kind}", f".{kind}"))]
    return plain + [each.with_compression(kind) for kind in kinds for each in plain]


def facts(made: Codec) -> dict[str, Any]:
    """Return what a codec says of itself, as plain values."""
    keys = (
        "format", "library", "version", "accelerated", "media_type", "interoperable", "trusted_only", "takes",
        "unguarded",
    )  # fmt: skip
    plain: dict[str, Any] = {key: getattr(made, key) for key in keys}
    return plain | {
        "preserves": sorted(made.preserves),
        "losses": list(made.losses),
        "notes": list(map(str, made.notes)),
        "about": list(map(about, made.notes)),
    }
