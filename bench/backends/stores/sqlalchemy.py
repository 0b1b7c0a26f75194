"""Object mappers, to be compared with the store below them: SQLAlchemy's declarative classes, and SQLModel's.

The author of Elixir recommends SQLAlchemy's declarative layer to its users. SQLModel is today's layer on top
of it, as Elixir was in 2011. Each call has a separate session, like a request of a service.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..reaching import imported, reaching
from . import mysql, postgresql
from .base import Location, MissingStore, Pairs, Settings, Store, StoreError, StoreKind, Wire
from .sqlite import FILE, about, set_up, size

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import Engine


class _Mapped:
    """Records as an attribute of mapped objects: the session makes, compares, orders and flushes these.

    Args:
        model: Makes the mapped class from the column's type and the table's name.
        about: Returns what the database reports about itself, given the driver's connection.
        size: Returns the bytes that the table takes, given the same connection.
    """

    def __init__(
        self,
        location: Location,
        wire: Wire,
        engine: Engine,
        model: Callable[[Any, str], Any],
        about: Callable[[Any], Settings],
        size: Callable[[Any], int],
    ) -> None:
        from sqlalchemy.orm import sessionmaker

        from ....codecs.integrations.sqlalchemy import Encoded

        self.wire = wire
        self._engine, self._about, self._size = engine, about, size
        # Returned by `bakeoff.integrations.sqlalchemy`.
        self._model = model(Encoded(_Current(self)), location.name)
        self._model.metadata.create_all(engine)
        self._sessions = sessionmaker(engine)

    @property
    def settings(self) -> Settings:
        with self._engine.connect() as connection:
            return self._about(connection.connection.driver_connection)

    def put(self, key: int, record: Any) -> None:
        with self._sessions.begin() as session:
            session.merge(self._model(key=key, record=record))

    def get(self, key: int) -> Any:
        with self._sessions() as session:
            found = session.get(self._model, key)
            if found is None:
                raise KeyError(key)
            return found.record

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        from sqlalchemy import select

        model = self._model
        wanted = select(model).where(model.key > after).order_by(model.key).limit(count)
        with self._sessions() as session:
            return [(row.key, row.record) for row in session.scalars(wanted)]

    def put_many(self, pairs: Pairs) -> None:
        with self._sessions.begin() as session:
            session.add_all([self._model(key=key, record=record) for key, record in pairs])

    def stored(self) -> int:
        with self._engine.connect() as connection:
            return self._size(connection.connection.driver_connection)

    def close(self) -> None:
        self._engine.dispose()


@dataclass(frozen=True, eq=False)
class _Current:
    """The store's current wire, as a codec."""

    store: _Mapped

    def encode(self, obj: Any, /) -> bytes:
        return self.store.wire.encode(obj)

    def decode(self, data: bytes, /) -> Any:
        return self.store.wire.decode(data)


def _declared(column: Any, table: str) -> Any:
    """Return a class declared with SQLAlchemy."""
    from sqlalchemy.orm import DeclarativeBase, mapped_column

    class Base(DeclarativeBase):
        pass

    class Record(Base):
        __tablename__ = table

        key = mapped_column(_number(), primary_key=True, autoincrement=False)
        record = mapped_column(column, nullable=False)

    return Record


def _sqlmodel(column: Any, table: str) -> Any:
    """Return a class declared with SQLModel."""
    from sqlalchemy import Column
    from sqlalchemy.orm import registry
    from sqlmodel import Field, SQLModel

    class Base(SQLModel, registry=registry()):
        pass

    class Record(Base, table=True):
        __tablename__ = table

        key: int = Field(sa_column=Column(_number(), primary_key=True, autoincrement=False))
        record: Any = Field(sa_column=Column(column, nullable=False))

    return Record


def _number() -> Any:
    """Return the type of the keys; SQLite has one name only for its own row numbers."""
    from sqlalchemy import BigInteger, Integer

    return BigInteger().with_variant(Integer(), "sqlite")


def _on_sqlite(library: str, model: Callable[[Any, str], Any]) -> Callable[[Location, Wire], Store]:
    """Return a function that opens an object mapper on the SQLite settings of that store."""

    def opened(location: Location, wire: Wire) -> Store:
        imported(library, MissingStore)
        from sqlalchemy import create_engine, event

        file = location.folder / FILE
        engine = create_engine(f"sqlite:///{file}")
        event.listen(engine, "connect", lambda connection, _: set_up(connection))

        def described(connection: sqlite3.Connection) -> Settings:
            below = dict(about(connection))
            return {"version": version(library), "on": f"sqlite {below.pop('version')}", **below}

        return _Mapped(location, wire, engine, model, described, lambda connection: size(connection, file))

    return opened


def _on_server(server: ModuleType, client: str, driver: str) -> Callable[[Location, Wire], Store]:
    """Return a function that opens an object mapper on a server whose own store is in a module here."""

    def opened(location: Location, wire: Wire) -> Store:
        sqlalchemy = imported("sqlalchemy", MissingStore)
        imported(client, MissingStore)
        below = _below(location)
        with reaching(driver, below.url, StoreError):
            url = sqlalchemy.make_url(below.url).set(drivername=driver)
            engine = sqlalchemy.create_engine(url, connect_args=server.OPTIONS, hide_parameters=True)
            engine.connect().close()

        def described(connection: Any) -> Settings:
            return {"sqlalchemy": version("sqlalchemy"), **server.about(connection)}

        return _Mapped(
            location, wire, engine, _declared, described, lambda found: int(server.size(found, location.name))
        )

    return opened


_PREFIX = "sqlalchemy+"


def _below(location: Location) -> Location:
    """Return the location of the database."""
    return replace(location, url=location.url.removeprefix(_PREFIX))


def _server(server: ModuleType, client: str, driver: str) -> StoreKind:
    (raw,) = server.STORES
    return StoreKind(
        name=f"sqlalchemy-{raw.name}",
        open=_on_server(server, client, driver),
        schemes=tuple(f"{_PREFIX}{scheme}" for scheme in raw.schemes),
        waits=True,
        forget=lambda location: raw.forget(_below(location)),
    )


STORES = (
    StoreKind(
        name="sqlalchemy",
        open=_on_sqlite("sqlalchemy", _declared),
    ),
    StoreKind(
        name="sqlmodel",
        open=_on_sqlite("sqlmodel", _sqlmodel),
    ),
    _server(postgresql, "psycopg", "postgresql+psycopg"),
    _server(mysql, "pymysql", "mysql+pymysql"),
)
