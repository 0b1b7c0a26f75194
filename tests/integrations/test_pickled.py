"""What integrations return: it can be pickled, here and in a new process, and classes have a dotted path."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from typing import Any

import pytest

import bakeoff
from bakeoff.codecs import migrate

pytestmark = pytest.mark.filterwarnings(
    "ignore:(read|open)_text is deprecated:DeprecationWarning"  # kafka-python's own import
)


class Mine(bakeoff.integrations.channels_redis(bakeoff.codec("json"))):  # type: ignore[misc] # a class of a codec
    """A user's subclass."""


class Orders(list):
    """Records that Dask sends."""


ARGUMENTS = {"dask": (Orders,)}
OF_AN_APP = {"flask"}
"""It keeps its application, which Flask itself cannot pickle."""
CODECS = {
    "registered": bakeoff.codec("msgpack"),
    "varied": bakeoff.codec("json|zlib:9", size=1_000_000),
    "with a schema": bakeoff.codec("orjson", schema=bakeoff.Schema({"n": int})),
    "migrating": migrate("json", "msgpack"),
}
RECORD = {"n": 1}


@pytest.fixture(autouse=True)
def django() -> None:
    from django.conf import settings

    if not settings.configured:
        settings.configure()


def made(name: str, codec: bakeoff.Codec) -> Any:
    return getattr(bakeoff.integrations, name)(codec, *ARGUMENTS.get(name, ()))


def classes(found: Any) -> list[type]:
    """Return the classes of a codec in what an integration returns."""
    several = found if isinstance(found, tuple) else [found]
    return [each for each in several if isinstance(each, type)]


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
@pytest.mark.parametrize("name", sorted({*dir(bakeoff.integrations)} - OF_AN_APP))
def test_what_an_integration_returns_is_pickled(name: str, codec: bakeoff.Codec) -> None:
    found = made(name, codec)

    again = pickle.loads(pickle.dumps(found))

    assert type(found) is type(again)
    for one, other in zip(classes(found), classes(again), strict=True):
        assert one is other or codec != pickle.loads(pickle.dumps(codec))


SPAWNED = """
import pickle, sys
from django.conf import settings
settings.configure()
for name, found in pickle.load(sys.stdin.buffer).items():
    for each in found if isinstance(found, tuple) else [found]:
        print(name, each.codec.decode(each.codec.encode({"n": 1})), each.__module__, each.__qualname__)
"""


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_classes_are_pickled_for_a_new_process(codec: bakeoff.Codec) -> None:
    """Which has not asked for them before."""
    found = {
        name: made(name, codec) for name in dir(bakeoff.integrations) if name not in OF_AN_APP | {"dask"}
    }
    wanted = {name: each for name, each in found.items() if classes(each)}

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SPAWNED],
        input=pickle.dumps(wanted),
        capture_output=True,
        check=True,
    )

    expected = [
        f"{name} {RECORD} {each.__module__} {each.__qualname__}"
        for name in wanted
        for each in classes(wanted[name])
    ]
    assert {"channels_redis", "diskcache", "django", "drf", "joblib", "litestar", "starlette"} == {*wanted}
    assert expected == done.stdout.decode().splitlines()


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
@pytest.mark.parametrize("name", ["channels_redis", "diskcache", "django", "drf", "joblib", "starlette"])
def test_cloudpickle_takes_classes(name: str, codec: bakeoff.Codec) -> None:
    """Dask and joblib pickle with it, by another way than pickle."""
    cloudpickle = pytest.importorskip("cloudpickle")

    for kind in classes(made(name, codec)):
        again = pickle.loads(cloudpickle.dumps(kind))
        assert RECORD == again.codec.decode(again.codec.encode(RECORD))


@pytest.mark.parametrize("codec", ["msgpack", "msgpack/tuple", "msgspec-json"])
@pytest.mark.parametrize("name", ["channels_redis", "diskcache", "django", "drf", "joblib"])
def test_classes_have_a_dotted_path(name: str, codec: str) -> None:
    """For settings: of every codec by its name."""
    module = importlib.import_module(f"bakeoff.codecs.integrations.{name}")
    for kind in classes(made(name, bakeoff.codec(codec))):
        assert kind is getattr(module, kind.__qualname__)
        assert module.__name__ == kind.__module__
    with pytest.raises(AttributeError, match="has no attribute 'Msgpick'"):
        _ = module.Msgpick


def test_a_codec_as_a_class_is_pickled() -> None:
    kind = bakeoff.codec("msgpack").as_class()

    assert kind is pickle.loads(pickle.dumps(kind)) is bakeoff.codecs.ready.Msgpack
    assert kind() is bakeoff.codec("msgpack")


def test_a_subclass_of_a_user_is_pickled_by_its_name() -> None:
    assert Mine is pickle.loads(pickle.dumps(Mine))
