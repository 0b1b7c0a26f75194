"""The libraries' own calls next to ours: measured and checked, but never recommended or picked."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

import bakeoff
import inprocess
from bakeoff import codecs
from bakeoff.bench.equality.losses import find_losses
from bakeoff.bench.jobs import CorpusInputs
from bakeoff.bench.results import read
from bakeoff.bench.worker.parts import codec_parts
from bakeoff.codecs import CodecError, EncodeError, UnknownCodec


def test_what_is_timed_is_the_librarys_own_callable() -> None:
    timed = codec_parts("orjson/raw", CorpusInputs(""), {})

    assert timed.bare.encode is orjson.dumps
    assert timed.bare.decode is orjson.loads
    with pytest.raises(EncodeError):
        codec_parts("orjson/raw", CorpusInputs(""), {}, checking=True).bare.encode({"a": object()})


def test_nobody_imports_them() -> None:
    assert codecs.describe("orjson").extra == codecs.describe("orjson/raw").extra
    assert [False, True, True] == [codecs.is_raw(name) for name in ("orjson", "orjson/raw", "pickle/2/raw")]
    assert "orjson/raw" not in codecs.names()
    with pytest.raises(CodecError, match="bakeoff run --raw"):
        bakeoff.codec("orjson/raw")
    with pytest.raises(UnknownCodec, match="did you mean orjson"):
        bakeoff.codec("orjso/raw")
    with pytest.raises(CodecError, match="no raw calls are defined for this codec"):
        codec_parts("arrow/pandas/raw", CorpusInputs(""), {})
    with pytest.raises(CodecError, match="the corpus has no schema"):
        codec_parts("avro/raw", CorpusInputs(""), {})


@pytest.mark.parametrize(("losses", "wrong"), [(("own types",), False), ((), True)])
def test_a_librarys_own_subclass_is_a_loss(losses: tuple[str, ...], wrong: bool) -> None:
    """PyMongo's Int64 is an int all the same, and must not keep its library's calls out."""
    own = type("Int64", (int,), {})

    found = find_losses({"a": 5}, {"a": own(5)}, frozenset(), losses)

    assert wrong == (found.wrong is not None)
    assert "came back as `Int64` at `$.a`" in (found.wrong or next(iter(found.losses.values())))
    assert find_losses({"a": 5}, {"a": own(6)}, frozenset(), losses).wrong


@pytest.mark.slow
def test_a_run_enters_them_beside_the_codecs(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"id": 1099511627776, "name": "a"}\n' * 3)
    command = "run mine.jsonl --raw --quick --all --budget 0 -c bson,orjson,orjson|zlib"

    done = inprocess.bakeoff(tmp_path, *command.split())

    assert done.returncode == 0, done.stderr
    result = read(tmp_path / "bakeoff.json")
    assert {"bson", "bson/raw", "orjson", "orjson/raw", "orjson|zlib"} == {c.name for c in result.codecs}
    outcomes = {c.cell.codec: c.outcome for c in result.cells if c.cell.operation_name == "load"}
    assert ("ok", "lossy") == (outcomes["bson"], outcomes["bson/raw"])
