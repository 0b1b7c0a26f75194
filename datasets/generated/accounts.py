"""`accounts`: users with their items, as in the store benchmarks of 2013."""

from __future__ import annotations

from datetime import date, datetime
from typing import TypedDict

from ._generate import account
from .families import CorpusFamily


class Settings(TypedDict):
    """What the user has chosen."""

    language: str
    mails: bool
    page: int


class Item(TypedDict):
    """What the user owns."""

    item: int
    title: str
    bought: date
    cents: int
    shared: bool


class Account(TypedDict):
    """A user; `password` has the form of a bcrypt hash, but is random."""

    id: int
    login: str
    name: str
    email: str
    password: str
    created: datetime
    seen: datetime | None
    active: bool
    groups: list[str]
    settings: Settings
    items: list[Item]


FAMILY = CorpusFamily(
    name="accounts",
    description="Users with up to eight items, times and dates, and hashes that are already made.",
    schema=Account,
    make=account,
)
