"""A codec of the user's own: a pair of calls, an object, a module, a function."""

from __future__ import annotations

import json
import pickle
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

import bakeoff
from bakeoff import UsageError
from bakeoff.codecs import registry, selection

RECORD = {"a": [1, "é"]}


class Packer:
    def encode(self, record):
        return json.dumps(record).encode()

    def decode(self, payload):
        return json.loads(payload)


def factory():
    return json.dumps, json.loads


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ((json.dumps, json.loads), "dumps"),
        ([json.dumps, json.loads], "dumps"),
        (json, "json"),
        (Packer(), "encode"),
        (Packer, "Packer"),
        (factory, "factory"),
        (lambda: bakeoff.codec("json"), "<lambda>"),
        (SimpleNamespace(dumps=json.dumps, loads=json.loads), "dumps"),
        (bakeoff.codec("json"), "json"),
    ],
)
def test_whatever_encodes_and_decodes_is_a_codec(source, name):
    made, called = bakeoff.codec(source), bakeoff.codec(source, name="mine")

    assert (made.name, called.name) == (name, "mine")
    for each in (made, called):
        assert each.decode(each.encode(RECORD)) == RECORD
        with pytest.raises(bakeoff.DecodeError):
            each.decode(b"{")
        with pytest.raises(bakeoff.EncodeError):
            each.encode(object())


def test_text_is_found_out():
    as_text = bakeoff.codec((lambda record: f"n = {record['a']}", tomllib.loads), name="toml", format="toml")
    as_bytes = bakeoff.codec((lambda record: b"%d" % record, lambda data: int(bytes(data))), name="n")

    assert (as_text.format, as_text.encode({"a": 1}), as_text.decode(b"n = 1")) == (
        "toml",
        b"n = 1",
        {"n": 1},
    )
    assert as_text.encode_text({"a": 1}) == "n = 1"
    assert (as_bytes.format, as_bytes.decode(as_bytes.encode(7))) == ("n", 7)
    with pytest.raises(bakeoff.EncodeError, match="not a text format"):
        as_bytes.encode_text(7)


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_a_record_without_fields_may_take_no_bytes(compression):
    """As in TOML; a codec that does not declare it refuses an empty payload."""
    dumps = lambda record: "".join(f"{key} = {value}\n" for key, value in record.items())  # noqa: E731
    pair = bakeoff.codec((dumps, tomllib.loads), name="toml").with_compression(compression)
    told = bakeoff.Codec("toml", "toml", dumps, tomllib.loads, text=True, empty=True).with_compression(
        compression
    )
    silent = bakeoff.Codec("toml", "toml", dumps, tomllib.loads, text=True).with_compression(compression)

    assert [each.decode(each.encode({})) for each in (pair, told)] == [{}, {}]
    with pytest.raises(bakeoff.DecodeError, match="empty payload"):
        silent.decode(silent.encode({}))


def test_it_takes_what_codecs_take():
    made = bakeoff.codec(json, name="mine", size=10, schema=bakeoff.Schema({"a": tuple[int, ...]}))

    assert made.name == "mine+schema"
    assert made.decode(b'{"a":[1]}') == {"a": (1,)}
    with pytest.raises(bakeoff.codecs.LimitError):
        made.decode(b'{"a":[1, 2]}')
    copied = pickle.loads(pickle.dumps(bakeoff.codec((json.dumps, json.loads)).with_compression("zlib")))
    assert copied.decode(copied.encode(RECORD)) == RECORD


@pytest.mark.parametrize("source", [3, None, (json.dumps,), (1, 2), object(), lambda: 3])
def test_what_is_none_is_refused(source):
    with pytest.raises(
        UsageError, match=r"is not a codec; expected a bakeoff.Codec, a pair \(dumps, loads\)"
    ):
        bakeoff.codec(source)


def test_a_function_that_fails_is_named():
    def broken():
        raise KeyError("oops")

    with pytest.raises(UsageError, match="broken failed: KeyError: 'oops'"):
        bakeoff.codec(broken)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(registry, "_registered", {})
    file = tmp_path / f"{tmp_path.name}_codecs.py"
    file.write_text("import json\npair = json.dumps, json.loads\nthree = 3\n")
    yield str(file)
    registry._build.cache_clear()


def test_a_selection_introduces_them(own):
    assert selection.select([f"json,mine={own}:pair", "!js*", "mine|zlib"]) == ["mine", "mine|zlib"]
    assert registry.given() == {"mine": f"{own}:pair"}
    assert bakeoff.codec("mine|zlib").name == "mine|zlib"
    assert registry.describe("mine").source == f"{own}:pair"
    assert selection.select([f"mine={own}:pair"]) == ["mine"]
    assert pickle.loads(pickle.dumps(bakeoff.codec("mine"))).decode(b"[1]") == [1]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("mine={own}:none", "has no none"),
        ("mine={own}:three", "3, of type int, is not a codec"),
        ("mine={own}", "expected MODULE:NAME or FILE.py:NAME"),
        ("mine=", "expected MODULE:NAME or FILE.py:NAME"),
        ("mine=gone.py:x", "gone.py: no such file"),
        ("mine=no_such_module:x", "cannot be imported: ModuleNotFoundError"),
        ("json={own}:pair", "a codec 'json' already exists"),
        ("a+b={own}:pair", "expected a name of letters"),
        ("={own}:pair", "expected a name of letters"),
    ],
)
def test_errors_name_what_was_typed(own, pattern, said):
    with pytest.raises(UsageError) as caught:
        selection.select([pattern.format(own=own)])
    assert said in str(caught.value)
    assert registry.given() == {}
