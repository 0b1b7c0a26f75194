"""Codecs as columns and in the hooks of SQLAlchemy's engines: the real servers, no stand-ins."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import JSON, Column, Engine, Integer, MetaData, Table, create_engine, insert, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import StatementError
from sqlalchemy.ext.mutable import MutableDict
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

import bakeoff

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"], "of": {"size": 1.5, "none": None}}
CODECS = ("msgpack", "orjson", "bson", "json|zlib")
DATABASES = ("sqlite", "postgresql", "mariadb")
MINE = f"bakeoff_{os.getpid()}"
"""Of tables: other workers use the same servers."""


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, server: Callable[[str], str], tmp_path_factory: Any) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('sqlite')}/db"
    return server(request.param).replace("postgresql://", "postgresql+psycopg://")


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    made = create_engine(database)
    yield made
    made.dispose()


@pytest.fixture
def table(engine: Engine) -> Iterator[Callable[[Any], Table]]:
    metadata = MetaData()

    def make(kind: Any) -> Table:
        made = Table(MINE, metadata, Column("id", Integer, primary_key=True), Column("it", kind))
        metadata.create_all(engine)
        return made

    yield make
    metadata.drop_all(engine)


@pytest.mark.parametrize("name", CODECS)
def test_a_column_of_a_codec_holds_records(name, engine, table):
    codec = bakeoff.codec(name)
    made = table(bakeoff.integrations.sqlalchemy(codec))
    with engine.begin() as connection:
        records = [RECORD, [1, True, "x"], None, {"long": "ä" * 100_000}]
        connection.execute(insert(made), [{"it": record} for record in records])
        found = connection.execute(select(made.c.it).order_by(made.c.id)).scalars().all()
        equal = connection.execute(select(made.c.id).where(made.c.it == RECORD)).scalars().all()
        nulls = connection.execute(select(made.c.id).where(made.c.it.is_(None))).scalars().all()

        assert records == found
        assert True is found[1][1]
        assert [1] == equal
        assert [3] == nulls


@pytest.mark.parametrize("name", CODECS)
def test_an_attribute_of_a_codec_holds_records(name, engine):
    codec = bakeoff.codec(name)

    class Base(DeclarativeBase):
        pass

    class Thing(Base):
        __tablename__ = MINE
        id = mapped_column(Integer, primary_key=True)
        it = mapped_column(bakeoff.integrations.sqlalchemy(codec))

    Base.metadata.create_all(engine)
    try:
        with Session(engine) as session:
            session.add(Thing(id=1, it={"a": True}))
            session.commit()
            session.get(Thing, 1).it = {"a": 1}
            assert session.is_modified(session.get(Thing, 1))
            session.commit()
        with Session(engine) as session:
            assert type(session.get(Thing, 1).it["a"]) is int
    finally:
        Base.metadata.drop_all(engine)


def test_changes_within_a_record_are_seen_where_that_is_asked_for():
    class Base(DeclarativeBase):
        pass

    class Thing(Base):
        __tablename__ = "things"
        id = mapped_column(Integer, primary_key=True)
        it = mapped_column(bakeoff.integrations.sqlalchemy(bakeoff.codec("msgpack")))
        seen = mapped_column(
            MutableDict.as_mutable(bakeoff.integrations.sqlalchemy(bakeoff.codec("msgpack")))
        )

    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Thing(id=1, it={"a": 1}, seen={"a": 1}))
        session.commit()
        thing = session.get(Thing, 1)
        thing.it["a"] = thing.seen["a"] = 2
        session.commit()
        assert ({"a": 1}, {"a": 2}) == (thing.it, thing.seen)
    engine.dispose()


def test_a_column_with_a_schema_brings_types_back():
    schema = bakeoff.Schema({"at": dt.datetime})
    codec = bakeoff.codec("orjson").with_schema(schema)
    kind = bakeoff.integrations.sqlalchemy(codec)
    engine = create_engine("sqlite://")
    made = Table("records", MetaData(), Column("it", kind))
    record = {"at": dt.datetime(2026, 1, 2, 3, 4)}
    with engine.begin() as connection:
        made.create(connection)
        connection.execute(insert(made), {"it": record})
        assert record == connection.execute(select(made.c.it)).scalar()
        with pytest.raises(StatementError, match="EncodeError") as raised:
            connection.execute(insert(made), {"it": {"at": object()}})
        assert isinstance(raised.value.orig, bakeoff.EncodeError)
        connection.exec_driver_sql("UPDATE records SET it = x'7b'")
        with pytest.raises(bakeoff.DecodeError):
            connection.execute(select(made.c.it)).scalar()
    engine.dispose()


def test_types_of_columns_are_told_apart():
    """Statements are cached by them; they are pickled with the tables that have them."""
    one, two, other = (
        bakeoff.integrations.sqlalchemy(bakeoff.codec(n)) for n in ("msgpack", "msgpack", "msgpack/tuple")
    )

    assert one._static_cache_key == two._static_cache_key
    assert one._static_cache_key != other._static_cache_key
    assert one.codec == pickle.loads(pickle.dumps(one)).codec
    assert object is one.python_type


@pytest.mark.slow
def test_without_sqlalchemy_the_extra_is_named():
    script = """
        import sys
        sys.modules["sqlalchemy"] = None
        import bakeoff
        codec = bakeoff.codec("msgpack")
        try:
            bakeoff.integrations.sqlalchemy(codec)
        except bakeoff.MissingLibrary as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", "if True:" + script], capture_output=True, text=True, check=True
    )

    expected = "bakeoff.integrations.sqlalchemy cannot import its library; pip install 'bakeoff[sqlalchemy]'"
    assert f"msgpack: {expected}\n" == done.stdout


@pytest.mark.parametrize("name", ["json", "orjson", "msgspec-json"])
def test_engines_take_its_methods_for_json(name, database):
    codec = bakeoff.codec(name)
    engine = create_engine(database, json_serializer=codec.encode_text, json_deserializer=codec.decode)
    kinds = [JSON, JSONB] if engine.dialect.name == "postgresql" else [JSON]
    for kind in kinds:
        made = Table(MINE, MetaData(), Column("it", kind))
        with engine.begin() as connection:
            made.create(connection)
            connection.execute(insert(made), {"it": RECORD})
            found = connection.execute(select(made.c.it)).scalar()
            named = connection.execute(select(made.c.it["name"].as_string())).scalar()
            made.drop(connection)
        assert RECORD == found
        assert "Zoë" == named
    engine.dispose()
