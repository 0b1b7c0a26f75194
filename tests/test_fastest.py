"""`bakeoff.fastest`: the lock first, then a file, then a measurement only when asked."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest

import bakeoff
from bakeoff import RunError, UsageError
from bakeoff.bench.run.options import Options
from bakeoff.codecs import train
from bakeoff.codecs.production.lock import Dictionary, Lock, LockLocation

LOCK = """
version = 1
[codec]
name = "{name}"
schema = {schema}
options = {{ {options} }}
requires = {{ {requires} }}
"""


def lock(folder, name="json", schema="false", options="", requires=""):
    path = folder / "bakeoff.lock"
    path.write_text(LOCK.format(name=name, schema=schema, options=options, requires=requires))
    return path


@pytest.fixture(autouse=True)
def no_lock_named(monkeypatch):
    """The user who runs the tests may have one."""
    monkeypatch.delenv("BAKEOFF_LOCK", raising=False)


@pytest.fixture
def measures_little(monkeypatch):
    """Calibrations take a few records, and the time that they need: on a busy machine that is more."""
    quick = Options.quick
    little = {"no_time_limit": True, "budget": 0.0, "sample": 20, "fewest": 3}
    monkeypatch.setattr(Options, "quick", lambda self: dataclasses.replace(quick(self), **little))


def test_the_lock_decides(tmp_path, monkeypatch):
    lock(tmp_path, "bson", options="size = 9")
    (tmp_path / "setup.py").touch()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")

    codec = bakeoff.fastest(calibrate=True)

    assert ("bson", 9) == (codec.name, codec.limits.size)


def test_the_lock_s_policies_are_kept(tmp_path):
    path = lock(tmp_path, "json", options="policies = { nonfinite = 'reject', duplicate_keys = 'reject' }")

    expected = bakeoff.codec("json").with_policies(nonfinite="reject", duplicate_keys="reject")
    assert expected == bakeoff.fastest(lock=path)


def test_the_lock_keeps_the_definition(tmp_path):
    schema = bakeoff.Schema({"id": int, "at": str})
    path = lock(tmp_path, "avro")
    definition = schema.definition("avro").decode()
    lines = f"schema = false\ndefinition = '''{definition}'''"
    path.write_text(path.read_text().replace("schema = false", lines))

    made = bakeoff.fastest(lock=path)
    assert made == made.with_schema(made.schema)
    payload = bakeoff.codec("avro", schema=schema).encode({"id": 1, "at": "x"})
    assert {"id": 1, "at": "x"} == made.decode(payload)
    assert {"id": 1, "at": "x"} == bakeoff.fastest(lock=path, schema=schema).decode(payload)

    with pytest.raises(bakeoff.errors.RunError, match="differs from the one that avro was chosen with"):
        bakeoff.fastest(lock=path, schema=bakeoff.Schema({"id": int}))


def test_a_definition_that_nobody_reads_is_held_against_the_schema(tmp_path):
    """Thrift's is written only: the schema is given, and must be the same."""
    schema = bakeoff.Schema({"id": int})
    path = lock(tmp_path, "thrift")
    lines = f"schema = false\ndefinition = '''{schema.definition('thrift').decode()}'''"
    path.write_text(path.read_text().replace("schema = false", lines))

    with pytest.raises(bakeoff.UsageError, match="thrift needs a schema; pass it"):
        bakeoff.fastest(lock=path)
    assert {"id": 1} == bakeoff.fastest(lock=path, schema=schema).decode(b"\x16\x02\x00")
    with pytest.raises(bakeoff.errors.RunError, match="differs from the one that thrift was chosen with"):
        bakeoff.fastest(lock=path, schema=bakeoff.Schema({"id": str}))


def test_without_a_definition_the_schema_has_to_be_given(tmp_path):
    path = lock(tmp_path, "msgspec-msgpack/struct")

    with pytest.raises(bakeoff.UsageError, match="needs a schema; pass it"):
        bakeoff.fastest(lock=path)
    made = bakeoff.fastest(lock=path, schema=bakeoff.Schema({"id": int}))
    assert 7 == made.decode(made.encode({"id": 7})).id


def test_a_lock_is_named_by_the_environment(tmp_path, monkeypatch):
    """One that is not there is an error: another codec would be worse than none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BAKEOFF_LOCK", "decided/bakeoff.lock")

    with pytest.raises(bakeoff.UsageError, match=f"^{tmp_path}/decided/bakeoff.lock: no such lock"):
        bakeoff.fastest(calibrate=True)
    (tmp_path / "decided").mkdir()
    lock(tmp_path / "decided", "bson")
    assert "bson" == bakeoff.fastest().name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "requires", "said"),
    [
        ("msgpack", "msgpack = '>=1,<99'", "msgpack"),
        ("msgpack", "msgpack = '>=99'", "is installed, the lock requires >=99"),
        ("bson", "pymongo = '>=4'", "bson"),
        ("json|zstd", "Python = '>=3', zstandard = '>=0.20'", "json|zstd"),
        ("json|lz4", "Python = '>=3', lz4 = '>=99'", "is installed, the lock requires >=99"),
        ("json|snappy", "Python = '>=3', cramjam = '>=2'", "json|snappy"),
        ("msgpack|brotli:5", "msgpack = '>=1', brotli = '>=1'", "msgpack|brotli:5"),
        ("cbor2", "cbor2 = '>=5'", "cbor2 does not say its version here"),
        ("json", "nothing = '>=5'", "nothing is not installed"),
    ],
)
def test_a_lock_where_metadata_are_missing(tmp_path, name, requires, said):
    """As in programs of PyInstaller: the modules say their versions, if they have one."""
    path = lock(tmp_path, name, requires=requires)

    done = without_metadata(
        """
import bakeoff
try:
    print(bakeoff.fastest(lock=sys.argv[1]).name)
except bakeoff.BakeoffError as error:
    print(error)
""",
        str(path),
    )
    assert said in done
    assert "  is installed" not in done


def without_metadata(program: str, *arguments: str) -> str:
    hidden = """
import sys
from bakeoff.codecs import registry
from bakeoff.codecs.production import lock
registry.version = lock.version = lambda library: None
"""
    command = [sys.executable, "-W", "ignore", "-c", hidden + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


SILENT = {"cbor2", "msgpack-numpy", "ryaml"}
"""Libraries whose modules have no version."""


@pytest.mark.slow
def test_codecs_say_their_versions_without_metadata():
    program = """
import json
import bakeoff
from bakeoff.codecs import available
print(json.dumps({name: [bakeoff.codec(name).library, bakeoff.codec(name).version] for name in available()}))
"""
    found = json.loads(without_metadata(program))

    for name, (library, version) in found.items():
        assert version == ("" if library in SILENT else bakeoff.codec(name).version), name


def test_a_lock_is_a_resource_in_a_zip_file(tmp_path, monkeypatch):
    """As `importlib.resources` names it, and as `__file__` does."""
    archive = tmp_path / "shop.zip"
    dictionary = train("zstd", [json.dumps({"id": n, "name": f"n{n * n}"}).encode() for n in range(2_000)])
    plain = tmp_path / "plain"
    plain.mkdir()
    lock(plain, "msgpack", requires="msgpack = '>=1'")
    content = Dictionary.of(dictionary.dictionaries[0])
    packed = Lock("json|zstd,dict", {"Python": ">=3"}, dictionaries=(content,)).dumps()
    with ZipFile(archive, "w") as file:
        file.writestr("shop_of_zip/__init__.py", "")
        file.writestr("shop_of_zip/bakeoff.lock", (plain / "bakeoff.lock").read_text())
        file.writestr("shop_of_zip/packed/bakeoff.lock", packed)
        file.writestr(f"shop_of_zip/packed/{content.file}", content.content)
        file.writestr("shop_of_zip/broken.lock", "version = ")
    monkeypatch.syspath_prepend(str(archive))
    there = files("shop_of_zip")

    for each in (there / "bakeoff.lock", archive / "shop_of_zip" / "bakeoff.lock"):
        assert "msgpack" == bakeoff.fastest(lock=each).name
    made = bakeoff.fastest(lock=there / "packed" / "bakeoff.lock")
    assert {"id": 1} == made.decode(made.encode({"id": 1}))
    with pytest.raises(UsageError, match="no lock"):
        bakeoff.fastest(lock=there / "missing.lock")
    with pytest.raises(RunError, match=r"broken\.lock: cannot be read as a lock"):
        bakeoff.fastest(lock=there / "broken.lock")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a folder in which a process works")
def test_a_lock_from_a_deleted_folder(tmp_path, monkeypatch):
    """An absolute path needs no working folder; all else says what is wrong."""
    path = lock(tmp_path, "msgpack", requires="msgpack = '>=1'")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert "msgpack" == bakeoff.fastest(lock=path).name
    monkeypatch.setenv("BAKEOFF_LOCK", str(path))
    assert "msgpack" == bakeoff.fastest().name
    monkeypatch.setenv("BAKEOFF_LOCK", "bakeoff.lock")
    for wanted in ({}, {"lock": "bakeoff.lock"}):
        with pytest.raises(UsageError, match="the working folder was deleted; name the lock by its absolute"):
            bakeoff.fastest(**wanted)
    monkeypatch.delenv("BAKEOFF_LOCK")
    with pytest.raises(UsageError, match="the working folder was deleted"):
        bakeoff.fastest()


def test_no_lock_grants_trust(tmp_path):
    path = lock(tmp_path, "marshal")

    with pytest.raises(bakeoff.UsageError, match=rf"{path}: marshal runs code .* fastest\(trusted=True\)"):
        bakeoff.fastest(lock=path)
    codec = bakeoff.fastest(lock=path, trusted=True)
    assert [1] == codec.decode(codec.encode([1]))


@pytest.mark.parametrize(
    ("held", "error", "message"),
    [
        (
            {"requires": "msgpack = '>=99'"},
            bakeoff.RunError,
            r"does not match this environment: msgpack \S+ is installed",
        ),
        ({"requires": "msgpack = '>>1'"}, bakeoff.RunError, "range '>>1' of msgpack is not one"),
        (
            {"requires": "no-such = '>=1'"},
            bakeoff.MissingLibrary,
            "no-such is not installed, the lock requires >=1: pip",
        ),
        ({"name": "nothing"}, bakeoff.RunError, "no such codec"),
        ({"name": "json|nothing"}, bakeoff.RunError, "no such compressor"),
        ({"options": "size = -1"}, bakeoff.RunError, "size"),
        ({"options": "size = 100000000000000000000"}, bakeoff.RunError, "size"),
        ({"options": "trusted = true"}, bakeoff.RunError, "no option 'trusted'"),
        ({"options": "policies = 'reject'"}, bakeoff.RunError, "policies must be a table"),
        ({"options": "policies = { nonfinite = false }"}, bakeoff.RunError, "nonfinite must be text"),
        ({"options": "policies = { nonfinite = 'no' }"}, bakeoff.RunError, "allow, null or reject, got 'no'"),
    ],
)
def test_a_lock_that_does_not_hold_is_an_error(tmp_path, held, error, message):
    path = lock(tmp_path, **held)

    with pytest.raises(error, match=message) as found:
        bakeoff.fastest(lock=path, calibrate=True)
    assert str(path) in str(found.value)


def test_a_link_that_leads_nowhere_is_no_missing_lock(tmp_path):
    """The file that holds the decision is gone; nothing else decides."""
    path = tmp_path / "bakeoff.lock"
    path.symlink_to("gone")

    with pytest.raises(bakeoff.RunError, match="is a broken link"):
        bakeoff.fastest(lock=path, calibrate=True)


def test_a_library_without_a_distribution_tells_its_version(tmp_path, monkeypatch):
    monkeypatch.setattr("bakeoff.codecs.registry._registered", {})
    made = bakeoff.Codec("homely", "text", str.upper, bytes.decode, library="home", version="1.2")
    bakeoff.codecs.register(made)
    path = lock(tmp_path, "homely", requires="home = '>=1.2'")

    assert made == bakeoff.fastest(lock=path)
    with pytest.raises(bakeoff.RunError, match=r"home 1.2 is installed, the lock requires >=2"):
        bakeoff.fastest(lock=lock(tmp_path, "homely", requires="home = '>=2'"))


def test_a_choice_with_a_schema_wants_it(tmp_path):
    path = lock(tmp_path, schema="true")

    with pytest.raises(bakeoff.UsageError, match="chosen with a schema"):
        bakeoff.fastest(lock=path)
    assert "json+schema" == bakeoff.fastest(lock=path, schema=bakeoff.Schema({"a": int})).name


def test_nothing_is_measured_unasked(tmp_path):
    with pytest.raises(bakeoff.UsageError, match="bakeoff pick --write"):
        bakeoff.fastest(lock=tmp_path / "none")


@pytest.mark.slow
@pytest.mark.usefixtures("measures_little", "hurried")
def test_calibration_gives_a_codec_that_works(tmp_path):
    codec = bakeoff.fastest(lock=tmp_path / "none", calibrate=True, formats=("bson", "json"), interop=True)

    assert codec.format in ("bson", "json")
    assert not codec.trusted_only


def test_calibration_measures_only_what_will_do(tmp_path):
    with pytest.raises(bakeoff.RunError, match="no codec that is installed writes morse"):
        bakeoff.fastest(lock=tmp_path / "none", calibrate=True, formats=("morse",))


def test_a_schema_is_never_dropped(tmp_path):
    results = Path(__file__).parent / "data" / "results" / "version-1.json"
    schema = bakeoff.Schema({"when": datetime})
    codec = bakeoff.fastest(lock=tmp_path / "none", results=results, formats=("json",), schema=schema)

    assert codec.name.endswith("+schema")
    assert {"when": datetime(2011, 6, 1)} == codec.decode(b'{"when": "2011-06-01T00:00:00"}')


@pytest.mark.slow
@pytest.mark.usefixtures("measures_little", "hurried")
def test_calibration_counts_on_the_schema(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").write_text('{"when": "2011-06-01T00:00:00"}\n' * 9)
    requirements = {"calibrate": True, "corpus": "mine.jsonl", "formats": ("json",), "needs": ("datetime",)}
    codec = bakeoff.fastest(schema=bakeoff.Schema({"when": datetime}), **requirements)

    assert ("json", True) == (codec.format, "+schema" in codec.name)


@pytest.mark.parametrize("options", ["size = 16777217", "ratio = 101", "items = 1000001", "depth = 121"])
def test_a_lock_that_nobody_named_raises_no_limit(tmp_path, monkeypatch, options):
    path = lock(tmp_path, options=options)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(
        bakeoff.RunError, match=f"raises the limit of {options.split()[0]} to .*BAKEOFF_LOCK="
    ):
        bakeoff.fastest()

    name, number = options.split(" = ")
    expected = bakeoff.codec("json", **{name: int(number)})
    assert expected == bakeoff.fastest(lock=path)
    monkeypatch.setenv("BAKEOFF_LOCK", str(path))
    assert expected == bakeoff.fastest()


def test_a_lock_of_another_user_is_refused(tmp_path, monkeypatch):
    path, user = lock(tmp_path), tmp_path.stat().st_uid
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: user + 1)
    assert "json" == bakeoff.fastest().name

    with monkeypatch.context() as patched:
        patched.setattr(LockLocation, "owners", {user + 1})
        with pytest.raises(bakeoff.RunError, match=r"belongs to another user.*BAKEOFF_LOCK="):
            bakeoff.fastest()
    assert "json" == bakeoff.fastest(lock=path).name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bakeoff.lock", "d.dict"])
def test_a_pipe_in_the_place_of_a_lock_or_its_dictionary_is_refused(tmp_path, name):
    if name == "d.dict":
        text = lock(tmp_path, "json|zstd:3,dict").read_text()
        entry = '[[codec.dictionaries]]\nid = 1\nfile = "d.dict"\nsha256 = "00"\n'
        (tmp_path / "bakeoff.lock").write_text(text + entry)
    os.mkfifo(tmp_path / name)
    done = subprocess.run(
        [sys.executable, "-c", "import bakeoff; bakeoff.fastest()"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )

    wanted = "not a regular file" if name == "bakeoff.lock" else "its dictionary 1 is missing: d.dict"
    assert wanted in done.stderr
