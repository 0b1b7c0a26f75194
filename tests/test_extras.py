"""Commands and public functions without optional libraries: they work, or name the extra in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import without
from untraced import untraced

HERE = Path(__file__).parent
FRAMEWORKS = (
    "aiocache,attr,attrs,cachelib,channels_redis,cloudevents,diskcache,distributed,django,dogpile,falcon,"
    "fastapi,faststream,flask,huey,joblib,kafka,litestar,quixstreams,rest_framework,starlette,temporalio"
)
EXTRAS = [
    *(
        "orjson",
        "ormsgpack",
        "msgspec",
        "msgpack_numpy",
        "cbor2",
        "fastavro",
        "ujson",
        "rapidjson",
        "ssrjson",
    ),
    *("pydantic_core", "ryaml", "cloudpickle", "dill", "ruamel", "zstandard", "lz4", "cramjam", "brotli"),
    *("mashumaro", "cattrs", "pyfory"),
    *(
        "isal",
        "pyarrow",
        "google.protobuf",
        "thrift",
        "pydantic",
        "memray",
        "lmdb",
        "rocksdict",
        "sqlalchemy",
    ),
    *("sqlmodel", "redis", "psycopg", "pymysql", "zmq", "nats", "pika", "confluent_kafka", "fsspec", "dask"),
    *("packaging", "py_spy", "jinja2", "resvg_py", "numpy", "pandas", "polars"),
]
CORE = f"{','.join(EXTRAS)},{FRAMEWORKS}"
"""All that the core of bakeoff does not install."""
ALL = {"pyarrow without pandas": "pandas,polars,numpy", "the core": CORE}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    without.prepare(folder)
    return folder


def missing(files: Path, hidden: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, str(HERE / "without.py"), str(files), hidden],
        capture_output=True,
        text=True,
        check=True,
        env=untraced(),
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("hidden", ALL.values(), ids=ALL.keys())
def test_several_libraries_are_missing(hidden: str, files: Path) -> None:
    assert [] == missing(files, hidden)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", EXTRAS)
def test_one_library_is_missing(hidden: str, files: Path) -> None:
    assert [] == missing(files, hidden)


def test_every_extra_is_hidden() -> None:
    import tomllib

    facts = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    modules = {
        "protobuf": "google.protobuf",
        "ruamel-yaml": "ruamel",
        "zstd": "zstandard",
        "snappy": "cramjam",
    }
    modules |= {"msgpack-numpy": "msgpack_numpy", "pydantic-core": "pydantic_core"}
    modules |= {"amqp": "pika", "kafka": "confluent_kafka"}
    modules |= {"releases": "packaging", "watch": "py_spy", "report": "jinja2", "png": "resvg_py"}

    assert set(EXTRAS) >= {modules.get(name, name) for name in facts if name not in ("fast", "all")}
