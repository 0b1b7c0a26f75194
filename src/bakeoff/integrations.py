"""Codecs as other libraries take them: ``bakeoff.integrations.django(codec)``.

Most libraries take a codec itself. Each function here is for one that does not, and imports it when called.
It raises `MissingLibrary` if that fails, and `TypeError` if it is not given a codec. Other packages add
functions by the entry-point group ``bakeoff.integrations``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import UsageError, hint, near
from .published import published

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from falcon.media import BaseHandler
    from flask import Flask
    from temporalio.converter import DataConverter

    from .codecs.core.codec import Codec
    from .codecs.integrations._counters import Counters
    from .codecs.integrations.aiokafka import Serialized as AiokafkaSerialized
    from .codecs.integrations.cloudevents import Encoded as CloudEventsEncoded
    from .codecs.integrations.dask import Batches
    from .codecs.integrations.dogpile import Arguments
    from .codecs.integrations.faststream import Encoded as FaststreamEncoded
    from .codecs.integrations.flask import Provider
    from .codecs.integrations.flask_sessions import Sessions
    from .codecs.integrations.huey import Messages
    from .codecs.integrations.kafka_python import Serialized as KafkaSerialized
    from .codecs.integrations.litestar import Encoded as LitestarEncoded
    from .codecs.integrations.quixstreams import Both as QuixBoth
    from .codecs.integrations.sqlalchemy import Encoded
    from .codecs.integrations.starlette import Encoded as StarletteEncoded
    from .codecs.integrations.zmq import Framed

ENTRY_POINTS = "bakeoff.integrations"
"""Entry-point group for functions of other packages: name = the function's, value = ``module:function``."""

_OTHER_WORDS = {
    "distributed": "dask",
    "fastapi": "starlette",
    "kafka": "aiokafka, kafka_python or quixstreams",
    "rest_framework": "drf",
}
"""Names of functions for other names of their libraries."""

_own: list[str] = []

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _requires(library: str) -> Callable[[_Function], _Function]:
    """Return a decorator for an integration.

    Args:
        library: What pip installs to enable it.
    """

    def decorate(function: _Function) -> _Function:
        name = function.__name__

        @functools.wraps(function)
        def checked(codec: Codec, *arguments: Any, **options: Any) -> Any:
            from .codecs.core.base import CodecBase
            from .codecs.errors import MissingLibrary

            if not isinstance(codec, CodecBase):
                raise TypeError(
                    f"{__name__}.{name} expects a codec, got {codec!r:.80}; make one with bakeoff.codec(...)"
                )
            try:
                return function(codec, *arguments, **options)
            except ImportError as error:
                raise MissingLibrary(
                    codec.name, f"{__name__}.{name} cannot import its library; pip install '{library}'"
                ) from error

        _own.append(name)
        return checked  # type: ignore[return-value] # it has the same arguments

    return decorate


# caches and databases -----------------------------------------------------------------------------


@_requires("aiocache")
def aiocache(codec: Codec) -> Counters:
    """Return a cache's ``serializer``; integers are stored as digits, so that ``increment`` works."""
    from .codecs.integrations.aiocache import integration

    return integration(codec)


@_requires("cachelib")
def cachelib(codec: Codec) -> Any:  # its types know its own serializers only
    """Return a cache's ``serializer``; integers are stored as digits, so that ``inc`` works."""
    from .codecs.integrations.cachelib import integration

    return integration(codec)


@_requires("diskcache")
def diskcache(codec: Codec) -> type[Any]:
    """Return a class for ``Cache(disk=...)``, for values and keys."""
    from .codecs.integrations.diskcache import integration

    return integration(codec)


@_requires("dogpile.cache")
def dogpile(codec: Codec) -> Arguments:
    """Return keyword arguments for ``make_region`` of dogpile.cache; what is not decoded is a miss."""
    from .codecs.integrations.dogpile import integration

    return integration(codec)


@_requires("joblib")
def joblib(codec: Codec) -> type[Any]:
    """Return a class for ``joblib.register_store_backend``, which stores results of ``Memory``."""
    from .codecs.integrations.joblib import integration

    return integration(codec)


@_requires("bakeoff[sqlalchemy]")
def sqlalchemy(codec: Codec) -> Encoded:
    """Return the type of a column of records, for SQLAlchemy 2."""
    from .codecs.integrations.sqlalchemy import integration

    return integration(codec)


# the web ------------------------------------------------------------------------------------------


@_requires("channels_redis>=4")
def channels_redis(codec: Codec) -> type[Any]:
    """Return a class for the ``registry`` in ``channels_redis.serializers``, of version 4."""
    from .codecs.integrations.channels_redis import integration

    return integration(codec)


@_requires("django")
def django(codec: Codec) -> type[Counters]:
    """Return a class of serializers for caches, sessions and signing, and for django-redis."""
    from .codecs.integrations.django import integration

    return integration(codec)


@_requires("djangorestframework")
def drf(codec: Codec) -> tuple[type[Any], type[Any]]:
    """Return two classes for Django REST framework: a renderer, and a parser."""
    from .codecs.integrations.drf import integration

    return integration(codec)


@_requires("falcon")
def falcon(codec: Codec) -> dict[str, BaseHandler]:
    """Return handlers by media type, for ``media_handlers.update`` of both options of an app."""
    from .codecs.integrations.falcon import integration

    return integration(codec)


@_requires("flask")
def flask(codec: Codec, app: Flask) -> Provider:
    """Return the JSON provider for ``app.json``.

    Raises:
        MissingText: The codec's payloads are not text.
    """
    from .codecs.integrations.flask import integration

    return integration(codec, app)


@_requires("flask")
def flask_sessions(codec: Codec) -> Sessions:
    """Return the ``app.session_interface`` of Flask: signed cookies with payloads of any codec."""
    from .codecs.integrations.flask_sessions import integration

    return integration(codec)


@_requires("litestar")
def litestar(codec: Codec) -> type[LitestarEncoded]:
    """Return a class of responses, whose ``read`` decodes requests."""
    from .codecs.integrations.litestar import integration

    return integration(codec)


@_requires("starlette")
def starlette(codec: Codec) -> type[StarletteEncoded]:
    """Return a class of responses for Starlette and FastAPI, whose ``read`` decodes requests."""
    from .codecs.integrations.starlette import integration

    return integration(codec)


# messages and tasks -------------------------------------------------------------------------------


@_requires("aiokafka")
def aiokafka(codec: Codec) -> AiokafkaSerialized:
    """Return functions for the (de)serializers of producers and consumers."""
    from .codecs.integrations.aiokafka import integration

    return integration(codec)


@_requires("cloudevents>=2")
def cloudevents(codec: Codec) -> CloudEventsEncoded:
    """Return the ``event_format`` for ``to_binary`` and similar functions of the SDK, version 2."""
    from .codecs.integrations.cloudevents import integration

    return integration(codec)


@_requires("distributed")
def dask(codec: Codec, batch: type[Any]) -> Batches:
    """Return a plugin for ``client.register_plugin``: objects of a class are sent as payloads.

    Args:
        batch: The class, a subclass of list or dict.

    Raises:
        CodecError: Another class.
    """
    from .codecs.integrations.dask import integration

    return integration(codec, batch)


@_requires("faststream>=0.7")
def faststream(codec: Codec) -> FaststreamEncoded:
    """Return a broker's ``codec``, for FastStream 0.7."""
    from .codecs.integrations.faststream import integration

    return integration(codec)


@_requires("huey>=3")
def huey(codec: Codec) -> Messages:
    """Return the ``serializer`` of huey 3."""
    from .codecs.integrations.huey import integration

    return integration(codec)


@_requires("kafka-python>=3")
def kafka_python(codec: Codec) -> KafkaSerialized:
    """Return the (de)serializer of producers and consumers of kafka-python 3."""
    from .codecs.integrations.kafka_python import integration

    return integration(codec)


@_requires("quixstreams>=3")
def quixstreams(codec: Codec) -> QuixBoth:
    """Return keyword arguments for ``app.topic`` of Quix Streams 3."""
    from .codecs.integrations.quixstreams import integration

    return integration(codec)


@_requires("temporalio")
def temporal(codec: Codec) -> DataConverter:
    """Return the ``data_converter`` of clients and workers of Temporal."""
    from .codecs.integrations.temporal import integration

    return integration(codec)


@_requires("pyzmq")
def zmq(codec: Codec) -> Framed:
    """Return functions for ``send_serialized`` and ``recv_serialized`` of pyzmq."""
    from .codecs.integrations.zmq import integration

    return integration(codec)


# of other packages --------------------------------------------------------------------------------


@functools.cache
def _published() -> dict[str, EntryPoint]:
    return published(ENTRY_POINTS, "integration", _own)


def _loaded(point: EntryPoint) -> Callable[..., Any]:
    try:
        found = point.load()
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"integration {point.name!r} of {point.value} cannot be loaded: {why}") from error
    if not callable(found):
        raise UsageError(f"integration {point.name!r} of {point.value} is not a function: {found!r:.80}")
    return found  # type: ignore[no-any-return]


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("_"):  # asked for by Python itself
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if (point := _published().get(name)) is not None:
        return _loaded(point)
    known = __dir__()
    meant = hint(
        near(name, known, _OTHER_WORDS),
        f"there are {', '.join(known)}; most other libraries take a codec itself",
    )
    # Without an object, as Python would append its own suggestion.
    raise AttributeError(f"no integration {name!r}; {meant}", obj=None)


def __dir__() -> list[str]:
    return sorted([*_own, *_published()])
