"""Compressors behind codecs: their names, whole payloads, limits, dictionaries, and threads."""

from __future__ import annotations

import gzip
import io
import pickle
import re
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import brotli
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import CodecError, DecodeError, LimitError, MissingLibrary
from bakeoff.codecs.streams.compression import (
    COMPRESSORS,
    DICTIONARY_BYTES,
    FREE,
    Compression,
    compressor,
    library,
)

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"], "score": 0.25, "deep": {"list": [{"x": [1, 2]}]}}
KINDS = list(COMPRESSORS)
SHRINKING = [kind for kind in KINDS if kind != "crc32"]
LEVELS = [
    f"{name}:{level}"
    for name, kind in COMPRESSORS.items()
    for level in sorted({kind.levels[0], kind.level, kind.levels[-1]})
]
"""Each compressor with its lowest, its usual and its highest level."""


Pack = Callable[[bytes], bytes]


def unlimited(made: Compression, payload: bytes) -> bytes:
    return made.decompress_within(payload, 1 << 30, 1 << 30)


@pytest.mark.parametrize("name", LEVELS)
@given(data=st.binary(max_size=3000))
def test_bytes_come_back(name: str, data: bytes) -> None:
    made = compressor(name)
    payload = made.compress(data)

    assert data == unlimited(made, payload)
    for damaged in (payload + b"x", payload[:-1]):
        with pytest.raises(Exception, match=r".") as caught:
            unlimited(made, damaged)
        assert not isinstance(caught.value, LimitError)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.binary(max_size=200))
def test_a_damaged_payload_is_a_decode_error(kind: str, data: bytes) -> None:
    codec = bakeoff.codec(f"json|{kind}")
    payload = codec.encode(RECORD)

    for damaged in (data, payload[: len(data)] + data):
        if damaged != payload:
            with pytest.raises(DecodeError):
                codec.decode(damaged)
    assert RECORD == codec.decode(payload)


@pytest.mark.parametrize("kind", KINDS)
def test_the_limit_is_exact(kind: str) -> None:
    made = compressor(kind)
    payload = made.compress(bytes(5000))

    assert bytes(5000) == made.decompress_within(payload, 5000, 1)
    with pytest.raises(
        LimitError, match=r"more than the limit of 4,999 bytes \(see with_limits, decompressed\)"
    ):
        made.decompress_within(payload, 4999, 1)


@pytest.mark.parametrize("kind", SHRINKING)
def test_a_ratio_holds_beyond_what_is_free(kind: str) -> None:
    """Short payloads may hold a MiB of the same; only what is longer is measured against its payload."""
    made = compressor(kind)
    free, more = (made.compress(bytes(size)) for size in (FREE, 4 * FREE))

    assert FREE == len(made.decompress_within(free, 8 * FREE, 1))
    assert 4 * FREE == len(made.decompress_within(more, 8 * FREE, 1_000_000))
    with pytest.raises(LimitError, match=rf"a limit of 7 times its {len(more):,} \(see with_limits, ratio\)"):
        made.decompress_within(more, 8 * FREE, 7)


@pytest.mark.parametrize(
    ("name", "kind", "distribution"),
    [
        ("zlib", "zlib", "Python"),
        ("zlib:1", "zlib", "Python"),
        ("zstd:-131072", "zstd", "zstandard"),
        ("gzip", "gzip", "Python"),
        ("isal:3", "isal", "isal"),
        ("lz4:16", "lz4", "lz4"),
        ("snappy", "snappy", "cramjam"),
        ("brotli:11", "brotli", "brotli"),
        ("crc32", "crc32", "Python"),
    ],
)
def test_a_name_is_a_kind_and_a_level(name: str, kind: str, distribution: str) -> None:
    made = compressor(name)

    assert (name, kind, None, None) == (made.name, made.kind, made.dictionary, made.dictionary_id)
    assert distribution == library(name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing", f"no such compressor; there are {', '.join(KINDS)}"),
        ("zlib2", "no such compressor; did you mean zlib?"),
        ("zstd:x", "the level must be a whole number, got 'x'"),
        ("zlib:10", "no such level; zlib has 0 to 9"),
        ("zstd:23", "zstd has -131072 to 22"),
        ("isal:4", "isal has 0 to 3"),
        ("brotli:-1", "brotli has 0 to 11"),
        ("crc32:1", "crc32 has 0 to 0"),
        ("zlib,dict", "no such option 'dict'; zstd has `dict`"),
        ("zstd,fast", "no such option 'fast'"),
    ],
)
def test_another_name_is_an_error(name: str, said: str) -> None:
    for ask in (compressor, library, lambda name: bakeoff.codec(f"json|{name}")):
        with pytest.raises(CodecError, match=re.escape(said)):
            ask(name)


@pytest.mark.parametrize(
    ("kind", "module"),
    [
        ("isal", "isal.isal_zlib"),
        ("zstd", "zstandard"),
        ("lz4", "lz4.frame"),
        ("snappy", "cramjam"),
        ("brotli", "brotli"),
    ],
)
def test_a_missing_library_is_named(kind: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(MissingLibrary, match=rf"pip install 'bakeoff\[{kind}\]'"):
        compressor(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_share_a_compressor(kind: str) -> None:
    """Contexts are pooled, and no two threads have the same one at a time."""
    made = compressor(kind)
    pieces = [bytes([n % 251]) * (n * 97 % 5000) for n in range(400)]

    def there_and_back(data: bytes) -> bytes:
        return unlimited(made, made.compress(data))

    with ThreadPoolExecutor(8) as pool:
        assert pieces == list(pool.map(there_and_back, pieces))


def test_all_codecs_have_compression(codec: codecs.Codec) -> None:
    packed = codec.with_compression("zlib")

    assert f"{codec.name}|zlib" == packed.name
    assert codec.decode(codec.encode(RECORD)) == packed.decode(packed.encode(RECORD))
    assert codec == packed.with_compression(None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_codec_has_all_compressors(kind: str) -> None:
    packed = bakeoff.codec("json").with_compression(kind)
    records = [RECORD | {"id": n, "pad": "x" * (n * 7)} for n in range(300)]
    file = io.BytesIO()

    assert 300 == packed.dump(records, file)
    file.seek(0)
    assert records == list(packed.load(file))
    again = pickle.loads(pickle.dumps(packed))
    assert packed == again
    assert RECORD == again.decode(packed.encode(RECORD))
    assert packed != packed.with_compression("zlib:1")
    with pytest.raises(LimitError):
        packed.with_limits(size=2000).decode(packed.encode("x" * 100_000))


def test_a_trained_dictionary_makes_small_payloads_smaller() -> None:
    codec = bakeoff.codec("json")
    payloads = [codec.encode(RECORD | {"id": n, "name": f"name {n * 7919}"}) for n in range(2000)]
    trained = codec.with_compression(codecs.train("zstd:3,dict", payloads[:1000]))
    plain = bakeoff.codec("json|zstd:3")
    fresh = [codec.decode(payload) for payload in payloads[1000:]]

    assert fresh == [trained.decode(trained.encode(record)) for record in fresh]
    assert sum(len(trained.encode(r)) for r in fresh) < sum(len(plain.encode(r)) for r in fresh)
    assert DICTIONARY_BYTES >= len(trained.compression.dictionary or b"")
    assert trained == pickle.loads(pickle.dumps(trained))
    assert trained.compression == codecs.train("zstd:3", payloads[:1000])
    with pytest.raises(CodecError, match="does not support dictionaries"):
        codecs.train("zlib", payloads)
    with pytest.raises(CodecError, match="needs a dictionary"):
        bakeoff.codec("json|zstd:3,dict")
    with pytest.raises(CodecError, match="not a zstd dictionary"):
        bakeoff.codec("json|zstd:3,dict", dictionary=b"abc" * 100)
    with pytest.raises(DecodeError, match=r"with the dictionary \d+, but this codec has none"):
        plain.decode(trained.encode(RECORD))


def test_older_dictionaries_are_for_reading() -> None:
    plain = bakeoff.codec("json")
    old, new = (
        codecs.train("zstd:3,dict", [plain.encode(RECORD | {"id": n * step}) for n in range(2000)]).dictionary
        for step in (1, 7919)
    )
    first = bakeoff.codec("json|zstd:3,dict", dictionary=old)
    both = pickle.loads(pickle.dumps(bakeoff.codec("json|zstd:3,dict", dictionary=[new, old])))

    for codec in (first, both, bakeoff.codec("json|zstd")):
        assert RECORD == both.decode(codec.encode(RECORD))
    assert both.media_type != first.media_type in both.media_type_aliases
    with pytest.raises(DecodeError, match=rf"but this codec has {first.compression.dictionary_id};"):
        first.decode(both.encode(RECORD))


def test_a_zstd_frame_that_hides_its_size_is_bounded() -> None:
    """A bomb without a size in its header stops at the limit; an honest one is read, and only whole."""
    import zstandard

    silent = zstandard.ZstdCompressor(write_content_size=False)
    codec = bakeoff.codec("json|zstd").with_limits(size=100_000)

    assert RECORD == codec.decode(silent.compress(bakeoff.codec("json").encode(RECORD)))
    for payload in (silent.compress(b"[" + b" " * 50_000_000 + b"]"), silent.compress(b"[1]") + b"x" * 300):
        with pytest.raises(DecodeError):
            codec.decode(payload)


def test_a_zstd_frame_that_holds_more_than_it_says_is_an_error() -> None:
    """Its header's size is believed, and decompression ends there."""
    codec = bakeoff.codec("json|zstd")
    payload = bytearray(codec.encode("ab" * 50))
    assert payload[4:6] == bytes((0x20, 102))  # a single segment, its size in one byte (RFC 8878, 3.1.1.1)

    for size in (101, 103, 1):
        payload[5] = size
        with pytest.raises(DecodeError):
            codec.decode(bytes(payload))


@pytest.mark.parametrize("length", [10, 4_000, 5_000, 60_000])
def test_lz4_bombs_stop_at_the_limit_in_payloads_of_any_length(length: int) -> None:
    """Short payloads, which cannot contain more, are decompressed at once; trailing data is refused."""
    from lz4 import frame

    codec = bakeoff.codec("json|lz4")
    packed = frame.compress(b'"' + b" " * (length * 250) + b'"', store_size=False)
    limited = codec.with_limits(decompressed=length * 250)

    with pytest.raises(LimitError):
        limited.decode(packed)
    for payload in (packed + b"x", packed * 2, packed[:-1]):
        with pytest.raises(DecodeError):
            codec.decode(payload)


@pytest.mark.parametrize(
    ("name", "read", "write"),
    [
        ("zlib", zlib.decompress, zlib.compress),
        ("isal", zlib.decompress, zlib.compress),
        ("gzip", gzip.decompress, gzip.compress),
        ("brotli", brotli.decompress, brotli.compress),
    ],
)
@given(data=st.binary(max_size=3000))
def test_payloads_are_those_of_the_usual_libraries(name: str, read: Pack, write: Pack, data: bytes) -> None:
    made = compressor(name)

    assert data == read(made.compress(data))
    assert data == unlimited(made, write(data))


@given(data=st.binary(max_size=3000))
def test_snappy_payloads_are_those_of_parquet(data: bytes) -> None:
    """Arrow's library contains the C++ one."""
    made, peer = compressor("snappy"), pyarrow.Codec("snappy")

    assert data == peer.decompress(made.compress(data), len(data), asbytes=True)
    assert data == unlimited(made, peer.compress(data, asbytes=True))


def test_compressors_of_one_format_share_its_media_type() -> None:
    slow, fast = bakeoff.codec("json|zlib"), bakeoff.codec("json|isal")

    assert (slow.media_type, slow.http_headers) == (fast.media_type, fast.http_headers)
    assert RECORD == slow.decode(fast.encode(RECORD)) == fast.decode(slow.encode(RECORD))
    assert fast is codecs.by_media_type(slow.media_type, [fast])


@pytest.mark.parametrize("claimed", [b"\xff\xff\xff\xff\x0f", b"\xac\x02"])
def test_a_snappy_payload_claims_no_more_than_it_can_hold(claimed: bytes) -> None:
    """4 GiB and 300 bytes, which the library would allocate before it reads on."""
    with pytest.raises(ValueError, match=r"claims .* bytes, more than \d can hold"):
        unlimited(compressor("snappy"), claimed + b"\0a")


def test_the_best_that_snappy_compresses_is_read() -> None:
    made = compressor("snappy")

    assert bytes(1 << 20) == unlimited(made, made.compress(bytes(1 << 20)))


def test_a_brotli_bomb_stops_at_the_limit() -> None:
    """Some hundred bytes hold 64 MiB."""
    packer = brotli.Compressor(quality=5)
    bomb = b"".join(packer.process(bytes(1 << 20)) for _ in range(64)) + packer.finish()
    assert len(bomb) < 400

    tracemalloc.start()
    with pytest.raises(LimitError):
        bakeoff.codec("json|brotli").decode(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 16 * FREE


def test_a_dictionary_needs_samples() -> None:
    with pytest.raises(CodecError, match="no dictionary from 2 payloads"):
        codecs.train("zstd,dict", [b"a", b"b"])
