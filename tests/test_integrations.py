"""`bakeoff.integrations`: what its functions refuse, and those of other packages."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bakeoff
from bakeoff import integrations
from bakeoff.errors import UsageError
from frameworks import BY_INTEGRATION, FRAMEWORKS
from installed import install

ROOT = Path(__file__).parents[1]
NAMES = dir(integrations)


def test_a_codec_names_no_framework() -> None:
    codec = bakeoff.codec("json")

    assert [] == [name for name in dir(codec) if name.removeprefix("for_") in NAMES]
    with pytest.raises(AttributeError):
        codec.for_django  # type: ignore[attr-defined] # noqa: B018


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", ["msgpack", bakeoff.Codec, None])
def test_what_is_no_codec_is_refused(name: str, wrong: object) -> None:
    """At once, and not at the first message: text has a method `encode`, too."""
    with pytest.raises(TypeError, match=rf"^bakeoff\.integrations\.{name} expects a codec, got .*codec\("):
        getattr(integrations, name)(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_help_says_what_a_function_takes_and_returns(name: str) -> None:
    function = getattr(integrations, name)

    assert "codec" == next(iter(inspect.signature(function).parameters))
    assert inspect.signature(function).return_annotation
    assert re.match(r"Return .+\.$", function.__doc__.partition("\n")[0])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("djnago", "did you mean django?"),
        ("Flask", "did you mean flask or dask?"),
        ("fastapi", "did you mean starlette?"),
        ("kafka", "did you mean aiokafka, kafka_python or quixstreams?"),
        ("rest_framework", "did you mean drf?"),
        ("celery", "there are aiocache, "),
        ("celery", "zmq; most other libraries take a codec itself"),
    ],
)
def test_an_unknown_name_is_answered_with_known_ones(name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"^no integration '{name}'; .*{re.escape(meant)}"):
        getattr(integrations, name)


def test_python_adds_no_second_suggestion() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import bakeoff; bakeoff.integrations.djnago"], capture_output=True, text=True
    )

    assert "AttributeError: no integration 'djnago'; did you mean django?" == done.stderr.splitlines()[-1]


WITHOUT = """
import json, sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))
import bakeoff
told = {}
for name in dir(bakeoff.integrations):
    further = [list] if name in ("dask", "flask") else []
    try:
        getattr(bakeoff.integrations, name)(bakeoff.codec("json"), *further)
    except bakeoff.MissingLibrary as error:
        told[name] = str(error)
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """What each integration says without its library."""
    command = [sys.executable, "-c", WITHOUT, *FRAMEWORKS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.checkout
@pytest.mark.parametrize("name", sorted(name for name in NAMES if BY_INTEGRATION[name]))
def test_without_its_library_an_integration_says_what_to_install(name: str, told: dict[str, str]) -> None:
    """And that is what tests use as its client."""
    said = rf"json: bakeoff\.integrations\.{name} cannot import its library"
    found = re.fullmatch(rf"{said}; pip install '([\w.[\]-]+)(>=\S+)?'", told[name])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    clients = {re.split(r"[\[>]", client)[0] for client in project["dependency-groups"]["clients"]}
    extras = {f"bakeoff[{extra}]" for extra in project["project"]["optional-dependencies"]}

    assert found is not None, told[name]
    assert found[1] in clients | extras | {"starlette"}  # which FastAPI installs


def test_errors_of_an_integration_itself_pass_unchanged() -> None:
    with pytest.raises(bakeoff.CodecError, match="dask expects a subclass of list or dict, got set"):
        integrations.dask(bakeoff.codec("json"), set)


@pytest.fixture
def publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function that installs a package of integrations."""

    def published(source: str, *points: str) -> None:
        install(tmp_path, "theirs", source, points, integrations.ENTRY_POINTS)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "theirs", raising=False)
        integrations._published.cache_clear()

    yield published
    monkeypatch.undo()
    integrations._published.cache_clear()


def test_an_integration_of_another_package_is_found_by_its_name(publish: Callable[..., None]) -> None:
    publish("def carrier(codec, size=1): return codec.name, size", "carrier")

    assert ("json", 7) == integrations.carrier(bakeoff.codec("json"), size=7)
    assert {"carrier", *NAMES} == {*dir(integrations)}
    with pytest.raises(AttributeError, match="did you mean carrier"):
        integrations.carier  # noqa: B018


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import nothing_of_the_kind", "cannot be loaded: ModuleNotFoundError: No module named 'nothing_of"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError"),
        ("", "cannot be loaded: AttributeError"),
        ("carrier = 1", "is not a function: 1"),
    ],
)
def test_one_that_cannot_be_loaded_is_named(source: str, reason: str, publish: Callable[..., None]) -> None:
    publish(source, "carrier")

    with pytest.raises(UsageError, match=f"^integration 'carrier' of theirs:carrier {re.escape(reason)}"):
        integrations.carrier  # noqa: B018


def test_one_with_the_name_of_bakeoffs_own_is_ignored_with_a_warning(publish: Callable[..., None]) -> None:
    publish("def django(codec): pass", "django")

    with pytest.warns(
        UserWarning, match="'django' of theirs:django is ignored: bakeoff has one of this name"
    ):
        assert NAMES == dir(integrations)
    assert integrations.__name__ == integrations.django.__module__
