"""Real stores: stored values persist after reopening, with the stated durability."""

from __future__ import annotations

import datetime as dt
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import bakeoff
from bakeoff.bench.backends.stores import DEFAULT, by_url, kind, kinds
from bakeoff.bench.backends.stores.base import Location, MissingStore, Store, StoreError, Wire, opaque
from bakeoff.bench.backends.stores.pool import Filling, StorePool
from bakeoff.bench.operations import operation
from bakeoff.errors import UsageError
from bakeoff.escape import without_passwords
from needed import leave_out
from servers import PASSWORD, QUOTED

EMBEDDED = [name for name in kinds() if not kind(name).schemes]
ON_SERVERS = {
    "redis": "redis",
    "postgresql": "postgresql",
    "mysql": "mariadb",
    "mongodb": "mongodb",
    "sqlalchemy-postgresql": "postgresql",
    "sqlalchemy-mysql": "mariadb",
}
"""Kinds of stores, and the servers below them."""
TERMS: dict[str, dict[str, str]] = {
    "log": {"fsync": "never"},
    "sqlite": {"journal_mode": "wal", "synchronous": "normal"},
    "lmdb": {"sync": "False"},
    "kyoto": {"written": "when closed"},
    "rocksdict": {"wal": "on", "sync": "False"},
}
FACTS = {
    "redis": {"redis", "appendonly", "appendfsync", "save"},
    "postgresql": {"postgresql", "fsync", "synchronous_commit", "default_toast_compression"},
    "mysql": {"mysql", "innodb_flush_log_at_trx_commit", "binlog"},
    "mongodb": {"mongodb", "write_concern"},
}
RECORDS = [{"id": n, "name": "Zoë", "tags": ["a"] * n, "none": None} for n in range(8)]


def wire(codec: str = "msgpack") -> Wire:
    made = bakeoff.codec(codec)
    return Wire(made.encode, made.decode, made.format)


def opened(name: str, place: Path | Location, way: Wire) -> Store:
    try:
        return kind(name).open(Location(place) if isinstance(place, Path) else place, way)
    except MissingStore as missing:
        leave_out(str(missing))


# All stores


@pytest.fixture(
    params=[*EMBEDDED, *(pytest.param(name, marks=pytest.mark.integration) for name in ON_SERVERS)]
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Location]:
    url = ""
    if name in ON_SERVERS:
        url = request.getfixturevalue("server")(ON_SERVERS[name])
        if name.startswith("sqlalchemy-"):
            url = f"sqlalchemy+{url}"
        assert by_url(url).name == name
    location = Location(tmp_path, url, f"bakeoff_{uuid4().hex[:12]}")
    yield location
    kind(name).forget(location)


@pytest.fixture(params=["msgpack", "bson"])
def store(request: pytest.FixtureRequest, name: str, place: Location) -> Iterator[Store]:
    made = opened(name, place, wire(request.param))
    yield made
    made.close()


def test_what_was_put_is_there(name, store):
    # Redis asks for the next numbers, up to the highest.
    most = 2**63 - 1 if name != "redis" else 2000
    store.put(3, RECORDS[3])
    store.put_many([(key, RECORDS[key]) for key in (5, 1, 7)])
    store.put(most, RECORDS[2])
    store.put(3, RECORDS[4])

    assert RECORDS[4] == store.get(3)
    assert RECORDS[2] == store.get(most)
    with pytest.raises(KeyError):
        store.get(4)
    assert [(1, RECORDS[1]), (3, RECORDS[4])] == store.scan(0, 2)
    assert [(5, RECORDS[5]), (7, RECORDS[7])] == store.scan(3, 2)
    store.put(6, RECORDS[6])
    assert [1, 3, 5, 6, 7, most] == [key for key, _ in store.scan(0, 10)]
    assert [] == store.scan(most, 3)


def test_it_is_there_when_the_store_is_opened_again(name, place):
    store = opened(name, place, wire())
    store.put_many([(key, record) for key, record in enumerate(RECORDS, 1)])
    store.put(2, RECORDS[7])
    store.close()

    store = opened(name, place, wire())
    assert [(1, RECORDS[0]), (2, RECORDS[7]), *enumerate(RECORDS[2:], 3)] == store.scan(0, 100)
    store.close()
    if place.url:
        kind(name).forget(place)
        store = opened(name, place, wire())
        assert [] == store.scan(0, 9)
        store.close()


@pytest.mark.parametrize("codec", ["orjson", "bson"])
def test_a_wire_can_be_changed_between_calls(codec, name, place):
    made = wire(codec)
    payloads = [made.encode(record) for record in RECORDS]
    store = opened(name, place, opaque(made.format))
    store.put_many([(key, payload) for key, payload in enumerate(payloads, 1)])
    store.close()

    store = opened(name, place, made)
    assert list(enumerate(RECORDS, 1)) == store.scan(0, 100)
    if not kind(name).live:
        store.wire = opaque(made.format)
        assert payloads[3] == store.get(4)
    store.close()


def test_stored_bytes_are_those_of_all_records(name, place):
    store = opened(name, place, opaque())
    store.put_many([(key, os.urandom(40)) for key in range(1, 5_001)])

    assert 40 < store.stored() / 5_000 < 400
    store.close()


def test_a_store_says_on_which_terms_it_keeps_records(name, store):
    found = dict(store.settings)
    facts = FACTS.get(name.removeprefix("sqlalchemy-"))

    if facts is None:
        assert TERMS.get(name, TERMS["sqlite"]).items() <= found.items()
    else:
        assert facts <= found.keys()
    assert all(isinstance(text, str) and text for text in found.values())
    assert PASSWORD not in str(found)
    assert QUOTED not in str(found)


def test_payloads_of_64_kib_and_more_fit(store):
    """MariaDB's plain BLOB ends there."""
    record = {"text": "ä" * 50_000}
    store.put(1, record)

    assert record == store.get(1)


# Embedded stores


def test_a_map_grows_with_what_is_put(tmp_path):
    """LMDB needs its size in advance, and gets a larger one when it is full."""
    store = opened("lmdb", tmp_path, opaque())
    for key in range(1, 41):
        store.put(key, bytes(1 << 19))

    assert 20 << 20 < store.stored()
    assert bytes(1 << 19) == store.get(40)
    store.close()


def test_a_store_that_is_not_installed_says_what_to_install(tmp_path, monkeypatch):
    for module in ("lmdb", "rocksdict", "sqlalchemy", "sqlmodel"):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(
            MissingStore, match=rf"{module} is not installed: pip install 'bakeoff\[{module}\]'"
        ):
            kind(module).open(Location(tmp_path), opaque())
    from bakeoff.bench.backends.stores import kyoto

    monkeypatch.setattr(kyoto, "_LIBRARIES", ())
    kyoto._library.cache_clear()
    with pytest.raises(MissingStore, match="apt-get install libkyotocabinet"):
        kind("kyoto").open(Location(tmp_path), opaque())
    kyoto._library.cache_clear()


def test_three_stores_are_used_if_none_is_named():
    assert {"log", "sqlite", "lmdb"} == set(DEFAULT)


# The journal

JOURNAL = "journal"

WRITER = """
import sys
from pathlib import Path
import bakeoff
from bakeoff.bench.backends.stores import kind
from bakeoff.bench.backends.stores.base import Location, Wire
codec = bakeoff.codec("msgpack")
store = kind(sys.argv[2]).open(Location(Path(sys.argv[1])), Wire(codec.encode, codec.decode))
key = 0
while True:
    key += 1
    store.put(key, {"key": key, "text": "x" * 5000})
    print(key, flush=True)
"""


def filled(folder: Path, count: int = 20) -> bytes:
    store = opened("log", folder, wire())
    for key in range(1, count + 1):
        store.put(key, {"key": key, "text": "x" * key})
    store.close()
    return (folder / JOURNAL).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EMBEDDED if name != "kyoto"])
def test_what_was_put_outlives_kill_9(name, tmp_path):
    opened(name, tmp_path, wire()).close()  # skips
    command = [sys.executable, "-P", "-c", WRITER, str(tmp_path), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(200):
            told = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        told = max([told, *map(int, process.stdout.read().split("\n")[:-1])])

    store = opened(name, tmp_path, wire())
    rows = store.scan(0, 10**6)
    assert [*range(1, len(rows) + 1)] == [key for key, _ in rows]
    assert told <= len(rows) <= told + 1
    assert all({"key": key, "text": "x" * 5000} == record for key, record in rows)
    store.close()


def test_a_torn_tail_is_cut_off_and_said(tmp_path):
    whole = filled(tmp_path, 20)
    (tmp_path / JOURNAL).unlink()
    before = filled(tmp_path, 19)
    zeroed = whole[:-4] + bytes(4)
    for torn in (*(whole[:length] for length in range(len(before) + 1, len(whole))), zeroed):
        (tmp_path / JOURNAL).write_bytes(torn)
        store = opened("log", tmp_path, wire())
        cut = len(torn) - len(before)
        said = f"19 entries; {cut:,} bytes of an unfinished one cut off at offset {len(before):,}"
        assert said == store.settings["replayed"]
        assert 19 == store.scan(0, 100)[-1][0]
        store.put(20, {"key": 20, "text": "x" * 20})
        store.close()
        assert whole == (tmp_path / JOURNAL).read_bytes()


def entries(whole: bytes) -> list[bytes]:
    found, at = [], len(b"bakeoff journal 1\n")
    while at < len(whole):
        length = int.from_bytes(whole[at + 8 : at + 12], "little")
        found.append(whole[at : at + 20 + length])
        at += 20 + length
    return found


def test_damage_in_the_middle_is_an_error_with_its_offset(tmp_path):
    whole = filled(tmp_path)
    *_, entry, last = entries(whole)
    begin = len(whole) - len(entry) - len(last)
    for offset in range(begin, begin + len(entry)):
        damaged = bytearray(whole)
        damaged[offset] ^= 0x10
        (tmp_path / JOURNAL).write_bytes(damaged)
        with pytest.raises(
            StoreError, match=rf"{JOURNAL}: damaged at offset {begin:,}: .* fails its checksum"
        ):
            opened("log", tmp_path, wire())
        assert damaged == (tmp_path / JOURNAL).read_bytes()


def test_what_is_no_journal_is_left_alone(tmp_path):
    """The name of such a file is probably a mistake."""
    (tmp_path / JOURNAL).write_bytes(b"my diary, dear reader, begins")
    with pytest.raises(StoreError, match="is not a journal"):
        opened("log", tmp_path, wire())
    assert b"my diary" == (tmp_path / JOURNAL).read_bytes()[:8]


@pytest.fixture
def little_room() -> Iterator[None]:
    """No file may become larger than 64 KiB, as where a disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("little_room")
def test_a_put_for_which_there_is_no_room_fails_and_leaves_nothing(tmp_path):
    store = opened("log", tmp_path, opaque())
    for key in range(1, 7):
        store.put(key, os.urandom(10_000))
    with pytest.raises(StoreError, match="the journal cannot be written: File too large"):
        store.put(7, os.urandom(10_000))
    with pytest.raises(StoreError, match="File too large"):
        store.put_many([(8, b"x"), (9, os.urandom(10_000))])
    store.put(10, b"small")
    store.close()

    store = opened("log", tmp_path, opaque())
    assert [1, 2, 3, 4, 5, 6, 10] == [key for key, _ in store.scan(0, 100)]
    assert "7 entries" == store.settings["replayed"]
    store.close()


def test_moments_come_back_from_a_journal_as_the_codec_writes_them(tmp_path):
    moment = {"at": dt.datetime(2026, 11, 22, 12, 30, tzinfo=dt.UTC)}
    store = opened("log", tmp_path, wire("orjson"))
    store.put(1, moment)
    assert moment is store.get(1)
    store.close()

    store = opened("log", tmp_path, wire("orjson"))
    assert {"at": "2026-11-22T12:30:00+00:00"} == store.get(1)
    store.close()


# Shared stores


def filling() -> Filling:
    payloads = [wire().encode(record) for record in RECORDS]
    return Filling([wire().decode(payload) for payload in payloads], payloads, 100)


def test_a_filled_store_is_shared_and_goes_with_its_folder():
    pool = StorePool()
    one = pool.take("a", kind("sqlite"), "", wire(), filling)
    other = pool.take("a", kind("sqlite"), "", wire(), filling)

    assert one is other
    assert [(key, RECORDS[(key - 1) % 8]) for key in range(1, 101)] == one.store.scan(0, 1000)
    folder = one.location.folder
    assert folder.is_dir()
    pool.give("a")
    pool.give("a")
    pool.clear()
    assert not folder.exists()


def test_a_store_that_is_written_to_grows_and_then_another_takes_its_place(monkeypatch):
    pool = StorePool()
    monkeypatch.setattr("bakeoff.bench.backends.stores.pool.GROWTH", 2000)
    filled = pool.take("a", kind("sqlite"), "", wire(), filling, grows=True)
    first, ahead = filled.location.folder, filled.more
    keys = filled.new_keys(2000 - ahead)
    filled.store.put_many([(key, RECORDS[0]) for key in keys])
    filled.renew()

    assert 101 + ahead == keys[0]
    assert [2100] == [key for key, _ in filled.store.scan(2099, 10)]
    assert first == filled.location.folder
    filled.store.put(filled.new_keys(1)[0], RECORDS[1])
    filled.renew()
    assert not first.exists()
    assert filled.more < 1000
    assert 100 + filled.more == len(filled.store.scan(0, 3000))
    assert filled.store.get(101) == RECORDS[100 % 8]
    pool.clear()
    assert not filled.location.folder.exists()


def test_stores_begin_at_different_moments():
    """The contents beyond the filling differ, so that deferred work affects different calls."""
    pool = StorePool()
    filled = [pool.take(name, kind("log"), "", wire(), filling, grows=True) for name in range(8)]

    assert len({one.more for one in filled}) > 1
    assert all(100 + one.more == len(one.store.scan(0, 3000)) for one in filled)
    pool.clear()


def test_nothing_is_left_of_a_store_that_cannot_be_filled(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fill() -> Filling:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        StorePool().take("a", kind("sqlite"), "", wire(), fill)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "given",
    [
        "user:SECRET@127.0.0.1/db",
        "postgresql:/u:SECRET@host/db",
        "host=x password=SECRET",
        "SECRET@host",
        ":SECRET@127.0.0.1",
        "//u:SECRET@host",
        "redis//:SECRET@host",
        "u:SECRET@host://x",
        "gopher://me:SECRET@there",
    ],
)
def test_a_mistyped_url_is_not_repeated(given: str) -> None:
    """It may contain a password: only a part that can be a name is shown; also for an operation's backend."""
    for asked in (kind, by_url):
        with pytest.raises(UsageError) as raised:
            asked(given)
        assert "SECRET" not in str(raised.value)
    try:
        operation(f"get@{given}")
    except UsageError as error:
        assert "SECRET" not in str(error)  # noqa: PT017 - some are read as a place without a name


@pytest.mark.parametrize(
    "url", ["redis:/u:SECRET@h", "redis:///u:SECRET@h", "redis://u:SECRET@h", "x://h?password=SECRET"]
)
def test_passwords_of_commands_are_left_out(url: str) -> None:
    assert "SECRET" not in without_passwords(f"bakeoff stores --store {url} -n 5")
