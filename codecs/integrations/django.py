"""Codecs as serializers of Django: caches, sessions, signing, and the cache of django-redis.

By dotted path, for settings: ``bakeoff.codecs.integrations.django.Msgpack``, named as in
`bakeoff.codecs.ready`.
"""

from __future__ import annotations

from typing import Any

from .. import ready
from ..core.base import CodecBase
from ._counters import Counters


def integration(codec: CodecBase) -> type[Counters]:
    """Return a class with ``dumps`` and ``loads``, which stores integers as digits, so that ``incr`` works.

    Django builds it without arguments, django-redis with ``options=``.
    """

    class Serializer(Counters):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__(codec)

    return Serializer


def __getattr__(name: str) -> type[Counters]:
    found = getattr(ready, name)
    if isinstance(found, type) and isinstance(made := found(), CodecBase):
        return integration(made)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
