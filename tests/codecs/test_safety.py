"""Cases that once crashed the process, or could: each runs in a separate process."""

from __future__ import annotations

import contextlib
import decimal
import io
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from typing import Any

import bson
import cbor2
import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.bench.lab.hostile.collection import cases_of
from bakeoff.bench.operations import _memory
from bakeoff.codecs import DecodeError, EncodeError, LimitError
from untraced import untraced

DEPTH = 50_000


def survive(source: str, *arguments: str, stdin: str = "", **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(source), *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        env=os.environ | environment,
    )
    assert (0, "") == (done.returncode, done.stderr), done.stdout
    return done.stdout.strip()


def deep_payload(codec: codecs.Codec) -> bytes:
    if codec.trusted_only:  # of these the lab has no cases
        start, middle, end = (b"(\1\0\0\0", b"N", b"") if codec.name == "marshal" else (b"]", b"]", b"a.")
        return start * DEPTH + middle + end[:1] * DEPTH + end[1:]
    (case,) = cases_of(codec, ["decode/deep-lists"])
    return bytes(next(iter(case.make(codec))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "wrap"),
    [
        *(("orjson", wrap) for wrap in ("(x,)", "([x],)", "({'a': x},)", "[Box((x,))]")),
        ("orjson", "MappingProxyType({'a': (x,)})"),
        *(("cbor2", wrap) for wrap in ("cbor2.CBORTag(5, x)", "deque([x])", "MappingProxyType({'a': x})")),
        *(("cbor2", wrap) for wrap in ("UserList([x])", "UserDict(a=x)")),
    ],
)
def test_libraries_stop_at_whatever_they_go_into(name, wrap):
    """orjson 3.12 and 3.13 write 2,000 tuples beyond a buffer; a few thousand ended the process of cbor2."""
    said = survive(f"""
        import os
        from collections import UserDict, UserList, deque
        from dataclasses import dataclass
        from types import MappingProxyType
        import bakeoff, cbor2, orjson
        from bakeoff.codecs.version_faults import ORJSON_TUPLES
        codec = bakeoff.codec({name!r})
        if codec.library == "orjson" and ORJSON_TUPLES.found(orjson):
            codec = codec.with_policies(nesting="reject")
        @dataclass
        class Box:
            content: object
        for levels in (1500, 3000, 20_000, 100_000):
            x = 1
            for _ in range(levels):
                x = {wrap}
            try:
                codec.encode(x)
            except bakeoff.EncodeError as error:
                print(error, flush=True)
        os._exit(0)  # or the interpreter itself would recurse to free it
    """)

    assert 4 == said.count("nested more")


@pytest.mark.slow
@pytest.mark.parametrize("wrap", ["[x]", "(x,)", "frozenset([x])", "deque([x])"])
def test_orjson_writes_nested_lists_within_its_buffer(wrap):
    """Asked to, it refuses what goes beyond it: some 140 levels, many times over."""
    survive(f"""
        import contextlib
        from collections import deque
        import bakeoff
        for levels in (100, 118, 130, 146, 170, 199, 210, 250):
            x = 1
            for _ in range(levels):
                x = {wrap}
            for count in (50, 200, 1000):
                with contextlib.suppress(bakeoff.EncodeError):
                    bakeoff.codec("orjson", policies={{"nesting": "reject"}}).encode([x] * count)
    """)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["orjson", "orjson/numpy"])
def test_lists_that_end_together_are_written_within_the_buffer(name):
    """orjson before 3.12 writes beyond it from 32 lists on; the debug allocator ends the process then."""
    survive(
        f"""
        import bakeoff
        codec, other = bakeoff.codec({name!r}), bakeoff.codec("json")
        for levels in (29, 30, 31, 32, 40, 61, 90, 117):
            for last in ("", {{}}, []):
                for room in range(28, 36):
                    x = [last] * ((1024 - levels - room) // 3)
                    for _ in range(levels - 1):
                        x = [x]
                    for record in (x, [x, x], {{"a": x, "b": (x, 1)}}):
                        assert codec.encode(record) == other.encode(record)
        """,
        PYTHONMALLOC="debug",
    )


@pytest.mark.slow
def test_orjson_stops_at_a_cycle_through_a_tuple():
    said = survive("""
        import bakeoff
        items = []
        items.append((items,))
        try:
            bakeoff.codec("orjson").encode(items)
        except bakeoff.EncodeError as error:
            print(error)
    """)

    assert "contains itself" in said


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["'cbor2'", "'yaml'", "'json', depth=50"])
@pytest.mark.parametrize("kind", ["set", "deque"])
def test_an_object_that_empties_what_holds_it_is_survived(codec, kind):
    """The check of depth keeps what it looks into."""
    survive(f"""
        import contextlib
        from collections import deque
        import bakeoff
        class Emptying({kind}):
            def __hash__(self):
                return id(self)
            def __iter__(self):
                outer.clear()
                inner.clear()
                return iter([(1, 2), [object()]])
        for _ in range(200):
            inner = [Emptying([(1,)])]
            outer = {{Emptying([(1,)]): Emptying([(2,)]), (bytes(50), "x" * 50): inner, "k": {{1: (2, 3)}}}}
            with contextlib.suppress(bakeoff.EncodeError):
                bakeoff.codec({codec}).encode(outer)
    """)


@pytest.mark.slow
@pytest.mark.parametrize("made", ["Codec.__new__(Codec)", "Forgetful()"])
def test_a_codec_that_was_not_made_says_so(made):
    """Forgetting super().__init__ is an ordinary mistake."""
    said = survive(f"""
        import bakeoff
        from bakeoff import Codec
        class Forgetful(Codec):
            def __init__(self):
                pass
        codec = {made}
        repr(codec), hash(codec), codec.framing
        for use in (
            lambda: codec.encode(1), lambda: codec.decode(b"1"), lambda: codec.with_limits(depth=5),
            lambda: codec.__reduce__(), lambda: codec.encode_text(1), lambda: codec == codec,
        ):
            try:
                use()
            except ValueError as error:
                print(error)
    """)

    assert 5 <= said.count("super().__init__")


@pytest.mark.slow
def test_a_plan_that_was_not_made_says_so():
    said = survive("""
        from bakeoff.schemas.plan._plan import Plan
        for use in (Plan.__new__(Plan).apply, Plan.__new__(Plan).advise, lambda _: Plan(None, 1, 1, 1)):
            try:
                use({})
            except (ValueError, TypeError) as error:
                print(error)
    """)

    assert 2 == said.count("super().__init__")


SMALL_STACK = """
    import contextlib, io, os, sys, threading
    from dataclasses import dataclass
    import bakeoff, orjson
    from bakeoff.codecs.version_faults import ORJSON_TUPLES
    name, sizes, payload = sys.argv[1], map(int, sys.argv[2:]), sys.stdin.buffer.read()
    @dataclass
    class Box:
        content: object
    def use():
        codec = bakeoff.codec(name, trusted=True)
        if codec.library == "orjson" and ORJSON_TUPLES.found(orjson):
            codec = codec.with_policies(nesting="reject")
        for each in (codec, codec.with_limits(depth=10_000)):
            with contextlib.suppress(bakeoff.DecodeError):
                each.decode(payload)
            with contextlib.suppress(bakeoff.DecodeError):
                list(each.load(io.BytesIO(payload)))
            for wrap in (lambda x: [x], lambda x: {"a": x}, lambda x: (x,), Box):
                for levels in (190, 490, 990, 9990):
                    x = 1
                    for _ in range(levels):
                        x = wrap(x)
                    with contextlib.suppress(bakeoff.CodecError):
                        each.decode(each.encode(x))
    bakeoff.codec(name, trusted=True).decode(bakeoff.codec(name).encode({"a": [1]}))
    for size in sizes:
        threading.stack_size(size)
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    print("survived", flush=True)
    os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.version_info[:3] == (3, 13, 0),
    reason="CPython 3.13.0 frees 9,990 nested dicts by recursion, beyond such a stack",
)
def test_threads_with_small_stacks_survive(codec):
    """Hostile nesting, read and written, with the stack size of musl or of a server's threads."""
    # Python's own functions take of no stack.
    sizes = ["131072"] if codec.name.endswith("/pure") else ["131072", "524288"]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SMALL_STACK), codec.name, *sizes],
        input=deep_payload(codec),
        capture_output=True,
        env=untraced(),  # tracing takes of the stack, too
    )

    assert (b"survived\n", b"", 0) == (done.stdout, done.stderr, done.returncode)


@pytest.mark.slow
def test_time_calls_holds_what_it_calls_with():
    said = survive("""
        from bakeoff.bench.worker._slice import time_calls
        items = [[number] * 100 for number in range(1000)]
        def empty(item):
            items.clear()
            return item * 2
        try:
            time_calls(empty, items, 0, 500)
        except RuntimeError as error:
            print(error)
    """)

    assert "changed" in said


def test_too_deep_is_a_limit_error_that_names_the_limit(codec):
    payload = deep_payload(codec)
    if codec.format != "pickle":  # it goes any depth
        with pytest.raises(LimitError, match="nested more"):
            codec.decode(payload)
        if codec.format in ("cbor", "marshal"):
            with pytest.raises(LimitError, match="nested more"):
                list(codec.load(io.BytesIO(payload)))
    with pytest.raises(LimitError, match="nested more than 50 deep"):
        codec.with_limits(depth=50).decode(payload)


def test_too_deep_to_encode_is_said_in_the_same_words(codec):
    record: Any = 1
    for _ in range(11_000):  # CPython 3.13.0 stops at 10,000
        record = [record]

    with pytest.raises(EncodeError, match="nested more"):
        codec.encode(record)
    with pytest.raises(EncodeError, match="nested more than 50 deep"):
        codec.with_limits(depth=50).encode(record)


def test_a_large_record_leaves_no_buffer_behind():
    """Packers are kept for the next call, but not with the buffer of a record of 20 MB."""
    codec = bakeoff.codec("msgpack").with_limits(size=1 << 25)
    codec.encode({"a": 1})
    before = _memory.used()
    codec.encode({"a": b"x" * 20_000_000})
    _memory.trim()

    assert _memory.used() - before < 2_000_000


@dataclass(frozen=True)
class Frozen:
    x: int


@pytest.mark.parametrize("name", ["msgpack", "msgpack/list-hook", "msgpack/pure"])
@pytest.mark.parametrize("key", [(1, 2), (), frozenset({1}), Frozen(1)], ids=repr)
def test_a_key_that_could_not_be_read_is_not_written(name, key):
    """Arrays are decoded as lists, which cannot be keys, so they are refused when writing."""
    codec = bakeoff.codec(name)
    plain = {
        "t": (1, (2,), {3: ("x" * 300, b"y" * 70_000)}),
        "s": {4},
        "f": Frozen(5),
        "d": {1.5: [2**40] * 20},
    }

    with pytest.raises(EncodeError, match="key"):
        codec.encode(plain | {"deep": [{"a": {key: 1}}]})
    assert [1, [2], {3: ["x" * 300, b"y" * 70_000]}] == codec.decode(codec.encode(plain))["t"]


@pytest.mark.slow
def test_long_texts_of_plists_take_no_square_of_time():
    """A comment of 20 MB took minutes, as the parser read it again with every chunk."""
    said = survive("""
        import resource
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        import bakeoff
        payload = b'<plist version="1.0"><!--' + b"x" * 20_000_000 + b"--><true/></plist>"
        print(bakeoff.codec("plist", size=len(payload)).decode(payload))
    """)

    assert "True" == said


class Trickle(io.RawIOBase):
    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self.data.read(min(7, len(buffer)))
        buffer[: len(part)] = part
        return len(part)


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_streams_are_read_from_unbuffered_files(codec, compression):
    """A short read of a pipe is not the end of the file."""
    codec = codec.with_compression(compression)
    records = [{"id": number, "text": "x" * 40 * number} for number in range(20)]
    file = io.BytesIO()
    codec.dump(records, file)

    assert records == list(codec.load(Trickle(file.getvalue())))


@pytest.mark.parametrize("name", ["msgpack", "bson", "cbor2", "pickle", "marshal"])
def test_a_file_that_does_not_block_is_not_taken_for_empty(name):
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with (
        open(reading, "rb", buffering=0) as file,  # noqa: PTH123 - a descriptor
        open(writing, "wb"),  # noqa: PTH123
        pytest.raises(BlockingIOError, match="is non-blocking"),
    ):
        list(bakeoff.codec(name, trusted=True).load(file))


@pytest.mark.slow
def test_the_parts_are_there_after_the_import():
    """`bakeoff.codecs.train`, which our messages recommend, needs no separate import."""
    assert "train" == survive("import bakeoff; print(bakeoff.codecs.train.__name__)")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [("msgpack", b"\x80"), ("orjson", b"{},")])
def test_a_small_payload_takes_no_gigabytes(name, value):
    """2 KB of zstd became 64 MiB of empty dicts, and these 4.7 GiB."""
    said = survive(f"""
        import resource, struct, sys
        resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
        import bakeoff, zstandard
        count = (1 << 26) // {len(value)} - 2
        head, tail = (b"\\xdd" + struct.pack(">I", count), b"") if {name!r} == "msgpack" else (b"[", b"{{}}]")
        payload = zstandard.compress(head + {value!r} * count + tail)
        assert len(payload) < 8_000
        try:
            bakeoff.codec("{name}|zstd").decode(payload)
        except bakeoff.LimitError as error:
            print(error)
    """)

    assert "with a limit of 100 times" in said


NUMBER = b"\xc2\x5a\0\x1e\x84\x80" + b"\xff" * 2_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "payload",
    [
        b"\xc4\x82\1" + NUMBER,
        b"\xc5\x82\1" + NUMBER,
        b"\xc5\x82" + NUMBER + b"\1",
        b"\xd8\x1e\x82" + NUMBER + NUMBER[:-1] + b"\7",
    ],
    ids=["decimal", "bigfloat", "exponent", "fraction"],
)
def test_cbor_takes_no_square_of_time_for_a_number(payload):
    """A MB of digits in a decimal took more than a minute, from a payload and from a stream."""
    survive(
        """
        import resource, io, sys
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        import bakeoff
        codec = bakeoff.codec("cbor2")
        payload = bytes.fromhex(sys.stdin.read())
        for read in (codec.decode, lambda payload: list(codec.load(io.BytesIO(payload)))):
            try:
                read(payload)
            except bakeoff.DecodeError as error:
                assert "4,300 digits" in str(error), error
            else:
                sys.exit("read")
        """,
        stdin=payload.hex(),
    )


@pytest.mark.parametrize("digits", ["1.10", "-1E-400", "12345678901234567890.1234567890123456789", "0E+5"])
def test_cbor_decimals_are_exact(digits):
    codec = bakeoff.codec("cbor2")

    assert digits == str(codec.decode(codec.encode(decimal.Decimal(digits))))


@pytest.mark.parametrize("tag", [35, 36])
def test_cbor_compiles_and_parses_nothing_out_of_a_payload(tag):
    """A pattern of 1 MB took 6.6 s, a MIME message of 120 KB half of that; the tag is kept."""
    import cbor2

    codec = bakeoff.codec("cbor2")
    tagged = cbor2.CBORTag(tag, "a")

    assert tagged == codec.decode(codec.encode(tagged))


def test_a_key_is_not_asked_whether_it_is_the_wrapper():
    """An interrupt in its comparison was swallowed, and the decoded record lacked the key."""

    class Key(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            raise KeyboardInterrupt

    codec = bakeoff.codec("bson")
    wrapper = next(iter(bson.decode(codec.encode(1))))

    assert {wrapper: 5} == codec.decode(codec.encode({Key(wrapper): 5}))


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text either")


class Speechless(dict[str, Any]):
    def items(self) -> Any:
        raise SpeechlessError

    def __iter__(self) -> Any:
        raise SpeechlessError

    def keys(self) -> Any:
        raise SpeechlessError


def test_an_error_without_a_text_is_an_encode_error(codec):
    """A record's own error may raise when it is asked what it says."""
    with contextlib.suppress(EncodeError):
        codec.encode({"a": Speechless(a=1)})


def test_an_error_without_a_text_is_named():
    def refuse(subject: Any) -> Any:
        raise SpeechlessError

    codec = bakeoff.Codec("x", "x", refuse, refuse)

    with pytest.raises(EncodeError, match=r"x: SpeechlessError$"):
        codec.encode(1)
    with pytest.raises(DecodeError, match=r"x: SpeechlessError$"):
        codec.decode(b"1")


@pytest.mark.parametrize("tag", [4, 5, 30])
@pytest.mark.parametrize("place", [0, 1])
def test_cbor_refuses_numbers_of_too_many_digits_in_tags(tag, place):
    pair = [1, 1]
    pair[place] = 10**4300
    with pytest.raises(DecodeError, match=r"more than 4,300 digits|exponent"):
        bakeoff.codec("cbor2").decode(cbor2.dumps(cbor2.CBORTag(tag, pair)))
