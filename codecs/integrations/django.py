"""Codecs as serializers of Django: caches, sessions, signing, and the cache of django-redis.

By dotted path, for settings: ``bakeoff.codecs.integrations.django.Msgpack``, named as in
`bakeoff.codecs.ready`.
"""

from __future__ import annotations

from typing import Any

from ..core.base import CodecBase
from ..core.classes import class_of
from ..ready import of_class
from ._counters import Counters


class Serializer(Counters):
    """Has ``dumps`` and ``loads``, which store integers as digits, so that ``incr`` works.

    Django builds it without arguments, django-redis with ``options=``.
    """

    codec: CodecBase

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__(self.codec)


def integration(codec: CodecBase) -> type[Serializer]:
    """Return a class of serializers."""
    return class_of(Serializer, codec)


def __getattr__(name: str) -> type[Serializer]:
    return integration(of_class(__name__, name))
