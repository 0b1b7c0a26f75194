"""Adapters of codecs for frameworks; each module is imported when `Codec.for_NAME` is first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from ..errors import MissingLibrary

__all__ = ["INTEGRATIONS", "integration"]

INTEGRATIONS: Mapping[str, str] = {
    "aiocache": "aiocache",
    "aiokafka": "aiokafka",
    "cachelib": "cachelib",
    "channels_redis": "channels_redis 4",
    "cloudevents": "cloudevents 2",
    "dask": "distributed, of Dask",
    "diskcache": "diskcache",
    "django": "Django",
    "dogpile": "dogpile.cache",
    "drf": "Django REST framework",
    "falcon": "falcon",
    "faststream": "FastStream 0.7",
    "flask": "Flask",
    "flask_sessions": "Flask",
    "huey": "huey 3",
    "joblib": "joblib",
    "kafka_python": "kafka-python 3",
    "litestar": "Litestar",
    "quixstreams": "Quix Streams 3",
    "sqlalchemy": "SQLAlchemy 2; pip install 'bakeoff[sqlalchemy]'",
    "starlette": "Starlette or FastAPI",
    "temporal": "temporalio",
    "zmq": "pyzmq",
}
"""The package that each integration needs, by module name; a module has ``integration(codec, ...)``."""


def integration(codec: Any, name: str) -> Callable[..., Any]:
    """Return the callable behind `Codec.for_NAME`: the integration of that name with its codec.

    Raises:
        KeyError: No such integration.
        MissingLibrary: The project is not installed.
    """
    wanted = INTEGRATIONS[name]
    try:
        module = import_module(f".{name}", __name__)
    except ImportError as error:
        raise MissingLibrary(codec.name, f"for_{name} requires {wanted}") from error
    return partial(module.integration, codec)
