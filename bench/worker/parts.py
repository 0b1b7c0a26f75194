"""Codecs as the workers use them: complete, as parts if there is a schema, or as the library's own calls."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from ...codecs import CodecError, codec, describe, is_raw, split_name
from ...codecs.limits import OWN_DATA
from ...codecs.naming import RAW, split_release
from ..foreign.schemas import FORMATS, ReaderSchema, json_schema, reader_schema
from ..jobs import CorpusInputs
from ..messages.reads import ReadCell
from ..operations.base import CodecParts
from .records import CheckedPayloads, PickledSample

if TYPE_CHECKING:
    from ...codecs import Codec
    from ...schemas.schema import Schema


class Readable(NamedTuple):
    """What a library of another language reads.

    Attributes:
        payloads: The payloads, without what comes before an Avro body.
        schema: The schema, if the format needs one.
    """

    payloads: list[bytes]
    schema: ReaderSchema | None = None


def codec_parts(
    name: str,
    corpus: CorpusInputs,
    blobs: Mapping[str, bytes],
    dictionary: str = "",
    *,
    limits: Mapping[str, int] | None = None,
    checking: bool = False,
) -> CodecParts:
    """Build a codec by its name.

    Args:
        name: The codec's name in result files.
        corpus: Provides the schema for names with ``+schema`` and the training records for names with
            ``,dict``.
        blobs: Inputs by digest.
        dictionary: Digest of a dictionary that was trained before; if empty, one is trained.
        limits: Limits to raise, by name; all others are those that a user gets. None: any record passes.
        checking: Convert errors of a library's own calls to the interface's.

    Raises:
        CodecError: It cannot be built, for instance a name with ``+schema`` without a schema.
    """
    base, with_schema, compression = split_name(name)
    if is_raw(name):
        return _own_calls(base, corpus, blobs, checking)
    # All decoded data were encoded here, so codecs for trusted input may decode them.
    bare = codec(base, trusted=True)
    if limits is None:
        depth = {"depth": corpus.depth} if corpus.depth and bare.spec.limits_depth else {}
        limits = OWN_DATA | depth
    bare = bare.with_limits(**limits)
    if compression is not None:
        from ...codecs.streams.compression import compressor

        trained = None
        if compression.endswith(",dict"):
            trained = blobs[dictionary] if dictionary else _trained(bare, compression, blobs[corpus.training])
        bare = bare.with_compression(compressor(compression, trained))
    if not with_schema and not bare.needs_schema:
        return CodecParts(bare, bare)
    made = _schema(name, corpus, blobs)
    whole = bare.with_schema(made)
    if (bound := whole.bound) is not None:
        return CodecParts(whole, whole, None, bound.take, bound.give)
    return CodecParts(whole, bare, made.fixer(bare))


def readable(read: ReadCell, corpus: CorpusInputs, blobs: Mapping[str, bytes]) -> Readable:
    """Return what a library of another language reads of a codec.

    Raises:
        CodecError: The format needs a schema, and the corpus has none.
    """
    payloads = CheckedPayloads.of(blobs[read.payloads]).payloads
    if read.typed:
        return Readable(payloads, json_schema(_schema(read.codec, corpus, blobs)))
    base = split_release(split_name(read.codec)[0])[0].removesuffix(RAW)
    if describe(base).format not in FORMATS:
        return Readable(payloads)
    schema = reader_schema(base, _schema(read.codec, corpus, blobs))
    return Readable([payload[schema.head :] for payload in payloads], schema)


def _schema(name: str, corpus: CorpusInputs, blobs: Mapping[str, bytes]) -> Schema:
    if not corpus.schema:
        raise CodecError(
            name,
            "the corpus has no schema; use --infer or --schema (not with --record-sizes)",
        )
    made: Schema = pickle.loads(blobs[corpus.schema])
    return made


def _own_calls(name: str, corpus: CorpusInputs, blobs: Mapping[str, bytes], checking: bool) -> CodecParts:
    """Return a library's own calls with the facts of its codec, but without its guarantees."""
    from ...codecs import Codec
    from ...codecs.spec import RawCalls
    from .raw import fitting

    safe, raw = codec(name.removesuffix(RAW), trusted=True), describe(name).raw()
    if raw is None:
        raise CodecError(name, "no raw calls are defined for this codec")
    options = ""
    if not isinstance(raw, RawCalls):
        raw = raw(_schema(name, corpus, blobs))
    elif raw.options and corpus.sample:
        # The same in each process, as all have the same sample.
        options, raw = fitting(raw, safe, PickledSample.of(blobs[corpus.sample]).records())
    shell = Codec(
        name,
        safe.format,
        raw.encode,
        raw.decode,
        **{key: getattr(safe, key) for key in ("library", "version", "accelerated", "media_type")},
        trusted_only=safe.trusted_only,
        trusted=True,
        interoperable=safe.interoperable,
        losses=("types are decoded as the library returns them",),
        notes=(
            "the library's own calls, without guards and conventions: to compare, not to import",
            *((f"called with {options}, as the records need it",) if options else ()),
            *(("its records are made ready before the clock starts",) if raw.take else ()),
        ),
    )
    # The measurement uses only the two calls of the bare codec.
    return CodecParts(shell, shell if checking else cast("Codec", raw), None, raw.take, raw.give)


def _trained(bare: Codec, compression: str, training: bytes) -> bytes:
    """Return a dictionary for a codec, trained on records that are not measured."""
    from ...codecs import train

    dictionary = train(compression, [bare.encode(record) for record in pickle.loads(training)]).dictionary
    assert dictionary is not None
    return dictionary
