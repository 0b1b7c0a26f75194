"""`likes`: users with sets of relations; the parameter is the size of the sets."""

from __future__ import annotations

from functools import partial
from typing import TypedDict

from ._generate import likes
from .families import CorpusFamily, Parameter


class User(TypedDict):
    """A user and the numbers of the items that the user likes."""

    user: int
    name: str
    likes: set[int]


FAMILY = CorpusFamily(
    name="likes",
    description="Users with sets of relations: 100 of them, or N of likes:N.",
    schema=User,
    make=likes,
    # A million takes 9 MB as JSON; codecs accept payloads of 16 MiB unless their limits are raised.
    parameter=Parameter(default=100, most=1_000_000, make=lambda number: partial(likes, relations=number)),
)
