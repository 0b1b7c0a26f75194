"""From one codec to another while both write: nothing is mistaken."""

from __future__ import annotations

import datetime as dt
import itertools
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import migrate

CODECS = [
    bakeoff.codec(name, trusted=True)
    for name in ("json", "msgpack", "bson", "yaml", "cbor2", "pickle", "plist", "json|zlib")
]
PAIRS = [migrate(old, new) for old, new in itertools.permutations(CODECS, 2)]
RECORDS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(RECORDS, st.data())
def test_no_payload_is_read_as_the_others(record, data):
    both = data.draw(st.sampled_from(PAIRS))
    reader = both.spec.calls.decode
    writer = data.draw(st.sampled_from([reader.first, reader.second]))
    try:
        payload = writer.encode(record)
    except bakeoff.EncodeError:
        return
    try:
        found = both.decode(payload)
    except bakeoff.DecodeError as error:
        found, refusal = None, str(error)
    else:
        refusal = ""

    assert "it is another record" in refusal if refusal else repr(writer.decode(payload)) == repr(found)


@pytest.mark.parametrize("both", PAIRS, ids=lambda both: both.name)
def test_a_mixed_queue_is_read_and_the_new_is_written(both):
    """Dicts, which most messages are, are distinguished in every pair."""
    old, new = both.name.split(" to ")
    old, new = bakeoff.codec(old, trusted=True), bakeoff.codec(new, trusted=True)
    records = [{"id": n, "name": f"n{n}", "tags": ["a"] * n, "in": {"x": n / 7}} for n in range(40)]
    queue = [(old, new)[n % 2].encode(record) for n, record in enumerate(records)]

    assert records == [both.decode(payload) for payload in queue]
    assert new.encode(records[3]) == both.encode(records[3])
    assert new.media_type == both.media_type
    assert records[5] == pickle.loads(pickle.dumps(both)).decode(queue[5])


def test_what_bytes_cannot_tell_is_refused_and_named():
    """The text 1 of JSON is the number 49 of MessagePack."""
    both = migrate(bakeoff.codec("json"), bakeoff.codec("msgpack"))

    with pytest.raises(
        bakeoff.DecodeError, match="as json it is another record, 1 instead of 49; distinguish"
    ):
        both.decode(b"1")
    with pytest.raises(bakeoff.DecodeError, match=r"msgpack: .*; as json: "):
        both.decode(b"\xc1")


@pytest.mark.parametrize(("one", "other"), [("json", "cbor2"), ("yaml", "cbor2"), ("msgpack", "cbor2")])
def test_short_numbers_are_never_read_as_others(one, other):
    """CBOR writes -18 as the byte that is 1 in JSON: all integers of one and two bytes, from both writers."""
    for names in ((one, other), (other, one)):
        old, new = map(bakeoff.codec, names)
        both = migrate(old, new)
        for number in range(-300, 1100):
            for writer in (old, new):
                try:
                    found = both.decode(writer.encode(number))
                except bakeoff.DecodeError as error:
                    assert "it is another record" in str(error)  # noqa: PT017
                else:
                    assert (type(found), found) == (int, number)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("msgpack", "msgpack/tuple", tuple),
        ("msgpack/tuple", "msgpack", list),
        ("ormsgpack", "msgpack/tuple", tuple),
    ],
)
def test_lists_and_tuples_are_no_difference(old, new, kind):
    record = {"a": [1, {"b": [float("nan")]}], "c": []}
    both = migrate(old, new)

    assert [repr(bakeoff.codec(new).decode(bakeoff.codec(name).encode(record))) for name in (old, new)] == [
        repr(both.decode(bakeoff.codec(name).encode(record))) for name in (old, new)
    ]
    assert type(both.decode(bakeoff.codec(old).encode([[1], [2]]))) is kind


def test_names_are_taken_and_wrong_ones_are_named():
    assert migrate("json", "msgpack").decode(b'{"a":1}') == {"a": 1}
    with pytest.raises(bakeoff.codecs.UnknownCodec, match="jsno: no such codec; did you mean json"):
        migrate("jsno", "msgpack")


def test_schemas_go_with_their_codecs():
    schema = bakeoff.Schema({"at": dt.datetime, "tags": tuple[str, ...]})
    old, new = (bakeoff.codec(name).with_schema(schema) for name in ("json", "msgpack"))
    record = {"at": dt.datetime(2026, 11, 22, 10), "tags": ("a",)}

    assert [record, record] == [migrate(old, new).decode(each.encode(record)) for each in (old, new)]


@pytest.mark.parametrize("both", PAIRS, ids=lambda both: both.name)
def test_a_payload_beyond_a_limit_of_either_codec_is_said_to_be_so(both):
    shallow = [each.with_limits(depth=3) for each in both.spec.calls.readers]
    payloads = [each.encode({"a": [[[[1]]]]}) for each in both.spec.calls.readers]

    for payload in payloads:
        with pytest.raises(bakeoff.LimitError):
            migrate(*reversed(shallow)).decode(payload)
