"""Names, selection, third parties."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import textwrap
from datetime import date
from functools import partial
from importlib import metadata

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import Bound, CodecError, MissingLibrary, UnknownCodec, registry
from bakeoff.codecs.conventions.families import JSON_FAMILY
from bakeoff.codecs.core.diagnose import explain
from bakeoff.codecs.spec import Spec
from installed import install


def test_ready_names_end_somewhere():
    from bakeoff.codecs import ready

    with pytest.raises(AttributeError):
        _ = ready.nothing_like_it


def test_names_look_alike_are_offered():
    with pytest.raises(UnknownCodec, match="did you mean msgpack"):
        bakeoff.codec("msgpak")


@pytest.mark.parametrize("name", ["", "+", "+schema", "|zstd", "json+", "json+schema+schema", "json|", "==1"])
def test_an_invalid_name_is_no_suggestion_for_itself(name):
    with pytest.raises(UnknownCodec) as refused:
        bakeoff.codec(name)

    assert name not in refused.value.near


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["json"], ["json"]),
        (["msgpack/*,!*/pure"], ["msgpack/tuple", "msgpack/list-hook", "msgpack/numpy"]),
        (["bson", "bson", "json"], ["bson", "json"]),
        (["bson*|zlib:1"], ["bson|zlib:1", "bson/pure|zlib:1"]),
        (["msgpack/tuple+schema"], ["msgpack/tuple+schema"]),
        (["bson*", "!bson"], ["bson/pure"]),
    ],
)
def test_selection(patterns, expected):
    assert expected == codecs.select(patterns)


def test_exclusion_alone_means_all_others():
    ours = {"pickle", "pickle/2", "pickle/pure", "pickle/buffers"}

    assert set(codecs.available()) - ours == set(codecs.select(["!pickle*"]))


def test_codecs_for_certain_values_join_where_records_hold_them():
    kinds = ["numpy.ndarray"]

    assert {"orjson/numpy", "msgpack/numpy", "pickle/buffers"} == set(codecs.specialists(kinds))
    assert [] == codecs.specialists([])
    assert not set(codecs.specialists(kinds)) & set(codecs.default_set())


def test_a_pattern_that_fits_nothing_is_an_error():
    with pytest.raises(UnknownCodec):
        codecs.select(["msgpack", "nothing*"])


@pytest.mark.slow
def test_importing_loads_no_codec_library():
    libraries = (
        "msgpack simplejson bson yaml orjson ormsgpack msgspec cbor2 ujson rapidjson ssrjson pyperf numpy "
        "rich pyarrow fastavro google.protobuf thrift pydantic"
    )
    script = f"""
        import sys, bakeoff
        bakeoff.codecs = __import__("bakeoff.codecs").codecs
        assert len(bakeoff.codecs.available()) > 15
        print(*[name for name in "{libraries}".split() if name in sys.modules])
    """

    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == ""


def test_a_missing_library_names_the_command(monkeypatch):
    monkeypatch.setattr("bakeoff.codecs.registry.find_spec", lambda name: None)

    with pytest.raises(MissingLibrary, match=r"pip install 'bakeoff\[orjson\]'"):
        bakeoff.codec("orjson")


@pytest.mark.usefixtures("forgotten")
def test_a_registered_codec_is_found():
    made = bakeoff.Codec("upper", "text", lambda text: text.upper(), lambda data: data.decode())
    codecs.register(made)

    assert b"ABC" == bakeoff.codec("upper").encode("abc")
    assert "upper" in codecs.available()


@pytest.fixture
def forgotten(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    yield
    registry.rescan()


@pytest.mark.usefixtures("forgotten")
def test_a_registered_codec_takes_no_place_unasked():
    made = bakeoff.Codec("json", "text", str.upper, bytes.decode)

    with pytest.raises(
        CodecError, match=r"^json: a codec of this name exists; replace it with register\(codec, replace"
    ):
        codecs.register(made)
    assert b"[1]" == bakeoff.codec("json").encode([1])
    codecs.register(made, replace=True)
    codecs.register(made)
    assert b"ABC" == bakeoff.codec("json").encode("abc")


@pytest.mark.usefixtures("forgotten")
def test_a_registered_codec_may_need_a_schema():
    made = bakeoff.Codec("typed", "text", bind=lambda schema: Bound(encode=str.upper, decode=bytes.decode))
    codecs.register(made)

    assert "typed" not in codecs.names()
    assert "typed" in codecs.names(needs_schema=True)
    for refused in (lambda: made.encode("a"), lambda: made.decode(b"A")):
        with pytest.raises(CodecError, match="with_schema"):
            refused()
    bound = made.with_schema(bakeoff.Schema(str))
    assert ("A", None) == (bound.decode(bound.encode("a")), made.bound)


def test_a_codec_is_bound_to_two_directions():
    with pytest.raises(ValueError, match="expected a Bound from bind"):
        bakeoff.Codec("x", "x", bind=lambda schema: len).with_schema(bakeoff.Schema(str))


@pytest.mark.parametrize(
    "arguments",
    [("", "f", len, len), ("n", "", len, len), ("n", "f", None, len), ("n", "f", len, 5), ("n", "f", len)],
)
def test_a_codec_without_its_parts_is_refused(arguments):
    with pytest.raises(ValueError, match="codec"):
        bakeoff.Codec(*arguments)


@pytest.mark.parametrize(
    "make", [partial(bakeoff.Codec, "x", "x", repr, eval), partial(Spec.of, encode=repr, decode=eval)]
)
def test_an_option_that_there_is_not_is_refused(make):
    """A misspelled fact would be silently missing."""
    with pytest.raises(TypeError, match="carry"):
        make(carry={"int"})


def test_conventions_follow_from_the_family():
    family = JSON_FAMILY
    made = bakeoff.Codec(
        "theirs", "text", json.dumps, json.loads, family=family, preserves=["int"], forms={"decimal": "float"}
    )

    assert {"at": "2020-01-02"} == made.decode(made.encode({"at": date(2020, 1, 2)}))
    assert family.encodes_as({"int"}) | {"decimal": "float"} == made.encodes_as
    assert "iso" == made.encodes_as["date"]


def test_explain_names_type_and_path():
    record = {"a": [1, {"b c": object()}]}

    assert explain(bakeoff.codec("json"), record).startswith("cannot encode `object` at `$.a[1]['b c']`: ")


def test_the_path_to_a_deep_part_is_short():
    deep = object()
    for _ in range(50):
        deep = {"some": [deep]}

    assert "cannot encode `object` at `$.some[0]" in explain(bakeoff.codec("json"), deep)
    assert len(explain(bakeoff.codec("json"), deep)) < 250


@pytest.mark.slow
def test_explain_ends_at_a_record_that_holds_itself():
    cyclic = []
    cyclic.append(cyclic)

    assert explain(bakeoff.codec("json"), {"v": cyclic}).startswith("cannot encode `list` at `$.v[0]`: ")


def test_a_misfit_is_explained_by_the_whole_record():
    """A part of a record does not match the schema, so the codec's own path is the right one."""
    schema = bakeoff.Schema({"a": {"b": int, "c": str}})

    said = explain(bakeoff.codec("avro", schema=schema), {"a": {"b": 1}})

    assert "the record does not fit the schema: at `$.a.c`: a required field is missing" == said


def test_a_signal_while_a_codec_loads_ends_the_command(tmp_path, monkeypatch):
    """The command line leaves with 128 and the signal's number, also out of a third party's import."""
    (tmp_path / "slow_to_load.py").write_text("import sys\nsys.exit(143)\n")
    monkeypatch.syspath_prepend(tmp_path)
    point = metadata.EntryPoint("slow", "slow_to_load:made", registry.ENTRY_POINTS)

    with pytest.raises(SystemExit):
        registry._from_entry_point(point)


def test_typed_codecs_wait_for_their_schema():
    assert "msgspec-msgpack/struct" not in codecs.names()
    assert "msgspec-msgpack/struct" in codecs.names(needs_schema=True)
    codec = bakeoff.codec("msgspec-msgpack/struct")

    with pytest.raises(bakeoff.DecodeError, match="with_schema"):
        codec.decode(codec.encode({"a": 1}))
    bound = codec.with_schema(bakeoff.Schema({"a": int}))
    assert 1 == bound.decode(bound.encode({"a": 1})).a
    assert codec.name == bound.name


def test_a_codec_without_a_framing_gets_lengths():
    made = bakeoff.Codec("plain", "text", str.upper, bytes.decode)
    file = io.BytesIO()

    assert 2 == made.dump(["a", "bc"], file)
    assert b"\x00\x00\x00\x01A\x00\x00\x00\x02BC" == file.getvalue()
    file.seek(0)
    assert ["A", "BC"] == list(made.load(file))


HOSTILE = """
import os, signal, sys
import bakeoff

class Odd(BaseException):
    pass

def good():
    return bakeoff.Codec("good", "python", encode=repr, decode=eval, text=True)

def json():
    return bakeoff.Codec("json", "python", encode=lambda record: b"SHADOW", decode=eval)

def exits():
    os._exit(7)

def leaves():
    sys.exit(200)

def raises():
    raise Odd("of its own kind")

def dies():
    os.kill(os.getpid(), signal.SIGSEGV)

def wrong():
    return 5
"""
NAMES = ("good", "json", "exits", "leaves", "raises", "dies", "wrong")


@pytest.fixture
def beside(tmp_path):
    install(tmp_path, "bad", HOSTILE, NAMES)
    (tmp_path / "leaver.py").write_text("import sys\nsys.exit(0)\n")
    with (tmp_path / "bad-1.0.dist-info" / "entry_points.txt").open("a") as points:
        points.write("at-import = leaver:good\nnowhere = absent:good\n")

    def call(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-P", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": str(tmp_path), **environment},
        )

    return call


@pytest.mark.slow
def test_entry_points_bring_codecs(beside):
    script = """
        import bakeoff
        codec = bakeoff.codec("good")
        print(codec.decode(codec.encode({"a": (1, 2)})), codec.library, codec.version)
        for name in ("raises", "wrong", "at-import", "nowhere"):
            try:
                bakeoff.codec(name)
            except bakeoff.CodecError as error:
                print(error)
    """
    done = beside("-c", textwrap.dedent(script))

    assert [
        "{'a': (1, 2)} bad 1.0",
        "raises: entry point bad:raises failed: Odd: of its own kind",
        "wrong: entry point bad:wrong: expected a Codec, got int",
        "at-import: entry point leaver:good failed: SystemExit: 0",
        "nowhere: entry point absent:good failed: ModuleNotFoundError: No module named 'absent'",
    ] == done.stdout.splitlines()


@pytest.mark.slow
def test_a_plug_in_replaces_none_of_ours_unasked(beside):
    script = (
        "import bakeoff; bakeoff.codecs.names();"
        "print(bakeoff.codec('json').encode([1]), bakeoff.codec('json').library)"
    )
    kept = beside("-c", script)
    replaced = beside("-c", script, BAKEOFF_REPLACE="yaml, json")

    assert "b'[1]' Python\n" == kept.stdout
    assert "the codec 'json' of bad is ignored: bakeoff has one of that name" in kept.stderr
    assert "set BAKEOFF_REPLACE=json to replace it" in kept.stderr
    assert "b'SHADOW' bad\n" == replaced.stdout
    assert "the codec 'json' of bad replaces bakeoff's own" in replaced.stderr


@pytest.mark.slow
def test_listing_outlives_every_plug_in(beside):
    done = beside("-m", "bakeoff", "codecs", *NAMES)

    assert 0 == done.returncode, done.stderr
    assert [
        "exits: crashed: ended the process with exit code 7",
        "leaves: crashed: ended the process with exit code 200",
        "raises: entry point bad:raises failed: Odd: of its own kind",
        "dies: crashed: died of SIGSEGV",
        "wrong: entry point bad:wrong: expected a Codec, got int",
    ] == [line for line in done.stdout.splitlines() if ": " in line]
    assert "good" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_words_about_schemas_import_no_plug_in_unasked(beside):
    done = beside("-m", "bakeoff", "schema", "show", "movies")

    assert 0 == done.returncode, done.stderr
    assert "json" in done.stdout


def test_a_class_is_no_schema() -> None:
    with pytest.raises(TypeError, match=r"make one with Schema\(\.\.\.\)"):
        codecs.codec("json").with_schema(dict)  # type: ignore[arg-type]
