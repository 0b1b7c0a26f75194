"""A program: commands and public functions of bakeoff where some modules are not installed.

    python tests/without.py FOLDER MODULE,MODULE MODULE ...

Each argument is a set of modules that are hidden together, in a process of its own: of several, all calls are
tried, of one, each codec and ``bakeoff codecs``. Prints, as JSON, a list of ``[hidden, call, outcome]`` of
each call that ended in anything but success or one sentence. FOLDER has the files that `prepare` writes.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

RESULT = Path(__file__).parent / "data" / "results" / "version-1.json"
DEFINITIONS = {
    "avro": "avsc",
    "protobuf": "proto",
    "json-schema": "json",
    "thrift": "thrift",
    "arrow": "arrow",
}
FURTHER: dict[str, tuple[Any, ...]] = {"dask": (type("Batch", (list,), {}),), "flask": (None,)}
"""Arguments of integrations after the codec."""
LINES = '{"a": 1, "b": "x", "at": "2020-01-02T03:04:05Z"}\n' * 5


def prepare(folder: Path) -> None:
    """Write the files that commands read, with all libraries."""
    from bakeoff import Schema

    (folder / "a.jsonl").write_text(LINES)
    (folder / "plain.jsonl").write_text('{"a": 1}\n')
    (folder / "a.parquet").write_bytes(b"PAR1")
    (folder / "a.arrow").write_bytes(b"ARROW1")
    (folder / "a.npy").write_bytes(b"\x93NUMPY\1\0")
    (folder / "a.npz").write_bytes(b"PK\3\4")
    (folder / "a.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    (folder / "model.py").write_text(
        "import dataclasses\n@dataclasses.dataclass\nclass Model:\n    a: int\n    b: str\n    at: str\n"
    )
    (folder / "objects.py").write_text(
        "import pydantic\nclass Model(pydantic.BaseModel):\n    a: int\n\nrecords = [Model(a=1)]\n"
    )
    schema = Schema({"a": int, "b": str, "at": str})
    from bakeoff.schemas.wire.languages import LANGUAGES

    for name in LANGUAGES:
        with contextlib.suppress(Exception):
            made = schema.definition(name)
            (folder / f"a.{DEFINITIONS[name]}").write_bytes(
                made if isinstance(made, bytes) else made.encode()
            )


def facts() -> Iterator[list[str]]:
    """Yield commands that print facts about all codecs."""
    from bakeoff.codecs import missing, names

    yield ["codecs"]
    for option in ("--policies", "--limits", "--conventions"):
        yield ["codecs", option]
    yield ["codecs", "-f", "json"]
    for name in names(needs_schema=True, only_values=True):
        if missing(name) is not None:
            yield ["codecs", name]


def commands() -> Iterator[list[str]]:
    """Yield all other commands."""
    from bakeoff.bench.backends import stores, transports
    from bakeoff.datasets.readers.formats import file_formats

    result = str(RESULT)
    yield ["corpora"]
    for file in ("a.jsonl", "a.parquet", "a.arrow", "a.npy", "a.npz", "a.jsonl.zst"):
        yield ["corpora", file]
    for kind in file_formats():
        yield ["convert", "plain.jsonl", f"to.{kind}", "-f", kind]
        yield ["generate", "movies", "-n", "2", "-o", f"made.{kind}", "-f", kind]
    yield ["convert", "a.jsonl", "to.jsonl.zst"]
    yield ["schema", "infer", "a.jsonl"]
    for ending in DEFINITIONS.values():
        for language in DEFINITIONS:
            yield ["schema", "print", f"a.{ending}", "--as", language]
    yield ["schema", "print", "objects.py:Model"]
    for form in ("text", "md", "csv", "json", "latex", "rst", "pyperf"):
        yield ["report", result, "-f", form, "-o", f"report.{form}"]
    for name in ("chart.svg", "chart.png", "page.html"):
        yield ["report", result, "-o", name]
    yield ["compare", result, result]
    yield ["pick", result]
    yield ["history", "."]
    for codec in ("json", "avro", "protobuf", "arrow", "orjson", "cbor2", "json|zstd", "json|br", "json|lz4"):
        yield ["once", "dump", codec, "a.jsonl"]
        yield ["run", "a.jsonl", "-c", codec, "--dry-run", "--schema", "model.py:Model"]
    yield ["run", "objects.py:records", "-c", "json", "--dry-run"]
    yield ["run", "a.jsonl", "--dry-run", "--raw", "--compress", "zstd:3,lz4,brotli,gzip"]
    if is_hidden("dask"):  # else it waits for a scheduler
        yield ["run", "a.jsonl", "--dry-run", "--on", "dask://127.0.0.1:1"]
    for operation in (
        *(f"put@{store}:MD" for store in stores.MODULES),
        *(f"latency-p50@{transport}:1x100" for transport in transports.MODULES),
    ):
        yield ["run", "a.jsonl", "-c", "json", "--ops", operation, "--dry-run"]
    yield ["survey", "memory://nothing/*.jsonl", "-o", "survey.json"]
    yield ["evolve", "model.py:Model", "model.py:Model", "-c", "json,avro,protobuf", "--records", "3"]
    yield ["releases", "orjson"]
    yield ["watch", "--pid", "1", "--seconds", "1"]


def declared() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what makes each codec and compressor, with a name."""
    import bakeoff
    from bakeoff.codecs import names
    from bakeoff.codecs.streams.compression import COMPRESSORS

    for name in names(needs_schema=True, only_values=True):
        yield f"codec {name}", lambda name=name: bakeoff.codec(name, trusted=True)
    for name in COMPRESSORS:
        yield f"compression {name}", lambda name=name: bakeoff.codec("json").with_compression(name)


def functions() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield all other public functions with a name, those for frameworks if these are hidden."""
    import bakeoff

    for name in dir(bakeoff.integrations) if is_hidden("django") else ():
        arguments = FURTHER.get(name, ())
        yield (
            f"integrations.{name}",
            lambda name=name, arguments=arguments: getattr(bakeoff.integrations, name)(
                bakeoff.codec("json"), *arguments
            ),
        )
    schema = bakeoff.Schema({"a": int, "b": [str], "c": bytes})
    for name in DEFINITIONS:
        yield f"definition {name}", lambda name=name: schema.definition(name)
    yield "infer", lambda: bakeoff.Schema.infer([{"a": 1}]).to_python()
    yield "corpus", lambda: list(bakeoff.corpus("movies", 2).records())
    yield "load", lambda: bakeoff.load(RESULT)._repr_html_()
    yield "to_pandas", lambda: bakeoff.load(RESULT).to_pandas()


def is_hidden(module: str) -> bool:
    return sys.modules.get(module, sys) is None


def outcome(call: Callable[[], Any]) -> str:
    """Return what a function raised, unless it is one of our errors."""
    from bakeoff import BakeoffError, CodecError

    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            call()
    except (BakeoffError, CodecError):
        return ""
    except Exception:  # noqa: BLE001 - the outcome
        return traceback.format_exc(limit=-2)
    return ""


def command_outcome(arguments: list[str]) -> str:
    """Return what a command printed, unless it succeeded or ended with one sentence."""
    from bakeoff.cli import main

    with CliRunner().isolation() as (_, err, _):
        try:
            main(arguments)
        except SystemExit as error:
            ended = error
        except BaseException:  # noqa: BLE001 - the outcome
            return traceback.format_exc(limit=-2)
        said = err.getvalue().decode()
        refused = ended.code in (1, 2) and not any(word in said for word in ("Traceback", "no such option"))
        if ended.code in (0, None) or refused:
            return ""
        return f"exit {ended.code}: {said}"


def tried(modules: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Return the calls that fail without some modules."""
    for name in [name for name in sys.modules if any(name.startswith(f"{module}.") for module in modules)]:
        del sys.modules[name]
    sys.modules.update(dict.fromkeys(modules))  # type: ignore[arg-type] # None means a missing module
    hidden, several = ",".join(modules), len(modules) > 1
    called = (*declared(), *(functions() if several else ()))
    typed = (*facts(), *(commands() if several else ()))
    found = [(hidden, name, outcome(call)) for name, call in called]
    found += [(hidden, " ".join(arguments), command_outcome(arguments)) for arguments in typed]
    return [each for each in found if each[2]]


def main() -> None:
    folder, *hidden = sys.argv[1:]
    os.chdir(folder)
    os.environ["BAKEOFF_PAST_RUNS"] = "off"
    found = []
    for text in hidden:
        receiving, sending = os.pipe()
        if (child := os.fork()) == 0:
            os.close(receiving)
            with os.fdopen(sending, "w") as file:
                json.dump(tried(tuple(text.split(","))), file)
            os._exit(0)
        os.close(sending)
        with os.fdopen(receiving) as file:
            answer = file.read()
        os.waitpid(child, 0)
        found += json.loads(answer) if answer else [(text, "", "the process died")]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
