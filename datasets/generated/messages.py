"""`messages`: nested events of the size of the records in the benchmark of 2011."""

from __future__ import annotations

from typing import TypedDict

from ._generate import message
from .families import CorpusFamily


class Source(TypedDict):
    """The service that sent the event."""

    service: str
    region: str
    host: str
    process: int


class Trace(TypedDict):
    """The place of the event in a distributed trace."""

    trace: str
    span: str
    parent: str | None
    sampled: bool


class Actor(TypedDict):
    """The cause of the event."""

    id: int
    name: str
    email: str
    verified: bool
    roles: list[str]


class Line(TypedDict):
    """One line of an order."""

    sku: str
    title: str
    quantity: int
    price: float
    discount: float | None
    options: list[str]


class Address(TypedDict):
    """The destination of an order; `position` is latitude and longitude in degrees."""

    street: str
    city: str
    postcode: str
    country: str
    position: list[float]


class Order(TypedDict):
    """The subject of the event."""

    number: int
    currency: str
    total: float
    gift: bool
    coupon: str | None
    lines: list[Line]
    address: Address
    note: str


class Message(TypedDict):
    """The envelope; `time` is in milliseconds since 1970, `history` has [time, state, service] lists."""

    id: str
    type: str
    version: int
    time: int
    source: Source
    trace: Trace
    actor: Actor
    order: Order
    history: list[list[int | str]]
    labels: list[str]
    attempt: int
    expires: None


FAMILY = CorpusFamily(
    name="messages",
    description="Nested events in an envelope, JSON types only, 1,675 bytes of JSON on average.",
    schema=Message,
    make=message,
)
