"""The contract of the codec interface, checked for every registered codec."""

from __future__ import annotations

import contextlib
import datetime as dt
import gc
import io
import pickle
import uuid
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import codecs
from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import CodecError, DecodeError, EncodeError, LimitError
from bakeoff.codecs.conventions.rules import RULES
from bakeoff.codecs.conventions.tokens import TOKENS
from needed import is_endless

RECORD = {
    "id": 7,
    "name": "Zoë",
    "tags": ["a", "b"],
    "score": 0.25,
    "deep": {"list": [{"x": [1, 2]}]},
    "ok": True,
}

VALUES = {token.name: token.example for token in TOKENS}
PARTLY = {"any_keys", "key_order"}
"""What holds for many keys, such as that of the example, and not for all."""

SUBCLASSED = (
    "int", "float", "str", "bytes", "bytearray", "list", "tuple", "set", "frozenset", "dict", "datetime",
    "datetime_aware", "datetime_offset", "date", "time", "timedelta", "decimal", "uuid",
)  # fmt: skip


def as_subclass(value: Any) -> Any:
    """Return an equal value of a subclass, whose text is of no use."""
    kind: Any = type("Own", (type(value),), dict.fromkeys(("__repr__", "__str__"), lambda self: "own"))
    if isinstance(value, (dt.date, dt.time)):
        return kind.fromisoformat(value.isoformat())
    if isinstance(value, dt.timedelta):
        return kind(value.days, value.seconds, value.microseconds)
    return kind(str(value)) if isinstance(value, uuid.UUID) else kind(value)


# XML 1.0 has no NUL, so property lists carry text without control characters only.
PLAIN_TEXT = 'é😀 "yes" 1:30'

EXTENDED = VALUES | {"str": PLAIN_TEXT}
SUBCLASSED_VALUES = [
    *((EXTENDED[name], as_subclass(EXTENDED[name])) for name in SUBCLASSED),
    ({"a": 1}, OrderedDict(a=1)),
]
"""A value of each built-in type, and an equal one of a subclass."""


def given_back(codec: codecs.Codec, value: Any) -> Any:
    """Return a value as the codec gives it back: tuples for lists where it says so."""
    if "list" in codec.preserves:
        return value
    if isinstance(value, dict):
        return {key: given_back(codec, item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(given_back(codec, item) for item in value)
    return value


def test_a_record_comes_back(codec):
    assert equal(given_back(codec, RECORD), codec.decode(codec.encode(RECORD)), order=True)


def test_any_value_may_stand_at_the_top(codec):
    for top in ([1, 2], [], "text", 5, {}, {"bakeoff.value": 1}, {"bakeoff.value": [1]}):
        assert equal(given_back(codec, top), codec.decode(codec.encode(top)), order=True), top


def test_it_carries_what_it_says(codec):
    values = EXTENDED if codec.name == "plist" else VALUES
    for token in codec.preserves:
        value = values[token]
        record = {"v": value, "l": [value]}

        found = codec.decode(codec.encode(record))

        assert equal(given_back(codec, record), found, order=True), token


def test_it_says_what_it_carries(codec):
    """A type that comes back and is not in `preserves` would be shown as a loss."""
    values = EXTENDED if codec.name == "plist" else VALUES
    came_back = set()
    for token in values.keys() - codec.preserves - PARTLY:
        record = {"v": values[token], "l": [values[token]]}
        with contextlib.suppress(CodecError):
            if equal(record, codec.decode(codec.encode(record)), order=True):
                came_back.add(token)

    # A double of seconds holds the microseconds of some dates only.
    assert ({"datetime"} if codec.name == "plist/binary" else set()) == came_back


def test_types_it_lacks_are_written_all_the_same(codec):
    for rule in RULES:
        if rule.token not in codec.preserves:
            assert codec.encode({"v": VALUES[rule.token]}), rule.token


def test_a_subclass_is_written_as_the_type_it_extends(codec):
    """Users' subclasses, or pandas' subclass of datetime, are neither refused nor taken for another base."""
    if codec.format == "pickle":
        return
    for pair in SUBCLASSED_VALUES:
        expected, found = (codec.decode(codec.encode({"v": v, "l": [v]})) for v in pair)

        assert equal(expected, found, order=True), type(pair[0])


def test_a_subclass_that_holds_more_than_its_type_is_refused(codec):
    """Nanoseconds, as pandas has them, are not dropped where the convention does the writing."""

    class Finer(dt.timedelta):
        def __ne__(self, other: object) -> bool:
            return self is not other

    if codec.format == "pickle":
        return
    with pytest.raises(EncodeError, match="finer"):
        codec.encode({"v": Finer(microseconds=1)})


def test_every_loss_has_a_written_form(codec):
    """A type that is neither preserved nor in `encodes_as` would be an undeclared loss."""
    conventional = {
        "datetime",
        "date",
        "time",
        "timedelta",
        "decimal",
        "uuid",
        "tuple",
        "set",
        "enum",
        "dataclass",
    }

    assert conventional <= codec.preserves | codec.encodes_as.keys()


def test_dill_leaves_pickle_as_it_is():
    codec = bakeoff.codec("dill", trusted=True)

    assert 5 == codec.decode(codec.encode({"v": lambda: 5}))["v"]()
    with pytest.raises(EncodeError):
        bakeoff.codec("pickle/pure").encode({"v": lambda: 5})


def test_a_type_without_convention_is_an_encode_error(codec):
    class Stranger:
        def __reduce_ex__(self, protocol: object) -> str:
            raise TypeError("not even by pickle")

    with pytest.raises(EncodeError) as caught:
        codec.encode({"v": Stranger()})

    assert codec.name == caught.value.codec
    assert not isinstance(caught.value, TypeError)
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("name", ["bson", "bson/pure"])
def test_an_object_id_is_everybodys(name):
    """Decoded objects have the class that users know: pickles can name it, and other codecs accept it."""
    from bson import ObjectId

    codec = bakeoff.codec(name)
    record = {"_id": ObjectId("65a1b2c3d4e5f60718293a4b")}
    found = codec.decode(codec.encode(record))

    assert equal(record, found)
    assert equal(record, pickle.loads(pickle.dumps(found)))
    assert codec.accelerated is (name == "bson")


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


class Row(list):  # type: ignore[type-arg]
    """A list of the user's own."""


@dataclass
class Box:
    content: Any


@pytest.fixture(
    scope="module",
    params=[
        (lambda inner: [inner], lambda outer: outer.pop()),
        (lambda inner: Row([inner]), lambda outer: outer.pop()),
        (lambda inner: OrderedDict(a=inner), lambda outer: outer.pop("a")),
        (lambda inner: frozenset([inner]), lambda outer: next(iter(outer), None)),
    ],
    ids=["list", "subclass", "ordered", "frozenset"],
)
def deep_object(request):
    wrap, unwrap = request.param
    value = wrap(0)
    kind = type(value)
    for _ in range(100_000):
        value = wrap(value)
    held = [value]
    yield held
    held.clear()
    while isinstance(value, kind):  # or the interpreter itself would recurse to free it
        value = unwrap(value)


@pytest.fixture
def no_collections():
    """Look for no garbage: codecs make an object for each level, which would be looked at again and again."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collections")
def test_deep_objects_never_end_the_process(codec, deep_object):
    if is_endless(codec.name):
        pytest.skip("takes minutes in CPython 3.13.0")
    (value,) = deep_object
    if codec.format == "marshal" and type(value) is frozenset:
        return  # each level takes twice the time, as its notes say
    for record in (value, Box(value)):
        with contextlib.suppress(EncodeError):
            codec.encode(record)


LINE_STARTS = [text.encode() for text in ("\ufeff", "#\r", "#\x85", "#\u2028", "#\u2029")]


@pytest.mark.parametrize("start", LINE_STARTS)
@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_deep_yaml_is_stopped_before_the_loader(name, start):
    """Nesting that ends the process in libyaml's loader is a LimitError, also behind what only YAML skips."""
    with pytest.raises(LimitError):
        bakeoff.codec(name).decode(start + b"- " * 30_000 + b"x")


def test_merge_keys_have_a_budget():
    lines = [
        "a: &a {" + ", ".join(f"k{i}: 1" for i in range(1_000)) + "}",
        *(f"b{n}: {{<<: *a}}" for n in range(101)),
    ]

    with pytest.raises(DecodeError, match="merge keys"):
        bakeoff.codec("yaml").decode("\n".join(lines).encode())


def test_depth_can_be_limited(codec):
    limited = codec.with_limits(depth=5)

    assert equal(given_back(codec, deep(3)), limited.decode(limited.encode(deep(3))), order=True)
    with pytest.raises(EncodeError):
        limited.encode(deep(8))
    with pytest.raises(EncodeError):
        limited.encode(reduce(lambda inner, _: OrderedDict(a=inner), range(8)))
    with pytest.raises(LimitError):
        limited.decode(codec.encode(deep(8)))


@pytest.mark.parametrize(
    "limits", [{"size": 0}, {"depth": 0}, {"depth": -1}, {"depth": 10_001}, {"ratio": 0}], ids=str
)
@pytest.mark.parametrize("name", ["json", "bson|zlib"])
def test_a_limit_that_would_be_none_is_refused(name, limits):
    """A depth that the check itself could not reach, or never comes to, would end the process."""
    with pytest.raises(ValueError, match="limit of"):
        bakeoff.codec(name).with_limits(**limits)


def test_size_is_limited(codec):
    payload = codec.encode(RECORD)

    with pytest.raises(LimitError, match="limit"):
        codec.with_limits(size=len(payload) - 1).decode(payload)
    assert codec.with_limits(size=len(payload)).decode(payload)


def test_garbage_is_a_decode_error_or_a_value(codec):
    with pytest.raises(DecodeError):
        codec.decode(b"")
    for data in (b"\xc1", b"\xff\xff\xff\xff", b"{", b"\x80\x05", b"<?xml", b"bplist00"):
        with contextlib.suppress(DecodeError):
            codec.decode(data)


def test_data_after_the_value_is_an_error(codec):
    if codec.trusted_only:
        codec = codec.with_policies(trailing="reject")
    payload = codec.encode(RECORD)

    for tail in (b"\x01", b"\x00\x00", payload):
        if codec.format == "yaml" and tail == payload:
            continue  # the second's keys continue the first: YAML cannot distinguish them
        with pytest.raises(DecodeError):
            codec.decode(payload + tail)


json_like = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text("abcé😀 :-"),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abé$.", max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(record=json_like, name=st.sampled_from(codecs.available()))
def test_plain_records_come_back_from_every_codec(record, name):
    codec = bakeoff.codec(name, trusted=True)
    if "none" not in codec.preserves and "None" in repr(record):
        return
    if "nonfinite" not in codec.preserves and "inf" in repr(record):
        return

    found = codec.decode(codec.encode(record))

    assert equal(given_back(codec, record), found, order=True)


def test_payloads_and_texts_are_found_as_keys(codec):
    """Bytes and texts keep their hash, which a library in C may leave out."""
    records = [RECORD, {"at": dt.datetime(2026, 1, 2), **RECORD}, {"Zoë": "漢字", "a": "é"}]
    for record in records:
        payload = codec.encode(record)
        found = codec.decode(payload)

        assert payload in {bytes(bytearray(payload))}
        assert all(text in {"".join([*text])} for text in [*found, *found.values()] if type(text) is str)


def test_other_buffers_are_accepted(codec):
    payload = codec.encode(RECORD)

    for data in (bytearray(payload), memoryview(payload)):
        assert codec.decode(payload) == codec.decode(data)
    if codec.content_encoding == "utf-8":
        assert codec.decode(payload) == codec.decode_text(codec.encode_text(RECORD))
    else:
        with pytest.raises(DecodeError):
            codec.decode("text")
        with pytest.raises(EncodeError):
            codec.encode_text(RECORD)
    for data in (5, "\ud800"):
        with pytest.raises(DecodeError):
            codec.decode(data)


def test_aliases_are_the_same_work(codec):
    payload = codec.encode(RECORD)
    record = codec.decode(payload)

    assert {payload} == {
        codec.dumps(RECORD),
        codec.dumpb(RECORD),
        codec.serialize(RECORD),
        codec.encode(RECORD, object()),
    }
    for decode in (codec.loads, codec.loadb, codec.deserialize, lambda data: codec.decode(data, object())):
        assert record == decode(payload)


@pytest.mark.parametrize("name", ["encode", "dumps", "dumpb", "serialize"])
def test_none_with_a_context_is_none(codec, name):
    """Confluent's client for Kafka passes one: a message without a value deletes its key."""
    for one in (codec, codec.tap("unused.jsonl"), codec.with_compression("zlib")):
        assert None is getattr(one, name)(None, object())
        assert None is one.decode(None, object())
        with pytest.raises(bakeoff.DecodeError, match="a tombstone"):
            one.decode(None)
    if codec.encoding:
        assert None is codec.text.encode(None, object()) is codec.text.decode(None, object())


def test_it_does_not_change(codec):
    assert not hasattr(codec, "__dict__")
    for name in ("name", "spec", "format", "encode", "anything"):
        with pytest.raises(AttributeError):
            setattr(codec, name, None)
    with pytest.raises(ValueError, match="made already"):
        codec.__init__("other", "json", str, str)


def test_it_is_not_callable_and_has_a_class_form(codec):
    """Django calls whatever is callable, and wants classes to call."""
    assert not callable(codec)
    assert codec is codec.as_class()(options={"any": 1})


def test_eight_threads_share_one_codec(codec):
    records = [RECORD | {"id": n} for n in range(200)]
    expected = [given_back(codec, record) for record in records]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda record: codec.decode(codec.encode(record)), records * 4))

    assert expected * 4 == found


def test_codecs_pickle(codec):
    changed = codec.with_limits(size=12345, depth=50, ratio=20)

    copy = pickle.loads(pickle.dumps(changed))

    assert changed == copy
    assert (12345, 50, 20) == (copy.limits.size, copy.limits.depth, copy.limits.ratio)
    assert copy.decode(copy.encode(RECORD))


def test_streams_hold_one_record_at_a_time(codec):
    records = [RECORD | {"id": n, "pad": "x" * (n * 7)} for n in range(300)]
    file = io.BytesIO()

    assert 300 == codec.dump(iter(records), file)
    file.seek(0)
    found = codec.load(file)

    assert given_back(codec, records[0]) == next(found)
    assert [given_back(codec, record) for record in records[1:]] == list(found)


def test_a_schema_holds_for_streams(codec):
    made = codec.with_schema(bakeoff.Schema({"t": tuple[int, ...], "d": dt.datetime}))
    record = {"t": (1, 2), "d": dt.datetime(2024, 1, 2, 3)}
    file = io.BytesIO()
    made.dump([record] * 2, file)
    file.seek(0)
    expected = made.decode(made.encode(record))

    assert dt.datetime is type(expected["d"])
    assert [expected] * 2 == list(made.load(file))


@pytest.mark.parametrize(
    "text",
    [
        "# header\n---\na: 1\n",
        "\ufeff# header\n---\na: 1\n",
        "%YAML 1.1\n# header\n---\na: 1\n",
        "a: 1\n...\n# end\n",
        "a: 1\n...\n%YAML 1.1\n---\nb: 2\n",
        "# header\na: 1\n---\n# nothing\n",
        "# nothing\n",
        "",
        "---\n",
        "---\na: 1\n---\n",
        "--- # nothing\n---\n...\n---\na: 1\n...\n",
        "\ufeff---\na: 1\n",
        "--- |\n a\n  b\n--- [1,\n 2]\n",
        "--- '%no'\n---\na: x\n  %no\n",
        "%TAG ! tag:yaml.org,2002:\n---\n!str 1\n---\n1\n",
        "%TAG !y! tag:yaml.org,2002:\n# note\n\n--- !y!str 1\n...\n%YAML 1.1\n---\n1\n",
    ],
)
def test_yaml_streams_hold_the_documents_that_pyyaml_finds(text):
    """Comments and directives before `---` or after `...` are not a document; after `---` they are."""
    import yaml

    assert list(yaml.safe_load_all(text)) == list(bakeoff.codec("yaml").load(io.BytesIO(text.encode())))


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n... no\n",
        "... no\n",
        "--- &anchor a: b\n",
        "%YAML 1.1\n",
        "%YAML 1.1\n...\n",
        "%YAML 1.1\na: 1\n",
        "%YAML 1.1 no\n---\n",
        "%YAML 1.1\n%YAML 1.1\n---\n",
        "--- !y!str 1\n",
        "%TAG !y! tag:yaml.org,2002:\n--- 1\n--- !y!str 1\n",
    ],
)
@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_yaml_streams_that_pyyaml_refuses_are_refused(name, text):
    import yaml

    with pytest.raises(yaml.YAMLError):
        list(yaml.safe_load_all(text))
    with pytest.raises(DecodeError):
        list(bakeoff.codec(name).load(io.BytesIO(text.encode())))


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ("---\none\n...\nkey: value\n", ["one", {"key": "value"}]),
        ("...\n", []),
        ("# nothing\n...\n", []),
        ("a: 1\n...\n... # nothing\n", [{"a": 1}]),
        ("---\nkey: value\n%YAML 1.2\n---\n", None),
    ],
)
@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_yaml_streams_that_pyyaml_takes_otherwise_than_yaml_has_them(name, text, records):
    """A document after `...` needs no `---`, `...` alone is none, directives want `...` before them."""
    load = bakeoff.codec(name).load
    if records is None:
        with pytest.raises(DecodeError):
            list(load(io.BytesIO(text.encode())))
    else:
        assert records == list(load(io.BytesIO(text.encode())))


def test_a_stream_keeps_to_the_limit_of_size(codec):
    file = io.BytesIO()
    codec.dump([RECORD, RECORD | {"pad": "x" * 50_000}], file)
    file.seek(0)
    found = codec.with_limits(size=20_000).load(file)

    assert given_back(codec, RECORD) == next(found)
    with pytest.raises(LimitError, match="20,000"):
        next(found)


def test_trust_is_asked_for(codec):
    if not codec.trusted_only:
        return
    wary = bakeoff.codec(codec.name)
    payload = wary.encode(RECORD)

    with pytest.raises(DecodeError, match="trusted=True"):
        wary.decode(payload)
    with pytest.raises(DecodeError, match="trusted=True"):
        list(wary.load(io.BytesIO(payload)))


@pytest.mark.parametrize(
    "text",
    ["-", "-01", "01", "00", "-00", "2.", "-2.", "2.e3", "2.e-3", "0.e1", "-.5", '"\n"', '"\t"', '"\x1f"'],
)
def test_ujson_accepts_what_its_notes_name(text):
    """Should it refuse one, the note goes; json, which says nothing of the kind, refuses all."""
    assert bakeoff.codec("ujson").decode(f"[{text}]")
    with pytest.raises(DecodeError):
        bakeoff.codec("json").decode(f"[{text}]")


@pytest.mark.parametrize(
    "text",
    [".5", "+1", "1e", "1.0e", "1e+", "--1", "0x1", "- 1", "-NaN", "nan", "1,", '"\0"', '"\\x"', "1]\0"],
)
def test_ujson_refuses_what_its_notes_do_not_name(text):
    assert "malformed numbers (01, 2., 2.e3, -.5, and a lone minus as 0)" in bakeoff.codec("ujson").notes[1]
    with pytest.raises(DecodeError):
        bakeoff.codec("ujson").decode(f"[{text}]")


def test_facts_are_complete(codec):
    assert codec.format
    assert codec.library
    assert codec.version
    assert codec.media_type.startswith("application/")
    assert codec.file_extension.startswith(".")
    assert codec.encoding in (None, "utf-8")


def nested(opening: str, closing: str, levels: int) -> bytes:
    return (opening * levels + "x" + closing * levels).encode()


@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_yaml_counts_nesting_and_nothing_else(name):
    codec = bakeoff.codec(name)

    for opening, closing in (("[", "]"), ("[ ", " ]"), ("- ", ""), ("{a: ", "}")):
        assert codec.decode(nested(opening, closing, 120))
        with pytest.raises(LimitError):
            codec.decode(nested(opening, closing, 121))
    record = [{"text": "see [1] {2} " * 100 + "- " * 300, "more": "[" * 300, "lists": [[]] * 300}] * 2
    assert record == codec.decode(codec.encode(record))


@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_yaml_numbers_in_base_60_have_a_budget(name):
    """Their time grows with the square of their length, which no other number's does."""
    codec = bakeoff.codec(name)

    assert 3723 == codec.decode(b"1:2:3")
    with pytest.raises(DecodeError, match="base 60"):
        codec.decode(b"1" + b":1" * 3000)
