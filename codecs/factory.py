"""Codecs by name, or made from the user's own functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .binding import SchemaProtocol
from .conventions.notes import about
from .core.codec import Codec
from .errors import CodecError
from .media import first_reader
from .naming import split_name
from .registry import FORMAT_MODULES, add, describe, first_codecs, missing, names, spec_of
from .spec import Spec

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
    """Return a codec by name, or made from two functions.

    Args:
        source: ``NAME[/VARIANT][==RELEASE][+schema][|COMPRESSOR[:LEVEL]]``, for instance
            ``"orjson|zstd:3"``, where a release must be the installed one; or a pair ``(dumps, loads)``, an
            object or module with ``dumps`` and ``loads`` or ``encode`` and ``decode``, or a function without
            arguments that returns one of these.
        name: Name of the codec, if `source` is not a name.
        format: Wire format of a pair; the codec's name if None.
        trusted: Allow pickle and marshal to decode.
        schema: Advisory schema, applied after every decode; needed for names with ``+schema``.
        policies: Value by policy, see `Codec.with_policies`.
        dictionary: For names with ``|zstd...,dict``: the trained dictionary, see `train`, or several: the
            first is for writing, all are for reading.
        limits: As for `Codec.with_limits`, for instance ``size=1_000_000``.

    Raises:
        UnknownCodec: No codec of that name.
        MissingLibrary: Its library is not installed.
        ValueError: No such limit, or out of range.
        CodecError: The codec cannot enforce a policy.
        UsageError: The source is neither a name nor a pair of functions.
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
        made = made.with_limits(**limits)  # type: ignore[arg-type] # None keeps a limit
    if policies:
        made = made.with_policies(**policies)
    if compression is not None:
        from .streams.compression import compressor

        made = made.with_compression(compressor(compression, dictionary))
    return made if schema is None else made.with_schema(schema)


def _made(spec: Spec) -> Codec:
    """Return the codec of a spec, the same object until another codec takes its name."""
    made = _kept.get(spec.name)
    if made is None or made.spec is not spec:
        made = _kept[spec.name] = _codec(spec)
    return made


def _codec(spec: Spec) -> Codec:
    made: Codec = (spec.codec_class or Codec).from_spec(spec)
    return made


def register(made: Codec, *, replace: bool = False) -> None:
    """Make a codec known under its name in this process.

    `bakeoff.run` can measure it. For other processes, including `bakeoff run`, publish it through the
    entry-point group ``bakeoff.codecs``.

    Args:
        made: The codec; it replaces one that was registered under its name before.
        replace: Also replace a codec of bakeoff or of a third party.

    Raises:
        CodecError: The name is taken, and `replace` is false.
    """
    add(made.spec, replace=replace)
    _kept[made.name] = made


def by_media_type(media_type: str, among: Iterable[Codec] | None = None) -> Codec:
    """Return the first codec that reads payloads of a media type, as in a message's header.

    Args:
        media_type: For instance ``"application/json; charset=utf-8"``; only the parameter ``dictionary`` has
            an effect. Types that end with ``+json``, ``+cbor`` or ``+yaml`` are read as these (RFC 6839).
        among: Codecs, the preferred ones first. By default all that need neither trust nor a dictionary: for
            each format the codec that bakeoff's own dependencies install, compressed if the type says so.

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


def facts(of: Codec | str, /) -> dict[str, Any]:
    """Return the facts about a codec, as plain values.

    Args:
        of: The codec, or its name.

    Raises:
        UnknownCodec: No such codec.
        MissingLibrary: Its library is not installed.
    """
    made = codec(of, trusted=True) if isinstance(of, str) else of
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
