"""Compressed cells, trained dictionaries and batches, through a real run."""

from __future__ import annotations

import base64
import dataclasses

import pytest

from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session
from bakeoff.codecs.streams.compression import dictionary_id
from bakeoff.reports.tables.block import mean_size
from hurried import HURRIED

OPERATIONS = ("dump", "size")


def run(tmp_path, **options):
    plain = Options(
        corpora=("messages",),
        codecs=("msgpack",),
        operations=OPERATIONS,
        records="400",
        budget=0.0,
        no_time_limit=True,
    )
    options = dataclasses.replace(plain.quick(), budget=0.0, **options)
    return Session(options, tmp_path / "r.json", pace=HURRIED).run()


@pytest.mark.slow
def test_a_dictionary_is_trained_on_other_records(tmp_path):
    names = ("msgpack", "msgpack|zstd:3", "msgpack|zstd:3,dict")

    result = run(tmp_path, codecs=names)

    plain, packed, trained = (result.cell("messages", "size", name).samples[0].value for name in names)
    assert trained < packed < plain
    assert 200 == result.corpora[0].sample
    cells = [cell for cell in result.cells if cell.cell.codec == names[2]]
    (held,) = (cell.check.dictionary for cell in cells if cell.check.dictionary)
    assert {dictionary_id(base64.b64decode(held))} == {cell.check.dictionary_id for cell in cells}


@pytest.mark.slow
def test_a_batch_is_one_record(tmp_path):
    result = run(tmp_path, batch=50, codecs=("json", "msgpack"))

    (corpus,) = result.corpora
    assert ("messages-x50", 8) == (corpus.name, corpus.records)
    assert corpus.description.startswith("Lists of 50 records")
    single = run(tmp_path, batch=1).cell("messages", "size", "msgpack").samples[0].value
    assert 45 * single < result.cell("messages-x50", "size", "msgpack").samples[0].value < 55 * single
    written = result.cell("messages-x50", "size", "json").samples[0].value
    assert pytest.approx(written, rel=0.001) == corpus.profile["batch_bytes_mean"]
    assert mean_size(corpus).startswith("84,0")


@pytest.mark.slow
def test_typed_decoders_are_measured_beside_the_others(tmp_path):
    names = ("msgspec-msgpack/struct", "msgspec-msgpack/array", "msgspec-json/struct")

    result = run(tmp_path, codecs=names)

    assert ["ok"] * 3 == [result.cell("messages", "size", name).outcome for name in names]
    structs, arrays = (result.cell("messages", "size", name).samples[0].value for name in names[:2])
    assert arrays < structs
